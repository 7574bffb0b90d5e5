"""Files that a walk meets and does not read, though they may decide about people as well."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LANGUAGES: Mapping[str, str] = {
    ".asp": "ASP", ".aspx": "ASP", ".bas": "Basic", ".c++": "C++", ".cbl": "COBOL", ".cc": "C++",
    ".clj": "Clojure",
    ".cls": "Apex", ".cob": "COBOL", ".coffee": "CoffeeScript", ".cpp": "C++", ".cs": "C#", ".cu": "CUDA",
    ".cxx": "C++", ".dart": "Dart", ".do": "Stata", ".erl": "Erlang", ".ex": "Elixir", ".exs": "Elixir",
    ".f": "Fortran", ".f90": "Fortran", ".fs": "F#", ".go": "Go", ".gradle": "Groovy", ".groovy": "Groovy",
    ".hh": "C++", ".hpp": "C++", ".hs": "Haskell", ".hxx": "C++", ".java": "Java", ".jl": "Julia",
    ".js": "JavaScript", ".jsx": "JavaScript", ".kt": "Kotlin", ".kts": "Kotlin", ".lisp": "Lisp",
    ".lua": "Lua",
    ".m": "MATLAB or Objective-C", ".mjs": "JavaScript", ".ml": "OCaml", ".mm": "Objective-C",
    ".pas": "Pascal",
    ".php": "PHP", ".pl": "Perl", ".pls": "PL/SQL", ".pm": "Perl", ".prg": "Clipper", ".ps1": "PowerShell",
    ".psql": "SQL", ".pyx": "Cython", ".pxd": "Cython", ".qml": "QML", ".r": "R", ".rb": "Ruby", ".rmd": "R",
    ".rs": "Rust", ".sas": "SAS", ".scala": "Scala", ".sh": "shell", ".bash": "shell", ".sol": "Solidity",
    ".sql": "SQL", ".stan": "Stan", ".svelte": "Svelte", ".swift": "Swift", ".ts": "TypeScript",
    ".tsx": "TypeScript", ".vb": "Visual Basic", ".vbs": "Visual Basic", ".vue": "Vue", ".zig": "Zig",
}  # fmt: skip
"""Suffix → the language of programs that have it."""
PROMPTS = frozenset({".j2", ".jinja", ".jinja2", ".prompt", ".prompty", ".mustache"})
"""Suffixes of templates."""
TEXTS = frozenset({".txt", ".md", ".json", ".toml", ".yaml", ".yml"})
"""Suffixes of files that may hold a prompt, as their names say."""
TABLES = frozenset({".json", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".xlsx", ".xls", ".dmn", ".drl"})
"""Suffixes of files that may hold rules, as their names say."""
PROMPT_WORDS = frozenset({"prompt", "prompts", "instruction", "instructions", "persona", "personas"})
RULE_WORDS = frozenset(
    "rule rules policy policies tariff tariffs scorecard scorecards criteria eligibility rubric".split()
)
_WORDS = re.compile(r"[^\W\d_]+")
MOST_KINDS = 6
"""Kinds that a sentence names; the rest are one number."""
PROMPT = "prompt"
RULES = "rule file"


def kind_of(name: str, folder: str) -> str:
    """What kind of file is not read, by its name and that of its folder; empty where none is missed."""
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    if suffix in LANGUAGES:
        return LANGUAGES[suffix]
    if suffix in PROMPTS:
        return PROMPT
    words = set(_WORDS.findall(f"{folder} {name[:dot]}".lower()))
    if suffix in TEXTS and not words.isdisjoint(PROMPT_WORDS):
        return PROMPT
    return RULES if suffix in TABLES and not words.isdisjoint(RULE_WORDS) else ""


def counted_kinds(unread: Mapping[str, Sequence[str]]) -> str:
    """How many files of which kind: `12 TypeScript files, 1 SQL file, 2 prompts`; the most first."""
    kinds = sorted(unread.items(), key=lambda one: (-len(one[1]), one[0]))
    told = [_counted(len(paths), kind) for kind, paths in kinds[:MOST_KINDS]]
    if more := sum(len(paths) for _, paths in kinds[MOST_KINDS:]):
        told.append(f"{more} more")
    return ", ".join(told)


def _counted(number: int, kind: str) -> str:
    noun = kind if kind in {PROMPT, RULES} else f"{kind} file"
    return f"{number} {noun}{'' if number == 1 else 's'}"
