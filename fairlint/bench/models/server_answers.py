"""What servers answer: whole or in pieces, in the forms that differ from server to server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from fairlint.records import Record

Enough = Callable[[str], int | None]
"""How many characters of a text are the whole answer; None where more has to come."""


class Said(Record):
    """An answer as it came."""

    text: str
    end: int | None
    """How much of the text is the whole answer, where no more is needed."""
    finish: str | None
    usage: Any
    pieces: int = 0


class BrokenError(Exception):
    """An answer that broke off or makes no sense: it is asked for again."""


class NoStreamError(Exception):
    """A server that was asked for a stream gave something else."""


def whole(came: Any, enough: Enough, note: Callable[[Any], None]) -> Said:
    """What an answer says that came whole. `note` gets it if it is one; else BrokenError is raised."""
    choice = _choice(came)
    if choice is None:
        error = getattr(came, "error", None)
        raise BrokenError(message(error) or "the answer makes no sense: it has no choices")
    note(came)
    text = _plain(choice.message.content if hasattr(choice, "message") else choice.text)
    return Said(text, enough(text), choice.finish_reason, getattr(came, "usage", None))


async def streamed(came: Any, enough: Enough, note: Callable[[Any], None]) -> Said:
    """What a stream says, until it ends or there is enough. `note` gets each piece of the answer.

    Raises NoStreamError for what is no stream, and BrokenError for one that broke off.
    """
    text, pieces, finish, usage, end = "", 0, None, None, None
    async with came, aclosing(_pieces(came)) as chunks:
        if "json" in came.response.headers.get("content-type", ""):
            raise NoStreamError
        async for chunk in chunks:
            usage = getattr(chunk, "usage", None) or usage
            choice = _choice(chunk)
            if choice is None:
                continue
            note(chunk)
            finish = choice.finish_reason or finish
            told = choice.delta if hasattr(choice, "delta") else choice
            piece = _plain(told.content if hasattr(choice, "delta") else choice.text)
            pieces += bool(piece or getattr(told, "reasoning_content", None))
            text += piece
            if piece and (end := enough(text)) is not None:
                break
    if finish is None and end is None:
        raise BrokenError("an answer broke off")
    return Said(text, end, finish, usage, pieces)


def message(body: object) -> str:
    """What an error says, wherever the server has put it; nothing of a page for people."""
    if isinstance(body, dict):
        told = next((body[name] for name in ("message", "detail", "error") if body.get(name)), body)
        return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False, default=str)
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""


async def _pieces(stream: Any) -> AsyncGenerator[Any, None]:
    try:
        async for piece in stream:
            yield piece
    except Exception as error:  # of several packages: the connection's, the parser's, the server's own
        raise BrokenError(f"an answer broke off: {error}") from None


def _choice(came: Any) -> Any:
    """The first choice of an answer or a piece of one, if it has the form of one."""
    choices = getattr(came, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    told = (getattr(choice, name, None) for name in ("message", "delta"))
    known = any(hasattr(part, "content") for part in told) or hasattr(choice, "text")
    return choice if known and hasattr(choice, "finish_reason") else None


def _plain(content: Any) -> str:
    """The text of a content, which some servers give as a list of parts."""
    if isinstance(content, list):
        return "".join(_plain(part.get("text") if isinstance(part, dict) else None) for part in content)
    return content if isinstance(content, str) else ""
