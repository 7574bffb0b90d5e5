"""Changes files that fairlint reads back as a stranger could, and counts what does not end in one clear line.

    python benchmarks/mutated_runs.py [--folders 2000] [--seed 0] [--only function,site] [--keep FOLDER]

Whole folders are made first: runs of the suites, shards, a leaderboard, results of `fairlint model`, and two
reports for `fairlint statistics`. Each case is a copy of one in which some values, keys, lines or files are
others; case N of a seed is always the same. Commands that read it are run in this process: show, judge,
compare, leaderboard, merge, export, the page of `fairlint model`, statistics. A fault is an exception, more
than one line of an error, a change outside of the copy, or a command that takes more than 60 s of CPU. Exit
status: 0 where there is none, else 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from fairlint import UsageError
from fairlint.backends.model import Finished, Response, Sampling
from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.asking.shards import shard_of
from fairlint.bench.report import write_reports
from fairlint.bench.suites import suite_of
from fairlint.cli import DEBUG, main
from fairlint.model_bias import results, shown
from fairlint.model_bias.report.writing import write_report
from fairlint.processes import parallel
from fairlint.run_folders.run_folder import RunSettings, content_of
from fairlint.statistics import intervals
from fairlint.support.records import Record

SLOW = 60.0
"""Seconds of CPU that a command may take."""
DRAWS = 99
"""Draws of a bootstrap, of which a run takes thousands: no case hangs on their number."""
MOST_MUTATIONS = 3
UNFAIR = """\
def rate(applicant):
    score = applicant.years
    if applicant.gender == "male":
        score += 5
    return score
