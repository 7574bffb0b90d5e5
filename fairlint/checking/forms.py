"""What the pages that a source names ask people for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fairlint.checking.project_facts import new_dependencies
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.checking.checker import Checker
    from fairlint.project.dependencies import Reading
    from fairlint.syntax.tree import Form


def places_asked_by_forms(checker: Checker, source: Source, path: str) -> list[int]:
    """Return where a source takes a whole form, if a page that it names asks for a protected attribute."""
    from fairlint.project.html_forms import places_of_whole  # noqa: PLC0415 (few sources take a whole form)

    language = checker.languages.get(source.language or "")
    if language is None:
        return []
    basis = checker.form_basis = new_dependencies(checker, language)
    read: Reading = checker.reader(language)
    forms = html_forms(checker, source, path, read if basis is None else basis.recording_reads(read))
    names = (name for form in forms for name in form.fields)
    if not any(checker.vocabulary.mentions(name) for name in names):
        return []
    return list(places_of_whole(source.data))


def html_forms(checker: Checker, source: Source, path: str, read: Reading) -> tuple[Form, ...]:
    """Return the forms of the pages that a source names."""
    from fairlint.project.html_forms import forms_of_named_pages  # noqa: PLC0415 (as above)

    return forms_of_named_pages(source.data, path, os.fspath(checker.settings.root), read)
