"""The register of laws: what each is called, where its text is, whom and what it is about, and as of when.

One TOML file a jurisdiction. Rules, attributes and advice refer to laws by their ids; nothing else holds a
title or a link. The register is kept in compiled form (`fairlint.support.compiled_data`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from fairlint.laws.law import ANYWHERE, BINDING, Law, everything
from fairlint.support.compiled_data import load_or_compile
from fairlint.support.records import field_names

__all__ = ["ANYWHERE", "BINDING", "Law", "belonging", "in_force", "laws_in_force", "register"]

OF_ATTRIBUTES = frozenset({"decide", "score", "learn"})
"""Effects on people: the laws that name an attribute are about these, whichever rule judges them."""


@cache
def register() -> Mapping[str, Law]:
    """Return all laws by their ids, in the order of the files."""
    from fairlint.vocabulary import load  # noqa: PLC0415 (start-up: only findings have laws)

    def build() -> list[tuple[object, ...]]:
        from fairlint.laws.reading import read  # noqa: PLC0415 (as above)

        names = field_names(Law)
        return [tuple(getattr(law, name) for name in names) for law in read().values()]

    sources = (*everything(), *load.attribute_files())
    return {str(values[0]): Law(*values) for values in load_or_compile("laws", sources, build)}


def in_force(id_: str, jurisdiction: str = ANYWHERE) -> bool:
    """Return whether a law of the register is binding and shown under a jurisdiction."""
    law = register().get(id_)
    return law is not None and law.status in BINDING and law.holds_in(jurisdiction)


def laws_in_force(ids: Iterable[str], jurisdiction: str = ANYWHERE) -> list[Law]:
    """Return the laws with these ids that are binding and shown under a jurisdiction."""
    return [register()[id_] for id_ in ids if in_force(id_, jurisdiction)]


def belonging(
    of_rule: Sequence[str],
    of_attributes: Mapping[str, Sequence[str]],
    *,
    effect: str,
    fields: Sequence[str],
    jurisdiction: str = ANYWHERE,
    country: str = "",
) -> tuple[str, ...]:
    """Return the ids of the laws that a finding is about: those of its rule, and those that name its
    attributes.

    `of_attributes` says of each attribute which laws name it. `fields` are those that are known of the code:
    the one that a setting names, and the one that the words around the finding name. A law has to be about
    all of them: credit law is not listed at a vaccination plan, whatever the setting says. If none is known,
    a law about some fields only is listed if the rule names it.
    """
    own = dict.fromkeys(id_ for ids in of_attributes.values() for id_ in ids)
    found = [
        id_
        for id_ in of_rule
        if in_force(id_, jurisdiction)
        and (
            id_ in own or not register()[id_].attributes or of_attributes.keys() & register()[id_].attributes
        )
    ]
    if effect in OF_ATTRIBUTES:
        is_known = any(fields)
        found += [
            id_ for id_ in own if in_force(id_, jurisdiction) and (is_known or not register()[id_].fields)
        ]
    return tuple(
        id_
        for id_ in dict.fromkeys(found)
        if all(map(register()[id_].is_about_field, fields))
        and register()[id_].holds_in(jurisdiction, country)
    )
