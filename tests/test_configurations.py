"""Each file is checked under the nearest configuration; in what order files are named makes no difference."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairlint import check_paths
from fairlint.cli import main
from fairlint.config import Configurations, Settings, load_settings
from fairlint.config.reading import MOST_EXTENDED
from fairlint.findings.report import Report
from fairlint.support.errors import UsageError

UNFAIR = """\
def rate(applicant):
    score = 0
    if applicant.gender == "male":
        score += 5
    return score
"""
"""FL201, an error."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str = UNFAIR) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def told(report: Report) -> list[tuple[str, str, str]]:
    return [(one.path, one.rule, one.severity) for one in report.findings]


# ------------------------------------------------------------------------------------------------- nearest


@pytest.mark.parametrize("paths", [["a/x.py", "b/y.py"], ["b/y.py", "a/x.py"], ["b", "a"], ["."]])
def test_each_file_has_its_own(here: Path, paths: list[str]) -> None:
    for name in ("a/x.py", "a/deep/x.py", "a/nested/x.py", "b/y.py"):
        write(here / name)
    write(here / "a/fairlint.toml", 'ignore = ["FL2"]')
    write(here / "a/nested/pyproject.toml", '[tool.fairlint]\nseverity = {FL201 = "warning"}')
    asked = [*paths, "a/nested/x.py"]

    assert told(check_paths(asked)) == [("a/nested/x.py", "FL201", "warning"), ("b/y.py", "FL201", "error")]


def test_patterns_are_relative_to_their_own_file(here: Path) -> None:
    for name in ("a/gen/x.py", "b/gen/x.py", "a/old.py", "b/old.py"):
        write(here / name)
    write(here / "a/fairlint.toml", 'extend-exclude = ["/gen"]\nper-file-ignores = {"/old.py" = ["FL201"]}')
    write(here / "fairlint.toml", 'extend-exclude = ["/gen"]\nper-file-ignores = {"/old.py" = ["FL201"]}')

    assert [path for path, *_ in told(check_paths(["."]))] == ["b/gen/x.py", "b/old.py"]
    assert [path for path, *_ in told(check_paths(["a/gen/x.py"]))] == ["a/gen/x.py"]
    assert main(["--force-exclude", "a/gen/x.py"]) == 0


def test_what_an_outer_configuration_excludes_stays_out_where_an_inner_one_says_nothing(here: Path) -> None:
    """A walk would not come down to it, so pre-commit must not either, which names each file."""
    write(here / "vendored/lib/x.py")
    write(here / "vendored/lib/fairlint.toml", "")
    write(here / "y.py", "")
    write(here / "fairlint.toml", 'extend-exclude = ["vendored"]')

    assert told(check_paths(["."])) == []
    assert main(["--force-exclude", "vendored/lib/x.py", "y.py"]) == 0
    assert main(["vendored/lib/x.py"]) == 1


def test_git_is_heeded_where_the_nearest_says_so(here: Path) -> None:
    for folder in ("a", "a/in", "b"):
        write(here / folder / "gen.py")
    write(here / ".gitignore", "gen.py")
    write(here / "a/fairlint.toml", "respect-gitignore = false")
    write(here / "a/in/fairlint.toml", "respect-gitignore = true")

    write(here / "z.py", "")
    assert [path for path, *_ in told(check_paths(["."]))] == ["a/gen.py"]


def test_a_finding_is_judged_where_it_stands(here: Path) -> None:
    """What an importer tells of another project's file goes by that project's settings."""
    write(here / "a/__init__.py", "")
    write(here / "b/__init__.py", "")
    write(here / "b/features.py", 'FEATURES = ["income", "gender"]\n')
    code = (
        "from sklearn.linear_model import LogisticRegression\nfrom b.features import FEATURES\n"
        'LogisticRegression().fit(loans[FEATURES], loans["repaid"])\n'
    )
    write(here / "a/train.py", code)
    write(here / "fairlint.toml", "")
    assert [(path, severity) for path, _, severity in told(check_paths(["a"]))] == [
        ("b/features.py", "warning")
    ]

    write(here / "b/fairlint.toml", 'severity = {FL301 = "error"}')
    assert [(path, severity) for path, _, severity in told(check_paths(["a"]))] == [
        ("b/features.py", "error")
    ]
    write(here / "b/fairlint.toml", 'ignore = ["FL3"]')
    assert told(check_paths(["a"])) == []


