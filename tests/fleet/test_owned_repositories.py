"""Lists that a server gives: all repositories of an organisation, a user or a group."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from forge_server import SECRET, ForgeServer, of_github, serve_forge

from fairlint.cli import main
from fairlint.fleet.entries import entry_words, parse_entry, read_entries
from fairlint.fleet.forges import WORDS, parse_query, token_of
from fairlint.fleet.owned_repositories import Lookup
from fairlint.support.errors import UsageError

ORG = "/api/v3/orgs/acme/repos"


@pytest.fixture(autouse=True)
def _own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for forge in WORDS.values():
        for name in (*forge.tokens, *forge.servers):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def forge() -> Iterator[ForgeServer]:
    with serve_forge() as made:
        yield made


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, none of which takes time."""
    made: list[float] = []
    monkeypatch.setattr(time, "sleep", made.append)
    return made


def dry_run(forge: ForgeServer, *more: str) -> int:
    return main(["fleet", "scan", "org:acme", "--host", forge.host, "--dry-run", *more])


def refusal(forge: ForgeServer, words: str = "org:acme") -> str:
    with pytest.raises(UsageError) as caught:
        read_entries(words, forge.host)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_all_pages_of_an_organisation_are_listed(
    forge: ForgeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"acme/shop{number}" for number in range(5)]
    forge.lists[ORG] = [of_github(name) for name in names]
    assert dry_run(forge) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [f"http://{forge.host}/{name}" for name in names]
    assert told.err == f"fairlint: org:acme on {forge.host}: 5 repositories to check\n"
    assert len(forge.asked) == 3
    assert not any("Authorization" in headers for _, headers in forge.asked)


