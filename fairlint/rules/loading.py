"""All rules: those that fairlint ships, kept in compiled form, and those of plugins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fairlint.findings.finding import Remedy
from fairlint.plugins.manager import as_folder, ask, gather
from fairlint.rules import pages as rule_pages
from fairlint.rules import rule as rule_records
from fairlint.rules.pages import CONDITIONS, RuleError, load_page
from fairlint.rules.rule import Condition, Reference, Rule
from fairlint.rules.rule_files import pages, shipped_folder
from fairlint.support.compiled_data import load_or_compile
from fairlint.support.errors import UsageError
from fairlint.support.records import field_names

if TYPE_CHECKING:
    from pathlib import Path


_HOOK = "fairlint_rule_folders"
_READ_BY = (__file__, rule_pages.__file__, rule_records.__file__)
"""The modules that make rules of pages."""


def rules_dir() -> Path:
    """Return where the shipped pages are: inside the installed package, or beside it in a checkout."""
    from pathlib import Path  # noqa: PLC0415 (start-up: the way of a small file does without)

    return Path(shipped_folder())


def is_shipped(rule: Rule) -> bool:
    """Return whether a rule's page comes with fairlint, and not with a plugin."""
    return os.path.dirname(rule.path) == shipped_folder()  # noqa: PTH120 (as above)


def rule_folders() -> tuple[Path, ...]:
    """Return all folders of rule pages, the shipped one first."""
    return (rules_dir(), *(folder for _, folder in gather(_HOOK, as_folder)))


def load_rules() -> tuple[Rule, ...]:
    """Return all rules, shipped and of plugins, in the order in which they judge. Raises UsageError.

    A page of a plugin that cannot be used is left out, and `fairlint.plugins.manager.troubles` says so.
    """
    try:
        rules = list(shipped_rules())
        for plugin, folder in gather(_HOOK, as_folder):
            for page in ask(plugin, _HOOK, partial(pages, folder)) or ():
                ask(plugin, _HOOK, partial(add_page, page, rules))
        return in_order(rules)
    except RuleError as error:
        raise UsageError(str(error)) from None


def rules_in(folders: Iterable[Path | str] = ()) -> tuple[Rule, ...]:
    """Return all shipped rules and those of the folders, in the order in which they judge.

    A page that cannot be used, a missing folder, and a code or name that two pages claim raise a RuleError.
    """
    rules = list(shipped_rules())
    for folder in folders:
        if not os.path.isdir(folder):  # noqa: PTH112 (as above)
            raise RuleError(f"{folder}: no such folder of rule pages")
        for path in pages(folder):
            add_page(path, rules)
    return in_order(rules)


def add_page(path: Path | str, rules: list[Rule]) -> None:
    """Add the rule of a page to others; a RuleError where it cannot be used."""
    rule = load_page(path)
    for other in rules:
        for key in {rule.code, rule.name} & {other.code, other.name}:
            raise RuleError(f"{path}: {key} is already the rule of {other.path}")
    rules.append(rule)


def in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Rules in the order in which they judge."""
    return tuple(sorted(rules, key=lambda rule: (rule.order, rule.code)))


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules that come with fairlint, in the order of their pages."""
    paths = pages(shipped_folder())
    kept = load_or_compile(
        "rules", (*paths, *_READ_BY), lambda: [_plain_rule(load_page(path)) for path in paths]
    )
    return tuple(_restore_rule(values, path) for values, path in zip(kept, paths, strict=True))


def _plain_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule in dicts, lists and texts alone, but for its path."""

    def plain(condition: Condition) -> dict[str, list[object]]:
        return {field: sorted(values, key=str) for field, values in condition.items()}

    conditions: dict[str, Any] = {key: [*map(plain, getattr(rule, key))] for key in CONDITIONS}
    conditions["advice_when"] = [(plain(condition), text) for condition, text in rule.advice_when]
    references = [(reference.title, reference.url) for reference in rule.references]
    remedies = [
        (one.kind, one.applicability, list(one.languages), one.say, list(one.contexts))
        for one in rule.remedies
    ]
    values = {key: getattr(rule, key) for key in field_names(Rule) if key != "path"}
    return {**values, **conditions, "references": references, "remedies": remedies}


def _restore_rule(values: dict[str, Any], path: str) -> Rule:
    """Return the inverse of `_plain_rule`."""

    def frozen(condition: Mapping[str, list[object]]) -> Condition:
        return {field: frozenset(allowed) for field, allowed in condition.items()}

    for key in CONDITIONS:
        values[key] = tuple(map(frozen, values[key]))
    values["advice_when"] = tuple((frozen(condition), text) for condition, text in values["advice_when"])
    values["references"] = tuple(Reference(title, url) for title, url in values["references"])
    values["remedies"] = tuple(
        Remedy(kind, how, tuple(languages), say, tuple(contexts))
        for kind, how, languages, say, contexts in values["remedies"]
    )
    return Rule(**values, path=path)


def nearest_rule(rules: Sequence[Rule], name: str) -> str:
    """Return what a name that no rule has was probably meant to be, or where all are listed.

    Codes that differ in a digit are rules that have nothing to do with each other.
    """
    from fairlint.support.did_you_mean import did_you_mean  # noqa: PLC0415 (only where something is wrong)

    is_code = name[:2].upper() == "FL" and name[2:].isdigit()
    hint = did_you_mean(
        name, [one for rule in rules for one in (rule.code, rule.name)], least=0.85 if is_code else 0.55
    )
    return hint or "; `fairlint rule --all` lists them"


def find_rule(rules: Iterable[Rule], wanted: str) -> Rule | None:
    """Return the rule with this code (in any case) or name."""
    return next((rule for rule in rules if wanted.upper() == rule.code or wanted.lower() == rule.name), None)
