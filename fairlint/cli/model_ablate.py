"""`fairlint model ablate`: what is won and lost when heads and MLPs are switched off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.model_options import LIMIT, MODEL, RESULTS, SEED, folder_of, load, write_page
from fairlint.cli.output import write_stdout
from fairlint.config import UsageError

if TYPE_CHECKING:
    from fairlint.model.ablating import Step
    from fairlint.model.data.loading import DataSet

DATA = ("stereoset", "winogender", "code", "text")
COMMAND = Command(
    "model ablate",
    usage="fairlint model ablate --heads FILE|LIST [OPTION...]",
    description=(
        "Switches heads and MLPs off and measures what that wins and costs: bias in text (StereoSet,\n"
        "WinoGender) and in code, and the model's skill (LMS, perplexity). Beside the whole list it takes\n"
        "the first 1, 2, 4, ... of it, and as many components drawn at random. Only causal models."
    ),
    groups=(
        (
            "what is switched off, and how",
            (
                Option(("--heads",), "heads.json of fairlint model locate, or 23.5,25.1,mlp 0", takes="LIST"),
                Option(("--top",), "only the first N of the list", takes="N"),
                Option(
                    ("--how",),
                    "by their mean, by zeros, or by another text's values",
                    takes="HOW",
                    choices=("mean", "zero", "resample"),
                    default="mean",
                ),
                Option(("--controls",), "how many random sets are drawn", takes="N", default="5"),
                Option(("--no-curve",), "measure the whole list only"),
            ),
        ),
        (
            "what is measured",
            (
                Option(
                    ("--data",),
                    f"{', '.join(DATA)} (all), with commas;\n{'':26}NAME=FILE reads a file of one's own",
                    takes="NAMES",
                    repeats=True,
                ),
                LIMIT,
                SEED,
            ),
        ),
        MODEL,
        RESULTS,
    ),
)


def ablate(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.bench_plan import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model import (  # noqa: PLC0415 (as above)
        ablating,
        ablation,
        ablation_files,
        effects,
        results,
        verdicts,
    )
    from fairlint.model.report.ablate import pictures  # noqa: PLC0415 (as above)

    if not options.heads:
        raise UsageError("--heads says what to switch off: heads.json of fairlint model locate, or 23.5,25.1")
    top, limit = whole(options, "--top", 1), whole(options, "--limit", 1)
    seed, controls = whole(options, "--seed", 0) or 0, whole(options, "--controls", 0) or 0
    chosen = ablation_files.listed(options.heads).components[:top]
    data = [(name, *_read(name)) for name in _names(options.data)]
    loaded = load(options)
    for one in chosen:
        loaded.anatomy.check(one)
    measured, texts = ablating.measures([items for _, items, _ in data], limit=limit)
    reference = ablating.tokens(loaded, texts)
    settings = {
        "components": [str(one) for one in chosen],
        "how": options.how,
        "controls": controls,
        "limit": limit,
        "curve": not options.no_curve,
        "reference": results.digest_of(reference),
    }
    folder = folder_of(options, loaded)
    items = results.digest_of(told for _, _, told in data)
    with results.open_part(
        folder, "ablate", loaded, items=items, seed=seed, resume=bool(options.resume), options=settings
    ) as run:
        steps = ablating.ablate(
            loaded,
            chosen,
            options.how,
            measured,
            reference,
            controls=controls,
            seed=seed,
            curve=not options.no_curve,
            done=None if options.quiet else _progress,
        )
        figures = {"steps": [one.as_json for one in steps]}
        told = results.document(
            "ablate",
            loaded,
            settings={**settings, "seed": seed},
            data=[{"name": name, **origin} for name, _, origin in data],
            definitions={
                name: meaning
                for name, meaning in effects.DEFINITIONS.items()
                if name.partition(".")[0] in {data_name.partition("=")[0] for data_name, _, _ in data}
            },
            figures=figures,
            verdict=verdicts.ablate(figures),
            shown=pictures(figures),
        )
        if options.how != "resample":
            change = ablation.ablation_of(loaded, chosen, options.how, reference)
            ablation_files.write(run.path, change, loaded.name)
        results.write(run, told)
    write_page(folder, quiet=bool(options.quiet))
    if options.format == "json":
        write_stdout([json.dumps(told, ensure_ascii=False, indent=1), "\n"])
    else:
        write_stdout(line + "\n" for line in (*table(steps, options.how), "", told["verdict"]))
    return 0


def _names(given: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for text in given or DATA for name in text.split(",")))
    for name in names:
        if name.partition("=")[0] not in DATA:
            raise UsageError(f"--data: '{name}' is not measured before and after ({', '.join(DATA)})")
    return names


def _read(text: str) -> tuple[DataSet, dict[str, str]]:
    """A set of data, and which file it is."""
    from fairlint.model.data.loading import load as read  # noqa: PLC0415 (help needs none of it)

    name, _, path = text.partition("=")
    found = read(name, path or None)
    return found, {"source": found.origin.source, "sha256": found.origin.sha256}


def _progress(done: int, of: int) -> None:
    say(f"fairlint: {done} of {of} ablations measured")


def table(steps: Sequence[Step], how: str) -> Iterator[str]:
    """What the whole list does beside what controls do, and how each figure goes along the list."""
    listed = [one for one in steps if one.kind == "list"]
    controls = [one for one in steps if one.kind == "control"]
    last = listed[-1]
    yield f"{len(last.components)} components ablated ({how}): {', '.join(last.components)}"
    yield ""
    yield f"{'':20}{'before':>9}{'after':>9}{'difference (95 %)':>28}   controls' differences"
    for place, one in enumerate(last.effects):
        bounds = f"{one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"
        others = " ".join(f"{control.effects[place].difference:+.3f}" for control in controls)
        yield f"{one.figure:20}{one.before:9.3f}{one.after:9.3f}{bounds:>28}   {others}".rstrip()
    if len(listed) > 1:
        yield ""
        yield f"{'components':20}" + "".join(f"{len(one.components):>9}" for one in listed)
        for place, one in enumerate(last.effects):
            yield f"{one.figure:20}" + "".join(f"{step.effects[place].after:9.3f}" for step in listed)
