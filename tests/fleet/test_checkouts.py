"""What a fleet reads of repositories, archives and folders, and that nothing of theirs is run or followed."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, git, make_repository, serve

from fairlint.fleet.entries import parse_entry, read_entries
from fairlint.fleet.jobs import Answer, answer, job_of
from fairlint.fleet.limits import Limits
from fairlint.fleet.policy import Policy
from fairlint.support.errors import UsageError
from fairlint.support.git import object_id


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def ask(entry: str, tmp_path: Path, known: str = "", **limits: Any) -> Answer:
    """The answer to the job of one entry; nothing of it may be left."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    values = Policy({}).values(entry, "2026-01-01")
    found = answer(job_of(parse_entry(entry), known, Limits(**limits), values, str(work)))
    assert list(work.iterdir()) == []
    return found


def paths(found: Answer, table: str) -> list[str]:
    return sorted(row["path"] for row in found["rows"][table])


def left_out(found: Answer) -> dict[str, str]:
    return {row["path"]: row["reason"] for row in found["rows"]["coverage"]}


def test_a_repository_on_a_server_is_checked_by_its_commit(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "served" / "shop", {"score.py": POINTS, "web/app.ts": "let a = 1\n"})
    with serve(tmp_path / "served") as (address, _):
        found = ask(f"{address}/shop/.git", tmp_path)
    assert (found["status"], found["commit"], found["files"]) == ("checked", made, 1)
    (row,) = found["rows"]["findings"]
    assert (row["path"], row["line"], row["rule"], row["gap"]) == ("score.py", 3, "FL201", 5.0)
    assert left_out(found) == {"web/app.ts": "fairlint does not read TypeScript"}


def test_a_known_commit_is_asked_for_and_not_fetched(tmp_path: Path) -> None:
    made = make_repository(tmp_path / "served" / "shop", {"score.py": POINTS})
    with serve(tmp_path / "served") as (address, asked):
        found = ask(f"{address}/shop/.git", tmp_path, known=made)
        first = len(asked)
        assert (found["status"], found["rows"]) == ("unchanged", {})
        changed = commit(tmp_path / "served" / "shop", {"score.py": POINTS + "\n"})
        assert ask(f"{address}/shop/.git", tmp_path, known=made)["commit"] == changed
        assert len(asked) > 2 * first


def test_the_history_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = tmp_path / "served" / "shop"
    make_repository(shop, {"score.py": POINTS})
    git(shop, "rm", "-q", "score.py")
    last = commit(shop, {"area.py": "x = 1\n"})
    kept: list[str] = []

    def look(folder: str, **_: object) -> None:
        kept.append(git(Path(folder) / "repository", "rev-list", "--all", "--objects"))

    monkeypatch.setattr("fairlint.fleet.jobs.shutil.rmtree", lambda folder, **_: look(folder))
    values = Policy({}).values("x", "2026-01-01")
    with serve(tmp_path / "served") as (address, _):
        answer(job_of(parse_entry(f"{address}/shop/.git"), "", Limits(), values, str(tmp_path)))
    assert last in kept[0]
    assert object_id(POINTS.encode()) not in kept[0]


@pytest.mark.parametrize(
    ("path", "cause"),
    [("nothing", "gone"), ("private/shop", "private or gone"), ("empty/.git", "empty")],
)
def test_what_a_server_does_not_give_is_a_reason(tmp_path: Path, path: str, cause: str) -> None:
    served = tmp_path / "served"
    (served / "empty").mkdir(parents=True)
    git(served / "empty", "init", "-q")
    with serve(served, refused="/private") as (address, _):
        found = ask(f"{address}/{path}", tmp_path)
    assert (found["status"], found["cause"]) == ("failed", cause)
    assert "\n" not in found["reason"]


def test_a_server_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    found = ask("http://127.0.0.1:9/shop", tmp_path)
    assert (found["status"], found["cause"]) == ("failed", "not reachable")


def test_nothing_that_a_repository_configures_is_run(tmp_path: Path) -> None:
    """Hooks, filters, a monitor of files, an editor of paths: each would leave a file."""
    ran = tmp_path / "ran"
    shop = tmp_path / "shop"
    make_repository(shop, {"score.py": POINTS, ".gitattributes": "*.py filter=evil diff=evil\n"})
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in (
        "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv",
        "core.fsmonitor", "core.sshCommand", "core.pager", "credential.helper", "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git(shop, "config", key, str(script))
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        path = shop / ".git" / "hooks" / hook
        path.write_text(script.read_text())
        path.chmod(0o755)
    ran.unlink(missing_ok=True)
    found = ask(str(shop), tmp_path)
    assert len(found["rows"]["findings"]) == 1
    assert not ran.exists()


def test_links_and_submodules_are_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(POINTS)
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "link.py").symlink_to(tmp_path / "secret.py")
    (shop / "out").symlink_to(tmp_path)
    make_repository(shop, {"area.py": "x = 1\n"})
    git(shop, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},inner")
    git(shop, "commit", "-q", "-m", "a submodule")
    found = ask(str(shop), tmp_path)
    assert found["rows"]["findings"] == []
    link, module = "a symbolic link, which is not followed", "another repository (a submodule)"
    assert left_out(found) == {"link.py": link, "out": link, "inner": module}


def test_links_of_a_plain_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(POINTS)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "link.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "shop" / "out").symlink_to(tmp_path)
    (tmp_path / "shop" / "score.py").write_text(POINTS)
    found = ask(str(tmp_path / "shop"), tmp_path)
    assert paths(found, "findings") == ["score.py"]
    assert set(left_out(found)) == {"link.py", "out"}
    assert ask(str(tmp_path / "shop"), tmp_path, known=found["commit"])["status"] == "unchanged"


