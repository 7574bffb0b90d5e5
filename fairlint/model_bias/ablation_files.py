"""Files that say what is ablated: a list of components, and beside it their means.

`heads.json` of `fairlint model locate` holds `components`, the most important first. `ablation.json` of
`fairlint model ablate` holds `how` as well, and of means the name of the `.npz` file beside it that has them.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

from fairlint.model_bias.ablation import HOWS, Ablation
from fairlint.model_bias.anatomy import Component, component
from fairlint.model_bias.array_files import pack_arrays
from fairlint.model_bias.results import as_text
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import write_bytes, write_text
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record

LIST = "ablation.json"
MEANS = "ablation.npz"
LARGEST_LIST = 10_000_000
LARGEST_MEANS = 1 << 30
"""Bytes of such files."""


class Listed(Record):
    """Components as a user names them."""

    components: tuple[Component, ...]
    document: dict[str, Any]
    """The file's other entries; empty where there was no file."""

    @property
    def prompts(self) -> frozenset[str]:
        """The prompts that the components were chosen on, where the file says them."""
        told = self.document.get("prompts")
        return (
            frozenset(one for one in told if isinstance(one, str)) if isinstance(told, list) else frozenset()
        )


def read_component_list(text: str) -> Listed:
    """Return the components of a file, or those that `text` lists with commas between: `23.5,25.1,mlp 0`.

    Raises UsageError, in one line, for what is neither.
    """
    path = Path(text).expanduser()
    if path.suffix.lower() != ".json" and not path.is_file():
        return Listed(_parse_components(text, text.split(",")), {})
    try:
        told = read_json(read_file(path, LARGEST_LIST))
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    names = told.get("components") if isinstance(told, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f'{path} lists no components: it should hold {{"components": ["23.5", "mlp 0"]}}')
    return Listed(_parse_components(str(path), names), told)


def _parse_components(where: str, names: list[str]) -> tuple[Component, ...]:
    try:
        found = tuple(dict.fromkeys(component(name) for name in names))
    except ValueError as error:
        raise UsageError(str(error) if where in names else f"{where}: {error}") from None
    if not found:
        raise UsageError(f"{where} lists no components")
    return found


def read(path: str | Path) -> Ablation:
    """Return the ablation that a file says; a mere list of components is to be zeroed.

    Raises UsageError, in one line, for what is none, or for means that are missing or changed.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    found = read_component_list(str(path))
    told = found.document
    how = told.get("how", "zero")
    if how == "resample":
        raise UsageError(
            f"{path}: resampled values are other texts', which a text that is being written does not have: "
            "ablate by zero or mean"
        )
    if how not in HOWS:
        raise UsageError(f"{path}: how is zero or mean, not {how!r}")
    if how == "zero":
        return Ablation("zero", found.components, keep_first=told.get("keep_first") is True)
    name = told.get("means")
    if not isinstance(name, str) or Path(name).name != name:
        raise UsageError(f"{path}: means names the .npz file next to it")
    means = _read_means(path.parent / name, str(told.get("sha256", "")))
    missing = [str(one) for one in found.components if str(one) not in means]
    if missing:
        raise UsageError(f"{path.parent / name} has no mean of {missing[0]}")
    return Ablation(
        "mean",
        found.components,
        {one: means[str(one)] for one in found.components},
        revision=str(told.get("revision", "")),
    )


def _read_means(path: Path, digest: str) -> dict[str, Any]:
    """Component → vector."""
    import numpy  # noqa: PLC0415 (an extra)

    try:
        data = read_file(path, LARGEST_MEANS)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    if digest and hashlib.sha256(data).hexdigest() != digest:
        raise UsageError(f"{path} is not the file that was written with the list")
    try:
        with numpy.load(io.BytesIO(data), allow_pickle=False) as held:
            means = {name: held[name].astype(numpy.float64) for name in held.files}
    except Exception as error:  # whatever a broken archive makes numpy and zipfile raise
        raise UsageError(f"{path} holds no vectors: {error}") from None
    wrong = [name for name, mean in means.items() if mean.ndim != 1 or not numpy.isfinite(mean).all()]
    if wrong:
        raise UsageError(f"{path}: {wrong[0]} is no vector of numbers")
    return means


def write(folder: Path, ablation: Ablation, model: str) -> Path:
    """Write `ablation.json`, and `ablation.npz` where there are means. Returns the list's path."""
    told: dict[str, Any] = {
        "model": model,
        "revision": ablation.revision,
        "how": ablation.how,
        "components": [str(one) for one in ablation.components],
        "digest": ablation.digest,
    }
    if ablation.keep_first:
        told["keep_first"] = True
    try:
        if ablation.how == "mean":
            data = pack_arrays({str(one): mean for one, mean in ablation.means.items()})
            write_bytes(folder / MEANS, data)
            told |= {"means": MEANS, "sha256": hashlib.sha256(data).hexdigest()}
        write_text(folder / LIST, as_text(told))
    except (OSError, RunFolderError) as error:
        raise UsageError(f"{folder}: cannot be written: {error}") from None
    return folder / LIST
