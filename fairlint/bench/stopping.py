"""Where the answer to a request for a function ends: a model need not go on, and a judge need not read on.

Models that only continue texts ramble to the token limit, and many that chat explain their code at length.
What is judged is the function that was asked for. Once it is whole and something shows that it has ended, no
more is needed; that holds for answers that came whole as well, so that it does not matter which were stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from fairlint import read_response
from fairlint.bench.suites.requests import THINKING, Request
from fairlint.syntax.wholeness import returning_functions

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_TOP_LEVEL = re.compile(
    r"^(?![ \t\r\n#)\]}]|else\b|elif\b|except\b|finally\b|case\b|\"\"\"|''').*", re.MULTILINE
)
"""A line that cannot belong to a function's body."""
_FUNCTION = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)
_DEFINED = re.compile(r"(?:async )?(?:def|class) (\w+)")
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
    if it is known, else the first function is meant. A fenced block has ended with its fence. Bare code has
    ended where a line after the function's body is not indented, unless that line defines what the function
    uses. What a model writes while it thinks (`<think>`) is no answer. Only whole lines are looked at, so
    that the result for a text is the same however its tokens came.
    """
    end = text.rfind("\n") + 1
    if thinks(text[:end]):
        return None
    start = text.rfind(_HAS_THOUGHT, 0, end) + 1
    if header:
        return _ended(text, 0, len(header), end, function)
    fences = [found.start() for found in _FENCE.finditer(text, start, end)]
    bare = fences[0] if fences else end
    definitions = (
        found for found in _FUNCTION.finditer(text, start, bare) if function in {"", found.group(1)}
    )
    for found in islice(definitions, TRIES):
        place = _ended(text, found.start(), text.find("\n", found.end()) + 1, end, found.group(1))
        if place is not None:
            return place
    return _fenced(text, fences, end, function)


def thinks(text: str) -> bool:
    """Whether a model still thinks at the end of a text: what stands behind `<think>` is no answer."""
    return text.rfind(_THINKS) > text.rfind(_HAS_THOUGHT)


def _fenced(text: str, fences: list[int], end: int, function: str) -> int | None:
    """The end of the first closed block that holds the function."""
    blocks = (
        (text[text.index("\n", opening) + 1 : closing], closing)
        for opening, closing in zip(fences[::2], fences[1::2], strict=False)
    )
    for code, closing in islice((one for one in blocks if function in one[0] and one[0].strip()), TRIES):
        if _holds(code, function):
            after = text.find("\n", closing, end)
            return end if after < 0 else after + 1
    return None


def _ended(text: str, start: int, body: int, end: int, function: str) -> int | None:
    """Where a bare function ends that starts at `start`, with its body at `body`; another line tells."""
    for place in islice(_next_lines(text, start, body, end), TRIES):
        if _holds(text[start:place], function):
            return len(text[:place].rstrip()) + 1
    return None


def _next_lines(text: str, start: int, body: int, end: int) -> Iterator[int]:
    """Lines that do not belong to the body and define nothing that the code before them uses."""
    for found in _TOP_LEVEL.finditer(text, body, end):
        place = found.start()
        if place == end or text[place - 1] != "\n":
            continue
        defined = _DEFINED.match(found.group())
        if defined is None or not re.search(rf"\b{defined.group(1)}\b", text[start:place]):
            yield place


@lru_cache(maxsize=1024)
def _holds(code: str, function: str) -> bool:
    """Whether some code is whole and has the function, or any if no name is given."""
    source = read_response(code)
    if source.language is None:
        return False
    found = returning_functions(source.data, source.language)
    return bool(found) and (not function or function in found)
