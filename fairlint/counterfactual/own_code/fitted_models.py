"""Fitted models as a command line names them."""

from __future__ import annotations

from pathlib import PurePath

from fairlint.counterfactual.executors.choosing import PYTHONS
from fairlint.counterfactual.models import FORMS, Facts, Saved, unknown_values
from fairlint.counterfactual.population import Population
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file

LARGEST_MODEL = 200_000_000
"""Bytes of a model's file."""


def is_model(place: str) -> bool:
    """Return whether a fitted model is named, as `model.joblib` or `model.joblib:predict_proba`."""
    return _model_format(place) is not None or _model_format(place.rpartition(":")[0]) is not None


def load_model(place: str, executor: str, *, packages: bool) -> Saved:
    """Return the model that is named, and what its file holds.

    Raises UsageError where the executor cannot load it (to load one runs code, so that has to be asked for),
    the method is no name, or the file cannot be read.
    """
    form = _model_format(place)
    path, method = (place, "predict") if form else (place.rpartition(":")[0], place.rpartition(":")[2])
    form = form or _model_format(path)
    assert form is not None, "is_model says so"
    if not method.isidentifier() or method.startswith("_"):
        raise UsageError(f"{place!r} names no method: write {path} or {path}:predict_proba")
    if executor not in PYTHONS or not packages:
        raise UsageError(
            f"{path}: a fitted model needs installed packages, and to load it may run code: "
            "--executor process --packages does so under the system's limits"
        )
    try:
        return Saved(path, method, form, read_file(path, LARGEST_MODEL))
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None


def _model_format(path: str) -> str | None:
    return FORMS.get(PurePath(path).suffix.lower())


def notes(facts: Facts, population: Population) -> tuple[str, ...]:
    """Return what a reader of the model's figures has to know, a sentence each."""
    by_others = (f"The model was saved by {facts.saved_by}, and another release runs it.",)
    return (*(by_others if facts.saved_by else ()), *unknown_values(facts, population.columns))
