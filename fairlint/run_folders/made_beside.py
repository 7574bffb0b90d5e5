"""Files and folders that are there whole or not at all: made beside their place, and moved there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairlint.run_folders.jsonl import RunFolderError, refuse
from fairlint.run_folders.run_folder import writing_alone
from fairlint.support import whole_files


@contextmanager
def made_beside(output: Path) -> Iterator[Path]:
    """Yield a free place for a file or folder that becomes `output` when the block ends well; else nothing is
    left.

    Raises RunFolderError where the output is there and no empty folder, where another process makes it too,
    and for whatever the system refuses.
    """
    _check_empty(output)
    target = output.resolve()
    workshop = target.parent / f".{target.name}.making"  # all processes that make it meet there
    made = workshop / target.name  # reports tell the name of their folder
    try:
        whole_files.place_of(str(output))
        workshop.mkdir(parents=True, exist_ok=True)
        if workshop.is_symlink():
            raise RunFolderError(f"{workshop} is a link, and {output} is made in it: take it away")
        with writing_alone(workshop):
            _remove_path(made)  # of a process that was killed
            try:
                yield made
                _check_empty(output)
                with suppress(FileNotFoundError):
                    target.rmdir()
                made.replace(target)
            finally:
                _remove_path(made)
    except OSError as error:
        raise refuse(output, "write", error) from error
    finally:
        _remove_workshop(workshop)


def _check_empty(output: Path) -> None:
    """Raise RunFolderError for what is no new or empty folder."""
    try:
        strangers = sorted(entry.name for entry in output.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise RunFolderError(f"{output} is there already: --output names another place") from None
    except OSError as error:
        raise refuse(output, "read", error) from error
    if strangers:
        raise RunFolderError(f"{output} holds {strangers[0]}: --output names a new or empty folder")


def _remove_path(made: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        shutil.rmtree(made)
    made.unlink(missing_ok=True)


def _remove_workshop(workshop: Path) -> None:
    """Take away the folder beside the output, unless another process is at work in it."""
    with suppress(OSError):
        if {entry.name for entry in workshop.iterdir()} <= {"run.lock"}:
            shutil.rmtree(workshop, ignore_errors=True)
