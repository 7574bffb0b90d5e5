"""What differs between two dumps of ecosystem.py, grouped by rule and cause, and told as text."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ecosystem_rows import read_rows
from ecosystem_targets import Row

IGNORED = frozenset({"source"})
"""What is only there to be shown."""
FOLLOWING = frozenset({"message", "fingerprint", "advice"})
"""What changes with the other fields; a cause only where nothing else changed."""
CAUSES = {
    "row": "told",
    "rule": "rule",
    "attribute": "attribute",
    "kind": "kind",
    "effect": "effect",
    "severity": "severity",
    "confidence": "confidence",
    "points": "points",
    "groups": "groups",
    "outcomes": "groups",
    "joined": "groups",
    "leaves_out": "groups",
    "path": "span",
    "cell": "span",
    "line": "span",
    "column": "span",
    "end": "span",
    "reason": "reason",
    "evidence": "evidence",
    "flow": "flow",
}
"""Field -> what it is called as a cause, in the order in which causes are named; others by their own name."""


HELD = "-held"
"""How the names of targets end that nobody looks at who changes fairlint."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row that differs. `before` is None where it is new, `after` where it vanished."""

    target: str
    before: Row | None
    after: Row | None
    fields: frozenset[str] = frozenset()

    @property
    def row(self) -> Row:
        """The row as it is now, or as it was."""
        row = self.after or self.before
        assert row is not None
        return row

    @property
    def rule(self) -> str:
        """The rule, and both where it changed."""
        names = [_name_of(row) for row in (self.before, self.after) if row is not None]
        return " → ".join(dict.fromkeys(names))

    @property
    def cause(self) -> str:
        """New, vanished, or the fields that differ."""
        if self.before is None or self.after is None:
            return "new" if self.before is None else "vanished"
        fields = self.fields - FOLLOWING or self.fields
        if {"row", "rule"} & fields:
            fields = frozenset({"rule"})
        known = list(CAUSES)
        ordered = sorted(fields, key=lambda name: (known.index(name) if name in CAUSES else len(known), name))
        causes = dict.fromkeys(CAUSES.get(name, name) for name in ordered)
        return " + ".join(causes) if len(causes) > 1 else f"only {next(iter(causes))}"

    @property
    def is_held(self) -> bool:
        """Whether it is in code that is kept for measuring."""
        return self.target.endswith(HELD)

    @property
    def place(self) -> str:
        """Where it is."""
        cell = "" if self.row["cell"] is None else f"cell {self.row['cell']}:"
        return f"{self.target}: {self.row['path']}:{cell}{self.row['line']}"


def _name_of(row: Row) -> str:
    return row["rule"] if row["row"] == "finding" else f"({row['row']})"


