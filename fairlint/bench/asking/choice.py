"""Which of a suite's requests a run asks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from fairlint.backends.model import Model
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.shards import Shard
from fairlint.bench.suites.choosing import check_numbers, resolve_names
from fairlint.bench.suites.suite import Selection, Suite
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace


class Choice(Record):
    """Which requests of a suite are made."""

    scenarios: tuple[str, ...] | None = None
    attributes: tuple[str, ...] | None = None
    samples: int | None = None
    """How often each prompt is asked; None: as often as the suite says."""
    subjects: tuple[str, ...] | None = None
    """What prompts are about, as `Request.subject` has it."""
    limit: int | None = None
    """How many prompts at most."""
    seed: int = 0
    prompts: Path | None = None
    """A file with prompts in place of the suite's."""
    shard: Shard | None = None
    """Which part of all this is asked; None: all of it."""

    @property
    def selection(self) -> Selection:
        """What is selected among the prompts of a suite, or of a file."""
        return Selection(self.scenarios, self.attributes, self.samples, self.limit, self.seed)


def requests_of(suite: Suite, choice: Choice, model: Model | None = None) -> Sequence[Request]:
    """Return what is asked first, in all shards. A model that can only answer what it has (replay) says so
    itself.

    Raises UsageError for names the suite does not know and for numbers below 1.
    """
    try:
        if (dictated := getattr(model, "requests", None)) is not None:
            found: Sequence[Request] = dictated(suite, choice)
        elif choice.subjects is not None:
            every = requests_of(suite, replace(choice, subjects=None, limit=None))
            found = about(every, choice.subjects, choice.limit)
        elif choice.prompts is not None:
            from fairlint.bench.suites.prompts_file import read_prompts  # noqa: PLC0415 (few bring prompts)

            found = read_prompts(choice.prompts, suite, choice.selection)
        else:
            found = suite.requests(choice.selection)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return found


def about(requests: Sequence[Request], subjects: Sequence[str], limit: int | None) -> list[Request]:
    """Return the requests about some subjects, those of the first `limit` prompts.

    Raises ValueError for a subject that none is about.
    """
    check_numbers(1, limit)
    wanted = resolve_names(subjects, tuple(dict.fromkeys(one.subject for one in requests)), "subject")
    prompts: dict[str, list[Request]] = {}
    for one in requests:
        if one.subject in wanted:
            prompts.setdefault(key_of(replace(one, sample=0)), []).append(one)
    return [one for samples in islice(prompts.values(), limit) for one in samples]
