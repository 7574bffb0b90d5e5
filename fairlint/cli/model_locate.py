"""`fairlint model locate`: which heads and MLPs of a model carry an association."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Command, Option
from fairlint.cli.model_options import MODEL, RESULTS, SEED, code_warning, folder_of, load, write_page
from fairlint.cli.model_watch import say, watch
from fairlint.cli.output import write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.contrast_data import Contrasts
    from fairlint.model_bias.contrasts import Contrast
    from fairlint.model_bias.loading import Loaded
    from fairlint.model_bias.locating import Located
    from fairlint.model_bias.residuals import Residuals
    from fairlint.run_folders.run_folder import RunFolder

PAIRS = 24
DATA = "winogender,code"
STREAM = "residual stream, "
"""What stands before a pair's id where the effects of the residual stream are kept."""

COMMAND = Command(
    "model locate",
    usage="fairlint model locate [OPTION...]",
    description=(
        "Find the attention heads and MLPs that push towards the answer typical of a prompt's group. Two\n"
        "prompts that differ only in the group are compared: the activations of one are patched into the\n"
        "run of the other, both ways. Attribution patching estimates the effect of all components with\n"
        "gradients; the top 20 heads, those of the first layers and all MLPs are checked by exact patching."
    ),
    groups=(
        (
            "data",
            (
                Option(
                    ("--data",),
                    f"winogender, code, stereoset, stereoset:TYPE or files,\n{'':26}"
                    f"separated by commas (default: {DATA})",
                    takes="LIST",
                ),
                Option(
                    ("--pairs",), "the maximum number of pairs of each data set, each used both ways",
                    takes="N",
                    default=str(PAIRS),
                ),
                Option(
                    ("--exact",), "which heads to check exactly: the top ones, or all", takes="WHICH",
                    choices=("top", "all"), default="top",
                ),
                Option(("--residual",), "also patch the residual stream at the place of the answer"),
                SEED,
            ),
        ),
        MODEL,
        RESULTS,
    ),
    epilog=(
        "Written to the folder: locate/metrics.json, locate/pairs.json with the effects of each pair, and\n"
        "locate/heads-NAME.json for fairlint model ablate --heads. heads.json is that of the first data set."
    ),
)  # fmt: skip


