"""Templates that escape whatever they are given, and what a page may load and run: nothing but its own."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from fairlint.pages import texts

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def environment(package: str, filters: Mapping[str, Callable[..., Any]]) -> Environment:
    """The templates of a package and those that all share, with filters of the package's own.

    What is no markup is escaped, and cleaned of control characters; a name that nobody gave is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (for pages)
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    loaders = [PackageLoader(package, "templates"), PackageLoader("fairlint.pages", "templates")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else texts.plain(value),
    )
    made.filters.update(drawing=Markup, code=lambda text: Markup.escape(texts.code(text)), **filters)
    made.globals["policy"] = policy
    return made


def prose(text: str) -> Markup:
    """A sentence as markup, with what stands in backticks as code."""
    from markupsafe import Markup  # noqa: PLC0415 (as above)

    parts = texts.plain(text).split("`")
    if len(parts) % 2 == 0:
        return Markup.escape("`".join(parts))
    made = (Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))
    return Markup("").join(made)


@cache
def shipped(package: str, name: str) -> str:
    """A file beside the templates of a package."""
    from importlib.resources import files  # noqa: PLC0415 (only who writes a page needs it)

    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


def style(package: str) -> str:
    """The style that all pages share, and that of a package."""
    return shipped("fairlint.pages", "style.css") + shipped(package, "style.css")


def policy(style: str, script: str, *, places: bool) -> str:
    """A content security policy under which a page has this style and script, and nothing else.

    `places` says that elements may have places and sizes of their own, in attributes.
    """
    styles = "'unsafe-inline'" if places else f"'sha256-{_hash(style)}'"
    scripts = f" script-src 'sha256-{_hash(script)}';" if script else ""
    return (
        f"default-src 'none'; style-src {styles};{scripts} img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")
