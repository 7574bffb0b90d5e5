"""`fairlint bench reproduce`: the runs of a published paper, and its tables beside what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fairlint.backends.model import without_secrets
from fairlint.backends.names import LOADS_WEIGHTS, SERVED, resolve, slug
from fairlint.bench.papers.paper import Paper, PaperModel, PaperRun, paper_named, paper_names
from fairlint.bench.suites import suite_of
from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.bench import COMMAND as BENCH
from fairlint.cli.bench_lists import table
from fairlint.cli.bench_options import FORMAT, JUDGING
from fairlint.cli.bench_plan import FOLDER, REPLAY, Asked, Plan, plan_of
from fairlint.cli.bench_run import carry_out, command_to_go_on
from fairlint.cli.option_values import split_names
from fairlint.cli.output import write_stdout
from fairlint.reporters.printable import printable
from fairlint.run_folders.run_folder import SETTINGS, write_text
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

if TYPE_CHECKING:
    from fairlint.bench.papers.reproduction import Reproduction
    from fairlint.bench.report import RunView

PAGE = "reproduction"
"""How the files of the page are called."""
CONVERTED = "authors"
"""Where the authors' answers and prompts lie, in the form that fairlint reads."""

_KNOWN = {name: option for _, options in BENCH.groups for option in options for name in option.names}


def _options(*names: str) -> tuple[Option, ...]:
    """Return options of `fairlint bench`."""
    return tuple(_KNOWN[name] for name in names)


EVERYWHERE = _options("--answer-cache", "--prices", "--keep-going", "--fail-fast")
LOADING = _options(
    "--batch-size", "--device", "--dtype", "--devices", "--cards", "--engine", "--trust-remote-code"
)
OF_VLLM = _options("--tensor-parallel", "--pipeline-parallel", "--engine-option")
SERVER = _options("--base-url", "--api-key", "--api-key-env", "--concurrency", "--timeout", "--retries")
RUNNING = _options("--executor")
COUNTS = (
    Option(("--samples",), "the number of answers to each prompt (default: the paper's)", takes="N"),
    Option(("--limit",), "the maximum number of prompts of each run", takes="N"),
    Option(("--seed",), "the random seed for prompts and answers (default: the paper's, or 0)", takes="N"),
)
PROMPTS = Option(
    ("--prompts",),
    "use the prompts in FILE, for faircode also a folder with its authors' programs; --runs names the run "
    "that they are for",
    takes="FILE",
)

COMMAND = Command(
    "bench reproduce",
    usage="fairlint bench reproduce [PAPER] [--model NAME[=MODEL]]... [--runs NAMES] [OPTION...]",
    description="Run what a published paper ran, and compare its tables with the figures of these runs:\n"
    "each cell with an interval, and whether the published figure is within it. Below each table stand the\n"
    "known differences. Without PAPER, list the papers.",
    groups=(
        (
            "models, runs and output",
            (
                Option(
                    ("--model",),
                    "a model by the paper's name for it, or NAME=MODEL to ask another one in its place, for "
                    "example 'GPT-4o=replay:answers.jsonl' (default: all that the paper pins)",
                    takes="NAME",
                    repeats=True,
                ),
                Option(
                    ("--runs",),
                    "only these of the paper's runs, separated by commas",
                    takes="NAMES",
                    repeats=True,
                ),
                *COUNTS,
                PROMPTS,
                Option(
                    ("--output",),
                    "the folder of all runs and of the page (default: fairlint-bench/reproduce-PAPER)",
                    takes="DIR",
                ),
                Option(("--dry-run",), "print models, prompts, tokens and cost without asking a model"),
                Option(("--resume",), "continue runs that were started"),
                FORMAT,
                Option(("-q", "--quiet"), "do not print progress"),
            ),
        ),
        ("loading a model", (*LOADING, *OF_VLLM)),
        ("models on a server (openai:NAME)", SERVER),
        ("running, judging and failures", (*RUNNING, *EVERYWHERE, *JUDGING)),
    ),
    epilog="examples:\n  fairlint bench reproduce\n  fairlint bench reproduce btm --dry-run\n"
    "  fairlint bench reproduce faircode --model Qwen2 --runs function --limit 50 --output results\n"
    "  fairlint bench reproduce faircode --runs function \\\n"
    "    --model 'GPT-4o=replay:gpt-4o_evaluation_results.jsonl' --output results\n"
    "  fairlint bench reproduce 2606.00049 --model 'GPT-4o=openai:gpt-4o' --runs selected,cot\n\n"
    "The page has all runs of the paper that are in the folder, also those of earlier commands.",
    words=1,
    acts=paper_names(),
)