def test_what_a_run_has_once_is_said_where_it_starts(here: Path) -> None:
    write(here / "a/x.py")
    write(here / "a/fairlint.toml", 'severity = {FL201 = "warning"}\nfail-on = "error"\nfile-steps = 7')
    write(here / "fairlint.toml", 'fail-on = "warning"\nfile-steps = 70000')

    assert main(["a/x.py"]) == 1
    found = Configurations(["a"]).of(str(here / "a"))
    assert (found.fail_on, found.file_steps, found.severity) == (("warning",), 70_000, {"FL201": "warning"})


def test_where_a_run_starts_nowhere_it_is_the_folder_that_holds_all(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here / "a/x.py")
    write(here / "a/fairlint.toml", 'severity = {FL201 = "warning"}\nfail-on = "error"')
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    assert main([str(here / "a/x.py")]) == 0
    write(here / "b/x.py")
    assert main([str(here / "a/x.py"), str(here / "b/x.py")]) == 1


def test_options_count_everywhere(here: Path) -> None:
    write(here / "a/x.py")
    write(here / "a/fairlint.toml", 'ignore = ["FL2"]')
    write(here / "other.toml", 'severity = {FL201 = "note"}\nfail-on = "error"')

    assert main(["a"]) == 0
    assert main(["--ignore", "FL9", "a"]) == 1
    assert main(["--isolated", "a"]) == 1
    assert main(["--config", "other.toml", "a"]) == 0


def test_standard_input_is_at_home_where_its_name_says(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    (here / "a").mkdir()
    write(here / "a/fairlint.toml", 'ignore = ["FL2"]')
    for name, code in (("a/x.py", 0), ("x.py", 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNFAIR.encode())))
        assert main(["-", "--stdin-filename", name]) == code


def test_a_mistake_below_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here / "x.py", "")
    write(here / "a/x.py", "")
    write(here / "a/fairlint.toml", 'ignore = ["FL21"]')

    assert main(["."]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"fairlint: error: {here / 'a/fairlint.toml'}: no rule is called 'FL21'; did you")
    assert "'FL201'" in error


def test_a_pyproject_that_is_not_ours_may_be_anything(here: Path) -> None:
    write(here / "x.py")
    write(here / "a/x.py")
    write(here / "a/pyproject.toml", "no TOML [")

    assert len(told(check_paths(["."]))) == 2
    write(here / "a/pyproject.toml", "[tool.fairlint\n")
    with pytest.raises(UsageError, match="is not valid TOML"):
        check_paths(["."])


@pytest.mark.parametrize("severity", ["warning", "error"])
def test_min_severity_means_what_it_says(
    here: Path, severity: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here / "x.py")
    write(here / "fairlint.toml", 'severity = {FL201 = "note"}')
    assert main(["--min-severity", severity, "--fail-on", "note", "x.py"]) == 0
    assert "FL201" not in capsys.readouterr().out
    assert main(["--fail-on", "note", "x.py"]) == 1

    write(here / "fairlint.toml", f'severity = {{FL201 = "note"}}\nmin-severity = "{severity}"')
    assert main(["--fail-on", "note", "x.py"]) == 0


def test_min_confidence(here: Path) -> None:
    write(here / "x.py", 'def f(x, gender):\n    score = 0\n    if gender == "male":\n        score += 1\n')
    levels = [len(told(check_paths(["x.py"], Settings(min_severity="note", min_confidence=one)))) for one in
              ("low", "medium", "high")]  # fmt: skip
    assert levels[0] >= levels[1] >= levels[2]
    write(here / "y.py")
    (found,) = check_paths(["y.py"]).findings
    assert found.confidence == "high"


# ------------------------------------------------------------------------------------------------ baselines


