"""fairlint finds where code treats people by a protected attribute, and says what each group gains or loses.

>>> import fairlint
>>> report = fairlint.check_paths(["src"])
>>> report.findings, report.not_analysed, report.points("gender")
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost as much as Python's start
if TYPE_CHECKING:
    from typing import Any

    from fairlint.cases import CaseRecord, count_groups, record_groups
    from fairlint.config import Settings, UsageError
    from fairlint.findings import Finding, NotAnalysed, Report
    from fairlint.runner import check_paths, check_source, read_response
    from fairlint.sources.source import Source
    from fairlint.uses import GroupPoints, Use

__version__ = "0.1.0"
__all__ = [
    "CaseRecord", "Finding", "GroupPoints", "NotAnalysed", "Report", "Settings", "Source", "UsageError",
    "Use",
    "__version__", "check_paths", "check_source", "count_groups", "read_response", "record_groups",
]  # fmt: skip

_HOMES = {
    "CaseRecord": "fairlint.cases",
    "Finding": "fairlint.findings",
    "GroupPoints": "fairlint.uses",
    "NotAnalysed": "fairlint.findings",
    "Report": "fairlint.findings",
    "Settings": "fairlint.config",
    "Source": "fairlint.sources.source",
    "UsageError": "fairlint.config",
    "Use": "fairlint.uses",
    "check_paths": "fairlint.runner",
    "check_source": "fairlint.runner",
    "count_groups": "fairlint.cases",
    "read_response": "fairlint.runner",
    "record_groups": "fairlint.cases",
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
