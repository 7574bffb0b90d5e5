"""How many links that somebody plants in a checkout have fairlint write where they lead: none may.

Each round plants links of one kind under the names that a command writes or might write in between, runs the
command as a user does, and looks whether the file, or the folder, that the links lead to has changed.

    python benchmarks/planted_links.py --links 10000
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from fairlint.cli import main as fairlint

CODE = (
    "def total(rows):\n    return sum(rows)  # fairlint: ignore[FL205] -- not needed any more\n\n\n"
    "def rate(person):\n    if person.gender == 'male':\n        person.score += 5\n    return person.score\n"
)
BEFORE = "as somebody else wrote it\n"
ANSWER = json.dumps({"text": f"```python\n{CODE}```", "job": "nurse", "attribute": "gender"}) + "\n"

COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "--fix": (["--fix", "."], ["rate.py"]),
    "--add-ignore": (["--add-ignore", "--reason", "agreed", "."], ["rate.py"]),
    "--output": (["--output", "report.txt", "."], ["report.txt"]),
    "--also": (["--also", "sarif=fairlint.sarif", "."], ["fairlint.sarif"]),
    "baseline create": (["baseline", "create", "--force", "."], ["fairlint-baseline.jsonl"]),
    "bench": (
        [
            "bench", "--suite", "faircode:function", "--model", "replay:answers.jsonl?scenario=job",
            "--output", "run",
        ],
        [
            "run", "run/run.json", "run/requests.jsonl", "run/responses.jsonl", "run/outcomes.jsonl",
            "run/metrics.json", "run/report.html", "run/run.lock", "run/run.pid",
        ],
    ),
    "bench judge": (
        ["bench", "judge", "done"],
        ["done/outcomes.jsonl", "done/metrics.json", "done/report.html", "done/run.lock", "done/run.pid"],
    ),
}  # fmt: skip
"""Command → its arguments, and what it writes."""


def names_beside(target: str, chance: random.Random) -> Iterator[str]:
    """Names that drafts of a target have, had, or might have."""
    folder, _, name = target.rpartition("/")
    process = os.getpid()
    random_part = f"{chance.getrandbits(64):016x}"
    for made in (
        f".{name}.{process + chance.randrange(-3, 4)}.tmp",
        f".{name}.tmp",
        f"{name}.new",
        f"{name}.tmp",
        f"{name}~",
        f".{name}.making",
        f".{name}.{random_part}.draft",
        f".{name}.{process}-{random_part[:8]}.unfinished",
        f"{name}.{process}-{random_part[:8]}.draft",
    ):
        yield f"{folder}/{made}" if folder else made


KINDS: dict[str, Callable[[Path], str]] = {
    "a file": lambda _: "../victim",
    "nothing yet": lambda _: "../folder/new",
    "a folder": lambda _: "../folder",
    "a link to a file": lambda _: "../chain",
    "the whole path": lambda outside: str(outside / "victim"),
}
"""What a link leads to, seen from the checkout."""


def planted(checkout: Path, target: str, kind: str, chance: random.Random) -> int:
    """Plants links in place of the target, of a folder above it or beside it; gives their number."""
    leads_to = KINDS[kind](checkout.parent)
    count = 0
    for name in (target, *names_beside(target, chance)):
        place = checkout / name
        ways = "../" * name.count("/") if not leads_to.startswith("/") else ""
        if place.parent.is_symlink() or (name == target and chance.random() < 0.5):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if name == target and name.startswith("done/"):
            place.unlink(missing_ok=True)  # a run that somebody ships may have links in place of its results
        if place.is_symlink() or place.exists():
            continue
        place.symlink_to(ways + leads_to)
        count += 1
    return count


def round_of(command: str, chance: random.Random) -> tuple[int, str]:
    """Plants links, runs a command, and says how many links there were and what became of it."""
    arguments, targets = COMMANDS[command]
    with tempfile.TemporaryDirectory() as outside:
        root = Path(outside)
        checkout = root / "checkout"
        (checkout / ".git" / "hooks").mkdir(parents=True)
        (root / "folder").mkdir()
        (root / "victim").write_text(BEFORE)
        (root / "chain").symlink_to("victim")
        (checkout / "rate.py").write_text(CODE)
        (checkout / "answers.jsonl").write_text(ANSWER)
        os.chdir(checkout)
        if command == "bench judge":
            quietly([*COMMANDS["bench"][0][:-1], "done"])
        some = [target for target in targets if len(targets) == 1 or chance.random() < 0.3]
        count = sum(planted(checkout, target, chance.choice([*KINDS]), chance) for target in some)
        code, said = quietly(arguments)
        os.chdir("/")
        is_whole = (root / "victim").read_text() == BEFORE and not [*(root / "folder").iterdir()]
        is_whole = (
            is_whole and (root / "chain").is_symlink() and not [*(checkout / ".git" / "hooks").iterdir()]
        )
    if not is_whole:
        return count, "WRITTEN THROUGH"
    if "internal error" in said:
        return count, said
    return count, "refused" if code == 2 else "written beside"


def quietly(arguments: list[str]) -> tuple[int, str]:
    """Runs fairlint; gives its exit code and what it said on standard error."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = fairlint(arguments)
    return code, said.getvalue()


def main() -> int:
    """Plants so many links, and tells what became of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    links, ends = Counter[str](), Counter[tuple[str, str]]()
    while sum(links.values()) < options.links:
        for command in COMMANDS:
            count, end = round_of(command, chance)
            links[command] += count
            ends[command, end] += 1
    for command, count in links.items():
        told = ", ".join(f"{end} {number}" for (one, end), number in sorted(ends.items()) if one == command)
        print(f"{command:16} {count:6} links: {told}")
    through = sum(number for (_, end), number in ends.items() if end not in {"refused", "written beside"})
    print(f"{sum(links.values())} links, {sum(ends.values())} runs, {through} written through or broken")
    return int(through > 0)


if __name__ == "__main__":
    sys.exit(main())
