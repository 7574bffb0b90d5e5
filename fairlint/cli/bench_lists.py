"""`fairlint bench models` and `fairlint bench suites`: what can be asked, and whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fairlint.backends.available import backends
from fairlint.cli.arguments import Command
from fairlint.cli.bench_options import FORMAT
from fairlint.cli.output import write_stdout
from fairlint.reporters.printable import printable, width

MODELS = Command(
    "bench models",
    usage="fairlint bench models [--format text|json]",
    description="List the short names of models and the backends. Name any other model by its hub id,\n"
    "folder or .gguf file.",
    groups=(("options", (FORMAT,)),),
    epilog="examples:\n  fairlint bench models\n  fairlint bench --model starcoder2",
)
SUITES = Command(
    "bench suites",
    usage="fairlint bench suites [--format text|json]",
    description="List the suites, the number of answers in a full run, and what can be selected.",
    groups=(("options", (FORMAT,)),),
    epilog="examples:\n  fairlint bench suites\n"
    "  fairlint bench --suite faircode:function --scenarios job,college --attributes gender",
)
BACKENDS = {
    "transformers": "on this machine; the default backend",
    "vllm": "vllm:NAME, on this machine's accelerators, with vllm's batching",
    "openai": "openai:NAME, a model on a server (--base-url)",
    "replay": "replay:FILE, stored or published answers, as JSON lines",
}
BROUGHT = "from a plugin"


def models(arguments: Sequence[str]) -> int:
    """Print the known models and backends."""
    options = MODELS.parse(arguments)
    from fairlint.backends.names import all_known_models  # noqa: PLC0415 (help needs none of it)

    by_name = {name: BACKENDS.get(name, BROUGHT) for name in backends()}
    if options.format == "json":
        _write_json(
            {
                "models": [
                    {
                        "name": one.name,
                        "also": list(one.also),
                        "hub": one.hub,
                        "kind": one.kind,
                        "parameters_in_billions": one.parameters,
                        "licence": one.licence,
                        "login": one.login,
                    }
                    for one in all_known_models()
                ],
                "backends": by_name,
            }
        )
        return 0
    rows = [("name", "also", "size", "kind", "on the hub", "licence")]
    rows += [
        (one.name, ", ".join(one.also), _size_text(one.parameters), one.kind, one.hub, _licence_text(one))
        for one in all_known_models()
    ]
    write_stdout(table(rows))
    write_stdout(["\n", *table([("backend", "what it takes"), *by_name.items()])])
    write_stdout(
        ["\ngated: agree to the terms on the model's page of huggingface.co, then `hf auth login`\n"]
    )
    return 0


def suites(arguments: Sequence[str]) -> int:
    """Print the suites."""
    options = SUITES.parse(arguments)
    from fairlint.bench.suites import suite_names, suite_of  # noqa: PLC0415 (help needs none of it)

    facts = [_suite_facts(suite_of(name)) for name in suite_names()]
    if options.format == "json":
        _write_json(facts)
        return 0
    for number, one in enumerate(facts):
        write_stdout(["\n" if number else "", *_suite_description(one)])
    return 0


def _suite_facts(suite: Any) -> dict[str, Any]:
    prompts = getattr(suite, "prompts", None)  # where its requests need a download
    answers = len(suite.requests()) if prompts is None else prompts * suite.samples
    return {
        "name": suite.name,
        "title": suite.title,
        "source": suite.source,
        "prompts": answers // suite.samples,
        "samples": suite.samples,
        "answers": answers,
        "max_new_tokens": suite.max_new_tokens,
        "temperature": suite.temperature,
        "scenarios": list(suite.scenarios()),
        "attributes": list(suite.attributes()),
    }


def _suite_description(one: dict[str, Any]) -> Iterator[str]:
    yield f"{printable(one['name'])}: {printable(one['title'])}\n"
    temperature = "the model's own" if one["temperature"] is None else f"{one['temperature']:g}"
    told = {
        "full run": f"{one['answers']:,} answers: {one['prompts']:,} prompts, {one['samples']} times each",
        "sampling": f"temperature {temperature}, at most {one['max_new_tokens']} tokens",
        "scenarios": ", ".join(one["scenarios"]),
        "attributes": ", ".join(one["attributes"]),
        "source": one["source"],
    }
    for name, text in told.items():
        yield f"  {name:<10}  {printable(text)}\n"


def _size_text(parameters: float) -> str:
    return f"{parameters * 1000:.0f}M" if parameters < 1 else f"{parameters:g}B"


def _licence_text(entry: Any) -> str:
    return f"{entry.licence}, gated" if entry.login else str(entry.licence)


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as columns of text; the first row is the heads."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(width(row[place]) for row in cells) for place in range(len(cells[0]))]
    for row in cells:
        padded = (cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip() + "\n"


def _write_json(document: Any) -> None:
    from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

    write_stdout(encode_json(document))
