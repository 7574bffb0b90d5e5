"""How often the closing sentences of `fairlint model` claim something of pure noise: 5 % at most, each.

    python benchmarks/model_noise.py [--parts locate,probe,ablate] [--seeds 200]

Nothing is there in what is simulated: effects of heads are noise about 0 (Gaussian, with heavy tails, or
shared by heads), layers are noise that knows no label, and figures before and after differ by noise. Each
seed is one run of a command's own figures and closing sentence. No model is loaded.

Exit status: 1 where more sentences claim something than 5 % can give (Clopper and Pearson, 95 %); else 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from fairlint.model_bias import effects, verdicts
from fairlint.model_bias.attribution import Attribution, Effects
from fairlint.model_bias.contrasts import Contrast
from fairlint.model_bias.locate_results import figures
from fairlint.model_bias.locating import Located
from fairlint.model_bias.probing import Example, probe
from fairlint.statistics.intervals import share_bounds

SUBJECTS, LAYERS, HEADS = 24, 30, 9
"""As in `fairlint model locate` of the small model."""
PROBED, WIDTH, PAIRS = 4, 12, 24
"""Layers, numbers of a layer, and pairs of texts: few, as a regression takes long."""
CLUSTERS = 40


def located(shape: str, random: numpy.random.Generator) -> str:
    """The sentence on heads whose effects are noise; each subject's pair is there both ways."""
    subjects = [f"s{place // 2}" for place in range(2 * SUBJECTS)]
    draw = random.standard_normal if shape != "heavy" else lambda size: random.standard_t(3, size)
    noise = draw((SUBJECTS, LAYERS, HEADS)).repeat(2, axis=0)
    if shape == "shared":
        noise = noise + 2 * draw((SUBJECTS, 1, 1)).repeat(2, axis=0)
    noise = noise + draw((2 * SUBJECTS, LAYERS, HEADS))
    mlps, single = numpy.zeros((len(subjects), LAYERS)), numpy.zeros(len(subjects))
    found = Effects(noise, mlps, single)
    contrasts = tuple(
        Contrast(str(place), subject, "a to b", (1,), (2,), 0, (3, 4), (f"{place}", f"{place}'"), ("x", "y"))
        for place, subject in enumerate(subjects)
    )
    guess = Attribution(single, single, found, found)
    told = figures(Located(contrasts, guess, found, {"attribution": 0.0, "exact": 0.0}, 1))
    return verdicts.locate({"data": {"noise": told}})


def probed(kept: str, random: numpy.random.Generator) -> str:
    """The sentence on layers that know nothing of the label; a target has several pairs, or one label."""
    seed = int(random.integers(1 << 30))
    if kept == "one label":
        examples = [Example("", place // 4 % 2, str(place), str(place // 4)) for place in range(2 * PAIRS)]
        target = random.standard_normal((PROBED, len(examples) // 4, WIDTH)).repeat(4, axis=1)
    else:
        examples = [
            Example("", label, str(pair), str(pair // 2)) for pair in range(PAIRS) for label in (0, 1)
        ]
        target = random.standard_normal((PROBED, PAIRS // 2, WIDTH)).repeat(4, axis=1)
    values = target + random.standard_normal(target.shape)
    together: Any = "pair" if kept == "pair" else "target"
    readings = probe(values, examples, kept_together=together, seed=seed)
    return verdicts.probe({"noise": [one.as_json for one in readings]})


def ablated(controls: str, random: numpy.random.Generator) -> str:
    """The sentence on figures before and after that differ by noise."""

    def step(kind: str, seed: int) -> dict[str, Any]:
        found = [one for before in tables for one in effects.effects(before, moved(before), seed=seed)]
        return {"kind": kind, "components": ["1.1"], "effects": [one.as_json for one in found]}

    def moved(before: effects.Table) -> effects.Table:
        return drawn(before.data, before.sums[:, :2] + 0.1 * random.standard_normal((CLUSTERS, 2)))

    def drawn(data: str, values: Any) -> effects.Table:
        names = tuple(map(str, range(CLUSTERS)))
        ones = numpy.ones(CLUSTERS)
        if data in ("winogender", "code"):
            x, y = share, values[:, 1]
            columns: tuple[Any, ...] = (x, y, x * x, y * y, x * y, ones)
        else:
            columns = (values[:, 0], values[:, 1], ones)
        return effects.Table(data, names, numpy.stack(columns, axis=1), CLUSTERS)

    share = random.uniform(0, 100, CLUSTERS)
    tables = [
        drawn("stereoset", random.uniform(0.3, 0.9, (CLUSTERS, 2))),
        drawn("text", random.uniform(20, 30, (CLUSTERS, 2))),
        *(
            drawn(name, random.standard_normal((CLUSTERS, 2)) - share[:, None] / 50)
            for name in ("winogender", "code")
        ),
    ]
    steps = [step("list", 0), *(step("control", 0) for _ in range(int(controls)))]
    return verdicts.ablate({"steps": steps})


SILENT = ("no head is shown", "nothing is read off", "Nothing is shown")
PARTS: Mapping[str, tuple[Callable[[str, numpy.random.Generator], str], Sequence[str]]] = {
    "locate": (located, ("gaussian", "heavy", "shared")),
    "probe": (probed, ("pair", "target", "one label")),
    "ablate": (ablated, ("0", "1", "5")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and report."""
    parser = argparse.ArgumentParser(description="Count claims from noise.")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--seeds", type=int, default=200)
    told = parser.parse_args(arguments)
    failed = False
    for name in told.parts.split(","):
        sentence, kinds = PARTS[name]
        for kind in kinds:
            said = [sentence(kind, numpy.random.default_rng(seed)) for seed in range(told.seeds)]
            claims = sum(not any(silent in one for silent in SILENT) for one in said)
            low, high = share_bounds(claims, told.seeds)
            failed |= low > verdicts.ALPHA
            share = f"{100 * claims / told.seeds:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
            print(f"{name}, {kind}: {claims} of {told.seeds} sentences claim something, {share}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
