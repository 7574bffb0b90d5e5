"""Runs as lm-evaluation-harness logs its own: `MODEL/results_DATE.json` and `MODEL/samples_TASK_DATE.jsonl`.

The form is that of lm-eval 0.4 (`lm_eval/loggers/evaluation_tracker.py`), so that what reads its logs reads
these. The date is that of the last answer's outcome, so that the same run gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairlint.bench.exporting.headlines import TITLES, Headline, headlines
from fairlint.bench.exporting.runs import Exported
from fairlint.bench.suites.suite import Judged, Kept
from fairlint.run_folders.jsonl import KEY
from fairlint.support import whole_files
from fairlint.support.errors import UsageError

LONGEST_NAME = 200
"""Bytes of the name of a file, to which an ending is added."""
LONGEST_SHOWN = 60
"""Characters of a name that a message repeats."""
FILTER = "none"
VERSION = 1
"""Of the tasks."""


def write(runs: Sequence[Exported], place: Path) -> None:
    """Write a folder a model into `place`: of its runs one file of results, and one of samples a run."""
    by_model: dict[str, list[Exported]] = {}
    for run in runs:
        by_model.setdefault(run.model, []).append(run)
    place.mkdir(exist_ok=True)
    for model, own in by_model.items():
        folder = place / file_name(model)
        folder.mkdir()
        moment = max(_last_modification_time(run.path) for run in own)
        date = datetime.fromtimestamp(moment, UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
        stamp = date.replace(":", "-")
        tasks: dict[str, Exported] = {}
        for run in own:
            tasks[_unused_task_name(task_of(run), tasks)] = run
        hashes = {}
        for task, run in tasks.items():
            samples = list(_iter_samples(run))
            hashes[task] = _sha256_of_text(
                "".join(one["doc_hash"] + one["prompt_hash"] + one["target_hash"] for one in samples)
            )
            lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in samples)
            whole_files.write(folder / f"samples_{task}_{stamp}.jsonl", map(_encode_utf8, lines))
        told = {**_results_object(model, tasks), "date": moment, "task_hashes": hashes}
        results = _encode_utf8(json.dumps(told, indent=2, ensure_ascii=False))
        whole_files.write(folder / f"results_{stamp}.json", (results,))


def _encode_utf8(text: str) -> bytes:
    """Return a text in UTF-8; half of a surrogate pair, as broken tokens leave it, becomes a
    question mark.
    """
    return text.encode("utf-8", "replace")


def sanitize_model_name(model: str) -> str:
    """Return a model's name as a folder, as lm-eval writes it.

    >>> sanitized("Qwen/Qwen2.5")
    'Qwen__Qwen2.5'
    """
    return re.sub(r'["<>:/|\\?*\[\]]+', "__", model)


def file_name(model: str) -> str:
    """Return the same for a file. Raises UsageError for a name that would be none, or that leads
    elsewhere.
    """
    found = sanitize_model_name(model)
    if not found.strip(". ") or not found.isprintable() or len(found.encode()) > LONGEST_NAME:
        raise UsageError(f"the model {model[:LONGEST_SHOWN]!r}: its name makes no name of a file")
    return found


def task_of(run: Exported) -> str:
    """Return a run's suite as the name of a task; those of the shipped tasks are the same."""
    return re.sub(r"\W", "_", "_".join(filter(None, ("fairlint", run.suite, run.mitigation))))


def _unused_task_name(name: str, taken: Mapping[str, Exported]) -> str:
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _last_modification_time(path: Path) -> float:
    return max((file.stat().st_mtime for file in path.glob("*.jsonl")), default=0.0)


def _results_object(model: str, tasks: Mapping[str, Exported]) -> dict[str, Any]:
    one = next(iter(tasks.values())).metrics
    found = {task: headlines(run.metrics) for task, run in tasks.items()}
    settings = {task: run.metrics["settings"] for task, run in tasks.items()}
    return {
        "results": {task: _headline_values(task, told) for task, told in found.items()},
        "group_subtasks": {task: [] for task in tasks},
        "configs": {
            task: {
                "task": task,
                "output_type": "generate_until",
                "num_fewshot": 0,
                "metric_list": [{"metric": _metric_name(one)} for one in found[task]],
                "repeats": settings[task].get("samples") or 1,
                "metadata": {"version": VERSION, "fairlint": run.metrics["fairlint"], **settings[task]},
            }
            for task, run in tasks.items()
        },
        "versions": dict.fromkeys(tasks, VERSION),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {
            task: {_metric_name(one): TITLES[one.name][1] for one in told} for task, told in found.items()
        },
        "n-samples": {
            task: {"original": run.metrics["answers"]["asked"], "effective": run.metrics["answers"]["given"]}
            for task, run in tasks.items()
        },
        "config": {
            "model": one["model"].get("backend", "fairlint"),
            "model_args": {"pretrained": model, "revision": one["model"]["revision"]},
            "limit": one["settings"].get("limit"),
            "gen_kwargs": {
                name: one["settings"].get(name) for name in ("temperature", "top_p", "max_new_tokens")
            },
            "random_seed": one["settings"]["seed"],
            "bootstrap_iters": 0,
        },
        "git_hash": None,
        "model_source": "fairlint",
        "model_name": model,
        "model_name_sanitized": sanitize_model_name(model),
    }


def _headline_values(task: str, told: Sequence[Headline]) -> dict[str, Any]:
    found: dict[str, Any] = {"alias": task}
    for one in told:
        found[f"{_metric_name(one)},{FILTER}"] = one.value
        found[f"{_metric_name(one)}_stderr,{FILTER}"] = (
            "N/A"  # fairlint tells intervals, which are no such errors
        )
    return found


def _metric_name(one: Headline) -> str:
    return "_".join(filter(None, (one.name, re.sub(r"\W", "_", one.attribute))))


def _iter_samples(run: Exported) -> Iterator[dict[str, Any]]:
    for number, (kept, told) in enumerate(sorted(run.pairs, key=lambda pair: str(pair[0][KEY]))):
        yield _sample_record(number, run, kept, told)


def _sample_record(number: int, run: Exported, kept: Kept, told: Judged) -> dict[str, Any]:
    names = (KEY, "scenario", "attribute", "list", "subject", "sample", "seed")
    doc = {name: kept[name] for name in names} | {"messages": run.messages(kept)}
    prompt = json.dumps(doc["messages"], ensure_ascii=False)
    drawn = {"max_gen_toks": run.metrics["settings"].get("max_new_tokens")}
    return {
        "doc_id": number,
        "doc": doc,
        "target": "",
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": drawn}},
        "resps": [[kept["text"]]],
        "filtered_resps": [kept["text"]],
        "filter": FILTER,
        "metrics": ["valid"],
        "doc_hash": _sha256_of_text(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _sha256_of_text(prompt),
        "target_hash": _sha256_of_text(""),
        "valid": int(bool(told["valid"])),
    }


def _sha256_of_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
