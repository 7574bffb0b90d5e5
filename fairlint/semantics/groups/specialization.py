"""Partial evaluation: what a symbolic value becomes when the person belongs to one group.

Three answers are possible for a test: yes, no, or *it depends on something else*. What it depends on is a
condition with a name, and a `Valuation` says for each such condition whether it holds, so that all groups are
compared with everything else equal.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping

from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.texts import spellings
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.marks import hidden_mark, marked_name, without_cut_mark
from fairlint.semantics.values.symbolic import (
    AS_GIVEN,
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
    Scalar,
    Sequence,
    Sorted,
    Spelling,
    Table,
    Value,
    Within,
    form_of,
)
from fairlint.support.records import Record, field, replace
from fairlint.syntax.tree import Node
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Attribute

Answer = str | bool | float

OTHER = "\0other"
"""The group that the code does not name."""

ALIKE, UNLIKE = "same", "different"
"""How the two groups are called that two people may be: of one group, or of two."""

SCALE = "#"
"""Marks unknown things that depend on the attribute in a way nobody can say."""

TABLE = "table "
"""Marks what a table that nobody knows gives for the group."""

REFERENCE_YEAR = 2025.0
"""A year of birth is compared as an age in this year; a year more or less moves no group."""

LAST_OF_AGE = 21.0
"""Nowhere does the law ask anybody to be older to count as grown up."""

JUST_ABOVE = 1e-6
"""Tells `x > 5` from `x >= 5` where only `<` is asked."""

DEEP = 100
"""Values within values from which on the inner ones are evaluated first."""

DEEPEST_LIST = 6
"""Lists within lists that are compared and named by what they hold."""
LETTERS = 4
"""So long a text may be letters, each of which stands for a group: "mf"."""
SHORTEST_PART = 3
"""Letters of a text that is looked for in a group's name; one or two are taken for its code."""

POWERS = 20.0
"""So many powers of e apart the factors are that are told of an unknown power."""
HIGHEST_POWER = 300.0
"""A higher power of e is no known number."""
LONGEST_NAME = 400
"""Characters of the name of something unknown; longer ones are cut and numbered."""


class AttributeValue(Record):
    """The attribute's own value, under the hypothesis, as a text has it."""

    spelling: Spelling = AS_GIVEN


class AttributeNumber(Record):
    """The attribute as a number, under the hypothesis."""


class Unknown(Record):
    """Something that does not depend on the group, or (with SCALE in its key) in an unknown way."""

    key: str


class LinearSum(Record):
    """A numeric amount."""

    amount: Amount


Result = Const | AttributeValue | AttributeNumber | Unknown | LinearSum | Sequence | Table

_THEMSELVES = (Const, Sequence, Table)
"""Values that come to themselves."""


MOST_STEPS = 1_000_000
"""Values and tests that are evaluated to compare the groups of one file, all places together."""


class TooManyStepsError(Exception):
    """The comparison of groups takes more steps than a file may."""


class Steps(Record, frozen=False):
    """The steps that the comparisons of one file may still take."""

    left: int = MOST_STEPS
    left_out: str = ""
    """What the last comparison that found no difference did not try, in words."""

    def spend(self, count: int = 1) -> None:
        """Counts some steps."""
        self.left -= count
        if self.left < 0:
            raise TooManyStepsError


