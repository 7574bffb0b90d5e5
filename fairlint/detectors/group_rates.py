"""Rates by group: whether code measures what a model does to groups, and codes that serve nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from fairlint.detectors.column_mentions import is_protected_attribute
from fairlint.detectors.context import Context
from fairlint.semantics.names.effects import any_word, is_show
from fairlint.semantics.values.paths import last_name
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists

MOST_AROUND = 40
"""How many nodes around a name are looked at, one around the other."""
MOST_NAMES = 20
"""Variables that hold codes, or what is made of them, until the rest is left unread."""
MODEL_SAYS = frozenset({"predicts", "evaluates"})
"""What calls do that give what a model says."""
_PLAIN = (
    tree.Index, tree.Field, tree.Slice, tree.Binary, tree.BoolOp, tree.Unary, tree.Collection, tree.Item,
    tree.Compare, tree.Interpolation, tree.Call, tree.Conditional,
)  # fmt: skip
"""Parts of one expression that a name may stand in."""


def measures_groups(context: Context) -> bool:
    """Whether a figure of what a model says is taken by group: `test.groupby("sex")["prediction"].mean()`,
    `accuracy_score(y[women], predicted[women])`.
    """
    by_group, said = _Held(), _Held(words=word_lists("features")["said"])
    figures: dict[int, set[str]] = {}
    for node in _in_order(context):
        says_model = said.has(node) or _is_model_answer(node, context)
        way = _outer_parts(node, context)
        if says_model:
            figures.setdefault(_expression_id(node, way), set()).add("said")
            said.take(node, way)
        if (by_group.has(node) and isinstance(node, tree.Name)) or (
            _names_group(node, context) and _is_group_selection(node, way)
        ):
            figures.setdefault(_expression_id(node, way), set()).add("by group")
            by_group.take(node, way, columns=False)
        if isinstance(node, tree.Call) and _takes_figure(node):
            figures.setdefault(_expression_id(node, way), set()).add("figure")
    return any(len(parts) == len(("said", "by group", "figure")) for parts in figures.values())


class _Held:
    """The variables and columns that hold something, by their names."""

    def __init__(self, words: frozenset[str] = frozenset()) -> None:
        self.words = words
        self.names: set[str] = set()
        self.columns: set[str] = set()

    def has(self, node: Node) -> bool:
        """Return whether a name, or the name of a column, stands for it."""
        match node:
            case tree.Name(id=name):
                return name in self.names or any_word(name, self.words)
            case tree.Literal(value=str() as name) | tree.Field(name=name):
                return name in self.columns or any_word(name, self.words)
            case _:
                return False

    def take(self, node: Node, way: tuple[Node, ...], *, columns: bool = True) -> None:
        """Note what the statement or entry around `node` gives it to."""
        for outer in way:
            match outer:
                case tree.Item(key=tree.Literal(value=str() as name)):
                    self.columns.add(name)
                    return
                case tree.Assign(targets=targets, value=value) if _is_in(node, value):
                    self._add_targets(targets, columns)
                case tree.Loop(target=tree.Node() as target, iterable=iterable) if _is_in(node, iterable):
                    self._add_targets((target,), columns)
                case _:
                    pass

    def _add_targets(self, targets: Iterable[Node], columns: bool) -> None:
        for target in targets:
            match target:
                case tree.Index(index=tree.Literal(value=str() as name)) if columns:
                    self.columns.add(name)
                case tree.Name(id=name):
                    self.names.add(name)
                case tree.Collection(items=items):
                    self.names.update(one.value.id for one in items if isinstance(one.value, tree.Name))
                case _:
                    pass


def _is_in(node: Node, outer: Node | None) -> bool:
    return outer is not None and outer.span.start <= node.span.start < outer.span.end


def _in_order(context: Context) -> list[Node]:
    """Return the names, texts, fields and calls of a file as they are written."""
    syntax = context.execution.syntax
    kinds = (tree.Name, tree.Literal, tree.Field, tree.Call)
    found: list[Node] = [node for kind in kinds for node in syntax.places(kind)]
    return sorted(found, key=lambda node: (node.span.end, node.span.start))


def _outer_parts(node: Node, context: Context) -> tuple[Node, ...]:
    """Return the parts of an expression around a node, and the statement around them."""

    def outwards() -> Iterator[Node]:
        for outer in islice(context.execution.syntax.around(node), MOST_AROUND):
            yield outer
            if not isinstance(outer, _PLAIN):
                return

    return tuple(outwards())


def _expression_id(node: Node, way: tuple[Node, ...]) -> int:
    """Return what the expression that a node stands in is known by: its outermost part."""
    return id(next((part for part in reversed(way) if isinstance(part, _PLAIN)), node))


def _is_model_answer(node: Node, context: Context) -> bool:
    """Return whether a call asks a model: `model.predict(X)`."""
    if not isinstance(node, tree.Call):
        return False
    name = last_name(node.function)
    is_asked = any_word(name, word_lists("learning")["predicting"])
    return is_asked or not MODEL_SAYS.isdisjoint(context.does(node))


def _names_group(node: Node, context: Context) -> bool:
    """Return whether a name, field or text is a protected attribute's."""
    match node:
        case tree.Name(id=name) | tree.Field(name=name) | tree.Literal(value=str() as name):
            found = context.vocabulary.mentions(name) if name.isidentifier() else ()
            return any(is_protected_attribute(mention, context) for mention in found)
        case _:
            return False


