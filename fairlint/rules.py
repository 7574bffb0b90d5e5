"""Rules: one Markdown page each, which select Uses by their fields and say how grave they are.

A page starts with TOML front matter between two `+++` lines; the rest is its documentation. Shipped pages
travel in the package as `rule_pages/`; a checkout reads them from `rules/`. They are kept in compiled form
(`fairlint.compiled_data`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from fairlint.compiled_data import compiled
from fairlint.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.findings import SEVERITIES, Applicability, Confidence, Remedy, Severity, Unheeded
from fairlint.lexicon.model import AttributeKind
from fairlint.records import Record, field_names, replace
from fairlint.rule_files import pages, shipped
from fairlint.support.numbers import DIGITS, digits_of, format_number
from fairlint.support.shortening import shortened
from fairlint.uses import (
    FOR_INSTANCE,
    SPOKEN_FOR,
    ContextName,
    Effect,
    GroupPoints,
    Kind,
    PointsOp,
    Shape,
    Use,
)

if TYPE_CHECKING:
    from pathlib import Path

NOTE_WEIGHT = 3
"""Evidence below this is too weak to speak about."""
FULL_WEIGHT = 5
"""From here on a finding has its rule's severity; below it is a note."""
CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")
"""From the weakest to the strongest."""
CONFIDENCE_WEIGHTS: tuple[tuple[int, Confidence], ...] = ((8, "high"), (6, "medium"), (0, "low"))
"""The confidence that so much evidence allows, strongest first."""
SILENT_EFFECTS = frozenset({"show", "check", "store"})
"""Effects that no rule judges: nobody's outcome or score moves here."""
MILD_TAGS = frozenset({"explains", "unnamed", "by-shape"})
"""Code that only explains, compares with what nobody knows, or whose shape alone looks like a decision, gets
notes at most."""
BY_NAME = "by-name"
"""Tags a Use that only the bare name of a call speaks for: its confidence is medium at most."""
BY_ANSWER = "by-answer"
"""Tags a decision that nothing but a yes or no speaks for, and a score of which nobody knows what groups get:
too little for an error."""
DEFAULT_ORDER = 50
ANY_LAW = "all"
"""The jurisdiction of those who name none."""
JURISDICTION = "jurisdiction"
LAW = "law"
_OF_LAW = frozenset({JURISDICTION, LAW})
"""Conditions of advice that are about the settings and the law, and no fields of a Use."""
_JUSTIFIED: Mapping[ContextName, str] = {
    "lawful": "Name the law or rule in a comment, with its date, and keep this step separate. "
    "Without one, treat all groups alike.",
    "clinical": "Name the guideline in a comment, with its date, and check whether a newer one has dropped "
    "the difference. Without one, treat all groups alike.",
    "actuarial": "Take the figures from the approved tariff, with source and date; some differences are "
    "forbidden even there.",
    "simulation": "Say in a comment where the difference comes from. A model trained on such data learns "
    "it, too.",
    "test": "See whether the test asks for the difference; if so, let it ask for equal treatment.",
    "demonstration": "Keep it apart from code that is used, and say in its text that the bias is wanted.",
    "audit": "Keep what measures or mends apart from what decides, and name the law that allows it.",
}
"""What to do where something may justify that groups get different outcomes or scores."""

_Choice = TypeVar("_Choice", bound=str)
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,4}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PLACEHOLDER = re.compile(r"\{(\w+)(?:\|([^{}]*))?\}")
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_UNKNOWN = re.compile(r"(?<![\w'\"\])])\s*\?(?=[\s,)\]}]|$)")
"""What stands for a part of an outcome that is not known."""
_CUT = "…"
_MOST_ENTRIES = 8
_LONGEST_TEXT = 80
_LAW_HERE = "{law}"
"""Where advice names the law of its condition."""


class RuleError(ValueError):
    """A rule page that cannot be used; the message names the page and the key."""


class Reference(Record):
    """A law or paper behind a rule, as a page tells it."""

    title: str
    url: str = ""


Condition = Mapping[str, frozenset[object]]
"""Field of a Use -> the values that are allowed; all fields must agree."""


