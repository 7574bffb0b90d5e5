"""Runs in the forms of others: Parquet, a data set of the Hugging Face hub, lm-eval's log, a model card.

| name | module | what is written |
|---|---|---|
| `parquet` | `parquet.py` | one file, a row an answer |
| `hf` | `dataset.py` | a folder that `datasets.load_dataset` takes and the hub shows |
| `lm-eval` | `lm_eval_log.py` | `results_*.json` and `samples_*.jsonl`, as lm-evaluation-harness does |
| `model-card` | `model_card.py` | a model's card with its `model-index`, a file a model |

`runs.py` reads runs, `headlines.py` says which of their figures stand for them. Whatever is written is made
beside its place and moved there when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from fairlint.bench.exporting.runs import Exported
from fairlint.run_folders.made_beside import made_beside

FORMS: Mapping[str, str] = {
    "parquet": "parquet",
    "hf": "dataset",
    "lm-eval": "lm_eval_log",
    "model-card": "model_card",
}
"""Name of a form → the module whose function `write` makes it, in a place that is free."""


def export(runs: Sequence[Exported], form: str, output: Path) -> None:
    """Write runs in a form (see the table above) to a file or folder, which must be new.

    Raises UsageError and RunFolderError, in one line; then nothing is written.
    """
    write: Callable[[Sequence[Exported], Path], None] = import_module(f"{__name__}.{FORMS[form]}").write
    with made_beside(output) as place:
        write(runs, place)
