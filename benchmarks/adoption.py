"""How well baselines, comments and changed lines hold while the code around a finding is edited.

    python benchmarks/adoption.py [--edits N] [--seed N] [--show]

Each edit, of those in identity.py, changes a fixture or case; at the end of the file a function with a new
finding is added in the same go. Three ways to tell only what is new are tried on the result: a baseline of
the findings before, comments that put them aside, and the difference of the two texts. *Held*: an old finding
stays untold. *Lost*: it is told again. *Mistaken*: the new finding is not told. By changed lines an old
finding may be told where one of its lines was edited; only where none was, telling it counts as lost.
Exit status: 0 where nothing was mistaken and at least `TARGET` held for each way and edit, 1 otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import random
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from identity import EDITS, FOLDERS, FREE, Edited, NotHereError  # noqa: E402

from fairlint import Report, check_source  # noqa: E402
from fairlint.findings.finding import Finding, FlowStep  # noqa: E402
from fairlint.support.records import replace  # noqa: E402
from fairlint.suppression.baseline import Baseline, baseline_text, compare_baseline, entries_of, load  # noqa: E402
from fairlint.suppression.changed_lines import in_diff, only  # noqa: E402
from fairlint.suppression.writing import marks_of, with_comments  # noqa: E402

TARGET = 0.99
NEW = {
    ".py": """

def levy_of_new_tenant(tenant):
    levy = 40
    if tenant.religion == 'muslim':
        levy += 7
    return levy
""",
    ".c": """
int levy_of_new_tenant(const struct new_tenant *tenant)
{
    int levy = 40;
    if (strcmp(tenant->religion, "muslim") == 0)
        levy += 7;
    return levy;
}
""",
}
"""What is added: a finding about an attribute in a function that no file has."""
STATEMENT_BELOW = re.compile(
    r"(?:#|//) fairlint: [^\n]*\n\s*(?:batch_size = 64|def all_of|def chunked|int add_up|printf\(\"step)"
)
FUNCTION = "levy_of_new_tenant"


@dataclass(slots=True)
class Tally:
    """What became of findings, of one way and over all edits of a kind."""

    edits: int = 0
    held: int = 0
    lost: int = 0
    mistaken: int = 0
    examples: list[str] = field(default_factory=list)


Told = tuple[list[Finding], int]
"""What is told after an edit, and how many old findings there were to hold."""
Way = Callable[[random.Random, Path, str, str], Told]
"""A way to tell only what is new: is given the file's path, its text, the kind of edit, and tries it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Edits, checks, and prints the table."""
    parser = argparse.ArgumentParser(description="How well old findings stay untold while code is edited.")
    parser.add_argument("--edits", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="what was lost or mistaken")
    options = parser.parse_args(arguments)
    tallies = measure(options.edits, options.seed)
    print(f"{'way':14} {'edit':28} {'edits':>6} {'held':>7} {'lost':>6} {'mistaken':>9} {'share':>7}")
    good = True
    for (way, edit), tally in sorted(tallies.items()):
        if not tally.held + tally.lost:
            continue
        share = tally.held / (tally.held + tally.lost)
        good = good and not tally.mistaken and (share >= TARGET or edit in FREE)
        told = f"{tally.held:7,} {tally.lost:6,} {tally.mistaken:9,} {share:7.3f}"
        print(f"{way:14} {edit:28} {tally.edits:6,} {told}")
        if options.show:
            print(*(f"    {line}" for line in tally.examples[:6]), sep="\n")
    return 0 if good else 1


def measure(edits: int, seed: int) -> dict[tuple[str, str], Tally]:
    """Edits files that have findings, each time one at random in a way at random."""
    chance = random.Random(seed)
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*")) if path.suffix in NEW]
    tallies: dict[tuple[str, str], Tally] = {}
    done = 0
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):  # a baseline tells paths from here
        while done < edits:
            path, way, edit = chance.choice(files), chance.choice(list(WAYS)), chance.choice(list(EDITS))
            if not _is_told_there(path):
                continue
            try:
                told, old = WAYS[way](chance, path, path.read_text("utf-8"), edit)
            except NotHereError:
                continue
            done += 1
            tally = tallies.setdefault((way, edit), Tally())
            tally.edits += 1
            new = [one for one in told if one.identity.function == FUNCTION]
            again = len(told) - len(new)
            tally.mistaken += not new
            tally.lost += again
            tally.held += max(0, old - again)
            if again or not new:
                what = "; ".join(f"{one.rule} line {one.start.line}" for one in told)
                tally.examples.append(f"{path.name}, seed {seed}, edit {done}: told are {what or 'none'}")
    return tallies


