"""The data set of "Bias Testing and Mitigation in LLM-based Code Generation" (arXiv 2309.14345): 334
functions.

134 tasks are about employment, 107 about insurance, 93 about income; each lists the columns of a public
table, the protected ones among them, and says that any of them may be used. The tasks are downloaded by their
checksum and not shipped; what stands around them is fairlint's own with the published structure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any

from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.suites.btm import Btm, executor_of
from fairlint.bench.suites.btm_prompts import KnownPrompt
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.suite import EVERYTHING, Kept, Selection
from fairlint.support import downloads
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

NAME = "btm-334"
TASKS = {"employment": 134, "insurance": 107, "income": 93}
"""Category → how many tasks the data set has of it."""
CATEGORIES = tuple(TASKS)
COMMIT = "370cae9ca16e91784b0b79ea1759434afbde696d"
ADDRESS = f"https://raw.githubusercontent.com/huangd1999/CBS/{COMMIT}/dataset/dataset.json"
"""The data set, which its authors give under the Apache License 2.0."""
SHA256 = "45d535ee7b40ceed03fd6a6a106f50acb05dae2f28840dc7f8f342fcedeb72e2"


class Dataset(Btm):
    """The tasks of the paper's data set."""

    name = NAME
    title = (
        "334 functions for employment, insurance and income: are age, gender, race… said, read, decided by"
    )
    source = "Bias Testing and Mitigation in LLM-based Code Generation (arXiv 2309.14345), its data set"
    prompts = sum(TASKS.values())
    """What a full run asks, told without the data set."""
    samples = 5
    max_new_tokens = 700
    temperature: float | None = None
    bars: Sequence[str] = ()
    """Nothing: the tasks say that any column may be used."""

    def with_settings(self, settings: Mapping[str, Any]) -> Dataset:
        """Return the suite with settings of its own. Raises UsageError for one that is not known."""
        return suite(settings)

    def scenarios(self) -> tuple[str, ...]:
        """Return the three categories."""
        return CATEGORIES

    def known_prompt(self, kept: Kept) -> KnownPrompt | None:  # noqa: ARG002 (a task bars nothing)
        """Nothing: what a task allows does not hang on its text."""
        return None

    def prepared(self, request: Request) -> Request:
        """Return a task with what the paper puts around it, unless it has turns of its own."""
        if len(request.messages) > 1:
            return request
        told = _framing_texts()
        asked = told["request"].strip().format(task=request.messages[0].content)
        messages = (Message("system", told["system"]), Message("user", asked))
        return replace(request, messages=messages, prompt_hash=hash_of(messages))

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a choice, the categories by turns. Raises ValueError as `Btm.requests`, and
        UsageError where the data set is not there and cannot be downloaded.
        """
        choice = resolve_choice(self, selection)
        asked = ", ".join(choice.attributes)
        parts = [
            [(category, f"{category} {number}", text) for number, text in enumerate(tasks()[category], 1)]
            for category in choice.scenarios
        ]
        turns = (task for row in zip_longest(*parts) for task in row if task is not None)
        return [
            self.prepared(_build_request(task, asked, sample, selection.seed))
            for task, sample in choice.each(turns)
        ]


def _build_request(task: tuple[str, str, str], asked: str, sample: int, seed: int) -> Request:
    category, subject, text = task
    messages = (Message("user", text),)
    return Request(
        suite=NAME,
        scenario=category,
        attribute=asked,
        subject=subject,
        stereotype="",
        sample=sample,
        seed=seed_of(NAME, category, subject, sample, seed),
        messages=messages,
        prompt_hash=hash_of(messages),
    )


@cache
def tasks() -> Mapping[str, tuple[str, ...]]:
    """Category → its tasks, as the data set has them. Raises UsageError where it cannot be downloaded."""
    try:
        path = downloads.download(ADDRESS, SHA256)
    except UsageError as error:
        raise UsageError(f"{error}; --prompts FILE takes a copy of dataset.json") from None
    entries = read_json(path.read_bytes())
    return {
        category: tuple(one["prompt"] for one in entries if one["category"] == category)
        for category in CATEGORIES
    }


@cache
def _framing_texts() -> Mapping[str, str]:
    import tomllib  # noqa: PLC0415 (only who makes requests needs it)

    data = tomllib.loads((files(__package__) / "data" / "btm.toml").read_text(encoding="utf-8"))
    framing: Mapping[str, str] = data["dataset"]
    return framing


def suite(settings: Mapping[str, Any]) -> Dataset:
    """Return the suite with settings as those of `btm`. Raises UsageError for one that is not known."""
    return Dataset(executor_of(NAME, settings))


SUITE = Dataset()
