"""Which protected attributes a value depends on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from fairlint.semantics.values.symbolic import OLD, Protected, Value
from fairlint.semantics.values.traversal import parts
from fairlint.syntax.tree import Node
from fairlint.vocabulary import Vocabulary

_NONE: frozenset[str] = frozenset()
_ON_OLD = frozenset({""})
"""What the old value of a variable depends on: no attribute."""
MOST_LOOKED_AT = 2_000
"""Values within one that are looked at for reads."""
MOST_READS = 100
"""Reads of one value that are told apart."""
_NOWHERE = (1 << 62, -1)

Stretch = tuple[int, int]


class Dependence:
    """The attributes that take part in values, and where they are read, remembered per value."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._known: dict[int, frozenset[str]] = {}
        """Of a value, by its identity, the attributes; with an empty name where OLD takes part."""
        self._plain: dict[frozenset[str], frozenset[str]] = {_NONE: _NONE}
        """Each such set once, and without OLD."""
        self._stretches: dict[tuple[int, str], Stretch] = {}
        self.memo: dict[tuple[int, str], object] = {}
        """What others find out about a value and an attribute; the value is known here, and so kept alive."""
        self.asked: dict[tuple[int, str], bool] = {}
        """Whether a value looks at an attribute itself."""
        self.presence: dict[tuple[int, str, bool], bool] = {}
        """Whether a test asks of an attribute only if there is a value."""
        self._kept: list[Value] = []
        """Keeps values alive, so that no identity is used twice."""

    def _taking_part(self, value: Value) -> frozenset[str]:
        known = self._known
        if (found := known.get(id(value))) is not None:
            return found
        stack = [value]
        while stack:
            current = stack[-1]
            if id(current) in known:
                stack.pop()
                continue
            inner = parts(current)
            if isinstance(current, Protected):
                found = frozenset({current.mention.attribute})
            elif not inner:
                found = _ON_OLD if current is OLD else _NONE
            elif open_parts := [part for part in inner if id(part) not in known]:
                stack.extend(open_parts)
                continue
            else:
                sets = {known[id(part)] for part in inner}
                found = sets.pop() if len(sets) == 1 else _NONE.union(*sets)
            self._plain.setdefault(found, found - _ON_OLD)
            known[id(current)] = found
            self._kept.append(current)
            stack.pop()
        return known[id(value)]

    def attributes(self, value: Value) -> frozenset[str]:
        """Return the attributes that take part in `value`."""
        found = self._known.get(id(value))
        if found is None:
            found = self._taking_part(value)
        return found if found is _NONE else self._plain[found]

    def on_any(self, value: Value) -> bool:
        """Return whether any protected attribute takes part in `value`."""
        return bool(self.attributes(value))

    def on_old(self, value: Value) -> bool:
        """Return whether the old value of the variable that is updated takes part in `value`."""
        return "" in self._taking_part(value)

    def reads(self, value: Value, attribute: str, seen: set[int] | None = None) -> list[Protected]:
        """Return the reads of `attribute` that take part in `value`, in source order.

        What is in values of which the identity is among the `seen` is left out; what is met joins them. Of a
        value that is made of very many the reads next to it are given.
        """
        seen = set() if seen is None else seen
        found: list[Protected] = []
        queue = deque([value])
        left = MOST_LOOKED_AT
        while queue and left and len(found) < MOST_READS:
            current = queue.popleft()
            if id(current) in seen or attribute not in self.attributes(current):
                continue
            left -= 1
            seen.add(id(current))
            if isinstance(current, Protected):
                found.append(current)
            else:
                queue.extend(parts(current))
        return sorted(found, key=_place_of_read)

    def is_read_within(self, value: Value, attribute: str, node: Node) -> bool:
        """Return whether a read of `attribute` that takes part in `value` stands in `node`."""
        first, end = node.span.start, node.span.end
        seen: set[int] = set()
        stack = [value]
        while stack:
            current = stack.pop()
            start, reach = self._stretch_of_reads(current, attribute)
            if id(current) in seen or reach < first or end < start:
                continue
            if isinstance(current, Protected) and first <= start and reach <= end:
                return True
            seen.add(id(current))
            stack.extend(self._dependent_parts(current, attribute))
        return False

    def _dependent_parts(self, value: Value, attribute: str) -> Iterator[Value]:
        """Yield the parts of a value in which an attribute takes part."""
        if not isinstance(value, Protected):
            yield from (part for part in parts(value) if attribute in self.attributes(part))

    def _stretch_of_reads(self, value: Value, attribute: str) -> Stretch:
        """From where to where the reads of `attribute` in a value stand."""
        known = self._stretches
        stack = [value]
        while stack:
            current = stack[-1]
            key = id(current), attribute
            inner = () if key in known else tuple(self._dependent_parts(current, attribute))
            if open_parts := [part for part in inner if (id(part), attribute) not in known]:
                stack.extend(open_parts)
                continue
            stack.pop()
            if key in known:
                continue
            if isinstance(current, Protected) and current.mention.attribute == attribute:
                known[key] = current.node.span.start, current.node.span.end
            elif inner:
                within = [known[id(part), attribute] for part in inner]
                known[key] = min(start for start, _ in within), max(end for _, end in within)
            else:
                known[key] = _NOWHERE
        return known[id(value), attribute]


def _place_of_read(read: Protected) -> tuple[int, int, int, str]:
    """Return where a read stands, and where it is named: several may be one expression, `people[GROUPS]`."""
    named = read.named or read.node
    return read.node.span.start, read.node.span.end, named.span.start, read.mention.identifier
