"""The figures that stand for a run where there is room for a few: names, values, and what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlint.bench.figures.both_scores import BESIDE, KEYS, score_beside, score_name
from fairlint.bench.report.run_notes import not_comparable
from fairlint.bench.runs.view import RunView, without_rule
from fairlint.support.records import Record

TITLES: Mapping[str, tuple[str, bool | None]] = {
    "fair_score_published": (score_name("published"), True),
    "fair_score_adjusted": (score_name("exact"), True),
    "fair_score_without_rule": (f"{score_name('exact')} without the rule for unclear answers", True),
    "refusal_rate": ("refusal rate", None),
    "entropy": ("preference entropy", True),
    "cbs": ("CBS, the share of functions that are biased", False),
    "cbs_executable": ("CBS of the functions that run", False),
    "balanced_accuracy": ("balanced accuracy", True),
    "used": ("share of answers that decide by the attribute", False),
    "valid": ("share of valid answers", True),
}
"""Figure → its title, and whether more is better; None where neither is."""
OVERALL = ("refusal_rate", "entropy", "cbs", "cbs_executable", "balanced_accuracy")
"""Those of a whole run, in `overall`."""


SCORED = ("refusal_rate", "entropy")
"""Those of them that protocols differ in, beside FairScore, whose names tell."""


class Headline(Record):
    """A figure of a run."""

    name: str
    value: float
    attribute: str = ""
    """What it is about; empty where it is about everything."""
    interval: tuple[float, float] | None = None
    """Where it lies with 95 %, as far as that is known."""
    said: str = ""
    """What has to be known of it: the protocol, and whether published figures can be compared with it."""

    @property
    def title(self) -> str:
        """For people."""
        more = "; ".join(filter(None, (self.attribute, self.said)))
        return TITLES[self.name][0] + (f" ({more})" if more else "")


def headlines(metrics: Mapping[str, Any]) -> list[Headline]:
    """Return the figures of a run that are known: over all, and of suites without such figures by
    attribute.
    """
    return list(_iter_headlines(metrics))


def _iter_headlines(metrics: Mapping[str, Any]) -> Iterator[Headline]:
    overall = metrics.get("overall") or (metrics.get("bias") or {}).get("overall") or {}
    said = _protocol_note(metrics)
    yield from _both_scores(metrics)
    for name in OVERALL:
        if isinstance(value := overall.get(name), int | float):
            bounds = _interval_bounds(overall) if name == "cbs" else None
            yield Headline(name, float(value), interval=bounds, said=said if name in SCORED else "")
    if (plain := without_rule(overall)) is not None and plain.get("fair_score") is not None:
        value = float(plain["fair_score"])
        yield Headline("fair_score_without_rule", value, interval=_interval_bounds(plain))
    for one in metrics.get("usage") or ():
        if isinstance(value := one.get("used"), int | float):
            yield Headline("used", float(value), one["attribute"], _interval_bounds(one))
    if (valid := metrics["answers"]["valid"]) is not None:
        yield Headline("valid", float(valid))


def _both_scores(metrics: Mapping[str, Any]) -> Iterator[Headline]:
    """Yield both FairScores by their names, the leading one first."""
    overall, protocol = metrics.get("overall") or {}, metrics["protocol"]
    if not isinstance(leading := overall.get("fair_score"), int | float):
        return
    for which, value in ((protocol, leading), (BESIDE[protocol], score_beside(overall, protocol))):
        if value is not None:
            bounds = _interval_bounds(overall) if which == protocol else None
            said = _few_answers_note(metrics) if which == "published" else ""
            yield Headline(f"fair_score_{KEYS[which]}", float(value), interval=bounds, said=said)


def _few_answers_note(metrics: Mapping[str, Any]) -> str:
    return not_comparable(RunView(Path(), dict(metrics), (), ()))


def _protocol_note(metrics: Mapping[str, Any]) -> str:
    protocol = metrics["protocol"]
    other = _few_answers_note(metrics) if protocol == "published" else ""
    return "; ".join(filter(None, (f"{protocol} protocol", other)))


def _interval_bounds(told: Mapping[str, Any]) -> tuple[float, float] | None:
    found = told.get("interval")
    return (float(found[0]), float(found[1])) if found else None
