"""The settings and answers of runs that tests write, be it in other processes, which load nothing besides."""

from __future__ import annotations

from typing import Any

from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import RunSettings, open_run

__all__ = ["SETTINGS", "RunFolderError", "answer", "open_run"]

SETTINGS = RunSettings(
    suite="faircode",
    model="example/model",
    revision="4f1e",
    seed=7,
    samples=10,
    temperature=0.8,
    max_new_tokens=700,
    prompts_hash="c0ffee",
    options={"asked": 12, "attributes": ["gender", "race"], "top_p": 0.95},
)


def answer(number: int) -> dict[str, Any]:
    texts = ("suite", "scenario", "attribute", "list", "subject", "given", "finish")
    return {
        "key": f"k{number}",
        **dict.fromkeys(texts, ""),
        **dict.fromkeys(("sample", "prompt_tokens", "new_tokens"), 0),
        "text": f"def f{number}(p):\n\treturn 'é…😀' * {number}\n" * (number % 7 + 1),
    }
