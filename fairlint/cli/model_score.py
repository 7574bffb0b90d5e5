"""`fairlint model score`: how much bias a model has, in text and in code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Command, Option
from fairlint.cli.model_options import (
    LIMIT,
    MODEL,
    RESULTS,
    SEED,
    check_extra,
    code_warning,
    folder_of,
    load,
    write_page,
)
from fairlint.cli.model_watch import say, watch
from fairlint.cli.output import write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.data.ideal_shares import IdealShares
    from fairlint.model_bias.loading import Loaded
    from fairlint.model_bias.scores.asking import Answer
    from fairlint.model_bias.scores.scoring import Task

DATA = "stereoset,winogender,crows-pairs,code"
OWN_PRONOUNS = (
    "pronouns: the modifiers and the code are fairlint's own, not those of CodeGenBias, so figures are not "
    "comparable with published ones"
)
COMMAND = Command(
    "model score",
    usage="fairlint model score [--model NAME] [--data LIST] [OPTION...]",
    description=(
        "Measure the bias of a model: StereoSet, WinoGender, CrowS-Pairs, and in code the order of groups,\n"
        "their points and the questions asked. The amount of text is printed first, on standard error.\n"
        "Results are stored as they arrive; --resume continues an interrupted run."
    ),
    groups=(
        MODEL,
        (
            "data",
            (
                Option(
                    ("--data",),
                    f"some of {DATA} (default), or\n{'':26}"
                    "text for perplexity, or pronouns for FB-Score;\n"
                    f"{'':26}NAME=FILE reads a file in the published format",
                    takes="LIST",
                ),
                Option(
                    ("--ideal",),
                    f"for pronouns: bolukbasi (default), stereotype, bls, even\n{'':26}or CSV files",
                    takes="LIST",
                ),
                Option(("--published",), "read StereoSet with a causal model as its own code does"),
                LIMIT,
                SEED,
            ),
        ),
        RESULTS,
    ),
    epilog=(
        "examples:\n"
        "  fairlint model score --data winogender,code\n"
        "  fairlint model score --model gpt2 --data stereoset=dev.json --output gpt2"
    ),
)


def score(arguments: Sequence[str]) -> int:
    """Score a model, keep the results in a folder, and show them."""
    options = COMMAND.parse(arguments)
    wanted = _parse_data_option(options.data or DATA)
    ideal_names = _parse_ideal_option(options.ideal, asked="pronouns" in wanted)
    from fairlint.backends.model import ModelError  # noqa: PLC0415 (help needs none of it)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (as above)
    from fairlint.model_bias import results  # noqa: PLC0415 (as above)
    from fairlint.model_bias.data import ideal_shares  # noqa: PLC0415 (as above)
    from fairlint.model_bias.scores.scoring import read_data, task  # noqa: PLC0415 (as above)
    from fairlint.model_bias.scores.text import lines  # noqa: PLC0415 (as above)

    seed, limit = whole(options, "--seed", 0) or 0, whole(options, "--limit", 1)
    try:
        check_extra()
        data = {name: read_data(name, source) for name, source in wanted.items()}
        ideals = [ideal_shares.load(name) for name in ideal_names]
        if len({one.name for one in ideals}) < len(ideals):
            raise UsageError("--ideal names two files of one name, which the report could not tell apart")
        loaded = load(options)
        warnings = []
        if loaded.masked and not options.data:
            del data["code"]
            warnings = [code_warning(loaded)]
            say(warnings[0], quiet=options.quiet)
        if wanted.get("pronouns", "a file") is None:
            warnings.append(OWN_PRONOUNS)
        published = bool(options.published)
        tasks = [task(loaded, name, one, limit=limit, published=published) for name, one in data.items()]
        told = _measure_tasks(
            loaded,
            tasks,
            folder_of(options, loaded),
            {
                "seed": seed,
                "limit": limit,
                **({"published": True} if published else {}),
                **({"ideal": ideal_names} if ideals else {}),
            },
            resume=bool(options.resume),
            quiet=options.quiet,
            warnings=warnings,
            ideals=ideals,
        )
    except ModelError as error:
        raise UsageError(str(error)) from None
    text = [results.as_text(told)] if options.format == "json" else (f"{line}\n" for line in lines(told))
    write_stdout(text)
    return 0


def _parse_data_option(text: str) -> dict[str, str | None]:
    """Return data set → file, or None for the published one."""
    found: dict[str, str | None] = {}
    for part in text.split(","):
        name, given, source = part.strip().partition("=")
        if name in found:
            raise UsageError(f"--data names '{name}' twice")
        if given and not source:
            raise UsageError(f"--data: name a file after '{name}='")
        found[name] = source or None
    return found


def _parse_ideal_option(text: str | None, *, asked: bool) -> list[str]:
    """Return what pronouns are held against; nothing where nobody asked for pronouns."""
    if not asked:
        if text is not None:
            raise UsageError("--ideal is for --data pronouns")
        return []
    names = [name.strip() for name in ("bolukbasi" if text is None else text).split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise UsageError("--ideal names nothing, or the same twice")
    return names


def _measure_tasks(
    loaded: Loaded,
    tasks: Sequence[Task],
    folder: Path,
    settings: Mapping[str, Any],
    *,
    resume: bool,
    quiet: bool,
    warnings: Sequence[str],
    ideals: Sequence[IdealShares],
) -> Mapping[str, Any]:
    from fairlint.model_bias import results, verdicts  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.report.score import examples, pictures  # noqa: PLC0415 (as above)
    from fairlint.model_bias.scores.resampling import plain  # noqa: PLC0415 (as above)
    from fairlint.model_bias.scores.scoring import DEFINITIONS, score  # noqa: PLC0415 (as above)
    from fairlint.model_bias.scores.stereoset import PUBLISHED  # noqa: PLC0415 (as above)

    items = results.digest_of((one.name, one.items) for one in tasks)
    seed = settings["seed"]
    asked = {
        "data": [one.name for one in tasks],
        **{name: settings[name] for name in settings if name != "seed"},
    }
    with results.open_part(
        folder, "score", loaded, items=items, seed=seed, resume=resume, options=asked
    ) as run:
        known: dict[str, dict[str, Answer]] = {one.name: {} for one in tasks}
        for line in run.responses.records():
            name, _, key = line["key"].partition(":")
            known[name][key] = line["answer"]
        figures: dict[str, Any] = {}
        for one in tasks:

            def keep(found: Mapping[str, Answer], name: str = one.name) -> None:
                run.responses.append(
                    {"key": f"{name}:{key}", "answer": answer} for key, answer in found.items()
                )

            there = f", {len(known[one.name])} of them are there" if known[one.name] else ""
            read = f"{one.cost.texts:,} texts of {one.cost.tokens:,} tokens to read"
            say(f"{one.name}: {len(one.plan):,} items{there}; {read}", quiet=quiet)
            progress = watch(one.name, quiet=quiet)
            found = score(
                loaded, one, known=known[one.name], keep=keep, progress=progress, seed=seed, ideals=ideals
            )
            figures[one.name] = plain(found)
        told = results.document(
            "score",
            loaded,
            settings=settings,
            data=[
                {
                    "name": one.name,
                    "source": one.data.origin.source,
                    "sha256": one.data.origin.sha256,
                    "items": len(one.plan),
                    "skipped": len(one.skipped),
                    "texts": one.cost.texts,
                    "tokens": one.cost.tokens,
                }
                for one in tasks
            ],
            definitions={
                f"{one.name}.{name}": text for one in tasks for name, text in DEFINITIONS[one.name].items()
            }
            | ({"stereoset.published": PUBLISHED} if settings.get("published") and not loaded.masked else {}),
            figures=figures,
            verdict=verdicts.score(figures),
            shown=pictures(figures),
            examples=examples(figures),
            warnings=warnings,
            skipped=[
                {"data": one.name, "id": each.id, "reason": each.reason}
                for one in tasks
                for each in one.skipped
            ],
        )
        results.write(run, told)
    write_page(folder, quiet=quiet)
    return told
