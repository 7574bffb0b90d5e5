"""`fairlint attributes`: who is protected, and all that is known about one attribute."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli.arguments import COLOR, CONFIGURATION, Command, Option, build_configurations
from fairlint.cli.output import terminal_width, wants_color, wrap_text, write_stdout
from fairlint.config import Settings
from fairlint.plugins import manager
from fairlint.reporters.printable import printable, width
from fairlint.reporters.style import Style
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.reporters.encoding import Json
    from fairlint.vocabulary import Vocabulary
    from fairlint.vocabulary.model import Attribute, Group

_WIDEST = 100
_NAMES = {"columns": "data set columns", "flags": "names of a group", "not": "false friends"}


COMMAND = Command(
    "attributes",
    usage="fairlint attributes [NAME] [--format text|json]",
    description="Print the attributes that fairlint knows, or all that it knows about one of them.",
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
    epilog="examples:\n  fairlint attributes\n  fairlint attributes gender\n"
    "  fairlint attributes --jurisdiction eu --domain hiring",
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Print the table, or one attribute."""
    options = COMMAND.parse(arguments)
    name = options.words[0] if options.words else None
    settings = build_configurations(options).run
    vocabulary = _build_vocabulary(settings)
    style = Style(wants_color(options.color, sys.stdout))
    if name:
        chosen = [_find_attribute(vocabulary, name)]
    else:
        chosen = [
            attribute
            for attribute in vocabulary.attributes.values()
            if vocabulary.protected_in(attribute.name, settings.law, settings.domain)
        ]
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415

        facts = [_attribute_facts(attribute, vocabulary) for attribute in chosen]
        write_stdout(encode_json(facts[0] if name else facts))
    elif name:
        columns = min(terminal_width(sys.stdout, _WIDEST), _WIDEST)
        write_stdout(
            f"{line}\n"
            for line in _attribute_description(chosen[0], vocabulary, style, columns, settings.law)
        )
    else:
        write_stdout(f"{line}\n" for line in _attributes_table(chosen, style))
    return 0


def _build_vocabulary(settings: Settings) -> Vocabulary:
    from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415

    shipped = default_vocabulary()
    brought = manager.attribute_tables(lambda table: shipped.extended([table]).attributes)
    tables = (*brought, *settings.vocabulary_tables())
    if settings.home_country:
        shipped = shipped.at_home(settings.home_country)
    try:
        return shipped.extended(tables) if tables else shipped
    except ValueError as error:
        raise UsageError(str(error)) from None


def _find_attribute(vocabulary: Vocabulary, name: str) -> Attribute:
    try:
        return vocabulary.attribute(name.lower().replace("-", "_"))
    except KeyError:
        named = [one.attribute for one in vocabulary.mentions(name.lower())]
        hint = f"; did you mean '{named[0]}'?" if named else did_you_mean(name, list(vocabulary.attributes))
        hint = hint or "; `fairlint attributes` lists them"
        raise UsageError(f"unknown attribute '{name}'{hint}") from None


# ------------------------------------------------------------------------------------------------ the table


def _attributes_table(attributes: Iterable[Attribute], style: Style) -> Iterator[str]:
    rows = [("attribute", "kind", "laws", "groups")]
    for attribute in attributes:
        laws = ", ".join(attribute.laws) or "-"
        rows.append((attribute.name, attribute.kind, laws, ", ".join(attribute.core_groups) or "-"))
    widths = [max(width(printable(row[column])) for row in rows) for column in range(3)]
    for number, row in enumerate(rows):
        cells = [printable(text) for text in row]
        padded = [cell + " " * (cells_ - width(cell)) for cell, cells_ in zip(cells, widths, strict=False)]
        line = "  ".join([*padded, cells[3]])
        yield style("strong", line) if number == 0 else line


# ------------------------------------------------------------------------------------------ one attribute


def _attribute_description(
    attribute: Attribute, vocabulary: Vocabulary, style: Style, columns: int, law: str
) -> Iterator[str]:
    yield f"{style('strong', attribute.name)}: {printable(attribute.title)}"
    yield ""
    facts = [("kind", f"{attribute.kind}, {attribute.strength} name")]
    facts += [
        (f"law ({place})", "; ".join(map(_law_text, laws)))
        for place, laws in attribute.laws.items()
        if law in ("all", place)
    ]
    facts.append(("domains", ", ".join(sorted(attribute.domains)) or "all"))
    facts.append(("may stand for", ", ".join(attribute.proxy_for)))
    facts.append(("core groups", ", ".join(attribute.core_groups)))
    facts += [(f"band {name}", f"{low:g} to {high:g}") for name, (low, high) in attribute.bands.items()]
    facts.append(("lawful limits", ", ".join(f"{limit:g}" for limit in attribute.lawful_limits)))
    facts += [
        (_NAMES.get(sort, f"{sort} names"), ", ".join(names))
        for sort, names in vocabulary.names_of(attribute.name).items()
    ]
    facts += [
        (f"codes in {name}", ", ".join(f"{code} = {group}" for code, group in codes.items()))
        for name, codes in attribute.data_sets.items()
    ]
    facts.append(("note", attribute.note))
    facts += [(_group_title(group), _spellings_text(group)) for group in attribute.groups.values()]
    shown = [(title, text) for title, text in facts if text]
    left = max(width(title) for title, _ in shown)
    for title, text in shown:
        lines = wrap_text(printable(text), columns - left - 4)
        yield f"  {style('strong', title)}{' ' * (left - width(title))}  {lines[0]}"
        yield from (f"  {'':<{left}}  {line}" for line in lines[1:])


def _law_text(text: str) -> str:
    """Return a law of the register by its title; what a user's own table says stays as it is."""
    from fairlint.laws import register  # noqa: PLC0415

    known = register().get(text)
    return text if known is None else f"{known.told} [{known.id}]"


def _group_title(group: Group) -> str:
    return f"{'no group' if group.missing else 'group'} {printable(group.name)}"


def _spellings_text(group: Group) -> str:
    return ", ".join(spelling or '""' for spelling in sorted(group.spellings)) or group.name


def _attribute_facts(attribute: Attribute, vocabulary: Vocabulary) -> Json:
    return {
        "name": attribute.name,
        "title": attribute.title,
        "kind": attribute.kind,
        "strength": attribute.strength,
        "form": attribute.form,
        "core_groups": list(attribute.core_groups),
        "groups": [
            {"name": group.name, "spellings": sorted(group.spellings), "missing": group.missing}
            for group in attribute.groups.values()
        ],
        "names": {sort: list(names) for sort, names in vocabulary.names_of(attribute.name).items()},
        "bands": {name: list(limits) for name, limits in attribute.bands.items()},
        "lawful_limits": list(attribute.lawful_limits),
        "laws": {place: list(laws) for place, laws in attribute.laws.items()},
        "domains": sorted(attribute.domains),
        "proxy_for": list(attribute.proxy_for),
        "data_sets": {name: dict(codes) for name, codes in attribute.data_sets.items()},
        "note": attribute.note,
    }
