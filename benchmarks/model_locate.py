"""How far attribution patching agrees with exact patching over all heads, and how much faster it is.

    python benchmarks/model_locate.py [--model NAME] [--data winogender,code] [--pairs 24] [--threads 1]

Exact patching here computes nothing before the layer that is changed. As others patch by whole passes, a
sample of heads is patched so, too: the time is told against both. Each way's processor time is taken in
this one run.

Exit status: 0 where Spearman's correlation over heads is 0.95 at least, 18 of the 20 foremost are the same
(both with heads of the first layers patched exactly, as `fairlint model locate` does), and attribution is 40
times faster than whole passes; 1 where not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from fairlint.model_bias import loading
from fairlint.model_bias.anatomy import Component
from fairlint.model_bias.attribution import Values, attribute
from fairlint.model_bias.contrast_data import contrasts
from fairlint.model_bias.contrasts import Contrast, metric
from fairlint.model_bias.hooks import at, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.locating import FOREMOST, agreement, draws, heads_of, is_early, with_early
from fairlint.model_bias.passes import Batch, batch_of, over
from fairlint.model_bias.patching import patch_each

if TYPE_CHECKING:
    from fairlint.model_bias.hooks import Change

SPEARMAN, OVERLAP, FASTER = 0.95, 18, 40
WHOLE = 12
"""Heads that are patched by whole passes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Compare attribution with exact patching.")
    parser.add_argument("--model", help="as fairlint model takes it (default: the small one)")
    parser.add_argument("--data", default="winogender,code")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--threads", type=int, default=1)
    told = parser.parse_args(arguments)
    torch.set_num_threads(told.threads)
    loaded = loading.load(told.model)
    reached = [compare(loaded, name, told.pairs) for name in told.data.split(",")]
    return int(not all(reached))


def compare(loaded: Loaded, name: str, count: int) -> bool:
    """Print a few lines on one kind of pairs; whether all that is asked is reached."""
    pairs = contrasts(loaded, name, count, 0).contrasts
    attribute(loaded, pairs[:2])
    begun = time.process_time()
    guess = attribute(loaded, pairs)
    quick = time.process_time() - begun
    every = list(loaded.anatomy.components())
    begun = time.process_time()
    exact = patch_each(loaded, pairs, every)
    slow = time.process_time() - begun
    heads = heads_of(exact)
    some = heads[:: max(len(heads) // WHOLE, 1)]
    begun = time.process_time()
    whole_passes(loaded, pairs, some)
    whole = (time.process_time() - begun) / (len(some) + 2) * (len(every) + 1)
    counts = draws([one.subject for one in pairs])
    flat = len(pairs), -1
    of_heads = agreement(guess.patching.heads.reshape(flat), exact.heads.reshape(flat), counts, FOREMOST)
    mixed = with_early(guess.patching.heads, exact.heads).reshape(flat)
    of_mixed = agreement(mixed, exact.heads.reshape(flat), counts, FOREMOST)
    of_mlps = agreement(guess.patching.mlps.reshape(flat), exact.mlps.reshape(flat), counts)
    other = agreement(
        guess.gradient_activation.heads.reshape(flat), abs(exact.heads.reshape(flat)), counts, FOREMOST
    )
    assert of_mixed.spearman is not None
    assert of_mixed.overlap is not None
    print(f"{name}: {len(pairs)} pairs, {len(heads)} heads, {loaded.anatomy.layers} MLPs")
    early = sum(is_early(one, exact) for one in heads)
    for label, found in (
        ("heads", of_heads),
        (f"heads, the first {early} by exact patching", of_mixed),
        ("MLPs", of_mlps),
        ("heads by |gradient x activation|", other),
    ):
        overlap = f", {found.overlap[0]:.0f} of the {FOREMOST} foremost" if found.overlap else ""
        print(f"  {label}: Spearman {shown(found.spearman)}, Pearson {shown(found.pearson)}{overlap}")
    print(f"  attribution {quick:.1f} s; exact {slow:.1f} s, {slow / quick:.0f} times as long")
    print(
        f"  by whole passes {whole:.0f} s (from {len(some)} heads), {whole / quick:.0f} times as long",
        flush=True,
    )
    return of_mixed.spearman[0] >= SPEARMAN and of_mixed.overlap[0] >= OVERLAP and whole / quick >= FASTER


def whole_passes(loaded: Loaded, pairs: Sequence[Contrast], heads: Sequence[Component]) -> None:
    """Exact patching with nothing saved, the two passes of clean and corrupted prompts included."""
    anatomy = loaded.anatomy
    theirs = [one.corrupted for one in pairs]

    def work(batch: Batch) -> None:
        values = Values(anatomy)
        with torch.inference_mode():
            with hook_model(anatomy, values.changes):
                metric(loaded, batch_of(loaded, theirs, batch.places), pairs)
            metric(loaded, batch, pairs)
            for one in heads:
                change = replacing(values.heads[one.layer][..., one.head, :])
                with hook_model(anatomy, at(anatomy, {one: change})):
                    metric(loaded, batch, pairs)

    for _ in over(loaded, [one.clean for one in pairs], work):
        pass


def replacing(values: torch.Tensor) -> Change:
    """What puts these values in the place of others."""
    return lambda _: values


def shown(value: tuple[float, float, float] | None) -> str:
    """A figure with its bounds."""
    return "-" if value is None else f"{value[0]:.3f} ({value[1]:.3f} to {value[2]:.3f})"


if __name__ == "__main__":
    sys.exit(main())