def locate(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias import results  # noqa: PLC0415 (as above)
    from fairlint.model_bias.contrast_data import contrasts  # noqa: PLC0415 (as above)
    from fairlint.model_bias.locating import locate as located  # noqa: PLC0415 (as above)
    from fairlint.model_bias.residuals import residual_effects  # noqa: PLC0415 (as above)

    options = COMMAND.parse(arguments)
    count, seed = whole(options, "--pairs", 1) or PAIRS, whole(options, "--seed", 0) or 0
    names = [name.strip() for name in (options.data or DATA).split(",") if name.strip()]
    labels = _data_labels(names)
    quiet = bool(options.quiet)
    loaded = load(options)
    warnings = []
    if loaded.masked and not options.data:
        names = labels = [name for name in names if name != "code"]
        warnings = [code_warning(loaded)]
        say(warnings[0], quiet=quiet)
    asked = [contrasts(loaded, name, count, seed) for name in names]
    folder = folder_of(options, loaded)
    every = [one for found in asked for one in found.contrasts]
    settings = {"data": names, "pairs": count, "exact": options.exact, "seed": seed}
    if options.residual:
        settings["residual"] = True
    with results.open_part(
        folder,
        "locate",
        loaded,
        items=results.digest_of(every),
        seed=seed,
        resume=bool(options.resume),
        options=settings,
    ) as run:
        kept: dict[str, dict[str, Mapping[str, Any]]] = {}
        for record in run.responses.records():
            kept.setdefault(record["data"], {})[record["id"]] = record["exact"]
        found, streams = {}, {}
        for label, data in zip(labels, asked, strict=True):

            def keep(one: Contrast, exact: Mapping[str, Any], label: str = label) -> None:
                run.responses.append(
                    [{"key": f"{label}/{one.id}", "data": label, "id": one.id, "exact": exact}]
                )

            def keep_stream(one: Contrast, values: Mapping[str, Any], label: str = label) -> None:
                name = f"{STREAM}{one.id}"
                run.responses.append([{"key": f"{label}/{name}", "data": label, "id": name, "exact": values}])

            known = kept.get(label, {})
            count_known = sum(not name.startswith(STREAM) for name in known)
            there = f", {count_known} of them are there" if known else ""
            cost = _cost_text(loaded, data, options.exact)
            say(f"{label}: {len(data.contrasts) // 2} pairs, both ways{there}; {cost}", quiet=quiet)
            found[label] = located(
                loaded,
                data.contrasts,
                options.exact,
                known=known,
                keep=keep,
                progress=watch(label, quiet=quiet),
            )
            if options.residual:
                streams[label] = residual_effects(
                    loaded,
                    data.contrasts,
                    known={
                        name.removeprefix(STREAM): values
                        for name, values in known.items()
                        if name.startswith(STREAM)
                    },
                    keep=keep_stream,
                    progress=watch(f"{label}, residual stream", quiet=quiet),
                )
        made = dict(zip(labels, asked, strict=True))
        told = _write_results(run, loaded, settings, made, found, streams=streams, warnings=warnings)
    write_page(folder, quiet=quiet)
    if options.format == "json":
        write_stdout([results.as_text(told)])
        return 0
    write_stdout(["\n".join([*_result_lines(told), "", told["verdict"]]), "\n"])
    return 0


def _write_results(
    run: RunFolder,
    loaded: Loaded,
    settings: Mapping[str, Any],
    asked: Mapping[str, Contrasts],
    found: Mapping[str, Located],
    *,
    streams: Mapping[str, Residuals],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """Write all results into the folder; the part's figures."""
    from fairlint.model_bias import locate_results, results, verdicts  # noqa: PLC0415 (help needs none of it)

    names, seed = list(asked), settings["seed"]
    figures: dict[str, Any] = {label: locate_results.figures(one, seed) for label, one in found.items()}
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    for label, stream in streams.items():
        subjects = [each.subject for each in found[label].contrasts]
        figures[label]["residual"] = locate_results.residual_record(stream, subjects, seed)
    figures_between = {
        f"{one}, {other}": locate_results.overlap(found[one], found[other], seed) for one, other in pairs
    }
    told = results.document(
        "locate",
        loaded,
        settings=settings,
        data=[
            {"name": label, "source": one.origin.source, "sha256": one.origin.sha256, "pairs": one.found}
            for label, one in asked.items()
        ],
        definitions=locate_results.definitions(names, residual=bool(streams)),
        figures={"data": figures, "overlap": figures_between},
        verdict=verdicts.locate({"data": figures}),
        shown=[
            one
            for label, told in figures.items()
            for one in (
                *locate_results.pictures(label, told),
                *(locate_results.residual_curves(label, told["residual"]) if label in streams else ()),
            )
        ],
        examples=[
            f"{label}: {one.texts[0]} | {one.texts[1]} ({one.words[0].strip()} or {one.words[1].strip()})"
            for label, data in asked.items()
            for one in data.contrasts[::2][:3]
        ],
        warnings=warnings,
        skipped=[
            {"data": label, "id": one.id, "reason": one.reason}
            for label, data in asked.items()
            for one in data.skipped
        ],
    )
    everything = {
        label: locate_results.effects_record(one, streams.get(label)) for label, one in found.items()
    }
    run.write_text(locate_results.PAIRS, results.as_text(everything))
    for place, (label, one) in enumerate(found.items()):
        text = results.as_text(locate_results.heads_file(one, label, loaded.name))
        run.write_text(f"heads-{label.replace(':', '-')}.json", text)
        if place == 0:
            run.write_text("heads.json", text)
    results.write(run, told)
    return told


def _cost_text(loaded: Loaded, data: Contrasts, exact: str) -> str:
    """Return what is to be computed, in words: how often how many tokens are read."""
    from fairlint.model_bias.locating import EARLY, FOREMOST  # noqa: PLC0415 (help needs none of it)

    anatomy = loaded.anatomy
    heads = anatomy.layers * anatomy.heads
    some = min(anatomy.layers // EARLY * anatomy.heads + FOREMOST, heads)
    passes = 1 + anatomy.layers + (heads if exact == "all" else some)
    tokens = sum(len(one.clean) for one in data.contrasts)
    return f"{tokens:,} tokens to read, {passes} times for exact patching"


def _data_labels(names: Sequence[str]) -> list[str]:
    """Return what data are called in results: files by their names.

    Raises UsageError for data that there are not, and for the same twice.
    """
    from fairlint.model_bias.contrast_data import check_data  # noqa: PLC0415 (help needs none of it)

    labels = [Path(name).stem if Path(name).suffix else name for name in names]
    if not names or len(set(labels)) < len(labels):
        raise UsageError("--data names no data, or the same twice")
    for name in names:
        check_data(name)
    return labels


def _result_lines(told: Mapping[str, Any]) -> list[str]:
    """Return what is shown in a terminal."""
    from collections import Counter  # noqa: PLC0415 (help needs none of it)

    from fairlint.model_bias.locate_results import lines  # noqa: PLC0415 (as above)

    said = [told["definitions"]["effect"], ""]
    for label, one in told["figures"]["data"].items():
        said += [*lines(label, one), ""]
    for label, one in told["figures"]["overlap"].items():
        if one["by_chance"] >= one["top"]:  # a small model has no others
            continue
        shared = one["shared"]
        said.append(
            f"{label}: {shared['value']:.0f} of the {one['top']} foremost heads are the same "
            f"[{shared['low']:.0f}, {shared['high']:.0f}]; {one['by_chance']:.1f} by chance: "
            f"{', '.join(one['heads'])}"
        )
    reasons = Counter((one["data"], one["reason"]) for one in told["skipped"])
    said += [f"{label}: {count} items left out: {reason}" for (label, reason), count in reasons.items()]
    return said
