"""The comparison of two checkouts over much code: what it dumps, what it finds different, how it tells it."""

import importlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("corpora", "ecosystem_targets", "ecosystem_rows", "ecosystem_changes", "ecosystem")

UNFAIR = """\
def score(applicant):
    points = 10
    if applicant.gender == "male":
        points += 5
    return points
"""
OTHER_CHECKOUT = """\
__path__ = [{package!r}]
exec(open({init!r}, encoding="utf-8").read())
from fairlint.checking import runner
from fairlint.findings.finding import FlowStep
from fairlint.findings.report import Report
from fairlint.support.records import replace

def check_paths(*arguments):
    report = runner.check_paths(*arguments)
    return replace(report, {change})
"""
"""A fairlint that says something else of the same code."""


@pytest.fixture
def ecosystem(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("ecosystem")
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture
def changes(ecosystem: ModuleType) -> ModuleType:
    return sys.modules[ecosystem.compare.__module__]


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A checkout that holds nothing but two fixtures."""
    folder = tmp_path / "inputs" / "fixtures" / "python"
    folder.mkdir(parents=True)
    (folder / "unfair.py").write_text(UNFAIR)
    (folder / "plain.py").write_text("print('hello')\n")
    return tmp_path / "inputs"


def places(inputs: Path) -> list[str]:
    """The options that leave nothing of this machine in a run."""
    nothing = str(inputs.parent / "nothing")
    words = [("--inputs", str(inputs)), ("--cache", str(inputs.parent / "cache"))]
    words += [("--samples", nothing), ("--data", nothing), ("--wild", nothing), ("--targets", "fixtures")]
    return [word for pair in words for word in pair]


def other_checkout(folder: Path, change: str) -> Path:
    package = ROOT / "fairlint"
    (folder / "fairlint").mkdir(parents=True)
    text = OTHER_CHECKOUT.format(package=str(package), init=str(package / "__init__.py"), change=change)
    (folder / "fairlint" / "__init__.py").write_text(text)
    return folder


def rows_in(dump: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (dump / "fixtures.jsonl").read_text().splitlines()]


def finding(**changed: object) -> dict[str, object]:
    row: dict[str, object] = {
        "row": "finding", "path": "a.py", "cell": None, "line": 4, "column": 1, "end": [4, 9],
        "rule": "FL201", "severity": "warning", "confidence": "high", "message": "male +5",
        "kind": "score-update", "flow": [],
        "attribute": "gender", "points": {"op": "add"},
        "evidence": [[3, "a name"]], "source": "s",
    }  # fmt: skip
    return row | changed


# ------------------------------------------------------------------------------------------------- dumping


def test_a_dump_holds_findings_with_all_that_they_are_made_of(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path
) -> None:
    assert ecosystem.main(["dump", str(tmp_path / "out"), *places(inputs)]) == 0
    (row,) = rows_in(tmp_path / "out")
    assert (row["row"], row["path"], row["rule"]) == ("finding", "python/unfair.py", "FL201")
    assert (row["line"], row["column"], row["end"]) == (3, 8, [3, 34])
    assert (row["kind"], row["effect"], row["attribute"]) == ("score-update", "score", "gender")
    assert (row["severity"], row["confidence"]) == ("error", "high")
    assert row["points"] == {"op": "add", "by_group": {"female": 0.0, "male": 5.0}, "other": 0.0}
    assert row["evidence"]
    assert row["flow"]
    assert row["source"] == 'if applicant.gender == "male":'


def test_a_dump_holds_uses_that_no_rule_judges_and_what_was_not_analysed(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path
) -> None:
    (inputs / "fixtures" / "python" / "plain.py").write_text(
        "def show(applicant):\n    print(applicant.gender)\n\ndef broken(applicant.gender:\n"
    )
    assert ecosystem.main(["dump", str(tmp_path / "out"), *places(inputs)]) == 0
    rows = [row for row in rows_in(tmp_path / "out") if row["path"] == "python/plain.py"]
    assert {"use", "not analysed"} <= {row["row"] for row in rows}
    assert all(row["source"] for row in rows)


def test_a_dump_is_made_once(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ecosystem.main(["dump", str(tmp_path / "first"), *places(inputs)])
    assert "[1/1] fixtures" in capsys.readouterr().err
    ecosystem.main(["dump", str(tmp_path / "second"), *places(inputs)])
    assert "[1/1]" not in capsys.readouterr().err
    assert rows_in(tmp_path / "first") == rows_in(tmp_path / "second")
    (inputs / "fixtures" / "python" / "plain.py").write_text(UNFAIR)
    ecosystem.main(["dump", str(tmp_path / "third"), *places(inputs)])
    assert "[1/1] fixtures" in capsys.readouterr().err


def test_a_file_that_takes_too_long_is_named_and_the_others_are_checked(
    ecosystem: ModuleType, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows_of, piece = ecosystem.rows_of, sys.modules["ecosystem_targets"].Piece
    slow = "def f(applicant):\n" + "    if applicant.gender == 'male':\n        x = 1\n" * 20_000
    pieces = [piece("slow", slow, "python"), piece("unfair", UNFAIR, "python")]
    monkeypatch.chdir(inputs)  # it goes elsewhere itself
    assert len(list(rows_of(pieces[1:], inputs, 30))) == 1  # all is loaded now
    rows = list(rows_of(pieces, inputs, 0.2))
    assert rows[0]["reason"] == "ecosystem: took more than 0.2 s of CPU time"
    assert [row["rule"] for row in rows[1:]] == ["FL201"]


# ----------------------------------------------------------------------------------------------- by chance


def test_what_depends_on_the_hash_seed_is_shown(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_chance = other_checkout(tmp_path / "other", "findings=report.findings[: hash('a') % 2], uses=()")
    command = ["seeds", "--seeds", "5", "--checkout", str(by_chance), *places(inputs)]
    assert ecosystem.main(command) == 1
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2
    assert told[0].startswith("fixtures: under ")
    assert '"rule": "FL201"' in told[0]
    assert told[1] == "1 targets, 5 seeds, 1 rows: 1 depend on the seed"


def test_what_depends_on_the_order_of_the_files_is_shown(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        (inputs / "fixtures" / "python" / f"unfair_{number}.py").write_text(UNFAIR)
    first_only = other_checkout(tmp_path / "other", "findings=report.findings if not seen else (), uses=()")
    init = first_only / "fairlint" / "__init__.py"
    init.write_text(
        init.read_text().replace("    return", "    seen, SEEN[:] = [*SEEN], [*SEEN, 1]\n    return")
        + "SEEN = []\n"
    )
    command = ["seeds", "--seeds", "5", "--checkout", str(first_only), *places(inputs)]
    assert ecosystem.main(command) == 1
    assert len(capsys.readouterr().out.splitlines()) > 2


@pytest.mark.slow
def test_nothing_depends_on_chance(
    ecosystem: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["seeds", "--seeds", "3", "--targets", "quick", "--cache", str(tmp_path)]
    code = ecosystem.main([*command, "--samples", str(tmp_path / "nothing")])
    assert code == 0, capsys.readouterr().out
    assert "6 targets, 3 seeds" in capsys.readouterr().out


# ----------------------------------------------------------------------------------------------- comparing


@pytest.mark.parametrize(
    ("before", "after", "rule", "cause"),
    [
        ([], [finding()], "FL201", "new"),
        ([finding()], [], "FL201", "vanished"),
        ([finding()], [finding(evidence=[])], "FL201", "only evidence"),
        ([finding()], [finding(flow=[["a.py"]])], "FL201", "only flow"),
        ([finding()], [finding(message="male +6")], "FL201", "only message"),
        ([finding()], [finding(message="male +6", points=None)], "FL201", "only points"),
        ([finding()], [finding(severity="note", evidence=[])], "FL201", "severity + evidence"),
        ([finding()], [finding(column=3)], "FL201", "only span"),
        ([finding()], [finding(line=5)], "FL201", "only span"),
        ([finding()], [finding(rule="FL204", points=None)], "FL201 → FL204", "only rule"),
        ([finding()], [finding(row="use", rule="no rule")], "FL201 → (use)", "only rule"),
        ([finding()], [finding(attribute="race")], "FL201", "only attribute"),
    ],
)
def test_what_differs_has_a_rule_and_a_cause(
    changes: ModuleType,
    before: list[dict[str, object]],
    after: list[dict[str, object]],
    rule: str,
    cause: str,
) -> None:
    (change,) = changes.compare_rows("x", before, after)
    assert (change.rule, change.cause) == (rule, cause)


def test_rows_at_one_place_are_paired_with_the_likest(changes: ModuleType) -> None:
    one, other = finding(evidence=[[1, "a"]]), finding(points=None, confidence="low")
    after = [finding(points=None, confidence="low", flow=[["a.py"]]), one]
    assert [change.cause for change in changes.compare_rows("x", [one, other], after)] == ["only flow"]


def test_another_source_line_alone_is_no_change(changes: ModuleType) -> None:
    assert not list(changes.compare_rows("x", [finding()], [finding(source="t")]))


def test_two_checkouts_that_say_the_same_do_not_differ(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = other_checkout(tmp_path / "same", "findings=report.findings")
    assert ecosystem.main(["compare", "--against", str(same), *places(inputs)]) == 0
    assert "0 new, 0 vanished, 0 changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("findings=(), uses=()", "+ fixtures: python/unfair.py:3  FL201 error gender: "),
        ("findings=()", "! fixtures: python/unfair.py:3  FL201 error gender: "),
        (
            "findings=tuple(replace(one, severity='note') for one in report.findings)",
            "      severity: note → error",
        ),
    ],
)
def test_what_two_checkouts_say_differently_is_shown_with_its_line(
    *,
    ecosystem: ModuleType,
    inputs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: str,
    told: str,
) -> None:
    other = other_checkout(tmp_path / "other", change)
    command = ["compare", "--against", str(other), *places(inputs), "--show", "all"]
    assert ecosystem.main(command) == 1
    out = capsys.readouterr().out
    assert told in out
    assert '      | if applicant.gender == "male":\n' in out
    assert ecosystem.main([*command, "--markdown"]) == 1
    assert "| rule | cause | rows |\n|---|---|---|\n" in capsys.readouterr().out


def test_only_the_groups_that_are_asked_for_are_shown(
    ecosystem: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, lines in (("before", [finding(), finding(line=9)]), ("after", [finding(points=None)])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = ["compare", str(tmp_path / "before"), str(tmp_path / "after")]
    for selector, shown in (
        (":vanished", ["- x: a.py:9"]),
        ("FL201:points", ["! x: a.py:4"]),
        ("FL201", ["! x: a.py:4", "- x: a.py:9"]),
        ("FL999", []),
    ):
        assert ecosystem.main([*command, "--show", selector]) == 1
        out = capsys.readouterr().out
        assert [
            line.partition("  ")[0] for line in out.splitlines() if line[:2] in ("+ ", "- ", "! ")
        ] == shown


def test_rows_of_held_cases_are_counted_and_not_shown(
    ecosystem: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, lines in (("before", []), ("after", [finding()])):
        (tmp_path / name).mkdir()
        for target in ("cases-tune", "cases-held"):
            text = "".join(f"{json.dumps(line)}\n" for line in lines)
            (tmp_path / name / f"{target}.jsonl").write_text(text)
    command = ["compare", str(tmp_path / "before"), str(tmp_path / "after"), "--show", "all"]
    assert ecosystem.main(command) == 1
    out = capsys.readouterr().out
    assert "2 new" in out
    assert "+ cases-tune: " in out
    assert "+ cases-held: " not in out
    assert ecosystem.main([*command, "--yes-show-held"]) == 1
    assert "+ cases-held: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "only-one"], "compare needs two dumps, or --against a checkout"),
        (["compare", "no-such", "no-such-either"], "no-such: no such dump"),
        (["compare", "--against", "nowhere"], "nowhere: no checkout of fairlint"),
        (["dump", "out", "--checkout", "nowhere"], "nowhere: no checkout of fairlint"),
        (["dump", "out", "--targets", "unheard-of"], "no target 'unheard-of' at hand"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    *,
    ecosystem: ModuleType,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    options = places(inputs)
    assert ecosystem.main([arguments[0], *options, *arguments[1:]]) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_a_checkout_that_breaks_is_said_in_one_line(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken" / "fairlint"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise RuntimeError('broken on purpose')\n")
    assert ecosystem.main(["compare", "--against", str(broken.parent), *places(inputs)]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("ecosystem: fixtures: ")
    assert last.endswith("RuntimeError: broken on purpose")


def test_a_checkout_that_changes_meanwhile_is_not_kept(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = other_checkout(tmp_path / "other", "findings=report.findings")
    with (other / "fairlint" / "__init__.py").open("a") as file:
        file.write("from pathlib import Path\nPath(__file__).with_name('more.py').write_text('')\n")
    command = ["dump", str(tmp_path / "out"), "--checkout", str(other), *places(inputs)]
    assert ecosystem.main(command) == 2
    assert "was changed while it was asked" in capsys.readouterr().err
    assert not list((tmp_path / "cache" / "dumps").glob("*.jsonl"))


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_repositories_are_read_at_their_commit_from_mirrors(
    ecosystem: ModuleType, inputs: Path, tmp_path: Path
) -> None:
    from subprocess import run

    work = tmp_path / "work"
    work.mkdir()

    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        done = run(["git", *identity, *words], cwd=work, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    (work / "unfair.py").write_text(UNFAIR)
    (work / "notes.txt").write_text("not code\n")
    (work / "large.py").write_text("'a file that the mirror lacks'\n")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    commit = git("rev-parse", "HEAD")
    (work / "unfair.py").write_text("later\n")
    git("commit", "-q", "-am", "second")
    mirror = tmp_path / "mirrors" / "some+one"
    run(["git", "clone", "-q", "--bare", str(work), str(mirror)], check=True)
    large = git("rev-parse", f"{commit}:large.py")
    (mirror / "objects" / large[:2] / large[2:]).unlink()
    (tmp_path / "commits.json").write_text(json.dumps({"some/one": commit, "not/here": commit}))
    options = [*places(inputs), "--mirrors", str(mirror.parent), "--wild", str(tmp_path / "commits.json")]
    assert ecosystem.main(["dump", str(tmp_path / "out"), *options, "--targets", "wild"]) == 0
    (row,) = [
        json.loads(line) for line in (tmp_path / "out" / "wild-some+one.jsonl").read_text().splitlines()
    ]
    assert row["path"] == "unfair.py"
    extracted = tmp_path / "cache" / "wild" / f"some+one@{commit[:12]}"
    assert [path.name for path in extracted.iterdir()] == ["unfair.py"]
