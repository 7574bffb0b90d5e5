"""What an audit needs of a prompt, wherever it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fairlint.backends.requests import Message


class UnsureError(Exception):
    """Nobody can say surely how the text reads about a person: the case is left out, and counted."""


class Prompt(Protocol):
    """A prompt with placeholders, and where it stands."""

    @property
    def path(self) -> str:
        """The file that it stands in."""

    @property
    def line(self) -> int:
        """Its first line, from 1."""

    @property
    def last_line(self) -> int:
        """Its last line; 0 where it is all of a file."""

    @property
    def placeholders(self) -> list[str]:
        """The names of all placeholders, each once, in their order."""

    @property
    def known(self) -> Mapping[str, str]:
        """Placeholder → the attribute that the linter knows it to hold, `name`, or nothing of a person."""

    @property
    def finding_lines(self) -> frozenset[int]:
        """The lines of the linter's findings about it, where it was found by them."""

    @property
    def wording(self) -> str:
        """Its text, as far as it is known before anybody is asked."""

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages with these values in the placeholders.

        Raises UnsureError where that is not sure.
        """
