"""What was found about a prompt, as one JSON document, described by `audit.schema.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairlint.counterfactual.prompts.agreement import Agreement
from fairlint.counterfactual.prompts.audited import Audited, Changed, Mitigated
from fairlint.counterfactual.prompts.bindings import bindings_of
from fairlint.counterfactual.prompts.effect_changes import EffectChange
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.names import Figures, Matching, Names
from fairlint.counterfactual.prompts.planning import line_with_own_sex
from fairlint.counterfactual.prompts.probabilities import Mass
from fairlint.counterfactual.prompts.shares import Flips, Rate
from fairlint.reporters.encoding import Json, encode_json
from fairlint.support.records import field_names


def audit_document(told: Audited) -> Iterator[str]:
    """Yield the pieces of the document."""
    yield from encode_json(audit_object(told))


def schema() -> str:
    """Return the JSON Schema of the document."""
    from importlib.resources import files  # noqa: PLC0415 (loads `inspect` from Python 3.13 on)

    return files("fairlint.counterfactual.prompts").joinpath("audit.schema.json").read_text(encoding="utf-8")


def audit_object(told: Audited) -> Json:
    """Return all that is known of a prompt, as JSON."""
    audit = told.audit
    bindings = bindings_of(audit.template, audit.slots)
    return {
        "version": 1,
        "path": audit.template.path,
        "line": audit.template.line,
        "cases": audit.cases,
        "language": audit.plan.language,
        "person": {one.name: one.shows for one in bindings if one.shows},
        "columns": {one.name: one.column for one in bindings if not one.shows},
        "answer": audit.form.words,
        "threshold": told.threshold,
        "biased": told.is_biased,
        "asked": dict(told.asked),
        "answers": dict(told.answers),
        "mass": _mass_object(told.mass),
        "says_sex": line_with_own_sex(audit),
        "groups": {name: list(groups) for name, groups in audit.plan.groups.items()},
        "names": [_names_object(one) for one in audit.plan.names] if "name" in audit.channels else [],
        "proxies": [
            {name: getattr(one, name) for name in ("placeholder", "attribute", "group", "values")}
            for one in audit.plan.proxies
        ],
        "effects": [_effect_object(one) for one in told.effects],
        "rates": [
            {
                "channel": channel,
                "attributes": list(attributes),
                "groups": [_rate_object(one) for one in rates],
            }
            for (channel, attributes), rates in told.rates.items()
        ],
        "changed": [_changed_object(one) for one in told.changed],
        "agreement": _agreement_object(told.agreement),
        "mitigations": [_mitigated_object(one) for one in told.mitigated],
        "left_out": [{"case": one.case, "channel": one.channel, "why": one.why} for one in audit.left_out],
    }


def _effect_object(one: Effect) -> dict[str, Any]:
    plain = {name: getattr(one, name) for name in field_names(one) if name not in {"contrast", "names"}}
    return {
        **{name: getattr(one.contrast, name) for name in ("channel", "attribute", "group", "outcome")},
        "others": list(one.contrast.others),
        **plain,
        "parts": list(one.parts),
        "names": [{"name": each.name, "without": each.without} for each in one.names],
    }


def _mitigated_object(one: Mitigated) -> dict[str, Any]:
    return {
        "name": one.mitigation.name,
        "title": one.mitigation.title,
        "answers": dict(one.answers),
        "mass": _mass_object(one.mass),
        "agreement": _agreement_object(one.agreement),
        "effects": [_effect_object(each) for each in one.effects],
        "differences": [_change_object(each) for each in one.changes],
        "changed": [_changed_object(each) for each in one.changed],
    }


def _agreement_object(one: Agreement | None) -> dict[str, Any] | None:
    return None if one is None else {name: getattr(one, name) for name in field_names(one)}


def _mass_object(one: Mass | None) -> dict[str, Any] | None:
    return None if one is None else {name: getattr(one, name) for name in field_names(one)}


def _change_object(one: EffectChange) -> dict[str, Any]:
    plain = {name: getattr(one, name) for name in field_names(one) if name != "contrast"}
    return {
        **{name: getattr(one.contrast, name) for name in ("channel", "attribute", "group", "outcome")},
        "others": list(one.contrast.others),
        **plain,
    }


def _rate_object(one: Rate) -> dict[str, Any]:
    return {
        "groups": dict(one.groups),
        "selected": float(one.selected),
        "answers": one.answers,
        "ratio": None if one.ratio is None else float(one.ratio),
        "below_two_percent": one.is_small,
    }


def _changed_object(one: Changed) -> dict[str, Any]:
    return {
        "channel": one.channel,
        "attribute": one.attribute,
        "between_groups": _flips_object(one.between_groups),
        "in_placebos": {name: _flips_object(flips) for name, flips in one.in_placebos.items()},
    }


def _flips_object(one: Flips) -> dict[str, Any]:
    return {"changed": one.changed, "pairs": one.pairs, "share": one.share}


def _names_object(one: Names) -> dict[str, Any]:
    return {
        "country": one.country,
        "gender": one.gender,
        "race": one.race,
        "first": list(one.first),
        "last": list(one.last),
        "sources": [
            {"title": each.title, "year": each.year, "url": each.url, "licence": each.licence}
            for each in one.sources
        ],
        "first_matching": _matching_object(one.first_matching, one.first_figures),
        "last_matching": _matching_object(one.last_matching, one.last_figures),
    }


def _matching_object(one: Matching, figures: Figures) -> dict[str, Any]:
    """Return how names are matched, with what is known of each; null where no source says it."""
    return {
        "frequency": one.measure or None,
        "factor": one.factor,
        "years": one.years,
        "frequencies": list(figures.frequency),
        "born": list(figures.born),
    }
