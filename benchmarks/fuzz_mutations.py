"""Makes the inputs of fuzz.py: seeds that are changed, spliced or amplified, the same for the same number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from bombs import BOMBS
from fuzz_seeds import KINDS, Seeds, named, piece

MODES = {"mutated": 700, "spliced": 155, "amplified": 142, "bomb": 3}
"""What is done to seeds, and to how many of a thousand."""
COPIES = (10, 10_000)
SIZES = (1_000, 30_000)
"""Characters that most amplified inputs may have: some limit between these, and some ten times that."""
BOMB_KINDS = {".py": "python", ".c": "c", ".ipynb": "notebook", ".md": "answer"}
TOKEN = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")
NUMBER = re.compile(r"\b\d[\w.]*")
OPERATORS = re.compile(r"\s(?:[-+*/%|&^<>]|\|\||&&|and|or|==|,)\s*[\w.\"'()\[\]]+")
BRACKETS = re.compile(r"\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\]|\{[^{}\n]{1,60}\}")
NUMBERS = (
    *("0", "-1", "1e309", "-1e309", "0x" + "f" * 300, "9" * 400, "9" * 5_000, "1_0", "0777", "0b2", "1e-400"),
    *(
        "2147483648",
        "18446744073709551616",
        "1.",
        ".5",
        "1e5000",
        "0.1" * 3,
        "10j",
        "1e",
        "0x",
        "1'000",
        "5u",
    ),
)
CHARACTERS = (
    *("\0", "\x0c", "\x1a", "\x1b[31m", "\r", "\r\n", "\v", "\x85", "\u2028", "\u00a0", "\u200b", "\u202e"),
    *(
        "\ufeff",
        "\u0130",
        "ß",
        "ﬁ",
        "é",
        "e\u0301",
        "\u0301" * 40,
        "性别",
        "пол",
        "👩🏿‍⚖️",
        "＝",
        "，",
        "“",
        "’",
    ),
    *(
        "\ud800",
        "\udcff",
        "\U0010ffff",
        "\\",
        "\\\n",
        "\t",
        "'''",
        '"""',
        "`",
        "```",
        "~~~",
        "%%",
        "??/",
        "#",
    ),
    *(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ":",
        "/*",
        "*/",
        "//",
        "+++",
        "{{",
        "}}",
        "%s",
        "\\N{",
        "\\x",
        "\\u12",
    ),
)

Change = Callable[[random.Random, str, str], str]
"""Chance, a text, and another of the kind to take from → a text."""


@dataclass(frozen=True, slots=True)
class Made:
    """An input: what it is, how it came about, and its bytes."""

    number: int
    kind: str
    mode: str
    data: bytes


def make(seed: int, number: int, seeds: Seeds, kinds: Sequence[str] = tuple(KINDS)) -> Made:
    """The input of this number."""
    chance = random.Random(f"{seed}/{number}")
    kind = chance.choices(kinds, [KINDS[one] for one in kinds])[0]
    mode = chance.choices(list(MODES), list(MODES.values()))[0]
    text = piece(chance, seeds, kind)
    if mode == "bomb":
        bomb = BOMBS[chance.choice(list(BOMBS))]
        name, text = bomb(round(_log_uniform(chance, 2, bomb.size)))
        kind = BOMB_KINDS.get(PurePath(name).suffix, kind)
    other = piece(chance, seeds, kind)
    if mode == "spliced":
        text = splice(chance, text, other)
    elif mode == "amplified":
        text = amplify(chance, text)
    if mode == "mutated" or chance.random() < 0.3:
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            text = chance.choice(CHANGES)(chance, text, other)
    data = text.encode("utf-8", "surrogatepass")
    if mode == "mutated" and chance.random() < 0.1:
        data = changed_bytes(chance, data)
    return Made(number, kind, mode, data)


# ---------------------------------------------------------------------------------------------- mutations


