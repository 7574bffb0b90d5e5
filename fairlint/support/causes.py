"""Why something was not analysed, in words that programs may rely on."""

from __future__ import annotations

from typing import Literal

SkipReason = Literal["syntax", "skipped", "import", "plugin", "limit", "time", "memory", "died", "error"]

MEANINGS: dict[SkipReason, str] = {
    "syntax": "code, or a text in it, that could not be read",
    "skipped": "not read on purpose: too large, binary, no regular file, another language",
    "import": "a module of the project that is missing, or imported in a circle",
    "plugin": "a plugin failed",
    "limit": "more steps, parts or levels than fairlint follows",
    "time": "the time for the file or the run was up",
    "memory": "the memory for the file was spent",
    "died": "the process that analysed it died",
    "error": "an internal error",
}
BROKEN = frozenset[SkipReason]({"died", "error"})
"""What no input should bring about: the run fails."""
UNFINISHED = BROKEN | {"time", "memory", "plugin"}
"""What may be otherwise another time, with the same input."""
