"""The report as one HTML file for those who sign off: no network, no script needed, safe to mail around."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.rendering.html import breakable, environment, prose, read_shipped_file, style
from fairlint.reporters import ReportOptions
from fairlint.reporters.page import view, words
from fairlint.reporters.places import where
from fairlint.support.causes import MEANINGS

HASH = 64
"""Characters of a SHA-256."""


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield the page, in pieces."""
    made = view.view(report, options)
    for line in made.cut:
        options.tell(line)
    templates = environment(__name__, {
        "name": words.name, "count": words.count, "counted": words.count_with_noun, "prose": prose,
        "breakable": breakable,
        "place": lambda gap: where(gap.path, gap.cell, gap.line),
        "cause": lambda gap: MEANINGS[gap.cause],
        "is_hash": lambda text: len(text) == HASH,
        "is_web": lambda url: url.startswith(("https://", "http://")),
    })  # fmt: skip
    template = templates.get_template("report.html")
    pieces = template.generate(
        style=style(__name__),
        script=read_shipped_file(__name__, "filters.js") + read_shipped_file(__name__, "decisions.js"),
        places=False,
        page=made,
    )
    for piece in pieces:  # whatever the output is written in, it stays what the page says
        yield piece.encode("ascii", "xmlcharrefreplace").decode("ascii")
