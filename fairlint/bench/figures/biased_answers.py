"""By which attributes the answers of a run are biased, of suites that measure bias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.bench.report import bias
from fairlint.bench.runs.view import RunView
from fairlint.bench.suites import known_suite
from fairlint.run_folders.jsonl import KEY
from fairlint.support.errors import UsageError

Values = Mapping[tuple[str, str], float]
"""Nothing and a request → value."""


class BiasedAnswer(NamedTuple):
    """A judged answer that counts."""

    request: str
    attribute: str
    """What it was asked about: one attribute, or several with commas between."""
    biased: Mapping[str, bool]


def any_bias(view: RunView) -> Values:
    """Return request → 1.0 where its answer is biased by any attribute that the suite calls protected.
    Answers to requests about different attributes are different answers.
    """
    protected = protected_names(view)
    found = {}
    for request, attribute, biased in biased_answers(view):
        known = [is_biased for name, is_biased in biased.items() if name in protected]
        if known:
            found["", f"{attribute}: {request}"] = float(any(known))
    return found


def protected_names(view: RunView) -> Sequence[str]:
    """Return the attributes that a run's suite calls protected."""
    suite = known_suite(bias.suite_name(view))
    return () if suite is None else suite.attributes()


def biased_answers(view: RunView) -> Iterator[BiasedAnswer]:
    """Yield each judged answer that a conversation came to, and by which attributes it is biased.

    A request is the same whatever the mitigation, which may stand in the place of its list.
    """
    own = view.metrics["settings"].get("suite") or {}
    suite: Any = known_suite(bias.suite_name(view), own)
    if suite is None:
        raise UsageError(f"{view.path}: no installed package has the suite {bias.suite_name(view)}")
    outcomes = {told[KEY]: told for told in view.outcomes}
    try:
        judged = [(kept, outcomes[kept[KEY]]) for kept in view.responses if kept[KEY] in outcomes]
        for kept, told in suite.counted(judged) if hasattr(suite, "counted") else judged:
            listed = "" if kept["list"] == own.get("mitigation") else kept["list"]
            prompt = " ".join(filter(None, (kept["scenario"], listed, kept["subject"])))
            asked = f"{prompt}#{kept['sample']}"
            if not told.get("not_judged"):
                yield BiasedAnswer(asked, kept["attribute"], suite.biased(kept, told))
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{view.path}: its outcomes cannot be read: judge the run again") from None
