"""What C looks like to whoever does not know that it is C."""

from __future__ import annotations

import re

from fairlint.syntax.signs import Signs

_TYPE = r"(?:void|int|char|float|double|long|short|bool|size_t|\w+_t|struct[ \t]+\w+)"
_LINE = re.compile(r"^[ \t]*#[ \t]*\w|[;{}][ \t]*(?://.*|/\*.*)?$|^[ \t]*(?://|/\*|\*/)")


def _is_line(line: str) -> bool:
    return _LINE.search(line) is not None


SIGNS = Signs(
    tags=("h", "ansi-c", "c99", "c11", "c17", "c23", "gnu-c"),
    patterns=(
        (r'^[ \t]*#[ \t]*include[ \t]*(?:<\w[\w/.]*\.h>|")', 5),
        (r"^[ \t]*#[ \t]*(?:define|ifdef|ifndef|endif)\b", 2),
        (r"^[ \t]*(?:typedef[ \t]+)?(?:struct|enum|union)\b[^\n;()]*\{", 3),
        (rf"^(?:(?:static|const|unsigned|inline|extern)[ \t]+)*{_TYPE}[ \t*]+\w+[ \t]*\([^;\n]*$", 4),
        (r"^[ \t]+(?:int|char|float|double|long|unsigned|size_t|bool)[ \t*]+\w+[^\n]*;", 2),
        (r"\b(?:printf|scanf|strcmp|malloc|sizeof|fgets)[ \t]*\(|\w->\w", 2),
    ),
    is_braced=True,
    is_line=_is_line,
)
