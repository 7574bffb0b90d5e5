"""What users are told of a server that fails: one line each, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any

from fairlint.backends.model import ModelError
from fairlint.backends.server_answers import NoReplyError, message

NO_SUCH_MODEL = re.compile(
    r"\bmodel\b.*\b(not (found|exist)|unknown)|(unknown|no such|invalid) model|model_not_found"
)
SHOWN_NAMES = 8
MOST_COMPARED = 5000
"""Names of a list among which the most like one is looked for."""


class RefusedError(ModelError):
    """A request that the server understood and does not answer."""


class Words:
    """The lines about one server. `secrets` are what none of them may hold."""

    def __init__(
        self, url: str, secrets: Iterable[str], *, key: str, withheld: str, timeout: float, retries: int
    ) -> None:
        self._url = url
        self._key = key
        self._withheld = withheld
        self._secrets = [secret for secret in (key, *secrets) if len(secret) > len("EMPTY")]
        self._timeout = timeout
        self._retries = retries

    def clean(self, words: str) -> str:
        """Return one short line without control characters, and without secrets or long parts of them."""
        words = words[:2000]
        for secret in self._secrets:
            while True:
                found = SequenceMatcher(None, words, secret, autojunk=False).find_longest_match()
                if found.size < min(8, len(secret)):
                    break
                words = f"{words[: found.a]}***{words[found.a + found.size :]}"
        line = " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
        return line if len(line) <= 300 else f"{line[:299]}…"

    def without_secrets(self, text: str) -> str:
        """Return a text as it is, but for secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def names(self, listed: Sequence[str], wanted: str) -> str:
        """Return the models that a server lists, the names most like the wanted one first."""

        def distance(name: str) -> float:
            return -SequenceMatcher(None, name.lower(), wanted.lower()).ratio()

        names = sorted(listed[:MOST_COMPARED], key=distance)
        more = f" and {len(listed) - SHOWN_NAMES} more" if len(listed) > SHOWN_NAMES else ""
        return ", ".join(self.clean(name) for name in names[:SHOWN_NAMES]) + more

    def refusal(self, error: Any, wanted: str, listed: Sequence[str]) -> ModelError:
        """Return what an `openai.APIStatusError` means for who asked for the model `wanted`."""
        url, status = self._url, error.status_code
        words = self.clean(message(error.body))
        told = f": {words}" if words else ""
        if status == 401 or (status == 403 and not words):
            what = f"the key was refused ({status})" if self._key else f"a key is needed ({status})"
            if self._withheld:
                return ModelError(f"{url}: {what}: {self._withheld}")
            return ModelError(f"{url}: {what}: set FAIRLINT_API_KEY to one that is valid there")
        if status == 403:
            return ModelError(f"{url}: the key was refused (403){told}")
        if 300 <= status < 400:
            place = self.clean(error.response.headers.get("location", ""))
            return ModelError(
                f"{url} sends on to another address ({status}{f': {place}' if place else ''}), which is not"
                " followed: name the right one with --base-url"
            )
        code = error.code if isinstance(error.code, str) else ""
        if status in (400, 404) and NO_SUCH_MODEL.search(f"{message(error.body)} {code}".lower()):
            names = f"it has {self.names(listed, wanted)}" if listed else "it does not tell which it has"
            return ModelError(f"{url} has no model {wanted!r}: {names}")
        if status in (404, 405, 501):
            return ModelError(f"{url} does not answer questions ({status}): most such addresses end in /v1")
        if status == 429 or status >= 500:
            what = "wants fewer requests" if status == 429 else "fails"
            pause = self.clean(error.response.headers.get("retry-after", ""))
            later = f", to be asked again in {pause} s" if pause.isdecimal() else ""
            return ModelError(f"{url} {what} ({status}, {self._number_of_tries(error)}{later}){told}")
        return RefusedError(f"{url} refused a request ({status}){told}")

    def broken(self, error: Exception, count: int) -> ModelError:
        """Return what it means that an answer did not come, broke off or took too long, so many times."""
        if isinstance(error, NoReplyError):
            return ModelError(
                f"{self._url} gave no answer within {self._timeout:g} s ({_attempts_text(count)})"
            )
        why = self.clean(str(error)) or f"an answer took longer than {self._timeout:g} s"
        return ModelError(f"{self._url}: {why} ({_attempts_text(count)})")

    def endless(self, seconds: float) -> ModelError:
        """Return what it means that an answer had not come after all tries and pauses that it may have."""
        return ModelError(f"{self._url}: an answer with all its tries took longer than {seconds:g} s")

    def unreachable(self, error: Any) -> ModelError:
        """Return what an `openai.APIConnectionError` means; that no connection came about in time is one,
        too.
        """
        why = self.clean(str(error.__cause__ or "")) or self.clean(str(error))
        return ModelError(f"{self._url} cannot be reached ({self._number_of_tries(error)}): {why}")

    def _number_of_tries(self, error: Any) -> str:
        again = error.request.headers.get("x-stainless-retry-count", "")  # where the package counts
        return _attempts_text((int(again) if again.isdecimal() else self._retries) + 1)


def _attempts_text(count: int) -> str:
    return "tried once" if count == 1 else f"tried {count} times"
