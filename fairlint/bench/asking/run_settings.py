"""What a run is told by: the settings that its answers depend on, and how far those may change later."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.model import Model, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.shards import group_of, requests_in, shard_settings
from fairlint.bench.suites import line_shapes
from fairlint.bench.suites.suite import Suite
from fairlint.run_folders.jsonl import KEY, RunFolderError
from fairlint.run_folders.run_folder import Run, RunSettings, content_of, differences, is_of, read_run
from fairlint.support.records import Record, field_names, replace

GROWING = ("samples", "limit", "scenarios", "attributes", "subjects")
"""Settings by which a run may grow."""


class Known(Record):
    """A model, as settings tell it."""

    name: str
    revision: str
    settings: Mapping[str, Any]
    sampling: Sampling
    """With its own values where nobody said anything."""
    dictated: bool
    """Whether its answers were kept, so that nobody knows how they came about."""


def known_of(model: Model, sampling: Sampling) -> Known:
    """Return a model that is loaded."""
    return Known(
        model.name, model.revision, dict(model.settings), model.sampling(sampling), hasattr(model, "requests")
    )


def known_before(path: Path, as_asked: str) -> Known | None:
    """Return the model of the run in a folder, if the same words asked for it; None where it has to be
    loaded.

    Raises RunFolderError for settings that are broken.
    """
    if not as_asked or not (path / "run.json").exists():
        return None
    told = read_run(path, line_shapes).settings
    return _told_of(told) if told.get("as_asked") == as_asked else None


def _told_of(told: Mapping[str, Any]) -> Known | None:
    """Return the model of the run with these settings; None where they do not tell it, as of kept answers."""
    if told.get("samples") is None:
        return None
    try:
        options = told["options"]
        sampling = Sampling(
            told["max_new_tokens"],
            told["temperature"],
            options["top_p"],
            options["early_stop"],
            options.get("top_k"),
        )
        return Known(told["model"], told["revision"], options["model"], sampling, dictated=False)
    except (KeyError, TypeError):
        return None


def settings_of(
    model: Known,
    suite: Suite,
    choice: Choice,
    *,
    asked: Sequence[Request],
    whole: Sequence[Request],
    as_asked: str = "",
) -> RunSettings:
    """Return the settings of a run that asks `asked` of a `whole`, which it is a part of where it
    is a shard.
    """
    told = "\n".join(
        " ".join((key_of(request), request.prompt_hash, str(request.seed), *request.tests))
        for request in whole
    )
    own = getattr(suite, "settings", None)
    is_dictated = model.dictated
    return RunSettings(
        suite=suite.name,
        model=model.name,
        revision=model.revision,
        seed=choice.seed,
        samples=None if is_dictated else choice.samples or suite.samples,
        temperature=None if is_dictated else model.sampling.temperature,
        max_new_tokens=None if is_dictated else model.sampling.max_new_tokens,
        prompts_hash=hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        as_asked=as_asked,
        options={
            "asked": len(asked),
            "limit": choice.limit,
            "scenarios": choice.scenarios,
            "attributes": choice.attributes,
            "prompts": choice.prompts.name if choice.prompts else None,
            "top_p": None if is_dictated else model.sampling.top_p,
            "early_stop": None if is_dictated else model.sampling.early_stop,
            **({} if is_dictated or model.sampling.top_k is None else {"top_k": model.sampling.top_k}),
            "model": dict(model.settings),
            **({"subjects": choice.subjects} if choice.subjects is not None else {}),
            **({"suite": dict(own)} if own else {}),
            **({"shard": shard_settings(choice.shard, len(whole))} if choice.shard else {}),
        },
    )


def check_before(path: Path, suite: Suite, choice: Choice, sampling: Sampling, as_asked: str) -> None:
    """Whether the run in a folder may go on as it is asked for now, as far as that shows without its model.

    What the model says itself is taken to be as it was; so is a temperature or `top_p` that it was asked for
    and refused. Raises RunFolderError as `check_grown` does, or for settings that are broken.
    """
    if not (path / "run.json").exists():
        return
    there = read_run(path, line_shapes)
    if (known := _told_of(there.settings)) is None:
        return
    wanted = {
        name: value
        for name in field_names(sampling)
        if None not in {value := getattr(sampling, name), getattr(known.sampling, name)}
    }
    known = replace(known, sampling=replace(known.sampling, **wanted))
    whole = requests_of(suite, choice)
    asked = requests_in(choice.shard, whole, suite)
    now = settings_of(known, suite, choice, asked=asked, whole=whole, as_asked=as_asked)
    if not is_of(there, now):
        check_growth(there, content_of(now), asked, suite)


def check_growth(there: Run, now: Mapping[str, Any], asked: Sequence[Request], suite: Suite) -> None:
    """Whether a run may go on with other settings: with more to ask, and all else as it was.

    A request depends on what it is about, its sample and the seed alone, so the answers that are there are
    those of the larger run. Raises RunFolderError, in one line, for what is other or smaller, for answers to
    other prompts than are asked now, and where more answers would have changed what a model was shown.
    """
    told = list(_not_growing(there.settings, now))
    if told:
        raise RunFolderError(f"{there.path}: holds a run with other settings: {'; '.join(told)}")
    wanted = {key_of(one): (one.prompt_hash, one.seed, list(one.tests)) for one in asked}
    others = []
    begun: set[str] = set()
    kept: set[str] = set()
    firsts = {key_of(one): one for one in asked}
    for one in there.responses():
        if one.get("turn"):
            first = firsts.get(one[KEY].rpartition(".")[0])
            begun.add(group_of(first, suite) if first else "")
            continue
        kept.add(one[KEY])
        if wanted.get(one[KEY]) != (one.get("prompt"), one.get("seed"), one.get("tests", [])):
            others.append(one[KEY])
    if others:
        raise RunFolderError(
            f"{there.path}: {len(others):,} of {len(kept):,} answers are to other prompts than those that "
            f"are asked now, such as {others[0]}: a run grows, and does not change"
        )
    _check_groups(there.path, [one for key, one in firsts.items() if key not in kept], begun - {""}, suite)


def _check_groups(path: Path, new: Sequence[Request], begun: set[str], suite: Suite) -> None:
    for one in new:
        if (group := group_of(one, suite)) in begun:
            raise RunFolderError(
                f"{path}: cannot grow: conversations about {group} were shown each other's answers, and more "
                "of these would change what is asked; --output names another folder"
            )


def _no_less(there: Any, now: Any) -> bool:
    """Return whether a second value asks for no less than a first; None is everything."""
    if there is None or now is None:
        return now is None
    return there <= now if isinstance(now, int) else set(there) <= set(now)


def _not_growing(there: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between settings, but for what may grow and did."""
    old, new = ({**one, "options": dict(one["options"])} for one in (there, now))
    for one in (old, new):
        one.pop("as_asked", None)  # other words for what is compared by itself
    is_other = old["options"]["asked"] < new["options"]["asked"]
    for name in GROWING:
        places = (old, new) if name in old else (old["options"], new["options"])
        is_other = is_other or places[0].get(name) != places[1].get(name)
        if _no_less(*(one.get(name) for one in places)):
            for one in places:
                one.pop(name, None)
    if is_other:  # then these are, too
        for one in (old, new):
            del one["prompts_hash"], one["options"]["asked"]
            if "shard" in one["options"]:
                one["options"]["shard"] = {**one["options"]["shard"], "asked": None}
    yield from differences(old, new)
