"""Where the answer to a request for a function ends: a model need not go on, and a judge need not read on.

Models that only continue texts ramble to the token limit, and many that chat explain their code at length.
What is judged is the function that was asked for. Once it is whole and something shows that it has ended, no
more is needed; that holds for answers that came whole as well, so that it does not matter which were stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice, zip_longest

from fairlint import Source, read_response
from fairlint.backends.requests import THINKING, Request
from fairlint.sources.answers import behind_reasons, only_reasons
from fairlint.support.records import Record
from fairlint.syntax.completeness import bound_names, is_outline, lacking_names, returning_functions
from fairlint.syntax.registry import languages

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_IN_BODY = r"[ \t\r\n#)\]}]|else\b|elif\b|except\b|finally\b|case\b|\"\"\"|'''"
"""How a line may go on, behind the indentation of a function's header, that belongs to its body."""
_FUNCTION = re.compile(r"^([ \t]{0,16})(?:async )?def (\w+)", re.MULTILINE)
_OWNER = re.compile(r"^([ \t]*)(?:class|(?:async )?def)\b", re.MULTILINE)
_WORD = re.compile(r"\w+")
_THINKS, _HAS_THOUGHT = THINKING, "</think>"

TRIES = 3
"""Definitions that are looked at, and lines at which each may end: a model in a loop makes hundreds."""


class _End(Record):
    """How far the end of a function is known."""

    place: int | None
    """Where it is whole and has ended."""
    waits: bool = False
    """Whether it lacks something that may follow, or is an outline of what may follow; `place` is where the
    function itself ends."""


_NOWHERE = _End(None)


def whole_answer_end(request: Request, text: str) -> int | None:
    """Return how many characters of a text are the whole answer to a request; None where more is to come."""
    header = request.header if text.startswith(request.header) else ""
    return answer_end(text, header=header, function=request.function)


@lru_cache(maxsize=4)
def answer_end(text: str, *, header: str = "", function: str = "", final: bool = False) -> int | None:
    """Return how many characters of a text are the whole answer: the function that was asked for, which has
    ended.

    `header` is what the text begins with, if it goes on from one; `function` is the name that was asked for,
    if it is known, else the first function is meant. A function has ended where a line after its body is not
    indented, or where its fence is, unless it needs a helper or constant that nothing defines so far. In a
    `final` text, where nothing more can come, it has ended even so. What a model writes while it thinks
    (`<think>`) is no answer. Only whole lines are looked at, so that the result for a text is the same
    however its tokens came.
    """
    end = text.rfind("\n") + 1
    start = _thought_end(text, end)
    if start is None or (not final and only_reasons(text)):
        return None
    if header:
        found = _function_end(text, 0, len(header), end, function, final=final)
        return found.place if final or not found.waits else None
    fences = [fence.start() for fence in _FENCE.finditer(text, start, end)]
    found = _find_function_end(text, start, fences[0] if fences else end, end, function, final=final)
    if found.place is not None and not found.waits:
        return found.place
    blocks = [
        (text.index("\n", opening) + 1, end if closing is None else closing, closing is not None)
        for opening, closing in zip_longest(fences[::2], fences[1::2])
    ]
    holding = (place for place, (begin, stop, _) in enumerate(blocks) if function in text[begin:stop])
    draft = found
    for place in islice(holding, TRIES):
        known = _of_block(text, end, blocks, place, function, final=final)
        if known.place is not None and not known.waits:
            return known.place
        if draft.place is None:
            draft = known
    return draft.place if final else None


def _of_block(
    text: str,
    end: int,
    blocks: Sequence[tuple[int, int, bool]],
    place: int,
    function: str,
    *,
    final: bool,
) -> _End:
    """Return where a function ends that is in the fenced block at a place: in it, with it, or with one after
    it that has what the function needs.
    """
    begin, stop, closed = blocks[place]
    if not text[begin:stop].strip():
        return _NOWHERE
    found = _find_function_end(text, begin, stop, stop, function, final=final)
    if not closed or (found.place is not None and not found.waits):
        return found
    if not _has_function(text[begin:stop], function):
        return _NOWHERE

    def after(closing: int) -> int:
        return text.find("\n", closing, end) + 1 or end

    before = "\n".join(text[one:other] for one, other, _ in blocks[:place])
    code = text[begin:stop]
    lacking = _undefined_names(code, before)
    for one, other, whole in blocks[place + 1 : place + 1 + TRIES]:
        if not lacking:
            break
        if whole:
            code += text[one:other]
            lacking = _undefined_names(code, before)
            if not lacking:
                return _End(after(other), waits=_is_outline(text[begin:stop], function))
    return _End(after(stop), waits=bool(lacking) or _is_outline(text[begin:stop], function))


def thinks(text: str) -> bool:
    """Return whether a model still thinks at the end of a text: what stands behind `<think>` is no answer."""
    return _thought_end(text, len(text)) is None