class Chosen(Record):
    """A model of the paper, and what is asked for it."""

    model: PaperModel
    text: str


class Planned(Record):
    """A run of a model, as a command of `fairlint bench`."""

    chosen: Chosen
    run: PaperRun
    words: tuple[str, ...]


def reproduce(arguments: Sequence[str]) -> int:
    """List the papers, or run what one of them ran."""
    options = COMMAND.parse(arguments)
    if not options.words:
        _check_nothing_else(options)
        _list_papers(options.format)
        return 0
    paper = paper_named(options.words[0])
    folder = Path(options.output or f"{FOLDER}/reproduce-{paper.name}").expanduser()
    if (folder / SETTINGS).exists():
        raise UsageError(f"{folder} is the folder of one run: --output names another for several")
    with TemporaryDirectory() as temporary:  # a dry run leaves nothing behind
        files = Path(temporary) if options.dry_run else folder
        planned = list(_planned_runs(paper, options, folder, files))
        plan = _joint_plan(planned, folder)
        if options.dry_run and options.format == "text":
            lines = _dry_run_lines(paper, planned)
            write_stdout([line.replace(temporary, str(folder)) for line in lines])
        again = ["reproduce", *arguments]
        return carry_out(plan, options, again, partial(_report, paper, folder, options.format))


def _check_nothing_else(options: Arguments) -> None:
    """Raise UsageError for an option that says something of a paper, where none is named."""
    for _, known in COMMAND.groups:
        for option in known:
            if option is not FORMAT and getattr(options, option.key) not in (None, False, option.default):
                names = ", ".join(paper_names())
                raise UsageError(
                    f"{option.names[-1]} is for a paper: name one, as in reproduce btm ({names})"
                )


def _list_papers(form: str) -> None:
    from fairlint.bench.papers.pages import paper_rows  # noqa: PLC0415 (pages need an extra)

    papers = [paper_named(name) for name in paper_names()]
    heads = ("paper", "models", "runs", "answers", "tables", "title")
    rows = list(paper_rows(papers))
    if form == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

        write_stdout(encode_json([dict(zip(heads, row, strict=True)) for row in rows]))
        return
    write_stdout(table([heads, *rows]))
    write_stdout(
        "Answers are those to first requests, of all models; mitigations ask on.\n"
        "fairlint bench reproduce PAPER --dry-run tells more.\n"
    )


# ------------------------------------------------------------------------------------------------- the plan


def _planned_runs(paper: Paper, options: Arguments, folder: Path, files: Path) -> Iterator[Planned]:
    """Yield the runs that are asked for. What the authors have in a form of their own is written to `files`
    in fairlint's. Raises UsageError for names that the paper does not have.
    """
    wanted = [paper.run_named(name) for name in split_names(options.runs) or ()]
    chosen = _chosen_models(paper, options.model or ())
    found = False
    for one in chosen:
        text = _with_converted_answers(paper, one, files)
        runs = [run for run in paper.runs_of(one.model) if not wanted or run in wanted]
        if options.prompts and len(runs) > 1:
            names = ", ".join(run.name for run in runs)
            raise UsageError(f"--prompts is for one run: name it with --runs ({names})")
        for run in runs:
            found = True
            path = folder / slug(f"{one.model.name}-{run.name}")
            protocol = ("--protocol", paper.protocol) if paper.protocol == "published" else ()
            words = ("--model", text, "--suite", run.suite, "--output", str(path), *protocol)
            if options.prompts:
                words += ("--prompts", str(_with_converted_prompts(paper, run, options.prompts, files)))
            yield Planned(one, run, (*words, *_bench_words(one.model, run, options, text)))
    if not found:
        names = ", ".join(one.model.name for one in chosen)
        raise UsageError(f"--runs: {paper.name} has none of these runs of {names}")


