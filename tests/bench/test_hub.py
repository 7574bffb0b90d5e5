"""The hub before anything loads: whether it answers, and whether it has what was named."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

huggingface_hub = pytest.importorskip("huggingface_hub")

from huggingface_hub import constants  # noqa: E402

from fairlint.backends import hub, registry  # noqa: E402
from fairlint.backends.model import ModelOptions  # noqa: E402

IDS = {"owner/one": "", "owner/two": ""}


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A hub that is asked, and a cache with nothing in it."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv(hub.OFFLINE, "0")
    monkeypatch.setattr(hub, "PATIENCE", 0.3)
    hub._is_reachable.cache_clear()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A hub that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setattr(constants, "ENDPOINT", endpoint)
        yield server


def cached(cache: Path, name: str) -> None:
    folder = cache / f"models--{name.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("c0ffee")
    (folder / "snapshots" / "c0ffee").mkdir(parents=True)
    (folder / "snapshots" / "c0ffee" / "config.json").write_text("{}")


def test_a_hub_that_is_silent_is_not_waited_for(silent: socket.socket, tmp_path: Path) -> None:
    cached(tmp_path, "owner/two")
    refused = hub.look_up(IDS, "bench")
    assert list(refused) == ["owner/one"]
    assert "the hub cannot be reached" in refused["owner/one"]
    assert "`hf download owner/one`" in refused["owner/one"]
    assert constants.HF_HUB_OFFLINE, "what comes later asks nobody"
    silent.settimeout(0.1)
    silent.accept()[0].close()
    with pytest.raises(TimeoutError):
        silent.accept()


def test_a_name_server_that_takes_its_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def slow(*given: Any, **_: Any) -> Any:
        asked.append(given)
        time.sleep(2)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr(constants, "ENDPOINT", "http://hub.invalid")
    assert not hub.ready("bench")
    assert len(asked) == 1


def test_what_is_offline_by_choice_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, silent: socket.socket
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert set(hub.look_up(IDS, "bench")) == set(IDS)
    silent.settimeout(0.05)
    with pytest.raises(TimeoutError):
        silent.accept()


def test_all_in_the_cache_needs_no_hub(tmp_path: Path, silent: socket.socket) -> None:
    for name in IDS:
        cached(tmp_path, name)
    assert hub.look_up(IDS, "bench") == {}
    silent.settimeout(0.05)
    with pytest.raises(TimeoutError):
        silent.accept()


def test_what_the_hub_says_of_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import errors

    response: Any = SimpleNamespace(headers={}, request=None, status_code=404)

    def metadata(url: str, **_: Any) -> None:
        if "gone" in url:
            raise errors.RepositoryNotFoundError("404", response=response)
        if "shut" in url:
            raise errors.GatedRepoError("403", response=response)
        if "v9" in url:
            raise errors.RevisionNotFoundError("404", response=response)
        if "busy" in url:
            raise errors.HfHubHTTPError("503", response=response)

    monkeypatch.setattr(hub, "_is_reachable", lambda _endpoint: True)
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", metadata)
    wanted = {"o/gone": "", "o/shut": "", "o/old": "v9", "o/busy": "", "o/fine": ""}
    hub_refused = hub.look_up(wanted, "bench")
    assert set(hub_refused) == {"o/gone", "o/shut", "o/old"}
    assert hub_refused["o/gone"].startswith("is not on the hub")
    assert "agree to its terms at huggingface.co/o/shut" in hub_refused["o/shut"]
    assert hub_refused["o/old"] == "has no revision v9"


def test_only_what_comes_from_the_hub_is_looked_up_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []

    def look_up(ids: Any, extra: str) -> dict[str, str]:
        asked.append((extra, ids))
        return {one: "is not on the hub" for one in ids if "gone" in one}

    monkeypatch.setattr(hub, "look_up", look_up)
    file = tmp_path / "answers.jsonl"
    file.touch()
    texts = ["o/gone", f"replay:{file}", "vllm:o/big", "o/fine"]
    wrong = registry.look_up(texts, ModelOptions(revision="v1"))
    assert wrong == {"o/gone": "o/gone is not on the hub"}
    assert asked == [("bench", {"o/gone": "v1", "o/fine": "v1"}), ("vllm", {"o/big": "v1"})]
