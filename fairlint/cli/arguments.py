"""What the commands share: options as data, their parser, and options that mean the same everywhere.

Python's `argparse` would take as long to start as the rest of a run over one small file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from fairlint.config import DOMAINS, JURISDICTIONS, Configurations
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field

_HELP_COLUMN = 26
_HELP_WIDTH = 100
NEAR_OPTIONS = 0.75
"""How alike an option and a word have to be for the option to be suggested."""


class Option(Record):
    """One option. Without `takes` it is a flag; `choices` are all that it takes."""

    names: tuple[str, ...]
    help: str
    takes: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    means: Any = True
    """The value of a flag that is given."""
    repeats: bool = False
    """May be given several times; its value is a list."""
    writes: bool = False
    """Whether it changes or writes files: such an option is never suggested for another word."""

    @property
    def key(self) -> str:
        """The name of its value."""
        return self.names[-1].lstrip("-").replace("-", "_")

    @property
    def title(self) -> str:
        """How help shows it."""
        return ", ".join(self.names) + (f" {self.takes}" if self.takes else "")


class Arguments:
    """The values of a command's options by their keys, and everything else, which is `words`."""

    def __init__(self, values: dict[str, Any], words: list[str]) -> None:
        self._values = values
        self.words = words

    def __getattr__(self, key: str) -> Any:
        try:
            return self._values[key]
        except KeyError:
            raise AttributeError(key) from None


class ExitWithText(Exception):  # noqa: N818 (no error: `--help` and `--version` end here)
    """There is nothing to do but to print the text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


Group = tuple[str, tuple[Option, ...]]
"""What help says above some options, and these."""


class Command(Record):
    """A command's arguments as data."""

    name: str
    usage: str
    description: str
    groups: tuple[Group, ...]
    epilog: str = ""
    words: int | None = 0
    """How many words it takes at most besides options; None is any number."""
    version: str = ""
    acts: tuple[str, ...] = ()
    """What the first of the words may be, where it says what to do."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Options that other tools have → what serves here."""
    first: tuple[str, ...] = ()
    """The options that `--help` shows where a command has many; `--help-all` shows all. Empty: all."""

    def parse(self, arguments: Sequence[str]) -> Arguments:
        """Take the arguments apart; wrong ones are a UsageError of one line."""
        options = [option for _, group in self.groups for option in group]
        by_name = {name: option for option in options for name in option.names}
        values: dict[str, Any] = {option.key: option.default for option in options}
        words: list[str] = []
        waiting = iter(arguments)
        for argument in waiting:
            if argument == "--":
                words.extend(waiting)
            elif argument == "-" or not argument.startswith("-"):
                words.append(argument)
            else:
                name, equals, value = argument.partition("=")
                option = by_name.get(name)
                short = by_name.get(argument[:2])
                if option is None and short is not None and short.takes:  # as in -j4
                    option, name, equals, value = short, argument[:2], "=", argument[2:].removeprefix("=")
                if option is None:
                    self._handle_special_option(
                        name, [name for name, known in by_name.items() if not known.writes]
                    )
                elif not option.takes:
                    if equals:
                        self._raise_usage_error(f"{name} takes no value")
                    values[option.key] = option.means
                else:
                    given = value if equals else next(waiting, None)
                    self._take_value(option, name, given, values)
        if self.words is not None and len(words) > self.words:
            known = did_you_mean(words[0], self.acts, most=1) if self.acts else ""
            self._raise_usage_error(f"unexpected argument '{words[self.words]}'{known}")
        return Arguments(values, words)

    def _take_value(self, option: Option, name: str, value: str | None, values: dict[str, Any]) -> None:
        if value is None:
            self._raise_usage_error(f"{name} needs a value: {option.takes}")
        if option.choices and value not in option.choices:
            self._raise_usage_error(f"{name} must be one of {', '.join(option.choices)}, not '{value}'")
        if option.repeats:
            values[option.key] = [*(values[option.key] or ()), value]
        else:
            values[option.key] = value

    def _handle_special_option(self, name: str, known: Sequence[str]) -> NoReturn:
        if name in {"-h", "--help"}:
            raise ExitWithText(self.help())
        if name == "--help-all" and self.first:
            raise ExitWithText(self.help(everything=True))
        if name == "--version" and self.version:
            raise ExitWithText(f"{self.version}\n")
        if name in self.instead:
            raise UsageError(f"unknown option {name}; {self.instead[name]}")
        self._raise_usage_error(f"unknown option {name}{did_you_mean(name, known, least=NEAR_OPTIONS)}")

    def _raise_usage_error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {f'fairlint {self.name}'.strip()} --help)")

    def help(self, *, everything: bool = False) -> str:
        """Return the text of `--help`, or of `--help-all` with `everything`."""
        last = [Option(("-h", "--help"), "print this help")]
        groups = self.groups
        if self.first:
            count = sum(len(options) for _, options in groups)
            last.append(Option(("--help-all",), f"print all {count} options"))
            groups = groups if everything else tuple(self._first_groups())
        if self.version:
            last.append(Option(("--version",), "print fairlint's version"))
        lines = [f"usage: {self.usage}", "", self.description]
        for title, options in (*groups, ("other options", tuple(last))):
            lines += ["", f"{title}:"]
            for option in options:
                lines += _help_lines(option)
        if self.epilog:
            lines += ["", self.epilog]
        return "\n".join(lines) + "\n"

    def _first_groups(self) -> Iterator[Group]:
        """Yield the groups with the options that help shows first."""
        for title, options in self.groups:
            if chosen := tuple(one for one in options if one.names[-1] in self.first):
                yield title, chosen


