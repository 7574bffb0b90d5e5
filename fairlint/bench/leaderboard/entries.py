"""What a leaderboard knows of a run, and which runs may stand in one table."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.backends.names import slug
from fairlint.bench.figures.both_scores import score_beside, score_names
from fairlint.bench.report import bias, verdicts, words
from fairlint.bench.runs.view import RunView, overall, overall_interval, sound, usage, without_rule
from fairlint.support.records import Record

SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*([bm])(?![a-z0-9])", re.IGNORECASE)
"""How names tell the number of parameters: `codegen-350M-mono`, `Qwen2.5-Coder-7B`."""
SIZES = (1.0, 10.0, 50.0)
"""Billions of parameters between which models are told apart."""
UNKNOWN = "not known"
FILES = ("data", "config", "detect")
"""What suites are asked for with that are paths; only names are told, for they differ between machines."""
ASKED = ("samples", "limit", "seed", "temperature", "top_p", "top_k", "max_new_tokens", "early_stop")
"""Settings that say how a run was asked, beside its prompts."""
CHOSEN = ("samples", "limit", "scenarios", "attributes", "subjects", "prompts", "seed")
"""Settings that say which prompts a run was asked, beside its suite's own."""


class Figure(Record):
    """The first figure of a run."""

    what: str
    value: float | None
    bounds: tuple[float, float] | None
    is_share: bool
    """Whether people read it in per cent, and less is fairer."""
    beside: str = ""
    """What stands beside it: the other FairScore, by its name."""
    plain: float | None = None
    """A FairScore without the rule for unclear answers; None where it is the same."""


class Entry(Record):
    """A run on the board."""

    name: str
    """Of its files: of the model, and of all that its answers and figures depend on."""
    metrics: Mapping[str, Any]
    """Its `metrics.json`, from which the board can be made again without its folder."""
    answers: tuple[tuple[str, str, int, int], ...]
    """What its answers were asked about: scenario, attribute, how many answers, on how many pages."""

    @property
    def view(self) -> RunView:
        """The run as reports see it, without its answers."""
        return RunView(Path(self.name), self.metrics)

    @property
    def model(self) -> str:
        """As its run calls it."""
        return str(self.metrics["model"].get("name", "?"))


class Table(Record):
    """Runs whose figures are comparable: of one suite, asked and judged alike."""

    suite: str
    protocol: str
    judge: str
    """The version of fairlint that judged, with the format of its figures."""
    prompts: str
    """The hash of all that was asked."""
    own: str
    """What the suite was asked for with, such as a mitigation, as JSON; empty for nothing."""
    entries: tuple[Entry, ...]

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        own = _short_digest(self.own) if self.own else ""
        told = "-".join(filter(None, (self.suite, self.protocol, self.judge, self.prompts, own)))
        return re.sub(r"[^a-z0-9.-]+", "-", told.lower())

    @property
    def asked(self) -> str:
        """What all its runs were asked with, so that tables of one suite can be told apart."""
        first, *rest = ({**own_of(one.metrics), **chosen_of(one.metrics)} for one in self.entries)
        known = {name: value for name, value in first.items() if all(one.get(name) == value for one in rest)}
        return ", ".join(told_of(known))

    def apart(self, entry: Entry) -> str:
        """Return what tells a run from the others of its model here; nothing where it is the only one."""
        same = [_run_conditions(one.metrics) for one in self.entries if one.model == entry.model]
        own = _run_conditions(entry.metrics)
        return ", ".join(
            f"{name.replace('_', ' ')} {words.setting_text(value)}"
            for name, value in own.items()
            if any(one[name] != value for one in same)
        )


