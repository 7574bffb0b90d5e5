"""Where modules and names of fairlint are now that plugins of an older interface import from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    "fairlint.cases": "fairlint.checking.case_records",
    "fairlint.checker": "fairlint.checking.checker",
    "fairlint.documents": "fairlint.support.documents",
    "fairlint.files": "fairlint.support.files",
    "fairlint.guests": "fairlint.plugins.guard",
    "fairlint.lexicon": "fairlint.vocabulary",
    "fairlint.models": "fairlint.library_models",
    "fairlint.readers": "fairlint.analyses",
    "fairlint.records": "fairlint.support.records",
    "fairlint.runner": "fairlint.checking.runner",
    "fairlint.semantics.comparison": "fairlint.semantics.groups.comparison",
    "fairlint.semantics.facts": "fairlint.semantics.values.facts",
    "fairlint.semantics.frame": "fairlint.semantics.interpreter.frame",
    "fairlint.semantics.library": "fairlint.semantics.names.library",
    "fairlint.semantics.sites": "fairlint.semantics.groups.sites",
    "fairlint.semantics.specialization": "fairlint.semantics.groups.specialization",
    "fairlint.sources.source": "fairlint.syntax.source",
    "fairlint.uses": "fairlint.findings.uses",
}
NAMES: Mapping[str, str] = {
    "fairlint.plugins.Language": "fairlint.syntax.language.Language",
    "fairlint.plugins.Specifications": "fairlint.plugins.manager.Specifications",
    "fairlint.rules.Rule": "fairlint.rules.rule.Rule",
    "fairlint.rules.load_rules": "fairlint.rules.loading.load_rules",
    "fairlint.syntax.language.Conventions": "fairlint.syntax.conventions.Conventions",
    "fairlint.syntax.language.Tokens": "fairlint.syntax.tokens.Tokens",
}


def new_place(error: ImportError) -> str:
    """Return what a failed import asks for and where that is now; empty if nothing is known of it."""
    module = error.name or ""
    if module in MODULES:
        return f"imports {module}, which is now {MODULES[module]}"
    for name, now in NAMES.items():
        owner, _, last = name.rpartition(".")
        if owner == module and f"'{last}'" in str(error):
            return f"imports {name}, which is now {now}"
    return ""
