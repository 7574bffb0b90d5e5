"""From paths to a Report: what is counted, in what order, and what happens when something breaks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

import fairlint
from fairlint.checking import checker, incomplete, runner
from fairlint.checking.file_result import FileResult
from fairlint.checking.runner import check_paths, check_source
from fairlint.config import Settings
from fairlint.findings.report import NotAnalysed
from fairlint.findings.uses import NO_CONTEXT
from fairlint.processes import parallel, workers
from fairlint.reporters import json as json_report
from fairlint.sources.discovery import discover
from fairlint.support.causes import MEANINGS, SkipReason
from fairlint.support.errors import UsageError
from fairlint.support.records import replace
from fairlint.vocabulary.vocabulary import Vocabulary

SCORE = '''\
def score(applicant):
    """Score an applicant for a job."""
    points = 0
    if applicant.gender == "male":
        points += 5
    return points
'''
CLEAN = "def add(a, b):\n    return a + b\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_causes_are_those_of_the_schema_and_the_documentation() -> None:
    gap = json.loads(json_report.schema())["properties"]["not_analysed"]["items"]["properties"]
    assert gap["cause"]["enum"] == list(MEANINGS) == list(get_args(SkipReason))
    usage = (Path(__file__).parent.parent / "docs" / "usage.md").read_text(encoding="utf-8")
    assert all(f"| `{cause}` | {meaning} |" in usage for cause, meaning in MEANINGS.items())


def test_a_finding_is_placed_in_its_file(here: Path) -> None:
    (here / "hire.py").write_text(SCORE)
    (here / "clean.py").write_text(CLEAN)

    report = check_paths(["."])

    [finding] = report.findings
    assert (finding.path, finding.start.line, finding.rule) == ("hire.py", 4, "FL201")
    assert finding.points is not None
    assert finding.points.by_group["male"] == 5
    assert finding.flow
    assert finding.fingerprint
    assert finding.line_hash.endswith(":1")
    assert report.files == 2
    assert report.not_analysed == ()
    assert list(report.sources) == ["hire.py"]
    assert report.points("gender") == {"male": 5.0, "female": 0.0}
    assert not report.failed


def test_text_bytes_and_answers_can_be_checked() -> None:
    answer = f"Here you go:\n```python\n{SCORE}```\n"

    assert [finding.start.line for finding in check_source(SCORE).findings] == [4]
    assert [finding.start.line for finding in check_source(SCORE.encode("utf-16")).findings] == [4]
    assert [finding.start.line for finding in check_source(fairlint.read_response(answer)).findings] == [6]
    assert check_source(SCORE).findings[0].path == "<string>"


def test_the_language_of_a_text_follows_its_path() -> None:
    c = "struct person { int gender; };\nint f(struct person *applicant) { return 1; }\n"

    assert check_source(c, path="a.c").not_analysed == ()
    assert check_source(c, language="c").not_analysed == ()
    assert check_source(c, path="a.py").not_analysed != ()


def test_a_language_without_a_parser_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no parser for the language 'cobol'"):
        check_source("gender", language="cobol")


def test_an_answer_without_code_is_named() -> None:
    report = check_source(fairlint.read_response("I will not rate people by gender."))

    assert report.not_analysed == (NotAnalysed("<answer>", 1, "no code found in the answer", "skipped"),)


def test_line_endings_and_byte_order_marks_do_not_move_findings(here: Path) -> None:
    (here / "crlf.py").write_bytes(b"\xef\xbb\xbf" + SCORE.replace("\n", "\r\n").encode())
    (here / "cr.py").write_bytes(SCORE.replace("\n", "\r").encode())
    (here / "latin.py").write_bytes(SCORE.replace("a job", "une m\xe9tier").encode("latin-1"))

    report = check_paths(["."])

    places = {(finding.path, finding.start.line, finding.start.column) for finding in report.findings}
    assert {("crlf.py", 4, 8), ("latin.py", 4, 8)} <= places


def test_the_order_is_that_of_paths_and_lines(here: Path) -> None:
    for name in ("b.py", "a.py", "c/d.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(SCORE + SCORE.replace("score", "again"))

    keys = [finding.sort_key for finding in check_paths(["c", "b.py", "a.py"]).findings]

    assert keys == sorted(keys)
    assert len(keys) == 6


def test_rules_can_be_selected_and_ignored(here: Path) -> None:
    (here / "hire.py").write_text(SCORE)

    def rules(settings: Settings) -> list[str]:
        return [finding.rule for finding in check_paths(["."], settings).findings]

    assert rules(Settings(select=("FL2",))) == ["FL201"]
    assert rules(Settings(select=("fl201",))) == ["FL201"]
    assert rules(Settings(select=("points-by-group",))) == ["FL201"]
    assert rules(Settings(select=("FL1",))) == []
    assert rules(Settings(ignore=("FL2",))) == []
    assert rules(Settings(per_file_ignores={"hire.py": ("FL2",)})) == []
    assert rules(Settings(per_file_ignores={"other/": ("FL2",)})) == ["FL201"]
    assert rules(Settings(min_severity="error")) == ["FL201"]
    with pytest.raises(UsageError, match="no rule is called 'FL0'"):
        rules(Settings(ignore=("FL0",)))


def test_what_is_too_mild_is_counted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairlint.rules import judging
    from fairlint.support.records import replace

    (here / "hire.py").write_text(SCORE)
    judge = judging.judge

    def mildly(*arguments: object) -> object:
        verdict = judge(*arguments)  # type: ignore[arg-type]
        return verdict and replace(verdict, severity="note")

    monkeypatch.setattr(judging, "judge", mildly)

    report = check_paths(["."])
    assert (report.findings, report.hidden_notes) == ((), 1)
    assert len(check_paths(["."], Settings(min_severity="note")).findings) == 1


def test_the_users_vocabulary_is_used(here: Path) -> None:
    (here / "hire.py").write_text(SCORE)
    (here / "fairlint.toml").write_text("[attributes.gender]\ndisabled = true\n")

    assert check_paths(["."]).findings == ()

    (here / "fairlint.toml").write_text("[attributes.gender]\nstrong = 3\n")
    with pytest.raises(UsageError, match=r"fairlint\.toml: attributes\.gender"):
        check_paths(["."])


def test_each_text_is_checked_with_the_attributes_it_is_given_with() -> None:
    """A vocabulary is kept from one text to the next, and each asks with its own."""
    code = "def score(person):\n    return 2 if person.{} == 'south' else 1\n"
    own = [f"parish{letter}" for letter in "abcdefghij"]
    for name in (*own, own[0]):
        asked = Settings(attributes={name: {"strong": [name], "groups": {"south": ["south"]}}})
        for other in (name, "parishk"):
            report = check_source(code.format(other), settings=asked)
            assert [use.attribute for _, use in report.uses] == ([name] if other == name else [])


def test_one_vocabulary_serves_many_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make one takes longer than to judge a model's answer."""
    made: list[object] = []
    extended = Vocabulary.extended

    def counted(self: Vocabulary, tables: Sequence[Mapping[str, object]]) -> Vocabulary:
        made.append(tables)
        return extended(self, tables)

    monkeypatch.setattr(Vocabulary, "extended", counted)
    settings = Settings(attributes={"parish": {"strong": ["parish"], "groups": {"south": ["south"]}}})
    for place in range(3):
        report = check_source(f"if parish == 'south':\n    score = {place}\n", settings=settings)
        assert [use.attribute for _, use in report.uses] == ["parish"]
    assert len(made) <= 1


