"""All commands with their options, as completion and the manual show them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from fairlint.cli.arguments import Command, Option
from fairlint.support.records import Record


class Branch(Record):
    """A command: the words that call it, and what may come next."""

    words: tuple[str, ...]
    command: Command
    below: tuple[str, ...] = ()
    """Words that go on to another branch, or say what to do."""

    @property
    def title(self) -> str:
        """The words, as a case of a script has them."""
        return " ".join(self.words)

    @property
    def options(self) -> list[Option]:
        """All options, those of every command among them."""
        version = [Option(("--version",), "print fairlint's version")] if self.command.version else []
        own = [option for _, group in self.command.groups for option in group]
        more = [Option(("--help-all",), "print all options")] if self.command.first else []
        return [*own, Option(("-h", "--help"), "print help"), *more, *version]


def branches() -> Iterator[Branch]:
    """Yield every command, `check` first."""
    from fairlint.cli import (  # noqa: PLC0415 (as above)
        COMMANDS,
        bench,
        fleet,
        model,
    )

    below = {"bench": bench.SUBCOMMANDS, "fleet": fleet.SUBCOMMANDS, "model": model.SUBCOMMANDS}
    for name, module in COMMANDS.items():
        command: Command = import_module(module).COMMAND
        yield Branch((name,), command, tuple(below.get(name, command.acts)))
    for above, known in below.items():
        for name, module in known.items():
            made = vars(import_module(module)).values()
            whole = f"{above} {name}"
            found = next(one for one in made if isinstance(one, Command) and one.name == whole)
            yield Branch((above, name), found)
