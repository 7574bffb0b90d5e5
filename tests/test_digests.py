"""Every digest has its row in the table of digests, which says whether it is an interface."""

from __future__ import annotations

import re
from pathlib import Path

import fairlint
from fairlint.support import digests

ROOT = Path(fairlint.__file__).parent
MADE = re.compile(r"\bhashlib\.|\bcrc32\b|\bFNV_PRIME\b|\bsha256\(|\bmd5\(")


def test_every_module_with_a_digest_of_its_own_is_in_the_table() -> None:
    assert digests.__doc__
    rows = dict(re.findall(r"^([\w/]+) +(interface|free) +\S", digests.__doc__, re.MULTILINE))
    there = {
        path.relative_to(ROOT).with_suffix("").as_posix()
        for path in ROOT.rglob("*.py")
        if MADE.search(path.read_text("utf-8"))
    }
    assert there - {"support/digests"} == rows.keys()
