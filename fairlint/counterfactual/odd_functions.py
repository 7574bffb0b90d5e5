"""Functions that there is no sense in calling with a person, and why, read off the syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fairlint.counterfactual.record_reads import aliases
from fairlint.counterfactual.signatures import annotation, decorators
from fairlint.syntax.python.own_tree import Function, body_of, nodes_in, scope_nodes

_OF_FRAMES = frozenset(
    "agg aggregate astype drop_duplicates dropna fillna groupby iloc iterrows itertuples loc melt nlargest "
    "nsmallest pivot pivot_table reset_index select_dtypes set_index sort_values to_numpy".split()
)
"""What data frames are asked for, and no person."""
_OF_COLUMNS = frozenset(
    "apply astype between cumsum dt fillna isin isna isnull iloc loc map mean median nlargest notna notnull "
    "nunique quantile rank std str sum tolist to_numpy transform unique value_counts where".split()
)
"""What a column is asked for, and no value of one person."""


def reason_against_call(function: Function, entry: str) -> str:
    """Return why a function gives no decision when it is called; empty where nothing speaks against it."""
    if any(isinstance(each, ast.Name) and each.id == "property" for each in decorators(function)):
        return f"{entry} is a property, which is not called: name a function or a method"
    if isinstance(function, ast.AsyncFunctionDef):
        return f"{entry} is async, which is not run: name a function that returns its decision"
    if _is_generator(function):
        return f"{entry} is a generator, whose values nobody takes: let it return its decision"
    return ""


def _is_generator(function: Function) -> bool:
    """Return whether a function yields, or returns nothing but generators."""
    own = list(scope_nodes(*body_of(function)))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return True
    if isinstance(function, ast.Lambda):
        return isinstance(function.body, ast.GeneratorExp)
    returned = [node.value for node in own if isinstance(node, ast.Return)]
    return bool(returned) and all(isinstance(value, ast.GeneratorExp) for value in returned)


def frame_sign(function: Function, parameter: str) -> str:
    """Return what says that a parameter is a data frame, as code has it (`df.groupby`); empty where nothing
    does.

    A function that asks what it was given (`isinstance(data, pd.DataFrame)`) may take a person, too.
    """
    kind = annotation(function, parameter)
    if kind is not None and "DataFrame" in {part.strip("'\"") for part in _annotation_names(kind)}:
        return f"{parameter}: {ast.unparse(kind)}"
    names = aliases(function, parameter)
    nodes = [node for part in body_of(function) for node in nodes_in(part)]
    if any(_asks_kind(node, names) for node in nodes):
        return ""
    return next((ast.unparse(node) for node in nodes if _is_of_frame(node, names)), "")


def _annotation_names(kind: ast.expr) -> Iterator[str]:
    """Yield the names in what a parameter is said to be, without what is in brackets behind another name."""
    match kind:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Constant(value=str(text)):
            yield text.rpartition(".")[2]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from (*_annotation_names(left), *_annotation_names(right))
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            yield from _annotation_names(inner)
        case ast.Subscript(value=value):
            yield from _annotation_names(value)
        case _:
            pass


def _asks_kind(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr"), args=[ast.Name(id=name), *_]):
            return name in names
        case _:
            return False


def _is_of_frame(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=asked) if name in names:
            return asked in _OF_FRAMES
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)), attr=asked) if name in names:
            return asked in _OF_COLUMNS
        case ast.Attribute(value=ast.Compare() as compared, attr=asked):  # (df["age"] > 30).mean()
            return asked in _OF_COLUMNS and _has_any_name(compared, names)
        case ast.Subscript(value=ast.Name(id=name), slice=chosen) if name in names:  # df[df["age"] > 30]
            return isinstance(chosen, ast.List) or (
                isinstance(chosen, ast.Compare | ast.BinOp | ast.UnaryOp) and _has_any_name(chosen, names)
            )
        case _:
            return False


def _has_any_name(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in nodes_in(node))
