"""Asks a fitted model about many people at once: one data frame, one call, an outcome for each row.

This file is loaded as text by the child that runs programs, so it imports nothing of fairlint. Where a call
fails because of some people, it is found out of whom: a model refuses a value it was never taught.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

ALONE = 24
"""People who are tried alone, to find one of whom the model can be asked."""
HALVINGS = 2_000
"""Calls for parts of those whom the model refuses, though none of their values; beyond, all are refused."""
DIGITS = {2: 3, 4: 5, 8: 9}
"""Bytes of a real number → digits that are compared; the last ones hang on who else is asked about."""


def frame_of(names: Sequence[str], columns: Sequence[Any], rows: Any = None) -> Any:
    """Return a pandas data frame of coded columns (distinct cells, and each row's place among them)."""
    import numpy  # noqa: PLC0415 (where a model is asked)
    import pandas  # noqa: PLC0415 (the same)

    made = {}
    for name, (cells, codes) in zip(names, columns, strict=True):
        places = numpy.asarray(codes, dtype=numpy.int64)
        made[name] = pandas.Series(cells).array.take(places if rows is None else places[rows])
    return pandas.DataFrame(made)


def values_of(result: Any, count: int) -> list[Any]:
    """Return a model's answer as plain values, one for each row. Raises ValueError where it is not one for
    each.
    """
    if hasattr(result, "to_numpy"):
        result = result.to_numpy()
    size = getattr(getattr(result, "dtype", None), "itemsize", 8)
    digits = DIGITS.get(size, 9)
    values = result.tolist() if hasattr(result, "tolist") else result
    if not isinstance(values, list) or len(values) != count:
        told = (
            f"{len(values)} outcomes" if isinstance(values, list) else f"no list but {type(values).__name__}"
        )
        raise ValueError(f"gives {told} for {count} people")
    return [plain(value, digits) for value in values]


def plain(value: Any, digits: int) -> Any:
    """Return a value without numpy's types, numbers to so many digits after the point, or altogether from 1
    on.
    """
    if hasattr(value, "tolist"):
        digits = DIGITS.get(getattr(getattr(value, "dtype", None), "itemsize", 8), digits)
        value = value.tolist()
    if isinstance(value, float):
        return round(value, digits) if abs(value) < 1 else float(f"{value:.{digits}g}")
    if isinstance(value, (list, tuple)):
        return [plain(each, digits) for each in value]
    if isinstance(value, dict):
        return {plain(key, digits): plain(each, digits) for key, each in value.items()}
    return value


def outcomes(
    predict: Callable[[Any], Any], names: Sequence[str], columns: Sequence[Any], count: int
) -> list[tuple[Any, Any]]:
    """Of each row `(value, None)`, or `(None, exception)`. Raises MemoryError, and ImportError of pandas."""
    frame_of(names, [[cells, []] for cells, _ in columns])
    found: list[Any] = [None] * count

    def asked(rows: Any, changed: Any = None) -> Any:
        """Return the exception of one call for some rows, whose outcomes are kept; None where there
        is none.
        """
        try:
            given = changed or columns
            values = values_of(predict(frame_of(names, given, rows)), len(rows))
        except MemoryError:
            raise
        except BaseException as error:
            return error.with_traceback(None)
        if changed is None:
            for row, value in zip(rows, values, strict=True):
                found[row] = (value, None)
        return None

    everybody = list(range(count))
    if not everybody or asked(everybody) is None:
        return found
    spread = everybody[:: max(1, count // ALONE)]
    errors = {row: asked([row]) for row in spread}
    able = next((row for row in spread if errors[row] is None), None)
    if able is None:
        return [(None, errors.get(row) or errors[spread[0]]) for row in everybody]
    refused = refusals(asked, columns, able)
    for row in everybody:
        for place, known in refused.items():
            error = known.get(columns[place][1][row])
            if error is not None:
                found[row] = (None, error)
    parts = [[row for row in everybody if found[row] is None]]
    calls = 0
    while parts:
        part = parts.pop()
        error = asked(part) if part else None
        calls += 1
        if error is None:
            continue
        if len(part) == 1 or calls > HALVINGS:
            for row in part:
                found[row] = (None, error)
        else:
            middle = len(part) // 2
            parts += [part[:middle], part[middle:]]
    return found


def refusals(asked: Callable[..., Any], columns: Sequence[Any], able: int) -> dict[int, dict[int, Any]]:
    """Column → code of a cell → the exception that it causes in a row of whom the model can be asked."""
    refused: dict[int, dict[int, Any]] = {}
    for place, (cells, _) in enumerate(columns):

        def with_codes(codes: list[int], place: int = place) -> Any:
            changed = [[each, [own[able]] * len(codes)] for each, own in columns]
            changed[place] = [columns[place][0], codes]
            return asked(list(range(len(codes))), changed)

        codes = list(range(len(cells)))
        if with_codes(codes) is not None:
            known = {code: error for code in codes if (error := with_codes([code])) is not None}
            if known:
                refused[place] = known
    return refused
