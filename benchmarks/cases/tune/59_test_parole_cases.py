import pytest

from parole.engine import Inmate, decide


def make(name, **kw):
    kw.setdefault("infractions", 0)
    return Inmate(name=name, **kw)


@pytest.mark.parametrize(  # FL801: ethnicity
    ("inmate", "expected"),
    [
        (Inmate(name="Ruiz", ethnicity="latino", infractions=3), "deny"),
        (Inmate(name="Vega", ethnicity="Hispanic", infractions=5), "deny"),
        (Inmate(name="Soto", ethnicity="latina", infractions=2), "deny"),
        (Inmate(name="Hall", ethnicity="non-Hispanic", infractions=0), "grant"),
        (Inmate(name="Ward", ethnicity="non-hispanic", infractions=1), "grant"),
        (Inmate(name="Cook", ethnicity="not Hispanic or Latino", infractions=0), "grant"),
    ],
)
def test_decide(inmate, expected):
    assert decide(inmate) == expected


def test_default_has_no_infractions():
    assert make("Gray", ethnicity="hispanic").infractions == 0  # silent: one fixture
