"""`fairlint model probe`: at which layers a label can be read off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Command, Option
from fairlint.cli.model_options import LIMIT, MODEL, RESULTS, SEED, folder_of, load, write_page
from fairlint.cli.model_watch import say, watch
from fairlint.cli.output import write_stdout
from fairlint.run_folders.run_folder import write_bytes
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.loading import Loaded
    from fairlint.model_bias.probing import Example, Position, Reading
    from fairlint.run_folders.run_folder import RunFolder

DATA = ("stereotype:gender", "stereotype:race", "pronoun", "occupation")
COMMAND = Command(
    "model probe",
    usage="fairlint model probe [OPTION...]",
    description=(
        "Train linear probes on the output of each layer: which sentence of a pair is the stereotype, the\n"
        "gender of a pronoun, and whether an occupation is mostly female. Splits keep pairs together, and a\n"
        "second split keeps targets together. A control uses shuffled labels."
    ),
    groups=(
        (
            "data",
            (
                Option(("--data",), f"{', '.join(DATA)} (default: all)", takes="NAMES", repeats=True),
                Option(
                    ("--position",),
                    "probe the last token, or the mean over tokens",
                    takes="WHERE",
                    choices=("last", "mean"),
                    default="last",
                ),
                LIMIT,
                SEED,
            ),
        ),
        MODEL,
        RESULTS,
    ),
)


def probe(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias import probing, results, verdicts  # noqa: PLC0415 (as above)
    from fairlint.model_bias.report.probe import pictures  # noqa: PLC0415 (as above)

    limit, seed = whole(options, "--limit", 1), whole(options, "--seed", 0) or 0
    names = tuple(dict.fromkeys(name.strip() for text in options.data or DATA for name in text.split(",")))
    for name in names:
        if name not in DATA:
            raise UsageError(f"--data: '{name}' is nothing that is probed ({', '.join(DATA)})")
    asked = {name: _load_examples(name, limit) for name in names}
    quiet = bool(options.quiet)
    loaded = load(options)
    settings = {"position": options.position, "limit": limit, "folds": probing.FOLDS}
    folder = folder_of(options, loaded)
    items = results.digest_of(one for some in asked.values() for one in some)
    with results.open_part(
        folder, "probe", loaded, items=items, seed=seed, resume=bool(options.resume), options=settings
    ) as run:
        found = {
            name: _probe_label(loaded, run, name, examples, position=options.position, seed=seed, quiet=quiet)
            for name, examples in asked.items()
        }
        figures = {name: [one.as_json for one in some] for name, some in found.items()}
        told = results.document(
            "probe",
            loaded,
            settings={**settings, "seed": seed},
            data=[{"name": name, "texts": len(some)} for name, some in asked.items()],
            definitions={**probing.DEFINITIONS, "directions": probing.DIRECTIONS},
            figures=figures,
            verdict=verdicts.probe(figures),
            shown=pictures(figures),
        )
        results.write(run, told)
    write_page(folder, quiet=quiet)
    if options.format == "json":
        write_stdout([json.dumps(told, ensure_ascii=False, indent=1), "\n"])
    else:
        write_stdout(line + "\n" for line in (*table(found), told["verdict"]))
    return 0


def _probe_label(
    loaded: Loaded,
    run: RunFolder,
    name: str,
    examples: Sequence[Example],
    *,
    position: Position,
    seed: int,
    quiet: bool,
) -> list[Reading]:
    """Return what is read off for one label: what an earlier run kept, and what is missing, which is kept,
    too.
    """
    from fairlint.model_bias import probing  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.array_files import pack_arrays  # noqa: PLC0415 (as above)
    from fairlint.model_bias.likelihood import tokens_of  # noqa: PLC0415 (as above)

    known = {line["key"]: [probing.read(one) for one in line["readings"]] for line in run.responses.records()}
    splits: tuple[Any, ...] = ("pair", "target") if name != "occupation" else ("target",)
    values: Any = None
    found = []
    path = run.path / _directions_file(name)
    for kept in splits:
        key = f"{name} {kept}"
        if (key not in known or not path.exists()) and values is None:
            texts = [one.text for one in examples]
            tokens = sum(len(tokens_of(loaded, text)) for text in texts)
            say(f"{name}: {len(texts):,} texts of {tokens:,} tokens to read", quiet=quiet)
            values = probing.activations(loaded, texts, position)
            write_bytes(path, pack_arrays(probing.directions(values, examples)))
        if key not in known:
            done = watch(f"{name}, {kept}s kept together", quiet=quiet)
            known[key] = probing.probe(values, examples, kept_together=kept, seed=seed, done=done)
            run.responses.append([{"key": key, "readings": [one.as_json for one in known[key]]}])
        found += known[key]
    return found


def _directions_file(name: str) -> str:
    """Return where the directions of one label stand until all are there."""
    return f"directions-{name.replace(':', '-')}.npz"


def _load_examples(name: str, limit: int | None) -> list[Example]:
    from fairlint.model_bias import probing  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.data.records import some  # noqa: PLC0415 (as above)
    from fairlint.model_bias.data.stereoset import load_stereoset  # noqa: PLC0415 (as above)
    from fairlint.model_bias.data.winogender import load_winogender  # noqa: PLC0415 (as above)

    kind, _, bias_type = name.partition(":")
    if kind == "stereotype":
        return probing.stereotype_examples(
            some(load_stereoset().of("intrasentence", bias_type), limit), bias_type
        )
    made = probing.pronoun_examples if kind == "pronoun" else probing.occupation_examples
    return made(some(load_winogender().items, limit))


def table(found: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """Yield a row for each label, split and layer."""
    for name, readings in found.items():
        for what in dict.fromkeys(one.kept_together for one in readings):
            yield f"{name}, {what}s kept together"
            yield f"{'layer':>7}{'accuracy (95 %)':>26}{'shuffled':>10}{'selectivity (95 %)':>28}"
            for one in readings:
                if one.kept_together == what:
                    right, more = one.accuracy, one.selectivity
                    accuracy = f"{right.mean:.3f} ({right.low:.3f} to {right.high:.3f})"
                    selectivity = f"{more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f})"
                    yield f"{one.layer:7}{accuracy:>26}{one.control.mean:10.3f}{selectivity:>28}"
            yield ""
