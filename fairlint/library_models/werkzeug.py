"""werkzeug: what no entry of `werkzeug.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter import reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.symbolic import Const, Opaque, Sequence, Table, Value
from fairlint.syntax.tree import Form
from fairlint.vocabulary.words import split_words


def typed_values(call: Invocation) -> Value | None:
    """`request.form.values()`: what was typed into each field of the page's form."""
    form = _find_form(call.frame)
    return (
        None
        if form is None
        else Sequence(tuple([_field_value(name, call) for name in form.fields]), call.node)
    )


def typed_fields(call: Invocation) -> Value | None:
    """`request.form.to_dict()`."""
    form = _find_form(call.frame)
    if form is None:
        return None
    entries = tuple([(Const(name, "", call.node), _field_value(name, call)) for name in form.fields])
    return Table(entries, call.node)


def _field_value(name: str, call: Invocation) -> Value:
    return reads.read_by_identifier(name, call.node, call.frame) or Opaque(name)


def _find_form(frame: Frame) -> Form | None:
    """Return the form that a function answers: the only one that asks about people, or that is sent to it."""
    mentions = frame.program.vocabulary.mentions
    forms = [form for form in frame.program.forms if any(map(mentions, form.fields))]
    if not forms or not has_tables(frame):
        return None
    if len({form.fields for form in forms}) > 1:
        words = {*split_words(frame.function.rpartition(".")[2])}
        forms = [form for form in forms if not words.isdisjoint(split_words(form.action))]
    return forms[0] if len({form.fields for form in forms}) == 1 else None
