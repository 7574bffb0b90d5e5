"""What language a piece of code is written in, told by what stands in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

READ = ("python", "c")
"""The languages that fairlint reads by itself."""
TAGS: Mapping[str, str] = {
    **dict.fromkeys(("python", "py", "python3", "py3", "python2", "ipython", "pycon", "pyi"), "python"),
    **dict.fromkeys(("c", "h", "ansi-c", "c99", "c11", "c17", "c23", "gnu-c"), "c"),
    **dict.fromkeys(("js", "javascript", "jsx", "node", "mjs"), "JavaScript"),
    **dict.fromkeys(("ts", "typescript", "tsx"), "TypeScript"),
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "hpp"), "C++"),
    **dict.fromkeys(("html", "xml", "vue", "svelte"), "HTML"),
    **dict.fromkeys(("cs", "csharp", "c#"), "C#"),
    **dict.fromkeys(("rb", "ruby"), "Ruby"),
    **dict.fromkeys(("rs", "rust"), "Rust"),
    **dict.fromkeys(("go", "golang"), "Go"),
    **dict.fromkeys(("kt", "kotlin"), "Kotlin"),
    "java": "Java", "php": "PHP", "r": "R", "sql": "SQL", "swift": "Swift", "scala": "Scala",
    "julia": "Julia",
    "matlab": "MATLAB", "perl": "Perl", "lua": "Lua", "css": "CSS", "diff": "a diff", "haskell": "Haskell",
    **dict.fromkeys((
        "text", "txt", "plaintext", "plain", "output", "console", "terminal", "shell", "sh", "bash", "zsh",
        "json", "yaml", "yml", "toml", "ini", "csv", "markdown", "md", "latex", "math", "mermaid", "log",
    ), "text"),
}  # fmt: skip
"""What stands behind a fence -> language. `text` is what decides nothing: output, data, commands."""

_C_TYPE = r"(?:void|int|char|float|double|long|short|bool|size_t|\w+_t|struct[ \t]+\w+)"
_SIGNS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "python": (
        (r"^[ \t]*(?:async[ \t]+)?def[ \t]+[^\n(]+\(", 4),
        (r"^[ \t]*(?:elif\b.*:|class[ \t]+\w+(?:\(.*\))?:)[ \t]*(?:#.*)?$", 3),
        (r"^[ \t]*(?:else[ \t]*:|try[ \t]*:|except\b.*:)[ \t]*(?:#.*)?$", 3),
        (r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*$)", 3),
        (r"^[ \t]*(?:if|for|while|with)\b[^\n{;]*:[ \t]*(?:#.*)?$", 2),
        (r"^[ \t]*[\w.\[\]'\"]+[ \t]*[-+*/]?=[ \t]*[^=\n;]+[^\n;{]$", 1),
        (r"^[ \t]*(?:return|print|assert)\b[^\n;]*[^\n;{]$", 1),
        (r'"""|\b(?:None|True|False|self)\b', 1),
    ),
    "c": (
        (r'^[ \t]*#[ \t]*include[ \t]*(?:<\w[\w/.]*\.h>|")', 5),
        (r"^[ \t]*#[ \t]*(?:define|ifdef|ifndef|endif)\b", 2),
        (r"^[ \t]*(?:typedef[ \t]+)?(?:struct|enum|union)\b[^\n;()]*\{", 3),
        (rf"^(?:(?:static|const|unsigned|inline|extern)[ \t]+)*{_C_TYPE}[ \t*]+\w+[ \t]*\([^;\n]*$", 4),
        (r"^[ \t]+(?:int|char|float|double|long|unsigned|size_t|bool)[ \t*]+\w+[^\n]*;", 2),
        (r"\b(?:printf|scanf|strcmp|malloc|sizeof|fgets)[ \t]*\(|\w->\w", 2),
    ),
    "C++": (
        (r"^[ \t]*#[ \t]*include[ \t]*<\w+>", 6),
        (r"\bstd::|\bcout[ \t]*<<|\busing[ \t]+namespace\b|\btemplate[ \t]*<|^[ \t]*(?:public|private):", 6),
    ),
    "JavaScript": (
        (r"\bfunction\b[ \t]*\w*[ \t]*\([^)\n]*\)[ \t]*\{", 5),
        (r"^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w{\[]", 4),
        (r"===|!==|=>[ \t]*[{(\w]|\bconsole\.log\b|\bmodule\.exports\b|\brequire\(", 3),
    ),
    "Java": (
        (r"\b(?:public|private|protected)[ \t]+(?:static[ \t]+|final[ \t]+|abstract[ \t]+)*[\w<>\[\]]+", 5),
        (r"\bSystem\.out\.print|^[ \t]*import[ \t]+java", 5),
    ),
    "HTML": (
        (r"<!DOCTYPE\b|</?(?:html|head|body|div|script|style|table|form|ul|li|h[1-6]|button|input)\b", 5),
    ),
    "SQL": ((r"^[ \t]*(?:SELECT\b.*\bFROM\b|CREATE[ \t]+TABLE\b|INSERT[ \t]+INTO\b)", 6),),
}
"""Language -> patterns and what each match counts for."""
SIGNS = {
    language: tuple((re.compile(pattern, re.MULTILINE), weight) for pattern, weight in signs)
    for language, signs in _SIGNS.items()
}
BRACED = frozenset({"c", "C++", "JavaScript", "Java"})
"""Languages whose lines end in braces and semicolons: these count once there is any other sign."""
BRACE_AT_END = re.compile(r"[;{}][ \t]*(?://.*|/\*.*)?$", re.MULTILINE)
STRING = re.compile(r"""(?<!\w)(?:"[^"\n]*"|'[^'\n]*')""")
MOST_MATCHES = 40
ENOUGH = 3
"""With less than this, nobody can tell."""
LONGEST_LOOK = 40_000
"""Characters that are looked at: no text needs more."""


def tagged_language(tag: str) -> str | None:
    """The language that a fence's tag names; None where there is no tag or nobody knows it."""
    return TAGS.get(tag.strip().lower().lstrip("{.").rstrip("}"))


def detect_language(code: str, claimed: str | None = None) -> str | None:
    """The language of some code: `python`, `c`, the name of one that is not read, or None.

    What `claimed` says is believed unless another language is much more likely.
    """
    code = STRING.sub('""', code[:LONGEST_LOOK])
    braces = min(len(BRACE_AT_END.findall(code)), MOST_MATCHES)
    scores = {}
    for language, signs in SIGNS.items():
        score = sum(weight * min(len(pattern.findall(code)), MOST_MATCHES) for pattern, weight in signs)
        scores[language] = score + (braces if score and language in BRACED else 0)
    best = max(scores, key=lambda language: scores[language])
    if claimed is not None and scores[best] <= 3 * scores.get(claimed, ENOUGH) + ENOUGH:
        return claimed
    return best if scores[best] >= ENOUGH else claimed
