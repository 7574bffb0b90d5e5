"""What a server can do to a run: nothing but one failed answer, in the time and memory that it was given."""

from __future__ import annotations

import gzip
import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("openai")

sys.path.insert(0, str(Path(__file__).parent))

from server import MODEL, MODELS, Asked, Reply, serving

from fairlint.backends import openai_server
from fairlint.backends.kept_answers import kept_of
from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling
from fairlint.backends.openai_server import OpenAIServer, load
from fairlint.backends.requests import Message, Request
from fairlint.backends.server_answers import LONGEST_TOLD, message
from fairlint.cli import main
from fairlint.run_folders.jsonl import encode

WHOLE, STREAM = Sampling(64, early_stop=False), Sampling(64)
KEY = "sk-of-somebody-else"
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS"):
        monkeypatch.delenv(f"FAIRLINT_{name}", raising=False)
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)


def request(text: str = "Question") -> Request:
    return Request("s", "job", "gender", "nurse", "", 0, 1, (Message("user", text),), "hash")


def asked_once(model: OpenAIServer, sampling: Sampling) -> list[Response]:
    found = model.answer([request()], sampling, lambda _request, _text: None)
    return [response for batch in found for response in batch]


def head(kind: str = "application/json", more: str = "") -> bytes:
    return HEAD.format(kind=kind, more=more).encode()


