"""Line hashes agree with GitHub's; fairlint's own fingerprints survive edits elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.findings.fingerprints import Fingerprints, line_hashes


def hashes(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    return " ".join(line_hashes(text, range(1, lines + 1)).values())


VECTOR = (
    "e54938cc54b302f1:1 bb609acbe9138d60:1 1131fd5871777f34:1 5c482a0f8b35ea28:1 "
    "54517377da7028d2:1 2c644846cb18d53e:1 f1b89f20de0d133:1 c129715d7a2bc9a3:1"
)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_published_vector_holds_with_every_line_ending(newline: str) -> None:
    text = "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n"

    assert hashes(text.replace("\n", newline)) == VECTOR


def test_blanks_do_not_count() -> None:
    assert hashes(" x = 2\nx=1\nprint( x )\n\tx = 3\nprint(x) \nx  = 4\nprint(x)\n") == VECTOR


def test_an_empty_text_has_one_line() -> None:
    assert hashes("") == "c129715d7a2bc9a3:1"


def test_equal_lines_are_numbered() -> None:
    text = "Lorem ipsum dolor sit amet.\n" * 10

    assert hashes(text).split()[:7] == [*(f"a7f2ff13bc495cf2:{n}" for n in range(1, 7)), "a7f2ff1481e87703:1"]


def test_lines_that_do_not_exist_have_no_hash() -> None:
    assert line_hashes("x\n", [5]) == {}


def slow_hash(text: str, line: int) -> str:
    """The algorithm as it is described, one character at a time."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    raw = plain.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]
    units += [65535] + [0] * 100
    starts = [0] + [at + 1 for at, unit in enumerate(units) if unit == 10]
    seen = []
    for start in starts[:line]:
        value = 0
        for unit in units[start : start + 100]:
            value = (value * 37 + unit) % 2**64
        seen.append(value)
    return f"{seen[-1]:x}:{seen.count(seen[-1])}"


@given(st.text(alphabet="ab \t\n\r🙂é", max_size=150), st.integers(1, 8))
def test_the_quick_way_equals_the_described_one(text: str, line: int) -> None:
    found = line_hashes(text, [line])

    assert all(value == slow_hash(text, number) for number, value in found.items())


def test_fingerprints_do_not_change_with_spacing_and_tell_equal_ones_apart() -> None:
    one = Fingerprints()
    first = one.make("FL201", "score", "gender", "    if x.gender == 1:")

    assert first.endswith(":1")
    assert one.make("FL201", "score", "gender", "if  x.gender == 1:") == f"{first[:-2]}:2"
    assert Fingerprints().make("FL201", "score", "gender", "if x.gender == 1:") == first
    assert one.make("FL101", "score", "gender", "if x.gender == 1:")[:-2] != first[:-2]