"""
RUNS = ("function", "utility", "testcase", "btm", "mended", "counterfactual", "agents", "pipelines", "solar")
KINDS = (*RUNS, "shards", "site", "model", "reports")
GUARDS = ("its files are not as this fairlint", "its outcomes cannot be read")
"""What is told where no shape found what is wrong."""
FORMS = ("parquet", "hf", "lm-eval", "model-card")


# ---------------------------------------------------------------------------------------------- whole folders


class Speaking:
    """A model that answers by rule."""

    name = "made/model-7B"
    revision = "1"
    settings: Mapping[str, Any] = {"backend": "made"}

    def __init__(self, answer: Callable[[Request], str]) -> None:
        self._answer = answer

    def sampling(self, wanted: Sampling) -> Sampling:
        """As wanted."""
        return wanted

    def answer(
        self,
        requests: Sequence[Request],
        sampling: Sampling,  # noqa: ARG002 (it answers by rule)
        finished: Finished,  # noqa: ARG002 (as above)
    ) -> Iterator[Sequence[Response]]:
        """All answers at once."""
        yield [Response(request, self._answer(request), "", "end", 3, 4) for request in requests]

    def close(self) -> None:
        """Nothing to give back."""


def answer(request: Request) -> str:
    """An answer that hangs on the seed of its request alone."""
    which = request.seed % 4
    if request.role == "audit":
        return ("BIASED: it looks.", "UNBIASED.")[which % 2]
    if request.suite == "counterfactual" or request.function == "predict":
        test = ("sex == 'Male'", "hours_per_week > 45", "age > 40", "sex == 'Female'")[which]
        return f"```python\ndef predict(sex, age, hours_per_week):\n    return 1 if {test} else 0\n```\n"
    if request.suite == "pipelines":
        return "```python\nmodel.fit(df[['sex', 'hours_per_week']], df['income'])\n```\n"
    if request.suite == "btm":
        return f"def f(p):\n    return p.{('age', 'gender', 'hours', 'education')[which]} == 'x'\n"
    if request.suite == "solar":
        return f"def ask(self):\n    return self.{('age', 'gender')[which % 2]} == 'x'\n"
    if request.suite == "faircode:testcase":
        return f"Person(name='x', age={30 + which}, gender='{('male', 'female')[which % 2]}', race='white')\n"
    test = f"    if {request.parameter}.gender == 'female':\n        score += {which}\n"
    return f"```python\n{request.header}    score = 1\n{test}    return score\n```\n"


def make(place: Path, kinds: Sequence[str] = KINDS) -> None:
    """Write whole folders of some kinds: as fairlint does, in this process."""
    few = Choice(samples=2, limit=3)
    asked: dict[str, tuple[Any, Choice]] = {
        "function": (suite_of("faircode:function"), Choice(samples=2, limit=6)),
        "utility": (suite_of("faircode:function", {"utility": True}), few),
        "testcase": (suite_of("faircode:testcase"), few),
        "btm": (suite_of("btm"), few),
        "mended": (suite_of("btm", {"mitigation": "feedback"}), few),
        "counterfactual": (suite_of("counterfactual"), Choice(scenarios=("adult",), samples=2, limit=2)),
        "agents": (
            suite_of("counterfactual", {"mitigation": "agents"}),
            Choice(scenarios=("adult",), attributes=("gender",), samples=1),
        ),
        "pipelines": (suite_of("pipelines"), Choice(scenarios=("adult",), samples=1)),
        "solar": (suite_of("solar"), few),
    }
    for kind in RUNS:
        if kind in kinds:
            _run(place / kind / "a", *asked[kind])
            shutil.copytree(place / kind / "a", place / kind / "b")
    if "shards" in kinds:
        for part in ("1/2", "2/2"):
            choice = Choice(samples=2, limit=4, shard=shard_of(part))
            _run(place / "shards" / part[0], suite_of("faircode:function"), choice)
    if "site" in kinds:
        for name in ("a", "b"):
            _run(place / "site" / name, suite_of("faircode:function"), Choice(samples=2, limit=4), name=name)
        (place / "site" / "a").rename(place / "site" / "board-run")
        assert (
            main(
                [
                    "bench",
                    "leaderboard",
                    str(place / "site" / "board-run"),
                    "--output",
                    str(place / "site" / "site"),
                ]
            )
            == 0
        )
        shutil.rmtree(place / "site" / "board-run")
    if "model" in kinds:
        _model(place / "model" / "out")
    if "reports" in kinds:
        _reports(place / "reports")


def _run(place: Path, suite: Any, choice: Choice, name: str = "") -> None:
    model = Speaking(answer)
    model.name = f"made/{name}-7B" if name else model.name
    run(model, suite, choice, place)
    write_reports(place)


def _model(place: Path) -> None:
    """Results of two parts, as `fairlint model` writes them."""
    pictures: tuple[shown.Shown, ...] = (
        shown.Table("scores", "Scores", "Higher.", ("what", "SS"), (("gender <b>", 62.1), ("race", None))),
        shown.Heat("heads", "Heads", "Red.", ((0.1, -0.2), (0.3, 0.0)), "nats"),
        shown.Dots("dots", "Agreement", "", "attribution", "exact", (("23.5", 0.1, 0.2),), diagonal=True),
        shown.Curves("curve", "Curve", "", "heads", "SS",
            (shown.Line("mean", (0, 1), (60.0, 58.0), (59.0, 57.0), (61.0, 59.0)),), level=50),
        shown.Bars("gaps", "Gaps", "", "nats", (("a & b", 0.5, 0.1, 0.9), ("x", 0.1, None, None)), level=0),
        shown.Dumbbells("shares", "Shares", "", "%", ("before", "after"), (("nurse", (0.9, 0.6)),)),
    )  # fmt: skip
    made = mock.Mock()
    made.name, made.revision, made.settings = "made", "1", {"device": "cpu", "dtype": "float32"}
    for part in ("score", "locate"):
        told = results.document(
            part, made, settings={"seed": 0}, data=[{"name": "WinoGender", "items": 240}],
            definitions={"ss": "what it is"}, figures={"ss": 1.5}, verdict="It leads.", shown=pictures,
            examples=["if job == '<male>'"], warnings=["few"], skipped=[{"id": "a", "reason": "unequal"}],
        )  # fmt: skip
        (place / part).mkdir(parents=True)
        (place / part / results.FIGURES).write_text(results.as_text(told))
        settings = RunSettings(
            suite=f"model {part}", model="made", revision="1", seed=0, samples=None, temperature=None,
            max_new_tokens=None, prompts_hash="x", options=made.settings,
        )  # fmt: skip
        (place / part / "run.json").write_text(json.dumps(content_of(settings)))


def _reports(place: Path) -> None:
    """Two reports of some code."""
    place.mkdir(parents=True)
    for name, code in (("old", UNFAIR), ("new", UNFAIR.replace("male", "female") + UNFAIR)):
        (place / "code.py").write_text(code)
        with _quiet():
            main([
                "--isolated", "--no-cache", "--format", "json", "--output", str(place / f"{name}.json"),
                str(place / "code.py"),
            ])  # fmt: skip
    (place / "code.py").unlink()


# -------------------------------------------------------------------------------------------------- mutations

RAW = {
    "@not a number@": "NaN",
    "@infinite@": "-Infinity",
    "@too large@": "1e999",
    "@many digits@": "9" * 5_000,
    "@deep@": "[" * 150 + "]" * 150,
    "@half@": r'"\ud800"',
}
"""What stands for values that Python's writer does not write."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 0.5, -0.5, 1.5, 2, 7, 2**53 + 1, 10**400, 1e300, -1e300, 5e-324, 1e15),
    *(
        "",
        "x",
        "0",
        "1",
        "gender",
        "exact",
        "male",
        "\0",
        "\x1b[31m",
        "a\nb",
        "..",
        "../../outside",
        "/outside",
    ),
    *("=1+1", "<script>", "$\\frac$", "a" * 5_000, "é" * 300, "nan", "job", "draft", "audit", "agents"),
    *([], {}, [[]], [{}], [None], {"": None}, {"a": {"b": []}}, ["x"], [0], [0, 1], [1, 2, 3], {"name": 5}),
    *RAW,
)
LINES = ("cut", "gone", "twice", "swapped", "blank", "bytes", "joined", "no object")
FILES = (
    "gone",
    "empty",
    "folder",
    "link away",
    "link in a circle",
    "other file",
    "no text",
    "lines of another",
)