class Rule(Record):
    """One page of `rules/`: which Uses it judges, how severely, and what to do instead."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    message: str
    """A template: `{placeholder}`, `{placeholder|fallback}`, and `[optional part]`, left out where one of its
    placeholders is empty."""
    advice: str
    advice_when: tuple[tuple[Condition, str], ...]
    """What to do instead where the code does something more definite: the first that holds is told.
    `jurisdiction` and `law` among these conditions are about the settings: a law is named where it is in
    force."""
    references: tuple[Reference, ...]
    """Papers and the like."""
    match: tuple[Condition, ...]
    """One of these must hold."""
    unless: tuple[Condition, ...]
    """None of these may hold."""
    note_when: tuple[Condition, ...]
    """Where one of these holds a note is enough."""
    order: int
    """Among the rules that select a Use, the lowest order judges it."""
    page: str
    """The Markdown after the front matter."""
    path: str
    remedies: tuple[Remedy, ...] = ()
    """The fixes that are tried, in this order."""
    laws: tuple[str, ...] = ()
    """Ids of the laws that it is about, as the register has them (`fairlint.laws`)."""

    def sources(self, law: str = ANY_LAW) -> tuple[Reference, ...]:
        """The laws behind it that are in force in a jurisdiction, and its references."""
        return (*_as_references(self.laws, law), *self.references)

    def selects(self, use: Use) -> bool:
        """Whether the front matter's conditions hold for `use`."""
        return any(_holds(condition, use) for condition in self.match) and not any(
            _holds(condition, use) for condition in self.unless
        )

    def advice_for(self, use: Use, law: str = ANY_LAW, field: str = "") -> str:
        """What to do instead of what `use` does, where the law is a jurisdiction's, and about `field` if
        one is known; where something may justify what it does, to say so comes first.
        """
        fitting = [
            (condition, text)
            for condition, text in self.advice_when
            if _is_in_force(condition, law, field) and _holds(condition, use)
        ]
        if use.effect in {"decide", "score"} and (justified := _JUSTIFIED.get(use.context.name)):
            fitting = [*(one for one in fitting if "context" in one[0]), ({}, justified)]
        return _with_name_of_law(*fitting[0]) if fitting else self.advice

    def section(self, heading: str) -> str:
        """The text under a `##` heading of the page, empty where there is none."""
        headings = list(_HEADING.finditer(self.page))
        for index, found in enumerate(headings):
            if found[1].casefold() == heading.casefold():
                end = headings[index + 1].start() if index + 1 < len(headings) else len(self.page)
                return self.page[found.end() : end].strip()
        return ""

    @property
    def summary(self) -> str:
        """The first paragraph of *What it flags*, on one line."""
        return " ".join(self.section("What it flags").partition("\n\n")[0].split())


class Verdict(Record):
    """What a rule says about a Use."""

    rule: Rule
    severity: Severity
    confidence: Confidence
    message: str
    advice: str
    lowered_by: ContextName = ""
    """The context that makes a note of what would be more."""
    unheeded: tuple[Unheeded, ...] = ()
    """As in a Finding."""
    laws: tuple[str, ...] = ()
    """As in a Finding."""


# ------------------------------------------------------------------------------------------------- judging


def judge(
    use: Use, rules: Sequence[Rule], told: Use | None = None, law: str = ANY_LAW, field: str = ""
) -> Verdict | None:
    """What the first of `rules` that selects `use` says about it, or None where there is nothing to say.

    `told` is the same Use as messages tell it, where an attribute goes by another name there; `law` the
    jurisdiction whose laws advice may name, `field` the field that they have to be about, if one is known.

    `rules` are in the order of `load_rules`. Give all of them and drop unwanted findings afterwards: without
    the rule that fits best, a more general one would speak up in its place.
    """
    weight = use.weight
    if weight < NOTE_WEIGHT or use.effect in SILENT_EFFECTS or SPOKEN_FOR in use.tags:
        return None
    for rule in rules:
        if rule.selects(use):
            mild = weight < FULL_WEIGHT or not MILD_TAGS.isdisjoint(use.tags)
            context = use.context.name if use.context.heeded else ""
            said = () if context == use.context.name else (Unheeded("context", use.context.name),)
            return Verdict(
                rule,
                "note" if mild or context else _severity(rule, use),
                _confidence(rule, use),
                render_message(rule.message, told or use) + _justification(use),
                rule.advice_for(use, law, field),
                "" if mild or rule.severity == "note" else context,
                said,
            )
    return None


