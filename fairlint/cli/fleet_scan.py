"""`fairlint fleet scan`: checks what a list names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.output import write_stdout
from fairlint.cli.progress import bar
from fairlint.reporters.summary import count_with_noun
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.fleet.entries import Entry
    from fairlint.fleet.limits import Limits
    from fairlint.fleet.object_stores import ObjectStore
    from fairlint.fleet.policy import Policy
    from fairlint.fleet.running import Summary

SPLIT_FILES = 1000
"""Files of a shard: about ten seconds of a processor, of which a tenth is for splitting."""
STORE = Option(("--store",), "the store: a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX", takes="DIR")

COMMAND = Command(
    "fleet scan",
    usage="fairlint fleet scan LIST --store DIR [OPTION...]",
    description=(
        "Check what LIST names, under --policy, and add it to a store. LIST is a file\n"
        "with one entry a line, a folder of checkouts, or org:NAME, user:NAME (GitHub) or group:PATH\n"
        "(GitLab) for what a server lists. An entry is a folder, an archive, the address of a git\n"
        "repository, OWNER/NAME (with --host), pypi:NAME for a package, or org:NAME and so on. Nothing of\n"
        "a repository is run: files are read from git's objects, links and submodules are not followed,\n"
        "and pip gets wheels alone.\n"
        "A commit that an earlier run has checked with the same fairlint and policy is not checked again."
    ),
    groups=(
        (
            "options",
            (
                STORE,
                Option(("--host",), "the server of entries such as acme/shop: github.com", takes="NAME"),
                Option(("--archived",), "of org:, user: and group: check archived repositories, too"),
                Option(("--forks",), "of org:, user: and group: check forks, too"),
                Option(("--dry-run",), "print what would be checked, as a list, and check nothing"),
                Option(("--policy",), "settings and exceptions for all repositories", takes="FILE"),
                Option(
                    ("--own-config",),
                    "check each repository under its own configuration and baseline, where\n"
                    "--policy says nothing else",
                ),
                Option(("--run",), "the name of the run (default: the time)", takes="NAME"),
                Option(("--resume",), "go on with the latest unfinished run; nothing is checked twice"),
                Option(
                    ("--retries",),
                    "how often a server that does not answer is asked again, after all others (default: 2)",
                    takes="NUMBER",
                ),
                Option(("-q", "--quiet"), "print nothing but errors"),
            ),
        ),
        (
            "where it runs",
            (
                Option(
                    ("--engine",),
                    "local (default), ray, dask, or the address of a cluster: ray://HOST:10001, tcp://HOST:8786",
                    takes="NAME",
                ),
                Option(
                    ("-j", "--jobs"),
                    "repositories that are checked at once (default: 0, one per core)",
                    takes="NUMBER",
                ),
                Option(
                    ("--split-files",),
                    "a repository with more files to check is split into shards of at most so many, which "
                    "are\nchecked at once, each under the limits below (default: 1000; 0: never)",
                    takes="NUMBER",
                ),
            ),
        ),
        (
            "what one repository may take",
            (
                Option(("--time",), "seconds (default: 600)", takes="SECONDS"),
                Option(
                    ("--memory",), "memory of its process, for example '2 GB' (default: 4 GB; 0: no limit)",
                    takes="SIZE",
                ),
                Option(("--max-size",), "bytes of its files and of a download (default: 2 GB)", takes="SIZE"),
                Option(("--max-files",), "files (default: 200000)", takes="NUMBER"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet scan checkouts/ --store findings\n"
        "  fairlint fleet scan repositories.txt --store findings --host github.com --policy policy.toml\n"
        "  fairlint fleet scan repositories.txt --store findings --resume\n"
        "  fairlint fleet scan org:acme --host github.com --dry-run\n\n"
        "exit codes:\n"
        "  0    done; repositories that could not be checked are rows of the table errors\n"
        "  2    invalid usage, or the store or the engine failed\n"
        "  130  interrupted; the same command with --resume continues"
    ),
    words=1,
)  # fmt: skip


def scan(arguments: Sequence[str]) -> int:
    """Check a list."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("fleet scan takes a list or a folder of checkouts (see fairlint fleet scan --help)")
    if options.dry_run:
        return _print_entries(options)
    remote = _object_store(options)
    folder = store_folder(options) if remote is None else remote.fetch(is_new=True)
    from fairlint.fleet.engines.choosing import open_engine  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.parts import need_store  # noqa: PLC0415 (as above)
    from fairlint.fleet.running import begin_run, list_digest, work_folder  # noqa: PLC0415 (as above)
    from fairlint.fleet.running import scan as scan_entries  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)
    from fairlint.processes.signals import signals_as_exit  # noqa: PLC0415 (as above)

    need_store()
    limits, policy = _limits(options), _policy(options.policy)
    if options.own_config:
        policy = policy.with_own_configurations()
    jobs, retries = _whole("--jobs", options.jobs, 0), _whole("--retries", options.retries, 2)
    split = _whole("--split-files", options.split_files, SPLIT_FILES)
    entries = _entries(options)
    if remote is not None:
        remote.publish()  # what an earlier command could not send
    store = open_store(folder, is_new=not options.resume)
    shown = bar(quiet=bool(options.quiet), noun="repositories")
    with signals_as_exit(), store.writing():
        engine = open_engine(options.engine or "local", jobs, work_folder(store))
        try:
            run = begin_run(store, entries, policy, options.run or "", resume=bool(options.resume))
            if run.entries != list_digest(entries):
                say(
                    f"fairlint: {options.words[0]} has changed since run {run.name} began: rows of "
                    "repositories that are no longer in it stay"
                )
            summary = scan_entries(
                store,
                run,
                entries,
                engine,
                policy=policy,
                limits=limits,
                retries=retries,
                split=split,
                watch=shown,
            )
        except KeyboardInterrupt:
            say("fairlint: interrupted; the same command with --resume continues")
            return INTERRUPTED
        finally:
            if shown is not None:
                shown.close()
            engine.cancel()
    if remote is not None:
        remote.publish()
    if not options.quiet:
        write_stdout([_summary_text(summary)])
    return 0


