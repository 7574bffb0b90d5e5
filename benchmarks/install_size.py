"""How much an installation of fairlint weighs, for each extra: megabytes, packages, seconds of the processor.

    python benchmarks/install_size.py [EXTRA ...] [-- OPTION-OF-PIP ...]

Each extra is installed from this checkout into a virtual environment of its own, which is deleted afterwards.
Without arguments: fairlint alone and all small extras. `-- --index-url URL` takes packages from elsewhere,
as torch for a CPU.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMALL = ("", "fix", "watch", "server", "mcp", "counterfactual", "openai")


def weigh(extra: str, options: list[str]) -> str:
    """One row: the extra, its megabytes without those of pip, its packages and the time to install it."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, "-m", "venv", name], check=True)
        python = Path(name) / "bin" / "python"
        empty = megabytes(Path(name))
        what = f"{ROOT}[{extra}]" if extra else str(ROOT)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", *options, what], check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        listed = subprocess.run([python, "-m", "pip", "freeze"], check=True, capture_output=True, text=True)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = megabytes(Path(name)) - empty
    return (
        f"{extra or 'fairlint':16}{size:8.0f} MB{len(listed.stdout.splitlines()):5} packages{seconds:7.0f} s"
    )


def megabytes(folder: Path) -> float:
    """The size of all files below a folder; links are not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> int:
    """The command line."""
    given = sys.argv[1:]
    at = given.index("--") if "--" in given else len(given)
    for extra in given[:at] or SMALL:
        print(weigh(extra, given[at + 1 :]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
