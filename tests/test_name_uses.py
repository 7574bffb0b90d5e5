"""Where a name stands in the bytes of a source."""

from __future__ import annotations

import pytest

from fairlint.search.name_uses import calls_method_of, fields_of, has_call_or_access, has_field, uses_of

CODE = b"import ft\nft.COLUMNS + a.ft.x + ft . y\nleft.z(ft)\nftx.q = raft\n"


def test_uses_are_where_the_name_starts_and_no_fields() -> None:
    found = list(uses_of(b"ft", CODE))
    assert found == [7, 10, 32, CODE.index(b"(ft)") + 1]
    assert all(CODE[at : at + 2] == b"ft" for at in found)


def test_fields_are_those_of_the_name_itself() -> None:
    assert list(fields_of(b"ft", CODE)) == [(b"COLUMNS", 10), (b"y", 32)]


@pytest.mark.parametrize(
    ("code", "field", "called", "asked"),
    [
        (b"risk.predict(x)", True, True, True),
        (b"self.risk . predict (x)", True, True, True),
        (b"risk.score", True, False, True),
        (b"risk (x)", False, False, True),
        (b"brisk.predict(x)", False, False, False),
        (b"risks.predict(x)", False, False, False),
        (b"x = risk", False, False, False),
        (b"risk\n.predict(x)", False, False, False),
        (b"riskrisk.f() and brisk.risk.f()", True, True, True),
    ],
)
def test_what_is_done_with_what_goes_by_a_name(code: bytes, field: bool, called: bool, asked: bool) -> None:
    assert has_field(b"risk", code) is field
    assert calls_method_of(b"risk", code) is called
    assert has_call_or_access(b"risk", code) is asked
