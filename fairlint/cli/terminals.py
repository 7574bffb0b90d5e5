"""What the terminal behind a stream can show, as far as the environment tells."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed", "mintty"}
"""What `TERM_PROGRAM` says of terminals that know links."""
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm")
"""How `TERM` begins there."""
_SIGNS = ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "KITTY_WINDOW_ID")
"""What only such terminals set."""
_VTE = 5_002
"""From this version on, GNOME's terminal and its relatives know links; the one before showed rubbish."""


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def is_ci(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether a build server runs this: its logs are read later."""
    known = os.environ if environment is None else environment
    return known.get("CI", "").lower() not in {"", "0", "false"} or "TEAMCITY_VERSION" in known


def knows_links(stream: TextIO | None, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether the terminal behind a stream makes links of OSC 8; `FORCE_HYPERLINK` says so, or not."""
    known = os.environ if environment is None else environment
    if stream is None or not is_terminal(stream):
        return False
    if forced := known.get("FORCE_HYPERLINK", ""):
        return forced != "0"
    if is_ci(known) or known.get("TERM") == "dumb" or "STY" in known or "TMUX" in known:
        return False
    version = known.get("VTE_VERSION", "")
    if version.isascii() and version.isdigit():
        return int(version) >= _VTE
    return (
        known.get("TERM_PROGRAM") in _PROGRAMS
        or known.get("TERM", "").startswith(_TERMS)
        or any(known.get(sign) for sign in _SIGNS)
    )
