"""What an HTML report is given besides what was found: decisions of people, and an earlier report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.reporters.decisions import Decisions
    from fairlint.reporters.json_reading import Earlier


def decisions(file: str | None, page: str, *, is_trusted: bool) -> Decisions | None:
    """Return the decisions in a file, or in the one next to the page; None where there is none.

    The usual file is not read by itself where the authors of the code have no say.
    """
    from fairlint.reporters.decisions import FILE, load  # noqa: PLC0415 (imports much)

    if file == "":
        raise UsageError("--decisions needs the name of a file")
    if file is not None:
        return load(file)
    beside = os.path.join(os.path.dirname(page), FILE)  # noqa: PTH118, PTH120 (start-up)
    if not is_trusted or not os.path.lexists(beside):
        return None
    if os.path.islink(beside):  # noqa: PTH114 (as above)
        raise UsageError(f"{beside}: is a link, which may lead anywhere; --decisions {FILE} reads it")
    return load(beside)


def earlier(name: str | None) -> Earlier | None:
    """Return the report that --format json wrote; None where nobody names one."""
    if name is None:
        return None
    from fairlint.reporters.json_reading import NoReportError, read  # noqa: PLC0415 (as above)

    try:
        return read(name)
    except NoReportError as error:
        raise UsageError(str(error)) from None
