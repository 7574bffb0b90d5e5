"""What a report that is kept says of its run: what was asked for, and under which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairlint.config import Settings

LONGEST_LIST = 12
"""Paths and rules that are named; the rest are counted."""


def facts(paths: Sequence[str], settings: Settings) -> Mapping[str, str]:
    """Head → text, of what was asked for; what was not is left out."""
    told = {
        "Checked": _listed(paths),
        "Jurisdiction": settings.jurisdiction,
        "Domain": settings.domain,
        "Shown from": settings.min_severity,
        "Persona": settings.persona,
        "Only rules": _listed(settings.select),
        "Without rules": _listed(settings.ignore),
        "Comments that put aside": "heeded" if settings.suppressions else "not heeded",
        "Configuration": settings.source or "none",
    }
    return {head: str(text) for head, text in told.items() if text}


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LONGEST_LIST
    return ", ".join(names[:LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")