class GroupTerms(Record, frozen=False):
    """What the code says about one attribute: groups it names, and numbers it cuts at."""

    attribute: Attribute
    vocabulary: Vocabulary
    dependence: Dependence
    code_labels: Mapping[Scalar, str] = field(default_factory=dict)
    """Numeric codes that an enum of the file gives names to."""
    lawful: frozenset[float] = frozenset()
    data_set: str | None = None
    """The known data set whose columns stand around, and whose codes the numbers then are."""
    of_amounts: bool = False
    """Whether amounts are compared: who is younger than all bands counts, and no limit of the law excuses."""
    by_bounds: bool = False
    """Whether a known bound on something unknown counts, as where a score is capped for some groups."""
    nobody_from: float = math.inf
    """From here on a number is nobody's: a limit there leaves out what cannot be true."""
    beside: tuple[str, ...] = ()
    """Where two people are compared with one another: what those of one group, and of two, are called."""
    named: dict[str, None] = field(default_factory=dict)
    """Groups in the order in which the code names them."""
    written: dict[str, None] = field(default_factory=dict)
    """The same, as the code writes them."""
    unexplained: set[str] = field(default_factory=set)
    """Those of them that are numbers of which nobody says whom they stand for."""
    cuts: set[float] = field(default_factory=set)
    excused: set[float] = field(default_factory=set)
    """The lowest numbers past the limits of the law that the code compares with."""
    reached: set[int] = field(default_factory=set)
    """The events, by their identity, that have happened to some group in some world of a comparison."""
    steps: Steps = field(default_factory=Steps)
    """What is left for all comparisons of the file; shared by those who ask about its places."""

    listed: dict[int, tuple[frozenset[str], tuple[Value, ...]]] = field(default_factory=dict)
    """Of a list or table, by its identity: the groups among what it holds, and what else is there."""
    constants: dict[int, tuple[dict[str, None], tuple[Value, ...]]] = field(default_factory=dict)
    """Of a list or table, by its identity: the names of the constants in it, and what else is there."""
    made_alike: dict[str, str] = field(default_factory=dict)
    """How choices are made that have nothing to do with the attribute, each with the name of the first."""
    names: dict[str, str] = field(default_factory=dict)
    """Short names for what would have a long one."""

    def for_amounts(self) -> GroupTerms:
        """The same record for a comparison of amounts: a law may say who is old enough, and no price."""
        return replace(self, lawful=frozenset(), of_amounts=True)

    def short(self, name: str) -> str:
        """A name that does not grow with what it is made of; equal names stay equal, and marked."""
        if len(name) <= LONGEST_NAME:
            return name
        if name not in self.names:
            start = without_cut_mark(name[: LONGEST_NAME // 2])
            mark = SCALE if SCALE in name and SCALE not in start else ""
            self.names[name] = f"{start}…{hidden_mark(len(self.names))}{mark}"
        return self.names[name]

    def group_of(self, const: Const) -> str | None:
        """The canonical group that a constant stands for; None for "unknown" and its like."""
        value = const.value
        if value is None or value == "" or isinstance(value, bool):
            return None
        label = const.label or self.code_labels.get(value, "")
        group = self.vocabulary.group_of(self.attribute.name, label) if label else None
        if group is None:
            group = self.vocabulary.group_of(self.attribute.name, value, self.data_set)
        if group is None and isinstance(value, str):
            group = self._begun_by(value)
        if group is None and isinstance(value, str) and self._is_own_name(value):
            return None  # the header of a table among its rows
        if group is None:
            word = label or (f"{value:g}" if isinstance(value, float) else str(value))
            group = word.strip().lower()
            if not isinstance(value, str) and group not in self.attribute.groups:
                self.unexplained.add(group)
        known = self.attribute.groups.get(group)
        if (known is not None and known.missing) or not group:
            return None
        self.named.setdefault(group)
        self.written.setdefault(str(label or value))
        return group

    def _is_own_name(self, text: str) -> bool:
        """Whether a text is how code calls the attribute itself: "gender" is no gender."""
        found = self.vocabulary.mentions(text)
        return any(one.attribute == self.attribute.name and one.group is None for one in found)

    def _begun_by(self, text: str) -> str | None:
        """The one core group whose name a text begins: "fem", "h" of religions."""
        part = text.strip().lower()
        found = [group for group in self.attribute.core_groups if group.startswith(part)]
        is_name = len(part) == 1 or len(part) >= SHORTEST_PART
        return found[0] if is_name and len(found) == 1 else None

    def codes(self) -> Mapping[str, float]:
        """The numbers of which the code says what groups they stand for, by the groups; a second number for
        one, or for nobody who is known, by its own name.
        """
        found: dict[str, float] = {}
        for code, label in self.code_labels.items():
            if isinstance(code, int | float):
                group = self.vocabulary.group_of(self.attribute.name, label)
                found[label.lower() if group is None or group in found else group] = float(code)
        return found

    def code_of(self, group: str) -> float | None:
        """The number that stands for a group, where the code says which stand for the core groups."""
        codes = self.codes()
        return codes.get(group) if codes.keys() >= set(self.attribute.core_groups) else None

    def group_named(self, name: str) -> str | None:
        """The group that a constant of unknown value stands for by its name: `BLACK`, `Race.BLACK`."""
        bare = name.rpartition(".")[2]
        if not (bare.isupper() and bare.isidentifier()):
            return None
        group = self.vocabulary.group_of(self.attribute.name, bare)
        return self.group_of(Const(bare)) if group in self.attribute.groups else None


MOST_COLUMNS = 12
"""Columns of a table of two dimensions that are told apart."""


MOST_QUESTIONS = 512
"""Questions that are told apart when it is asked what an answer hangs on; all further ones count as one."""


ENDS = 1 << (MOST_QUESTIONS + 1)
"""Marks, among the questions that an answer hangs on, that an error ends the program before there is one."""


class Questions(Record, frozen=False):
    """What was asked of the worlds of one comparison, with the possible answers.

    The first answer is the one that a world without an opinion gives. Each question has a bit, so that what
    an evaluation has asked is a number.
    """

    options: dict[str, dict[Answer, None]] = field(default_factory=dict)
    bits: dict[str, int] = field(default_factory=dict)
    count: int = 0
    """How many answers are known, all questions together."""
    puts_aside: bool = False
    """Whether a world has chosen what a value is in place of a branch that is told about elsewhere."""

    def ask(self, question: str, *options: Answer) -> int:
        """The bit of a question; `options` are answers that it may have."""
        known = self.options.get(question)
        if known is None:
            known = self.options[question] = {}
            self.bits[question] = 1 << min(len(self.bits), MOST_QUESTIONS)
        before = len(known)
        for option in options:
            known.setdefault(option)
        self.count += len(known) - before
        return self.bits[question]

    def differing(self, one: Mapping[str, Answer], other: Mapping[str, Answer]) -> int:
        """The questions that two worlds answer differently."""
        found = 0
        for question in one if one == other else {**one, **other}:
            if question in self.bits and self._answer(one, question) != self._answer(other, question):
                found |= self.bits[question]
        return found

    def _answer(self, world: Mapping[str, Answer], question: str) -> Answer:
        return world[question] if question in world else next(iter(self.options[question]))


class Valuation(Record, frozen=False):
    """What holds besides the group: yes or no for plain conditions, a place for each unknown amount.

    An amount that is compared with several numbers has one place among them, and a text that is compared
    with several others equals at most one, so that no world contradicts itself.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    questions: Questions = field(default_factory=Questions)
    used: int = 0
    """The bits of the questions that were asked for what is being evaluated."""

    def ask(self, condition: str) -> bool:
        """Whether a plain condition holds."""
        self.used |= self.questions.ask(condition, True, False)
        return bool(self.answers.get(condition, True))

    def ask_equal(self, subject: str, other: str) -> bool:
        """Whether something unknown equals `other`."""
        return self.ask_any_equal(subject, (other,))

    def ask_any_equal(self, subject: str, others: Collection[str]) -> bool:
        """Whether something unknown equals one of several."""
        question = f"{subject} =="
        self.used |= self.questions.ask(question, *others)
        answer = self.answers.get(question)
        return (next(iter(self.questions.options[question])) if answer is None else answer) in others

    def ask_below(self, subject: str, limit: float) -> bool:
        """Whether an unknown amount is less than `limit`."""
        question = f"{subject} <"
        self.used |= self.questions.ask(question, math.inf, -math.inf, limit)
        place = self.answers.get(question, math.inf)
        return isinstance(place, float) and place < limit


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
        """The same hypothesis, for which the valuation decides about some branches."""
        if self.beside is None:
            before = None if self.before is None else self.before.putting_aside(aside)
            self.beside = replace(self, memo={}, truths={}, keys={}, before=before, aside=aside, beside=None)
        return self.beside

    # -------------------------------------------------------------------------------------------- values

    def evaluate(self, value: Value) -> Result:
        """What `value` becomes."""
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
        """What a value is known to come to here, and the questions it hangs on."""
        found = self.memo.get(id(value))
        if found is None and self.before is not None:
            found = self.before.memo.get(id(value))
            if found is None or found[1] & self.changed:
                return None
            self.memo[id(value)] = found
        return found

    def _prepare_parts(self, value: Value) -> None:
        """Evaluates what `value` is made of in any case, the innermost first, so that no long way of calls
        is needed: `s = s * 2 + x` may stand there a thousand times.
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
        """The parts of a value that have to be evaluated next, as far as is known by now."""
        match value:
            case Choice() if self._has_attribute(value):
                unknown = not self._has_known_result(value.test) and not self._is_aside(value)
                return (value.test,) if unknown else (self._branch_of_choice(value),)
            case Lookup(subject=subject) if self._has_attribute(value):
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
        """The side that a choice takes."""
        if self._is_aside(choice):
            self.world.questions.puts_aside = True
            holds = self.world.ask(f"branch@{choice.node.span.start}")
        else:
            holds = self.truth(choice.test)
        return choice.then if holds else choice.otherwise

    def _result_of_choice(self, choice: Choice) -> Result:
        """What the tests of a chain of choices leave of it."""
        passed: list[Choice] = []
        current: Value = choice
        while (
            isinstance(current, Choice)
            and self._known_result(current) is None
            and self._has_attribute(current)
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
            case Choice() | Lookup() if not self._has_attribute(value):
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

    def _has_attribute(self, value: Value) -> bool:
        return self.naming.attribute.name in self.naming.dependence.attributes(value)

    def _name_of_value(self, value: Choice | Lookup) -> str:
        """A name for a value that has nothing to do with the attribute; one for all that are made alike."""
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
            elif self._is_equal(subject, place):
                return self._result_of_row(entry)
        if value.default is RAISES or (value.table.places and not is_open and self._is_nobodys(value)):
            self.world.used |= ENDS if self.number is None else 0
            return Unknown(amounts.NO_ENTRY)
        if is_open:
            return Unknown(f"{SCALE}{TABLE}{value.table.name}")
        return Unknown(amounts.NO_ENTRY) if value.default is None else self.evaluate(value.default)

    def _is_nobodys(self, value: Lookup) -> bool:
        """Whether no code of the group leads to a place of an array that is written out, or left out."""
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
        """What a group's row of a table of two dimensions gives: its entry for whatever else is asked."""
        rows = entry.table.entries if isinstance(entry, Lookup) and not self._has_attribute(entry) else ()
        if not (isinstance(entry, Lookup) and 0 < len(rows) <= MOST_COLUMNS):
            return self.evaluate(entry)
        subject = self.key(self.evaluate(entry.subject))
        chosen = [held for key, held in rows if self.world.ask_equal(subject, self.key(self.evaluate(key)))]
        return self.evaluate(chosen[0] if chosen else rows[0][1])

    def key(self, result: Result) -> str:
        """A name for a result, equal for equal results."""
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
        """Whether `value` is true; where that depends on something else, the world says."""
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
        """Whether a test holds, or the way leads through a branch that is told about elsewhere."""
        if isinstance(condition, Node):
            return self.world.ask(f"branch@{condition.span.start}")
        return self.truth(condition)

    def true(self, result: Result) -> bool:
        """The truth of a result."""
        match result:
            case Const(value=value):
                return bool(value)
            case AttributeValue():
                core = self.naming.attribute.core_groups
                return self.group != "no" if "no" in core else True
            case AttributeNumber():
                if self.number is not None:
                    return self.number != 0
                return self._ask_scale("truth")
            case LinearSum(amount=amount):
                plain = self._known_number(amount)
                return self.world.ask(self.key(result)) if plain is None else plain != 0
            case Sequence(items=items):
                return bool(items)
            case Table(entries=entries):
                return bool(entries)
            case Unknown(key=key):
                return self.world.ask(key)

    def _ask_scale(self, condition: str) -> bool:
        return self.world.ask(f"{SCALE}{self.naming.attribute.name} {condition}")

    def _result_of_operation(self, value: Operation) -> Result:
        op, arguments = value.op, value.arguments
        if op in _ARITHMETIC:
            return self._result_of_arithmetic(op, [self.evaluate(argument) for argument in arguments])
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
                return Const(not self._is_equal(self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case _ if op == FILLED:
                first = self.evaluate(arguments[0])
                return self.evaluate(arguments[1]) if _is_no_value(first) else first
            case "==" | "strcmp" if self.naming.beside and self._are_two(arguments):
                return Const((self.group == self.naming.beside[0]) == (op == "=="))
            case "==" if (belongs := self._has_group_code(arguments)) is not None:
                return Const(belongs)
            case "==":
                return Const(self._is_equal(self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case "in" if isinstance(among := arguments[1], Protected) and self._is_group_of_several(among):
                return Const(self.group == among.mention.group)
            case "in":
                return Const(self._is_member(self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case "<" | ">=" if (past := self._past_table(arguments)) is not None:
                return Const(past == (op == ">="))
            case "<" | ">=":
                return Const(self._is_less(op, self.evaluate(arguments[0]), self.evaluate(arguments[1])))
            case _ if op in _BITS and (joined := self._bits_of_code(op, arguments)) is not None:
                return LinearSum(joined)
            case _:
                return self._result_of_arithmetic(op, [self.evaluate(argument) for argument in arguments])

    def _is_group_of_several(self, among: Protected) -> bool:
        """Whether something is the people of one group, of which whoever is in it is one."""
        mention = among.mention
        if not mention.of_several or mention.group is None:
            return False
        if mention.attribute != self.naming.attribute.name:
            return False
        self.naming.named.setdefault(mention.group)
        return True

    def _bits_of_code(self, op: str, arguments: tuple[Value, ...]) -> Amount | None:
        """What the bits of a group's number and of another one come to: `p->kind ^ OTHER`."""
        kinds = {type(one) for one in arguments}
        if len(arguments) != 2 or kinds != {Protected, Const}:
            return None
        left, right = (amounts.known_number(self.amount(one)) for one in arguments)
        return None if left is None or right is None else _joined_bits(op, left, right)

    def _are_two(self, arguments: tuple[Value, ...]) -> bool:
        """Whether the attribute of one person is compared with that of another."""
        reads = [self.naming.dependence.reads(one, self.naming.attribute.name) for one in arguments]
        receivers = [{read.receiver for read in side} for side in map(list, reads)]
        return all(receivers) and receivers[0].isdisjoint(receivers[1])

    def _has_group_code(self, arguments: tuple[Value, ...]) -> bool | None:
        """Whether the person has the code that a name of one group's truth is compared with:
        `foreign_worker == "A201"`.
        """
        flags = [one for one in arguments if isinstance(one, Protected) and one.mention.group is not None]
        codes = [one for one in arguments if isinstance(one, Const)]
        if not (flags and codes) or flags[0].mention.attribute != self.naming.attribute.name:
            return None
        code = codes[0].value
        if not isinstance(code, str) or _says_yes_or_no(code):
            return None
        group = self.naming.vocabulary.group_of(self.naming.attribute.name, code, self.naming.data_set)
        if group not in self.naming.attribute.core_groups:
            return None
        self.naming.group_of(codes[0])
        return self.group == group

    def _is_equal(self, left: Result, right: Result) -> bool:
        if isinstance(right, AttributeValue | AttributeNumber) and not isinstance(
            left, AttributeValue | AttributeNumber
        ):
            left, right = right, left
        match left, right:
            case AttributeValue(), Const(value=None) if "no" in self.naming.attribute.core_groups:
                return self.group == "no"
            case AttributeValue(), Const():
                return self._is_group(right)
            case AttributeNumber(), Const(value=str()):
                return self._is_group(right)
            case AttributeNumber(), Const(value=None):
                return False  # a missing value is no group
            case AttributeNumber(), Const(value=int() | float() as other) if self.number is not None:
                self.naming.cuts.update((float(other), float(other) + 1))
                return self.number == other
            case (AttributeValue() | AttributeNumber(), AttributeValue() | AttributeNumber()):
                return True
            case AttributeValue(), Unknown(key=key) if (group := self.naming.group_named(key)) is not None:
                return self.group == group
            case (AttributeValue() | AttributeNumber(), Unknown() | LinearSum()):
                return self._ask_scale(f"== {self.key(right)}")
            case AttributeNumber(), Const():
                return self._ask_scale(f"== {self.key(right)}")
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
                len(first) == len(second) and self.lists < DEEPEST_LIST
            ):
                return self._all_equal(first, second)
            case Const(), _:
                return self.world.ask_equal(self.key(right), self.key(left))
            case _, Const():
                return self.world.ask_equal(self.key(left), self.key(right))
            case _:
                return self.world.ask(f"{self.key(left)} == {self.key(right)}")

    def _all_equal(self, first: tuple[Value, ...], second: tuple[Value, ...]) -> bool:
        self.lists += 1
        equal = True
        for one, two in zip(first, second, strict=True):
            self.naming.steps.spend()
            equal = self._is_equal(self.evaluate(one), self.evaluate(two))
            if not equal:
                break
        self.lists -= 1
        return equal

    def _is_group(self, const: Const) -> bool:
        if isinstance(const.value, bool):
            return self.true(AttributeValue()) == const.value
        group = self.naming.group_of(const)
        return group is not None and group == self.group

    def _is_member(self, left: Result, right: Result) -> bool:
        match left, right:
            case AttributeValue(spelling=spelling), Sequence() | Table() if spelling.letters:
                return self._equals_any(left, _that_fit(_held_in(right), spelling))
            case AttributeValue(), Sequence() | Table():
                groups, others = self._groups_and_others(right)
                return self._equals_any(left, others) or self.group in groups
            case Unknown(), Sequence() | Table():
                return self._equals_one_of(left, right)
            case _, Sequence(items=items):
                return self._equals_any(left, items)
            case _, Table(entries=entries):
                return self._equals_any(left, [key for key, _ in entries])
            case Const(value=str() as part), AttributeValue() if len(part) >= SHORTEST_PART:
                return self._is_group_with_part(right, part, lambda name: part in name)
            case Const(), AttributeValue():
                return self._is_group(left)
            case AttributeValue(), Const(value=str() as text):
                return self._is_part(left, right, text)
            case Const(value=str() as part), Const(value=str() as whole):
                return part in whole
            case (AttributeValue() | AttributeNumber(), _):
                return self._ask_scale(f"in {self.key(right)}")
            case _:
                return self.world.ask(f"{self.key(left)} in {self.key(right)}")

    def _is_part(self, held: AttributeValue, const: Const, whole: str) -> bool:
        """Whether the group's name stands in a text: `gender in "male female"` holds for both."""
        attribute, group_of = self.naming.attribute, self.naming.vocabulary.group_of
        are_letters = held.spelling.letters <= 1 < len(whole) <= LETTERS
        if are_letters and group_of(attribute.name, whole) is None:
            return self._equals_any(held, [Const(letter) for letter in whole])
        if held.spelling.letters or any(
            spellings.spell_name(one, held.spelling, whole) in whole for one in attribute.core_groups
        ):
            return self._is_group_with_part(held, whole, lambda name: name in whole)
        words = whole.split()
        if len(words) > 1 and all(group_of(attribute.name, word) is not None for word in words):
            return self._equals_any(held, [Const(word) for word in words])
        return self._is_group(const)

    def _is_group_with_part(self, held: AttributeValue, part: str, passes: Callable[[str], bool]) -> bool:
        """Whether the group's name, as the text has it, passes a test that asks for a part of it: that of
        women holds "male", and "fem" is no group.
        """
        groups = spellings.telling(self.naming.attribute, held.spelling, part, passes)
        if not groups:
            return self._is_group(Const(part))
        for group in sorted(groups):
            self.naming.named.setdefault(group)
        return self.group in groups

    def _equals_one_of(self, left: Unknown, held: Sequence | Table) -> bool:
        """Whether something unknown is in a list, or a key of a table: its texts are asked about at once."""
        if left.key == amounts.NO_ENTRY:
            return self._equals_any(left, _held_in(held))
        known = self.naming.constants.get(id(held))
        if known is None:
            items = _held_in(held)
            self.naming.steps.spend(len(items))
            texts = {self.key(item): None for item in items if isinstance(item, Const)}
            others = tuple([item for item in items if not isinstance(item, Const)])
            known = self.naming.constants[id(held)] = texts, others
        texts, others = known
        is_text = bool(texts) and self.world.ask_any_equal(self.key(left), texts)
        return self._equals_any(left, others) or is_text

    def _groups_and_others(self, held: Sequence | Table) -> tuple[frozenset[str], tuple[Value, ...]]:
        """The groups that stand in a list or are keys of a table, and what else there is: looked at once."""
        if id(held) not in self.naming.listed:
            items = _held_in(held)
            plain = {
                id(item): self.naming.group_of(item)
                for item in items
                if isinstance(item, Const) and item.value is not None and not isinstance(item.value, bool)
            }
            others = tuple([item for item in items if id(item) not in plain])
            self.naming.listed[id(held)] = frozenset(filter(None, plain.values())), others
        return self.naming.listed[id(held)]

    def _equals_any(self, left: Result, items: Iterable[Value]) -> bool:
        """Compares with every item, so that every group the code names is known."""
        items = tuple(items)
        self.naming.steps.spend(len(items))
        answers = [self._is_equal(left, self.evaluate(item)) for item in items]
        return any(answers)

    def _is_less(self, op: str, left: Result, right: Result) -> bool:
        if (ordered := self._group_ranks(left, right)) is not None:
            first, second = ordered
            return first < second if op == "<" else first >= second
        first_amount, second_amount = self._amount_of_result(left), self._amount_of_result(right)
        if amounts.is_no_value(first_amount) or amounts.is_no_value(second_amount):
            return False
        difference = amounts.add(first_amount, amounts.scale(second_amount, -1.0))
        attribute_key = (f"{SCALE}{self.naming.attribute.name}",)
        if self.number is not None and attribute_key in difference and set(difference) <= {attribute_key, ()}:
            factor = difference[attribute_key]
            cut = round(-difference.get((), 0.0) / factor, 6)
            if cut >= self.naming.nobody_from:
                number = min(self.number, cut - 1)
            else:
                number = self._beyond_lawful(cut, cut if factor > 0 else cut + 1)
                # `number > cut` and `number >= cut` part company at the cut itself.
                self.naming.cuts.update((cut, cut + 1))
            below = factor * (number - cut) < 0
            return below if op == "<" else not below
        if (plain := self._known_number(difference)) is not None:
            return plain < 0 if op == "<" else plain >= 0
        if any(is_scale(part) for product in difference for part in product):
            return self._ask_scale(f"{self.key(left)} < {self.key(right)}") == (op == "<")
        # A count kept by group (`taken[gender] < limit`) is compared with one limit for all.
        return self._unknown_less(difference, f"{self.key(left)} < {self.key(right)}") == (op == "<")

    def _unknown_less(self, difference: Amount, condition: str) -> bool:
        """Whether an amount that nobody knows is negative, in this world.

        Amounts that differ in nothing but a number and a factor, as `debt - high + 3` and `debt - high + 2`,
        are one amount that is compared with several limits.
        """
        terms = sorted(product for product in difference if product)
        if not terms:
            return self.world.ask(condition.replace(SCALE, ""))
        factor = difference[terms[0]]
        limit = round(-difference.get((), 0.0) / factor, 6)
        subject = amounts.readable({term: round(difference[term] / factor, 9) for term in terms})
        subject = self.naming.short(subject.replace(SCALE, ""))
        if factor > 0:
            return self.world.ask_below(subject, limit)
        return not self.world.ask_below(subject, limit + JUST_ABOVE)

    def _past_table(self, arguments: tuple[Value, ...]) -> bool | None:
        """Whether the left side is past the right one, where one is the person's number and the other a
        table of limits that laws set, as for a drink in each country.
        """
        left, right = arguments
        if self._is_legal(right) and isinstance(self.evaluate(left), AttributeNumber):
            return True
        return False if self._is_legal(left) and isinstance(self.evaluate(right), AttributeNumber) else None

    def _is_legal(self, value: Value) -> bool:
        if not isinstance(value, Lookup) or not value.table.entries or self._has_attribute(value):
            return False
        limits = [entry for _, entry in value.table.entries]
        if value.default is not None:
            limits.append(value.default)
        known = [limit.value for limit in limits if isinstance(limit, Const)]
        numbers = [limit for limit in known if isinstance(limit, int | float) and limit <= LAST_OF_AGE]
        return len(numbers) == len(limits) and not self.naming.lawful.isdisjoint(numbers)

    def _beyond_lawful(self, cut: float, least: float) -> float:
        """The person's number; at a limit that the law sets, one that is past it.

        `age > 17` asks for the same `least` number as `age >= 18`.
        """
        assert self.number is not None
        if cut in self.naming.lawful or least in self.naming.lawful:
            self.naming.excused.add(least)
            return max(self.number, cut + 2)
        return self.number

    def _group_ranks(self, left: Result, right: Result) -> tuple[int, int] | None:
        """The places of two groups in an ordered attribute, as in `degree >= "bachelor"`."""
        order = self.naming.attribute.core_groups if self.naming.attribute.ordered else ()
        places: list[int] = []
        for result in (left, right):
            if isinstance(result, AttributeValue):
                group: str | None = self.group
            elif isinstance(result, Const) and isinstance(result.value, str):
                group = self.naming.group_of(result)
            else:
                return None
            if group not in order:
                return None
            places.append(order.index(group))
        return (places[0], places[1])

    # -------------------------------------------------------------------------------------------- numbers

    def amount(self, value: Value) -> Amount:
        """The amount that `value` is."""
        return self._amount_of_result(self.evaluate(value))

    def _amount_of_result(self, result: Result) -> Amount:
        match result:
            case LinearSum(amount=amount):
                return amount
            case Const(value=bool() | int() | float() as plain):
                return amounts.number(plain)
            case AttributeValue() if (code := self.naming.code_of(self.group)) is not None:
                return amounts.number(code)
            case AttributeValue() | AttributeNumber():
                return amounts.unknown(f"{SCALE}{self.naming.attribute.name}")
            case _:
                return amounts.unknown(self.key(result))

    def _known_number(self, amount: Amount) -> float | None:
        return amounts.known_number(amount)

    def _result_of_arithmetic(self, op: str, arguments: list[Result]) -> Result:
        parts = [self._amount_of_result(argument) for argument in arguments]
        result: Amount | None = None
        match op, parts:
            case "+", [left, right]:
                result = amounts.add(left, right)
            case "-", [left, right]:
                result = amounts.add(left, amounts.scale(right, -1.0))
            case "neg", [only]:
                result = amounts.scale(only, -1.0)
            case "*", [left, right]:
                result = amounts.multiply(left, right)
            case "/", [left, right]:
                divisor = amounts.known_number(right)
                result = amounts.scale(left, 1.0 / divisor) if divisor else None
            case "trunc", [only]:
                result = _whole_part(only)
            case (("min" | "max"), _):
                result = _clamp_amounts(op, parts, by_bounds=self.naming.by_bounds)
            case _:
                result = self._power_amount(op, parts)
        if result is not None:
            return LinearSum(result)
        keys = [self.key(LinearSum(part)) for part in parts]
        marked = [part for amount in parts for product in amount for part in product if SCALE in part]
        mark = "" if not marked else SCALE if any(is_scale(part) for part in marked) else SCALE + TABLE
        return Unknown(self.naming.short(f"{mark}{op}({', '.join(keys)})"))

    def _power_amount(self, op: str, parts: list[Amount]) -> Amount | None:
        """A power, or what another operator makes of known numbers."""
        plain = [amounts.known_number(part) for part in parts]
        known = [part for part in plain if part is not None]
        match op, plain:
            case "exp", [_]:
                return self._exponential_amount(math.e, parts[0])
            case "**", [float() as base, None]:
                return self._exponential_amount(base, parts[1])
            case _:
                return _apply_operator(op, known) if len(known) == len(parts) else None

    def _exponential_amount(self, base: float, exponent: Amount) -> Amount | None:
        """A known number to a power: what is known of the exponent is a factor, `exp(x - 0.15)` of `exp(x)`.

        The factor is kept within twenty powers of e, so that none gets lost beside the unknown rest.
        """
        rest = {product: factor for product, factor in exponent.items() if product}
        if base <= 0 or any(SCALE in part for product in rest for part in product):
            return None
        power = exponent.get((), 0.0) * math.log(base)
        if not rest:
            return amounts.number(math.exp(power)) if abs(power) < HIGHEST_POWER else None
        whole = math.floor(power / POWERS) * POWERS
        name = f"exp({whole:g} + {math.log(base):g}·({self.key(LinearSum(rest))}))"
        return amounts.scale(amounts.unknown(self.naming.short(name)), math.exp(power - whole))


def _is_no_value(result: Result) -> bool:
    """Whether a result is missing."""
    if isinstance(result, LinearSum):
        return amounts.is_no_value(result.amount)
    return isinstance(result, Unknown) and result.key == amounts.NO_VALUE


def is_scale(part: str) -> bool:
    """Whether an unknown thing is the attribute's raw value, and not what an unknown table gives for it."""
    return part.startswith(SCALE) and not part.startswith(SCALE + TABLE)


def _says_yes_or_no(text: str) -> bool:
    """Whether data writes a truth value so."""
    lists = word_lists("reads")
    return text.strip().lower() in lists["yes"] | lists["no"]


def _that_fit(items: tuple[Value, ...], spelling: Spelling) -> tuple[Value, ...]:
    """The texts that may be all that is left of a name; all of them where none may: it is no text then."""
    fitting = tuple(one for one in items if not isinstance(one, Const) or spellings.fits(one.value, spelling))
    return fitting or items


def _held_in(held: Sequence | Table) -> tuple[Value, ...]:
    """What is in a list, or the keys of a table."""
    return held.items if isinstance(held, Sequence) else tuple([key for key, _ in held.entries])


def _is_same_constant(left: Const, right: Const) -> bool:
    if left.label and right.label:
        return left.label == right.label
    if isinstance(left.value, bool) != isinstance(right.value, bool):
        flag, other = (left.value, right.value) if isinstance(left.value, bool) else (right.value, left.value)
        if isinstance(other, str):
            return other.strip().lower() in word_lists("reads")["yes" if flag else "no"]
    return left.value == right.value


def _clamp_amounts(op: str, parts: list[Amount], *, by_bounds: bool) -> Amount | None:
    """`max(0, score - 5)`: known numbers are compared, and a known bound on something unknown is ignored.

    With `by_bounds`, there is no such sum.
    """
    plain = [amounts.known_number(part) for part in parts]
    open_parts = [part for part, value in zip(parts, plain, strict=True) if value is None]
    known = [value for value in plain if value is not None]
    if not open_parts:
        return amounts.number(min(known) if op == "min" else max(known))
    return open_parts[0] if len(open_parts) == 1 and not (by_bounds and known) else None


def _whole_part(amount: Amount) -> Amount | None:
    """What a whole number keeps of a sum; of a score that is one itself, what is added to it without the
    fraction. None where nobody knows.
    """
    rest = amount.get((), 0.0)
    if rest == round(rest):
        return amount
    unknown = {key: factor for key, factor in amount.items() if key}
    if not unknown:
        return amounts.number(math.trunc(rest))
    is_whole = set(unknown) == {(amounts.OLD_KEY,)} and all(one == round(one) for one in unknown.values())
    return amounts.add(unknown, amounts.number(math.floor(rest))) if is_whole else None


def _apply_operator(op: str, numbers: Iterable[float]) -> Amount | None:
    """Whole-number and power operators on known numbers."""
    values = list(numbers)
    if len(values) != 2:
        return None
    left, right = values
    try:
        match op:
            case "//":
                return amounts.number(left // right)
            case "%":
                return amounts.number(left % right)
            case "wraps":
                return amounts.number(left % (right + 1))
            case "**" if abs(left) < 1e6 and abs(right) < 64:
                power = left**right
                return amounts.number(power) if isinstance(power, float) else None
            case _:
                return None
    except (ZeroDivisionError, OverflowError):
        return None


_ARITHMETIC = frozenset({"+", "-", "*", "/", "neg", "trunc", "min", "max"})
"""Operators that are nothing but arithmetic."""
_BITS: Mapping[str, Callable[[int, int], int]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
MOST_SHIFTED = 2**20
"""Bits of greater numbers are not asked for."""
SHIFTED_BY = 30
"""Nor is what is moved farther, which not every type of C holds."""


def _joined_bits(op: str, left: float, right: float) -> Amount | None:
    """Bits of whole numbers that are not below 0, which no language has others for."""
    if not (left.is_integer() and right.is_integer() and min(left, right) >= 0):
        return None
    if max(left, right) > MOST_SHIFTED or (op in {"<<", ">>"} and right > SHIFTED_BY):
        return None
    return amounts.number(_BITS[op](int(left), int(right)))
