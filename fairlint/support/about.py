"""The version of fairlint, and where the project and its rules can be read about.

A test holds that it is what `[project.urls]` of `pyproject.toml` names: to ask the package's metadata would
take longer than a run over a small file. What has no address is told nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping

__version__ = "0.1.0"

ADDRESSES: Mapping[str, str] = {}
"""Label → address. `Homepage` is the project's; under `Rules` is the folder with the pages of the rules."""


def homepage() -> str:
    """Return the project's address, empty where it has none."""
    return ADDRESSES.get("Homepage", "")


def rule_page(code: str, name: str) -> str:
    """Return the page of a rule that fairlint ships, empty where they have no address."""
    folder = ADDRESSES.get("Rules", "")
    return f"{folder.rstrip('/')}/{code}-{name}.md" if folder else ""
