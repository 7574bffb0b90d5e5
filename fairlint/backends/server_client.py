"""The way to a server and back: a request has one time limit and one of bytes, and goes to no other server.

The openai package's own time limits hold for one read each, so that a server which sends a byte now and then
would hold a request for ever.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai

from fairlint.backends.server_answers import BrokenError, NoReplyError

CONNECTING = 10.0
"""Seconds until a server that does not take a connection is given up."""
LARGEST_LIST = 16_000_000
"""Bytes of a server's list of models."""
LARGEST_REPLY = 64_000_000
"""Bytes of an answer, however many tokens are asked for."""
LARGEST_HEAD = 4_000_000
"""Bytes of an answer beside its tokens."""
LARGEST_TOKEN = 4_000
"""Bytes of a token: in a stream each has a line of its own, with the names of the model and the answer."""
LARGEST_REFUSAL = 1_000_000
"""Bytes of a reply that is no answer."""
LARGEST_PIECE = 1_000_000
"""Bytes of one piece of a stream, which is read as a whole."""
MOST_VALUES = 10_000
"""Texts, numbers, lists and tables in an answer, which has some dozens; each takes much memory."""
MOST_LISTED = 1_000_000
"""The same in a list of models."""
TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
BLANK_LINE = re.compile(rb"(?>\r\n|\r|\n)(?>\r\n|\r|\n)")
NEEDED = {
    "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host",
    "idempotency-key", "user-agent",
}  # fmt: skip
"""What a request to any server has in its head, beside what the openai package says of itself."""


def largest_reply(tokens: int) -> int:
    """Bytes that an answer of so many tokens may have."""
    return min(LARGEST_HEAD + LARGEST_TOKEN * tokens, LARGEST_REPLY)


class LimitedClient(openai.DefaultAsyncHttpxClient):
    """Sends each request to its server alone and reads `largest` bytes of the reply, all within `seconds`.

    What is read as a whole has `most` values, so that memory and time follow from the bytes of a text alone.
    Raises NoReplyError, TimeoutError or BrokenError, which the openai package passes on. Redirects are
    replies as others. What the openai package takes from the environment is sent with `environment` alone.
    """

    def __init__(self, *, seconds: float, largest: int, most: int, environment: bool, proxies: bool) -> None:
        super().__init__(
            # the whole has its limit below
            timeout=openai.Timeout(None, connect=min(seconds, CONNECTING)),
            follow_redirects=False,
            trust_env=proxies,
            headers={"Accept-Encoding": "identity"},  # a few bytes may be as many as you like when unpacked
        )
        self._seconds = seconds
        self._largest = largest
        self._most = most
        self._environment = environment

    async def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Return the reply, whose body is read by the time that `send` was given, too."""
        self.cookies.clear()  # no answer is to depend on another, nor is what a server sends to add up
        end = asyncio.get_running_loop().time() + self._seconds
        if not self._environment:
            for name in [name for name in request.headers if not _is_needed_header(name)]:
                del request.headers[name]
        try:
            async with asyncio.timeout_at(end):
                response = await super().send(request, stream=True, **how)
        except TimeoutError:
            raise NoReplyError from None
        try:
            packed = response.headers.get("content-encoding", "identity").strip().lower()
            if packed not in ("", "identity"):
                raise BrokenError(f"a reply is packed ({packed}), which nobody asked for")
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            largest = self._largest if response.is_success else min(self._largest, LARGEST_REFUSAL)
            response.stream = _Limited(response.stream, end, largest, in_pieces=stream)
            if not stream:
                _check_values(await response.aread(), self._most)
        except BaseException:
            await response.aclose()
            raise
        return response


class _Limited(httpx2.AsyncByteStream):
    """A body that ends in an error when its time is over or it is too large."""

    def __init__(self, body: httpx2.AsyncByteStream, end: float, largest: int, *, in_pieces: bool) -> None:
        self._body = body
        self._end = end
        self._largest = largest
        self._in_pieces = in_pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._largest
        size, tail = 0, b""
        loop = asyncio.get_running_loop()
        pieces = aiter(self._body)
        while True:
            try:
                async with asyncio.timeout_at(self._end):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            left -= len(piece)
            if left < 0:
                raise BrokenError(f"a reply is larger than {self._largest / 1e6:g} MB")
            if self._in_pieces:
                size, tail = _since_blank_line(size, tail, piece)
                if size > LARGEST_PIECE:
                    raise BrokenError(f"a piece of a stream is larger than {LARGEST_PIECE / 1e6:g} MB")
            if loop.time() > self._end:  # a timeout strikes only where there is something to wait for
                raise TimeoutError
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


def _since_blank_line(size: int, tail: bytes, more: bytes) -> tuple[int, bytes]:
    """Return how many bytes came since the last blank line, and the last of all, in which another
    may begin.
    """
    told = tail + more
    end = max((found.end() for found in BLANK_LINE.finditer(told)), default=0)
    return len(told) - end if end > len(tail) else size + len(more), told[-3:]


def _check_values(body: bytes, most: int) -> None:
    if _count_values(body) > most and _count_values(TEXT.sub(b"", body)) > most:
        raise BrokenError(f"a reply has more than {most:,} values")


def _count_values(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def _is_needed_header(name: str) -> bool:
    return name.lower() in NEEDED or name.lower().startswith("x-stainless-")
