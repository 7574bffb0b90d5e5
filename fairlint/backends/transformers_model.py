"""The backend `transformers`: weights on this machine, from the hub, a folder or a GGUF file.

Answers are written in batches (`decoding.py`). A batch holds prompts that begin alike and are about equally
long. How many it holds is found out: twice as many as long as that makes more tokens a second, half as many
where memory does not suffice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.backends.allowed_answers import no_probabilities
from fairlint.backends.answer_options import newline_tokens, options_of
from fairlint.backends.batches import FIRST, FIRST_ON_ACCELERATOR, BatchSize, in_order
from fairlint.backends.decoding import Drawing, Row, decode
from fairlint.backends.extras import need
from fairlint.backends.loading import EXTRA, load_weights
from fairlint.backends.model import Finished, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import known_model, name_of
from fairlint.backends.prompting import answer_prefix, tokens_of
from fairlint.backends.requests import Request
from fairlint.backends.transformers_scoring import scored_batches
from fairlint.backends.weights import out_of_memory
from fairlint.support.records import replace


def load(where: str, options: ModelOptions) -> TransformersModel:
    """Return the model of a hub id, a folder or a GGUF file. Raises ModelError where it cannot be had."""
    loaded = load_weights(where, options)
    return TransformersModel(where, loaded.revision, loaded.model, loaded.tokenizer, options)


class TransformersModel:
    """A causal language model with its tokenizer."""

    def __init__(self, where: str, revision: str, model: Any, tokenizer: Any, options: ModelOptions) -> None:
        torch, transformers = need("torch", EXTRA), need("transformers", EXTRA)
        self.name = name_of(where)
        self.revision = revision
        self._torch = torch
        self._model = model
        self._tokenizer = tokenizer
        self._chat = tokenizer.chat_template is not None if options.chat is None else options.chat
        if self._chat and tokenizer.chat_template is None:
            raise ModelError(f"{where} has no chat template, so it cannot be asked in a chat")
        self._own = _own_drawing(where, model)
        self._ends = _end_tokens(model, tokenizer)
        self.written = 0
        on_accelerator = model.device.type == "cuda"
        self._size = BatchSize(
            options.batch_size,
            most=512 if on_accelerator else 32,
            first=FIRST_ON_ACCELERATOR if on_accelerator else FIRST,
        )
        self.settings: Mapping[str, Any] = {
            "backend": "transformers",
            "transformers": transformers.__version__,
            "torch": torch.__version__,
            "device": model.device.type,
            "dtype": str(model.dtype).removeprefix("torch."),
            "chat": self._chat,
            "top_k": self._own.top_k,
            "repetition_penalty": self._own.repetition_penalty,
        }
        if options.intervention is not None:
            options.intervention.attach(model, self.name, self.revision)
            self.settings = {**self.settings, "ablation": dict(options.intervention.settings)}

    def sampling(self, wanted: Sampling) -> Sampling:
        """Return the same with the model's own temperature and `top_p` where nothing is wanted."""
        return replace(
            wanted,
            temperature=self._own.temperature if wanted.temperature is None else wanted.temperature,
            top_p=self._own.top_p if wanted.top_p is None else wanted.top_p,
        )

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield all answers, those of a batch as they are done."""
        wanted = self.sampling(sampling)
        top_k = self._own.top_k if wanted.top_k is None else wanted.top_k
        drawing = replace(self._own, temperature=wanted.temperature, top_p=wanted.top_p, top_k=top_k)
        texts = [tokens_of(self._tokenizer, request, in_chat=self._chat) for request in requests]
        self._check_lengths(texts, wanted.max_new_tokens)
        waiting = in_order(texts, window=16 * self._size.most)
        while waiting:
            batch = waiting[: self._size.now]
            rows = [
                self._batch_row(place, requests[place], texts[place], wanted, finished) for place in batch
            ]
            began = time.perf_counter()
            written: set[int] = set()
            try:
                for done in decode(
                    self._model,
                    self._tokenizer,
                    rows,
                    drawing,
                    limit=wanted.max_new_tokens,
                    ends=self._ends,
                    told=self._count,
                ):
                    written.update(row.place for row in done)
                    yield [self._response_of_row(requests[row.place], row) for row in done]
            except (RuntimeError, MemoryError) as error:
                if not out_of_memory(self._torch, error):
                    raise
                self._free_memory()
                if not self._size.too_much(len(rows)):
                    raise ModelError(
                        f"{self.name}: one answer at a time needs more memory than {self._model.device} has: "
                        "use a smaller model, fewer --max-new-tokens or --dtype bfloat16"
                    ) from error
            else:
                tokens = sum(len(row.tokens) for row in rows)
                self._size.went(len(rows), tokens / max(time.perf_counter() - began, 1e-9))
            finally:
                waiting = [place for place in waiting if place not in written]

    def score(
        self,
        requests: Sequence[Request],
        tokens: int,  # noqa: ARG002 (nothing is written)
    ) -> Iterator[Sequence[Response]]:
        """Yield the probabilities of whole answers: in a chat up to a token that ends them, else up to that
        or a new line.
        """
        several = [options_of(self._tokenizer, self.name, one, in_chat=self._chat) for one in requests]
        ends = self._ends if self._chat else self._ends | newline_tokens(self._tokenizer)
        if not ends:
            raise no_probabilities(self.name, "no token ends an answer")
        longest = max((len(way) for one in several for way in one.all_tokens), default=0)
        self._check_lengths([one.prompt for one in several], longest)
        yield from scored_batches(self._model, self.name, requests, several, ends)

    def close(self) -> None:
        """Give back the memory."""
        self._model = None
        self._free_memory()

    def _count(self, tokens: int) -> None:
        self.written += tokens

    def _free_memory(self) -> None:
        import gc  # noqa: PLC0415 (after an error only)

        gc.collect()
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()

    def _batch_row(
        self, place: int, request: Request, prompt: Sequence[int], sampling: Sampling, finished: Finished
    ) -> Row:
        before = answer_prefix(request, self._tokenizer, prompt, in_chat=self._chat)

        def complete(text: str) -> int | None:
            whole = finished(request, before + text)
            return None if whole is None else max(whole - len(before), 0)

        return Row(
            place, tuple(prompt), request.seed, complete if sampling.early_stop else _never_complete, []
        )

    def _response_of_row(self, request: Request, row: Row) -> Response:
        return Response(
            request=request,
            text=row.text,
            given=answer_prefix(request, self._tokenizer, row.prompt, in_chat=self._chat),
            finish=row.finish,
            prompt_tokens=len(row.prompt),
            new_tokens=len(row.tokens),
        )

    def _check_lengths(self, texts: Sequence[Sequence[int]], new: int) -> None:
        room = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        longest = max(map(len, texts), default=0)
        if room and longest + new > room:
            raise ModelError(
                f"{self.name} reads {room} tokens at most, and a prompt of {longest} with --max-new-tokens "
                f"{new} is more: {max(room - longest, 0)} are left to write in"
            )


def _never_complete(_text: str) -> None:
    """Where an answer is not stopped early."""


def _own_drawing(where: str, model: Any) -> Drawing:
    """Return how the model's files, or else its card, say that its tokens are to be drawn."""
    said, card = model.generation_config, known_model(where)

    def own(name: str, otherwise: Any) -> Any:
        value = getattr(said, name, None)
        recommended = getattr(card, name, None)
        return next((one for one in (value, recommended) if one is not None), otherwise)

    return Drawing(
        temperature=float(own("temperature", 1.0)),
        top_p=float(own("top_p", 1.0)),
        top_k=int(own("top_k", 0)),
        repetition_penalty=float(own("repetition_penalty", 1.0)),
    )


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    said = model.generation_config.eos_token_id
    ends = {tokenizer.eos_token_id, *(said if isinstance(said, list | tuple) else [said])}
    return frozenset(token for token in ends if token is not None)
