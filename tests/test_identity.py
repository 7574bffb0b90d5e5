"""Findings are known again after edits, and never taken for others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint import check_source
from fairlint.findings.finding import Finding, Identity
from fairlint.findings.matching import KnownFinding, match_findings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import identity as edits  # noqa: E402

SCORE = """
def points(applicant):
    score = 0
    if applicant.gender == "female":
        score -= 5
    return score
"""


def findings(text: str, path: str = "a.py") -> list[Finding]:
    """What is told of a text."""
    return list(check_source(text, path=path).findings)


def only(text: str, path: str = "a.py") -> Identity:
    """The identity of its one finding."""
    (finding,) = findings(text, path)
    return finding.identity


@pytest.mark.parametrize(
    "text",
    [
        SCORE.replace('"', "'"),
        SCORE.replace("\n", "\r\n"),
        SCORE.replace("    ", "\t"),
        SCORE.replace("points", "bonus"),
        SCORE.replace("applicant", "person"),
        SCORE.replace('applicant.gender == "female"', '(applicant.gender\n        == "female")  # why?'),
        "def rank(applicants):\n    return sorted(applicants, key=points)\n" + SCORE,
        "class Scores:" + SCORE.replace("\n", "\n    ").replace("    def", "    @staticmethod\n    def"),
    ],
    ids=["quotes", "line ends", "tabs", "function", "receiver", "formatted", "caller above", "moved"],
)
def test_an_edit_around_a_finding_leaves_its_identity(text: str) -> None:
    assert str(only(text)) == str(only(SCORE))


def test_other_code_has_another_identity() -> None:
    assert only(SCORE.replace("female", "male")).own != only(SCORE).own
    assert only(SCORE.replace("gender", "sex").replace("female", "male")).own != only(SCORE).own


def test_a_call_over_several_lines_is_the_same_call() -> None:
    call = (
        "import gender_guesser.detector as g\nd = g.Detector()\ndef f(p):\n    p.gender = d.get_gender({})\n"
    )
    wide = only(call.format("p.name, p.country"))
    assert only(call.format("\n        p.name,\n        p.country,\n    ")).own == wide.own


def test_equal_findings_are_numbered_and_told_apart_by_their_functions() -> None:
    two = findings(SCORE + SCORE.replace("points", "bonus"))
    assert [str(one.identity).rpartition(":")[2] for one in two] == ["1", "2"]
    before = [KnownFinding("a.py", one.identity) for one in two]
    swapped = findings(SCORE.replace("points", "bonus") + SCORE)
    assert match_findings(before, [KnownFinding("a.py", one.identity) for one in swapped]) == {0: 1, 1: 0}


def test_a_copy_is_new() -> None:
    before = [KnownFinding("a.py", only(SCORE))]
    now = findings(SCORE.replace("points", "again") + SCORE)
    assert match_findings(before, [KnownFinding("a.py", one.identity) for one in now]) == {0: 1}


def test_a_renamed_file_keeps_its_findings_and_a_copied_one_does_not() -> None:
    before = [KnownFinding("a.py", only(SCORE))]
    now = [KnownFinding("b.py", only(SCORE, "b.py"))]
    assert match_findings(before, now, gone=frozenset({"a.py"})) == {0: 0}
    assert not match_findings(before, now)


IDENTITIES = st.builds(
    KnownFinding,
    st.sampled_from(("a.py", "b.py", "c.py")),
    st.builds(
        Identity,
        own=st.sampled_from("xy"),
        function=st.sampled_from(("f", "g", "")),
        body=st.integers(0, 2),
        near=st.integers(0, 2),
    ),
)


MANY = st.lists(IDENTITIES, max_size=12)


@given(MANY, MANY, st.sets(st.sampled_from(("a.py", "b.py"))))
def test_each_finding_is_matched_once_and_with_its_own_code(
    before: list[KnownFinding], now: list[KnownFinding], gone: set[str]
) -> None:
    found = match_findings(before, now, frozenset(gone))
    assert len(set(found.values())) == len(found)
    for old, new in found.items():
        assert before[old].identity.own == now[new].identity.own
        assert before[old].path == now[new].path or before[old].path in gone


@given(MANY)
def test_what_did_not_change_is_matched_with_itself(before: list[KnownFinding]) -> None:
    found = match_findings(before, before)
    assert len(found) == len(before)
    assert all(before[old] == before[new] for old, new in found.items())


def test_findings_survive_edits_at_random() -> None:
    files = [path for folder in edits.FOLDERS[:2] for path in sorted((ROOT / folder).glob("*.[pc]*"))]
    files = [path for path in files if path.suffix in {".py", ".c"}]
    tallies = edits.measure(files, 90, seed=5)
    assert sum(tally.mistaken for tally in tallies.values()) == 0
    kept = {name: tally.kept for name, tally in tallies.items() if name not in edits.FREE}
    lost = {name: tally.lost for name, tally in tallies.items() if name not in edits.FREE}
    assert sum(kept.values()) > 60
    assert not any(lost.values()), [tally.examples for tally in tallies.values()]
