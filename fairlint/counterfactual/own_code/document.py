"""What was measured of one function, as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.counterfactual.group_metrics import (
    Accuracy,
    CrossedSelection,
    Selection,
    accuracy,
    crossed_selections,
    selections,
)
from fairlint.counterfactual.measured import Followed, to_json
from fairlint.counterfactual.metrics import compare_with_threshold, mean_change_ratio
from fairlint.counterfactual.own_code.running import Tried
from fairlint.reporters.encoding import Json, encode_json
from fairlint.reporters.json import finding_object


def document(tried: Tried, threshold: float) -> Iterator[str]:
    """Yield the pieces of the document; rates are None where nobody can be compared."""
    measured, origin = tried.measured, tried.population.origin
    rates = {}
    for one in measured.attributes:
        bias, ratio = compare_with_threshold(one.cip, threshold), mean_change_ratio(one)
        rates[one.column] = {
            "attribute": one.attribute,
            "cip": one.cip.value,
            "cip_of_all": one.cip_of_all.value,
            "cip_with_dead": one.cip_with_dead.value,
            "amcr": None if ratio is None else float(ratio),
            "floor": float(one.floor),
            "above": bias.above,
            "reaching": bias.reaching,
            "proved": one.proved,
            "followed": None if one.followed is None else _of_followed(one.followed, threshold),
        }
    right = accuracy(measured)
    told: Json = {
        "version": 1,
        "path": tried.path,
        "function": tried.entry,
        "line": tried.head.line if tried.head else None,
        "executor": tried.executor,
        "protections": list(tried.protections),
        "executable": measured.executable,
        "cause": measured.cause,
        "raised": dict(tried.raised),
        "threshold": threshold,
        "data": {
            "name": tried.population.name,
            "source": origin.source,
            "people": tried.population.people,
            "distinct": len(tried.population.rows),
            "read": origin.read,
            "dropped": dict(origin.dropped),
            "notes": [*origin.notes, *tried.notes],
        },
        "rates": rates,
        "groups": {one.column: _of_groups(one) for one in selections(measured)},
        "score_limit": measured.score_limit,
        "crossed": [_of_crossed(one) for one in crossed_selections(measured)],
        "crossed_left_out": measured.crossed_left_out,
        "labels": None if right is None else _of_labels(right),
        "measured": to_json(measured),
        "findings": [finding_object(one) for one in tried.report.findings],
    }
    yield from encode_json(told)


def _of_groups(one: Selection) -> Json:
    """Return who is selected by a column, with people as they are; the least selected group comes first."""
    return {
        "rates": [
            {
                "group": rate.group,
                "selected": rate.selected.part,
                "people": rate.selected.whole,
                "rate": rate.selected.value,
            }
            for rate in one.rates
        ],
        "left_out": one.left_out,
        "disparate_impact": None if one.ratio is None else float(one.ratio),
        "difference": None if one.difference is None else float(one.difference),
        "four_fifths": one.meets_four_fifths,
    }


def _of_crossed(one: CrossedSelection) -> Json:
    """Return who is selected by two columns, with people as they are; small groups come last."""
    return {
        "columns": list(one.columns),
        "rates": [
            {
                "groups": dict(zip(one.columns, rate.groups, strict=True)),
                "selected": rate.selected.part,
                "people": rate.selected.whole,
                "rate": rate.selected.value,
                "low": None if rate.bounds is None else rate.bounds.low,
                "high": None if rate.bounds is None else rate.bounds.high,
                "impact_ratio": None if rate.ratio is None else float(rate.ratio),
                "below_two_percent": rate.is_small,
            }
            for rate in one.rates
        ],
        "left_out": one.left_out,
        "disparate_impact": None if one.ratio is None else float(one.ratio),
        "four_fifths": one.meets_four_fifths,
    }


def _of_followed(one: Followed, threshold: float) -> Json:
    """Return what becomes of people when others follow a column."""
    bias = compare_with_threshold(one.cip, threshold)
    return {
        "columns": list(one.columns),
        "cip": one.cip.value,
        "above": bias.above,
        "reaching": bias.reaching,
        "impossible": one.impossible,
    }


def _of_labels(one: Accuracy) -> Json:
    return {
        "accuracy": one.right.value,
        "balanced_accuracy": one.balanced,
        "hits": one.hits.value,
        "rejections": one.rejections.value,
    }