@dataclass(slots=True)
class Comparison:
    """Two dumps beside each other."""

    targets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Target -> how many rows it had and has."""
    changes: list[Change] = field(default_factory=list)

    def groups(self) -> dict[tuple[str, str], list[Change]]:
        """Rule and cause -> the changes, the largest groups of a rule first."""
        groups: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for change in self.changes:
            groups[change.rule, change.cause].append(change)
        return dict(sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])))


def _by_all(row: Row) -> object:
    return (
        row["row"],
        row["path"],
        row["cell"],
        row["line"],
        *map(row.get, ("rule", "kind", "attribute", "via")),
    )


def _by_place(row: Row) -> object:
    return (row["path"], row["cell"], row["line"], *map(row.get, ("attribute", "via")), _is_code(row))


def _by_text(row: Row) -> object:
    names = ("rule", "kind", "attribute", "condition", "reason", "via")
    return (row["row"], row["path"], row["cell"], *map(row.get, names))


def _by_rule(row: Row) -> object:
    return (row["row"], row["path"], row["cell"], row["line"], *map(row.get, ("rule", "kind", "via")))


def _is_code(row: Row) -> bool:
    return row["row"] in ("finding", "use")


WAYS: tuple[Callable[[Row], object], ...] = (_by_all, _by_place, _by_text, _by_rule)
"""How a row is found again, from the surest way on: the same place, rule and attribute; another rule at the
place; another line; another attribute."""


def compare_rows(target: str, before: Iterable[Row], after: Iterable[Row]) -> Iterator[Change]:
    """What differs between two dumps of one target."""
    old, new = _without_equal(list(before), list(after))
    for way in WAYS:
        if not (old and new):
            break
        pairs, old, new = _paired(old, new, way)
        for one, other in pairs:
            yield Change(target, one, other, _differing(one, other))
    yield from (Change(target, row, None) for row in old)
    yield from (Change(target, None, row) for row in new)


def _identity(row: Row) -> str:
    return json.dumps({key: row[key] for key in row if key not in IGNORED}, sort_keys=True)


def _without_equal(old: list[Row], new: list[Row]) -> tuple[list[Row], list[Row]]:
    both = Counter(map(_identity, old)) & Counter(map(_identity, new))
    return _less(old, Counter(both)), _less(new, Counter(both))


def _less(rows: list[Row], equal: Counter[str]) -> list[Row]:
    rest = []
    for row in rows:
        identity = _identity(row)
        if equal[identity]:
            equal[identity] -= 1
        else:
            rest.append(row)
    return rest


def _paired(
    old: list[Row], new: list[Row], way: Callable[[Row], object]
) -> tuple[list[tuple[Row, Row]], list[Row], list[Row]]:
    """Rows that belong together, the likest first, and what is left of both."""
    candidates: dict[object, list[int]] = defaultdict(list)
    for place, row in enumerate(new):
        candidates[way(row)].append(place)
    possible = sorted(
        (len(_differing(row, new[there])), here, there)
        for here, row in enumerate(old)
        for there in candidates.get(way(row), ())
    )
    here_taken: set[int] = set()
    there_taken: set[int] = set()
    pairs = []
    for _, here, there in possible:
        if here not in here_taken and there not in there_taken:
            here_taken.add(here)
            there_taken.add(there)
            pairs.append((old[here], new[there]))
    return (
        pairs,
        [row for place, row in enumerate(old) if place not in here_taken],
        [row for place, row in enumerate(new) if place not in there_taken],
    )


def _differing(one: Row, other: Row) -> frozenset[str]:
    names = (one.keys() | other.keys()) - IGNORED
    return frozenset(name for name in names if one.get(name) != other.get(name))


def compare(pairs: Iterable[tuple[str, Path, Path]]) -> Comparison:
    """Dumps of the same targets beside each other."""
    result = Comparison()
    for target, before, after in pairs:
        old, new = read_rows(before), read_rows(after)
        result.targets[target] = (len(old), len(new))
        result.changes += compare_rows(target, old, new)
    result.changes.sort(
        key=lambda change: (change.target, change.row["path"], change.row["cell"] or 0, change.row["line"])
    )
    return result


def wanted(selector: str, rule: str, cause: str) -> bool:
    """Whether a group is meant by `all`, `RULE`, `RULE:CAUSE` or `:CAUSE`; a part of a cause will do."""
    if selector == "all":
        return True
    left, _, right = selector.partition(":")
    return left in ("", *rule.split(" → ")) and (not right or right in cause.split(" + ") or right in cause)


def report_lines(
    comparison: Comparison,
    names: tuple[str, str],
    shown: Sequence[str],
    *,
    markdown: bool,
    show_held: bool = False,
) -> Iterator[str]:
    """The comparison as text. Rows of a held target are counted, and shown if that is asked for only."""
    kinds = Counter(
        change.cause if change.cause in ("new", "vanished") else "changed" for change in comparison.changes
    )
    rows = [sum(counts[side] for counts in comparison.targets.values()) for side in (0, 1)]
    code = "`" if markdown else ""
    yield f"{code}{names[0]}{code} → {code}{names[1]}{code}"
    yield (
        f"{rows[0]} rows before, {rows[1]} after, in {len(comparison.targets)} targets: "
        f"{kinds['new']} new, {kinds['vanished']} vanished, {kinds['changed']} changed."
    )
    if not comparison.changes:
        return
    by_target: dict[str, Counter[str]] = defaultdict(Counter)
    for change in comparison.changes:
        kind = change.cause if change.cause in ("new", "vanished") else "changed"
        by_target[change.target][kind] += 1
    yield ""
    yield from _table(
        ("target", "before", "after", "new", "vanished", "changed"),
        [
            (
                name,
                *comparison.targets[name],
                *(by_target[name][kind] for kind in ("new", "vanished", "changed")),
            )
            for name in comparison.targets
            if name in by_target
        ],
        markdown=markdown,
    )
    groups = comparison.groups()
    yield ""
    yield from _table(
        ("rule", "cause", "rows"),
        [(*group, len(changes)) for group, changes in groups.items()],
        markdown=markdown,
    )
    for (rule, cause), changes in groups.items():
        open_ones = [change for change in changes if show_held or not change.is_held]
        if open_ones and any(wanted(selector, rule, cause) for selector in shown):
            yield from _group_lines(f"{rule}, {cause} ({len(changes)})", open_ones, markdown=markdown)


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]], *, markdown: bool) -> Iterator[str]:
    cells = [list(map(str, row)) for row in (heads, *rows)]
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        yield from (lines[0], "|" + "---|" * len(heads), *lines[1:])
        return
    widths = [max(len(row[place]) for row in cells) for place in range(len(heads))]
    for row in cells:
        padded = (
            cell.rjust(width) if cell.isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded).rstrip()


def _group_lines(title: str, changes: Sequence[Change], *, markdown: bool) -> Iterator[str]:
    yield ""
    if markdown:
        yield from (f"<details><summary>{title}</summary>", "", "```diff")
    else:
        yield title
    for change in changes:
        yield from _change_lines(change)
    if markdown:
        yield from ("```", "", "</details>")


def _change_lines(change: Change) -> Iterator[str]:
    sign = "+" if change.before is None else "-" if change.after is None else "!"
    yield f"{sign} {change.place}  {_told(change.row)}"
    if change.row.get("source"):
        yield f"      | {change.row['source']}"
    if change.before is None or change.after is None:
        return
    for name in sorted(change.fields):
        before, after = change.before.get(name), change.after.get(name)
        if isinstance(before, list) and isinstance(after, list) and before and after:
            lost = [item for item in before if item not in after]
            got = [item for item in after if item not in before]
            if lost or got:
                yield from (f"      {name} - {_short(item)}" for item in lost)
                yield from (f"      {name} + {_short(item)}" for item in got)
                continue
        yield f"      {name}: {_short(before)} → {_short(after)}"


def _told(row: Row) -> str:
    if row["row"] == "finding":
        return f"{row['rule']} {row['severity']} {row['attribute']}: {row['message']}"
    if row["row"] == "use":
        return f"(use) {row['attribute']} {row['kind']}, {row['effect']}: {row['condition']}"
    return f"({row['row']}) {row.get('reason') or row.get('record')}"


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
