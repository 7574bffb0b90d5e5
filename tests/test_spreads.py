"""A finding that sets groups further apart than before is known as such."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.cli import main
from fairlint.findings.spreads import Spread, growth_message, shrunk

BEFORE = """\
def rate(applicant):
    score = applicant.years
    if applicant.gender == "male":
        score += 10
    return score
"""
MORE = {
    "a larger gap": (BEFORE.replace("10", "400"), "gap 10 before, 400 now"),
    "others lose": (
        BEFORE.replace("    return", "    else:\n        score -= 100\n    return"),
        "gap 10 before, 110 now",
    ),
    "one more place": (
        BEFORE.replace("    return", '    if applicant.gender == "male":\n        score += 10\n    return'),
        "1 place before, 2 now",
    ),
    "another group gains": (
        BEFORE.replace("10", "-10"),
        "male had more than others before, and has less now",
    ),
    "nobody knows how much": (
        BEFORE.replace("10", "applicant.bonus"),
        "gap 10 before, amounts not known now",
    ),
}
SAME_OR_LESS = {
    "the same": BEFORE,
    "a smaller gap": BEFORE.replace("10", "4"),
    "a comment": BEFORE.replace("10", "10  # points"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "rates.py").write_text(BEFORE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("text", "how"), MORE.values(), ids=MORE)
def test_what_grew_is_new_beside_a_baseline_and_says_how(
    here: Path, capsys: pytest.CaptureFixture[str], text: str, how: str
) -> None:
    assert main(["baseline", "create", "."]) == 0
    (here / "rates.py").write_text(text)
    capsys.readouterr()
    assert main(["--format", "concise", "--no-cache", "."]) == 1
    assert f"(baseline: {how})" in capsys.readouterr().out
    assert main(["baseline", "check", "."]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 as before, 1 new (1 of them grown), 0 stale."


@pytest.mark.parametrize("text", SAME_OR_LESS.values(), ids=SAME_OR_LESS)
def test_what_did_not_grow_stays_suppressed(here: Path, text: str) -> None:
    assert main(["baseline", "create", "."]) == 0
    (here / "rates.py").write_text(text)
    assert main(["."]) == 0


def test_pruning_keeps_the_smaller_amount(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "create", "."]) == 0
    (here / "rates.py").write_text(BEFORE.replace("10", "4"))
    assert main(["baseline", "prune", "."]) == 0
    (here / "rates.py").write_text(BEFORE)
    capsys.readouterr()
    assert main(["--format", "concise", "."]) == 1
    assert "gap 4 before, 10 now" in capsys.readouterr().out


def test_an_entry_without_amounts_is_still_an_entry(here: Path) -> None:
    assert main(["baseline", "create", "."]) == 0
    file = here / "fairlint-baseline.jsonl"
    entry = json.loads(file.read_text())
    for key in ("groups", "op", "amounts", "places"):
        del entry[key]
    file.write_text(json.dumps(entry) + "\n")
    (here / "rates.py").write_text(BEFORE.replace("10", "400"))
    assert main(["."]) == 0


def test_statistics_say_what_grew_and_what_shrank(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def report(name: str, text: str) -> str:
        (here / "rates.py").write_text(text)
        main(["--no-cache", "--format", "json", "--output", name, "-q", "rates.py"])
        return name

    small, large = report("small.json", BEFORE), report("large.json", BEFORE.replace("10", "400"))
    capsys.readouterr()
    assert main(["statistics", small, large]) == 0
    out = capsys.readouterr().out
    assert "grown: rates.py:3: FL201" in out
    assert out.endswith("1 kept (1 grown).\n")
    assert main(["statistics", "--format", "json", large, small]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["how"] for one in document["shrunk"]] == ["gap 400 before, 10 now"]
    assert document["grown"] == []


SPREADS = st.builds(
    Spread,
    st.lists(st.sampled_from(["female", "male", "nonbinary"]), unique=True).map(
        lambda one: tuple(sorted(one))
    ),
    st.sampled_from(["add", "multiply"]),
    st.dictionaries(st.sampled_from(["female", "male", ""]), st.integers(-9, 9).map(float), min_size=1),
    st.integers(1, 3),
)


@given(SPREADS, SPREADS)
def test_nothing_grows_and_shrinks_at_once_and_nothing_outgrows_itself(one: Spread, other: Spread) -> None:
    assert growth_message(one, one) == shrunk(one, one) == ""
    assert not (growth_message(one, other) and shrunk(one, other))
    if one.op == other.op and other.gap > one.gap:
        assert growth_message(one, other)
