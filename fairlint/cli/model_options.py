"""Options that the commands of `fairlint model` share."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Arguments, Option
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.model_bias.loading import Loaded

DTYPES = ("auto", "float32", "bfloat16", "float16")

MODEL = (
    "loading a model",
    (
        Option(("--model",), "a short name, hub id, folder or .gguf file", takes="NAME"),
        Option(("--batch-size",), "texts in one pass, or auto", takes="N", default="auto"),
        Option(("--device",), "auto, cpu, cuda, cuda:1 or mps", takes="DEVICE", default="auto"),
        Option(
            ("--dtype",), "the number type of the weights", takes="TYPE", choices=DTYPES, default="float32"
        ),
        Option(("--cards",), "the number of accelerators that share one model (default: all)", takes="N"),
        Option(("--revision",), "a commit, branch or tag on the hub", takes="NAME"),
        Option(("--trust-remote-code",), "allow the model's own Python code to be loaded"),
        Option(("--adapter",), "the folder of a LoRA adapter", takes="DIR"),
    ),
)
RESULTS = (
    "results",
    (
        Option(("--output",), "the folder of the results (default: fairlint-model/MODEL)", takes="DIR"),
        Option(("--resume",), "continue what was started with the same settings"),
        Option(("--format",), "the output format", takes="FORMAT", choices=("text", "json"), default="text"),
        Option(("-q", "--quiet"), "do not print progress"),
    ),
)
SEED = Option(("--seed",), "the random seed", takes="N", default="0")
LIMIT = Option(("--limit",), "the maximum number of items of each kind", takes="N")


NEEDED = ("numpy", "torch", "transformers", "scipy", "sklearn", "matplotlib")
"""Packages of the extra, of which none is to be missed when the work is done."""


def check_extra() -> None:
    """Raise ModelError where one of NEEDED is not installed; nothing is imported."""
    from fairlint.backends.model import ModelError  # noqa: PLC0415 (help needs none of it)

    for name in NEEDED:
        if find_spec(name) is None:
            raise ModelError(f'{name} is not installed: pip install "fairlint[model]"')


def load(options: Arguments, *, device: str | None = None) -> Loaded:
    """Return the model that `MODEL`'s options name, on another `device` if one is given.

    Raises ModelError, in one line, where it cannot be had, or where a package that a command needs at its
    end, as for the page, is not installed; UsageError for an --output that is a file.
    """
    check_extra()
    if options.output and Path(options.output).is_file():
        raise UsageError(f"--output {options.output} is a file, and results need a folder")
    from fairlint.backends.model import ModelOptions  # noqa: PLC0415 (help needs none of it)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (as above)
    from fairlint.model_bias import loading  # noqa: PLC0415 (as above)

    told: dict[str, Any] = {
        "device": device or options.device,
        "dtype": options.dtype,
        "batch_size": None if options.batch_size == "auto" else whole(options, "--batch-size", 1),
        "revision": options.revision,
        "trust_remote_code": bool(options.trust_remote_code),
        "cards": whole(options, "--cards", 1),
        "adapter": options.adapter,
    }
    return loading.load(
        options.model, ModelOptions(**{name: value for name, value in told.items() if value is not None})
    )


def code_warning(loaded: Loaded) -> str:
    """Return why code is not among the data that a masked model is asked about unless somebody names it."""
    return f"{loaded.name} fills in masks and does not say how code goes on: code is left out"


def folder_of(options: Arguments, loaded: Loaded) -> Path:
    """Return where the results go."""
    from fairlint.backends.names import slug  # noqa: PLC0415 (help needs none of it)

    return Path(options.output) if options.output else Path("fairlint-model") / slug(loaded.name)


def write_page(folder: Path, *, quiet: bool) -> None:
    """Write the page of all that the folder holds, and say where it is."""
    from fairlint.cli import say  # noqa: PLC0415 (it imports this module)
    from fairlint.model_bias.report.writing import write_report  # noqa: PLC0415 (help needs none of it)

    page = write_report(folder)
    if not quiet:
        say(f"fairlint: {page}")
