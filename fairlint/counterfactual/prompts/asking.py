"""Asks the cells of an audit, keeps each answer as it arrives, and reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairlint.backends.allowed_answers import scoring_of
from fairlint.backends.answer_cache import AnswerCache, WholeAnswers, answers_into_cache, cached_answers
from fairlint.backends.cost import Cost, cost_of
from fairlint.backends.kept_answers import kept_of
from fairlint.backends.model import Model, ModelError, Sampling
from fairlint.backends.requests import Request, hash_of, key_of, seed_of, shuffle_by_seed
from fairlint.counterfactual.prompts.answers_read import read_answer
from fairlint.counterfactual.prompts.cells import Cell
from fairlint.counterfactual.prompts.observations import BY_VALUE, Observation
from fairlint.counterfactual.prompts.planning import Audit
from fairlint.counterfactual.prompts.probabilities import read_probabilities
from fairlint.run_folders import record_shapes
from fairlint.run_folders.jsonl import KEY
from fairlint.run_folders.run_folder import REQUESTS, RESPONSES, RunFolder, RunSettings, open_run
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

SUITE = "prompt-audit"
LINES = {REQUESTS: record_shapes.REQUEST, RESPONSES: record_shapes.RESPONSE}
FIRST = 12
"""Answers that are asked for first, to see whether the model answers in the form that is asked for."""

Watch = Callable[[int, int], None]
"""Is told how many answers there are, of how many."""


def requests_of(audit: Audit, seed: int) -> list[tuple[Request, Cell]]:
    """Return the questions of an audit with their cells, in an order drawn by the seed."""
    found = {}
    for cell in audit.cells:
        groups = ", ".join(group for _, group in cell.groups)
        attributes = ", ".join(name for name, _ in cell.groups)
        drawn = (cell.case, cell.channel, attributes, groups, cell.arm, cell.draw)
        request = Request(
            suite=SUITE,
            scenario=cell.channel if not cell.mitigation else f"{cell.channel}+{cell.mitigation}",
            attribute=attributes,
            subject=f"{cell.case}: {groups}",
            stereotype=cell.arm,
            sample=cell.draw,
            seed=seed_of(SUITE, seed, *drawn, *filter(None, (cell.mitigation,))),
            messages=cell.messages,
            prompt_hash=hash_of(cell.messages),
            plain=True,
            role=cell.mitigation,
            allowed=audit.allowed,
        )
        found[key_of(request)] = (request, cell)
    return [found[key] for key in shuffle_by_seed(list(found), seed)]


def cost_of_audit(audit: Audit, sampling: Sampling, kept: Sequence[str] = ()) -> Cost:
    """Return what an audit takes at most, by the characters of its prompts."""
    return cost_of([request for request, _ in requests_of(audit, 0)], sampling, kept=kept)


def ask_audit(
    audit: Audit,
    load: Callable[[], Model],
    path: Path,
    wanted: Sampling,
    *,
    seed: int = 0,
    resume: bool = False,
    cache: AnswerCache | None = None,
    watch: Watch | None = None,
) -> tuple[list[Observation], dict[str, Any]]:
    """Return the answers to all cells and what they depend on; what is missing in the folder is asked.

    Raises UsageError for a folder with a run where nobody resumes, ModelError for a model that fails or that
    never answers in the form that is asked for, and RunFolderError as `open_run`. Answers that came stay.
    """
    if not resume and (path / "run.json").exists():
        raise UsageError(f"{path} holds a run already: --resume goes on with it, --run names another folder")
    pairs = requests_of(audit, seed)
    model = load()
    sampling = _sampling_of(audit, model, wanted)
    settings = _settings_of(audit, pairs, model, sampling, seed)
    with open_run(path, settings, lines=LINES) as folder:
        _keep_prompts(folder, [request for request, _ in pairs])
        _ask_missing(folder, pairs, audit, model, sampling, cache, watch)
        kept = {record[KEY]: record for record in folder.responses.records()}
        told = {
            "model": model.name,
            "revision": model.revision,
            "temperature": sampling.temperature,
            "logprobs": bool(audit.allowed),
            "max_new_tokens": sampling.max_new_tokens,
            "seed": seed,
            "date": _date_of(folder),
            "prompt_tokens": sum(one["prompt_tokens"] for one in kept.values()),
            "new_tokens": sum(one["new_tokens"] for one in kept.values()),
        }
    return observations_of(audit, pairs, kept), told


def observations_of(
    audit: Audit, pairs: Sequence[tuple[Request, Cell]], kept: Mapping[str, Mapping[str, Any]]
) -> list[Observation]:
    """Return what the kept answers say, one for each cell that has one."""
    found = []
    for request, cell in pairs:
        record = kept.get(key_of(request))
        if record is not None:
            scored = read_probabilities(record, audit.form) if audit.allowed else None
            kind, value = read_answer(record["text"], audit.form) if scored is None else scored[:2]
            found.append(
                Observation(
                    cell.case, cell.channel, cell.groups, cell.arm, cell.draw, kind, value,
                    cell.name if cell.channel in BY_VALUE else "", cell.mitigation,
                    *(() if scored is None else (scored.outside, scored.likeliest, scored.slack)),
                )
            )  # fmt: skip
    return found


def import_answers(
    audit: Audit, answers: Mapping[str, Mapping[str, Any]], seed: int, name: str
) -> tuple[list[Observation], dict[str, Any]]:
    """Return what the answers of another program say, and that nobody knows how they came about.

    Raises UsageError where they answer no cell of the audit, or not all.
    """
    pairs = requests_of(audit, seed)
    keys = [key_of(request) for request, _ in pairs]
    lacking = [key for key in keys if key not in answers]
    if lacking:
        raise UsageError(
            f"the answers lack {len(lacking):,} of {len(keys):,} cells, such as {lacking[0]!r}: import those "
            "that were exported with the same prompt, cases and options"
        )
    kept = {key: answers[key] for key in keys}
    if audit.allowed and (drawn := [key for key in keys if "probabilities" not in kept[key]]):
        raise UsageError(f"the answer to {drawn[0]!r} comes without probabilities: leave --logprobs out")
    told = {
        "model": name, "revision": "unknown", "temperature": None, "logprobs": bool(audit.allowed),
        "max_new_tokens": None, "seed": seed, "date": "unknown", "prompt_tokens": 0, "new_tokens": 0,
    }  # fmt: skip
    return observations_of(audit, pairs, kept), told


def _sampling_of(audit: Audit, model: Model, wanted: Sampling) -> Sampling:
    """Return how tokens are drawn; probabilities are those of the model itself, at temperature 1.

    Raises ModelError for a model that does not tell them.
    """
    if audit.allowed:
        scoring_of(model)
        return replace(wanted, temperature=1.0, top_p=1.0, early_stop=False)
    return wanted if hasattr(model, "requests") else model.sampling(wanted)


def _settings_of(
    audit: Audit, pairs: Sequence[tuple[Request, Cell]], model: Model, sampling: Sampling, seed: int
) -> RunSettings:
    told = "\n".join(f"{key_of(request)} {request.prompt_hash} {request.seed}" for request, _ in pairs)
    return RunSettings(
        suite=SUITE,
        model=model.name,
        revision=model.revision,
        seed=seed,
        samples=None,
        temperature=sampling.temperature,
        max_new_tokens=sampling.max_new_tokens,
        prompts_hash=hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        options={
            "asked": len(pairs),
            "prompt": Path(audit.template.path).name,
            "line": audit.template.line,
            "top_p": sampling.top_p,
            "model": dict(model.settings),
            **({"logprobs": list(audit.allowed)} if audit.allowed else {}),
        },
    )


def _keep_prompts(folder: RunFolder, requests: Sequence[Request]) -> None:
    known = folder.requests.done()
    fresh = {
        one.prompt_hash: {
            KEY: one.prompt_hash,
            "messages": [{"role": each.role, "content": each.content} for each in one.messages],
        }
        for one in requests
        if one.prompt_hash not in known
    }
    folder.requests.append(fresh.values())


def _date_of(folder: RunFolder) -> str:
    """Return the day on which the run began."""
    began = (folder.path / "run.json").stat().st_mtime
    return datetime.fromtimestamp(began, UTC).date().isoformat()


def _ask_missing(  # noqa: PLR0917 (what a run is made of)
    folder: RunFolder,
    pairs: Sequence[tuple[Request, Cell]],
    audit: Audit,
    model: Model,
    sampling: Sampling,
    cache: AnswerCache | None,
    watch: Watch | None,
) -> None:
    """Ask what the folder lacks: a few questions first, and the others if any of these was answered."""
    suite = WholeAnswers(SUITE)
    done = folder.responses.done()
    missing = [request for request, _ in pairs if key_of(request) not in done]
    found = cached_answers(model, cache, missing, sampling, suite)
    folder.responses.append(kept_of(one) | {"cached": True} for one in found)
    missing = [one for one in missing if key_of(one) not in folder.responses.done()]
    first = FIRST if not len(folder.responses) else 0
    for some in (missing[:first], missing[first:]):
        if not some:
            continue
        batches = answers_into_cache(model, cache, some, sampling, suite)
        try:
            for batch in batches:
                folder.responses.append(map(kept_of, batch))
                if watch is not None:
                    watch(len(folder.responses), len(pairs))
        finally:
            batches.close()
        if left := sum(key_of(one) not in folder.responses.done() for one in some):
            raise ModelError(f"{model.name} gave no answer to {left} of {len(some)} questions")
        _check_form(folder, audit, model.name)


def _check_form(folder: RunFolder, audit: Audit, name: str) -> None:
    """Raise ModelError where no answer so far is in the form that is asked for, or a refusal."""
    if audit.allowed:
        kinds = {read_probabilities(record, audit.form).kind for record in folder.responses.records()}
        if kinds == {"unreadable"}:
            raise ModelError(
                f"{name} has {audit.form.words} nowhere among its likeliest answers: say in the prompt how "
                "to answer, or name the form with --answer"
            )
        return
    texts = [record["text"] for record in folder.responses.records()]
    if all(read_answer(text, audit.form).kind == "unreadable" for text in texts):
        shown = " ".join(texts[0].split())[:60]
        raise ModelError(
            f"{name} answered none of {len(texts)} questions with {audit.form.words}, but for instance "
            f"{shown!r}: say in the prompt how to answer, or name the form with --answer"
        )
