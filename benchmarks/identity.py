"""How well findings are known again after edits of the code around them.

    python benchmarks/identity.py [--edits N] [--seed N] [--files FILE ...] [--show]

Each edit changes one file (by default the fixtures and cases of this checkout), which is checked before and
after. Two in three are one change, the others two or three in a row. What a finding became is known from the
edit itself: the order of the findings stays, or whole lines are moved. A finding is *kept* if
`fairlint.findings.matching` finds it again, *lost* if not, and *mistaken* if it is taken for another one.
Edits after which fairlint tells other things are counted apart: nobody can say what became of what.
Exit status: 0 where the targets are met, 1 where they are missed.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fairlint import check_source  # noqa: E402
from fairlint.findings.finding import Finding  # noqa: E402
from fairlint.findings.matching import KnownFinding, match_findings  # noqa: E402

TARGET = 0.99
FOLDERS = ("fixtures/python", "fixtures/c", "benchmarks/cases/tune", "benchmarks/cases/held")
DEFINITION = re.compile(r"^(?:async )?def (\w+)|^class (\w+)")
STRING = re.compile(r"""(?<![\w"'])(?:'[^'"\\\n{}]*'|"[^'"\\\n{}]*")(?!["'])""")


class NotHereError(Exception):
    """The edit does not fit this text."""


@dataclass(slots=True)
class Edited:
    """A text after an edit.

    `lines` says of each line, from 0, which line it was before, None where it is new; it is None where the
    order of the findings alone says what became of them. `path` is the new name, if it has one.
    """

    text: str
    lines: list[int | None] | None = None
    path: str | None = None


@dataclass(slots=True)
class Tally:
    """What became of the findings over all edits of a kind."""

    edits: int = 0
    kept: int = 0
    lost: int = 0
    mistaken: int = 0
    told_differently: int = 0
    """Edits after which other things are told."""
    examples: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Edits, checks, and prints the table."""
    parser = argparse.ArgumentParser(description="How well findings are known again after edits.")
    parser.add_argument("--edits", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument("--show", action="store_true", help="what was lost or mistaken")
    options = parser.parse_args(arguments)
    files = options.files or [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).glob("*"))
        if path.suffix in {".py", ".c"}
    ]
    tallies = measure(files, options.edits, options.seed)
    print(
        f"{'edit':34} {'edits':>6} {'kept':>7} {'lost':>6} {'mistaken':>9} {'share':>7} {'differently':>12}"
    )
    good = True
    for name, tally in tallies.items():
        total = tally.kept + tally.lost + tally.mistaken
        share = tally.kept / max(1, total)
        good = good and not tally.mistaken and (share >= TARGET or name in FREE)
        told = (
            f"{tally.kept:7,} {tally.lost:6,} {tally.mistaken:9,} {share:7.3f} {tally.told_differently:12,}"
        )
        print(f"{name:34} {tally.edits:6,} {told}")
        if options.show:
            print(*(f"    {line}" for line in tally.examples[:8]), sep="\n")
    return 0 if good else 1


def measure(files: Sequence[Path], edits: int, seed: int) -> dict[str, Tally]:
    """Edits files that have findings, each time one at random in a way at random."""
    chance = random.Random(seed)
    tallies = {name: Tally() for name in (*EDITS, SEVERAL)}
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    before = {path: _checked(path.name, text) for path, text in texts.items()}
    having = [path for path in files if before[path]]
    done = tries = 0
    while done < edits and tries < 20 * edits:
        tries += 1
        path = chance.choice(having)
        how = [chance.choice(list(EDITS))]
        if chance.random() < 1 / 3:
            how += chance.choices([name for name in EDITS if name not in FREE], k=chance.randint(1, 2))
            how[0] = how[0] if how[0] not in FREE else how[1]
        try:
            edited = _in_a_row(chance, how, path.name, texts[path])
        except NotHereError:
            continue
        done += 1
        tally = tallies[how[0] if len(how) == 1 else SEVERAL]
        _compare(tally, path.name, before[path], edited, f"{path.name}, {' + '.join(how)}")
    return tallies


def _in_a_row(chance: random.Random, how: Sequence[str], name: str, text: str) -> Edited:
    """Several edits, as one."""
    lines: list[int | None] | None = list(range(len(text.splitlines())))
    path = None
    for one in how:
        edited = EDITS[one](chance, path or name, text)
        path = edited.path or path
        if edited.lines is None:
            moved = lines is not None and lines != list(range(len(lines)))
            if moved:
                raise NotHereError  # the order says nothing after lines have moved
            lines = None
        elif lines is None:
            raise NotHereError
        else:
            lines = [None if at is None else lines[at] for at in edited.lines]
        text = edited.text
    return Edited(text, lines, path)


def _checked(name: str, text: str) -> list[Finding]:
    return list(check_source(text.encode(), path=name).findings)


def _compare(tally: Tally, name: str, before: Sequence[Finding], edited: Edited, what: str) -> None:
    """Counts what became of each finding."""
    after = _checked(edited.path or name, edited.text)
    tally.edits += 1
    truth = _truth(before, after, edited)
    if truth is None:
        tally.told_differently += 1
        if len(tally.examples) < 40:
            tally.examples.append(f"told differently: {what}")
        return
    gone = frozenset({name} if edited.path else ())
    found = match_findings(_known(before), _known(after), gone)
    for at, one in enumerate(before):
        right, given = truth.get(at), found.get(at)
        if right is None and given is None:
            continue
        kind = "kept" if right == given else "lost" if given is None else "mistaken"
        setattr(tally, kind, getattr(tally, kind) + 1)
        if kind != "kept":
            tally.examples.append(f"{kind}: {what}: {one.rule} line {one.start.line}: {one.message[:80]}")


def _known(findings: Sequence[Finding]) -> list[KnownFinding]:
    return [KnownFinding(finding.path, finding.identity) for finding in findings]


def _truth(before: Sequence[Finding], after: Sequence[Finding], edited: Edited) -> dict[int, int] | None:
    """What each finding became, None where it cannot be told because other things are told."""
    if edited.lines is None:
        same = [one.rule for one in before] == [one.rule for one in after]
        return dict(enumerate(range(len(after)))) if same else None
    here: dict[tuple[str, int], list[int]] = {}
    for at, one in enumerate(after):
        line = edited.lines[one.start.line - 1]
        if line is not None:
            here.setdefault((one.rule, line), []).append(at)
    there: dict[tuple[str, int], list[int]] = {}
    for at, one in enumerate(before):
        there.setdefault((one.rule, one.start.line - 1), []).append(at)
    if {key: len(places) for key, places in here.items()} != {key: len(all_) for key, all_ in there.items()}:
        return None
    return {at: now for key, all_ in there.items() for at, now in zip(all_, here[key], strict=True)}


# -------------------------------------------------------------------------------------------------- edits


def _is_python(name: str) -> bool:
    return name.endswith(".py")


def _top(name: str, text: str) -> list[int]:
    """The lines, from 0, at which something begins that stands in nothing else."""
    lines = text.splitlines()
    if not _is_python(name):
        return [at for at, line in enumerate(lines) if re.match(r"[A-Za-z_][\w *]*\(.*\{\s*$", line)]
    found = []
    for at, line in enumerate(lines):
        if DEFINITION.match(line):
            while at > 0 and lines[at - 1].startswith("@"):
                at -= 1  # noqa: PLW2901
            found.append(at)
    return found


def _inserted(text: str, at: int, new: Sequence[str]) -> Edited:
    lines = text.splitlines()
    told: list[int | None] = [*range(at), *(None for _ in new), *range(at, len(lines))]
    return Edited("\n".join([*lines[:at], *new, *lines[at:]]) + "\n", told)


def _comment(name: str, words: str) -> str:
    return f"# {words}" if _is_python(name) else f"// {words}"


def _free_lines(name: str, text: str) -> list[int]:
    """The lines before which another may stand: none amid a text or an expression."""
    if not _is_python(name):
        lines = text.splitlines()
        ends = (";", "{", "}", "")
        return [
            at
            for at in range(1, len(lines))
            if lines[at - 1].rstrip().endswith(ends)
            and "\\" not in lines[at - 1]
            and '"' not in lines[at - 1]
        ]
    starts = []
    try:
        depth_end = 0
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                depth_end = token.end[0]
                starts.append(depth_end)
    except (tokenize.TokenError, SyntaxError) as error:
        raise NotHereError from error
    return [at for at in starts if at < len(text.splitlines())]


def insert_comment(chance: random.Random, name: str, text: str) -> Edited:
    """A comment on a line of its own."""
    places = _free_lines(name, text)
    if not places:
        raise NotHereError
    at = chance.choice(places)
    line = text.splitlines()[at] if at < len(text.splitlines()) else ""
    indent = line[: len(line) - len(line.lstrip())]
    return _inserted(
        text, at, [indent + _comment(name, chance.choice(("see the notes", "checked", "TODO: tidy up")))]
    )


def insert_blank(chance: random.Random, name: str, text: str) -> Edited:
    """Empty lines."""
    places = _free_lines(name, text)
    if not places:
        raise NotHereError
    return _inserted(text, chance.choice(places), [""] * chance.randint(1, 4))


def insert_statement(chance: random.Random, name: str, text: str) -> Edited:
    """A statement that has nothing to do with people."""
    places = [
        at
        for at in _free_lines(name, text)
        if re.match(r"\s*[\w.\[\]\"']+ [-+*/]?= |\s+return\b", text.splitlines()[at])
    ]
    if not places:
        raise NotHereError
    at = chance.choice(places)
    line = text.splitlines()[at]
    indent = line[: len(line) - len(line.lstrip())]
    new = "batch_size = 64" if _is_python(name) else 'printf("step\\n");'
    if not _is_python(name) and not indent:
        raise NotHereError
    return _inserted(text, at, [indent + new])


def insert_function(chance: random.Random, name: str, text: str) -> Edited:
    """A function above another."""
    places = _top(name, text)
    if not places:
        raise NotHereError
    if _is_python(name):
        new = [
            "def chunked(values, size):",
            "    return [values[at : at + size] for at in range(0, len(values), size)]",
            "",
            "",
        ]
    else:
        new = ["int add_up(int a, int b) {", "    return a + b;", "}", ""]
    return _inserted(text, chance.choice(places), new)


def insert_caller(chance: random.Random, name: str, text: str) -> Edited:
    """A function above another, which calls that."""
    lines = text.splitlines()
    if not _is_python(name):
        raise NotHereError
    found = [(at, match) for at, line in enumerate(lines) if (match := re.match(r"def (\w+)\((\w+)\)", line))]
    if not found:
        raise NotHereError
    at, match = chance.choice(found)
    while at > 0 and lines[at - 1].startswith("@"):
        at -= 1
    return _inserted(
        text,
        at,
        ["def all_of(batch):", f"    return [{match[1]}({match[2]}) for {match[2]} in batch]", "", ""],
    )


def remove_comments(chance: random.Random, name: str, text: str) -> Edited:
    """All comments that have a line of their own, or those behind code."""
    own = chance.random() < 0.5
    lines = text.splitlines()
    mark = "#" if _is_python(name) else "//"
    free = set(_free_lines(name, text)) | {0}
    told: list[int | None] = []
    kept: list[str] = []
    for at, line in enumerate(lines):
        is_own = line.lstrip().startswith(mark)
        if own and is_own and at in free:
            continue
        if not own and not is_own and (found := re.search(rf"  {mark}[^\"']*$", line)):
            line = line[: found.start()]  # noqa: PLW2901
        kept.append(line)
        told.append(at)
    if kept == lines:
        raise NotHereError
    return Edited("\n".join(kept) + "\n", told)


def reindent(chance: random.Random, name: str, text: str) -> Edited:
    """Other widths of indentation, outside of texts."""
    width = chance.choice(("  ", "        ", "\t"))
    lines = text.splitlines()
    amid = _amid_texts(name, text)
    new = []
    for at, line in enumerate(lines):
        depth = len(line) - len(line.lstrip(" "))
        if at in amid or depth % 4:
            new.append(line)
        else:
            new.append(width * (depth // 4) + line[depth:])
    if new == lines or any(
        line.startswith(" ") and (len(line) - len(line.lstrip(" "))) % 4 for line in lines
    ):
        raise NotHereError
    return Edited("\n".join(new) + "\n", list(range(len(lines))))


def _amid_texts(name: str, text: str) -> set[int]:
    """Lines, from 0, that begin inside a text."""
    if not _is_python(name):
        return set()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise NotHereError from error
    return {
        at for token in tokens if token.type == tokenize.STRING for at in range(token.start[0], token.end[0])
    }


def other_quotes(chance: random.Random, name: str, text: str) -> Edited:
    """Simple texts in the other kind of quotes."""
    if not _is_python(name):
        raise NotHereError
    share = chance.random()
    lines = text.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise NotHereError from error
    for token in reversed(tokens):
        if token.type == tokenize.STRING and STRING.fullmatch(token.string) and chance.random() < share:
            (row, first), (_, last) = token.start, token.end
            other = '"' if token.string[0] == "'" else "'"
            line = lines[row - 1]
            lines[row - 1] = f"{line[:first]}{other}{token.string[1:-1]}{other}{line[last:]}"
    new = "".join(lines)
    if new == text:
        raise NotHereError
    return Edited(new, list(range(len(text.splitlines()))))


def formatted(chance: random.Random, name: str, text: str) -> Edited:
    """As ruff formats it, to lines of some length."""
    if not _is_python(name):
        raise NotHereError
    length = chance.choice((60, 79, 88, 100, 140))
    quotes = chance.choice(("double", "single"))
    config = ("--config", f"line-length = {length}", "--config", f"format.quote-style = '{quotes}'")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", *config, "--stdin-filename", name, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout == text:
        raise NotHereError
    return Edited(done.stdout)


def carriage_returns(_: random.Random, name: str, text: str) -> Edited:
    """Windows' ends of lines."""
    del name
    if "\r" in text or "\\\n" in text:
        raise NotHereError
    return Edited(text.replace("\n", "\r\n"), list(range(len(text.splitlines()))))


def move_function(chance: random.Random, name: str, text: str) -> Edited:
    """A function or class to another place among the others."""
    if not _is_python(name):
        raise NotHereError
    lines = text.splitlines()
    tops = _top(name, text)
    bounds = [(first, _end(lines, first)) for first in tops]
    if len(bounds) < 2:
        raise NotHereError
    (first, last), (other, _) = chance.sample(bounds, 2)
    order = [at for at in range(len(lines)) if not first <= at < last]
    place = order.index(other)
    order[place:place] = range(first, last)
    if order == list(range(len(lines))):
        raise NotHereError
    return Edited("\n".join(lines[at] for at in order) + "\n", list(order))


def _end(lines: Sequence[str], first: int) -> int:
    """The first line behind a definition, its decorators and body, that stands in nothing."""
    at = first
    while lines[at].startswith("@"):
        at += 1
    return next(
        (
            line
            for line in range(at + 1, len(lines))
            if lines[line][:1].strip() and lines[line][0] not in ")#"
        ),
        len(lines),
    )


def rename_function(chance: random.Random, name: str, text: str) -> Edited:
    """Another name for a function, wherever it stands."""
    header = (
        r"(?m)^[ \t]*(?:async )?def (\w+)" if _is_python(name) else r"(?m)^[A-Za-z_][\w *]*?(\w+)\([^;]*\{$"
    )
    names = [one for one in re.findall(header, text) if not one.startswith("__") and one != "main"]
    if not names:
        raise NotHereError
    old = chance.choice(names)
    if re.search(rf"[\"'#]\S*[^\n]*\b{re.escape(old)}\b|\.{re.escape(old)}\b", text):
        raise NotHereError  # its name is also something else
    new = f"{old}_{chance.choice(('v2', 'impl', 'inner', 'new'))}"
    return Edited(re.sub(rf"\b{re.escape(old)}\b", new, text), list(range(len(text.splitlines()))))


def rename_file(_: random.Random, name: str, text: str) -> Edited:
    """Another name for the file."""
    return Edited(text, list(range(len(text.splitlines()))), f"moved_{name}")


def copy_function(chance: random.Random, name: str, text: str) -> Edited:
    """A copy of a function under another name, above or below it: what it tells is new."""
    if not _is_python(name):
        raise NotHereError
    lines = text.splitlines()
    found = [(at, match[1]) for at, line in enumerate(lines) if (match := re.match(r"def (\w+)\(", line))]
    found = [(at, one) for at, one in found if not (at and lines[at - 1].startswith("@"))]
    if not found:
        raise NotHereError
    first, old = chance.choice(found)
    last = _end(lines, first)
    block = [re.sub(rf"\b{old}\b", f"{old}_again", line) for line in lines[first:last]]
    if block[-1].strip():
        block += ["", ""]
    return _inserted(text, chance.choice((first, last)), block)


def rename_receiver(chance: random.Random, name: str, text: str) -> Edited:
    """Another name for a parameter."""
    names = sorted(
        set(re.findall(r"def \w+\((\w+)[,)]" if _is_python(name) else r"\*(\w+)[,)]", text)) - {"self", "cls"}
    )
    if not names:
        raise NotHereError
    old = chance.choice(names)
    if re.search(rf"[\"']{old}[\"']|{old}=", text):
        raise NotHereError
    return Edited(re.sub(rf"\b{old}\b", f"{old}_x", text), list(range(len(text.splitlines()))))


Edit = Callable[[random.Random, str, str], Edited]
EDITS: dict[str, Edit] = {
    "a comment is added": insert_comment,
    "empty lines are added": insert_blank,
    "a statement is added": insert_statement,
    "a function is added above": insert_function,
    "a caller is added above": insert_caller,
    "comments are removed": remove_comments,
    "other indentation": reindent,
    "other quotes": other_quotes,
    "formatted by ruff": formatted,
    "ends of lines": carriage_returns,
    "a function is moved": move_function,
    "a function is renamed": rename_function,
    "a function is copied": copy_function,
    "the file is renamed": rename_file,
    "a receiver is renamed": rename_receiver,
}
SEVERAL = "two or three of these"
FREE = frozenset({"a receiver is renamed"})
"""Edits without a target: they change the finding's own code."""


if __name__ == "__main__":
    sys.exit(main())
