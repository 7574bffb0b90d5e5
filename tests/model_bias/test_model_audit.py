"""The table of what `fairlint model` takes from two documents: what it names exists, what it says holds."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from typing import Any

import pytest
import torch
from audit_page import ROOT, Row, check_counts, check_files, rows
from random_models import tiny
from word_tokenizer import word_tokenizer

from fairlint.backends.names import resolve
from fairlint.cli.model import SUBCOMMANDS
from fairlint.cli.model_locate import _result_lines
from fairlint.model_bias.distribution import measuring, targets
from fairlint.model_bias.distribution.questions import Group, Questions, Template
from fairlint.model_bias.distribution.shares import LEAST
from fairlint.model_bias.distribution.splits import Splits
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.distribution.team import Team
from fairlint.model_bias.distribution.training import Lesson, Settings, _Run
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.probing import PENALTY

PAGE = ROOT / "docs" / "appendix" / "model-audit.md"
ROWS = rows(PAGE)
ITEMS = 97
"""Rows of the audit."""
OPTIONS = {
    command: {
        name
        for _, options in import_module(module).COMMAND.groups
        for option in options
        for name in option.names
    }
    for command, module in SUBCOMMANDS.items()
}
KNOWN: dict[str, Any] = {"LEAST": LEAST, "PENALTY": PENALTY, "resolve": resolve}
"""What checks may name."""


def test_every_item_has_one_row_and_the_page_counts_them() -> None:
    check_counts(PAGE, ITEMS, faults="ABCDEFGHIJK")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_a_row_names_exists(row: Row) -> None:
    check_files(row)
    for span in row.spans:
        if span.startswith("fairlint "):
            _, _, command, *words = shlex.split(span)
            assert {word for word in words if word.startswith("--")} <= OPTIONS[command], span


HELD = [row for row in ROWS if row.now in {"same", "beyond", "fault"}]


@pytest.mark.parametrize("row", HELD, ids=lambda row: row.name)
def test_what_is_the_same_is_held_by_a_test_or_a_check(row: Row) -> None:
    assert row.tests or row.checks


@pytest.mark.parametrize("row", [row for row in ROWS if row.checks], ids=lambda row: row.name)
def test_checks_hold(row: Row) -> None:
    for check in row.checks:
        assert eval(check, {"__builtins__": {}, **KNOWN}), check


@pytest.mark.parametrize("row", [row for row in ROWS if row not in HELD], ids=lambda row: row.name)
def test_what_is_not_the_same_says_why(row: Row) -> None:
    assert len(re.findall("[a-z]+", re.sub("`[^`]*`", "", row.shown))) >= 2


# ------------------------------------------------------------------------------ what no other test is about


def test_a_model_with_few_heads_is_not_told_to_share_all_of_them() -> None:
    shared = {"value": 16.0, "low": 16.0, "high": 16.0}
    told: dict[str, Any] = {
        "definitions": {"effect": ""},
        "skipped": [],
        "figures": {
            "data": {},
            "overlap": {"a, b": {"by_chance": 16.0, "top": 16, "shared": shared, "heads": ["0.0"]}},
        },
    }
    assert not any("foremost heads are the same" in line for line in _result_lines(told))
    told["figures"]["overlap"]["a, b"]["by_chance"] = 1.5
    assert any("foremost heads are the same" in line for line in _result_lines(told))


def test_kl_by_groups_is_batchmean_of_vectors() -> None:
    jobs, shares = ("nurse", "judge"), ((0.3, 0.7), (0.6, 0.4))
    target = Target("ours", "here", {"nurse": (0.1, 0.9), "judge": (0.5, 0.5)})
    told = measuring.figures(shares, jobs, target, dict.fromkeys(jobs, "all"))["published"]
    terms = [
        torch.nn.functional.kl_div(
            torch.tensor(row).log(), torch.tensor(target.shares[job]), reduction="batchmean"
        )
        for job, row in zip(jobs, shares, strict=True)
    ]
    assert told == pytest.approx(float(sum(terms) / len(terms)), abs=1e-6)


def test_batches_are_of_one_kind_and_hold_each_profession_once() -> None:
    jobs = tuple(f"job{number}" for number in range(13))
    kinds = {job: ("male", "female", "balanced")[number % 3] for number, job in enumerate(jobs)}
    words = Group("male", ("he",)), Group("female", ("she",))
    questions = Questions(words, jobs, (Template("{person} is a {profession}.", "train"),), "here")
    tokenizer = word_tokenizer(["he", "she", "is", "a", *jobs])
    loaded = Loaded("tiny", "1", tiny("llama"), tokenizer, masked=False, batch_size=0)
    lesson = Lesson(questions, targets.load("equal", questions), Splits(jobs, (), ()), kinds, ())
    run = _Run(loaded, lesson, Settings(adapter=None, batch=3), Team())
    batches = list(run.batches())
    assert all({kinds[job] for job in some} == {kind} and len(some) <= 3 for kind, some in batches)
    assert sorted(job for _, some in batches for job in some) == sorted(jobs)
    assert [some for _, some in run.batches()] != [some for _, some in batches]
