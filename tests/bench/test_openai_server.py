"""A model behind a server: what it is asked, what its answers become, and what users see when it fails."""

from __future__ import annotations

import asyncio
import base64
import gc
import itertools
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

sys.path.insert(0, str(Path(__file__).parent))

from server import MODEL, Asked, Reply, Server, error, serving

from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling
from fairlint.backends.openai_server import Counted, OpenAIServer, load, look_up
from fairlint.backends.requests import Message, Request
from fairlint.support.records import replace

KEY = "fk-3f9a7c51d2e84b60"
HEADER = 'def pick(person):\n    """Choose."""\n'
PLAIN = Sampling(64, early_stop=False)
EARLY = Sampling(64)
QUICK = {"retry-after-ms": "5"}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"FAIRLINT_{name}", raising=False)
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)


def request(number: int = 0) -> Request:
    turns = (
        Message("system", "You write code."),
        Message("user", f"Question {number}\n{HEADER}"),
    )
    return Request("s", "job", "gender", f"o{number}", "", 0, 1000 + number, turns, "hash", HEADER, "pick")


def never(_request: Request, _text: str) -> None:
    return None


def to_blank_line(_request: Request, text: str) -> int | None:
    end = text.find("\n\n")
    return None if end < 0 else end


def says(text: str, **more: Any) -> Reply:
    return Reply(pieces=[text[at : at + 4] for at in range(0, len(text), 4)], **more)


def loaded(server: Server, **options: Any) -> OpenAIServer:
    given = {"base_url": server.url, "api_key": KEY, "retries": 2, "timeout": 20.0, **options}
    return load(MODEL, ModelOptions(**given))


def answers(
    model: OpenAIServer, requests: Sequence[Request], sampling: Sampling = PLAIN, finished: Any = never
) -> list[Response]:
    return [response for batch in model.answer(requests, sampling, finished) for response in batch]


def refused(reply: Any, **options: Any) -> str:
    """The one line that a server's reply to everything ends in."""
    with serving(reply) as server, pytest.raises(ModelError) as caught:
        answers(loaded(server, **options), [request()])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_chat_answer_is_taken_as_it_is() -> None:
    with serving(lambda _: says("    return 1\n")) as server:
        model = loaded(server)
        sampling = model.sampling(Sampling(64, 0.7, 0.9, early_stop=False))
        [response] = answers(model, [request()], sampling)
        [asked] = server.real
    assert response == Response(request(), "    return 1\n", "", "end", 11, 7)
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.payload == {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "You write code."},
            {"role": "user", "content": f"Question 0\n{HEADER}"},
        ],
        "max_tokens": 64,
        "seed": 1000,
        "temperature": 0.7,
        "top_p": 0.9,
    }
    assert model.counted == Counted(1, 0, 0)
    assert model.notes == []
    model.close()
    model.close()


def test_servers_of_open_models_are_asked_for_the_likeliest_tokens_alone() -> None:
    with serving(lambda _: says("x")) as server:
        answers(loaded(server), [request()], Sampling(64, early_stop=False, top_k=50))
        assert server.real[0].payload["top_k"] == 50


def test_the_models_own_temperature_is_left_to_it() -> None:
    with serving(lambda _: says("x")) as server:
        model = loaded(server)
        assert model.sampling(PLAIN) == PLAIN
        answers(model, [request()])
        assert not {"temperature", "top_p", "stop", "stream"} & set(server.real[0].payload)


def test_a_plain_completion_goes_on_from_the_head_of_the_function() -> None:
    seen: list[str] = []

    def watch(_request: Request, text: str) -> None:
        seen.append(text)

    with serving(lambda _: says("    return 1\n")) as server:
        model = loaded(server, chat=False)
        [response] = answers(model, [request()], EARLY, watch)
        [asked] = server.real
    assert asked.path == "/v1/completions"
    assert asked.payload["prompt"].endswith(HEADER)
    assert (response.given, response.text, response.finish) == (HEADER, "    return 1\n", "end")
    assert seen[-1] == HEADER + "    return 1\n"
    assert model.settings["chat"] is False


