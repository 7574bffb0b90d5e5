"""Servers that host repositories: how entries name their owners, and whose the tokens of the environment are.

A token is for one server. It goes to no other, and by HTTPS alone unless the server is on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from fairlint.support.records import Record
from fairlint.support.remote_git import Login

LOCAL = re.compile(r"(?:localhost|127(?:\.\d+){3})(?::\d+)?")
"""Servers on this machine, which are asked by HTTP."""
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?")
_ENTRY = re.compile(r"([a-z]+):([^@:]+)(?:@([^@]+))?")


class Forge(Record):
    """What servers of one kind have in common."""

    title: str
    owners: Mapping[str, str]
    """Word of an entry → where the API lists the repositories of such an owner."""
    owner_names: re.Pattern[str]
    home: str
    """The server that a token is for where none of `servers` names another."""
    tokens: tuple[str, ...]
    servers: tuple[str, ...]
    login: str
    """The name that git gives with a token."""
    api: str
    """Where the API is, below the address of a server."""
    hosted_api: re.Pattern[str]
    """Servers whose API is on a host of its own: `api.` and the name."""
    headers: Mapping[str, str]
    name: str
    archived: str
    fork: str
    """Keys of a repository in an answer."""
    nested: bool = False
    """Whether a repository may lie deeper than `OWNER/NAME`."""


FORGES = (
    Forge(
        title="GitHub",
        owners={
            "org": "/orgs/{}/repos?per_page=100&type=all",
            "user": "/users/{}/repos?per_page=100&type=owner",
        },
        owner_names=re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*"),
        home="github.com",
        tokens=("GH_TOKEN", "GITHUB_TOKEN"),
        servers=("GH_HOST", "GITHUB_SERVER_URL"),
        login="x-access-token",
        api="/api/v3",
        hosted_api=re.compile(r"github\.com|[A-Za-z0-9-]+\.ghe\.com"),
        headers={"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
        name="full_name",
        archived="archived",
        fork="fork",
    ),
    Forge(
        title="GitLab",
        owners={"group": "/groups/{}/projects?per_page=100&include_subgroups=true&with_shared=false"},
        owner_names=re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*"),
        home="gitlab.com",
        tokens=("GITLAB_TOKEN",),
        servers=("GITLAB_HOST", "CI_SERVER_URL"),
        login="oauth2",
        api="/api/v4",
        hosted_api=re.compile(r"(?!)"),
        headers={"Accept": "application/json"},
        name="path_with_namespace",
        archived="archived",
        fork="forked_from_project",
        nested=True,
    ),
)  # fmt: skip
WORDS: Mapping[str, Forge] = {word: forge for forge in FORGES for word in forge.owners}


class Query(Record):
    """An entry that stands for all repositories of an owner on a server."""

    word: str
    owner: str
    host: str

    @property
    def forge(self) -> Forge:
        """What kind of server it is."""
        return WORDS[self.word]

    @property
    def address(self) -> str:
        """Where the API lists them."""
        path = self.forge.owners[self.word].format(quote(self.owner, safe=""))
        if self.forge.hosted_api.fullmatch(self.host.lower()):
            return f"https://api.{self.host}{path}"
        return f"{server_address(self.host)}{self.forge.api}{path}"

    def __str__(self) -> str:
        return f"{self.word}:{self.owner} on {self.host}"


def parse_query(words: str, host: str = "") -> Query | None:
    """Return the query in an entry such as `org:acme` or `group:acme/shop@gitlab.com`; None where it is
    another entry.

    A ValueError says in one clause what is wrong with it.
    """
    found = _ENTRY.fullmatch(words)
    if found is None or found[1] not in WORDS:
        if words.partition(":")[0] in WORDS:
            raise ValueError(f"'{words}' names no owner, as org:acme or group:acme/shop@gitlab.com")
        return None
    word, owner, server = found[1], found[2], found[3] or host
    if not WORDS[word].owner_names.fullmatch(owner):
        raise ValueError(f"'{owner}' is no name of an owner on {WORDS[word].title}")
    if not server:
        raise ValueError(f"'{words}' has no server: name it by --host, or write {words}@{WORDS[word].home}")
    if not HOST.fullmatch(server):
        raise ValueError(f"'{server}' is no name of a server")
    return Query(word, owner, server)


def server_address(host: str) -> str:
    """Return the address of a server."""
    return f"{'http' if LOCAL.fullmatch(host) else 'https'}://{host}"


def token_variable(forge: Forge, host: str) -> str:
    """Return the variable with the token for a server; empty where there is none for it."""
    if host.lower() != token_server(forge):
        return ""
    return next((name for name in forge.tokens if os.environ.get(name, "").strip()), "")


def token_server(forge: Forge) -> str:
    """Return the one server that tokens of the environment are for."""
    named = next((value for name in forge.servers if (value := os.environ.get(name, "").strip())), "")
    try:
        return (urlsplit(named).netloc if "://" in named else named).lower() or forge.home
    except ValueError:
        return forge.home


def token_of(forge: Forge, host: str) -> str:
    """Return the token for a server; empty where there is none for it, or one that no header can have."""
    value = os.environ.get(token_variable(forge, host) or " ", "").strip()
    return value if value.isascii() and value.isprintable() else ""


def login_for(address: str) -> Login | None:
    """Return the name and the token for the server of an address; None where none are for it."""
    host = urlsplit(address).netloc
    origin = server_address(host)
    for forge in FORGES:
        if address.startswith(f"{origin}/") and token_of(forge, host):
            return Login(origin, forge.login, token_variable(forge, host))
    return None
