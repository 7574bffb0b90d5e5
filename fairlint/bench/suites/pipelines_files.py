"""What is known of the file that a prompt of the suite `pipelines` tells of, and the text that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fairlint.bench.suites.pipelines_texts import KINDS, Kind
from fairlint.support.records import Record


class Told(Record):
    """What a prompt says of its file."""

    kind: Kind
    label: str
    columns: tuple[str, ...]
    """All but what is predicted."""
    protected: Mapping[str, tuple[str, ...]]
    """Attribute → the columns that hold it."""
    irrelevant: tuple[str, ...]


def told_text(told: Told) -> str:
    """Return what a prompt says as the text of `list`.

    >>> told_text(Told("model", "paid", ("income", "sex"), {"gender": ("sex",)}, ()))
    'kind=model; label=paid; columns=income, sex; gender=sex'
    """
    parts = {
        "kind": told.kind,
        "label": told.label,
        "columns": ", ".join(told.columns),
        **({"irrelevant": ", ".join(told.irrelevant)} if told.irrelevant else {}),
        **{name: ", ".join(columns) for name, columns in told.protected.items()},
    }
    return "; ".join(f"{name}={value}" for name, value in parts.items())


@lru_cache(maxsize=1024)
def read_told(text: str) -> Told | None:
    """Return what the text of `list` says; None where it says nothing of a file."""
    parts = dict(part.partition("=")[::2] for part in text.split("; ") if "=" in part)
    kind = parts.pop("kind", "")
    if kind not in KINDS or not {"label", "columns"} <= set(parts):
        return None
    label, columns = parts.pop("label"), _split_names(parts.pop("columns"))
    irrelevant = _split_names(parts.pop("irrelevant", ""))
    protected = {name: _split_names(value) for name, value in parts.items()}
    return Told(kind, label, columns, protected, irrelevant)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(", ")))
