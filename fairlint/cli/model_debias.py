"""`fairlint model debias`: move a model's shares towards a target, and say what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.model_distribution import QUESTIONS, questions_of
from fairlint.cli.model_options import MODEL, RESULTS, SEED, folder_of, load, write_page
from fairlint.cli.output import write_stdout
from fairlint.config import UsageError

if TYPE_CHECKING:
    from fairlint.model.distribution.debiasing import Result
    from fairlint.model.distribution.training import Settings

MEASURED = "stereoset,winogender,crows-pairs,text"
COMMAND = Command(
    "model debias",
    usage="fairlint model debias --target equal|real-world|FILE [OPTION...]",
    description=(
        "Moves a model's shares of groups in professions towards a target, and measures before and after,\n"
        "on professions and sentences that were not taught: the shares, StereoSet, CrowS-Pairs,\n"
        "WinoGender, perplexity. The adapter is kept: --adapter takes it everywhere."
    ),
    groups=(
        (
            "where to",
            (
                Option(
                    ("--target",),
                    f"equal, real-world, or a CSV file (profession, a column\n{'':26}for each group)",
                    takes="WHAT",
                    default="equal",
                ),
                QUESTIONS,
            ),
        ),
        (
            "how it is trained",
            (
                Option(
                    ("--method",),
                    f"kl: towards the target; cda: the same text of all\n{'':26}groups; leace: erases groups",
                    takes="HOW", choices=("kl", "cda", "leace"), default="kl",
                ),
                Option(("--rank",), "of the LoRA adapter", takes="N", default="16"),
                Option(("--alpha",), "its scale (twice the rank)", takes="X"),
                Option(("--layers",), "names of the layers that get one (all linear ones)", takes="NAMES"),
                Option(("--full",), "train all weights, and keep the whole model"),
                Option(("--rate",), "learning rate", takes="X", default="2e-4"),
                Option(("--epochs",), "at most", takes="N", default="4"),
                Option(("--batch",), "professions in a step", takes="N", default="6"),
                Option(
                    ("--momentum",), "memory of the running mean that weighs steps", takes="X", default="0.8"
                ),
                Option(
                    ("--keep",), "what is to stay: its own predictions, or plain text's loss", takes="WHAT",
                    choices=("own", "text"), default="own",
                ),
                Option(("--gamma",), "weight of that", takes="X", default="2"),
                Option(("--patience",), "epochs without progress before it stops", takes="N", default="5"),
                Option(("--text",), "plain text of your own, blank lines between passages", takes="FILE"),
                Option(("--seeds",), "how many trainings", takes="N", default="1"),
                SEED,
            ),
        ),
        (
            "what is measured",
            (
                Option(("--data",), f"some of {MEASURED}", takes="LIST", default=MEASURED),
                Option(("--limit",), "how many items of each data set at most", takes="N", default="200"),
            ),
        ),
        MODEL,
        RESULTS,
    ),
    epilog=(
        "examples:\n"
        "  fairlint model debias --target equal --seeds 5 --output equal\n"
        "  fairlint bench --adapter equal/debias/seed-0/adapter --limit 20"
    ),
)  # fmt: skip


def debias(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.bench_plan import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model import results  # noqa: PLC0415 (as above)
    from fairlint.model.distribution import debiasing, splits  # noqa: PLC0415 (as above)
    from fairlint.model.distribution.training import Lesson  # noqa: PLC0415 (as above)
    from fairlint.model.report.debias import pictures  # noqa: PLC0415 (as above)
    from fairlint.model.shown import Table, in_text  # noqa: PLC0415 (as above)
    from fairlint.records import replace  # noqa: PLC0415 (as above)

    settings = settings_of(options)
    first, count = settings.seed, whole(options, "--seeds", 1) or 1
    limit = whole(options, "--limit", 1)
    data = tuple(dict.fromkeys(name.strip() for name in options.data.split(",") if name.strip()))
    for name in data:
        if name not in debiasing.DATA:
            raise UsageError(f"--data: '{name}' is nothing that is measured ({', '.join(debiasing.DATA)})")
    asked, [target], world = questions_of(options)
    groups = [one.name for one in asked.groups]
    taught, text = debiasing.passages(Path(options.text) if options.text else None)
    kinds = splits.kinds(world, asked.professions, groups)
    split = splits.split(kinds, first)
    lesson = Lesson(asked, target, split, kinds, taught)
    loaded = load(options)
    folder = folder_of(options, loaded)
    told_settings = {
        "target": target.name, "questions": asked.source, "seeds": count, "data": list(data), "limit": limit,
        "train": list(split.train), "valid": list(split.valid), "test": list(split.test), **_plain(settings),
    }  # fmt: skip

    def measured() -> debiasing.State:
        return debiasing.state(loaded, asked, target, split, text=text, data=data, limit=limit)

    with results.open_part(
        folder, "debias", loaded, items=results.digest_of((asked, target)), seed=first,
        resume=bool(options.resume), options=told_settings,
    ) as run:  # fmt: skip
        kept = {line["key"]: line for line in run.responses.records()}
        quiet = bool(options.quiet)
        if "before" in kept:
            before = _state(kept["before"])
        else:
            _say("measuring before", quiet=quiet)
            before = measured()
            run.responses.append([{"key": "before", **_plain(before)}])
        done: list[Result] = []
        for seed in range(first, first + count):
            name = f"seed-{seed}"
            if name in kept:
                done.append(_result(seed, kept[name]))
                continue

            def progress(epoch: int, most: int, valid: float, name: str = name) -> None:
                _say(
                    f"{name}: epoch {epoch} of {most} at most, KL {valid:.4f} on what is held back",
                    quiet=quiet,
                )

            one = debiasing.debias(
                loaded,
                lesson,
                replace(settings, seed=seed),
                folder=run.path / name,
                measured=measured,
                progress=progress,
            )
            run.responses.append([{"key": name, **_plain(one.after), "history": _plain(one.history)}])
            (run.path / name / "checkpoint.pt").unlink(missing_ok=True)
            done.append(one)
        figures = debiasing.compared(before, done)
        trained = [{"seed": one.seed, **_plain(one.history)} for one in done]
        first_after = done[0].after.held_out
        held_out = {
            name: (old[-1], new[-1], wanted[-1])
            for name, old, new, wanted in zip(
                split.test, before.held_out, first_after, target.of(split.test), strict=True
            )
        }
        shown = pictures(figures, trained, held_out, group=groups[-1], target=target.name)
        told = results.document(
            "debias", loaded, settings={**told_settings, "seed": first, "groups": groups},
            data=[{"name": target.name, "source": target.source}],
            definitions=debiasing.DEFINITIONS,
            figures={"compared": figures, "trainings": trained, "held_out": held_out},
            verdict=debiasing.verdict(figures, loaded.name, target), shown=shown,
            warnings=debiasing.warnings(figures, target),
        )  # fmt: skip
        results.write(run, told)
    write_page(folder, quiet=quiet)
    if options.format == "json":
        write_stdout([results.as_text(told)])
        return 0
    lines = [f"{in_text(one)}\n" for one in shown if isinstance(one, Table)]
    floors = [one["at_floor"] for one in trained if one["at_floor"] is not None]
    if floors:
        lines.append(f"lambda was at its floor in {min(floors):.0%} to {max(floors):.0%} of the steps\n")
    lines += [f"WARNING: {one}\n" for one in told["warnings"]]
    write_stdout([*lines, told["verdict"], "\n"])
    return 0


def settings_of(options: Arguments) -> Settings:
    """How to train, as the options say. Raises UsageError for numbers that make no sense."""
    from fairlint.cli.bench_plan import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model.distribution.adapters import Adapter  # noqa: PLC0415 (as above)
    from fairlint.model.distribution.training import Settings  # noqa: PLC0415 (as above)

    rank = whole(options, "--rank", 1) or 1
    layers = tuple(name.strip() for name in (options.layers or "").split(",") if name.strip())
    adapter = None if options.full else Adapter(rank, _number(options, "alpha", 2 * rank), 0.0, layers)
    return Settings(
        method=options.method,
        adapter=adapter,
        rate=_number(options, "rate", 2e-4),
        epochs=whole(options, "--epochs", 1) or 1,
        batch=whole(options, "--batch", 1) or 1,
        momentum=_number(options, "momentum", 0.8),
        keep=options.keep,
        gamma=_number(options, "gamma", 2.0),
        patience=whole(options, "--patience", 1) or 1,
        seed=whole(options, "--seed", 0) or 0,
    )


def _number(options: Arguments, name: str, default: float) -> float:
    text = getattr(options, name)
    try:
        value = float(text) if text is not None else default
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6 or (name == "momentum" and value >= 1):
        raise UsageError(f"--{name} {text} is no number that makes sense there")
    return value


def _plain(told: Any) -> Any:
    from fairlint.model.scores.resampling import plain  # noqa: PLC0415 (an extra)

    return plain(told)


def _state(told: Mapping[str, Any]) -> Any:
    from fairlint.model.distribution.debiasing import State  # noqa: PLC0415 (help needs none of it)

    return State(told["figures"], tuple(tuple(row) for row in told["held_out"]))


def _result(seed: int, told: Mapping[str, Any]) -> Result:
    from fairlint.model.distribution.debiasing import Result  # noqa: PLC0415 (help needs none of it)
    from fairlint.model.distribution.training import Epoch, History  # noqa: PLC0415 (as above)

    history = {**told["history"], "epochs": tuple(Epoch(**one) for one in told["history"]["epochs"])}
    return Result(seed, History(**history), _state(told))


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        say(f"fairlint: {text}")
