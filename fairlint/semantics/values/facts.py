"""What an execution leaves for readers: calls with what they were given, and what each node came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fairlint.semantics.values.events import Event, Guards
from fairlint.semantics.values.symbolic import AS_GIVEN, UNKNOWN, Opaque, Protected, Value
from fairlint.support.records import Record, field, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Gap, Node

MOST_VALUES = 24
"""Values of one node that are kept besides the last: of the rounds of a loop, of walks for callers."""


class Call(Record, eq=False):
    """One call as it was evaluated: what is called, and the values of what it is given.

    `name` is the dotted name as written, empty where the called expression has none; `qualified` what that
    stands for by imports and types (`pandas.DataFrame.fillna`), empty where it is not known (see `names`).
    `receiver` is the value that a method is called on, `callee` what a variable holds that is called itself
    (`model = load(); model(text)`). `function` is the qualified name of the function the
    call stands in, `run` the walk through it: what is followed from two callers is called in two runs. A
    function of the file that is followed leaves its own calls before the one that led to it; `way` are the
    calls that did, outermost first.
    """

    node: tree.Call
    name: str
    qualified: str
    receiver: Value | None
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]
    value: Value
    guards: Guards
    function: str
    run: int
    way: tuple[Node, ...] = ()
    callee: Value | None = None

    def given(self, places: Sequence[int | str]) -> list[Value]:
        """Return the values of the arguments at some places and keywords; of all, where no place is named."""
        if not places:
            return [*self.arguments, *self.keywords.values()]
        named = [value for key, value in self.keywords.items() if key in places]
        placed = (one for one in places if isinstance(one, int) and one < len(self.arguments))
        return named + [self.arguments[one] for one in placed]

    def argument(self, *places: int | str) -> Value | None:
        """Return the argument at the first of some places and keywords that is given."""
        return next(iter(self.given(places)), None)


class Step(Record, eq=False):
    """What was evaluated besides calls, with what that was `given`, all as it was at that moment.

    A collection with the tables and lists that are spread out in it, a comparison with its two sides, an
    assertion, what a function returns, what a loop goes through, the beginning of a function, and an
    assignment with its `target` and what is changed by it, before and after: `person` in `person.age = 3`.
    """

    node: Node
    value: Value
    given: tuple[Value, ...]
    function: str
    way: tuple[Node, ...] = ()
    target: Node | None = None


def _was_there(call: Call) -> bool:
    """Return whether a call gives back what it was given."""
    given = (UNKNOWN, call.receiver, *call.arguments, *call.keywords.values())
    return any(call.value is value for value in given)


class Facts(Record, frozen=False):
    """The calls of one file in the order in which they were evaluated, and the value of every expression."""

    calls: list[Call] = field(default_factory=list)
    steps: list[Call | Step] = field(default_factory=list)
    """The calls and what happened between them, in order."""
    values: dict[int, tuple[Node, Value]] = field(default_factory=dict)
    """By the node's identity: what it came to when its own function was walked, the last round of a loop."""
    grown: dict[tuple[int, str], Event] = field(default_factory=dict)
    """By run and path: a variable gets the whole text that it holds after it has grown last, as if it were
    assigned. The events of its growing say what is added each time."""
    others: dict[int, dict[int, Value]] = field(default_factory=dict)
    """The same, of earlier rounds, and of walks on behalf of callers."""
    origins: dict[int, tuple[Value, Value]] = field(default_factory=dict)
    """By identity, what stands for a variable by its own name, and what it was given or goes through."""
    in_texts: dict[tuple[int, str], tuple[Node, Value | None]] = field(default_factory=dict)
    """By the identity of a literal and a text in it, the values that stand there as JSON."""
    counts: dict[int, Value] = field(default_factory=dict)
    """By identity, the truth values of which a number was made: `int(person.sex == "f")`."""
    gaps: dict[int, Gap] = field(default_factory=dict)
    """What limits left out, by where it begins; see `cut`."""
    _places: dict[int, Node] = field(default_factory=dict)
    _at: dict[int, list[Call]] = field(default_factory=dict)
    _giving: dict[int, Call] = field(default_factory=dict)
    _made_by: dict[int, Call] = field(default_factory=dict)
    _indexed: int = 0
    """How many calls those tables hold."""

    def counted(self, truth: Value) -> Value:
        """Return a truth value that is a number from here on, 1 or 0."""
        number = replace(truth)
        self.counts[id(number)] = number
        return number

    def is_count(self, value: Value) -> bool:
        """Return whether a truth value was made a number."""
        return self.counts.get(id(value)) is value

    def cut(self, node: Node, reason: str) -> None:
        """Note that a limit leaves out some of what stands at `node`: the report names it once, as not
        analysed.
        """
        self.gaps.setdefault(node.span.start, Gap(node.span, reason, "limit"))

    def note(self, node: Node, value: Value, *, own: bool) -> None:
        """Remember what an expression came to, in a walk through its own function or for a caller."""
        key = id(node)
        if own:
            before = self.values.get(key)
            self.values[key] = (node, value)
            if before is None or before[1] is value:
                return
            value = before[1]
        others = self.others.get(key)
        if others is None:
            self.others[key] = {id(value): value}
        elif len(others) < MOST_VALUES:
            others[id(value)] = value

    def value_of(self, node: Node) -> Value | None:
        """Return what an expression came to; None where it was never reached."""
        found = self.values.get(id(node))
        return None if found is None else found[1]

    def call_of(self, value: Value | None) -> Call | None:
        """Return the call that made a value, where one did: `json.dumps(applicant)`, `HumanMessage(text)`."""
        self._index_calls()
        return self._made_by.get(id(value))

    def values_of(self, node: Node) -> list[Value]:
        """Return all that an expression came to: in each round of a loop, and for each caller of its
        function.
        """
        others, last = self.others.get(id(node), {}), self.values.get(id(node))
        if last is None or id(last[1]) in others:
            return list(others.values())
        return [*others.values(), last[1]]

    def behind(self, value: Value) -> Iterator[Value]:
        """Yield a value and those it comes from: what a variable was given, what a loop goes through, what an
        entry is of, what a call was given and called on.
        """
        queue, seen = [value], set[int]()
        while queue and len(seen) < MOST_VALUES:
            one = queue.pop(0)
            if one is UNKNOWN or id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            if (origin := self.origins.get(id(one))) is not None:
                queue.append(origin[1])
            if (call := self.call_giving(one)) is not None:
                queue += [*call.arguments, *call.keywords.values()]
                queue += [] if call.receiver is None else [call.receiver]
            elif isinstance(place := self.place_of(one), tree.Index | tree.Field):
                queue += self.values_of(place.value)

    def place_of(self, value: Value) -> Node | None:
        """Return the expression that first came to this very value; of a text in another form, the read."""
        if isinstance(value, Protected) and value.spelling is not AS_GIVEN:
            return value.node
        if not self._places:
            for node, last in self.values.values():
                for one in (*self.others.get(id(node), {}).values(), last):
                    self._places.setdefault(id(one), node)
        return self._places.get(id(value))

    def calls_at(self, node: Node) -> list[Call]:
        """Return the calls that a node made, each time it was evaluated."""
        self._index_calls()
        return self._at.get(id(node), [])

    def call_giving(self, value: Value) -> Call | None:
        """Return the first call that gave this very value."""
        self._index_calls()
        return None if value is UNKNOWN else self._giving.get(id(value))

    def _index_calls(self) -> None:
        if self._indexed == len(self.calls):
            return
        for call in self.calls[self._indexed :]:
            self._at.setdefault(id(call.node), []).append(call)
            self._giving.setdefault(id(call.value), call)
            if isinstance(call.value, Opaque) and not _was_there(call):
                self._made_by.setdefault(id(call.value), call)  # the innermost: it has given it first
        self._indexed = len(self.calls)
