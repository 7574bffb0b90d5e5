"""The budget of steps: what a file may take, and what is said where it is spent."""

from __future__ import annotations

from pathlib import Path

import pytest

import fairlint
from fairlint.config import Settings
from fairlint.semantics.interpreter import file_state
from fairlint.syntax.depth import MAX_DEPTH
from fairlint.syntax.tree import Node
from fairlint.vocabulary import purposes

ROOT = Path(__file__).parent.parent
SCORE = """def rate{0}(applicant):
    score = 0
    if applicant.gender == 'male':
        score += 5
    return score
"""


def nested(opening: str, closing: str, depth: int) -> str:
    inside = f"{opening * depth}p.gender{closing * depth}"
    return f"import pandas as pd\ndef rate(p):\n    q = {inside}\n    return q\n"


def steps(text: str, monkeypatch: pytest.MonkeyPatch, path: str = "nested.py") -> int:
    """How many steps the evaluation of a text takes."""
    taken = 0
    count = file_state.FileState.step

    def counted(program: file_state.FileState, node: Node) -> bool:
        nonlocal taken
        taken += 1
        return count(program, node)

    with monkeypatch.context() as patch:
        patch.setattr(file_state.FileState, "step", counted)
        assert fairlint.check_source(text, path=path).not_analysed == ()
    return taken


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("dict(a=", ")"), ("Q(a=", ")"), ("df.filter(a=", ")"), ("df.assign(a=", ")"),
        ("pd.DataFrame(a=", ")"),
        ("model.fit(X=", ")"), ("df.rename(columns=", ")"), ("partial(f, a=", ")"), ("df.annotate(a=", ")"),
        ("field(default=", ")"), ("[x for x in ", "]"), ("sum(x for x in ", ")"), ("df.apply(func=", ")"),
        ("When(a=", ")"), ("f(lambda: ", ")"), ("f(", ".loc[0])"),
    ],
)  # fmt: skip
def test_what_is_nested_is_evaluated_once(
    opening: str, closing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each level once took several times what its inner level took, so that twenty of them took minutes."""
    few, many = (steps(nested(opening, closing, depth), monkeypatch) for depth in (10, 40))

    assert many <= 4.5 * few


def test_a_spent_budget_is_told_with_its_line() -> None:
    text = "".join(SCORE.format(number) for number in range(9))
    report = fairlint.check_source(text, path="long.py", settings=Settings(file_steps=30))

    [gap] = report.not_analysed
    assert (gap.line, gap.cause) == (14, "limit")
    assert (
        gap.reason == "the analysis stopped here: the file takes more than 30 steps (the setting file-steps)"
    )
    assert report.findings
    assert not report.failed


def test_the_default_budget_is_one_number() -> None:
    assert Settings().file_steps == file_state.STEPS
    assert Settings().file_nesting == MAX_DEPTH


@pytest.mark.parametrize("steps", [1, 20, 150, 1_000])
def test_wherever_the_steps_end_nothing_breaks(steps: int) -> None:
    report = fairlint.check_paths([ROOT / "fixtures" / "python"], Settings(file_steps=steps))

    assert not report.failed, [gap for gap in report.not_analysed if gap.cause == "error"]
    assert any(gap.cause == "limit" for gap in report.not_analysed)


LOOPS = {
    "py": (
        "def rate(p):\n",
        "{0}for x{1} in ['male', 'female', 'white', 'asian']:\n",
        "{0}score += p.gender == x0\n",
    ),
    "c": (
        (
            'static const char *g[] = {"male", "female", "white", "asian"};\nint rate(struct person *p) {\n'
            "int score = 0, i0, i1, i2, i3, i4, i5, i6, i7, i8;\n"
        ),
        "for (i{1} = 0; i{1} < 4; i{1}++)\n",
        "if (strcmp(p->gender, g[i0]) == 0) score += 1;\nreturn score; }}\n",
    ),
}


@pytest.mark.parametrize("suffix", LOOPS)
def test_rounds_of_loops_within_loops_are_bounded_together(
    suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, loop, body = LOOPS[suffix]

    def text(depth: int) -> str:
        loops = "".join(loop.format(" " * (level + 1), level) for level in range(depth))
        return head + loops + body.format(" " * (depth + 1))

    few, many = (steps(text(depth), monkeypatch, f"nested.{suffix}") for depth in (5, 9))

    assert many <= 3 * few


@pytest.mark.parametrize("default", ["rate(1)", "[rate(1)]", "other(1)"])
def test_a_default_that_calls_its_own_function_ends(default: str) -> None:
    text = (
        "def other(r=rate(1)):\n    return r\n"
        f"def rate(p, q={default}):\n    return q\n"
        "def score(a):\n    if a.gender == 'male':\n        return rate(1)\n    return other(2)\n"
    )

    assert not fairlint.check_source(text).not_analysed


def test_the_text_of_a_function_is_searched_once_for_all_its_uses() -> None:
    """A prompt after the other in one function: each has the purposes that its text tells of."""

    def searched(count: int) -> int:
        purposes._first_match.cache_clear()
        asked = "".join(
            f"    client.chat(f'{at} {{p.gender}} Should we hire this applicant?')\n" for at in range(count)
        )
        report = fairlint.check_source(f"def judge(client, p):\n{asked}", path="a.py")
        assert len(report.findings) == count
        return purposes._first_match.cache_info().misses

    assert searched(20) == searched(2) > 0
