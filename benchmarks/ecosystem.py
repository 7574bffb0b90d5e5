"""Dumps everything that fairlint says about much code, and shows what differs between two checkouts.

    python benchmarks/ecosystem.py dump OUT [--checkout DIR] [--targets NAME,...]
    python benchmarks/ecosystem.py compare BEFORE AFTER [--targets NAME,...]
    python benchmarks/ecosystem.py compare --against DIR [--checkout DIR] [--targets NAME,...]
    python benchmarks/ecosystem.py seeds [--seeds N] [--checkout DIR] [--targets NAME,...]
    python benchmarks/ecosystem.py targets

A dump is a folder with one file a target: every finding, every Use that no rule judges, and everything that
was not analysed, one JSON object a line, sorted. The code that is checked always comes from this checkout, so
that two checkouts are asked about the same; fairlint comes from `--checkout` (default: this one).

Targets are names or groups (`targets` lists them): `quick` (fixtures, cases, pipelines, records, rules),
`samples` (answers of language models), `stdlib`, `packages` (of corpora.py, where they are at hand; --fetch
downloads them) and `wild` (repositories at fixed commits, from git directories in a folder of mirrors). What
is not at hand is left out and named.

`compare` groups what changed by rule and by cause: new, vanished, or which fields differ. `--show` prints the
rows of a group with their source lines: `--show all`, `--show FL201`, `--show FL201:new`, `--show :evidence`.
Those of the held cases are counted only (`--yes-show-held` shows them): what was looked at measures nothing.

`seeds` asks one checkout several times about the same code, each time under another PYTHONHASHSEED and in
another order of the files, and shows which rows come and go: none may.

Every file is checked by itself, with its imports, within `--file-limit` seconds of CPU time. At most two
targets are checked at a time, each in one process of its own. A target that was dumped before, with the same
fairlint, the same code and the same libraries, is taken from the cache, so a broken run is resumed where it
ended.

Where things are: FAIRLINT_SAMPLES, FAIRLINT_CORPORA, FAIRLINT_MIRRORS, FAIRLINT_WILD (a JSON object of
`owner/name` and commit), FAIRLINT_ECOSYSTEM_CACHE, or the options of the same meaning.
Exit status: 0 where nothing differs, 1 where something does, 2 where something could not be done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path

from ecosystem_changes import compare, report_lines
from ecosystem_rows import rows_of, write_rows
from ecosystem_targets import EcosystemError, Places, Target, digest_of_bytes, last_line, targets_at_hand

HERE = Path(__file__).resolve().parent
FORMAT = 1
"""Goes up when the same answers of fairlint would be dumped otherwise: older dumps are then made again."""
FILE_LIMIT = 30.0
PROCESSES = 2
LIBRARIES = ("tree-sitter", "tree-sitter-python", "tree-sitter-c", "sqlglot", "google-re2")
"""Their versions may change what is found."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A fairlint to ask: where it stands and what it is."""

    folder: Path
    digest: str
    label: str


def read_checkout(folder: Path) -> Checkout:
    """The checkout in a folder; its digest is that of the code that judges, committed or not."""
    folder = folder.resolve()
    if not (folder / "fairlint" / "__init__.py").is_file():
        raise EcosystemError(f"{folder}: no checkout of fairlint")
    named = _git(folder, "ls-files", "-co", "--exclude-standard", "-z", "--", "fairlint", "rules")
    if named is not None:
        paths = [folder / name for name in sorted(set(named.split("\0"))) if name]
    else:
        paths = sorted(path for part in ("fairlint", "rules") for path in (folder / part).rglob("*"))
    bench = folder / "fairlint" / "bench"
    hashed = hashlib.sha256()
    for path in paths:
        if path.is_file() and bench not in path.parents and "__pycache__" not in path.parts:
            hashed.update(
                f"{path.relative_to(folder).as_posix()}\0{digest_of_bytes(path.read_bytes())}\n".encode()
            )
    label = (_git(folder, "describe", "--always", "--dirty", "--exclude=*") or "unknown").strip()
    return Checkout(folder, hashed.hexdigest(), f"{folder} ({label})")


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says, None where it says nothing of this folder."""
    if not (folder / ".git").exists():
        return None
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@cache
def _surroundings() -> str:
    versions = [platform_version(), str(FORMAT)]
    for name in LIBRARIES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name} none")
    return "\n".join(versions)


def platform_version() -> str:
    """The Python that runs."""
    return ".".join(map(str, sys.version_info[:3]))


@dataclass(slots=True)
class Options:
    """What a run of the script was told."""

    places: Places
    file_limit: float
    processes: int
    asked: Sequence[str]
    fetch: bool
    places_options: Sequence[str]
    seed: int = 0
    """Of Python's hashes, and of the order of the files; 0 leaves them in their own."""


