"""`fairlint man`: the manual page, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.output import write_stdout
from fairlint.cli.tree import Branch, branches
from fairlint.support.about import __version__

COMMAND = Command(
    "man",
    usage="fairlint man",
    description="Print the manual page for man(1).",
    groups=(),
    epilog="examples:\n  fairlint man | man -l -\n  fairlint man > ~/.local/share/man/man1/fairlint.1",
)
_ENVIRONMENT = (
    ("NO_COLOR, FORCE_COLOR", "whether to use colors, unless --color is given"),
    ("GITHUB_ACTIONS", "if true, the default format is github"),
    ("FAIRLINT_DEBUG", "if set, an internal error prints its traceback"),
)
_FILES = (
    (
        "fairlint.toml, pyproject.toml",
        "configuration; each file uses the nearest one in its folder or above",
    ),
    ("fairlint-baseline.jsonl", "the baseline: recorded findings that are not reported"),
)


def run(arguments: Sequence[str]) -> int:
    """Print the page."""
    COMMAND.parse(arguments)
    write_stdout(f"{line}\n" for line in _without_gaps(_manual_page(list(branches()))))
    return 0


def _without_gaps(lines: Iterable[str]) -> Iterator[str]:
    """Yield no paragraph begins below a heading: there is a gap anyway."""
    before = ".SH"
    for line in lines:
        if line != ".PP" or not before.startswith(".S"):
            yield line
            before = line


def _manual_page(known: Sequence[Branch]) -> Iterator[str]:
    main, *others = known
    yield f'.TH FAIRLINT 1 "" "fairlint {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "fairlint \\- find where code treats people by a protected attribute"
    yield ".SH SYNOPSIS"
    for number, branch in enumerate(known):
        if number:
            yield ".br"
        yield f".B {_escape_roff(branch.command.usage.partition(' ')[0])}"
        yield _escape_roff(branch.command.usage.partition(" ")[2])
    yield ".SH DESCRIPTION"
    yield from _paragraph_lines(main.command.description.partition("\n\n")[0])
    yield ".SH OPTIONS"
    yield from _option_lines(main)
    yield ".SH COMMANDS"
    for branch in others:
        yield f'.SS "{_escape_roff(branch.title)}"'
        yield from _paragraph_lines(branch.command.description)
        yield from _option_lines(branch)
        if branch.command.epilog:
            yield from _verbatim_lines(branch.command.epilog)
    yield from _epilog_sections(main.command.epilog)
    yield ".SH ENVIRONMENT"
    yield from _definition_list(_ENVIRONMENT)
    yield ".SH FILES"
    yield from _definition_list(_FILES)


def _option_lines(branch: Branch) -> Iterator[str]:
    for title, options in branch.command.groups:
        yield ".PP"
        yield f".I {_escape_roff(title)}"
        for option in options:
            yield ".TP"
            takes = f" \\fI{_escape_roff(option.takes)}\\fR" if option.takes else ""
            yield f"\\fB{_escape_roff(', '.join(option.names))}\\fR{takes}"
            yield _escape_roff(_option_help(option))


def _option_help(option: Option) -> str:
    text = option.help
    if option.choices:
        text += f"; one of {', '.join(option.choices)}"
    return text if option.default is None else f"{text} (default: {option.default})"


def _epilog_sections(epilog: str) -> Iterator[str]:
    """Yield parts of the text below the options, each under its own heading."""
    for part in epilog.split("\n\n"):
        title, _, rest = part.partition(":\n")
        if rest:
            yield f'.SH "{_escape_roff(title.upper())}"'
            yield from _verbatim_lines(rest)
        else:
            yield ".PP"
            yield _escape_roff(part)


def _paragraph_lines(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        if any(line.startswith("  ") for line in part.split("\n")):
            yield from _verbatim_lines(part)
        else:
            yield ".PP"
            yield from (_escape_roff(line) for line in part.split("\n"))


def _verbatim_lines(text: str) -> Iterator[str]:
    yield ".PP"
    yield ".nf"
    yield from (_escape_roff(line) for line in text.split("\n"))
    yield ".fi"


def _definition_list(items: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, text in items:
        yield ".TP"
        yield f"\\fB{_escape_roff(name)}\\fR"
        yield _escape_roff(text)


def _escape_roff(text: str) -> str:
    """Return text that is no request of roff."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe[:1] in {".", "'"} else safe
