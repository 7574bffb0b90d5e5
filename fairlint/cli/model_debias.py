"""`fairlint model debias`: move a model's shares towards a target, and say what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.model_distribution import QUESTIONS, questions_of
from fairlint.cli.model_options import MODEL, RESULTS, SEED, check_extra, folder_of, load, write_page
from fairlint.cli.output import write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.distribution.costs import Asked
    from fairlint.model_bias.distribution.debiasing import Result, State
    from fairlint.model_bias.distribution.training import Method, Settings
    from fairlint.model_bias.distribution.trials import Plan
    from fairlint.model_bias.loading import Loaded

MEASURED = "stereoset,winogender,crows-pairs,text"
COMMAND = Command(
    "model debias",
    usage="fairlint model debias --target equal|real-world|FILE [OPTION...]",
    description=(
        "Move a model's shares of groups in professions towards a target. Measured before and after, on\n"
        "professions and sentences kept out of training: the shares, StereoSet, CrowS-Pairs, WinoGender,\n"
        "perplexity, and optionally the code it writes and tasks of lm-evaluation-harness. The adapter is\n"
        "stored; other commands load it with --adapter. Several accelerators: accelerate launch -m."
    ),
    groups=(
        (
            "target",
            (
                Option(
                    ("--target",),
                    f"equal, real-world, or a CSV file (profession or code,\n{'':26}a column for each group)",
                    takes="WHAT",
                    default="equal",
                ),
                QUESTIONS,
            ),
        ),
        (
            "training",
            (
                Option(
                    ("--method",),
                    f"kl: train towards the target; cda: train on the same\n{'':26}"
                    "text for all groups; leace, inlp: "
                    "erase groups; several are compared",
                    takes="LIST", default="kl",
                ),
                Option(("--rank",), "the rank of the LoRA adapter", takes="N", default="16"),
                Option(("--alpha",), "the scale of the adapter (default: twice the rank)", takes="X"),
                Option(("--dropout",), "the dropout of the adapter's input", takes="X", default="0"),
                Option(("--layers",), "layers that get an adapter (default: all linear)", takes="NAMES"),
                Option(("--full",), "train all weights and store the whole model"),
                Option(("--rate",), "the learning rate", takes="X", default="2e-4"),
                Option(("--epochs",), "the maximum number of epochs", takes="N", default="4"),
                Option(("--batch",), "professions in a step", takes="N", default="6"),
                Option(
                    ("--momentum",), "the momentum of the running mean that weighs steps",
                    takes="X", default="0.8"
                ),
                Option(
                    ("--keep",),
                    f"what training preserves: own predictions, the loss on plain\n{'':26}"
                    "text, or (masked models) on the sentences that teach",
                    takes="WHAT",
                    choices=("own", "text", "sentences"), default="own",
                ),
                Option(("--gamma",), "the weight of --keep", takes="X", default="2"),
                Option(("--patience",), "epochs without progress before it stops", takes="N", default="5"),
                Option(
                    ("--min-delta",), "what the divergence must fall by to count as progress", takes="X",
                    default="1e-4",
                ),
                Option(("--decay",), "the weight decay of AdamW", takes="X", default="0.01"),
                Option(("--text",), "your own plain text, passages separated by blank lines", takes="FILE"),
                Option(("--seeds",), "the number of trainings", takes="N", default="1"),
                SEED,
            ),
        ),
        (
            "evaluation",
            (
                Option(("--published",), "report the published kind of share, too"),
                Option(("--data",), f"some of {MEASURED}", takes="LIST", default=MEASURED),
                Option(("--limit",), "the maximum number of items of each kind", takes="N", default="200"),
                Option(
                    ("--code",), "the number of prompts for which the model writes functions", takes="N",
                    default="0",
                ),
                Option(("--samples",), "answers to each of these prompts", takes="N", default="2"),
                Option(
                    ("--lm-eval",), "tasks of lm-evaluation-harness: names or YAML files", takes="TASKS"
                ),
            ),
        ),
        MODEL,
        RESULTS,
    ),
    epilog=(
        "examples:\n"
        "  fairlint model debias --target equal --seeds 5 --output equal\n"
        "  fairlint model debias --method kl,cda,leace,inlp --code 60 --output methods\n"
        "  fairlint bench --adapter equal/debias/kl/seed-0/adapter --limit 20\n"
        "  accelerate launch --num_processes 2 -m fairlint model debias --model gpt2"
    ),
)  # fmt: skip


def debias(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    options = COMMAND.parse(arguments)
    check_extra()
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias import results  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution import debiasing, splits, trials  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution.team import device_of, gather  # noqa: PLC0415 (as above)

    settings = settings_of(options)
    first, count = settings.seed, whole(options, "--seeds", 1) or 1
    methods = methods_of(options.method)
    asked, [target, *more], world = questions_of(options)
    if more:
        raise UsageError("--target: a model is moved towards one target at a time")
    groups = tuple(one.name for one in asked.groups)
    taught, text = debiasing.passages(Path(options.text) if options.text else None)
    plan = trials.Plan(
        asked,
        target,
        splits.kinds(world or target, asked.professions, groups),
        taught,
        settings,
        methods,
        tuple(range(first, first + count)),
        measured_of(options, text, groups),
    )
    _ = plan.splits  # too few professions are told before a model is loaded
    if options.adapter and settings.adapter:
        raise UsageError(
            "--adapter cannot be used here: the result would need two adapters. Train without it, or with "
            "--full"
        )
    team = gather(options.device)
    loaded = load(options, device=device_of(team, options.device))
    plan.check(loaded)
    if not team.is_first:
        trials.follow(loaded, plan, team)
        return 0
    folder = folder_of(options, loaded)
    quiet = bool(options.quiet)
    measured = plan.asked
    told_settings = {
        "target": target.name, "questions": asked.source, "methods": list(methods), "seeds": count,
        "published": measured.published, "data": list(measured.data), "limit": measured.limit,
        "lm-eval": list(measured.tasks), "code": measured.prompts, "samples": measured.samples,
        **{name: value for name, value in _plain_values(settings).items() if name not in ("seed", "method")},
    }  # fmt: skip
    with results.open_part(
        folder, "debias", loaded, items=results.digest_of((asked, target, plan.kinds)), seed=first,
        resume=bool(options.resume), options=told_settings,
    ) as run:  # fmt: skip
        before, done = trials.lead(loaded, plan, run, team, lambda text: _say_unless_quiet(text, quiet=quiet))
        told = document(loaded, plan, before, done, {**told_settings, "seed": first, "groups": groups})
        results.write(run, told)
    write_page(folder, quiet=quiet)
    if options.format == "json":
        write_stdout([results.as_text(told)])
        return 0
    from fairlint.model_bias.shown import Table, in_text, read  # noqa: PLC0415 (help needs none of it)

    tables = [one for one in map(read, told["shown"]) if isinstance(one, Table)]
    warned = [f"WARNING: {one}\n" for one in told["warnings"]]
    write_stdout([*(f"{in_text(one)}\n" for one in tables), *warned, told["verdict"], "\n"])
    return 0


def document(
    loaded: Loaded, plan: Plan, before: State, done: Sequence[Result], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the run came to, as JSON."""
    from fairlint.model_bias import results  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.distribution import debiasing, trials  # noqa: PLC0415 (as above)
    from fairlint.model_bias.report.debias import pictures  # noqa: PLC0415 (as above)

    target, split = plan.target, plan.splits[plan.seeds[0]]
    figures = debiasing.compare_methods(before, done, target, plan.splits)
    trained = trials.training_records(done, plan.splits)
    shares = [before, *(one.after for one in done if one.seed == plan.seeds[0])]
    rows = [next(iter(one.shares.values()))["test"] for one in shares]
    held_out = {name: (*(each[name][-1] for each in rows), target.shares[name][-1]) for name in split.test}
    shown = pictures(
        figures, trained, held_out,
        group=plan.questions.groups[-1].name, target=target.name, gain=debiasing.HELD_OUT,
    )  # fmt: skip
    return results.document(
        "debias", loaded, settings=settings,
        data=[{"name": target.name, "source": target.source}],
        definitions=debiasing.DEFINITIONS,
        figures={"compared": figures, "trials": trained, "held_out": held_out},
        verdict=debiasing.verdict(figures, loaded.name, target, done), shown=shown,
        warnings=debiasing.warnings(figures, done, target),
    )  # fmt: skip


