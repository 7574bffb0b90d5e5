"""Where the shipped rule pages are; their names say the rules' codes and names."""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH112, PTH118, PTH119, PTH120, PTH208

from __future__ import annotations

import os


def shipped_folder() -> str:
    """Return the folder of the shipped pages: inside the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(__file__))
    installed = os.path.join(package, "rule_pages")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "rules")


def pages(folder: str | os.PathLike[str]) -> list[str]:
    """Return the paths of all rule pages in a folder, in order."""
    return [
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.endswith(".md") and name.lower() != "readme.md"
    ]


def is_shipped_name(name: str) -> bool:
    """Return whether a code, the beginning of one, or a name means a shipped rule: no page is read
    for that.
    """
    for path in pages(shipped_folder()):
        code, _, own = os.path.basename(path).removesuffix(".md").partition("-")
        if name == own or code.startswith(name.upper()):
            return True
    return False
