"""What a report says of code in answers: whether it was run, and what held it."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.bench.report import bias, utility
from fairlint.bench.runs.view import RunView, count_answers
from fairlint.bench.suites import known_suite
from fairlint.counterfactual.executors.choosing import UNSAFE


def execution_note(views: Sequence[RunView]) -> str:
    """Return in a sentence or two whether the code in the answers of these runs was run, and in what."""
    ran = [view for view in views if has_run_code(view)]
    if not ran:
        return "The code was read and not run."
    whose = "The code was" if len(ran) == len(views) else f"The code of {len(ran)} of {len(views)} runs was"
    unsafe = sum(map(_is_unconfined, ran))
    if not unsafe:
        return f"{whose} run in a sandbox."
    some = "" if unsafe == len(ran) else f", of {unsafe} of them,"
    return f"{whose} run{some} with --executor {UNSAFE}: without a sandbox where the system has none."


def has_run_code(view: RunView) -> bool:
    """Return whether the judge ran what answers hold: functions on people, or on made-up ones for
    `--utility` and `--execute`.
    """
    if view.metrics.get("executed"):
        return True
    suite = known_suite(bias.suite_name(view))
    return bool(utility.rows(view)) or (suite is not None and suite.runs_code and count_answers(view) > 0)


def _is_unconfined(view: RunView) -> bool:
    """Return whether code could run although the system did not hold it."""
    settings = view.metrics.get("settings", {}).get("suite") or {}
    return settings.get("executor") == UNSAFE