def methods_of(text: str) -> tuple[Method, ...]:
    """Return the methods of a list with commas. Raises UsageError for one that there is not."""
    from fairlint.model_bias.distribution.training import METHODS  # noqa: PLC0415 (help needs none of it)

    names = list_of(text)
    for name in names:
        if name not in METHODS:
            raise UsageError(f"--method: there is no '{name}' ({', '.join(METHODS)})")
    if not names:
        raise UsageError(f"--method names none ({', '.join(METHODS)})")
    return tuple(one for name in names for one in METHODS if one == name)


def measured_of(options: Arguments, text: tuple[str, ...], groups: tuple[str, ...]) -> Asked:
    """Return what is measured beside shares. Raises UsageError and ModelError for what cannot be."""
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.distribution import costs, harness  # noqa: PLC0415 (as above)

    data = list_of(options.data)
    for name in data:
        if name not in costs.DATA:
            raise UsageError(f"--data: '{name}' is nothing that is measured ({', '.join(costs.DATA)})")
    tasks = list_of(options.lm_eval or "")
    return costs.Asked(
        bool(options.published),
        data,
        whole(options, "--limit", 1),
        text,
        harness.tasks(tasks) if tasks else {},
        whole(options, "--code", 0) or 0,
        whole(options, "--samples", 1) or 1,
        groups,
    )


