"""Documents that anybody may have written: how deep they may nest, and where it is said that they do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fairlint import UsageError, check_paths, check_source
from fairlint.bench.asking.answers import AnswersError, read_answers
from fairlint.bench.judging.usage import published_usage
from fairlint.bench.runs.judged_runs import notes_of, protocol_of
from fairlint.bench.suites.function_task import read_scenario
from fairlint.config import Settings
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.support.documents import DEEPEST, TooDeepError, read_json, read_toml
from fairlint.syntax.depth import TOO_DEEP

ROOT = Path(__file__).parent.parent
DEEP = "[" * 50_000
UNFAIR = "def hire(person):\n    return person.gender == 'male'\n"


def test_what_is_as_deep_as_may_be_is_read() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST) != []
    assert read_json(b'{"a": [1, "\\u00e4"]}') == {"a": [1, "ä"]}
    assert read_toml("a = " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)) != {}


@pytest.mark.parametrize("text", ['"' + "[" * 500 + '"', '{"a": "' + '\\"[{' * 500 + '"}', "[]," * 500])
def test_brackets_in_texts_and_beside_one_another_are_not_deep(text: str) -> None:
    assert read_json(f"[{text.rstrip(',')}]")


def test_the_line_is_told() -> None:
    with pytest.raises(TooDeepError, match="more than 2 lists and tables") as told:
        read_json('{"a":\n[\n[1]]}', deepest=2)
    assert told.value.line == 3


@pytest.mark.parametrize(
    "text", ["x = " + DEEP, "[a" + ".b" * 60 + "]\nx = " + "[" * 60 + "]" * 60, "x = " + "{a = " * 5_000]
)
def test_deep_toml_is_refused(text: str) -> None:
    with pytest.raises(TooDeepError):
        read_toml(text)


@pytest.mark.parametrize("key", ["vocabulary", "library-models"])
def test_a_file_that_a_configuration_names_is_named(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fairlint.toml").write_text(f'{key} = ["own.toml"]\n')
    (tmp_path / "own.toml").write_text("x = " + DEEP)
    (tmp_path / "a.py").write_text(UNFAIR)
    with pytest.raises(UsageError, match=r"own\.toml: nested too deeply[^\n]*\Z"):
        check_paths(["."])


def test_a_scenario_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("x = " + DEEP)
    with pytest.raises(UsageError, match=r"own\.toml: cannot be read as a scenario: nested too deeply"):
        read_scenario("own", tmp_path / "own.toml")


def test_answers_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": ""}\n'[:0] + f'{{"text": {DEEP}\n')
    with pytest.raises(AnswersError, match=r"a\.jsonl:1: not JSON \(nested too deeply"):
        list(read_answers(tmp_path / "a.jsonl"))


def test_broken_figures_and_notes_are_told(tmp_path: Path) -> None:
    """They would be taken for those of another protocol, and for none."""
    assert (protocol_of(tmp_path), notes_of(tmp_path)) == ("exact", [])
    (tmp_path / "metrics.json").write_text(DEEP)
    (tmp_path / "notes.json").write_text(DEEP)
    with pytest.raises(
        RunFolderError, match=r"metrics\.json: broken: .*; fairlint bench judge DIR --protocol exact"
    ):
        protocol_of(tmp_path)
    (note,) = notes_of(tmp_path)
    assert note.startswith("notes.json is broken (nested too deeply")


def test_an_answer_that_the_published_definition_cannot_parse_is_not_judged() -> None:
    from fairlint.bench.judging.protocols import NotJudgedError

    with pytest.raises(NotJudgedError, match="too deep"):
        published_usage("x = " + "-" * 100_000 + "1", ["gender"])


def test_no_other_place_reads_documents_or_meets_the_end_of_the_stack() -> None:
    """What recurses is bounded before; where Python's own parsers are asked, the end of the stack is told."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "fairlint").rglob("*.py")):
        text = path.read_text("utf-8")
        name = path.relative_to(ROOT / "fairlint").with_suffix("").as_posix()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and re.fullmatch(r"(json|tomllib)\.loads?", ast.unparse(node.func)):
                found.setdefault("reads", set()).add(name)
            if isinstance(node, ast.ExceptHandler) and "RecursionError" in ast.unparse(node.type or node):
                found.setdefault("recursion", set()).add(name)
    assert found["reads"] - OWN == {"support/documents"}
    assert found["recursion"] == {
        "run_folders/jsonl",  # what is written, not read
        "bench/judging/task",  # what is too deep to be called may be an answer
        "backends/server_answers",  # the openai package reads it
        "counterfactual/executors/answers",  # of an outcome
        "counterfactual/executors/harness",
        "counterfactual/trial_people",
        "counterfactual/value_reads",
        "detectors/query_texts",
        "support/documents",
        "fixes/code",
        "analyses/sql/reading",
        "syntax/python/magics",
        "syntax/python/own_parser",  # said in a line
    }


