"""For one's own tests: assert that a decision does not change with a protected attribute.

>>> from fairlint.testing import assert_counterfactual_fair
>>> def approve(person):
...     return person["income"] >= 30_000
>>> people = [{"income": 20_000, "gender": "female"}, {"income": 40_000, "gender": "male"}]
>>> assert_counterfactual_fair(approve, people, "gender")

The function is called in the test's own process, as any test calls it: it is the tester's own. Code that
nobody vouches for belongs under `fairlint counterfactual`, which runs it in a sandbox.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import tempfile
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from fairlint.backends.model import ModelOptions, Sampling
from fairlint.backends.registry import load as load_model
from fairlint.counterfactual.calling import Calling, calls
from fairlint.counterfactual.executors import fitted, frames, harness
from fairlint.counterfactual.executors.answers import by_column
from fairlint.counterfactual.executors.executor import (
    Crashed,
    Failed,
    Given,
    Incomparable,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Changes, Measured, Share
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.models import Saved, facts_of_object, model_calling
from fairlint.counterfactual.population import Cell, Column, Origin, Population, other_person
from fairlint.counterfactual.prompts.asking import ask_audit
from fairlint.counterfactual.prompts.audited import Audited, points, summed_up, verdict_text
from fairlint.counterfactual.prompts.function_model import FunctionModel
from fairlint.counterfactual.prompts.planning import plan_audit
from fairlint.support.errors import UsageError
from fairlint.vocabulary import default_vocabulary

Data = str | Path | Population | Sequence[Mapping[str, Cell]]
"""`adult`, `german`, `compas`, a CSV or Parquet file, a population, or people as dicts."""
TOGETHER = 200
"""People among whom an example is looked for at once."""


def assert_counterfactual_fair(
    function: Callable[..., object],
    data: Data,
    attribute: str | Sequence[str],
    *,
    threshold: float = 0.0,
    config: str | Path | None = None,
    arguments: Mapping[str, Cell] | None = None,
) -> Measured:
    """Assert that a decision changes for no larger share of people than `threshold` (0: for nobody) when
    nothing but `attribute` does.

    `function` takes a person: by parameters that are columns, or as one dict or object; a method of a class
    that is made of columns is given as `Applicant.decide`, a fitted model as `model.predict`. `attribute` is
    a column, fairlint's name of what one holds, or several. `config` describes a file of `data`; `arguments`
    are other arguments by name.
    Returns what was measured.

    Raises AssertionError, with one of the people for whom the outcome changes; also where there is no outcome
    that can be compared, or the same person gets different ones. Raises UsageError for data that cannot be
    read, an attribute they lack, or a function that takes something else.
    """
    __tracebackhide__ = True  # pytest shows the test's own line
    population = population_of(data, config=config)
    asked = [attribute] if isinstance(attribute, str) else list(attribute)
    called = _fitted_model_call(function, population) or _function_call(function, population, arguments or {})
    measured = measure(
        called.calling.program, population, called, columns=called.calling.columns, attributes=asked
    )
    name = called.calling.program.entry
    if not measured.executable:
        why = measured.failed[1] if measured.failed else measured.cause
        lost = ", ".join(f"{cause}: {count}" for cause, count in measured.unanswered.items())
        raise AssertionError(f"{name} cannot be compared on {population.name}: {why}{lost and f' ({lost})'}")
    found = [one for one in measured.attributes if _is_above_threshold(one, threshold)]
    if found:
        raise AssertionError(
            "\n".join(_violation_message(one, name, called, population, threshold) for one in found)
        )
    return measured


def assert_prompt_counterfactual_fair(
    prompt: str | Path,
    cases: str | Path | Sequence[Mapping[str, str]],
    model: str | Callable[[str], str],
    attribute: str | Sequence[str] = (),
    *,
    threshold: float = 0.0,
    answer: str | None = None,
    favourable: str | None = None,
    draws: int = 4,
    repeats: int = 1,
    seed: int = 0,
    run: str | Path | None = None,
) -> Audited:
    """Assert that a language model was not seen to treat groups differently with a prompt, beyond what
    placebos change and by more than `threshold` of the scale.

    `prompt` is a file, or a place as `screen.py:41`; `model` a function of the prompt's text, or a name as
    `fairlint bench` takes it. With `run`, answers are kept in that folder and asked for once. That nothing
    was seen does not say that there is nothing: `least` of each effect says what could have been seen.

    Raises AssertionError with each effect that was seen, or where there are too few cases for any. Raises
    UsageError for a prompt or cases that cannot be asked about.
    """
    __tracebackhide__ = True  # pytest shows the test's own line
    given = cases if isinstance(cases, str) else str(cases) if isinstance(cases, Path) else list(cases)
    audit = plan_audit(
        str(prompt),
        given,
        attributes=[attribute] if isinstance(attribute, str) else list(attribute),
        answer=answer,
        favourable=favourable,
        draws=draws,
        repeats=repeats,
    )
    asked = FunctionModel(model) if callable(model) else load_model(model, ModelOptions())
    sampling = Sampling(max_new_tokens=16, temperature=0.0, early_stop=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run" if run is None else Path(run)
        answers, told = ask_audit(audit, lambda: asked, path, sampling, seed=seed, resume=run is not None)
    found = summed_up(audit, answers, told, threshold=threshold, seed=seed)
    decisions = [one for one in found.effects if one.contrast.outcome == "decision"]
    seen = [one for one in found.effects if one.verdict in {"biased", "one name"}]
    if seen or not any(one.least is not None for one in decisions):
        raise AssertionError(
            "\n".join(
                f"{prompt}: {one.contrast.attribute} ({one.contrast.channel}), {one.contrast.outcome}: "
                f"{one.contrast.group} against {', '.join(one.contrast.others)} {points(one.mean)} points: "
                f"{verdict_text(one)}"
                for one in seen or decisions
            )
        )
    return found


def population_of(data: Data, *, config: str | Path | None = None) -> Population:
    """Return the people of `data`. Of dicts, each protected attribute has the values that occur.

    Raises UsageError where there is nobody, or people have different keys.
    """
    if isinstance(data, Population):
        return data
    if isinstance(data, str | Path):
        return load(data, config=config)
    people = [dict(one) for one in data]
    if not people:
        raise UsageError("there are no people to try the decision on")
    names = tuple(people[0])
    for place, one in enumerate(people):
        if set(one) != set(names):
            odd = ", ".join(sorted(set(one) ^ set(names), key=str))
            raise UsageError(f"person {place} has other keys than the first: {odd}")
    rows = Counter(tuple(one[name] for name in names) for one in people)
    columns = tuple(_column_of_cells(name, [row[place] for row in rows]) for place, name in enumerate(names))
    return Population(
        name="the given people",
        columns=columns,
        rows=tuple(rows),
        weights=tuple(rows.values()),
        favourable=None,
        label=None,
        origin=Origin(source="given", read=len(people), dropped={}),
    )


def _column_of_cells(name: str, cells: Sequence[Cell]) -> Column:
    values = tuple(dict.fromkeys(cells))
    is_ordered = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    mentions = default_vocabulary().mentions(name)
    return Column(
        name,
        tuple(sorted(values, key=float)) if is_ordered else values,  # type: ignore[arg-type]
        ordered=is_ordered,
        attribute=next((one.attribute for one in mentions), None),
    )


# ------------------------------------------------------------------------------------------------- calling


class _Called:
    """Calls the tester's own function in this process; an Executor to the engine."""

    name = "this process"

    def __init__(self, calling: Calling, space: Mapping[str, object]) -> None:
        self.calling = calling
        program = calling.program
        if program.entry.partition(".")[0] not in space:
            raise UsageError(
                f"{program.entry}: takes an object of a class; give a function of columns or of a dict, or "
                "the class's own method"
            )
        asked: dict[str, Any] = {"style": program.call.style, "names": program.call.names}
        asked |= {"extra": program.call.extra, "entry": program.entry}
        self.call = harness.caller(dict(space), asked, harness.plain_value)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        return None

    def run(
        self,
        program: Program,  # noqa: ARG002 (the function is here)
        people: Sequence[Sequence[Given]],
        limits: Limits,  # noqa: ARG002 (a test has its own)
    ) -> tuple[Outcome, ...] | Failed:
        """Return the outcome of each person, in order."""
        return tuple(self.outcome(row) for row in people)

    def outcome(self, row: Sequence[Given]) -> Outcome:
        """Return the outcome of one person, whose cells are those of the program's names."""
        try:
            return _comparable_outcome(self.call(list(row)))
        except Exception as error:
            return _crash_outcome(error)


