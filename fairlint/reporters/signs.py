"""fairlint's own signs for encodings that lack them: an arrow becomes `->`, a dash a hyphen."""

from __future__ import annotations

import codecs

WHOLE = "utf-8"
"""The encoding that has them all."""
ERRORS = "fairlint.signs"
"""The name under which encoders are told to write text so."""
_PLAIN = {
    "→": "->", "…": "...", "⋯": "...", "–": "-", "—": "--", "−": "-", "×": "x", "·": "-",
    "‘": "'", "’": "'", "“": '"', "”": '"', "≥": ">=", "≤": "<=", "≠": "!=", "\u00a0": " ", "\u202f": " ",
}  # fmt: skip


def plain(text: str) -> str:
    """Return a text in ASCII: signs by others that look alike, all else as escapes (`\\u5973`)."""
    return "".join(
        char if char.isascii() else _PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode()
        for char in text
    )


def text_in_encoding(text: str, encoding: str) -> str:
    """Return a text as it is written in an encoding."""
    if text.isascii() or encoding == WHOLE:
        return text
    return text.encode(encoding, ERRORS).decode(encoding)


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _replace_unencodable)
