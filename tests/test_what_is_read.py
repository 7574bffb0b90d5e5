"""Whatever is read is a regular file of limited size that somebody offered; else it is one clear line."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from fairlint import UsageError, check_paths
from fairlint.backends import names, shipped, weights
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.bench.asking import replay
from fairlint.bench.asking.answers import read_answers
from fairlint.bench.runs.view import read_metrics
from fairlint.bench.suites.prompts_file import _iter_objects
from fairlint.cli import main
from fairlint.config import Settings, find_config, load_settings, read_config
from fairlint.model_bias.data.loading import NAMES, load
from fairlint.rules.pages import RuleError, load_page
from fairlint.run_folders import run_folder
from fairlint.run_folders.jsonl import RunFolderError, read_records
from fairlint.run_folders.run_folder import SETTINGS, read_run
from fairlint.sources.discovery import discover
from fairlint.sources.ignore_rules import TooManyRulesError, read_rules
from fairlint.support import files

UNFAIR = "def score(applicant):\n    return 5 if applicant.gender == 'male' else 0\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository, and no wait for ever: what hangs is ended, and fails."""
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository")
    signal.alarm(60)
    yield tmp_path / "repository"
    signal.alarm(0)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def vast(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3_000_000_000)


NO_FILES = [pipe, device, folder, vast]
READERS: list[Callable[[Path], object]] = [
    read_config,
    load_page,
    read_answers,
    read_metrics,
    lambda path: list(_iter_objects(path)),
    lambda path: Settings(vocabulary=(path,)).vocabulary_tables(),
    lambda path: Settings(library_models=(path,)).library_tables(),
    *(partial(load, name) for name in NAMES),
]


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_plain_file_of_limited_size_is_one_line(
    here: Path, make: Callable[[Path], None], read: Callable[[Path], object]
) -> None:
    make(here / "odd")
    with pytest.raises((UsageError, RuleError), match=r"odd: (not a regular file|larger than )") as error:
        read(here / "odd")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
def test_a_run_folder_is_read_from_plain_files(here: Path, make: Callable[[Path], None]) -> None:
    make(here / SETTINGS)
    with pytest.raises(RunFolderError, match=r"not a regular file|larger than"):
        read_run(here)
    if make is not vast:  # its lines are read one by one
        make(here / "responses.jsonl")
        with pytest.raises(RunFolderError, match="not a regular file"):
            list(read_records(here / "responses.jsonl"))


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
def test_models_are_read_from_plain_files(here: Path, make: Callable[[Path], None]) -> None:
    odd = here / "odd.gguf"
    make(odd)
    with pytest.raises(ModelError, match=r"odd\.gguf( is not a GGUF file|$)") as error:
        shipped.convert_gguf(odd)
    assert "\n" not in str(error.value)
    for name in (shipped.MARKER, names.INDEXES[0]):
        make(here / name)
    assert not shipped._is_intact_folder(here)
    if make is not vast:
        with pytest.raises(ModelError, match=r"odd\.gguf: not a regular file$"):
            shipped.digest(odd)
        assert names._shards_missing(here) == []
    else:
        with pytest.raises(ModelError, match="is no index of weights"):
            names._shards_missing(here)
    assert weights.fingerprint(here)


def test_a_converted_model_of_pipes_is_not_whole(here: Path) -> None:
    pipe(here / "weights")
    (here / shipped.MARKER).write_text('{"files": {"weights": "0 nothing"}}')
    assert not shipped._is_intact_folder(here)