@pytest.mark.parametrize("chat", [True, False])
def test_a_streamed_answer_is_the_same_as_a_whole_one(chat: bool) -> None:
    with serving(lambda _: says("    return 'ä'\n", finish="length")) as server:
        model = loaded(server, chat=chat)
        [whole] = answers(model, [request()], PLAIN)
        [streamed] = answers(model, [request()], EARLY)
        assert [bool(asked.payload.get("stream")) for asked in server.real] == [False, True]
    assert whole == streamed
    assert whole.finish == "length"
    assert model.counted == Counted(2, 0, 0)


def body(message: dict[str, Any], finish: str | None = "stop") -> Reply:
    return Reply(body={"choices": [{"finish_reason": finish, "message": message}]})


@pytest.mark.parametrize(
    ("reply", "text", "finish"),
    [
        (says(""), "", "end"),
        (says("half", finish="content_filter"), "half", "content_filter"),
        (error(400, "The prompt was filtered.", code="content_filter"), "", "content_filter"),
        (body({"content": [{"type": "text", "text": "a"}]}), "a", "end"),
        (body({"content": "a", "reasoning_content": "b"}), "a", "end"),
        (body({"content": "a"}, None), "a", "unknown"),
    ],
    ids=["nothing", "filtered", "filtered question", "parts", "reasoning", "no reason"],
)
def test_unusual_answers_are_answers(reply: Reply, text: str, finish: str) -> None:
    with serving(lambda asked: says("x") if asked.probe else reply) as server:
        [response] = answers(loaded(server), [request()])
    assert (response.text, response.finish) == (text, finish)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": "10", "completion_tokens": "3"}, (10, 3)),
        ({"prompt_tokens": 10.0, "completion_tokens": None}, (10, 0)),
        ({"prompt_tokens": "many", "completion_tokens": -3}, (0, 0)),
        ("free", (0, 0)),
    ],
)
def test_a_server_may_count_as_it_likes(usage: Any, tokens: tuple[int, int]) -> None:
    reply = Reply(body={**(body({"content": "a"}).body or {}), "usage": usage})
    with serving(lambda asked: says("x") if asked.probe else reply) as server:
        model = loaded(server)
        [response] = answers(model, [request()])
    assert (response.prompt_tokens, response.new_tokens) == tokens


def test_what_nobody_counted_is_no_estimate() -> None:
    reply = body({"content": "a"})
    with serving(lambda asked: says("x") if asked.probe else reply) as server:
        model = loaded(server)
        answers(model, [request()])
    assert [note for note in model.notes if "token" in note] == [
        "the server did not tell the tokens of 1 of 1 answers"
    ]


def test_an_answer_that_is_complete_is_stopped_and_its_stream_closed() -> None:
    with serving(lambda _: Reply(pieces=["    return", " 1\n", "\n", "and so on "], endless=True)) as server:
        model = loaded(server)
        server.hung_up.clear()
        [response] = answers(model, [request()], EARLY, to_blank_line)
        assert server.hung_up.wait(10), "the server was left writing"
    assert (response.text, response.finish, response.new_tokens) == ("    return 1", "complete", 3)
    assert model.counted == Counted(1, 1, 0)
    assert any("estimate" in note for note in model.notes)


def test_what_was_given_counts_to_where_the_answer_ends() -> None:
    with serving(lambda _: says("    return 1\n\n\nmore\n")) as server:
        [response] = answers(loaded(server, chat=False), [request()], EARLY, to_blank_line)
    assert response.text == "    return 1"


def test_nothing_is_cut_when_early_stop_is_off() -> None:
    with serving(lambda _: says("a\n\nb")) as server:
        [response] = answers(loaded(server), [request()], PLAIN, to_blank_line)
    assert (response.text, response.finish) == ("a\n\nb", "end")


def test_a_server_that_does_not_stream_is_cut_here() -> None:
    with serving(lambda _: body({"content": "a\n\nb"})) as server:
        model = loaded(server)
        [response] = answers(model, [request()], EARLY, to_blank_line)
    assert (response.text, response.finish) == ("a", "complete")
    assert any("stream" in note for note in model.notes)


def test_too_many_requests_are_sent_again_when_the_server_says() -> None:
    def reply(asked: Asked) -> Reply:
        if not asked.probe and len(server.real) < 3:
            return error(429, "slow down", headers={"Retry-After": "0.01"})
        return says("x")

    with serving(reply) as server:
        [response] = answers(loaded(server), [request()])
        assert len(server.real) == 3
    assert response.text == "x"


def test_a_server_that_fails_always_is_given_up() -> None:
    told = refused(lambda _: error(500, "out of memory", headers=QUICK))
    assert "fails (500, tried 3 times): out of memory" in told


