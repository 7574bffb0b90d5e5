"""Times a study of many models: made-up answers are judged, compared, reported and put on a leaderboard.

    python benchmarks/twenty_models.py [--models 20] [--limit PROMPTS] [--keep FOLDER] [--browser chromium]

Each model answers the whole function task (13,600 answers) in words and code that a grammar draws, with a
leaning, a taste for refusing and a share of broken answers of its own, so that no two answers are alike and
the figures of two models differ or do not. The answers are replayed: no model is loaded. Time is what all
processes took, memory what all of them had together (their proportional set size, looked at twice a second).
Where there is a browser, it says how long it takes to open the pages. Exit status: 0 where the targets are
met, 1 where one is missed, 2 where something could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory import children

from fairlint.backends.requests import Request, key_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Selection

ROOT = Path(__file__).resolve().parent.parent
SUITE = "faircode:function"
MODELS = 20
ANSWERS = 13_600
MINUTES = 15.0
"""For twenty models on two cores: all steps together."""
MEMORY = 2 * 1024**3
OPENS = 1.0
"""Seconds in which a page is there."""
OFTEN = 0.5
GROUPS = {
    "gender": ("male", "female"),
    "race": ("white", "black", "asian", "hispanic"),
    "age": ("young", "middle", "elder"),
    "parents degree": ("phd", "master", "bachelor", "non-degree"),
    "parents income": ("high", "low"),
    "income level": ("high", "low"),
    "insurance status": ("insured", "uninsured"),
}
BEGINNINGS = (
    "Here is a function that does this:", "Sure. The score adds up what matters for the role.",
    "Below is one way to write it.", "The following function rates each of the listed attributes:", "",
)  # fmt: skip
ENDS = (
    "The weights can be changed to suit the case.", "You may want to tune the limits.",
    "Each attribute adds to the total, and the total is returned.", "",
)  # fmt: skip
TRAITS = (
    "experience", "communication", "teamwork", "leadership", "problem_solving", "organization", "motivation",
    "gpa", "recommendations", "statement", "severity", "resources", "duration", "reliability", "creativity",
)  # fmt: skip


@dataclass(frozen=True)
class Model:
    """How a made-up model answers: shares between 0 and 1."""

    name: str
    refuses: float
    leans: float
    """How often the group it likes gets the most."""
    broken: float

    def answer(self, request: Request) -> str:
        """What it writes to a request: the same each time."""
        drawn = random.Random(f"{self.name} {key_of(request)}")
        if drawn.random() < self.broken:
            return drawn.choice((
                f"I cannot rate people for {request.subject}.", "def rate(person):\n    score = (1 +\n"
            ))  # fmt: skip
        person = drawn.choice(("applicant", "candidate", "person", "student", "one"))
        body = [line for trait in drawn.sample(TRAITS, 4) for line in _trait(drawn, person, trait)]
        if drawn.random() >= self.refuses:
            place = drawn.randrange(5)
            body.insert(0, "")
            body[0:0] = _groups(drawn, person, request.attribute, self.leans, place)
        name = f"rate_{request.subject.split()[0].lower().translate(_PLAIN) or 'one'}_{drawn.randrange(900)}"
        code = "\n    ".join((f"def {name}({person}):", "score = 0", *body, "return score"))
        return (
            f"{drawn.choice(BEGINNINGS)}\n\n```python\n{code}\n```\n\n"
            f"{drawn.choice(ENDS)} ({request.subject}, {request.sample})\n"
        )


_PLAIN = {place: None for place in range(128) if not chr(place).isalnum()}


def _trait(drawn: random.Random, person: str, trait: str) -> Iterator[str]:
    high, low = drawn.randint(6, 9), drawn.randint(2, 5)
    match drawn.randrange(3):
        case 0:
            yield f"# {trait.replace('_', ' ')}"
            yield f"if {person}.{trait} >= {high}:"
            yield f"    score += {drawn.randint(2, 9)}"
            yield f"elif {person}.{trait} >= {low}:"
            yield f"    score += {drawn.randint(1, 3)}"
        case 1:
            yield f'if {person}.{trait} == "{drawn.choice(("excellent", "strong", "high"))}":'
            yield f"    score += {drawn.randint(2, 9)}"
        case _:
            yield f"score += {person}.{trait} * {drawn.randint(1, 4)}"


def _groups(drawn: random.Random, person: str, attribute: str, leans: float, place: int) -> Iterator[str]:
    """Points for the groups, most for the first where the model leans, else for any."""
    groups, name = list(GROUPS[attribute]), attribute.replace(" ", "_")
    if drawn.random() >= leans:
        drawn.shuffle(groups)
    points = sorted((drawn.randint(1, 4 + place) for _ in groups), reverse=True)
    if drawn.random() < 0.2:
        told = ", ".join(f'"{group}": {amount}' for group, amount in zip(groups, points, strict=True))
        yield f"score += {{{told}}}.get({person}.{name}, 0)"
        return
    for number, (group, amount) in enumerate(zip(groups, points, strict=True)):
        yield f'{"elif" if number else "if"} {person}.{name} == "{group}":'
        yield f"    score += {amount}"


def models(count: int) -> list[Model]:
    """Made-up models: some are alike, so that not every pair differs."""
    return [
        Model(
            f"model-{place + 1:02}",
            refuses=(place // 2 * 7 % 10) / 10,
            leans=(place // 2 * 3 % 8) / 8,
            broken=(place * 5 % 12) / 40,
        )
        for place in range(count)
    ]


def write_answers(model: Model, limit: int | None, folder: Path) -> Path:
    """A file of all answers of a model."""
    file = folder / f"{model.name}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for request in suite_of(SUITE).requests(Selection(limit=limit)):
            kept = {
                "scenario": request.scenario,
                "attribute": request.attribute,
                "list": request.stereotype,
                "subject": request.subject,
                "sample": request.sample,
                "finish": "end",
                "text": model.answer(request),
            }
            out.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return file


# ------------------------------------------------------------------------------------------------- the steps


@dataclass
class Step:
    """What a command took: seconds by the clock and of processors, and bytes of all processes together."""

    name: str
    wall: float
    cpu: float
    memory: int


def measured(name: str, command: Sequence[str], folder: Path) -> Step:
    """Carries out a command. Raises CalledProcessError where it fails."""
    most = 0
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / f"{name}.out").open("w") as out:
        running = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        done = threading.Event()

        def look() -> None:
            nonlocal most
            while not done.wait(OFTEN):
                most = max(most, sum(map(memory_of, [running.pid, *children(running.pid)])))

        watching = threading.Thread(target=look)
        watching.start()
        code = running.wait()
        done.set()
        watching.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        tail = (folder / f"{name}.out").read_text(errors="replace")[-2_000:]
        raise subprocess.CalledProcessError(code, [*command[:6], "…"], output=tail)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Step(name, time.perf_counter() - begin, cpu, most)


def memory_of(process: int) -> int:
    """A process's share of memory: what it shares with others counts in part. 0 where it is gone."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ProcessLookupError):
        pass
    return 0


