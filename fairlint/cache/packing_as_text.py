"""Values as text and back, as `packing` has them: text may come from anywhere, and is at worst refused, or a
wrong value.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from fairlint.cache.packing import plain_value, value_of_plain
from fairlint.support.documents import read_json

_TUPLE, _BYTES = "tuple", "bytes"
"""The keys of JSON objects that stand for such a value."""


def pack_value_as_text(value: object, kinds: Sequence[str]) -> str:
    """Return a value as JSON; a NotPackableError as for `pack_value`."""
    return json.dumps(_json_form(plain_value(value, kinds)))


def unpack_value_from_text(text: str, kinds: Sequence[str]) -> Any:
    """Return the value that `pack_value_as_text` made so; a ValueError where the text is none of its."""
    try:
        return value_of_plain(_plain_form(read_json(text)), kinds)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"is no packed value: {type(error).__name__}") from None


def _json_form(plain: Any) -> Any:
    """Return what `plain_value` makes, as JSON has it: an object stands for a tuple or for bytes."""
    if isinstance(plain, tuple):
        return {_TUPLE: [_json_form(one) for one in plain]}
    if isinstance(plain, list):
        return [_json_form(one) for one in plain]
    return {_BYTES: base64.b64encode(plain).decode()} if isinstance(plain, bytes) else plain


def _plain_form(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_form(one) for one in value]
    if isinstance(value, dict):
        held = value.get(_TUPLE)
        return base64.b64decode(value[_BYTES]) if held is None else tuple([_plain_form(one) for one in held])
    return value
