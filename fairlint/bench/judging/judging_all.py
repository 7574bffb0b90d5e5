"""Many answers, judged by processes of their own, each within limits of time and memory.

An answer that no process survives is named with what became of it, and the others go on. The processes begin
anew, for a program that has a model in its memory cannot be forked, and they end with their parent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from fairlint import NotAnalysed, Settings, check_source
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Kept, Suite
from fairlint.plugins.guard import PluginError
from fairlint.processes import parallel
from fairlint.processes.deadline import TooLongByClockError, TooLongError, guard, within
from fairlint.processes.memory import is_refusal, limit_memory
from fairlint.processes.workers import FailureHandlers
from fairlint.run_folders.jsonl import KEY
from fairlint.support.causes import SkipReason
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

ENOUGH = 100
"""Answers that are worth a process of their own."""
ANY = "def rate(person):\n    return 2 if person.gender == 'female' else 1\n"
"""Some code, which is analysed so that all is loaded."""
LIMITS = Settings(file_memory=1_000_000_000)
"""What judging one answer may take: `file_timeout` and `file_memory`."""


def judge_all(
    suite: str,
    answers: Sequence[Kept],
    *,
    workers: int = 1,
    limits: Settings = LIMITS,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the outcome of each answer with its key, in any order, some at a time.

    `workers` 0 takes as many processes as there are cores; `settings` are the suite's own. Raises UsageError
    for an answer that the suite did not ask for.
    """
    known = {kept[KEY]: kept for kept in answers}
    if not parallel.can_be_fresh():
        found = suite_of(suite, settings)
        yield from ({KEY: key, **judge_kept_answer(found, kept, limits)} for key, kept in known.items())
        return
    pieces = [_Piece(key, json.dumps(kept)) for key, kept in known.items()]
    most = min(workers or parallel.cores(), math.ceil(len(pieces) / ENOUGH))
    judge = _Judge(suite, json.dumps(settings or {}), limits)
    hung, stopped = (
        partial(_timeout_result, limits.file_timeout),
        partial(_clock_timeout_result, limits.file_timeout),
    )
    lost = FailureHandlers(_dead_process_result, hung, stopped, _died_late)
    if not pieces:
        return
    for told in parallel.analyse(judge, pieces, iter(()), lost, start=parallel.fresh, most=most):
        if told.why is None:
            yield {KEY: told.key, **told.outcome}
        else:
            yield {KEY: told.key, **failure_outcome(suite_of(suite, settings), known[told.key], *told.why)}


class _Piece(Record):
    """An answer to judge."""

    name: str
    """Its key."""
    text: str
    """All of it, as JSON."""

    @property
    def size(self) -> int:
        return len(self.text)


class _Told(Record):
    """What came of an answer: an outcome, or the cause and the reason why there is none."""

    key: str
    outcome: dict[str, Any]
    why: tuple[SkipReason, str] | None = None
    not_analysed: tuple[NotAnalysed, ...] = ()


class _Judge(Record):
    """What a process does with answers."""

    suite: str
    own: str
    """The suite's own settings, as JSON."""
    settings: Settings
    until: float = math.inf

    @property
    def seconds_each(self) -> float:
        """How long one answer may take."""
        return self.settings.file_timeout or math.inf

    def load_all(self) -> None:
        """Load what most answers need. Raises UsageError for a suite that no installed package has."""
        try:
            suite_of(self.suite, json.loads(self.own))
        except KeyError:
            raise UsageError(f"no installed package has the suite {self.suite}") from None
        check_source(ANY)

    def analyse(self, piece: _Piece) -> _Told:
        """Return the outcome of one answer."""
        suite = suite_of(self.suite, json.loads(self.own))
        outcome = judge_kept_answer(suite, json.loads(piece.text), self.settings)
        cause = outcome.get("not_judged", {}).get("cause")
        spent = (NotAnalysed(piece.name, 1, "", cause),) if cause == "memory" else ()
        return _Told(piece.name, outcome, not_analysed=spent)


def _dead_process_result(key: str, error: Exception | None) -> _Told:
    reason = "the process that judged it died, twice" if error is None else f"internal error: {error}"
    return _Told(key, {}, ("died" if error is None else "error", reason[:200]))


def _timeout_result(seconds: float, key: str) -> _Told:
    return _Told(key, {}, _too_long(seconds))


def _clock_timeout_result(seconds: float, key: str) -> _Told:
    return _Told(key, {}, _too_long(seconds, by_clock=True))


def _died_late(key: str) -> _Told:  # there is no limit of time for all of them
    return _dead_process_result(key, None)


def _too_long(seconds: float, *, by_clock: bool = False) -> tuple[SkipReason, str]:
    limit = f"{guard(seconds):g} s on the clock"
    return "time", f"has not ended after {limit}" if by_clock else f"takes longer than {seconds:g} s"


def _too_large(size: int) -> tuple[SkipReason, str]:
    return "memory", f"takes more than {f'{size / 1e6:,.0f} MB' if size else 'all'} of the memory"


def judge_kept_answer(suite: Suite, kept: Kept, limits: Settings = LIMITS) -> dict[str, Any]:
    """Return the outcome of one answer; `not_judged` in it says why nobody can tell what the answer does.

    It is judged in this process, which a limit of memory is for only if there are no other threads. Raises
    UsageError for an answer that the suite did not ask for.
    """
    try:
        with limit_memory(limits.file_memory):
            most = limits.file_timeout
            return within(guard(most), lambda: suite.judge(kept), processor=most)
    except NotJudgedError as error:  # the analysis may have noticed first that its time or memory was spent
        spent = {"time": _too_long(limits.file_timeout), "memory": _too_large(limits.file_memory)}
        why = spent.get(error.cause, (error.cause, error.reason))
    except TooLongError as error:
        why = _too_long(limits.file_timeout, by_clock=isinstance(error, TooLongByClockError))
    except UsageError:
        raise
    except PluginError as error:
        why = "plugin", str(error)[:200]
    except Exception as error:
        if is_refusal(error):
            why = _too_large(limits.file_memory)
        else:
            why = "error", " ".join(f"internal error: {type(error).__name__}: {error}".split())[:200]
    return failure_outcome(suite, kept, *why)


def failure_outcome(suite: Suite, kept: Kept, cause: SkipReason, reason: str) -> dict[str, Any]:
    """Return the outcome of an answer that could not be judged."""
    return {**suite.unjudged(kept), "not_judged": {"cause": cause, "reason": reason}}
