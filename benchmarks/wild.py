"""Measures fairlint on code that strangers wrote, against places that a reader labelled.

    python benchmarks/wild.py --mirrors DIR [--part PART] [--list missed|quiet] [--write FILE]
    python benchmarks/wild.py --mirrors DIR --commits REPOSITORIES.json --labels LABELS.json ...

DIR holds the git directory of each repository, as `owner+name`, `owner+name/repo` or `owner+name/repo/.git`.
Their texts are not in this project; benchmarks/wild/README.md says how the places were labelled.

A place is told where a finding of its attribute, or of its family, starts or has a step within one line:
a warning or an error where the reader wanted it `loud`, any finding where a `note` is enough. A `quiet` place
is told where a warning or an error starts on its line. The held part is to be measured, not looked at.
`all` is tune and held; `second`, `third` and `fourth` are later searches, which measure nothing any more.
`sixth` and `seventh` are the latest ones, whose places are not to be looked at; those of `fifth-tune` may be.
`rules-tune` and `rules` are rules that people wrote by hand in Python. The second half was labelled and
measured before it was looked at, and is open since.

Exit status: 0, or 1 where no repository could be read.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "wild"
SUFFIXES = (".py", ".pyi", ".ipynb", ".c", ".h", ".html")
FAMILIES = (frozenset({"race", "ethnicity", "skin_color"}), frozenset({"national_origin", "citizenship"}))
COMMITS = {
    "tune": "repositories.json",
    "held": "repositories.json",
    "second": "repositories-fresh.json",
    "third": "repositories-fresh.json",
    "fourth": "repositories-fresh.json",
    "fifth-tune": "repositories-fresh.json",
    "fifth": "repositories-fresh.json",
    "sixth": "repositories-fresh.json",
    "seventh": "repositories-fresh.json",
    "rules-tune": "repositories-rules.json",
    "rules": "repositories-rules.json",
}
"""The parts whose places were labelled → where their commits stand."""
UNSEEN = ("held", "sixth", "seventh")
"""What is to be measured, and not looked at."""
LOUD = {"warning", "error"}
NEAR = 1
LOOKALIKE = "lookalike"

Finding = Mapping[str, Any]
Spot = tuple[str, int | None, int]
"""A path, the cell of a notebook or None, a line."""


@dataclass(frozen=True)
class Repository:
    """One repository at one commit."""

    name: str
    commit: str
    part: str
    kind: str


@dataclass(frozen=True)
class Place:
    """What the reader said of one line."""

    repo: str
    path: str
    line: str
    kind: str
    attribute: str
    wanted: str
    context: str
    why: str

    @property
    def spot(self) -> Spot:
        """Where it is; `c3:7` is line 7 of the third cell."""
        cell, _, line = self.line.rpartition(":")
        return self.path, int(cell.removeprefix("c")) if cell else None, int(line)

    @property
    def family(self) -> frozenset[str]:
        """The attributes whose finding counts."""
        return next((each for each in FAMILIES if self.attribute in each), frozenset({self.attribute}))

    def told_by(self, finding: Finding) -> bool:
        """Whether this finding tells the place."""
        path, cell, line = self.spot
        if self.wanted == "quiet":
            return finding["severity"] in LOUD and spot(finding) == self.spot
        return (
            (self.wanted == "note" or finding["severity"] in LOUD)
            and not self.family.isdisjoint(finding.get("attributes") or [finding["attribute"]])
            and any(
                there[:2] == (path, cell) and abs(there[2] - line) <= NEAR
                for there in map(spot, [finding, *finding["flow"]])
            )
        )


def spot(step: Mapping[str, Any]) -> Spot:
    """Where a finding starts, or a step of its flow is."""
    return step["path"], step.get("cell"), step["line"]


def repositories(path: Path) -> list[Repository]:
    """The repositories of a file like benchmarks/wild/repositories.json."""
    return [Repository(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def places(paths: Iterable[Path]) -> list[Place]:
    """The labels of these files; each says its commit, too, for a reader."""
    rows = (row for path in paths for row in json.loads(path.read_text(encoding="utf-8")))
    return [Place(**{key: value for key, value in row.items() if key != "commit"}) for row in rows]


def git_directory(mirrors: Path, name: str) -> Path | None:
    """The bare repository under the folder of mirrors, if it is there."""
    base = mirrors / name.replace("/", "+")
    return next(
        (each for each in (base / "repo/.git", base / "repo", base) if (each / "HEAD").is_file()), None
    )


def check_out(repository: Repository, git: Path, into: Path) -> bool:
    """Bring what fairlint reads of the commit into a folder; whether the commit is there.

    A mirror may lack large files, which `git archive` would stop at; they stay away.
    """
    listed = git_says(git, "ls-tree", "-r", "-z", "--full-tree", repository.commit)
    files = [entry.partition("\t")[::2] for entry in listed.decode(errors="surrogateescape").split("\0")]
    blobs = [
        (head.split()[2], Path(path)) for head, path in files if head[:2] == "10" and path.endswith(SUFFIXES)
    ]
    contents = git_says(git, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob, _ in blobs).encode())
    start = 0
    for _, path in blobs:
        end = contents.index(b"\n", start)
        _, kind, *size = contents[start:end].split()
        start = end + 1
        if kind == b"blob" and ".." not in path.parts:
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_bytes(contents[start : start + int(size[0])])
            start += int(size[0]) + 1
    return bool(listed)


def git_says(git: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """The output of a git command, which brings nothing from elsewhere."""
    command = ["git", f"--git-dir={git}", *arguments]
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    return subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment).stdout


def findings_in(folder: Path) -> list[Finding]:
    """All findings of one checkout, notes included, told in its own paths."""
    command = [sys.executable, "-m", "fairlint", "check", "--format=json", "--isolated", "--no-gitignore"]
    command += ["--min-severity=note", "--exit-zero", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        print(f"  fairlint says nothing: {done.stderr.strip()}")
        return []
    found: list[Finding] = json.loads(done.stdout)["findings"]
    return found


def run(wanted: Iterable[Repository], mirrors: Path) -> Iterator[tuple[Repository, list[Finding]]]:
    """The findings of each repository that is at hand."""
    for repository in wanted:
        git = git_directory(mirrors, repository.name)
        with tempfile.TemporaryDirectory() as folder:
            if git is None or not check_out(repository, git, Path(folder)):
                print(f"not at hand: {repository.name} at {repository.commit}")
                continue
            yield repository, findings_in(Path(folder))


def table(told: Sequence[tuple[Repository, Place, bool]]) -> Iterator[str]:
    """What was told of each part: by what was wanted and, of that, by kind."""
    wanted = Counter[tuple[str, str, str]]()
    hit = Counter[tuple[str, str, str]]()
    for repository, place, is_told in told:
        for kind in ("all", place.kind) if place.wanted != "quiet" else ("all",):
            wanted[repository.part, place.wanted, kind] += 1
            hit[repository.part, place.wanted, kind] += is_told
    for key in sorted(wanted, key=lambda key: (key[0], key[1], key[2] != "all", key[2])):
        part, want, kind = key
        yield f"{part:7}{want:7}{kind:20}{hit[key]:5} of {wanted[key]:<5}{hit[key] / wanted[key]:6.2f}"


def summary(checked: Sequence[tuple[Repository, list[Finding]]]) -> Iterator[str]:
    """How much is told at all, and how many look-alikes are silent."""
    for part in sorted({repository.part for repository, _ in checked}):
        severities = Counter(
            finding["severity"]
            for repository, found in checked
            if repository.part == part
            for finding in found
        )
        silent = [
            not any(finding["severity"] in LOUD for finding in found)
            for repository, found in checked
            if repository.part == part and repository.kind == LOOKALIKE
        ]
        counts = ", ".join(f"{number} {severity}s" for severity, number in sorted(severities.items()))
        yield f"{part}: {counts or 'no findings'}; {sum(silent)} of {len(silent)} look-alikes silent"


def listed(told: Sequence[tuple[Repository, Place, bool]], which: str) -> Iterator[str]:
    """The places that were missed, or the quiet ones that were told."""
    for _, place, is_told in told:
        if is_told == (place.wanted == "quiet") and (place.wanted == "quiet") == (which == "quiet"):
            yield (
                f"{place.repo}/{place.path}:{place.line}: {place.wanted} {place.kind} "
                f"of {place.attribute} ({place.context}): {place.why}"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the repositories and print the tables."""
    parser = argparse.ArgumentParser(description="Measure fairlint on labelled places in real repositories.")
    parser.add_argument("--mirrors", type=Path, required=True, metavar="DIR", help="the bare git directories")
    parser.add_argument("--part", choices=("all", *COMMITS), default="all")
    parser.add_argument("--list", choices=("missed", "quiet"), help="places that were not told as wanted")
    parser.add_argument("--open-held", action="store_true", help="list places of the held part, too")
    parser.add_argument("--write", type=Path, metavar="FILE", help="all findings as JSON, by repository")
    parser.add_argument("--commits", type=Path, metavar="FILE")
    parser.add_argument(
        "--labels", type=Path, metavar="FILE", action="append", help="can be given more than once"
    )
    options = parser.parse_args(arguments)
    if options.list and options.part in {"all", *UNSEEN} and not options.open_held:
        parser.error(
            "--list goes with --part tune; --open-held lists an unseen part, which is none afterwards"
        )
    parts = ("tune", "held") if options.part == "all" else (options.part,)
    commits = options.commits or HERE / COMMITS[parts[0]]
    wanted = [each for each in repositories(commits) if options.part in {"all", each.part}]
    checked = list(run(wanted, options.mirrors))
    found_in = {repository.name: (repository, found) for repository, found in checked}
    labels = options.labels or [HERE / f"labels-{part}.json" for part in parts]
    told = [
        (found_in[place.repo][0], place, any(map(place.told_by, found_in[place.repo][1])))
        for place in places(labels)
        if place.repo in found_in
    ]
    print(*table(told), *summary(checked), sep="\n")
    if options.list:
        print(*listed(told, options.list), sep="\n")
    if options.write:
        written = {repository.name: found for repository, found in checked}
        options.write.write_text(json.dumps(written, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0 if checked else 1


if __name__ == "__main__":
    sys.exit(main())