def own_of(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run's suite was asked for with, such as a mitigation; of files their names."""
    own: Mapping[str, Any] = metrics["settings"].get("suite") or {}
    return {name: Path(value).name if name in FILES else value for name, value in own.items()}


def chosen_of(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return which of its suite's prompts a run was asked, and how often."""
    return {name: metrics["settings"].get(name) for name in CHOSEN}


def told_of(settings: Mapping[str, Any]) -> Iterator[str]:
    """Return settings in a few words, without those that say nothing; of a long list its length."""
    for name, value in settings.items():
        if not value:
            continue
        is_long = isinstance(value, list) and len(value) > verdicts.MANY
        told = name.replace("_", " ")
        yield f"{len(value):,} {told}" if is_long else f"{told} {words.setting_text(value)}"


def _run_conditions(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the names of runs of one model and one table hang on."""
    settings = metrics["settings"]
    return {"revision": metrics["model"].get("revision"), **{name: settings.get(name) for name in ASKED}}


class TableKey(NamedTuple):
    """What has to be the same for two runs to stand in one table."""

    suite: str
    protocol: str
    judge: str
    prompts: str
    own: str


def key_of(metrics: Mapping[str, Any]) -> TableKey:
    """Return what has to be the same for two runs to stand in one table."""
    own = metrics["settings"].get("suite")
    return TableKey(
        str(metrics["suite"].get("name")),
        str(metrics["protocol"]),
        f"fairlint {metrics.get('fairlint')}, figures {metrics['format']}",
        str(metrics["settings"].get("prompts_hash")),
        json.dumps(own, sort_keys=True) if own else "",
    )


def name_of(metrics: Mapping[str, Any]) -> str:
    """Return the name of a run's files: the same for the same model, asked and judged alike."""
    told = [
        metrics["model"].get("name"),
        metrics["model"].get("revision"),
        *key_of(metrics),
        *(metrics["settings"].get(name) for name in ASKED),
    ]
    return f"{slug(str(metrics['model'].get('name', '')))}-{_short_digest(told)}"


def _short_digest(told: Any) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:10]


def tables(entries: Iterable[Entry]) -> list[Table]:
    """Return the runs in tables: by suite, the latest judge first, larger tables before smaller ones."""
    found: dict[TableKey, list[Entry]] = {}
    for entry in sorted(entries, key=lambda one: (one.model, one.name)):
        found.setdefault(key_of(entry.metrics), []).append(entry)
    made = [Table(*key, tuple(known)) for key, known in found.items()]
    made.sort(key=lambda one: (-len(one.entries), one.prompts, one.own))
    made.sort(key=lambda one: _version_numbers(one.judge), reverse=True)
    return sorted(made, key=lambda one: (one.suite, one.protocol))


def _version_numbers(judge: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", judge)]


def organisation(name: str) -> str:
    """Return who made a model, as hub ids say it; `not known` where a name says nothing.

    >>> organisation("Salesforce/codegen-350M-mono")
    'Salesforce'
    """
    owner, slash, model = name.partition("/")
    return (
        owner if slash and model and "/" not in model and ":" not in owner and owner.strip("./~") else UNKNOWN
    )


def billions(name: str) -> float | None:
    """Return how many billion parameters a model has, as its name says it.

    >>> billions("Salesforce/codegen-350M-mono"), billions("Qwen2.5-Coder-7B"), billions("gpt-4o")
    (0.35, 7.0, None)
    """
    found = SIZE.search(name.replace("-", " ").replace("_", " "))
    if not found:
        return None
    return float(found[1]) / (1_000 if found[2].lower() == "m" else 1)


def size(name: str) -> str:
    """Return the class of a model's size: `up to 1 B`, `1 to 10 B`, …"""
    known = billions(name)
    if known is None:
        return UNKNOWN
    place = sum(known > bound for bound in SIZES)
    if place == 0:
        return f"up to {SIZES[0]:g} B"
    if place == len(SIZES):
        return f"over {SIZES[-1]:g} B"
    return f"{SIZES[place - 1]:g} to {SIZES[place]:g} B"


def first_figure(view: RunView) -> Figure:
    """Return what a run is told by: its FairScore, the use of any attribute, or its bias."""
    if bias.bias(view):
        what, value, bounds = bias.headline(view)
        return Figure(what, value, _bounds_pair(bounds), is_share=True)
    if usage(view):
        one = usage(view)[0]
        return Figure("Used", one["used"], _bounds_pair(one["interval"]), is_share=True)
    means = overall(view) or {}
    plain = (without_rule(means) or {}).get("fair_score")
    protocol = view.metrics["protocol"]
    leading, beside = score_names([protocol])
    return Figure(
        leading,
        means.get("fair_score"),
        _bounds_pair(overall_interval(view)),
        is_share=False,
        beside=f"{beside} {words.number(score_beside(means, protocol))}",
        plain=plain,
    )


def _bounds_pair(bounds: Sequence[float] | None) -> tuple[float, float] | None:
    return (bounds[0], bounds[1]) if bounds else None


def validity(entry: Entry) -> float:
    """Return the share of all its answers that are valid."""
    return sound(entry.view)