def test_damage_is_named_and_the_rest_checked(here: Path) -> None:
    (here / "cut.py").write_text(f"{SCORE}\n\ndef broken(applicant):\n    if applicant.gender == \n")

    report = check_paths(["."])

    assert [finding.start.line for finding in report.findings] == [4]
    assert report.not_analysed
    assert all(gap.path == "cut.py" and gap.line >= 9 for gap in report.not_analysed)


def test_a_file_with_much_damage_takes_few_lines_of_the_report(here: Path) -> None:
    (here / "cut.py").write_text(SCORE + "\n".join(f"def f{n}(: gender = )\n" for n in range(50)))

    assert 1 <= len(check_paths(["."]).not_analysed) <= incomplete.MAX_GAPS


def test_much_damage_hides_no_limit(here: Path) -> None:
    deep = f"def deep(applicant):\n    return {'(' * 900}applicant.gender{' + 1)' * 900}\n"
    (here / "cut.py").write_text("\n".join(f"def f{n}(: gender = )\n" for n in range(50)) + deep)

    gaps = check_paths(["."]).not_analysed

    assert {gap.cause for gap in gaps} == {"syntax", "limit"}
    assert [gap.line for gap in gaps] == sorted(gap.line for gap in gaps)


def test_an_internal_error_concerns_one_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a.py").write_text(SCORE)
    (here / "b.py").write_text(SCORE)
    real = checker.Checker._analyse

    def fails(self: checker.Checker, source: fairlint.Source, raw: bytes, hits: list[int]) -> FileResult:
        if source.path == "a.py":
            raise RecursionError("maximum recursion depth\nexceeded")
        return real(self, source, raw, hits)

    monkeypatch.setattr(checker.Checker, "_analyse", fails)
    report = check_paths(["."])

    assert report.failed
    assert [finding.path for finding in report.findings] == ["b.py"]
    assert report.not_analysed == (
        NotAnalysed("a.py", 1, "internal error: RecursionError: maximum recursion depth exceeded", "error"),
    )


