"""What `fairlint bench` is asked to do, checked as far as can be before any model is loaded."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.answer_cache import AnswerCache
from fairlint.backends.model import ModelError, ModelOptions, Sampling
from fairlint.backends.names import LOADS_WEIGHTS, Found, resolve, slug
from fairlint.backends.registry import check_inside
from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.running import check_new
from fairlint.bench.asking.shards import Shard, requests_in, shard_of
from fairlint.bench.suites import carried_mitigations, suite_of, suites, suites_taking
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.suite import ProtocolName, Suite
from fairlint.cli.arguments import Arguments
from fairlint.cli.bench_models import OF_VLLM, build_sampling, model_options
from fairlint.cli.bench_options import limits_of
from fairlint.cli.option_values import number, option_value, split_names, whole
from fairlint.config import Settings
from fairlint.run_folders.run_folder import SETTINGS, strangers
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

MADE = "made"
"""What stands for shipped pipelines in place of a folder, in `--detect`."""
SUITE = "faircode:function"
REPLAY = "replay:"
"""How the name of a model begins that is a file of answers."""
FOLDER = "fairlint-bench"
"""Where runs go if nobody says."""


class Job(Record):
    """One run: a model asked the prompts of one suite."""

    suite: Suite
    choice: Choice
    sampling: Sampling
    label: str
    """Model and suite, for people."""
    path: Path
    asked: Sequence[Request]
    """What the model is asked, as far as that does not hang on its answers."""


class Asked(Record):
    """A model and what it is asked."""

    text: str | None
    """As the user wrote it; None is the model that a package brings."""
    name: str
    found: Found
    jobs: tuple[Job, ...]
    loading: ModelOptions | None = None
    """How it is loaded, where that is otherwise than the others are."""


class Failure(Record):
    """A model, or one of its runs, that came to nothing."""

    what: str
    """Its name, for people."""
    why: str
    """The reason, in one line."""


class Plan(Record):
    """All runs of one command."""

    models: tuple[Asked, ...]
    options: ModelOptions
    folder: Path
    """Where reports on several runs go."""
    protocol: ProtocolName
    resume: bool
    workers: int
    limits: Settings
    """What judging one answer may take."""
    fail_under: float | None
    prices: tuple[float, float] | None
    """Of a million tokens read, and of a million written."""
    cache: AnswerCache | None
    """Where runs share answers."""
    keep_going: bool = False
    """Whether models that nobody knows are left out, and told at the end."""
    fail_fast: bool = False
    """Whether the first model that fails ends the command."""
    unknown: tuple[Failure, ...] = ()
    """Models that were left out because nobody knows them."""

    def loading_of(self, asked: Asked) -> ModelOptions:
        """Return how one of the models is loaded."""
        return asked.loading or self.options

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All runs, in order."""
        return tuple(job for asked in self.models for job in asked.jobs)


def plan_of(options: Arguments) -> Plan:
    """Return the runs that the options ask for.

    Raises UsageError for wrong numbers, unknown names of models, suites, scenarios and attributes, a broken
    file of prompts, options that do not fit together, and folders that cannot take a run. Loads no model.
    """
    loading = model_options(options)
    workers = whole(options, "--workers", 0) or 0
    limits = limits_of(options)
    fail_under = number(options, "--fail-under", 0, 1)
    prices = parse_prices(options)
    chosen = _resolve_suites(options.suite or [SUITE], options)
    several = len({suite.name for suite in chosen}) > 1
    settings = []
    for suite in chosen:
        choice = _build_choice(suite, options)
        try:
            asked = _first_requests(suite, choice, options)
            settings.append((suite, choice, build_sampling(suite, options), asked))
        except UsageError as error:
            raise UsageError(f"{suite.name}: {error}" if several else str(error)) from None
    found, unknown = _resolve_models(options)
    _check_models([one for _, one in found], options)
    if options.output == "":
        raise UsageError("--output is empty: name a folder")
    folder = Path(options.output or FOLDER).expanduser()
    paths = iter(
        _run_paths(
            folder, [f"{_suite_title(suite)}-{one.name}" for _, one in found for suite in chosen], options
        )
    )
    models = tuple(
        Asked(
            text,
            one.name,
            one,
            tuple(
                Job(suite, choice, sampling, f"{one.name}, {_suite_title(suite)}", next(paths), requests)
                for suite, choice, sampling, requests in settings
            ),
        )
        for text, one in found
    )
    plan = Plan(
        models=models,
        options=loading,
        folder=folder,
        protocol=options.protocol or "exact",
        resume=bool(options.resume),
        workers=workers,
        limits=limits,
        fail_under=fail_under,
        prices=prices,
        cache=AnswerCache(Path(options.answer_cache).expanduser()) if options.answer_cache else None,
        keep_going=bool(options.keep_going),
        fail_fast=bool(options.fail_fast),
        unknown=unknown,
    )
    for job in plan.jobs:
        _check_folder(job.path, resume=plan.resume)
    if len(plan.jobs) > 1 and (folder / SETTINGS).exists():
        raise UsageError(f"{folder} is the folder of one run: --output names another for several")
    return plan


