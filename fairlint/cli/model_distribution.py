"""`fairlint model distribution`: how a model shares professions out among groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.model_options import MODEL, RESULTS, SEED, folder_of, load, write_page
from fairlint.cli.output import write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.distribution.questions import Questions
    from fairlint.model_bias.distribution.targets import Target

QUESTIONS = Option(("--questions",), "your own groups, templates and professions, as TOML", takes="FILE")
COMMAND = Command(
    "model distribution",
    usage="fairlint model distribution [--model NAME] [--target LIST] [OPTION...]",
    description=(
        "Measure how a model distributes professions over groups (P(woman | nurse)), and how far that is\n"
        "from a target: equal shares, real-world shares, or your own. For causal and masked models."
    ),
    groups=(
        MODEL,
        (
            "data",
            (
                Option(
                    ("--target",),
                    f"equal, real-world, CSV files (profession or code,\n{'':26}a column for each group) "
                    "(default: the first two, where known)",
                    takes="LIST",
                ),
                QUESTIONS,
                Option(
                    ("--templates",), "which sentences to use",
                    takes="PART", choices=("train", "test", "all"),
                    default="all",
                ),
                Option(("--published",), "for a masked model, report the published kind of share, too"),
                SEED,
            ),
        ),
        RESULTS,
    ),
    epilog=(
        "examples:\n"
        "  fairlint model distribution --target equal,real-world\n"
        "  fairlint model distribution --model bert-base-uncased --questions ours.toml --target shares.csv"
    ),
)  # fmt: skip


def distribution(arguments: Sequence[str]) -> int:
    """Carry out the command."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)
    from fairlint.model_bias import results  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution import measuring, sentences, splits  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution.questions import PARTS  # noqa: PLC0415 (as above)
    from fairlint.model_bias.distribution.shares import kinds, published_kind  # noqa: PLC0415 (as above)
    from fairlint.model_bias.report.distribution import pictures  # noqa: PLC0415 (as above)
    from fairlint.model_bias.shown import Table, in_text  # noqa: PLC0415 (as above)

    seed = whole(options, "--seed", 0) or 0
    asked, wanted, world = questions_of(options)
    groups = [one.name for one in asked.groups]
    parts = PARTS if options.templates == "all" else (options.templates,)
    templates = [one for part in parts for one in asked.of(part)]
    loaded = load(options)
    sentences.check(loaded, asked)
    folder = folder_of(options, loaded)
    settings = {
        "targets": [one.name for one in wanted],
        "questions": asked.source,
        "templates": options.templates,
    }
    if options.published:
        settings["published"] = True
    measured = dict.fromkeys((*kinds(loaded), *((published_kind(loaded),) if options.published else ())))
    kinds_of = splits.kinds(world, asked.professions, groups)
    items = results.digest_of((asked, wanted))
    with results.open_part(
        folder, "distribution", loaded, items=items, seed=seed, resume=bool(options.resume), options=settings
    ) as run:
        if not options.quiet:
            words = sum(len(one.words) for one in asked.groups)
            say(
                f"fairlint: {len(asked.professions)} professions, {len(templates)} sentences, {words} words: "
                f"{len(asked.professions) * len(templates) * words} to read"
            )
        found = measuring.measure(loaded, asked, asked.professions, templates, only=list(measured))
        figures = {
            kind: {
                one.name: measuring.figures(shares, asked.professions, one, kinds_of, world=world, seed=seed)
                for one in wanted
            }
            for kind, shares in found.items()
        }
        by_profession = {
            kind: dict(zip(asked.professions, map(list, shares), strict=True))
            for kind, shares in found.items()
        }
        shown = pictures(figures, by_profession, {one.name: one.shares for one in wanted}, groups)
        told = results.document(
            "distribution",
            loaded,
            settings={**settings, "seed": seed, "groups": groups},
            data=[{"name": one.name, "source": one.source} for one in wanted],
            definitions=measuring.DEFINITIONS,
            figures={"divergence": figures, "shares": by_profession, "kinds": kinds_of},
            verdict=verdict(figures, loaded.name),
            shown=shown,
        )
        results.write(run, told)
    write_page(folder, quiet=bool(options.quiet))
    if options.format == "json":
        write_stdout([results.as_text(told)])
    else:
        tables = [in_text(one) for one in shown if isinstance(one, Table)]
        write_stdout([*(f"{one}\n" for one in tables), told["verdict"], "\n"])
    return 0


class AskedTargets(NamedTuple):
    """Questions, the targets, and the shares of the real world where they are known of these professions."""

    questions: Questions
    targets: list[Target]
    world: Target | None


def questions_of(options: Arguments) -> AskedTargets:
    """Return what is asked, and the shares that the answers are compared with.

    Raises UsageError for what is wrong with any of them.
    """
    from fairlint.model_bias.distribution import questions, targets  # noqa: PLC0415 (help needs none of it)

    asked = questions.load(Path(options.questions) if options.questions else None)
    try:
        world: Target | None = targets.load(targets.REAL_WORLD, asked)
    except UsageError:
        world = None  # other groups or professions than the table has
    if options.target is None:
        return AskedTargets(asked, [targets.load(targets.EQUAL, asked), *([world] if world else [])], world)
    names = [name.strip() for name in options.target.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise UsageError("--target names no target, or the same twice")
    return AskedTargets(asked, [targets.load(name, asked) for name in names], world)


def verdict(figures: dict[str, dict[str, Any]], name: str) -> str:
    """Return what intervals support, of the first kind of share."""
    from fairlint.model_bias.shown import number  # noqa: PLC0415 (help needs none of it)

    kind, by_target = next(iter(figures.items()))
    said = []
    for target, one in by_target.items():
        value, constant = one["kl"], one["constant"]
        if constant == 0:
            said.append(f"its shares are {number(value['value'])} nats (KL) from {target}")
        elif value["high"] < constant:
            said.append(f"they are nearer to {target} than the same share for all would be")
        elif value["low"] > constant:
            said.append(f"they are further from {target} than the same share for all would be")
        else:
            said.append(f"whether they are nearer to {target} than the same share for all is not known")
    return f"{name} ({kind}): {'; '.join(said)}."
