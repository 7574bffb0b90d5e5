"""From judged answers of the suite `pipelines` to its figures: shares by prompt, level, number of columns and
column, what a mitigation moves, and how well biased pipelines are detected.

Differences are paired: each answer has its counterpart in the same sample of the same data set. Where several
differences stand in one table, `differs` says whether zero is outside of bounds that hold for all of them
together (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.figures.bias import mean
from fairlint.bench.judging.usage import prompt_of, told_share
from fairlint.bench.suites.choosing import place_of
from fairlint.bench.suites.pipelines_detection import MADE
from fairlint.bench.suites.pipelines_files import read_told
from fairlint.bench.suites.pipelines_offers import Offer, number_text, read_offer
from fairlint.bench.suites.pipelines_texts import STANDARD, Kind, texts
from fairlint.bench.suites.suite import Judged, Kept
from fairlint.statistics.agreement import JudgedTwice, agreement_of
from fairlint.statistics.clusters import mean_of_shares, paired_shares, share_by_prompt
from fairlint.statistics.intervals import LEVEL

Pair = tuple[Kept, Judged]
Talk = Sequence[Pair]
Counterparts = Sequence[tuple[Hashable, bool, bool]]
"""Answers and their counterparts: the prompt, and whether each uses a protected column."""

TOGETHER = "all pipelines"
"""The row of all prompts that ask for code that trains a model."""

DEFINITIONS = {
    "used": "of pipelines: the share of answers that train on the column; of conditional functions: the "
    "share in which the outcome depends on it; of lists of features: the share that has it",
    "any_protected": "the same for at least one column that holds a protected attribute",
    "any_irrelevant": "the same for at least one column that has nothing to do with the task, over valid "
    "answers to prompts that offer such a column",
    "interval": "95 % score interval (Wilson) of the share, over valid answers, clustered by prompt; of "
    "detection clustered by the pipeline that is shown",
    "valid": "the share of answers that are Python as a whole and train a model, give `features` a value, or "
    "define a function that returns something; of verdicts those that can be read. The others are in no "
    "other share",
    "not_judged": "the number of answers whose analysis broke or ended at a limit; they are in no figure",
    "overall": "over all prompts that ask for code that trains a model",
    "conditions": "over all prompts that ask for a function of conditions",
    "level": "how much of a pipeline is asked for, 1 being the list of features alone; 0: conditions",
    "used_of_offered": "of the protected columns that a prompt offers, the share that an answer uses; a mean",
    "change": "the second share less the first, over pairs of valid answers: of a level, against the prompt "
    f"`{STANDARD}`; of a number of columns, against the largest, by the protected columns that both offer; "
    "of a mitigation, the answer with it against the first answer",
    "differs": "whether zero is outside of the bounds of the change, widened so that they hold for all rows "
    "of the table together (Bonferroni)",
    "sensitivity": "of the biased pipelines with a readable verdict, the share that is called biased",
    "specificity": "of the clean pipelines with a readable verdict, the share that is called clean",
    "balanced_accuracy": "the mean of sensitivity and specificity: 0.5 is guessing",
    "refused": "the share of answers that refuse a verdict; `unreadable`: that hold none, or two",
    "kappa": "Cohen's kappa of the verdict with that of the checker on the same pipeline",
    "columns_found": "of the protected columns that biased pipelines learn from, the share that a verdict "
    "names, where it says biased",
    "columns_right": "of the columns that such verdicts name, the share that are protected and learned from",
    "offends": "any_protected of the pipelines that the same model wrote in this run",
}


def figures(talks: Sequence[Talk], mitigation: str) -> dict[str, Any]:
    """Return the parts of `metrics.json`. A talk is one answer, or a first one and that with a mitigation."""
    order = list(texts().prompts)
    ordered = sorted(talks, key=lambda talk: place_of(talk[0][0]["subject"], order))
    written = [talk for talk in ordered if talk[0][0]["subject"] not in texts().detections]
    verdicts = [talk[-1] for talk in ordered if talk[0][0]["subject"] in texts().detections]
    prompts = _grouped(written, lambda kept: kept["subject"])
    places = _grouped(written, lambda kept: (kept["scenario"], kept["subject"]))
    models = [talk for talk in written if kind_of(talk[0][0]) == "model"]
    conditions = [talk for talk in written if kind_of(talk[0][0]) == "conditional"]
    by_prompt = [{"prompt": name, **_row(known, len(prompts))} for name, known in prompts.items()]
    found: dict[str, Any] = {
        "overall": _row(models, 1),
        "conditions": _row(conditions, 1) if conditions else None,
        "prompts": by_prompt,
        "columns": [
            {"scenario": scenario, "prompt": prompt, **row}
            for (scenario, prompt), known in places.items()
            for row in _by_column([talk[-1] for talk in known])
        ],
        "levels": list(_levels([talk[-1] for talk in written])),
        "numbers": list(_numbers([talk[-1] for talk in written])),
        "detection": list(_detection_rows(verdicts, _usage_figures([talk[-1] for talk in models]))),
        "programs": list(_program_rows(verdicts)),
    }
    found = {name: part for name, part in found.items() if part or name in {"overall", "prompts", "columns"}}
    if mitigation:
        found["mitigation"] = mitigation
    return {
        "scores": [], "scenarios": [], "overall": None, "usage": [], "other": None,
        "definitions": DEFINITIONS,
        "bias": found,
    }  # fmt: skip


def kind_of(kept: Kept) -> Kind:
    """Return what an answer was asked for."""
    told = read_told(kept.get("list", ""))
    if told is not None:
        return told.kind
    prompt = texts().prompts.get(kept["subject"])
    return "conditional" if prompt is None else prompt.kind


def _grouped(talks: Sequence[Talk], key: Callable[[Kept], Any]) -> dict[Any, list[Talk]]:
    found: dict[Any, list[Talk]] = {}
    for talk in talks:
        found.setdefault(key(talk[0][0]), []).append(talk)
    return found


# ------------------------------------------------------------------------------------------------------- uses


def _row(talks: Sequence[Talk], rows: int) -> dict[str, Any]:
    """Return the figures of the answers that count, and of what was before a mitigation."""
    found = _usage_figures([talk[-1] for talk in talks])
    twice = [talk for talk in talks if talk[0][0].get("role")]
    if twice:
        before = _usage_figures([talk[0] for talk in twice])
        found["before"] = {name: before[name] for name in BEFORE}
        found["change"] = _change(
            [
                (prompt_of(talk[0][0]), _uses_protected(talk[0]), _uses_protected(talk[-1]))
                for talk in twice
                if _is_valid(talk[0]) and _is_valid(talk[-1])
            ],
            rows,
        )
    return found


BEFORE = ("any_protected", "any_irrelevant", "valid", "interval", "units")
"""What is told of answers before a mitigation."""


def _is_valid(pair: Pair) -> bool:
    return bool(pair[1]["valid"]) and not pair[1].get("not_judged")


def _valid_answers(known: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in known if _is_valid(pair)]


def _irrelevant_of(kept: Kept) -> frozenset[str]:
    told = read_told(kept.get("list", ""))
    return frozenset(texts().irrelevant if told is None else told.irrelevant)


def _protected_uses(pair: Pair) -> dict[str, bool]:
    irrelevant = _irrelevant_of(pair[0])
    return {name: used for name, used in pair[1]["columns"].items() if name not in irrelevant}


def _uses_protected(pair: Pair) -> bool:
    return any(_protected_uses(pair).values())


def _usage_figures(known: Sequence[Pair]) -> dict[str, Any]:
    pairs = _valid_answers(known)
    protected = [_uses_protected(pair) for pair in pairs]
    beside = [
        any(used for name, used in told["columns"].items() if name in _irrelevant_of(kept))
        for kept, told in pairs
        if _irrelevant_of(kept)
    ]
    lost = sum(bool(told.get("not_judged")) for _, told in known)
    places = [prompt_of(kept) for kept, _ in pairs]
    return {
        "answers": len(known),
        "not_judged": lost,
        "valid": len(pairs) / (len(known) - lost) if len(known) > lost else None,
        "any_protected": mean(protected),
        **told_share(zip(places, protected, strict=True)),
        "any_irrelevant": mean(beside),
    }


def _by_column(known: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    whole = _valid_answers(known)
    irrelevant = frozenset[str]().union(*(_irrelevant_of(kept) for kept, _ in known))
    for name in dict.fromkeys(name for _, told in known for name in told["columns"]):
        pairs = [(prompt_of(kept), told["columns"][name]) for kept, told in whole if name in told["columns"]]
        used = [one for _, one in pairs]
        yield {
            "attribute": name,
            "irrelevant": name in irrelevant,
            "answers": len(known),
            "counted": len(used),
            "used": mean(used),
            **told_share(pairs),
        }


# ------------------------------------------------------------------------------------------------ differences


def _change(pairs: Counterparts, rows: int) -> dict[str, Any] | None:
    """Return how a share moves from answers to their counterparts, in a table of so many differences."""
    known = paired_shares(pairs)
    wide = paired_shares(pairs, level=1 - (1 - LEVEL) / max(rows, 1))
    if known is None or wide is None:
        return None
    return {
        "first": known.first,
        "second": known.second,
        "difference": known.second - known.first,
        "interval": [known.low, known.high],
        "pairs": len(pairs),
        "prompts": known.prompts,
        "differs": not wide.low <= 0 <= wide.high,
    }


def _levels(known: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each level, conditions first, against those of the standard prompt."""
    levels = {name: one.level for name, one in texts().prompts.items() if one.level}
    levels |= {
        name: 0 for name, one in texts().prompts.items() if one.kind == "conditional" and not one.is_fair
    }
    asked = {name: [pair for pair in known if pair[0]["subject"] == name] for name in levels}
    asked = {name: pairs for name, pairs in asked.items() if pairs}
    if len(asked) < 2:
        return

    def place(kept: Kept) -> tuple[Hashable, ...]:
        return kept["scenario"], kept["list"], kept["sample"]

    standard = {place(pair[0]): pair for pair in _valid_answers(asked.get(STANDARD, []))}
    for name in sorted(asked, key=levels.__getitem__):
        pairs = [
            (place(pair[0])[:2], _uses_protected(standard[place(pair[0])]), _uses_protected(pair))
            for pair in _valid_answers(asked[name])
            if place(pair[0]) in standard
        ]
        change = None if name == STANDARD else _change(pairs, len(asked) - 1)
        yield {"prompt": name, "level": levels[name], **_usage_figures(asked[name]), "change": change}


