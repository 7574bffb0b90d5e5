"""Models that are served elsewhere: what no entry of `endpoints.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import learning
from fairlint.semantics.tables.libraries import lexicon
from fairlint.semantics.values.symbolic import Const, Opaque, Sequence, Table, Text, Value
from fairlint.vocabulary.words import split_words

DEEPEST = 3
"""Lists and tables around a row: `{"data": [{...}]}`."""
MOST_ROWS = 20


def posted(call: Invocation) -> Value | None:
    """`requests.post(f"{API}/predict", json=applicant)`."""
    address = call.given("argument", 0, "url")
    written = call.written("argument", 0)
    said = "" if written is None else call.frame.text(written)
    if isinstance(address, Const) and isinstance(address.value, str):
        said = f"{said} {address.value}"
    if not lexicon()["served"].isdisjoint(split_words(said)):
        _emit_prediction(call, call.given("features", "json", "data", "content", 1))
    return None


def invoked(call: Invocation) -> Value | None:
    """`runtime.invoke_endpoint(EndpointName=name, Body=row)`."""
    _emit_prediction(call, call.keyword("Body"))
    return None


def _emit_prediction(call: Invocation, payload: Value | None) -> None:
    row = None if payload is None else _row_of_payload(payload, call)
    if row is not None and _is_somebodys(row):
        learning.emit_features(call.node, row, call.frame, fits=False)


def _is_somebodys(row: Value) -> bool:
    """Return whether a row holds what the code is given; one that is written out is a sample."""
    held = [one for _, one in row.entries] if isinstance(row, Table) else getattr(row, "items", ())
    return any(not isinstance(one, Const | Sequence) and getattr(one, "sample", None) is None for one in held)


def _row_of_payload(value: Value, call: Invocation, depth: int = 0) -> Value | None:
    """Return what a payload says of a person: a table, one in it, or the values in a line of text."""
    if depth > DEEPEST:
        return None
    if isinstance(value, Text):
        return Sequence(tuple([gap.value for gap in value.pieces if not hasattr(gap, "text")]), call.node)
    if type(value) is Opaque:
        made = call.frame.program.facts.call_of(value)  # `json.dumps(row)`
        return (
            None
            if made is None or not made.arguments
            else _row_of_payload(made.arguments[0], call, depth + 1)
        )
    if isinstance(value, Sequence | Table):
        inside = value.items if isinstance(value, Sequence) else [held for _, held in value.entries]
        for part in inside[:MOST_ROWS]:
            row = _row_of_payload(part, call, depth + 1) if isinstance(part, Sequence | Table) else None
            if row is not None and _is_somebodys(row):  # beside the names of its columns
                return row
        return value
    return None
