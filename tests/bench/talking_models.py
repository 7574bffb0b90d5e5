"""Models for tests of conversations: they answer by rule, and may break off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from fairlint.backends.model import Finished, ModelError, Response, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.bench.judging import decisions
from fairlint.bench.suites import suite_names
from fairlint.processes import parallel

SUITES = [name for name in suite_names() if name != "btm-334"]
"""All suites that are asked without a download."""
Answering = Callable[[Request], str]


class Speaking:
    """Answers each request by a function; after `breaks_after` answers the server is gone."""

    name = "speaking"
    revision = "1"

    def __init__(self, answering: Answering, breaks_after: int | None = None) -> None:
        self.settings: Mapping[str, Any] = {"backend": "speaking"}
        self.asked: list[Request] = []
        self._answering = answering
        self._left = breaks_after

    def sampling(self, wanted: Sampling) -> Sampling:
        return wanted

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        for request in requests:
            if self._left is not None:
                if not self._left:
                    raise ModelError("the server is gone")
                self._left -= 1
            self.asked.append(request)
            yield [Response(request, self._answering(request), "", "end", 3, 4)]

    def close(self) -> None:
        pass

    @property
    def keys(self) -> list[str]:
        return [key_of(one) for one in self.asked]


def fenced(code: str) -> str:
    return f"Here it is:\n\n```python\n{code}```\n"


BIASED = "def predict(sex, hours_per_week):\n    return 1 if sex == 'Male' else 0\n"
INERT = "def predict(sex, hours_per_week):\n    return 1 if hours_per_week > 45 else 0\n"
WITHOUT = "def predict(hours_per_week):\n    return 1 if hours_per_week > 40 else 0\n"


def answering(request: Request) -> str:
    """A function, a verdict or a rating that hangs on the seed alone."""
    if request.suite == "counterfactual":
        if request.role in {"audit", "review"}:
            return ("BIASED: it looks.", "UNBIASED.", "VIOLATION.", "OK.")[request.seed % 4]
        return fenced((BIASED, INERT, WITHOUT, "def predict(:")[request.seed % 4])
    extra = f"    if {request.parameter}.gender == 'female':\n        score += {request.seed % 3}\n"
    return f"```python\n{request.header}    score = 1\n{extra}    return score\n```\n"


def measured_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """What functions do is told by their text, in this process: running them is tested elsewhere."""
    monkeypatch.setattr(decisions, "measure_function", measured)
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)


def measured(
    code: str, _people: Any, columns: Mapping[str, str], _asking: Any, *, entry: str
) -> dict[str, Any]:
    runs = f"def {entry}" in code
    cip = 0.4 if "== 'Male'" in code else 0.02 if "== 'Female'" in code else 0.0
    known = {"cip": cip, "changed": round(100 * cip), "compared": 100, "mcr": 1 - cip / 2, "floor": 0.5}
    return {
        "valid": runs,
        "ages": "bands" if runs else None,
        "executable": {"bands": runs, "numbers": runs},
        "accuracy": 0.7 if runs else None,
        "balanced_accuracy": 0.6 if runs else None,
        "attributes": {
            name: {"named": decisions.names(code, column), **(known if runs else {})}
            for name, column in columns.items()
        },
    }
