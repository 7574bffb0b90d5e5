"""string: what no entry of `string.toml` can say."""

from __future__ import annotations

from fairlint.library_models.builtins import given_by_name
from fairlint.semantics import texts
from fairlint.semantics.invocation import Invocation
from fairlint.semantics.values import UNKNOWN, Value


def substituted(call: Invocation) -> Value | None:
    """`Template("...").substitute(name=b)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not texts.may_be_text(base):
        return None
    named = given_by_name(node, arguments, frame)
    return texts.changed_each(base, lambda one: texts.fill_template(one, named, node))
