"""Where a model is taught, and from what: `fit` and its like, pools, formulas, pipelines of columns.

What a model is given is recorded as `learn` events: its features as `Columns`; its labels, its weights and
the tests that chose its rows as values, so that groups can be compared on them like on any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fairlint.lexicon.words import split_words
from fairlint.semantics import names
from fairlint.semantics.arguments import keyword
from fairlint.semantics.frame import Frame
from fairlint.semantics.tables import columns
from fairlint.semantics.tables.libraries import has_tables, lexicon
from fairlint.semantics.values import Closure, Column, Columns, Const, Opaque, Protected, Sequence, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

FEATURES = (
    "X",
    "x",
    "data",
    "features",
    "exog",
    "train_data",
    "X_train",
    "training_data",
    "dataset",
    "inputs",
    "input",
)
LABELS = ("y", "label", "labels", "target", "targets", "endog", "y_train")
OF_A_PIPELINE = "pipeline@"
"""What the origin of the columns begins with that the steps of a pipeline list."""
WEIGHTS = ("sample_weight", "sample_weights", "weight", "weights", "freq_weights", "var_weights")


def method(
    node: tree.Call, function: tree.Field, base: Value, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """What a method gives that teaches a model or prepares a table for one; None for any other."""
    if not has_tables(frame):
        return None
    words, name = lexicon(), function.name
    if name in words["prepare.methods"]:
        if isinstance(base, Columns) and base.origin.startswith(OF_A_PIPELINE):
            return base  # the columns that its steps list, and no others
        return _prepared(node, name, arguments, frame)
    receiver = frame.text(function.value)
    if (found := of_module(node, name, receiver, arguments, frame)) is not None:
        return found
    if name in words["fit"] or name in words["fit.with_table"]:
        if _only_prepares(base, receiver):
            return base
        if name not in words["fit"] and not _names_features(node):
            return None
        _taught(node, arguments, frame, fits=not name.startswith(("predict", "decision", "kneighbors")))
        return Opaque(frame.text(node))
    return None


def of_module(
    node: tree.Call, name: str, receiver: str, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """`xgb.DMatrix(X, label=y)`, `sm.OLS(y, X)`, `smf.ols("y ~ x", data=df)` and functions of that kind."""
    words = lexicon()
    if name in words["pools"]:
        common = name in {"Dataset", "Pool"}
        if not common or receiver in words["pools.modules"] or (not receiver and name == "Pool"):
            return _pooled(node, arguments, frame)
    if name == "from_tensor_slices" and arguments:
        given = arguments[0].items if isinstance(arguments[0], Sequence) else arguments
        _taught(node, tuple(given), frame, fits=True)
        return columns.as_features(given[0], node) if given else None
    if name in words["estimators"]:
        return _estimated(node, arguments, frame)
    if name in words["formulas"]:
        return _formula(node, arguments, frame)
    if name in words["fit.functions"]:
        _taught(node, arguments[1:], frame, fits=True)
        return Opaque(frame.text(node))
    if name in words["set_up"] and not receiver and keyword(node, "target") is not None:
        data = _given(node, ("data",), frame) or (arguments[0] if arguments else None)
        if data is not None:
            emit_features(node, data, frame)
        return Opaque(frame.text(node))
    if name in words["splits"]:
        return _split(node, arguments, frame)
    if name in words["vectors"]:
        _listed(node, frame)
        return Opaque(frame.text(node))
    if name in words["indexers"]:
        _indexed(node, frame)
        return Opaque(frame.text(node))
    if name in words["transformers"]:
        return _pipeline_columns(node, arguments, frame)
    if name == "FunctionTransformer" and arguments and isinstance(arguments[0], Closure):
        chosen = frame.inline(arguments[0], node, (Columns(f"given@{node.span.start}", node),))
        if isinstance(chosen, Columns) and chosen.complete:
            _learnt(node, chosen, "features", frame)
        return Opaque(frame.text(node))
    if name == "add_constant" and arguments:
        return arguments[0]
    if name == "Select" and receiver == "compose" and arguments:
        listed = [name for value in arguments for name in columns.some_names(value)]
        _learnt(node, columns.of_names(listed, "", node), "features", frame)
    if name == "create" and receiver == "OmegaConf" and arguments:
        return arguments[0]
    return None


def function(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """The same for a function that is called by its bare name."""
    return of_module(node, name, "", arguments, frame) if has_tables(frame) else None


# ------------------------------------------------------------------------------------------------ teaching


def _taught(node: tree.Call, arguments: tuple[Value, ...], frame: Frame, *, fits: bool) -> None:
    """`fit(X, y, sample_weight=w)`; of what a model predicts from, only the features count."""
    features = arguments[0] if arguments else _given(node, FEATURES, frame)
    if features is not None:
        emit_features(node, features, frame, fits=fits)
    if fits:
        label = arguments[1] if len(arguments) > 1 else _given(node, LABELS, frame)
        _emit(node, label, "label", frame)
        _emit(node, _given(node, WEIGHTS, frame), "weight", frame)
    formula = _given(node, ("formula",), frame)
    if isinstance(formula, Const) and isinstance(formula.value, str):
        terms = formula.value.rpartition("~")[2]
        held = tuple(Column(name, formula.node or node) for name in formula_names(terms))
        _learnt(node, Columns("", node, held, complete=True), "features", frame)
    _listed(node, frame)


def _learnt(node: Node, value: Value, target: str, frame: Frame) -> None:
    """Records what a model is given, and whether the call is known for one by its bare name only."""
    by_name = isinstance(node, tree.Call) and not names.qualified(node.function, frame)
    frame.emit("learn", node, value, target, by_name=by_name)


def emit_features(node: Node, value: Value, frame: Frame, *, fits: bool = True) -> None:
    """Records what a model is given, and by which tests its rows were chosen."""
    table = columns.as_features(value, node)
    if table is None:
        return
    _learnt(node, table, "features", frame)
    if fits:
        for test in table.rows:
            _emit(node, test, "rows", frame)


def _emit(node: Node, value: Value | None, target: str, frame: Frame) -> None:
    if value is not None and frame.program.dependence.on_any(value):
        _learnt(node, value, target, frame)


def _given(node: tree.Call, keywords: Iterable[str], frame: Frame) -> Value | None:
    for name in keywords:
        if (found := keyword(node, name)) is not None:
            return frame.evaluate(found)
    return None


def _names_features(node: tree.Call) -> bool:
    """Whether a call that may be anything (`train`, `setup`) is told about features by a keyword."""
    return any(
        key in lexicon()["vectors.keywords"] or key in {"X", "training_frame"} for key, _ in node.keywords
    )


def _listed(node: tree.Call, frame: Frame) -> None:
    """Columns that a call is told by name: `VectorAssembler(inputCols=[...])`, `train(x=[...])`."""
    for key, given in node.keywords:
        if key in lexicon()["vectors.keywords"]:
            named = columns.some_names(frame.evaluate(given))
            if named:
                _learnt(node, columns.of_names(named, "", node), "features", frame)


def _indexed(node: tree.Call, frame: Frame) -> None:
    """`StringIndexer(inputCol="sex", outputCol="sex_index")`: codes of a column, under another name."""
    for old, new in (("inputCol", "outputCol"), ("inputCols", "outputCols")):
        before, after = (_given(node, (key,), frame) for key in (old, new))
        if before is None or after is None:
            continue
        for one, other in zip(columns.some_names(before), columns.some_names(after), strict=False):
            frame.program.renamed.setdefault(str(other.value), (str(one.value), one.node or node))


def _pooled(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value:
    features = arguments[0] if arguments else _given(node, FEATURES, frame)
    _taught(node, arguments, frame, fits=True)
    table = None if features is None else columns.as_features(features, node)
    return table if table is not None else Opaque(frame.text(node))


def _estimated(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value:
    """`OLS(outcome, features)`."""
    features = arguments[1] if len(arguments) > 1 else _given(node, ("exog",), frame)
    if features is not None:
        emit_features(node, features, frame)
    _emit(node, arguments[0] if arguments else _given(node, ("endog",), frame), "label", frame)
    return Opaque(frame.text(node))


def _split(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`train_test_split(X, y)`: each part twice. What is split off a label is what a model gets."""
    parts = [argument for argument in arguments if not isinstance(argument, Const)]
    if not parts:
        return None
    if len(parts) > 1 and (table := columns.as_features(parts[0], node)) is not None and table.held:
        _learnt(node, table, "features", frame)
    halves = [columns.gone_on(part, node) if isinstance(part, Columns) else part for part in parts]
    return Sequence(tuple(half for part in halves for half in (part, part)), node)


