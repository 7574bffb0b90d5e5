"""What a worker can be asked, each a function from plain values to plain values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fairlint.config import Configurations, Settings
from fairlint.findings.finding import Finding
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import NotAnalysed, Report
from fairlint.laws import laws_in_force
from fairlint.reporters.encoding import without_surrogates
from fairlint.reporters.json import finding_object
from fairlint.rules.loading import is_shipped, load_rules
from fairlint.support.about import rule_page
from fairlint.support.errors import UsageError
from fairlint.suppression.writing import comment_above, marks_in
from fairlint.syntax.registry import languages
from fairlint.syntax.source import Position, Source

if TYPE_CHECKING:
    from fairlint.rules.rule import Rule

Job = Mapping[str, Any]
Answer = dict[str, Any]

UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""In what columns are counted → the encoding of that name, and the bytes of its unit."""


def answer(job: Job) -> Answer:
    """Return the answer to a job; `error` says why there is none, `cause` of what kind that is."""
    try:
        os.chdir(job.get("folder") or os.curdir)
        return JOBS[job["do"]](job)
    except UsageError as error:
        return {"error": str(error), "cause": "usage"}
    except OSError as error:
        return {"error": str(error), "cause": "usage"}
    except MemoryError:
        return {"error": "there was not enough memory", "cause": "memory"}
    except ModuleNotFoundError as error:  # of an extra
        return {"error": f'{error.name} is not installed: pip install "fairlint[fix]"', "cause": "missing"}
    except Exception as error:  # whatever it is, it concerns this job alone
        return {"error": f"internal error: {type(error).__name__}: {error}", "cause": "error"}


def check(job: Job) -> Answer:
    """Return what a run over `path` tells, or would if `text` were saved there.

    `units` says in what the columns of ranges are counted. Findings are as in `--format json`, with what
    editors need besides; `rules` holds the pages of their rules.
    """
    configurations = _job_configurations(job)
    report = _check_job(job, configurations)
    settings = configurations.of_file(job["path"])
    units = job.get("units", "utf-16")
    codes = {finding.rule for finding in report.findings}
    return {
        "findings": [_finding_answer(finding, report, units) for finding in report.findings],
        "not_analysed": [_gap_answer(gap) for gap in report.not_analysed],
        "suppressed": len(report.suppressed),
        "hidden_notes": report.hidden_notes,
        "rules": {one.code: rule_facts(one) for one in load_rules() if one.code in codes},
        "settings": None if settings.source is None else str(settings.source),
    }


def rule(job: Job) -> Answer:
    """Return the page of a rule that is named by its code or name; without one, all rules in short."""
    from fairlint.rules.loading import find_rule  # noqa: PLC0415 (only here)

    rules = sorted(load_rules(), key=lambda one: one.code)
    wanted = job.get("rule") or ""
    if not wanted:
        return {
            "rules": [
                {"code": one.code, "name": one.name, "severity": one.severity, "summary": one.summary}
                for one in rules
            ]
        }
    found = find_rule(rules, wanted)
    if found is None:
        known = ", ".join(one.code for one in rules)
        raise UsageError(f"unknown rule '{wanted}'; known are {known}")
    return rule_facts(found)


def explain(job: Job) -> Answer:
    """Return what fairlint makes of one line of a file, and why it says something or nothing."""
    from fairlint.checking.explain import explain as explained  # noqa: PLC0415 (only here)
    from fairlint.reporters.explanation import document  # noqa: PLC0415 (as above)

    told = explained(
        job["path"],
        job["line"],
        cell=job.get("cell"),
        column=job.get("column"),
        settings=_job_configurations(job),
    )
    return dict(document(told))


def fixes(job: Job) -> Answer:
    """Return the fixes of `path` that the checker agrees with, each for the text as it is, by their findings.

    `identities` are those of the findings that are asked about; without them it is all.
    """
    from fairlint.fixes.files import fixes_that_hold  # noqa: PLC0415 (libcst is loaded here)
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    configurations = _job_configurations(job)
    report = _check_job(job, configurations)
    asked = job.get("identities")
    wanted = [
        one
        for one in report.findings
        if one.remedies and one.cell is None and (asked is None or str(one.identity) in asked)
    ]
    units, found = job.get("units", "utf-16"), []
    for path in {one.path for one in wanted}:
        own = [one for one in wanted if one.path == path]
        try:
            settings = configurations.of_file(path)
            held = fixes_that_hold(path, _raw_bytes(job, path, settings), own, settings)
        except NotFixableError:
            continue
        source = report.sources.get(path)
        for finding, fix in held:
            ends = [
                (edit, _range_of_positions(source, path, None, (edit.first, edit.last), units))
                for edit in fix.edits
            ]
            found.append(
                {
                    "rule": finding.rule,
                    "identity": str(finding.identity),
                    "path": without_surrogates(path),
                    "line": finding.start.line,
                    "title": fix.title,
                    "applicability": fix.applicability,
                    "edits": [{"range": ends, "text": edit.text} for edit, ends in ends],
                }
            )
    return {"fixes": sorted(found, key=lambda one: (one["path"], one["line"], one["rule"]))}


