"""Files whose byte code is there are not read by Python again, and all others are."""

from __future__ import annotations

import ast
import os
import py_compile
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint import Settings, check_paths
from fairlint.syntax.python import intact

INTACT, BROKEN = "total = (1 + 2)\n", "total = (1 + 2(\n"
SECOND = 1_700_000_000_000_000_000


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with byte code, both of the same second."""
    monkeypatch.setattr("sys.pycache_prefix", None)
    found = tmp_path / "total.py"
    found.write_text(INTACT)
    os.utime(found, ns=(SECOND, SECOND))
    py_compile.compile(str(found), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    os.utime(cache_from_source(str(found)), ns=(SECOND + 5, SECOND + 5))
    return found


def gaps(path: Path, **settings: object) -> int:
    return len(check_paths([str(path)], Settings(root=str(path.parent), **settings)).not_analysed)  # type: ignore[arg-type]


def overwrite(path: Path, text: str, changed: int) -> None:
    path.write_text(text)
    os.utime(path, ns=(changed, changed))


def test_what_was_compiled_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intact, "is_intact", lambda _: pytest.fail("read again"))
    assert gaps(file) == 0


@pytest.mark.parametrize("changed", [SECOND + 10, SECOND + 1_000_000_000, SECOND - 1_000_000_000])
def test_what_was_changed_since_is_read(file: Path, changed: int) -> None:
    overwrite(file, BROKEN, changed)
    assert gaps(file) == 1


def test_another_size_is_read(file: Path) -> None:
    overwrite(file, BROKEN + "\n", SECOND)
    assert gaps(file) == 1


def test_byte_code_of_another_python_counts_for_nothing(file: Path) -> None:
    overwrite(file, BROKEN, SECOND)
    made = Path(cache_from_source(str(file)))
    made.write_bytes(b"\0\0\r\n" + made.read_bytes()[4:])
    assert gaps(file) == 1


def test_nobody_is_taken_at_their_word_in_a_checkout_that_is_not_trusted(file: Path) -> None:
    overwrite(file, BROKEN, SECOND)
    assert gaps(file) == 0  # as for an import
    assert gaps(file, untrusted=(str(file.parent),)) == 1


def test_a_text_that_is_not_saved_is_read(file: Path) -> None:
    told = check_paths([str(file)], Settings(root=str(file.parent)), texts={str(file): BROKEN})
    assert len(told.not_analysed) == 1


@pytest.mark.parametrize(
    "text", ["", "x = 1", "\ufeff".join(["# ", "\n"]), '"""One."""\nfrom __future__ import annotations\n']
)
def test_a_whole_text_is_intact(text: str) -> None:
    assert intact.is_intact(text.encode())


@pytest.mark.parametrize(
    "text", [" x = 1", "x = (", "\tpass\n", "if x:\npass\n", "x = 'a\n", "x = 1\n  y = 2\n", "\0"]
)
def test_a_broken_text_is_not(text: str) -> None:
    assert not intact.is_intact(text.encode())


BLOCKS = (
    "x = 1\n",
    "def f():\n    return 1\n",
    "@decorated\n",
    "class A:\n    y = 2\n",
    "    z = 3\n",
    "if x:\n    pass\n",
    "else:\n    pass\n",
    'text = """\n',
    '"""\n',
    "call(\n",
    ")\n",
    "total = 1 \\\n",
    "# a comment\n",
    "from __future__ import annotations\n",
    "\tq = 4\n",
)


@given(blocks=st.lists(st.sampled_from(BLOCKS), max_size=8), gap=st.sampled_from(["\n", "\n\n", "\n\n\n"]))
def test_a_source_in_pieces_is_intact_where_the_whole_is(blocks: list[str], gap: str) -> None:
    text = gap.join(blocks)
    try:
        ast.parse(text)
        expected = True
    except SyntaxError:
        expected = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intact, "PIECE", 8)
        assert intact.is_intact(text.encode()) is expected