def test_files_without_a_mention_are_not_parsed(here: Path) -> None:
    (here / "clean.py").write_text(CLEAN)
    code = (
        "import sys, fairlint\n"
        "assert fairlint.check_paths(['.']).files == 1\n"
        "parts = ('tree_sitter', 'fairlint.syntax.tree', 'fairlint.detectors', 'fairlint.rules.judging')\n"
        "loaded = [name for name in sys.modules if name.startswith(parts)]\n"
        "assert not loaded, loaded\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())


def test_importing_fairlint_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import fairlint\n"
        "extra = {name for name in set(sys.modules) - before if not name.startswith('__')}\n"
        "assert extra <= {'fairlint'}, extra\n"
        "assert 'check_paths' in dir(fairlint) and fairlint.check_paths and fairlint.__version__\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        fairlint.nonsense  # noqa: B018


def _environment() -> dict[str, str]:
    root = str(Path(fairlint.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": root}


# Several processes -----------------------------------------------------------------------------------------


@pytest.fixture
def many(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for number in range(12):
        (here / f"f{number:02}.py").write_text(SCORE)
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "BATCH", 400)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: 2)
    return here


needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@needs_fork
@pytest.mark.usefixtures("many")
def test_several_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    several = check_paths(["."])
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 1 << 40)

    assert several == check_paths(["."])
    assert len(several.findings) == 12


@needs_fork
@pytest.mark.usefixtures("many")
def test_files_that_are_read_while_processes_work_are_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    several = check_paths(["."])
    monkeypatch.setattr(parallel, "FILES_BETWEEN", 1)

    assert several == check_paths(["."])


def test_files_are_forgotten_when_they_are_read(here: Path) -> None:
    for number in range(3):
        (here / f"f{number}.py").write_text("")
    files = discover(["."], Settings()).files
    left = [(file.name, len(files)) for file in runner._drain_files(files)]

    assert left == [("f0.py", 2), ("f1.py", 1), ("f2.py", 0)]


@needs_fork
@pytest.mark.usefixtures("many")
def test_no_more_code_waits_than_is_about_to_be_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    several = check_paths(["."])
    waiting: list[int] = []
    tell = parallel._WorkerPool._tell

    def told(crew: parallel._WorkerPool, worker: workers.Worker) -> None:
        waiting.append(len(crew._waiting))
        tell(crew, worker)

    monkeypatch.setattr(parallel._WorkerPool, "_tell", told)
    monkeypatch.setattr(parallel, "AHEAD", 1)
    monkeypatch.setattr(parallel, "FILES_BETWEEN", 1)
    assert several == check_paths(["."])
    assert len(waiting) >= 6
    assert max(waiting) <= 3


@needs_fork
@pytest.mark.usefixtures("many")
def test_processes_are_renewed_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    several = check_paths(["."])
    started: list[int] = []
    start = parallel.FromTemplate.__call__

    def counted(*arguments: Any) -> parallel.Started:
        started.append(1)
        return start(*arguments)

    monkeypatch.setattr(parallel.FromTemplate, "__call__", counted)
    monkeypatch.setattr(parallel, "BATCH", 1)
    monkeypatch.setattr(parallel, "RENEWED", 1)
    assert several == check_paths(["."])
    assert len(started) == 12


@needs_fork
@pytest.mark.usefixtures("many")
def test_a_process_that_dies_takes_one_file_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = checker.Checker._analyse

    def dies(self: checker.Checker, source: fairlint.Source, raw: bytes, hits: list[int]) -> FileResult:
        if source.path == "f05.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, source, raw, hits)

    monkeypatch.setattr(checker.Checker, "_analyse", dies)
    report = check_paths(["."])

    assert report.not_analysed == (NotAnalysed("f05.py", 1, "internal error: its process died", "died"),)
    assert report.failed
    assert len(report.findings) == 11


INTERRUPTED = """
import os, signal, time
from fairlint.checking import checker, runner
from fairlint.processes import parallel
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and one behind nohup this
runner.ENOUGH_FOR_PROCESSES = 0
parallel.BATCH = 1
parallel.available = lambda **_: True
parallel._process_count = lambda: 2
checker.Checker._analyse = lambda *arguments: (os.write(1, b"working\\n"), time.sleep(60))
{before}
try:
    runner.check_paths(["."])
except (KeyboardInterrupt, SystemExit):
    print("interrupted", flush=True)
"""


def _to_interrupt(here: Path, before: str = "") -> subprocess.Popen[str]:
    for number in range(6):
        (here / f"f{number}.py").write_text(SCORE)
    return subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(before=before)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
        start_new_session=True,
    )


