"""The search for inputs that break fairlint: what is planted is found, made small and written down."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from fuzz import DIFFERS, MANIFEST, fuzz, main, parser, told_cases
from fuzz_minimiser import smallest
from fuzz_mutations import MODES, Made, make
from fuzz_runs import (
    RUNS,
    Batch,
    MixedStatesError,
    State,
    Tally,
    batches_in,
    judged,
    left,
    state_of,
    summary,
    table,
)
from fuzz_seeds import KINDS, gather
from fuzz_worker import Limits, Plan, Task, Worker
from hypothesis import given
from hypothesis import strategies as st

import fairlint.detectors.observation
from fairlint.findings.report import Report
from fairlint.findings.uses import Use
from fairlint.support.records import replace

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "fuzz_cases"

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="memory is counted on Linux only"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),  # a forked child has the defect
]


PROGRAM = """\
def rate(applicant):
    points = 0
    if applicant.gender == "male":
        points += 5
    elif applicant.age > 50:
        points -= 2
    return points
"""
C_PROGRAM = """\
int rate(struct applicant *a)
{
    int points = 0;
    if (a->gender == 1)
        points += 5;
    return points;
}
"""


@pytest.fixture
def few_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs that change with nothing else of the checkout."""
    seeds = {kind: [""] for kind in KINDS} | {"outer python": [PROGRAM], "outer c": [C_PROGRAM]}
    seeds |= {"python": [PROGRAM, PROGRAM], "c": [C_PROGRAM], "answer": [f"```python\n{PROGRAM}```\n"]}
    for module in ("fuzz", "fuzz_worker"):
        monkeypatch.setattr(f"{module}.gather", lambda _: seeds)


def fails() -> None:
    raise ZeroDivisionError("planted")


def spins() -> None:
    while True:
        pass


def spins_and_catches_all() -> None:
    while True:
        try:
            spins()
        except BaseException:  # noqa: BLE001, PERF203, RUF100
            continue


def takes() -> None:
    bytearray(150_000_000)


def takes_all() -> None:
    bytearray(100_000_000_000)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


PLANTED: dict[str, tuple[Callable[[], None], str]] = {
    "an error": (fails, "ZeroDivisionError in "),
    "a loop": (spins, "cpu in "),
    "a loop that cannot be interrupted": (spins_and_catches_all, "cpu"),
    "much memory": (takes, "memory"),
    "all memory": (takes_all, "DefectError: takes more than"),
    "an end of the process": (dies, "the process died (-9)"),
}


