"""What the result for a file hangs on besides its own bytes, so that one can say whether it still holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fairlint.support.digests import NOTHING, digest, digest_of_digests, digest_of_names
from fairlint.support.records import Record, field

Reading = Callable[[str, int], bytes | None]
Naming = Callable[[str], Mapping[str, str]]
Observed = tuple[tuple[str, ...], bytes]
"""Paths in order, and one digest of what was seen at all of them."""
Summary = tuple[str, str, tuple[str, ...], bytes]
"""What sort of thing was looked at, for code in which language, where, and the digest of what was seen."""
MODULES, FOLDERS, LISTED, SETTINGS = "modules", "folders", "listed", "settings"
"""Sorts; another is the number of bytes that may be read of a file."""
LARGEST_MODULE = 200_000
"""Bytes of a module that is followed."""
NOTHING_SEEN: Observed = ((), NOTHING)


class Dependencies(Record, frozen=False):
    """Everything that was looked at."""

    language: str = ""
    """That of the code, which says how files are read."""
    modules: Observed = NOTHING_SEEN
    """Files that imports lead to."""
    folders: Observed = NOTHING_SEEN
    """Folders in which they were looked for: the names there."""
    read: dict[int, dict[str, bytes]] = field(default_factory=dict)
    """Other files that were looked for, by how much of them may be read, each with a digest."""
    listed: dict[str, bytes] = field(default_factory=dict)
    """Folders that were looked through for such files, each with a digest of the names in it."""
    settings: dict[str, bytes] = field(default_factory=dict)
    """Files under whose settings something was judged, each with a digest of these."""

    def recording_reads(self, read: Reading) -> Reading:
        """As `read`, which gives a file or None, and notes what it gave."""

        def noted(path: str, limit: int) -> bytes | None:
            data = read(path, limit)
            self.read.setdefault(limit, {})[path] = NOTHING if data is None else digest(data)
            return data

        return noted

    def recording_listings(self, names: Naming) -> Naming:
        """As `names`, which gives what is in a folder, and notes what it gave."""

        def noted(folder: str) -> Mapping[str, str]:
            found = names(folder)
            self.listed[folder] = digest_of_names(found)
            return found

        return noted

    def summaries(self) -> tuple[Summary, ...]:
        """Return each sort of what was looked at."""
        return tuple(self._iterate_summaries())

    def _iterate_summaries(self) -> Iterator[Summary]:
        sorts: dict[str, Observed] = {
            MODULES: self.modules,
            FOLDERS: self.folders,
            LISTED: observed(self.listed),
            SETTINGS: observed(self.settings),
            **{str(limit): observed(files) for limit, files in self.read.items()},
        }
        for sort, (paths, seen) in sorts.items():
            if paths:
                yield sort, self.language, paths, seen


def observed(digests: Mapping[str, bytes]) -> Observed:
    """Paths, each with the digest of what was seen there, as one."""
    paths = tuple(sorted(digests))
    return paths, digest_of_digests(digests[path] for path in paths)
