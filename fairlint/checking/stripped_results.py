"""What is kept of a result: all but what is at hand when it is asked for again."""

from __future__ import annotations

from fairlint.checking.file_result import FileResult
from fairlint.support.records import replace

KINDS = (
    "fairlint.checking.file_result:FileResult",
    "fairlint.checking.file_result:BelowThreshold",
    "fairlint.findings.finding:Finding",
    "fairlint.findings.finding:FlowStep",
    "fairlint.findings.finding:Identity",
    "fairlint.findings.report:NotAnalysed",
    "fairlint.findings.finding:Remedy",
    "fairlint.findings.report:Suppressed",
    "fairlint.findings.finding:Unheeded",
    "fairlint.vocabulary.model:Evidence",
    "fairlint.syntax.source:Part",
    "fairlint.syntax.source:Position",
    "fairlint.syntax.source:Source",
    "fairlint.syntax.tree:Gap",
    "fairlint.syntax.tree:Span",
    "fairlint.findings.uses:GroupPoints",
    "fairlint.findings.uses:Step",
    "fairlint.findings.uses:Use",
    "fairlint.findings.uses:UseContext",
)
"""What a result is made of."""


def strip_result(result: FileResult) -> FileResult:
    """Return a result without what is at hand when it is asked for again."""
    source = result.source
    if source is not None:
        source = replace(source, data=source.data if source.parts else b"", companions=())
    return replace(result, source=source, names=dict(result.names), basis=None)
