"""What leaves a store, and that an issue is planned once."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, git, make_repository

from fairlint.cli import main

ROOT = Path(__file__).parent.parent.parent
pytest.importorskip("duckdb")


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def scan(run: str) -> None:
    assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "1", "--run", run, "-q"]) == 0


def export(form: str, output: str, *more: str) -> None:
    assert main(["fleet", "export", "--to", form, "--store", "store", "--output", output, *more]) == 0


def issues(*more: str) -> list[dict[str, Any]]:
    export("issues", "plan.json", *more)
    plan = json.loads(Path("plan.json").read_text())
    assert plan["sent"] is False
    found: list[dict[str, Any]] = plan["issues"]
    return found


def test_sarif_of_a_repository_says_what_a_plain_run_says(capsys: pytest.CaptureFixture[str]) -> None:
    shop = Path("all") / "shop"
    make_repository(shop, {"src/a.py": POINTS})
    make_repository(Path("all") / "clean", {"a.py": "x = 1\n"})
    scan("r1")
    export("sarif", "out")
    logs = {path.name.rpartition("-")[0]: json.loads(path.read_text()) for path in Path("out").iterdir()}
    assert logs.keys() == {"shop", "clean"}
    assert logs["clean"]["runs"][0]["results"] == []
    capsys.readouterr()
    assert main(["--format", "sarif", "--isolated", "--no-cache", str(shop / "src")]) == 1
    (plain,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (stored,) = logs["shop"]["runs"][0]["results"]
    for key in ("ruleId", "level", "partialFingerprints"):
        assert stored[key] == plain[key]
    place = stored["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/a.py"
    assert place["region"] == plain["locations"][0]["physicalLocation"]["region"]


OF_THE_RUN = ("invocations", "originalUriBaseIds")
"""What a log says of the run that made it, besides what it found."""


@pytest.mark.parametrize("split", ["0", "40"])
def test_sarif_of_a_repository_is_that_of_a_plain_run(
    split: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Path("all") / "shop"
    shutil.copytree(ROOT / "fixtures", shop)
    (shop / "broken.py").write_text("def f(a):\n    if a.gender == 'male'\n        return (\n")
    (shop / "app.ts").write_text("let a = 1\n")
    assert main(["fleet", "scan", "all", "--store", "store", "--split-files", split, "-q"]) == 0
    export("sarif", "out")
    (stored,) = json.loads(next(Path("out").iterdir()).read_text())["runs"]
    monkeypatch.chdir(shop)
    capsys.readouterr()
    assert main(["--format", "sarif", "--isolated", "--no-cache", "--no-gitignore", "."]) == 1
    (plain,) = json.loads(capsys.readouterr().out)["runs"]
    assert any("codeFlows" in one for one in plain["results"])
    assert any("relatedLocations" in one for one in plain["results"])
    told = [run["invocations"][0]["toolExecutionNotifications"] for run in (stored, plain)]
    assert told[0] == told[1] != []
    for run in (stored, plain):
        for name in (*OF_THE_RUN, "versionControlProvenance", "properties"):
            run.pop(name, None)
    assert stored == plain


def test_a_store_from_before_findings_had_details_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    from pyarrow import parquet

    shop = Path("all") / "shop"
    make_repository(shop, {"a.py": POINTS})
    scan("r1")
    for path in Path("store/parts").glob("run=r1/*/*/*.parquet"):
        table = parquet.read_table(path, partitioning=None)
        left_out = {"findings": ["details"], "suppressed": ["details"], "coverage": ["cell", "language"]}
        parquet.write_table(table.drop_columns(left_out.get(path.stem, [])), path)
    export("sarif", "before")
    commit(shop, {"b.py": POINTS})
    scan("r2")
    export("sarif", "after")
    (before,) = [json.loads(path.read_text())["runs"][0]["results"] for path in Path("before").iterdir()]
    (after,) = [json.loads(path.read_text())["runs"][0]["results"] for path in Path("after").iterdir()]
    assert [one["partialFingerprints"] for one in before] == [after[0]["partialFingerprints"]]
    capsys.readouterr()
    asked = "SELECT run, details IS NULL FROM findings ORDER BY ALL"
    assert main(["fleet", "query", asked, "--store", "store", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["r1,True", "r2,False", "r2,False"]


def test_all_findings_are_rows_of_the_table() -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS, "b.py": POINTS})
    scan("r1")
    export("csv", "out.csv")
    with Path("out.csv").open() as file:
        assert [(row["repository"], row["path"]) for row in csv.DictReader(file)] == [
            ("shop", "a.py"), ("shop", "b.py"),
        ]  # fmt: skip


def test_an_issue_has_an_owner_and_is_planned_once() -> None:
    shop = Path("all") / "shop"
    make_repository(shop, {"a.py": POINTS, "CODEOWNERS": "a.py @acme/risk\n"})
    scan("r1")
    (issue,) = issues()
    assert issue["owners"] == ["@acme/risk"]
    assert issue["fingerprint"] in issue["body"]
    Path("plan.json").rename("known.json")
    assert issues("--known", "known.json") == []
    git(shop, "mv", "a.py", "moved.py")
    commit(shop, {"b.py": POINTS.replace("gender", "religion").replace("male", "hindu")})
    scan("r2")
    (fresh,) = issues("--known", "known.json")
    assert fresh["path"] == "b.py"
    assert [one["path"] for one in issues("--since", "r1")] == ["b.py"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "out"], "needs --to"),
        (["--to", "csv"], "needs --output"),
        (["--to", "csv", "--output", "out", "--known", "x"], "--known goes with --to issues"),
        (["--to", "issues", "--output", "out", "--known", "bad.json"], "is no plan of issues"),
    ],
)
def test_wrong_use_is_one_line_and_writes_nothing(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS})
    scan("r1")
    Path("bad.json").write_text('{"issues": [1]}')
    assert main(["fleet", "export", "--store", "store", *arguments]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not Path("out").exists()
