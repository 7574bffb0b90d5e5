"""Whether Python itself can read a source, which takes a quarter of the time of a Tree."""

from __future__ import annotations

import sys
import warnings
from symtable import symtable

MOST_WORK = 2_000_000_000
"""Braces times bytes up to which Python before 3.12 is asked: each part of an f-string is looked for from the
start of the text, which takes it half a second for so many.
"""
_LOOKS_FROM_START = sys.version_info < (3, 12)
_REFUSALS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError, SystemError)


def is_intact(data: bytes) -> bool:
    """Report whether a source in UTF-8 certainly has no syntax error.

    Otherwise its Tree decides: it may be written for an older or a newer Python than the one that runs. Of
    what parses code in Python, a table of symbols is made soonest.
    """
    if _LOOKS_FROM_START and data.count(b"{") * len(data) > MOST_WORK:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable(data.decode(), "<source>", "exec")  # as text: an encoding that it declares is over
    except _REFUSALS:
        return False
    return True
