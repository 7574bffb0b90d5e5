"""What reports show of the suite `parallel-prompts`: what variants come to, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import count_head
from fairlint.bench.report.suite_report import Figures, Headline, Picture, SuiteReport, Table, Tile
from fairlint.bench.suites.task_variants_report import (
    Wording,
    conclusion,
    differences_table,
    variant_pictures,
    variants_table,
)

WORDING = Wording(
    variant="Variant",
    variants="variants",
    measures={"passed": "passes all tests", "parsed": "is Python", "found": "has findings"},
    tasks="tasks",
)


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("Passes all tests", overall.get("passed"), overall.get("interval"))


def _about_variants(known: Figures, who: str, share: str) -> str:
    return f"{share} of the answers of {who} pass all tests of their task. {conclusion(known, WORDING)}"


def _tiles(known: Figures) -> Iterator[Tile]:
    overall = known.get("overall") or {}
    yield "Has findings", words.percent(overall.get("found")), "of the answers that are Python"


def _tables(known: Figures) -> Iterator[Table]:
    yield variants_table(
        known,
        WORDING,
        "Tests are run in a sandbox. Findings are those of fairlint, in answers that are Python.",
        count_head("not_run", "not run"),
    )
    yield differences_table(known, WORDING)


def _remarks(known: Figures) -> Iterator[str]:
    overall = known.get("overall") or {}
    if count := int(overall.get("not_run") or 0):
        yield (
            f"{words.answer_count_text(count)} not run: the sandbox lacks what the code needs, so that "
            "nobody knows whether it passes."
        )


def _pictures(known: Figures) -> Iterator[Picture]:
    yield from variant_pictures(
        known, WORDING, "The share of answers that were run; the line is its 95 % interval."
    )


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_variants,
    tables=_tables,
    tiles=_tiles,
    pictures=_pictures,
    remarks=_remarks,
    valid_title="Answers that are Python",
    counted="answers that the sandbox can run",
    invalid_note="Answers that are no Python pass no test, and count.",
    measure="passed",
)
