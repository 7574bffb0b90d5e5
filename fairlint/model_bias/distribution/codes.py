"""Professions by the codes of the Standard Occupational Classification, which those of O*NET build on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from fairlint.config.toml_files import read_toml_file
from fairlint.support.errors import UsageError

SHIPPED = Path(__file__).parent / "codes.toml"
_CODE = re.compile(r"(\d\d-\d{4})(?:\.\d\d)?")


@cache
def default_codes() -> Mapping[str, str]:
    """WinoGender's occupations, of which some have no code."""
    codes: Mapping[str, str] = read_toml_file(SHIPPED)["codes"]
    return codes


def code_of(text: str, where: str) -> str:
    """Return a code of the classification, `29-1141`, from one of it or of O*NET (`29-1141.00`).

    Raises UsageError, which begins with `where`, for what is none.
    """
    found = _CODE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{where}: '{text}' is no code such as 29-1141 (SOC) or 29-1141.00 (O*NET)")
    return found[1]


def beneath(code: str, known: Iterable[str]) -> list[str]:
    """Return which known codes are of this occupation, or of one in this group of occupations; itself, if
    known.

    >>> beneath("29-1210", ["29-1211", "29-1218", "29-1141"])
    ['29-1211', '29-1218']
    """
    every = list(known)
    if code in every:
        return [code]
    stem = code.rstrip("0")
    return [one for one in every if one.startswith(stem)] if stem != code else []
