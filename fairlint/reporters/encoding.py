"""JSON text that is safe to print and that every parser reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


def encode_json(document: Json) -> Iterator[str]:
    """`document` as indented JSON in ASCII, in pieces, with a line ending at the end."""
    for piece in json.JSONEncoder(indent=2, ensure_ascii=True, allow_nan=False).iterencode(document):
        yield piece.replace("\x7f", "\\u007f")
    yield "\n"


def without_surrogates(text: str) -> str:
    """`text` without lone surrogates, which strict parsers refuse: bytes that were no UTF-8 read `\\xff`."""
    if text.isascii():
        return text
    data = (
        text.encode("utf-8", "surrogateescape") if _only_lone_bytes(text) else text.encode("utf-8", "replace")
    )
    return data.decode("utf-8", "backslashreplace")


def _only_lone_bytes(text: str) -> bool:
    return not any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in text)
