"""The state of one walk through a function: variables, the guards on the way, and the events so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairlint.semantics.interpreter.file_state import FileState
from fairlint.semantics.interpreter.variables import Variables
from fairlint.semantics.values.events import ANYWHERE, Event, EventKind, Guard, Guards, along
from fairlint.semantics.values.facts import Step
from fairlint.semantics.values.symbolic import UNKNOWN, Closure, Value
from fairlint.support.records import Record, field
from fairlint.syntax.tree import Assign, Field, Index, Node

MAX_INLINE = 4
"""How deep calls of functions of the same file are followed."""


class Frame(Record, frozen=False):
    """One walk through one function body."""

    program: FileState
    function: str
    variables: Variables
    events: list[Event]
    types: dict[str, str] = field(default_factory=dict)
    guards: Guards = ANYWHERE
    owner: str = ""
    """The class whose method this is."""
    loop: Node | None = None
    alive: bool = True
    """False once every path has left the body."""
    broke: bool = False
    """True once a path has left the innermost switch by `break`."""
    in_switch: bool = False
    calls: tuple[str, ...] = ()
    """The functions being inlined, outermost first."""
    conditional: int = 0
    """How many branches the current statement stands in."""
    returns: list[tuple[Guards, Value]] = field(default_factory=list)
    labels: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    """What stands behind each label of the function."""
    run: int = 0
    """Tells one walk through a function from the next."""
    way: tuple[Node, ...] = ()
    """The calls of the file's own functions that led here, outermost first."""

    @property
    def is_recorded(self) -> bool:
        """Whether this is a walk for its own sake, and not one that only asks what a name comes to."""
        return self.events is self.program.events or self.events is self.program.aside

    def emit(
        self, kind: EventKind, node: Node, value: Value, target: str = "", *, by_name: bool = False
    ) -> None:
        """Record an event under the current guards."""
        if self.alive:
            self.events.append(
                Event(
                    kind,
                    node,
                    value,
                    self.guards,
                    target,
                    self.function,
                    self.loop,
                    self.run,
                    by_name,
                    self.way,
                )
            )

    def note(
        self, node: Node, value: Value, given: tuple[Value, ...] = (), target: Node | None = None
    ) -> None:
        """Leave a step for readers."""
        if self.alive and self.is_recorded:
            step = Step(node, value, given, self.function, self.way, target)
            self.program.facts.steps.append(step)

    def changed(self, target: Node) -> Value:
        """Return what an assignment to a field or an entry changes."""
        is_part = self.is_recorded and isinstance(target, Field | Index)
        return self.evaluate(target.value) if is_part and isinstance(target, Field | Index) else UNKNOWN

    def evaluate(self, node: Node | None) -> Value:
        """Return the symbolic value of an expression."""
        return self.program.evaluator.evaluate(node, self)

    def inline(self, callee: Closure, node: Node, arguments: tuple[Value, ...], about: str = "") -> Value:
        """Return what a function of the file returns for these arguments; `about` says whose elements they
        are.
        """
        return self.program.evaluator.inline(callee, node, arguments, self, about)

    def apply(self, callee: Value, node: Node, arguments: tuple[Value, ...]) -> Value:
        """Return what a function value gives, be it one of several by a test."""
        return self.program.evaluator.apply(callee, node, arguments, self)

    def assign(self, node: Assign) -> None:
        """Execute an assignment."""
        self.program.evaluator.assign(node, self)

    def bind(self, target: Node, value: Value) -> None:
        """Give a value to a variable, or a tuple of variables."""
        self.program.evaluator.bind(target, value, self)

    def scope(self) -> Frame:
        """Return a frame with its own variables and everything else shared."""
        return self.program.evaluator.scope(self)

    def matters(self, name: str, arguments: Iterable[Value]) -> bool:
        """Return whether following a call of the function `name` can tell anything about a protected
        attribute.
        """
        interest = self.program.interest
        if interest is None or interest.matters(name):
            return True
        if any(self.program.tells(value) for value in arguments):
            return True
        return self.telling() is not None

    def telling(self) -> Guard | None:
        """Return the last condition on the way that tells groups apart."""
        on_any = self.program.dependence.on_any

        def last(before: Guard | None, _way: Guards, guard: Guard) -> Guard | None:
            return guard if on_any(guard.test) else before

        return along(self.guards, self.program.telling, None, last)

    def text(self, node: Node) -> str:
        """Return the source text of `node` on one line."""
        return self.program.text(node.span)

    def branch(self, guard: Guard) -> Frame:
        """Return a frame for one branch: its own variables, the same events, one guard more."""
        return Frame(
            self.program, self.function, Variables(self.variables), self.events, self.types,
            self.guards.under(guard), self.owner, self.loop, self.alive, False, self.in_switch, self.calls,
            self.conditional + 1, self.returns, self.labels, self.run, self.way,
        )  # fmt: skip

    def inlined(
        self, name: str, owner: str, variables: Mapping[str, Value], site: Node | None = None
    ) -> Frame:
        """Return a frame for the body of a function that is called here, at `site`."""
        return Frame(
            self.program, name, Variables(variables), self.events, {}, self.guards, owner,
            self.loop, True, False, False, (*self.calls, name), self.conditional, [], {},
            self.program.next_run(), self.way if site is None else (*self.way, site),
        )  # fmt: skip
