"""Asks a server which repositories an owner has, page by page.

Answers are a stranger's: of a repository only its name is taken, and a next page or another place is asked
only of the same server.
"""

from __future__ import annotations

import email.utils
import http.client
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from fairlint.fleet.forges import Query, token_of, token_server, token_variable
from fairlint.support.documents import read_json
from fairlint.support.records import Record

SECONDS = 60.0
"""How long a server may send nothing."""
LARGEST_PAGE = 50_000_000
"""Bytes of one answer: a hundred repositories take less than one million."""
MOST_PAGES = 10_000
"""Pages of an owner: a million repositories."""
LONGEST_WAIT = 300.0
"""Seconds that a server may ask to wait, for all pages of an owner."""
SHORTEST_WAIT = 1.0
"""Seconds that are waited at least, so that a server that always asks for none is left in the end."""
AGAIN = (2.0, 8.0)
"""Seconds before a server that breaks off or fails is asked again."""
_UNNAMED_WAIT = 60.0
"""Seconds to wait where a server does not say: GitHub asks for a minute at least."""
_NEXT = re.compile(r'<([^<>]+)>\s*;[^,<]*\brel="?next\b')
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)+")

Tell = Callable[[str], None]


def say_nothing(_words: str) -> None:
    """Tell nobody."""


class Lookup(Record):
    """Which repositories of an owner count, and who is told what is left out."""

    archived: bool = False
    forks: bool = False
    tell: Tell = say_nothing


class OwnedRepository(Record):
    """A repository of an owner: its name with the owner's, and what it is."""

    name: str
    is_archived: bool
    is_fork: bool


def owned_repositories(query: Query, tell: Tell) -> Iterator[OwnedRepository]:
    """Yield the repositories of an owner. A ValueError says in one clause why the server does not list
    them.
    """
    asking = _Asking(query, tell)
    address = query.address
    for _ in range(MOST_PAGES):
        page = asking.page(address)
        yield from (_read_repository(query, one) for one in page.repositories)
        following = page.following
        if not following:
            return
        if _server(following) != _server(address):
            raise ValueError(f"{query}: the next page is said to be on another server")
        address = following
    raise ValueError(f"{query}: has more than {MOST_PAGES:,} pages of repositories")


def chosen_repositories(query: Query, lookup: Lookup) -> list[str]:
    """Return the names of an owner's repositories that are to be checked, and tell how many are not.

    A ValueError as of `owned_repositories`.
    """
    chosen, archived, forks = [], 0, 0
    for one in owned_repositories(query, lookup.tell):
        if one.is_archived and not lookup.archived:
            archived += 1
        elif one.is_fork and not lookup.forks:
            forks += 1
        else:
            chosen.append(one.name)
    left = [
        f"{count:,} {what} ({option})"
        for count, what, option in ((archived, "archived", "--archived"), (forks, "forks", "--forks"))
        if count
    ]
    more = f"; left out: {' and '.join(left)}" if left else ""
    noun = "repository" if len(chosen) == 1 else "repositories"
    lookup.tell(f"fairlint: {query}: {len(chosen):,} {noun} to check{more}")
    return chosen


class _Page(NamedTuple):
    repositories: list[Any]
    following: str


