"""Facts of modules that earlier runs have found: one entry of the cache for each folder.

A text goes by its digest, so its facts hold wherever it stands and whatever has changed around it. One entry
for all modules of a folder takes a fraction of the time of one for each.
"""

from __future__ import annotations

import marshal
import os
import zlib
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from fairlint.support.digests import digest_of_all

if TYPE_CHECKING:
    from fairlint.cache.store import Store

Form = tuple[dict[str, object], dict[str, bytes]]
"""Facts by their names, and those that are packed."""
MOST_EARLIER = 50
"""Texts of earlier runs of which an entry keeps the facts, besides those of the run that writes it."""


class KeptFacts:
    """What the cache knows of the texts in folders, under one vocabulary and for one language."""

    def __init__(self, store: Store, about: bytes) -> None:
        """`about` is a digest of all that facts depend on besides the text."""
        self._store = store
        self._about = about

    def of_folder(self, folder: str) -> dict[bytes, Form]:
        """Return the facts of the texts that stood in a folder, by the digests of the texts."""
        body = self._store.read(self._entry_name(folder))
        found: dict[bytes, Form] = {}
        if body is not None:
            found = marshal.loads(zlib.decompress(body))  # noqa: S302 (behind a seal)
        return found

    def keep(self, folder: str, forms: Iterable[tuple[bytes, Form]]) -> None:
        """Keep the facts of the texts in a folder, and of some that stood there before."""
        kept = dict(forms)
        earlier = ((text, form) for text, form in self.of_folder(folder).items() if text not in kept)
        kept.update(islice(earlier, MOST_EARLIER))
        self._store.write(self._entry_name(folder), zlib.compress(marshal.dumps(kept), 1))

    def _entry_name(self, folder: str) -> str:
        return digest_of_all([self._about, os.fsencode(folder)]).hex()
