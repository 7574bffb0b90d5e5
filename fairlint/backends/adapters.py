"""LoRA adapters: what was trained beside a model's weights is merged into them when they are loaded."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.backends.weights import fingerprint

CONFIGURATION = "adapter_config.json"


def merge_adapter(model: Any, folder: Path, where: str) -> tuple[Any, str]:
    """Return the model with the adapter of a folder, as peft saves them, and what tells this adapter from
    others.

    Raises ModelError where there is none, or it is one of another model.
    """
    if not (folder / CONFIGURATION).is_file():
        raise ModelError(f"--adapter: {folder} holds no {CONFIGURATION}, as peft saves adapters")
    peft = need("peft", "model")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            both = peft.PeftModel.from_pretrained(model, str(folder), local_files_only=True)
            found = both.merge_and_unload(safe_merge=True)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise ModelError(f"--adapter: {folder} does not fit {where}: {reason}") from error
    missing = [str(one.message) for one in told if "missing adapter keys" in str(one.message).lower()]
    if missing:
        raise ModelError(f"--adapter: {folder} does not fit {where}: it lacks weights for some of its layers")
    found.eval()
    return found, f"adapter:{fingerprint(folder)}"
