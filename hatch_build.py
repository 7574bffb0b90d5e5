"""Compiles fairlint's data when a wheel is built, so that an installed fairlint starts at once."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "compiled_data.bin"
_PREPARE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from fairlint.cli import prepare; prepare.main(*sys.argv[1:])"
)


class CompiledData(BuildHookInterface[Any]):
    """Puts `compiled_data.bin` into wheels; for an editable install it is written beside the code."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """In a process of its own: another fairlint may be imported in this one."""
        if sys.version_info < (3, 11):  # noqa: UP036 (some installers do not look)
            sys.exit("fairlint needs Python 3.11 or newer, and this is " + sys.version.split()[0])
        command = [sys.executable, "-c", _PREPARE, self.root]
        if version == "editable":
            subprocess.run(command, check=False)  # else the first run does it
            return
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / NAME
        subprocess.run([*command, str(file)], check=True)
        build_data["force_include"][str(file)] = f"fairlint/{NAME}"