@pytest.mark.parametrize("make", [pipe, device, folder], ids=lambda make: make.__name__)
def test_answers_that_become_something_else_are_one_line(
    here: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(here / "odd.jsonl")
    monkeypatch.setattr(replay, "read_answers", lambda *_, **__: [])
    with pytest.raises(ModelError, match=r"odd\.jsonl: not a regular file$"):
        replay.load(str(here / "odd.jsonl"), ModelOptions())


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
def test_who_has_a_run_folder_is_read_from_a_plain_file(here: Path, make: Callable[[Path], None]) -> None:
    make(here / "run.pid")
    assert run_folder._read_owner(here / "run.pid") == ("?", "?")


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ["a.py", "a.c", "a.ipynb"])
def test_code_is_read_from_plain_files(here: Path, make: Callable[[Path], None], name: str) -> None:
    (here / "fine.py").write_text(UNFAIR)
    if make is not folder:
        make(here / name)
    report = check_paths(["."])
    assert [one.path for one in report.findings] == ["fine.py"]
    assert [one.path for one in report.not_analysed] == [name] * (make is not folder)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.py").write_text("#!/usr/bin/python\n")
    before = os.open

    def swapped(path: str, *arguments: int) -> int:
        Path(path).unlink()
        os.mkfifo(path)
        return before(path, *arguments)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(files.NotReadableError, match="not a regular file"):
        files.read_file("a.py", 100)
    (here / "a.py").unlink()
    (here / "a.py").write_text("x")
    with pytest.raises(files.NotReadableError, match="not a regular file"):
        files.read_beginning("a.py", 100)


# ---------------------------------------------------------------------------------- out of the repository


@pytest.fixture
def outside(here: Path) -> Path:
    (here.parent / "words.toml").write_text("[attributes.shoe]\nstrong = ['shoe size']\n")
    (here.parent / "models.toml").write_text('package = "risk"\n')
    (here.parent / "secret.py").write_text(UNFAIR)
    return here.parent


@pytest.mark.parametrize("key", ["vocabulary", "library-models"])
@pytest.mark.parametrize("way", ["../words.toml", "link.toml", "/dev/zero", "{outside}/words.toml"])
def test_a_configuration_that_was_found_leads_nowhere_else(
    here: Path, outside: Path, key: str, way: str
) -> None:
    (here / "link.toml").symlink_to(outside / "words.toml")
    (here / "fairlint.toml").write_text(f'{key} = ["{way.format(outside=outside)}"]\n')
    with pytest.raises(UsageError, match=rf"fairlint\.toml: '{key}' → '.*' leads out of .*--config") as error:
        load_settings(["."])
    assert "\n" not in str(error.value)


def test_a_configuration_that_was_named_leads_where_it_says(here: Path, outside: Path) -> None:
    (here / "link.toml").symlink_to(outside / "words.toml")
    (here / "ours.toml").write_text('vocabulary = ["../words.toml", "link.toml"]\n')
    assert len(load_settings(["."], config="ours.toml").vocabulary_tables()) == 2


def test_a_configuration_leads_anywhere_in_its_repository(here: Path) -> None:
    (here / "shared").mkdir()
    (here / "deep" / "er").mkdir(parents=True)
    (here / "shared" / "words.toml").write_text("")
    (here / "deep" / "er" / "fairlint.toml").write_text('vocabulary = ["../../shared/words.toml"]\n')
    assert load_settings(["deep/er"]).vocabulary_tables() == ({},)


@pytest.mark.parametrize("name", ["fairlint.toml", "pyproject.toml"])
def test_a_configuration_that_is_a_link_out_is_not_taken(here: Path, outside: Path, name: str) -> None:
    (outside / "theirs.toml").write_text("")
    (here / name).symlink_to(outside / "theirs.toml")
    with pytest.raises(UsageError, match="leads out of"):
        find_config(".")
    assert read_config(here / name) is not None


@pytest.mark.parametrize("name", ["fairlint.toml", "pyproject.toml"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: Path(path).symlink_to("nowhere")])
def test_a_configuration_that_is_no_file_is_told(here: Path, name: str, make: Callable[[Path], None]) -> None:
    """It would be passed over, and the code checked by other settings than its own."""
    (here / "a.py").write_text(UNFAIR)
    make(here / name)
    with pytest.raises(
        UsageError, match=rf"{name}: (not a regular file|a symbolic link to nothing|cannot be)"
    ):
        check_paths(["."])


def test_a_path_that_is_none_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(UNFAIR)
    (here / "fairlint.toml").write_text('vocabulary = ["\\u0000"]\n')
    assert main(["."]) == 2
    told = capsys.readouterr().err
    assert told.startswith("fairlint: error: ")
    assert "'vocabulary' → '" in told
    assert "internal error" not in told
    assert main(["--config", "fairlint.toml", "."]) == 2
    assert "internal error" not in capsys.readouterr().err


