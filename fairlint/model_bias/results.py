"""What the commands of `fairlint model` leave in a folder: a part for each of them, and all in one file.

| file | what it holds |
|---|---|
| `PART/`, one of PARTS | a run folder of the bench, whose lines are items |
| `PART/run.json`, `PART/responses.jsonl` | what its figures depend on; what was measured of each item |
| `PART/metrics.json` | its figures, with their definitions |
| `metrics.json` | the figures of all parts that are there |
| `report.html`, `figures/` | the page, and its figures one by one |

A part that was broken off goes on where it ended: lines of items are kept as they come.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.record_shapes import LINES, PART, shown_fault
from fairlint.model_bias.shown import Shown, as_json
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import RESPONSES, RunFolder, RunSettings, open_run, write_text
from fairlint.support.about import __version__
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.shapes import fault_of

PARTS = ("score", "distribution", "debias", "locate", "ablate", "probe")
FORMAT = 1
FIGURES = "metrics.json"
LARGEST = 1 << 30
"""Bytes of a file of figures."""


def open_part(
    folder: Path,
    part: str,
    loaded: Loaded,
    *,
    items: str,
    seed: int = 0,
    resume: bool = False,
    options: Mapping[str, Any] | None = None,
) -> RunFolder:
    """Return a part's folder, open and locked for writing: to be used in a `with`.

    `items` is what tells its items from others (see `digest_of`), `options` all else that its figures depend
    on, as JSON. Kept items are `run.responses.records()`, and `run.responses.append` keeps more: mappings
    with a `key` of their own. Raises UsageError, in one line, where the part is there already and is not to
    be resumed, was begun with other settings, or cannot be written.
    """
    path = folder / part
    if (path / "run.json").exists() and not resume:
        raise UsageError(f"{path} already holds results; use --resume to continue, or another --output")
    _check_others(folder, part, loaded)
    settings = RunSettings(
        suite=f"model {part}",
        model=loaded.name,
        revision=loaded.revision,
        seed=seed,
        samples=None,
        temperature=None,
        max_new_tokens=None,
        prompts_hash=items,
        options={**loaded.settings, **(options or {})},
    )
    try:
        return open_run(path, settings, lines={RESPONSES: LINES[part]} if part in LINES else None)
    except RunFolderError as error:
        raise UsageError(str(error)) from None


def _check_others(folder: Path, part: str, loaded: Loaded) -> None:
    """Raise UsageError where another part is of another model: the page would tell both as one."""
    for other in PARTS:
        path = folder / other / "run.json"
        if other == part or not path.exists():
            continue
        try:
            told = read_json(read_file(path, LARGEST))
            name, revision = told["model"], told["revision"]
        except NotReadableError as error:
            raise UsageError(f"{path}: {error}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        if (name, revision) != (loaded.name, loaded.revision):
            raise UsageError(
                f"{folder} holds results of {name} ({revision}), and this is {loaded.name} "
                f"({loaded.revision}): take another --output"
            )


def digest_of(items: Iterable[object]) -> str:
    """Return what tells these items from others: a hash of what they print as."""
    found = hashlib.sha256()
    for one in items:
        found.update(repr(one).encode("utf-8", "backslashreplace") + b"\n")
    return found.hexdigest()[:24]


def document(
    part: str,
    loaded: Loaded,
    *,
    settings: Mapping[str, Any],
    data: Sequence[Mapping[str, Any]],
    definitions: Mapping[str, str],
    figures: Mapping[str, Any],
    verdict: str = "",
    shown: Sequence[Shown] = (),
    examples: Sequence[str] = (),
    warnings: Sequence[str] = (),
    skipped: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return a part's `metrics.json`.

    `data` tells of each set of items its name, source, licence and number, `definitions` what each figure is
    in one sentence, `verdict` what they come to, `shown` the tables and figures of terminal and page,
    `skipped` the items that are in no figure, each with its `id` and the `reason`.
    """
    return {
        "format": FORMAT,
        "fairlint": __version__,
        "part": part,
        "model": {"name": loaded.name, "revision": loaded.revision, **loaded.settings},
        "settings": dict(settings),
        "data": list(data),
        "definitions": dict(definitions),
        "figures": dict(figures),
        "verdict": verdict,
        "warnings": list(warnings),
        "shown": [as_json(one) for one in shown],
        "examples": list(examples),
        "skipped": list(skipped),
    }


def write(run: RunFolder, told: Mapping[str, Any]) -> None:
    """Write a part's figures, and those of all parts into the folder above it.

    Raises UsageError where the disk is full or the folder cannot be written.
    """
    try:
        run.write_text(FIGURES, as_text(told))
        write_text(run.path.parent / FIGURES, as_text(read(run.path.parent)))
    except RunFolderError as error:
        raise UsageError(str(error)) from None


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the parts of a folder that have figures, by name, in the order of `PARTS`.

    Raises UsageError for a file that is no such document, or that a newer fairlint wrote.
    """
    found: dict[str, dict[str, Any]] = {}
    for part in PARTS:
        path = folder / part / FIGURES
        if not path.exists():
            continue
        try:
            told = read_json(read_file(path, LARGEST), finite=True)
        except NotReadableError as error:
            raise UsageError(f"{path}: {error}") from None
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        if not isinstance(told, dict) or told.get("part") != part:
            raise UsageError(f"{path} does not hold figures of fairlint model {part}")
        if told.get("format") != FORMAT:
            raise UsageError(f"{path} is of format {told.get('format')}, and this fairlint reads {FORMAT}")
        if wrong := _fault_of_part(told):
            raise UsageError(f"{path} is not as fairlint model {part} writes it: {wrong}")
        found[part] = told
    return found


def _fault_of_part(told: Any) -> str:
    """Return what is wrong with a part's figures; empty where nothing is."""
    if fault := fault_of(PART, told):
        return fault
    names = [one.get("name") for one in told["shown"]]
    for place, one in enumerate(told["shown"]):
        if fault := shown_fault(one):
            return f"in `shown[{place}]` {fault}"
        if one["name"] in names[:place]:
            return f"`shown` has {one['name']} twice"
    return ""


def as_text(told: Mapping[str, Any]) -> str:
    """Return a document as text."""
    return json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
