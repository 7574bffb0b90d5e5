"""A server on this machine that lists repositories as GitHub and GitLab do, page by page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SECRET = "ghp-very-secret"


def of_github(name: str, **more: Any) -> dict[str, Any]:
    """A repository as GitHub describes it, in part."""
    address = f"https://elsewhere.example/{name}.git"
    return {"full_name": name, "archived": False, "fork": False, "clone_url": address, **more}


class ForgeServer:
    """What the server lists, says in between, and was asked."""

    def __init__(self) -> None:
        self.lists: dict[str, Sequence[Any]] = {}
        """Path → all that is listed there."""
        self.wanted = ""
        """The token without which there is nothing."""
        self.first: list[tuple[int, Mapping[str, str]]] = []
        """Answers that come before the right ones: status and headers."""
        self.page_size = 2
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self.host = ""
        self.next_host = ""
        """The host that the next page is said to be on."""


def _handler(server: ForgeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, dict(self.headers)))
            if server.first:
                self._answer(*server.first.pop(0), b"{}")
                return
            parts = urlsplit(self.path)
            known = server.lists.get(parts.path)
            if known is None or (
                server.wanted and self.headers["Authorization"] != f"Bearer {server.wanted}"
            ):
                self._answer(404, {}, b'{"message": "Not Found"}')
                return
            query = parse_qs(parts.query)
            number, size = int(query.get("page", ["1"])[0]), server.page_size
            headers = {"Content-Type": "application/json"}
            base = f"http://{server.next_host or server.host}{parts.path}"
            if number * size < len(known):
                headers["Link"] = f'<{base}?page=1>; rel="first", <{base}?page={number + 1}>; rel="next"'
            self._answer(200, headers, json.dumps(known[(number - 1) * size : number * size]).encode())

        def _answer(self, code: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as in the base class)
            """Say nothing."""

    return Handler


@contextmanager
def serve_forge() -> Iterator[ForgeServer]:
    """Serve lists of repositories."""
    made = ForgeServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(made))
    made.host = f"127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