def _raw_bytes(job: Job, path: str, settings: Settings) -> bytes:
    """Return the text that a job is about, or a file beside it, with a mark that says that it is UTF-8."""
    from fairlint.sources.reading import to_utf8  # noqa: PLC0415 (as above)
    from fairlint.support.files import read_file  # noqa: PLC0415 (as above)

    text = job.get("text")
    if text is not None and Path(path).absolute() == Path(job["path"]).absolute():
        return str(text).encode("utf-8-sig", "replace")
    name = _language_of_path(path, None)
    data = to_utf8(read_file(path, settings.max_file_size), languages().get(name or ""))
    return data.decode("utf-8", "replace").encode("utf-8-sig")


JOBS: Mapping[str, Callable[[Job], Answer]] = {
    "check": check,
    "rule": rule,
    "explain": explain,
    "fixes": fixes,
}


def _job_configurations(job: Job) -> Configurations:
    """As a run over the path has them, but that excluded files are left out even where they are named."""
    least = job.get("min_severity")
    if least is not None and least not in SEVERITIES:
        raise UsageError(f"the least severity must be one of {', '.join(SEVERITIES)}, not '{least}'")
    changes = {"force_exclude": True, "min_severity": least}
    return Configurations([job["path"]], config=job.get("config"), changes=changes)


def _check_job(job: Job, configurations: Configurations) -> Report:
    from fairlint.checking.runner import check_paths, check_source  # noqa: PLC0415 (the first job waits for it)
    from fairlint.sources.files_to_check import shown_path  # noqa: PLC0415 (as above)

    path, text = job["path"], job.get("text")
    if text is not None:
        text = text.encode("utf-8", "replace").decode()  # half a character, which JSON can hold
    if text is None or os.path.lexists(path):
        unknown = _unchecked_report(path, configurations)
        if unknown is not None:
            return unknown
        texts = {} if text is None else {path: text}
        return check_paths([path], configurations, texts=texts, cache=bool(job.get("keep")))
    language = _language_of_path(path, job.get("language"))
    if language is None:
        return Report()
    return check_source(
        text.encode("utf-8-sig"),
        path=shown_path(path),
        language=language,
        settings=configurations.of_file(path),
        in_project=True,
    )


def _language_of_path(path: str, said: str | None) -> str | None:
    """Return the language of a file that is not there yet."""
    from fairlint.sources.files_to_check import suffix_language, suffixes_of  # noqa: PLC0415 (as above)

    known = languages()
    named = suffix_language(Path(path).name, suffixes_of(known.values()))
    return named or (said if said in known else None)


def _unchecked_report(path: str, configurations: Configurations) -> Report | None:
    """Return what is told of a path at which there is nothing to check; None where there is something."""
    from fairlint.sources.discovery import discover  # noqa: PLC0415 (as above)

    try:
        discover([path], configurations, languages().values())
    except UsageError as error:
        return Report(not_analysed=(NotAnalysed(path, 1, str(error), "skipped"),))
    return None


def rule_facts(found: Rule) -> Answer:
    """Return a rule and its page."""
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "confidence": found.confidence,
        "summary": found.summary,
        "advice": found.advice,
        "references": [{"title": item.title, "url": item.url or None} for item in found.sources()],
        "address": (rule_page(found.code, found.name) if is_shipped(found) else "") or None,
        "page": found.page.strip(),
    }


def _finding_answer(finding: Finding, report: Report, units: str) -> Answer:
    source = report.sources.get(finding.path)
    told = dict(cast("Answer", finding_object(finding)))
    told["range"] = _range_of_positions(
        source, finding.path, finding.cell, (finding.start, finding.end), units
    )
    told["tags"] = sorted(finding.use.tags)
    told["flow"] = [
        {
            **step,
            "range": _range_of_positions(source, place.path, place.cell, (place.start, place.end), units),
        }
        for step, place in zip(told["flow"], finding.flow, strict=True)
    ]
    told["law"] = next((law.url for law in laws_in_force(finding.laws)), None)
    told["fixable"] = bool(finding.remedies) and finding.cell is None
    told["ignore"] = _ignore_comment(finding, source)
    return told


def _ignore_comment(finding: Finding, source: Source | None) -> Answer | None:
    """Return the comment that would put a finding aside, without its reason, and the line to write
    it above.
    """
    line = None if source is None else source.told_line(finding.path, finding.cell, finding.statement)
    marks = None if source is None else marks_in(source.language or "")
    if line is None or marks is None or finding.use.kind == "suppression":
        return None
    newline = "\r\n" if source is not None and b"\r\n" in source.data else "\n"
    return {
        "line": finding.statement - 1,
        "text": comment_above(line + newline, [finding.rule], marks, ""),
    }


def _gap_answer(gap: NotAnalysed) -> Answer:
    return {
        "path": without_surrogates(gap.path),
        "cell": gap.cell,
        "line": max(gap.line, 1),
        "reason": without_surrogates(gap.reason),
        "cause": gap.cause,
    }


def _range_of_positions(
    source: Source | None, path: str, cell: int | None, ends: Iterable[Position], units: str
) -> list[list[int]]:
    """Return lines and columns from 0, the columns in units of that name."""
    encoding, size = UNITS[units]
    found = []
    for place in ends:
        text = None if source is None else source.told_line(path, cell, place.line)
        before = "" if text is None else text[: place.column - 1]
        column = place.column - 1 if text is None else len(before.encode(encoding, "replace")) // size
        found.append([place.line - 1, column])
    return found
