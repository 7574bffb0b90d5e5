"""Times what one step of a batch costs, by its number of rows: the model, drawing, reading what is written.

    python benchmarks/generation_steps.py [--model NAME] [--rows 1,16,64,128,256,512] [--steps 40]

Times are medians over the steps, in milliseconds on the clock, and an accelerator ends what it was asked for
before each is taken. Prompts are those of the suite `btm`.

Exit status: 0.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import torch

from fairlint.backends import decoding
from fairlint.backends.model import ModelOptions
from fairlint.backends.prompting import tokens_of
from fairlint.backends.registry import load
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.suites import suite_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time the parts of one step of a batch.")
    parser.add_argument("--model", help="as fairlint bench takes it (default: the small one)")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--rows", default="1,16,64,128,256,512")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--top-p", type=float, default=1.0)
    options = parser.parse_args(arguments)
    model: Any = load(options.model, ModelOptions(dtype=options.dtype))
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    print(f"{model.name}, {options.dtype}, {where}, top_p {options.top_p}")
    print(f"{'rows':>6}{'model ms':>10}{'drawing ms':>12}{'reading ms':>12}{'tokens/s':>10}")
    for count in map(int, options.rows.split(",")):
        taken = steps(model, count, options.steps, options.top_p)
        parts = [median(taken[name][2:]) * 1e3 for name in ("go_on", "choose", "read")]
        print(
            f"{count:6}{parts[0]:10.1f}{parts[1]:12.1f}{parts[2]:12.1f}{count / sum(parts) * 1e3:10.0f}",
            flush=True,
        )
    return 0


def steps(model: Any, count: int, limit: int, top_p: float) -> dict[str, list[float]]:
    """Return the seconds of each step, by its parts, of so many rows."""
    asked = requests_of(suite_of("btm"), Choice(samples=-(-count // 3)))[:count]
    in_chat = model.settings["chat"]
    rows = [
        decoding.Row(place, tuple(tokens_of(model._tokenizer, one, in_chat=in_chat)), one.seed, never, [])
        for place, one in enumerate(asked)
    ]
    taken: dict[str, list[float]] = {"go_on": [], "choose": [], "begin": []}
    with (
        timed(decoding, "choose", taken["choose"]),
        timed(decoding.Step, "go_on", taken["go_on"]),
        timed(decoding.Step, "begin", taken["begin"]),
    ):
        begin = time.perf_counter()
        drawing = decoding.Drawing(temperature=0.4, top_p=top_p)
        for _ in decoding.decode(
            model._model, model._tokenizer, rows, drawing, limit=limit, ends=frozenset()
        ):
            pass
        whole = time.perf_counter() - begin
    others = (whole - sum(map(sum, taken.values()))) / limit
    return {**taken, "read": [others] * 3}


def never(_text: str) -> None:
    """No answer is complete."""


@contextmanager
def timed(owner: Any, name: str, taken: list[float]) -> Iterator[None]:
    """Note the seconds of each call of a function of a module or class."""
    original: Callable[..., Any] = getattr(owner, name)

    def measured(*given: Any) -> Any:
        wait()
        begin = time.perf_counter()
        found = original(*given)
        wait()
        taken.append(time.perf_counter() - begin)
        return found

    setattr(owner, name, measured)
    try:
        yield
    finally:
        setattr(owner, name, original)


def wait() -> None:
    """Let an accelerator end what it was asked for."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    sys.exit(main())