def test_a_pause_that_is_too_long_is_told_and_not_waited_for() -> None:
    told = refused(lambda _: error(429, "quota used up", headers={"Retry-After": "3600"}))
    assert "(429, tried once, to be asked again in 3600 s): quota used up" in told


def test_a_page_of_a_proxy_is_not_shown() -> None:
    told = refused(lambda _: Reply(502, "<html>Bad\ngateway</html>", QUICK))
    assert told.endswith("fails (502, tried 3 times)")


def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    def reply(asked: Asked) -> Reply:
        return says("half an answer", cut=not asked.probe and len(server.real) == 1)

    with serving(reply) as server:
        [response] = answers(loaded(server), [request()], EARLY)
        assert len(server.real) == 2
        assert server.real[0].payload == server.real[1].payload
    assert response.text == "half an answer"


def test_half_an_answer_is_never_taken_for_a_whole_one() -> None:
    with serving(lambda asked: says("half an answer", cut=not asked.probe)) as server:
        model = loaded(server, retries=1)
        with pytest.raises(ModelError, match=r"broke off \(tried 2 times\)"):
            answers(model, [request()], EARLY)


@pytest.mark.parametrize(
    "told", [{}, {"choices": []}, {"error": {"message": "upstream is gone"}}, "<html>hello</html>", [], "{"]
)
def test_a_body_that_is_no_answer_is_an_error(told: Any) -> None:
    with serving(lambda asked: says("x") if asked.probe else Reply(body=told)) as server:
        model = loaded(server, retries=0)
        with pytest.raises(ModelError) as caught:
            answers(model, [request()])
    if isinstance(told, dict) and "error" in told:
        assert "upstream is gone" in str(caught.value)


@pytest.mark.parametrize("sampling", [PLAIN, EARLY], ids=["whole", "streamed"])
def test_a_slow_answer_ends_with_the_time_it_had(sampling: Sampling) -> None:
    hold = threading.Event()
    with serving(lambda asked: says("x", wait=None if asked.probe else hold)) as server:
        model = loaded(server, timeout=0.3, retries=0)
        with pytest.raises(ModelError, match=r"no answer within 0\.3 s \(tried once\)"):
            answers(model, [request()], sampling)
        hold.set()


def test_a_stream_that_never_ends_ends_with_the_time_it_had() -> None:
    with serving(lambda _: Reply(pieces=["on "], endless=True)) as server:
        model = loaded(server, timeout=0.5, retries=0)
        with pytest.raises(ModelError, match=r"took longer than 0\.5 s"):
            answers(model, [request()], EARLY)


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(ModelError) as caught:
            load(MODEL, ModelOptions(base_url=url.replace("//", "//me:pa55word@"), retries=1))
    assert str(caught.value).startswith(f"{url} cannot be reached (tried 2 times)")
    assert "pa55word" not in str(caught.value)


def test_the_key_was_refused() -> None:
    told = refused(lambda _: error(401, "bad key"))
    assert "the key was refused (401)" in told
    assert "FAIRLINT_API_KEY" in told
    assert "a key is needed" in refused(lambda _: error(401, "no key"), api_key="")
    assert "no access to this model" in refused(lambda _: error(403, "no access to this model"))


def test_a_model_that_is_not_there_offers_the_nearest() -> None:
    names = ["qwen2.5-coder-7b", "tiny-modal", "llama-3.1-8b"]
    listed = {"data": [{"id": name} for name in names]}
    missing = error(404, f"The model `{MODEL}` does not exist.", code="model_not_found")
    with serving(lambda _: missing, listed) as server, pytest.raises(ModelError) as caught:
        loaded(server)
    assert f"has no model '{MODEL}': it has tiny-modal, " in str(caught.value)
    with (
        serving(lambda _: missing, error(404, "Not Found")) as server,
        pytest.raises(ModelError, match="not tell"),
    ):
        loaded(server)


