"""Partial evaluation: what a symbolic value becomes when the person belongs to one group.

Three answers are possible for a test: yes, no, or *it depends on something else*. What it depends on is a
condition with a name, and a `Valuation` (`valuations.py`) says for each such condition whether it holds, so
that all groups are compared with everything else equal. `equality.py`, `ordering.py` and `arithmetic.py` know
the operators.
"""

from __future__ import annotations

from collections.abc import Callable

from fairlint.semantics.groups.arithmetic import (
    ARITHMETIC,
    BITS,
    amount_of_result,
    bits_of_code,
    result_of_arithmetic,
)
from fairlint.semantics.groups.equality import (
    DEEPEST_LIST,
    are_two,
    has_group_code,
    is_equal,
    is_group_of_several,
    is_member,
)
from fairlint.semantics.groups.group_terms import OTHER, SCALE, TABLE, GroupTerms
from fairlint.semantics.groups.ordering import is_less, past_table
from fairlint.semantics.groups.results import (
    AttributeNumber,
    AttributeValue,
    LinearSum,
    Result,
    Unknown,
    is_no_value,
)
from fairlint.semantics.groups.valuations import ENDS, Valuation
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.marks import marked_name
from fairlint.semantics.values.symbolic import (
    FILLED,
    OLD,
    RAISES,
    UNSET,
    Choice,
    Closure,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
    Within,
)
from fairlint.semantics.values.traversal import form_of
from fairlint.support.records import Record, field, replace
from fairlint.syntax.tree import Node

REFERENCE_YEAR = 2025.0
"""A year of birth is compared as an age in this year; a year more or less moves no group."""


DEEP = 100
"""Values within values from which on the inner ones are evaluated first."""


_THEMSELVES = (Const, Sequence, Table)
"""Values that come to themselves."""


MOST_COLUMNS = 12
"""Columns of a table of two dimensions that are told apart."""


