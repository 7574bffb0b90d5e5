"""Uses, findings and reports: what a check gives, and how two of them compare.

>>> from fairlint.findings import Finding, Report, Use
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost as much as Python's start
if TYPE_CHECKING:
    from typing import Any

    from fairlint.findings.finding import Edit, Finding, Fix, FlowStep
    from fairlint.findings.levels import Confidence, Severity
    from fairlint.findings.report import NotAnalysed, Report, Suppressed
    from fairlint.findings.uses import GroupPoints, Step, Use

__all__ = [
    "Confidence", "Edit", "Finding", "Fix", "FlowStep", "GroupPoints", "NotAnalysed", "Report", "Severity",
    "Step", "Suppressed", "Use",
]  # fmt: skip

_HOMES = {
    "Confidence": "levels",
    "Edit": "finding",
    "Finding": "finding",
    "Fix": "finding",
    "FlowStep": "finding",
    "GroupPoints": "uses",
    "NotAnalysed": "report",
    "Report": "report",
    "Severity": "levels",
    "Step": "uses",
    "Suppressed": "report",
    "Use": "uses",
}
"""Each public name is imported from its module when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fairlint.findings' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"fairlint.findings.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