class _Asking:
    """The requests of one query, and how long they may still wait."""

    def __init__(self, query: Query, tell: Tell) -> None:
        self._query, self._tell = query, tell
        self._left = LONGEST_WAIT
        self._token = token_of(query.forge, query.host)
        self._opener = urllib.request.build_opener(_SameServer())

    def page(self, address: str) -> _Page:
        """Return one page, after the pauses that the server asks for."""
        failures = iter(AGAIN)
        while True:
            try:
                return self._fetch_page(address)
            except urllib.error.HTTPError as error:
                with error:
                    pause = _asked_pause(error.code, error.headers, time.time())
                    if pause is not None:
                        self._wait(pause)
                        continue
                    if error.code < 500 or (pause := next(failures, None)) is None:
                        raise ValueError(self._refusal(error.code)) from None
                    time.sleep(pause)
            except (OSError, http.client.HTTPException) as error:
                pause = next(failures, None)
                if pause is None:
                    reason: object = getattr(error, "reason", None) or error
                    words = (isinstance(reason, OSError) and reason.strerror) or type(reason).__name__
                    raise ValueError(f"{self._query}: the server does not answer: {words}") from None
                time.sleep(pause)

    def _fetch_page(self, address: str) -> _Page:
        headers = {"User-Agent": "fairlint", **self._query.forge.headers}
        request = urllib.request.Request(address, headers=headers)  # noqa: S310 (of an owner's server)
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        with self._opener.open(request, timeout=SECONDS) as answer:
            data = answer.read(LARGEST_PAGE + 1)
            following = _NEXT.search(", ".join(answer.headers.get_all("Link", [])))
            place = answer.geturl()
        if len(data) > LARGEST_PAGE:
            raise ValueError(f"{self._query}: a page of its list is too large")
        try:
            found = read_json(data)
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise ValueError(f"{self._query}: the server does not answer as {self._query.forge.title} does")
        return _Page(found, urljoin(place, following[1]) if following else "")

    def _wait(self, asked: float) -> None:
        seconds = max(asked, SHORTEST_WAIT)
        if seconds > self._left:
            reason = f"{self._query}: the server's rate limit lets nothing through for {seconds:,.0f} s"
            raise ValueError(reason if self._token else f"{reason}; {self._token_hint()}")
        self._left -= seconds
        self._tell(f"fairlint: {self._query}: waiting {seconds:,.0f} s for the server's rate limit")
        time.sleep(seconds)

    def _refusal(self, code: int) -> str:
        forge, host = self._query.forge, self._query.host
        if code in {401, 403} and self._token:
            return f"{self._query}: the server refuses the token in {token_variable(forge, host)} ({code})"
        if code in {401, 403, 404}:
            hint = "" if self._token else f"; {self._token_hint()}"
            return f"{self._query}: the server shows no such owner ({code}){hint}"
        if 300 <= code < 400:
            return f"{self._query}: the server leads to another one, which is not asked"
        return f"{self._query}: the server fails ({code})"

    def _token_hint(self) -> str:
        forge, host = self._query.forge, self._query.host
        meant = token_server(forge)
        variable = forge.tokens[0]
        if meant == host.lower():
            return f"{variable} may hold a token"
        return f"{variable} is for {meant}, as long as {forge.servers[0]} does not name {host}"


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects on one server alone; the token goes along there."""

    def redirect_request(  # noqa: PLR0917 (as in the base class)
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if _server(newurl) != _server(req.full_url):
            return None
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None and (token := req.unredirected_hdrs.get("Authorization")):
            made.add_unredirected_header("Authorization", token)
        return made


def _server(address: str) -> str:
    """Return an address without its path; empty where it is none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


def _read_repository(query: Query, value: Any) -> OwnedRepository:
    """Return a repository of an answer."""
    forge = query.forge
    name = value.get(forge.name) if isinstance(value, dict) else None
    is_name = isinstance(name, str) and _NAME.fullmatch(name) and not {".", ".."} & set(name.split("/"))
    if not is_name or (not forge.nested and str(name).count("/") != 1):
        raise ValueError(f"{query}: the server does not answer as {forge.title} does")
    return OwnedRepository(str(name), bool(value.get(forge.archived)), bool(value.get(forge.fork)))


def _asked_pause(code: int, headers: Message, now: float) -> float | None:
    """Return for how many seconds a server wants no more requests; None where that is not why it refuses."""
    if code not in {403, 429}:
        return None
    if (asked := headers.get("Retry-After", "").strip()) and (
        pause := _seconds_until(asked, now)
    ) is not None:
        return pause
    for prefix in ("X-RateLimit-", "RateLimit-"):
        left, reset = headers.get(f"{prefix}Remaining", ""), headers.get(f"{prefix}Reset", "").strip()
        if (left.strip() == "0" or code == 429) and reset.isascii() and reset.isdigit():
            return max(float(reset) - now, 0.0) + 1.0
    return _UNNAMED_WAIT if code == 429 else None


def _seconds_until(text: str, now: float) -> float | None:
    """Return the seconds that a `Retry-After` means: a number, or a date."""
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - now, 0.0)
    except ValueError:
        return None