def _assert_interrupted(running: subprocess.Popen[str]) -> None:
    try:
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()

    assert out.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    time.sleep(0.2)
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


@needs_fork
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_no_process_behind(here: Path, sent: int) -> None:
    running = _to_interrupt(here)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("working")
    # a terminal interrupts all processes, somebody else ends the first only
    (os.killpg if sent == signal.SIGINT else os.kill)(running.pid, sent)
    _assert_interrupted(running)


@needs_fork
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_amid_a_fork_is_not_lost(here: Path, sent: int) -> None:
    amid = f"os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), {int(sent)}))"
    _assert_interrupted(_to_interrupt(here, amid))


# Gaps from detectors ---------------------------------------------------------------------------------------


def test_what_a_detector_cannot_read_is_named_with_its_line(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlint.detectors import Detector, registry
    from fairlint.detectors.context import Context
    from fairlint.syntax.tree import Gap, Span

    def observe(context: Context) -> list[Gap]:
        start = context.source.data.index(b"points += 5")
        return [Gap(Span(start, start + 6), "SQL that could not be read")]

    (here / "hire.py").write_text(SCORE)
    shipped = registry.detectors()
    monkeypatch.setattr(registry, "detectors", lambda: (*shipped, Detector("new", observe)))

    report = check_paths(["."])

    assert report.not_analysed == (NotAnalysed("hire.py", 5, "SQL that could not be read", "syntax"),)
    assert [finding.start.line for finding in report.findings] == [4]


def test_a_text_counts_instead_of_the_file_on_disk(here: Path) -> None:
    (here / "weights.py").write_text("BONUS = {'male': 5, 'female': 0}\n")
    (here / "hire.py").write_text(CLEAN)
    text = "from weights import BONUS\n\ndef score(applicant):\n    return 3 + BONUS[applicant.gender]\n"
    assert check_paths(["hire.py"]).findings == ()
    told = check_paths(["hire.py"], texts={"hire.py": text}).findings
    (here / "hire.py").write_text(text)
    assert [(one.rule, one.path, one.start, one.message) for one in told] == [
        (one.rule, one.path, one.start, one.message) for one in check_paths(["hire.py"]).findings
    ]
    assert told


def test_a_text_is_decoded_already_and_its_size_is_limited(here: Path) -> None:
    (here / "hire.py").write_text(CLEAN)
    text = "# coding: latin-1\n" + SCORE.replace("Score", "Schätzt").replace(
        '"male"', 'cast("männlich", "male")'
    )
    report = check_paths(["hire.py"], texts={"hire.py": text})
    assert "m\u00e4nnlich" in report.uses[0][1].condition
    report = check_paths(["hire.py"], Settings(max_file_size=20), texts={str(here / "hire.py"): text})
    assert [gap.cause for gap in report.not_analysed] == ["skipped"]


def test_who_asks_for_uses_alone_gets_the_same_ones_and_no_finding() -> None:
    code = SCORE + "\n# fairlint: ignore[FL999]\n"
    full, uses = check_source(code), check_source(code, uses_only=True)
    assert full.findings
    assert not uses.findings
    assert not uses.suppressed
    assert [replace(use, context=NO_CONTEXT) for _, use in full.uses] == [use for _, use in uses.uses]
    assert full.not_analysed == uses.not_analysed
