"""string: what no entry of `string.toml` can say."""

from __future__ import annotations

from fairlint.library_models.builtin_texts import given_by_name
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.texts import text_filling, text_forms, text_values
from fairlint.semantics.values.symbolic import UNKNOWN, Value


def substituted(call: Invocation) -> Value | None:
    """`Template("...").substitute(name=b)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not text_values.may_be_text(base):
        return None
    named = given_by_name(node, arguments, frame)
    return text_forms.changed_each(base, lambda one: text_filling.fill_template(one, named, node))
