"""Runs that lie on the disk: their figures as they stand, and their answers judged again. Nobody is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fairlint import Settings
from fairlint.bench.asking.watching import Silent, Watch
from fairlint.bench.judging.judging_all import LIMITS, judge_all
from fairlint.bench.runs.results import Prices, as_text, document
from fairlint.bench.suites import line_shapes, suite_of
from fairlint.bench.suites.suite import Judged, Kept, ProtocolName, Suite, check_ready
from fairlint.counterfactual.executors.choosing import UNSAFE
from fairlint.run_folders.jsonl import KEY, LARGEST_DOCUMENT, RunFolderError
from fairlint.run_folders.record_shapes import KEPT_METRICS
from fairlint.run_folders.record_shapes import NOTES as NOTES_SHAPE
from fairlint.run_folders.run_folder import Run, RunFolder, lock_run, read_run, write_outcomes, write_text
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.support.shapes import check

NOTES = "notes.json"
PEOPLE = {"data": "--data", "config": "--data-config"}
"""Settings of suites that name files, and the options that say them."""


def metrics_of(
    path: Path, *, protocol: ProtocolName | None = None, workers: int = 1, prices: Prices | None = None
) -> dict[str, Any]:
    """Return the figures of a run folder as it stands, finished or broken off. Changes nothing in it.

    Answers that have no outcome yet are judged for this. `protocol` and `prices` None: those of
    `metrics.json`, or exact and no cost.
    """
    return judged_run(path, protocol=protocol, workers=workers, prices=prices).metrics


class JudgedRun(Record):
    """A run as it stands, judged."""

    metrics: dict[str, Any]
    pairs: list[tuple[Kept, Judged]]
    """Its answers with their outcomes."""
    is_kept: bool
    """Whether all outcomes lie in the folder, so that they can be read again."""


def judged_run(
    path: Path, *, protocol: ProtocolName | None = None, workers: int = 1, prices: Prices | None = None
) -> JudgedRun:
    """Return the figures of a run folder as in `metrics_of`, and its answers with their outcomes."""
    known = read_run(path, line_shapes)
    own = _suite_options(known)
    suite = _suite_of(known, own)
    outcomes = {told[KEY]: told for told in known.outcomes()}
    answers = list(known.responses())
    missing = [kept for kept in answers if kept[KEY] not in outcomes]
    _check_judgeable(known, suite, missing)
    told = judge_all(suite.name, missing, workers=workers, settings=own)
    outcomes.update((one[KEY], one) for one in told)
    pairs: list[tuple[Kept, Judged]] = [(kept, outcomes[kept[KEY]]) for kept in answers]
    metrics = document(
        suite,
        known.settings,
        pairs,
        asked=known.settings["options"]["asked"],
        protocol=protocol or protocol_of(path),
        notes=notes_of(path),
        prices=prices or prices_of(path),
    )
    return JudgedRun(metrics, pairs, not missing)


def is_complete_run(run: Run) -> bool:
    """Return whether a run has come to its figures, and they are of all that it is to be, as it may have
    grown.

    Raises RunFolderError for figures that are broken.
    """
    metrics = kept_metrics(run.path)
    try:
        answers = metrics["answers"]
        known = (answers["asked"], metrics["settings"]["prompts_hash"])
        if answers["given"] < answers["asked"]:  # judged as it stands
            return False
    except (KeyError, TypeError):
        return False
    return known == (run.settings["options"]["asked"], run.settings["prompts_hash"])


def kept_metrics(path: Path) -> dict[str, Any]:
    """Return the figures that lie in a folder; nothing where there are none. Raises RunFolderError."""
    file = path / "metrics.json"
    if not file.exists():
        return {}
    try:
        told: dict[str, Any] = read_json(read_file(file, LARGEST_DOCUMENT), finite=True)
        check(KEPT_METRICS, told)
    except (NotReadableError, ValueError) as error:
        raise RunFolderError(f"{file}: broken: {error}") from None
    return told


def judge_again(
    path: Path,
    *,
    only_not_judged: bool = False,
    unsafe: bool = False,
    people: Mapping[str, str] | None = None,
    protocol: ProtocolName | None = None,
    workers: int = 1,
    limits: Settings = LIMITS,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Judge the answers of a run folder anew, or those only that were not judged, and score them.

    The outcomes that are there stay until all new ones are. Nobody is asked. Where a run was asked with
    process-unsafe, `unsafe` lets its code be run that way again; where it was asked about data of somebody's
    own, `people` says where these are (`data`) and their description (`config`). Raises RunFolderError and
    UsageError.
    """
    told = watch or Silent()
    with lock_run(path, line_shapes) as known:
        own = _with_people(known, people or {})
        suite = _suite_of(known, own)
        answers = list(known.responses())
        kept = {one[KEY]: one for one in known.outcomes() if only_not_judged and not one.get("not_judged")}
        waiting = [one for one in answers if one[KEY] not in kept]
        _check_judgeable(known, suite, waiting, unsafe=unsafe, named=people or {})
        told.judging(total=len(waiting))
        found = judge_all(suite.name, waiting, workers=workers, limits=limits, settings=own)
        for outcome in found:
            kept[outcome[KEY]] = outcome
            told.judged(1)
        write_outcomes(path, (kept[one[KEY]] for one in answers))
        metrics = document(
            suite,
            known.settings,
            [(one, kept[one[KEY]]) for one in answers],
            asked=known.settings["options"]["asked"],
            protocol=protocol or protocol_of(path),
            notes=notes_of(path),
            prices=prices_of(path),
        )
        write_text(path / "metrics.json", as_text(metrics))
    return metrics


