"""What servers answer: whole or in pieces, in the forms that differ from server to server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Any

from fairlint.support.records import Record

LONGEST_ANSWER = 1_000_000
"""Characters of an answer, whatever its bytes: it is kept as one line of a run folder."""
LONGEST_TOLD = 4000
"""Characters of what an error says that are looked at."""
MOST_TOKENS = 1_000_000_000
"""Tokens of a question or an answer; more is no count."""

Enough = Callable[[str], int | None]
"""How many characters of a text are the whole answer; None where more has to come."""


class Tokens(Record):
    """What a server says of an answer's tokens; 0 where it says nothing that can be."""

    prompt: int = 0
    new: int = 0
    told: bool = False
    """Whether it has told them."""


class Said(Record):
    """An answer as it came."""

    text: str
    end: int | None
    """How much of the text is the whole answer, where no more is needed."""
    finish: str | None
    tokens: Tokens
    pieces: int = 0


class BrokenError(Exception):
    """An answer that broke off or makes no sense: it is asked for again."""


class NoReplyError(Exception):
    """A server whose reply had not begun when the time was over."""


class NoStreamError(Exception):
    """A server that was asked for a stream gave something else."""


def whole(came: Any, enough: Enough, note: Callable[[Any], None]) -> Said:
    """Return what an answer says that came whole. `note` gets it if it is one; else BrokenError is raised."""
    choice = _first_choice(came)
    if choice is None:
        error = getattr(came, "error", None)
        raise BrokenError(message(error) or "the answer makes no sense: it has no choices")
    note(came)
    text = _content_text(choice.message.content if hasattr(choice, "message") else choice.text)
    _check_length(text)
    return Said(text, enough(text), _finish_reason_of(choice), tokens_of(getattr(came, "usage", None)))


async def read_stream(came: Any, enough: Enough, note: Callable[[Any], None]) -> Said:
    """Return what a stream says, until it ends or there is enough. `note` gets each piece of the answer.

    Raises NoStreamError for what is no stream, and BrokenError for one that broke off.
    """
    text, pieces, finish, usage, end = "", 0, None, None, None
    async with came, aclosing(_iter_stream(came)) as chunks:
        if "json" in came.response.headers.get("content-type", ""):
            raise NoStreamError
        async for chunk in chunks:
            usage = getattr(chunk, "usage", None) or usage
            choice = _first_choice(chunk)
            if choice is None:
                continue
            note(chunk)
            finish = _finish_reason_of(choice) or finish
            told = choice.delta if hasattr(choice, "delta") else choice
            piece = _content_text(told.content if hasattr(choice, "delta") else choice.text)
            pieces += bool(piece or getattr(told, "reasoning_content", None))
            text += piece
            _check_length(text)
            if piece and (end := enough(text)) is not None:
                break
    if finish is None and end is None:
        raise BrokenError("an answer broke off")
    return Said(text, end, finish, tokens_of(usage), pieces)


def tokens_of(usage: object) -> Tokens:
    """Return the tokens that a server tells, if both are numbers that can be."""
    prompt, new = (
        _token_count(getattr(usage, name, None)) for name in ("prompt_tokens", "completion_tokens")
    )
    return Tokens(prompt or 0, new or 0, prompt is not None and new is not None)


def message(body: object) -> str:
    """Return what an error says, wherever the server has put it; nothing of a page for people."""
    if isinstance(body, dict):
        told = next((body[name] for name in ("message", "detail", "error") if body.get(name)), body)
        return told[:LONGEST_TOLD] if isinstance(told, str) else as_json(told)
    return body[:LONGEST_TOLD] if isinstance(body, str) and not body.lstrip().startswith("<") else ""


def as_json(told: object) -> str:
    """Return what a server has sent, as it may have been written; empty for what nests too deeply."""
    try:
        return json.dumps(told, ensure_ascii=False, default=str)[:LONGEST_TOLD]
    except (RecursionError, ValueError):
        return ""


def no_sense(error: Exception) -> BrokenError:
    """Return what a reply is that something in the way of reading it gave up on."""
    why = {MemoryError: "it takes more memory than there is", RecursionError: "it is nested too deeply"}
    told = why.get(type(error)) or str(error) or type(error).__name__
    return BrokenError(f"the answer makes no sense: {told}")


async def _iter_stream(stream: Any) -> AsyncGenerator[Any, None]:
    try:
        async for piece in stream:
            yield piece
    except (BrokenError, TimeoutError):
        raise
    except (MemoryError, RecursionError) as error:
        raise no_sense(error) from None
    except Exception as error:  # of several packages: the connection's, the parser's, the server's own
        raise BrokenError(f"an answer broke off: {error}") from None


def _first_choice(came: Any) -> Any:
    """Return the first choice of an answer or a piece of one, if it has the form of one."""
    choices = getattr(came, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    told = (getattr(choice, name, None) for name in ("message", "delta"))
    known = any(hasattr(part, "content") for part in told) or hasattr(choice, "text")
    return choice if known and hasattr(choice, "finish_reason") else None


def _content_text(content: object) -> str:
    """Return the text of a content, which some servers give as a list of parts."""
    if isinstance(content, list):
        return "".join(
            _require_text(part.get("text") if isinstance(part, dict) else part) for part in content
        )
    return _require_text(content)


def _require_text(told: object) -> str:
    if told is not None and not isinstance(told, str):
        raise BrokenError(f"the answer makes no sense: its text is {_kind_name(told)}")
    return told or ""


def _finish_reason_of(choice: Any) -> str | None:
    """Return why an answer has ended, where it has."""
    told = choice.finish_reason
    if told is None or isinstance(told, str):
        return told
    raise BrokenError(f"the answer makes no sense: its finish_reason is {_kind_name(told)}")


def _kind_name(told: object) -> str:
    kinds = {bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(told), "a table")


def _check_length(text: str) -> None:
    if len(text) > LONGEST_ANSWER:
        raise BrokenError(f"an answer is longer than {LONGEST_ANSWER:,} characters")


def _token_count(told: object) -> int | None:
    """Return a number of tokens, which some servers write as a text or a fraction; None for what cannot be
    one.
    """
    if isinstance(told, str) and told.isdecimal():
        with suppress(ValueError):  # of very many digits Python makes no number
            told = int(told)
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= MOST_TOKENS:
        return None
    return int(told)
