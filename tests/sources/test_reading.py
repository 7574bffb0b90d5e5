"""Files in any encoding and of any kind become UTF-8, or are refused with a reason."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.sources.reading import to_utf8
from fairlint.support.files import MAX_FILE_SIZE, NotReadableError, read_file
from fairlint.syntax.c import C
from fairlint.syntax.python import PYTHON
from fairlint.syntax.python.encoding import coding_cookie

TEXT = "größe = 'é'\r\nx = 1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_encodings_without_a_declaration_are_recognised(encoding: str) -> None:
    assert to_utf8(TEXT.encode(encoding), PYTHON).decode() == TEXT


def test_big_endian_text_with_a_mark_is_recognised() -> None:
    assert to_utf8(b"\xfe\xff" + TEXT.encode("utf-16-be"), C).decode() == TEXT


@pytest.mark.parametrize("encoding", ["koi8-r", "cp1251", "shift_jis", "latin_1"])
def test_a_coding_cookie_is_obeyed(encoding: str) -> None:
    text = (
        f"#!/usr/bin/python\n# -*- coding: {encoding} -*-\nx = '{'пол' if encoding != 'latin_1' else 'é'}'\n"
    )

    assert to_utf8(text.encode(encoding), PYTHON).decode() == text


@pytest.mark.parametrize("name", ["nonsense", "hex", "rot13", "punycode", "undefined"])
def test_a_wrong_coding_cookie_does_no_harm(name: str) -> None:
    raw = f"# coding: {name}\nx = 'é'\n".encode()

    assert to_utf8(raw, PYTHON) == raw


def test_a_cookie_counts_in_the_first_two_lines_of_python_only() -> None:
    assert coding_cookie(b"\n# coding: cp1252\n") == "cp1252"
    assert coding_cookie(b"\n\n# coding: cp1252\n") is None
    assert coding_cookie(b"x = 1\n# coding: cp1252\n") is None
    assert coding_cookie(b"# coding: utf-8\n") is None
    assert to_utf8("/* coding: koi8-r é */".encode(), C).decode() == "/* coding: koi8-r é */"


def test_ascii_is_handed_on_untouched() -> None:
    raw = b"x = 1\r\n"

    assert to_utf8(raw, PYTHON) is raw


def test_invalid_utf8_is_read_as_latin_1() -> None:
    assert to_utf8(b"# caf\xe9 \xff\n", PYTHON).decode() == "# café ÿ\n"


def test_nul_bytes_mean_that_it_is_no_text() -> None:
    with pytest.raises(NotReadableError, match="NUL"):
        to_utf8(b"x = 1\0\n", PYTHON)


def test_damaged_utf16_is_refused() -> None:
    with pytest.raises(NotReadableError, match="UTF-16"):
        to_utf8(b"\xff\xfea", PYTHON)


@given(st.binary(max_size=200))
def test_whatever_is_read_is_utf8(raw: bytes) -> None:
    with contextlib.suppress(NotReadableError):
        to_utf8(raw, PYTHON).decode()


def test_a_large_file_is_refused_with_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    path.write_bytes(b"x" * 11)

    assert read_file(str(path), 11) == b"x" * 11
    with pytest.raises(NotReadableError, match=r"^larger than 10 bytes \(the setting max-file-size\)$"):
        read_file(str(path), 10, setting=MAX_FILE_SIZE)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "pipe.py"
    os.mkfifo(path)

    with pytest.raises(NotReadableError, match="not a regular file"):
        read_file(str(path), 100)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotReadableError, match="cannot be read: No such file"):
        read_file(str(tmp_path / "gone.py"), 100)
    with pytest.raises(NotReadableError):
        read_file(str(tmp_path), 100)
