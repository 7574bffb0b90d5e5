"""What tests ask of an attribute: for its value, or only whether there is one."""

from __future__ import annotations

from typing import cast

from fairlint.semantics.groups.dependencies import Dependence
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
from fairlint.semantics.values.traversal import parts
from fairlint.syntax.tree import Call
from fairlint.vocabulary.model import Mention

MOST_PARTS = 20
"""Parts of a test that are looked at."""
_JOINED = frozenset({"and", "or", "not"})
_COMPARISONS = frozenset({"==", "in", "<", ">=", "strcmp", "asks"})
_WORKED_OUT = frozenset({"-", "/", "//", "neg", "strcmp"})


def asks_directly(value: Value, attribute: str, dependence: Dependence) -> bool:
    """Return whether a test looks at the attribute itself, and not at a score that depends on it."""
    if attribute not in dependence.attributes(value):
        return False
    known = dependence.asked
    stack = [value]
    while stack:
        part = stack[-1]
        key = (id(part), attribute)
        joined = part.arguments if isinstance(part, Operation) and part.op in _JOINED else ()
        unknown = [argument for argument in joined if (id(argument), attribute) not in known]
        if key in known:
            stack.pop()
        elif unknown:
            stack.extend(unknown)
        elif joined:
            known[key] = any(known[id(argument), attribute] for argument in joined)
        elif isinstance(part, Operation) and part.op in _COMPARISONS:
            known[key] = any(is_bare(argument, attribute, dependence) for argument in part.arguments)
        else:
            known[key] = isinstance(part, Protected) and part.mention.attribute == attribute
    return known[id(value), attribute]


def is_bare(value: Value, attribute: str, dependence: Dependence) -> bool:
    """Return whether a value is the attribute itself: as it was read, in a tuple, or as an age worked out
    from a date.
    """
    stack = [value]
    seen: set[int] = set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Protected(mention=mention) | Choice(test=Protected(mention=mention), node=Call()):
                if mention.attribute == attribute:
                    return True
            case Choice(test=test, then=then, otherwise=otherwise) if asks_presence(
                test, attribute, dependence
            ):
                stack += (then, otherwise)
            case Operation(op=op, arguments=arguments) if op in _WORKED_OUT:
                stack.extend(arguments)
            case Sequence(items=items):
                stack.extend(items)
            case _:
                pass
    return False


def asks_presence(test: Value, attribute: str, dependence: Dependence, *, of_groups: bool = False) -> bool:
    """Return whether a test that depends on an attribute asks of it only if there is a value: it tells no
    groups apart.

    What it asks of other things does not count: `if viewer and viewer.dob and is_open`. With `of_groups`,
    nor does the truth of what names a group: `if wanted and user.religion`.
    """
    if attribute not in dependence.attributes(test):
        return False
    key = (id(test), attribute, of_groups)
    known = dependence.presence.get(key)
    if known is None:
        known = dependence.presence[key] = _is_presence(test, attribute, dependence, of_groups=of_groups)
    return known


def _is_presence(test: Value, attribute: str, dependence: Dependence, *, of_groups: bool) -> bool:
    stack, left = [test], MOST_PARTS
    while stack and left:
        left -= 1
        part = stack.pop()
        if attribute not in dependence.attributes(part):
            continue
        match part:
            case Operation(op="or", arguments=arguments) if not all(
                attribute in dependence.attributes(one) for one in arguments
            ):
                return False  # something stands in for what is not given: `age or usual_age`
            case Operation(op=op, arguments=arguments) if op in _JOINED:
                stack.extend(arguments)
            case Operation() if asked_if_missing(part, attribute, dependence) is not None:
                pass
            case Protected(mention=mention) if mention.form in {"number", "date"}:
                pass
            case Protected(mention=mention) if of_groups and not _tells_by_being(mention, dependence):
                pass
            case _:
                return False
    return not stack


def _tells_by_being(mention: Mention, dependence: Dependence) -> bool:
    """Return whether there being a value makes a group: who has a diagnosis is ill."""
    groups = dependence.vocabulary.attribute(mention.attribute).core_groups
    return mention.form != "value" or mention.group is not None or "yes" in groups


