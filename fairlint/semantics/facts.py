"""What an execution leaves for readers: calls with what they were given, and what each node came to."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.records import Record, field
from fairlint.semantics.values import UNKNOWN, Event, Guard, Opaque, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


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
    guards: tuple[Guard, ...]
    function: str
    run: int
    way: tuple[Node, ...] = ()
    callee: Value | None = None


def _was_there(call: Call) -> bool:
    """Whether a call gives back what it was given."""
    given = (UNKNOWN, call.receiver, *call.arguments, *call.keywords.values())
    return any(call.value is value for value in given)


class Facts(Record, frozen=False):
    """The calls of one file in the order in which they were evaluated, and the value of every expression."""

    calls: list[Call] = field(default_factory=list)
    values: dict[int, tuple[Node, Value]] = field(default_factory=dict)
    """By the node's identity: what it came to when its own function was walked, the last round of a loop."""
    grown: dict[tuple[int, str], Event] = field(default_factory=dict)
    """By run and path: a variable gets the whole text that it holds after it has grown last, as if it were
    assigned. The events of its growing say what is added each time."""
    _given: dict[int, Call] = field(default_factory=dict)
    _indexed: int = 0

    def value_of(self, node: Node) -> Value | None:
        """What an expression came to; None where it was never reached."""
        found = self.values.get(id(node))
        return None if found is None else found[1]

    def call_of(self, value: Value | None) -> Call | None:
        """The call that gave a value, where one did: `json.dumps(applicant)`, `HumanMessage(text)`."""
        if self._indexed < len(self.calls):
            for call in self.calls[self._indexed :]:
                if isinstance(call.value, Opaque) and not _was_there(call):
                    self._given.setdefault(id(call.value), call)  # the innermost: it has given it first
            self._indexed = len(self.calls)
        return self._given.get(id(value))
