"""What the page shows of `fairlint model score`: a table and a figure for each data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairlint.model_bias.locating import Estimate
from fairlint.model_bias.shown import Bars, Dots, Shown, Table, Value, interval, number

Rows = Sequence[Mapping[str, Any]]
EXAMPLES = 3
"""Occupations at each end."""


def examples(figures: Mapping[str, Any]) -> list[str]:
    """Return the occupations in which men lead the most and the least, in text and in code."""
    found = []
    for one in figures.get("winogender", ())[:1]:
        gaps = {each["occupation"]: each["gap"] for each in one["occupations"]}
        found += _extreme_gaps("text", "he", "she", gaps)
    for one in figures.get("code", {}).get("named", ()):
        if one["attribute"] == "gender" and one["template"] in {"overall", "attribute"}:
            found += _extreme_gaps("code", "male", "female", one["occupations"])
            break
    for one in figures.get("pronouns", {}).get("scores", ())[:1]:
        found += _furthest_professions(one["ideal"], figures["pronouns"]["professions"])
    return found


def _furthest_professions(ideal: str, rows: Rows) -> list[str]:
    """Return the professions whose pronouns, of the two alone, are furthest from an ideal."""
    some = [one for one in rows if one["ideal"] == ideal]
    ordered = sorted(some, key=lambda one: (-abs(one["share"] - one["f_she"]), one["profession"]))
    return [
        f"pronouns, {one['profession']}: she has {number(one['share'])} of he and she, and {ideal} gives her "
        f"{number(one['f_she'])}"
        for one in ordered[:EXAMPLES]
    ]


def _extreme_gaps(where: str, male: str, female: str, gaps: Mapping[str, float]) -> list[str]:
    ordered = sorted(gaps, key=lambda name: (-gaps[name], name))
    some = ordered if len(ordered) <= 2 * EXAMPLES else [*ordered[:EXAMPLES], *ordered[-EXAMPLES:]]
    return [f"{where}, {name}: ln P({male}) − ln P({female}) = {number(gaps[name])}" for name in some]


def pictures(figures: Mapping[str, Any]) -> list[Shown]:
    """Tables and figures of the data sets that were scored."""
    made: Mapping[str, Callable[[Any], list[Shown]]] = {
        "stereoset": _stereoset_view,
        "winogender": _winogender_view,
        "crows-pairs": _crows_pairs,
        "code": _code_view,
        "text": _text_view,
        "pronouns": _pronouns_view,
    }
    return [one for name, told in figures.items() if name in made for one in made[name](told)]


def _stereoset_view(rows: Rows) -> list[Shown]:
    names = ("lms", "ss", "icat")
    table = Table(
        "stereoset",
        "StereoSet",
        "SS 50 is no preference, LMS 100 knows language, ICAT is both. Means over targets.",
        ("task", "about", "items", "LMS", "95 %", "SS", "95 % ", "ICAT", " 95 %"),
        tuple(
            (
                one["task"],
                one["bias_type"],
                one["items"],
                *(cell for name in names for cell in _value_and_bounds(one[name])),
            )
            for one in rows
        ),
    )
    bars = tuple((f"{one['task']}, {one['bias_type']}", *_bounds_of_value(one["ss"])) for one in rows)
    note = "Right of the line stereotypes are likelier than their opposites."
    return [table, Bars("stereoset-ss", "StereoSet: preference for stereotypes", note, "SS", bars, 50.0)]


def _winogender_view(rows: Rows) -> list[Shown]:
    table = Table(
        "winogender",
        "WinoGender",
        "Gap: ln P(he) − ln P(she), mean over occupations. r: with the share of women who work there (BLS "
        "2015, by WinoGender's table), and among mentions in text (Bergsma and Lin 2006).",
        ("pronoun means", "items", "gap", "95 %", "r, BLS", "95 % ", "r, text", " 95 %"),
        tuple(
            (
                one["refers_to"],
                one["items"],
                *_value_and_bounds(one["gap"]),
                *_value_and_bounds(one["r_bls"]),
                *_value_and_bounds(one["r_bergsma"]),
            )
            for one in rows
        ),
    )
    points = tuple(
        (str(each["occupation"]), float(each["women"]), float(each["gap"]))
        for each in (rows[-1]["occupations"] if rows else ())
        if each.get("women") is not None
    )
    if not points:
        return [table]
    note = "Each dot is an occupation; above 0 men are likelier."
    return [
        table,
        Dots(
            "winogender-gaps", "WinoGender: who is written", note, "% women (BLS 2015)", "gap in nats", points
        ),
    ]


def _crows_pairs(rows: Rows) -> list[Shown]:
    table = Table(
        "crows-pairs",
        "CrowS-Pairs",
        "How often, in %, the sentence that is more of a stereotype is likelier; 50 is no preference.",
        ("about", "pairs", "stereotype", "95 %"),
        tuple((one["bias_type"], one["items"], *_value_and_bounds(one["stereotype"])) for one in rows),
    )
    bars = tuple((str(one["bias_type"]), *_bounds_of_value(one["stereotype"])) for one in rows)
    return [table, Bars("crows-pairs-bars", "CrowS-Pairs by type of bias", "", "% stereotype", bars, 50.0)]


def _text_view(told: Mapping[str, Any]) -> list[Shown]:
    row = (told["passages"], told["tokens"], *_value_and_bounds(told["value"]))
    note = "exp of the mean −ln P a token; of a masked model each token masked in turn."
    return [Table("text", "Perplexity", note, ("passages", "tokens", "perplexity", "95 %"), (row,))]


PRONOUN_FIGURES = ("fb", "between", "he", "she")
PRONOUN_COLUMNS = (
    "prompts", "FB-Score", "95 %", "of the two", "95 % ", "P(he)", " 95 %", "P(she)", " 95 % ",
)  # fmt: skip


def _pronoun_table(name: str, title: str, note: str, part: tuple[str, str], rows: Rows) -> Table:
    """Return a row for each ideal and part, which is told by its head and the name of its field."""
    head, key = part
    cells = tuple(
        (
            one["ideal"],
            one[key] or "none",
            one["items"],
            *(cell for figure in PRONOUN_FIGURES for cell in _value_and_bounds(one[figure])),
        )
        for one in rows
    )
    return Table(name, title, note, ("ideal", head, *PRONOUN_COLUMNS), cells)


def _pronouns_view(told: Mapping[str, Rows]) -> list[Shown]:
    note = (
        "|P(he) − f_he| + |P(she) − f_she|, means over prompts; 1 of a model that writes neither. Of the "
        "two: the same of P(he) and P(she) normalised over both."
    )
    made: list[Shown] = [
        _pronoun_table("pronouns", "Pronouns in code: FB-Score", note, ("part", "split"), told["scores"]),
        _pronoun_table(
            "pronouns-modifiers",
            "Pronouns in code, by modifier",
            "",
            ("modifier", "modifier"),
            told["modifiers"],
        ),
    ]
    ideals = [one["ideal"] for one in told["scores"] if one["split"] == "all"]
    made.append(
        Table(
            "pronouns-professions",
            "Pronouns in code, by profession",
            "Means over prompts. Share: of she among he and she.",
            ("ideal", "profession", "prompts", "f_she", "share", "P(he)", "P(she)", "FB-Score"),
            tuple(
                (
                    one["ideal"],
                    one["profession"],
                    one["items"],
                    *(one[name] for name in ("f_she", "share", "he", "she", "fb")),
                )
                for one in told["professions"]
            ),
        )
    )
    for ideal in ideals:
        points = tuple(
            (str(one["profession"]), float(one["f_she"]), float(one["share"]))
            for one in told["professions"]
            if one["ideal"] == ideal
        )
        name = f"pronouns-{ideals.index(ideal) + 1}"
        title, note = (
            f"Pronouns in code: {ideal}",
            "Each dot is a profession; on the diagonal both are equal.",
        )
        made.append(Dots(name, title, note, "f_she", "share of she", points, diagonal=True))
    return made


def _code_view(told: Mapping[str, Rows]) -> list[Shown]:
    named = [
        (
            one["template"],
            one["attribute"],
            group,
            *_value_and_bounds(share),
            *_value_and_bounds(one["first"].get(group)),
        )
        for one in told["named"]
        for group, share in one["probability"].items()
    ]
    leads = [
        (one["template"], *_value_and_bounds(one["gap"]), *_value_and_bounds(one["r_bls"]))
        for one in told["named"]
        if one["gap"]
    ]
    points = [
        (one["template"], one["attribute"], group, *_value_and_bounds(value))
        for one in told["points"]
        for group, value in one["points"].items()
    ]
    asked = [
        (
            one["template"],
            one["attribute"],
            *_value_and_bounds(one["written"]),
            *_value_and_bounds(one["share"]),
        )
        for one in told["written"]
    ]
    made = (
        (
            "code-lead",
            "Code: men before women",
            "Behind `gender == '`: ln P(male) − ln P(female), and r with BLS.",
            ("form", "gap", "95 %", "r, BLS", "95 % "),
            leads,
        ),
        (
            "code-named",
            "Code: who is named",
            "Each group's probability among the groups, and how often (%) it is first.",
            ("form", "attribute", "group", "probability", "95 %", "first", "95 % "),
            named,
        ),
        (
            "code-points",
            "Code: points",
            "Expected number behind `+=` once the group is tested for.",
            ("form", "attribute", "group", "points", "95 %"),
            points,
        ),
        (
            "code-asked",
            "Code: what is asked of a person",
            "Probability that the attribute is written, and its share.",
            ("form", "attribute", "probability", "95 %", "share", "95 % "),
            asked,
        ),
    )
    return [
        Table(name, title, note, columns, tuple(rows)) for name, title, note, columns, rows in made if rows
    ]


def _value_and_bounds(told: Mapping[str, float] | None) -> tuple[Value, Value]:
    """Return a value and its bounds as two cells."""
    if told is None:
        return None, ()
    is_point = told["low"] == told["high"]  # no draw differed: that is no bound
    return told["value"], () if is_point else interval(told["low"], told["high"])


def _bounds_of_value(told: Mapping[str, float]) -> Estimate:
    return Estimate(told["value"], told["low"], told["high"])