def test_names_are_looked_up_before_anything_is_asked_of_them() -> None:
    """What the server lists is believed; another name may stand for one of these, which a question tells."""
    asked: list[str] = []

    def reply(one: Asked) -> Reply:
        asked.append(one.payload["model"])
        wrong = error(404, f"The model `{asked[-1]}` does not exist.", code="model_not_found")
        return wrong if asked[-1] == "misspelt" else says("x")

    with serving(reply, {"data": [{"id": "listed"}, {"id": "other"}]}) as server:
        wrong = look_up(("listed", "an-alias", "misspelt"), ModelOptions(base_url=server.url))
    assert list(wrong) == ["misspelt"]
    assert "has no model 'misspelt': it has " in wrong["misspelt"]
    assert set(asked) == {"an-alias", "misspelt"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        gone = look_up(("a", "b"), ModelOptions(base_url=url, retries=0))
    assert set(gone) == {"a", "b"}
    assert "cannot be reached" in gone["a"]


def test_without_a_name_the_only_model_is_taken() -> None:
    with serving(lambda _: says("x")) as server:
        model = load("", ModelOptions(base_url=server.url))
        assert model.name == MODEL
    for listed, told in (
        ({"data": [{"id": "a"}, {"id": "b"}]}, "name one of a, b"),
        ({"data": []}, "no list of models"),
        (error(500, "broken", headers=QUICK), "no list of models"),
    ):
        with serving(lambda _: says("x"), listed) as server, pytest.raises(ModelError, match=told):
            load("", ModelOptions(base_url=server.url))


def test_a_server_that_cannot_list_its_models_is_asked_all_the_same() -> None:
    with serving(lambda _: says("x"), error(500, "no cache", headers=QUICK)) as server:
        assert [response.text for response in answers(loaded(server), [request()])] == ["x"]


def test_an_address_without_v1_is_told() -> None:
    assert "/v1" in refused(lambda _: Reply(404, {"detail": "Not Found"}))


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://host/v1", "http://:80", "http://host:port/v1", "http://[::1/v1"]
)
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(ModelError, match="http://localhost:8000/v1"):
        load(MODEL, ModelOptions(base_url=url))


def without(name: str, message: str, **more: Any) -> Any:
    """A server that answers only requests without a parameter."""
    return lambda asked: error(400, message, **more) if name in asked.payload else says("x")


@pytest.mark.parametrize("early", [True, False])
def test_newer_models_get_their_own_name_for_the_token_limit(early: bool) -> None:
    message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    with serving(without("max_tokens", message, code="unsupported_parameter", param="max_tokens")) as server:
        model = loaded(server)
        answers(model, [request()], replace(PLAIN, early_stop=early))
        [asked] = server.real
    assert asked.payload["max_completion_tokens"] == 64


@pytest.mark.parametrize(
    ("name", "message", "dropped"),
    [
        ("seed", "Unrecognized request argument supplied: seed", ["seed"]),
        ("seed", "[{'type': 'extra_forbidden', 'loc': ['body', 'seed']}]", ["seed"]),
        ("stream_options", "unknown field: stream_options", []),
        ("stream", "This server doesn't support streaming (stream=true)", []),
    ],
)
def test_what_a_server_does_not_take_is_left_out_and_told(
    name: str, message: str, dropped: list[str]
) -> None:
    with serving(without(name, message)) as server:
        model = loaded(server)
        [response] = answers(model, [request()], EARLY)
        assert [name in asked.payload for asked in server.real] == [False]
    assert response.text == "x"
    assert model.settings["dropped"] == dropped
    assert any(name in note for note in model.notes)


def test_a_temperature_that_is_not_supported_is_the_models_own() -> None:
    message = "Unsupported value: 'temperature' does not support 0.2 with this model."
    with serving(without("temperature", message, param="temperature", code="unsupported_value")) as server:
        model = loaded(server)
        sampling = model.sampling(replace(PLAIN, temperature=0.2))
        assert sampling == PLAIN
        assert model.settings["dropped"] == ["temperature"]
        answers(model, [request()], sampling)


def test_a_value_out_of_range_is_not_dropped() -> None:
    told = without("max_tokens", "max_tokens is too large: 64. This model's context has 32 tokens.")
    with serving(told) as server:
        model = loaded(server)
        with pytest.raises(ModelError, match=r"refused a request \(400\): max_tokens is too large"):
            answers(model, [request()])
        assert len(server.real) == 1


NO_TEMPLATE = "default chat template is no longer allowed, so you must provide a chat template"


