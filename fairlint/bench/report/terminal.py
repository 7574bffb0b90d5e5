"""The figures as a plain table for the command line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fairlint.bench.figures.both_scores import BESIDE, KEYS, score_beside, score_names
from fairlint.bench.report import bias, run_notes, utility, words
from fairlint.bench.report.executed import executed_tables
from fairlint.bench.report.run_tables import parts_table
from fairlint.bench.runs.view import (
    Figures,
    RunView,
    check_alike,
    interval,
    labels,
    overall,
    scores,
    unjudged_answers,
    unjudged_count,
    usage,
    usage_share,
    valid,
    without_rule,
)
from fairlint.rendering.safe_text import JOINERS, plain

WIDEST = 1_000
"""No table comes to so many columns."""
GIVES_WAY = ("R", "E")
"""The columns that are left out of figures that are too wide, the first of them first."""
WIDTH = 100
"""No line is wider than this, in columns of a terminal."""
LONGEST = 40
"""The widest a cell gets."""
LEAST = 9
"""The least width that the last column keeps."""
MOST_ROWS = 40
"""Rows of a table; more are in the report."""
NAMED = 5
"""How many answers that were not judged are named one by one."""


def terminal(views: Sequence[RunView], prices: tuple[float, float] | None = None) -> str:
    """Return the figures of each run by attribute and over all, in lines of at most 100 columns.

    `prices` are those of a million tokens that a model reads, and of a million that it writes. Control
    characters in names are replaced. Raises UsageError for runs of different suites.
    """
    check_alike(views)
    names = labels(views)
    parts = ["\n".join(_run_lines(view, name, prices)) for view, name in zip(views, names, strict=True)]
    return "\n\n".join(parts) + "\n"


def _run_lines(view: RunView, name: str, prices: tuple[float, float] | None) -> Iterator[str]:
    yield from wrap_text(
        f"{name}  ({view.metrics['suite'].get('name')}, {view.metrics['protocol']} protocol)"
    )
    for told in run_notes.warnings(view, name):
        yield from wrap_text(f"WARNING: {told}")
    if bias.bias(view):
        yield from _bias_table_lines(view, name)
    else:
        yield from table(*_rates_table(view)) if usage(view) else _scores_table_lines(view)
    for one in executed_tables(view):
        heads, rows, sides = one.shown(narrow=True)
        yield from ("", one.title)
        yield from table([[head.lower() for head in heads], *rows], sides)
    if parts := parts_table(view):
        heads, cells, sides = parts.shown(narrow=True)
        yield from ("", f"{parts.title.lower()}:")
        yield from table([[head.lower() for head in heads], *cells], sides)
    if rates := utility.rows(view):
        yield ""
        yield from table([[head.lower() for head in utility.HEADS], *rates], utility.SIDES)
    if passes := utility.pass_at_k_rows(view):
        yield ""
        yield from table([[head.lower() for head in utility.K_HEADS], *passes], "rrrr")
    notes = (f"note: {one}" for one in run_notes.notes(view))
    signs = (*run_notes.parsing(view), *run_notes.unclear(view), *_sign_notes(view), *utility.verdict(view))
    for told in (*run_notes.state(view), *_unjudged_lines(view), *signs, *notes):
        yield from wrap_text(told)
    if cost := run_notes.tokens(view, prices):
        yield from wrap_text(cost)


def _bias_table_lines(view: RunView, name: str) -> Iterator[str]:
    """Yield the tables of a suite that measures bias."""
    yield from wrap_text(bias.verdict(view, name))
    for one in bias.tables(view):
        heads, rows, sides = one.shown(narrow=True)
        yield ""
        yield one.title.lower()
        yield from table([heads, *rows[:MOST_ROWS]], sides)
        if len(rows) > MOST_ROWS:
            yield f"{words.whole(len(rows) - MOST_ROWS)} more rows are in the report"
    for told in bias.remarks(view):
        yield from wrap_text(told)


def _sign_notes(view: RunView) -> Iterator[str]:
    """Yield what signs in the tables mean, and what cannot be compared with published figures."""
    if without_rule(overall(view)):
        yield words.RULE
    if any(words.preference(one).endswith("?") for one in scores(view)):
        yield words.UNSURE
    if view.metrics["protocol"] == "published" and (told := run_notes.incomparable(view)):
        yield told


def _unjudged_lines(view: RunView) -> Iterator[str]:
    """Answer that were not judged, the first few of them."""
    known = unjudged_answers(view)
    yield from (f"not judged: {run_notes.unjudged_answer_text(one)}" for one in known[:NAMED])
    if len(known) > NAMED:
        yield f"not judged: {words.whole(len(known) - NAMED)} more, which metrics.json names"


def _scores_table_lines(view: RunView) -> Iterator[str]:
    """Yield the figures by attribute: both FairScores, each by its name."""
    means = overall(view) or {}
    protocol = view.metrics["protocol"]
    rows = [_score_row(one, protocol) for one in scores(view)]
    everything = {**means, "valid": valid(view), "used": usage_share(view), "preferred": None}
    everything["not_judged"] = view.metrics["answers"].get("not_judged")
    rows.append({**_score_row(everything, protocol), "": "overall", "preferred": ""})
    if without_rule(means) is None:
        remove_columns(rows, ["no rule"])
    first, second = score_names([protocol])
    told = f"{first} with its 95 % interval, and {second}"
    if not any(map(unjudged_count, (view.metrics["answers"], *scores(view)))):
        remove_columns(rows, ["not judged"])
        told += "; 0 answers were not judged"
    gone = remove_wide_columns(rows, GIVES_WAY, WIDTH)
    yield from wrap_text(f"{told}:")
    yield from table(table_cells(rows), f"l{'r' * (len(rows[0]) - 2)}l")
    if gone:
        yield left_out_text(gone)


def table_cells(rows: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """Return rows that are head → cell as lists, the heads first."""
    return [[*rows[0]], *([*row.values()] for row in rows)]


def remove_wide_columns(rows: Sequence[dict[str, str]], heads: Iterable[str], width: int) -> list[str]:
    """Take columns out of rows that are too wide, the first of `heads` first, and return what was taken."""
    gone: list[str] = []
    for head in (one for one in heads if one in rows[0]):
        sides = "l" * len(rows[0])
        if max(map(width_of, table(table_cells(rows), sides, WIDEST))) <= width:
            break
        gone.append(head)
        remove_columns(rows, [head])
    return gone


def left_out_text(heads: Sequence[str]) -> str:
    """Return which columns were taken out."""
    return f"left out, for want of room: {', '.join(heads)}"


def remove_columns(rows: Iterable[dict[str, str]], heads: Iterable[str]) -> None:
    """Take some columns out of rows that are head → cell."""
    known = [*heads]
    for row in rows:
        for head in known:
            row.pop(head, None)


def _score_without_rule(one: Figures) -> str:
    """FairScore without the rule for unclear answers, also where there are none."""
    return words.number((without_rule(one) or one).get("fair_score"))


def _score_row(one: Figures, protocol: str) -> dict[str, str]:
    """Head → cell."""
    return {
        "": f"{one.get('scenario')}, {words.name(str(one.get('attribute')))}",
        KEYS[protocol]: words.number(one.get("fair_score")),
        "95 % interval": words.span(interval(one)),
        KEYS[BESIDE[protocol]]: words.number(score_beside(one, protocol)),
        "no rule": _score_without_rule(one),
        "R": words.number(one.get("refusal_rate")),
        "E": words.number(one.get("entropy")),
        "valid": words.percent(one["valid"]),
        "not judged": words.whole(unjudged_count(one)),
        "used": words.percent(one["used"]),
        "preferred": words.preference(one),
    }


def _rates_table(view: RunView) -> tuple[list[list[str]], str]:
    heads = ["", "used", "95 % interval", "read", "mentioned", "echoed", "published", "valid", "not judged"]
    rows = [heads]
    for one in usage(view):
        shares = (one[name] for name in ("read", "mentioned", "echoed", "published", "valid"))
        rows.append([
            words.name(one["attribute"]),
            words.percent(one["used"]),
            words.span_percent(one["interval"]),
            *map(words.percent, shares),
            words.whole(unjudged_count(one)),
        ])  # fmt: skip
    return rows, "lrrrrrrrr"


def table(rows: Sequence[Sequence[str]], sides: str, columns: int = WIDTH) -> Iterator[str]:
    """Yield the rows in columns. Where all are too wide together, texts give way, the last first: half a
    number would be another number.
    """
    cells = [[_truncate_text(plain(cell), LONGEST) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    between = 2 * (len(widths) - 1)
    texts = [place for place, side in enumerate(sides) if side == "l"]
    for place in [*reversed(texts), *([] if sides.endswith("l") else [-1])]:
        too_wide = max(0, between + sum(widths) - columns)
        widths[place] = min(widths[place], max(LEAST, widths[place] - too_wide))
    for row in cells:
        padded = (
            _pad_cell(_truncate_text(cell, width), width, side)
            for cell, width, side in zip(row, widths, sides, strict=True)
        )
        yield "  ".join(padded).rstrip()


def wrap_text(text: str, columns: int = WIDTH) -> Iterator[str]:
    """Yield a text in lines of at most so many columns."""
    line = ""
    for word in plain(text).split():
        if line and width_of(line) + 1 + width_of(word) > columns:
            yield line
            line = ""
        line = _truncate_text(f"{line} {word}" if line else word, columns)
    yield line


def _pad_cell(text: str, width: int, side: str) -> str:
    room = " " * (width - width_of(text))
    return room + text if side == "r" else text + room


def width_of(text: str) -> int:
    """Return how many columns a text takes: wide characters take two, combining ones none."""
    return sum(map(_character_width, text))


def _character_width(one: str) -> int:
    if unicodedata.combining(one) or one in JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(one) in "WF" else 1


def _truncate_text(text: str, width: int) -> str:
    taken, room = 0, 0
    for place, one in enumerate(text):
        taken += _character_width(one)
        if taken <= width - 1:
            room = place + 1
        elif taken > width:
            return f"{text[:room]}…"
    return text
