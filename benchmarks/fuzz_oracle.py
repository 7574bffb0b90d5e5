"""What must hold for every input of fuzz.py, whatever it is: one function a kind.

Each is a generator: what it does up to a `yield` is measured by itself. It yields what came out, which must
be the same every time, and raises a DefectError, or whatever fairlint raises, where something does not hold.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from ignore_rules import FILES

from fairlint import (
    Finding,
    Report,
    Settings,
    UsageError,
    Use,
    check_paths,
    check_source,
    read_response,
    record_groups,
)
from fairlint.bench.judging import protocols
from fairlint.bench.suites import btm, faircode_function, faircode_testcase, prompts_file
from fairlint.bench.suites.suite import Selection
from fairlint.checking.checker import Checker
from fairlint.checking.file_result import FileResult
from fairlint.cli import main
from fairlint.config import read_config
from fairlint.library_models import loading
from fairlint.reporters import ReportOptions, uses
from fairlint.reporters.registry import reporters
from fairlint.rules import judging as rule_judging
from fairlint.rules import loading as rule_loading
from fairlint.rules import messages, pages
from fairlint.sources.ignore_rules import read_rules
from fairlint.support.causes import BROKEN
from fairlint.support.records import field_names
from fairlint.syntax.source import Position, Source

SETTINGS = Settings(min_severity="note", file_timeout=0, respect_gitignore=False)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LONGEST = 2_000
"""Characters that an error may have."""
SAMPLE = """\
import pandas as pd

def rate(applicant, people):
    points = 0
    if applicant.gender == "female":
        points += 5
    if applicant.age > 55 and applicant.caste == "dalit":
        points *= 0.5
    people["race"] = people["race"].fillna("white")
    return points if pd.get_dummies(people) is not None else "rejected"
