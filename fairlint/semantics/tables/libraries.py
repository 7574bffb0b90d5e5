"""The libraries of tables and models, by the names they use: data, in `learning.txt` beside this module."""

from __future__ import annotations

import re
from functools import cache

from fairlint.lexicon.lists import word_file
from fairlint.semantics.frame import Frame
from fairlint.semantics.scopes import Definitions
from fairlint.sources.source import Source

_USUAL = re.compile(
    rb"(?<![\w.])(?:(?P<alias>pd|np)\.\w|(?:model|clf|classifier|regressor|estimator)\.predict(?:_proba)?\()"
)
"""What stands for such a library where nothing imports it: a piece of a program, or one that is handed a
model."""


@cache
def lexicon() -> dict[str, frozenset[str]]:
    """The names of `learning.txt`."""
    return word_file("learning.txt")


def has_tables(frame: Frame) -> bool:
    """Whether a file works with tables or models: elsewhere nothing is taken for one."""
    program = frame.program
    if program.has_tables is None:
        program.has_tables = works_with_tables(program.source, program.definitions)
    return program.has_tables


def works_with_tables(source: Source, definitions: Definitions) -> bool:
    """Whether a file imports a library of tables or models, be it in a function, or is a piece of a program
    that does.
    """
    packages = {module.lstrip(".").partition(".")[0] for module in definitions.imports}
    if not packages.isdisjoint(lexicon()["modules"]):
        return True
    if source.language != "python":
        return False
    if _imported_later().search(source.data) is not None:
        return True
    aliases = (found["alias"] for found in _USUAL.finditer(source.data))
    return any(alias is None or alias.decode() not in definitions.imported for alias in aliases)


@cache
def _imported_later() -> re.Pattern[bytes]:
    names = "|".join(sorted(lexicon()["modules"]))
    return re.compile(rf"^[ \t]+(?:import|from)[ \t]+(?:{names})\b".encode(), re.MULTILINE)