def chosen_targets(options: Options) -> list[Target]:
    """The targets that were asked for; what is not at hand is told on standard error."""
    known, missing = targets_at_hand(options.places, fetch=options.fetch)
    for reason in missing:
        print(f"ecosystem: left out: {reason}", file=sys.stderr)
    if not options.asked:
        return known
    names = {name for target in known for name in (target.name, target.group)}
    unknown = [name for name in options.asked if name not in names]
    if unknown:
        raise EcosystemError(f"no target {unknown[0]!r} at hand; `targets` lists those that are")
    return [one for one in known if one.name in options.asked or one.group in options.asked]


@dataclass(slots=True)
class Dumps:
    """The dumps of targets, one path for each checkout, and what could not be dumped."""

    made: dict[str, list[Path]]
    errors: list[str]


def dump_all(checkouts: Sequence[Checkout], targets: Sequence[Target], options: Options) -> Dumps:
    """A dump of every target for every checkout, from the cache where it is there."""
    jobs = [(checkout, target) for target in targets for checkout in checkouts]
    done = 0

    def dump(job: tuple[Checkout, Target]) -> Path | str:
        nonlocal done
        begin = time.perf_counter()
        try:
            path, fresh = dump_one(*job, options)
        except (EcosystemError, OSError) as error:
            return f"{job[1].name}: {error}"
        finally:
            done += 1
        if fresh:
            taken = time.perf_counter() - begin
            counter = f"[{done}/{len(jobs)}]"
            print(f"{counter} {job[1].name}: {job[0].label}: {taken:.1f} s", file=sys.stderr, flush=True)
        return path

    with ThreadPoolExecutor(max(1, min(PROCESSES, options.processes))) as pool:
        results = list(pool.map(dump, jobs))
    dumps = Dumps({}, [result for result in results if isinstance(result, str)])
    for place, target in enumerate(targets):
        own = results[place * len(checkouts) : (place + 1) * len(checkouts)]
        paths = [result for result in own if isinstance(result, Path)]
        if len(paths) == len(checkouts):
            dumps.made[target.name] = paths
    return dumps


