"""Names for findings that survive unrelated edits.

`line_hashes` is the algorithm that GitHub publishes for `primaryLocationLineHash`, so that its own
recomputation agrees. `Fingerprints` makes fairlint's own, for baselines.
"""

from __future__ import annotations

from collections.abc import Iterable

WINDOW = 100
"""Characters after the start of a line that its hash looks at."""
FACTOR = 37
END_OF_FILE = 65535


def line_hashes(text: str, lines: Iterable[int]) -> dict[int, str]:
    """GitHub's line hash for each of `lines`, which start at 1.

    Spaces and tabs do not count, all line endings are one, and the characters are UTF-16 units. Equal hashes
    are numbered in the order of their lines.
    """
    wanted = set(lines)
    squeezed = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    units = squeezed.encode("utf-16-le", "surrogatepass")
    padded = units + END_OF_FILE.to_bytes(2, "little") + bytes(2 * WINDOW)
    seen: dict[bytes, int] = {}
    hashes: dict[int, str] = {}
    last = max(wanted, default=0)
    start = 0
    for number, line in enumerate(squeezed.split("\n"), 1):
        if number > last:
            break
        window = padded[start : start + 2 * WINDOW]
        seen[window] = seen.get(window, 0) + 1
        if number in wanted:
            hashes[number] = f"{_polynomial_hash(window):x}:{seen[window]}"
        start += len(line.encode("utf-16-le", "surrogatepass")) + 2
    return hashes


def _polynomial_hash(window: bytes) -> int:
    value = 0
    for at in range(0, len(window), 2):
        value = (value * FACTOR + window[at] + (window[at + 1] << 8)) & 0xFFFF_FFFF_FFFF_FFFF
    return value


class Fingerprints:
    """Makes the fingerprints of one file's findings; equal ones are numbered in the order of asking."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def make(self, rule: str, function: str, attribute: str, line: str) -> str:
        """Return the fingerprint of a finding: stable while its function's name and the text of its line
        stay.

        The path is left out, so that a moved file keeps its findings.
        """
        key = "\0".join((rule, function, attribute, " ".join(line.split())))
        made = digest(key.encode("utf-8", "surrogatepass"))
        self._seen[made] = count = self._seen.get(made, 0) + 1
        return f"{made}:{count}"


FNV_OFFSET, FNV_PRIME = 0xCBF2_9CE4_8422_2325, 0x0100_0000_01B3
"""Of the 64-bit Fowler/Noll/Vo hash (FNV-1a), which needs no library to be loaded."""


def digest(data: bytes) -> str:
    """Return the hash of some bytes as 16 hexadecimal digits."""
    value = FNV_OFFSET
    for byte in data:
        value = ((value ^ byte) * FNV_PRIME) & 0xFFFF_FFFF_FFFF_FFFF
    return f"{value:016x}"