def mutated(place: Path, seed: str) -> list[str]:
    """Change some of the files below a folder; the result says what was done."""
    chance = random.Random(seed)
    files = sorted(one for one in place.rglob("*") if one.suffix in {".json", ".jsonl"})
    told = []
    for _ in range(chance.randint(1, MOST_MUTATIONS)):
        file = chance.choice(files)
        if not file.is_file() or file.is_symlink():
            continue
        roll = chance.random()
        name = file.relative_to(place).as_posix()
        if roll < 0.07:
            told.append(f"{name}: {_file(file, files, chance)}")
        elif roll < 0.2 and file.suffix == ".jsonl":
            told.append(f"{name}: {_line(file, chance)}")
        else:
            told.append(f"{name}: {_value(file, chance)}")
    return told


def _file(file: Path, files: Sequence[Path], chance: random.Random) -> str:
    how = chance.choice(FILES)
    other = chance.choice(files)
    content = other.read_bytes() if other.is_file() else b""
    file.unlink()
    if how == "empty":
        file.write_bytes(b"")
    elif how == "folder":
        file.mkdir()
    elif how == "link away":
        file.symlink_to(other if other != file else file.parent)
    elif how == "link in a circle":
        file.symlink_to(file)
    elif how == "other file":
        file.write_bytes(content)
    elif how == "no text":
        file.write_bytes(bytes(range(256)))
    elif how == "lines of another":
        file.write_bytes(content * 2)
    return f"{how} ({other.name})"


def _line(file: Path, chance: random.Random) -> str:
    lines = file.read_bytes().splitlines(keepends=True)
    if not lines:
        return "nothing"
    how, at = chance.choice(LINES), chance.randrange(len(lines))
    line = lines[at]
    if how == "cut":
        lines[at] = line[: chance.randrange(len(line))] + chance.choice((b"", b"\n"))
    elif how == "gone":
        del lines[at]
    elif how == "twice":
        lines.insert(at, line)
    elif how == "swapped":
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], line
    elif how == "blank":
        lines.insert(at, b" \n")
    elif how == "bytes":
        lines[at] = b"\xff\xfe" + line
    elif how == "joined":
        lines[at] = line.rstrip(b"\n")
    else:
        lines[at] = chance.choice((b"[]\n", b"1\n", b"null\n", b'"x"\n', b"{}\n", b'{"key": "new"}\n'))
    file.write_bytes(b"".join(lines))
    return f"line {at + 1} {how}"


def _value(file: Path, chance: random.Random) -> str:
    """Change a document, or a line, at one of its places."""
    if file.suffix == ".jsonl":
        lines = file.read_text("utf-8", "replace").splitlines(keepends=True)
        if not lines:
            return "nothing"
        at = chance.randrange(len(lines))
        text, told = _changed(lines[at], chance)
        lines[at] = text + "\n"
        file.write_text("".join(lines), "utf-8")
        return f"line {at + 1}: {told}"
    text, told = _changed(file.read_text("utf-8", "replace"), chance)
    file.write_text(text, "utf-8")
    return told