def _is_group_selection(node: Node, way: tuple[Node, ...]) -> bool:
    """Return whether an attribute tells rows apart where it stands: `people["sex"] == "f"`,
    `groupby("sex")`.
    """
    groups = word_lists("features")["puts_into_groups"]
    for outer in way:
        if isinstance(outer, tree.Compare):
            return True
        if isinstance(outer, tree.Call) and last_name(outer.function) in groups:
            return any(_is_in(node, given) for given in _call_arguments(outer))
        if (
            isinstance(outer, tree.Call)
            and last_name(outer.function) in word_lists("features")["tells_groups"]
        ):
            return True
    return False


def _call_arguments(call: tree.Call) -> list[Node]:
    return [*call.arguments, *(value for _, value in call.keywords)]


def _takes_figure(call: tree.Call) -> bool:
    return any_word(last_name(call.function), word_lists("features")["figures"])


# ------------------------------------------------------------------------------------------------- codes


def only_measures(names: Iterable[str], context: Context) -> bool:
    """Whether variables that hold codes of groups serve to take figures of each group, and nothing else:
    `wrong[codes == 1].mean()`.
    """
    every: dict[str, list[tree.Name]] = {}
    for node in context.execution.syntax.places(tree.Name):
        every.setdefault(node.id, []).append(node)
    queue = [(name, False) for name in names]
    seen: set[tuple[str, bool]] = set()
    measured = False
    while queue:
        if (one := queue.pop()) in seen:
            continue
        seen.add(one)
        if len(seen) > MOST_NAMES:
            return False
        for node in every.get(one[0], ()):
            end = _end_of_codes(node, one[1], context)
            if end is None:
                return False
            measured = measured or end.figure
            queue.extend((name, end.is_mask) for name in end.names)
    return measured


class _End:
    """What becomes of codes where they are named."""

    def __init__(self, is_mask: bool, *, figure: bool = False, names: Iterable[str] = ()) -> None:
        self.is_mask = is_mask
        self.figure = figure
        self.names = tuple(names)


def _end_of_codes(node: tree.Name, is_mask: bool, context: Context) -> _End | None:
    """Return what becomes of codes, or of the rows chosen by them, at one place; None where it is something
    else.
    """
    inner: Node = node
    for outer in _outer_parts(node, context):
        match outer:
            case tree.Assign(targets=targets) if any(_is_in(node, target) for target in targets):
                return _End(is_mask) if inner is node else None
            case tree.Assign(targets=targets):
                names = [target.id for target in targets if isinstance(target, tree.Name)]
                return _End(is_mask, names=names) if len(names) == len(targets) else None
            case tree.Compare():
                is_mask = True
            case tree.Index(value=value) if not is_mask and inner is not value:
                return None
            case tree.Call(function=function):
                name = last_name(function)
                if _takes_figure(outer):
                    return _End(is_mask, figure=is_mask)
                if not (is_mask and is_show(name)) and not _hands_on(outer, inner):
                    return None
            case tree.Expression():
                return _End(is_mask)
            case tree.Field() | tree.Slice() | tree.Index():
                pass
            case tree.Binary() | tree.BoolOp() | tree.Unary() if is_mask:
                pass
            case _:
                return None
        inner = outer
    return None


def _hands_on(call: tree.Call, inner: Node) -> bool:
    """Return whether a call gives codes in another form, or puts one to the others."""
    name = last_name(call.function)
    is_gathered = name == "append" and inner is call.function
    return is_gathered or name.lower() in word_lists("features")["hands_on_codes"]
