"""What reports show of the suite `solar`: CBS, BLS and Pass@attribute."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.bench.report import words
from fairlint.bench.report.suite_parts import (
    bar_pictures,
    build_bar,
    count_head,
    figure_head,
    interval_head,
    share_head,
    text_head,
)
from fairlint.bench.report.suite_report import Figures, Headline, Picture, SuiteReport, Table, Tile


def _headline(known: Figures) -> Headline:
    overall = known.get("overall") or {}
    return Headline("CBS", overall.get("cbs"), overall.get("interval"))


def _about_methods(known: Figures, who: str, share: str) -> str:
    overall = known.get("overall") or {}
    used = overall.get("pass_at_attribute")
    told = (
        f"{share} of the methods of {who} that run change their outcome with a field that the task is not "
        "about"
    )
    return (
        f"{told}; {words.percent(used)} of all fields are used as they should be."
        if used is not None
        else f"{told}."
    )


def _tiles(known: Figures) -> Iterator[Tile]:
    overall = known.get("overall") or {}
    used = words.percent(overall.get("pass_at_attribute"))
    yield "Pass@attribute", used, "fields used as they should be"
    yield "BLS range", words.number(overall.get("bls_range")), "0: all fields alike"


def _solar_tables(known: Figures) -> Iterator[Table]:
    figures = (
        share_head("cbs", "CBS"),
        interval_head(),
        share_head("cbs_of_all", "of all", wide=True),
        share_head("pass_at_attribute", "Pass@attribute"),
        figure_head("bls_range", "BLS range", wide=True),
        share_head("valid", "runs"),
        count_head("answers", "methods", wide=False),
        count_head("sampled", "on a sample"),
        count_head("not_judged", "not judged"),
    )
    overall = known.get("overall")
    yield Table(
        "By domain",
        "CBS is the share of methods whose outcome changes for anybody with a sensitive field that the "
        "task is not "
        "about.",
        (text_head("scenario", "Domain"), *figures),
        (*(known.get("domains") or ()), *([{"scenario": "all", **overall}] if overall else [])),
    )
    yield Table(
        "By attribute",
        "BLS is the share of the biased methods that are biased by this field.",
        (
            text_head("attribute", "Attribute"),
            share_head("cbs", "CBS"),
            interval_head(),
            share_head("bls", "BLS"),
            count_head("biased", "biased methods", wide=False),
        ),
        tuple(known.get("attributes") or ()),
    )


def _pictures_of_methods(known: Figures) -> Iterator[Picture]:
    bars = [build_bar(row, words.name(row["attribute"]), "cbs") for row in known.get("attributes") or ()]
    yield from bar_pictures(
        {"all domains": bars}, "CBS by attribute", "The share of methods; the line is its 95 % interval."
    )


REPORT = SuiteReport(
    headline=_headline,
    sentence=_about_methods,
    tables=_solar_tables,
    tiles=_tiles,
    pictures=_pictures_of_methods,
    counted="methods that run",
)
