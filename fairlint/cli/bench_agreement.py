"""`fairlint bench agreement`: how far other judges agree with the checker about the answers of runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.bench_options import FORMAT, tell_unsafe
from fairlint.cli.bench_show import folders, need_figures
from fairlint.cli.output import write_file, write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.bench.agreement.items import Items
    from fairlint.bench.agreement.judges import Verdicts

KEPT = "judges"
"""The folder, in that of the first run, in which answers of models that judge are kept."""

COMMAND = Command(
    "bench agreement",
    usage="fairlint bench agreement DIR... [--judge NAME]... [--labels FILE] [OPTION...]\n"
    "       fairlint bench agreement DIR... --draw N --output FILE",
    description="Compare the checker's verdicts about the answers of runs with those of other judges: of\n"
    "each answer and attribute, does the attribute decide? Prints Cohen's kappa of each two judges. The\n"
    "folders are not changed, but for what models answer, which is kept in DIR/judges.",
    groups=(
        (
            "judges",
            (
                Option(
                    ("--judge",),
                    "execution, which calls each function in a sandbox with people made up from its text, or "
                    "a model: a short name, hub id, folder or BACKEND:NAME; repeat it for several",
                    takes="NAME",
                    repeats=True,
                ),
                Option(("--labels",), "labels of people, in a CSV file that --draw wrote", takes="FILE"),
                Option(("--limit",), "ask about N items only, drawn by lot", takes="N"),
                Option(("--seed",), "the seed of the lots", takes="N", default="0"),
                Option(
                    ("--executor",),
                    "what runs functions: monty, process or process-unsafe",
                    takes="NAME",
                    default="monty",
                    choices=("monty", "process", "process-unsafe"),
                ),
                Option(("--workers",), "processes that run functions (default: one per core)", takes="N"),
            ),
        ),
        (
            "models that judge",
            (
                Option(("--base-url",), "the address of a server that speaks OpenAI's API", takes="URL"),
                Option(("--api-key-env",), "the environment variable with the server's key", takes="NAME"),
                Option(("--device",), "auto, cpu, cuda or cuda:N", takes="DEVICE", default="auto"),
                Option(("--dry-run",), "print how many questions a model would be asked, without asking any"),
                Option(
                    ("--prices",), "the price of a million tokens read and written, as 0.15,0.6", takes="R,W"
                ),
            ),
        ),
        (
            "output",
            (
                Option(
                    ("--draw",),
                    "draw N items by lot and write them to --output as CSV, without verdicts, for labels",
                    takes="N",
                ),
                Option(("--output",), "the file that --draw writes", takes="FILE"),
                Option(
                    ("--list",),
                    "write each item on which two judges disagree to FILE, as JSON lines",
                    takes="FILE",
                ),
                FORMAT,
                Option(("-q", "--quiet"), "do not print progress"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench agreement results/btm-codegen --judge execution\n"
    "  fairlint bench agreement results/btm-codegen --judge execution --judge openai:gpt-4o --limit 300\n"
    "  fairlint bench agreement results/btm-codegen --draw 200 --output labels.csv\n"
    "  fairlint bench agreement results/btm-codegen --judge execution --labels labels.csv",
    words=None,
)


def agreement(arguments: Sequence[str]) -> int:
    """Compare judges and print how far they agree."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)

    if not options.words:
        raise UsageError("bench agreement takes the folders of runs (see fairlint bench agreement --help)")
    drawn, limit = whole(options, "--draw", 1), whole(options, "--limit", 1)
    if drawn is None and not options.judge and options.labels is None:
        raise UsageError("nobody to compare with: name --judge execution, a model, or --labels FILE")
    if drawn is not None and not options.output:
        raise UsageError("--draw needs --output: the file that is written")
    if drawn is not None and Path(options.output).is_file():
        raise UsageError(f"--output {options.output}: is there already; name a new file")
    seed = whole(options, "--seed", 0) or 0
    need_figures()
    tell_unsafe(options.executor)
    from fairlint.bench.agreement.items import items_of  # noqa: PLC0415 (after `need`)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (as above)

    try:
        paths = list(folders(options.words))
        items = items_of(paths, limit=drawn or limit, seed=seed)
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    if drawn is not None:
        return _write_sheet(items, options.output, seed)
    if options.dry_run:
        return _print_costs(items, options)
    try:
        others = _judged(items, options, paths[0])
    except KeyboardInterrupt:
        say("fairlint: interrupted: what models answered is kept")
        return INTERRUPTED
    return _print_comparison(items, others, options)


