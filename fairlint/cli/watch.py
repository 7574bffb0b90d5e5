"""`fairlint --watch`: tells again whenever what was checked, or its configuration, changes."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fairlint.cli import say
from fairlint.cli.arguments import Arguments
from fairlint.cli.long_lived import needs
from fairlint.config import BASELINE
from fairlint.config.settings import NAMES
from fairlint.sources.files_to_check import suffixes_of
from fairlint.sources.path_patterns import EXCLUDED
from fairlint.support.errors import UsageError
from fairlint.syntax.registry import languages

if TYPE_CHECKING:
    from watchfiles import Change

WAIT = 200
"""Milliseconds without a change after which one begins to count: editors write a file in several steps."""
LOOK = 250
"""Milliseconds after which configuration above the watched folders is looked at."""
_OTHERS = {*NAMES, BASELINE, ".gitignore"}
"""Names of files that are not checked and count all the same."""
_NO_RUN = ("add_ignore", "fix", "diff_fixes", "show_settings", "show_files")


def watch(options: Arguments, run: Callable[[Arguments], int]) -> int:
    """Return runs, and again after each change, until it is interrupted. Wrong usage ends it at once."""
    with needs("watchfiles", "watch"):
        import watchfiles  # noqa: PLC0415 (an extra)
    for name in _NO_RUN:
        if getattr(options, name):
            raise UsageError(f"--watch cannot be used with --{name.replace('_', '-')}")
    paths = options.words or ["."]
    if "-" in paths or options.diff_file == "-":
        raise UsageError("--watch looks at files, and cannot look at standard input")
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or folder")
    wanted = _Wanted(paths, options)
    above: list[_FileState] | None = None
    try:
        for changes in watchfiles.watch(
            *wanted.folders,
            watch_filter=wanted,
            debounce=WAIT,
            step=WAIT // 2,
            rust_timeout=LOOK,
            yield_on_timeout=True,
        ):
            before, above = above, wanted.above()
            changed = sorted({os.path.relpath(path) for _, path in changes})
            if before is None:
                run(options)  # nothing that changes meanwhile is missed
                _say_watching(options, paths)
            elif changed or above != before:
                _run_again(options, run, changed or [str(options.config or "the configuration")])
                _say_watching(options, paths)
    except KeyboardInterrupt:
        pass
    return 0


def _say_watching(options: Arguments, paths: Sequence[str]) -> None:
    """Say that the run has not ended: nothing else shows it."""
    if not options.quiet:
        say(f"fairlint: watching {', '.join(paths)}; Ctrl-C ends it")


def _run_again(options: Arguments, run: Callable[[Arguments], int], changed: Sequence[str]) -> None:
    """One more run; what is wrong with it is told, and mended perhaps by the next change."""
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    say(f"fairlint: {time.strftime('%H:%M:%S')}: {changed[0]}{more} changed")
    try:
        run(options)
    except UsageError as error:
        say(f"fairlint: error: {error}")
    gc.collect()


class _FileState(NamedTuple):
    """A file with when it was changed, and its size."""

    path: str
    changed: int
    size: int


class _Wanted:
    """Which changes count."""

    def __init__(self, paths: Sequence[str], options: Arguments) -> None:
        self._paths = [Path(path).resolve() for path in paths]
        self._files = {path for path in self._paths if path.is_file()}
        own = [options.config, options.baseline, options.diff_file]
        self._own = {Path(name).resolve() for name in own if name}
        written = [options.output, *(one.partition("=")[2] for one in options.also or ())]
        self._written = {Path(name).resolve() for name in written if name}
        self._suffixes = tuple(suffixes_of(languages().values()))
        folders = {path.parent if path in self._files else path for path in self._paths}
        self.folders = sorted(
            one for one in folders if not any(one != other and one.is_relative_to(other) for other in folders)
        )

    def __call__(self, _: Change, path: str) -> bool:
        """Whether a change counts: of code, or of what says how it is checked."""
        whole = Path(path)
        if whole in self._own:
            return True
        if whole in self._written:
            return False  # by a run itself
        root = next((folder for folder in self.folders if whole.is_relative_to(folder)), whole.parent)
        if not EXCLUDED.isdisjoint(whole.relative_to(root).parts[:-1]):
            return False
        return whole.name in _OTHERS or whole in self._files or whole.name.lower().endswith(self._suffixes)

    def above(self) -> list[_FileState]:
        """Return what configuration there is above the watched folders, with when it was changed."""
        return [*self._file_stats()]

    def _file_stats(self) -> Iterator[_FileState]:
        above = {folder for one in self.folders for folder in one.parents}
        for path in sorted({*(folder / name for folder in above for name in _OTHERS), *self._own}):
            try:
                status = path.stat()
            except OSError:
                continue
            yield _FileState(str(path), status.st_mtime_ns, status.st_size)
