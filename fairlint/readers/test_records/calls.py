"""What calls give in test data: constructors, factories, assertions, and functions that judge people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from fairlint.lexicon.words import split_words
from fairlint.readers.test_records.test_values import (
    Judged,
    Outcome,
    Person,
    Rows,
    Scalar,
    Spell,
    Thing,
    case_words,
    given_by,
    names_attribute,
    people_in,
    root,
)
from fairlint.readers.test_records.values import Values
from fairlint.records import replace
from fairlint.semantics import c_records
from fairlint.semantics.facts import Facts
from fairlint.semantics.paths import last_name
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node

Keywords = Sequence[tuple[str | None, Thing | None]]

_TRANSPARENT = frozenset(
    "list tuple set iter reversed sorted shuffle array asarray cycle chain concat Series deque frozenset "
    "loads load safe_load StringIO DictReader reader read_csv read_json dedent strip splitlines from_records "
    "from_dicts param fixture tolist to_dict iterrows itertuples items values head reset_index rows".split()
)
"""Calls that give what they are given."""
_CONSTRUCTORS = frozenset(
    "dict SimpleNamespace namespace create make build new from_dict parse_obj model_validate "
    "create_user get_or_create construct add_person add_patient baker mixer blend".split()
)
_COPIES = frozenset({"copy", "deepcopy", "clone", "replace", "_replace", "evolve", "model_copy", "assoc"})
_TABLES = frozenset({"DataFrame", "LazyFrame", "Table", "from_dict", "createDataFrame", "Dataset"})
_TEXT_COPIES = frozenset({"strcpy", "strncpy", "strlcpy", "sprintf", "snprintf", "memcpy", "strcpy_s"})
_COMPARERS = frozenset({"strcmp", "strcasecmp", "strncmp", "stricmp"})
_EQUAL = ("equal", "eq", "is", "same", "match")
_WHOLE = frozenset({"all", "any", "tolist", "item", "lower", "upper", "strip", "bool", "str"})
LONGEST_RANGE = 50


class Calls(Values):
    """Evaluates calls."""

    def __init__(self, spell: Spell, facts: Facts) -> None:
        super().__init__(spell, facts)
        self.shapes: dict[str, tuple[str, ...]] = {}
        """Named tuples made in this file, with their fields."""

    def returned_by(self, function: Function, owner: str) -> Thing | None:
        """What a function of this file gives, whatever it is called with."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ calls

    def call(self, node: tree.Call) -> Thing | None:
        """What a call gives."""
        name = last_name(node.function)
        if self._asserts(node, name):
            return None
        receiver = self._receiver(node.function)
        arguments = [self.value(argument) for argument in node.arguments]
        keywords = [(key, self.value(value)) for key, value in node.keywords]
        if name in _TEXT_COPIES and node.arguments and isinstance(node.arguments[0], tree.Field | tree.Index):
            text = next((one for one in reversed(arguments[1:]) if isinstance(one, Scalar)), None)
            self.assign_field(node.arguments[0], text)
            return None
        handler = self._METHODS.get(name)
        if handler is not None:
            return handler(self, node, receiver, arguments, keywords)
        if name in _TABLES:
            return self._table(node, arguments, keywords)
        if name in _COPIES and (made := self._copy(node, receiver, arguments, keywords)) is not None:
            return made
        if name in _TRANSPARENT or name in _WHOLE:
            return next((one for one in (*arguments, receiver) if one is not None), None)
        if self._setter(node, name, arguments):
            return None
        if name in case_words().makes_nobody:
            return self._looked_up(name, receiver, arguments)
        return self._other(node, name, receiver, arguments, keywords)

    def _receiver(self, function: Node) -> Thing | None:
        return self.value(function.value) if isinstance(function, tree.Field) else None

    def _looked_up(
        self, name: str, receiver: Thing | None, arguments: Sequence[Thing | None]
    ) -> Thing | None:
        """`case.get("gender")`, `cases.values()`."""
        if name in {"get", "pop", "getattr"}:
            person = receiver if isinstance(receiver, Person) else arguments[0] if arguments else None
            key = next((one for one in arguments if isinstance(one, Scalar)), None)
            if isinstance(person, Person) and key is not None and isinstance(key.value, str):
                return self._read(person, key.value)
        if name == "sorted":
            return arguments[0] if arguments else None
        return receiver if isinstance(receiver, Rows | Judged) else None

    def _other(
        self,
        node: tree.Call,
        name: str,
        receiver: Thing | None,
        arguments: Sequence[Thing | None],
        keywords: Keywords,
    ) -> Thing | None:
        """A constructor, a factory, or a function that is given people."""
        fields = self._parameters(node, name)
        constructs = self._constructs(node, name)
        named = self._named_fields(node, fields, arguments, keywords, is_constructor=constructs)
        given = (*arguments, receiver, *(thing for _, thing in keywords))
        people = [person for thing in given for person in people_in(thing)]
        protected = [(key, thing) for key, thing in named if self._says_group(key, thing)]
        made = self._remade(
            node, arguments, keywords, named, new=bool(protected), alone=constructs or not people
        )
        if made is None and protected:
            made = self._known_owner(protected, named)
        if made is None and (protected or constructs):
            made = self._new(node, arguments, named, protected, type_=name if constructs else "")
            for place, thing in enumerate(arguments):
                if isinstance(thing, Scalar) and place >= len(fields):  # it has no name
                    made.fields[f"#{place}"] = thing
            others = tuple(one for one in people if one is not made)
            if constructs and not protected and others:
                return self._as_result(node, name, others, is_constructor=False)
        if made is not None:
            return self._as_result(node, name, (made,), is_constructor=constructs)
        if people:
            return self._as_result(node, name, tuple(dict.fromkeys(people)), is_constructor=False)
        return self._of_this_file(node, name)

    def _remade(
        self,
        node: tree.Call,
        arguments: Sequence[Thing | None],
        keywords: Keywords,
        named: Sequence[tuple[str, Thing | None]],
        *,
        new: bool,
        alone: bool,
    ) -> Person | None:
        """The record that is spread out in a call, or a `new` one that is made from it with other groups."""
        spread = self._spread(node, arguments, keywords)
        if spread is None or not (new or alone):
            return None
        if not new:
            _add_fields(spread, named)
            return spread
        made = self.made_from(spread, node)
        for key, thing in named:
            self.set(made, key, thing)
        return made

    def _known_owner(
        self, protected: Sequence[tuple[str, Thing | None]], named: Sequence[tuple[str, Thing | None]]
    ) -> Person | None:
        """The record that all the groups were read from, which the call is about."""
        owner = self._owner(protected)
        if owner is not None:
            _add_fields(owner, named)
            owner.is_implied = False
        return owner

    def _new(
        self,
        node: tree.Call,
        arguments: Sequence[Thing | None],
        named: Sequence[tuple[str, Thing | None]],
        protected: Sequence[tuple[str, Thing | None]],
        *,
        type_: str,
    ) -> Person:
        """A record that a call makes, or fills in."""
        person = None if type_ else self._first_empty(arguments)
        if person is None:
            person = self.new_person(node, type_)
        for _, thing in protected:
            if isinstance(thing, Scalar) and thing.owner is not None:
                thing.owner.pattern_uses += 1
        for key, thing in named:
            self.set(person, key, thing)
        return person

    def _as_result(
        self, node: tree.Call, name: str, people: tuple[Person, ...], *, is_constructor: bool
    ) -> Thing:
        if is_constructor and len(people) == 1:
            return people[0]
        for person in people:
            one = root(person)
            one.asked = True
            if name and name not in one.judges:
                one.judges.append(name)
        return Judged(people, name, node)

    def _of_this_file(self, node: tree.Call, name: str) -> Thing | None:
        match node.function:
            case tree.Name():
                function = self.spell.definitions.functions.get(name)
                owner = ""
            case tree.Field(value=tree.Name(id=own)) if own in self.conventions.receivers:
                found = next(
                    (
                        (key[0], method)
                        for key, method in self.spell.definitions.methods.items()
                        if key[1] == name
                    ),
                    None,
                )
                owner, function = found if found is not None else ("", None)
            case _:
                return None
        given = self.returned_by(function, owner) if function is not None else None
        return replace(given, read_at=node) if isinstance(given, Scalar) else given

    @staticmethod
    def _first_empty(arguments: Sequence[Thing | None]) -> Person | None:
        """The record that a call fills in: `fill_case(&a, "female")`."""
        people = [one for one in arguments if isinstance(one, Person)]
        return people[0] if len(people) == 1 and not people[0].given else None

    def _owner(self, protected: Sequence[tuple[str, Thing | None]]) -> Person | None:
        """The record that all the groups were read from."""
        owners = {id(root(thing.owner)): root(thing.owner) for _, thing in protected
                  if isinstance(thing, Scalar) and thing.owner is not None}  # fmt: skip
        all_read = all(isinstance(thing, Scalar) and thing.owner is not None for _, thing in protected)
        return next(iter(owners.values())) if all_read and len(owners) == 1 else None

    def _says_group(self, name: str, thing: Thing | None) -> bool:
        return isinstance(thing, Scalar) and given_by(self.spell, name, thing) is not None

    def _spread(
        self, node: tree.Call, arguments: Sequence[Thing | None], keywords: Keywords
    ) -> Person | None:
        """`Person(**case)`, `Person(*row)`, `Person(case)`."""
        for key, thing in keywords:
            if key is None:
                return next(people_in(thing), None)
        for argument, thing in zip(node.arguments, arguments, strict=True):
            if isinstance(argument, tree.Star):
                if isinstance(thing, Rows) and thing.person is None:
                    fields = self._parameters(node, last_name(node.function))
                    return self.under_header(thing, fields)
                return next(people_in(thing), None)
        return None

    def _constructs(self, node: tree.Call, name: str) -> bool:
        if name in self.spell.definitions.types or name in self.shapes or name in _CONSTRUCTORS:
            return True
        if isinstance(node.function, tree.Field) and isinstance(node.function.value, tree.Name):
            owner = node.function.value.id
            if owner in self.conventions.receivers:
                return False
        if c_records.makes_struct(self.spell.definitions.functions.get(name), self.spell.definitions):
            return True
        return name[:1].isupper() and not self.conventions.is_constant(name)

    def _parameters(self, node: tree.Call, name: str) -> tuple[str, ...]:
        """The names of a callee's positional parameters, as far as this file says them."""
        if name in self.shapes:
            return self.shapes[name]
        found = self.spell.definitions
        if name in found.types:
            init = found.method(name, self.conventions.constructor)
            if init is not None and init[1].parameters:
                return tuple(one.name for one in init[1].parameters[1:] if not one.star)
            return self._fields_of(name)
        match node.function:
            case tree.Name():
                function = found.functions.get(name)
                skip = 0
            case tree.Field(value=tree.Name(id=own)) if own in self.conventions.receivers:
                function = next((one for key, one in found.methods.items() if key[1] == name), None)
                skip = 1
            case _:
                return ()
        if function is None:
            return ()
        given = c_records.fields_given(function, found)
        return tuple(given.get(one.name, one.name) for one in function.parameters[skip:] if not one.star)

    def _fields_of(self, name: str, depth: int = 0) -> tuple[str, ...]:
        """The fields of a class in order, those of its bases first."""
        found = self.spell.definitions
        type_ = found.types.get(name)
        if type_ is None or depth > 4:
            return ()
        inherited: list[str] = []
        for base in type_.bases:
            if isinstance(base, tree.Name):
                inherited.extend(self._fields_of(base.id, depth + 1))
        return tuple(dict.fromkeys((*inherited, *found.fields.get(name, {}))))

    def _named_fields(
        self,
        node: tree.Call,
        fields: Sequence[str],
        arguments: Sequence[Thing | None],
        keywords: Keywords,
        *,
        is_constructor: bool,
    ) -> list[tuple[str, Thing | None]]:
        named = [(key, thing) for key, thing in keywords if key is not None]
        if any(isinstance(argument, tree.Star) for argument in node.arguments):
            return named
        if is_constructor and self._is_zipped(node):
            return named
        return [*zip(fields, arguments, strict=False), *named]

    @staticmethod
    def _is_zipped(node: tree.Call) -> bool:
        return bool(node.arguments) and last_name(getattr(node.arguments[0], "function", node)) == "zip"

    # -------------------------------------------------------------------------------------- what is known

    def _append(
        self,
        node: tree.Call,
        receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        thing = arguments[-1] if arguments else None
        if isinstance(receiver, Rows):
            self.put(receiver, thing)
        elif isinstance(node.function, tree.Field) and (place := self.place(node.function.value)):
            for person in people_in(thing):
                person.names.append(place)
        return None

    def _extend(
        self,
        _node: tree.Call,
        receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        added = arguments[0] if arguments else None
        if isinstance(receiver, Rows) and isinstance(added, Rows):
            for item in added.items[:]:
                self.put(receiver, item)
        return None

    def _update(
        self,
        node: tree.Call,
        receiver: Thing | None,
        arguments: Sequence[Thing | None],
        keywords: Keywords,
    ) -> Thing | None:
        if not isinstance(receiver, Person) or not isinstance(node.function, tree.Field):
            return None
        changes: list[tuple[str, Thing | None]] = [(key, thing) for key, thing in keywords if key]
        for thing in arguments:
            if isinstance(thing, Person):
                root(thing).part_of = root(receiver) if root(thing) is not root(receiver) else None
                changes.extend(thing.fields.items())
        for key, thing in changes:
            self._write(node.function.value, receiver, key, thing)
        return None

    def _write(self, place: Node, person: Person, key: str, thing: Thing | None) -> Person:
        """Sets a field of what stands at a place: of a new record, where that makes another case."""
        target = root(person)
        found = given_by(self.spell, key, thing) if isinstance(thing, Scalar) else None
        if found is not None and (found.mention.attribute in target.own or target.asked):
            where = self.place(place)
            original = target
            target = self.made_from(original, place)
            if not self.conventions.own_name(where):
                original.pattern_uses -= 1
            if original.rows is not None and not original.asked:
                original.part_of = target
                target.rows = original.rows
            if where:
                self.variables[where] = target
        self.set(target, key, thing, receiver=self.place(place))
        return target

    def _enumerate(
        self,
        node: tree.Call,
        _receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        inner = arguments[0] if arguments else None
        if isinstance(inner, Scalar) and inner.inside is not None:
            inner = inner.inside
        if not isinstance(inner, Rows):
            return None
        return Rows([Rows([None, item], node) for item in inner.items], node)

    def _zip(
        self,
        node: tree.Call,
        _receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        lists = [one for one in arguments if isinstance(one, Rows)]
        if len(lists) != len(arguments) or not lists:
            return None
        header, *rest = lists
        names = _texts(header)
        if len(rest) == 1 and any(name and self._is_column(name) for name in names):
            self.under_header(rest[0], names)
            return rest[0]
        length = min(len(one.items) for one in lists)
        return Rows([Rows([one.items[place] for one in lists], node) for place in range(length)], node)

    def _is_column(self, name: str) -> bool:
        """Whether a text names an attribute, and no group of one."""
        return any(
            mention.form != "flag" and mention.group is None
            for mention in self.spell.vocabulary.mentions(name)
        )

    def _range(
        self,
        node: tree.Call,
        _receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        numbers = [one.value for one in arguments if isinstance(one, Scalar)]
        if len(numbers) != len(arguments) or not all(type(number) is int for number in numbers):
            return None
        made = range(*[int(str(number)) for number in numbers][:3] or [0])
        if not 0 < len(made) <= LONGEST_RANGE:
            return None
        return Rows([Scalar(number, node) for number in made], node)

    def _product(
        self,
        node: tree.Call,
        _receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        rows: list[list[Thing | None]] = [[]]
        for one in arguments:
            if not isinstance(one, Rows):
                return None
            rows = [[*row, item] for row in rows for item in one.items]
            if len(rows) > LONGEST_RANGE:
                return None
        return Rows([Rows([_fresh(item) for item in row], node) for row in rows], node)

    def _setattr(
        self,
        node: tree.Call,
        _receiver: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        if len(arguments) == 3 and isinstance(arguments[1], Scalar) and isinstance(arguments[1].value, str):
            target = tree.Field(node.span, node.arguments[0], arguments[1].value, node.span)
            self.assign_field(target, arguments[2])
        return None

    def _setter(self, node: tree.Call, name: str, arguments: Sequence[Thing | None]) -> bool:
        """`person.set_gender("F")`."""
        plain = name.removeprefix("set_") if name.startswith("set_") else name.removeprefix("set")
        if plain == name or len(arguments) != 1 or not isinstance(node.function, tree.Field):
            return False
        if not names_attribute(self.spell, plain):
            return False
        self.assign_field(tree.Field(node.span, node.function.value, plain, node.span), arguments[0])
        return True

    def _namedtuple(
        self,
        _node: tree.Call,
        _on: Thing | None,
        arguments: Sequence[Thing | None],
        _keywords: Keywords,
    ) -> Thing | None:
        if len(arguments) < 2 or not isinstance(arguments[0], Scalar):
            return None
        fields: tuple[str, ...] = ()
        match arguments[1]:
            case Scalar(value=str() as text):
                fields = tuple(text.replace(",", " ").split())
            case Rows() as rows:
                fields = tuple(name or "" for name in _texts(rows))
            case _:
                return None
        self.shapes[str(arguments[0].value)] = fields
        return None

    def _copy(
        self,
        node: tree.Call,
        receiver: Thing | None,
        arguments: Sequence[Thing | None],
        keywords: Keywords,
    ) -> Thing | None:
        source = next((one for one in (*arguments[:1], receiver) if isinstance(one, Person | Judged)), None)
        if isinstance(source, Judged):
            source = source.people[0] if len(source.people) == 1 else None
        if source is None:
            return next((one for one in (*arguments[:1], receiver) if isinstance(one, Rows)), None)
        made = self.made_from(source, node)
        for key, thing in keywords:
            if key in {"update", "changes"} and isinstance(thing, Person):
                root(thing).part_of = made
                for name, value in thing.fields.items():
                    self.set(made, name, value)
            elif key is not None:
                self.set(made, key, thing)
        return made

    def _table(self, node: tree.Call, arguments: Sequence[Thing | None], keywords: Keywords) -> Thing | None:
        """A data frame: of columns, of rows under a header, or of people."""
        named = dict(keywords)
        data = arguments[0] if arguments else named.get("data")
        header = named.get("columns") or named.get("schema") or (arguments[1] if len(arguments) > 1 else None)
        if isinstance(data, Person):
            return self.columns(data, node)
        if isinstance(data, Rows):
            if isinstance(header, Rows):
                for row in data.items:
                    if isinstance(row, Rows):
                        person = self.under_header(row, _texts(header))
                        if person is not None:
                            person.rows = data
            return data
        return None

    def columns(self, data: Person, node: Node) -> Rows | None:
        """The people that columns of one length make, where one of these is an attribute."""
        lists = {name: thing for name, thing in data.fields.items() if isinstance(thing, Rows)}
        lengths = {len(one.items) for one in lists.values()}
        if len(lengths) != 1 or not any(names_attribute(self.spell, name) for name in lists):
            return None
        table = Rows([], data.node)
        for place in range(lengths.pop()):
            person = self.new_person(node)
            person.is_table = True
            for name, one in lists.items():
                self.set(person, name, one.items[place])
            self.put(table, person)
        return table

    # ------------------------------------------------------------------------------------------- assertions

    def _asserts(self, node: tree.Call, name: str) -> bool:
        words = split_words(name)
        if not words or not {"assert", "expect", "verify", "check"} & set(words[:2] + words[-1:]):
            return False
        if words[0] in {"verify", "check", "expect"} and len(node.arguments) < 2:
            return False
        if not node.arguments or any(word in {"raises", "warns", "logs"} for word in words):
            return False
        if len(node.arguments) == 1 or {"true", "false"} & set(words):
            self.assertion(node.arguments[0], "false" not in words)
            return True
        first, second = node.arguments[0], node.arguments[1]
        span = node.span
        if "in" in words:
            op: tree.CompareOp = "in"
        elif "greater" in words or "gt" in words or "ge" in words:
            op = ">"
        elif "less" in words or "lt" in words or "le" in words:
            op = "<"
        elif {"not", "ne"} & set(words):
            op = "!="
        elif words[0] == "assert" or any(word in _EQUAL for word in words):
            op = "=="
        else:
            return False
        self.assertion(tree.Compare(span, op, first, second), True)
        return True

    def assertion(self, node: Node, truth: bool) -> None:
        """Notes what is to come out for the people that something is asserted of."""
        match node:
            case tree.Unary(op="not", operand=inner):
                self.assertion(inner, not truth)
            case tree.BoolOp(values=values):
                for part in values:
                    self.assertion(part, truth)
            case tree.Call(function=tree.Field(name="all", value=inner)):
                self.assertion(inner, truth)
            case tree.Call(function=tree.Name(id="all"), arguments=(tree.Comprehension() as inner,)):
                before = dict(self.variables)
                for generator in inner.generators:
                    for item in self.rounds_of(self.value(generator.iterable)):
                        self.bind(generator.target, item)
                        self.assertion(inner.element, truth)
                self.variables = before
            case tree.Compare(
                op=op,
                left=tree.Call(function=compare, arguments=(first, second, *_)),
                right=tree.Literal(value=0),
            ) if last_name(compare) in _COMPARERS:
                self._compared("==" if (op == "==") == truth else "!=", first, second, node)
            case tree.Call(function=compare, arguments=(first, second, *_)) if (
                last_name(compare) in _COMPARERS
            ):
                self._compared("!=" if truth else "==", first, second, node)
            case tree.Compare(op=op, left=left, right=right):
                self._compared(op if truth else f"not {op}", left, right, node)
            case _:
                thing = self.value(node)
                if isinstance(thing, Judged):
                    self._note(thing, "true" if truth else "false", node)

    def _compared(self, op: str, left: Node, right: Node, node: Node) -> None:
        first, second = self.value(left), self.value(right)
        if isinstance(second, Judged) and not isinstance(first, Judged):
            first, second = second, first
        if not isinstance(first, Judged) or not isinstance(second, Scalar):
            return
        shown = second.label or second.value
        if isinstance(shown, bool):
            shown = "true" if shown else "false"
        if op in {"==", "in"}:
            text = f"{shown}"
        elif op in {"!=", "not ==", "not in"}:
            text = f"not {shown}"
        else:
            text = f"{op} {shown}"
        self._note(first, text, node)

    def _note(self, judged: Judged, text: str, node: Node) -> None:
        for person in judged.people:
            give_outcome(root(person), Outcome(text, 3, node, judged.call))

    _METHODS: ClassVar[
        Mapping[
            str,
            Callable[[Any, tree.Call, Thing | None, Sequence[Thing | None], Keywords], Thing | None],
        ]
    ] = {
        "append": _append,
        "add": _append,
        "insert": _append,
        "extend": _extend,
        "update": _update,
        "enumerate": _enumerate,
        "zip": _zip,
        "range": _range,
        "product": _product,
        "setattr": _setattr,
        "namedtuple": _namedtuple,
    }


def give_outcome(person: Person, outcome: Outcome) -> None:
    """Says what is to come out for a person, unless a person better placed has said so."""
    if person.outcome is None or person.outcome.rank < outcome.rank:
        person.outcome = outcome


def _texts(rows: Rows) -> list[str | None]:
    return [
        item.value if isinstance(item, Scalar) and isinstance(item.value, str) else None
        for item in rows.items
    ]


def _fresh(thing: Thing | None) -> Thing | None:
    """A value of its own: one list's item stands in many rows of a product."""
    if isinstance(thing, Scalar):
        return Scalar(thing.value, thing.node, thing.label, None, thing.inside)
    return thing


def _add_fields(person: Person, named: Sequence[tuple[str, Thing | None]]) -> None:
    for key, thing in named:
        if isinstance(thing, Scalar):
            person.fields.setdefault(key, thing)
