"""Grammars load with and without their package's own import."""

from __future__ import annotations

import pytest
from tree_sitter import Parser

from fairlint.syntax import grammars


@pytest.mark.parametrize(
    ("package", "text"), [("tree_sitter_python", b"x = 1\n"), ("tree_sitter_c", b"int x = 1;\n")]
)
def test_the_compiled_part_is_enough(package: str, text: bytes) -> None:
    assert not Parser(grammars.grammar(package)).parse(text).root_node.has_error


def test_without_the_compiled_part_the_package_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "EXTENSION_SUFFIXES", [])

    assert not Parser(grammars.grammar("tree_sitter_python")).parse(b"x = 1\n").root_node.has_error
