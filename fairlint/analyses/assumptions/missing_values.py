"""Tests for missing values: which attribute a test finds missing, and which it finds given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists

DEEPEST = 6
lexicon = partial(word_lists, "defaults")
"""The names and words of `defaults.toml`."""


def missing_in(test: Value, reader: Reader, depth: int = 0) -> Read | None:
    """Return the attribute that a test finds missing where it holds."""
    if depth > DEEPEST:
        return None
    match test:
        case Operation(op="not", arguments=(Operation(op="==", arguments=(left, right)),)) if (
            isinstance(left, Protected) and isinstance(right, Protected) and left.mention == right.mention
        ):
            return _attribute_in_test(left, reader)  # NaN alone differs from itself
        case Operation(op="not", arguments=(inner,)):
            return present_in(inner, reader, depth + 1)
        case Operation(op="and" | "or" | "&" | "|", arguments=parts):
            return _first_read(missing_in(part, reader, depth + 1) for part in parts)
        case Operation(op="==", arguments=(left, Const(value=True))) if isinstance(left, Opaque):
            return missing_in(left, reader, depth + 1)
        case Operation(op="==" | "in", arguments=(left, right)):
            for asked, given in ((left, right), (right, left)):
                read = _attribute_in_test(asked, reader) or _attribute_in_comparison(asked, test, reader)
                if read is not None and (
                    is_nothing(given, read.mention.attribute, reader)
                    or (_is_zero(given) and _is_of_letters(asked, test, reader))
                ):
                    return read
            return None
        case Operation(op="<", arguments=(left, Const(value=0 | 1))) if (
            _subject_of_length(left, reader) is not None
        ):
            return _attribute_in_test(left, reader)
        case Operation(op=">=", arguments=(Const(value=0), right)) if (
            _subject_of_length(right, reader) is not None
        ):
            return _attribute_in_test(right, reader)
        case Opaque():
            return _attribute_in_null_test(test, reader, missing=True)
        case _:
            return None


def present_in(test: Value, reader: Reader, depth: int = 0) -> Read | None:
    """Return the attribute that a test finds given where it holds."""
    if depth > DEEPEST:
        return None
    match test:
        case Operation(op="not", arguments=(inner,)):
            return missing_in(inner, reader, depth + 1)
        case Operation(op="and" | "or" | "&" | "|", arguments=parts):
            return _first_read(present_in(part, reader, depth + 1) for part in parts)
        case Operation(op="in", arguments=(left, right)):
            return _attribute_in_membership_test(left, right, reader)
        case Operation():
            return None
        case Opaque() if (found := _attribute_in_null_test(test, reader, missing=False)) is not None:
            return found
        case _:
            read = _attribute_in_test(test, reader)
            return read if read is not None and read.mention.form != "flag" else None  # `if is_male`


def _first_read(found: Iterable[Read | None]) -> Read | None:
    return next((read for read in found if read is not None), None)


def _attribute_in_test(value: Value, reader: Reader) -> Read | None:
    """Return the attribute that is tested: of `gender`, of `len(gender)`."""
    inner = _subject_of_length(value, reader)
    reads = reader.reads_of(value if inner is None else inner)
    return reads[0] if reads else None


def _attribute_in_comparison(value: Value, test: Operation, reader: Reader) -> Read | None:
    """Return the attribute that a side of a comparison is named after, whatever it was given."""
    if not isinstance(test.node, tree.Compare):
        return None
    for node in (test.node.left, test.node.right):
        for read in reader.reads_at(value, node) if value in reader.values(node) else ():
            return read
    return None


def _subject_of_length(value: Value, reader: Reader) -> Value | None:
    """Return what the length is of that a value is, or the type; None for anything else."""
    if isinstance(value, Choice) and isinstance(value.otherwise, Const) and value.otherwise.value == 0:
        return value.test  # the number of disabilities
    call = reader.facts.call_giving(value)
    if call is None or not call.arguments or last_name(call.node.function) not in lexicon()["measures"]:
        return None
    return call.arguments[0]


def _attribute_in_null_test(value: Value, reader: Reader, *, missing: bool) -> Read | None:
    """Return what `pd.isna(x)` and `x.isna()` ask about, and what `pd.notna(x)` asks where it is
    not missing.
    """
    call = reader.facts.call_giving(value)
    if call is None or _form_of_null_test(call, reader) != ("" if missing else "not"):
        return None
    asked = call.arguments[0] if call.arguments else call.receiver
    return None if asked is None else _attribute_in_test(asked, reader)


def asks_for_null(call: Call, reader: Reader) -> bool:
    """Return whether a call asks for the gaps of a table: `pd.isna(x)`."""
    return _form_of_null_test(call, reader) is not None


def _form_of_null_test(call: Call, reader: Reader) -> str | None:
    """Return whether a call asks if something is missing, or is `not`; None for any other."""
    if (known := reader.known(call, "asks for gaps")) is not None:
        return str(known.entry.given.get("form", ""))
    return "" if last_name(call.node.function) in lexicon()["null_tests"] else None


def is_nothing(value: Value, attribute: str, reader: Reader, depth: int = 0) -> bool:
    """Return whether a value is a way to say that nothing is known: None, "", "unknown", NaN, or a list of
    them.
    """
    match value:
        case Const(value=None | "" | "\0"):
            return True
        case Const(label=label) if label and _says_unknown(label, reader):
            return True
        case Const(value=str() as text):
            return reader.is_missing(attribute, text.strip())
        case Const(value=float() as number):
            return math.isnan(number)
        case Sequence(items=items):
            inner = all(is_nothing(item, attribute, reader, depth + 1) for item in items)
            return bool(items) and depth < 2 and inner
        case Opaque(key=key):
            return key.rpartition(".")[2] in lexicon()["nulls"] or _says_unknown(key, reader)
        case _:
            return False


def _is_zero(value: Value) -> bool:
    return isinstance(value, Const) and value.value == 0 and not isinstance(value.value, bool | str)


def _is_of_letters(asked: Value, test: Operation, reader: Reader) -> bool:
    """Return whether a length, or the first letter, is compared: `strlen(gender) == 0`, `gender[0] == 0`.

    The 0 of a column, `df["sex"] == 0`, is a code like any other.
    """
    if _subject_of_length(asked, reader) is not None:
        return True
    left = test.node.left if isinstance(test.node, tree.Compare) else None
    return isinstance(left, tree.Index) and not (
        isinstance(left.index, tree.Literal) and isinstance(left.index.value, str)
    )


def _says_unknown(name: str, reader: Reader) -> bool:
    return reader.conventions.is_constant(name) and any_word(name.rpartition(".")[2], lexicon()["unknown"])


def _attribute_in_membership_test(left: Value, right: Value, reader: Reader) -> Read | None:
    """Return the attribute that is one of the known groups, or a key: `gender in GENDERS`,
    `"gender" in row`.
    """
    if isinstance(left, Const) and isinstance(left.value, str):
        reads = reader.columns([left], left.node or NOWHERE, "")
        return reads[0] if reads and reads[0].mention.group is None else None
    if isinstance(right, Table):
        listed = [key for key, _ in right.entries]
    elif isinstance(right, Sequence):
        listed = list(right.items)
    else:
        return None
    read = _attribute_in_test(left, reader)
    if read is None or len(listed) < 2 or is_nothing(right, read.mention.attribute, reader):
        return None
    known = all(reader.group_of(read.mention.attribute, one) is not None for one in listed)
    return read if known else None