def test_each_project_has_its_baseline(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a/x.py", "b/x.py", "x.py"):
        write(here / name)
    write(here / "a/fairlint.toml", "")
    write(here / "b/fairlint.toml", "")

    assert main(["baseline", "create", "."]) == 0
    assert len((here / "fairlint-baseline.jsonl").read_text().splitlines()) == 3
    assert main(["."]) == 0, "those of projects below that have none of their own are in it"
    write(here / "a/z.py")
    assert main(["."]) == 1
    assert main(["baseline", "check", "."]) == 1

    (here / "fairlint-baseline.jsonl").unlink()
    assert main(["--config", "a/fairlint.toml", "baseline"]) == 2
    assert main(["baseline", "create", "a"]) == 0
    assert (here / "a/fairlint-baseline.jsonl").exists()
    assert [path for path, *_ in told(check_paths(["."]))] == ["b/x.py", "x.py"]
    assert main(["baseline", "create", "."]) == 0
    paths = [json.loads(line)["path"] for line in (here / "fairlint-baseline.jsonl").read_text().splitlines()]
    assert paths == ["b/x.py", "x.py"]
    assert main(["."]) == 0
    assert main(["baseline", "check", "."]) == 0
    (here / "a/x.py").write_text("")
    report = check_paths(["."])
    assert (report.stale, len(report.suppressed)) == (1, 3)
    capsys.readouterr()


def test_a_baseline_that_an_option_names_is_relative_to_where_one_is(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here / "a/x.py")
    write(here / "fairlint.toml", "")
    monkeypatch.chdir(here / "a")
    assert main(["baseline", "create", "--file", "old.jsonl", "."]) == 0
    assert main(["--baseline", "old.jsonl", "."]) == 0
    assert main(["."]) == 1


# --------------------------------------------------------------------------------------------------- order

CONFIGURATIONS = (
    "",
    'ignore = ["FL2"]',
    'severity = {FL201 = "note"}\nmin-severity = "note"',
    'fail-on = "error"\nseverity = {FL2 = "warning"}',
    'extend-exclude = ["x.py"]',
    "respect-gitignore = false",
    'per-file-ignores = {"b/" = ["FL201"]}',
    'extends = "TOP/shared.toml"',
)
FOLDERS = ("", "a", "b", "a/b", "b/a", "a/b/c")
PATHS = (*(folder or "." for folder in FOLDERS), *(f"{folder or '.'}/x.py" for folder in FOLDERS))


class Case(NamedTuple):
    """What some configuration files say, where a run starts, and its arguments in two orders."""

    said: dict[str, str]
    start: str
    paths: list[str]
    others: list[str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    said = draw(st.dictionaries(st.sampled_from(FOLDERS), st.sampled_from(CONFIGURATIONS)))
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=2, max_size=4))
    return Case(said, draw(st.sampled_from(FOLDERS)), paths, draw(st.permutations(paths)))


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases())
def test_the_order_of_arguments_never_matters(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / ".git").mkdir()
        write(top / ".gitignore", "/b/a/")
        write(top / "shared.toml", 'ignore = ["FL201"]\nfail-on = "note"')
        for name in FOLDERS:
            write(top / name / "x.py")
        for name, text in case.said.items():
            write(top / name / "fairlint.toml", text.replace("TOP", os.path.relpath(top, top / name)))
        with monkeypatch.context() as patch:
            patch.chdir(top / case.start)
            patch.setenv("SOURCE_DATE_EPOCH", "0")
            assert _run(top, case.paths, capsys) == _run(top, case.others, capsys)


def _run(top: Path, paths: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["--format", "json", *(str(top / path) for path in paths)])
    return (code, *capsys.readouterr())


def test_several_processes_say_the_same(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairlint.checking import runner
    from fairlint.processes import parallel

    for folder in ("a", "b", "c"):
        for number in range(5):
            write(here / folder / f"x{number}.py", UNFAIR + f"# {number}\n")
    write(here / "a/fairlint.toml", 'ignore = ["FL2"]')
    write(
        here / "b/fairlint.toml", 'severity = {FL201 = "warning"}\nattributes = {gender = {disabled = true}}'
    )
    write(here / "c/fairlint.toml", 'severity = {points-by-group = "note"}\nmin-severity = "note"')
    alone = check_paths(["."])
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 1)
    monkeypatch.setattr(parallel, "_process_count", lambda: 3)
    assert told(check_paths(["c", "a", "b"])) == told(alone)
    assert [path for path, *_ in told(alone)] == [f"c/x{number}.py" for number in range(5)]


# ------------------------------------------------------------------------------------------------- extends


def extended(here: Path, text: str, **others: str) -> Settings:
    for name, one in others.items():
        write(here / f"{name}.toml", one)
    write(here / "sub/fairlint.toml", text)
    return load_settings(["sub"])


