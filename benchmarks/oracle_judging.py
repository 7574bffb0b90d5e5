"""What fairlint says of a program against what was measured: the judge is the execution.

A *report* is a finding of any severity that says of the attribute that it decides, scores or teaches a model.
A mere read (FL104), a default, a code of groups and what is only shown are no report.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oracle_grammar import NAMES, Key, Program
from oracle_running import CRASH, Came, Measured

import fairlint
from fairlint.config import Settings

SETTINGS = Settings(min_severity="note", file_timeout=0)
DECIDING = frozenset({"decide", "score", "learn"})
KINDS = ("wrong direction", "wrong amount", "false", "missed", "no amount")
"""How they disagree, worst first. The last is no fault: a difference is told, and no amount."""
CLOSE = 1e-6
BANDS = {"young": (18, 29), "middle": (30, 49), "elder": (65, 90)}
"""Ages that lie in the bands for all that they are called."""
RANGE = re.compile(
    r"under (?P<below>\d+)|(?P<low>\d+)–(?P<high>\d+)|(?P<over>\d+) and over|exactly (?P<only>\d+)"
)
NUMBERS = Mapping[Key, float]


@dataclass(frozen=True)
class Verdict:
    """How what is said and what was measured go together; no kind where they agree."""

    kind: str
    told: tuple[str, ...]
    """What fairlint says, in its words."""
    measured: str


def judged(program: Program, measured: Measured, report: fairlint.Report) -> Verdict:
    """The worst disagreement between a report and the execution."""
    claims = [
        one
        for one in report.findings
        if one.use.effect in DECIDING and one.use.kind not in {"read", "suppression"}
    ]
    told = tuple(f"{one.rule} {one.severity} {one.message}" for one in report.findings)
    crashed = any(came.text == CRASH for world in measured.values() for came in world.values())
    if crashed:
        measured = {
            number: {key: came for key, came in world.items() if came.text != CRASH}
            for number, world in measured.items()
        }
    names = NAMES.get(program.attribute, {program.attribute})
    about = [one for one in claims if not names.isdisjoint(one.use.attributes)]
    differs = any(len({came.text for came in world.values()}) > 1 for world in measured.values())
    kind = ""
    if not differs:
        # that a table has no entry for somebody may be told, and need not be
        kind = "false" if claims and not crashed else ""
    elif not about:
        kind = "missed"
    elif len(about) < len(claims):
        kind = "false"
    else:
        kind = _amounts(program, measured, [one.use for one in about])
    return Verdict(kind, told, shown(measured))


def check(program: Program) -> fairlint.Report:
    """What fairlint says of a program, in this process: it is read and never run."""
    path = "program.py" if program.spec.language == "python" else "program.c"
    return fairlint.check_source(program.text, path=path, settings=SETTINGS)


def shown(measured: Measured) -> str:
    """What was measured, neighbours with the same outcome together."""
    worlds = []
    for world in measured.values():
        runs: list[tuple[list[Key], Came]] = []
        for key, came in world.items():
            if runs and runs[-1][1].text == came.text:
                runs[-1][0].append(key)
            else:
                runs.append(([key], came))
        worlds.append(
            ", ".join(
                f"{keys[0]}{f'..{keys[-1]}' if len(keys) > 1 else ''}: "
                f"{came.number if came.number is not None else came.text}"
                for keys, came in runs
            )
        )
    return " | ".join(dict.fromkeys(worlds))


# ---------------------------------------------------------------------------------------------- amounts


def _amounts(program: Program, measured: Measured, uses: Sequence[fairlint.Use]) -> str:
    """How the amounts and values that are told disagree with what was measured."""
    if not program.numeric:
        wrong = {_values(program, measured, use) for use in uses}
        return next((kind for kind in KINDS if kind in wrong), "")
    numbers = [
        {key: float(came.number) for key, came in world.items() if came.number is not None}
        for world in measured.values()
    ]
    tables = [use.points for use in uses if use.points is not None]
    if not tables:
        return "no amount"
    if len(tables) > 1 and {table.op for table in tables} == {"add"}:
        # several updates of one score: their sum is what is measured
        stated = [_stated(program, table, numbers) for table in tables]
        total = {
            key: sum(one[key] for one in stated) for key in stated[0] if all(key in one for one in stated)
        }
        if not _differ("add", total, numbers):
            return ""
    wrong = {_differ_in(table, _stated(program, table, numbers), numbers) for table in tables}
    return next((kind for kind in KINDS if kind in wrong), "")


def _stated(program: Program, table: fairlint.GroupPoints, worlds: Sequence[NUMBERS]) -> dict[Key, float]:
    """What each of the people is said to get, as far as anything is said."""
    found: dict[Key, float] = {}
    named = {program.aliases.get(name, name): amount for name, amount in table.by_group.items()}
    other = table.other if all(name in worlds[0] or name not in program.aliases for name in named) else None
    usual = {name: _usual(worlds, name) for name in BANDS}
    for key in worlds[0]:
        if isinstance(key, int):
            name = next((name for name in table.by_group if _holds(name, key)), "")
            amount = table.by_group.get(name) if key in usual.get(name, [key]) else None
        else:
            amount = named.get(key, other)
        if amount is not None:
            found[key] = amount
    return found


def _usual(worlds: Sequence[NUMBERS], band: str) -> list[int]:
    """The ages of a band for which the same is measured as for most of its ages: these are told."""
    ages = [key for key in worlds[0] if isinstance(key, int) and _holds(band, key)]
    got = {age: tuple(world[age] for world in worlds) for age in ages}
    most = Counter(got.values()).most_common(1)
    return [age for age in ages if got[age] == most[0][0]]


def _holds(name: str, age: int) -> bool:
    """Whether an age is in a range or a band by its name."""
    if name in BANDS:
        return BANDS[name][0] <= age <= BANDS[name][1]
    found = RANGE.fullmatch(name)
    if found is None:
        return False
    limits = {word: int(number) for word, number in found.groupdict().items() if number is not None}
    low = limits.get("low", limits.get("over", limits.get("only", 0)))
    high = limits.get("high", limits.get("only", limits.get("below", 1000) - ("below" in limits)))
    return low <= age <= high


def _differ_in(table: fairlint.GroupPoints, stated: NUMBERS, worlds: Sequence[NUMBERS]) -> str:
    """Whether a table is wrong. What is told as an instance has to hold for somebody of each group."""
    if not table.at_most:
        return _differ(table.op, stated, worlds)
    wrong = [
        ""
        if _reached(stated, one, other, worlds)
        else _differ(table.op, {key: stated[key] for key in (one, other)}, worlds)
        for one in stated
        for other in stated
        if stated[one] > stated[other]
    ]
    return "" if "" in wrong or not wrong else max(wrong, key=lambda kind: -KINDS.index(kind))


def _reached(stated: NUMBERS, high: Key, low: Key, worlds: Sequence[NUMBERS]) -> bool:
    """Whether two are as far apart as is said at most, and in that direction."""
    most = stated[high] - stated[low] + CLOSE
    return any(0 < world[high] - world[low] <= most for world in worlds if high in world and low in world)


def _differ(op: str, stated: NUMBERS, worlds: Sequence[NUMBERS]) -> str:
    """Whether amounts are wrong: they have to be what is measured in the world in which most differs."""
    worlds = [world for world in worlds if all(key in world for key in stated)]
    if len(set(stated.values())) < 2 or not worlds:
        return ""
    fits = [_fits(op, stated, world) for world in worlds]
    widest = max(_width(world, stated) for world in worlds)
    if any(fit and _width(world, stated) > widest - CLOSE for fit, world in zip(fits, worlds, strict=True)):
        return ""
    for high in stated:
        for low in stated:
            if stated[high] > stated[low] and (
                {world[high] > world[low] for world in worlds if world[high] != world[low]} == {False}
            ):
                return "wrong direction"
    return "wrong amount"


def _width(world: NUMBERS, keys: Mapping[Key, float]) -> float:
    values = [world[key] for key in keys]
    return max(values) - min(values)


def _fits(op: str, stated: NUMBERS, world: NUMBERS) -> bool:
    if op == "multiply":
        if any(stated[key] == 0 for key in stated):
            return all((stated[key] == 0) == (world[key] == 0) for key in stated)
        parts = [world[key] / stated[key] for key in stated]
    elif op == "set" and all(stated[key] for key in stated) and _fits("multiply", stated, world):
        return True  # what is set is a factor elsewhere
    else:
        parts = [world[key] - stated[key] for key in stated]
    return max(parts) - min(parts) <= CLOSE * max(1.0, *map(abs, parts))


# ----------------------------------------------------------------------------------------------- values


def _values(program: Program, measured: Measured, use: fairlint.Use) -> str:
    """Whether what a group is said to be handed is what it is handed, and not the same as another's."""
    if use.function.rpartition(".")[2] != program.entry:
        return ""  # what another function hands back is not what was measured
    worlds = list(measured.values())
    said = {program.aliases.get(group, group): text for group, text in use.outcomes.items()}
    said = {group: text for group, text in said.items() if group in worlds[0]}
    if any(
        said[one] == said[other] and all(world[one].text != world[other].text for world in worlds)
        for one in said
        for other in said
    ):
        return "wrong amount"
    known = {group: value for group, text in said.items() if (value := _returned(text)) is not None}
    if len(set(known.values())) < 2:
        return ""
    if any(all(world[group].value == value for group, value in known.items()) for world in worlds):
        return ""
    swapped = all(world[group].value in known.values() for world in worlds for group in known)
    differing = [world for world in worlds if len({came.value for came in world.values()}) > 1]
    if swapped and all(world[group].value != value for world in differing for group, value in known.items()):
        return "wrong direction"
    return "wrong amount"


def _returned(text: str) -> str | None:
    """The text or truth value that `verdict = "rejected"; return verdict` hands back, in Python's words."""
    names: dict[str, str] = {}
    for part in text.split("; "):
        if found := re.fullmatch(r"(\w+) = (.+)", part):
            names[found[1]] = found[2]
        elif part.startswith("return "):
            handed = part.removeprefix("return ")
            try:
                value = ast.literal_eval(names.get(handed, handed))
            except (ValueError, SyntaxError):
                return None
            return repr(value) if isinstance(value, str | bool) else None
    return None
