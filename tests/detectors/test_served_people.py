"""Who is handed to a function as a `client` is somebody; a client on which methods are called is not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")


def findings(code: str, path: str = "part.py") -> list[tuple[str, str]]:
    report = check_source(dedent(code), path=path, settings=NOTES)
    return [(one.rule, one.severity) for one in report.findings]


PEOPLE = {
    "a client": """
        def accept(client):
            if client.disabled:
                return False
            return True
    """,
    "guests one by one": """
        def invited(guests):
            found = []
            for guest in guests:
                if guest.disabled:
                    continue
                found.append(guest)
            return found
    """,
    "a new client by type": """
        def accept(who: Client):
            if who.disabled:
                return False
            return True
    """,
    "a member's key": """
        def accept(member):
            if member["disabled"]:
                return False
            return True
    """,
}


@pytest.mark.parametrize("name", PEOPLE)
def test_somebody_served_who_is_disabled_is_noted(name: str) -> None:
    assert [severity for _, severity in findings(PEOPLE[name])] == ["note"]


THINGS = {
    "a client that gets requests": """
        def send(client, path):
            if client.disabled:
                return False
            return client.get(path)
    """,
    "a client that is made here": """
        def send(key):
            client = Client(key)
            if client.disabled:
                return False
            return True
    """,
    "a client of HTTP": """
        def accept(http_client):
            if http_client.disabled:
                return False
            return True
    """,
    "a client by its type": """
        def accept(client: AsyncHttpClient):
            if client.disabled:
                return False
            return True
    """,
    "a client that a part has": """
        class Sender:
            def accept(self, event):
                if self.client.disabled:
                    return False
                return True
    """,
    "the client itself": """
        class Client:
            def accept(self, event):
                if self.disabled:
                    return False
                return True
    """,
    "a widget": """
        def accept(widget):
            if widget.disabled:
                return False
            return True
    """,
    "a button": """
        def press(button):
            if button.disabled:
                return False
            return True
    """,
    "a feature": """
        def is_on(feature):
            if feature.disabled:
                return False
            return True
    """,
    "children of a widget": """
        def drawn(window):
            found = []
            for child in window.parts:
                if child.disabled:
                    continue
                found.append(child)
            return found
    """,
}


@pytest.mark.parametrize("name", THINGS)
def test_a_part_of_a_program_is_switched_off(name: str) -> None:
    assert findings(THINGS[name]) == []


@pytest.mark.parametrize(("kind", "found"), [("client", ["note"]), ("widget", [])])
def test_the_same_in_c(kind: str, found: list[str]) -> None:
    code = f"""
        struct {kind} {{ int disabled; }};
        int accept(struct {kind} *one) {{ if (one->disabled) return 0; return 1; }}
    """
    assert [severity for _, severity in findings(code, "accept.c")] == found
