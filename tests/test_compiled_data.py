"""Compiled data says the same as its sources, is used only while they stay, and can always be missed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.support import compiled_data
from fairlint.support.compiled_data import Lazy, load_or_compile, pack_values
from fairlint.vocabulary import load
from fairlint.vocabulary.attribute_table import AttributeTable

ROOT = Path(__file__).parent.parent
OLD = 1_000_000_000


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for compiled data, and none in the user's folders."""
    place = tmp_path / "package" / "compiled_data.bin"
    monkeypatch.setattr(compiled_data, "FILE", str(place))
    monkeypatch.setattr(compiled_data, "cache_folder", str)
    monkeypatch.setattr(compiled_data, "_read_before", {})
    return place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "words.toml"
    path.write_text("one")
    os.utime(path, (OLD, OLD))
    return path


def reading(path: Path, calls: list[str]) -> Callable[[], list[str]]:
    def build() -> list[str]:
        calls.append(path.read_text())
        return [path.read_text()]

    return build


def again() -> None:
    """As in a process of its own."""
    compiled_data._read_before.clear()


def test_it_is_built_once(file: Path, source: Path) -> None:
    calls: list[str] = []
    for _ in range(3):
        assert load_or_compile("a", [str(source)], reading(source, calls)) == ["one"]
        again()
    assert calls == ["one"]
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.usefixtures("file")
def test_each_caller_gets_a_value_of_its_own(source: Path) -> None:
    load_or_compile("a", [str(source)], lambda: ["one"]).append("two")
    assert load_or_compile("a", [str(source)], list) == ["one"]


@pytest.mark.parametrize("text", ["two", "three"])
@pytest.mark.usefixtures("file")
def test_a_source_that_was_changed_is_taken_at_once(source: Path, text: str) -> None:
    calls: list[str] = []
    load_or_compile("a", [str(source)], reading(source, calls))
    again()
    source.write_text(text)
    assert load_or_compile("a", [str(source)], reading(source, calls)) == [text]
    again()
    source.write_text("six" if text == "two" else "seven")  # of the same size, and perhaps the same time
    assert load_or_compile("a", [str(source)], reading(source, calls)) == [source.read_text()]


@pytest.mark.usefixtures("file")
def test_a_source_that_was_only_touched_is_not_read_again(source: Path) -> None:
    calls: list[str] = []
    load_or_compile("a", [str(source)], reading(source, calls))
    again()
    os.utime(source)
    assert load_or_compile("a", [str(source)], reading(source, calls)) == ["one"]
    assert len(calls) == 1