def test_what_a_file_says_counts_more_than_what_it_extends(here: Path) -> None:
    found = extended(
        here,
        'extends = ["../one.toml", "../two.toml"]\nignore = ["FL3"]\nextend-ignore = ["FL5"]\n'
        'extend-select = ["FL9"]\nseverity = {FL201 = "note"}\n[attributes.gender]\nrename = "sex"\n',
        one='select = ["FL1"]\nignore = ["FL4"]\ndomain = "credit"\n'
        'severity = {FL201 = "error", FL1 = "note"}',
        two='select = ["FL2"]\nextend-exclude = ["gen"]\nvocabulary = ["words.toml"]\n'
        '[attributes.gender]\nstrong = ["geschlecht kz"]\n',
        words='[attributes.shoe]\nstrong = "shoe size"\n',
    )
    assert found.select == ("FL2", "FL9")
    assert found.ignore == ("FL3", "FL5")
    assert found.domain == "credit"
    assert found.severity == {"FL201": "note", "FL1": "note"}
    assert found.root == here / "sub"
    assert found.vocabulary_tables() == (
        {"attributes": {"shoe": {"strong": "shoe size"}}},
        {"attributes": {"gender": {"strong": ["geschlecht kz"]}}},
        {"attributes": {"gender": {"rename": "sex"}}},
    )
    assert found.origins["select"] == (str(here / "two.toml"), str(here / "sub/fairlint.toml"))
    assert found.origins["domain"] == (str(here / "one.toml"),)
    assert found.origins["ignore"] == (str(here / "sub/fairlint.toml"),)


def test_patterns_are_relative_to_the_file_they_are_written_in(here: Path) -> None:
    for name in ("gen/x.py", "sub/gen/x.py", "sub/old/x.py", "sub/own/x.py", "sub/y.py"):
        write(here / name)
    extended(
        here,
        'extends = "../base.toml"\nextend-exclude = ["/own"]',
        base='extend-exclude = ["/gen", "sub/old"]\nper-file-ignores = {"sub/y.py" = ["FL2"]}',
    )
    assert [path for path, *_ in told(check_paths(["sub"]))] == ["sub/gen/x.py"]


