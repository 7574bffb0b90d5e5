"""Files are written as a whole, under names that nobody can guess, and through no link that leads out."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairlint.bench.leaderboard import site
from fairlint.cache.store import is_usable
from fairlint.cli import main
from fairlint.config.table import SETTINGS
from fairlint.run_folders.jsonl import LineStore, RunFolderError
from fairlint.run_folders.made_beside import made_beside
from fairlint.run_folders.run_folder import lock_run
from fairlint.support import whole_files
from fairlint.support.errors import UsageError

SCORE = (
    "def total(rows):\n    return sum(rows)  # fairlint: ignore[FL205] -- not needed any more\n\n\n"
    "def rate(person):\n    if person.gender == 'male':\n        person.score += 5\n    return person.score\n"
)
VICTIM = "what somebody else wrote\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "checkout"
    (here / ".git").mkdir(parents=True)
    (here / "rate.py").write_text(SCORE)
    (here / "rate.py").chmod(0o755)
    (tmp_path / "victim").write_text(VICTIM)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(here)
    return here


def untouched(checkout: Path) -> bool:
    victim = checkout.parent / "victim"
    return victim.read_text() == VICTIM and not list((checkout.parent / "elsewhere").iterdir())


COMMANDS = {
    "--fix": (["--fix", "."], "rate.py"),
    "--add-ignore": (["--add-ignore", "--reason", "agreed", "."], "rate.py"),
    "--output": (["--output", "report.txt", "."], "report.txt"),
    "--also": (["--also", "json=report.json", "."], "report.json"),
    "baseline create": (["baseline", "create", "."], "fairlint-baseline.jsonl"),
}
"""Commands that write, and what they write."""


@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_of_a_draft_can_be_guessed(checkout: Path, command: str) -> None:
    arguments, target = COMMANDS[command]
    for name in (f".{target}.{os.getpid()}.tmp", f".{target}.tmp", f"{target}.new", f"{target}.draft"):
        (checkout / name).symlink_to(checkout.parent / "victim")
    main(arguments)
    assert untouched(checkout)
    assert stat.S_IMODE((checkout.parent / "victim").stat().st_mode) & 0o111 == 0
    written = checkout / target
    assert not written.is_symlink()
    assert written.read_text() != SCORE


@pytest.mark.parametrize("leads_to", ["../victim", "../elsewhere/new"])
@pytest.mark.parametrize("command", ["--output", "--also", "baseline create"])
def test_a_link_that_leads_out_of_a_repository_is_refused(
    checkout: Path, command: str, leads_to: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, target = COMMANDS[command]
    (checkout / target).symlink_to(leads_to)
    assert main([*arguments, *(["--force"] if command == "baseline create" else [])]) == 2
    assert untouched(checkout)
    assert f"out of what {checkout} keeps: name that file itself" in capsys.readouterr().err


def test_a_folder_that_is_a_link_out_is_refused(checkout: Path) -> None:
    (checkout / "build").symlink_to("../elsewhere")
    assert main(["--output", "build/report.txt", "."]) == 2
    assert untouched(checkout)


@pytest.mark.parametrize("leads_to", [".git/hooks/post-commit", ".git/config", "hooks/post-commit"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_into_gits_own_folder_is_refused(checkout: Path, command: str, leads_to: str) -> None:
    arguments, target = COMMANDS[command]
    (checkout / ".git" / "hooks").mkdir()
    kept = {checkout / ".git" / "hooks" / "post-commit": "exit 0\n", checkout / ".git" / "config": "[core]\n"}
    for file, text in kept.items():
        file.write_text(SCORE if target == "rate.py" else text)
    (checkout / "hooks").symlink_to(".git/hooks")
    before = {file: file.read_bytes() for file in kept}
    (checkout / target).unlink(missing_ok=True)
    (checkout / target).symlink_to(leads_to)
    main([*arguments, *(["--force"] if command == "baseline create" else [])])
    assert {file: file.read_bytes() for file in kept} == before


def test_gits_own_folder_can_be_named(checkout: Path) -> None:
    assert main(["--output", ".git/report.txt", "."]) == 1
    assert "FL201" in (checkout / ".git" / "report.txt").read_text()


def test_a_link_within_a_repository_is_written_through(checkout: Path) -> None:
    (checkout / "reports").mkdir()
    (checkout / "report.txt").symlink_to("reports/newest.txt")
    assert main(["--output", "report.txt", "."]) == 1
    assert (checkout / "report.txt").is_symlink()
    assert "FL201" in (checkout / "reports" / "newest.txt").read_text()


def test_the_mode_is_kept_and_a_new_file_has_the_usual_one(checkout: Path) -> None:
    before = os.umask(0o027)
    try:
        whole_files.write_text("rate.py", "pass\n")
        whole_files.write_text("new", "x")
        whole_files.write_into(str(checkout), "own", b"x", private=True)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((checkout / name).stat().st_mode) for name in ("rate.py", "new", "own")]
    assert modes == [0o755, 0o640, 0o600]


def test_what_changes_in_the_meantime_is_not_replaced(checkout: Path) -> None:
    with pytest.raises(OSError, match="meanwhile"), whole_files.open_replacement("rate.py") as file:  # noqa: PT012
        file.write(b"new")
        (checkout / "rate.py").unlink()
        (checkout / "rate.py").symlink_to("../victim")
    assert untouched(checkout)
    assert not [one for one in checkout.iterdir() if whole_files.DRAFT.fullmatch(one.name)]


def test_a_folder_that_becomes_a_link_in_the_meantime_leads_nowhere(checkout: Path) -> None:
    (checkout / "out").mkdir()
    with whole_files.open_replacement("out/report") as file:
        file.write(b"new")
        (checkout / "out").rename(checkout / "moved")
        (checkout / "out").symlink_to("../elsewhere")
    assert untouched(checkout)
    assert (checkout / "moved" / "report").read_bytes() == b"new"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_where_writing_is_broken_off(checkout: Path, error: type[BaseException]) -> None:
    before = sorted(checkout.iterdir())
    with pytest.raises(error), whole_files.open_replacement("rate.py") as file:  # noqa: PT012 (what breaks it off)
        file.write(b"half")
        raise error
    assert (checkout / "rate.py").read_text() == SCORE
    assert sorted(checkout.iterdir()) == before


def test_standard_output_by_its_name_goes_on_where_it_is(checkout: Path) -> None:
    kept = checkout / "log"
    kept.write_text("before\n")
    with kept.open("ab") as log:
        command = [
            sys.executable,
            "-m",
            "fairlint",
            "-q",
            "--output",
            "/dev/stdout",
            "--format",
            "concise",
            ".",
        ]
        subprocess.run(command, check=False, stdout=log, cwd=checkout)
    assert kept.read_text().startswith("before\nrate.py:2:")


def test_a_pipe_is_written_to_directly(checkout: Path) -> None:
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
    assert main(["--output", "pipe", "."]) == 1
    assert b"FL201" in reader.communicate(timeout=60)[0]
    assert stat.S_ISFIFO((checkout / "pipe").stat().st_mode)


def test_outside_of_repositories_links_stay_in_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unpacked").mkdir()
    (tmp_path / "victim").write_text(VICTIM)
    (tmp_path / "unpacked" / "report").symlink_to("../victim")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(whole_files.LeadsOutError):
        whole_files.write_text(tmp_path / "unpacked" / "report", "new")
    (tmp_path / "way").symlink_to("unpacked")  # the user's own way to a folder is no file that somebody ships
    whole_files.write_text(tmp_path / "way" / "other", "new")
    assert (tmp_path / "unpacked" / "other").read_text() == "new"


def test_a_run_folder_is_written_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text(VICTIM)
    for name in ("run.lock", "run.pid", "responses.jsonl"):
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).symlink_to("../victim")
        with pytest.raises(RunFolderError), lock_run(folder):
            LineStore(folder / name)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".out.making").symlink_to("elsewhere")
    with pytest.raises(RunFolderError), made_beside(tmp_path / "out"):
        pass
    assert (tmp_path / "victim").read_text() == VICTIM
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("name", ["../../out", "..", "", "a/b", "/etc/passwd"])
def test_no_name_of_a_leaderboard_leads_out_of_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "leaderboard.json").write_text(f'{{"format": 1, "runs": ["{name}"]}}')
    with pytest.raises(UsageError, match="not a name of a file"):
        site.update(tmp_path, [])


def test_pages_of_answers_are_taken_away_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    page = tmp_path / "elsewhere" / "page.html"
    page.write_text(VICTIM)
    (tmp_path / "answers").symlink_to("elsewhere")
    site._remove_others(tmp_path / "answers", set())
    assert page.read_text() == VICTIM


# ----------------------------------------------------------------------------------- configuration and caches


def test_every_key_that_names_a_path_is_known_as_such() -> None:
    named = {key for key, one in SETTINGS.items() if "file" in one.about or "folder" in one.about}
    about_files = {key for key in named if not SETTINGS[key].is_path}
    assert about_files == named - {"vocabulary", "library-models", "baseline", "cache-dir"}
    assert {key for key, one in SETTINGS.items() if one.is_path} == {
        "vocabulary", "library-models", "baseline", "cache-dir",
    }  # fmt: skip


@pytest.mark.parametrize("key", [key for key, one in SETTINGS.items() if one.is_path])
@pytest.mark.parametrize("leads_to", ["../elsewhere/x", "/etc/passwd", "link/x"])
def test_a_configuration_that_was_found_names_nothing_elsewhere(
    checkout: Path, key: str, leads_to: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "link").symlink_to("../elsewhere")
    value = f'["{leads_to}"]' if SETTINGS[key].schema.get("type") != "string" else f'"{leads_to}"'
    (checkout / "fairlint.toml").write_text(f"{key} = {value}\n")
    for command in (["."], ["baseline", "create", "."]):
        assert main(command) == 2
        assert "leads out of" in capsys.readouterr().err
    assert untouched(checkout)


def test_a_folder_with_code_in_it_is_no_cache(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "src").mkdir()
    (checkout / "src" / "rate.py").write_text(SCORE)
    assert main(["--cache-dir", "src", "."]) == 2
    assert "holds other files and cannot be a cache" in capsys.readouterr().err
    monkeypatch.setenv("FAIRLINT_CACHE_DIR", ".")
    assert main(["."]) == 2
    monkeypatch.delenv("FAIRLINT_CACHE_DIR")
    (checkout / "fairlint.toml").write_text('cache-dir = "src"\n')
    assert main(["."]) == 2
    assert sorted(one.name for one in (checkout / "src").iterdir()) == ["rate.py"]
    assert not (checkout / ".gitignore").exists()
    (checkout / "fairlint.toml").unlink()
    assert main(["--cache-dir", "kept", "."]) == 1
    assert is_usable("kept")
    assert main(["--cache-dir", "kept", "."]) == 1


@pytest.mark.parametrize("named", ["kept", "kept/below"])
def test_a_cache_is_made_through_no_link_that_leads_out(
    checkout: Path, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "kept").symlink_to(checkout.parent / "elsewhere")
    assert main(["--cache-dir", named, "."]) == 2
    told = capsys.readouterr().err
    assert "cannot be a cache: a link leads to" in told
    assert told.count("\n") == 1
    assert untouched(checkout)


def interrupted(call: Callable[..., Any], at: int = 1) -> Callable[..., Any]:
    """A call of the system during which somebody presses Ctrl-C, the `at`-th time that it is made."""
    left = [at]

    def called(*given: Any, **named: Any) -> Any:
        result = call(*given, **named)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return result

    return called


def test_an_interrupt_as_a_file_is_made_leaves_none(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", interrupted(os.open, 2))  # the first is of the folder
        with pytest.raises(KeyboardInterrupt):
            whole_files.write(checkout / "new.txt", (b"x",))
    assert sorted(one.name for one in checkout.iterdir()) == [".git", "rate.py"]


@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupt_while_a_folder_is_replaced_leaves_the_old_or_the_new(
    checkout: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkout / "kept"
    folder.mkdir()
    (folder / "text").write_text("old")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):  # noqa: PT012 (what is written)
        patched.setattr(os, "rename", interrupted(os.rename, at))
        with whole_files.folder_for(folder) as made:
            (Path(made) / "text").write_text("new")
    assert (folder / "text").read_text() == ("old" if at == 1 else "new")


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(SCORE)
    environment = {**os.environ, "HOME": str(tmp_path / "nobody")}
    environment.pop("XDG_CACHE_HOME", None)
    command = [sys.executable, "-m", "fairlint", "rate.py"]
    done = subprocess.run(command, check=False, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 1
    assert not (tmp_path / "nobody").exists()
