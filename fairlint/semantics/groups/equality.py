"""Whether two results are equal, and whether one is among others, under a hypothesis about the group."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fairlint.semantics.groups.group_terms import SHORTEST_PART
from fairlint.semantics.groups.results import AttributeNumber, AttributeValue, LinearSum, Result, Unknown
from fairlint.semantics.texts import spellings
from fairlint.semantics.values import amounts
from fairlint.semantics.values.symbolic import Const, Protected, Sequence, Spelling, Table, Value
from fairlint.vocabulary.load import word_lists

if TYPE_CHECKING:
    from fairlint.semantics.groups.specialization import Specialization


DEEPEST_LIST = 6
"""Lists within lists that are compared and named by what they hold."""
LETTERS = 4
"""So long a text may be letters, each of which stands for a group: "mf"."""


def is_group_of_several(hypothesis: Specialization, among: Protected) -> bool:
    """Return whether something is the people of one group, of which whoever is in it is one."""
    mention = among.mention
    if not mention.of_several or mention.group is None:
        return False
    if mention.attribute != hypothesis.naming.attribute.name:
        return False
    hypothesis.naming.named.setdefault(mention.group)
    return True


def are_two(hypothesis: Specialization, arguments: tuple[Value, ...]) -> bool:
    """Return whether the attribute of one person is compared with that of another."""
    reads = [hypothesis.naming.dependence.reads(one, hypothesis.naming.attribute.name) for one in arguments]
    receivers = [{read.receiver for read in side} for side in map(list, reads)]
    return all(receivers) and receivers[0].isdisjoint(receivers[1])


def has_group_code(hypothesis: Specialization, arguments: tuple[Value, ...]) -> bool | None:
    """Return whether the person has the code that a name of one group's truth is compared with:
    `foreign_worker == "A201"`.
    """
    flags = [one for one in arguments if isinstance(one, Protected) and one.mention.group is not None]
    codes = [one for one in arguments if isinstance(one, Const)]
    if not (flags and codes) or flags[0].mention.attribute != hypothesis.naming.attribute.name:
        return None
    code = codes[0].value
    if not isinstance(code, str) or _says_yes_or_no(code):
        return None
    group = hypothesis.naming.vocabulary.group_of(
        hypothesis.naming.attribute.name, code, hypothesis.naming.data_set
    )
    if group not in hypothesis.naming.attribute.core_groups:
        return None
    hypothesis.naming.group_of(codes[0])
    return hypothesis.group == group


def is_equal(hypothesis: Specialization, left: Result, right: Result) -> bool:
    """Return whether two results are equal; where that depends on something else, the world says."""
    if isinstance(right, AttributeValue | AttributeNumber) and not isinstance(
        left, AttributeValue | AttributeNumber
    ):
        left, right = right, left
    match left, right:
        case AttributeValue(), Const(value=None) if "no" in hypothesis.naming.attribute.core_groups:
            return hypothesis.group == "no"
        case AttributeValue(), Const():
            return _is_group(hypothesis, right)
        case AttributeNumber(), Const(value=str()):
            return _is_group(hypothesis, right)
        case AttributeNumber(), Const(value=None):
            return False  # a missing value is no group
        case AttributeNumber(), Const(value=int() | float() as other) if hypothesis.number is not None:
            hypothesis.naming.cuts.update((float(other), float(other) + 1))
            return hypothesis.number == other
        case (AttributeValue() | AttributeNumber(), AttributeValue() | AttributeNumber()):
            return True
        case AttributeValue(), Unknown(key=key) if (group := hypothesis.naming.group_named(key)) is not None:
            return hypothesis.group == group
        case (AttributeValue() | AttributeNumber(), Unknown() | LinearSum()):
            return hypothesis.ask_scale(f"== {hypothesis.key(right)}")
        case AttributeNumber(), Const():
            return hypothesis.ask_scale(f"== {hypothesis.key(right)}")
        case Const(), Const():
            return _is_same_constant(left, right)
        case (_, Unknown(key=amounts.NO_VALUE)) | (Unknown(key=amounts.NO_VALUE), _):
            return False  # nothing equals what is missing
        case (Const(value=str()), Unknown(key=amounts.NO_ENTRY)) | (
            Unknown(key=amounts.NO_ENTRY),
            Const(value=str()),
        ):
            return False
        case Sequence(items=first), Sequence(items=second) if (
            len(first) == len(second) and hypothesis.lists < DEEPEST_LIST
        ):
            return _all_equal(hypothesis, first, second)
        case Const(), _:
            return hypothesis.world.ask_equal(hypothesis.key(right), hypothesis.key(left))
        case _, Const():
            return hypothesis.world.ask_equal(hypothesis.key(left), hypothesis.key(right))
        case _:
            return hypothesis.world.ask(f"{hypothesis.key(left)} == {hypothesis.key(right)}")


def _all_equal(hypothesis: Specialization, first: tuple[Value, ...], second: tuple[Value, ...]) -> bool:
    hypothesis.lists += 1
    equal = True
    for one, two in zip(first, second, strict=True):
        hypothesis.naming.steps.spend()
        equal = is_equal(hypothesis, hypothesis.evaluate(one), hypothesis.evaluate(two))
        if not equal:
            break
    hypothesis.lists -= 1
    return equal


def _is_group(hypothesis: Specialization, const: Const) -> bool:
    if isinstance(const.value, bool):
        return hypothesis.true(AttributeValue()) == const.value
    group = hypothesis.naming.group_of(const)
    return group is not None and group == hypothesis.group


def is_member(hypothesis: Specialization, left: Result, right: Result) -> bool:
    """Return whether a result is in a list or text, or a key of a table."""
    match left, right:
        case AttributeValue(spelling=spelling), Sequence() | Table() if spelling.letters:
            return _equals_any(hypothesis, left, _that_fit(_held_in(right), spelling))
        case AttributeValue(), Sequence() | Table():
            groups, others = _groups_and_others(hypothesis, right)
            return _equals_any(hypothesis, left, others) or hypothesis.group in groups
        case Unknown(), Sequence() | Table():
            return _equals_one_of(hypothesis, left, right)
        case _, Sequence(items=items):
            return _equals_any(hypothesis, left, items)
        case _, Table(entries=entries):
            return _equals_any(hypothesis, left, [key for key, _ in entries])
        case Const(value=str() as part), AttributeValue() if len(part) >= SHORTEST_PART:
            return _is_group_with_part(hypothesis, right, part, lambda name: part in name)
        case Const(), AttributeValue():
            return _is_group(hypothesis, left)
        case AttributeValue(), Const(value=str() as text):
            return _is_part(hypothesis, left, right, text)
        case Const(value=str() as part), Const(value=str() as whole):
            return part in whole
        case (AttributeValue() | AttributeNumber(), _):
            return hypothesis.ask_scale(f"in {hypothesis.key(right)}")
        case _:
            return hypothesis.world.ask(f"{hypothesis.key(left)} in {hypothesis.key(right)}")


def _is_part(hypothesis: Specialization, held: AttributeValue, const: Const, whole: str) -> bool:
    """Return whether the group's name stands in a text: `gender in "male female"` holds for both."""
    attribute, group_of = hypothesis.naming.attribute, hypothesis.naming.vocabulary.group_of
    are_letters = held.spelling.letters <= 1 < len(whole) <= LETTERS
    if are_letters and group_of(attribute.name, whole) is None:
        return _equals_any(hypothesis, held, [Const(letter) for letter in whole])
    if held.spelling.letters or any(
        spellings.spell_name(one, held.spelling, whole) in whole for one in attribute.core_groups
    ):
        return _is_group_with_part(hypothesis, held, whole, lambda name: name in whole)
    words = whole.split()
    if len(words) > 1 and all(group_of(attribute.name, word) is not None for word in words):
        return _equals_any(hypothesis, held, [Const(word) for word in words])
    return _is_group(hypothesis, const)