def test_code_that_is_a_link_out_is_named_and_not_read(here: Path, outside: Path) -> None:
    (here / "own.py").write_text(UNFAIR)
    (here / "inside.py").symlink_to("own.py")
    (here / "stolen.py").symlink_to(outside / "secret.py")
    found = discover(["."], Settings())
    assert [one.shown for one in found.files] == ["own.py"]
    told = "a symbolic link out of the repository; it is followed where it is named itself"
    assert [(one.path, one.reason) for one in found.skipped] == [("stolen.py", told)]
    assert [one.path for one in check_paths(["stolen.py"]).findings] == ["stolen.py"]


def test_an_import_that_is_a_link_out_is_not_followed(here: Path, outside: Path) -> None:
    (outside / "rules.py").write_text("BONUS = {'male': 5, 'female': 0}\n")
    (outside / "package").mkdir()
    (outside / "package" / "rules.py").write_text("BONUS = {'male': 5, 'female': 0}\n")
    for name in ("linked", "package.rules", "plain"):
        code = (
            f"from {name} import BONUS\ndef f(applicant):\n    applicant.score += BONUS[applicant.gender]\n"
        )
        (here / f"by_{name.partition('.')[0]}.py").write_text(code)
    (here / "linked.py").symlink_to(outside / "rules.py")
    (here / "package").symlink_to(outside / "package")
    (here / "plain.py").write_text((outside / "rules.py").read_text())
    report = check_paths(["by_linked.py", "by_package.py", "by_plain.py"])
    assert {one.path for one in report.findings if one.rule == "FL202" and one.points} == {"by_plain.py"}


# ------------------------------------------------------------------------------------- what takes for ever


@pytest.mark.parametrize(
    "rule", ["*a*a*a*a*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/a/**/b", "[!b]*[!b]*[!b]*[!b]*c"]
)
def test_no_pattern_takes_long(here: Path, rule: str) -> None:
    rules = read_rules(rule.encode())
    assert rules.verdict("a" * 250, folder=False) is None
    assert rules.verdict("a/" * 120 + "a", folder=False) is None
    (here / "fairlint.toml").write_text(
        f'extend-exclude = ["{rule}"]\nper-file-ignores = {{"{rule}" = ["FL1"]}}\n'
    )
    (here / f"{'a' * 240}.py").write_text(UNFAIR)
    assert len(check_paths(["."]).findings) == 1


def test_rules_without_end_are_not_heeded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlint.sources.ignore_rules._MEMORY", 10_000)
    with pytest.raises(TooManyRulesError):
        read_rules(b"".join(b"*%d*\n" % number for number in range(1000)))
    (here / ".gitignore").write_text("".join(f"*{number}*\n" for number in range(1000)))
    (here / "a7.py").write_text(UNFAIR)
    report = check_paths(["."])
    assert [one.path for one in report.findings] == ["a7.py"]
    told = "it holds more rules than can be looked at: its rules are not used"
    assert [(one.path, one.reason) for one in report.not_analysed] == [(".gitignore", told)]
    with pytest.raises(UsageError, match="more than can be looked at"):
        check_paths(["."], Settings(extend_exclude=tuple(f"*{number}*" for number in range(1000))))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" + "a." * 200 + "b]\n", "a key has more than 100 parts"),
        ("x = " + "[" * 5000, "fairlint.toml: nested too deeply: more than 100 lists and tables"),
        ("[attributes" + ".a" * 90 + "]\nb = " + "{a = " * 90 + "1" + "}" * 90, "nested too deeply"),
        ("[attributes.a" + ".b" * 50 + "]\nx = " + "[" * 50 + "]" * 50, "nested too deeply"),
        ("lawful-ages = [" + "1" * 5000 + "]", "is not valid TOML"),
    ],
)
def test_a_configuration_that_would_take_long_is_refused(here: Path, text: str, told: str) -> None:
    (here / "fairlint.toml").write_text(text)
    (here / "a.py").write_text(UNFAIR)
    with pytest.raises(UsageError, match=told):
        check_paths(["."])