@pytest.mark.parametrize(
    "reply",
    [error(400, NO_TEMPLATE), Reply(404, {"detail": "Not Found"}), error(404, "This is not a chat model")],
)
def test_a_model_without_a_chat_is_asked_for_completions(reply: Reply) -> None:
    with serving(lambda asked: reply if "messages" in asked.payload else says("x")) as server:
        model = loaded(server)
        assert model.settings["chat"] is False
        [response] = answers(model, [request()])
        assert [asked.path for asked in server.real] == ["/v1/completions"]
        assert response.given == HEADER
        assert any("completions" in note for note in model.notes)
        with pytest.raises(ModelError):
            answers(loaded(server, chat=True), [request()])


def test_no_more_requests_than_allowed_are_under_way() -> None:
    together = threading.Barrier(3)

    def reply(asked: Asked) -> Reply:
        if not asked.probe:
            together.wait(20)
        return says(asked.payload["messages"][-1]["content"][9:11])

    with serving(reply) as server:
        found = answers(loaded(server, concurrency=3), [request(number) for number in range(12)])
        assert server.most == 3
    assert sorted(response.request.seed for response in found) == list(range(1000, 1012))
    assert all(int(response.text) == response.request.seed - 1000 for response in found)


def test_no_more_is_asked_than_what_is_not_kept_yet() -> None:
    """Whatever kills a run costs as many answers as are asked for at a time, however slow the disk is."""
    with serving(lambda _: says("x")) as server:
        coming = loaded(server, concurrency=2).answer([request(n) for n in range(12)], PLAIN, never)
        kept = len(next(coming))
        time.sleep(0.5)  # the disk takes its time
        assert len(server.real) <= 2
        for batch in coming:
            kept += len(batch)
            assert len(server.real) <= kept + 2
    assert kept == 12


def test_answers_that_came_are_given_before_the_server_died() -> None:
    def reply(asked: Asked) -> Reply:
        return says("x") if asked.probe or len(server.real) <= 4 else error(503, "bye", headers=QUICK)

    found: list[Response] = []
    with serving(reply) as server:
        model = loaded(server, concurrency=2)
        coming = itertools.chain.from_iterable(model.answer([request(n) for n in range(50)], PLAIN, never))
        with pytest.raises(ModelError, match="bye"):
            found.extend(coming)
        assert len(found) == model.counted.answers == 4
        assert len(server.real) < 20, "a dead server was asked on and on"


def test_answers_come_while_others_are_under_way() -> None:
    hold = threading.Event()
    with serving(lambda asked: says("x", wait=hold if asked.payload.get("seed") == 1001 else None)) as server:
        coming = loaded(server).answer([request(0), request(1)], PLAIN, never)
        assert [response.request.seed for response in next(coming)] == [1000]
        hold.set()
        assert [response.request.seed for response in next(coming)] == [1001]
        assert list(coming) == []


def test_whoever_stops_reading_leaves_nothing_behind() -> None:
    def reply(asked: Asked) -> Reply:
        return says("x") if asked.payload.get("seed") == 1000 else Reply(pieces=["on "], endless=True)

    with serving(reply) as server:
        coming = loaded(server).answer([request(number) for number in range(4)], EARLY, never)
        assert isinstance(coming, Iterator)
        server.hung_up.clear()
        next(coming)
        coming.close()  # type: ignore[attr-defined]
        assert server.hung_up.wait(10)
        assert not [thread for thread in threading.enumerate() if thread.name == "fairlint-server"]
    gc.collect()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_ends_what_is_under_way() -> None:
    def reply(asked: Asked) -> Reply:
        if not asked.probe:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return Reply(pieces=["on "], endless=True)

    with serving(reply) as server:
        model = loaded(server)
        server.hung_up.clear()
        with pytest.raises(KeyboardInterrupt):
            answers(model, [request(0)], EARLY)
        assert server.hung_up.wait(10)
        assert not [thread for thread in threading.enumerate() if thread.name == "fairlint-server"]
    gc.collect()


def test_an_interrupt_in_the_suite_ends_what_is_under_way() -> None:
    def interrupted(_request: Request, _text: str) -> None:
        raise KeyboardInterrupt

    with serving(lambda _: Reply(pieces=["on "], endless=True)) as server:
        model = loaded(server)
        with pytest.raises(KeyboardInterrupt):
            answers(model, [request(0), request(1)], EARLY, interrupted)
        assert server.hung_up.wait(10)
    gc.collect()


