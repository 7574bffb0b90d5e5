"""Results that are kept from run to run: never out of date, never a stranger's, the same in every report."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from programs import POINTS

from fairlint import Settings, check_paths
from fairlint.cache import store
from fairlint.cache.packing import (
    NotPackableError,
    pack_value,
    unpack_value,
)
from fairlint.cache.packing_as_text import pack_value_as_text, unpack_value_from_text
from fairlint.checking import result_cache
from fairlint.checking.checker import Checker
from fairlint.checking.file_result import FileResult
from fairlint.checking.session import Session
from fairlint.checking.stripped_results import KINDS
from fairlint.cli import main
from fairlint.config import Configurations
from fairlint.findings.report import Report
from fairlint.findings.uses import Step
from fairlint.plugins import manager
from fairlint.reporters import SHIPPED, ReportOptions
from fairlint.reporters import json as json_report
from fairlint.search.prefilter import Prefilter
from fairlint.syntax.python import intact
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import Span

RULES = "FEMALE_POINTS = {'female': -5, 'male': 0}\nLIMIT = 3\n"
USER = """\
from rules import FEMALE_POINTS, LIMIT


def points(applicant):
    return LIMIT + FEMALE_POINTS[applicant.gender]
"""
ASK = """\
from openai import OpenAI


def rate(candidate):
    with open("hire.txt") as file:
        prompt = file.read().format(race=candidate.race)
    return OpenAI().chat.completions.create(messages=[{"role": "user", "content": prompt}])
"""
CLEAN = "def total(prices):\n    return sum(prices)\n"
Analysed = list[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's own cache folder."""
    folder = tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("FAIRLINT_CACHE_DIR", raising=False)
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:  # noqa: ARG001 (set up)
    """A folder to check, which is the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Analysed:
    """The files that were looked through, and not taken from before."""
    seen: Analysed = []
    prepare = Checker.prepare

    def noted(self: Checker, path: str, *rest: Any) -> object:
        seen.append(path)
        return prepare(self, path, *rest)

    monkeypatch.setattr(Checker, "prepare", noted)
    return seen


def checked(*paths: str, cache: bool = True) -> Report:
    return check_paths(
        paths or ["."], Configurations(paths or ["."], changes={"min_severity": "note"}), cache=cache
    )


def told(report: Report) -> str:
    return "".join(json_report.report(report, ReportOptions()))


def entries(folder: Path) -> list[Path]:
    return sorted(one for one in (folder / store.USUAL).iterdir() if len(one.name) == 32)


def test_an_unchanged_file_is_not_looked_at_again(project: Path, analysed: Analysed) -> None:
    (project / "score.py").write_text(POINTS)
    (project / "total.py").write_text(CLEAN)
    first = checked()
    assert sorted(analysed) == ["score.py", "total.py"]
    analysed.clear()
    assert checked() == first
    assert analysed == []
    (project / "total.py").write_text(CLEAN + "\n")
    assert checked() == first
    assert analysed == ["total.py"]


def test_a_module_that_is_imported_counts(project: Path, analysed: Analysed) -> None:
    (project / "rules.py").write_text(RULES)
    (project / "user.py").write_text(USER)
    (one,) = checked("user.py").findings
    assert one.points is not None
    assert one.points.by_group["female"] == -2
    (project / "rules.py").write_text(RULES.replace("-5", "-7"))
    (one,) = checked("user.py").findings
    assert one.points is not None
    assert one.points.by_group["female"] == -4
    (project / "rules.py").unlink()
    assert not checked("user.py").findings
    (project / "rules").mkdir()
    (project / "rules" / "__init__.py").write_text(RULES)
    assert checked("user.py").findings
    analysed.clear()
    assert checked("user.py").findings
    assert analysed == []


def test_only_new_text_is_searched_for_syntax_errors(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "rules.py").write_text("LIMIT = 3\n")
    (project / "user.py").write_text("from rules import LIMIT\nprint(LIMIT)\n")
    assert not checked().not_analysed
    read: list[bytes] = []

    def noted(data: bytes) -> bool:
        read.append(data)
        return True

    (project / "rules.py").write_text("LIMIT = 4\n")
    with monkeypatch.context() as patched:
        patched.setattr(intact, "is_intact", noted)
        assert not checked().not_analysed
    assert read == [b"LIMIT = 4\n"]
    (project / "user.py").write_text("from rules import LIMIT\nprint(LIMIT\n")
    assert [gap.path for gap in checked().not_analysed] == ["user.py"]
    (project / "rules.py").write_text("LIMIT = 5\n")
    assert [gap.path for gap in checked().not_analysed] == ["user.py"]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The texts that were searched for protected names."""
    seen: list[bytes] = []
    search = Prefilter.__call__

    def noted(self: Prefilter, data: bytes, tokens: Tokens | None) -> list[int]:
        seen.append(data)
        return search(self, data, tokens)

    monkeypatch.setattr(Prefilter, "__call__", noted)
    return seen


