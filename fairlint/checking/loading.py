"""What a checker needs, loaded: vocabulary, libraries, rules, and the project around a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.checking.selection import matches_any_name, named_rules, rule_severity
from fairlint.config import Settings
from fairlint.plugins import manager
from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, leads_out, read_file
from fairlint.support.records import replace

if TYPE_CHECKING:
    import re

    from fairlint.checking.checker import Checker
    from fairlint.project.module_graph import ModuleGraph
    from fairlint.rules.rule import Rule
    from fairlint.semantics.names.library import Models
    from fairlint.syntax.language import Language
    from fairlint.syntax.tokens import Tokens
    from fairlint.vocabulary import Vocabulary

    Search = Callable[[bytes, Tokens | None], Sequence[int]]

MOST_KEPT = 8
"""Vocabularies that are kept where texts are checked one by one: to make one takes longer than to check."""
_VOCABULARIES: dict[str, Vocabulary] = {}
_SEARCHES: dict[int, Search] = {}
"""What finds the names of vocabularies, by the vocabulary's number."""


def load_vocabulary(checker: Checker) -> Vocabulary:
    """Return the vocabulary, with what plugins and the user add to it."""
    from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

    shipped = default_vocabulary()
    brought = manager.attribute_tables(lambda table: shipped.extended([table]).attributes)
    own, country = checker.vocabulary_tables, checker.settings.home_country
    if not own and not brought and not country:
        return shipped
    known = _VOCABULARIES if checker.crew is None else checker.crew.vocabularies
    key = repr((brought, own, country))
    found = known.get(key)
    if found is None:
        seen = shipped.at_home(country) if country else shipped
        found = known[key] = _extend_vocabulary(checker, seen, (*brought, *own))
        _forget_oldest(_VOCABULARIES)
    return found


def load_search(checker: Checker) -> Search:
    """Return what finds the names of the checker's vocabulary in bytes."""
    from fairlint.search.prefilter import Prefilter  # noqa: PLC0415 (not before there is a file to search)

    vocabulary = checker.vocabulary
    known = _SEARCHES if checker.crew is None else checker.crew.searches
    found = known.get(id(vocabulary))
    if found is None:
        found = known[id(vocabulary)] = Prefilter(
            vocabulary
        )  # it holds the vocabulary, so the number is its own
        _forget_oldest(_SEARCHES)
    return found


def _forget_oldest(known: dict[Any, Any]) -> None:
    while len(known) > MOST_KEPT:
        known.pop(next(iter(known)), None)


def _extend_vocabulary(
    checker: Checker, shipped: Vocabulary, tables: Sequence[Mapping[str, Any]]
) -> Vocabulary:
    try:
        return shipped.extended(tables)
    except ValueError as error:
        raise UsageError(f"{checker.settings.named_by('attributes')}{error}") from None


def load_models(checker: Checker) -> Models:
    """Return what is known of libraries, with what plugins and the user add to it."""
    from fairlint.library_models import loading  # noqa: PLC0415 (as above)

    brought = manager.library_models(lambda table: loading.read("", table))
    own = checker.library_tables
    try:
        return loading.models(brought, own) if brought or own else loading.shipped_models()
    except loading.ModelError as error:
        raise UsageError(str(error)) from None


def load_judging_rules(settings: Settings) -> tuple[Rule, ...]:
    """Return all rules, in the order they judge in. A name in the settings that fits none is a UsageError."""
    from fairlint.rules.loading import load_rules  # noqa: PLC0415 (as above)

    rules = load_rules()
    for key, names in named_rules(settings).items():
        for name in names:
            if not any(matches_any_name(rule, (name,)) for rule in rules):
                from fairlint.rules.loading import nearest_rule  # noqa: PLC0415 (only where something is wrong)

                told = f"{settings.named_by(key)}no rule is called '{name}'"
                raise UsageError(f"{told}{nearest_rule(rules, name)}")
    if not settings.severity:
        return rules
    return tuple(replace(rule, severity=rule_severity(rule, settings.severity)) for rule in rules)


def project_reader(repository: str, language: Language) -> Callable[[str, int], bytes | None]:
    """Return what reads a file of the project, as UTF-8; None for what cannot be read or is too large."""

    def read(path: str, limit: int) -> bytes | None:
        if path.startswith(repository) and leads_out(path, repository):
            return None  # a link; nobody has named it
        try:
            return to_utf8(read_file(path, limit), language)
        except NotReadableError:
            return None

    return read


def open_project(checker: Checker, language: Language) -> ModuleGraph:
    """Return where a language's imports are looked up."""
    from fairlint.project.module_graph import ModuleGraph  # noqa: PLC0415 (few sources import others)

    def finds(expression: str) -> re.Pattern[bytes]:
        from fairlint.vocabulary.keyword_automaton import quick  # noqa: PLC0415 (a small run does without)

        return quick(expression)

    def set_search(expressions: Iterable[str]) -> Callable[[bytes], list[int]]:
        from fairlint.vocabulary.keyword_automaton import set_search  # noqa: PLC0415 (as above)

        return set_search(expressions)

    def gives_models(module: str) -> bool:
        return checker.models.gives_models(module.partition(".")[0])

    from fairlint.search.prefilter import asks  # noqa: PLC0415 (as above)

    root = os.fspath(checker.settings.root)
    read = checker.reader(language)
    results = None if checker.crew is None else checker.crew.known
    kept = None if results is None else results.facts_of_texts(checker, language.name)
    return ModuleGraph(root, language, read, checker.search, finds, gives_models, asks, set_search, kept)
