"""Expressions that are compiled at their first use do what compiled ones do, and fairlint's are valid."""

from __future__ import annotations

import pickle
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import fairlint
from fairlint.support import expressions
from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.purposes import purposes


def test_an_expression_finds_what_a_compiled_one_finds() -> None:
    pattern = r"(?P<word>[a-z]+)"
    lazy, compiled = lazy_expression(pattern, re.IGNORECASE), re.compile(pattern, re.IGNORECASE)

    assert lazy.pattern == compiled.pattern
    assert lazy.sub("-", "1 And 2") == compiled.sub("-", "1 And 2")
    assert [found["word"] for found in lazy.finditer("A b")] == ["A", "b"]
    for name in ("flags", "groups", "groupindex"):
        assert getattr(lazy, name) == getattr(compiled, name)


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(re, "compile")

    assert lazy_expression(rb"(").pattern == b"("


def test_a_mistake_shows_at_the_first_use() -> None:
    with pytest.raises(re.error):
        lazy_expression("(").search("")


def test_an_expression_can_be_sent_to_another_process_after_its_use() -> None:
    lazy = lazy_expression(rb"\d")
    assert lazy.search(b"1")

    assert pickle.loads(pickle.dumps(lazy)).findall(b"12") == [b"1", b"2"]


def test_all_expressions_of_fairlint_are_valid() -> None:
    home = Path(fairlint.__file__).parent
    users = [path for path in home.rglob("*.py") if " = lazy_expression(" in path.read_text("utf-8")]
    assert users
    for path in users:
        name = ".".join(("fairlint", *path.relative_to(home).with_suffix("").parts))
        import_module(name.removesuffix(".__init__"))
        for value in vars(sys.modules[name.removesuffix(".__init__")]).values():
            if isinstance(value, expressions._Lazy):
                re.compile(value.pattern, value._given)
    for purpose in purposes():
        for sign in purpose.signs:
            if sign.pattern is not None:
                re.compile(sign.pattern.pattern)
