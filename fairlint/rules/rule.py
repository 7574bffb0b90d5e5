"""Rules: records of what a page says, which select Uses by their fields and have a severity.

A page starts with TOML front matter between two `+++` lines; the rest is its documentation. Shipped pages
travel in the package as `rule_pages/`; a checkout reads them from `rules/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fairlint.findings.finding import Remedy
from fairlint.findings.levels import Confidence, Severity
from fairlint.findings.uses import ContextName, Use
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record

ANY_LAW = "all"
"""The jurisdiction of those who name none."""
JURISDICTION = "jurisdiction"
LAW = "law"
OF_LAW = frozenset({JURISDICTION, LAW})
"""Conditions of advice that are about the settings and the law, and no fields of a Use."""
JUSTIFIED: Mapping[ContextName, str] = {
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
_HEADING = lazy_expression(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
LAW_HERE = "{law}"
"""Where advice names the law of its condition."""


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
        """Return the laws behind it that are in force in a jurisdiction, and its references."""
        return (*_as_references(self.laws, law), *self.references)

    def selects(self, use: Use) -> bool:
        """Return whether the front matter's conditions hold for `use`."""
        return any(condition_holds(condition, use) for condition in self.match) and not any(
            condition_holds(condition, use) for condition in self.unless
        )

    def advice_for(self, use: Use, law: str = ANY_LAW, field: str = "") -> str:
        """Return what to do instead of what `use` does, where the law is a jurisdiction's, and about `field`
        if one is known; where something may justify what it does, to say so comes first.
        """
        fitting = [
            (condition, text)
            for condition, text in self.advice_when
            if _is_in_force(condition, law, field) and condition_holds(condition, use)
        ]
        if use.effect in {"decide", "score"} and (justified := JUSTIFIED.get(use.context.name)):
            fitting = [*(one for one in fitting if "context" in one[0]), ({}, justified)]
        return _with_name_of_law(*fitting[0]) if fitting else self.advice

    def section(self, heading: str) -> str:
        """Return the text under a `##` heading of the page, empty where there is none."""
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


def condition_holds(condition: Condition, use: Use) -> bool:
    """Report whether all fields of a use have values that a condition allows."""
    return all(
        not allowed.isdisjoint(SELECTABLE[name](use))
        for name, allowed in condition.items()
        if name not in OF_LAW
    )


def _is_in_force(condition: Condition, law: str, field: str) -> bool:
    """Return whether a text that names the law of a jurisdiction, if any, may be told under that of `law`."""
    if LAW in condition:
        from fairlint.laws import in_force, register  # noqa: PLC0415 (start-up: few texts name a law)

        ids = [str(id_) for id_ in condition[LAW]]
        return all(in_force(id_, law) and register()[id_].is_about_field(field) for id_ in ids)
    return law == ANY_LAW or law in condition.get(JURISDICTION, {law})


def _with_name_of_law(condition: Condition, text: str) -> str:
    """Advice with the name of the law that it quotes."""
    if LAW not in condition or LAW_HERE not in text:
        return text
    from fairlint.laws import laws_in_force  # noqa: PLC0415 (as above)

    return text.replace(LAW_HERE, laws_in_force(map(str, condition[LAW]))[0].short)


def _as_references(ids: Sequence[str], law: str) -> Iterator[Reference]:
    if ids:
        from fairlint.laws import laws_in_force  # noqa: PLC0415 (as above)

        yield from (Reference(one.told, one.url) for one in laws_in_force(ids, law))


SELECTABLE: Mapping[str, Callable[[Use], Iterable[object]]] = {
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
