"""TOML that fairlint itself brings along, read without a parser.

`tomllib` takes longer to import than a small file takes to check. The front matter of the rules is known, so
that `parsed.json` maps each text to what it says; a text that is not in there is parsed.
"""

from __future__ import annotations

import os
from functools import cache

TYPE_CHECKING = False  # importing typing would cost more than the look-up
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FILE = os.path.join(os.path.dirname(__file__), "parsed.json")  # noqa: PTH118, PTH120 (start-up)


def loads(text: str) -> dict[str, Any]:
    """What a TOML text says; a tomllib.TOMLDecodeError where it is none."""
    known = _known().get(text)
    if known is not None:
        import json  # noqa: PLC0415 (start-up)

        told: dict[str, Any] = json.loads(known)
        return told
    import tomllib  # noqa: PLC0415 (only where a text is not known)

    return tomllib.loads(text)


def is_known(text: str) -> bool:
    """Whether a text needs no parser."""
    return text in _known()


@cache
def _known() -> dict[str, str]:
    import json  # noqa: PLC0415 (as above)

    try:
        with open(FILE, encoding="utf-8") as file:  # noqa: PTH123 (start-up)
            known: dict[str, str] = json.load(file)
    except (OSError, ValueError):
        return {}
    return known


def write(texts: Iterable[str]) -> None:
    """Writes `parsed.json` for these texts."""
    import json  # noqa: PLC0415 (as above)
    import tomllib  # noqa: PLC0415 (as above)

    known = {text: json.dumps(tomllib.loads(text), ensure_ascii=False) for text in texts}
    with open(FILE, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 (as above)
        json.dump(known, file, ensure_ascii=False, indent=0)
        file.write("\n")