def test_what_a_dry_run_prints_is_a_list(forge: ForgeServer, capsys: pytest.CaptureFixture[str]) -> None:
    forge.lists[ORG] = [of_github("acme/shop")]
    Path("checkouts/till").mkdir(parents=True)
    Path("list").write_text(
        "org:acme\ncheckouts/till\npypi:requests==2.32.0\na.zip\nhttps://example.org/a/b.git\n"
    )
    assert main(["fleet", "scan", "list", "--host", forge.host, "--dry-run", "-q"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    entries, _ = read_entries("list", forge.host)
    assert [entry_words(one) for one in entries] == told.out.splitlines()
    assert [(one.kind, one.address) for one in map(parse_entry, told.out.splitlines())] == [
        (one.kind, one.address) for one in entries
    ]
    assert not Path("store").exists()


def test_archived_repositories_and_forks_are_counted_and_left_out(
    forge: ForgeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    forge.lists[ORG] = [
        of_github("acme/shop"), of_github("acme/old", archived=True), of_github("acme/older", archived=True),
        of_github("acme/theirs", fork=True),
    ]  # fmt: skip
    dry_run(forge)
    told = capsys.readouterr()
    assert told.out == f"http://{forge.host}/acme/shop\n"
    assert "1 repository to check; left out: 2 archived (--archived) and 1 forks (--forks)" in told.err
    dry_run(forge, "--archived", "--forks")
    told = capsys.readouterr()
    assert (len(told.out.splitlines()), "left out" in told.err) == (4, False)


def test_an_owner_without_anything_to_check_is_told(forge: ForgeServer) -> None:
    forge.lists[ORG] = []
    assert refusal(forge) == "org:acme: has no repository to check"


def test_groups_of_gitlab_have_theirs_from_below_too(forge: ForgeServer) -> None:
    forge.lists["/api/v4/groups/acme%2Fweb/projects"] = [
        {"path_with_namespace": "acme/web/shop"},
        {"path_with_namespace": "acme/web/inner/till", "archived": False},
        {"path_with_namespace": "acme/web/theirs", "forked_from_project": {"id": 3}},
    ]
    entries, _ = read_entries("group:acme/web", forge.host)
    assert [one.name for one in entries] == [
        f"{forge.host}/acme/web/shop",
        f"{forge.host}/acme/web/inner/till",
    ]
    assert "include_subgroups=true" in forge.asked[0][0]


def test_an_organisation_may_be_a_line_of_a_list(forge: ForgeServer) -> None:
    """What two lines name is checked once."""
    forge.lists["/api/v3/users/ann/repos"] = [of_github("acme/shop"), of_github("ann/till")]
    Path("list").write_text(f"# ours\nacme/shop\nuser:ann@{forge.host}\npypi:requests\n")
    entries, again = read_entries("list", forge.host)
    names = [f"{forge.host}/acme/shop", f"{forge.host}/ann/till", "pypi:requests"]
    assert ([one.name for one in entries], again) == (names, 1)
    Path("list").write_text("acme/shop\norg:nobody\n")
    with pytest.raises(UsageError, match=r"list:2: org:nobody on .*: the server shows no such owner"):
        read_entries("list", forge.host)


def test_the_token_goes_to_its_own_server_alone(
    forge: ForgeServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forge.lists[ORG] = [of_github("acme/shop")]
    forge.wanted = SECRET
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    assert dry_run(forge) == 2
    told = capsys.readouterr().err
    assert f"GH_TOKEN is for github.com, as long as GH_HOST does not name {forge.host}" in told
    assert not any("Authorization" in headers for _, headers in forge.asked)
    monkeypatch.setenv("GITHUB_SERVER_URL", f"http://{forge.host}")
    assert dry_run(forge) == 0
    assert not token_of(WORDS["org"], "github.com")
    monkeypatch.delenv("GITHUB_TOKEN")
    monkeypatch.setenv("GITLAB_TOKEN", SECRET)
    assert dry_run(forge) == 2
    assert SECRET not in told + "".join(capsys.readouterr())


def test_a_refused_token_is_named_by_its_variable(
    forge: ForgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", SECRET)
    monkeypatch.setenv("GH_HOST", forge.host)
    forge.first = [(401, {})]
    told = refusal(forge)
    assert told.endswith("refuses the token in GH_TOKEN (401)")
    assert SECRET not in told


@pytest.mark.parametrize("how", ["Location", "Link"])
def test_the_token_does_not_follow_to_another_server(
    forge: ForgeServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("GH_TOKEN", SECRET)
    monkeypatch.setenv("GH_HOST", forge.host)
    forge.lists[ORG] = [of_github(f"acme/shop{number}") for number in range(5)]
    with serve_forge() as other:
        if how == "Location":
            forge.first = [(307, {"Location": f"http://{other.host}{ORG}"})]
        else:
            forge.next_host = other.host
        assert "another" in refusal(forge)
        assert other.asked == []


def test_an_organisation_that_was_renamed_is_followed_on_its_server(
    forge: ForgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", SECRET)
    monkeypatch.setenv("GH_HOST", forge.host)
    forge.wanted = SECRET
    forge.lists["/api/v3/organizations/7/repos"] = [of_github("newer/shop")]
    forge.first = [(301, {"Location": "/api/v3/organizations/7/repos"})]
    assert [one.name for one in read_entries("org:acme", forge.host)[0]] == [f"{forge.host}/newer/shop"]


@pytest.mark.parametrize(
    ("code", "headers", "seconds"),
    [
        (429, {"Retry-After": "7"}, 7.0),
        (403, {"Retry-After": "0"}, 1.0),
        (429, {}, 60.0),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1030"}, 31.0),
        (429, {"RateLimit-Reset": "1030"}, 31.0),
        (429, {"Retry-After": "Thu, 01 Jan 1970 00:17:20 GMT"}, 40.0),
    ],
)
def test_a_rate_limit_is_waited_for(
    forge: ForgeServer,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    headers: dict[str, str],
    seconds: float,
) -> None:
    pauses: list[float] = []
    told: list[str] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    forge.lists[ORG] = [of_github("acme/shop")]
    forge.first = [(code, headers)]
    assert len(read_entries("org:acme", forge.host, Lookup(tell=told.append))[0]) == 1
    assert pauses == [seconds]
    assert f"waiting {seconds:.0f} s for the server's rate limit" in told[0]


def test_a_rate_limit_that_takes_too_long_is_one_line(forge: ForgeServer, pauses: list[float]) -> None:
    forge.first = [(403, {"Retry-After": "3600"})]
    assert "rate limit lets nothing through for 3,600 s; GH_TOKEN is for" in refusal(forge)
    forge.first = [(429, {"Retry-After": "200"}), (429, {"Retry-After": "200"})]
    assert "rate limit" in refusal(forge)
    assert pauses == [200.0]


def test_a_server_that_fails_is_asked_again(forge: ForgeServer, pauses: list[float]) -> None:
    forge.lists[ORG] = [of_github("acme/shop")]
    forge.first = [(502, {}), (503, {})]
    assert len(read_entries("org:acme", forge.host)[0]) == 1
    forge.first = [(500, {})] * 3
    assert refusal(forge).endswith("the server fails (500)")
    forge.host = "127.0.0.1:9"
    assert "does not answer: " in refusal(forge)
    assert len(pauses) == 6


@pytest.mark.parametrize(
    "listed",
    [
        ["shop"], [{"full_name": "shop"}], [{"full_name": "-oProxy/shop"}], [{"full_name": "../shop"}],
        [{"full_name": "acme/.."}], [{"full_name": "acme/a/b"}], [{"full_name": 3}], [{}],
        [{"full_name": "evil.example/a@b"}],
    ],
)  # fmt: skip
def test_an_answer_that_names_no_repository_is_refused(forge: ForgeServer, listed: list[object]) -> None:
    forge.lists[ORG] = listed
    assert "does not answer as GitHub does" in refusal(forge)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("org:", "names no owner"), ("org:a b@x", "no name of an owner"),
        ("org:acme/shop@x.org", "no name of an owner"),
        ("group:acme/../x@x.org", "no name of an owner"), ("user:ann@-oProxy", "no name of a server"),
        ("org:acme", "has no server"), ("group:acme@a@b", "names no owner"),
    ],
)  # fmt: skip
def test_a_query_that_names_no_owner_is_told(words: str, told: str) -> None:
    Path("list").write_text(f"# first\n{words}\n")
    with pytest.raises(UsageError, match=f"list:2: .*{told}"):
        read_entries("list")


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("org:acme@github.com", "https://api.github.com/orgs/acme/repos?per_page=100&type=all"),
        ("user:ann@acme.ghe.com", "https://api.acme.ghe.com/users/ann/repos?per_page=100&type=owner"),
        ("org:acme@code.acme.com", "https://code.acme.com/api/v3/orgs/acme/repos?per_page=100&type=all"),
        (
            "group:a/b@gitlab.com",
            "https://gitlab.com/api/v4/groups/a%2Fb/projects?per_page=100&include_subgroups=true&with_shared=false",
        ),
    ],
)
def test_servers_have_their_interface_where_they_say(words: str, address: str) -> None:
    query = parse_query(words)
    assert query is not None
    assert query.address == address
