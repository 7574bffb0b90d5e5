"""Telling the language of some code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.sources.languages import _SIGNS, _patterns_in, detect_language
from fairlint.support.records import replace
from fairlint.syntax import SHIPPED
from fairlint.syntax.language import Language
from fairlint.syntax.signs import Signs

PATTERNS = tuple(
    pattern
    for patterns in (*(language.signs().patterns for language in SHIPPED if language.signs), *_SIGNS.values())
    for pattern, _ in patterns
)
PIECES = (
    "def f(", "class A:", "else :", "from a.b import", "import a as b", "if x:", "x = 1", "return y", '"""',
    "self", "#include <stdio.h>", "#define", "struct s {", "static int f (", "  int x;", "printf (", "a->b",
    "std::", "template <", "function f(a) {", "const x", "===", "console.log", "public static x", "<html",
    "SELECT a FROM b", " ", "\t", "\n", "\r\n", "\x0b", "\x1c", ";", "{", "}", "_", "x", "é", "²",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_one_pass_finds_the_patterns_that_each_search_finds(code: str) -> None:
    found = {pattern for pattern in PATTERNS if re.search(pattern, code, re.MULTILINE)}
    assert found <= _patterns_in(PATTERNS, code)
    if code.isascii():
        assert found == _patterns_in(PATTERNS, code)


@pytest.mark.parametrize("pattern", [r"(?<=<)-", r"(\w)\1-", r"-\Z", r"(?P<a>-)(?P=a)?"])
def test_a_plugin_tells_its_language_by_any_pattern_of_python(pattern: str) -> None:
    def signs() -> Signs:
        return Signs(patterns=((pattern, 5),))

    arrows = replace(SHIPPED[0], name="arrows", title="Arrows", signs=signs)
    languages: tuple[Language, ...] = (*SHIPPED, arrows)
    assert detect_language("aa <-", None, languages) == ("arrows" if re.search(pattern, "aa <-") else None)
    assert detect_language("aa-", None, languages) == ("arrows" if re.search(pattern, "aa-") else None)