def test_it_works_where_an_event_loop_runs_already() -> None:
    async def notebook(server: Server) -> list[Response]:
        return answers(loaded(server), [request()])

    with serving(lambda _: says("x")) as server:
        assert [response.text for response in asyncio.run(notebook(server))] == ["x"]


def test_what_the_suite_raises_is_not_taken_for_the_servers() -> None:
    def wrong(_request: Request, _text: str) -> None:
        raise ValueError("a mistake of ours")

    with serving(lambda _: says("x")) as server, pytest.raises(ValueError, match="a mistake of ours"):
        answers(loaded(server), [request()], EARLY, wrong)


def test_settings_say_what_answers_depend_on() -> None:
    listed = {"data": [{"id": MODEL, "meta": {"n_params": 134, "size": 99}, "owned_by": "llamacpp"}]}
    with serving(lambda _: says("x"), listed) as server:
        model = loaded(server)
        told = json.loads(json.dumps(model.settings))
        answers(model, [request()])
        assert server.real[0].payload["cache_prompt"] is False
        assert (told["backend"], told["base_url"], told["chat"]) == ("openai", server.url, True)
        assert told["cache_prompt"] is False
        assert model.revision == f"{MODEL}-v1, 134 parameters, 99 bytes"
        assert loaded(server).settings == told


def test_the_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: says("x")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "second")
        for expected in ("second", "first"):
            load(MODEL, ModelOptions())
            assert server.asked[-1].headers["authorization"] == f"Bearer {expected}"
            monkeypatch.setenv("FAIRLINT_BASE_URL", server.url)
            monkeypatch.setenv("FAIRLINT_API_KEY", "first\n")


def test_a_login_in_the_address_is_used_and_not_told() -> None:
    with serving(lambda _: error(418, "login me:pa55word@ seen, token t0k3n-of-mine")) as server:
        url = server.url.replace("//", "//me:pa55word@") + "?token=t0k3n-of-mine"
        with pytest.raises(ModelError) as caught:
            answers(load(MODEL, ModelOptions(base_url=url)), [request()])
        asked = server.asked[0]
    assert asked.headers["authorization"] == "Basic " + base64.b64encode(b"me:pa55word").decode()
    assert asked.path.endswith("?token=t0k3n-of-mine")
    assert "pa55word" not in str(caught.value)
    assert "t0k3n" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500])
@pytest.mark.parametrize("sampling", [PLAIN, EARLY], ids=["whole", "streamed"])
def test_the_key_is_never_told(status: int, sampling: Sampling, caplog: pytest.LogCaptureFixture) -> None:
    echo = f"Incorrect API key {KEY} (Bearer {KEY}), or {KEY[:12]}... for model {KEY}"

    def reply(asked: Asked) -> Reply:
        return says(f"{KEY} x") if asked.probe else error(status, echo, code=KEY, headers=QUICK)

    caplog.set_level(logging.DEBUG)
    with serving(reply, {"data": [{"id": MODEL}, {"id": KEY}]}) as server:
        model = loaded(server, retries=1)
        with pytest.raises(ModelError) as caught:
            answers(model, [request()], sampling)
    chain: list[BaseException] = []
    seen: BaseException | None = caught.value
    while seen is not None:
        chain.append(seen)
        seen = seen.__cause__ or seen.__context__
    told = "".join(traceback.format_exception(caught.value))
    told += repr(chain) + repr(model) + json.dumps(model.settings) + repr(model.notes) + model.revision
    told += "".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert KEY[:12] not in told
    assert len(chain) == 1, "a cause knows the request and its headers"


def test_a_key_in_an_answer_is_not_kept() -> None:
    with serving(lambda _: says(f"the key is {KEY}", finish=KEY)) as server:
        [response] = answers(loaded(server), [request()])
    assert KEY not in repr(response)
    assert response.text == "the key is ***"


@pytest.mark.parametrize("key", ["schlüssel-öffnet", "two words", "line\nbreak"])
def test_a_key_that_cannot_be_one_is_told_without_it(key: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(MODEL, ModelOptions(base_url="http://127.0.0.1:9/v1", api_key=key))
    assert key not in str(caught.value)


def test_signs_that_move_the_cursor_are_not_shown() -> None:
    assert "\x1b" not in refused(lambda _: error(418, "red\x1b[2J\nalert " + "x" * 5000))


def test_without_the_package_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelError, match=r'pip install "fairlint\[openai\]"'):
        load(MODEL, ModelOptions())
