"""Draws what fairlint says of the README's example, in its colours: docs/picture.svg.

    python benchmarks/picture.py [--check]

`--check` writes nothing; exit status 1 where the picture is not what fairlint says now.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "picture.svg"
WIDTH = 104
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FONT = re.compile(r"\s*@font-face \{\{.*?\}\}", re.DOTALL)
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"


def drawn() -> str:
    """The picture: an SVG without fonts or anything else from elsewhere."""
    from rich._export_format import CONSOLE_SVG_FORMAT  # noqa: PLC0415 (the form that is changed here)

    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.from_ansi("$ fairlint hiring/\n" + said(), no_wrap=True))
    form = FONT.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", FONTS).replace("Fira Code", FONTS)
    return console.export_svg(title="fairlint", theme=MONOKAI, code_format=form, unique_id="fairlint")


def said() -> str:
    """What a run over the example says, with its colours."""
    code = CODE.search((ROOT / "README.md").read_text("utf-8"))
    assert code
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "hiring").mkdir()
        (Path(name) / "hiring" / "score.py").write_text(code[1], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fairlint", "--isolated", "--color", "always", "hiring/"],
            cwd=name,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(WIDTH), "GITHUB_ACTIONS": ""},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    return done.stdout


if __name__ == "__main__":
    picture = drawn()
    if "--check" in sys.argv[1:]:
        sys.exit(PICTURE.read_text("utf-8") != picture)
    PICTURE.write_text(picture, encoding="utf-8")
