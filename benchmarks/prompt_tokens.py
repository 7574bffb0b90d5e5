"""How many characters of a prompt make a token, by suite: what `fairlint bench --dry-run` estimates by.

    python benchmarks/prompt_tokens.py [--model NAME]

Counts the prompts of each suite (a hundred of the longer ones) with the tokenizer of a model on this machine,
its chat template included.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fairlint.backends.cost import CHARACTERS, counter
from fairlint.backends.names import resolve
from fairlint.bench.suites import suite_names, suite_of
from fairlint.bench.suites.suite import Selection

PROMPTS = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report; 1 where the model has no tokenizer here."""
    parser = argparse.ArgumentParser(description="Characters a token in the prompts of each suite.")
    parser.add_argument("--model", default="", help="as fairlint bench takes it (default: the small one)")
    found = resolve(parser.parse_args(arguments).model)
    count = counter(found.where, chat=None)
    if count is None:
        print(f"{found.name} has no tokenizer on this machine")
        return 1
    for name in suite_names():
        asked = suite_of(name).requests(Selection(samples=1))
        some = asked[:: max(1, len(asked) // PROMPTS)]
        tokens = sum(map(count, some))
        characters = sum(len(message.content) for request in some for message in request.messages)
        print(f"{name:20}{len(some):6} prompts {tokens:8,} tokens {characters / tokens:6.2f} characters each")
    print(f"taken for an estimate: {CHARACTERS:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