"""
LOST = BROKEN | {"memory", "time"}
"""Causes for which something was not analysed that no input may give."""
SUITES = (btm.SUITE, faircode_function.SUITE, faircode_testcase.SUITE)

Stages = Iterator[object]


class DefectError(Exception):
    """Something that must hold and does not."""


def stages(kind: str, data: bytes, chance: random.Random, folder: Path) -> Stages:
    """The stages of judging an input; `folder` is an empty one for files."""
    return JUDGES[kind](data, chance, folder)


# ----------------------------------------------------------------------------------------------------- code


def _code(language: str) -> Callable[[bytes, random.Random, Path], Stages]:
    path = {"python": "input.py", "c": "input.c", "notebook": "input.ipynb"}[language]

    def judge(data: bytes, chance: random.Random, _folder: Path) -> Stages:
        report = check_source(data, path=path, language=language, settings=SETTINGS)
        yield told(report)
        whole(report)
        if report.uses or report.not_analysed:
            read = Checker(SETTINGS).prepare(path, data, language)
            if not isinstance(read, FileResult):
                well_placed(report, read.source)
        if chance.random() < 0.25:
            yield reported(report)

    return judge


def _suppressions(data: bytes, chance: random.Random, folder: Path) -> Stages:
    return _code("c" if data.count(b";") > data.count(b":") else "python")(data, chance, folder)


def _answer(data: bytes, chance: random.Random, _folder: Path) -> Stages:
    text = data.decode("utf-8", "replace")
    source = read_response(text)
    yield (source.data, source.language)
    report = check_source(source, settings=SETTINGS)
    yield told(report)
    whole(report)
    well_placed(report, source)
    if chance.random() < 0.5:
        attribute = chance.choice(("gender", "race", "insurance status", "age"))
        begins = chance.choice(("", text[: chance.randrange(200)], f"def rate(person):\n    {text[:80]!r}\n"))
        function = chance.choice(("", *re.findall(r"def (\w+)", text)[:3]))
        cut = chance.random() < 0.3
        try:
            yield protocols.judge(text, attribute, function=function, header=begins, cut=cut)
        except protocols.NotJudgedError as error:
            if error.cause in LOST:
                raise
            yield clear(error)
    if chance.random() < 0.25:
        yield [(dict(one.groups), one.outcome, one.line) for one in record_groups(text)]
    if chance.random() < 0.25:
        yield reported(report)


def told(report: Report) -> object:
    """All that a report says, in one order."""
    found = [
        (path, *(sorted(value) if isinstance(value, frozenset) else value for value in _values(use)))
        for path, use in report.uses
    ]
    return [found, [one.message for one in report.findings], report.not_analysed, report.hidden_notes]


def _values(use: Use) -> list[object]:
    return [getattr(use, name) for name in field_names(Use)]


def whole(report: Report) -> None:
    """Nothing broke, and nothing was given up."""
    lost = [one.reason for one in report.not_analysed if one.cause in LOST]
    if report.failed or lost:
        raise DefectError("; ".join(lost))


def well_placed(report: Report, source: Source) -> None:
    """All spans lie inside the text, and all lines and columns where there is some."""
    size = len(source.data)
    for _, use in report.uses:
        spans = [use.span, *(step.span for step in use.flow)]
        if any(not 0 <= span.start <= span.end <= size for span in spans):
            raise DefectError(f"spans outside of {size} bytes: {spans}")
    for finding in report.findings:
        _placed(source, finding, finding.start, finding.end)
        for step in finding.flow:
            _placed(source, finding, step.start, step.end)
    if source.parts:
        return
    for gap in report.not_analysed:
        if not 1 <= gap.line <= len(source.line_starts):
            raise DefectError(f"nothing can be analysed at line {gap.line} of {len(source.line_starts)}")


def _placed(source: Source, finding: Finding, start: Position, end: Position) -> None:
    if start > end:
        raise DefectError(f"{finding.rule} ends at {end}, before its start at {start}")
    if source.parts:
        return
    for place in (start, end):
        lines = len(source.line_starts)
        if not (1 <= place.line <= lines and 1 <= place.column <= len(source.line(place.line)) + 3):
            raise DefectError(f"{finding.rule} at {place}, where there is no text")


def reported(report: Report) -> object:
    """The report in all formats."""
    options = ReportOptions(min_severity="note", root="/", load_rules=rule_loading.shipped_rules)
    texts = {name: "".join(write(report, options)) for name, write in reporters().items()}
    texts["uses"] = "".join(uses.report(report, options))
    for name, text in texts.items():
        if name in {"json", "sarif"}:
            json.loads(text)
        elif found := CONTROL.search(text):
            raise DefectError(f"a control character {found[0]!r} in the format {name}")
    return texts


# -------------------------------------------------------------------------------------- what projects bring


def clear(error: Exception) -> str:
    """The message of an error that a user causes, which is told on one line."""
    message = str(error).replace(str(Path.cwd()), "")
    if not message or len(message) > LONGEST:
        raise DefectError(f"a message of {len(message)} characters: {message[:200]!r}")
    return message


def _works(settings: Settings) -> object:
    try:
        report = check_source(SAMPLE, settings=settings.with_changes(file_timeout=0.0))
    except UsageError as error:
        return clear(error)
    whole(report)
    return told(report)


def _config(data: bytes, _chance: random.Random, folder: Path) -> Stages:
    path = folder / "fairlint.toml"
    path.write_bytes(data)
    (folder / "sample.py").write_text(SAMPLE)
    try:
        settings = read_config(path)
    except UsageError as error:
        yield clear(error)
        return
    yield _works(settings)
    try:
        yield told(check_paths([folder / "sample.py"], settings))
    except UsageError as error:
        yield clear(error)


def _vocabulary(data: bytes, _chance: random.Random, folder: Path) -> Stages:
    path = folder / "words.toml"
    path.write_bytes(data)
    yield _works(Settings(vocabulary=(path,), min_severity="note"))


def _library_model(data: bytes, _chance: random.Random, folder: Path) -> Stages:
    path = folder / "pandas.toml"
    path.write_bytes(data)
    yield _works(Settings(library_models=(path,), min_severity="note"))


def _rule_page(data: bytes, _chance: random.Random, folder: Path) -> Stages:
    path = folder / "FL999-page.md"
    path.write_bytes(data)
    try:
        rule = pages.load_page(path)
    except pages.RuleError as error:
        yield clear(error)
        return
    observed = check_source(SAMPLE, settings=SETTINGS).uses
    judged = [rule_judging.judge(use, [rule]) for _, use in observed]
    told = [messages.render_message(rule.message, use) for _, use in observed]
    yield [rule.summary, *(verdict.message for verdict in judged if verdict), *told]


def _ignore_file(data: bytes, _chance: random.Random, _folder: Path) -> Stages:
    found = read_rules(data)
    yield [found.verdict_below(name, folder=folder) for name in FILES for folder in (False, True)]


def _prompts_file(data: bytes, chance: random.Random, folder: Path) -> Stages:
    path = folder / "prompts.jsonl"
    path.write_bytes(data)
    try:
        yield prompts_file.read_prompts(path, chance.choice(SUITES), Selection(samples=2, limit=50))
    except UsageError as error:
        yield clear(error)


def _command(*arguments: str) -> object:
    """What a command of fairlint says, which tells each mistake of a user in a line."""
    told, problems = io.StringIO(), io.StringIO()
    with redirect_stdout(told), redirect_stderr(problems):
        code = main(arguments)
    said = problems.getvalue()
    if code not in {0, 1, 2} or (code == 2 and not said) or "internal error" in said:
        raise DefectError(f"exit status {code}: {said[-200:]!r}")
    for text in (told.getvalue(), said):
        if found := CONTROL.search(text):
            raise DefectError(f"a control character {found[0]!r} is said")
    for line in said.splitlines():
        clear(UsageError(line))
    return code, told.getvalue(), said


def _diff(data: bytes, _chance: random.Random, folder: Path) -> Stages:
    (folder / "change.diff").write_bytes(data)
    (folder / "sample.py").write_text(SAMPLE)
    yield _command("--diff-file", "change.diff", "--isolated", "--no-cache", "--jobs", "1", "sample.py")


def _baseline(data: bytes, chance: random.Random, folder: Path) -> Stages:
    """A baseline, half the time with the entries of the sample before what was made."""
    (folder / "sample.py").write_text(SAMPLE)
    path = folder / "known.jsonl"
    whole = b""
    if chance.random() < 0.5:
        yield _command("baseline", "create", "--isolated", "--file", path.name, "sample.py")
        whole = path.read_bytes()
    path.write_bytes(whole + data)
    yield _command("--baseline", path.name, "--isolated", "--no-cache", "--jobs", "1", "sample.py")
    yield _command("baseline", "check", "--isolated", "--file", path.name, "sample.py")
    yield _command("baseline", "prune", "--isolated", "--file", path.name, "sample.py")


def _statistics(data: bytes, chance: random.Random, folder: Path) -> Stages:
    """A report, alone or beside that of the sample."""
    (folder / "report.json").write_bytes(data)
    (folder / "sample.json").write_text(_report_of_sample())
    both = chance.choice((("report.json",), ("report.json", "sample.json"), ("sample.json", "report.json")))
    yield _command("statistics", *both, "--format", chance.choice(("text", "json")))


@cache
def _report_of_sample() -> str:
    report = check_source(SAMPLE, path="sample.py", settings=SETTINGS)
    options = ReportOptions(min_severity="note", root="/", load_rules=rule_loading.shipped_rules)
    return "".join(reporters()["json"](report, options))


JUDGES: Mapping[str, Callable[[bytes, random.Random, Path], Stages]] = {
    "python": _code("python"),
    "c": _code("c"),
    "notebook": _code("notebook"),
    "answer": _answer,
    "config": _config,
    "rule-page": _rule_page,
    "library-model": _library_model,
    "ignore-file": _ignore_file,
    "vocabulary": _vocabulary,
    "prompts-file": _prompts_file,
    "suppressions": _suppressions,
    "query": _code("python"),
    "diff": _diff,
    "baseline": _baseline,
    "statistics": _statistics,
}


def load_all() -> None:
    """Loads what the first input would have to wait for."""
    checker = Checker(SETTINGS)
    checker.load_all()
    loading.shipped_models()
    for path, text in (("a.py", SAMPLE), ("a.c", 'int f(char *gender) { return gender == "M" ? 5 : 0; }')):
        reported(check_source(text, path=path, settings=SETTINGS))