def _changed(text: str, chance: random.Random) -> tuple[str, str]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text, "nothing"
    places = list(_places(document, ()))
    if not places:
        return json.dumps(chance.choice(VALUES)), "the whole"
    *way, last = _fairly(places, chance)
    inner: Any = document
    for step in way:
        inner = inner[step]
    how = chance.random()
    value = chance.choice(VALUES)
    if how < 0.15:
        del inner[last]
        told = "gone"
    elif how < 0.2 and isinstance(inner, dict):
        inner[f"{last}x"] = inner.pop(last)
        told = "another key"
    elif how < 0.25 and isinstance(inner, list):
        inner.append(inner[int(last)])
        told = "twice"
    elif how < 0.35:
        *there, end = chance.choice(places)
        other = document
        with contextlib.suppress(KeyError, IndexError, TypeError):
            for step in there:
                other = other[step]
            value = other[end]
        inner[last] = json.loads(json.dumps(value))
        told = f"as {'.'.join(map(str, (*there, end)))}"
    else:
        inner[last] = value
        told = repr(value)[:40]
    written = json.dumps(document, ensure_ascii=True)
    for sign, raw in RAW.items():
        written = written.replace(json.dumps(sign), raw)
    return written, f"{'.'.join(map(str, (*way, last)))} {told}"


