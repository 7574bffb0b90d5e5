"""What a text says is what a plain search of it finds, however often it was forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.project import module_index
from fairlint.project.data_files import FILES, _has_folder_name, data_file_names, folder_test
from fairlint.project.module_index import FILES_NAMED, ROWS, SPEAKS, WORTH, ModuleIndex
from fairlint.search import name_uses
from fairlint.search.name_uses import NameUses
from fairlint.support.digests import NOTHING, digest
from fairlint.syntax.python import PYTHON
from fairlint.syntax.python.modules import MODULES, imports_in, top_level
from fairlint.vocabulary.keyword_automaton import quick, set_search

PIECES = (
    "rent", "flat", "rent.flat", "flat.rent(", " ", "\n", "\n\n", ".", "(", ")", " = ", "\t", "é", "1",
    "x_rent", "def rent(flat):\n    return flat\n",
    "class Flat:\n    rent = 1\n    def offer(self):\n        pass\n",
    "from .flat import rent\n", "from flat import *\n", "from a.b import (rent as flat,\n    city)\n",
    "import flat\n", "import a.b as rent, flat\n", "RENTS = {'flat': 1}\n", '"""', "'", '"', "# rent\n", "\\",
    "open('data/rents.json')", "'lists/rents.csv'", "{base}/rents/", "config_name='rents'", ".predict(",
    "model.fit (", "prompt", "pd.DataFrame(", "rows[columns]", ".invoke(", "read_csv(", "'role' :",
    "get_dummies(x)",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map(lambda pieces: "".join(pieces).encode())
NAMES = tuple(
    name.encode() for name in ("rent", "flat", "Flat", "x_rent", "a", "é", "1", "rents", "data", "nobody")
)


def index(
    searches: Callable[[Iterable[str]], Callable[[bytes], list[int]]] | None = set_search,
) -> ModuleIndex:
    def search(data: bytes, _: object) -> list[int]:
        return [found.start() for found in re.finditer(b"rent", data)]

    return ModuleIndex(PYTHON, search, lambda data: b"flat" in data, quick, searches)


@given(TEXTS)
def test_an_index_of_names_answers_as_a_search_for_each(data: bytes) -> None:
    uses = NameUses(data)
    for name in NAMES * 4:  # the first are searched for, and later ones are looked up
        assert uses.has_field(name) is name_uses.has_field(name, data), name
        assert uses.calls_method_of(name) is name_uses.calls_method_of(name, data), name
        assert uses.has_call_or_access(name) is name_uses.has_call_or_access(name, data), name
        assert list(uses.uses_of(name)) == list(name_uses.uses_of(name, data)), name


@given(TEXTS, st.booleans())
def test_facts_are_what_a_plain_search_finds(data: bytes, forgets: bool) -> None:
    known = index()
    facts = known.facts_of(data, keeps=True)
    facts.load = lambda: data
    for _ in range(3):
        assert list(facts.imports) == list(imports_in(data))
        assert facts.definitions == top_level(data, known.tokens)
        assert list(facts.hits) == [found.start() for found in re.finditer(b"rent", data)]
        assert facts.data_files == data_file_names(data)
        for name in map(bytes.decode, NAMES):
            plain = [
                (one.module, imported)
                for one in imports_in(data)
                for imported, alias in one.names
                if alias == name or imported == "*"
            ]
            assert facts.bindings(name) == plain
        if forgets:
            known.forget_texts(all_of_them=True)
            assert not facts.has_text
            assert known.facts_of(bytes(data)) is facts
            known.forget_texts(all_of_them=False)
    assert facts.digest == digest(data)


@given(st.lists(TEXTS, max_size=4))
def test_marks_are_the_same_one_by_one_and_all_at_once(texts: list[bytes]) -> None:
    at_once, one_by_one = index(), index(None)
    at_once._left = 0
    signs = {ROWS: MODULES.rows, SPEAKS: MODULES.speaks, FILES_NAMED: FILES}
    for data in [*texts, b"x = 1\n"]:
        plain = {mark for mark, sign in signs.items() if sign is not None and re.search(sign, data)}
        plain |= {WORTH} if any(word in data for word in MODULES.worth_alone) else set()
        assert at_once.facts_of(data).marks == one_by_one.facts_of(data).marks == plain
        assert at_once.facts_of(data).rows_at == one_by_one.facts_of(data).rows_at


@given(TEXTS)
def test_folders_are_named_as_a_search_for_each_says(data: bytes) -> None:
    is_named = folder_test(data)
    for name in (*NAMES, b"lists", b"base", b"a.b", b"rents.json", b"'", b"-"):
        assert is_named(name) is _has_folder_name(name, data), name


def test_a_text_is_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[bytes] = []

    def counting(text: bytes) -> bytes:
        counted.append(text)
        return digest(text)

    monkeypatch.setattr(module_index, "digest", counting)
    known = index()
    data = b"from flat import rent\nrent.predict(x)\n"
    facts = known.facts_of(data)
    assert known.facts_of(data) is facts
    assert len(counted) == 1
    passes = known.search
    known.search = lambda *_: pytest.fail("searched again") if facts.__dict__.get("hits") else passes(*_)
    assert facts.hits == facts.hits == (17, 22)


@pytest.mark.parametrize("now", [b"AGE = 66\n", None])
def test_nothing_holds_that_used_a_text_which_has_changed_since(now: bytes | None) -> None:
    known = index()
    facts = known.facts_of(b"AGE = 65\n", keeps=True)
    facts.load = lambda: now
    known.forget_texts(all_of_them=True)
    assert facts.digest == digest(b"AGE = 65\n")
    assert facts.text == (now or b"")
    assert facts.digest == NOTHING
