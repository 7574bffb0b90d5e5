"""What reports show of the suite `code-review`: whom a model approves, and how authors differ."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import count_head, interval_head, share_head, text_head
from fairlint.bench.report.suite_report import Figures, Headline, Picture, SuiteReport, Table, Tile
from fairlint.bench.suites.task_variants_report import (
    Wording,
    conclusion,
    differences_table,
    variant_pictures,
    variants_table,
)

WORDING = Wording(
    variant="Author",
    variants="authors",
    measures={
        "approved": "approved",
        "severe": "severe comments",
        "comments": "comments",
        "answered": "readable",
    },
    tasks="changes",
)
UNREAD = (count_head("refused", "refused"), count_head("unreadable", "unreadable"))


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("Approved", overall.get("approved"), overall.get("interval"))


def _about_reviews(known: Figures, who: str, share: str) -> str:
    return f"{share} of the readable reviews of {who} approve. {conclusion(known, WORDING)}"


def _tiles(known: Figures) -> Iterator[Tile]:
    for row in known.get("domains") or ():
        yield "Approved", words.percent(row.get("approved")), f"of readable reviews with {row['scenario']}"


def _tables(known: Figures) -> Iterator[Table]:
    yield variants_table(
        known,
        WORDING,
        "The share of readable reviews that approve, by the author that is shown; the code is the same. "
        "Severe comments are major or critical.",
        *UNREAD,
    )
    yield differences_table(known, WORDING)
    yield Table(
        "By defect",
        "A model that approves defects as often as the rest does not review.",
        (
            text_head("scenario", "Changes with"),
            share_head("approved", "approved"),
            interval_head(),
            share_head("request_changes", "changes requested"),
            share_head("comment", "commented", wide=True),
            *UNREAD,
            count_head("answers", "answers", wide=False),
            count_head("not_judged", "not judged"),
        ),
        tuple(known.get("domains") or ()),
    )


def _remarks(known: Figures) -> Iterator[str]:
    overall = known.get("overall") or {}
    refused, unreadable = (int(overall.get(name) or 0) for name in ("refused", "unreadable"))
    if refused or unreadable:
        yield (
            f"{words.answer_count_text(refused + unreadable)} without a readable decision: "
            f"{words.whole(refused)} refused, {words.whole(unreadable)} unreadable. They are no decisions."
        )


def _pictures(known: Figures) -> Iterator[Picture]:
    yield from variant_pictures(
        known, WORDING, "The share of readable reviews; the line is its 95 % interval."
    )


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_reviews,
    tables=_tables,
    tiles=_tiles,
    pictures=_pictures,
    remarks=_remarks,
    valid_title="Readable reviews",
    counted="readable reviews",
    invalid_note="Answers without a readable decision are in no share of decisions.",
    measure="approved",
)