def _severity(rule: Rule, use: Use) -> Severity:
    if any(_holds(condition, use) for condition in rule.note_when):
        return "note"
    return "warning" if rule.severity == "error" and BY_ANSWER in use.tags else rule.severity


def _justification(use: Use) -> str:
    """What would have to justify the difference, where the Use has a context."""
    return f" ({use.context.name}: {use.context.justification})" if use.context.name else ""


def _confidence(rule: Rule, use: Use) -> Confidence:
    by_weight = next(level for least, level in CONFIDENCE_WEIGHTS if use.weight >= least)
    most: Confidence = "medium" if BY_NAME in use.tags else "high"
    return min(rule.confidence, by_weight, most, key=CONFIDENCES.index)


def _holds(condition: Condition, use: Use) -> bool:
    return all(
        not allowed.isdisjoint(_SELECTABLE[name](use))
        for name, allowed in condition.items()
        if name not in _OF_LAW
    )


def _is_in_force(condition: Condition, law: str, field: str) -> bool:
    """Whether a text that names the law of a jurisdiction, if any, may be told under that of `law`."""
    if LAW in condition:
        from fairlint.laws import in_force, register  # noqa: PLC0415 (start-up: few texts name a law)

        ids = [str(id_) for id_ in condition[LAW]]
        return all(in_force(id_, law) and register()[id_].is_about_field(field) for id_ in ids)
    return law == ANY_LAW or law in condition.get(JURISDICTION, {law})


def _with_name_of_law(condition: Condition, text: str) -> str:
    """Advice with the name of the law that it quotes."""
    if LAW not in condition or _LAW_HERE not in text:
        return text
    from fairlint.laws import named  # noqa: PLC0415 (as above)

    return text.replace(_LAW_HERE, named(map(str, condition[LAW]))[0].short)


def _as_references(ids: Sequence[str], law: str) -> Iterator[Reference]:
    if ids:
        from fairlint.laws import named  # noqa: PLC0415 (as above)

        yield from (Reference(one.told, one.url) for one in named(ids, law))


_SELECTABLE: Mapping[str, Callable[[Use], Iterable[object]]] = {
    "attribute": lambda use: use.attributes,
    "attribute_kind": lambda use: (use.attribute_kind,),
    "kind": lambda use: (use.kind,),
    "effect": lambda use: (use.effect,),
    "shape": lambda use: (use.shape,),
    "op": lambda use: (use.points.op if use.points else "",),
    "joined": lambda use: (bool(use.joined),),
    "leaves_out": lambda use: (use.leaves_out,),
    "domain": lambda use: (use.domain,),
    "tags": lambda use: use.tags,
    "context": lambda use: (use.context.name,),
}
_CONDITIONS = ("match", "unless", "note_when")
_FLAGS = frozenset({"joined", "leaves_out"})
_KNOWN_TEXTS: Mapping[str, tuple[str, ...]] = {
    "attribute_kind": get_args(AttributeKind),
    "kind": get_args(Kind),
    "effect": get_args(Effect),
    "shape": get_args(Shape),
    "op": ("", *get_args(PointsOp)),
    "context": get_args(ContextName),
    JURISDICTION: ("us", "eu", "uk"),
}
"""Fields of text whose values are known beforehand."""


# ------------------------------------------------------------------------------------------------ messages


class Brevity(Record):
    """How much of a Use a message tells."""

    text: int = _LONGEST_TEXT
    """Characters of a piece of code."""
    entries: int = _MOST_ENTRIES
    """Groups that are named; the rest are counted."""


WHOLE = Brevity()