def _chosen_models(paper: Paper, given: Sequence[str]) -> list[Chosen]:
    found: dict[str, Chosen] = {}
    for text in given:
        name, equals, asked = text.partition("=")
        model = paper.model_named(name)
        if equals and not asked.strip():
            raise UsageError(f"--model {text}: nothing stands behind the =, as in {name}=replay:FILE")
        if not equals and not model.ask:
            raise UsageError(f"--model {name}: {model.note}")
        if model.name in found:
            raise UsageError(f"the model {model.name} is named twice")
        found[model.name] = Chosen(model, asked.strip() or model.ask)
    return list(found.values()) or [Chosen(one, one.ask) for one in paper.models if one.ask]


def _with_converted_answers(paper: Paper, chosen: Chosen, folder: Path) -> str:
    """Return what is asked; answers of the authors are written as a replay reads them, and that is asked."""
    from fairlint.bench.papers.authors_answers import are_authors_records, converted, lines_of  # noqa: PLC0415
    from fairlint.support.files import digest  # noqa: PLC0415 (few have any)

    where = chosen.text.removeprefix(REPLAY)
    source = Path(where).expanduser()
    is_plain_replay = where != chosen.text and "?" not in where and source.is_file()
    if not paper.answers or not is_plain_replay or not are_authors_records(source):
        return chosen.text
    found = converted(source)
    name = chosen.model.name
    file = folder / CONVERTED / f"{slug(name)}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, lines_of(found))
    known = {one.sha256 for one in paper.answers if one.model == name}
    which = "as published" if digest(source) in known else "not the published file"
    say(
        f"fairlint: {name}: {len(found.answers):,} answers of {printable(source.name)} ({which}); of "
        f"{found.left_out:,} more nobody knows what they were asked about"
    )
    return f"{REPLAY}{file}"


def _with_converted_prompts(paper: Paper, run: PaperRun, given: str, folder: Path) -> Path:
    """Return the file of prompts; of a folder of the authors' programs, the one that is made of them."""
    from fairlint.bench.papers.authors_prompts import prompts_of  # noqa: PLC0415 (few have any)

    source = Path(given).expanduser()
    known = [one for one in paper.prompts if one.run == run.name and one.sha256]
    if not source.is_dir() or not known:
        return source
    file = folder / CONVERTED / f"{paper.name}-authors-prompts.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, "".join(prompts_of(source, known)))
    return file


def _bench_words(model: PaperModel, run: PaperRun, options: Arguments, text: str) -> Iterator[str]:
    """Yield the options of `fairlint bench` that say how a model is asked for a run."""
    backend = resolve(text).backend
    own = dict(run.options)
    for option in COUNTS:
        if (given := getattr(options, option.key)) is not None:
            own[option.key.replace("_", "-")] = given
    for name, value in own.items():
        yield from (f"--{name}", value)
    if backend not in SERVED and options.dtype == "auto" and model.dtype:
        yield from ("--dtype", model.dtype)
    suite = suite_of(run.suite)
    runs_code = "executor" in suite.settable and "utility" not in suite.settable
    taken = (*EVERYWHERE, *JUDGING, *(RUNNING if runs_code else ()))
    taken += LOADING if backend not in SERVED else ()
    taken += OF_VLLM if backend == "vllm" else ()
    taken += SERVER if backend not in LOADS_WEIGHTS | {"replay"} else ()
    yield from _given_words(taken, options)
    if options.resume:
        yield "--resume"


def _given_words(taken: Sequence[Option], options: Arguments) -> Iterator[str]:
    """Yield those of some options that were given, as they were."""
    for option in taken:
        value = getattr(options, option.key)
        if value is None or value == option.default:
            continue
        for one in value if option.repeats else [value]:
            yield from (option.names[-1],) if not option.takes else (option.names[-1], str(one))