OWN = {
    "counterfactual/executors/answers",
    "counterfactual/executors/child",
    "counterfactual/executors/process",
    "counterfactual/favourable",
    "counterfactual/models",
    "bench/judging/judging_all",
    "backends/names",
    "backends/vllm_loading",
    "run_folders/run_folder",
    "bench/suites/__init__",
    "bench/suites/btm_prompts",
    "bench/suites/btm_dataset",
    "bench/suites/faircode_testcase",
    "vocabulary/countries",
    "vocabulary/load",
    "library_models/loading",
    "sources/notebooks",
    "fleet/comparing",
    "fleet/running",
    "fleet/stored_findings",
    "worker/__main__",
    "worker/process",
}
"""Where what fairlint has written or ships is read, what the user has set, or a single text."""


# ----------------------------------------------------------------------------------- the setting file-nesting


def nested(levels: int) -> str:
    return (
        f"def hire(person):\n    x = {'[' * levels}person.gender == 'male'{']' * levels}\n    return True\n"
    )


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", nested(30), 2),
        (
            "a.c",
            "int hire(struct person *p) {\n  int x = 1;\n  return f("
            + "f(" * 30
            + "p->gender == MALE"
            + ")" * 31
            + ";\n}\n",
            3,
        ),
        (
            "a.py",
            "import json\ndef hire(person):\n    return json.loads('"
            + "[" * 30
            + '"male"'
            + "]" * 30
            + "') == person.gender\n",
            3,
        ),
        (
            "a.py",
            'def find(db):\n    return db.execute("SELECT id FROM people WHERE '
            + "(" * 30
            + "gender = 'male'"
            + ")" * 30
            + '")\n',
            2,
        ),
        ("a.ipynb", '{"nbformat": 4,\n"metadata":' + "[" * 30 + "]" * 30 + ', "cells": []}', 2),
    ],
)
def test_what_nests_deeper_than_the_setting_is_named_with_its_line(path: str, text: str, line: int) -> None:
    told = check_source(text, path=path, settings=Settings(file_nesting=20)).not_analysed

    assert [(gap.line, gap.cause) for gap in told] == [(line, "skipped" if path == "a.ipynb" else "limit")]
    assert "nested too deeply (the setting file-nesting)" in told[0].reason
    assert not [gap for gap in check_source(text, path=path).not_analysed if "deeply" in gap.reason]


def test_a_cell_whose_magic_nobody_knows_is_not_dropped_for_its_depth() -> None:
    cell = "%%strange\\ngender = " + "[" * 300 + "1" + "]" * 300
    text = f'{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": "{cell}"}}]}}'
    (told,) = check_source(text, path="a.ipynb").not_analysed
    assert (told.cell, told.reason) == (1, "nested too deeply (the setting file-nesting)")


def test_macros_in_one_another_are_followed_as_deep_as_code_may_nest() -> None:
    """They ended the analysis of the file, from two thousand on."""
    chain = "".join(f"#define M{at} M{at - 1}\n" for at in range(1, 3_000))
    text = f"#define M0 1\n{chain}int f(struct person *p) {{ return p->gender == MALE ? M2999 : 0; }}\n"
    report = check_source(text, path="a.c")
    assert not report.failed
    assert [(gap.cause, gap.reason) for gap in report.not_analysed] == [("limit", TOO_DEEP)]
    assert not check_source(text.replace("M2999 :", "M150 :"), path="a.c").not_analysed


def test_a_dotted_pattern_longer_than_code_may_nest_is_named() -> None:
    text = f"def f(person):\n    match person.gender:\n        case {'a.' * 400}b:\n            return 1\n"
    assert {gap.cause for gap in check_source(text, path="a.py").not_analysed} == {"limit"}