class Specialization(Record, frozen=False):
    """The person belongs to `group` (with `number` for attributes that are numbers), in `world`."""

    naming: GroupTerms
    group: str
    number: float | None
    world: Valuation
    memo: dict[int, tuple[Result, int]] = field(default_factory=dict)
    """What values come to, each with the questions it hangs on."""
    truths: dict[int, tuple[bool, int]] = field(default_factory=dict)
    keys: dict[int, tuple[str, int]] = field(default_factory=dict)
    before: Specialization | None = None
    """The same group in another world: what hangs on nothing in which the worlds differ is the same here."""
    changed: int = 0
    """The questions that the two worlds answer differently."""
    depth: int = 0
    """How many values that hold one another are being evaluated."""
    lists: int = 0
    """How many lists that hold one another are being named or compared."""
    aside: Callable[[Node], bool] | None = None
    """Says which branches on the same attribute are told about elsewhere: here the valuation decides."""
    beside: Specialization | None = None
    """The same with branches put aside."""

    def putting_aside(self, aside: Callable[[Node], bool]) -> Specialization:
        """Return the same hypothesis, for which the valuation decides about some branches."""
        if self.beside is None:
            before = None if self.before is None else self.before.putting_aside(aside)
            self.beside = replace(self, memo={}, truths={}, keys={}, before=before, aside=aside, beside=None)
        return self.beside

    # -------------------------------------------------------------------------------------------- values

    def evaluate(self, value: Value) -> Result:
        """Return what `value` becomes."""
        if isinstance(value, _THEMSELVES):
            return value
        found = self.memo.get(id(value)) or self._known_result(value)
        world = self.world
        if found is None:
            outer, world.used = world.used, 0
            self.naming.steps.spend()
            self.depth += 1
            if self.depth > DEEP:
                self._prepare_parts(value)
            found = self.memo[id(value)] = self._evaluate_value(value), world.used
            self.depth -= 1
            world.used = outer
        world.used |= found[1]
        return found[0]

    def _known_result(self, value: Value) -> tuple[Result, int] | None:
        """Return what a value is known to come to here, and the questions it hangs on."""
        found = self.memo.get(id(value))
        if found is None and self.before is not None:
            found = self.before.memo.get(id(value))
            if found is None or found[1] & self.changed:
                return None
            self.memo[id(value)] = found
        return found

    def _prepare_parts(self, value: Value) -> None:
        """Evaluate what `value` is made of in any case, the innermost first, so that no long way of calls is
        needed: `s = s * 2 + x` may stand there a thousand times.
        """
        stack = list(self._needed_parts(value))
        while stack:
            current = stack[-1]
            unknown = [part for part in self._needed_parts(current) if not self._has_known_result(part)]
            if unknown and not self._has_known_result(current):
                stack.extend(reversed(unknown))
            else:
                stack.pop()
                self.evaluate(current)

    def _has_known_result(self, value: Value) -> bool:
        return isinstance(value, _THEMSELVES) or self._known_result(value) is not None

    def _needed_parts(self, value: Value) -> tuple[Value, ...]:
        """Return the parts of a value that have to be evaluated next, as far as is known by now."""
        match value:
            case Choice() if self.has_attribute(value):
                unknown = not self._has_known_result(value.test) and not self._is_aside(value)
                return (value.test,) if unknown else (self._branch_of_choice(value),)
            case Lookup(subject=subject) if self.has_attribute(value):
                return (subject,)
            case Operation(op="and" | "or" as op, arguments=(*arguments, last)):
                for argument in arguments:
                    if not self._has_known_result(argument):
                        return (argument,)
                    if self.truth(argument) == (op == "or"):
                        return ()
                return (last,)
            case Operation(arguments=arguments):
                return arguments
            case Sorted(people=people) | Filtered(people=people):
                return (people,)
            case _:
                return ()

    def _is_aside(self, choice: Choice) -> bool:
        return self.aside is not None and self.aside(choice.node)

    def _branch_of_choice(self, choice: Choice) -> Value:
        """Return the side that a choice takes."""
        if self._is_aside(choice):
            self.world.questions.puts_aside = True
            holds = self.world.ask(f"branch@{choice.node.span.start}")
        else:
            holds = self.truth(choice.test)
        return choice.then if holds else choice.otherwise

    def _result_of_choice(self, choice: Choice) -> Result:
        """Return what the tests of a chain of choices leave of it."""
        passed: list[Choice] = []
        current: Value = choice
        while (
            isinstance(current, Choice)
            and self._known_result(current) is None
            and self.has_attribute(current)
        ):
            self.naming.steps.spend()
            passed.append(current)
            current = self._branch_of_choice(current)
        result = self.evaluate(current)
        for one in passed:
            self.memo[id(one)] = result, self.world.used
        return result

    def _evaluate_value(self, value: Value) -> Result:
        match value:
            case Protected():
                return self._result_of_read(value)
            case Opaque(key=key):
                return Unknown(key)
            case Choice() | Lookup() if not self.has_attribute(value):
                return Unknown(self._name_of_value(value))
            case Choice():
                return self._result_of_choice(value)
            case Lookup():
                return self._result_of_lookup(value)
            case Operation():
                return self._result_of_operation(value)
            case Sorted(people=people) | Filtered(people=people):
                return self.evaluate(people)
            case Closure():
                return Unknown("function")
            case Within(node=node):
                return Unknown(marked_name(node))
            case _:
                return LinearSum(amounts.unknown(amounts.OLD_KEY)) if value is OLD else Unknown("?")

    def has_attribute(self, value: Value) -> bool:
        """Return whether a value has to do with the attribute."""
        return self.naming.attribute.name in self.naming.dependence.attributes(value)

    def _name_of_value(self, value: Choice | Lookup) -> str:
        """Return a name for a value that has nothing to do with the attribute; one for all that are made
        alike.
        """
        if isinstance(value, Choice) and isinstance(value.then, Const) and isinstance(value.otherwise, Const):
            name = marked_name(value.node, f"={value.then.value}")
        else:
            name = marked_name(value.node)
        form = form_of(value)
        return name if form is None else self.naming.made_alike.setdefault(form, name)

    def _result_of_read(self, value: Protected) -> Result:
        mention = value.mention
        if mention.attribute != self.naming.attribute.name:
            return Unknown(f"{mention.attribute}.{mention.group or ''}")
        if mention.of_several:
            return Unknown(f"{mention.identifier}[]")
        if mention.group is not None:
            self.naming.named.setdefault(mention.group)
            return Const(self.group == mention.group)
        if mention.form == "date":
            key = f"{SCALE}{self.naming.attribute.name}"
            return LinearSum({(): REFERENCE_YEAR, (key,): -1.0})
        if mention.form == "number":
            return AttributeNumber()
        return AttributeValue(value.spelling)

    def _result_of_lookup(self, value: Lookup) -> Result:
        subject = self.evaluate(value.subject)
        if not value.table.entries:
            if isinstance(subject, AttributeValue | AttributeNumber):
                return Unknown(f"{SCALE}{TABLE}{value.table.name}")
            return Unknown(f"{value.table.name}[{self.key(subject)}]")
        is_open = False
        for key, entry in value.table.entries:
            place = self.evaluate(key)
            if (
                isinstance(subject, AttributeValue)
                and isinstance(place, Unknown)
                and not self._names_group(place)
            ):
                is_open = True  # whose entry that is nobody knows, so it may be anybody's
            elif is_equal(self, subject, place):
                return self._result_of_row(entry)
        if value.default is RAISES or (value.table.places and not is_open and self._is_nobodys(value)):
            self.world.used |= ENDS if self.number is None else 0
            return Unknown(amounts.NO_ENTRY)
        if is_open:
            return Unknown(f"{SCALE}{TABLE}{value.table.name}")
        return Unknown(amounts.NO_ENTRY) if value.default is None else self.evaluate(value.default)

    def _is_nobodys(self, value: Lookup) -> bool:
        """Return whether no code of the group leads to a place of an array that is written out, or
        left out.
        """
        if value.default is not UNSET:
            return True
        codes = self.naming.codes()
        for group, code in codes.items():
            if 0 <= code < value.table.places:
                self.naming.named.setdefault(group)
        is_left_out = 0 <= codes.get(self.group, -1) < value.table.places
        return self.group == OTHER or (bool(codes) and not is_left_out)

    def _names_group(self, place: Unknown) -> bool:
        return self.naming.group_named(place.key) is not None

    def _result_of_row(self, entry: Value) -> Result:
        """Return what a group's row of a table of two dimensions gives: its entry for whatever else
        is asked.
        """
        rows = entry.table.entries if isinstance(entry, Lookup) and not self.has_attribute(entry) else ()
        if not (isinstance(entry, Lookup) and 0 < len(rows) <= MOST_COLUMNS):
            return self.evaluate(entry)
        subject = self.key(self.evaluate(entry.subject))
        chosen = [held for key, held in rows if self.world.ask_equal(subject, self.key(self.evaluate(key)))]
        return self.evaluate(chosen[0] if chosen else rows[0][1])

    def key(self, result: Result) -> str:
        """Return a name for a result, equal for equal results."""
        return self.naming.short(self._long_key(result))

    def _long_key(self, result: Result) -> str:
        match result:
            case Const(value=value, label=label):
                return label or repr(value)
            case AttributeValue():
                return f"={self.group}"
            case AttributeNumber():
                return f"{SCALE}{self.naming.attribute.name}"
            case Unknown(key=key):
                return key
            case LinearSum(amount=amount):
                return amounts.readable(amount)
            case Sequence(items=items):
                world = self.world
                if id(result) not in self.keys:  # a list may hold another many times
                    if self.lists >= DEEPEST_LIST:
                        return marked_name(result.node)
                    outer, world.used = world.used, 0
                    self.keys[id(result)] = f"[{', '.join(self._keys_within(items))}]", world.used
                    world.used |= outer
                key, used = self.keys[id(result)]
                world.used |= used
                return key
            case _:
                return marked_name(result.node)

    def _keys_within(self, items: tuple[Value, ...]) -> list[str]:
        self.lists += 1
        keys = []
        for item in items:
            self.naming.steps.spend()
            keys.append(self.key(self.evaluate(item)))
        self.lists -= 1
        return keys

    # -------------------------------------------------------------------------------------------- tests

    def truth(self, value: Value) -> bool:
        """Return whether `value` is true; where that depends on something else, the world says."""
        found = self.truths.get(id(value))
        world = self.world
        if found is None and self.before is not None:
            found = self.before.truths.get(id(value))
            if found is not None and found[1] & self.changed:
                found = None
        if found is None:
            outer, world.used = world.used, 0
            found = self.truths[id(value)] = self.true(self.evaluate(value)), world.used
            world.used = outer
        world.used |= found[1]
        return found[0]

    def holds(self, condition: Value | Node) -> bool:
        """Return whether a test holds, or the way leads through a branch that is told about elsewhere."""
        if isinstance(condition, Node):
            return self.world.ask(f"branch@{condition.span.start}")
        return self.truth(condition)

    def true(self, result: Result) -> bool:
        """Return the truth of a result."""
        match result:
            case Const(value=value):
                return bool(value)
            case AttributeValue():
                core = self.naming.attribute.core_groups
                return self.group != "no" if "no" in core else True
            case AttributeNumber():
                if self.number is not None:
                    return self.number != 0
                return self.ask_scale("truth")
            case LinearSum(amount=amount):
                plain = amounts.known_number(amount)
                return self.world.ask(self.key(result)) if plain is None else plain != 0
            case Sequence(items=items):
                return bool(items)
            case Table(entries=entries):
                return bool(entries)
            case Unknown(key=key):
                return self.world.ask(key)

    def ask_scale(self, condition: str) -> bool:
        """Return whether something holds that hangs on the attribute in a way nobody can say."""
        return self.world.ask(f"{SCALE}{self.naming.attribute.name} {condition}")

    def _result_of_operation(self, value: Operation) -> Result:
        op, arguments = value.op, value.arguments
        if op in ARITHMETIC:
            return result_of_arithmetic(self, op, [self.evaluate(argument) for argument in arguments])
        match op:
            case "and" | "or":
                result = self.evaluate(arguments[0])
                for argument in arguments[1:]:
                    if self.true(result) == (op == "or"):
                        return result
                    result = self.evaluate(argument)
                return result
            case "not":
                return Const(not self.truth(arguments[0]))
            case "strcmp":
                return Const(not is_equal(self, self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case _ if op == FILLED:
                first = self.evaluate(arguments[0])
                return self.evaluate(arguments[1]) if is_no_value(first) else first
            case "==" | "strcmp" if self.naming.beside and are_two(self, arguments):
                return Const((self.group == self.naming.beside[0]) == (op == "=="))
            case "==" if (belongs := has_group_code(self, arguments)) is not None:
                return Const(belongs)
            case "==":
                return Const(is_equal(self, self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case "in" if isinstance(among := arguments[1], Protected) and is_group_of_several(self, among):
                return Const(self.group == among.mention.group)
            case "in":
                return Const(is_member(self, self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case "<" | ">=" if (past := past_table(self, arguments)) is not None:
                return Const(past == (op == ">="))
            case "<" | ">=":
                return Const(is_less(self, op, self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case _ if op in BITS and (joined := bits_of_code(self, op, arguments)) is not None:
                return LinearSum(joined)
            case _:
                return result_of_arithmetic(self, op, [self.evaluate(argument) for argument in arguments])

    # -------------------------------------------------------------------------------------------- numbers

    def amount(self, value: Value) -> Amount:
        """Return the amount that `value` is."""
        return amount_of_result(self, self.evaluate(value))
