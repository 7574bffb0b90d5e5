"""C, whole: how it is recognised, lexed, outlined and parsed, and what it takes for granted."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.syntax.c.tokens import TOKENS
from fairlint.syntax.conventions import Conventions
from fairlint.syntax.language import Language

TYPE_CHECKING = False  # importing typing would take longer than this module
if TYPE_CHECKING:
    from fairlint.syntax.constants import Named, Typed
    from fairlint.syntax.outline import Headers, Outline
    from fairlint.syntax.signs import Signs
    from fairlint.syntax.tree import Tree


def _parse_source(data: bytes, keep: Callable[[int, int, str], bool] | None = None) -> Tree:
    from fairlint.syntax.c.parser import parse  # noqa: PLC0415 (loads tree-sitter: most files end unparsed)

    return parse(data, keep)


def _is_buffer(written: str) -> bool:
    return ("*" in written or "[" in written) and "const" not in written


def _is_text(written: str) -> bool:
    return "char" in written and "*" in written


def _load_outline() -> Outline:
    from fairlint.syntax.c.outline import OUTLINE  # noqa: PLC0415 (as above)

    return OUTLINE


def _load_signs() -> Signs:
    from fairlint.syntax.c.signs import SIGNS  # noqa: PLC0415 (only answers of models are without a suffix)

    return SIGNS


def _load_headers() -> Headers:
    from fairlint.syntax.c import headers  # noqa: PLC0415 (only where a source includes some)
    from fairlint.syntax.c.parser import parse_with  # noqa: PLC0415 (as above)
    from fairlint.syntax.outline import Headers  # noqa: PLC0415 (as above)

    return Headers(headers.NAMED, headers.words, headers.definitions, parse_with)


def _compute_constant(text: str, named: Named) -> Typed | None:
    from fairlint.syntax.c.arithmetic import compute_constant  # noqa: PLC0415 (as above)

    return compute_constant(text, named)


def _number_type(written: str) -> str:
    from fairlint.syntax.c.arithmetic import type_of  # noqa: PLC0415 (as above)

    return type_of(written)


def _type_aliases(data: bytes) -> dict[str, str]:
    from fairlint.syntax.c.arithmetic import aliases  # noqa: PLC0415 (as above)

    return aliases(data)


def _stored_value(value: float, written: str) -> int | float | None:
    from fairlint.syntax.c.arithmetic import stored_value  # noqa: PLC0415 (as above)

    return stored_value(value, written)


C = Language(
    name="c",
    suffixes=(".c", ".h"),
    parse=_parse_source,
    title="C",
    tokens=TOKENS,
    conventions=Conventions(
        receivers=("self", "this"),  # what object-oriented C calls its first parameter
        parents=(),
        constructor="",
        static=(),
        or_gives_value=False,
        main="",
        is_buffer=_is_buffer,
        is_text=_is_text,
        has_tables=False,
        has_defaults=False,
        divides_whole=True,
        number_type=_number_type,
        aliases=_type_aliases,
        stored=_stored_value,
        computed=_compute_constant,
        enums_are_numbers=True,
        imported_later=None,
        libraries="c",
    ),
    outline=_load_outline,
    headers=_load_headers,
    signs=_load_signs,
)
