"""`fairlint counterfactual`: runs one's own decision on people who differ in a protected attribute alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from fairlint.cli.arguments import COLOR, Arguments, Command, Option
from fairlint.cli.long_lived import needs
from fairlint.cli.option_values import parse_seconds
from fairlint.cli.output import terminal_width, wants_color, write_file, write_stdout
from fairlint.cli.prompt_options import PROMPTS
from fairlint.reporters import WIDTH
from fairlint.reporters.style import Style
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.counterfactual.measured import Measured
    from fairlint.counterfactual.own_code.running import Tried
    from fairlint.reporters import ExitCode

OWN_FORMATS = ("text", "json")
"""All others are formats of `fairlint PATH`, in which findings carry what was measured."""
COMMAND = Command(
    "counterfactual",
    usage="fairlint counterfactual PATH.py:FUNCTION|MODEL --data DATA [OPTION...]\n"
    "       fairlint counterfactual --prompt PROMPT --cases FILE.csv [--model NAME] [OPTION...]",
    description=(
        "Run a decision on people who differ only in a protected attribute, and report for how many of\n"
        "them the outcome changes. DATA is adult, german or compas, or a CSV or Parquet file. The code runs\n"
        "in a sandbox: in its own processes, under limits, without files or network.\n"
        "MODEL is a fitted model saved by joblib or pickle, or an ONNX file; add :METHOD to call a method\n"
        "other than predict. Loading a model may run code: it requires --executor process --packages.\n"
        "With --prompt, a language model is asked about people of several groups, and the difference\n"
        "between groups is compared with what a mere rewrite changes."
    ),
    groups=(
        (
            "data",
            (
                Option(("--data",), "adult, german, compas, or a CSV or Parquet file", takes="DATA"),
                Option(("--data-config",), "the TOML file that describes the data", takes="FILE"),
                Option(
                    ("--attribute",),
                    "change only this column or attribute; repeatable (default: all protected ones)",
                    takes="NAME",
                    repeats=True,
                ),
                Option(("--pairs",), "change pairs of attributes together, too"),
                Option(
                    ("--ages",),
                    "pass ages as bands or as numbers (default: bands; for a model, numbers)",
                    takes="HOW",
                    choices=("bands", "numbers"),
                ),
                Option(("--favourable",), "the outcome that is favourable", takes="VALUE"),
            ),
        ),
        (
            "execution",
            (
                Option(
                    ("--executor",),
                    "monty, or process: Python under limits of the system, for what monty lacks; "
                    "process-unsafe: the same where the system has few limits",
                    takes="NAME",
                    choices=("monty", "process", "process-unsafe"),
                    default="monty",
                ),
                Option(("--packages",), "with --executor process: allow imports of installed packages"),
                Option(
                    ("--time-limit",),
                    "seconds for one batch (default: 10; for a model, 60)",
                    takes="SECONDS",
                ),
            ),
        ),
        (
            "output",
            (
                Option(
                    ("--threshold",),
                    "the share of changed people above which a function counts as biased (default: 0.1)",
                    takes="SHARE",
                ),
                Option(
                    ("--format",),
                    "text, json, or a format of `fairlint PATH`, whose findings then include the figures",
                    takes="FORMAT",
                    default="text",
                ),
                Option(
                    ("-o", "--output"), "write the report to FILE instead of standard output", takes="FILE"
                ),
                Option(("--exit-zero",), "exit 0 even if an attribute exceeds the threshold"),
                COLOR,
            ),
        ),
        *PROMPTS,
    ),
    epilog=(
        "examples:\n"
        "  fairlint counterfactual --prompt screen.py:41 --cases resumes.csv --model openai:NAME --dry-run\n"
        "  fairlint counterfactual loans.py:approve --data adult\n"
        "  fairlint counterfactual hiring.py:Applicant.invite --data people.csv --data-config people.toml\n"
        "  fairlint counterfactual model.joblib --data german --executor process --packages\n\n"
        "exit codes:\n"
        "  0  no attribute exceeds the threshold\n"
        "  1  an attribute exceeds the threshold\n"
        "  2  invalid usage, or the function cannot be run"
    ),
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Measure one function, and tell."""
    options = COMMAND.parse(arguments)
    if options.prompt is not None:
        from fairlint.cli.counterfactual_prompts import run_prompt  # noqa: PLC0415 (few ask a model)

        return run_prompt(options)
    if len(options.words) != 1:
        raise UsageError(
            "name what decides, as loans.py:approve or model.joblib (see fairlint counterfactual --help)"
        )
    if options.data is None:
        raise UsageError("--data is missing: adult, german or compas, or a CSV or Parquet file")
    threshold = _parse_share(options.threshold)
    reporter = _choose_reporter(options.format)
    from fairlint.counterfactual.executors.choosing import warning  # noqa: PLC0415 (loads the analysis)

    with needs("numpy", "counterfactual"):
        from fairlint.counterfactual.own_code.running import try_code  # noqa: PLC0415 (an extra)

    if told := warning(options.executor):
        _say_prefixed_line(f"warning: {told}")
    tried = try_code(
        options.words[0],
        options.data,
        config=options.data_config,
        attributes=options.attribute or None,
        joint=bool(options.pairs),
        ages=options.ages,
        favourable=options.favourable,
        executor=options.executor,
        packages=bool(options.packages),
        seconds=parse_seconds(options.time_limit),
    )
    code = _exit_code(tried.measured, threshold, exit_zero=options.exit_zero)
    pieces = reporter(tried, threshold, code, options)
    if options.output:
        write_file(options.output, pieces)
    else:
        write_stdout(pieces)
    return code