@pytest.mark.usefixtures("file")
def test_a_source_more_or_less_makes_it_anew(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.toml"
    other.write_text("one")
    assert load_or_compile("a", [str(source)], lambda: 1) == 1
    assert load_or_compile("a", [str(source), str(other)], lambda: 2) == 2
    assert load_or_compile("a", [str(other)], lambda: 3) == 3


@pytest.mark.usefixtures("file")
def test_sections_stand_beside_each_other(source: Path) -> None:
    assert load_or_compile("a", [str(source)], lambda: 1) == 1
    assert load_or_compile("b", [str(source)], lambda: {"x": (None, 2.5, b"c")}) == {"x": (None, 2.5, b"c")}
    again()
    assert load_or_compile("a", [str(source)], lambda: 3) == 1
    assert load_or_compile("b", [str(source)], lambda: 3) == {"x": (None, 2.5, b"c")}


def test_what_building_raises_passes_and_leaves_nothing(file: Path, source: Path) -> None:
    def build() -> object:
        raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        load_or_compile("a", [str(source)], build)
    assert not file.exists()


@given(st.data())
def test_damage_is_noticed(data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        whole, source = _whole_file(patch)
        at = data.draw(st.integers(0, len(whole) - 1))
        damaged = data.draw(
            st.sampled_from([whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], b"\0" * at])
        )
        Path(compiled_data.FILE).write_bytes(damaged)
        again()
        assert load_or_compile("a", [source], lambda: 1) == 1
        assert load_or_compile("b", [source], lambda: ["x"]) == ["x"]


def _whole_file(patch: pytest.MonkeyPatch) -> tuple[bytes, str]:
    import tempfile

    folder = Path(tempfile.gettempdir()) / f"fairlint-damage-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    patch.setattr(compiled_data, "FILE", str(folder / "data.bin"))
    patch.setattr(compiled_data, "cache_folder", str)
    (folder / "source").write_text("one")
    os.utime(folder / "source", (OLD, OLD))
    (folder / "data.bin").unlink(missing_ok=True)
    again()
    load_or_compile("a", [str(folder / "source")], lambda: 1)
    load_or_compile("b", [str(folder / "source")], lambda: ["x"])
    return (folder / "data.bin").read_bytes(), str(folder / "source")


def test_where_the_package_cannot_be_written_the_users_folder_is_used(
    tmp_path: Path, file: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.write_text("no folder")
    cache = tmp_path / "cache"
    monkeypatch.setattr(compiled_data, "cache_folder", lambda: str(cache))
    calls: list[str] = []
    for _ in range(2):
        assert load_or_compile("a", [str(source)], reading(source, calls)) == ["one"]
        again()
    assert len(calls) == 1
    (kept,) = (cache / "fairlint").iterdir()
    assert kept.suffix == ".bin"


def test_where_nothing_can_be_written_all_works(file: Path, source: Path) -> None:
    file.parent.write_text("no folder")
    calls: list[str] = []
    for _ in range(2):
        assert load_or_compile("a", [str(source)], reading(source, calls)) == ["one"]
    assert len(calls) == 2


def test_the_users_folder_is_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiled_data.cache_folder() == str(tmp_path / ".cache")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert compiled_data.cache_folder() == ""
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, "relative")
    assert compiled_data.cache_folder() == ""


MANY = """
import sys
from fairlint.support import compiled_data
compiled_data.FILE = sys.argv[1]
compiled_data.cache_folder = str
for round in range(20):
    for name in "abcdef":
        compiled_data._read_before.clear()
        assert compiled_data.load_or_compile(name, [sys.argv[2]], lambda: name * 5000) == name * 5000
"""


def test_processes_that_start_at_once_do_no_harm(file: Path, source: Path) -> None:
    command = [sys.executable, "-c", MANY, str(file), str(source)]
    running = [subprocess.Popen(command, cwd=ROOT) for _ in range(6)]
    assert [process.wait(60) for process in running] == [0] * 6
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    for name in "abcdef":
        assert load_or_compile(name, [str(source)], str) == name * 5000


def test_lazy_values_are_restored_when_they_are_asked_for() -> None:
    asked: list[list[int]] = []

    def restore(raw: list[int]) -> int:
        asked.append(raw)
        return sum(raw)

    lazy = Lazy(pack_values({"a": [1, 2], "b": [3]}), restore)
    assert (list(lazy), len(lazy), "a" in lazy, "c" in lazy) == (["a", "b"], 2, True, False)
    assert (lazy["a"], lazy["a"], asked) == (3, 3, [[1, 2]])
    with pytest.raises(KeyError):
        lazy["c"]


# ------------------------------------------------------------------------------- what comes with fairlint

PREPARE = "from fairlint.cli import prepare; import sys; prepare.main(sys.argv[1])"


def test_everything_is_compiled_beforehand_and_always_to_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "one.bin", tmp_path / "two.bin"]
    for seed, path in enumerate(files):
        subprocess.run(
            [sys.executable, "-c", PREPARE, str(path)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
        )
    assert files[0].read_bytes() == files[1].read_bytes()
    code = (
        "import sys; from fairlint.support import compiled_data; compiled_data.FILE = sys.argv.pop(1);"
        "compiled_data._keep_section = None;"  # whatever is still to be built fails
        "from fairlint.cli import main; sys.exit(main(['check', '--isolated', '--exit-zero', *sys.argv[1:]]))"
    )
    places = [ROOT / "fixtures" / "python", ROOT / "fixtures" / "c"]
    done = subprocess.run(
        [sys.executable, "-c", code, str(files[0]), *map(str, places)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "FL201" in done.stdout


@pytest.mark.parametrize("name", list(load.read().attributes))
def test_an_attribute_is_the_same(name: str) -> None:
    ready, read = load.load_vocabulary(), load.read()
    for key in AttributeTable.__slots__:
        one, other = getattr(ready.data.tables[name], key), getattr(read.data.tables[name], key)
        assert repr(one) == repr(other) if isinstance(one, dict | tuple) else one == other, key
    assert ready.attribute(name) == read.attribute(name)
    assert ready.names_of(name) == read.names_of(name)


def test_identifiers_mean_the_same() -> None:
    ready, read = load.load_vocabulary(), load.read()
    names = {
        name for attribute in read.attributes for all_ in read.names_of(attribute).values() for name in all_
    }
    for name in sorted(names):
        for written in (name, name.replace(" ", "_"), f"is_{name}", f"max {name}"):
            assert ready.mentions(written) == read.mentions(written), written
    assert ready.prefilter_pattern() == read.prefilter_pattern()
    for word in ("male", "black", "no group"):
        assert ready.groups_in(word) == read.groups_in(word)
