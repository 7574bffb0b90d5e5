"""Files that a walk meets and does not read, though they may decide about people as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlint.support.expressions import lazy_expression

LANGUAGES: Mapping[str, str] = {
    ".4gl": "4GL", ".abap": "ABAP", ".adb": "Ada", ".ads": "Ada", ".asp": "ASP", ".aspx": "ASP",
    ".bas": "Basic", ".bash": "shell", ".c++": "C++", ".cbl": "COBOL", ".cc": "C++", ".cjs": "JavaScript",
    ".clj": "Clojure", ".cljs": "Clojure", ".cls": "Apex", ".cob": "COBOL", ".coffee": "CoffeeScript",
    ".cpp": "C++", ".cr": "Crystal", ".cs": "C#", ".cshtml": "C#", ".cts": "TypeScript", ".cu": "CUDA",
    ".cxx": "C++", ".dart": "Dart", ".ddl": "SQL", ".do": "Stata", ".elm": "Elm", ".erb": "Ruby",
    ".erl": "Erlang", ".ex": "Elixir", ".exs": "Elixir", ".f": "Fortran", ".f90": "Fortran", ".fs": "F#",
    ".go": "Go", ".gradle": "Groovy", ".groovy": "Groovy", ".hh": "C++", ".hpp": "C++", ".hs": "Haskell",
    ".hxx": "C++", ".inl": "C++", ".ipp": "C++", ".java": "Java", ".jl": "Julia", ".js": "JavaScript",
    ".jsp": "Java", ".jsx": "JavaScript", ".kt": "Kotlin", ".kts": "Kotlin", ".lisp": "Lisp", ".lua": "Lua",
    ".m": "MATLAB or Objective-C", ".mjs": "JavaScript", ".ml": "OCaml", ".mm": "Objective-C",
    ".mts": "TypeScript", ".nim": "Nim", ".pas": "Pascal", ".php": "PHP", ".pkb": "PL/SQL",
    ".pks": "PL/SQL", ".pl": "Perl", ".pls": "PL/SQL", ".plsql": "PL/SQL", ".pm": "Perl", ".prg": "Clipper",
    ".ps1": "PowerShell", ".psql": "SQL", ".pxd": "Cython", ".pyc": "compiled Python", ".pyx": "Cython",
    ".qmd": "R", ".qml": "QML", ".r": "R", ".rb": "Ruby", ".rmd": "R", ".rs": "Rust", ".sas": "SAS",
    ".scala": "Scala", ".sh": "shell", ".sol": "Solidity", ".sql": "SQL", ".stan": "Stan",
    ".svelte": "Svelte", ".swift": "Swift", ".tcl": "Tcl", ".tpp": "C++", ".ts": "TypeScript",
    ".tsx": "TypeScript", ".vb": "Visual Basic", ".vbs": "Visual Basic", ".vue": "Vue", ".xsl": "XSLT",
    ".xslt": "XSLT", ".zig": "Zig",
}  # fmt: skip
"""Suffix → the language of programs that have it."""
PROMPTS = frozenset({".j2", ".jinja", ".jinja2", ".prompt", ".prompty", ".mustache"})
"""Suffixes of templates."""
TEXTS = frozenset({".txt", ".md", ".json", ".toml", ".yaml", ".yml"})
"""Suffixes of files that may hold a prompt, as their names say."""
TABLES = frozenset({".json", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".xlsx", ".xls"})
"""Suffixes of files that may hold rules, as their names say."""
DECISIONS = frozenset({".dmn", ".drl", ".pmml", ".rego"})
"""Suffixes of files that hold rules, whatever they are called."""
PROMPT_WORDS = frozenset({"prompt", "prompts", "instruction", "instructions", "persona", "personas"})
RULE_WORDS = frozenset(
    "rule rules policy policies tariff tariffs scorecard scorecards criteria eligibility rubric".split()
)
_WORDS = lazy_expression(r"[^\W\d_]+")
MOST_KINDS = 6
"""Kinds that a sentence names; the rest are one number."""
PROMPT = "prompt"
RULES = "rule file"
SCRIPT = "script"
"""A program whose first line says what runs it, and whose name says nothing."""


def kind_of(name: str, folder: str) -> str:
    """Return what kind of file is not read, by its name and that of its folder; empty where none is
    missed.
    """
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    if suffix in LANGUAGES:
        return LANGUAGES[suffix]
    if suffix in PROMPTS:
        return PROMPT
    if suffix in DECISIONS:
        return RULES
    words = set(_WORDS.findall(f"{folder} {name[:dot]}".lower()))
    if suffix in TEXTS and not words.isdisjoint(PROMPT_WORDS):
        return PROMPT
    return RULES if suffix in TABLES and not words.isdisjoint(RULE_WORDS) else ""


def counted_kinds(unread: Mapping[str, Sequence[str]]) -> str:
    """Return how many files of which kind: `12 TypeScript files, 1 SQL file, 2 prompts`; the most first."""
    kinds = sorted(unread.items(), key=lambda one: (-len(one[1]), one[0]))
    told = [_count_with_noun(len(paths), kind) for kind, paths in kinds[:MOST_KINDS]]
    if more := sum(len(paths) for _, paths in kinds[MOST_KINDS:]):
        told.append(f"{more} more")
    return ", ".join(told)


def _count_with_noun(number: int, kind: str) -> str:
    noun = kind if kind in {PROMPT, RULES, SCRIPT} else f"{kind} file"
    return f"{number} {noun}{'' if number == 1 else 's'}"
