"""Defaults and imputations: a group is assumed where nobody gave one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.assumptions.attribute_reads import Reader
from fairlint.analyses.assumptions.defaults import Assumed, defaults
from fairlint.analyses.assumptions.everybody_else import left_to_a_group
from fairlint.analyses.assumptions.first_values import first_values
from fairlint.analyses.assumptions.imputation import fillings
from fairlint.analyses.assumptions.missing_values import lexicon
from fairlint.detectors.context import Context
from fairlint.detectors.use_builder import by_name_tags, named_only, plain_use
from fairlint.findings.uses import Kind, Step, Use
from fairlint.semantics.names.effects import any_word
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span
from fairlint.vocabulary.model import Evidence, Mention

SAYS_LITTLE = -1
"""A default by itself: many functions about grammar, games and clothes have one."""
TWO = 2
MAY_BE_TWO = -2
"""What it says that a group is that of all whom the code has not named."""
PUT_IN = 1
"""The least that it says of a number that it is put in the place of none."""
BESIDE = 3
"""What it says of a default age that another attribute of a person stands beside it: `age=30, sex="M"`."""
SURELY = 2
"""The weight of a name that says by itself that an attribute is meant."""
A_COLUMN = 4
"""Nobody fills the gaps of a table column with a group unless its rows are people."""
QUIET = -3
"""What it says that the name of a file speaks of tests or of made-up people: it takes more to believe."""
FOLDERS = 4
"""How many of the folders around a file are looked at."""


def observe(context: Context) -> Iterator[Use]:
    """Yield all defaults and imputations of one file."""
    reader = context.reader
    told: list[tuple[str, Span]] = []
    for kind, found in _find_assumptions(reader):
        attribute, span = found.read.mention.attribute, found.node.span
        if _is_reported_place(attribute, span, told):
            continue
        if _is_quiet(found.node, context) and not _is_of_people(found, context):
            continue
        told.append((attribute, span))
        yield _build_use(found, kind, context)


def _is_reported_place(attribute: str, span: Span, told: list[tuple[str, Span]]) -> bool:
    """Return whether a wider or narrower place was told about the same attribute."""
    return any(
        attribute == known and span.start < other.end and other.start < span.end for known, other in told
    )


def _find_assumptions(reader: Reader) -> Iterator[tuple[Kind, Assumed]]:
    if reader.conventions.has_tables:
        for found in fillings(reader):
            in_table = found.in_table or reader.is_applied(found.node)
            yield "imputation", replace(found, in_table=in_table)
    for found in left_to_a_group(reader):
        yield "imputation", replace(found, in_table=reader.is_applied(found.node))
    for found in defaults(reader):
        if not isinstance(found.node, tree.Parameter) and reader.is_applied(found.node):
            yield "imputation", replace(found, in_table=True, how=found.group)
        else:  # `column.map(lambda race: race or "White")` fills a column
            yield "default", found
    if not reader.conventions.has_defaults:
        for found in first_values(reader):
            yield "default", found


def _build_use(found: Assumed, kind: Kind, context: Context) -> Use:
    mention, groups = found.read.mention, (found.group,) if found.group else ()
    by_name = named_only(found.call, context)
    evidence = [*([Evidence(A_COLUMN, "fills a column of a table")] if found.in_table else []), *by_name]
    function = context.function_at(found.node.span)
    if found.is_rest and len(context.attribute(mention.attribute).core_groups) <= TWO:
        evidence.append(Evidence(MAY_BE_TWO, "the data may know two groups alone"))
    if kind == "imputation" and mention.form == "number" and not found.in_table:
        evidence.append(Evidence(PUT_IN, "an age is put in the place of none"))
    if kind == "default":
        evidence.append(Evidence(SAYS_LITTLE, "a default alone says little"))
    evidence += quiet_path(context, lexicon()["quiet"])
    use = plain_use(
        context,
        mention,
        found.node,
        kind=kind,
        effect="assume",
        shape="read",
        groups=groups,
        flow=[Step(place.span, message) for place, message in _flow_stations(found)],
        target=mention.identifier,
        detail=found.how,
        receiver=found.read.receiver,
    )
    type_ = _type_of(found, context)
    around = context.around(mention, function, groups, receiver=found.read.receiver, type_=type_)
    if mention.form == "number" and (
        name := _other_attribute_name(mention, (*around.fields, *around.siblings), context)
    ):
        evidence.append(Evidence(BESIDE, f"appears with `{name}`, which no thing has"))
    return replace(
        use,
        evidence=(*context.vocabulary.weigh(mention, around), *evidence),
        domain=context.vocabulary.domain_of(around),
        tags=use.tags | by_name_tags(by_name),
    )


def _other_attribute_name(mention: Mention, names: Iterable[str], context: Context) -> str:
    """Return the first of some names that names another attribute of people, and by its whole."""
    return next(
        (
            name
            for name in names
            for other in context.vocabulary.mentions(name)
            if other.attribute != mention.attribute
            and other.weight >= SURELY
            and other.group is None
            and context.attribute(other.attribute).kind == "protected"
        ),
        "",
    )


def _type_of(found: Assumed, context: Context) -> str:
    """Return the type that the attribute belongs to: the class whose field it is, or a parameter's type."""
    name = found.read.receiver.partition("->")[0].partition(".")[0].partition("[")[0]
    for outer in context.execution.syntax.around(found.node):
        match outer:
            case tree.Function(parameters=parameters):
                return next((one.type for one in parameters if one.name == name and name), "")
            case tree.Type(name=own):
                return own
            case _:
                pass
    return ""