@pytest.mark.usefixtures("few_seeds")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_found_and_made_small(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks, problem = PLANTED[name]
    observe = fairlint.detectors.observation.observe

    def planted(source: object, *others: object, **more: object) -> object:
        if b"elif" in source.data:  # type: ignore[attr-defined]
            breaks()
        return observe(source, *others, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("fairlint.detectors.observation.observe", planted)
    slow, quick = "cpu" in problem, breaks in {fails, takes}
    limits = Limits(0.3 if slow else 5.0, 100)
    patience = 60 if quick else 0
    run = fuzz(
        Plan(2, inputs=3 if slow else 8, kinds=("python",), limits=limits, patience=patience, way="fork"),
        tmp_path,
    )

    case = next(case for case in run.cases.values() if case.problem.startswith(problem))
    assert run.tallies["python"].problems > 1
    small = (tmp_path / case.file).read_bytes()
    assert b"elif" in small
    assert len(small) < 60 or not quick, small
    lines = (tmp_path / MANIFEST).read_text().splitlines()
    assert case.file in {json.loads(line)["file"] for line in lines}
    assert case.problem in "\n".join(told_cases(run))
    (batch,) = batches_in(tmp_path)
    assert batch.tallies["python"].problems == run.tallies["python"].problems
    assert bool(batch.tallies["python"].errors) is not slow or breaks is takes


def test_an_input_knows_nothing_of_the_one_before() -> None:
    plan = Plan(1)
    names = Made(2, "config", "mutated", b'vocabulary = ["words.toml"]')
    worker = Worker(plan, 1)
    try:
        alone = worker.judge(Task(2, names)).digest
        worker.judge(Task(1, Made(1, "vocabulary", "mutated", b"")))
        assert worker.judge(Task(2, names)).digest == alone
    finally:
        worker.end()


@pytest.mark.usefixtures("few_seeds")
def test_what_is_told_differently_twice_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observe = fairlint.detectors.observation.observe

    def planted(*given: object, **more: object) -> object:
        found = [one for one in observe(*given, **more) if isinstance(one, Use)]  # type: ignore[arg-type]
        return [replace(use, detail=str(os.getpid())) for use in found]

    monkeypatch.setattr("fairlint.detectors.observation.observe", planted)
    run = fuzz(Plan(2, inputs=120, kinds=("python",), way="fork"), tmp_path)

    assert {case.problem for case in run.cases.values()} == {DIFFERS}


@pytest.mark.usefixtures("few_seeds")
def test_a_place_outside_of_the_text_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observe = fairlint.detectors.observation.observe

    def planted(*given: object, **more: object) -> object:
        for found in observe(*given, **more):  # type: ignore[arg-type]
            yield replace(found, span=replace(found.span, end=found.span.end + 100_000))

    monkeypatch.setattr("fairlint.detectors.observation.observe", planted)
    run = fuzz(Plan(2, inputs=20, kinds=("c",), way="fork"), tmp_path)

    assert any("spans outside" in case.problem for case in run.cases.values())


@pytest.mark.usefixtures("few_seeds")
def test_a_broken_format_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(report: Report, _: object) -> list[str]:
        return ["\x1b[31m" for _ in report.not_analysed]

    monkeypatch.setattr("fairlint.reporters.text.report", planted)
    run = fuzz(Plan(2, inputs=60, kinds=("python",), way="fork"), tmp_path)

    assert any("control character" in case.problem for case in run.cases.values())


@pytest.mark.usefixtures("few_seeds")
def test_nothing_is_found_where_all_holds_and_runs_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fuzz(Plan(3, inputs=60, way="fork"), tmp_path)
    monkeypatch.setattr("fuzz.BATCH", 7)
    part = fuzz(Plan(3, inputs=20, way="fork"), tmp_path)
    rest = fuzz(Plan(3, start=part.next, inputs=40, cores=2, way="fork"), tmp_path)

    assert not whole.cases
    assert (part.next, rest.next) == (20, 60)
    for kind, tally in whole.tallies.items():
        counts = [sum(run.tallies[kind].inputs.values()) for run in (part, rest) if kind in run.tallies]
        assert sum(tally.inputs.values()) == sum(counts)
    both = [one for one in batches_in(tmp_path) if one.start or one.end != 60]
    assert summary(both)["runs"][0]["inputs"] == [[0, 60]]
    assert summary(both)["inputs"] == 60


@pytest.mark.usefixtures("few_seeds")
def test_a_run_that_was_ended_goes_on_with_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.BATCH", 10)
    fuzz(Plan(3, start=10, inputs=14, kinds=("python",), way="fork"), tmp_path)
    with (tmp_path / RUNS).open("a") as runs:
        runs.write('{"state": {"program"')  # it was killed amid a line
    rest = fuzz(Plan(3, inputs=40, kinds=("python",), way="fork"), tmp_path, resume=True)

    assert rest.count == 26
    assert summary(batches_in(tmp_path))["inputs"] == 40
    assert fuzz(Plan(3, inputs=40, kinds=("python",), way="fork"), tmp_path, resume=True).count == 0


STATE = State("program", "inputs", "commit")


def batch(start: int, end: int, *, seed: int = 1, state: State = STATE, count: int | None = None) -> Batch:
    tally = Tally({"mutated": end - start if count is None else count}, seconds=2.0, slowest=(1.5, start))
    return Batch(state, seed, ("c",), start, end, {"c": tally})


def test_what_is_left_are_the_numbers_that_nobody_has_judged() -> None:
    done = judged([batch(10, 20), batch(25, 30), batch(0, 5, seed=2)], batch(0, 0))

    assert done == [(10, 20), (25, 30)]
    assert list(left(0, 40, 8, done)) == [(0, 8), (8, 10), (20, 24), (24, 25), (30, 32), (32, 40)]
    assert list(left(12, 18, 8, done)) == []


def test_one_state_is_added_up_and_several_are_not() -> None:
    told = summary([batch(0, 10), batch(10, 30), batch(0, 10, seed=2)])

    assert (told["inputs"], told["seconds of CPU"], told["slowest, s of CPU"]) == (40, 6, 1.5)
    assert [(run["seed"], run["inputs"]) for run in told["runs"]] == [(1, [[0, 30]]), (2, [[0, 10]])]
    assert "40" in list(table({"c": Tally({"mutated": 40})}))[-1]
    with pytest.raises(MixedStatesError, match="2 states"):
        summary([batch(0, 10), batch(10, 20, state=State("another", "inputs"))])
    with pytest.raises(MixedStatesError, match="input 9 of seed 1 was judged more than once"):
        summary([batch(0, 10), batch(9, 20)])
    with pytest.raises(MixedStatesError, match="0 states"):
        summary([])


def test_a_state_is_that_of_the_program_and_not_of_what_is_written_about_it(tmp_path: Path) -> None:
    (tmp_path / "fairlint").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "fairlint" / "a.py").write_text("x = 1\n")
    before = state_of(tmp_path)
    (tmp_path / "docs" / "a.md").write_text("figures\n")
    (tmp_path / "fairlint" / "compiled_data.bin").write_text("made by a run")
    told = state_of(tmp_path)
    (tmp_path / "fairlint" / "a.py").write_text("x = 2\n")

    assert told.program == before.program != state_of(tmp_path).program
    assert told.inputs != before.inputs
    assert told.commit == ""


@pytest.mark.usefixtures("few_seeds")
def test_a_summary_is_of_this_state_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "summary.json"
    assert main(["--cases", str(tmp_path), "--summary", str(file)]) == 2
    fuzz(Plan(3, inputs=5, kinds=("python",), way="fork"), tmp_path)
    (mine,) = batches_in(tmp_path)
    mine.state = State("another", "inputs")
    with (tmp_path / RUNS).open("a") as runs:
        runs.write(json.dumps(asdict(mine)) + "\n")
    capsys.readouterr()

    assert main(["--cases", str(tmp_path), "--summary", str(file)]) == 0
    assert "1 of 2 batches are left out" in capsys.readouterr().err
    assert json.loads(file.read_text())["inputs"] == 5


def test_an_input_is_the_same_for_any_hash_seed() -> None:
    program = (
        "from fuzz_mutations import make; from fuzz_seeds import gather; import hashlib\n"
        "seeds = gather()\n"
        "print(hashlib.sha256(b''.join(make(7, n, seeds).data for n in range(300))).hexdigest())"
    )
    path = f"{ROOT}{os.pathsep}{ROOT / 'benchmarks'}"
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    ]

    assert told[0] == told[1]


