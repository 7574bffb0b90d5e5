"""Which names Python code need not define."""

from __future__ import annotations

import builtins

from fairlint.syntax.completeness import Names

NAMES = Names(given=frozenset(dir(builtins)) | {"__file__"}, bound=rb"\bas\s+(\w+)\s*:")
