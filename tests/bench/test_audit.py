"""The table of what the bench takes from three documents: what it names exists, and what it says holds."""

from __future__ import annotations

import re
import shlex
from functools import cache
from typing import Any

import pytest
from audit_page import ROOT, Row, check_counts, check_files, rows

from fairlint.backends.names import all_known_models
from fairlint.bench.figures.metrics import fair_score
from fairlint.bench.judging.protocols import groups_of
from fairlint.bench.judging.usage import published_usage
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.btm_prompts import BARRED, texts
from fairlint.bench.suites.counterfactual_texts import texts as counterfactual_texts
from fairlint.bench.suites.mitigations import BASELINE, ROUNDS
from fairlint.bench.suites.suite import Selection
from fairlint.cli.bench import COMMAND
from fairlint.cli.bench_agreement import COMMAND as AGREEMENT

PAGE = ROOT / "docs" / "appendix" / "bench-audit.md"
GROUPS = (*COMMAND.groups, *AGREEMENT.groups)
OPTIONS = {name for _, options in GROUPS for option in options for name in option.names}
BUILTINS = {one.__name__: one for one in (all, chr, len, map, set, sum)}
ITEMS = 176
"""Rows of the audit."""


ROWS = rows(PAGE)


@cache
def known() -> dict[str, Any]:
    """What checks may name."""
    function, testcase = suite_of("faircode:function"), suite_of("faircode:testcase")
    cases = testcase.requests(Selection(samples=1))
    models = {one.name for one in all_known_models()}

    def subjects(scenario: str) -> list[str]:
        return list(dict.fromkeys(one.subject for one in cases if one.scenario == scenario))

    return {
        "btm": suite_of("btm"),
        "prompts": dict(texts().prompts),
        "BARRED": BARRED,
        "published_usage": published_usage,
        "function": function,
        "testcase": testcase,
        "cases": cases,
        "subjects": subjects,
        "groups_of": groups_of,
        "fair_score": fair_score,
        "counterfactual": suite_of("counterfactual"),
        "tasks": counterfactual_texts().tasks,
        "prompt_names": [*counterfactual_texts().prompts],
        "BASELINE": BASELINE,
        "ROUNDS": ROUNDS,
        "models": lambda *names: models.issuperset(names),
        "shipped": lambda name: (ROOT / "fairlint" / name).read_text("utf-8"),
    }


def test_every_item_has_one_row_and_the_page_counts_them() -> None:
    check_counts(PAGE, ITEMS, faults="ABCDEFGHIJKLMN")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_a_row_names_exists(row: Row) -> None:
    check_files(row)
    for span in row.spans:
        if span.startswith("fairlint "):
            assert {part for part in shlex.split(span) if part.startswith("--")} <= OPTIONS, span
        elif span.startswith("--"):
            assert span in OPTIONS


HELD = [row for row in ROWS if row.now in {"same", "beyond", "fault"}]


@pytest.mark.parametrize("row", HELD, ids=lambda row: row.name)
def test_what_is_the_same_is_held_by_a_test_or_a_check(row: Row) -> None:
    assert row.tests or row.checks


@pytest.mark.parametrize("row", [row for row in ROWS if row.checks], ids=lambda row: row.name)
def test_checks_hold(row: Row) -> None:
    for check in row.checks:
        assert eval(check, {"__builtins__": BUILTINS, **known()}), check


@pytest.mark.parametrize("row", [row for row in ROWS if row not in HELD], ids=lambda row: row.name)
def test_what_is_not_the_same_says_why(row: Row) -> None:
    assert len(re.findall("[a-z]+", re.sub("`[^`]*`", "", row.shown))) >= 2