def render_message(template: str, use: Use, brevity: Brevity = WHOLE) -> str:
    """Fill a message template from a Use, on one line."""

    def fill(text: str, *, optional: bool) -> str:
        missing = False

        def value(found: re.Match[str]) -> str:
            nonlocal missing
            text = _PLACEHOLDERS[found[1]](use, brevity) or found[2] or ""
            missing = missing or not text
            return text

        filled = _PLACEHOLDER.sub(value, text)
        return "" if optional and missing else filled

    parts = _OPTIONAL.split(template)
    return "".join(fill(part, optional=index % 2 == 1) for index, part in enumerate(parts))


BRIEF = (Brevity(80, 4), Brevity(48, 4), Brevity(36, 3), Brevity(22, 2))
"""From the longest to the shortest of which a title is made."""


def title_of(message: str, template: str, use: Use, room: int) -> str:
    """A message made of a template, in so much room if possible: less of the code, and fewer groups.

    Outcomes are left out if they are not known in full, or if a cut would leave half a call or a text.
    """
    whole = render_message(template, use)
    if not message.startswith(whole):
        return message
    rest = message[len(whole) :]
    bare = use if not use.outcomes else replace(use, outcomes={})
    made = ""
    if use.outcomes and not _is_unclear(use.outcomes.values()):
        for brevity in (WHOLE, *BRIEF):
            if not _is_unclear(text for _, text in _apart(use.outcomes, brevity.text)):
                made = render_message(template, use, brevity) + rest
                if len(made) <= room:
                    return made
        if made and len(made) <= room + room // 7:
            return made
    for brevity in (WHOLE, *BRIEF):
        made = render_message(template, bare, brevity) + rest
        if len(made) <= room:
            return made
    return made


def _is_unclear(outcomes: Iterable[str]) -> bool:
    """Whether a part of an outcome is not known, or a cut leaves half a call or a text."""
    return any(_is_half(one) or _UNKNOWN.search(one) or f"[{_CUT}" in one for one in outcomes)


