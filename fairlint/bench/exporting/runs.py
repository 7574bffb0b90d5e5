"""Runs as they are exported: figures, and answers with their prompts and outcomes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairlint.bench.asking.kept_prompts import prompts_of
from fairlint.bench.runs.judged_runs import judged_run
from fairlint.bench.runs.view import variant_of
from fairlint.bench.suites import line_shapes
from fairlint.bench.suites.suite import Judged, Kept
from fairlint.run_folders.jsonl import KEY, RunFolderError
from fairlint.run_folders.record_shapes import EXPORTED
from fairlint.run_folders.run_folder import RESPONSES, read_run
from fairlint.support.records import Record
from fairlint.support.shapes import fault_of

TEXTS = ("key", "scenario", "attribute", "list", "subject", "role", "prompt", "given", "text", "finish")
NUMBERS = ("sample", "turn", "seed", "prompt_tokens", "new_tokens")


class Exported(Record):
    """A run."""

    path: Path
    metrics: dict[str, Any]
    pairs: list[tuple[Kept, Judged]]
    prompts: dict[str, list[dict[str, str]]]
    """Hash → the turns that were said, of those prompts that are kept."""

    @property
    def suite(self) -> str:
        """The suite's name."""
        name: str = self.metrics["suite"]["name"]
        return name

    @property
    def mitigation(self) -> str:
        """What the suite was asked with, a perturbation of its prompts too; empty for nothing."""
        return variant_of(self.metrics)

    @property
    def called(self) -> str:
        """The suite's name, with its mitigation."""
        return f"{self.suite} ({self.mitigation})" if self.mitigation else self.suite

    @property
    def model(self) -> str:
        """The model's name."""
        name: str = self.metrics["model"]["name"]
        return name

    def messages(self, kept: Kept) -> list[dict[str, str]]:
        """Return what was said to the model: all turns where they are kept, else the last one."""
        told = self.prompts.get(kept["prompt"])
        return told if told is not None else [{"role": "user", "content": kept["asked"]}]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row an answer, in the order of their keys: `model`, `revision`, `suite`, the fields of
        `responses.jsonl`, the turns as `messages`, `valid`, `not_judged` (the cause, or empty) and the whole
        `outcome` as JSON.
        """
        for kept, told in sorted(self.pairs, key=lambda pair: str(pair[0][KEY])):
            yield {
                "model": self.model,
                "revision": str(self.metrics["model"]["revision"]),
                "suite": self.suite,
                **{name: str(kept.get(name) or "") for name in TEXTS},
                **{name: int(kept.get(name) or 0) for name in NUMBERS},
                "messages": self.messages(kept),
                "valid": bool(told["valid"]),
                "not_judged": str((told.get("not_judged") or {}).get("cause", "")),
                "outcome": json.dumps(told, ensure_ascii=False, sort_keys=True),
            }


def read(path: Path, *, workers: int = 0) -> Exported:
    """Return the run in a folder; answers without an outcome are judged for this. Raises RunFolderError."""
    found = judged_run(path, workers=workers)
    for kept, _ in found.pairs:
        if told := fault_of(EXPORTED, kept):
            raise RunFolderError(f"{path / RESPONSES}: the answer {kept[KEY]!r} cannot be exported: {told}")
    return Exported(path, found.metrics, found.pairs, dict(prompts_of(read_run(path, line_shapes))))
