"""Which protected attributes a value depends on."""

from __future__ import annotations

from fairlint.semantics.values import OLD, Protected, Value, parts

_NONE: frozenset[Value] = frozenset()
_NO_NAMES: frozenset[str] = frozenset()


class Dependence:
    """The reads that take part in values, remembered per value."""

    def __init__(self) -> None:
        self._reads: dict[int, frozenset[Value]] = {}
        self._attributes: dict[frozenset[Value], frozenset[str]] = {}
        self.memo: dict[tuple[int, str], object] = {}
        """What others find out about a value and an attribute; the value is known here, and so kept alive."""
        self.asked: dict[tuple[int, str], bool] = {}
        """Whether a value looks at an attribute itself."""
        self._kept: list[Value] = []
        """Keeps values alive, so that no identity is used twice."""

    def _leaves(self, value: Value) -> frozenset[Value]:
        known = self._reads
        if (found := known.get(id(value))) is not None:
            return found
        stack = [value]
        while stack:
            current = stack[-1]
            if id(current) in known:
                stack.pop()
                continue
            inner = parts(current)
            if not inner or isinstance(current, Protected):
                tells = isinstance(current, Protected) or current is OLD
                known[id(current)] = frozenset({current}) if tells else _NONE
            elif open_parts := [part for part in inner if id(part) not in known]:
                stack.extend(open_parts)
                continue
            else:
                sets = {known[id(part)] for part in inner}
                known[id(current)] = sets.pop() if len(sets) == 1 else _NONE.union(*sets)
            self._kept.append(current)
            stack.pop()
        return known[id(value)]

    def reads(self, value: Value, attribute: str) -> list[Protected]:
        """The reads of `attribute` that take part in `value`, in source order."""
        found = [
            leaf
            for leaf in self._leaves(value)
            if isinstance(leaf, Protected) and leaf.mention.attribute == attribute
        ]
        return sorted(found, key=_place)

    def attributes(self, value: Value) -> frozenset[str]:
        """The attributes that take part in `value`."""
        leaves = self._leaves(value)
        if not leaves:
            return _NO_NAMES
        found = self._attributes.get(leaves)
        if found is None:
            found = frozenset(leaf.mention.attribute for leaf in leaves if isinstance(leaf, Protected))
            self._attributes[leaves] = found
        return found

    def on_any(self, value: Value) -> bool:
        """Whether any protected attribute takes part in `value`."""
        return bool(self.attributes(value))

    def on_old(self, value: Value) -> bool:
        """Whether the old value of the variable that is updated takes part in `value`."""
        return OLD in self._leaves(value)


def _place(read: Protected) -> tuple[int, int, int, str]:
    """Where a read stands, and where it is named: several may be one expression, `people[GROUPS]`."""
    named = read.named or read.node
    return read.node.span.start, read.node.span.end, named.span.start, read.mention.identifier
