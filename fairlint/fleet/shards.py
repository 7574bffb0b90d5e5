"""The files of one repository in shards: how many there are, what one finds, and what all find together.

Shards are runs of neighbours in the order of paths, because neighbours import the same modules. What a shard
finds in a file is what a run over all files would: imports are followed in the whole repository.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Any

from fairlint.cache.packing import NotPackableError
from fairlint.checking.packed_results import pack_results, unpack_results
from fairlint.checking.runner import check_some, join_results
from fairlint.config import Configurations
from fairlint.findings.report import Report
from fairlint.fleet.limits import NotCheckedError
from fairlint.plugins import manager
from fairlint.sources.discovery import discover
from fairlint.sources.files_to_check import File
from fairlint.support.errors import UsageError
from fairlint.syntax.registry import languages

HERE = (".",)


def count_shards(configurations: Configurations, most: int) -> int:
    """Return in how many shards of at most so many files the current folder is to be checked.

    It is one where there is nothing to check, and where plugins may find what no other process can be told.
    """
    if manager.names():
        return 1
    try:
        found = discover(HERE, configurations, languages().values())
    except UsageError:
        return 1
    return max(ceil(len(found.files) / most), 1)


def check_shard(configurations: Configurations, number: int, count: int) -> dict[str, Any]:
    """Return the results of one shard of the current folder, as text, and how many files are without any."""
    found = check_some(HERE, configurations, partial(files_of_shard, number=number, count=count))
    try:
        packed = pack_results(found.results, os.path.realpath("."))
    except NotPackableError as error:
        raise NotCheckedError("error", f"a plugin of the worker has put a {error} into a result") from None
    return {"results": packed, "clean": found.clean}


def join_shards(configurations: Configurations, packed: Sequence[str], clean: int) -> Report:
    """Return what a run over the current folder finds, of the results of all its shards."""
    root = os.path.realpath(".")
    results = [one for text in packed for one in unpack_results(text, root)]
    return join_results(HERE, configurations, results, clean)


def files_of_shard(files: Sequence[File], *, number: int, count: int) -> Sequence[File]:
    """Return the files of a shard of all, by its number from 0."""
    return files[number * len(files) // count : (number + 1) * len(files) // count]