def tokens(chance: random.Random, text: str, other: str) -> str:
    """Some tokens left out, doubled, swapped, or replaced by another's."""
    found = TOKEN.findall(text) or [""]
    theirs = TOKEN.findall(other) or [""]
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at, to = chance.randrange(len(found)), chance.randrange(len(found))
        what = chance.randrange(5)
        if what == 0:
            found[at] = ""
        elif what == 1:
            found[at] *= 2
        elif what == 2:
            found[at], found[to] = found[to], found[at]
        elif what == 3:
            found[at] = chance.choice(theirs)
        else:
            found[at] += chance.choice(theirs)
    return "".join(found)


def lines(chance: random.Random, text: str, other: str) -> str:
    """Some lines left out, doubled, moved, or another's put in."""
    found = text.split("\n")
    start = chance.randrange(len(found))
    end = min(len(found), start + chance.choice((1, 1, 2, 5)))
    taken = found[start:end]
    what = chance.randrange(4)
    if what == 0:
        found[start:end] = []
    elif what == 1:
        found[start:start] = taken
    elif what == 2:
        found[start:end] = []
        at = chance.randint(0, len(found))
        found[at:at] = taken
    else:
        found.insert(start, chance.choice(other.split("\n")))
    return "\n".join(found)


def indentation(chance: random.Random, text: str, _other: str) -> str:
    """Some lines moved to the right or to the left, by blanks or tabs."""
    found = text.split("\n")
    start = chance.randrange(len(found))
    end = min(len(found), start + chance.choice((1, 3, 10)))
    by = chance.choice((" ", "  ", "    ", "\t", "\x0c", "", "", ""))
    for at in range(start, end):
        found[at] = by + found[at] if by else found[at][chance.choice((1, 4)) :]
    return "\n".join(found)


def deletions(chance: random.Random, text: str, _other: str) -> str:
    """The beginning, the end, or something between left out."""
    start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    return chance.choice((text[:end], text[start:], text[:start] + text[end:]))


def characters(chance: random.Random, text: str, _other: str) -> str:
    """Odd characters put in."""
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(CHARACTERS) + text[at + chance.randint(0, 1) :]
    return text


def numbers(chance: random.Random, text: str, _other: str) -> str:
    """A number made huge, or odd."""
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    one = chance.choice(found)
    return text[: one.start()] + chance.choice(NUMBERS) + text[one.end() :]


def names(chance: random.Random, text: str, _other: str) -> str:
    """A name called like an attribute."""
    return named(chance, text)


def splice(chance: random.Random, text: str, other: str) -> str:
    """Two texts in one: one goes on as the other, holds it, or has a bracket of it."""
    ours, theirs = text.split("\n"), other.split("\n")
    at, to = chance.randint(0, len(ours)), chance.randint(0, len(theirs))
    what = chance.randrange(3)
    if what == 0:
        return "\n".join([*ours[:at], *theirs[to:]])
    if what == 1:
        indent = re.match(r"\s*", ours[at - 1])[0] if at else ""  # type: ignore[index]
        return "\n".join([*ours[:at], *(indent + line for line in theirs[to : to + 12]), *ours[at:]])
    ours_in, theirs_in = list(BRACKETS.finditer(text)), BRACKETS.findall(other)
    if not (ours_in and theirs_in):
        return tokens(chance, text, other)
    one = chance.choice(ours_in)
    taken: str = chance.choice(theirs_in)
    return text[: one.start()] + taken + text[one.end() :]


