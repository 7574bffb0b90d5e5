"""`fairlint model ablate`: what is won and lost when heads and MLPs are switched off."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli.arguments import Arguments, Command, Option
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
    from fairlint.model_bias.ablating import Step
    from fairlint.model_bias.ablation import How
    from fairlint.model_bias.data.loading import DataSet
    from fairlint.model_bias.effects import Question, Table
    from fairlint.run_folders.run_folder import RunFolder

DATA = ("stereoset", "winogender", "code", "text")
ALL = "all"
"""All heads, layer by layer, then all MLPs."""
COMMAND = Command(
    "model ablate",
    usage="fairlint model ablate --heads FILE|LIST [OPTION...]",
    description=(
        "Switch off heads and MLPs and measure the effect on bias in text (StereoSet, WinoGender) and in\n"
        "code, and on the model's skill (LMS, perplexity). Measured for the whole list, for its first 1, 2,\n"
        "4, ... components, and for as many random ones; with --each for each component alone. A masked\n"
        "model is not asked for code. Results are stored as they arrive; --resume continues an\n"
        "interrupted run."
    ),
    groups=(
        (
            "components",
            (
                Option(
                    ("--heads",),
                    "heads.json of fairlint model locate, a list such as 23.5,25.1,mlp 0,\n"
                    f"{'':26}or, with --each, all",
                    takes="LIST",
                ),
                Option(("--top",), "use only the first N of the list", takes="N"),
                Option(
                    ("--how",),
                    "replace them by their mean, by zeros, or by values from another text",
                    takes="HOW",
                    choices=("mean", "zero", "resample"),
                    default="mean",
                ),
                Option(("--keep-first",), "with --how zero: leave the first token of a text as it is"),
                Option(("--each",), "switch off each component alone, without random sets"),
                Option(("--controls",), "the number of random sets", takes="N", default="5"),
                Option(("--no-curve",), "measure only the whole list"),
            ),
        ),
        (
            "data",
            (
                Option(
                    ("--data",),
                    f"{', '.join(DATA)} (default: all), separated by commas;\n{'':26}"
                    "stereoset:TYPE is one type of bias; NAME=FILE reads your own file",
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
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias import (  # noqa: PLC0415 (as above)
        ablating,
        ablation,
        ablation_files,
        results,
        scanning,
        verdicts,
    )
    from fairlint.model_bias.report.ablate import pictures  # noqa: PLC0415 (as above)

    _check_options(options)
    top, limit = whole(options, "--top", 1), whole(options, "--limit", 1)
    seed, controls = whole(options, "--seed", 0) or 0, whole(options, "--controls", 0) or 0
    each = bool(options.each)
    listed = ablation_files.read_component_list(options.heads if options.heads != ALL else "0.0")
    quiet, curve, keep_first = bool(options.quiet), not options.no_curve, bool(options.keep_first)
    names = _parse_data_names(options.data)
    check_extra()
    data = [(name, *_read_data_set(name)) for name in names]
    loaded = load(options)
    warnings = []
    if loaded.masked and not options.data:
        data = [one for one in data if one[0] != "code"]
        warnings = [code_warning(loaded)]
        say(warnings[0], quiet=quiet)
    every = tuple(loaded.anatomy.components()) if options.heads == ALL else listed.components
    chosen = every[:top]
    for one in chosen:
        loaded.anatomy.check(one)
    asked, texts = ablating.questions(
        loaded,
        [items for _, items, _ in data],
        limit=limit,
        without=listed.prompts,
        names=[name.partition("=")[0] for name, _, _ in data],
    )
    reference = ablating.tokens(loaded, texts)
    settings = {
        "components": [str(one) for one in chosen],
        "how": options.how,
        "keep_first": keep_first,
        "controls": controls,
        "limit": limit,
        "without": len(listed.prompts),
        "curve": curve,
        **({"each": True} if each else {}),
        "reference": results.digest_of(reference),
    }
    folder = folder_of(options, loaded)
    items = results.digest_of(told for _, _, told in data)
    with results.open_part(
        folder, "ablate", loaded, items=items, seed=seed, resume=bool(options.resume), options=settings
    ) as run:
        states = 1 + (len(chosen) if each else len(ablating.states(chosen, curve=curve)) + controls)
        known, keep = _open_kept_results(run)
        _say_cost(states, len(known), asked, quiet=quiet)
        steps = ablating.ablate(
            loaded,
            chosen,
            options.how,
            asked,
            reference,
            controls=controls,
            seed=seed,
            keep_first=keep_first,
            curve=curve,
            each=each,
            known=known,
            keep=keep,
            done=watch("ablations", quiet=quiet),
        )
        figures = {"steps": scanning.adjust([one.as_json for one in steps])}
        told = results.document(
            "ablate",
            loaded,
            settings={**settings, "seed": seed},
            data=[
                {"name": name, **origin, "items": count}
                for (name, _, origin), count in zip(data, _item_counts(asked), strict=True)
            ],
            definitions=_definitions(options.how, asked, keep_first=keep_first),
            figures=figures,
            verdict=verdicts.ablate(figures),
            shown=pictures(figures),
            warnings=warnings,
            skipped=_left_out(asked),
        )
        if options.how != "resample" and not each:
            change = ablation.ablation_of(loaded, chosen, options.how, reference, keep_first=keep_first)
            ablation_files.write(run.path, change, loaded.name)
        results.write(run, told)
    write_page(folder, quiet=bool(options.quiet))
    if options.format == "json":
        write_stdout([json.dumps(told, ensure_ascii=False, indent=1), "\n"])
    else:
        lines = scanning.lines if each else table
        said = lines(steps, told["definitions"]["how"])
        write_stdout(line + "\n" for line in (*said, "", told["verdict"]))
    return 0


def _check_options(options: Arguments) -> None:
    """Raise UsageError for options that make no sense together."""
    if not options.heads:
        raise UsageError("--heads says what to switch off: heads.json of fairlint model locate, or 23.5,25.1")
    if options.heads == ALL and not options.each:
        raise UsageError("--heads all is for --each: a model without all of its parts says nothing")
    if options.keep_first and options.how != "zero":
        raise UsageError("--keep-first is for --how zero: the mean and other texts' values always keep it")


def _item_counts(asked: Sequence[Question]) -> list[int]:
    return [len(one.plan) for one in asked]


def _left_out(asked: Sequence[Question]) -> list[dict[str, str]]:
    return [{"data": one.data, "id": item.id, "reason": item.reason} for one in asked for item in one.skipped]


def _definitions(how: How, asked: Sequence[Question], *, keep_first: bool) -> dict[str, str]:
    """Return what is put in the place of components, and what the figures of the data are."""
    from fairlint.model_bias import ablation, effects  # noqa: PLC0415 (help needs none of it)

    told = {
        f"{one.data}.{name.partition('.')[2]}": text
        for one in asked
        for name, text in effects.DEFINITIONS.items()
        if name.partition(".")[0] == one.data.partition(":")[0]
    }
    return {"how": ablation.KEEP_FIRST if keep_first else ablation.DEFINITIONS[how], **told}


def _open_kept_results(
    run: RunFolder,
) -> tuple[dict[str, list[Table]], Callable[[str, Sequence[Table]], None]]:
    """Return what an earlier run measured, and what keeps more of it."""
    from fairlint.model_bias import effects  # noqa: PLC0415 (help needs none of it)

    def keep(name: str, tables: Sequence[Table]) -> None:
        told = [effects.table_as_json(one) for one in tables]
        run.responses.append([{"key": name, "tables": told}])

    known = {
        line["key"]: [effects.read_table(one) for one in line["tables"]] for line in run.responses.records()
    }
    return known, keep


def _say_cost(states: int, known: int, asked: Sequence[Question], *, quiet: bool) -> None:
    from fairlint.model_bias.scores.asking import cost  # noqa: PLC0415 (help needs none of it)

    read = [cost(one.plan) for one in asked]
    texts, tokens = sum(one.texts for one in read), sum(one.tokens for one in read)
    there = f", {known} of them are there" if known else ""
    each = f"for each {texts:,} texts of {tokens:,} tokens to read"
    say(f"{states} states of the model{there}; {each}", quiet=quiet)


def _parse_data_names(given: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for text in given or DATA for name in text.split(",")))
    for name in names:
        if name.partition("=")[0].partition(":")[0] not in DATA:
            raise UsageError(f"--data: '{name}' is not measured before and after ({', '.join(DATA)})")
    return names


def _read_data_set(text: str) -> tuple[DataSet, dict[str, str]]:
    """Return a set of data, and which file it is."""
    from fairlint.model_bias.data.loading import load as read  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.data.stereoset import StereoSet, bias_type_of  # noqa: PLC0415 (as above)
    from fairlint.support.records import replace  # noqa: PLC0415 (as above)

    name, _, path = text.partition("=")
    found = read(name.partition(":")[0], path or None)
    if isinstance(found, StereoSet):
        found = replace(found, items=found.of("intrasentence", bias_type_of(name)))
    elif ":" in name:
        raise UsageError(f"--data: '{name}' has no types; stereoset has")
    return found, {"source": found.origin.source, "sha256": found.origin.sha256}


def table(steps: Sequence[Step], how: str) -> Iterator[str]:
    """Yield what the whole list does beside what controls do, and how each figure goes along the list."""
    listed = [one for one in steps if one.kind == "list"]
    controls = [one for one in steps if one.kind == "control"]
    last = listed[-1]
    yield f"{len(last.components)} components ablated: {', '.join(last.components)}"
    yield f"{how}."
    yield ""
    rows = [("", "before", "after", "difference", "95 %", "controls' differences")]
    for place, one in enumerate(last.effects):
        low, high = f"{one.low:+.3f}", f"{one.high:+.3f}"
        bounds = f"({low} to {high})" if float(low) < float(high) else ""
        others = " ".join(f"{control.effects[place].difference:+.3f}" for control in controls)
        told = f"{one.before:.3f}", f"{one.after:.3f}", f"{one.difference:+.3f}"
        rows.append((one.figure, *told, bounds, others))
    yield from _columns(rows)
    if len(listed) > 1:
        yield ""
        heads = ("components", *(str(len(one.components)) for one in listed))
        values = [
            (one.figure, *(f"{step.effects[place].after:.3f}" for step in listed))
            for place, one in enumerate(last.effects)
        ]
        yield from _columns([heads, *values])


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with names to the left, and numbers to the right, two blanks between columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        told = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *told]).rstrip()
