"""What SQL can write in several ways, in the one that is read. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from fairlint.analyses.sql.nodes import Sql


def in_one_form(root: Sql) -> Sql:
    """Return a statement in which a field of JSON is a column, a row that is compared its parts, and `LIKE
    ANY` and `starts_with` are plain `LIKE`.
    """
    return root.transform(_normalize_node, copy=False)


def _normalize_node(node: Sql) -> Sql:
    form = _FORMS.get(type(node))
    return node if form is None else form(node) or node


def _normalize_json_field(node: Sql) -> Sql | None:
    """`data->>'gender'`: the field of that name."""
    path = node.expression
    keys = path.expressions[1:] if isinstance(path, exp.JSONPath) else ()
    if not keys or not all(isinstance(key, exp.JSONPathKey) and isinstance(key.this, str) for key in keys):
        return None
    table = node.this.name if isinstance(node.this, exp.Column) and len(keys) == 1 else None
    return exp.column(keys[-1].this, table=table)


def _by_parts(node: Sql) -> Sql | None:
    """`(gender, city) = ('male', 'x')`."""
    left, right = node.this, node.expression
    if not (isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)):
        return None
    if len(left.expressions) != len(right.expressions) or not left.expressions:
        return None
    pairs = zip(left.expressions, right.expressions, strict=True)
    return exp.paren(exp.and_(*(exp.EQ(this=one.copy(), expression=two.copy()) for one, two in pairs)))


def _expand_any(node: Sql) -> Sql | None:
    """`gender ILIKE ANY ('m', 'male')`."""
    if not isinstance(node.expression, exp.Any):
        return None
    inner = node.expression.this
    inner = inner.this if isinstance(inner, exp.Paren) else inner
    texts = inner.expressions if isinstance(inner, exp.Tuple | exp.Array) else [inner]
    if not all(isinstance(text, exp.Literal) for text in texts):
        return None
    tests = [type(node)(this=node.this.copy(), expression=text.copy()) for text in texts]
    return exp.paren(exp.or_(*tests))


def _rewrite_starts_with(node: Sql) -> Sql | None:
    """`starts_with(gender, 'm')`."""
    begin = node.expression
    if not (isinstance(begin, exp.Literal) and begin.is_string):
        return None
    return exp.Like(this=node.this.copy(), expression=exp.Literal.string(f"{begin.this}%"))


def _rewrite_glob(node: Sql) -> Sql | None:
    """SQLite's `gender GLOB 'm*'`."""
    text = node.expression
    if not (isinstance(text, exp.Literal) and text.is_string) or {*"[?%_"} & {*text.this}:
        return None
    return exp.Like(this=node.this.copy(), expression=exp.Literal.string(text.this.replace("*", "%")))


_FORMS: Mapping[type[Sql], Callable[[Sql], Sql | None]] = {
    exp.JSONExtractScalar: _normalize_json_field,
    exp.EQ: _by_parts,
    exp.Like: _expand_any,
    exp.ILike: _expand_any,
    exp.StartsWith: _rewrite_starts_with,
    exp.Glob: _rewrite_glob,
}
