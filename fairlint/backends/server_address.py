"""Where a server is and what it asks for: from options, or else from the environment."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from fairlint.backends.model import ModelError, ModelOptions
from fairlint.support.records import Record

OPENAI = "https://api.openai.com/v1"
LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")
PORTS = {"http": 80, "https": 443}


class Address(Record):
    """Where a server is; what an address may hold of secrets is apart."""

    url: str
    query: Mapping[str, str]
    login: str
    """`user:password`, or nothing."""
    loopback: bool
    """Whether it is on this machine."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be told of it, as written and as sent."""
        return (self.login, self.login.partition(":")[2], basic(self.login), *self.query.values())


class Home(Record):
    """A variable of the environment that holds a key, and the one that names the server it is for."""

    key: str
    address: str
    otherwise: str
    """The server where that variable is not set; empty: whichever is asked for."""

    @property
    def url(self) -> str:
        """The server, as the environment has it."""
        return os.environ.get(self.address) or self.otherwise

    def has(self, url: str) -> bool:
        """Return whether the server at `url` may get the key."""
        return not self.url or origin(self.url) == origin(url)


HOMES = (
    Home("FAIRLINT_API_KEY", "FAIRLINT_BASE_URL", ""),
    Home("OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI),
)
"""The variables that are asked, in this order."""


class Origin(NamedTuple):
    """What makes a server another one."""

    scheme: str
    host: str
    port: int | None


def origin(url: str) -> Origin:
    """Return the origin of an address. One that is none has no host."""
    try:
        parts = urlsplit(url.strip())
        return Origin(parts.scheme, parts.hostname or "", parts.port or PORTS.get(parts.scheme))
    except ValueError:
        return Origin("", "", None)


def address_of(options: ModelOptions) -> Address:
    """Return the server's address: of the options, FAIRLINT_BASE_URL or OPENAI_BASE_URL, or OpenAI's own.

    Raises ModelError where it is none, without repeating it: it may hold a password.
    """
    named = options.base_url or next(home.url for home in HOMES if home.url)
    try:
        parts = urlsplit(named.strip())
        host = "" if parts.port == 0 else parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise ModelError("the server's address has to be like http://localhost:8000/v1")
    login, _, place = parts.netloc.rpartition("@")
    return Address(
        f"{parts.scheme}://{place}{parts.path.rstrip('/')}",
        dict(parse_qsl(parts.query)),
        unquote(login),
        LOOPBACK.fullmatch(host) is not None,
    )


def api_key(options: ModelOptions, url: str) -> str:
    """Return the key for the server at `url`: of the options, or a key of the environment that belongs to it;
    empty where there is none.

    Raises ModelError for one that cannot be a key.
    """
    own = (os.environ.get(home.key) for home in HOMES if home.has(url))
    key = (options.api_key or next(filter(None, own), "")).strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError("the key for the server has characters that no key has: look at FAIRLINT_API_KEY")
    return key


def withheld(options: ModelOptions) -> str:
    """Return what there is to say of a key of the environment that the server does not get; empty where it
    gets one.

    Empty, too, where the address or the key is none: that is told when the server is asked.
    """
    try:
        address = address_of(options)
        if address.login or api_key(options, address.url):
            return ""
    except ModelError:
        return ""
    named = next((home for home in HOMES if os.environ.get(home.key)), None)
    if named is None:
        return ""
    host = urlsplit(address.url).netloc
    home = urlsplit(named.url).netloc.rpartition("@")[2] or "another server"
    return f"{named.key} is for {home} and is not sent to {host}; --api-key-env {named.key} sends it"


def gets_environment(url: str) -> bool:
    """Return whether a server is the one that the variables of the openai package are about."""
    return HOMES[-1].has(url)


def basic(login: str) -> str:
    """`user:password` as the header of HTTP's basic authentication has it (RFC 7617, section 2)."""
    return base64.b64encode(login.encode()).decode()