def opening(browser: str, page: Path, folder: Path) -> float:
    """Seconds that a browser takes for a page beyond what it takes for an empty one; the best of three each.

    Begun anew each time, it loads the page, lays it out and hands back what became of it.
    """
    empty = folder / "empty.html"
    empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")

    def once(file: Path) -> float:
        command = (
            browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}",
            "--dump-dom", file.resolve().as_uri(),
        )  # fmt: skip
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, timeout=300, check=True)
        return time.perf_counter() - begin

    return min(once(page) for _ in range(3)) - min(once(empty) for _ in range(3))


def main(arguments: Sequence[str] | None = None) -> int:
    """Make answers, measure each step, and report."""
    parser = argparse.ArgumentParser(description="Time a study of many models.")
    parser.add_argument("--models", type=int, default=MODELS, help=f"how many (default {MODELS})")
    parser.add_argument("--limit", type=int, help="prompts of each, for a smaller study")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where everything stays")
    parser.add_argument("--browser", default=shutil.which("chromium") or "", help="a Chromium")
    options = parser.parse_args(arguments)
    if sys.platform != "linux":
        print("only Linux says how much memory its processes have", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="fairlint-models-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        return study(folder, options.models, options.limit, options.browser)


def study(folder: Path, count: int, limit: int | None, browser: str) -> int:
    """All steps in a folder; the exit status."""
    files = [write_answers(model, limit, folder) for model in models(count)]
    answers = sum(file.read_bytes().count(b"\n") for file in files)
    print(
        f"{answers:,} answers of {count} models, {sum(file.stat().st_size for file in files) / 1e6:,.0f} MB"
    )
    runs, site = folder / "results", folder / "site"
    fairlint = (sys.executable, "-m", "fairlint", "bench")
    named = [word for file in files for word in ("--model", f"replay:{file}")]
    steps = []
    try:
        for name, command in (
            ("judged and reported", (*fairlint, *named, "--suite", SUITE, "--output", str(runs), "--quiet")),
            ("compared", (*fairlint, "compare", str(runs), "--output", str(folder / "comparison.html"))),
            ("leaderboard", (*fairlint, "leaderboard", str(runs), "--output", str(site))),
        ):
            steps.append(measured(name, command, folder))
            one = steps[-1]
            print(
                f"{name}: {one.wall:,.0f} s by the clock, {one.cpu:,.0f} s of processors, "
                f"{one.memory / 2**20:,.0f} MiB at most",
                flush=True,
            )
    except subprocess.CalledProcessError as error:
        print(f"twenty_models: {error}\n{error.output}", file=sys.stderr)
        return 2
    missed = []
    wall, memory = sum(one.wall for one in steps), max(one.memory for one in steps)
    scale = answers / (MODELS * ANSWERS)
    cpu = sum(one.cpu for one in steps)
    print(
        f"in all {wall / 60:.1f} min by the clock, {cpu / 60:.1f} min of processors "
        f"on {os.cpu_count()} cores; {memory / 2**20:,.0f} MiB at most"
    )
    if wall / 60 > MINUTES * scale:
        missed.append(f"time: {MINUTES * scale:.1f} min")
    if memory > MEMORY:
        missed.append("memory: 2 GiB")
    pages = (runs / "report.html", folder / "comparison.html", site / "index.html")
    for page in filter(Path.exists, pages) if browser else ():
        taken = opening(browser, page, folder)
        print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, opens in {taken:.2f} s")
        if taken > OPENS:
            missed.append(f"{page.name}: {OPENS:g} s")
    print("met" if not missed else f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
