"""Compares two checkouts as they judge the same answers: CPU time, and every file that comes of it.

    python benchmarks/judging_against.py OLD_CHECKOUT NEW_CHECKOUT [--suite SUITE] [--answers N]
        [--rounds N | --alone]

The answers are those of docs/bench-example, with other numbers in each copy and a comment of its own in the
first function, so that no two are alike; half of those to `faircode:function` are made as
`twenty_models.py` makes them. Each round judges its share of them as `fairlint bench judge` does, in one
process and by both checkouts in turn, and writes the reports. CPU time is that of all processes of a round,
with start-up, figures and reports. With `--alone`, only judging counts: each checkout has one process, which
take turns of 25 answers. Exit status: 0 where all files (with `--alone`, all outcomes) are the same, 1 where
they are not.
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
CHUNK = 25
"""Answers after which it is the other checkout's turn."""
FIRST = 2
"""Turns of each checkout that do not count: it loads and compiles what it needs."""
JUDGE_ALONE = """\
import sys
sys.path.insert(0, sys.argv[1])
import fairlint
assert fairlint.__file__.startswith(sys.argv[1]), fairlint.__file__
import json, time
from fairlint.bench.judging.judging_all import judge_kept_answer
from fairlint.bench.suites import suite_of
suite = suite_of(sys.argv[2])
for line in sys.stdin:
    some = json.loads(line)
    began = time.process_time()
    told = [judge_kept_answer(suite, one) for one in some]
    print(json.dumps({"seconds": time.process_time() - began, "outcomes": told}), flush=True)
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


def compare_alone(suite: str, checkouts: Sequence[Path], count: int) -> bool:
    """Print what judging alone takes, and return whether all outcomes are the same."""
    judges = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", JUDGE_ALONE, str(one), suite],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )
        for one in checkouts
    ]  # fmt: skip
    answers = answers_of(suite, count)
    seconds, counted, unlike = [0.0, 0.0], 0, 0
    for turn in range(count // CHUNK):
        line = json.dumps([next(answers) for _ in range(CHUNK)])
        told: list[dict[str, Any]] = [{}, {}]
        for place in (0, 1) if turn % 2 else (1, 0):
            told[place] = _ask(judges[place], line)
            seconds[place] += told[place]["seconds"] if turn >= FIRST else 0
        counted += CHUNK if turn >= FIRST else 0
        unlike += sum(old != new for old, new in zip(told[0]["outcomes"], told[1]["outcomes"], strict=True))
    for one in judges:
        one.communicate()
    old, new = (1000 * each / max(1, counted) for each in seconds)
    ratio = f"{new / old:.2f}" if old else "no"
    print(
        f"{suite}: judging alone, {counted} answers: {old:.2f} and {new:.2f} ms of CPU each, {ratio} ×; "
        f"{unlike} outcomes differ",
        flush=True,
    )
    return not unlike


def _ask(judge_: subprocess.Popen[str], line: str) -> dict[str, Any]:
    assert judge_.stdin is not None
    assert judge_.stdout is not None
    judge_.stdin.write(f"{line}\n")
    judge_.stdin.flush()
    answer = judge_.stdout.readline()
    if not answer:
        sys.exit("a checkout ended before it had judged all")
    told: dict[str, Any] = json.loads(answer)
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description="Compare two checkouts as they judge the same answers.")
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    parser.add_argument("--suite", action="append", choices=SUITES, help="which (default: all)")
    parser.add_argument("--answers", type=int, default=20_000, help="of each suite (default 20000)")
    parser.add_argument("--rounds", type=int, default=5, help="into which they are parted (default 5)")
    parser.add_argument("--alone", action="store_true", help="only judging counts, and outcomes are compared")
    options = parser.parse_args(arguments)
    checkouts = [options.old.resolve(), options.new.resolve()]
    told = [
        compare_alone(one, checkouts, options.answers)
        if options.alone
        else compare(one, checkouts, options.answers, options.rounds)
        for one in options.suite or SUITES
    ]
    return 0 if all(told) else 1


if __name__ == "__main__":
    sys.exit(main())