def _is_group_with_part(
    hypothesis: Specialization, held: AttributeValue, part: str, passes: Callable[[str], bool]
) -> bool:
    """Return whether the group's name, as the text has it, passes a test that asks for a part of it: that of
    women holds "male", and "fem" is no group.
    """
    groups = spellings.telling(hypothesis.naming.attribute, held.spelling, part, passes)
    if not groups:
        return _is_group(hypothesis, Const(part))
    for group in sorted(groups):
        hypothesis.naming.named.setdefault(group)
    return hypothesis.group in groups


def _equals_one_of(hypothesis: Specialization, left: Unknown, held: Sequence | Table) -> bool:
    """Return whether something unknown is in a list, or a key of a table: its texts are asked about
    at once.
    """
    if left.key == amounts.NO_ENTRY:
        return _equals_any(hypothesis, left, _held_in(held))
    known = hypothesis.naming.constants.get(id(held))
    if known is None:
        items = _held_in(held)
        hypothesis.naming.steps.spend(len(items))
        texts = {hypothesis.key(item): None for item in items if isinstance(item, Const)}
        others = tuple([item for item in items if not isinstance(item, Const)])
        known = hypothesis.naming.constants[id(held)] = texts, others
    texts, others = known
    is_text = bool(texts) and hypothesis.world.ask_any_equal(hypothesis.key(left), texts)
    return _equals_any(hypothesis, left, others) or is_text


