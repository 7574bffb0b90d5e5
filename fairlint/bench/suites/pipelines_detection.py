"""Bias detection in the suite `pipelines`: a model is shown a pipeline and says whether it is biased.

Pipelines are made ones (`data/pipeline_programs.toml`), whose labels are known by construction, or answers
of a run, labelled by the checker. A verdict is a JSON object with `biased` and `columns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.requests import Message, Request, hash_of, seed_of, shuffle_by_seed
from fairlint.bench.asking import stopping
from fairlint.bench.judging import decisions
from fairlint.bench.suites.pipelines_texts import (
    Detection,
    Program,
    column_values,
    programs,
    protected_columns,
    tasks,
    texts,
)
from fairlint.bench.suites.suite import Kept, attributes_of
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

MADE = "made"
"""What stands for the shipped pipelines in place of a run's folder."""
MOST_OF_A_KIND = 12
"""Pipelines of a run that are shown, of those with protected columns and of those without."""
MOST_READ = 20_000
"""Characters of an answer in which a verdict is looked for."""
_OBJECT = re.compile(r"\{[^{}]*\}")
_FENCE = "```python\n"
_YES, _NO = frozenset({"true", "yes"}), frozenset({"false", "no"})


class Shown(Record):
    """A pipeline, and which columns its file has."""

    program: Program
    columns: tuple[str, ...]


class Verdict(Record):
    """What a model says of a pipeline."""

    is_biased: bool | None
    """None where nobody can tell."""
    cause: str | None
    """Why not: `refused`, `cut`, or `unreadable`."""
    columns: tuple[str, ...]


# ------------------------------------------------------------------------------------------------- requests


def made_pipelines(scenario: str) -> list[Shown]:
    """Return the shipped pipelines about a data set."""
    columns = tuple(tasks()[scenario].columns)
    return [Shown(one, columns) for one in programs().values() if one.scenario == scenario]


def build_request(shown: Shown, prompt: Detection, attribute: str, sample: int, seed: int) -> Request:
    """Return the request for a verdict."""
    task = tasks()[shown.program.scenario]
    drawn = seed_of("pipelines", task.name, prompt.name, shown.program.name, sample, seed)
    values = column_values(task)
    asked = prompt.text.format(
        target=texts().targets[task.name],
        label=texts().labels[task.name],
        columns="\n".join(f"- {name}: {values[name]}" for name in shuffle_by_seed(shown.columns, drawn)),
        code=shown.program.code,
    )
    messages = (Message("system", texts().reviewer), Message("user", asked))
    return Request(
        suite="pipelines",
        scenario=task.name,
        attribute=attribute,
        subject=prompt.name,
        stereotype=shown.program.name,
        sample=sample,
        seed=drawn,
        messages=messages,
        prompt_hash=hash_of(messages),
    )


def shown_code(kept: Kept) -> str:
    """Return the pipeline that an answer is about. Raises UsageError where its prompt was not kept."""
    code = kept.get("asked", "").partition(_FENCE)[2].rpartition("\n```")[0]
    if not code.strip():
        raise UsageError(f"the answer {kept['key']!r} has no prompt with a pipeline in it (`asked`)")
    return f"{code}\n"


def draw_pipelines(known: Sequence[tuple[Shown, bool]], seed: int) -> list[Shown]:
    """Return the pipelines of a run that are shown: as many with protected columns as without, as far as
    there are any. Each comes with whether the checker finds it biased.
    """
    found = []
    for kind in (True, False):
        by_name = {one.program.name: one for one, is_biased in known if is_biased is kind}
        names = shuffle_by_seed(tuple(by_name), seed_of("shown", seed))
        found += [by_name[name] for name in names[:MOST_OF_A_KIND]]
    return found


def pipeline_of_answer(scenario: str, columns: Sequence[str], code: str) -> Shown | None:
    """Return a pipeline that a model wrote about a file with these columns, named by both; None for what a
    prompt cannot show as one block.
    """
    code = "\n".join(line.rstrip() for line in code.splitlines()).strip("\n")
    if not code or "```" in code:
        return None
    name = hash_of((Message("user", "\n".join(columns)), Message("assistant", code)))
    return Shown(Program(f"answer-{name}", scenario, code), tuple(columns))


def check_folder(path: str) -> Path:
    """Return the folder of a run whose answers are shown. Raises UsageError where there is none."""
    folder = Path(path)
    if not (folder / "run.json").is_file():
        raise UsageError(f"--detect takes '{MADE}' or the folder of a run of pipelines: {path} is none")
    return folder


# ------------------------------------------------------------------------------------------------- verdicts


def read_verdict(text: str, *, is_cut: bool = False) -> Verdict:
    """Return what an answer says. All objects in it that hold a verdict have to say the same.

    >>> read_verdict('{"biased": true, "columns": ["Sex"]}')
    Verdict(is_biased=True, cause=None, columns=('sex',))
    """
    answer = _behind_thoughts(text)
    objects = [] if answer is None else [one for one in _objects_in(answer) if "biased" in one]
    said = {_truth_of(one["biased"]) for one in objects}
    if len(said) == 1 and (is_biased := said.pop()) is not None:
        return Verdict(is_biased, None, _names_in(objects))
    from fairlint.counterfactual.prompts.refusals import refusals_in  # noqa: PLC0415 (few answers refuse)

    if not objects and answer is not None and refusals_in(answer[:MOST_READ]):
        return Verdict(None, "refused", ())
    return Verdict(None, "cut" if is_cut else "unreadable", ())


def _behind_thoughts(text: str) -> str | None:
    """Return what a model says once it has thought; None where it still thinks."""
    if stopping.thinks(text):
        return None
    return text.rpartition("</think>")[2]


def _objects_in(text: str) -> Iterator[Mapping[str, Any]]:
    for found in _OBJECT.finditer(text[-MOST_READ:]):
        try:
            one = read_json(found[0])
        except ValueError:
            continue
        if isinstance(one, dict):
            yield one


def _truth_of(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    return True if word in _YES else False if word in _NO else None


def _names_in(objects: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    given = [name for one in objects for name in _as_list(one.get("columns"))]
    return tuple(dict.fromkeys(name.strip().casefold() for name in given if isinstance(name, str)))


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def detection_outcome(kept: Kept, code: str, used: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what a verdict comes to. `used` are the attributes that the checker finds the pipeline to learn
    from, each with the columns that tell it.
    """
    checked = {column for columns in used.values() for column in _named_columns(code, columns)}
    known = programs().get(kept["list"])
    held = checked
    if known is not None:
        judged = protected_columns(tasks()[known.scenario], attributes_of(kept))
        held = {column for columns in judged.values() for column in columns if column in known.columns}
    verdict = read_verdict(kept["given"] + kept["text"], is_cut=kept.get("finish") == "length")
    return {
        "verdict": None if verdict.is_biased is None else "biased" if verdict.is_biased else "clean",
        "cause": verdict.cause,
        "made": known is not None,
        "biased": bool(held),
        "checked": bool(used),
        "columns": sorted(held),
        "named": list(verdict.columns),
    }


def _named_columns(code: str, columns: Sequence[str]) -> Sequence[str]:
    """Return which of the columns that tell an attribute a pipeline learns from: those that it names, or all
    where it names none, as it leaves out others.
    """
    return [column for column in columns if decisions.names(code, column)] or columns
