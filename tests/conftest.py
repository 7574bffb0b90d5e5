"""Each test has an empty home and empty caches, so that none depends on what a person or a test left there.

What is dear to make and the same for all is made once a session: the models that are converted, the fonts of
matplotlib. Downloads of pip and npm are kept where the person who runs the tests keeps them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from itertools import count
from pathlib import Path

import pytest

SESSION = "FAIRLINT_TEST_SESSION"
"""The folder that all processes of one session share."""
_numbers = count()


def pytest_configure(config: pytest.Config) -> None:
    """Make the session's folder before any worker starts, which inherits the environment."""
    if SESSION in os.environ:
        return
    folder = tempfile.mkdtemp(prefix="fairlint-tests-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    home = Path.home()
    os.environ[SESSION] = os.environ["HOME"] = folder
    os.environ["FAIRLINT_CACHE"] = f"{folder}/fairlint"
    os.environ["MPLCONFIGDIR"] = f"{folder}/matplotlib"
    os.environ.setdefault("PIP_CACHE_DIR", str(home / ".cache/pip"))
    os.environ.setdefault("npm_config_cache", str(home / ".npm"))


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty home of one test."""
    home = Path(os.environ[SESSION], f"home-{os.getpid()}-{next(_numbers)}")
    home.mkdir()
    for name, folder in (("HOME", ""), ("XDG_CACHE_HOME", ".cache"), ("XDG_CONFIG_HOME", ".config")):
        monkeypatch.setenv(name, str(home / folder))
    return home