def _groups_and_others(
    hypothesis: Specialization, held: Sequence | Table
) -> tuple[frozenset[str], tuple[Value, ...]]:
    """Return the groups that stand in a list or are keys of a table, and what else there is: looked
    at once.
    """
    if id(held) not in hypothesis.naming.listed:
        items = _held_in(held)
        plain = {
            id(item): hypothesis.naming.group_of(item)
            for item in items
            if isinstance(item, Const) and item.value is not None and not isinstance(item.value, bool)
        }
        others = tuple([item for item in items if id(item) not in plain])
        hypothesis.naming.listed[id(held)] = frozenset(filter(None, plain.values())), others
    return hypothesis.naming.listed[id(held)]


def _equals_any(hypothesis: Specialization, left: Result, items: Iterable[Value]) -> bool:
    """Compare with every item, so that every group the code names is known."""
    items = tuple(items)
    hypothesis.naming.steps.spend(len(items))
    answers = [is_equal(hypothesis, left, hypothesis.evaluate(item)) for item in items]
    return any(answers)


def _says_yes_or_no(text: str) -> bool:
    """Return whether data writes a truth value so."""
    lists = word_lists("reads")
    return text.strip().lower() in lists["yes"] | lists["no"]


def _that_fit(items: tuple[Value, ...], spelling: Spelling) -> tuple[Value, ...]:
    """Return the texts that may be all that is left of a name; all of them where none may: it is no text
    then.
    """
    fitting = tuple(one for one in items if not isinstance(one, Const) or spellings.fits(one.value, spelling))
    return fitting or items


def _held_in(held: Sequence | Table) -> tuple[Value, ...]:
    """Return what is in a list, or the keys of a table."""
    return held.items if isinstance(held, Sequence) else tuple([key for key, _ in held.entries])


def _is_same_constant(left: Const, right: Const) -> bool:
    if left.label and right.label:
        return left.label == right.label
    if isinstance(left.value, bool) != isinstance(right.value, bool):
        flag, other = (left.value, right.value) if isinstance(left.value, bool) else (right.value, left.value)
        if isinstance(other, str):
            return other.strip().lower() in word_lists("reads")["yes" if flag else "no"]
    return left.value == right.value
