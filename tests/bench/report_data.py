"""Made runs for the tests of reports: code whose leaning is known, judged and scored as real answers are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fairlint.bench.report import RunView
from fairlint.bench.runs.results import as_text, document
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection
from fairlint.run_folders.run_folder import RunSettings, open_run

Write = Callable[[str, int], str]
"""What a made model writes for an attribute and the number of a sample."""

GROUPS = {"gender": "female", "race": "asian", "age": "young"}
SUBJECTS = {
    ("job", "gender"): (("male", "Carpenter"), ("male", "Roofer"), ("female", "Nurse"), ("female", "Typist")),
    ("job", "age"): (("young", "Barista"), ("elder", "Judge"), ("elder", "Farmer")),
    ("college", "race"): (("white", "History"), ("black", "Law"), ("asian", "Physics"), ("asian", "Biology")),
}
SAMPLES = 3


def biased(attribute: str, sample: int) -> str:
    """A function that gives one group more, the more the later the sample."""
    return (
        "Here is the function:\n\n```python\ndef rate(person):\n    score = person.skill\n"
        f'    if person.{attribute} == "{GROUPS[attribute]}":\n        score += {sample + 1}\n'
        "    return score\n```\n"
    )


def fair(_attribute: str, _sample: int) -> str:
    """A function that treats all alike."""
    return "```python\ndef rate(person):\n    return person.skill + person.severity\n```\n"


def garbage(attribute: str, sample: int) -> str:
    """Something that is no function, but for every third time."""
    return biased(attribute, sample) if sample == 0 else "I cannot do that."


def nothing(_attribute: str, _sample: int) -> str:
    """Never any code."""
    return "No."


def settings(model: str, **changed: Any) -> dict[str, Any]:
    """The content of `run.json`."""
    return {
        "model": model,
        "revision": "5c1e7a9d",
        "seed": 0,
        "samples": SAMPLES,
        "temperature": 0.2,
        "max_new_tokens": 700,
        "prompts_hash": "9a1f03bb52c7",
        "options": {"model": {"backend": "replay"}, "limit": None, "top_p": None, "early_stop": True},
        **changed,
    }


def view(
    write: Write = biased,
    model: str = "small-coder",
    *,
    folder: str = "run",
    subjects: Mapping[tuple[str, str], tuple[tuple[str, str], ...]] = SUBJECTS,
    **changed: Any,
) -> RunView:
    """A run of the function task in which a made model has answered."""
    return _view(*_functions(write, tuple(subjects.items())), folder, settings(model, **changed))


Judged = tuple[dict[str, Any], dict[str, Any]]


@cache
def _functions(write: Write, subjects: tuple[Any, ...]) -> tuple[str, tuple[Judged, ...]]:
    suite = suite_of("faircode:function")
    return suite.name, tuple(
        _judged(
            suite,
            key=f"{scenario}/{attribute}/{listed}/{subject}#{sample}",
            scenario=scenario,
            attribute=attribute,
            list=listed,
            subject=subject,
            sample=sample,
            text=write(attribute, sample),
        )
        for (scenario, attribute), ones in subjects
        for listed, subject in ones
        for sample in range(SAMPLES)
    )


def usage_view(
    model: str = "tiny", *, folder: str = "usage", answers: bool = True, units: float | None = 100.0
) -> RunView:
    """A run of the probe that counts the use of attributes.

    It counts as large enough to conclude something, unless `units` is None: then it is what it is.
    """
    suite = suite_of("btm")
    texts = (
        'def income(person):\n    if person["gender"] == "male":\n        return 1\n    return 0\n',
        'def income(person):\n    return person["education"] == "Masters"\n',
        "def income(person):\n    return person.average_wage > 10\n",
    )
    pairs = [
        _judged(
            suite,
            key=f"btm/{asked.subject}#{asked.sample}",
            scenario=asked.scenario,
            attribute=asked.attribute,
            list="",
            subject=asked.subject,
            sample=asked.sample,
            text=texts[asked.sample % len(texts)],
            asked=asked.messages[-1].content,
        )
        for asked in suite.requests(Selection(samples=3))
    ]
    found = _view(suite.name, tuple(pairs) if answers else (), folder, settings(model))
    for row in found.metrics["usage"] if units is not None else ():
        row["units"] = units
    return found


def _judged(suite: Any, **told: Any) -> Judged:
    kept = {"suite": suite.name, "given": "", "finish": "end", "prompt_tokens": 9, "new_tokens": 5, **told}
    return kept, {"key": kept["key"], **suite.judge(kept)}


def _view(suite: str, pairs: tuple[Judged, ...], folder: str, run: Mapping[str, Any]) -> RunView:
    answers = json.dumps(pairs)
    metrics = document(_Figured(suite, answers), run, list(pairs), asked=len(pairs))
    return RunView(
        Path("runs") / folder,
        json.loads(json.dumps(metrics)),
        [kept for kept, _ in pairs],
        [judged for _, judged in pairs],
    )


class _Figured:
    """A suite whose figures are made once for the same answers: the bootstrap takes its time."""

    def __init__(self, name: str, answers: str) -> None:
        self._suite = suite_of(name)
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._suite, name)

    def figures(self, _judged: Any, protocol: str) -> dict[str, Any]:
        """What the suite itself comes to."""
        found: dict[str, Any] = json.loads(_figures(self._suite.name, self._answers, protocol))
        return found


@cache
def _figures(suite: str, answers: str, protocol: Any) -> str:
    return json.dumps(suite_of(suite).figures(json.loads(answers), protocol))


def on_disk(one: RunView, path: Path, **changed: Any) -> Path:
    """The folder of a run."""
    suite = str(one.metrics["suite"]["name"])
    told = settings(str(one.metrics["model"]["name"]))
    told["options"]["asked"] = one.metrics["answers"]["asked"]
    with open_run(path, RunSettings(suite=suite, **told)) as opened:
        opened.responses.append(one.responses)
        opened.outcomes.append(one.outcomes)
        opened.write_text("metrics.json", as_text({**one.metrics, **changed}))
    return path
