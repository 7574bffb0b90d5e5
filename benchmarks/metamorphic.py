"""Whether findings stay as they are under changes of a program that cannot change what comes of it.

    python benchmarks/metamorphic.py [--programs N] [--seed N] [--only NAME ...] [--show N] [--jobs N]

Programs are the fixtures and the examples of the rules' pages. Each is changed in a way at random: a module
that nothing uses is imported, another function stands beside it, an `if` has its halves swapped. What is told
of the changed program, notes included, has to be what was told of the program itself: the same rules,
attributes, groups, points, outcomes and severities, at the lines where the code is now.
A finding that is *lost*, *new*, or told with another *severity* or other *points* counts, unless
`metamorphic.toml` knows it with a reason. Exit status: 1 where one counts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import metamorphic_c  # noqa: E402
import metamorphic_python  # noqa: E402
from expectations import read_code, read_page  # noqa: E402
from metamorphic_edits import Change, Changed, NotHereError, Program  # noqa: E402
from metamorphic_words import KNOWN  # noqa: E402

from fairlint import check_paths, check_source  # noqa: E402
from fairlint.config import Settings  # noqa: E402
from fairlint.findings.finding import Finding  # noqa: E402

SETTINGS = Settings(min_severity="note")
CHANGES: Mapping[str, Change] = {
    **metamorphic_python.CHANGES,
    **{f"C: {name}": change for name, change in metamorphic_c.CHANGES.items()},
}
KINDS = ("lost", "new", "severity", "points")
TRIES = 20
"""Programs that are tried at most for one that a change fits, each time."""

_PLACE = re.compile(r"@\d+")
"""An offset by which the evaluator tells one unknown from another."""

Key = tuple[str, str, int | None]
"""Rule, attribute, and the line, or None where nobody can say it."""
Told = tuple[str, str]
"""Severity; groups, points and outcomes."""


@dataclass(slots=True)
class Tally:
    """What became of the findings under one change."""

    programs: int = 0
    findings: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    known: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Counts what another process met."""
        self.programs += other.programs
        self.findings += other.findings
        self.changed += other.changed
        self.known += other.known
        self.examples += other.examples


@lru_cache(maxsize=1)
def programs() -> tuple[Program, ...]:
    """The fixtures and the examples of the rules' pages."""
    found = []
    for folder in ("fixtures/python", "fixtures/c"):
        for path in sorted((ROOT / folder).glob("*.*")):
            code = read_code(path.read_text(encoding="utf-8")).code
            found.append(Program(path.name, path.name, code.encode()))
    for page in sorted((ROOT / "rules").glob("*.md")):
        blocks = read_page(page.read_text(encoding="utf-8"), page.stem)
        found.extend(Program(block.id, block.path, block.code.encode()) for block in blocks)
    return tuple(found)


def checked(files: Mapping[str, bytes]) -> list[Finding]:
    """What is told of some files that belong together, notes included."""
    if len(files) == 1:
        ((path, data),) = files.items()
        return list(check_source(data, path=path, settings=SETTINGS).findings)
    with tempfile.TemporaryDirectory() as folder:
        for path, data in files.items():
            (Path(folder) / path).write_bytes(data)
        return list(check_paths([folder], settings=SETTINGS).findings)


@cache
def told_of(program: Program) -> tuple[Finding, ...]:
    """What is told of a program as it is."""
    return tuple(checked({program.path: program.data}))


def differences(
    before: Sequence[Finding], after: Sequence[Finding], changed: Changed
) -> list[tuple[str, str]]:
    """What is told otherwise: of which kind, and the finding in short."""
    moved = {one.start.line: changed.line_of(one.start.line) for one in before}
    blind = None in moved.values()
    old = _by_key(((one, None if blind else moved[one.start.line]) for one in before), changed.renamed)
    new = _by_key(((one, None if blind else one.start.line) for one in after), {})
    found = []
    for key in sorted({*old, *new}, key=str):
        was, now = Counter(old.get(key, ())), Counter(new.get(key, ()))
        gone, come = sorted((was - now).elements()), sorted((now - was).elements())
        for first, second in zip(gone, come, strict=False):
            kind = "severity" if first[0] != second[0] else "points"
            found.append((kind, f"{_shown(key)}: {' '.join(first)} → {' '.join(second)}"))
        found += [("lost", f"{_shown(key)}: {' '.join(one)}") for one in gone[len(come) :]]
        found += [("new", f"{_shown(key)}: {' '.join(one)}") for one in come[len(gone) :]]
    return found


