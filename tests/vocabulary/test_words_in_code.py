"""Words are data: no list of more than a few words of natural language stands in code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from fairlint.vocabulary.load import all_word_lists

PACKAGE = Path(__file__).parent.parent.parent / "fairlint"
MOST = 8
ALLOWED = {
    "bench/exporting/runs.py": "fields of records",
    "backends/server_client.py": "heads of requests",
    "bench/report/": "heads of tables, and the columns of files",
    "bench/suites/faircode_testcase.py": "types and names of the C and Python that models write",
    "cli/bench.py": "the commands after `bench`",
    "checking/result_cache.py": "names of packages",
    "support/expressions.py": "names of methods",
    "project/related_files.py": "ends of the names of files",
    "counterfactual/chance.py": "names of Python's own functions and modules",
    "fleet/": "columns of tables, keys of configurations, and queries",
    "counterfactual/literals.py": "names of Python's own functions",
    "counterfactual/odd_functions.py": "names of methods of data frames and their columns",
    "counterfactual/value_": "names of Python's own functions and modules",
    "project/data_files.py": "words in the names of what loads files, and those files",
    "analyses/sql/detection.py": "keywords of SQL",
    "analyses/test_records/texts.py": "keywords of Python and C",
    "project/requirement_files.py": "names of files that ask for packages",
    "sources/notebooks.py": "languages of cells, and magics",
    "sources/unread.py": "languages, and words in the names of files",
    "sources/languages.py": "names of languages, and their keywords",
    "syntax/": "keywords of the languages that are parsed",
    # names of callables in libraries, which are about to become models of libraries
    "semantics/": "callables",
}
"""Where longer lists may stand, and of what."""
_WORD = re.compile(r"[^\W\d_]{2,}(?:[ -][^\W\d_]+)*")
_SIGNS = re.compile(r"\\.|(?:\(\?P)?<\w+>|\(\?[a-zA-Z]+\)")


def text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "\0" for part in node.values)
    return None


def words_of(node: ast.AST) -> list[str]:
    """The words of a literal collection, a text that is split, or the alternatives of an expression."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [text for item in node.elts if (text := text_of(item)) and _WORD.fullmatch(text)]
    match node:
        case ast.Call(func=ast.Attribute(attr="split", value=split)) if text_of(split):
            return [word for word in (text_of(split) or "").split() if _WORD.fullmatch(word)]
    text = text_of(node)
    if text and text.count("|") >= MOST:
        return re.findall(r"[^\W\d_]{2,}", _SIGNS.sub(" ", text))
    return []


def names(tree: ast.Module) -> set[int]:
    """`__all__`, `__slots__` and what `Literal` lists are names, and documentation is no list."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as documentation):
                found.add(id(documentation))
            case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")], value=value):
                found.add(id(value))
            case ast.Subscript(value=ast.Name(id="Literal"), slice=value):
                found.add(id(value))
    return found


@cache
def long_lists() -> list[tuple[str, int, list[str]]]:
    return [found for path in sorted(PACKAGE.rglob("*.py")) for found in long_lists_of(path)]


def long_lists_of(path: Path) -> Iterator[tuple[str, int, list[str]]]:
    tree = ast.parse(path.read_bytes())
    left_out = names(tree)
    for node in ast.walk(tree):
        if id(node) not in left_out and len(words := words_of(node)) > MOST:
            yield path.relative_to(PACKAGE).as_posix(), getattr(node, "lineno", 0), words


def test_lists_of_words_are_data() -> None:
    places = [
        f"{place}:{line}: {' '.join(words[:MOST])} …"
        for place, line, words in long_lists()
        if not place.startswith(tuple(ALLOWED))
    ]
    assert places == [], "lists of words belong into vocabulary/words/*.toml"


def test_every_list_is_asked_for() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    asked = {
        *re.findall(r"[\"'<](\w+)[\"'>]", code),
        *(f"urls_{one}" for one in ("age", "gender", "national_origin")),
        *(f"says_{one}" for one in ("in", "less", "more", "other", "same")),
        *(f"coded_{one}" for one in ("gender", "caste")),
        "rest_of_marital_status",
    }
    assert [
        f"{name}: {key}" for name, lists in all_word_lists().items() for key in lists.keys() - asked
    ] == []


def test_no_leave_is_left_over() -> None:
    assert [
        place for place in ALLOWED if not any(found.startswith(place) for found, _, _ in long_lists())
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        "A = 'one two three four five six seven eight nine'.split()",
        "A = ('zero', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine')",
        "A = {'zero', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'}",
        r"A = rb'(?i)\b(?:one|two|three|four|five|six|seven|eight|nine)\b'",
        r"A = rf'{x}\b(?:one|two|three|four|five)|(?:six|seven|eight|nine)\b'",
    ],
)
def test_lists_are_seen_in_all_their_forms(code: str) -> None:
    assert any(len(words_of(node)) == 9 for node in ast.walk(ast.parse(code)))