def _help_lines(option: Option) -> Iterator[str]:
    text = option.help
    if option.choices:
        text += f"; one of {', '.join(option.choices)}"
    if option.default is not None:
        text += f" (default: {option.default})"
    title = f"  {option.title}"
    if len(title) > _HELP_COLUMN - 2:
        yield title
        title = ""
    from textwrap import wrap  # noqa: PLC0415 (start-up)

    for line in wrap(text, _HELP_WIDTH - _HELP_COLUMN, break_on_hyphens=False):
        yield f"{title:<{_HELP_COLUMN}}{line}"
        title = ""


COLOR = Option(
    ("--color",),
    "when to use colors; auto follows the terminal, NO_COLOR and FORCE_COLOR",
    takes="WHEN",
    choices=("auto", "always", "never"),
    default="auto",
)
CONFIGURATION = (
    Option(("--config",), "the configuration file to use", takes="FILE"),
    Option(("--isolated",), "ignore all configuration files"),
    Option(
        ("--jurisdiction",),
        "the jurisdiction whose law decides what is protected",
        takes="PLACE",
        choices=JURISDICTIONS,
    ),
    Option(("--domain",), "what the code is used for", takes="DOMAIN", choices=DOMAINS),
    Option(
        ("--home-country",), "the country whose citizens are not foreigners, for example DE", takes="COUNTRY"
    ),
)


def build_configurations(
    options: Arguments, paths: Sequence[str] = (), *, untrusted: bool = False, **changes: Any
) -> Configurations:
    """Return the settings in force for each folder, with what the options of CONFIGURATION and
    others change.
    """
    if options.config and options.isolated:
        raise UsageError("--config cannot be used with --isolated")
    changes |= {"jurisdiction": options.jurisdiction, "domain": options.domain}
    if options.home_country is not None:
        from fairlint.config.table import read_country  # noqa: PLC0415 (few name one)

        try:
            changes["home_country"] = read_country(options.home_country)
        except ValueError as error:
            raise UsageError(f"--home-country {error}") from None
    return Configurations(
        paths,
        config=options.config,
        isolated=bool(options.isolated),
        untrusted=untrusted,
        changes=changes,
    )