def answer(**more: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    return json.dumps(
        {"id": "x", "object": "x", "created": 0, "model": MODEL, "choices": [choice], **more}
    ).encode()


def piece(text: str = "x", finish: str | None = None) -> bytes:
    choice = {"index": 0, "finish_reason": finish, "delta": {"content": text}}
    return b"data: " + json.dumps({"model": MODEL, "choices": [choice]}).encode() + b"\n\n"


Bytes = Callable[[str, str], Iterator[bytes]]
"""What is sent to a path, for the text of a question."""


@contextmanager
def sending(reply: Bytes) -> Iterator[str]:
    """A server that sends whatever it likes, byte by byte if need be, until nobody listens."""
    listening = socket.create_server(("127.0.0.1", 0))
    closed = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data and (more := connection.recv(65536)):
                data += more
            front, _, body = data.partition(b"\r\n\r\n")
            size = re.search(rb"(?i)content-length: (\d+)", front)
            while size and len(body) < int(size[1]) and (more := connection.recv(65536)):
                body += more
            try:
                for part in reply(front.split()[1].decode(), body.decode()):
                    if closed.is_set():
                        return
                    connection.sendall(part)
            except OSError:
                return

    def accept() -> None:
        while not closed.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        closed.set()
        listening.close()


def slowly(data: bytes) -> Iterator[bytes]:
    """A byte now and then, never so long that a single read would take too long; some seconds in all."""
    pause = threading.Event()
    for byte in data:
        pause.wait(0.05)
        yield bytes([byte])


def listed() -> Iterator[bytes]:
    yield head() + json.dumps(MODELS).encode()


def dripping(where: str) -> Bytes:
    """A server that drips what it sends to one place, and sends all else at once."""

    def reply(path: str, body: str) -> Iterator[bytes]:
        stream = '"stream":true' in body.replace(" ", "")
        said = piece(finish="stop") + b"data: [DONE]\n\n" if stream else answer()
        first = head("text/event-stream" if stream else "application/json")
        if path.endswith("/models"):
            first, said = head(), json.dumps(MODELS).encode()
            yield from slowly(first + said) if where == "models" else [first, said]
        elif "Question" not in body or where == "models":
            yield first + said
        elif where == "head":
            yield from slowly(first)
            yield said
        else:
            yield first
            yield from slowly(said)

    return reply


@pytest.mark.parametrize("where", ["head", "body"])
@pytest.mark.parametrize("sampling", [WHOLE, STREAM], ids=["whole", "streamed"])
def test_a_byte_now_and_then_holds_no_answer_longer_than_it_may_take(where: str, sampling: Sampling) -> None:
    with sending(dripping(where)) as url:
        model = load(MODEL, ModelOptions(base_url=url, timeout=1, retries=0))
        with pytest.raises(ModelError, match=r"(no answer within|took longer than) 1 s"):
            asked_once(model, sampling)


def test_a_list_of_models_that_drips_is_done_without() -> None:
    with sending(dripping("models")) as url:
        options = ModelOptions(base_url=url, timeout=1, retries=0)
        assert [response.text for response in asked_once(load(MODEL, options), WHOLE)] == ["x"]
        with pytest.raises(
            ModelError, match=r"no list of models: name one \(the list took longer than 1 s\)"
        ):
            load("", options)


def padded(data: bytes, size: int) -> Iterator[bytes]:
    """JSON with so many bytes of nothing before it."""
    for _ in range(size // 100_000):
        yield b" " * 100_000
    yield data


@pytest.mark.parametrize("kind", ["whole", "streamed", "comments", "one line", "values", "refusal"])
def test_an_answer_has_a_limit_of_bytes(kind: str) -> None:
    size = 5_000_000  # 64 tokens may take 4.3 MB

    def reply(path: str, body: str) -> Iterator[bytes]:
        stream = '"stream":true' in body.replace(" ", "")
        if path.endswith("/models"):
            yield from listed()
        elif "Question" not in body:
            yield head("text/event-stream") + piece(finish="stop") if stream else head() + answer()
        elif kind == "streamed":
            yield head("text/event-stream")
            for _ in range(size // 1000):
                yield piece("x" * 100) + b":" + b" " * 900 + b"\n\n"
            yield piece(finish="stop")
        elif kind in {"comments", "one line"}:
            yield head("text/event-stream")
            for _ in range(size // 1000):
                yield b":" + b" " * 999 + (b"\n\n" if kind == "comments" else b"")
            yield b"\n\n" + piece(finish="stop")
        elif kind == "refusal":
            yield head().replace(b"200 OK", b"400 Bad")
            yield from padded(b"{}", size)
        elif kind == "values":
            yield head() + answer(more=[[]] * 10_000)
        else:
            yield head()
            yield from padded(answer(), size)

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        sampling = WHOLE if kind in {"whole", "refusal", "values"} else STREAM
        told = {
            "one line": "a piece of a stream is larger than 1 MB",
            "refusal": "a reply is larger than 1 MB",
            "values": "a reply has more than 10,000 values",
        }
        with pytest.raises(ModelError, match=told.get(kind, r"a reply is larger than 4\.256 MB")):
            asked_once(model, sampling)


def test_the_limits_are_as_they_are_told() -> None:
    from fairlint.backends.server_client import LARGEST_LIST, largest_reply

    assert [largest_reply(tokens) for tokens in (0, 64, 100_000)] == [4_000_000, 4_256_000, 64_000_000]
    assert LARGEST_LIST == 16_000_000


def test_a_piece_of_a_stream_ends_with_a_blank_line_however_it_comes() -> None:
    from fairlint.backends.server_client import _since_blank_line

    for end in (b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r\n"):
        for whole, left in ((b"abc" + end + b"de", 2), (b"abc" + end, 0)):
            for size in range(1, len(whole) + 1):
                state = (0, b"")
                for at in range(0, len(whole), size):
                    state = _since_blank_line(*state, whole[at : at + size])
                assert left <= state[0] <= left + 2, (end, size)
    assert _since_blank_line(3, b"abc", b"d\r\ne")[0] == 7


def test_a_long_answer_is_no_line_of_a_run() -> None:
    def reply(asked: Asked) -> Reply:
        return Reply(pieces=["x"] if asked.probe else ["x" * 1_000_001])

    with serving(reply) as server:
        model = load(MODEL, ModelOptions(base_url=server.url, retries=0))
        for sampling in (WHOLE, STREAM):
            with pytest.raises(ModelError, match=r"an answer is longer than 1,000,000 characters"):
                asked_once(model, sampling)


def test_a_list_of_models_has_a_limit_of_bytes() -> None:
    def reply(_path: str, _body: str) -> Iterator[bytes]:
        yield head()
        yield from padded(json.dumps(MODELS).encode(), 17_000_000)

    with sending(reply) as url, pytest.raises(ModelError, match=r"a reply is larger than 16 MB"):
        load("", ModelOptions(base_url=url, retries=0))


def test_what_is_packed_is_not_unpacked() -> None:
    packed = gzip.compress(answer())

    def reply(path: str, body: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
        elif "Question" in body:
            yield head(more="Content-Encoding: gzip\r\n") + packed
        else:
            yield head("text/event-stream") + piece(finish="stop")

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        with pytest.raises(ModelError, match=r"packed \(gzip\), which nobody asked for"):
            asked_once(model, WHOLE)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_to_where_a_server_sends_on(status: int) -> None:
    with serving(lambda _: Reply(pieces=["x"])) as other:

        def reply(asked: Asked) -> Reply:
            if asked.probe:
                return Reply(pieces=["x"])
            return Reply(status, {}, {"Location": other.url + "/chat/completions"})

        with serving(reply, Reply(status, {}, {"Location": other.url + "/models"})) as server:
            model = load(MODEL, ModelOptions(base_url=server.url, retries=0))
            with pytest.raises(ModelError) as caught:
                asked_once(model, WHOLE)
        assert other.asked == []
    told = f"{server.url} sends on to another address ({status}: {other.url}/chat/completions)"
    assert str(caught.value).startswith(told)


def seen_by_a_server(**options: Any) -> str:
    """The key that a server got."""
    with serving(lambda _: Reply(pieces=["x"])) as server:
        load(MODEL, ModelOptions(**({"base_url": server.url} | options)))
        return server.asked[-1].headers["authorization"].removeprefix("Bearer ")


def test_a_key_of_the_environment_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: of-somebody")
    with serving(lambda _: Reply(pieces=["x"])) as server:
        load(MODEL, ModelOptions(base_url=server.url))
        assert KEY not in repr(server.asked)
        assert "of-somebody" not in repr(server.asked)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("/v1", "/another/v1"))
        load(MODEL, ModelOptions(base_url=server.url))
        assert f"Bearer {KEY}" in repr(server.asked)
        assert "org-of-somebody" in repr(server.asked)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert seen_by_a_server() == "none"
    assert seen_by_a_server(api_key="mine") == "mine"
    monkeypatch.setenv("FAIRLINT_API_KEY", "fairlints")
    assert seen_by_a_server() == "fairlints"
    monkeypatch.setenv("FAIRLINT_BASE_URL", "http://127.0.0.1:9/v1")
    assert seen_by_a_server() == "none"


@pytest.mark.parametrize(
    ("named", "address", "same"),
    [
        (None, "https://api.openai.com/v1", True),
        (None, "HTTPS://API.OpenAI.com:443", True),
        (None, "http://api.openai.com/v1", False),
        (None, "https://api.openai.com:444/v1", False),
        (None, "https://api.openai.com.evil.example/v1", False),
        (None, "https://api.openai.com@evil.example/v1", False),
        ("http://me:pw@localhost:8000/v1", "http://localhost:8000", True),
        ("http://localhost:8000/v1", "https://api.openai.com/v1", False),
        ("nonsense", "https://api.openai.com/v1", False),
    ],
)
def test_another_scheme_host_or_port_is_another_server(
    named: str | None, address: str, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlint.backends.server_address import address_of, api_key

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    if named:
        monkeypatch.setenv("OPENAI_BASE_URL", named)
    options = ModelOptions(base_url=address)
    assert api_key(options, address_of(options).url) == (KEY if same else "")


def test_a_key_that_is_not_sent_is_told_with_the_way_to_send_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    refused = Reply(401, {"error": {"message": "no key"}})
    with serving(lambda _: refused, refused) as server:
        command = ["bench", "--model", f"openai:{MODEL}", "--base-url", server.url, "--quiet"]
        assert main(command) == 2
        told = capsys.readouterr().err.splitlines()
        host = server.url.removeprefix("http://").removesuffix("/v1")
        line = f"OPENAI_API_KEY is for api.openai.com and is not sent to {host}"
        line += "; --api-key-env OPENAI_API_KEY sends it"
        assert told[0] == f"fairlint: {line}"
        assert told[-1].endswith(line)
        assert main([*command, "--api-key-env", "OPENAI_API_KEY"]) == 2
        assert "is not sent" not in capsys.readouterr().err


DEEP = "[" * 9000 + "]" * 9000


def said(content: str = '"x"', finish: str = '"stop"', more: str = "1") -> str:
    """An answer as JSON, of which any part may be anything."""
    return (
        f'{{"choices": [{{"finish_reason": {finish}, "message": {{"content": {content}}}, "more": {more}}}]}}'
    )


POISON = {
    "deep": f'{{"choices": {DEEP}}}',
    "deep elsewhere": said(more=DEEP),
    "true for a reason": said(finish="true"),
    "a list for a reason": said(finish='["stop"]'),
    "a number for a text": said("42"),
    "a table for a text": said('{"a": 1}'),
    "truth in a part": said('[{"text": true}]'),
    "texts for choices": '{"choices": ["stop"]}',
    "no end of digits": said("9" * 5000),
    "a bare number": "NaN",
}


def as_stream(body: str) -> str:
    return body.replace('"message"', '"delta"')


@pytest.mark.parametrize("name", POISON)
@pytest.mark.parametrize("sampling", [WHOLE, STREAM], ids=["whole", "streamed"])
def test_a_poisoned_reply_is_one_failed_answer(name: str, sampling: Sampling) -> None:
    def reply(path: str, body: str) -> Iterator[bytes]:
        stream = '"stream":true' in body.replace(" ", "")
        if path.endswith("/models"):
            yield from listed()
        elif "Question" not in body:
            yield head("text/event-stream") + piece(finish="stop")
        elif stream:
            yield head("text/event-stream") + f"data: {as_stream(POISON[name])}\n\n".encode()
        else:
            yield head() + POISON[name].encode()

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        with pytest.raises(ModelError, match=r"broke off|makes no sense|upstream") as caught:
            asked_once(model, sampling)
    assert "\n" not in str(caught.value)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(int("9" * 4300))
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def almost_an_answer(draw: st.DrawFn, inner: str) -> Any:
    """An answer one part of which is anything; `inner` is where its text stands."""
    message: Any = {"role": "assistant", "content": "x"}
    choice: Any = {"index": 0, "finish_reason": "stop", inner: message}
    usage: Any = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole: Any = {"id": "x", "object": "x", "created": 0, "model": MODEL, "choices": [choice], "usage": usage}
    part = draw(st.sampled_from([message, choice, usage, whole]))
    name = draw(st.sampled_from([*part, "error", "system_fingerprint"]))
    part[name] = draw(ANYTHING)
    return whole


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(streamed=st.booleans(), data=st.data())
def test_whatever_a_part_of_a_reply_is_nothing_breaks(streamed: bool, data: st.DataObject) -> None:
    body = json.dumps(data.draw(almost_an_answer("delta" if streamed else "message")))

    def reply(path: str, sent: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
        elif "Question" not in sent:
            yield head("text/event-stream") + piece(finish="stop")
        elif streamed:
            yield head("text/event-stream") + f"data: {body}\n\n".encode() + b"data: [DONE]\n\n"
        else:
            yield head() + body.encode()

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        try:
            [response] = asked_once(model, STREAM if streamed else WHOLE)
        except ModelError:
            pass
        else:
            assert len(encode({"key": "x", **kept_of(response)})) < 2000
        assert len(json.dumps([*model.notes, model.revision])) < 20_000


@pytest.mark.parametrize(
    "body", [DEEP, f'{{"error": {DEEP}}}', '{"error": {"code": {"a": [1]}, "message": ["x"], "param": {}}}']
)
def test_a_poisoned_refusal_is_one_failed_answer(body: str) -> None:
    def reply(path: str, sent: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
        elif "Question" not in sent:
            yield head("text/event-stream") + piece(finish="stop")
        else:
            yield head().replace(b"200 OK", b"400 Bad") + body.encode()

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        with pytest.raises(ModelError, match=r"refused a request \(400\)|makes no sense"):
            asked_once(model, WHOLE)


@pytest.mark.parametrize(
    "listing", [DEEP, f'{{"data": [{{"id": {DEEP}}}]}}', '{"data": {"id": 1}}', "NaN", "[]"]
)
def test_a_poisoned_list_of_models_is_none(listing: str) -> None:
    def reply(path: str, _body: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield head() + listing.encode()
        else:
            yield head("text/event-stream") + piece(finish="stop")

    with sending(reply) as url:
        assert load(MODEL, ModelOptions(base_url=url, retries=0)).name == MODEL
        with pytest.raises(ModelError, match="no list of models"):
            load("", ModelOptions(base_url=url, retries=0))


@pytest.mark.parametrize("count", ["9" * 4300, "-1", "1e400", "NaN", "true", "[7]", '"9999999999999"'])
def test_a_count_that_cannot_be_is_not_counted(count: str) -> None:
    usage = f'{{"prompt_tokens": 3, "completion_tokens": {count}}}'
    body_of_all = answer().decode()[:-1] + f', "usage": {usage}}}'

    def reply(path: str, body: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
        elif "Question" in body:
            yield head() + body_of_all.encode()
        else:
            yield head("text/event-stream") + piece(finish="stop")

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        [response] = asked_once(model, WHOLE)
    assert (response.text, response.prompt_tokens, response.new_tokens) == ("x", 3, 0)
    assert model.counted.untold == 1


def test_no_more_of_a_refusal_is_looked_at_than_its_beginning() -> None:
    """In a long one, to look for words would take as long as you like."""
    assert len(message({"error": {"message": "model " * 100_000}})) == LONGEST_TOLD
    assert len(message({"message": "model " * 100_000})) == LONGEST_TOLD
    assert len(message("model " * 100_000)) == LONGEST_TOLD


def test_all_tries_together_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_server, "LONGEST_WAIT", 0.5)

    def reply(asked: Asked) -> Reply:
        return Reply(pieces=["x"]) if asked.probe else Reply(429, {}, {"Retry-After": "100"})

    with serving(reply) as server:
        model = load(MODEL, ModelOptions(base_url=server.url, retries=1, timeout=0.5))
        with pytest.raises(ModelError, match=r"an answer with all its tries took longer than 2 s"):
            asked_once(model, WHOLE)


def test_many_versions_are_not_kept() -> None:
    count = iter(range(1_000_000))

    def reply(path: str, _body: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
            return
        yield head("text/event-stream")
        for _ in range(500):
            yield piece().replace(MODEL.encode(), b"model-%d" % next(count))
        yield piece(finish="stop")

    with sending(reply) as url:
        model = load(MODEL, ModelOptions(base_url=url, retries=0))
        asked_once(model, STREAM)
    (note,) = [note for note in model.notes if "versions" in note]
    assert note.endswith(", 92 more")


def test_a_run_that_met_poison_is_read_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    sick = True
    count = iter(range(1_000_000))

    def reply(path: str, body: str) -> Iterator[bytes]:
        if path.endswith("/models"):
            yield from listed()
        elif '"Hello"' in body:
            yield head("text/event-stream") + piece(finish="stop")
        elif sick and next(count) == 2:
            yield head() + POISON["true for a reason"].encode()
        else:
            yield head() + answer(usage={"prompt_tokens": 1, "completion_tokens": int("9" * 4300)})

    with sending(reply) as url:
        command = ["bench", "--model", f"openai:{MODEL}", "--base-url", url, "--limit", "1", "--samples", "4"]
        command += ["--retries", "0", "--concurrency", "1", "--no-early-stop", "--output", "out", "--quiet"]
        command += ["--suite", "faircode:function", "--scenarios", "job"]
        assert main(command) == 2
        told = capsys.readouterr().err
        assert "its finish_reason is a truth value (tried once)" in told
        assert "internal error" not in told
        sick = False
        assert main([*command, "--resume"]) == 0
        assert "internal error" not in capsys.readouterr().err
    assert main(["bench", "show", "out"]) == 0
    assert "internal error" not in capsys.readouterr().err
