"""What fairlint says of programs of a grammar is what comes of them, as often as it was; the net holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import oracle
import pytest
from oracle_grammar import Program, Spec
from oracle_judging import Verdict, check, judged
from oracle_running import Measured, compiler, run_c, run_python
from python_executor import needs_process

import fairlint
from fairlint.support.records import replace

pytestmark = needs_process
needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no gcc")

SEED, PROGRAMS = 7, 300
MOST: Mapping[str, Mapping[str, int]] = {
    "python": {"wrong direction": 0, "wrong amount": 0, "false": 0, "missed": 0, "no amount": 4},
    "c": {"wrong direction": 0, "wrong amount": 0, "false": 0, "missed": 1, "no amount": 0},
}
"""How many of the programs disagree, by language and kind: no more may."""


def simple(language: str, **changed: str) -> Program:
    """A program of which all parts are as simple as they can be, but for some."""
    parts, render, _ = oracle.LANGUAGES[language]
    chosen = {part: options[0] for part, options in parts.items()} | {"outcome": "points"} | changed
    return render(Spec(language, 3, tuple(chosen.items())))


def measured(program: Program) -> Measured:
    """What came of a program."""
    run = run_python if program.spec.language == "python" else run_c
    (found,) = run([program])
    assert not isinstance(found, str), found
    return found


def changed(
    report: fairlint.Report, change: Callable[[Mapping[str, float]], dict[str, float]]
) -> fairlint.Report:
    """The same report, with other amounts."""
    (finding,) = report.findings
    assert finding.use.points is not None
    points = replace(finding.use.points, by_group=change(finding.use.points.by_group))
    return replace(report, findings=(replace(finding, use=replace(finding.use, points=points)),))


@pytest.mark.parametrize("language", ["python", pytest.param("c", marks=needs_compiler)])
def test_what_is_right_agrees(language: str) -> None:
    program = simple(language)

    assert judged(program, measured(program), check(program)).kind == ""


@pytest.mark.parametrize("language", ["python", pytest.param("c", marks=needs_compiler)])
def test_planted_amounts_and_directions_are_told(language: str) -> None:
    program = simple(language)
    came, report = measured(program), check(program)

    def kind(change: Callable[[Mapping[str, float]], dict[str, float]]) -> str:
        return judged(program, came, changed(report, change)).kind

    assert kind(dict) == ""
    assert kind(lambda by_group: {group: 2 * points for group, points in by_group.items()}) == "wrong amount"
    assert kind(lambda by_group: {group: -points for group, points in by_group.items()}) == "wrong direction"


def test_silence_about_a_difference_and_a_report_without_one_are_told() -> None:
    program, twin = simple("python"), simple("python", twin="same")

    assert judged(program, measured(program), fairlint.Report()).kind == "missed"
    assert judged(twin, measured(twin), check(program)).kind == "false"
    assert judged(twin, measured(twin), fairlint.Report()).kind == ""


def test_a_difference_without_an_amount_is_no_fault() -> None:
    program = simple("python")
    report = check(program)
    (finding,) = report.findings
    silent = replace(report, findings=(replace(finding, use=replace(finding.use, points=None)),))

    assert judged(program, measured(program), silent).kind == "no amount"


def test_a_value_of_another_group_is_told() -> None:
    program = simple("python", outcome="verdict")
    report = check(program)
    (finding,) = report.findings
    swapped = dict(zip(finding.use.outcomes, list(finding.use.outcomes.values())[::-1], strict=True))
    planted = replace(report, findings=(replace(finding, use=replace(finding.use, outcomes=swapped)),))

    assert judged(program, measured(program), report).kind == ""
    assert judged(program, measured(program), planted).kind in {"wrong amount", "wrong direction"}


def broken(program: Program, text: str) -> Program:
    """A program with another text."""
    return Program(**{**vars(program), "text": text})


@pytest.mark.slow
def test_programs_that_do_not_run_are_named_and_the_others_are_judged() -> None:
    program = simple("python")
    endless = broken(program, program.text.replace("    return points", "    while True:\n        pass"))
    others = [
        broken(program, "def (:"),
        endless,
        broken(program, program.text.replace("return points", "return [1]")),
    ]
    found = run_python([program, *others])

    assert isinstance(found[0], dict)
    assert [one.split(":")[0] for one in found[1:] if isinstance(one, str)] == [
        "SyntaxError",
        "time",
        "TypeError",
    ]


@needs_compiler
def test_programs_in_c_that_do_not_run_are_named_and_the_others_are_judged() -> None:
    program = simple("c")
    endless = program.text.replace("return points;", "for (;;) ;")
    crashing = program.text.replace("return points;", "return *(int *)0;")
    found = run_c([program, *(broken(program, text) for text in ("int f( {", endless, crashing))])

    assert isinstance(found[0], dict)
    assert [one.split(":")[0] for one in found[1:] if isinstance(one, str)] == [
        "does not compile",
        "died",
        "died",
    ]


@needs_compiler
def test_a_program_in_c_reads_and_writes_nothing_outside() -> None:
    program = simple("c")
    reading = program.text.replace(
        "return points;", 'return fopen("/etc/passwd", "r") || fopen("x", "w") ? -1 : -2;'
    )
    (found,) = run_c([broken(program, reading)])

    assert isinstance(found, dict)
    assert {came.number for world in found.values() for came in world.values()} == {-2.0}


def test_a_program_is_the_same_every_time() -> None:
    for language in oracle.LANGUAGES:
        programs = [oracle.program_of(language, 5, number) for number in range(20)]

        assert programs == [oracle.program_of(language, 5, number) for number in range(20)]
        assert len({one.text for one in programs}) == 20


def test_a_disagreement_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf_to_loops(program: Program) -> fairlint.Report:
        return fairlint.Report() if "while" in program.text else check(program)

    monkeypatch.setattr(oracle, "check", deaf_to_loops)
    (found,) = oracle.judge_all([simple("python", origin="any", read="get", flow="while", around="method")])

    assert found.verdict.kind == "missed"
    assert oracle.needed(oracle.minimised(found).program.spec) == ("flow=while",)


def test_a_summary_counts_kinds_parts_and_what_is_left_out() -> None:
    one, other = simple("python"), simple("python", flow="while")
    found = [
        oracle.Judged(one, Verdict("", (), "")),
        oracle.Judged(other, Verdict("missed", (), "")),
        oracle.Judged(other, Verdict("", (), ""), "SyntaxError: here"),
    ]
    text = "\n".join([*oracle.summary(found), *oracle.by_part(found)])

    assert "python: 2 programs" in text
    assert "missed                1   50.00%" in text
    assert "SyntaxError: here: attribute=gender" in text
    assert "python flow=while" in text


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", pytest.param("c", marks=needs_compiler)])
def test_programs_of_the_grammar_disagree_no_more_often(language: str) -> None:
    found = oracle.judge_many([language], SEED, PROGRAMS)
    kinds = oracle.counted(found)

    assert not [one.left_out for one in found if one.left_out]
    assert {kind: kinds[kind] for kind in MOST[language] if kinds[kind] > MOST[language][kind]} == {}


@pytest.mark.slow
def test_every_option_of_the_grammar_is_used() -> None:
    for language, (parts, _, _) in oracle.LANGUAGES.items():
        programs = [oracle.program_of(language, SEED, number) for number in range(2000)]
        used = {choice for one in programs for choice in one.spec.choices}

        assert not [(part, one) for part in parts for one in parts[part] if (part, one) not in used]
