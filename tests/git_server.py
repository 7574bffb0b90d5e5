"""Repositories to check, and a server of them that speaks git's protocol on this machine alone."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POINTS = """\
def score(person):
    points = 0
    if person.gender == 'male':
        points += 5
    return points
"""
AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> str:
    """What git prints in a folder."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *AUTHOR, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def make_repository(folder: Path, files: Mapping[str, str]) -> str:
    """Make a repository with one commit; the result is its id."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return commit(folder, files)


def commit(folder: Path, files: Mapping[str, str]) -> str:
    """Commit files on top of what is there."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


class _Handler(BaseHTTPRequestHandler):
    root = Path()
    asked: list[str]
    """The addresses that were asked for."""
    refused = ""
    """The beginning of addresses for which a password is wanted."""
    login = ""
    """The name and the password with which they are given all the same."""
    logins: list[str]
    """What names and passwords came."""
    elsewhere = ""
    """The address of another server, to which all is redirected."""
    busy: list[int]
    """How many requests are still told that the server is busy."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        self.asked.append(path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.busy[0]:
            self.busy[0] -= 1
            self.send_error(503)
            return
        if self.elsewhere:
            self.send_response(302)
            self.send_header("Location", f"{self.elsewhere}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if given:
            self.logins.append(given)
        if self.refused and path.startswith(self.refused) and (not self.login or given != self.login):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="private"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "QUERY_STRING": query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        pairs = [line.decode().split(": ", 1) for line in head.split(b"\r\n")]
        self.send_response(next((int(value.split()[0]) for key, value in pairs if key == "Status"), 200))
        for key, value in pairs:
            if key != "Status":
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as in the base class)
        """Say nothing."""


@contextmanager
def serve(
    root: Path,
    refused: str = "",
    busy: int = 0,
    *,
    login: str = "",
    logins: list[str] | None = None,
    elsewhere: str = "",
) -> Iterator[tuple[str, list[str]]]:
    """Serve the repositories below a folder: the address, and the addresses that were asked for so far."""
    asked: list[str] = []
    members = {
        "root": root, "asked": asked, "refused": refused, "busy": [busy], "login": login,
        "logins": [] if logins is None else logins, "elsewhere": elsewhere,
    }  # fmt: skip
    handler = type("Handler", (_Handler,), members)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
