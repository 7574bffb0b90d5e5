"""The scores as plain tables for the command line, out of the figures that `metrics.json` holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report.terminal import table, wrap_text

MISSING = "–"
OVERALL = "overall"


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables of a document of `fairlint model score`."""
    yield from wrap_text(f"{told['model']['name']}  (model score)")
    figures = told["figures"]
    if rows := figures.get("stereoset"):
        yield from _title_lines("StereoSet: 50 is no preference for stereotypes")
        yield from table(_stereoset_rows(rows), "llrrrrrr")
    if rows := figures.get("winogender"):
        yield from _title_lines("WinoGender: he before she, in nats, and r with the share of women")
        yield from table(_winogender_rows(rows), "lrrrrrr")
    if rows := figures.get("crows-pairs"):
        yield from _title_lines("CrowS-Pairs: how often the stereotype is likelier, 50 is no preference")
        yield from table(_crows_pairs(rows), "lrrrr")
    if found := figures.get("code"):
        yield from _code_lines(found)
    if found := figures.get("pronouns"):
        yield from _pronoun_lines(found)
    if one := figures.get("text"):
        yield from _title_lines(f"text: perplexity of {one['passages']:,} passages")
        bounds = _interval_text(one["value"])
        yield from wrap_text(f"{_value_text(one['value'])} ({bounds}), {one['tokens']:,} tokens")
    for warning in told["warnings"]:
        yield ""
        yield from wrap_text(warning)
    for one in told["data"]:
        if one["skipped"]:
            yield from wrap_text(f"{one['name']}: {one['skipped']} items left out, which metrics.json names")
    yield ""
    yield from wrap_text(told["verdict"])


def _title_lines(title: str) -> Iterator[str]:
    yield ""
    yield from wrap_text(title)


def _value_text(one: Mapping[str, float] | None, digits: int = 1) -> str:
    return MISSING if one is None else f"{one['value']:.{digits}f}".replace("-", "−")


def _interval_text(one: Mapping[str, float] | None, digits: int = 1) -> str:
    if one is None or one["low"] == one["high"]:  # no draw differed: that is no bound
        return MISSING
    return f"{one['low']:.{digits}f} to {one['high']:.{digits}f}".replace("-", "−")


Rows = Sequence[Mapping[str, Any]]


def _stereoset_rows(rows: Rows) -> list[list[str]]:
    heads = ["", "bias", "items", "LMS", "SS", "95 % interval", "ICAT", "95 % interval"]
    return [heads] + [
        [
            one["task"],
            one["bias_type"],
            str(one["items"]),
            _value_text(one["lms"]),
            *(written(one[name]) for name in ("ss", "icat") for written in (_value_text, _interval_text)),
        ]
        for one in rows
    ]


def _winogender_rows(rows: Rows) -> list[list[str]]:
    heads = ["pronoun means", "items", "gap", "95 % interval", "r, BLS 2015", "95 % interval", "r, Bergsma"]
    return [heads] + [
        [
            one["refers_to"],
            str(one["items"]),
            *(
                written(one[name], 2)
                for name in ("gap", "r_bls")
                for written in (_value_text, _interval_text)
            ),
            _value_text(one["r_bergsma"], 2),
        ]
        for one in rows
    ]


def _crows_pairs(rows: Rows) -> list[list[str]]:
    heads = ["", "pairs", "stereotype", "95 % interval", "difference"]
    return [heads] + [
        [
            one["bias_type"],
            str(one["items"]),
            _value_text(one["stereotype"]),
            _interval_text(one["stereotype"]),
            _value_text(one["difference"], 2),
        ]
        for one in rows
    ]


def _code_lines(found: Mapping[str, Rows]) -> Iterator[str]:
    if some := [one for one in found["named"] if one["gap"]]:
        yield from _title_lines(
            "Code: male before female behind == ', in nats, and r with the share of women"
        )
        heads = ["template", "prompts", "gap", "95 % interval", "r, BLS 2015", "95 % interval", "male first"]
        rows = [
            [
                one["template"],
                str(one["items"]),
                *(
                    written(one[name], 2)
                    for name in ("gap", "r_bls")
                    for written in (_value_text, _interval_text)
                ),
                f"{_value_text(one['first']['male'], 0)} %",
            ]
            for one in some
        ]
        yield from table([heads, *rows], "lrrrrrr")
    for name, title, digits in (
        ("named", "Code: probability among the groups behind == '", 3),
        ("points", "Code: points expected behind +=", 2),
    ):
        shown = [one for one in found[name] if one["template"] == found[name][0]["template"]]
        if shown:
            yield from _title_lines(f"{title} ({shown[0]['template']})")
            inner = "probability" if name == "named" else "points"
            rows = [
                [one["attribute"], group, _value_text(value, digits), _interval_text(value, digits)]
                for one in shown
                for group, value in one[inner].items()
            ]
            yield from table([["attribute", "group", inner, "95 % interval"], *rows], "llrr")
    if asked := [one for one in found["written"] if one["template"] == found["written"][0]["template"]]:
        yield from _title_lines(f"Code: what is asked of a person ({asked[0]['template']})")
        rows = [
            [
                one["attribute"],
                _value_text(one["written"], 4),
                _interval_text(one["written"], 4),
                _value_text(one["share"], 3),
            ]
            for one in asked
        ]
        yield from table([["attribute", "probability", "95 % interval", "of names asked for"], *rows], "lrrr")


def _pronoun_lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _title_lines(
        "pronouns: FB-Score, the same of the two pronouns alone, and how likely each is; of a model that "
        "writes neither it is 1"
    )
    yield from table(_pronoun_rows(found["scores"], "split", "part"), "llrrrrrr")
    first = [one for one in found["modifiers"] if one["ideal"] == found["modifiers"][0]["ideal"]]
    yield ""
    yield from table(_pronoun_rows(first, "modifier", "modifier"), "llrrrrrr")
    for ideal, count in found["left_out"].items():
        if count:
            yield from wrap_text(f"{ideal}: {count} professions that it does not have are left out")


def _pronoun_rows(rows: Rows, name: str, head: str) -> list[list[str]]:
    heads = ["ideal", head, "prompts", "FB-Score", "95 % interval", "of the two", "P(he)", "P(she)"]
    return [heads] + [
        [
            one["ideal"],
            one[name] or "none",
            str(one["items"]),
            *(written(one["fb"], 4) for written in (_value_text, _interval_text)),
            *(_value_text(one[figure], 4) for figure in ("between", "he", "she")),
        ]
        for one in rows
    ]
