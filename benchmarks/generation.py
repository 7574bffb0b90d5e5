"""Times how answers are generated, step by step from one call an answer to what `fairlint bench` does.

    python benchmarks/generation.py [--model NAME] [--suite btm] [--limit 3] [--samples 5] [--threads 2]

The first row is the plain way: one call of transformers' text-generation pipeline an answer, in float32,
until the model ends or the token limit is reached. The next rows add one thing each: batches, an early stop
(an answer ends where it is complete), bfloat16. All rows ask the same prompts with the same settings. Last
it is told how many answers are the same at other batch sizes.

On an accelerator, a call an answer takes hours where batches take minutes: `--plain 10` times the first row
on ten answers. Nothing else differs there.

Exit status: 0 where the last row makes 5 times as many answers a minute as the first, 1 where not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import torch
from transformers import pipeline, set_seed

from fairlint.backends.model import ModelOptions
from fairlint.backends.prompting import tokens_of
from fairlint.backends.registry import load
from fairlint.backends.requests import chat, completion, key_of
from fairlint.bench.asking.choice import Choice, requests_of
from fairlint.bench.asking.running import sampling_of
from fairlint.bench.suites import suites
from fairlint.support.records import replace

TARGET = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Time the ways to generate answers.")
    parser.add_argument("--model", default="", help="as fairlint bench takes it (default: the small one)")
    parser.add_argument("--suite", default="btm")
    parser.add_argument("--limit", type=int, help="prompts (default: all)")
    parser.add_argument("--samples", type=int, help="answers a prompt (default: the suite's)")
    parser.add_argument("--max-new-tokens", type=int, help="(default: the suite's)")
    parser.add_argument("--threads", type=int, default=0, help="of torch (default: its own choice)")
    parser.add_argument("--sizes", default="1,4", help="batch sizes to compare answers at (default 1,4)")
    parser.add_argument("--plain", type=int, help="answers that are asked for one by one (default: all)")
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    return measure(options)


def measure(options: argparse.Namespace) -> int:
    """Run all ways one after the other."""
    (suite, *_) = suites(options.suite)
    asked = requests_of(suite, Choice(samples=options.samples, limit=options.limit))
    model: Any = load(options.model, ModelOptions(dtype="float32"))
    sampling = model.sampling(sampling_of(suite, max_new_tokens=options.max_new_tokens))
    to_the_end = replace(sampling, early_stop=False)
    print(
        f"{model.name}, {len(asked)} answers of {suite.name}, at most {sampling.max_new_tokens} tokens, "
        f"temperature {sampling.temperature}, top_p {sampling.top_p}; {machine(options.threads)}"
    )
    print(f"{'':34}{'answers/min':>12}{'tokens/s':>10}{'tokens':>8}{'times':>8}")
    first = report("one pipeline call an answer", *one_by_one(model, asked[: options.plain], sampling))
    texts: dict[str, dict[str, str]] = {}
    steps = [
        ("batches", model, to_the_end),
        ("batches, early stop", model, sampling),
    ]
    last = first
    for name, loaded, drawing in steps:
        texts[name], counted = answers(loaded, suite, asked, drawing)
        last = report(name, *counted, against=first)
    half: Any = load(options.model, ModelOptions(dtype="bfloat16"))
    texts["half"], counted = answers(half, suite, asked, sampling)
    last = report("batches, early stop, bfloat16", *counted, against=first)
    reference = texts["batches, early stop"]
    sizes = [int(size) for size in options.sizes.split(",") if size]
    for dtype, whole in (("float32", reference), ("bfloat16", texts["half"])):
        for size in sizes:
            other: Any = load(options.model, ModelOptions(dtype=dtype, batch_size=size))
            found, _ = answers(other, suite, asked, sampling)
            same = sum(found[key] == text for key, text in whole.items())
            print(f"{dtype}, {size} at a time instead of many: {same} of {len(whole)} answers are the same")
    print(
        f"{last / first:.1f} times as many answers a minute, {TARGET:g} asked: "
        f"{'met' if last >= TARGET * first else 'missed'}"
    )
    return 0 if last >= TARGET * first else 1


def machine(threads: int) -> str:
    """Return what the model runs on."""
    if torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return f"{os.cpu_count()} cores, {threads or 'all'} threads"


def one_by_one(model: Any, asked: Sequence[Any], sampling: Any) -> tuple[int, int, float]:
    """Answers, tokens and seconds of one pipeline call an answer, as notebooks do it."""
    generator: Any = pipeline("text-generation", model=model._model, tokenizer=model._tokenizer)
    tokens = 0
    begin = time.perf_counter()
    for request in asked:
        set_seed(request.seed % 2**32)
        text = chat(request) if model.settings["chat"] else completion(request)
        (written,) = generator(
            text,
            max_new_tokens=sampling.max_new_tokens,
            do_sample=True,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            num_return_sequences=1,
            return_tensors=True,
        )
        prompt = tokens_of(model._tokenizer, request, in_chat=model.settings["chat"])
        tokens += len(written["generated_token_ids"]) - len(prompt)
    return len(asked), tokens, time.perf_counter() - begin


def answers(
    model: Any, suite: Any, asked: Sequence[Any], sampling: Any
) -> tuple[dict[str, str], tuple[int, int, float]]:
    """The texts by their keys; answers, tokens and seconds."""
    begin = time.perf_counter()
    found = [one for batch in model.answer(asked, sampling, suite.finished) for one in batch]
    taken = time.perf_counter() - begin
    texts = {key_of(one.request): one.text for one in found}
    return texts, (len(found), sum(one.new_tokens for one in found), taken)


def report(name: str, count: int, tokens: int, seconds: float, against: float = 0.0) -> float:
    """Print one row; the result is answers a minute."""
    speed = count * 60 / seconds
    print(
        f"{name:34}{speed:12.1f}{tokens / seconds:10.1f}{tokens:8}{speed / (against or speed):8.2f}",
        flush=True,
    )
    return speed


if __name__ == "__main__":
    sys.exit(main())
