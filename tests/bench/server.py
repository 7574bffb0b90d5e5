"""A small server on loopback that speaks OpenAI's interface and fails as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fairlint.support.records import Record, field

MODEL = "tiny-model"
MODELS = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "test"}]}


class Asked(Record):
    """A request as it arrived."""

    path: str
    payload: Mapping[str, Any]
    headers: Mapping[str, str]  # by their names in small letters

    @property
    def probe(self) -> bool:
        """Whether it is the short question of loading, and not one of a suite."""
        if "messages" in self.payload:
            return bool(self.payload["messages"][-1]["content"] == "Hello")
        return bool(self.payload.get("prompt") == "# Hello\n")


class Reply(Record):
    """What the server does: a body, or pieces of an answer as a stream or whole."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[str] = ()
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    cut: bool = False  # the connection breaks after the pieces
    endless: bool = False  # the last piece comes again until nobody reads
    wait: threading.Event | None = None  # before the first byte


def error(status: int, message: str, **more: Any) -> Reply:
    """A refusal in the form that OpenAI gives it."""
    headers = more.pop("headers", {})
    return Reply(status, {"error": {"message": message, "type": "error", **more}}, headers)


class Server:
    """The server's address and what it saw."""

    def __init__(self, reply: Callable[[Asked], Reply], models: Any = MODELS) -> None:
        self.reply = reply
        self.models = models if isinstance(models, Reply) else Reply(body=models)
        self.asked: list[Asked] = []
        self.now = self.most = 0
        self.hung_up = threading.Event()  # somebody stopped reading a stream
        self.lock = threading.Lock()
        self.url = ""

    @property
    def real(self) -> list[Asked]:
        """The requests without the short question of loading."""
        return [asked for asked in self.asked if not asked.probe]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        pass

    def do_GET(self) -> None:
        self._send(self.told.models)

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = self.told
        with told.lock:
            asked = Asked(self.path, payload, {name.lower(): value for name, value in self.headers.items()})
            told.asked.append(asked)
            told.now += 1
            told.most = max(told.most, told.now)
        try:
            reply = told.reply(asked)
            if reply.wait is not None:
                reply.wait.wait(30)
            if reply.body is not None or reply.status != 200:
                self._send(reply)
            elif payload.get("stream"):
                self._stream(reply, chat="messages" in payload)
            else:
                self._whole(reply, chat="messages" in payload)
        except OSError:
            told.hung_up.set()
            self.close_connection = True
        finally:
            with told.lock:
                told.now -= 1

    def _send(self, reply: Reply) -> None:
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        kind = "text/html" if isinstance(reply.body, str) else "application/json"
        self.send_response(reply.status)
        for name, value in {"Content-Type": kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def _whole(self, reply: Reply, *, chat: bool) -> None:
        text = "".join(reply.pieces)
        said = {"message": {"role": "assistant", "content": text or None}} if chat else {"text": text}
        body: dict[str, Any] = {"id": "x", "object": "x", "created": 0, "model": f"{MODEL}-v1"}
        body["choices"] = [{"index": 0, "finish_reason": reply.finish, **said}]
        if reply.usage:
            body["usage"] = _counts(reply.usage)
        self._send(Reply(body=body))

    def _stream(self, reply: Reply, *, chat: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for piece in _repeated(reply.pieces) if reply.endless else reply.pieces:
            self._event([{"index": 0, "finish_reason": None, **_delta(piece, chat)}])
        if reply.cut:
            return
        self._event([{"index": 0, "finish_reason": reply.finish, **_delta("", chat)}])
        if reply.usage:
            self._event([], usage=_counts(reply.usage))
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, choices: list[Any], **more: Any) -> None:
        body = {"id": "x", "object": "x", "created": 0, "model": f"{MODEL}-v1", "choices": choices, **more}
        self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())
        self.wfile.flush()


def _counts(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _delta(piece: str, chat: bool) -> dict[str, Any]:
    return {"delta": {"content": piece}} if chat else {"text": piece}


def _repeated(pieces: Sequence[str]) -> Iterator[str]:
    yield from pieces
    while True:
        time.sleep(0.002)  # no faster than anybody reads
        yield pieces[-1]


@contextmanager
def serving(reply: Callable[[Asked], Reply], models: Any = MODELS) -> Iterator[Server]:
    """A server that answers with what `reply` says, at `url`, until the block ends."""
    told = Server(reply, models)
    handler = type("Handler", (_Handler,), {"told": told})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        http.daemon_threads = True
        told.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            http.shutdown()
            thread.join()