def changed_bytes(chance: random.Random, data: bytes) -> bytes:
    """Some bytes changed, put in or left out."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 16))):
        at = chance.randint(0, len(found))
        what = chance.randrange(3)
        if what == 0:
            found[at : at + 1] = bytes([chance.randrange(256)])
        elif what == 1:
            found[at:at] = chance.randbytes(chance.choice((1, 2, 8)))
        else:
            del found[at : at + chance.choice((1, 2, 40))]
    return bytes(found)


CHANGES: tuple[Change, ...] = (
    tokens,
    tokens,
    lines,
    indentation,
    deletions,
    characters,
    numbers,
    names,
    splice,
)


# ------------------------------------------------------------------------------------------ amplification


def amplify(chance: random.Random, text: str) -> str:
    """A part of the text many times over: lines, a block, an operand, a bracket, a level."""
    copies = round(_log_uniform(chance, *COPIES))
    room = round(_log_uniform(chance, *SIZES)) * (10 if chance.random() < 0.02 else 1)
    way = chance.choice(WAYS)
    return way(chance, text, copies, room)


def _log_uniform(chance: random.Random, low: float, high: float) -> float:
    return float(low * (high / low) ** chance.random())


def _many(chance: random.Random, unit: str, copies: int, room: int) -> str:
    """Copies of a unit; half the time, one of its names or numbers is another in each."""
    copies = max(2, min(copies, room // max(1, len(unit))))
    found = list(re.finditer(r"\b(?:[A-Za-z_]\w*|\d+)\b", unit))
    if not found or chance.random() < 0.5:
        return unit * copies
    one = chance.choice(found)
    before, after = unit[: one.end()], unit[one.end() :]
    return "".join(f"{before}{number}{after}" for number in range(copies))


def _lines(chance: random.Random, text: str, copies: int, room: int) -> str:
    found = text.splitlines(keepends=True) or ["\n"]
    start = chance.randrange(len(found))
    end = min(len(found), start + chance.choice((1, 1, 2, 4)))
    return (
        "".join(found[:end]) + _many(chance, "".join(found[start:end]), copies, room) + "".join(found[end:])
    )


def _block(chance: random.Random, text: str, copies: int, room: int) -> str:
    """A line and what is further in than it."""
    found = text.splitlines(keepends=True) or ["\n"]
    heads = [
        at for at, line in enumerate(found[:-1]) if _depth(found[at + 1]) > _depth(line) and line.strip()
    ]
    if not heads:
        return _lines(chance, text, copies, room)
    start = end = chance.choice(heads)
    while end + 1 < len(found) and (
        _depth(found[end + 1]) > _depth(found[start]) or not found[end + 1].strip()
    ):
        end += 1
    end += 2 if found[end + 1 :] and found[end + 1].lstrip().startswith("}") else 1
    return (
        "".join(found[:end]) + _many(chance, "".join(found[start:end]), copies, room) + "".join(found[end:])
    )


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _operand(chance: random.Random, text: str, copies: int, room: int) -> str:
    found = list(OPERATORS.finditer(text))
    if not found:
        return _lines(chance, text, copies, room)
    one = chance.choice(found)
    return text[: one.end()] + _many(chance, one[0], copies, room) + text[one.end() :]


def _nested(chance: random.Random, text: str, copies: int, room: int) -> str:
    """A bracket around itself: what opens it stands before it many times, what closes it behind."""
    found = list(re.finditer(r"(\w*)([(\[{])[^()\[\]{}\n]*([)\]}])", text))
    if not found:
        return _lines(chance, text, copies, room)
    one = chance.choice(found)
    opening = chance.choice((one[1], "", "not ", "-", "f")) + one[2]
    count = max(2, min(copies, room // (len(opening) + 1)))
    closing = one[3] * (count if chance.random() < 0.8 else 0)
    return text[: one.start()] + opening * count + one[0] + closing + text[one.end() :]


def _levels(chance: random.Random, text: str, copies: int, room: int) -> str:
    """The head of a block within itself, further and further in."""
    found = text.splitlines(keepends=True) or ["\n"]
    heads = [
        at for at, line in enumerate(found[:-1]) if _depth(found[at + 1]) > _depth(line) and line.strip()
    ]
    if not heads:
        return _nested(chance, text, copies, room)
    at = chance.choice(heads)
    count = max(2, min(copies, int((2 * room) ** 0.5)))
    while count * (len(found[at]) + count) > room and count > 2:
        count -= max(1, count // 10)
    levels = [" " * number + found[at] for number in range(1, count)]
    inner = [" " * count + line for line in found[at + 1 :]]
    return "".join([*found[: at + 1], *levels, *inner])


WAYS: tuple[Callable[[random.Random, str, int, int], str], ...]
WAYS = (_lines, _lines, _block, _block, _operand, _nested, _levels)