def _thought_end(text: str, end: int) -> int | None:
    """Return where the answer begins behind what a model thinks or reasons first; None where it still thinks.

    A template may have given `<think>`, so that only its end is in the text.
    """
    done = text.find(_HAS_THOUGHT, 0, end)
    if text.lstrip().startswith(_THINKS):
        return None if done < 0 else done + len(_HAS_THOUGHT)
    if done < 0:
        headed = behind_reasons(text)
        return headed if headed <= end else 0
    behind = done + len(_HAS_THOUGHT)
    is_open = len(_FENCE.findall(text, 0, done)) % 2  # then a fence behind it ends a block
    goes_on = len(_FENCE.findall(text, behind, end)) > is_open or _FUNCTION.search(text, behind, end)
    return behind if goes_on else 0


def _find_function_end(text: str, start: int, stop: int, end: int, function: str, *, final: bool) -> _End:
    """Return where a function ends that is defined between `start` and `stop`; the text until `end` may tell.

    Of a draft, which lacks something or reads nothing of what it is given, a later one takes the place.
    """
    draft = _NOWHERE
    for found in islice(_function_definitions(text, start, stop, function), TRIES):
        body = text.find("\n", found.end(), end) + 1 or end
        before = text[start : found.start()]
        indent, name = found.groups()
        if draft.place is not None and name != function:
            break
        known = _function_end(text, found.start(), body, end, name, indent=indent, before=before, final=final)
        if known.place is not None and function and _is_outline(text[found.start() : known.place], name):
            known = _End(known.place, waits=True)
        if known.place is not None and not known.waits:
            return known
        if draft.place is None:
            draft, function = known, function or (name if known.place is not None else "")
    return draft


def _function_definitions(text: str, start: int, stop: int, function: str) -> Iterator[re.Match[str]]:
    """Yield the definitions of a function at the margin, or of any without a name; else those that are
    indented, as all of an answer may be.
    """
    inner: list[re.Match[str]] = []
    at_margin = False
    for found in _FUNCTION.finditer(text, start, stop):
        if function in {"", found[2]}:
            if not found[1]:
                at_margin = True
                yield found
            elif function and len(inner) < TRIES:
                inner.append(found)
    owners = _OWNER.finditer(text, start, inner[-1].start()) if inner and not at_margin else ()
    shallowest = len(min((owner[1] for owner in owners), key=len, default=inner[0][1] if inner else ""))
    if not at_margin:
        yield from (found for found in inner if len(found[1]) <= shallowest)


def _function_end(
    text: str,
    start: int,
    body: int,
    end: int,
    function: str,
    *,
    indent: str = "",
    before: str = "",
    final: bool,
) -> _End:
    """Return where a function ends that starts at `start`, with its body at `body`; another line tells.

    Its header is indented by `indent`. What `before` defines counts as defined.
    """
    tried = 0
    first: int | None = None
    lacking: AbstractSet[str] = frozenset()
    for found in _outside_pattern(indent).finditer(text, body, end):
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
        if not _has_function(code, function):
            continue
        lacking = _undefined_names(code, before)
        if not lacking:
            return _End(_last_line(text, place))
        if first is None:
            first = _last_line(text, place)
    code = text[start:end]
    if final and first is not None and _has_function(code, function) and not _undefined_names(code, before):
        return _End(end)
    return _End(first, waits=first is not None)


@lru_cache(maxsize=64)
def _outside_pattern(indent: str) -> re.Pattern[str]:
    """Return a line that cannot belong to the body of a function whose header is indented so far."""
    return re.compile(rf"^(?!{indent}(?:{_IN_BODY})|[ \t]*\r?$).*", re.MULTILINE)


def _last_line(text: str, place: int) -> int:
    """Return where the line of code before a place ends; comments at the margin tell of what follows."""
    kept = text[:place].rstrip()
    while kept.startswith("#", begin := kept.rfind("\n") + 1):
        kept = kept[:begin].rstrip()
    return len(kept) + 1


@lru_cache(maxsize=16)
def read_answer(text: str) -> Source:
    """Return the code in an answer: where it ends, what it does and whether it is one ask for the same."""
    return read_response(text)


@lru_cache(maxsize=1024)
def _has_function(code: str, function: str) -> bool:
    """Return whether some code is whole and has the function, or any if no name is given."""
    source = read_answer(code)
    if source.language is None:
        return False
    found = returning_functions(source.data, languages()[source.language])
    return bool(found) and (not function or function in found)


def _is_outline(code: str, function: str) -> bool:
    """Return whether the function in some code reads nothing of what it is given: a sketch, as a rule."""
    source = read_answer(code)
    return source.language is not None and is_outline(source.data, languages()[source.language], function)


def _undefined_names(code: str, before: str = "") -> AbstractSet[str]:
    """Return what some code needs that neither it nor what stands `before` it defines."""
    source = read_answer(code)
    language = languages().get(source.language or "")
    if language is None or not (lacking := lacking_names(source.data, language)):
        return frozenset()
    return lacking - bound_names(before.encode(), language)
