"""Judgements: a protected attribute goes to what scores or decides, by the model of its library.

It goes there by itself, which is a site; or it is a column of a table, a field of a person's record.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.column_mentions import mentions_of
from fairlint.detectors.context import Context
from fairlint.detectors.features import steps_of
from fairlint.detectors.learnt_columns import Found
from fairlint.detectors.sinks import Sink, sink_of_library_call
from fairlint.detectors.use_builder import by_name, by_name_tags, make_use, plain_use, shape_of
from fairlint.findings.uses import Kind, Use
from fairlint.semantics.groups.comparison import compare_groups
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.tables.feature_columns import as_features
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Column, Columns, Instance, Sequence, TypedParameter, Value

KINDS: dict[str, Kind] = {"score": "score-update", "decide": "decision"}
"""What a judgement is, by its effect."""
LAST = "a person is judged by it here"


def observe_site(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the judgement that is made by what a site gives each group."""
    for event in site.fed:
        sink = sink_of_library_call(event.node, context) if event.kind == "call" else None
        if sink is None:
            continue

        def ask(hypothesis: Specialization, given: Value = event.value) -> str:
            return hypothesis.key(hypothesis.evaluate(given))

        comparison = compare_groups(naming, ask, lambda answers: float(len(set(answers)) - 1), enough=1.0)
        if naming.written and not comparison.differs:
            continue  # all groups are given the same
        return make_use(
            site,
            naming,
            context,
            kind=KINDS[sink.effect],
            effect=sink.effect,
            shape=shape_of(site, naming) if naming.written else "read",
            event=event,
            target=event.target,
            sink=sink,
            last=LAST,
        )
    return None


def observe(context: Context) -> Iterator[Use]:
    """Yield the judgements of one file by tables and records."""
    told: set[tuple[int, str]] = set()
    for event in context.events:
        sink = sink_of_library_call(event.node, context) if event.kind == "call" else None
        for found in _protected_inputs(event, context) if sink is not None else ():
            key = (found.column.node.span.start, found.mention.attribute)
            if key not in told and sink is not None:
                told.add(key)
                yield _judgement_use(found, sink, context)


def _protected_inputs(event: Event, context: Context) -> Iterator[Found]:
    """Yield the protected columns and fields of what a call is given; a site tells what depends on
    a person.
    """
    for value in event.value.items if isinstance(event.value, Sequence) else ():
        table = None if context.dependence.on_any(value) else _input_columns(value, event, context)
        if table is not None:
            for column in table.held:
                for mention in mentions_of(column, context):
                    yield Found(column, mention, event, table)


def _input_columns(value: Value, event: Event, context: Context) -> Columns | None:
    """Return a table; the fields of a person's record, as far as its class is known."""
    if isinstance(value, TypedParameter | Instance):
        fields = context.definitions.fields.get(
            value.of if isinstance(value, TypedParameter) else value.type, ()
        )
        return Columns("", event.node, tuple(Column(name, event.node) for name in fields), complete=True)
    return as_features(value, event.node)


def _judgement_use(found: Found, sink: Sink, context: Context) -> Use:
    event = found.event
    return plain_use(
        context,
        found.mention,
        found.column.node,
        kind=KINDS[sink.effect],
        effect=sink.effect,
        shape="read",
        evidence=(*filter(None, (sink.evidence,)), *by_name(event, context)),
        flow=steps_of(found, context, LAST),
        target=event.target,
        detail=found.column.name,
        receiver="person",
        beside=[column.name for column in found.table.held],
        tags=by_name_tags(event.by_name),
    )
