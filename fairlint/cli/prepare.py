"""`python -m fairlint.cli.prepare [FILE]` compiles all data that comes with fairlint.

Nobody has to: what is missing or out of date is compiled where it is first needed. `hatch_build.py` does it
for wheels, into a file of its own and without times, and for editable installs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from fairlint import laws, vocabulary
from fairlint.library_models import loading
from fairlint.rules.loading import shipped_rules
from fairlint.support import compiled_data
from fairlint.vocabulary import load


def _compile_vocabulary() -> None:
    vocabulary.default_vocabulary().prefilter_pattern()


PARTS: tuple[Callable[[], object], ...] = (
    _compile_vocabulary,
    load.all_word_lists,
    load.purpose_tables,
    laws.register,
    shipped_rules,
    loading.shipped_models,
)
"""What asks for all that can be compiled."""


def main(file: str = "") -> None:
    """Compiles everything: into `file`, to be installed elsewhere, or to where this fairlint keeps it."""
    if file:
        compiled_data.FILE = file
    for part in PARTS:
        part()
    if file:
        compiled_data.settle()


if __name__ == "__main__":
    main(*sys.argv[1:])
