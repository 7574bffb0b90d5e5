"""What language a piece of code is written in, told by what stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from fairlint.syntax.language import Language

TAGS: Mapping[str, str] = {
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
"""What stands behind a fence -> a language that is not read. `text` is what decides nothing: output, data,
commands."""

_SIGNS: Mapping[str, tuple[tuple[str, int], ...]] = {
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
"""A language that is not read -> patterns and what each match counts for."""
_BRACED = frozenset({"C++", "JavaScript", "Java"})
"""Those whose lines end in braces and semicolons: these count once there is any other sign."""
BRACE_AT_END = re.compile(r"[;{}][ \t]*(?://.*|/\*.*)?$", re.MULTILINE)
STRING = re.compile(r"""(?:"(?<!\w")[^"\n]*"|'(?<!\w')[^'\n]*')""")
MOST_MATCHES = 40
ENOUGH = 3
"""With less than this, nobody can tell."""
LONGEST_LOOK = 40_000
"""Characters that are looked at: no text needs more."""
_ONLY_PYTHON = re.compile(r"\\(?![bwntd])\w|\(\?[^:]")
"""What RE2 reads in another way, or not at all: a pattern that has it is always searched for by Python."""


def tagged_language(tag: str, languages: Iterable[Language]) -> str | None:
    """Return the language that a fence's tag names; None where there is no tag or nobody knows it."""
    tag = tag.strip().lower().lstrip("{.").rstrip("}")
    known = TAGS.get(tag)
    for language in languages:
        if tag == language.name or (known is not None and known == language.title):
            return language.name
        if language.signs is not None and tag in language.signs().tags:
            return language.name
    return known


def detect_language(code: str, claimed: str | None, languages: Iterable[Language]) -> str | None:
    """Return the language of some code: the name of one of `languages`, of one that is not read, or None.

    What `claimed` says is believed unless another language is much more likely.
    """
    code = STRING.sub('""', code[:LONGEST_LOOK])
    read = [(language, language.signs()) for language in languages if language.signs is not None]
    known = [(language.name, signs.patterns, signs.is_braced) for language, signs in read]
    titles = {language.title for language, _ in read}
    known += [(name, found, name in _BRACED) for name, found in _SIGNS.items() if name not in titles]
    there = _patterns_in(tuple([pattern for _, patterns, _ in known for pattern, _ in patterns]), code)
    scores = {}
    for name, patterns, is_braced in known:
        score = 0
        for pattern, weight in patterns:
            if pattern in there:
                score += weight * min(len(_find_matches(pattern, code)), MOST_MATCHES)
        if score and is_braced:
            score += min(len(BRACE_AT_END.findall(code)), MOST_MATCHES)
        scores[name] = score
    best = max(scores, key=lambda name: scores[name])
    if claimed is not None and scores[best] <= 3 * scores.get(claimed, ENOUGH) + ENOUGH:
        return claimed
    return best if scores[best] >= ENOUGH else claimed


def _find_matches(pattern: str, code: str) -> list[str]:
    return re.findall(pattern, code, re.MULTILINE)


def _patterns_in(patterns: tuple[str, ...], code: str) -> AbstractSet[str]:
    """Return the patterns that match somewhere, and those of which only Python can say so."""
    if not code.isascii():  # \w and \b mean more there than they do to RE2
        return frozenset(patterns)
    return _search_for(patterns)(code.encode("ascii"))


@lru_cache(maxsize=8)
def _search_for(patterns: tuple[str, ...]) -> Callable[[bytes], AbstractSet[str]]:
    """Return what gives, in one pass over a text, what `_patterns_in` does."""
    import re2  # noqa: PLC0415 (start-up)

    from fairlint.vocabulary.keyword_automaton import set_search  # noqa: PLC0415 (start-up)

    every = frozenset(patterns)
    common = [pattern for pattern in patterns if not _ONLY_PYTHON.search(pattern)]
    others = every.difference(common)
    try:
        find = set_search(["", *(f"(?m:{pattern})" for pattern in common)])
    except re2.error:  # the pattern of a plugin
        return lambda _: every

    def search(data: bytes) -> AbstractSet[str]:
        found = find(data)  # the empty pattern as well, unless there was too little memory
        return {*others, *(common[place - 1] for place in found if place)} if found else every

    return search