def list_of(text: str) -> tuple[str, ...]:
    """Return the names of a list with commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def settings_of(options: Arguments) -> Settings:
    """Return how to train, as the options say. Raises UsageError for numbers that make no sense."""
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias.distribution.adapters import Adapter  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution.training import Settings  # noqa: PLC0415 (as above)

    rank = whole(options, "--rank", 1) or 1
    layers = list_of(options.layers or "")
    scale, dropout = _number_option(options, "alpha", 2 * rank), _number_option(options, "dropout", 0.0)
    adapter = None if options.full else Adapter(rank, scale, dropout, layers)
    return Settings(
        adapter=adapter,
        rate=_number_option(options, "rate", 2e-4),
        epochs=whole(options, "--epochs", 1) or 1,
        batch=whole(options, "--batch", 1) or 1,
        momentum=_number_option(options, "momentum", 0.8),
        keep=options.keep,
        decay=_number_option(options, "decay", 0.01),
        least=_number_option(options, "min_delta", 1e-4),
        gamma=_number_option(options, "gamma", 2.0),
        patience=whole(options, "--patience", 1) or 1,
        seed=whole(options, "--seed", 0) or 0,
    )


def _number_option(options: Arguments, name: str, default: float) -> float:
    text = getattr(options, name)
    try:
        value = float(text) if text is not None else default
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6 or value > {"momentum": 1, "dropout": 0.999}.get(name, value):
        raise UsageError(f"--{name.replace('_', '-')} {text} is no number that makes sense there")
    return value


def _plain_values(told: Any) -> Any:
    from fairlint.model_bias.scores.resampling import plain  # noqa: PLC0415 (an extra)

    return plain(told)


def _say_unless_quiet(text: str, *, quiet: bool) -> None:
    if not quiet:
        say(f"fairlint: {text}")