def test_what_a_text_says_is_found_once(project: Path, searched: list[bytes]) -> None:
    """Be its result out of date: that of a file hangs on what it imports, and on how it is checked."""
    (project / "rules.py").write_text("import math\n" + RULES)
    (project / "user.py").write_text(USER)
    first = checked()
    assert len(searched) == 2
    searched.clear()
    (project / "rules.py").write_text("import math\n" + RULES + "MORE = 1\n")
    assert told(checked()) == told(first)
    assert searched == [(project / "rules.py").read_bytes()]
    searched.clear()
    assert checked("user.py").findings
    strict = Configurations(["."], changes={"min_severity": "error"})
    assert check_paths(["."], strict, cache=True) == check_paths(["."], strict)
    assert len(searched) == 2  # by the run that keeps nothing


def test_words_of_the_user_count_for_what_a_text_says(project: Path) -> None:
    (project / "app.py").write_text(
        "import math\n\n\ndef score(person):\n    return 3 if person.shoe_size == 'x' else math.pi\n"
    )
    assert not checked().findings
    (project / "fairlint.toml").write_text('[attributes.shoe_size]\nstrong = "shoe size"\n')
    assert checked().findings
    assert told(checked()) == told(checked(cache=False))


def test_a_stranger_says_nothing_of_a_text(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "rules.py").write_text("import math\n" + RULES)
    (project / "user.py").write_text(USER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
    with monkeypatch.context() as patch:
        patch.setattr(Prefilter, "__call__", lambda *_: [])
        assert not checked().findings
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert checked().findings


def test_a_template_that_is_named_counts(project: Path) -> None:
    (project / "ask.py").write_text(ASK)
    before = told(checked())
    (project / "hire.txt").write_text("Decide whether to hire the candidate.\nRace: {race}\n")
    assert told(checked()) == told(checked(cache=False))
    assert told(checked()) != before


def test_the_program_that_trains_the_same_model_counts(project: Path, analysed: Analysed) -> None:
    (project / "app.py").write_text(
        "import joblib\n\nmodel = joblib.load('risk.pkl')\n\n\ndef rate(person):\n"
        "    return model.predict([[person.gender, person.income]])\n"
    )
    for text in ("", "joblib.dump(model, 'risk.pkl')\n", "joblib.dump(model, 'risk.pkl')  # mortality\n"):
        (project / "train.py").write_text(text)
        assert told(checked("app.py")) == told(checked("app.py", cache=False))
    (project / "old").mkdir()
    analysed.clear()
    checked("app.py")
    assert analysed == ["app.py"]  # a folder that it might have been in
    checked("app.py")
    assert analysed == ["app.py"]


CONFIGURATIONS = (
    "",
    'ignore = ["FL2"]',
    'severity = {FL2 = "error"}',
    'per-file-ignores = {"score.py" = ["FL2"]}',
    "attributes.gender.disabled = true",
    'vocabulary = ["words.toml"]',
)


def test_settings_count_and_the_files_that_they_name(project: Path) -> None:
    (project / "score.py").write_text(POINTS)
    (project / "words.toml").write_text('[attributes.gender]\nrename = "sex"\n')
    seen = set()
    for text in CONFIGURATIONS * 2:
        (project / "fairlint.toml").write_text(text)
        assert told(checked()) == told(checked(cache=False))
        seen.add(told(checked()))
    (project / "words.toml").write_text('[attributes.gender]\nrename = "sexus"\n')
    assert told(checked()) == told(checked(cache=False))
    assert told(checked()) not in seen


def test_settings_of_an_imported_file_count(project: Path) -> None:
    (project / "pay").mkdir()
    (project / "pay" / "__init__.py").write_text("")
    (project / "pay" / "rules.py").write_text(POINTS)
    use = "from pay.rules import points\n\n\ndef rate(person):\n    return points(person)\n"
    (project / "user.py").write_text(use)
    for text in ("", 'ignore = ["FL"]', 'severity = {FL201 = "note"}', 'exclude = ["rules.py"]'):
        (project / "pay" / "fairlint.toml").write_text(text)
        assert told(checked("user.py")) == told(checked("user.py", cache=False))


def test_what_was_not_finished_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "score.py").write_text(POINTS)

    def out_of_memory(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Checker, "_analyse", out_of_memory)
        assert [one.cause for one in checked().not_analysed] == ["memory"]
    assert not (project / store.USUAL).exists()
    assert checked().findings


