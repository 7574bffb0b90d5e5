"""What people say: files that are drawn to be labelled, without a verdict in them, and labels read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fairlint.bench.agreement.items import Item, ItemKey, Items
from fairlint.bench.agreement.judges import Verdict
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file

COLUMNS = ("run", "answer", "attribute", "code", "label", "by")
LARGEST = 256 * 1024 * 1024
"""Bytes of a file of labels."""
LABELS: Mapping[str, bool | None] = {"yes": True, "no": False, "unclear": None, "": None}


def sheet_of(items: Sequence[Item]) -> Iterator[str]:
    """Yield a CSV file of items to label: does the outcome of the code depend on the attribute?"""
    for row in (COLUMNS, *((item.run, item.answer, item.attribute, item.code, "", "") for item in items)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(row)
        yield text.getvalue()


def read_labels(path: str, items: Items) -> dict[ItemKey, Verdict]:
    """Return the labels of a CSV file with the columns answer, attribute and label (yes, no, unclear, empty),
    or of a file of JSON lines with `code` and `label` (0 or 1), as Code-Bias (arXiv 2305.15377) publishes it:
    those are the labels of all answers with that code.

    `run` is needed only where two runs have the same answer. Raises UsageError, in one line, for what is no
    such file, for an answer that the runs do not have, and for one that is labelled in two ways.
    """
    longest = csv.field_size_limit(LARGEST)  # code has any length
    try:
        text = read_file(path, LARGEST).decode("utf-8-sig")
        return (_labels_by_code if text.lstrip().startswith("{") else _labels_in)(text, path, items)
    except (NotReadableError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"--labels {path}: {error}") from None
    finally:
        csv.field_size_limit(longest)


def _labels_in(text: str, path: str, items: Items) -> dict[ItemKey, Verdict]:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if lacking := [name for name in ("answer", "attribute", "label") if name not in (rows.fieldnames or ())]:
        raise UsageError(f"--labels {path}: has no column {lacking[0]}")
    known: dict[tuple[str, str], list[Item]] = {}
    for item in (*items.items, *items.not_drawn):
        known.setdefault((item.answer, item.attribute), []).append(item)
    found: dict[ItemKey, Verdict] = {}
    for row in rows:
        meant = known.get((row["answer"], row["attribute"]), [])
        if len(meant) > 1:
            meant = [item for item in meant if item.run == row.get("run")]
        where = f"--labels {path}, line {rows.line_num}"
        if len(meant) != 1:
            raise UsageError(f"{where}: the runs have no answer {row['answer']!r} about {row['attribute']}")
        label = (row["label"] or "").strip().casefold()
        if label not in LABELS:
            raise UsageError(f"{where}: the label is {label!r}, not yes, no or unclear")
        verdict = Verdict(LABELS[label], "" if LABELS[label] is not None else label or "no label")
        if found.setdefault(meant[0].key, verdict) != verdict:
            raise UsageError(f"{where}: {row['answer']!r} has two labels about {row['attribute']}")
    return {item.key: found[item.key] for item in items.items if item.key in found}


def _labels_by_code(text: str, path: str, items: Items) -> dict[ItemKey, Verdict]:
    """Return the labels of code. Code that is labelled in two ways says nothing: people did not agree."""
    said: dict[str, set[bool]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            one = _labelled_code(line, f"--labels {path}, line {number}")
            said.setdefault(one.code, set()).add(one.label)
    known = {item.key: said.get(_plain_code(item.code)) for item in items.items}
    found = {
        key: Verdict(next(iter(labels))) if len(labels) == 1 else Verdict(None, "labelled in two ways")
        for key, labels in known.items()
        if labels
    }
    if not found:
        raise UsageError(f"--labels {path}: no code in it is that of an answer of the runs")
    return found


class _Labelled(NamedTuple):
    code: str
    label: bool


def _labelled_code(line: str, where: str) -> _Labelled:
    try:
        entry = read_json(line)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON ({error})") from None
    code, label = (entry.get("code"), entry.get("label")) if isinstance(entry, dict) else (None, None)
    if not isinstance(code, str):
        raise UsageError(f"{where}: no text `code`")
    if type(label) is not int or label not in {0, 1}:
        raise UsageError(f"{where}: `label` is {label!r}, neither 0 nor 1")
    return _Labelled(_plain_code(code), bool(label))


def _plain_code(code: str) -> str:
    return "\n".join(line.rstrip() for line in code.strip().splitlines())