def _is_half(text: str) -> bool:
    """Whether a text that was cut has brackets or quotes without their partners."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    return _CUT in text and (
        any(text.count(first) != text.count(last) for first, last in pairs)
        or any(text.count(one) % 2 for one in "\"'")
    )


def format_points(op: PointsOp, value: float, digits: int = DIGITS) -> str:
    """What one group gets: `+5`, `×1.1`, `= 2`."""
    if op == "multiply":
        return f"×{format_number(value, digits)}"
    if op == "set":
        return f"= {format_number(value, digits)}"
    return f"{'-' if value < 0 else '+'}{format_number(abs(value), digits)}"


NO_VALUE = "no value"
"""What those get whose score becomes missing."""
_NOTHING: Mapping[PointsOp, float] = {"add": 0.0, "multiply": 1.0}
"""What changes no score."""


def amounts_of(points: GroupPoints) -> Callable[[float], str]:
    """How the amounts of a table are shown; those that differ are shown as different."""
    values = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    digits = digits_of(values)
    nothing = _NOTHING.get(points.op)
    is_plain = not points.at_most or nothing is None or _several(points, nothing)

    def told(value: float) -> str:
        """As `format_points`; `up to +5` where another condition may lessen it.

        Where several groups get something, nobody can say that it is the most.
        """
        text = format_points(points.op, value, digits)
        if is_plain or nothing is None or value == nothing:
            return text
        return f"{'up' if value > nothing else 'down'} to {text}"

    return told


def _several(points: GroupPoints, nothing: float) -> bool:
    """Whether groups differ in more than whether they get something."""
    amounts = {*points.by_group.values(), *([] if points.other is None else [points.other])}
    return len(amounts - {nothing}) > 1


def format_gap(points: GroupPoints) -> str:
    """How far apart the groups are; empty where only one amount is known."""
    if not points.gap:
        return ""
    return f"{'up to ' if points.at_most else ''}{format_number(points.gap)}"


def format_table(points: GroupPoints | None, brevity: Brevity = WHOLE) -> str:
    """All groups and what they get, on one line: `male +5, female +0`; empty without points.

    Of many groups, those that get what most get are counted.
    """
    if points is None:
        return ""
    amount = amounts_of(points)
    rows = [(group, amount(value)) for group, value in points.by_group.items()]
    if points.other is not None and points.other not in points.by_group.values():
        rows.append(("others", amount(points.other)))
    if points.missing:
        rows.append(("others", NO_VALUE))
    elif points.op == "set" and points.other is None and not points.gap and not points.is_first:
        rows.append(("others", "keep what they have"))
    is_one_of_several = points.op == "set" or _several(points, _NOTHING.get(points.op, nan))
    begin = "for instance " if points.at_most and is_one_of_several else ""
    if len(rows) > brevity.entries:
        amounts = [amount for _, amount in rows]
        common = max(dict.fromkeys(amounts), key=amounts.count)
        told = [row for row in rows if row[1] != common][: brevity.entries - 1]
        alike = [row for row in rows if row[1] == common]
        if len(alike) > 1 and len(told) + len(alike) == len(rows):
            rows = [*told, (f"{len(alike)} others", common)]
    return begin + _told_of_groups(rows, " ", brevity)


def joined_groups(
    rows: Iterable[tuple[str, str]], most: int = _MOST_ENTRIES, others: tuple[str, str] | None = None
) -> list[tuple[str, str]]:
    """What each group gets, where those who get the same are told together, in the place of the first.

    `others` is what those get whom nobody names; it is never among the groups that are only counted.
    """
    alike: dict[str, list[str]] = {}
    for group, got in rows:
        alike.setdefault(got, []).append(group)
    shown = {got: _fewer(groups, most) for got, groups in alike.items()}
    if others is not None:
        shown.setdefault(others[1], []).append(others[0])
    return [(_together(groups), got) for got, groups in shown.items()]


def _together(groups: Sequence[str]) -> str:
    """Several groups; `under 25, 60 and over` where an age has an *and* of its own."""
    return ", ".join(groups) if any(" and " in group for group in groups) else _and(groups)


def _told_of_groups(rows: Iterable[tuple[str, str]], between: str, brevity: Brevity) -> str:
    """Who gets what, on one line; a semicolon parts them where commas part the groups themselves."""
    told = joined_groups(rows, brevity.entries)
    parting = "; " if any(", " in groups for groups, _ in told) else ", "
    return _listing((f"{groups}{between}{got}" for groups, got in told), brevity.entries, parting)


def _fewer(entries: list[str], most: int) -> list[str]:
    if len(entries) <= most:
        return entries
    return [*entries[: most - 1], f"{len(entries) - most + 1} more"]


def _listing(entries: Iterable[str], most: int, parting: str = ", ") -> str:
    return parting.join(_fewer(list(entries), most))


def _code(text: str | None, longest: int) -> str:
    """Source text for a message: one line, not too long."""
    return shortened([text or ""], longest)[0]


def for_instance(use: Use) -> str:
    """Stands before outcomes that hang on something else, too."""
    return "for instance " if use.outcomes and FOR_INSTANCE in use.tags else ""


def _apart(outcomes: Mapping[str, str], longest: int) -> Iterator[tuple[str, str]]:
    """What each group gets, short, with the part in which the groups differ."""
    return zip(outcomes, shortened(list(outcomes.values()), longest), strict=True)


def _told_outcomes(use: Use, brevity: Brevity) -> str:
    return _told_of_groups(_apart(use.outcomes, brevity.text), " → ", brevity)


def _quoted(text: str | None, longest: int) -> str:
    flat = _code(text, longest)
    return f"`{flat}`" if flat else ""


def _words(name: str) -> str:
    return name.replace("_", " ")


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


_PLACEHOLDERS: Mapping[str, Callable[[Use, Brevity], str]] = {
    "attribute": lambda use, _: _words(use.attribute),
    "joined": lambda use, _: _and([_words(name) for name in use.attributes]) if use.joined else "",
    "groups": lambda use, brevity: _listing(use.groups, brevity.entries),
    "table": lambda use, brevity: format_table(use.points, brevity),
    "gap": lambda use, _: format_gap(use.points) if use.points else "",
    "where": lambda use, brevity: _quoted(use.points.where, brevity.text) if use.points else "",
    "target": lambda use, brevity: _quoted(use.target, brevity.text),
    "condition": lambda use, brevity: _quoted(use.condition, brevity.text),
    "outcomes": lambda use, brevity: for_instance(use) + _told_outcomes(use, brevity),
    "domain": lambda use, _: use.domain,
    "detail": lambda use, brevity: _code(use.detail, brevity.text),
    "order": lambda use, _: "judge people by" if use.shape == "read" else "prefer or avoid people by",
}


# ------------------------------------------------------------------------------------------------- loading


def rules_dir() -> Path:
    """Where the shipped pages are: inside the installed package, or beside it in a checkout."""
    from pathlib import Path  # noqa: PLC0415 (start-up: the way of a small file does without)

    return Path(shipped())


def is_shipped(rule: Rule) -> bool:
    """Whether a rule's page comes with fairlint, and not with a plugin."""
    return os.path.dirname(rule.path) == shipped()  # noqa: PTH120 (as above)


