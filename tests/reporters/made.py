"""Reports made by hand: what the reporters are tried with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.findings.finding import Finding, FlowStep, Identity
from fairlint.findings.levels import Confidence, Severity
from fairlint.findings.report import NotAnalysed, Report, Suppressed
from fairlint.findings.uses import GroupPoints, Kind, Use
from fairlint.reporters.provenance import Provenance
from fairlint.support.checkouts import State
from fairlint.support.records import replace
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Span
from fairlint.vocabulary.model import Evidence

__all__ = ["GAP", "SCORE", "Evidence", "NotAnalysed", "Source", "finding", "report", "score_report"]

SCORE = """\
def score(candidate):
    gender = candidate["gender"]
    points = candidate["years"] * 3

    if gender == "male":
        points += 5
    return points
"""

BONUS_TABLE = """\
enum gender { FEMALE, MALE };
static const int bonus[] = {
    [FEMALE] = 2,
    [MALE] = 5,
};
int rate(const struct applicant *a)
{
    return a->years + bonus[a->gender];
}
"""


def use(
    *,
    attribute: str = "gender",
    kind: Kind = "score-update",
    points: GroupPoints | None = None,
    outcomes: Mapping[str, str] | None = None,
    target: str | None = "points",
    evidence: tuple[Evidence, ...] = (
        Evidence(3, "compared with the group 'male'"),
        Evidence(2, "receiver `candidate` is a person"),
    ),
) -> Use:
    return Use(
        attribute=attribute,
        attribute_kind="protected",
        kind=kind,
        effect="score" if kind == "score-update" else "decide",
        shape="branch",
        span=Span(0, 1),
        groups=("male",),
        points=points,
        outcomes=outcomes or {},
        target=target,
        condition='gender == "male"',
        evidence=evidence,
        flow=(),
    )


def finding(
    source: Source,
    primary: str,
    *,
    message: str = "gender: male +5, female +0, gap 5",
    steps: tuple[tuple[str, str], ...] = (),
    rule: str = "FL201",
    name: str = "points-by-group",
    severity: Severity = "error",
    confidence: Confidence = "high",
    advice: str = "Score what the job needs.",
    judged: Use | None = None,
) -> Finding:
    """A finding at the first place where `primary` stands in the source; steps are (text, message)."""

    def place(text: str) -> tuple[int, int]:
        start = source.data.index(text.encode())
        return start, start + len(text.encode())

    start, end = place(primary)
    flow = []
    for text, told in steps:
        first, last = place(text)
        flow.append(FlowStep(source.path, source.position(first), source.position(last), told))
    return Finding(
        rule=rule,
        name=name,
        severity=severity,
        confidence=confidence,
        path=source.path,
        start=source.position(start),
        end=source.position(end),
        message=message,
        advice=advice,
        use=judged or use(points=GroupPoints("add", {"male": 5.0, "female": 0.0}, 0.0)),
        flow=tuple(flow),
        fingerprint="3f2a",
        identity=Identity("7c01"),
        line_hash="e54938cc54b302f1:1",
    )


def report(*pairs: tuple[Source, Finding], files: int = 10, **changes: Any) -> Report:
    made = Report(
        findings=tuple(sorted((found for _, found in pairs), key=lambda found: found.sort_key)),
        files=files,
        sources={source.path: source for source, _ in pairs},
    )
    return replace(made, **changes)


def score_report(**changes: Any) -> Report:
    source = Source("hiring/score.py", SCORE.encode(), "python")
    found = finding(
        source, "points += 5", steps=(('candidate["gender"]', "read here"), ('gender == "male"', "compared"))
    )
    return report((source, found), **changes)


def suppressed(reason: str = "the quota law") -> Suppressed:
    """A finding that a comment puts aside."""
    (found,) = score_report().findings
    return Suppressed(found, reason, found.path, found.start.line)


def table_report() -> Report:
    source = Source("src/rate.c", BONUS_TABLE.encode(), "c")
    table = BONUS_TABLE[BONUS_TABLE.index("{\n    [FEMALE]") : BONUS_TABLE.index(";\nint rate")]
    found = finding(
        source,
        "bonus[a->gender]",
        message="gender: male +5, female +2, gap 3",
        steps=(
            (table, "amounts by group"),
            ("a->gender", "read here"),
            ("return a->years + bonus[a->gender]", "returned"),
        ),
        rule="FL202",
        name="points-table",
        judged=use(points=GroupPoints("add", {"male": 5.0, "female": 2.0}, None), target="rate"),
    )
    return report((source, found))


GAP = NotAnalysed("broken.py", 40, "half a function", "syntax")


def provenance(here: str) -> Provenance:
    """Of a checkout, and of a folder in it that is a repository of its own and has no address."""
    outer = State(here, "https://example.org/a.git", "a" * 40, "2026-02-03T12:00:00Z", "main", ("b.py",))
    settings = {"domain": {"value": "hiring", "origins": ["fairlint.toml"], "scope": "file"}}
    return Provenance(
        here=here,
        date="2026-02-03T12:00:00Z",
        dated_by="commit",
        paths=(".",),
        checkouts=(outer, State(f"{here}/lib", reason="no commit yet")),
        settings=({"configuration": "fairlint.toml", "settings": settings},),
        sums=dict.fromkeys(("rules", "vocabulary", "library_models", "settings", "all"), "0" * 64),
    )
