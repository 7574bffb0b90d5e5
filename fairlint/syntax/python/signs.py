"""What Python looks like to whoever does not know that it is Python."""

from __future__ import annotations

from fairlint.syntax.python.amid_prose import HEADER, cut, is_line
from fairlint.syntax.signs import Signs

SIGNS = Signs(
    tags=("py", "python3", "py3", "python2", "ipython", "pycon", "pyi"),
    patterns=(
        (r"^[ \t]*(?:async[ \t]+)?def[ \t]+[^\n(]+\(", 4),
        (r"^[ \t]*(?:elif\b.*:|class[ \t]+\w+(?:\(.*\))?:)[ \t]*(?:#.*)?$", 3),
        (r"^[ \t]*(?:else[ \t]*:|try[ \t]*:|except\b.*:)[ \t]*(?:#.*)?$", 3),
        (
            (
                r"^[ \t]*(?:lazy[ \t]+)?(?:from[ \t]+[\w.]+[ \t]+import\b"
                r"|import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*$)"
            ),
            3,
        ),
        (r"^[ \t]*(?:if|for|while|with)\b[^\n{;]*:[ \t]*(?:#.*)?$", 2),
        (r"^[ \t]*[\w.\[\]'\"]+[ \t]*[-+*/]?=[ \t]*[^=\n;]+[^\n;{]$", 1),
        (r"^[ \t]*(?:return|print|assert)\b[^\n;]*[^\n;{]$", 1),
        (r'"""|\b(?:None|True|False|self)\b', 1),
    ),
    header=HEADER.pattern,
    is_line=is_line,
    cutting=cut,
)
