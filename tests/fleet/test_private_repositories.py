"""Repositories that are not for everybody: behind a token, behind ssh, and bare ones in folders."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from forge_server import SECRET
from git_server import POINTS, git, make_repository, serve

from fairlint.cli import main
from fairlint.fleet.entries import parse_entry, read_entries
from fairlint.fleet.forges import WORDS, login_for
from fairlint.fleet.jobs import Answer, answer, job_of
from fairlint.fleet.limits import Limits
from fairlint.fleet.policy import Policy

SSH = """\
#!/bin/sh
printf '%s\\n' "$@" >> {log}
[ -z "{refusal}" ] || {{ echo "{refusal}" >&2; exit 255; }}
for word; do command=$word; done
cd {root} && exec sh -c "$command"
"""
"""Stands for ssh: it runs what the other side would, on this machine."""
GIT = """\
#!/bin/sh
printf '%s\\n' "$@" >> {log}
exec {git} "$@"
"""


@pytest.fixture(autouse=True)
def _own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for forge in WORDS.values():
        for name in (*forge.tokens, *forge.servers):
            monkeypatch.delenv(name, raising=False)


def ask(entry: str, tmp_path: Path, known: str = "") -> Answer:
    """The answer to the job of one entry, which says nothing of a token."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    job = job_of(parse_entry(entry), known, Limits(), Policy({}).values(entry, "2026-01-01"), str(work))
    found = answer(job)
    assert SECRET not in json.dumps([job, found])
    assert list(work.iterdir()) == []
    return found


def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, text: str, **words: Any) -> Path:
    """Put a program of a name before all others; the result is the file with the words that it was given."""
    log = tmp_path / f"{name}-words"
    folder = tmp_path / "programs"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text.format(log=log, **words))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


def bare_shop(tmp_path: Path, name: str) -> str:
    """Make a bare repository of one commit; the result is its id."""
    made = make_repository(tmp_path / "made", {"score.py": POINTS})
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    git(tmp_path, "clone", "-q", "--bare", "made", name)
    return made


def test_a_token_opens_a_private_repository_and_is_seen_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = bare_shop(tmp_path, "served/acme/shop.git")
    log = stand_in(monkeypatch, tmp_path, "git", GIT, git=shutil.which("git"))
    with serve(tmp_path / "served", refused="/acme", login=f"x-access-token:{SECRET}") as (address, _):
        monkeypatch.setenv("GH_TOKEN", f"{SECRET}\n")
        assert ask(f"{address}/acme/shop.git", tmp_path)["cause"] == "private or gone"
        monkeypatch.setenv("GH_HOST", address.removeprefix("http://"))
        found = ask(f"{address}/acme/shop.git", tmp_path)
        assert ask(f"{address}/acme/shop.git", tmp_path, known=made)["status"] == "unchanged"
    assert (found["status"], found["commit"], len(found["rows"]["findings"])) == ("checked", made, 1)
    assert "ls-remote" in log.read_text()
    assert SECRET not in log.read_text()


def test_gitlab_has_its_own_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare_shop(tmp_path, "served/acme/web/shop.git")
    with serve(tmp_path / "served", refused="/acme", login=f"oauth2:{SECRET}") as (address, _):
        monkeypatch.setenv("GITLAB_TOKEN", SECRET)
        monkeypatch.setenv("CI_SERVER_URL", address)
        assert ask(f"{address}/acme/web/shop.git", tmp_path)["status"] == "checked"


def test_a_public_repository_is_asked_without_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare_shop(tmp_path, "served/acme/shop.git")
    logins: list[str] = []
    with serve(tmp_path / "served", logins=logins) as (address, _):
        monkeypatch.setenv("GH_TOKEN", SECRET)
        monkeypatch.setenv("GH_HOST", address.removeprefix("http://"))
        assert ask(f"{address}/acme/shop.git", tmp_path)["status"] == "checked"
    assert logins == []


def test_a_token_does_not_follow_a_redirect_to_another_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare_shop(tmp_path, "served/acme/shop.git")
    logins: list[str] = []
    served = tmp_path / "served"
    with (
        serve(served, refused="/acme", login=f"x-access-token:{SECRET}", logins=logins) as (other, asked),
        serve(served, elsewhere=other, logins=logins) as (address, _),
    ):
        monkeypatch.setenv("GH_TOKEN", SECRET)
        monkeypatch.setenv("GH_HOST", address.removeprefix("http://"))
        assert ask(f"{address}/acme/shop.git", tmp_path)["cause"] == "private or gone"
        assert asked
    assert logins == []


def test_a_refused_token_is_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with serve(tmp_path / "served", refused="/acme") as (address, _):
        monkeypatch.setenv("GH_TOKEN", SECRET)
        monkeypatch.setenv("GH_HOST", address.removeprefix("http://"))
        found = ask(f"{address}/acme/shop.git", tmp_path)
    assert (found["cause"], "Authentication failed" in found["reason"]) == ("private or gone", True)


@pytest.mark.parametrize(
    ("address", "token"),
    [
        ("https://github.com/acme/shop", "GH_TOKEN"), ("http://github.com/acme/shop", ""),
        ("https://github.com.evil.example/acme/shop", ""), ("https://gitlab.com/acme/shop", ""),
        ("git@github.com:acme/shop", ""), ("https://GitHub.com/acme/shop", "GH_TOKEN"),
    ],
)  # fmt: skip
def test_a_token_is_for_one_server_by_https(
    monkeypatch: pytest.MonkeyPatch, address: str, token: str
) -> None:
    monkeypatch.setenv("GH_TOKEN", SECRET)
    found = login_for(parse_entry(address).address)
    assert (found.variable if found else "") == token
    assert SECRET not in repr(found)