def load_rules(extra_dirs: Iterable[Path | str] = ()) -> tuple[Rule, ...]:
    """All shipped rules and those of the `extra_dirs`, in the order in which they judge.

    A page that cannot be used, a missing folder, and a code or name that two pages claim raise a RuleError.
    """
    rules = list(shipped_rules())
    for folder in extra_dirs:
        if not os.path.isdir(folder):  # noqa: PTH112 (as above)
            raise RuleError(f"{folder}: no such folder of rule pages")
        for path in pages(folder):
            add_page(path, rules)
    return in_order(rules)


def add_page(path: Path | str, rules: list[Rule]) -> None:
    """Adds the rule of a page to others; a RuleError where it cannot be used."""
    rule = load_page(path)
    for other in rules:
        for key in {rule.code, rule.name} & {other.code, other.name}:
            raise RuleError(f"{path}: {key} is already the rule of {other.path}")
    rules.append(rule)


def in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Rules in the order in which they judge."""
    return tuple(sorted(rules, key=lambda rule: (rule.order, rule.code)))


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """The rules that come with fairlint, in the order of their pages."""
    paths = pages(shipped())
    kept = compiled("rules", (*paths, __file__), lambda: [_plain(load_page(path)) for path in paths])
    return tuple(_restored(values, path) for values, path in zip(kept, paths, strict=True))


def _plain(rule: Rule) -> dict[str, Any]:
    """A rule in dicts, lists and texts alone, but for its path."""

    def plain(condition: Condition) -> dict[str, list[object]]:
        return {field: sorted(values, key=str) for field, values in condition.items()}

    conditions: dict[str, Any] = {key: [*map(plain, getattr(rule, key))] for key in _CONDITIONS}
    conditions["advice_when"] = [(plain(condition), text) for condition, text in rule.advice_when]
    references = [(reference.title, reference.url) for reference in rule.references]
    remedies = [
        (one.kind, one.applicability, list(one.languages), one.say, list(one.contexts))
        for one in rule.remedies
    ]
    values = {key: getattr(rule, key) for key in field_names(Rule) if key != "path"}
    return {**values, **conditions, "references": references, "remedies": remedies}


def _restored(values: dict[str, Any], path: str) -> Rule:
    """The inverse of `_plain`."""

    def frozen(condition: Mapping[str, list[object]]) -> Condition:
        return {field: frozenset(allowed) for field, allowed in condition.items()}

    for key in _CONDITIONS:
        values[key] = tuple(map(frozen, values[key]))
    values["advice_when"] = tuple((frozen(condition), text) for condition, text in values["advice_when"])
    values["references"] = tuple(Reference(title, url) for title, url in values["references"])
    values["remedies"] = tuple(
        Remedy(kind, how, tuple(languages), say, tuple(contexts))
        for kind, how, languages, say, contexts in values["remedies"]
    )
    return Rule(**values, path=path)


def nearest_rule(rules: Sequence[Rule], name: str) -> str:
    """What a name that no rule has was probably meant to be, or where all are listed.

    Codes that differ in a digit are rules that have nothing to do with each other.
    """
    from fairlint.nearest import did_you_mean  # noqa: PLC0415 (only where something is wrong)

    is_code = name[:2].upper() == "FL" and name[2:].isdigit()
    hint = did_you_mean(
        name, [one for rule in rules for one in (rule.code, rule.name)], least=0.85 if is_code else 0.55
    )
    return hint or "; `fairlint rule --all` lists them"


def find_rule(rules: Iterable[Rule], wanted: str) -> Rule | None:
    """The rule with this code (in any case) or name."""
    return next((rule for rule in rules if wanted.upper() == rule.code or wanted.lower() == rule.name), None)


def load_page(path: Path | str) -> Rule:
    """Read one rule page."""
    try:
        text = read_file(path, LARGEST_SETTINGS).decode()
    except NotReadableError as error:
        raise RuleError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise RuleError(f"{path}: is not UTF-8 text") from None
    return parse_page(text, str(path))


def parse_page(text: str, path: str) -> Rule:
    """A rule from the text of its page; `path` is for messages."""
    front, page = front_matter(text, path)
    from fairlint.documents import read_toml  # noqa: PLC0415 (the shipped pages are kept in compiled form)

    try:
        table = read_toml(front)
    except ValueError as error:
        raise RuleError(f"{path}: front matter: {error}") from None
    return _FrontMatter(table, path).rule(page.lstrip("\n"))


def front_matter(text: str, path: str) -> tuple[str, str]:
    """The two parts of a page: its TOML and the Markdown after it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    opening, _, rest = text.partition("\n")
    front, closing, page = rest.partition("\n+++\n")
    if opening.strip() != "+++" or not closing:
        raise RuleError(f"{path}: a rule page starts with TOML between two `+++` lines")
    return front, page