@cache
def _is_told_there(path: Path) -> bool:
    """Whether the file has findings, and what is added is told beside them: not so among tests, say."""
    text = path.read_text("utf-8")
    before, after = (_report(path.name, one).findings for one in (text, text + NEW[path.suffix]))
    new = [one.rule for one in after if one.identity.function == FUNCTION]
    return bool(before) and len(new) == 1 and len(after) == len(before) + 1


def _report(name: str, text: str) -> Report:
    return check_source(text.encode(), path=name)


def _edited(chance: random.Random, name: str, text: str, edit: str) -> Edited:
    """The text after the edit, and the new function behind it."""
    edited = EDITS[edit](chance, name, text)
    end = "\r\n" if "\r\n" in edited.text else "\n"
    edited.text = edited.text.rstrip() + end + NEW[Path(name).suffix].replace("\n", end)
    return edited


def _told(report: Report) -> list[Finding]:
    """What is told of code; comments that put nothing aside any more are told besides, and rightly."""
    return [one for one in report.findings if one.use.kind != "suppression"]


def by_baseline(chance: random.Random, path: Path, text: str, edit: str) -> Told:
    """A baseline that was written and read again."""
    before = _told(_report(path.name, text))
    edited = _edited(chance, path.name, text, edit)
    name = edited.path or path.name
    now = _report(name, edited.text)
    same = _same_rules(before, [one for one in _told(now) if one.identity.function != FUNCTION])
    file = Path("fairlint-baseline.jsonl")
    file.write_text(baseline_text(entries_of(before, ".")), encoding="utf-8")
    Path(name).touch()
    now = replace(now, findings=tuple(_told(now)))
    beside = compare_baseline(now, Baseline(str(file), load(str(file)).entries), ["."], lambda _: ())
    Path(name).unlink()
    if not same:
        raise NotHereError  # other things are told: nobody can say what became of what
    return list(beside.new), len(before)


def by_comments(chance: random.Random, path: Path, text: str, edit: str) -> Told:
    """Comments above the statements, or behind their first lines."""
    if edit == "comments are removed":
        raise NotHereError
    before = [one for one in _report(path.name, text).findings if one.cell is None]
    marks = marks_of(path.name)
    assert marks is not None
    codes: dict[int, set[str]] = {}
    for one in before:
        codes.setdefault(one.statement, set()).add(one.rule)
    if chance.random() < 0.5:
        put = with_comments(text, codes, marks, "tried")
    else:
        mark = "#" if path.suffix == ".py" else "//"
        lines = text.splitlines()
        for line, rules in codes.items():
            lines[line - 1] += f"  {mark} fairlint: ignore[{', '.join(sorted(rules))}] -- tried"
        put = "\n".join(lines) + "\n"
    aside = _report(path.name, put)
    if aside.findings or len(aside.suppressed) != len(before):
        raise NotHereError
    edited = _edited(chance, path.name, put, edit)
    if STATEMENT_BELOW.search(edited.text):
        raise NotHereError  # the comment now stands above the new statement, and says so
    return _told(_report(edited.path or path.name, edited.text)), len(before)


def by_changed_lines(chance: random.Random, path: Path, text: str, edit: str) -> Told:
    """The difference of the two texts, as git or diff would write it."""
    edited = _edited(chance, path.name, text, edit)
    if edited.path or edit == "ends of lines":
        raise NotHereError  # every line is new
    old, new = text.splitlines(), edited.text.splitlines()
    diff = "\n".join(difflib.unified_diff(old, new, f"a/{path.name}", f"b/{path.name}", n=0, lineterm=""))
    now = _report(path.name, edited.text)
    changed = in_diff(f"{diff}\n".encode(), ".", path.name)
    told = only(now, changed, is_given=True).findings
    touched = _touched(old, new)
    wrong = [one for one in told if one.identity.function == FUNCTION or not _stands_on(one, touched)]
    silent = [one for one in now.findings if not _stands_on(one, touched)]
    return wrong, len(silent)


def _touched(old: Sequence[str], new: Sequence[str]) -> set[int]:
    """The lines, from 1, of the new text that are new, or beside what is gone."""
    matcher = difflib.SequenceMatcher(None, old, new)
    found: set[int] = set()
    for kind, _, _, first, last in matcher.get_opcodes():
        if kind in {"replace", "insert"}:
            found.update(range(first + 1, last + 1))
        elif kind == "delete":
            found.update({first, first + 1})
    return found


def _stands_on(finding: Finding, lines: set[int]) -> bool:
    places: list[Finding | FlowStep] = [finding, *finding.flow]
    spans = [place.region or (place.start, place.end) for place in places]
    return any(not lines.isdisjoint(range(start.line, end.line + 1)) for start, end in spans)


def _same_rules(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    return sorted(one.rule for one in before) == sorted(one.rule for one in after)


WAYS: dict[str, Way] = {
    "baseline": by_baseline,
    "comments": by_comments,
    "changed lines": by_changed_lines,
}


if __name__ == "__main__":
    sys.exit(main())