def _flow_stations(found: Assumed) -> Iterator[tuple[Node, str]]:
    attribute = found.read.mention.attribute.replace("_", " ")
    if found.read.listed is not None:
        yield found.read.listed, f"{attribute} is listed here"
    if found.named is not None and found.named.span != found.node.span:
        yield found.named, f"{attribute} is named here"
    yield from found.steps
    yield found.node, f"'{found.group}' is assumed" if found.group else "a group is assumed"


# ------------------------------------------------------------------------------------------------- quiet


def quiet_path(context: Context, more: frozenset[str] = frozenset()) -> tuple[Evidence, ...]:
    """Return what speaks against it where the file's name says that people are made up, or that it tests.

    `more` are other words of the name that do.
    """
    *folders, name = _path_parts(context)
    words = lexicon()
    quiet = (
        not words["quiet_paths"].isdisjoint(folders[-FOLDERS:])
        or not words["quiet_folders"].isdisjoint(folders[-1:])
        or any_word(name, words["quiet_files"] | more)
    )
    return (Evidence(QUIET, "the name of the file speaks of tests or of other things"),) if quiet else ()


def _path_parts(context: Context) -> list[str]:
    """Return the folders that a file lies in, and its name without the suffix."""
    *folders, name = context.source.path.replace("\\", "/").lower().split("/")
    return [*folders, name.rpartition(".")[0]]


def _is_of_people(found: Assumed, context: Context) -> bool:
    """Return whether a column of a table is filled, or what is read is a person: what the function is called
    says nothing then.
    """
    mention, quiet = found.read.mention, lexicon()["quiet"]
    owners = (found.read.receiver, _type_of(found, context))
    return found.in_table or any(
        context.is_person(owner, mention, surely=True) and not any_word(owner, quiet) for owner in owners
    )


def _is_quiet(node: Node, context: Context) -> bool:
    """Return whether a function or class around a place speaks of words, games or clothes by its name."""
    quiet = lexicon()["quiet"]
    if any_word(context.function_at(node.span), quiet):
        return True
    return any(
        isinstance(outer, tree.Function | tree.Type) and any_word(outer.name, quiet)
        for outer in context.execution.syntax.around(node)
    )