def _by_key(
    findings: Iterable[tuple[Finding, int | None]], renamed: Mapping[str, str]
) -> dict[Key, list[Told]]:
    found: dict[Key, list[Told]] = {}
    for one, line in findings:
        given = _given(one)
        for old, new in renamed.items():
            given = re.sub(rf"\b{re.escape(old)}\b", new, given)
        found.setdefault((one.rule, one.use.attribute, line), []).append((one.severity, given))
    return found


def _given(finding: Finding) -> str:
    """The groups that a finding names, and what each gets."""
    use, points = finding.use, finding.use.points
    given = (
        ""
        if points is None
        else f"{points.op} {json.dumps(dict(sorted(points.by_group.items())))} {points.other}"
    )
    outcomes = json.dumps({group: str(value) for group, value in sorted(use.outcomes.items())})
    told = f"{sorted(use.groups)} {given} {outcomes if use.outcomes else ''}".strip()
    return _PLACE.sub("@", told)


def _shown(key: Key) -> str:
    rule, attribute, line = key
    return f"{rule} {attribute}" + (f" line {line}" if line is not None else "")


def tried(number: int, seed: int, only: Sequence[str] = ()) -> tuple[str, Program, Changed] | None:
    """The changed program of a number; the same for the same seed while programs and changes are."""
    chance = random.Random(f"{seed}:{number}")
    name = chance.choice(list(only) or list(CHANGES))
    for _ in range(TRIES):
        program = chance.choice(programs())
        try:
            return name, program, CHANGES[name](chance, program)
        except NotHereError:
            continue
    return None


def is_known(change: str, rule: str, said: str) -> bool:
    """Whether a change of a finding has its reason."""
    change = change.removeprefix("C: ")
    return any(
        one["change"] == change and one["rule"] == rule and re.search(one["says"], said) for one in KNOWN
    )


def measure(numbers: range, seed: int, only: Sequence[str] = ()) -> dict[str, Tally]:
    """Changes programs, checks them, and counts what became of the findings."""
    tallies = {name: Tally() for name in (only or CHANGES)}
    for number in numbers:
        made = tried(number, seed, only)
        if made is None:
            continue
        name, program, changed = made
        tally, before = tallies[name], told_of(program)
        tally.programs += 1
        tally.findings += len(before)
        for kind, what in differences(before, checked(changed.files), changed):
            if is_known(name, what.partition(" ")[0], changed.said):
                tally.known += 1
                continue
            tally.changed[kind] += 1
            tally.examples.append(f"{number}: {program.name}: {changed.said}: {kind} {what}")
    return tallies


def _measured(given: tuple[range, int, Sequence[str]]) -> dict[str, Tally]:
    return measure(*given)


def main(arguments: Sequence[str] | None = None) -> int:
    """Changes, checks, and prints the table."""
    parser = argparse.ArgumentParser(description="Whether findings stay under changes that change nothing.")
    parser.add_argument("--programs", type=int, default=2_000, metavar="N")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=(), choices=list(CHANGES), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="this many examples of each change")
    parser.add_argument(
        "--write", type=Path, metavar="NUMBER", help="the changed program of a number, to a folder"
    )
    options = parser.parse_args(arguments)
    size = 200
    numbers = range(options.start, options.start + options.programs)
    batches = [
        (numbers[at : at + size], options.seed, tuple(options.only)) for at in range(0, len(numbers), size)
    ]
    tallies = {name: Tally() for name in (options.only or CHANGES)}
    with multiprocessing.Pool(options.jobs) as pool:
        for done in pool.imap(_measured, batches):
            for name, tally in done.items():
                tallies[name].add(tally)
    print(
        f"{'change':24} {'programs':>9} {'findings':>9}"
        + "".join(f" {kind:>9}" for kind in KINDS)
        + f" {'known':>6}"
    )
    for name, tally in tallies.items():
        counts = "".join(f" {tally.changed[kind]:9,}" for kind in KINDS)
        print(f"{name:24} {tally.programs:9,} {tally.findings:9,}{counts} {tally.known:6,}")
        print(
            *(f"    {line}" for line in sorted(tally.examples)[: options.show]),
            sep="\n",
            end="\n" * bool(options.show and tally.examples),
        )
    whole = sum(tally.programs for tally in tallies.values())
    wrong = sum(tally.changed.total() for tally in tallies.values())
    print(f"{whole:,} changed programs, seed {options.seed}: {wrong:,} findings told otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
