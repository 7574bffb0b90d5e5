"""The libraries of tables and models, by the names they use: data, in `learning.txt` beside this module."""

from __future__ import annotations

from functools import cache

from fairlint.analysis.effects import word_file
from fairlint.analysis.frame import Frame


@cache
def lexicon() -> dict[str, frozenset[str]]:
    """The names of `learning.txt`."""
    return word_file("tables/learning.txt")


def has_tables(frame: Frame) -> bool:
    """Whether the file imports a library of tables or models: elsewhere nothing is taken for one."""
    program = frame.program
    if program.has_tables is None:
        packages = {module.lstrip(".").partition(".")[0] for module in program.definitions.imports}
        program.has_tables = not packages.isdisjoint(lexicon()["modules"])
    return program.has_tables
