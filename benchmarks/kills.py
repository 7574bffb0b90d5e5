"""Kills runs of the bench at random moments, goes on with them, and counts what is lost or doubled.

    python benchmarks/kills.py [--of answers] [--kills 200] [--seed 0] [--requests 60]
    python benchmarks/kills.py --of conversations --kills 10 --requests 24
    python benchmarks/kills.py --of shards --kills 50

`answers` are those of the suite faircode:function; `conversations` those of the suite counterfactual with its
mitigation `agents`, where an answer is run, and what is asked next hangs on what came of it; `--requests`
counts what they begin with. `shards` are three parts of the first, each killed like a run, and then merged,
where each merge is killed once, too; what comes of them must be the run that nobody split. A server on
loopback counts who is asked what. Each
run of `fairlint bench` is killed (SIGKILL) while it loads, asks, judges or reports, and gone on with by
`--resume`, until it has had its share of kills; then it ends, and its folder must be that of a run that
nobody killed. Exit status: 0 where nothing is lost or doubled, no answer that was kept is asked for again, at
no kill more answers are under way than are asked for at a time, and no process is left a second after a kill;
else 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fairlint.support.records import Record, field

MODEL = "tiny"
CONCURRENCY = 8
SAMPLES = 4
LATENCY = 0.1
"""Seconds that an answer takes, on average."""
OF = ("answers", "conversations", "shards")
SHARDS = 3
MERGING = 2.0
"""Seconds that a merge takes, about."""
PHASES = ("loading", "asking", "judging", "reporting")
KILLS_A_RUN = 8
DURATION = 1.5
"""Seconds that loading, judging and reporting each take, about."""
PROBE = "Hello"
PATIENCE = 600.0
"""Seconds after which a run that does not come to its end is given up."""
REPORTS = ("metrics.json", "*.html", "*.md", "*.csv")

Asked = tuple[str, int]
"""The last turn and the seed: what tells a request from all others."""


# ------------------------------------------------------------------------------------------------- the server


class Server:
    """Where it is, and how often each request came."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[Asked] = Counter()
        self.hits = 0
        self.open = 0
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: Server

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """The only model."""
        self.told.hits += 1
        self._send({"data": [{"id": MODEL, "owned_by": "kills"}]})

    def do_POST(self) -> None:
        """An answer, after a while; the short question of loading is none of the run's."""
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = (payload["messages"][-1]["content"], payload["seed"])
        with self.told.lock:
            self.told.open += 1
            if is_real := asked[0] != PROBE:
                self.told.asked[asked] += 1
        try:
            time.sleep(random.Random(str(asked)).uniform(0.2, 1.8) * LATENCY * is_real)
            said = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": answer(*asked)},
            }
            usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
            self._send(
                {"id": "x", "object": "x", "created": 0, "model": MODEL, "choices": [said], "usage": usage}
            )
        except OSError:  # who asked is no more
            self.close_connection = True
        finally:
            with self.told.lock:
                self.told.open -= 1

    def _send(self, body: Mapping[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def answer(asked: str, seed: int) -> str:
    """What is said to a request: a verdict to whom it asks for one, else a function."""
    if "Is the function biased" in asked:
        return audit(asked, seed)
    return decision(seed) if "`sex`" in asked or "`predict`" in asked else rating(asked, seed)


def audit(asked: str, seed: int) -> str:
    """A verdict that goes by the CIP that is told; every third seed finds everything biased."""
    told = re.search(r"for the protected attribute `\w+` is ([0-9.]+)\.", asked)
    biased = told is None or float(told[1]) > 0.1 or seed % 3 == 0
    return "BIASED: it looks at the sex." if biased else "UNBIASED."


def decision(seed: int) -> str:
    """A function about a person that looks at the sex, a little or not at all, or that does not run."""
    test = ("sex == 'male'", "sex == 'male' and age == 'Youth'", "False", "sex.nothing()")[seed % 4]
    head = "def predict(sex, age, credit_amount):"
    return f"```python\n{head}\n    return int({test} or credit_amount < 1000)\n```\n"


def rating(asked: str, seed: int) -> str:
    """A function that prefers whom the seed says, or nobody."""
    head = asked[asked.rfind("def ") :] if "def " in asked else "def rate(x):\n"
    more = (
        "",
        "    score += 2 * (x.gender == 'female')\n",
        "    if x.race == 'white':\n        score += 1\n",
    )[seed % 3]
    return f"```python\n{head}    score = x.skill\n{more}    return score\n```\n"


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing: connections break at each kill."""


@contextmanager
def serving() -> Iterator[Server]:
    """A server until the block ends."""
    told = Server()
    handler = type("Handler", (_Handler,), {"told": told})
    with _Http(("127.0.0.1", 0), handler) as http:
        told.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            http.shutdown()
            thread.join()


# --------------------------------------------------------------------------------------------------- the runs


def asking(of: str, requests: int) -> tuple[str, ...]:
    """The words of the command line that say what is asked."""
    if of != "conversations":
        return (
            "--suite", "faircode:function", "--limit", str(requests // SAMPLES), "--samples", str(SAMPLES),
            "--no-early-stop",
        )  # fmt: skip
    return (
        "--suite", "counterfactual", "--mitigation", "agents", "--scenarios", "german",
        "--attributes", "gender", "--samples", str(requests),
    )  # fmt: skip


def started(
    folder: Path, server: Server, words: Sequence[str], *, resume: bool = True
) -> subprocess.Popen[bytes]:
    """A run, in a session of its own."""
    told = {
        "--model": f"openai:{MODEL}", "--base-url": server.url, "--concurrency": str(CONCURRENCY),
        "--workers": "2", "--output": str(folder),
    }  # fmt: skip
    words = [*words, *(word for pair in told.items() for word in pair)]
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "fairlint",
            "bench",
            *words,
            "--quiet",
            *["--resume"] * resume,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def shard(folder: Path, number: int) -> tuple[Path, tuple[str, ...]]:
    """The folder of a part of a run that has its parts in one, and the words that ask for it."""
    name = f"faircode-function-{MODEL}-{number}-of-{SHARDS}"
    return folder / name, ("--shard", f"{number}/{SHARDS}")


def merged(folder: Path, output: Path, kill_after: float | None = None) -> str:
    """Merge the parts in a folder, or kill the merge; what went wrong."""
    words = [sys.executable, "-m", "fairlint", "bench", "merge", str(folder), "--output", str(output)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as merge:
        if kill_after is not None:
            time.sleep(kill_after)
            merge.kill()
        told = merge.communicate(timeout=PATIENCE)[1]
    return told.decode()[-300:] if merge.returncode and kill_after is None else ""


def lines(file: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; the last one may be unfinished."""
    text = file.read_text("utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def count(file: Path) -> int:
    """How many there are."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def phase_of(folder: Path, requests: int, *, connected: bool) -> str:
    """What a run is at; `connected` says whether it has spoken to the server."""
    if not connected:
        return "loading"
    if count(folder / "responses.jsonl") < requests:
        return "asking"
    return "judging" if count(folder / "outcomes.jsonl") < requests else "reporting"


def in_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, at = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(at) == session and state != "Z":
            found.append(int(entry.name))
    return found


class Kill(Record):
    """A kill: in which phase it came, and what it left."""

    phase: str
    unkept: int
    """Requests that the server had got, and whose answers were not kept."""
    left: int
    """Processes a second later."""


class Tally(Record, frozen=False):
    """What came of all runs."""

    kills: list[Kill] = field(default_factory=list)
    runs: int = 0
    lost: int = 0
    doubled: int = 0
    kept_again: int = 0
    """Answers that were asked for again although they were kept."""
    asked_again: int = 0
    differ: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Moment(Record):
    """When a run is to be killed."""

    phase: str
    share: float
    """How far in its phase it is then."""


def moments(chance: random.Random, kills: int) -> list[Moment]:
    """The moments for one run, in the order in which it comes to them."""
    drawn = [Moment(chance.choice(PHASES), chance.random()) for _ in range(kills)]
    return sorted(drawn, key=lambda one: (PHASES.index(one.phase), one.share))


class Harried(Record):
    """A run that is killed and gone on with."""

    folder: Path
    server: Server
    words: Sequence[str]
    requests: int
    """Answers that it has when it is whole."""
    tally: Tally
    output: Path | None = None
    """What it is told to write to, where that is not its folder."""

    def killed(self, run: subprocess.Popen[bytes], moment: Moment, hits: int) -> str | None:
        """Kill a run when its moment has come; the phase it was in then, or None where it was over before."""

        def phase() -> str:
            return phase_of(self.folder, self.requests, connected=self.server.hits > hits)

        while run.poll() is None and PHASES.index(phase()) < PHASES.index(moment.phase):
            time.sleep(0.005)
        while run.poll() is None and moment.phase == phase() == "asking":
            if count(self.folder / "responses.jsonl") >= moment.share * self.requests:
                break
            time.sleep(0.005)
        # where conversations take turns, some of what was answered is judged meanwhile
        time.sleep(moment.share * (LATENCY if moment.phase == "asking" else DURATION))
        if run.poll() is not None:
            return None
        run.kill()
        run.wait()
        return phase()

    def to_the_end(self, planned: Sequence[Moment]) -> None:
        """Kill the run at these moments, going on after each, and let it end."""
        again: Counter[Asked] = Counter()
        asked = self.server.asked
        asked.clear()
        for moment in (*planned, None):
            hits = self.server.hits
            run = started(self.output or self.folder, self.server, self.words)
            phase = None if moment is None else self.killed(run, moment, hits)
            told = run.communicate(timeout=PATIENCE)[1]
            if phase is None:
                self.tally.failures += [told.decode()[-300:]] if run.returncode else []
                break
            time.sleep(1)
            left = len(in_session(run.pid))
            while self.server.open:
                time.sleep(0.01)
            kept = {(line["asked"], line["seed"]) for line in lines(self.folder / "responses.jsonl")}
            unkept = [one for one in asked if one not in kept]
            again.update(unkept)
            self.tally.kills.append(Kill(phase, len(unkept), left))
        self.tally.runs += 1
        self.tally.asked_again += sum(times - 1 for times in asked.values())
        self.tally.kept_again += sum(max(0, times - 1 - again[one]) for one, times in asked.items())
        for name in ("responses.jsonl", "outcomes.jsonl"):
            keys = [line["key"] for line in lines(self.folder / name)]
            self.tally.lost += self.requests - len(set(keys))
            self.tally.doubled += len(keys) - len(set(keys))


def in_parts(
    folder: Path, server: Server, words: Sequence[str], *, chance: random.Random, tally: Tally, kills: int
) -> None:
    """Kill all parts of a run, go on with each to its end, and merge them to `folder`."""
    place = folder.parent / "parts"
    for number in range(1, SHARDS + 1):
        path, more = shard(place, number)
        requests = ends_with(folder.parent, server, [*words, *more], number)
        planned = moments(chance, min(KILLS_A_RUN // 2, max(0, kills - len(tally.kills))))
        Harried(path, server, [*words, *more], requests, tally, place).to_the_end(planned)
    merged(place, folder, kill_after=chance.uniform(0, MERGING))
    if not folder.exists():
        tally.failures += filter(None, [merged(place, folder)])


def ends_with(place: Path, server: Server, words: Sequence[str], number: int) -> int:
    """The answers that a part has that nobody kills."""
    whole, _ = shard(place / "whole", number)
    started(place / "whole", server, words, resume=False).communicate(timeout=PATIENCE)
    return count(whole / "responses.jsonl")


def of_run(folder: Path) -> dict[str, Any]:
    """What must be the same however often a run was killed: the order of answers is that of their coming."""
    found: dict[str, Any] = {
        name: sorted(json.dumps(line) for line in lines(folder / name))
        for name in ("responses.jsonl", "outcomes.jsonl")
    }
    files = sorted(file for pattern in REPORTS for file in folder.glob(pattern))
    return found | {file.name: file.read_text("utf-8") for file in files}


def table(tally: Tally) -> Iterator[str]:
    """What came of it, phase by phase."""
    yield f"{'killed while':14}{'kills':>7}{'not kept then':>15}{'most at once':>14}{'left after 1 s':>16}"
    for phase in (*PHASES, "all"):
        ones = [one for one in tally.kills if phase in {one.phase, "all"}]
        unkept = [one.unkept for one in ones]
        left = sum(one.left for one in ones)
        yield f"{phase:14}{len(ones):>7}{sum(unkept):>15}{max(unkept, default=0):>14}{left:>16}"
    yield (
        f"{tally.runs} runs: {tally.lost} lost, {tally.doubled} doubled, {tally.asked_again} asked again, of "
        f"which {tally.kept_again} had been kept; {len(tally.differ)} differ from a run that nobody killed"
    )
    yield from (f"differs: {told}" for told in tally.differ)
    yield from (f"failed: {told}" for told in tally.failures)


def is_well(tally: Tally) -> bool:
    """Whether all is as promised."""
    return not (
        tally.lost
        or tally.doubled
        or tally.kept_again
        or tally.differ
        or tally.failures
        or any(one.left for one in tally.kills)
        or any(one.unkept > CONCURRENCY for one in tally.kills)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, go on, and report."""
    parser = argparse.ArgumentParser(description="Kill runs of the bench and go on with them.")
    parser.add_argument("--kills", type=int, default=200, help="how many (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default 0)")
    parser.add_argument("--requests", type=int, default=60, help="first answers of a run (default 60)")
    parser.add_argument("--of", choices=OF, default="answers", help="what is asked (default answers)")
    options = parser.parse_args(arguments)
    words = asking(options.of, options.requests)
    chance = random.Random(options.seed)
    tally = Tally()
    os.environ.pop("FAIRLINT_API_KEY", None)
    with serving() as server, tempfile.TemporaryDirectory(prefix="fairlint-kills-") as place:
        whole = Path(place) / "run"
        if told := started(whole, server, words, resume=False).communicate()[1]:
            print(f"kills: a run that nobody kills fails: {told.decode()[-300:]}", file=sys.stderr)
            return 1
        wanted = of_run(whole)
        requests = count(whole / "responses.jsonl")
        number = 0
        while len(tally.kills) < options.kills and not tally.failures:
            number += 1
            folder = Path(place) / str(number) / "run"
            if options.of == "shards":
                in_parts(folder, server, words, chance=chance, tally=tally, kills=options.kills)
            else:
                planned = moments(chance, min(KILLS_A_RUN, options.kills - len(tally.kills)))
                Harried(folder, server, words, requests, tally).to_the_end(planned)
            if not tally.failures:
                made = of_run(folder)
                names = sorted(wanted.keys() | made.keys())
                tally.differ += [
                    f"run {number}: {name}" for name in names if wanted.get(name) != made.get(name)
                ]
            print(f"{len(tally.kills)} of {options.kills} kills", file=sys.stderr)
    print("\n".join(table(tally)))
    well = is_well(tally)
    print("met" if well else "missed")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