def notes_of(path: Path) -> list[str]:
    """Return what backends had to say about a run, also before it was gone on with."""
    if not (path / NOTES).exists():
        return []
    try:
        kept: list[str] = read_json(read_file(path / NOTES, LARGEST_DOCUMENT))
        check(NOTES_SHAPE, kept)
        return kept
    except (NotReadableError, ValueError) as error:
        return [f"{NOTES} is broken ({error}): what backends said before is lost"]


def note(folder: RunFolder, before: Sequence[str], notes: Sequence[str]) -> None:
    """Keep what a backend has to say, beside what was said `before`, each sentence once."""
    told = list(dict.fromkeys([*before, *notes]))
    folder.write_text(NOTES, json.dumps(told, ensure_ascii=False, indent=1) + "\n")


def _suite_of(known: Run, own: Mapping[str, Any]) -> Suite:
    name = known.settings["suite"]
    try:
        return suite_of(name, own)
    except KeyError:
        raise RunFolderError(f"{known.path}: a run of the suite {name}, which is not installed") from None


def _check_judgeable(
    known: Run,
    suite: Suite,
    waiting: Sequence[Kept],
    *,
    unsafe: bool = False,
    named: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise UsageError where answers cannot be judged here; a folder alone does not say that code may run in
    what does not hold it, nor which files are read.
    """
    if not waiting:
        return
    own = _suite_options(known)
    if own.get("executor") == UNSAFE and not unsafe:
        raise UsageError(
            f"{known.path}: the code of its answers was run with --executor {UNSAFE}: "
            f"fairlint bench judge --executor {UNSAFE} runs it again"
        )
    if missing := [key for key in PEOPLE if key in own and key not in named]:
        asks = " ".join(f"{PEOPLE[key]} {own[key]}" for key in PEOPLE if key in own)
        raise UsageError(
            f"{known.path}: what it was asked about is read where {PEOPLE[missing[0]]} names it: "
            f"fairlint bench judge {asks}"
        )
    check_ready(suite)


def _with_people(known: Run, people: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what a suite was asked for with, and where the data of somebody's own are now."""
    own = _suite_options(known)
    for key in people:
        if key not in own:
            raise UsageError(f"{known.path}: was asked without {PEOPLE[key]}")
    return {**own, **people}


def _suite_options(known: Run) -> Mapping[str, Any]:
    """Return what its suite was asked for with."""
    own: Mapping[str, Any] = known.settings["options"].get("suite") or {}
    return own


def prices_of(path: Path) -> Prices | None:
    """Return the prices by which the cost of a run was told before; None where it was not."""
    with suppress(RunFolderError, KeyError):
        told = kept_metrics(path)["costs"]
        return float(told["read"]), float(told["written"])
    return None


def protocol_of(path: Path) -> ProtocolName:
    """Return what the figures that lie in a folder follow; exact where there are none. Raises
    RunFolderError.
    """
    try:
        told = kept_metrics(path).get("protocol")
    except RunFolderError as error:
        raise RunFolderError(f"{error}; fairlint bench judge DIR --protocol exact makes it anew") from None
    return "published" if told == "published" else "exact"