def asked_if_missing(test: Operation, attribute: str, dependence: Dependence) -> Value | None:
    """Return what a test compares with what stands for no value alone: `race == "unknown"`, `dob in ("",
    "N/A")`, `region >= 0`.
    """
    if test.op not in {"==", "in", "<", ">="}:
        return None
    left, right = test.arguments
    if (coded := _coded_as_missing(test.op, left, right, dependence)) is not None:
        return coded
    if test.op in {"<", ">="}:
        return None
    if says_nothing(right, attribute, dependence):
        return left
    return right if test.op == "==" and says_nothing(left, attribute, dependence) else None


def _coded_as_missing(op: str, left: Value, right: Value, dependence: Dependence) -> Protected | None:
    """Return the read of which a test only asks whether its code is below zero, as no group's and no number
    of anything is: `race != -9`, `region >= 0`, `children > -1`.

    Of two groups one may be -1, and the other 1.
    """
    held, limit, is_right = (left, right, True) if isinstance(right, Const) else (right, left, False)
    if not isinstance(held, Protected) or held.mention.form not in {"value", "number"}:
        return None
    code = limit.value if isinstance(limit, Const) else None
    if isinstance(code, bool) or not isinstance(code, int | float):
        return None
    if held.mention.form == "value" and code >= -1:
        known = dependence.vocabulary.attribute(held.mention.attribute)
        if len([group for group in known.core_groups if group not in known.coarse_groups]) == 2:
            return None
    is_below = code < 0 or (code == 0 and is_right and op in {"<", ">="})
    return held if is_below and op != "in" else None


def says_nothing(said: Value, attribute: str, dependence: Dependence) -> bool:
    """Return whether a value, or each of a list, stands for no value of an attribute: `None`, `""`,
    `"N/A"`.
    """
    match said:
        case Sequence(items=items):
            held = [item for item in items if not _holds_nothing(item)]
            return bool(items) and all(says_nothing(item, attribute, dependence) for item in held)
        case Operation(op="*", arguments=(Sequence() as repeated, _)):  # `[""] * len(row)`
            return says_nothing(repeated, attribute, dependence)
        case Const(value=None | ""):
            return True
        case Const(value=str() as text):
            group = dependence.vocabulary.group_of(attribute, text)
            return group is not None and dependence.vocabulary.is_missing(attribute, group)
        case _:
            return False


def _holds_nothing(value: Value) -> bool:
    """Return whether a value is an empty list or dict."""
    return isinstance(value, Sequence | Table) and not parts(value)


def is_told_behind(choice: Choice, attribute: str, dependence: Dependence) -> bool:
    """Return whether a choice asks only if there is a value, or asks that first and goes by the
    value then.
    """
    if asks_presence(choice.test, attribute, dependence):
        return True
    test = choice.test
    while isinstance(test, Operation) and test.op == "not":
        test = test.arguments[0]
    is_first = is_bare(test, attribute, dependence) or asks_presence(
        test, attribute, dependence, of_groups=True
    )
    return is_first and any(
        attribute in dependence.attributes(part) for part in (choice.then, choice.otherwise)
    )


def is_worked_out_unseen(value: Value, attribute: str, dependence: Dependence) -> bool:
    """Return whether a value is unknown where an attribute is given, which is all that it asks of it: an age
    that a function finds by searching a date's text.
    """
    if not isinstance(value, Choice) or attribute not in dependence.attributes(value):
        return False
    stack, left = [cast("Value", value)], MOST_PARTS
    while stack and left:
        left -= 1
        match stack.pop():
            case Choice(test=test, then=then, otherwise=otherwise):
                if not (
                    asks_presence(test, attribute, dependence) or _is_of_a_date(test, attribute, dependence)
                ):
                    return False
                stack += (then, otherwise)
            case Const(value=None) | Opaque():
                pass
            case Operation() as part if attribute not in dependence.attributes(part):
                pass
            case _:
                return False
    return not stack


def _is_of_a_date(test: Value, attribute: str, dependence: Dependence) -> bool:
    """Return whether a test asks of an attribute no more than how the text of a date looks."""
    return all(read.mention.form == "date" for read in dependence.reads(test, attribute))
