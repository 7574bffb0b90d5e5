"""The process that runs compiled programs of oracle.py, held to what the executor `process` holds Python to.

    python -I -S oracle_child.py CONFINEMENT LIBRARY SECONDS MEMORY NUMBER...

The library is loaded first, as nothing can be read afterwards, and its programs are called by their numbers.
What they print is the answer. Exit status 3 where the system sets no limits of resources at all.
"""

import ctypes
import os
import resource  # noqa: F401 (confinement needs it, and nothing can be read later)
import sys
from pathlib import Path
from typing import Any

confinement, library, seconds, memory, *numbers = sys.argv[1:]
space: dict[str, Any] = {"__name__": "confinement"}
exec(compile(Path(confinement).read_text("utf-8"), confinement, "exec"), space)
programs = ctypes.CDLL(library)
libc = ctypes.CDLL(None)
lacking = space["confine"](float(seconds), int(memory), [])
if lacking[space["LIMITS"]]:
    os._exit(3)
for number in numbers:
    programs.judge(int(number))
    libc.fflush(None)
os._exit(0)
