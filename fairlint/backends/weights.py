"""What backends that load weights share: their numbers, what tells a model from another, and errors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from fairlint.backends import shipped
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.support.files import NotReadableError, opened_file

DTYPES = ("float32", "bfloat16", "float16")
EDGE = 1 << 20
"""Bytes at both ends of a file of weights that tell it from others; to hash all would take minutes."""


def revision_of(where: str, path: str, commit: str | None) -> str:
    """Return what tells this very model from others of its name: a commit of the hub, or a hash of
    its files.
    """
    if where.lower().endswith(".gguf"):
        return f"sha256:{shipped.digest(Path(where))}"
    if commit:
        return commit
    return f"files:{fingerprint(Path(path))}" if Path(path).is_dir() else "unknown"


def fingerprint(folder: Path) -> str:
    """Return a hash of a folder's configuration and of the sizes and edges of its weights."""
    told: list[tuple[str, int, str]] = []
    for file in sorted(folder.iterdir()):
        if file.suffix in {".json", ".jinja", ".model", ".txt", ".safetensors", ".bin"} and file.is_file():
            try:
                with opened_file(file) as (data, size):
                    edges = hashlib.sha256(data.read(EDGE))
                    data.seek(max(EDGE, size - EDGE))
                    edges.update(data.read(EDGE))
            except NotReadableError as error:
                raise ModelError(f"{file}: {error}") from None
            told.append((file.name, size, edges.hexdigest()))
    return hashlib.sha256(json.dumps(told).encode("ascii")).hexdigest()[:16]


def out_of_memory(torch: Any, error: BaseException) -> bool:
    """Return whether an error says that memory did not suffice, on whatever device."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    said = str(error).lower()
    return "out of memory" in said or "can't allocate memory" in said or "not enough memory" in said


def unloadable(torch: Any, where: str, error: Exception, options: ModelOptions) -> ModelError:
    """Return what went wrong, in one line that says what to do."""
    said = " ".join(str(error).split())
    if refusal := hub_refusal(where, error, options.revision):
        return ModelError(f"{where} {refusal}")
    if any(out_of_memory(torch, cause) for cause in _cause_chain(error)):
        return ModelError(f"{where} does not fit into memory: use --dtype bfloat16 or a smaller model")
    if "trust_remote_code" in said:
        return ModelError(
            f"{where} brings its own code, which runs on this machine: --trust-remote-code allows it"
        )
    if is_unreachable(error):
        return ModelError(f"{where} {unreachable(where)}")
    return ModelError(f"{where} cannot be loaded: {said[:300] or type(error).__name__}")


def unreachable(where: str) -> str:
    """Return what is said of a hub id that nobody can give."""
    return (
        "is not in the hub's cache on this machine, and the hub cannot be reached: download it where there "
        f"is a network (`hf download {where}`), or name a folder or a .gguf file"
    )


def hub_refusal(where: str, error: Exception, revision: str) -> str:
    """Return what the hub has against a model, as the end of a sentence; empty where it is another kind of
    error.
    """
    from huggingface_hub import errors  # noqa: PLC0415 (comes with transformers)

    causes = _cause_chain(error)

    def caused(kind: type[BaseException]) -> bool:
        return any(isinstance(cause, kind) for cause in causes)

    if caused(errors.GatedRepoError) or "gated repo" in str(error):
        return f"is gated: agree to its terms at huggingface.co/{where}, then `hf auth login`"
    if caused(errors.RevisionNotFoundError):
        return f"has no revision {revision}"
    if caused(errors.RepositoryNotFoundError):
        return "is not on the hub (or it is private: `hf auth login`)"
    return ""


def is_unreachable(error: Exception) -> bool:
    """Return whether an error says that the hub cannot be reached."""
    from huggingface_hub import errors  # noqa: PLC0415 (comes with transformers)

    kinds = (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled, ConnectionError, TimeoutError)
    said = str(error)
    return (
        any(isinstance(cause, kinds) for cause in _cause_chain(error))
        or "couldn't connect" in said
        or "offline mode" in said
    )


def _cause_chain(error: Exception) -> list[BaseException]:
    """Return an error, and what it came of."""
    causes: list[BaseException] = [error]
    while (below := causes[-1].__cause__ or causes[-1].__context__) is not None and below not in causes:
        causes.append(below)
    return causes
