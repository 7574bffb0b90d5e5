"""SARIF: what GitHub code scanning reads, and the official schema."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint.cli import main
from fairlint.findings.finding import Edit, Fix
from fairlint.findings.report import NotAnalysed, Report
from fairlint.reporters import ReportOptions, sarif, uris
from fairlint.rules.loading import load_rules
from fairlint.support import about
from fairlint.support.records import replace
from fairlint.syntax.source import Position, Source

ROOT = Path(__file__).parent.parent.parent

EDITS = (Edit(4, 9, "", Position(1, 5), Position(2, 1)), Edit(12, 12, "pass", Position(2, 4), Position(2, 4)))
FIX = Fix("delete it", "unsafe", EDITS)


def log_of(report: Report, **options: Any) -> Any:
    return json.loads("".join(sarif.report(report, ReportOptions(**{"load_rules": load_rules, **options}))))


def run_of(report: Report, **options: Any) -> Any:
    return log_of(report, **options)["runs"][0]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_a_result_has_all_that_github_reads(repository: Path) -> None:
    run = run_of(made.score_report(), root=str(repository), exit_code=1)
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "FL201"
    assert result["level"] == "error"
    assert result["message"]["text"] == (
        "gender: male +5, female +0, gap 5. "
        "Path of the value: [read here](1), then [compared](2). Score what the job needs."
    )
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "hiring/score.py", "uriBaseId": "%SRCROOT%", "index": 0},
                "region": {"startLine": 6, "startColumn": 9, "endLine": 6, "endColumn": 20},
            }
        }
    ]
    assert result["partialFingerprints"] == {
        "primaryLocationLineHash": "e54938cc54b302f1:1",
        "fairlint/v1": "3f2a",
        "fairlint/v2": "7c01:1",
    }
    assert [(item["id"], item["message"]["text"]) for item in result["relatedLocations"]] == [
        (1, "read here"),
        (2, "compared"),
    ]
    assert "suppressions" not in result
    assert run["automationDetails"]["id"] == "fairlint/"
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"file://{repository}/"
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["exitCode"] == 1
    assert run["artifacts"][0]["sourceLanguage"] == "python"


def test_the_code_flow_ends_at_the_decision() -> None:
    (result,) = run_of(made.score_report())["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [
        (step["location"]["message"]["text"], step["importance"], step["executionOrder"]) for step in steps
    ] == [
        ("read here", "important", 1),
        ("compared", "important", 2),
        ("gender: male +5, female +0, gap 5", "essential", 3),
    ]
    assert steps[-1]["location"]["physicalLocation"] == result["locations"][0]["physicalLocation"]


def test_all_rules_are_declared_within_the_limits_of_github() -> None:
    driver = run_of(Report(files=3))["tool"]["driver"]
    rules = load_rules()
    assert [rule["id"] for rule in driver["rules"]] == sorted(rule.code for rule in rules)
    for declared in driver["rules"]:
        assert declared["shortDescription"]["text"]
        assert 0 < len(declared["fullDescription"]["text"]) <= 1024
        assert "## What it flags" in declared["help"]["markdown"]
        assert "```" not in declared["help"]["text"]
        assert declared["defaultConfiguration"]["level"] in {"error", "warning", "note"}
        assert declared["properties"]["precision"] in {"high", "medium", "low"}
        assert declared["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
        assert 0 < len(declared["properties"]["tags"]) <= 10
    assert driver["semanticVersion"].count(".") >= 2


def test_a_clean_run_has_no_results_and_says_so() -> None:
    run = run_of(Report(files=3))
    assert run["results"] == []
    assert run["invocations"][0]["toolExecutionNotifications"] == []


def test_what_was_not_analysed_is_a_notification() -> None:
    gaps = (made.GAP, NotAnalysed("b.py", 1, "internal error: KeyError: 'x'", "error"))
    (invocation,) = run_of(Report(files=3, not_analysed=gaps, failed=True))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [item["level"] for item in invocation["toolExecutionNotifications"]] == ["warning", "error"]
    assert (
        "broken.py, line 40, was not analysed"
        in invocation["toolExecutionNotifications"][0]["message"]["text"]
    )


def test_uris_are_relative_to_the_repository_and_percent_encoded(repository: Path) -> None:
    folder = repository / "sub dir"
    folder.mkdir()

    def uri(path: str) -> dict[str, str]:
        root = uris.repository_root(str(folder))
        return uris.location(path, working_folder=str(folder), root=root)

    assert uri("a b/é#?:%.py") == {"uri": "sub%20dir/a%20b/%C3%A9%23%3F%3A%25.py", "uriBaseId": "%SRCROOT%"}
    assert uri("caf\udce9.py") == {"uri": "sub%20dir/caf%E9.py", "uriBaseId": "%SRCROOT%"}
    assert uri("../x.py") == {"uri": "x.py", "uriBaseId": "%SRCROOT%"}
    assert uri("/usr/x y.py") == {"uri": "file:///usr/x%20y.py"}


def test_messages_hold_no_links_but_ours_and_nothing_that_a_terminal_obeys() -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    found = made.finding(
        source, "points += 5", message="x[0](1) {0} \x1b[31m", steps=(("gender", "read [here]"),), advice=""
    )
    (result,) = run_of(made.report((source, found)))["results"]
    assert result["message"]["text"] == ("x[0\\](1) {{0} \\x1b[31m. Path of the value: [read \\[here\\]](1).")


def test_too_many_findings_keep_the_gravest_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    source = Source("a.py", made.SCORE.encode(), "python")
    report = made.report(
        (source, made.finding(source, "points =", severity="warning")),
        (source, made.finding(source, "points += 5", severity="error")),
    )
    told: list[str] = []
    run = run_of(report, tell=told.append)
    assert [result["level"] for result in run["results"]] == ["error"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["descriptor"] == {"id": "left-out"}
    assert notification["properties"] == {"leftOut": 1}
    assert told == [notification["message"]["text"]]
    assert told == ["1 finding is left out, the mildest: a run of SARIF holds at most 1"]


def test_what_is_left_out_is_told_on_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(made.SCORE)
    assert main(["--isolated", "--format", "sarif", "--output", "a.sarif", "--quiet", "a.py"]) == 1
    told = capsys.readouterr().err
    assert told == "fairlint: 1 finding is left out, the mildest: a run of SARIF holds at most 0\n"


def test_addresses_are_those_of_the_package_and_of_no_statute(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project.get("urls", {}) == about.ADDRESSES
    there = {"Homepage": "https://example.org/", "Rules": "https://example.org/rules/"}
    own = next(rule for rule in load_rules() if rule.code == "FL201")
    strangers = replace(own, code="XX201", name="strange", path="/elsewhere/XX201-strange.md")
    for known, home, page in (
        (there, "https://example.org/", "https://example.org/rules/FL201-points-by-group.md"),
        ({}, None, None),
    ):
        monkeypatch.setattr(about, "ADDRESSES", known)
        driver = run_of(made.score_report(), load_rules=lambda: (own, strangers))["tool"]["driver"]
        assert driver.get("informationUri") == home
        assert [rule.get("helpUri") for rule in driver["rules"]] == [page, None]


def test_a_linked_file_goes_by_the_name_of_what_it_leads_to(repository: Path) -> None:
    (repository / "real.py").write_text("")
    (repository / "link.py").symlink_to("real.py")
    (repository / "away.py").symlink_to("/etc/hostname")

    def uri(path: str) -> dict[str, str]:
        return uris.location(path, working_folder=str(repository), root=str(repository))

    assert uri("link.py")["uri"] == "real.py"
    assert uri("away.py")["uri"] == "away.py"
    assert uris.in_repository("link.py", str(repository)) == "real.py"


def test_of_very_many_places_only_so_many_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_STEPS", 1)
    (result,) = run_of(made.score_report())["results"]
    assert len(result["relatedLocations"]) == 1
    assert result["message"]["text"].count("](") == 1


def test_a_finding_of_an_undeclared_rule_declares_it() -> None:
    run = run_of(made.score_report(), load_rules=tuple)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["FL201"]


@pytest.fixture(scope="session")
def official_schema(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    folder = tmp_path_factory.mktemp("sarif")
    packed = subprocess.run(
        ["npm", "pack", "--silent", "@microsoft/jest-sarif@1.0.0-beta.0"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
        name = next(name for name in archive.getnames() if Path(name).match("sarif-2.1.0*.json"))
        file = archive.extractfile(name)
        assert file is not None
        return json.load(file)


@pytest.mark.slow
@pytest.mark.parametrize(
    "report",
    [
        Report(files=3),
        made.score_report(not_analysed=(made.GAP,)),
        made.table_report(),
        replace(
            made.score_report(),
            findings=tuple(replace(one, fix=FIX) for one in made.score_report().findings),
        ),
    ],
    ids=["clean", "score", "table", "fix"],
)
def test_the_official_schema_accepts_it(report: Report, official_schema: Any) -> None:
    checker = jsonschema.validators.validator_for(official_schema)
    errors = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in checker(official_schema).iter_errors(log_of(report))
    ]
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("portable", [False, True])
def test_the_official_schema_accepts_where_the_code_comes_from(
    portable: bool, repository: Path, official_schema: Any
) -> None:
    told = log_of(
        made.score_report(),
        root=str(repository),
        provenance=lambda: made.provenance(str(repository)),
        portable=portable,
    )
    assert len(told["runs"][0]["versionControlProvenance"]) == 1
    assert (str(repository) in json.dumps(told)) is not portable
    checker = jsonschema.validators.validator_for(official_schema)
    assert [error.message for error in checker(official_schema).iter_errors(told)] == []
