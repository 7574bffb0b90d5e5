"""What judges are compared on: an answer of a run with one attribute that it was asked about."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fairlint import Settings
from fairlint.bench.judging.decisions import code_of
from fairlint.bench.judging.protocols import attribute_name
from fairlint.bench.judging.usage import prompt_of
from fairlint.bench.runs.judged_runs import judged_run
from fairlint.bench.suites import line_shapes, suite_of
from fairlint.bench.suites.function_task import asked_function
from fairlint.bench.suites.perturbed import with_own_names
from fairlint.bench.suites.suite import Judged
from fairlint.run_folders.jsonl import KEY
from fairlint.run_folders.run_folder import read_run
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

CHECKER = "checker"
"""The judge whose verdicts the figures of a run rest on."""


class ItemKey(NamedTuple):
    """What tells an item from all others."""

    run: str
    answer: str
    attribute: str


class Item(Record):
    """Something that a judge says yes or no of: does the attribute decide in this answer?"""

    run: str
    """The folder."""
    answer: str
    """The key of the answer."""
    prompt: Hashable
    """What answers to the same prompt share."""
    attribute: str
    """As fairlint names it."""
    code: str
    function: str
    """That the prompt asks for; empty where it names none."""
    is_used: bool
    """What the checker says."""

    @property
    def key(self) -> ItemKey:
        """What tells it from all others."""
        return ItemKey(self.run, self.answer, self.attribute)


class Items(Record):
    """The items of some runs."""

    items: list[Item]
    settings: Settings | None
    """What the checker is told of attributes that only the suite knows."""
    not_drawn: list[Item]
    """Those that the lots left."""
    left_out: Mapping[str, int]
    """Answers that no judge is asked about, by the reason."""


def items_of(runs: Sequence[Path], *, limit: int | None = None, seed: int = 0) -> Items:
    """Return what judges can be compared on in some runs of one suite, `limit` items by lot.

    Raises UsageError for runs whose figures do not rest on what the checker says of an attribute, and
    RunFolderError for folders that cannot be read.
    """
    found: list[Item] = []
    left_out: Counter[str] = Counter()
    names = {read_run(path, line_shapes).settings["suite"] for path in runs}
    if len(names) > 1:
        raise UsageError(f"runs of several suites cannot be compared together: {', '.join(sorted(names))}")
    for path in runs:
        for item in _items_of_run(path):
            if isinstance(item, str):
                left_out[item] += 1
            else:
                found.append(item)
    if not found:
        reasons = ", ".join(f"{count:,} {why}" for why, count in left_out.items())
        raise UsageError(f"no answer has a function that judges could be asked about ({reasons})")
    drawn = set(range(len(found)))
    if limit is not None and limit < len(found):
        drawn = set(random.Random(seed).sample(range(len(found)), limit))  # noqa: S311 (nothing to guess)
    suite = suite_of(names.pop())
    return Items(
        [item for place, item in enumerate(found) if place in drawn],
        suite.example_settings,
        [item for place, item in enumerate(found) if place not in drawn],
        dict(left_out),
    )


def _items_of_run(path: Path) -> Iterator[Item | str]:
    for kept, judged in judged_run(path).pairs:
        if judged.get("not_judged"):
            yield "not judged"
            continue
        verdicts = _verdicts_of(judged)
        if verdicts is None:
            suite = kept["suite"]
            raise UsageError(
                f"{path}: the suite {suite} does not rest on what the checker says of an attribute, so there "
                "is no verdict to compare"
            )
        own = with_own_names(kept)
        code = code_of(own)
        if not judged["valid"] or not code.strip():
            yield "without a whole Python function"
            continue
        function = asked_function(own["given"]) or asked_function(own.get("asked", ""))
        for attribute, is_used in verdicts.items():
            yield Item(str(path), kept[KEY], (str(path), prompt_of(kept)), attribute, code, function, is_used)


def _verdicts_of(judged: Judged) -> dict[str, bool] | None:
    """Return attribute → whether a decision or a score depends on it; None where the suite does not say."""
    if isinstance(attributes := judged.get("attributes"), Mapping):
        return {attribute_name(name): one["used"] for name, one in attributes.items()}
    if "outcomes" in judged:
        return {one["attribute"]: one["used"] for one in judged["outcomes"]}
    return None
