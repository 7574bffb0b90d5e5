"""The context of a Use: what would have to justify that groups fare differently there.

All kinds of uses ask here. A context never hides a Use; it makes a note of the finding (`rules/rule.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from math import isfinite

from fairlint.detectors.context import Context
from fairlint.detectors.file_topic import topic_of
from fairlint.findings.uses import NO_CONTEXT, ContextName, Effect, Kind, UseContext
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.library import MODELS
from fairlint.semantics.tables.libraries import AUDITS, about, imported_libraries, may_call
from fairlint.semantics.values.paths import dotted_name, last_name
from fairlint.semantics.values.symbolic import Lookup, Opaque, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary import purposes
from fairlint.vocabulary.bags import Bag, bag_of, join_bags
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import split_words

JUSTIFIED: frozenset[Effect] = frozenset({"decide", "score", "learn", "assume"})
"""The effects that a context may justify: the others are silent anyway, or are tests themselves."""
_MOST_NODES = 6_000
_MOST_TEXT = 12_000
_MOST_HOMES = 40
_MOST_NAMES = 200
_MOST_PARTS = 30
_LEAST_COEFFICIENTS = 3
_LEAST_FACTORS = 4
_LEAST_LIMITS = 3
_AROUND = 400
"""Bytes before and after a statement of the module that count as what stands around it."""

_IS_FIELD = lazy_expression(r"[\w.]+\.\w+")


class _Body(Record):
    """What is written in one function, or in the module beside its functions."""

    calls: Bag
    made_of: frozenset[str]


def context_of(
    context: Context,
    attribute: str,
    kind: Kind,
    effect: Effect,
    span: Span,
    *,
    functions: Iterable[str],
    targets: Iterable[str] = (),
    persons: Iterable[str] = (),
    beside: Iterable[str] = (),
    owners: Iterable[str] = (),
) -> UseContext:
    """Return the context of a Use at a place.

    The first of `functions` holds it, others have a hand in it. `targets` are names of what hangs on the
    attribute, `persons` those of who has it, `beside` names that stand beside it, `owners` what has what
    it is compared with.
    """
    if effect not in JUSTIFIED:
        return NO_CONTEXT
    homes = tuple(islice(dict.fromkeys(functions), _MOST_HOMES)) or ("",)
    targets, persons, beside = tuple(targets), tuple(persons), tuple(beside)
    if kind == "prompt":  # what the library is called that asks the model says nothing: `Runner.run`
        imported = context.definitions.imported
        targets = tuple([name for name in targets if name.partition(".")[0] not in imported])
    own = next(filter(None, homes), "")  # what stands beside all functions is for one that it is handed to
    around = [context.neighbourhood(home) for home in homes]

    def doing() -> Bag:
        return join_bags(map(bag_of, (*homes, *targets)))

    def near() -> Bag:
        siblings = dict.fromkeys(name for one in around for name in one.siblings)
        return join_bags(map(bag_of, (*islice(siblings, _MOST_NAMES), *beside)))

    scene = purposes.Scene(
        {
            "names": lambda: join_bags(map(bag_of, (*homes, *targets, *persons))),
            "doing": doing,
            "function": lambda: bag_of(own),
            "parameters": lambda: _parameter_names(homes[0], context),
            "beside": near,
            "prose": lambda: join_bags(bag_of(one.prose) for one in around),
            "file": lambda: context.once(_file_bag, ""),
            "calls": lambda: context.once(_body_facts, homes[0]).calls,
            "path": lambda: bag_of(context.source.path),
            "owners": lambda: join_bags(map(bag_of, _head_nouns((*persons, *owners)))),
            "said": lambda: topic_of(context).said,
            "written": lambda: topic_of(context).written,
            "label": lambda: topic_of(context).label,
            "shared": lambda: topic_of(context).shared,
            "imports": lambda: topic_of(context).imports,
        },
        {"text": lambda: _text_around_use(homes[0], span, context), "function": lambda: own},
        about(context.execution.program),
        lambda what: (
            effect != "assume" and any(_is_made_of(what, attribute, one, context) for one in {homes[0], own})
        ),
        lambda deed: context.once(_can_do_to_model, deed),
    )
    purpose = purposes.context_of(attribute, kind, effect, scene)
    found = make_use_context(purpose.name, purpose.evidence)
    if not purpose.name or not context.settings.untrusted:
        return found
    bare = scene.without_claims(lambda: _text_around_use(homes[0], span, context, comments=False))
    bare = replace(bare, bags={**bare.bags, "file": lambda: context.once(_definition_names, "")})
    return found if purposes.context_of(attribute, kind, effect, bare).name else replace(found, heeded=False)


def _can_do_to_model(deed: str, context: Context) -> bool:
    """Return whether anything in a file may do this to a model, as a library of models may that is no
    toolkit.
    """
    program = context.execution.program
    return (
        any(MODELS in one.about and AUDITS not in one.about for one in imported_libraries(program))
        or any(event.kind == "learn" for event in context.events)
        or may_call(deed, program)
    )


def _head_nouns(names: Iterable[str]) -> Iterator[str]:
    """Return what each name says that something is: of `self.scholarship_applicant` the applicant."""
    return (words[-1] for name in names if (words := split_words(name)))


def _is_made_of(what: str, attribute: str, function: str, context: Context) -> bool:
    return (what != "bands" or attribute == "age") and what in context.once(_body_facts, function).made_of


def make_use_context(name: str, evidence: Iterable[Evidence]) -> UseContext:
    """Return the context of this name; none for an unknown one."""
    known = _NAMES.get(name)
    return UseContext(known, tuple(evidence), purposes.justifications()[known]) if known else NO_CONTEXT


def of_site(
    site: Site,
    context: Context,
    kind: Kind,
    effect: Effect,
    span: Span,
    *,
    target: str | None,
) -> UseContext:
    """Return the context of a Use that tells groups apart at a site; none where no rule asks for it."""
    if context.uses_only:
        return NO_CONTEXT
    reads = list(site.reads.values())[:4]
    hanging = [event.target for event in site.events if event.kind in {"assign", "update"}]
    own = context.function_of(site)
    return context_of(
        context,
        site.attribute,
        kind,
        effect,
        span,
        functions=(own, *(name for name in site.functions if name != own)),
        targets=(*hanging, *([target] if target else [])),
        persons=[part for read in reads for part in (read.receiver, read.type) if part],
        owners=[
            part.key.rpartition(".")[0]
            for part in islice(walk(site.test), _MOST_PARTS)
            if isinstance(part, Opaque) and _IS_FIELD.fullmatch(part.key)
        ],
    )


_NAMES: dict[str, ContextName] = {
    "lawful": "lawful",
    "clinical": "clinical",
    "actuarial": "actuarial",
    "simulation": "simulation",
    "test": "test",
    "demonstration": "demonstration",
    "audit": "audit",
}


def _parameter_names(function: str, context: Context) -> Bag:
    node = context.function_named(function)
    return (
        join_bags(bag_of(parameter.name) for parameter in node.parameters) if node is not None else bag_of("")
    )


def _text_around_use(function: str, span: Span, context: Context, *, comments: bool = True) -> str:
    """Return the function as it is written, and its class where that is small; else what stands around.
    `comments` says whether its comments and the texts in it count.
    """
    node = context.function_named(function)
    if node is None:
        start, end = max(span.start - _AROUND, 0), min(span.end + _AROUND, len(context.source.data))
    else:
        start, end = node.span.start, node.span.end
        owner = context.definitions.types.get(function.rpartition(".")[0])
        if owner is not None and owner.span.start < start < owner.span.start + _MOST_TEXT:
            start = owner.span.start
        end = min(end, start + _MOST_TEXT)
    known = context.once(_known_texts_with_comments if comments else _known_texts, "")
    span = Span(start, end)
    if span not in known:
        known[span] = _text_of_span(span, context, comments=comments)
    return known[span]


def _known_texts(_function: str, _context: Context) -> dict[Span, str]:
    return {}


def _known_texts_with_comments(_function: str, _context: Context) -> dict[Span, str]:
    return {}


def _text_of_span(span: Span, context: Context, *, comments: bool) -> str:
    """Return what stands in a span, with or without its comments and the texts in it."""
    whole = context.source.text(span)
    tokens = context.definitions.tokens
    if comments or tokens is None:
        return whole
    data = whole.encode("utf-8", "replace")
    kept, at = bytearray(), 0
    for first, last in tokens.ended(data):
        kept += data[at:first]
        at = last
    return bytes(kept + data[at:]).decode("utf-8", "replace")


def _file_bag(_function: str, context: Context) -> Bag:
    """Return the docstring of the file and the names of what it defines."""
    first = context.body[0] if context.body else None
    text = first.value if isinstance(first, tree.Expression) else first
    said = text.value if isinstance(text, tree.Literal) and isinstance(text.value, str) else ""
    return join_bags((bag_of(said), _definition_names("", context)))


def _definition_names(_function: str, context: Context) -> Bag:
    """Return the names of what the file defines."""
    return join_bags(map(bag_of, (*context.functions, *context.definitions.types)))


def _body_facts(function: str, context: Context) -> _Body:
    """Return what a function calls, and what it is made of."""
    node = context.function_named(function)
    if node is not None:
        nodes: Iterable[tree.Node] = (node,)
    else:
        nodes = (part for part in context.body if not isinstance(part, tree.Function | tree.Type))
    calls: dict[str, None] = {}
    numbers: set[float] = set()
    factors = 0
    made_of: set[str] = set()
    limits: set[float] = set()
    walked = (part for one in nodes for part in tree.walk(one))
    for part in islice(walked, _MOST_NODES):
        match part:
            case tree.Call(function=called):
                calls[dotted_name(called)] = None
            case tree.Literal(value=float(value)) if _is_coefficient(value):
                numbers.add(value)
            case tree.Binary(op="*", left=left, right=right) if _is_number(left) or _is_number(right):
                factors += 1
            case tree.Binary(op="*" | "/" | "**", left=left, right=right) if _has_variable(
                left
            ) and _has_variable(right):
                made_of.add("formula")
            case tree.Compare(left=left, right=tree.Literal(value=int() | float() as number)) if _is_age(
                left, context
            ):
                limits.add(number)
            case tree.Assert():
                made_of.add("asserts")
            case tree.Index() | tree.Call() if _is_by_band(context.facts.value_of(part)):
                made_of.add("bands")
    if len(numbers) >= _LEAST_COEFFICIENTS:
        made_of.add("coefficients")
    if (
        sum(after - before > 2 for before, after in pairwise([float("-inf"), *sorted(limits)]))
        >= _LEAST_LIMITS
    ):
        made_of.add("bands")
    if factors >= _LEAST_FACTORS:
        made_of.add("regression")
    return _Body(join_bags(map(bag_of, calls)), frozenset(made_of))


def _is_coefficient(value: float) -> bool:
    """Return whether a number has three digits of its own or more, as 0.993 and 88.362 have, and 0.25 has
    not.
    """
    digits = f"{abs(value):.12g}".partition("e")[0]
    return isfinite(value) and value != int(value) and len(digits.replace(".", "").strip("0")) >= 3


def _is_by_band(value: Value | None) -> bool:
    """Return whether a value is looked up in a table with a rate for each of several bands of age."""
    if not (isinstance(value, Lookup) and isinstance(value.subject, Protected)):
        return False
    return value.subject.mention.attribute == "age" and len(value.table.entries) >= _LEAST_LIMITS


def _is_age(node: tree.Node, context: Context) -> bool:
    match node:
        case tree.Index(index=tree.Literal(value=str() as name)):
            pass
        case _:
            name = last_name(node)
    return bool(name) and any(found.attribute == "age" for found in context.vocabulary.mentions(name))


def _has_variable(node: tree.Node) -> bool:
    """Return whether a variable or a field takes part."""
    return any(isinstance(part, tree.Name | tree.Field) for part in islice(tree.walk(node), _MOST_PARTS))


def _is_number(node: tree.Node) -> bool:
    return isinstance(node, tree.Literal) and isinstance(node.value, int | float)
