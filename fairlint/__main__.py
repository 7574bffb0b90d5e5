"""The process of `fairlint` and of `python -m fairlint`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing takes long
if TYPE_CHECKING:
    from typing import NoReturn

if sys.version_info < (3, 11):  # noqa: UP036 (a checkout may be run with any)
    sys.exit("fairlint: error: fairlint needs Python 3.11 or newer, and this is " + sys.version.split()[0])

INTERRUPTED = 130
FAILED = 2


def run() -> None:
    """Carries out the command line and ends the process, without a traceback wherever it is interrupted."""
    try:
        _fill_closed_streams()
        code = _run_in_daemon() if _wants_daemon() else None
        if code is None:
            _run_here()
        else:
            sys.exit(code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _run_here() -> None:
    """Carries out the command line in this process, and ends it."""
    from fairlint.cli import main  # noqa: PLC0415 (may be interrupted too)

    _exit_process(main())


def _wants_daemon() -> bool:
    """Return whether the user has a daemon carry out checks, and this is one that ends by itself."""
    import os  # noqa: PLC0415 (loaded by Python itself)

    words = sys.argv[1:]
    if "--daemon" not in words and os.environ.get("FAIRLINT_DAEMON", "0") in {"", "0"}:
        return False
    if "--watch" in words or os.environ.get("FAIRLINT_DEBUG"):
        return False
    from fairlint.cli import COMMANDS  # noqa: PLC0415 (start-up)

    return not words or words[0] in {"check", "hook"} or words[0] not in COMMANDS


def _run_in_daemon() -> int | None:
    """Return the exit code of a run that a daemon has carried out; None where it is to be carried
    out here.
    """
    if sys.platform != "linux":
        sys.stderr.write("fairlint: warning: there is a daemon on Linux only; this run goes on without one\n")
        return None
    from fairlint.daemon.client import run_in_daemon  # noqa: PLC0415 (few ask for one)

    return run_in_daemon(_serve)


def _serve(path: str, identity: bytes) -> None:
    """Is the daemon from now on."""
    from fairlint.cli.daemon import serve_runs  # noqa: PLC0415 (as above)

    serve_runs(path, identity, _run_here)


def _exit_process(code: int) -> NoReturn:
    """End the process.

    Python would first free every object one by one, which is a tenth of the time of a small run. Where other
    threads are left, or libraries that a bench has loaded, it may.
    """
    if "fairlint.bench" in sys.modules or _has_threads():
        sys.exit(code)
    import atexit  # noqa: PLC0415 (a built-in module)
    import os  # noqa: PLC0415 (loaded by Python itself)

    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed or full
            code = code or FAILED
    os._exit(code)


def _fill_closed_streams() -> None:
    """Keep the places of standard streams that are closed: the next file to be opened would be one."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    import os  # noqa: PLC0415 (loaded by Python itself)

    while (place := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(place, True)
    os.close(place)


def _has_threads() -> bool:
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _forget_current_folder() -> None:
    """`python -m` looks into the current folder first, and the code of strangers may stand there."""
    import os  # noqa: PLC0415 (loaded by Python itself)

    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 (start-up)
    try:
        here = os.getcwd()  # noqa: PTH109 (as above)
    except OSError:  # it is no longer there, and nor is any code in it
        return
    if sys.path[:1] == [here] != [own]:
        del sys.path[0]


if __name__ == "__main__":
    _forget_current_folder()
    run()