def parse_prices(options: Arguments) -> tuple[float, float] | None:
    """Return what a million tokens read and written cost; None where `--prices` is not given."""
    text = option_value(options, "--prices")
    if text is None:
        return None
    try:
        read, written = map(float, text.split(","))
    except ValueError:
        read = written = math.nan
    if not (0 <= read < math.inf and 0 <= written < math.inf):
        raise UsageError(f"--prices must be two numbers 0 or more, as in 0.15,0.6, not '{text}'")
    return read, written


def _resolve_suites(given: Sequence[str], options: Arguments) -> tuple[Suite, ...]:
    found = {suite.name: suite for text in given for name in text.split(",") for suite in suites(name)}
    own = _own_suite_settings(options)
    for name in own:
        if not any(name in _settings_of_suite(suite, own) for suite in found.values()):
            takers = ", ".join(suites_taking(name))
            raise UsageError(f"{OWN[name]} is for the suites {takers}: name one with --suite")
    _check_mitigations(own.get("mitigation") or (), list(found))
    chosen = [made for suite in found.values() for made in _suites_with_settings(suite, own)]
    return tuple(one for suite in chosen for one in (suite, *_perturbed_suites(suite, options)))


def _check_mitigations(names: Sequence[str], chosen: Sequence[str]) -> None:
    """Raise UsageError for a mitigation that none of the chosen suites carries."""
    carried = [carried_mitigations(one) for one in chosen]
    if None in carried:
        return
    known = list(dict.fromkeys(name for each in carried for name in each or ()))
    for name in names:
        if name not in {"none", *known}:
            whose = ", ".join(chosen)
            raise UsageError(f"there is no mitigation '{name}' for {whose} (known: {', '.join(known)})")


def _perturbed_suites(suite: Suite, options: Arguments) -> Iterator[Suite]:
    """Yield a suite once for each perturbation of its prompts that is asked for."""
    if not (kinds := split_names(options.perturb)):
        return
    from fairlint.bench.suites.perturbed import with_perturbation  # noqa: PLC0415 (few perturb)

    if any(text.startswith(REPLAY) for text in options.model or ()):
        raise UsageError("a replay asks what its file answers: leave --perturb out")
    if options.prompts:
        raise UsageError("--perturb changes a suite's own prompts: leave --prompts out")
    for kind in dict.fromkeys(kinds):
        yield with_perturbation(suite, kind)