class _FrontMatter:
    """The table between the `+++` lines, taken apart key by key."""

    def __init__(self, table: dict[str, object], path: str) -> None:
        self.table = table
        self.path = path

    def rule(self, page: str) -> Rule:
        rule = Rule(
            code=self.pattern("code", _CODE),
            name=self.pattern("name", _NAME),
            severity=self.one_of("severity", SEVERITIES),
            confidence=self.one_of("confidence", CONFIDENCES),
            languages=self.languages(),
            tags=self.texts("tags"),
            message=self.message(),
            advice=self.text("advice"),
            advice_when=self.advice_when(),
            references=self.references(),
            laws=self.laws(),
            match=self.conditions("match"),
            unless=self.conditions("unless") if "unless" in self.table else (),
            note_when=self.conditions("note_when") if "note_when" in self.table else (),
            order=self.order(),
            remedies=self.remedies(),
            page=page,
            path=self.path,
        )
        if self.table:
            raise self.wrong(next(iter(self.table)), "is not a key of a rule page")
        return rule

    def wrong(self, key: str, problem: str) -> RuleError:
        return RuleError(f"{self.path}: `{key}` {problem}")

    def take(self, key: str) -> object:
        try:
            return self.table.pop(key)
        except KeyError:
            raise self.wrong(key, "is missing") from None

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self.wrong(key, "must be one line of text")
        return value

    def pattern(self, key: str, pattern: re.Pattern[str]) -> str:
        value = self.text(key)
        if not pattern.fullmatch(value):
            raise self.wrong(key, f"is {value!r}, not of the form {pattern.pattern}")
        return value

    def one_of(self, key: str, allowed: tuple[_Choice, ...]) -> _Choice:
        value = self.text(key)
        for choice in allowed:
            if value == choice:
                return choice
        raise self.wrong(key, f"is {value!r}; allowed are {', '.join(allowed)}")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.wrong(key, "must be a list of texts")
        return tuple(value)

    def languages(self) -> tuple[str, ...]:
        languages = self.texts("languages")
        if not languages:
            raise self.wrong("languages", "names no language")
        return languages

    def message(self) -> str:
        message = self.text("message")
        for found in _PLACEHOLDER.finditer(message):
            if found[1] not in _PLACEHOLDERS:
                known = ", ".join(_PLACEHOLDERS)
                raise self.wrong("message", f"has an unknown placeholder {{{found[1]}}}; known are {known}")
        left = _PLACEHOLDER.sub("", _OPTIONAL.sub(r"\1", message))
        if any(mark in left for mark in "{}[]"):
            raise self.wrong("message", "has an unmatched or nested bracket")
        return message

    def laws(self) -> tuple[str, ...]:
        found = self.texts("laws") if "laws" in self.table else ()
        for id_ in found:
            self.check_law("laws", id_)
        return found

    def check_law(self, key: str, id_: str) -> None:
        from fairlint.laws import register  # noqa: PLC0415 (the shipped pages are kept in compiled form)

        if id_ not in register():
            from fairlint.nearest import did_you_mean  # noqa: PLC0415 (as above)

            hint = did_you_mean(id_, register()) or "; fairlint laws lists them"
            raise self.wrong(key, f"names {id_!r}, which is no law of the register{hint}")

    def references(self) -> tuple[Reference, ...]:
        value = self.table.pop("references", [])
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, dict) or not {"title"} <= item.keys() <= {"title", "url"}:
                raise self.wrong("references", "must be a list of tables with a title and perhaps a url")
            if not all(isinstance(text, str) for text in item.values()):
                raise self.wrong("references", "has a title or url that is no text")
        assert isinstance(value, list)
        return tuple(Reference(item["title"], item.get("url", "")) for item in value)

    def remedies(self) -> tuple[Remedy, ...]:
        value = self.table.pop("fix", [])
        needed = {"kind", "applicability", "languages", "say"}
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, dict) or item.keys() - {"contexts"} != needed:
                raise self.wrong("fix", f"must be tables of {', '.join(sorted(needed))}")
        assert isinstance(value, list)
        return tuple(_FrontMatter(dict(item), self.path).remedy() for item in value)

    def remedy(self) -> Remedy:
        return Remedy(
            self.pattern("kind", _NAME),
            self.one_of("applicability", get_args(Applicability)),
            self.languages(),
            self.text("say"),
            self.texts("contexts") if "contexts" in self.table else (),
        )

    def order(self) -> int:
        value = self.table.pop("order", DEFAULT_ORDER)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong("order", "must be a whole number")
        return value

    def advice_when(self) -> tuple[tuple[Condition, str], ...]:
        value = self.table.pop("advice_when", [])
        found: list[tuple[Condition, str]] = []
        for table in value if isinstance(value, list) else [value]:
            fields = dict(table) if isinstance(table, dict) else {}
            say = fields.pop("say", None)
            if not fields or not isinstance(say, str) or not say.strip() or "\n" in say:
                raise self.wrong("advice_when", "must be tables of fields of a use and `say`, a line of text")
            condition = {field: self.values("advice_when", field, wanted) for field, wanted in fields.items()}
            if condition.keys() <= _OF_LAW:
                raise self.wrong("advice_when", "has to name a field of a use and the jurisdiction or law")
            if _LAW_HERE in say and LAW not in condition:
                raise self.wrong("advice_when", f"has {_LAW_HERE} in `say` and names no `{LAW}`")
            found.append((condition, say))
        return tuple(found)

    def conditions(self, key: str) -> tuple[Condition, ...]:
        value = self.take(key)
        tables = value if isinstance(value, list) else [value]
        conditions = []
        for table in tables:
            if not isinstance(table, dict) or not table:
                raise self.wrong(key, "must be a table, or a list of tables, of fields of a use")
            conditions.append({field: self.values(key, field, wanted) for field, wanted in table.items()})
        return tuple(conditions)

    def values(self, table: str, field: str, wanted: object) -> frozenset[object]:
        key = f"{table}.{field}"
        selectable = (*_SELECTABLE, *sorted(_OF_LAW)) if table == "advice_when" else (*_SELECTABLE,)
        if field not in selectable:
            raise self.wrong(key, f"is no field to select on; known are {', '.join(selectable)}")
        values = wanted if isinstance(wanted, list) else [wanted]
        for value in values:
            if field in _FLAGS:
                if not isinstance(value, bool):
                    raise self.wrong(key, "must be true or false")
            elif not isinstance(value, str):
                raise self.wrong(key, "must be a text or a list of texts")
            elif field in _KNOWN_TEXTS and value not in _KNOWN_TEXTS[field]:
                known = ", ".join(filter(None, _KNOWN_TEXTS[field]))
                raise self.wrong(key, f"is {value!r}; allowed are {known}")
            elif field == LAW:
                self.check_law(key, value)
        return frozenset(values)