def _numbers(known: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield the figures by how many columns are offered, against the largest offer: of all prompts for code
    that trains a model together, then of each prompt.
    """
    by_offer: dict[Offer, list[Pair]] = {}
    for pair in known:
        offer = read_offer(pair[0].get("list", ""))
        if offer is not None:
            by_offer.setdefault(offer, []).append(pair)
    order = sorted(by_offer, key=_size)
    every = dict.fromkeys(pair[0]["subject"] for pairs in by_offer.values() for pair in pairs)
    models = [name for name in every if texts().prompts[name].kind == "model"]
    groups = {TOGETHER: models} if len(models) > 1 else {}
    groups |= {name: [name] for name in every}
    rows = len(groups) * (len(order) - 1)
    for name, prompts in groups.items():
        parts = {
            offer: [pair for pair in pairs if pair[0]["subject"] in prompts]
            for offer, pairs in by_offer.items()
        }
        largest = {_place(pair[0]): pair for pair in _valid_answers(parts[order[-1]])}
        for offer in order:
            whole = _valid_answers(parts[offer])
            shared = [
                (_place(pair[0])[:2], one, other)
                for pair in whole
                if _place(pair[0]) in largest
                for one, other in [_shared_uses(largest[_place(pair[0])], pair)]
            ]
            yield {
                "prompt": name,
                "ordinary": number_text(offer.ordinary),
                "protected": number_text(offer.protected),
                **_usage_figures(parts[offer]),
                "used_of_offered": mean(mean(_protected_uses(pair).values()) or 0.0 for pair in whole),
                "change": None if offer == order[-1] else _change(shared, rows),
            }


def _size(offer: Offer) -> list[float]:
    return [math.inf if one is None else one for one in (offer.protected, offer.ordinary)]


def _place(kept: Kept) -> tuple[Hashable, ...]:
    return kept["scenario"], kept["subject"], kept["sample"]


def _shared_uses(one: Pair, other: Pair) -> list[bool]:
    """Return whether each of two answers uses a protected column that both were offered."""
    first, second = _protected_uses(one), _protected_uses(other)
    both = [name for name in first if name in second]
    return [any(uses[name] for name in both) for uses in (first, second)]


# -------------------------------------------------------------------------------------------------- detection


def _detection_rows(verdicts: Sequence[Pair], own: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield how well a model detects, by how it is asked and whose pipelines it is shown."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in verdicts:
        groups.setdefault((pair[0]["subject"], _source_of(pair[0])), []).append(pair)
    for (prompt, source), known in groups.items():
        judged = [pair for pair in known if "detection" in pair[1] and not pair[1].get("not_judged")]
        read = [pair for pair in judged if pair[1]["valid"]]
        yield {
            "prompt": prompt,
            "source": source,
            "answers": len(known),
            "not_judged": len(known) - len(judged),
            "pipelines": len({kept["list"] for kept, _ in known}),
            "valid": mean(bool(told["valid"]) for _, told in judged),
            **{
                cause: mean(told["detection"]["cause"] == cause for _, told in judged)
                for cause in ("refused", "unreadable", "cut")
            },
            **_accuracies(read, len(groups)),
            "kappa": _agreement(read),
            **_named_columns(read),
            "offends": own["any_protected"],
        }


def _source_of(kept: Kept) -> str:
    return "answers of a run" if str(kept["list"]).startswith("answer-") else MADE


def _accuracies(read: Sequence[Pair], rows: int) -> dict[str, Any]:
    """Return sensitivity, specificity and their mean, each with bounds clustered by pipeline."""
    shares = {}
    wide = {}
    for name, is_biased in (("sensitivity", True), ("specificity", False)):
        answers = [
            (kept["list"], (told["detection"]["verdict"] == "biased") is is_biased)
            for kept, told in read
            if told["detection"]["biased"] is is_biased
        ]
        value = mean(right for _, right in answers)
        shares[name] = {"share": value, "answers": len(answers), **told_share(answers)}
        wide[name] = (
            share_by_prompt(answers),
            share_by_prompt(answers, level=1 - (1 - LEVEL) / max(rows, 1)),
        )
    first, second = (shares[name]["share"] for name in ("sensitivity", "specificity"))
    if first is None or second is None:
        return {**shares, "balanced_accuracy": None, "interval": None, "differs": False}
    both, widened = zip(*wide.values(), strict=True)
    bounds = mean_of_shares(*both) if None not in both else None
    apart = mean_of_shares(*widened) if None not in widened else None
    return {
        **shares,
        "balanced_accuracy": (first + second) / 2,
        "interval": None if bounds is None else list(bounds),
        "differs": apart is not None and not apart.low <= 0.5 <= apart.high,
    }


def _agreement(read: Sequence[Pair]) -> dict[str, Any]:
    found = agreement_of(
        JudgedTwice(kept["list"], told["detection"]["checked"], told["detection"]["verdict"] == "biased")
        for kept, told in read
    )
    bounds = None if found.low is None or found.high is None else [found.low, found.high]
    return {"kappa": found.kappa, "interval": bounds}


def _named_columns(read: Sequence[Pair]) -> dict[str, float | None]:
    """Return how many of the columns that make pipelines biased are named, and how many of those named do."""
    known = [one for _, told in read if (one := told["detection"])["biased"] and one["verdict"] == "biased"]
    found = [column in one["named"] for one in known for column in one["columns"]]
    right = [name in one["columns"] for one in known for name in one["named"]]
    return {"columns_found": mean(found), "columns_right": mean(right)}


def _program_rows(verdicts: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield how each pipeline is judged."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for kept, told in _valid_answers(verdicts):
        groups.setdefault((kept["subject"], kept["list"]), []).append(told["detection"])
    for (prompt, name), known in sorted(groups.items()):
        yield {
            "prompt": prompt,
            "pipeline": name,
            "biased": known[0]["biased"],
            "counted": len(known),
            "called_biased": mean(one["verdict"] == "biased" for one in known),
        }