def test_a_package_brings_a_policy(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found without being imported; its patterns are relative to whoever extends it."""
    packages = here.parent / "installed"
    write(packages / "acme_policy/__init__.py", "raise RuntimeError('imported')")
    write(packages / "acme_policy/base.toml", 'severity = {FL201 = "note"}\nextend-exclude = ["/gen"]')
    write(
        packages / "acme_policy/eu/policy.toml",
        'extends = "../base.toml"\njurisdiction = "eu"\nvocabulary = ["words.toml"]',
    )
    write(packages / "acme_policy/eu/words.toml", '[attributes.shoe]\nstrong = "shoe size"\n')
    monkeypatch.syspath_prepend(str(packages))
    write(here / "gen/x.py")
    write(here / "x.py", "")
    write(here / "fairlint.toml", 'extends = "acme_policy:eu/policy.toml"')

    found = load_settings(["."])
    assert (found.jurisdiction, found.severity) == ("eu", {"FL201": "note"})
    assert found.origins["jurisdiction"] == ("acme_policy:eu/policy.toml",)
    assert found.origins["severity"] == ("acme_policy:base.toml",)
    assert told(check_paths(["."])) == []
    assert found.vocabulary_tables() == ({"attributes": {"shoe": {"strong": "shoe size"}}},)

    write(packages / "acme_policy/base.toml", "vocabulary = ['../../secret.toml']")
    with pytest.raises(UsageError, match=r"secret\.toml' leads out of"):
        load_settings(["."])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "gone.toml"', r"'extends' → 'gone\.toml': there is no such file"),
        ('extends = "no_such_policy:a.toml"', "no package 'no_such_policy' is installed"),
        ('extends = "fairlint:gone.toml"', "the package has no such file"),
        ('extends = "fairlint:../../x.toml"', r"leads out of its package|has no such file"),
        ('extends = "../../outside.toml"', "leads out of"),
        ('extends = "fairlint.toml"', r"goes in a circle: .*fairlint\.toml → .*fairlint\.toml"),
        ('extends = "../loop.toml"', r"goes in a circle: .*sub/fairlint\.toml → .*loop\.toml → .*sub/fair"),
        ("extends = 1", "must be the name of a file, 'package:file', or a list"),
        ('extends = ""', "must be the name of a file"),
        ('extends = "../wrong.toml"', r"wrong\.toml: unknown key 'ignroe'; did you mean 'ignore'"),
        ('extends = "../bomb.toml"', f"'extends' leads to more than {MOST_EXTENDED} files"),
    ],
)
def test_what_cannot_be_extended_is_told(here: Path, text: str, message: str) -> None:
    write(here.parent / "outside.toml", "")
    bomb = {
        f"bomb{number}": f'extends = ["bomb{number + 1}.toml", "bomb{number + 1}.toml"]'
        for number in range(9)
    }
    with pytest.raises(UsageError, match=message) as error:
        extended(
            here,
            text,
            loop='extends = "sub/fairlint.toml"',
            wrong="ignroe = []",
            bomb='extends = "bomb0.toml"',
            bomb9="",
            **bomb,
        )
    assert "\n" not in str(error.value)


# ------------------------------------------------------------------------------------------------ severity


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ('FL201 = "note"', "note"),
        ('points-by-group = "note"', "note"),
        ('FL = "note", FL2 = "warning"', "warning"),
        ('FL201 = "note", FL2 = "warning"', "note"),
        ('fl2 = "warning"', "warning"),
        ('FL1 = "note"', "error"),
    ],
)
def test_the_severity_of_a_rule_is_what_the_longest_name_says(here: Path, said: str, severity: str) -> None:
    write(here / "x.py")
    write(here / "fairlint.toml", f'severity = {{{said}}}\nmin-severity = "note"')
    assert told(check_paths(["x.py"])) == [("x.py", "FL201", severity)]


def test_a_context_makes_a_note_of_what_is_raised_too(here: Path) -> None:
    write(here / "test_x.py", f"import pytest\n{UNFAIR}\ndef test_rate():\n    assert rate(applicant) == 5\n")
    before = [one.severity for one in check_paths(["."], Settings(min_severity="note")).findings]
    raised = Settings(min_severity="note", severity={"FL": "error"})
    assert [one.severity for one in check_paths(["."], raised).findings if one.lowered_by] == [
        severity for severity in before if severity == "note"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'severity = {FL201 = "warn"}',
            "'severity' → 'FL201' must be one of note, warning, error, not 'warn'",
        ),
        ('severity = {FL201 = "warn"}', "did you mean 'warning'"),
        ('severity = {FL201 = "off"}', "`ignore` switches a rule off"),
        ('severity = {points-by-grup = "note"}', "did you mean 'points-by-group'"),
        ('select = ["points-by-grup"]', "did you mean 'points-by-group'"),
        ('per-file-ignores = {"*" = ["FL999"]}', "no rule is called 'FL999'"),
        ('min-confidence = "hihg"', "did you mean 'high'"),
        ('domain = "hirring"', "did you mean 'hiring'"),
        ('fail-on = "errors"', "did you mean 'error'"),
    ],
)
def test_a_wrong_value_is_told_with_the_nearest(
    here: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here / "clean.py", "x = 1\n")
    write(here / "fairlint.toml", text)
    assert main(["."]) == 2
    assert message in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------- attributes


FIXTURES = Path(__file__).parent.parent / "fixtures"
SOME = [str(FIXTURES / "c" / name) for name in ("intake_form.c", "print_title.c", "applicant_score.c")]


def test_a_renamed_attribute_is_found_as_before(here: Path) -> None:
    """Only reports call it otherwise: rules, models of libraries and other tables know it by its own name."""
    write(here / "x.py", UNFAIR.replace('"male"', '"male" and applicant.age > 50'))
    paths = ["x.py", *SOME]
    own = Settings(min_severity="note")
    names = {"gender": "sex", "age": "years_lived"}
    tables = {name: {"rename": shown} for name, shown in names.items()}
    before, after = check_paths(paths, own), check_paths(paths, own.with_changes(attributes=tables))

    def known(report: Report) -> list[tuple[str, int, str, tuple[str, ...]]]:
        return [
            (one.path, one.start.line, one.rule, tuple(names.get(name, name) for name in one.use.attributes))
            for one in report.findings
        ]

    assert known(after) == known(before)
    assert not after.failed
    assert {use.attribute for _, use in after.uses} == {
        names.get(use.attribute, use.attribute) for _, use in before.uses
    }
    assert any("sex" in one.message for one in after.findings)
    assert not any("gender" in one.message.partition("`")[0] for one in after.findings)


@pytest.mark.parametrize("attribute", ["gender", "race", "national_origin", "age"])
def test_an_attribute_that_is_switched_off_is_silent(attribute: str) -> None:
    report = check_paths(SOME, Settings(min_severity="note", attributes={attribute: {"disabled": True}}))
    assert not report.failed
    assert not any(attribute in one.use.attributes for one in report.findings)