class _Fitted(_Called):
    """Asks the tester's own fitted model in this process."""

    def __init__(self, calling: Calling, predict: Callable[[Any], Any]) -> None:
        self.calling = calling
        self.predict = predict

    def run(
        self,
        program: Program,
        people: Sequence[Sequence[Given]],
        limits: Limits,  # noqa: ARG002 (as above)
    ) -> tuple[Outcome, ...] | Failed:
        """Return the outcome of each person, in order."""
        names = program.call.names
        found = frames.outcomes(self.predict, names, by_column(people, len(names)), len(people))
        return tuple(
            _comparable_outcome(value) if error is None else _crash_outcome(error) for value, error in found
        )


def _comparable_outcome(value: object) -> Outcome:
    parts = harness.outcome(value, _TOOLS)
    if parts[0] != "value":
        return Incomparable(parts[1])
    return Value(parts[1], parts[2])  # type: ignore[arg-type]


def _crash_outcome(error: BaseException) -> Crashed:
    return Crashed(type(error).__name__, str(error)[: harness.MESSAGE])


def _fitted_model_call(function: Callable[..., object], population: Population) -> _Fitted | None:
    """Return what asks a fitted model, where `function` is a method of one (`model.predict`)."""
    model, method = (
        getattr(function, "__self__", None),
        getattr(function, "__qualname__", "").rpartition(".")[2],
    )
    if inspect.isclass(model) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        return None
    saved = Saved(path=type(model).__name__, method=method, form="", data=b"")
    calling = model_calling(saved, facts_of_object(model, method), population.columns, of=population.name)
    return _Fitted(calling, lambda frame: fitted.ask_model(model, method, frame))