def test_every_kind_and_every_way_is_made() -> None:
    seeds = gather()
    made = [make(1, number, seeds) for number in range(1_500)]

    assert {one.kind for one in made} == set(KINDS)
    assert {one.mode for one in made} == set(MODES)
    assert max(len(one.data) for one in made if one.mode == "amplified") > 20_000
    assert len({one.data for one in made}) > 1_400


@given(st.text(max_size=80), st.text(max_size=80))
def test_only_what_matters_is_left(before: str, after: str) -> None:
    data = f"{before}gen\nder{after}".encode("utf-8", "surrogatepass")

    assert smallest(data, lambda left: b"gen\nder" in left, 10_000) == b"gen\nder"


def test_what_does_not_break_stays_and_attempts_are_counted() -> None:
    asked = []

    def breaks(left: bytes) -> bool:
        asked.append(left)
        return False

    assert smallest(b"a\nb\n" * 500, breaks, 50) == b"a\nb\n" * 500
    assert len(asked) == 50


# --------------------------------------------------------------------------------------- what was found


def kept() -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / MANIFEST).read_text(encoding="utf-8").splitlines()]


def test_cases_are_few_small_and_all_told() -> None:
    files = {path.name for path in CASES.iterdir()} - {MANIFEST}

    assert {case["file"] for case in kept()} == files
    assert all((CASES / name).stat().st_size <= 5_000 for name in files)


@pytest.fixture(scope="module")
def worker() -> Worker:
    return Worker(Plan(0, limits=Limits()), 1)


@pytest.mark.parametrize("case", kept(), ids=lambda case: case["file"])
def test_what_was_found_once_holds(case: dict[str, str], worker: Worker) -> None:
    from fuzz_mutations import Made

    data = (CASES / case["file"]).read_bytes()
    for number in range(4):  # the number says which samples are taken
        result = worker.judge(Task(number, Made(number, case["kind"], "kept", data)))
        assert not result.problem, result.detail


# ------------------------------------------------------------------------------------------ every night


def test_the_nightly_run_may_read_only_and_runs_what_is_pinned() -> None:
    workflow = (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")

    assert "permissions:\n  contents: read\n" in workflow
    assert "write" not in workflow
    assert workflow.count("persist-credentials: false") == workflow.count("/checkout@")
    assert all(
        re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", used) for used in re.findall(r"uses: (\S+)", workflow)
    )
    (command,) = re.findall(r"benchmarks/fuzz\.py (.*)", workflow)
    options = parser().parse_args(shlex.split(command.replace("$(date +%Y%m%d)", "20260101")))
    assert (options.minutes, options.cases) == (60, Path("found"))
