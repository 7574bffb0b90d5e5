"""When the answer to a request for a function is complete, so that a model need not go on.

Models that only continue texts ramble to the token limit, and many that chat explain their code at length.
What is judged is the function; once it is whole and something shows that it has ended, no more is needed.
"""

from __future__ import annotations

import re

from fairlint import read_response
from fairlint.bench.suites.requests import Request
from fairlint.syntax.wholeness import holds_whole_function

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_TOP_LEVEL = re.compile(
    r"^(?![ \t\r\n#)\]}]|else\b|elif\b|except\b|finally\b|case\b|\"\"\"|''').", re.MULTILINE
)
"""The first character of a line that cannot belong to a function's body."""
_FUNCTION = re.compile(r"^(?:async )?def .+", re.MULTILINE)


def finished(request: Request, text: str) -> int | None:
    """How many characters of a text are the whole answer: a function that has ended. None: more is to come.

    A fenced block has ended with its fence. Bare code, such as the continuation of the request's header, has
    ended where a line after the function's body is not indented. Only whole lines are looked at, so that the
    result for a text is the same however its tokens came.
    """
    end = text.rfind("\n") + 1
    fences = [found.start() for found in _FENCE.finditer(text, 0, end)]
    if fences:
        return _fenced(text, fences, end)
    if request.header and text.startswith(request.header):
        return _ended(text, 0, len(request.header), end)
    for found in _FUNCTION.finditer(text, 0, end):
        place = _ended(text, found.start(), found.end(), end)
        if place is not None:
            return place
    return None


def _fenced(text: str, fences: list[int], end: int) -> int | None:
    """The end of the first closed block that holds a whole function."""
    for closing in fences[1::2]:
        after = text.index("\n", closing) + 1 if "\n" in text[closing:end] else end
        if _whole(text[:after]):
            return after
    return None


def _ended(text: str, start: int, body: int, end: int) -> int | None:
    """Where a bare function ends that starts at `start`, with its body at `body`; the next line tells."""
    for found in _TOP_LEVEL.finditer(text, body, end):
        place = found.start()
        if text[place - 1] == "\n" and _whole(text[start:place]):
            return len(text[:place].rstrip()) + 1
    return None


def _whole(text: str) -> bool:
    source = read_response(text)
    return source.language is not None and holds_whole_function(source.data, source.language)