def _settings_of_suite(suite: Suite, own: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the settings that a suite takes: an executor only where it is asked to run something."""
    names = suite.settable
    switch = next((name for name in ("utility", "execute") if name in names), None)
    return names if switch is None or switch in own else tuple(one for one in names if one != "executor")


OWN = {
    "mitigation": "--mitigation",
    "data": "--data",
    "config": "--data-config",
    "executor": "--executor",
    "utility": "--utility",
    "execute": "--execute",
    "ages": "--ages",
    "threshold": "--threshold",
    "columns": "--columns",
    "protected": "--protected",
    "detect": "--detect",
}
"""Settings of suites, and the options that say them."""


def _own_suite_settings(options: Arguments) -> dict[str, Any]:
    """Return what is said of suites' own settings."""
    told: dict[str, Any] = {name: option_value(options, option) for name, option in OWN.items()}
    told["mitigation"] = split_names(options.mitigation)
    told["utility"] = options.utility or None
    told["execute"] = options.execute or None
    told["threshold"] = number(options, "--threshold", 0, 1)
    for name in ("data", "config", "detect"):
        if told[name] not in {None, MADE}:
            told[name] = str(Path(told[name]).expanduser().resolve()) if told[name] else None
    return {name: value for name, value in told.items() if value is not None}


def _suites_with_settings(suite: Suite, own: dict[str, Any]) -> Iterator[Suite]:
    """Yield a suite with those of the settings that it takes, once for each mitigation that it carries. Where
    it carries none of them, it is asked as it is.
    """
    name, known = suite.name, _settings_of_suite(suite, own)
    told = {key: value for key, value in own.items() if key in known and key != "mitigation"}
    if "mitigation" not in suite.settable:
        yield suite_of(name, told)
        return
    carried = carried_mitigations(name)
    asked = [one for one in own.get("mitigation") or () if carried is None or one in {"none", *carried}]
    for mitigation in asked or ("none",):
        how = "" if mitigation == "none" else mitigation
        yield suite_of(name, {**told, **({"mitigation": how} if how else {})})


def _suite_title(suite: Suite) -> str:
    """Return a suite, its mitigation and its perturbation."""
    own = getattr(suite, "settings", {})
    return "-".join(filter(None, (suite.name, own.get("mitigation"), own.get("perturb"))))


def _build_choice(suite: Suite, options: Arguments) -> Choice:
    return Choice(
        scenarios=_suite_spellings(split_names(options.scenarios), suite.scenarios()),
        attributes=_suite_spellings(split_names(options.attributes), suite.attributes()),
        subjects=split_names(options.subjects),
        samples=whole(options, "--samples", 1),
        limit=whole(options, "--limit", 1),
        seed=whole(options, "--seed", 0) or 0,
        prompts=Path(options.prompts).expanduser() if options.prompts else None,
        shard=_parse_shard(options),
    )


def _parse_shard(options: Arguments) -> Shard | None:
    if options.shard is None:
        return None
    try:
        return shard_of(options.shard)
    except ValueError as error:
        raise UsageError(f"--shard {error}") from None


def _suite_spellings(given: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...] | None:
    """Return names as the suite spells them, so that `parents_income` is `parents income` too."""
    if given is None:
        return None
    spellings = {_squash_name(name): name for name in known}
    return tuple(spellings.get(_squash_name(name), name) for name in given)


def _squash_name(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).lower()


def _first_requests(suite: Suite, choice: Choice, options: Arguments) -> Sequence[Request]:
    """Return what models are asked first; nothing where all of them are files of answers, for which the data
    of a suite need not be there.
    """
    is_replay = bool(options.model) and all(text.startswith(REPLAY) for text in options.model)
    if is_replay and choice.subjects is None:  # the suite alone knows its subjects
        try:
            resolve_choice(suite, choice.selection)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return ()
    return requests_in(choice.shard, requests_of(suite, choice), suite)


def _resolve_models(options: Arguments) -> tuple[list[tuple[str | None, Found]], tuple[Failure, ...]]:
    """Return what the names of models stand for, and those that stand for nothing, where these may be left
    out.
    """
    if options.keep_going and options.fail_fast:
        raise UsageError("--keep-going cannot be used with --fail-fast")
    texts: Sequence[str | None] = options.model or [None]
    found: list[tuple[str | None, Found]] = []
    unknown: list[Failure] = []
    for text in texts:
        try:
            found.append((text, resolve(text)))
        except ModelError as error:
            unknown.append(Failure(text or "the small model", str(error)))
    check_unknown_models(unknown, len(texts), keep_going=bool(options.keep_going) and bool(found))
    return found, tuple(unknown)


def check_unknown_models(unknown: Sequence[Failure], models: int, *, keep_going: bool) -> None:
    """Raise a ModelError that tells of all models that cannot be had, where none may be left out."""
    if not unknown or keep_going:
        return
    if len(unknown) == 1:
        raise ModelError(unknown[0].why)
    told = "; ".join(f"{one.what}: {one.why}" for one in unknown)
    raise ModelError(f"{len(unknown)} of {models} models cannot be had: {told}")


def _check_models(found: Sequence[Found], options: Arguments) -> None:
    seen: set[tuple[str, str]] = set()
    for one in found:
        if (one.backend, one.where) in seen:
            raise UsageError(f"the model {one.name} is named twice")
        seen.add((one.backend, one.where))
        if options.ablate is not None:
            check_inside(one, "--ablate changes what happens within a model")
        if options.adapter is not None:
            check_inside(one, "--adapter is merged into a model's weights")
    for name in ("--tensor-parallel", "--pipeline-parallel", "--engine", "--engine-option"):
        given = option_value(options, name)
        is_for_vllm = given is not None and (name != "--engine" or given == OF_VLLM)
        if is_for_vllm and all(one.backend != "vllm" for one in found):
            told = f"{name} {given}" if name == "--engine" else name
            raise UsageError(f"{told} is for vLLM: name a model as in --model vllm:qwen2.5-coder")
    for name in ("--base-url", "--api-key", "--api-key-env"):
        if option_value(options, name) is not None and all(
            one.backend in LOADS_WEIGHTS | {"replay"} for one in found
        ):
            raise UsageError(f"{name} is for models behind a server: name one, as in --model openai:NAME")


def _run_paths(folder: Path, names: Sequence[str], options: Arguments) -> list[Path]:
    """Return the folder of each run: a single one has the folder that is named to itself, unless it is a
    shard.
    """
    shard = _parse_shard(options)
    part = f"-{shard.part}-of-{shard.of}" if shard else ""
    if options.output and len(names) == 1 and shard is None:
        return [folder]
    return [folder / f"{name}{part}" for name in folder_names(names)]


def folder_names(names: Sequence[str]) -> list[str]:
    """Return one folder a name, told apart by a number where two names come to the same."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        wanted = one = slug(name)
        count = 1
        while one.lower() in taken:
            count += 1
            one = f"{wanted}-{count}"
        taken.add(one.lower())
        found.append(one)
    return found


def _check_folder(path: Path, *, resume: bool) -> None:
    check_new(path, resume=resume)
    try:
        there = strangers(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be a run's folder: {error.strerror}") from None
    if there and SETTINGS not in there:
        raise UsageError(f"{path} holds {there[0]} but no run: --output names a new or empty folder")