def _parse_share(text: str | None) -> float:
    try:
        share = 0.1 if text is None else float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"--threshold is a share from 0 to 1, not {text!r}")
    return share


def _exit_code(measured: Measured, threshold: float, *, exit_zero: bool) -> int:
    if not measured.executable:
        return 2
    from fairlint.counterfactual.metrics import is_above_threshold  # noqa: PLC0415 (an extra)

    biased = any(is_above_threshold(one, threshold) for one in measured.attributes)
    return int(biased and not exit_zero)


# ------------------------------------------------------------------------------------------------- telling

Teller = Callable[["Tried", float, int, Arguments], Iterable[str]]


def _choose_reporter(name: str) -> Teller:
    if name == "text":
        return _as_text
    if name == "json":
        return _as_json
    from fairlint.reporters.registry import reporters  # noqa: PLC0415 (only for formats of the linter)
    from fairlint.rules.loading import load_rules  # noqa: PLC0415 (only for formats of the linter)

    known = reporters()
    if name not in known:
        offered = ", ".join((*OWN_FORMATS, *sorted(set(known) - set(OWN_FORMATS))))
        raise UsageError(f"--format {name!r} is not known (choose from {offered})")

    def told(tried: Tried, _: float, code: int, options: Arguments) -> Iterable[str]:
        from fairlint.reporters import ReportOptions  # noqa: PLC0415 (as above)

        stream = None if options.output else sys.stdout
        shown = ReportOptions(
            color=wants_color(options.color, stream),
            width=terminal_width(stream, WIDTH),
            min_severity="note",
            exit_code=cast("ExitCode", code),
            load_rules=load_rules,
            tell=_say_prefixed_line,
        )
        return known[name](tried.report, shown)

    return told


def _say_prefixed_line(text: str) -> None:
    from fairlint.cli import say  # noqa: PLC0415 (it imports this module)

    say(f"fairlint: {text}")


def _as_json(tried: Tried, threshold: float, _: int, __: Arguments) -> Iterable[str]:
    from fairlint.counterfactual.own_code.document import document  # noqa: PLC0415 (as above)

    return document(tried, threshold)


def _as_text(tried: Tried, threshold: float, _: int, options: Arguments) -> Iterator[str]:
    from fairlint.counterfactual.own_code.text import lines  # noqa: PLC0415 (as above)

    style = Style(wants_color(options.color, None if options.output else sys.stdout))
    return (f"{line}\n" for line in lines(tried, threshold, style))
