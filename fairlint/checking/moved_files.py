"""Whether a file was told about at the place that it was moved from as it is at its new one."""

from __future__ import annotations

import os

from fairlint.config import Configurations, Settings
from fairlint.sources.discovery import is_left_out
from fairlint.sources.files_to_check import shown_path
from fairlint.sources.path_patterns import PathPatterns


def counted_alike(configurations: Configurations, before: str, now: str) -> bool:
    """Return whether what is told of a file does not depend on whether it lies at one absolute path or
    another.

    It does where the settings leave the one out, or silence rules there, and where the names of its folders
    say that it is a test, or what may justify a difference.
    """
    old, new = configurations.of_file(before), configurations.of_file(now)
    if old.source != new.source or is_left_out(before, old):
        return False
    if not _silencing_patterns(old, before) <= _silencing_patterns(new, now):
        return False
    return _signs_in_path(shown_path(before)) <= _signs_in_path(shown_path(now))


def _silencing_patterns(settings: Settings, path: str) -> frozenset[str]:
    """Return the patterns under which rules stay silent at a path."""
    patterns = settings.per_file_ignores
    return frozenset(one for one in patterns if PathPatterns((one,), settings.root).match(path))


def _signs_in_path(path: str) -> frozenset[str]:
    """Return what the names of folders and of a file say that matters to findings."""
    from fairlint.detectors.records import is_test_path  # noqa: PLC0415 (few changes move a file)
    from fairlint.vocabulary.bags import bag_of  # noqa: PLC0415 (as above)
    from fairlint.vocabulary.purposes import purposes  # noqa: PLC0415 (as above)

    bag = bag_of(path)
    signs = (
        (purpose.name, sign.reason)
        for purpose in purposes()
        for sign in purpose.signs
        if sign.where == "path" and sign.words is not None and bag.hits(sign.words)
    )
    said = {f"{name}: {reason}" for name, reason in signs}
    return frozenset(said | ({"test"} if is_test_path(path.replace(os.sep, "/")) else set()))
