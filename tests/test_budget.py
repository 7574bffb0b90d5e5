"""The budget of steps: what a file may take, and what is said where it is spent."""

from __future__ import annotations

from functools import partial

import pytest

import fairlint
from fairlint.semantics import execution, frame
from fairlint.syntax.tree import Node

SCORE = """def rate{0}(applicant):
    score = 0
    if applicant.gender == 'male':
        score += 5
    return score
"""


def nested(opening: str, closing: str, depth: int) -> str:
    inside = f"{opening * depth}p.gender{closing * depth}"
    return f"import pandas as pd\ndef rate(p):\n    q = {inside}\n    return q\n"


def steps(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many steps the evaluation of a text takes."""
    taken = 0
    count = frame.Program.step

    def counted(program: frame.Program, node: Node) -> bool:
        nonlocal taken
        taken += 1
        return count(program, node)

    with monkeypatch.context() as patch:
        patch.setattr(frame.Program, "step", counted)
        assert fairlint.check_source(text, path="nested.py").not_analysed == ()
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


def test_a_spent_budget_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "Program", partial(frame.Program, budget=30))
    report = fairlint.check_source("".join(SCORE.format(number) for number in range(9)), path="long.py")

    assert [gap.line for gap in report.not_analysed] == [14]
    assert "the analysis stopped here" in report.not_analysed[0].reason
    assert report.findings
