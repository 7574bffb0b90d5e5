"""What is kept ready says the same as the TOML it was made from, and is of use only while it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint import prepare, toml
from fairlint.lexicon import compiled, load
from fairlint.lexicon.tables import AttributeTable

AGAIN = "run `make prepare`"


def test_it_is_up_to_date() -> None:
    assert compiled.load() is not None, AGAIN
    assert all(map(toml.is_known, prepare.known_texts())), AGAIN


def test_it_is_written_alike_every_time() -> None:
    vocabulary = load.read()
    assert Path(compiled.FILE).read_text("utf-8") == compiled.written(vocabulary.data, vocabulary.index), (
        AGAIN
    )


@pytest.mark.parametrize("name", list(load.read().attributes))
def test_an_attribute_is_the_same(name: str) -> None:
    ready, read = load.shipped(), load.read()
    for key in AttributeTable.__slots__:
        one, other = getattr(ready.data.tables[name], key), getattr(read.data.tables[name], key)
        assert repr(one) == repr(other) if isinstance(one, dict | tuple) else one == other, key
    assert ready.attribute(name) == read.attribute(name)
    assert ready.names_of(name) == read.names_of(name)


def test_identifiers_mean_the_same() -> None:
    ready, read = load.shipped(), load.read()
    names = {
        name for attribute in read.attributes for all_ in read.names_of(attribute).values() for name in all_
    }
    for name in sorted(names):
        for written in (name, name.replace(" ", "_"), f"is_{name}", f"max {name}"):
            assert ready.mentions(written) == read.mentions(written), written
    assert ready.prefilter_pattern() == read.prefilter_pattern()
    for word in ("male", "black", "no group"):
        assert ready.groups_in(word) == read.groups_in(word)


@pytest.mark.parametrize("content", ["", "nonsense", "12\nnot\tthree", "\x00"])
def test_what_is_damaged_or_out_of_date_is_not_used(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "compiled.tsv"
    monkeypatch.setattr(compiled, "FILE", str(file))
    assert compiled.load() is None
    file.write_text(content, encoding="utf-8")
    assert compiled.load() is None
    assert load.shipped().mentions("gender")


def test_a_text_that_is_not_known_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert toml.loads("a = 1") == {"a": 1}
    with pytest.raises(ValueError, match="Invalid value"):
        toml.loads("a = ")
    monkeypatch.setattr(toml, "FILE", str(tmp_path / "parsed.json"))
    toml._known.cache_clear()
    try:
        assert toml.loads("a = 2") == {"a": 2}
        assert not toml.is_known("a = 2")
        toml.write(["a = 2"])
        toml._known.cache_clear()
        assert toml.is_known("a = 2")
        assert toml.loads("a = 2") == {"a": 2}
    finally:
        toml._known.cache_clear()