def test_a_token_that_could_say_more_than_itself_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", "token\nhost=evil.example")
    assert login_for("https://github.com/acme/shop") is None


def test_a_store_says_nothing_of_the_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from fairlint.fleet.store import Store
    from fairlint.fleet.tables import TABLES

    bare_shop(tmp_path, "served/acme/shop.git")
    with serve(tmp_path / "served", refused="/acme", login=f"x-access-token:{SECRET}") as (address, _):
        host = address.removeprefix("http://")
        monkeypatch.setenv("GITHUB_TOKEN", SECRET)
        monkeypatch.setenv("GITHUB_SERVER_URL", address)
        Path("list").write_text("acme/shop.git\nacme/none.git\n")
        assert main(["fleet", "scan", "list", "--host", host, "--store", "store", "-j", "1", "-q"]) == 0
    rows = [row for table in TABLES for row in Store(Path("store")).rows(table)]
    assert sorted(row["status"] for row in rows if "status" in row) == ["checked", "failed"]
    assert SECRET not in json.dumps(rows)
    assert not any(SECRET.encode() in path.read_bytes() for path in Path("store").rglob("*.json"))


@pytest.mark.parametrize(
    "entry", ["git@code.example:acme/shop.git", "ssh://git@code.example:2222/acme/shop.git"]
)
def test_a_repository_behind_ssh_is_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: str
) -> None:
    made = bare_shop(tmp_path, "far/acme/shop.git")
    (tmp_path / "far" / "acme").rename(tmp_path / "acme")
    absolute = entry.replace("2222/acme", f"2222{tmp_path}/acme")
    log = stand_in(monkeypatch, tmp_path, "ssh", SSH, refusal="", root=tmp_path)
    monkeypatch.setenv("GIT_SSH_COMMAND", "false")
    monkeypatch.setenv("SSH_ASKPASS", "false")
    found = ask(absolute, tmp_path)
    assert (found["status"], found["commit"], len(found["rows"]["findings"])) == ("checked", made, 1)
    words = log.read_text().splitlines()
    assert {"BatchMode=yes", "ForwardAgent=no", "PermitLocalCommand=no", "git@code.example"} <= set(words)
    assert not any(word.startswith("StrictHostKeyChecking") for word in words)


@pytest.mark.parametrize(
    ("refusal", "cause"),
    [
        ("git@code.example: Permission denied (publickey).", "private or gone"),
        ("Host key verification failed.", "refused"),
        ("ssh: Could not resolve hostname code.example: Name or service not known", "not reachable"),
        ("ssh: connect to host code.example port 22: Connection refused", "not reachable"),
        ("ERROR: Repository not found.", "gone"),
    ],
)
def test_what_ssh_does_not_give_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, refusal: str, cause: str
) -> None:
    stand_in(monkeypatch, tmp_path, "ssh", SSH, refusal=refusal, root=tmp_path)
    found = ask("git@code.example:acme/shop.git", tmp_path)
    assert (found["cause"], found["reason"]) == (cause, f"ssh: {refusal}")


def test_both_ways_to_a_repository_are_one_entry() -> None:
    lines = [
        "https://code.example/acme/shop.git",
        "git@code.example:acme/shop.git",
        "ssh://git@code.example/acme/shop",
    ]
    Path("list").write_text("\n".join(lines))
    entries, again = read_entries("list")
    assert ([one.name for one in entries], again) == (["code.example/acme/shop"], 2)


def test_a_bare_repository_is_checked_by_its_commit(tmp_path: Path) -> None:
    made = bare_shop(tmp_path, "all/shop.git")
    assert [one.name for one in read_entries("all")[0]] == ["shop.git"]
    found = ask(f"{tmp_path}/all/shop.git", tmp_path)
    assert (found["status"], found["commit"], len(found["rows"]["findings"])) == ("checked", made, 1)
    assert ask(f"{tmp_path}/all/shop.git", tmp_path, known=made)["status"] == "unchanged"
    git(tmp_path, "init", "-q", "--bare", "all/empty.git")
    assert ask(f"{tmp_path}/all/empty.git", tmp_path)["cause"] == "empty"


def test_a_bare_repository_inside_another_is_its_own(tmp_path: Path) -> None:
    make_repository(tmp_path / "outer", {"area.py": "x = 1\n"})
    made = bare_shop(tmp_path, "outer/shop.git")
    assert ask(f"{tmp_path}/outer/shop.git", tmp_path)["commit"] == made


def test_nothing_that_a_bare_repository_configures_is_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    bare_shop(tmp_path, "shop.git")
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "credential.helper", "core.alternateRefsCommand",
        "uploadpack.packObjectsHook", "core.askPass", "remote.origin.uploadpack",
    ):  # fmt: skip
        git(tmp_path / "shop.git", "config", key, str(script))
    git(tmp_path / "shop.git", "config", "core.worktree", str(tmp_path))
    git(tmp_path / "shop.git", "config", "core.bare", "false")
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        path = tmp_path / "shop.git" / "hooks" / hook
        path.write_text(script.read_text())
        path.chmod(0o755)
    ran.unlink(missing_ok=True)
    found = ask(f"{tmp_path}/shop.git", tmp_path)
    assert (found["status"], len(found["rows"]["findings"])) == ("checked", 1)
    assert not ran.exists()


def test_a_pipe_in_a_bare_repository_is_not_waited_for(tmp_path: Path) -> None:
    bare_shop(tmp_path, "shop.git")
    os.mkfifo(tmp_path / "shop.git" / "shallow")
    found = ask(f"{tmp_path}/shop.git", tmp_path)
    assert (found["status"], "no plain file" in found["reason"]) == ("failed", True)
