"""From a site and what was found out about it to a Use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from fairlint.detectors import purpose_context
from fairlint.detectors.compared_people import compared_with
from fairlint.detectors.conditions import apply_bounds, conditional
from fairlint.detectors.context import Context
from fairlint.detectors.flow import flow_of
from fairlint.detectors.presence import makes_groups
from fairlint.detectors.sinks import Sink
from fairlint.findings.uses import Effect, GroupPoints, Kind, Shape, Step, Use
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.marks import in_words
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Protected
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.support.shortening import shorten_texts
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span
from fairlint.vocabulary.model import Evidence, Mention

LONGEST_CONDITION = 120
LONGEST_CALLED = 60
LONGEST_OUTCOME = 240
_ENTRIES = lazy_expression(r"…(?:, …)+(?=[,\]])")
"""Entries of a list that say nothing of the group, one behind the other."""
NOBODY = -4
"""What it says of a decision that the words it asks for name no known group."""


def shape_of(site: Site, naming: GroupTerms) -> Shape:
    """Return how the code tells the groups apart."""
    match site.node:
        case tree.If() | tree.Switch() | tree.Conditional() | tree.Loop():
            return "cutoff" if naming.cuts and not naming.written else "branch"
        case tree.Index():
            return "table"
        case tree.Call(function=tree.Field(name="get" | "map" | "replace")) if site.node is site.start:
            return "table"
        case _:
            return "arithmetic"


def is_limit(site: Site, naming: GroupTerms, *, by_scale: bool) -> bool:
    """Return whether a number is compared with a limit, known or not."""
    if not by_scale:
        return bool(naming.cuts) and not naming.written
    is_number = all(read.mention.form in {"number", "date"} for read in site.reads.values())
    return naming.attribute.name == "age" and is_number


def make_use(
    site: Site,
    naming: GroupTerms,
    context: Context,
    *,
    kind: Kind,
    effect: Effect,
    shape: Shape,
    event: Event | None,
    points: GroupPoints | None = None,
    outcomes: Mapping[str, str] | None = None,
    target: str | None = None,
    sink: Sink | None = None,
    leaves_out: bool = False,
    last: str = "",
    span: Span | None = None,
) -> Use:
    """Return the Use that the site is."""
    evidence = context.believe(site, tuple(naming.written))
    if sink is not None and sink.evidence is not None and effect in {"decide", "score", "learn"}:
        evidence = (*evidence, sink.evidence)
    evidence = (*evidence, *by_name(event, context))
    attribute = naming.attribute
    if points is not None and event is not None:
        points = apply_bounds(conditional(points, site, event, context), site, event, context)
    is_open = "asks" in compared_with(site, context) and lexicon()["anybody"].issuperset(naming.written)
    if effect == "decide" and _names_nobody(naming) and not is_open:
        words = ", ".join(f"'{word}'" for word in list(naming.written)[:3])
        evidence = (*evidence, Evidence(NOBODY, f"{words} names no known group"))
    groups = tuple(naming.named)
    if not naming.written and points is not None and naming.cuts:
        groups = _singled_out(points)
    handed_on = None if span is not None else _handed_on_at(site, event, context)
    condition = " ".join(context.source.text((handed_on or site.start).span).split())
    span = span if handed_on is None else handed_on.span
    return Use(
        attribute=attribute.name,
        attribute_kind=attribute.kind,
        kind=kind,
        effect=effect,
        shape=shape,
        span=span or _test_on(site, context),
        groups=groups,
        points=_without_phantoms(points, naming),
        outcomes=_in_words(outcomes or {}, context, naming.names),
        target=None if target is None else in_words(target, context.source.text, naming.names),
        condition=_shorten_condition(condition),
        evidence=evidence,
        flow=flow_of(context, site, event, last),
        domain=context.domain(site),
        function=context.function_of(site),
        leaves_out=leaves_out,
        tags=by_name_tags(event is not None and event.by_name) | outcome_tags(effect, sink, points),
        context=purpose_context.of_site(
            site,
            context,
            kind,
            effect,
            span or site.start.span,
            target=target,
        ),
    )


def _handed_on_at(site: Site, event: Event | None, context: Context) -> Node | None:
    """Return where the attribute is handed on to what the site is in, if that is a helper that only guards
    against there being no value, or is for anything: `def matches(wanted, value): if not value: return
    False`.
    """
    helper = context.function_at(site.start.span)
    if event is None:
        return None
    places = [_written_at(read, context) for read in site.reads.values()]
    outside = [place for place in places if context.function_at(place.span) != helper]
    if not outside or not (
        _guards_only(site, context)
        or _reads_any(site, helper, context)
        or _is_for_anything(site, helper, context)
    ):
        return None
    near = [
        place
        for place in outside
        if context.function_at(place.span) == event.function and place.span.start < event.node.span.end
    ]
    return max(near, key=lambda place: place.span.start) if near else next(iter(outside), None)


def _written_at(read: Protected, context: Context) -> Node:
    """Return where the attribute's name is: what calls a function that reads what it is told, by
    that name.
    """
    is_told = read.named is not None and context.function_at(read.named.span)
    return read.named if read.named is not None and is_told else read.node


def _guards_only(site: Site, context: Context) -> bool:
    """Return whether a site does no more than to guard against there being no value."""
    parts = list(_boolean_operands(site.start))
    if not all(map(_is_presence_test, parts)):
        return False
    by_truth = not all(isinstance(part, tree.Compare) for part in parts)
    return not (by_truth and any(makes_groups(read, context) for read in site.reads.values()))


def _reads_any(site: Site, helper: str, context: Context) -> bool:
    """Return whether a function only reads what others name: `value = payload.get(key)`, called with
    "has_hiv".
    """
    named = [read.named for read in site.reads.values()]
    return isinstance(site.start, tree.Assign) and all(
        one is not None and context.function_at(one.span) not in {"", helper} for one in named
    )


def _is_for_anything(site: Site, helper: str, context: Context) -> bool:
    """Return whether a function tests what it is given and calls nothing there after the attribute: it is
    called at several places, or compares one thing with another.
    """
    function = context.function_named(helper)
    if function is None or not isinstance(site.start, tree.Compare | tree.BoolOp | tree.Unary):
        return False
    named = [part for part in tree.walk(site.start) if isinstance(part, tree.Name | tree.Field)]
    keys = [part.value for part in tree.walk(site.start) if isinstance(part, tree.Literal)]
    given = {parameter.name for parameter in function.parameters}
    if given.isdisjoint(map(last_name, named)) or any(
        mention.attribute == site.attribute
        for name in {*given, *map(last_name, named), *(key for key in keys if isinstance(key, str))}
        for mention in context.vocabulary.mentions(name)
    ):
        return False
    is_rule = any(isinstance(part, tree.Literal) for part in tree.walk(site.start))
    return not is_rule or context.once(_call_counts, "").get(helper.rpartition(".")[2], 0) > 1


def _call_counts(_: str, context: Context) -> dict[str, int]:
    """Return how often functions are called in the file, by the last part of what is called."""
    return Counter(last_name(call.function) for call in context.execution.syntax.places(tree.Call))


def _is_presence_test(test: Node) -> bool:
    """Return whether a test asks for no more than that there is a value: `not value`, `value is None`,
    `value`.
    """
    match test:
        case tree.Unary(op="not", operand=operand):
            return isinstance(operand, tree.Name | tree.Field)
        case tree.Compare(right=tree.Literal(value=None | "")):
            return True
        case _:
            return isinstance(test, tree.Name | tree.Field)


def _test_on(site: Site, context: Context) -> Span:
    """Return where the site asks for the attribute: of a test with several parts, those about it."""
    parts = list(_boolean_operands(site.start))
    asking = [part for part in parts if _is_attribute_test(part, site, context)]
    if len(parts) == len(asking) or not asking:
        return site.start.span
    return Span(asking[0].span.start, asking[-1].span.end)


def _boolean_operands(test: Node) -> Iterator[Node]:
    """Yield the parts that a test is joined of by `and`, `or` and `not`."""
    match test:
        case tree.BoolOp(values=values):
            for value in values:
                yield from _boolean_operands(value)
        case tree.Unary(op="not", operand=tree.BoolOp() as operand):
            yield from _boolean_operands(operand)
        case _:
            yield test


def _is_attribute_test(part: Node, site: Site, context: Context) -> bool:
    if any(part.span.start <= start < part.span.end for start in site.reads):
        return True
    value = context.facts.value_of(part)
    return value is not None and site.asks(value)


def by_name_tags(is_by_name: object) -> frozenset[str]:
    """Tags a Use that only the bare name of a call speaks for."""
    return frozenset({"by-name"}) if is_by_name else frozenset()


def outcome_tags(effect: Effect, sink: Sink | None, points: GroupPoints | None) -> frozenset[str]:
    """Tags a decision or score that no name or text calls one: groups get different things, which may be an
    outcome (`by-answer`, a yes or no, or a value of its own), or anything (`by-shape`).
    """
    said = sink.said if sink is not None else ""
    if said == "name":
        return frozenset()
    if effect == "score":
        is_value = points is None or points.op == "set"
        return frozenset({"by-answer"} if is_value else ())
    if effect != "decide":
        return frozenset()
    return frozenset({"by-answer" if said == "answer" else "by-shape"})


def answer_tags() -> frozenset[str]:
    """Tags a Use that speaks of no more than a different answer: too little for an error."""
    return frozenset({"by-answer"})


def by_name(event: Event | None, context: Context) -> tuple[Evidence, ...]:
    """Return what has to be said of an event that only the bare name of a call makes one."""
    return () if event is None or not event.by_name else known_by_name(event.node, context)


def named_only(call: Node | None, context: Context) -> tuple[Evidence, ...]:
    """Return the same of a call that a model of a library knows."""
    known = None if call is None else context.known(call)
    return () if call is None or known is None or not known.by_name else known_by_name(call, context)


def known_by_name(node: Node, context: Context) -> tuple[Evidence, ...]:
    """Return what is said of a call that nothing but its bare name tells of."""
    if not isinstance(node, tree.Call):
        return ()
    called = " ".join(context.source.text(node.function.span).split())[:LONGEST_CALLED]
    return (Evidence(0, f"`{called}` is known by its name alone: nothing says whose it is"),)


def mark_unnamed_groups(use: Use) -> Use:
    """Return the same Use, where nobody can say of which groups: it is told as a note."""
    reason = Evidence(0, "nothing says with which groups it is compared")
    return replace(use, evidence=(*use.evidence, reason), tags=use.tags | {"unnamed"})


def plain_use(
    context: Context,
    mention: Mention,
    node: Node,
    *,
    kind: Kind,
    effect: Effect,
    shape: Shape,
    groups: Iterable[str] = (),
    evidence: Iterable[Evidence] = (),
    flow: Iterable[Step] = (),
    target: str | None = None,
    detail: str = "",
    receiver: str = "",
    beside: Iterable[str] = (),
    outcomes: Mapping[str, str] | None = None,
    tags: Iterable[str] = (),
    functions: Iterable[str] = (),
) -> Use:
    """Return a Use that no branch, table or test makes: a feature, an encoding, a default, a prompt, a query.

    It stands at `node`; `functions` are others that have a hand in it. `groups` are canonical names.
    `evidence` is what speaks for it besides the name and its surroundings, `beside` the names of what stands
    beside it, `tags` what rules select on.
    """
    function = context.function_at(node.span)
    named = tuple(dict.fromkeys(groups))
    around = context.around(mention, function, named, receiver=receiver)
    names = (name for name in beside if name != mention.identifier)
    siblings = tuple(dict.fromkeys((*around.siblings, *names)))
    around = replace(around, siblings=siblings, in_model=kind == "feature")
    attribute = context.attribute(mention.attribute)
    return Use(
        attribute=attribute.name,
        attribute_kind=attribute.kind,
        kind=kind,
        effect=effect,
        shape=shape,
        span=node.span,
        groups=named,
        points=None,
        outcomes=_in_words(outcomes or {}, context, {}),
        target=target,
        condition=_shorten_condition(" ".join(context.source.text(node.span).split())),
        evidence=(*context.vocabulary.weigh(mention, around), *evidence),
        flow=tuple(flow),
        domain=context.vocabulary.domain_of(around),
        function=function,
        detail=detail,
        tags=frozenset(tags),
        context=purpose_context.context_of(
            context,
            attribute.name,
            kind,
            effect,
            node.span,
            functions=(function, *functions),
            targets=[target] if target else [],
            persons=[receiver] if receiver else [],
            beside=around.siblings,
        ),
    )


def _in_words(outcomes: Mapping[str, str], context: Context, names: Mapping[str, str]) -> Mapping[str, str]:
    """Return what groups get in the code's words, so short that what differs is still told."""
    told = [_ENTRIES.sub("…", in_words(text, context.source.text, names)) for text in outcomes.values()]
    return dict(zip(outcomes, shorten_texts(told, LONGEST_OUTCOME), strict=True))


def _shorten_condition(text: str) -> str:
    return text if len(text) <= LONGEST_CONDITION else text[: LONGEST_CONDITION - 1] + "…"


def _names_nobody(naming: GroupTerms) -> bool:
    """Return whether the code compares with words only that are no known group: `disability == "lazy"`."""
    known = naming.attribute.groups
    return bool(naming.attribute.core_groups and naming.written) and not any(
        group in known or group.lstrip("-").isdigit() for group in naming.named
    )


def _without_phantoms(points: GroupPoints | None, naming: GroupTerms) -> GroupPoints | None:
    """`points` where nobody is unnamed: neither bands of a number nor yes and no leave anybody over."""
    complete = (naming.cuts and not naming.written) or set(naming.attribute.core_groups) == {"yes", "no"}
    if points is None or not complete:
        return points
    return replace(points, other=None)


def _singled_out(points: GroupPoints) -> tuple[str, ...]:
    """Return the groups that do not get what most get."""
    amounts = list(points.by_group.values())
    common = max(amounts, key=amounts.count) if amounts else 0.0
    return tuple(group for group, amount in points.by_group.items() if amount != common)