def dump_one(checkout: Checkout, target: Target, options: Options) -> tuple[Path, bool]:
    """The dump of one target, and whether it was made just now."""
    key = "\n".join(
        [target.name, target.digest(), checkout.digest, _surroundings(), f"{options.file_limit:g}"]
        + [f"seed {options.seed}"] * bool(options.seed)
    )
    name = f"{target.name.replace('/', '-')}-{digest_of_bytes(key.encode())[:24]}.jsonl"
    path = options.places.cache / "dumps" / name
    if path.is_file():
        return path, False
    path.parent.mkdir(parents=True, exist_ok=True)
    target.folder()  # fetched here, where an error is told as what it is
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".part-") as scratch:
        part = Path(scratch) / name
        command = [sys.executable, str(Path(__file__).resolve()), "worker", target.name, str(part)]
        command += ["--file-limit", f"{options.file_limit:g}", "--fairlint", str(checkout.folder)]
        command += ["--seed", str(options.seed)]
        done = subprocess.run(
            [*command, *options.places_options],
            cwd=scratch,
            env={
                **os.environ,
                "PYTHONPATH": str(checkout.folder),
                "PYTHONHASHSEED": str(options.seed),
                "PYTHONWARNINGS": "ignore",
                "OMP_NUM_THREADS": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not part.is_file():
            raise EcosystemError(f"{checkout.label} ended with {done.returncode}: {last_line(done.stderr)}")
        if read_checkout(checkout.folder).digest != checkout.digest:
            raise EcosystemError(f"{checkout.label} was changed while it was asked")
        part.replace(path)
    return path, True


def work(name: str, output: Path, fairlint: Path, options: Options) -> None:
    """What the process of one target does."""
    import fairlint as asked  # noqa: PLC0415 (whichever the path names)

    if Path(asked.__file__).resolve().parent.parent != fairlint.resolve():
        raise EcosystemError(f"{fairlint} was to be asked, and {asked.__file__} would be")
    known, _ = targets_at_hand(options.places, fetch=options.fetch)
    target = next(one for one in known if one.name == name)
    folder = target.folder()
    pieces = [*target.reader(folder)]
    if options.seed:
        random.Random(options.seed).shuffle(pieces)
    write_rows(rows_of(pieces, folder, options.file_limit), output)


def _folder(variable: str, default: Path) -> Path:
    return Path(os.environ.get(variable) or default)


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    beside = HERE.parent.parent / "shared"
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    mirrors = os.environ.get("FAIRLINT_MIRRORS")
    places = shared.add_argument_group("where things are")
    places.add_argument(
        "--inputs",
        type=Path,
        default=HERE.parent,
        metavar="DIR",
        help="the checkout whose fixtures, cases and pages are checked",
    )
    places.add_argument(
        "--samples", type=Path, default=_folder("FAIRLINT_SAMPLES", beside / "samples"), metavar="DIR"
    )
    places.add_argument(
        "--data",
        type=Path,
        default=_folder("FAIRLINT_CORPORA", HERE.parent / ".benchmarks-data"),
        metavar="DIR",
        help="the packages of corpora.py",
    )
    places.add_argument(
        "--mirrors",
        type=Path,
        default=Path(mirrors) if mirrors else None,
        metavar="DIR",
        help="git directories named owner+name",
    )
    places.add_argument(
        "--wild",
        type=Path,
        default=_folder("FAIRLINT_WILD", beside / "wild" / "commits.json"),
        metavar="FILE",
        help="which commits of them",
    )
    places.add_argument(
        "--cache",
        type=Path,
        default=_folder("FAIRLINT_ECOSYSTEM_CACHE", cache_home / "fairlint-ecosystem"),
        metavar="DIR",
    )
    shared.add_argument(
        "--file-limit",
        type=float,
        default=FILE_LIMIT,
        metavar="SECONDS",
        help=f"CPU time for one file (default {FILE_LIMIT:g})",
    )
    shared.add_argument(
        "--targets", default="", metavar="NAME,...", help="names or groups; default: all at hand"
    )
    shared.add_argument("--fetch", action="store_true", help="download packages that are not at hand")
    shared.add_argument("--processes", type=int, default=PROCESSES, choices=(1, 2), help="targets at a time")

    parser = argparse.ArgumentParser(description="Dump what fairlint says about much code, and compare.")
    commands = parser.add_subparsers(dest="command", required=True)
    dump = commands.add_parser("dump", parents=[shared], help="write a dump")
    dump.add_argument("out", type=Path, metavar="OUT")
    dump.add_argument(
        "--checkout", type=Path, default=HERE.parent, metavar="DIR", help="whose fairlint is asked"
    )
    comparing = commands.add_parser("compare", parents=[shared], help="show what differs")
    comparing.add_argument(
        "dumps", nargs="*", type=Path, metavar="DUMP", help="two folders, before and after"
    )
    comparing.add_argument(
        "--against", type=Path, metavar="DIR", help="the checkout before, instead of dumps"
    )
    comparing.add_argument("--checkout", type=Path, default=HERE.parent, metavar="DIR", help="the one after")
    comparing.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="GROUP",
        help="all, RULE, RULE:CAUSE or :CAUSE; again for more",
    )
    comparing.add_argument("--yes-show-held", action="store_true", help="those of the held cases, too")
    comparing.add_argument("--markdown", action="store_true", help="for a comment on a pull request")
    seeds = commands.add_parser("seeds", parents=[shared], help="show what depends on chance")
    seeds.add_argument(
        "--checkout", type=Path, default=HERE.parent, metavar="DIR", help="whose fairlint is asked"
    )
    seeds.add_argument("--seeds", type=int, default=4, metavar="N", help="how many (default 4)")
    commands.add_parser("targets", parents=[shared], help="list what is at hand")
    worker = commands.add_parser("worker", parents=[shared])
    worker.add_argument("name")
    worker.add_argument("output", type=Path)
    worker.add_argument("--fairlint", type=Path, required=True)
    worker.add_argument("--seed", type=int, default=0)
    return parser


def _options(arguments: argparse.Namespace) -> Options:
    inputs, samples, data, wild, cache_folder = (
        path.resolve()
        for path in (
            arguments.inputs,
            arguments.samples,
            arguments.data,
            arguments.wild,
            arguments.cache,
        )
    )
    mirrors = arguments.mirrors.resolve() if arguments.mirrors is not None else None
    paths = {"inputs": inputs, "samples": samples, "data": data, "wild": wild, "cache": cache_folder}
    passed = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    passed += ["--mirrors", str(mirrors)] if mirrors is not None else []
    passed += ["--fetch"] if arguments.fetch else []
    places = Places(inputs, samples, data, mirrors, wild, cache_folder)
    asked = [name for name in arguments.targets.split(",") if name]
    seed = getattr(arguments, "seed", 0)
    return Options(places, arguments.file_limit, arguments.processes, asked, arguments.fetch, passed, seed)


def run_dump(out: Path, checkout: Path, options: Options) -> int:
    """Write a dump."""
    targets = chosen_targets(options)
    asked = read_checkout(checkout)
    out.mkdir(parents=True, exist_ok=True)
    dumps = dump_all([asked], targets, options)
    for name, (path,) in dumps.made.items():
        shutil.copyfile(path, out / f"{name.replace('/', '-')}.jsonl")
    (out / "about.json").write_text(
        json.dumps({"checkout": asked.label, "digest": asked.digest, "format": FORMAT}, indent=1) + "\n"
    )
    print(f"{asked.label}: {len(dumps.made)} targets dumped to {out}", file=sys.stderr)
    return _told(dumps.errors)


def run_compare(arguments: argparse.Namespace, options: Options) -> int:
    """Compare, and print what differs."""
    folders: list[Path] = arguments.dumps
    errors: list[str] = []
    if (arguments.against is None) == (len(folders) != 2) or (arguments.against is not None and folders):
        raise EcosystemError("compare needs two dumps, or --against a checkout")
    if arguments.against is not None:
        checkouts = [read_checkout(arguments.against), read_checkout(arguments.checkout)]
        targets = chosen_targets(options)
        dumps = dump_all(checkouts, targets, options)
        errors = dumps.errors
        pairs = [(name, before, after) for name, (before, after) in dumps.made.items()]
        names = (checkouts[0].label, checkouts[1].label)
    else:
        pairs = _dumped_pairs(folders[0], folders[1], options.asked)
        names = (_label(folders[0]), _label(folders[1]))
    comparison = compare(pairs)
    for line in report_lines(
        comparison,
        names,
        arguments.show,
        markdown=arguments.markdown,
        show_held=arguments.yes_show_held,
    ):
        print(line.encode("utf-8", "replace").decode())
    return _told(errors) or int(bool(comparison.changes))


def run_seeds(count: int, folder: Path, options: Options) -> int:
    """Ask the same several times, and print what is not said each time."""
    targets = chosen_targets(options)
    checkout = read_checkout(folder)
    errors: list[str] = []
    said: dict[str, Counter[str]] = {target.name: Counter() for target in targets}
    for seed in range(count):
        dumps = dump_all([checkout], targets, replace(options, seed=seed))
        errors += dumps.errors
        for name, (path,) in dumps.made.items():
            said[name].update(set(path.read_text(encoding="utf-8").split("\n")) - {""})
    differing = [
        f"{name}: under {times} of {count} seeds: {row}"
        for name, rows in said.items()
        for row, times in sorted(rows.items())
        if times < count
    ]
    if not errors:
        for line in differing:
            print(line.encode("utf-8", "replace").decode())
        rows = sum(map(len, said.values()))
        print(f"{len(targets)} targets, {count} seeds, {rows} rows: {len(differing)} depend on the seed")
    return _told(errors) or int(bool(differing))


def _told(errors: Sequence[str]) -> int:
    """The exit status that errors make; each is told in a line."""
    for error in errors:
        print(f"ecosystem: {error}", file=sys.stderr)
    return 2 if errors else 0


def _label(dump: Path) -> str:
    try:
        return str(json.loads((dump / "about.json").read_text(encoding="utf-8"))["checkout"])
    except (OSError, ValueError, LookupError):
        return str(dump)


def _dumped_pairs(before: Path, after: Path, asked: Sequence[str]) -> list[tuple[str, Path, Path]]:
    sides = []
    for folder in (before, after):
        if not folder.is_dir():
            raise EcosystemError(f"{folder}: no such dump")
        sides.append({path.stem: path for path in sorted(folder.glob("*.jsonl"))})
    for name in sorted(sides[0].keys() ^ sides[1].keys()):
        print(f"ecosystem: left out: {name} is in one dump only", file=sys.stderr)
    both = [name for name in sides[0] if name in sides[1]]
    named = [name.replace("/", "-") for name in asked]
    if unknown := [name for name in named if name not in both]:
        raise EcosystemError(f"no target {unknown[0]!r} in both dumps")
    return [(name, sides[0][name], sides[1][name]) for name in both if not named or name in named]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the commands."""
    given = _parser().parse_args(arguments)
    options = _options(given)
    try:
        if given.command == "worker":
            work(given.name, given.output, given.fairlint, options)
            return 0
        if given.command == "dump":
            return run_dump(given.out, given.checkout, options)
        if given.command == "compare":
            return run_compare(given, options)
        if given.command == "seeds":
            return run_seeds(given.seeds, given.checkout, options)
        for target in chosen_targets(options):
            print(f"{target.group:<10}{target.name}")
    except (EcosystemError, OSError) as error:
        print(f"ecosystem: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ecosystem: interrupted; what was dumped is kept", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
