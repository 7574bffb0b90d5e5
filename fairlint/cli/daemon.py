"""`fairlint daemon`: the resident processes that carry out runs, shown or ended; and what one loads."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Sequence

from fairlint.cli.arguments import Command
from fairlint.cli.output import write_stdout
from fairlint.support.about import __version__
from fairlint.support.errors import UsageError

IDLE = 600.0
"""Seconds without a run after which a daemon ends."""
_DAY = 86_400.0
VARIABLE = "FAIRLINT_DAEMON_IDLE"

COMMAND = Command(
    "daemon",
    usage="fairlint daemon status|stop",
    description="Show or end the processes that carry out runs with --daemon or FAIRLINT_DAEMON=1.\n"
    f"One ends by itself after {IDLE / 60:g} minutes without a run, or when fairlint or Python has changed.",
    groups=(),
    epilog=f"environment:\n  FAIRLINT_DAEMON=1     as --daemon, for every check\n"
    f"  {VARIABLE}  the seconds after which an idle daemon ends (default: {IDLE:g})",
    words=1,
    acts=("status", "stop"),
)
_SAMPLES = {
    "sample.py": """\
\"\"\"Scores applicants for a loan.\"\"\"

import pandas as pd
from dataclasses import dataclass


@dataclass
class Applicant:
    \"\"\"Somebody who wants to work here.\"\"\"

    gender: str
    age: int
    skills: list[str]


def score(applicant: Applicant, bonus: float = 1.5) -> float:
    \"\"\"What the applicant's answers are worth to us.\"\"\"
    points = 3 * len(applicant.skills) + bonus
    if applicant.gender == "male":
        points += 5
    elif applicant.gender == "female":
        points += 2
    if applicant.age > 55:
        points -= 4
    return points


def train(frame: pd.DataFrame, model):
    frame["is_male"] = (frame["sex"] == "male").astype(int)
    rows = frame[(frame["race"] != "black") & (frame["age"] < 40)]
    return model.fit(rows[["income", "nationality"]], rows["hired"])
""",
    "sample.c": "int score(struct person *p) { return p->gender == 1 ? 5 : 2; }\n",
}
"""What a new daemon checks, so that all is loaded that most runs need."""


def run(arguments: Sequence[str]) -> int:
    """Show or end the daemons of this user."""
    words = COMMAND.parse(arguments).words
    if words not in (["status"], ["stop"]):
        raise UsageError("say what is to be done: fairlint daemon status, or fairlint daemon stop")
    if sys.platform != "linux":
        raise UsageError("there is a daemon on Linux only")
    stops = words == ["stop"]
    lines = [f"{line}, stopped" if stops else line for line in _ask_daemons(stop=stops)]
    write_stdout(f"{line}\n" for line in lines or ["no daemon is running"])
    return 0


def _ask_daemons(*, stop: bool) -> list[str]:
    """Return what each daemon of this user says of itself."""
    from fairlint.daemon import client, messages, places  # noqa: PLC0415 (start-up)

    try:
        folder = places.runtime_folder()
    except OSError as error:
        raise UsageError(f"there can be no daemon: {error} is not a folder of this user alone") from None
    told = []
    for path in sorted(glob.glob(f"{glob.escape(folder)}/*.sock")):  # noqa: PTH207 (as everywhere)
        connection = client.connect(path)
        if connection is None:
            continue
        try:
            connection.sendall(messages.pack_head(messages.STOP if stop else messages.STATUS, 0))
            told.append(connection.recv(1_000).decode("utf-8", "replace"))
        except OSError:
            continue
        finally:
            connection.close()
    return [line for line in told if line]


def serve_runs(path: str, identity: bytes, run_here: Callable[[], None]) -> None:
    """Be the daemon of a program until its end; `run_here` carries out the command line of a process."""
    from fairlint.daemon.server import Program, serve  # noqa: PLC0415 (only a daemon needs it)
    from fairlint.rules.rule_files import shipped_folder  # noqa: PLC0415 (as above)
    from fairlint.support.compiled_data import PACKAGE  # noqa: PLC0415 (as above)

    serve(
        Program(
            path,
            identity,
            about=f"fairlint {__version__}",
            folders=(PACKAGE, shipped_folder()),
            idle=idle_seconds(os.environ.get(VARIABLE, "")),
            load=load_program,
            work=run_here,
        )
    )


def idle_seconds(told: str) -> float:
    """Return the seconds after which an idle daemon ends; as usual where what is told is no number
    of them.
    """
    return min(float(told), _DAY) if told.isascii() and told.isdigit() else IDLE


def load_program() -> None:
    """Load what most runs need. Plugins are code of others, which each run loads for itself."""
    import ctypes  # noqa: F401, PLC0415 (each run's process ends with its parent's)

    from fairlint.checking import result_cache, runner  # noqa: F401, PLC0415 (only a daemon needs them all)
    from fairlint.cli import check, home_country, hook, progress, record  # noqa: F401, PLC0415
    from fairlint.library_models import builtins  # noqa: F401, PLC0415
    from fairlint.plugins import manager  # noqa: PLC0415
    from fairlint.reporters import ReportOptions, shipped_reporters  # noqa: PLC0415
    from fairlint.rules.loading import shipped_rules  # noqa: PLC0415

    if manager.may_exist():
        return
    formats = shipped_reporters()
    for path, text in _SAMPLES.items():
        report = runner.check_source(text, path=f"/nowhere/{path}", in_project=True)
        for name in ("text", "concise", "json", "github"):
            for _ in formats[name](report, ReportOptions(load_rules=shipped_rules)):
                pass
