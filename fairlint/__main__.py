"""The process of `fairlint` and of `python -m fairlint`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing takes long
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130


def run() -> None:
    """Carries out the command line and ends the process, without a traceback wherever it is interrupted."""
    try:
        from fairlint.cli import main  # noqa: PLC0415 (may be interrupted too)

        _end(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _end(code: int) -> NoReturn:
    """Ends the process.

    Python would first free every object one by one, which is a tenth of the time of a small run. Where other
    threads are left, or libraries that a bench has loaded, it may.
    """
    if "fairlint.bench" in sys.modules or _has_threads():
        sys.exit(code)
    import atexit  # noqa: PLC0415 (a built-in module)
    import os  # noqa: PLC0415 (loaded by Python itself)

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, full, or not there
            code = code or 1
    os._exit(code)


def _has_threads() -> bool:
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _forget_current_folder() -> None:
    """`python -m` looks into the current folder first, and the code of strangers may stand there."""
    import os  # noqa: PLC0415 (loaded by Python itself)

    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 (start-up)
    if sys.path[:1] == [os.getcwd()] != [own]:  # noqa: PTH109 (as above)
        del sys.path[0]


if __name__ == "__main__":
    _forget_current_folder()
    run()