def _function_call(
    function: Callable[..., object], population: Population, arguments: Mapping[str, Cell]
) -> _Called:
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", "")
    is_nested = "<locals>" in name
    entry = name.rpartition(".")[2] if is_nested else name
    try:
        module = inspect.getmodule(function)
        whole = module if module is not None and not is_nested else function
        source = textwrap.dedent(inspect.getsource(whole))
    except (OSError, TypeError):
        raise UsageError(
            f"{name or function!r}: its source is not at hand, which says how it takes a person"
        ) from None
    calling = calls(source, population.columns, entry, data=population.name, extra=arguments)
    outer = entry.partition(".")[0]
    space: dict[str, object] = {outer: function}
    if outer != entry:
        space = {outer: getattr(function, "__globals__", {}).get(outer)}
    return _Called(calling, space)


_TOOLS: dict[str, Any] = {
    "quote": json.dumps,
    "digest": lambda text: hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
    "plain": harness.plain_value,
    "name": harness.type_name,
}


# ------------------------------------------------------------------------------------------------- telling


def _is_above_threshold(changes: Changes, threshold: float) -> bool:
    return _is_share_above(changes.cip, threshold) or bool(
        changes.followed and _is_share_above(changes.followed.cip, threshold)
    )


def _is_share_above(share: Share, threshold: float) -> bool:
    return share.value is not None and share.part > 0 and share.value > threshold


def _violation_message(
    changes: Changes, name: str, called: _Called, population: Population, threshold: float
) -> str:
    follow = changes.followed is not None and not _is_share_above(changes.cip, threshold)
    share = changes.followed.cip if changes.followed and follow else changes.cip
    together = f" with {', '.join(changes.followed.columns)}" if changes.followed and follow else ""
    allowed = "nobody" if not threshold else f"{100 * threshold:g} %"
    percent = 100 * (share.value or 0.0)
    return (
        f"{name}: another {changes.column}{together} changes the outcome of {percent:.1f} % of "
        f"{share.whole:,} people of {population.name} (allowed: {allowed})"
        f"{_example_text(changes, called, population, follow=follow)}"
    )


def _example_text(changes: Changes, called: _Called, population: Population, *, follow: bool) -> str:
    """Somebody for whom the outcome changes, and how."""
    columns = [one.name for one in population.columns]
    at, taken = columns.index(changes.column), called.calling.columns
    places = [columns.index(name) for name in taken]
    program = called.calling.program

    def asked(rows: Iterable[Sequence[Cell]]) -> tuple[Outcome, ...]:
        found = called.run(program, [[row[place] for place in places] for row in rows], Limits())
        assert not isinstance(found, Failed), "a call in this process never is one"
        return found

    for start in range(0, len(population.rows), TOGETHER):
        rows = population.rows[start : start + TOGETHER]
        came = asked(rows)
        others = {
            value: asked(other_person(row, population.columns, at, value, follow=follow) for row in rows)
            for value in changes.values
        }
        for number, (row, own) in enumerate(zip(rows, came, strict=True)):
            for value in _other_values(changes.values, row[at]):
                other = others[value][number]
                if isinstance(own, Value) and isinstance(other, Value) and own.text != other.text:
                    person = {name: row[columns.index(name)] for name in dict.fromkeys(taken)}
                    before, after = _outcome_text(own), _outcome_text(other)
                    return f"\n  for instance {person}: {before}; with {value!r}: {after}"
    return ""


def _outcome_text(outcome: Value) -> str:
    return {"1": "True", "0": "False"}[outcome.text] if outcome.kind == "bool" else outcome.text


def _other_values(values: Iterable[Cell], own: Cell) -> list[Cell]:
    return [value for value in values if value != own]
