"""fairlint finds where code treats people by a protected attribute, and says what each group gains or loses.

>>> import fairlint
>>> report = fairlint.check_paths(["src"])
>>> report.findings, report.not_analysed, report.points("gender")
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost as much as Python's start
if TYPE_CHECKING:
    from typing import Any

    from fairlint.checking.case_records import CaseRecord, count_groups, record_groups
    from fairlint.checking.runner import check_paths, check_source, read_response
    from fairlint.config import Settings
    from fairlint.findings.finding import Finding
    from fairlint.findings.report import NotAnalysed, Report
    from fairlint.findings.uses import GroupPoints, Use
    from fairlint.support.errors import UsageError
    from fairlint.syntax.source import Source

__version__ = "0.1.0"
__all__ = [
    "CaseRecord", "Finding", "GroupPoints", "NotAnalysed", "Report", "Settings", "Source", "UsageError",
    "Use",
    "__version__", "check_paths", "check_source", "count_groups", "read_response", "record_groups",
]  # fmt: skip

_HOMES = {
    "CaseRecord": "fairlint.checking.case_records",
    "Finding": "fairlint.findings.report",
    "GroupPoints": "fairlint.findings.uses",
    "NotAnalysed": "fairlint.findings.report",
    "Report": "fairlint.findings.report",
    "Settings": "fairlint.config",
    "Source": "fairlint.syntax.source",
    "UsageError": "fairlint.config",
    "Use": "fairlint.findings.uses",
    "check_paths": "fairlint.checking.runner",
    "check_source": "fairlint.checking.runner",
    "count_groups": "fairlint.checking.case_records",
    "read_response": "fairlint.checking.runner",
    "record_groups": "fairlint.checking.case_records",
}
"""Each public name is imported from its home when it is first used: `import fairlint` alone costs nothing."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fairlint' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