def test_a_tree_whose_names_lead_out_writes_nothing_elsewhere(tmp_path: Path) -> None:
    """git itself makes no such tree, and reads one that somebody else has made."""
    shop = tmp_path / "shop"
    make_repository(shop, {"score.py": POINTS})
    blob = bytes.fromhex(object_id(POINTS.encode()))
    entries = b"100644 ../../out.py\0" + blob + b"100644 score.py\0" + blob
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=shop, input=entries, capture_output=True, check=True,
    )  # fmt: skip
    last = git(shop, "commit-tree", made.stdout.decode().strip(), "-m", "evil")
    git(shop, "update-ref", "refs/heads/main", last)
    found = ask(str(shop), tmp_path)
    assert paths(found, "findings") == ["score.py"]
    assert "its name leads out" in left_out(found)["../../out.py"]
    assert not list(tmp_path.rglob("out.py"))


def test_a_settings_file_of_a_repository_has_no_say(tmp_path: Path) -> None:
    make_repository(
        tmp_path / "shop",
        {"score.py": POINTS, "fairlint.toml": 'ignore = ["FL"]\n', ".gitignore": "*.py\n"},
    )
    git(tmp_path / "shop", "add", "-f", "score.py")
    git(tmp_path / "shop", "commit", "-q", "-m", "tracked all the same")
    assert paths(ask(str(tmp_path / "shop"), tmp_path), "findings") == ["score.py"]


def test_owners_are_those_of_the_commit(tmp_path: Path) -> None:
    make_repository(tmp_path / "shop", {"score.py": POINTS, "CODEOWNERS": "*.py @acme/risk\n"})
    (row,) = ask(str(tmp_path / "shop"), tmp_path)["rows"]["findings"]
    assert row["owners"] == ["@acme/risk"]


def tar_of(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_an_archive_is_read_without_its_links_and_what_leads_out(tmp_path: Path) -> None:
    link = tarfile.TarInfo("shop/link.py")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device = tarfile.TarInfo("shop/device")
    device.type = tarfile.CHRTYPE
    points = POINTS.encode()
    tar_of(
        tmp_path / "shop.tar.gz",
        [(tarfile.TarInfo("shop/score.py"), points), (tarfile.TarInfo("../out.py"), points),
         (tarfile.TarInfo("/abs.py"), points), (link, b""), (device, b"")],
    )  # fmt: skip
    found = ask(str(tmp_path / "shop.tar.gz"), tmp_path)
    assert paths(found, "findings") == ["shop/score.py"]
    assert set(left_out(found)) == {"../out.py", "/abs.py", "shop/link.py", "shop/device"}
    assert not list(tmp_path.rglob("out.py"))


def test_bombs_and_damage_are_reasons(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr(f"{number}.py", b"0" * 1_000_000)
    found = ask(str(tmp_path / "bomb.zip"), tmp_path, size=10_000_000)
    assert (found["cause"], found["reason"]) == ("too large", "its files are larger than 10 MB")
    found = ask(str(tmp_path / "bomb.zip"), tmp_path, files=5)
    assert (found["cause"], found["reason"]) == ("too large", "more than 5 files")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no zip")
    assert ask(str(tmp_path / "broken.zip"), tmp_path)["cause"] == "damaged"
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b no tar")
    assert ask(str(tmp_path / "broken.tar.gz"), tmp_path)["cause"] == "damaged"
    assert ask(str(tmp_path / "none"), tmp_path)["cause"] == "gone"


def test_a_list_is_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "# ours\nacme/shop\nhttps://example.org/a/b.git\npypi:Typing_Extensions==4.12.0\n./shop.tar.gz\n\nacme/shop\n"
    )
    entries, again = read_entries(str(tmp_path / "list"), "github.com")
    assert [(one.kind, one.name) for one in entries] == [
        ("git", "github.com/acme/shop"), ("git", "example.org/a/b"),
        ("package", "pypi:typing-extensions==4.12.0"), ("archive", "shop.tar.gz"),
    ]  # fmt: skip
    assert again == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--upload-pack=evil", "begins with a dash"),
        ("-shop", "begins with a dash"),
        ("ext::sh -c evil", "'ext:' is switched off"),
        ("ssh://-oProxyCommand=evil/shop", "no address"),
        ("ssh://git@-oProxyCommand=evil/shop", "no address"),
        ("ssh://-l@example.org/shop", "no address"),
        ("ssh://ann:secret@example.org/shop", "a list is no place for them"),
        ("git@-oProxyCommand=evil:shop", "no address"),
        ("git@example.org:-shop", "no address"),
        ("git@example.org:$(evil)", "no address"),
        ("git@example.org:/", "no address"),
        ("https://ann:secret@example.org/shop", "a list is no place for them"),
        ("https://-oProxyCommand=evil/shop", "no address"),
        ("pypi:--index-url=http://evil", "no name of a package"),
        ("pypi:a @ http://evil", "no name of a package"),
        ("acme/shop", "name that by --host"),
        ("a\tb\x1b[0m", "cannot be shown"),
    ],
)
def test_a_line_that_names_nothing_is_told_with_its_number(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "list").write_text(f"# first\n{line}\n")
    with pytest.raises(UsageError, match=r"list:2: ") as caught:
        read_entries(str(tmp_path / "list"))
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_folder_of_checkouts_is_a_list(tmp_path: Path) -> None:
    make_repository(tmp_path / "all" / "shop", {"score.py": POINTS})
    (tmp_path / "all" / "plain").mkdir()
    (tmp_path / "all" / "link").symlink_to(tmp_path)
    entries, _ = read_entries(str(tmp_path / "all"))
    assert [one.name for one in entries] == ["plain", "shop"]
