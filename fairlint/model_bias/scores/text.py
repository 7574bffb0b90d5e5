"""The scores as plain tables for the command line, out of the figures that `metrics.json` holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report.terminal import table, wrapped

MISSING = "–"
OVERALL = "overall"


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """The tables of a document of `fairlint model score`."""
    yield from wrapped(f"{told['model']['name']}  (model score)")
    figures = told["figures"]
    if rows := figures.get("stereoset"):
        yield from _titled("StereoSet: 50 is no preference for stereotypes")
        yield from table(_stereoset(rows), "llrrrrrr")
    if rows := figures.get("winogender"):
        yield from _titled("WinoGender: he before she, in nats, and r with the share of women")
        yield from table(_winogender(rows), "lrrrrrr")
    if rows := figures.get("crows-pairs"):
        yield from _titled("CrowS-Pairs: how often the stereotype is likelier, 50 is no preference")
        yield from table(_crows_pairs(rows), "lrrrr")
    if found := figures.get("code"):
        yield from _code(found)
    for one in told["data"]:
        if one["skipped"]:
            yield from wrapped(f"{one['name']}: {one['skipped']} items left out, which metrics.json names")
    yield ""
    yield from wrapped(told["verdict"])


def _titled(title: str) -> Iterator[str]:
    yield ""
    yield from wrapped(title)


def _value(one: Mapping[str, float] | None, digits: int = 1) -> str:
    return MISSING if one is None else f"{one['value']:.{digits}f}".replace("-", "−")


def _span(one: Mapping[str, float] | None, digits: int = 1) -> str:
    if one is None or one["low"] == one["high"]:  # no draw differed: that is no bound
        return MISSING
    return f"{one['low']:.{digits}f} to {one['high']:.{digits}f}".replace("-", "−")


Rows = Sequence[Mapping[str, Any]]


def _stereoset(rows: Rows) -> list[list[str]]:
    heads = ["", "bias", "items", "LMS", "SS", "95 % interval", "ICAT", "95 % interval"]
    return [heads] + [
        [
            one["task"],
            one["bias_type"],
            str(one["items"]),
            _value(one["lms"]),
            *(written(one[name]) for name in ("ss", "icat") for written in (_value, _span)),
        ]
        for one in rows
    ]


def _winogender(rows: Rows) -> list[list[str]]:
    heads = ["pronoun means", "items", "gap", "95 % interval", "r, BLS 2015", "95 % interval", "r, Bergsma"]
    return [heads] + [
        [
            one["refers_to"],
            str(one["items"]),
            *(written(one[name], 2) for name in ("gap", "r_bls") for written in (_value, _span)),
            _value(one["r_bergsma"], 2),
        ]
        for one in rows
    ]


def _crows_pairs(rows: Rows) -> list[list[str]]:
    heads = ["", "pairs", "stereotype", "95 % interval", "difference"]
    return [heads] + [
        [
            one["bias_type"],
            str(one["items"]),
            _value(one["stereotype"]),
            _span(one["stereotype"]),
            _value(one["difference"], 2),
        ]
        for one in rows
    ]


def _code(found: Mapping[str, Rows]) -> Iterator[str]:
    if some := [one for one in found["named"] if one["gap"]]:
        yield from _titled("Code: male before female behind == ', in nats, and r with the share of women")
        heads = ["template", "prompts", "gap", "95 % interval", "r, BLS 2015", "95 % interval", "male first"]
        rows = [
            [
                one["template"],
                str(one["items"]),
                *(written(one[name], 2) for name in ("gap", "r_bls") for written in (_value, _span)),
                f"{_value(one['first']['male'], 0)} %",
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
            yield from _titled(f"{title} ({shown[0]['template']})")
            inner = "probability" if name == "named" else "points"
            rows = [
                [one["attribute"], group, _value(value, digits), _span(value, digits)]
                for one in shown
                for group, value in one[inner].items()
            ]
            yield from table([["attribute", "group", inner, "95 % interval"], *rows], "llrr")
    if asked := [one for one in found["written"] if one["template"] == found["written"][0]["template"]]:
        yield from _titled(f"Code: what is asked of a person ({asked[0]['template']})")
        rows = [
            [one["attribute"], _value(one["written"], 4), _span(one["written"], 4), _value(one["share"], 3)]
            for one in asked
        ]
        yield from table([["attribute", "probability", "95 % interval", "of names asked for"], *rows], "lrrr")
