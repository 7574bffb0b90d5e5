"""What the groups of a site are called, and the Use that is told of a site in these terms."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.values.symbolic import Const, Operation, Scalar
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists

TYPE_CHECKING = False  # importing typing at run time takes long

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairlint.detectors.detector import ObserveSite
    from fairlint.detectors.explained_codes import Explanation
    from fairlint.findings.uses import Use


def account_of(context: Context, observe: ObserveSite, site: Site) -> Use | None:
    """Return what a detector makes of a site, which it is asked once."""
    if (observe, site) not in context.accounts:
        context.accounts[observe, site] = observe(site, naming_of(context, site), context)
    return context.accounts[observe, site]


def naming_of(context: Context, site: Site) -> GroupTerms:
    """Return a fresh record of what the code says about the site's attribute."""
    known = context.namings.get(site)
    if known is None:
        known = context.namings[site] = _build_naming(context, site)
    return replace(
        known, named={}, written={}, cuts=set(), excused=set(), reached=set(), listed={}, constants={}
    )


def _build_naming(context: Context, site: Site) -> GroupTerms:
    attribute = context.attribute(site.attribute)
    if not any(read.mention.form in {"number", "date"} for read in site.reads.values()):
        attribute = replace(attribute, bands={}) if attribute.bands else attribute
    elif attribute.bands and not _compares_numbers(context, site):
        attribute = replace(attribute, bands={})
    function = context.function_of(site)
    read = next(iter(site.reads.values()))
    lawful = context.lawful_limits(site.attribute, context.surroundings(read, function, ()))
    labels = code_labels(context, site.attribute)
    data_set = None if labels else context.once(_data_set, function)
    labels = labels or _codes_of_the_rest(context, site)
    return GroupTerms(
        attribute, context.vocabulary, context.dependence, labels, lawful, data_set, steps=context.steps
    )


def _compares_numbers(context: Context, site: Site) -> bool:
    """Return whether the attribute meets a number anywhere at the site."""
    values = [site.test, *(event.value for event in site.events)]
    values.extend(guard.test for guard in context.guards(site))
    return any(
        isinstance(getattr(part, "value", None), int | float)
        and not isinstance(getattr(part, "value", None), bool)
        for part in walk(*values)
    )


def code_labels(context: Context, attribute: str) -> dict[Scalar, str]:
    """Numeric codes of the enum, or the macros, of this file whose names are groups of the attribute, or
    those that a comment or a text explains.
    """
    best: dict[Scalar, str] = {}
    for name, members in context.definitions.enums.items():
        known = sum(context.vocabulary.group_of(attribute, member.label) is not None for member in members)
        named = any(mention.attribute == attribute for mention in context.vocabulary.mentions(name))
        if (known >= 2 or (named and known)) and len(members) > len(best):
            best = {member.value: member.label for member in members}
    return best or context.once(_macros_of_groups, attribute) or context.once(_explained_codes, attribute)


def _codes_of_the_rest(context: Context, site: Site) -> dict[Scalar, str]:
    """Codes that stand for a group only where a site asks for no other code of that group."""
    listed = word_lists("reads").get(f"rest_of_{site.attribute}", frozenset())
    asked: set[str] = set()
    for part in walk(site.test, *(guard.test for guard in context.guards(site))) if listed else ():
        if isinstance(part, Operation) and part.op in {"==", "in"} and site.asks(part):
            held = (one.value for one in walk(*part.arguments) if isinstance(one, Const))
            asked.update(one for one in held if isinstance(one, str))
    found: dict[Scalar, str] = {}
    for code, _, word in (one.partition(" ") for one in listed):
        meant = [text for text in asked if text.lower() == code]
        others = {context.vocabulary.group_of(site.attribute, text) for text in asked if text not in meant}
        if len(others) > 0 and context.vocabulary.group_of(site.attribute, word) not in others:
            found.update(dict.fromkeys(meant, word))
    return found


def _macros_of_groups(attribute: str, context: Context) -> dict[Scalar, str]:
    """Return the numbers of macros that are called after groups of an attribute, each with its macro: two at
    least, and none that stands for two groups. What goes on counting right behind them is a group nobody
    knows.
    """
    groups: dict[Scalar, set[str]] = {}
    labels: dict[Scalar, str] = {}
    last: int | None = None
    for name, value in context.definitions.macros.items():
        code = value.value if isinstance(value, tree.Literal) else None
        if isinstance(code, int) and not isinstance(code, bool):
            group = context.vocabulary.group_of(attribute, name)
            if group is not None and group in context.attribute(attribute).groups:
                groups.setdefault(code, set()).add(group)
                labels.setdefault(code, name)
            elif last is None or code != last + 1 or code in labels:
                code = None
            else:
                labels[code] = name
        last = code if isinstance(code, int) else None
    is_told = len(groups) > 1 and all(len(found) == 1 for found in groups.values())
    return labels if is_told else {}


def _explained_codes(attribute: str, context: Context) -> dict[Scalar, str]:
    """Return the codes of an attribute that comments and texts of the file explain."""
    if context.attribute(attribute).form != "value":
        return {}
    from fairlint.detectors.explained_codes import codes_in  # noqa: PLC0415 (few files come to it)

    return codes_in(context.once(_explaining_texts, ""), attribute, context.vocabulary)


def _explaining_texts(_: str, context: Context) -> Sequence[Explanation]:
    """Return the comments and texts of the file that may explain codes."""
    from fairlint.detectors.explained_codes import explaining  # noqa: PLC0415 (as above)

    tokens = context.definitions.tokens
    return () if tokens is None else explaining(context.source.data, tokens)


def _data_set(function: str, context: Context) -> str | None:
    """Return the known data set that the columns named in a function, or beside all functions, belong to."""
    columns = (*context.neighbourhood(function).siblings, *context.neighbourhood("").siblings)
    return context.vocabulary.data_set_of(columns)
