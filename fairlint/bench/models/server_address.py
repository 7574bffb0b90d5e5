"""Where a server is and what it asks for: from options, or else from the environment."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from fairlint.bench.models.model import ModelError, ModelOptions
from fairlint.records import Record

OPENAI = "https://api.openai.com/v1"
LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


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


def address_of(options: ModelOptions) -> Address:
    """The server's address: of the options, FAIRLINT_BASE_URL or OPENAI_BASE_URL, or OpenAI's own.

    Raises ModelError where it is none, without repeating it: it may hold a password.
    """
    named = (
        options.base_url or os.environ.get("FAIRLINT_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or OPENAI
    )
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


def api_key(options: ModelOptions) -> str:
    """The key: of the options, FAIRLINT_API_KEY or OPENAI_API_KEY; empty where there is none.

    Raises ModelError for one that cannot be a key.
    """
    given = options.api_key or os.environ.get("FAIRLINT_API_KEY") or os.environ.get("OPENAI_API_KEY") or ""
    key = given.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError("the key for the server has characters that no key has: look at FAIRLINT_API_KEY")
    return key


def basic(login: str) -> str:
    """`user:password` as the header of HTTP's basic authentication has it (RFC 7617, section 2)."""
    return base64.b64encode(login.encode()).decode()
