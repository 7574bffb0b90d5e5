"""`fairlint laws`: the register of laws, or all that it says of one of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli.arguments import COLOR, CONFIGURATION, Command, Option, build_configurations
from fairlint.cli.output import terminal_width, wants_color, wrap_text, write_stdout
from fairlint.config import Settings
from fairlint.laws import Law, register
from fairlint.reporters.printable import printable, width
from fairlint.reporters.style import Style
from fairlint.rules.loading import load_rules
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.reporters.encoding import Json

_WIDEST = 100


COMMAND = Command(
    "laws",
    usage="fairlint laws [ID] [--format text|json]",
    description="Print the laws that findings refer to, or all that is known of one. No legal advice.",
    groups=(
        (
            "options",
            (
                Option(
                    ("--format",),
                    "the output format",
                    takes="FORMAT",
                    choices=("text", "json"),
                    default="text",
                ),
                COLOR,
                *CONFIGURATION,
            ),
        ),
    ),
    epilog="examples:\n  fairlint laws\n  fairlint laws eu-ai-act-10\n"
    "  fairlint laws --jurisdiction us --domain credit",
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Print the table, or one law."""
    options = COMMAND.parse(arguments)
    name = options.words[0] if options.words else None
    settings = build_configurations(options).run
    style = Style(wants_color(options.color, sys.stdout))
    chosen = [_find_law(name)] if name else list(_laws_of_settings(settings))
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415

        facts = [_law_facts(law) for law in chosen]
        write_stdout(encode_json(facts[0] if name else facts))
    elif name:
        columns = min(terminal_width(sys.stdout, _WIDEST), _WIDEST)
        write_stdout(f"{line}\n" for line in _law_description(chosen[0], style, columns))
    else:
        write_stdout(f"{line}\n" for line in _laws_table(chosen, style))
    return 0


def _laws_of_settings(settings: Settings) -> Iterator[Law]:
    """Yield the laws of the jurisdiction and the field that the settings choose."""
    field = "" if settings.domain == "all" else settings.domain
    for law in register().values():
        if law.holds_in(settings.law, settings.home_country) and law.is_about_field(field):
            yield law


def _find_law(name: str) -> Law:
    found = register().get(name.lower())
    if found is None:
        hint = did_you_mean(name, register()) or "; fairlint laws lists them"
        raise UsageError(f"unknown law '{name}'{hint}")
    return found


def _laws_table(laws: Iterable[Law], style: Style) -> Iterator[str]:
    rows = [("law", "place", "status", "title")]
    for law in laws:
        status = (
            law.state
            if law.state.startswith(law.status)
            else "; ".join(filter(None, (law.status, law.state)))
        )
        rows.append((law.id, law.place, status, law.title))
    widths = [max(width(row[column]) for row in rows) for column in range(3)]
    for number, row in enumerate(rows):
        cells = [cell.ljust(columns) for cell, columns in zip(row, widths, strict=False)]
        line = "  ".join([*cells, row[3]])
        yield style("strong", line) if number == 0 else line


def _rules_about(law: Law) -> list[str]:
    return sorted(rule.code for rule in load_rules() if law.id in rule.laws)


def _law_description(law: Law, style: Style, columns: int) -> Iterator[str]:
    facts = (
        ("place", law.place),
        ("text", law.url),
        ("status", f"{law.status} {law.repealed}".rstrip()),
        ("applies from", law.applies_from or "not known"),
        ("fields", ", ".join(law.fields) or "all"),
        ("attributes", ", ".join(law.attributes) or "all"),
        ("rules", ", ".join(_rules_about(law))),
        ("checked on", law.checked_on),
        ("verified", f"yes, by {law.source}" if law.verified else "no: no source was found that day"),
        ("note", law.note),
    )
    yield f"{style('strong', law.id)}: {law.title}"
    yield ""
    shown = [(title, text) for title, text in facts if text]
    left = max(width(title) for title, _ in shown)
    for title, text in shown:
        lines = wrap_text(printable(text), columns - left - 4)
        yield f"  {style('strong', title)}{' ' * (left - width(title))}  {lines[0]}"
        yield from (f"  {'':<{left}}  {line}" for line in lines[1:])


def _law_facts(law: Law) -> Json:
    from fairlint.reporters.json import law_object  # noqa: PLC0415

    return {"id": law.id, "rules": [*_rules_about(law)], **law_object(law)}
