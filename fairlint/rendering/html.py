"""Templates that escape whatever they are given, and what a page may load and run: nothing but its own."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from fairlint.rendering import safe_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONGEST_WORD = 16
"""Characters in a row that no table breaks."""
_PARTS = re.compile(r"(?<=[(,=/_])|(?=\.)")
"""Where code may be broken: behind brackets, commas and the like, and before a dot."""
_WORD = re.compile(rf"(\S{{{LONGEST_WORD}}})(?=\S)")
_FROM_RIGHT = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
_RIGHT_TO_LEFT = re.compile(rf"{_FROM_RIGHT}(?: {_FROM_RIGHT})*")
"""Words of scripts that are written from the right."""


def environment(package: str, filters: Mapping[str, Callable[..., Any]]) -> Environment:
    """Return the templates of a package and those that all share, with filters of the package's own.

    What is no markup is escaped, and cleaned of control characters; a name that nobody gave is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (for pages)
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    loaders = [PackageLoader(package, "templates"), PackageLoader("fairlint.rendering", "templates")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else safe_text.plain(value),
    )
    made.filters.update(
        drawing=Markup,
        typed=lambda text: Markup.escape(safe_text.code(text)),
        code=lambda text: in_order(Markup.escape(safe_text.code(text))),
        **filters,
    )
    made.globals["policy"] = policy
    return made


def escaped(text: str) -> str:
    """Return a text as it stands in an attribute of an element."""
    from markupsafe import escape  # noqa: PLC0415 (as above)

    return str(escape(text))


def prose(text: str) -> Markup:
    """Return a sentence as markup, with what stands in backticks as code."""
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    parts = safe_text.plain(text).split("`")
    if len(parts) % 2 == 0:
        return in_order(Markup.escape("`".join(parts)))
    made = (Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))
    return in_order(Markup("").join(made))


def in_order(text: Markup) -> Markup:
    """Markup in which words that are written from the right change the order of nothing around them."""
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    if text.isascii():
        return text
    return Markup(_RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", str(text)))  # noqa: S704 (escaped before)


def breakable(text: str) -> Markup:
    """Return a text as markup that breaks within words where code may be broken, or where they are
    very long.
    """
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    parts = (part for part in _PARTS.split(safe_text.plain(safe_text.code(text))) if part)
    short = (one for part in parts for one in _WORD.split(part) if one)
    return in_order(Markup("<wbr>").join(short))


@cache
def read_shipped_file(package: str, name: str) -> str:
    """Return a file beside the templates of a package."""
    from importlib.resources import files  # noqa: PLC0415 (only who writes a page needs it)

    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


def style(package: str) -> str:
    """Return the style that all pages share, and that of a package."""
    return read_shipped_file("fairlint.rendering", "style.css") + read_shipped_file(package, "style.css")


def policy(style: str, script: str, *, places: bool, loads: bool = False) -> str:
    """Return a content security policy under which a page has this style and script, and nothing else.

    `places` says that elements may have places and sizes of their own, in attributes; `loads`, that its
    script may load others.
    """
    styles = "'unsafe-inline'" if places else f"'sha256-{_base64_digest(style)}'"
    more = " 'strict-dynamic'" if loads else ""
    scripts = f" script-src 'sha256-{_base64_digest(script)}'{more};" if script else ""
    return (
        f"default-src 'none'; style-src {styles};{scripts} img-src data:; base-uri 'none'; form-action 'none'"
    )


def _base64_digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")