def test_plugins_keep_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "score.py").write_text(POINTS)
    monkeypatch.setattr(manager, "names", lambda: ("other",))
    assert result_cache.open_known_results(Session(Configurations(["."]))) is None


def test_reports_are_the_same_to_the_byte(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    fixtures = Path(__file__).parent.parent / "fixtures"
    for name in ("python", "c", "notebooks"):
        if (fixtures / name).is_dir():
            shutil.copytree(fixtures / name, project / name)
    (project / "user.py").write_text(USER)
    (project / "rules.py").write_text(RULES)
    forms = tuple(SHIPPED)

    def reports(*more: str) -> dict[str, bytes]:
        also = [f"--also={form}={project}/../{form}" for form in forms]
        main(["--min-severity", "note", "--persona", "auditor", "--show-suppressed", *also, *more, "."])
        capsys.readouterr()
        return {form: (project.parent / form).read_bytes() for form in forms}

    anew = reports("--no-cache")
    assert not (project / store.USUAL).exists()
    assert reports() == anew
    assert entries(project)
    assert reports() == anew


# --------------------------------------------------------------------------------------- whatever is changed


def edits(folder: Path, dice: random.Random) -> Iterator[Callable[[], object]]:
    """Endless small changes of a project, such as people make."""
    names = [
        "app.py",
        "rules.py",
        "pay/__init__.py",
        "pay/rules.py",
        "pay/scores.py",
        "src/rules.py",
        "main.py",
    ]
    texts = [
        RULES, USER, POINTS, CLEAN, "", RULES.replace("-5", "-9"),
        "from rules import *\n", "from .rules import FEMALE_POINTS\nfrom rules import LIMIT\n",
        ("from pay.rules import FEMALE_POINTS\nimport rules\n\n\ndef f(p):\n"
        "    return rules.LIMIT + FEMALE_POINTS[p.gender]\n"),
        "from pay import scores\n\n\ndef g(p):\n    return scores.points(p)\n",
        "from pay.scores import points\nfrom app import LIMIT\n\n\ndef h(p):\n    return points(p) > LIMIT\n",
        "from app import h\nfrom .scores import points\nFEMALE_POINTS = {'female': h, 'male': 2}\n",
    ]  # fmt: skip
    while True:
        path, other = folder / dice.choice(names), folder / dice.choice(names)
        act = dice.randrange(10)
        if act == 0:
            yield partial(path.unlink, missing_ok=True)
        elif act == 1:
            yield partial(path.replace, other) if path.exists() else str
        elif act == 2:
            toml = folder / dice.choice(["fairlint.toml", "pay/fairlint.toml"])
            yield partial(toml.write_text, dice.choice(CONFIGURATIONS[:5]))
        else:
            yield partial(path.write_text, dice.choice(texts))


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_changed_nothing_is_out_of_date(project: Path, seed: int) -> None:
    dice = random.Random(seed)
    for name in ("pay", "src"):
        (project / name).mkdir()
    (project / "app.py").write_text(USER)
    some = edits(project, dice)
    for _ in range(60):
        for _ in range(dice.choice([1, 1, 2, 5])):
            next(some)()
        if not any(project.rglob("*.py")):
            (project / "app.py").write_text(USER)
        part = dice.choice([[], [], [next(project.rglob("*.py")).relative_to(project).as_posix()]])
        assert told(checked(*part)) == told(checked(*part, cache=False))


# ------------------------------------------------------------------------------------------------- strangers


def test_a_folder_that_somebody_else_has_made_counts_for_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stranger knows all but the secret, and says of a file that there is nothing in it."""
    (project / "score.py").write_text(POINTS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
    with monkeypatch.context() as patch:
        patch.setattr(Checker, "_analyse", lambda _, source, *__: FileResult(source.path))
        assert not checked().findings
    (entry,) = entries(project)
    assert not checked().findings  # the stranger's own run
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert checked().findings
    assert entries(project) == [entry]


@pytest.mark.parametrize("damage", ["cut", "turned", "empty", "long", "swapped"])
def test_what_is_damaged_counts_for_nothing(project: Path, damage: str, analysed: Analysed) -> None:
    (project / "score.py").write_text(POINTS)
    (project / "total.py").write_text(CLEAN)
    first = checked()
    one, other = entries(project)
    data = one.read_bytes()
    bad = {
        "cut": data[: len(data) // 2],
        "turned": data[:-1] + bytes([data[-1] ^ 1]),
        "empty": b"",
        "long": data + b"\0",
        "swapped": other.read_bytes(),
    }
    one.write_bytes(bad[damage])
    analysed.clear()
    assert checked() == first
    assert len(analysed) == 1
    analysed.clear()
    assert checked() == first
    assert analysed == []


def test_links_are_not_followed(project: Path, tmp_path: Path) -> None:
    (project / "score.py").write_text(POINTS)
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / store.USUAL).symlink_to(outside)
    assert checked().findings
    assert not list(outside.iterdir())
    (project / store.USUAL).unlink()
    checked()
    (entry,) = entries(project)
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    entry.unlink()
    entry.symlink_to(secret)
    assert checked().findings
    assert secret.read_text() == "mine"
    assert not entry.is_symlink()


def test_a_configuration_leads_nobody_out_of_its_repository(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".git").mkdir()
    (project / "score.py").write_text(POINTS)
    (project / "fairlint.toml").write_text('cache-dir = "../elsewhere"')
    assert main(["."]) == 2
    assert "'cache-dir' → '../elsewhere' leads out of" in capsys.readouterr().err
    (project / "fairlint.toml").write_text('cache-dir = "build/kept"')
    assert main(["."]) == 1
    assert (project / "build" / "kept" / "CACHEDIR.TAG").exists()


def test_the_secret_is_the_user_s_alone(home: Path) -> None:
    key = store.secret()
    assert key is not None
    assert len(key) == 32
    file = home / "fairlint" / "secret"
    assert file.stat().st_mode & 0o777 == 0o600
    assert store.secret() == key
    file.chmod(0o644)  # as a repository would bring it along
    other = store.secret()
    assert other is not None
    assert other != key
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"cut")
    assert store.secret() not in {None, key, other}


# ------------------------------------------------------------------------------------------------- the folder


def test_git_and_backups_leave_the_folder_alone(project: Path) -> None:
    (project / "score.py").write_text(POINTS)
    subprocess.run(["git", "init", "-q"], check=True)
    checked()
    folder = project / store.USUAL
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    status = subprocess.run(["git", "status", "--porcelain"], check=True, capture_output=True, text=True)
    assert status.stdout == "?? score.py\n"


def test_what_is_old_or_too_much_goes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (project / f"score{number}.py").write_text(POINTS)
    checked()
    old, *rest = entries(project)
    os.utime(old, (0, 0))
    draft = project / store.USUAL / f".{old.name}.0123456789abcdef.draft"
    draft.write_text("left by a process that was killed")
    os.utime(draft, (0, 0))
    other = project / store.USUAL / "notes.txt"
    other.write_text("not fairlint's")
    monkeypatch.setattr(result_cache, "MANY", 1)
    (project / "score0.py").write_text(POINTS + "\n")
    checked()
    assert not draft.exists()
    assert other.exists()
    assert len(entries(project)) in {4, 5}  # the old one may be that of the changed file
    monkeypatch.setattr(store, "MOST", rest[0].stat().st_size * 5 // 2)
    (project / "score0.py").write_text(POINTS)
    checked()
    assert len(entries(project)) == 2


def test_a_folder_that_cannot_be_written_is_no_trouble(project: Path) -> None:
    (project / "score.py").write_text(POINTS)
    (project / store.USUAL).write_text("a file")
    assert checked() == checked(cache=False)


def test_runs_beside_each_other_and_killed_ones(project: Path) -> None:
    for number in range(30):
        (project / f"score{number}.py").write_text(POINTS + "\n" * number)
    expected = told(checked(cache=False))
    command = [sys.executable, "-P", "-m", "fairlint", "--isolated", "--exit-zero", "--min-severity", "note",
               "--format", "json", "."]  # fmt: skip
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    killed.kill()
    killed.wait()
    findings = json.loads(expected)["findings"]
    for one in others:
        output, _ = one.communicate(timeout=120)
        assert json.loads(output)["findings"] == findings
    assert told(checked()) == expected


@pytest.mark.parametrize("way", ["option", "environment", "setting"])
def test_the_folder_can_be_named(project: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "score.py").write_text(POINTS)
    options = []
    if way == "option":
        options = ["--cache-dir", "kept"]
        monkeypatch.setenv("FAIRLINT_CACHE_DIR", str(project / "other"))
    elif way == "environment":
        monkeypatch.setenv("FAIRLINT_CACHE_DIR", "kept")
    else:
        (project / "fairlint.toml").write_text('cache-dir = "kept"')
    assert main([*options, "."]) == 1
    assert (project / "kept" / "CACHEDIR.TAG").exists()
    assert not (project / store.USUAL).exists()
    assert not (project / "other").exists()


def test_nothing_is_kept_where_nobody_wants_that(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "score.py").write_text(POINTS)
    assert main(["--no-cache", "."]) == 1
    check_paths(["."])
    (project / "fairlint.toml").write_text('cache-dir = ""')
    assert main(["."]) == 1
    assert sorted(one.name for one in project.iterdir()) == ["fairlint.toml", "score.py"]
    assert main(["--no-cache", "--cache-dir", "x", "."]) == 2
    assert main(["--cache-dir=", "."]) == 2
    assert "cannot be used with" in capsys.readouterr().err


def test_clean_takes_away_what_fairlint_has_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "score.py").write_text(POINTS)
    checked()
    assert main(["clean"]) == 0
    assert capsys.readouterr().out == ".fairlint_cache: 1 result removed.\n"
    assert [one.name for one in project.iterdir()] == ["score.py"]
    assert main(["clean", "--cache-dir", "."]) == 0
    assert capsys.readouterr().out == ".: no cache.\n"
    assert (project / "score.py").exists()
    checked()
    (project / store.USUAL / "notes.txt").write_text("mine")
    assert main(["clean", str(project)]) == 0
    assert [one.name for one in (project / store.USUAL).iterdir()] == ["notes.txt"]


# --------------------------------------------------------------------------------------------------- packing


def test_values_come_back_as_they_were() -> None:
    step = Step(Span(1, 2), "read \ud800 here")
    value = [step, (step, None, True, 1.5, b"x"), {"a": frozenset({1}), (1, "b"): {2}}, float("inf")]
    packed = unpack_value(pack_value(value, KINDS), KINDS)
    for back in (packed, unpack_value_from_text(pack_value_as_text(value, KINDS), KINDS)):
        assert back == value
        assert back[0] is back[1][0]
    with pytest.raises(NotPackableError):
        pack_value(object(), KINDS)


def test_a_result_does_not_hang_on_how_many_processes_there_are(project: Path) -> None:
    for number in range(40):
        (project / f"score{number}.py").write_text(POINTS + f"# {'x' * 4000}\n" * 2)
    several = check_paths(["."], Settings(jobs=2), cache=True)
    assert several == check_paths(["."], Settings(jobs=1), cache=True) == check_paths(["."], Settings())
