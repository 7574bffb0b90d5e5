"""`fairlint rule`: a rule's page, or the list of rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli.arguments import COLOR, Arguments, Command, Option
from fairlint.cli.output import wants_color, write_stdout
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.rules.loading import load_rules
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.reporters.encoding import Json
    from fairlint.rules.rule import Rule


COMMAND = Command(
    "rule",
    usage="fairlint rule RULE | --all [--format text|json]",
    description="Print the page of a rule: what it reports, why, what to do instead, and its known limits.",
    groups=(
        (
            "options",
            (
                Option(("--all",), "list all rules (default without RULE)"),
                Option(
                    ("--format",),
                    "the output format",
                    takes="FORMAT",
                    choices=("text", "json"),
                    default="text",
                ),
                COLOR,
            ),
        ),
    ),
    epilog="examples:\n  fairlint rule FL201\n  fairlint rule points-by-group\n  fairlint rule --all",
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Print one page or the list."""
    options = COMMAND.parse(arguments)
    wanted = options.words[0] if options.words else None
    if wanted and options.all:
        raise UsageError("give a rule or --all, not both")
    rules = sorted(load_rules(), key=lambda rule: rule.code)
    if wanted is None:
        write_stdout(_all_rules_output(rules, options))
    else:
        write_stdout(_rule_output(_find_wanted_rule(rules, wanted), options))
    return 0


def _find_wanted_rule(rules: Sequence[Rule], wanted: str) -> Rule:
    from fairlint.rules.loading import find_rule, nearest_rule  # noqa: PLC0415

    rule = find_rule(rules, wanted)
    if rule is None:
        raise UsageError(f"unknown rule '{wanted}'{nearest_rule(rules, wanted)}")
    return rule


def _all_rules_output(rules: Sequence[Rule], options: Arguments) -> Iterator[str]:
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415

        return encode_json([_rule_facts(rule) for rule in rules])
    return _rule_lines(rules, Style(wants_color(options.color, sys.stdout)))


def _rule_output(rule: Rule, options: Arguments) -> Iterable[str]:
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415

        return encode_json(_rule_facts(rule))
    return [_rule_page(rule, Style(wants_color(options.color, sys.stdout)))]


def _rule_lines(rules: Sequence[Rule], style: Style) -> Iterator[str]:
    name_width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        severity = style(rule.severity, f"{rule.severity:<7}")
        code = style("strong", rule.code)
        yield f"{code}  {rule.name:<{name_width}}  {severity}  {printable(rule.summary)}\n"


def _rule_page(rule: Rule, style: Style) -> str:
    references = "\n".join(
        f"- {item.title}" + (f": {item.url}" if item.url else "") for item in rule.sources()
    )
    facts = (
        f"Severity: {rule.severity}. Confidence: {rule.confidence}. Languages: {', '.join(rule.languages)}. "
        f"Tags: {', '.join(rule.tags)}."
    )
    heading, _, body = rule.page.strip().partition("\n")
    page = f"{heading}\n\n{facts}\n{body}\n"
    if references:
        page += f"\n## References\n\n{references}\n"
    if not style.color:
        return "\n".join(printable(line.expandtabs(4)) for line in page.splitlines()) + "\n"
    from fairlint.reporters.markdown import paint_markdown  # noqa: PLC0415

    return paint_markdown(page, style)


def _rule_facts(rule: Rule) -> Json:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "languages": list(rule.languages),
        "tags": list(rule.tags),
        "summary": rule.summary,
        "advice": rule.advice,
        "advice_when": [
            {"when": {field: sorted(map(str, values)) for field, values in condition.items()}, "advice": text}
            for condition, text in rule.advice_when
        ],
        "laws": list(rule.laws),
        "references": [{"title": item.title, "url": item.url or None} for item in rule.sources()],
        "page": rule.page,
    }
