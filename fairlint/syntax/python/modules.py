"""What the bytes of a Python module say of its imports and its top-level names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.support.expressions import lazy_expression
from fairlint.syntax.outline import Imported, Modules
from fairlint.syntax.tokens import Tokens

_IMPORT = lazy_expression(
    rb"^(?P<indent>[ \t]*)(?:lazy[ \t]+)?"
    rb"(?:from[ \t]+(?P<module>[.\w]+(?:[ \t]*\.[ \t]*\w+)*)[ \t]+import[ \t]*"
    rb"(?P<names>\([^)]*\)|(?:[^\n\\;#(]|\\\r?\n)+)|import[ \t]+(?P<modules>(?:[^\n\\;#]|\\\r?\n)+))",
    re.MULTILINE,
)
_COMMENT = lazy_expression(rb"#[^\n]*")
_LINE_START = lazy_expression(rb"\n[^\n\r]")
_TOP = (
    rb"\n(?:(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<defined>\w+)"
    rb"|(?P<assigned>(?:\w+[ \t]*,[ \t]*)*\w+)[ \t]*(?::[^=\n]*)?[-+|]?=(?!=)"
    rb"|(?P<changed>\w+)(?:\.(?:append|extend|update|insert|add|remove)\(|\[[^\]\n]*\][ \t]*=(?!=))"
    rb"|(?P<block>if|try|with|else|elif|except|finally|for|while)\b|[^\s#)\]}'\"])"
)
"""In a source behind one line break: with `^`, every byte would be tried."""
_METHOD = rb"(?m)^[ \t]+(?:@|(?:async[ \t]+)?def[ \t])"
"""Where the fields of a class end, which are what it is followed for."""
_INSIDE = rb"(?m)^[ \t]+()(?:(?:async[ \t]+)?(def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=))"


_WORTH_ALONE = (
    b".fit", b".predict", b".train(", b"Matrix(", b"Dataset(", b"Pool(", b"Assembler(", b"from_formula(",
    b"(formula", b"train_test_split(", b"read_csv(", b"read_parquet(", b"read_excel(", b"read_sql",
    b".execute(", b"completions", b".invoke(", b".generate(", b"messages=", b"contents=", b".model_dump(",
    b".dict(", b"asdict(", b"astuple(",
)  # fmt: skip
_ROWS = (
    rb"\.[ \t]*(?:fit|predict|predict_proba)[ \t]*\(|\bDataFrame[ \t]*\("
    rb"|\b(?:get_dummies|ColumnTransformer)[ \t]*\(|\w\[[ \t]*\w*(?:columns|cols|features)[ \t]*\]"
)
_SPEAKS = rb"""(?i)prompt|completions|\.invoke\(|\.generate\w*\(|["']role["'][ \t]*:"""
_LABELS = lazy_expression(rb"\b(?:feature|column|target|class)_names[ \t]*=[ \t]*\[[^\[\]]*\]")
_FIELD_LISTS = lazy_expression(rb"\.\w+[ \t]*(?::[^=\n]*)?=[ \t]*[\[({][^\])}]*")


def imports_in(data: bytes) -> Iterator[Imported]:
    """Yield the import statements of a source, as far as they look like ones."""
    for found in _import_statements(data):
        certain = not found["indent"]
        if found["modules"] is not None:
            for part in _COMMENT.sub(b"", found["modules"]).replace(b"\\", b"").split(b","):
                words = part.decode("utf-8", "replace").split()
                if len(words) == 1 or (len(words) == 3 and words[1] == "as"):
                    yield Imported(words[0], (), words[-1], found.start(), certain)
            continue
        module = b"".join(found["module"].split()).decode("utf-8", "replace")
        names = []
        for part in _COMMENT.sub(b"", found["names"]).strip(b"()").replace(b"\\", b"").split(b","):
            words = part.decode("utf-8", "replace").strip("() \t\r\n").split()
            if len(words) == 1 or (len(words) == 3 and words[1] == "as"):
                names.append((words[0], words[-1]))
        if names:
            yield Imported(module, tuple(names), "", found.start(), certain)


def _import_statements(data: bytes) -> Iterator[re.Match[bytes]]:
    """As `_IMPORT.finditer`, which would try every byte."""
    end = 0
    at = data.find(b"import")
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        found = _IMPORT.match(data, start) if start >= end else None
        if found is not None:
            yield found
            end = found.end()
        at = data.find(b"import", max(at + 1, end))


Stretch = tuple[int, int]


def top_level(
    data: bytes, tokens: Tokens
) -> tuple[dict[bytes, list[Stretch]], dict[bytes, bytes], dict[bytes, Stretch]]:
    """Return the top-level names with their stretches, which of them are functions (`def`) or classes, and
    where the methods of the classes stand.
    """
    method_at, inside_at = re.compile(_METHOD).search, re.compile(_INSIDE).finditer
    found = [*re.finditer(_TOP, b"\n" + _without_long_texts(data, tokens))]
    names: dict[bytes, list[Stretch]] = {}
    kinds: dict[bytes, bytes] = {}
    methods: dict[bytes, Stretch] = {}
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(data)
        span = (one.start(), end)
        if one["kind"] == b"class" and (method := method_at(data, *span)) is not None:
            span = (span[0], method.start())
            methods[one["defined"]] = (method.start(), end)
        if one["defined"]:
            names.setdefault(one["defined"], []).append(span)
            kinds[one["defined"]] = one["kind"]
        elif one["assigned"]:
            for name in one["assigned"].split(b","):
                names.setdefault(name.strip(), []).append(span)
        elif one["changed"]:
            names.setdefault(one["changed"], []).append(span)
        elif one["block"]:
            inside = [*inside_at(data, *span)]
            least = min((inner.start(1) - inner.start() for inner in inside), default=0)
            inside = [inner for inner in inside if inner.start(1) - inner.start() == least]
            for order, inner in enumerate(inside):
                stop = inside[order + 1].start() if order + 1 < len(inside) else end
                names.setdefault(inner[3] or inner[4], []).append((inner.start(), stop))
                if inner[2]:
                    kinds[inner[3]] = inner[2]
    return names, kinds, methods


def _without_long_texts(data: bytes, tokens: Tokens) -> bytes:
    """Return the same with indented lines in long texts, so that none of them looks like a statement."""
    if b'"""' not in data and b"'''" not in data:
        return data

    pieces: list[bytes] = []
    done = 0
    for found in tokens.expression.finditer(data):
        start, end = found.span()
        if found.lastindex is None and data.find(b"\n", start, end) >= 0:
            pieces += data[done:start], _LINE_START.sub(b"\n ", data[start:end])
            done = end
    return b"".join((*pieces, data[done:]))


MODULES = Modules(
    imports=imports_in,
    names=top_level,
    package="__init__",
    worth_alone=_WORTH_ALONE,
    rows=_ROWS,
    speaks=_SPEAKS,
    labels=_LABELS,
    field_lists=_FIELD_LISTS,
)
