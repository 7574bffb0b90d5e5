"""What scoring a model costs beside its bare passes, and lm-evaluation-harness's CrowS-Pairs beside ours.

    python benchmarks/model_scores.py [--model NAME] [--limit 60] [--rounds 3] [--threads 1]

StereoSet's items within sentences: the same batches of texts go through the model once as they are, once
with all that a score needs. Processor time of both, taken in turns, so that a machine that others use
does not favour one. Then the harness scores pairs of CrowS-Pairs by its own code (task
`crows_pairs_english`, whose data set it is given as a file) with the same weights, and every pair on
which it and fairlint differ is told.

Exit status: 0 where scoring takes at most 1.2 times the bare passes, 1 where not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from fairlint.model_bias import loading
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, over
from fairlint.model_bias.scores.asking import Written, answers
from fairlint.model_bias.scores.scoring import Task, task

TARGET = 1.2


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time scores; compare with lm-evaluation-harness.")
    parser.add_argument("--model", help="as fairlint model takes it (default: the small one)")
    parser.add_argument("--limit", type=int, default=60, help="items of each data set")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    told = parser.parse_args(arguments)
    torch.set_num_threads(told.threads)
    loaded = loading.load(told.model)
    ratio = times(loaded, told.limit, told.rounds)
    if not loaded.masked:
        harness(loaded, told.limit)
    return int(ratio > TARGET)


def times(loaded: Loaded, limit: int, rounds: int) -> float:
    """The median ratio of processor times, scoring to bare passes."""
    asked = task(loaded, "stereoset", limit=limit)
    texts = [
        (*option.before, *option.tokens)
        for options in asked.plan.values()
        for option in options
        if isinstance(option, Written)
    ]

    def bare(batch: Batch) -> None:
        model: Any = loaded.model
        with torch.inference_mode():
            model(**batch.inputs, use_cache=False)

    def passes() -> None:
        for _ in over(loaded, texts, bare):
            pass

    passes()  # what is found out once, such as how many texts fit
    ratios = []
    for _ in range(rounds):
        plain, whole = seconds(passes), seconds(lambda: answers(loaded, asked.plan))
        ratios.append(whole / plain)
        print(f"{len(asked.plan)} items, {len(texts)} texts: {plain:.1f} s bare, {whole:.1f} s scored")
    ratio = statistics.median(ratios)
    print(f"scoring takes {ratio:.2f} times the bare passes (at most {TARGET} asked)", flush=True)
    return ratio


def seconds(work: Callable[[], object]) -> float:
    """The processor time that a function takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def harness(loaded: Loaded, limit: int) -> None:
    """CrowS-Pairs by both."""
    from lm_eval import simple_evaluate  # noqa: PLC0415 (a tool of the tests)
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415 (as above)
    from lm_eval.tasks.crows_pairs import utils  # noqa: PLC0415 (as above)

    asked = task(loaded, "crows-pairs", limit=limit)
    ours = ours_of(loaded, asked)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.jsonl"
        rows = (
            {"sent_more": one.more, "sent_less": one.less, "bias_type": one.bias_type} for one in asked.items
        )
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        config = {
            "task": "crows_pairs_english",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(file)}},
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "",
            "doc_to_target": 0,
            "doc_to_choice": utils.doc_to_choice,
            "target_delimiter": "",
            "process_results": utils.process_results,
            "metric_list": [
                {"metric": name, "aggregation": "mean", "higher_is_better": False}
                for name in ("likelihood_diff", "pct_stereotype")
            ],
        }
        model = HFLM(pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=8)
        found = simple_evaluate(model=model, tasks=[config], bootstrap_iters=0, log_samples=True)
    samples = sorted(found["samples"]["crows_pairs_english"], key=lambda one: one["doc_id"])
    theirs = [tuple(float(each[0][0]) for each in one["resps"]) for one in samples]
    share = [100 * statistics.fmean(a > b for a, b in some) for some in (ours, theirs)]
    gap = [statistics.fmean(abs(a - b) for a, b in some) for some in (ours, theirs)]
    print(f"CrowS-Pairs, {len(ours)} pairs: {share[0]:.2f} % here, {share[1]:.2f} % by the harness")
    print(f"mean of |ln P(more) - ln P(less)|: {gap[0]:.4f} here, {gap[1]:.4f} by the harness")
    apart = [
        abs(a - b) for one, other in zip(ours, theirs, strict=True) for a, b in zip(one, other, strict=True)
    ]
    print(f"ln P of a sentence differs by {max(apart):.2g} at most, {statistics.fmean(apart):.2g} on average")
    for item, one, other in zip(asked.items, ours, theirs, strict=True):
        if (one[0] > one[1]) != (other[0] > other[1]):
            print(f"  {item.id}: {one} here, {other} by the harness: {item.more} | {item.less}")


def ours_of(loaded: Loaded, asked: Task) -> list[tuple[float, float]]:
    """ln P of both sentences of each pair."""
    found = answers(loaded, asked.plan)
    return [(sum(found[one.id][0]), sum(found[one.id][1])) for one in asked.items]


if __name__ == "__main__":
    sys.exit(main())
