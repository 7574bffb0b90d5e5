"""Where the answer to a request for a function ends: a model need not go on, and a judge need not read on.

Models that only continue texts ramble to the token limit, and many that chat explain their code at length.
What is judged is the function that was asked for. Once it is whole and something shows that it has ended, no
more is needed; that holds for answers that came whole as well, so that it does not matter which were stopped.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice, zip_longest

from fairlint import read_response
from fairlint.bench.suites.requests import THINKING, Request
from fairlint.syntax.wholeness import lacking_names, returning_functions

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_TOP_LEVEL = re.compile(
    r"^(?![ \t\r\n#)\]}]|else\b|elif\b|except\b|finally\b|case\b|\"\"\"|''').*", re.MULTILINE
)
"""A line that cannot belong to a function's body."""
_FUNCTION = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_THINKS, _HAS_THOUGHT = THINKING, "</think>"

TRIES = 3
"""Definitions that are looked at, and lines at which each may end: a model in a loop makes hundreds."""


def finished(request: Request, text: str) -> int | None:
    """How many characters of a text are the whole answer to a request; None where more is to come."""
    header = request.header if text.startswith(request.header) else ""
    return answer_end(text, header=header, function=request.function)


def answer_end(text: str, *, header: str = "", function: str = "") -> int | None:
    """How many characters of a text are the whole answer: the function that was asked for, which has ended.

    `header` is what the text begins with, if it goes on from one; `function` is the name that was asked for,
    if it is known, else the first function is meant. A function has ended where a line after its body is not
    indented, unless it needs a helper or constant that nothing before that line defines. A fenced block
    ends with its fence in any case. What a model writes while it thinks (`<think>`) is no answer. Only whole
    lines are looked at, so that the result for a text is the same however its tokens came.
    """
    end = text.rfind("\n") + 1
    if thinks(text[:end]):
        return None
    start = text.rfind(_HAS_THOUGHT, 0, end) + 1
    if header:
        return _ended(text, 0, len(header), end, function)
    fences = [found.start() for found in _FENCE.finditer(text, start, end)]
    place = _defined(text, start, fences[0] if fences else end, end, function)
    if place is not None:
        return place
    tried = 0
    for opening, closing in zip_longest(fences[::2], fences[1::2]):
        begin = text.index("\n", opening) + 1
        code = text[begin : end if closing is None else closing]
        if tried == TRIES or not code.strip() or function not in code:
            continue
        tried += 1
        place = _defined(text, begin, begin + len(code), begin + len(code), function)
        if place is None and closing is not None and _holds(code, function):
            place = text.find("\n", closing, end) + 1 or end
        if place is not None:
            return place
    return None


def thinks(text: str) -> bool:
    """Whether a model still thinks at the end of a text: what stands behind `<think>` is no answer."""
    return text.rfind(_THINKS) > text.rfind(_HAS_THOUGHT)


def _defined(text: str, start: int, stop: int, end: int, function: str) -> int | None:
    """Where a function ends that is defined between `start` and `stop`; the text until `end` may tell."""
    definitions = (
        found for found in _FUNCTION.finditer(text, start, stop) if function in {"", found.group(1)}
    )
    for found in islice(definitions, TRIES):
        body = text.find("\n", found.end(), end) + 1 or end
        place = _ended(text, found.start(), body, end, found.group(1), before=text[start : found.start()])
        if place is not None:
            return place
    return None


def _ended(text: str, start: int, body: int, end: int, function: str, *, before: str = "") -> int | None:
    """Where a function ends that starts at `start`, with its body at `body`; another line tells.

    What `before` has in it counts as defined.
    """
    tried = 0
    lacking: AbstractSet[str] = frozenset()
    for found in _TOP_LEVEL.finditer(text, body, end):
        place = found.start()
        if tried == TRIES:
            break
        if place == end or text[place - 1] != "\n":
            continue
        since, body = body, place
        if lacking and (lacking := lacking - set(_WORD.findall(text, since, place))):
            continue  # what has not even been named is not defined either
        tried += 1
        code = text[start:place]
        if not _holds(code, function):
            continue
        lacking = _lacking(code) - set(_WORD.findall(before))
        if not lacking:
            return _last_line(text, place)
    return None


def _last_line(text: str, place: int) -> int:
    """Where the line of code before a place ends; comments at the margin tell of what follows."""
    kept = text[:place].rstrip()
    while kept.startswith("#", begin := kept.rfind("\n") + 1):
        kept = kept[:begin].rstrip()
    return len(kept) + 1


@lru_cache(maxsize=1024)
def _holds(code: str, function: str) -> bool:
    """Whether some code is whole and has the function, or any if no name is given."""
    source = read_response(code)
    if source.language is None:
        return False
    found = returning_functions(source.data, source.language)
    return bool(found) and (not function or function in found)


def _lacking(code: str) -> AbstractSet[str]:
    source = read_response(code)
    return lacking_names(source.data) if source.language == "python" else set()
