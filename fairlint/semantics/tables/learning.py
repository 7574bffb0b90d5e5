"""Where a model is taught, and from what: `fit` and its like, pools, formulas, pipelines of columns.

What a model is given is recorded as `learn` events: its features as `Columns`; its labels, its weights and
the tests that chose its rows as values, so that groups can be compared on them like on any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, columns, feature_columns
from fairlint.semantics.tables.libraries import lexicon
from fairlint.semantics.values.symbolic import (
    Choice,
    Column,
    Columns,
    Const,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

OF_A_PIPELINE = "pipeline@"
"""What the origin of the columns begins with that the steps of a pipeline list."""


def _parameter_names(which: str) -> list[str]:
    return sorted(lexicon()[which])


def apply(call: Invocation) -> Value | None:
    """Return what a call does that teaches a model or prepares a table for one; None for any other."""
    for does in call.entry.does:
        if (handler := _BY_EFFECT.get(does)) is not None:
            return handler(call)
    return None


def _fit_result(call: Invocation) -> Value | None:
    """`model.fit(X, y)`; what the `fit` of a scaler gives is the scaler."""
    if isinstance(call.base, Columns) and call.base.origin.startswith(OF_A_PIPELINE):
        return call.base  # it learns how to change the columns that its steps list
    if isinstance(call.node.function, tree.Field):
        receiver = call.frame.text(call.node.function.value)
        is_guess = call.found.by_name and call.base is not None
        if is_guess and call.base is not None and _only_prepares(call.base, receiver):
            return call.base
    _emit_training_inputs(call, fits=True)
    return Opaque(call.frame.text(call.node))


def _prediction_result(call: Invocation) -> Value | None:
    _emit_training_inputs(call, fits=False)
    return Opaque(call.frame.text(call.node))


def _evaluation_result(call: Invocation) -> Value | None:
    """`cross_val_score(model, X, y)`."""
    _emit_training_inputs(replace(call, arguments=call.arguments[1:]), fits=True)
    return Opaque(call.frame.text(call.node))


def _column_list_result(call: Invocation) -> Value | None:
    """`VectorAssembler(inputCols=[...])`, `model.train(x=[...], y="hired", training_frame=people)`."""
    if not _names_features(call.node):
        places = [place for place in call.entry.places("argument") if isinstance(place, str)]
        given = [*call.arguments, *([] if (value := call.keyword(*places)) is None else [value])]
        named = [name for value in given for name in column_names.some_names(value)]
        if named and call.entry.places("argument"):  # `compose.Select("age", "gender")`, `Input(name="age")`
            _emit_learn_event(call.node, columns.of_names(named, "", call.node), "features", call.frame)
        return None
    _emit_training_inputs(call, fits=True)
    return Opaque(call.frame.text(call.node))


# ------------------------------------------------------------------------------------------------ teaching


def _emit_training_inputs(call: Invocation, *, fits: bool) -> None:
    """`fit(X, y, sample_weight=w)`; of what a model predicts from, only the features count."""
    node, frame = call.node, call.frame
    features = call.given("features", 0, *_parameter_names("features_named"))
    if features is not None:
        emit_features(node, features, frame, fits=fits)
    if fits:
        _emit_if_dependent(node, call.given("label", 1, *_parameter_names("labels_named")), "label", frame)
        _emit_if_dependent(node, call.given("weight", *_parameter_names("weights_named")), "weight", frame)
    formula = call.keyword("formula")
    if isinstance(formula, Const) and isinstance(formula.value, str):
        terms = formula.value.rpartition("~")[2]
        held = tuple(Column(name, formula.node or node) for name in formula_names(terms))
        _emit_learn_event(node, Columns("", node, held, complete=True), "features", frame)
    emit_listed_columns(node, frame)


def _emit_learn_event(node: Node, value: Value, target: str, frame: Frame) -> None:
    """Record what a model is given, and whether the call is known for one by its bare name only."""
    by_name = isinstance(node, tree.Call) and not qualified_names.qualified_name(node.function, frame)
    frame.emit("learn", node, value, target, by_name=by_name)


def emit_features(node: Node, value: Value, frame: Frame, *, fits: bool = True) -> None:
    """Record what a model is given, and by which tests its rows were chosen."""
    table = feature_columns.as_features(value, node)
    if table is None:
        return
    _emit_learn_event(node, table, "features", frame)
    if fits:
        for test in table.rows:
            _emit_if_dependent(node, test, "rows", frame)


def _emit_if_dependent(node: Node, value: Value | None, target: str, frame: Frame) -> None:
    if value is not None and frame.program.dependence.on_any(value):
        _emit_learn_event(node, value, target, frame)


def _names_features(node: tree.Call) -> bool:
    """Return whether a call that may be anything (`train`, `setup`) is told about features by a keyword."""
    return any(
        key in lexicon()["feature_keywords"] or key in {"X", "training_frame"} for key, _ in node.keywords
    )


def emit_listed_columns(node: tree.Call, frame: Frame) -> None:
    """Columns that a call is told by name: `VectorAssembler(inputCols=[...])`, `train(x=[...])`."""
    for key, given in node.keywords:
        if key in lexicon()["feature_keywords"]:
            named = column_names.some_names(frame.evaluate(given))
            if named:
                _emit_learn_event(node, columns.of_names(named, "", node), "features", frame)


def _wrapped_table(call: Invocation) -> Value:
    """`xgb.DMatrix(X, label=y)`: the table that it wraps."""
    arguments = call.arguments
    if len(arguments) == 1 and isinstance(arguments[0], Sequence) and call.entry.places("argument"):
        call = replace(call, arguments=arguments[0].items)  # `from_tensor_slices((X, y))`
    features = call.given("features", 0, *_parameter_names("features_named"))
    _emit_training_inputs(call, fits=True)
    table = None if features is None else feature_columns.as_features(features, call.node)
    return table if table is not None else Opaque(call.frame.text(call.node))


def _split_result(call: Invocation) -> Value | None:
    """`train_test_split(X, y)`: each part twice. What is split off a label is what a model gets."""
    node = call.node
    parts = [argument for argument in call.arguments if not isinstance(argument, Const)]
    if not parts:
        return None
    for part in parts[: _feature_count(node, len(parts))]:
        if (table := feature_columns.as_features(part, node)) is not None and table.held:
            _emit_learn_event(node, table, "features", call.frame)
    halves = [columns.gone_on(part, node) if isinstance(part, Columns) else part for part in parts]
    return Sequence(tuple(half for part in halves for half in (part, part)), node)


def _feature_count(node: tree.Call, parts: int) -> int:
    """Return how many of the parts that are split are features: the first, or all before what is called a
    label.
    """
    last = node.arguments[-1] if node.arguments else None
    words = split_words(last.id) if isinstance(last, tree.Name) else ()
    return parts - 1 if parts < 3 or not {*_parameter_names("labels_named")}.isdisjoint(words) else 1


# ------------------------------------------------------------------------------------------------ preparing


def _only_prepares(base: Value, receiver: str) -> bool:
    """Return whether a receiver of `fit` is a scaler, an encoder and the like."""
    text = base.key if isinstance(base, Opaque) else receiver
    head = text.partition("(")[0].rpartition(".")[2] or receiver
    words = split_words(head)
    lists = lexicon()
    return bool(words) and not lists["prepare"].isdisjoint(words) and lists["judge"].isdisjoint(words)


def _prepared_features(call: Invocation) -> Value | None:
    """`scaler.fit_transform(X)`: the same columns in another form."""
    if isinstance(call.base, Columns) and call.base.origin.startswith(OF_A_PIPELINE):
        return call.base  # the columns that its steps list, and no others
    node, arguments = call.node, call.arguments
    value = call.given("features", 0, *_parameter_names("features_named"))
    if value is None:
        return None
    table: Value | None = value if isinstance(value, Protected) else feature_columns.as_features(value, node)
    if table is None:
        return None
    if isinstance(value, Sequence) and call.entry.places("arguments") == ():
        return value  # `encoder.transform([person.gender])[0]`
    if len(call.entry.places("arguments")) > 1 and len(arguments) > 1:  # both are handed on
        return Sequence((table, arguments[1]), node)
    return columns.gone_on(table, node) if isinstance(table, Columns) else table


def _pipeline_columns(call: Invocation) -> Value:
    """`ColumnTransformer([("cat", OneHotEncoder(), ["sex"]), ...])`: the columns each step takes."""
    node, frame = call.node, call.frame
    held: list[Column] = []
    given = [*call.arguments, *(frame.evaluate(value) for key, value in node.keywords if key != "remainder")]
    form = call.entry.given.get("form", "")
    depth, place = int(form == "steps"), 0 if form == "columns" else -1
    for value in (part for whole in given for part in _summed_lists(whole)):
        is_list = isinstance(value, Sequence) and not any(isinstance(one, Sequence) for one in value.items)
        named = column_names.names_of(value) if is_list else None
        if named is not None:  # `ColumnSelector(["race", "city"])`
            held.extend(Column(str(name.value), name.node or node) for name in named)
            continue
        held.extend(_step_columns(value, node, depth, place=place))
    table = Columns(f"{OF_A_PIPELINE}{node.span.start}", node, tuple(held), complete=True)
    if held:
        _emit_learn_event(node, table, "features", frame)
    rest = keyword(node, "remainder")
    passes_on = isinstance(rest, tree.Literal) and rest.value == "passthrough"
    return table if held and not passes_on else Opaque(frame.text(node))


def _summed_lists(value: Value) -> Iterator[Value]:
    """Yield the lists that one is put together of: `[("num", scale, numeric)] + steps`."""
    if isinstance(value, Operation) and value.op == "+":
        for side in value.arguments:
            yield from _summed_lists(side)
    else:
        yield value


def _step_columns(value: Value, node: Node, depth: int = 0, *, place: int = -1) -> list[Column]:
    """Return the columns that a step, or each of several, takes; they stand at one place of it."""
    if isinstance(value, Columns | Choice):
        return _listed_columns(value, node, depth, place)
    if isinstance(value, Const) and isinstance(value.value, str) and depth == 0:
        return [Column(value.value, value.node or node)]
    if not isinstance(value, Sequence) or depth > 2:
        return []
    named = column_names.names_of(value)
    if named is not None and depth > 1:
        return [Column(str(name.value), name.node or node) for name in named]
    if depth == 1 and len(value.items) >= 2:  # a step: a name, what it does, and its columns
        if any(isinstance(item, Const) and item.value == "drop" for item in value.items[:-1]):
            return []
        last = value.items[place]
        if isinstance(last, Const) and isinstance(last.value, str):
            return [Column(last.value, last.node or node)]
        return _step_columns(last, node, 2)
    return [column for one in value.items for column in _step_columns(one, node, depth + 1, place=place)]


def _listed_columns(value: Columns | Choice, node: Node, depth: int, place: int) -> list[Column]:
    """Return the columns of a list that goes on in a way that nobody knows, or that a branch may replace."""
    if isinstance(value, Columns):
        return [column for column in value.held if value.complete or column.form == "plain"]
    every = [column for one in either(value) for column in _step_columns(one, node, depth, place=place)]
    return list({column.name: column for column in every}.values())


# ------------------------------------------------------------------------------------------------ formulas


def _formula_result(call: Invocation) -> Value | None:
    """`ols("pay ~ age + C(sex)", data=df)`: the terms right of the tilde are features."""
    node, frame = call.node, call.frame
    given = [*call.arguments, *(frame.evaluate(value) for _, value in node.keywords)]
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
        _emit_learn_event(node, table, "features", frame)
    data = next((value for value in given if isinstance(value, Columns)), None)
    for test in data.rows if data is not None else ():
        _emit_if_dependent(node, test, "rows", frame)
    if call.entry.given.get("form") == "both" and held:
        return Sequence((Opaque(f"{frame.text(node)}[0]"), table), node)
    return Opaque(frame.text(node))


def formula_names(terms: str) -> list[str]:
    """Return the names of columns in the terms of a formula, functions and numbers left out."""
    added = re.sub(r"-\s*[\w.]+", " ", terms)  # what is taken out again
    added = re.sub(r"(\bC\(\s*[\w.]+)\s*,[^()]*(?:\([^()]*\)[^()]*)?\)", r"\1)", added)  # how it is coded
    found = [
        quoted or name
        for name, quoted in re.findall(r"([A-Za-z_][\w.]*)(?!\w*\s*\()|Q\(['\"]([^'\"]+)", added)
    ]
    return list(dict.fromkeys(found))


_BY_EFFECT: Mapping[str, Callable[[Invocation], Value | None]] = {
    "learns": _fit_result,
    "predicts": _prediction_result,
    "evaluates": _evaluation_result,
    "prepares": _prepared_features,
    "wraps": _wrapped_table,
    "splits": _split_result,
    "formula": _formula_result,
    "lists columns": _column_list_result,
    "pipeline": _pipeline_columns,
}