def _entries(options: Arguments) -> Sequence[Entry]:
    """Return what the list names."""
    from fairlint.fleet.entries import read_entries  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.owned_repositories import Lookup, say_nothing  # noqa: PLC0415 (as above)

    tell = say_nothing if options.quiet else say
    lookup = Lookup(bool(options.archived), bool(options.forks), tell)
    entries, again = read_entries(options.words[0], options.host or "", lookup)
    if again:
        tell(f"fairlint: {again:,} of the list left out: named before in the list")
    return entries


def _print_entries(options: Arguments) -> int:
    """Print what would be checked."""
    from fairlint.fleet.entries import entry_words  # noqa: PLC0415 (few runs print it)

    write_stdout([f"{entry_words(one)}\n" for one in _entries(options)])
    return 0


def store_folder(options: Arguments) -> Path:
    """Return the folder of the store that a command needs: the copy of one in object storage, up to date."""
    remote = _object_store(options)
    return Path(options.store).expanduser() if remote is None else remote.fetch()


def _object_store(options: Arguments) -> ObjectStore | None:
    """Return the store in object storage that is named; None where it is a folder."""
    if not options.store:
        raise UsageError("--store names the folder of the store")
    if "://" not in options.store:
        return None
    from fairlint.fleet.object_stores import ObjectStore  # noqa: PLC0415 (few have one)

    return ObjectStore(options.store)


def _limits(options: Arguments) -> Limits:
    from fairlint.config.table import read_memory, read_seconds  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.limits import LEAST_MEMORY, Limits  # noqa: PLC0415 (as above)
    from fairlint.support.records import replace  # noqa: PLC0415 (as above)

    limits = Limits()
    changes: dict[str, float | int] = {}
    try:
        if options.time is not None:
            changes["seconds"] = read_seconds(_number(options.time))
            if not changes["seconds"]:
                raise ValueError("must be more than 0")
    except ValueError as error:
        raise UsageError(f"--time {error}") from None
    for name, field, text in (
        ("--memory", "memory", options.memory),
        ("--max-size", "size", options.max_size),
    ):
        if text is not None:
            try:
                changes[field] = read_memory(_number(text))
            except ValueError as error:
                raise UsageError(f"{name} {error}") from None
    if 0 < changes.get("memory", 0) < LEAST_MEMORY:
        raise UsageError(
            f"--memory must be {LEAST_MEMORY / 1_000_000:g} MB or more: git and pip need as much"
        )
    if options.max_files is not None:
        changes["files"] = _whole("--max-files", options.max_files, 0)
    return replace(limits, **changes)


def _policy(name: str | None) -> Policy:
    from fairlint.fleet.policy import Policy, ended_exceptions, read_policy  # noqa: PLC0415 (help needs none of it)

    if name is None:
        return Policy({})
    policy = read_policy(Path(name))
    for one in ended_exceptions(policy):
        say(f"fairlint: {name}: the exception of {one.owner} ended on {one.until}: {one.reason}")
    return policy


def _number(text: str) -> float | int | str:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _whole(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"{name} takes a whole number from 0 on, not '{text}'")
    return int(text)


def _summary_text(summary: Summary) -> str:
    parts = [f"{summary.checked} checked", f"{summary.unchanged} unchanged", f"{summary.failed} not checked"]
    if summary.before:
        parts.append(f"{summary.before} before")
    return f"run {summary.run}: {', '.join(parts)}; {count_with_noun(summary.findings, 'finding')}.\n"