def _write_sheet(items: Items, target: str, seed: int) -> int:
    from fairlint.bench.agreement.labels import sheet_of  # noqa: PLC0415 (few draw)

    write_file(target, sheet_of(items.items))
    say(
        f"{target}: {len(items.items):,} items by lot (seed {seed}): write yes, no or unclear into `label`, "
        "and who labelled into `by`"
    )
    return 0


def _models_of(options: Arguments) -> list[str]:
    from fairlint.bench.agreement.judges import EXECUTION  # noqa: PLC0415 (after `need`)

    return [name for name in dict.fromkeys(options.judge or ()) if name != EXECUTION]


def _print_costs(items: Items, options: Arguments) -> int:
    from fairlint.backends.cost import cost_of  # noqa: PLC0415 (few ask)
    from fairlint.backends.requests import key_of  # noqa: PLC0415 (as above)
    from fairlint.bench.agreement.judges import SAMPLING, questions_of  # noqa: PLC0415 (as above)
    from fairlint.cli.bench_plan import parse_prices  # noqa: PLC0415 (as above)

    questions = {key_of(one): one for one in questions_of(items.items).values()}
    cost = cost_of(list(questions.values()), SAMPLING)
    prices = parse_prices(options)
    for name in _models_of(options):
        told = (
            f"{name}: {cost.answers:,} questions, about {cost.read:,} tokens read, {cost.written:,} written"
        )
        write_stdout([f"{told} at most{'' if prices is None else f', costs {cost.money(prices):,.2f}'}\n"])
    return 0


def _judged(items: Items, options: Arguments, run: Path) -> dict[str, Verdicts]:
    from fairlint.bench.agreement.judges import EXECUTION, executed  # noqa: PLC0415 (after `need`)
    from fairlint.bench.agreement.labels import read_labels  # noqa: PLC0415 (as above)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.executors.choosing import choose  # noqa: PLC0415 (as above)

    found: dict[str, Verdicts] = {}
    if options.labels is not None:
        found["labels"] = read_labels(options.labels, items)
    if EXECUTION in (options.judge or ()):
        with (
            choose(options.executor, workers=whole(options, "--workers", 1)) as executor,
            _progress(EXECUTION, len(items.items), quiet=options.quiet) as watch,
        ):
            found[EXECUTION] = executed(items.items, executor, items.settings, watch)
    for name in _models_of(options):
        found[name] = _asked(items, name, options, run / KEPT)
    return found


def _asked(items: Items, name: str, options: Arguments, kept: Path) -> Verdicts:
    from fairlint.backends import registry  # noqa: PLC0415 (few ask)
    from fairlint.backends.answer_cache import AnswerCache  # noqa: PLC0415 (as above)
    from fairlint.backends.model import ModelOptions  # noqa: PLC0415 (as above)
    from fairlint.backends.requests import key_of  # noqa: PLC0415 (as above)
    from fairlint.bench.agreement.judges import asked, questions_of  # noqa: PLC0415 (as above)

    key = ""
    if options.api_key_env is not None and not (key := os.environ.get(options.api_key_env, "")):
        raise UsageError(f"--api-key-env: there is no environment variable {options.api_key_env}")
    model_options = ModelOptions(device=options.device, base_url=options.base_url or "", api_key=key)
    model = registry.later(name, model_options, lambda: say(f"fairlint: loading {name}"))
    questions = len({key_of(one) for one in questions_of(items.items).values()})
    try:
        with _progress(name, questions, quiet=options.quiet) as watch:
            return asked(items.items, model.model, AnswerCache(kept), watch)
    finally:
        model.close()


@contextmanager
def _progress(judge: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield what shows how much a judge has done: a bar on a terminal, else a line now and then."""
    from fairlint.bench.asking.progress import Quiet, progress  # noqa: PLC0415 (after `need`)

    shown = Quiet() if quiet else progress(judge)
    try:
        shown.judging(total=total)
        yield shown.judged
    finally:
        shown.close()


def _print_comparison(items: Items, others: dict[str, Verdicts], options: Arguments) -> int:
    from fairlint.bench.agreement.comparison import (  # noqa: PLC0415 (after `need`)
        compare_judges,
        disagreements,
        document_of,
        lines_of,
    )
    from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (as above)

    found = compare_judges(items, others)
    if options.list:
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in disagreements(found))
        write_file(options.list, lines)
    if options.format == "json":
        write_stdout(encode_json(document_of(found)))
    else:
        write_stdout(f"{line}\n" for line in lines_of(found))
    return 0
