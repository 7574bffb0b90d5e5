"""What a condition or an amount in SQL becomes once the group of a person is known. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from sqlglot import exp

from fairlint.analyses.sql.constants import (
    ASKED,
    constant,
    is_placeholder,
    is_text,
    unwrap_expression,
    years_ago,
)
from fairlint.analyses.sql.nodes import Sql
from fairlint.analyses.sql.words import words
from fairlint.semantics.values.symbolic import Scalar
from fairlint.support.records import Record
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Attribute, Mention

Person = str | float | None
"""One of a group, a person of some age, or (None) one of a group that nobody names."""

NULL = "NULL".swapcase()
"""What an expression gives that gives nothing; told from the text of that name by its identity."""
SHORTEST_PART = 3
"""Letters of a text that is looked for in a group's name; one or two are taken for its code."""
MOST_CONDITIONS = 5
"""Other conditions of which both answers are tried; of more of them, all hold or none does."""
MOST_VALUES = 40
"""Constants whose groups are told apart."""
YOUNGEST, OLDEST = 18, 90
_FLIPPED: dict[type[Sql], type[Sql]] = {
    exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip
_NO = frozenset({"0", "0.0", "n", "no", "f", "false"})


class Subject(Record):
    """An expression that stands for a protected attribute: the column it reads."""

    mention: Mention
    column: exp.Column
    receiver: str
    number: bool
    """Whether it is a number of years; else a value, or a date."""


Finder = Callable[[exp.Column], tuple[Mention, str] | None]
"""Gives what a column mentions, and the table it is of."""


class Reader:
    """Reads expressions of one statement for one attribute."""

    def __init__(
        self,
        attribute: Attribute,
        vocabulary: Vocabulary,
        find: Finder,
        lawful: frozenset[float],
        *,
        data_set: str | None,
        codes: Mapping[Scalar, str],
    ) -> None:
        self.attribute = attribute
        self.vocabulary = vocabulary
        self._find = find
        self._lawful = lawful
        self._data_set = data_set
        self._codes = codes
        self._subjects: dict[int, Subject | None] = {}
        self._groups: dict[str | float | bool, str | None] = {}
        self.written: list[str] = []
        """Constants it is compared with."""
        self.asked = False
        """Whether it is compared with something that only the run knows."""
        self.cuts: set[float] = set()
        self.dates = False
        """Whether it is compared with a date, so that nobody can say at what age it cuts."""
        self.missing = False
        self.held: float | None = None
        """What a column is taken to hold that amounts are made of: `salary * 1.1`."""

    # ---------------------------------------------------------------------------------------------- subjects

    def subject(self, node: Sql | None) -> Subject | None:
        """Return what of a person the expression stands for, if it is of the attribute."""
        if node is None:
            return None
        if id(node) not in self._subjects:
            self._subjects[id(node)] = self._find_subject(node)
        return self._subjects[id(node)]

    def _find_subject(self, node: Sql) -> Subject | None:
        if isinstance(
            node, exp.Connector | exp.Predicate | exp.Query | exp.Case | exp.If | exp.Window | exp.Not
        ):
            return None
        if node.find(exp.Case, exp.If, exp.AggFunc, exp.Query, exp.Connector) is not None:
            return None
        several = [
            column for column in node.find_all(exp.Column)
            if column.name.lower() not in words()["units"]
            and not is_text(column)
            and not is_placeholder(column)
        ]  # fmt: skip
        if len(several) != 1:
            return None
        found = self._find(several[0])
        if found is None or found[0].attribute != self.attribute.name:
            return None
        mention, receiver = found
        bare = unwrap_expression(node) is several[0]
        if not bare and mention.form not in {"number", "date"} and not isinstance(node, exp.Func):
            return None
        number = mention.form == "number" or (mention.form == "date" and not bare)
        return Subject(mention, several[0], receiver, number)

    # ------------------------------------------------------------------------------------------------ answers

    def people(self) -> tuple[Person, ...]:
        """Return everybody worth asking about, once the expression has been gone through."""
        if self.cuts:
            return tuple(float(age) for age in range(YOUNGEST, OLDEST))
        known = any(self.group(text) for text in self.written)
        named = list(self.attribute.core_groups) if known else []  # nobody knows who 1 and 2 are
        for text in self.written:
            group = self.group(text)
            if group is not None and self.vocabulary.is_missing(self.attribute.name, group):
                continue
            named.append(group or text)
        return (*dict.fromkeys(named), None)

    def group(self, value: str | float | bool) -> str | None:
        """Return the group that a constant spells, `M%` included."""
        if value not in self._groups:
            self._groups[value] = self._group_of_value(value)
        return self._groups[value]

    def _group_of_value(self, value: str | float | bool) -> str | None:
        if isinstance(value, str):
            value = value.strip("%")
        number = int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value
        if (label := self._codes.get(number)) is not None and not isinstance(value, bool):
            return self.vocabulary.group_of(self.attribute.name, label)
        found = self.vocabulary.group_of(self.attribute.name, value, self._data_set)
        if found is None and number != value:
            found = self.vocabulary.group_of(self.attribute.name, number, self._data_set)
        return found

    def truth(self, node: Sql, person: Person, world: dict[Sql, bool]) -> bool:
        """Return whether a condition holds for a person; `world` says of what else it depends on."""
        match node:
            case exp.Paren():
                return self.truth(node.this, person, world)
            case exp.Where() | exp.Having() | exp.Qualify():
                return self.truth(node.this, person, world)
            case exp.And():
                left = self.truth(node.this, person, world)
                right = self.truth(node.expression, person, world)  # asked in any case: it is noted
                return left and right
            case exp.Or():
                left = self.truth(node.this, person, world)
                right = self.truth(node.expression, person, world)
                return left or right
            case exp.Not():
                return not self.truth(node.this, person, world)
            case _:
                found = self._evaluate_atom(node, person)
                return world.setdefault(node, True) if found is None else found

    def _evaluate_atom(self, node: Sql, person: Person) -> bool | None:
        match node:
            case exp.Like() | exp.ILike() | exp.SimilarTo():
                return self._evaluate_like(node.this, node.expression, person)
            case exp.RegexpLike() | exp.RegexpILike():
                return self._evaluate_regex(node.this, node.expression, person)
            case exp.EQ() | exp.NullSafeEQ() | exp.Is():
                return self._evaluate_equality(node.this, node.expression, person)
            case exp.NEQ() | exp.NullSafeNEQ():
                found = self._evaluate_equality(node.this, node.expression, person)
                return None if found is None else not found
            case exp.In():
                return self._evaluate_membership(node, person)
            case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
                return self._evaluate_order(type(node), node.this, node.expression, person)
            case exp.Between():
                low = self._evaluate_order(exp.GTE, node.this, node.args["low"], person)
                high = self._evaluate_order(exp.LTE, node.this, node.args["high"], person)
                if low is None or high is None:
                    return high if low is None else low
                return low and high
            case exp.Column():
                subject = self.subject(node)
                if subject is not None and subject.mention.form == "flag":
                    return self._holds(subject, True, person)
                return None
            case _:
                return None

    def _evaluate_equality(self, left: Sql, right: Sql, person: Person) -> bool | None:
        subject = self.subject(left)
        if subject is None:
            subject, right = self.subject(right), left
        if subject is None:
            return None
        value = constant(right)
        if value is ASKED:
            self.asked = True
            return None
        if value is None:
            self.missing = True
            return False
        if not isinstance(value, str | int | float):
            return None
        return self._compare_subject(subject, value, person)

    def _evaluate_like(self, left: Sql, right: Sql, person: Person) -> bool | None:
        """`gender LIKE 'm%'`, `gender SIMILAR TO 'male|m'`."""
        text = constant(right)
        if not isinstance(text, str):
            return self._evaluate_equality(left, right, person)
        parts = [(part.strip("%"), part[:1] != "%", part[-1:] != "%") for part in text.strip("()").split("|")]
        return self._fit_any(left, right, parts, person)

    def _evaluate_regex(self, left: Sql, right: Sql, person: Person) -> bool | None:
        """`gender ~* '^male$'`: a regular expression of plain words; nobody asks any other."""
        text = constant(right)
        if not isinstance(text, str):
            return self._evaluate_equality(left, right, person)
        begins, ends = text[:1] == "^", text[-1:] == "$"
        words_ = text.removeprefix("^").removesuffix("$").removeprefix("(").removesuffix(")").split("|")
        if not all(word.replace(" ", "").isalnum() for word in words_):
            return None
        return self._fit_any(left, right, [(word, begins, ends) for word in words_], person)

    def _fit_any(
        self, left: Sql, right: Sql, parts: Iterable[tuple[str, bool, bool]], person: Person
    ) -> bool | None:
        """Return whether a group is called so, or its name begins, ends or goes on so."""
        subject = self.subject(left)
        if subject is None or subject.number or subject.mention.form != "value":
            return self._evaluate_equality(left, right, person)
        answers = []
        for word, begins, ends in parts:
            named = self._compare_subject(subject, word, person)
            inside = isinstance(person, str) and len(word) >= SHORTEST_PART and _has_part(
                person.lower(), word.lower(), begins=begins, ends=ends
            )  # fmt: skip
            answers.append(bool(named) or inside)
        return any(answers)

    def _compare_subject(self, subject: Subject, value: str | float | bool, person: Person) -> bool | None:
        if subject.mention.form == "flag":
            return self._holds(subject, str(value).lower() not in _NO, person)
        if subject.number:
            if isinstance(value, str | bool) or not self._note_cut(value):
                return None
            return person == value if isinstance(person, float) else None
        if subject.mention.form == "date":
            return None
        text = str(value)
        if text not in self.written and len(self.written) < MOST_VALUES:
            self.written.append(text)
        group = self.group(value)
        return person is not None and person == (group or text)

    def _holds(self, subject: Subject, truth: bool, person: Person) -> bool | None:
        group = subject.mention.group
        if group is None:
            return None
        if group not in self.written:
            self.written.append(group)
        return (person == group) == truth

    def _evaluate_membership(self, node: exp.In, person: Person) -> bool | None:
        subject = self.subject(node.this)
        if subject is None or node.args.get("query") is not None or node.args.get("unnest") is not None:
            return None
        found: list[bool] = []
        for item in node.expressions:
            value = constant(item)
            if value is ASKED:
                self.asked = True
                return None
            if not isinstance(value, str | int | float):
                continue
            answer = self._compare_subject(subject, value, person)
            if answer is not None:
                found.append(answer)
        return any(found) if found else None

    def _evaluate_order(self, op: type[Sql], left: Sql, right: Sql, person: Person) -> bool | None:
        subject = self.subject(left)
        if subject is None:
            subject, right = self.subject(right), left
            op = _FLIPPED[op]
        if subject is None:
            return None
        value = constant(right)
        if not subject.number and subject.mention.form == "date":
            years = years_ago(right)
            if years is not None:
                value, op = years, _FLIPPED[op]  # born after some day is younger than that
            elif value is ASKED:
                self.asked = True
                return None
            else:
                self.dates = self.dates or isinstance(value, str | int | float)
                return None
        elif value is ASKED:
            self.asked = True
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not self._note_cut(value + 1 if op is exp.GT or op is exp.LTE else value):
            return None
        if not isinstance(person, float):
            return None
        if op is exp.GT:
            return person > value
        if op is exp.GTE:
            return person >= value
        return person < value if op is exp.LT else person <= value

    def _note_cut(self, value: float) -> bool:
        """Note a number it is compared with, if anybody has it. One that the law sets says nothing alone."""
        if not self.attribute.bands:
            return False
        if {value, value - 1} & self._lawful:
            return bool(self.cuts)  # one of several limits
        if not YOUNGEST < value < OLDEST:
            return False
        self.cuts.add(value)
        return True

    # ------------------------------------------------------------------------------------------------ amounts

    def amount(self, node: Sql | None, person: Person, world: dict[Sql, bool]) -> float | str | None:
        """Return what an expression gives a person, be it NULL; None where nobody can say."""
        match node:
            case None:
                return None
            case exp.Null():
                return NULL
            case exp.Coalesce():
                return self._first_non_null((node.this, *node.expressions), person, world)
            case exp.Case():
                return self._case_amount(node, person, world)
            case exp.If():
                branch = node.args.get("true" if self.truth(node.this, person, world) else "false")
                return NULL if branch is None else self.amount(branch, person, world)
            case exp.DecodeCase():
                return self._decode_amount(node, person, world)
            case exp.Paren() | exp.Cast() | exp.Round():
                return self.amount(node.this, person, world)
            case exp.Neg():
                inner = self.amount(node.this, person, world)
                return -inner if isinstance(inner, float) else NULL if inner is NULL else None
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                return self._arithmetic_amount(node, person, world)
            case exp.Column() if self.held is not None:
                return self.held
            case (
                exp.EQ() | exp.NEQ() | exp.In() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE() | exp.Between()
            ):
                if self._evaluate_atom(node, person) is None:
                    return None
                return float(self.truth(node, person, world))
            case _:
                value = constant(node)
                if isinstance(value, bool):
                    return float(value)
                if isinstance(value, int | float):
                    return float(value)
                return value if isinstance(value, str) else None

    def _case_amount(self, node: exp.Case, person: Person, world: dict[Sql, bool]) -> float | str | None:
        for branch in node.args["ifs"]:
            test = branch.this
            if node.this is not None:
                holds = self.truth(exp.EQ(this=node.this, expression=test), person, world) if (
                    self.subject(node.this) is None
                ) else bool(self._evaluate_equality(node.this, test, person))  # fmt: skip
            else:
                holds = self.truth(test, person, world)
            if holds:
                return self.amount(branch.args["true"], person, world)
        default = node.args.get("default")
        return self.amount(default, person, world) if default is not None else NULL

    def _decode_amount(
        self, node: exp.DecodeCase, person: Person, world: dict[Sql, bool]
    ) -> float | str | None:
        subject, *rest = node.expressions
        for at in range(0, len(rest) - 1, 2):
            if self._evaluate_equality(subject, rest[at], person):
                return self.amount(rest[at + 1], person, world)
        return self.amount(rest[-1], person, world) if len(rest) % 2 else NULL

    def _first_non_null(
        self, nodes: Iterable[Sql], person: Person, world: dict[Sql, bool]
    ) -> float | str | None:
        """Return the first that is not NULL."""
        for node in nodes:
            if (found := self.amount(node, person, world)) is not NULL:
                return found
        return NULL

    def _arithmetic_amount(
        self, node: exp.Binary, person: Person, world: dict[Sql, bool]
    ) -> float | str | None:
        left = self.amount(node.this, person, world)
        right = self.amount(node.expression, person, world)
        if left is NULL or right is NULL:
            return NULL
        if not (isinstance(left, float) and isinstance(right, float)):
            return None
        match node:
            case exp.Add():
                return left + right
            case exp.Sub():
                return left - right
            case exp.Mul():
                return left * right
            case _:
                return left / right if right else None


def _has_part(name: str, part: str, *, begins: bool, ends: bool) -> bool:
    """Return whether a part stands in a name, at its begin or end where it has to."""
    if begins and ends:
        return name == part
    return name.startswith(part) if begins else name.endswith(part) if ends else part in name


def worlds(
    ask: Callable[[dict[Sql, bool]], object],
) -> Iterator[dict[Sql, bool]]:
    """Answer to all that does not depend on the group; `ask` goes through it once."""
    known: dict[Sql, bool] = {}
    ask(known)
    keys = list(known)
    if len(keys) > MOST_CONDITIONS:
        yield dict.fromkeys(keys, True)
        yield dict.fromkeys(keys, False)
        return
    for answers in product((True, False), repeat=len(keys)):
        yield dict(zip(keys, answers, strict=True))
