"""Compares two checkouts as they judge the same answers: CPU time, and every file that comes of it.

    python benchmarks/judging_against.py OLD_CHECKOUT NEW_CHECKOUT [--suite SUITE] [--answers N] [--rounds N]

The answers are those of docs/bench-example, with other numbers in each copy and a comment of its own in the
first function, so that no two are alike; half of those to `faircode:function` are made as
`twenty_models.py` makes them. Each round judges its share of them as `fairlint bench judge` does, in one
process and by both checkouts in turn, and writes the reports. CPU time is that of all processes of a round,
with start-up, figures and reports. Exit status: 0 where all files are the same, 1 where they are not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).resolve().parent.parent / "docs" / "bench-example"
SUITES = {"btm": "btm", "faircode:function": "function", "faircode:testcase": "testcase"}
"""Suite → the run that its answers are taken from."""
MADE = ("outcomes.jsonl", "metrics.json", "report.md", "report.html")
FUNCTION = re.compile(r"^([ \t]*def \w+\(.*)", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.])")
JUDGE = """\
import sys
sys.path.insert(0, sys.argv[1])
import fairlint
assert fairlint.__file__.startswith(sys.argv[1]), fairlint.__file__
from pathlib import Path
from fairlint.bench.report import html, markdown, read_view
from fairlint.bench.runs.judged_runs import judge_again
run = Path(sys.argv[2])
judge_again(run)
view = read_view(run)
(run / "report.html").write_text(html([view]), "utf-8")
(run / "report.md").write_text(markdown([view]), "utf-8")
"""


def varied(text: str, place: int, turn: int) -> str:
    """Return an answer with other numbers in each turn, and a comment that no other has."""
    text = NUMBER.sub(lambda found: str(int(found[0]) + turn), text)
    told = FUNCTION.sub(rf"\1  # {place}", text, count=1)
    return told if told != text else f"{text}\n{place}\n"


def answers_of(suite: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield different answers to a suite, as a run keeps them."""
    file = EXAMPLE / SUITES[suite] / "responses.jsonl"
    known = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
    made = made_answers() if suite == "faircode:function" else None
    for place in range(count):
        kept = next(made) if made is not None and place % 2 else known[place % len(known)]
        text = (
            kept["text"]
            if place % 2 and made is not None
            else varied(kept["text"], place, place // len(known))
        )
        key, _, _ = kept["key"].rpartition("#")
        yield {**kept, "key": f"{key}#{place}", "sample": place, "text": text}


def made_answers() -> Iterator[dict[str, Any]]:
    """Yield made answers to the function task, of one model after the other."""
    from twenty_models import models  # noqa: PLC0415 (only this suite needs it)

    from fairlint.backends.kept_answers import kept_of  # noqa: PLC0415 (as above)
    from fairlint.backends.model import Response  # noqa: PLC0415 (as above)
    from fairlint.bench.suites import suite_of  # noqa: PLC0415 (as above)
    from fairlint.bench.suites.suite import Selection  # noqa: PLC0415 (as above)

    for model in models(20):
        for request in suite_of("faircode:function").requests(Selection()):
            yield kept_of(Response(request, model.answer(request), given="", finish="complete"))


def judge(checkout: Path, run: Path) -> float:
    """Judge a run's answers with a checkout, and return the seconds of CPU that it took."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen([sys.executable, "-P", "-c", JUDGE, str(checkout), str(run)], env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{checkout}: {run} could not be judged (exit status {process.returncode})")
    return used.ru_utime + used.ru_stime


def compare(suite: str, checkouts: Sequence[Path], count: int, rounds: int) -> bool:
    """Print what the rounds of a suite take, and return whether all files are the same."""
    answers = answers_of(suite, count)
    ratios, same = [], True
    for turn in range(rounds):
        with tempfile.TemporaryDirectory() as scratch:
            run = Path(scratch) / "run"
            run.mkdir()
            shutil.copy(EXAMPLE / SUITES[suite] / "run.json", run)
            with (run / "responses.jsonl").open("w", encoding="utf-8") as file:
                for _ in range(count // rounds):
                    file.write(json.dumps(next(answers), ensure_ascii=False) + "\n")
            taken, files = {}, {}
            order = checkouts if turn % 2 else checkouts[::-1]
            for checkout in order:
                taken[checkout] = judge(checkout, run)
                files[checkout] = {name: (run / name).read_bytes() for name in MADE}
                for name in MADE:
                    (run / name).unlink()
        old, new = checkouts
        ratios.append(taken[new] / taken[old])
        others = [name for name in MADE if files[old][name] != files[new][name]]
        same = same and not others
        each = " and ".join(f"{1000 * taken[one] / (count // rounds):.2f} ms" for one in checkouts)
        told = f"differ: {', '.join(others)}" if others else "the same files"
        print(f"{suite}: round {turn + 1}, {count // rounds} answers: {each} of CPU each, {told}", flush=True)
    told = f"median {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})"
    print(f"{suite}: {told} × the CPU time", flush=True)
    return same


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description="Compare two checkouts as they judge the same answers.")
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    parser.add_argument("--suite", action="append", choices=SUITES, help="which (default: all)")
    parser.add_argument("--answers", type=int, default=20_000, help="of each suite (default 20000)")
    parser.add_argument("--rounds", type=int, default=5, help="into which they are parted (default 5)")
    options = parser.parse_args(arguments)
    checkouts = [options.old.resolve(), options.new.resolve()]
    told = [compare(one, checkouts, options.answers, options.rounds) for one in options.suite or SUITES]
    return 0 if all(told) else 1


if __name__ == "__main__":
    sys.exit(main())
