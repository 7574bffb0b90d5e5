"""The JSON Schema of configuration files, for editors; made of the table of settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fairlint.config.table import SETTINGS, Setting
from fairlint.support.documents import read_toml
from fairlint.vocabulary import table_schema
from fairlint.vocabulary.countries import codes

_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_OF_OTHERS = r"^(?!FL)[A-Za-z]+[0-9]*$"
"""Codes of rules that somebody else's plugin may bring, and codes in lower case."""


def schema(rules: Iterable[tuple[str, str]]) -> Mapping[str, Any]:
    """Return the schema of `fairlint.toml`, which is that of `tool.fairlint` in `pyproject.toml`.

    `rules` are the codes and names of all that are known.
    """
    known = list(rules)
    beginnings = {code[:length] for code, _ in known for length in range(2, len(code) + 1)}
    names = [*sorted(beginnings), *sorted(name for _, name in known)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairlint's configuration",
        "description": "fairlint.toml, or the table tool.fairlint in pyproject.toml",
        "type": "object",
        "properties": {key: _setting_schema(one) for key, one in SETTINGS.items()},
        "additionalProperties": False,
        "$defs": {
            "rule": {
                "description": "a rule: its code, the beginning of codes, or its name",
                "anyOf": [{"enum": names}, {"type": "string", "pattern": _OF_OTHERS}],
            },
            "attributes": table_schema.schema(),
            "country": {"enum": ["", *codes(), *(code.lower() for code in codes())]},
        },
    }


def _setting_schema(setting: Setting) -> Mapping[str, Any]:
    about = _LINK.sub(r"\1", setting.about).replace("`", "")
    found = {**setting.schema, "description": f"{about[0].upper()}{about[1:]}."}
    default = default_of(setting)
    return found if default is None else {**found, "default": default}


def default_of(setting: Setting) -> Any:
    """Return the default as TOML has it; None where there is none to be written."""
    try:
        return read_toml(f"x = {setting.default}")["x"]
    except ValueError:
        return None