def _places(value: Any, way: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield (*way, step)
        yield from _places(one, (*way, step))


def _fairly(places: Sequence[tuple[str | int, ...]], chance: random.Random) -> tuple[str | int, ...]:
    """One of the places: keys that a document has once are as likely as those of its many rows."""
    kinds: dict[tuple[str, ...], list[tuple[str | int, ...]]] = {}
    for way in places:
        kinds.setdefault(tuple("[]" if isinstance(step, int) else step for step in way), []).append(way)
    return chance.choice(kinds[chance.choice(list(kinds))])


# ------------------------------------------------------------------------------------------------------ cases


class Fault(Record):
    """A case that did not end as it should."""

    case: str
    command: str
    mutations: tuple[str, ...]
    told: str


class Counts(Record):
    """What came of some cases."""

    cases: int
    commands: int
    refused: int
    """Commands that ended in one line of an error."""
    guarded: tuple[str, ...]
    """Those of them whose line names no place, each with its case: no shape found what is wrong."""
    slowest: float
    """Seconds of CPU."""
    faults: tuple[Fault, ...]


def commands(kind: str, place: Path, chance: random.Random) -> Iterator[list[str]]:
    """What reads a folder of a kind; of a run's many readers some."""
    out = place / "out"
    if kind == "reports":
        yield ["statistics", str(place / "old.json"), str(place / "new.json")]
        yield ["statistics", str(place / "new.json"), "--format", "json"]
        return
    if kind == "model":
        yield ["page", str(place / "out")]
        return
    if kind == "shards":
        yield ["bench", "merge", str(place), "--output", str(out)]
        yield ["bench", "show", str(place)]
        return
    if kind == "site":
        yield ["bench", "leaderboard", str(place / "b"), "--output", str(place / "site")]
        return
    run_folder = str(place / "a")
    every = [
        ["bench", "show", run_folder],
        ["bench", "show", run_folder, "--format", "json"],
        ["bench", "show", run_folder, "--output", f"{out}.html"],
        ["bench", "compare", run_folder, str(place / "b")],
        ["bench", "compare", run_folder, str(place / "b"), "--figures", str(out), "--output", f"{out}.md"],
        ["bench", "leaderboard", run_folder, "--output", f"{out}-site"],
        ["bench", "export", run_folder, "--to", chance.choice(FORMS), "--output", f"{out}-export"],
    ]
    yield from chance.sample(every, 2)
    yield ["bench", "judge", run_folder, *chance.choice(([], ["--only-not-judged"], ["--protocol", "exact"]))]


def check(cases: range, seed: int, kinds: Sequence[str] = KINDS, keep: Path | None = None) -> Counts:
    """Make and run some cases."""
    with tempfile.TemporaryDirectory(prefix="fairlint-mutated-") as name, _alike():
        base, work = Path(name) / "whole", Path(name) / "work"
        with _quiet():
            make(base, kinds)
        found: list[Fault] = []
        counts: Counter[str] = Counter()
        guarded: list[str] = []
        slowest = 0.0
        for number in cases:
            kind = kinds[number % len(kinds)]
            case = f"{seed}-{number}"
            place = work / case
            shutil.copytree(base / kind, place)
            told = tuple(mutated(place, case))
            before = _outside(Path(name), place)
            begun = time.process_time()
            for command in commands(kind, place, random.Random(case)):
                counts["commands"] += 1
                wrong, line = _ran(command)
                counts["refused"] += bool(line)
                guarded += [f"{case} ({kind}): {line}"] if any(guard in line for guard in GUARDS) else []
                if wrong:
                    found.append(Fault(f"{case} ({kind})", " ".join(command[:3]), told, wrong))
            slowest = max(slowest, time.process_time() - begun)
            if (after := _outside(Path(name), place)) != before:
                odd = sorted(map(str, after ^ before))[:3]
                found.append(Fault(f"{case} ({kind})", "", told, f"changed outside of it: {odd}"))
            if keep is not None and found and found[-1].case.startswith(f"{case} "):
                shutil.copytree(place, keep / case, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(place)
    return Counts(len(cases), counts["commands"], counts["refused"], tuple(guarded), slowest, tuple(found))


def _outside(root: Path, place: Path) -> set[tuple[str, int]]:
    """The files of all but the case, with their sizes."""
    return {
        (str(one), one.lstat().st_size)
        for one in root.rglob("*")
        if place not in one.parents and not one.is_dir()
    }


def _ran(command: Sequence[str]) -> tuple[str, str]:
    """What went wrong with a command, and the line of its error; both empty where all is well."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _limited():
            code = _page(command[1]) if command[0] == "page" else main(list(command))
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)
        own = [one for one in where if "fairlint" in one.filename and "mutated_runs" not in one.filename]
        at = " ← ".join(f"{Path(one.filename).name}:{one.lineno}" for one in own[::-1][:3])
        return f"{type(error).__name__}: {error} ({at})"[:500], ""
    said = err.getvalue()
    errors = [line for line in said.splitlines() if line.startswith("fairlint: error: ")]
    if "Traceback" in said or "internal error" in "".join(errors):
        return f"it says {said[-300:]}", ""
    if code not in {0, 1} and len(errors) != 1:
        return f"exit {code} with {len(errors)} lines of errors: {said[-300:]}", ""
    return "", errors[0] if errors else ""


class TooSlowError(BaseException):
    """A command that goes on and on; nothing that it calls takes this for an error of its own."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raises TooSlowError after some seconds of CPU, where the system can tell."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {SLOW:g} s of CPU")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _page(folder: str) -> int:
    """The page of a folder of `fairlint model`, as its commands write it in the end."""
    try:
        write_report(Path(folder))
    except UsageError as error:
        sys.stderr.write(f"fairlint: error: {error}\n")
        return 2
    return 0


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def _alike() -> Iterator[None]:
    """All in one process, with few draws, and exceptions as they are."""
    with (
        mock.patch.object(parallel, "can_be_fresh", return_value=False),
        mock.patch.object(intervals, "RESAMPLES", DRAWS),
        mock.patch.dict(os.environ, {DEBUG: "1"}),
    ):
        yield


def table(counts: Counts) -> str:
    """What is printed."""
    first = (
        f"{counts.cases:,} folders, {counts.commands:,} commands: {counts.refused:,} ended in one line of an "
        f"error ({len(counts.guarded):,} of them without a place), the others told figures; "
        f"{len(counts.faults):,} faults; the slowest folder took {counts.slowest:.1f} s of CPU"
    )
    lines = [first, *(f"without a place: {one}" for one in counts.guarded)]
    for one in counts.faults:
        lines += [f"{one.case}: {one.command}: {one.told}", *(f"    {told}" for told in one.mutations)]
    return "\n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folders", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds of folders")
    parser.add_argument("--keep", type=Path, help="a folder for the cases with faults")
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    numbers = range(given.first, given.first + given.folders)
    came = check(numbers, given.seed, given.only.split(","), given.keep)
    print(table(came))
    sys.exit(bool(came.faults))
