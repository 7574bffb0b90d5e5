"""Loads a fitted model and says what it takes: a program that an executor runs.

The text of this file, with two lines that load the model after it, is the program; loading a pickle runs
code, so a model out of a file is loaded there alone. It imports nothing of fairlint.
"""

from __future__ import annotations

import importlib
import io
import os
import pickle
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MOST_CATEGORIES = 300
"""Categories of a column; more are not told."""
MODEL: Any = None
METHOD = "predict"
FACTS: dict[str, Any] = {}


class Graph:
    """An ONNX model, asked like one of scikit-learn."""

    def __init__(self, data: bytes) -> None:
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        self.inputs = self.session.get_inputs()
        self.outputs = [one.name for one in self.session.get_outputs()]
        widths = [one.shape[1] if len(one.shape) > 1 else 1 for one in self.inputs]
        if len(widths) > 1 or widths == [1]:
            wide = next(
                (one.name for one, width in zip(self.inputs, widths, strict=True) if width != 1), None
            )
            if wide is not None:
                raise ValueError(f"takes several columns as '{wide}': only one input each, or one for all")
            self.feature_names_in_ = [one.name for one in self.inputs]
        else:
            self.n_features_in_ = widths[0] if isinstance(widths[0], int) else None
        self.kinds = ["text" if "string" in one.type else "number" for one in self.inputs]

    def run(self, frame: Any, output: str) -> Any:
        """Return one output for all rows."""
        numpy = importlib.import_module("numpy")
        types = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(bool)": "bool"}
        fed = {}
        for one in self.inputs:
            cells = frame[one.name].to_numpy() if hasattr(self, "feature_names_in_") else frame
            text = one.type.removeprefix("tensor(").removesuffix(")")
            kind = object if text == "string" else types.get(one.type, text)
            cells = numpy.asarray(cells).astype(kind)
            fed[one.name] = cells.reshape(len(frame), -1) if len(one.shape) > 1 else cells.reshape(len(frame))
        result = self.session.run([output], fed)[0]
        is_column = getattr(result, "ndim", 1) == 2 and result.shape[1] == 1
        return result.reshape(-1) if is_column else result

    def predict(self, frame: Any) -> Any:
        """Return the first output."""
        return self.run(frame, self.outputs[0])

    def predict_proba(self, frame: Any) -> Any:
        """Return the output that is called after probabilities."""
        return self.run(frame, next(name for name in self.outputs if "prob" in name.lower()))


def loaded(data: bytes, form: str) -> Any:
    """Return the model in a file's bytes; one of `form` `pickle` may also be packed, as joblib does.

    Raises ValueError where there is none, ImportError and AttributeError for what it needs and is not there.
    """
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    try:
        if form == "onnx":
            return Graph(data)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = unpickle_model(data)
        versions = [getattr(one.message, "original_sklearn_version", None) for one in told]
        FACTS["saved_by"] = next((f"scikit-learn {one}" for one in versions if one), "")
        return model
    except (ImportError, AttributeError, MemoryError):
        raise
    except Exception as error:
        what = "ONNX model that can be run" if form == "onnx" else "model that joblib or pickle saved"
        raise ValueError(f"is no {what}: {type(error).__name__}: {error}") from None


def unpickle_model(data: bytes) -> Any:
    """Return what joblib or pickle saved."""
    try:
        joblib = importlib.import_module("joblib")
    except ImportError:
        return pickle.loads(data)  # noqa: S301 (in a sandbox)
    joblib.parallel_config(backend="sequential")
    return joblib.load(io.BytesIO(data))


def model_facts(model: Any, method: str) -> dict[str, Any]:
    """Return what a model says of itself: type, whether it has the method, names or number of its columns,
    their categories and kinds where it knows them, and what saved it.
    """
    names = getattr(model, "feature_names_in_", None)
    names = None if names is None else [str(name) for name in names]
    count = len(names) if names is not None else getattr(model, "n_features_in_", None)
    kinds = getattr(model, "kinds", None) if isinstance(model, Graph) else None
    callable_methods = [
        name
        for name in ("predict", "predict_proba", "decision_function")
        if callable(getattr(model, name, None))
    ]
    return {
        "type": type(model).__name__,
        "has": callable(getattr(model, method, None)),
        "methods": callable_methods,
        "count": None if count is None else int(count),
        "names": names,
        "kinds": dict(zip(names or (), kinds or (), strict=False)),
        "categories": dict(categories(model, names or [])),
        "saved_by": FACTS.get("saved_by", ""),
    }


def categories(model: Any, names: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    """Column → the values that an encoder of scikit-learn in the model was taught."""
    for name, encoder, of in _pipeline_parts(model, names):
        known = getattr(encoder, "categories_", None)
        if known is not None and len(known) == len(of):
            for column, values in zip(of, known, strict=True):
                if len(values) <= MOST_CATEGORIES and column in names:
                    yield column, list(values.tolist() if hasattr(values, "tolist") else values)
        elif name is not None:
            yield from categories(encoder, of)


def _pipeline_parts(model: Any, names: Sequence[str]) -> Iterator[tuple[str | None, Any, list[str]]]:
    """Yield the steps of a pipeline as long as each takes the columns, or the transformers of columns."""
    for name, transformer, columns in getattr(model, "transformers_", ()) or ():
        taken = (
            [columns] if isinstance(columns, str) else list(columns) if hasattr(columns, "__iter__") else []
        )
        if not isinstance(transformer, str):
            yield name, transformer, [names[one] if isinstance(one, int) else str(one) for one in taken]
    for name, step in getattr(model, "steps", ()) or ():
        if not isinstance(step, str):
            yield name, step, list(names)
        if getattr(step, "categories_", None) is not None or getattr(step, "transformers_", None):
            return
    if getattr(model, "categories_", None) is not None:
        yield None, model, list(names)


def about(what: str, place: int) -> Any:
    """Return what the loaded model says: of itself (`model`), or `name`, `categories` or `kinds` of one
    column.
    """
    facts = FACTS.get("told")
    if facts is None:
        facts = FACTS["told"] = model_facts(MODEL, METHOD)
    if what == "model":
        return [facts[key] for key in ("type", "has", "methods", "count", "saved_by")]
    names = facts["names"] or []
    if place >= len(names):
        return None
    return names[place] if what == "name" else facts[what].get(names[place])


def ask_model(model: Any, method: str, frame: Any) -> Any:
    """Return the model's answer for a data frame, whose columns it takes by name or in their order."""
    is_named = getattr(model, "feature_names_in_", None) is not None
    is_unknown = getattr(model, "n_features_in_", None) is None and not isinstance(model, Graph)
    return getattr(model, method)(frame if is_named or is_unknown else frame.to_numpy())


def decided(frame: Any) -> Any:
    """Return the loaded model's answer."""
    return ask_model(MODEL, METHOD, frame)
