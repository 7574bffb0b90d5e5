"""JUnit's XML: a suite for each file, a failed case for each finding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree as Xml

from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.places import concise
from fairlint.reporters.printable import printable


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield all suites; what was not analysed is a case with an error, and nothing at all a case
    that holds.
    """
    del options
    root = Xml.Element("testsuites", name="fairlint")
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        cases = list(findings)
        suite = _add_suite(root, path, failures=len(cases))
        for finding in cases:
            _add_case(suite, finding)
    unread = sorted(report.not_analysed, key=lambda gap: gap.path)
    for path, gaps in groupby(unread, key=lambda gap: gap.path):
        all_ = list(gaps)
        suite = _add_suite(root, path, errors=len(all_))
        for gap in all_:
            place = printable(concise(gap.path, gap.cell, gap.line))
            case = Xml.SubElement(suite, "testcase", name=f"not analysed: {place}", classname=printable(path))
            Xml.SubElement(case, "error", message=printable(gap.reason), type=gap.cause)
    if not len(root):
        suite = _add_suite(root, "fairlint")
        Xml.SubElement(suite, "testcase", name=f"{report.files} files", classname="fairlint")
    Xml.indent(root)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield Xml.tostring(root, encoding="unicode") + "\n"


def _add_suite(root: Xml.Element, path: str, *, failures: int = 0, errors: int = 0) -> Xml.Element:
    tests = str(max(failures + errors, 1))
    counts = {"tests": tests, "failures": str(failures), "errors": str(errors)}
    return Xml.SubElement(root, "testsuite", {"name": printable(path), **counts})


def _add_case(suite: Xml.Element, finding: Finding) -> None:
    place = printable(f"{concise(finding.path, finding.cell, finding.start.line)}:{finding.start.column}")
    case = Xml.SubElement(
        suite, "testcase", name=f"{finding.rule} {place}", classname=printable(finding.path)
    )
    failure = Xml.SubElement(case, "failure", message=printable(finding.message), type=finding.severity)
    failure.text = f"{place}: {finding.rule} {printable(finding.message)}\n{printable(finding.advice)}"
