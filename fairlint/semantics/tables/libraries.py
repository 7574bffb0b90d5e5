"""The libraries of tables and models, by the names they use: data, in `learning.txt` beside this module."""

from __future__ import annotations

import re
import sys
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


OF_RECORDS = frozenset(
    "dateutil pendulum arrow django sqlalchemy sqlmodel peewee flask flask_sqlalchemy pydantic attrs attr "
    "fastapi streamlit gradio omegaconf hydra regex toolz tortoise pony mongoengine pymongo ninja "
    "rest_framework graphene marshmallow wtforms dash shiny panel".split()
)
"""Packages besides that are known: of dates, records and data bases."""


def is_other_package(module: str) -> bool:
    """Whether a module is of no known library."""
    package = module.partition(".")[0]
    if not package or package in OF_RECORDS or package in lexicon()["modules"]:
        return False
    return package not in sys.stdlib_module_names


def is_of_tables(package: str) -> bool:
    """Whether a package is one of tables or models."""
    return package in lexicon()["modules"]


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
