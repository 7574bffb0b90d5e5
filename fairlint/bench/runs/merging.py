"""Shards of runs put together: the answers, outcomes and figures of a run that was asked at once.

The new folder is made beside its place and moved there when all of it is on the disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from fairlint.bench.asking.shards import Shard
from fairlint.bench.runs.judged_runs import (
    NOTES,
    is_complete_run,
    kept_metrics,
    metrics_of,
    notes_of,
    prices_of,
)
from fairlint.bench.runs.results import as_text
from fairlint.bench.suites import line_shapes
from fairlint.bench.suites.suite import ProtocolName
from fairlint.run_folders.jsonl import KEY, LineStore, RunFolderError, batches
from fairlint.run_folders.made_beside import made_beside
from fairlint.run_folders.run_folder import (
    OUTCOMES,
    REQUESTS,
    RESPONSES,
    Run,
    differences,
    read_run,
    write_settings,
    write_text,
)
from fairlint.support.about import __version__
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

AT_A_TIME = 1_000
"""Lines that are written together."""


class Part(Record):
    """A shard that has come to its end."""

    run: Run
    shard: Shard
    whole: dict[str, Any]
    """The `run.json` of the run that it is a part of."""
    protocol: str
    """What its figures follow."""

    @property
    def shared(self) -> dict[str, Any]:
        """What all shards of a run have in common."""
        told = {name: one for name, one in self.whole.items() if name != "as_asked"}
        return {**told, "shards": self.shard.of}


def merge(
    runs: Sequence[Sequence[Part]],
    output: Path,
    names: Sequence[str] = (),
    *,
    protocol: ProtocolName | None = None,
) -> list[Path]:
    """Put the shards of runs (see `runs_of`) together in `output`; the result are the folders of the runs.

    Several runs get a folder each in `output`, called by `names`. `protocol` None: that of the shards. Raises
    RunFolderError where something cannot be written, and UsageError where the shards follow several
    protocols; then nothing is left.
    """
    for run in runs:
        _check_protocols(run, protocol)
    with made_beside(output) as place:
        place.mkdir()
        folders = [place] if len(runs) == 1 else [place / name for name in names]
        for folder, run in zip(folders, runs, strict=True):
            _write_merged_run(folder, run, protocol)
    return [output] if len(runs) == 1 else [output / name for name in names]


def runs_of(paths: Sequence[Path]) -> list[list[Part]]:
    """Return the runs that shards make up, told apart by their settings, each with all its parts in order.

    Raises RunFolderError, in one line, for a shard that is missing, there twice, not finished, judged by
    another version, or of other settings, and for a folder that holds none.
    """
    found: dict[str, list[Part]] = {}
    for part in map(_read_part, paths):
        found.setdefault(json.dumps(part.shared, sort_keys=True), []).append(part)
    runs = [sorted(run, key=lambda part: part.shard.part) for run in found.values()]
    for run in runs:
        for one, other in pairwise(run):
            if one.shard == other.shard:
                raise RunFolderError(f"{one.run.path} and {other.run.path} are both shard {one.shard}")
    for run in runs:
        if len(run) < run[0].shard.of:
            raise RunFolderError(_incomplete_run_reason(run, runs))
    return runs


def _read_part(path: Path) -> Part:
    """Return a shard, of which is checked what can be said of it alone."""
    try:
        return _parse_part(path)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunFolderError(f"{path}: its files are not as this fairlint writes them ({error})") from None


def _parse_part(path: Path) -> Part:
    run = read_run(path, line_shapes)
    whole = read_json(json.dumps(run.settings))
    told = whole["options"].pop("shard", None)
    if told is None:
        raise RunFolderError(f"{path}: holds a whole run, not a shard of one: there is nothing to merge")
    shard = Shard(told["part"], told["of"])
    given = sum(not one.get("turn") for one in run.responses())
    asked = whole["options"]["asked"]
    if given != asked or not is_complete_run(run):
        raise RunFolderError(
            f"{path}: shard {shard} is not finished ({given:,} of {asked:,} answers): "
            "--resume goes on with it"
        )
    whole["options"]["asked"] = told["asked"]
    metrics = kept_metrics(path)
    if (judge := metrics.get("fairlint")) != __version__:
        raise RunFolderError(
            f"{path}: judged by fairlint {judge}, and this is {__version__}: judge all shards "
            f"alike with fairlint bench judge"
        )
    return Part(run, shard, whole, metrics.get("protocol", "exact"))


def _incomplete_run_reason(run: Sequence[Part], runs: Sequence[Sequence[Part]]) -> str:
    """Return why a run is not whole: what is missing, or in what the shards differ that could have been its
    own.
    """
    shard = run[0].shard
    there = {part.shard.part for part in run}
    missing = [str(Shard(number, shard.of)) for number in range(1, shard.of + 1) if number not in there]
    for other in runs:
        one, two = run[0], other[0]
        if other is run or len(other) == two.shard.of:
            continue
        if any(one.whole[name] != two.whole[name] for name in ("suite", "model")):
            continue
        differ = "; ".join(differences(one.shared, two.shared, ("in the first", "in the second")))
        return f"{one.run.path} and {two.run.path} are shards of other settings: {differ}"
    told = f"{', '.join(missing[:3])}{' and more' if len(missing) > 3 else ''}"
    return f"{run[0].whole['model']}, {run[0].whole['suite']}: shard {told} is missing"


def _check_protocols(run: Sequence[Part], protocol: ProtocolName | None) -> None:
    followed = {part.protocol: part.run.path for part in run}
    if protocol is None and len(followed) > 1:
        told = ", ".join(f"{name} in {path}" for name, path in followed.items())
        raise UsageError(f"the figures of the shards follow {told}: name one with --protocol")


def _write_merged_run(folder: Path, run: Sequence[Part], protocol: ProtocolName | None) -> None:
    """Write the folder of a whole run with its figures and reports."""
    from fairlint.bench.report import write_reports  # noqa: PLC0415 (reports need more than runs do)

    folder.mkdir(exist_ok=True)
    write_settings(folder, run[0].whole)
    files = {
        REQUESTS: _unique_lines(line for part in run for line in part.run.requests()),
        RESPONSES: chain.from_iterable(part.run.responses() for part in run),
        OUTCOMES: chain.from_iterable(part.run.outcomes() for part in run),
    }
    for name, lines in files.items():
        with LineStore(folder / name) as store:
            for batch in batches(lines, AT_A_TIME):
                store.append(batch)
    notes = dict.fromkeys(note for part in run for note in notes_of(part.run.path))
    if notes:
        write_text(folder / NOTES, json.dumps([*notes], ensure_ascii=False, indent=1) + "\n")
    followed: Any = protocol or run[0].protocol
    prices = {prices_of(part.run.path) for part in run}
    own = prices.pop() if len(prices) == 1 else None  # by several prices there is no one cost
    write_text(folder / "metrics.json", as_text(metrics_of(folder, protocol=followed, prices=own)))
    write_reports(folder)


def _unique_lines(lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Prompts that several shards asked, each once."""
    seen: set[str] = set()
    for line in lines:
        if line[KEY] not in seen:
            seen.add(line[KEY])
            yield line