# ------------------------------------------------------------------------------------------------ preparing


def _only_prepares(base: Value, receiver: str) -> bool:
    """Whether a receiver of `fit` is a scaler, an encoder and the like."""
    text = base.key if isinstance(base, Opaque) else receiver
    head = text.partition("(")[0].rpartition(".")[2] or receiver
    words = split_words(head)
    return bool(words) and not lexicon()["prepare"].isdisjoint(words) and "pipeline" not in words


def _prepared(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`scaler.fit_transform(X)`: the same columns in another form."""
    value = arguments[0] if arguments else _given(node, FEATURES, frame)
    if value is None:
        return None
    table: Value | None = value if isinstance(value, Protected) else columns.as_features(value, node)
    if table is None:
        return None
    if name in {"fit_resample", "fit_sample"} and len(arguments) > 1:
        return Sequence((table, arguments[1]), node)
    return columns.gone_on(table, node) if isinstance(table, Columns) else table


def _pipeline_columns(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value:
    """`ColumnTransformer([("cat", OneHotEncoder(), ["sex"]), ...])`: the columns each step takes."""
    held: list[Column] = []
    given = [*arguments, *(frame.evaluate(value) for _, value in node.keywords)]
    steps = _made_of_steps(node)
    for value in given:
        named = columns.names_of(value) if isinstance(value, Sequence) else None
        if named is not None:  # `ColumnSelector(["race", "city"])`
            held.extend(Column(str(name.value), name.node or node) for name in named)
            continue
        held.extend(_step_columns(value, node, 1 if steps else 0))
    table = Columns(f"{OF_A_PIPELINE}{node.span.start}", node, tuple(held), complete=True)
    if held:
        _learnt(node, table, "features", frame)
    rest = keyword(node, "remainder")
    passes_on = isinstance(rest, tree.Literal) and rest.value == "passthrough"
    return table if held and not passes_on else Opaque(frame.text(node))


def _is_mapper(node: Node) -> bool:
    """Whether a step says its columns first: `DataFrameMapper([("sex", LabelBinarizer()), ...])`."""
    function = node.function if isinstance(node, tree.Call) else None
    return "DataFrameMapper" in {getattr(function, "name", ""), getattr(function, "id", "")}


def _made_of_steps(node: tree.Call) -> bool:
    """Whether each argument is a step: `make_column_transformer((OneHotEncoder(), ["sex"]), ...)`."""
    name = node.function.name if isinstance(node.function, tree.Field) else getattr(node.function, "id", "")
    return name == "make_column_transformer"


def _step_columns(value: Value, node: Node, depth: int = 0) -> list[Column]:
    if isinstance(value, Columns):
        return [column for column in value.held if value.complete]
    if isinstance(value, Const) and isinstance(value.value, str) and depth == 0:
        return [Column(value.value, value.node or node)]
    if not isinstance(value, Sequence) or depth > 2:
        return []
    named = columns.names_of(value)
    if named is not None and depth > 1:
        return [Column(str(name.value), name.node or node) for name in named]
    if depth == 1 and len(value.items) >= 2:  # a step: a name, what it does, and its columns
        if any(isinstance(item, Const) and item.value == "drop" for item in value.items[:-1]):
            return []
        last = value.items[0] if _is_mapper(node) else value.items[-1]
        if isinstance(last, Const) and isinstance(last.value, str):
            return [Column(last.value, last.node or node)]
        return _step_columns(last, node, 2)
    return [column for item in value.items for column in _step_columns(item, node, depth + 1)]


# ------------------------------------------------------------------------------------------------ formulas


def _formula(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`ols("pay ~ age + C(sex)", data=df)`: the terms right of the tilde are features."""
    given = [*arguments, *(frame.evaluate(value) for _, value in node.keywords)]
    text = next(
        (
            value
            for value in given
            if isinstance(value, Const) and isinstance(value.value, str) and "~" in value.value
        ),
        None,
    )
    if text is None:
        return None
    outcome, _, terms = str(text.value).partition("~")
    place = text.node or node
    held = tuple(Column(name, place) for name in formula_names(terms))
    table = Columns(f"formula@{outcome.strip()}@{node.span.start}", node, held, complete=True)
    if held:
        _learnt(node, table, "features", frame)
    data = next((value for value in given if isinstance(value, Columns)), None)
    for test in data.rows if data is not None else ():
        _emit(node, test, "rows", frame)
    if frame.text(node.function).endswith("dmatrices") and held:
        return Sequence((Opaque(f"{frame.text(node)}[0]"), table), node)
    return Opaque(frame.text(node))


def formula_names(terms: str) -> list[str]:
    """The names of columns in the terms of a formula, functions and numbers left out."""
    added = re.sub(r"-\s*[\w.]+", " ", terms)  # what is taken out again
    added = re.sub(r"(\bC\(\s*[\w.]+)\s*,[^()]*(?:\([^()]*\)[^()]*)?\)", r"\1)", added)  # how it is coded
    found = [
        quoted or name
        for name, quoted in re.findall(r"([A-Za-z_][\w.]*)(?!\w*\s*\()|Q\(['\"]([^'\"]+)", added)
    ]
    return list(dict.fromkeys(found))