def _joint_plan(planned: Sequence[Planned], folder: Path) -> Plan:
    """Return one plan of all runs, in which each model is loaded once."""
    models: dict[str, Asked] = {}
    plan: Plan | None = None
    for one in planned:
        made = plan_of(BENCH.parse(one.words))
        (asked,) = made.models
        if plan is None or asked.found.backend not in SERVED:
            plan = made
        name = one.chosen.model.name
        (job,) = asked.jobs
        label = f"{name}, {one.run.name}"
        before = models.get(name)
        jobs = (*(before.jobs if before else ()), replace(job, label=label))
        in_place = one.chosen.text != one.chosen.model.ask
        shown = f"{name} (in its place {asked.name})" if in_place else name
        models[name] = replace(asked, name=shown, jobs=jobs, loading=made.options)
    if plan is None:
        raise UsageError("nothing is asked for")
    return replace(plan, models=tuple(models.values()), folder=folder)


def _dry_run_lines(paper: Paper, planned: Sequence[Planned]) -> Iterator[str]:
    """Yield what each run asks of whom, before the table of costs."""
    yield f"{paper.title}\n\n"
    heads = ("run", "asks", "suite", "of the paper's answers", "settings")
    rows = [
        (
            f"{one.chosen.model.name}, {one.run.name}",
            without_secrets(one.chosen.text) if "://" in one.chosen.text else one.chosen.text,
            one.run.suite,
            f"{one.run.answers:,}",
            ", ".join(f"{name} {value}" for name, value in one.run.options.items()),
        )
        for one in planned
    ]
    yield from table([heads, *rows])
    yield "\n"
    asked = {one.chosen.model.name for one in planned}
    for model in paper.models:
        if model.name in asked and model.note:
            yield f"{model.name}: {model.note}\n"
        elif model.name not in asked and not model.ask:
            yield f"{model.name} is not asked. {model.note}\n"
    for file in paper.prompts:
        if file.note:
            yield f"prompts of {file.run}, {file.file}: {file.note}\n"
    for kind, known in (("prompts", paper.prompts), ("answers", paper.answers)):
        if address := paper.addresses.get(kind):
            yield f"the authors' {kind}: {', '.join(one.file for one in known)}\nat {address}\n"
    yield "\n"
    for one in planned:
        yield f"{one.chosen.model.name}, {one.run.name}: {printable(command_of(one))}\n"
    yield "\n"


def command_of(one: Planned) -> str:
    """Return the command of `fairlint bench` that is a run, without secrets."""
    return command_to_go_on(one.words).removesuffix(" --resume")


# ------------------------------------------------------------------------------------------------- the page


def _report(paper: Paper, folder: Path, form: str, views: Sequence[RunView]) -> None:  # noqa: ARG001 (below)
    """Write the page of all runs in the folder, be they of this command or of earlier ones, and print it."""
    from fairlint.bench.papers.pages import html_of, markdown_of, terminal_lines  # noqa: PLC0415 (an extra)
    from fairlint.bench.papers.reproduction import document_of  # noqa: PLC0415 (as above)
    from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (as above)

    known = reproduction_in(paper, folder)
    document: Any = document_of(known)
    texts = {"html": html_of(known), "md": markdown_of(known), "json": "".join(encode_json(document))}
    for ending, text in texts.items():
        write_text(folder / f"{PAGE}.{ending}", text)
    if form == "json":
        write_stdout(encode_json(document))
        return
    write_stdout(f"{printable(line)}\n" for line in terminal_lines(known))
    write_stdout(["\n", f"report: {printable(str(folder / PAGE))}.html\n"])


def reproduction_in(paper: Paper, folder: Path) -> Reproduction:
    """Return a paper beside the runs of it in a folder, as commands like this one name their folders."""
    from fairlint.bench.papers.reproduction import reproduction_of  # noqa: PLC0415 (an extra)
    from fairlint.bench.runs.view import read_view  # noqa: PLC0415 (as above)

    finished = {}
    begun = []
    for model in paper.models:
        for run in paper.runs_of(model):
            path = folder / slug(f"{model.name}-{run.name}")
            if (path / "metrics.json").exists():
                finished[model.name, run.name] = read_view(path)
            elif (path / SETTINGS).exists():
                begun.append((model.name, run.name))
    return reproduction_of(paper, finished, begun)
