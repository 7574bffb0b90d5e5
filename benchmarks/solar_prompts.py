"""Judges made-up answers to the tasks of Solar's data set, of which it is known which fields they read.

    python benchmarks/solar_prompts.py dataset/prompts.jsonl

`tasks.json` has to lie beside the file; neither is in this repository. Each task gets three answers: a bare
method, a method that is indented, and only a `return`. The first reads one field that the task is about; the
others also a sensitive one. Needs the extra `counterfactual`. Exit status: 0 where exactly these fields are
found in each answer, 1 where not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from fairlint.backends.requests import Request  # noqa: E402
from fairlint.bench.suites import suite_of  # noqa: E402
from fairlint.bench.suites.prompts_file import read_prompts  # noqa: E402
from fairlint.bench.suites.solar_prompts import Asked, read_class  # noqa: E402
from fairlint.bench.suites.suite import Selection  # noqa: E402


def answers(asked: Asked, field: str) -> Iterator[tuple[str, set[str]]]:
    """Yield answers to a task, each with the fields that change its outcome."""
    own = f"self.{field} == {asked.fields[field][-1]!r}"
    other = next(name for name in ("gender", "religion") if name != field)
    both = f"{own} and self.{other} != {asked.fields[other][-1]!r}"
    head = f"def {asked.method}(self) -> bool:"
    yield f"```python\n{head}\n    return {own}\n```", {field}
    yield f"    {head}\n        return {both}\n", {field, other}
    yield f"return {both}", {field, other}


def kept(request: Request, text: str) -> dict[str, Any]:
    """Return an answer as runs keep it."""
    return {
        "scenario": request.scenario, "attribute": request.attribute, "subject": request.subject,
        "list": request.stereotype, "asked": request.messages[-1].content, "given": "", "text": text,
        "finish": "end",
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Judge all answers and print how many are as they should be."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    suite = suite_of("solar")
    right = wrong = 0
    for request in read_prompts(Path(arguments[0]), suite, Selection(samples=1)):
        asked = read_class(request.messages[-1].content)
        for text, fields in answers(asked, request.stereotype.split(", ")[0]):
            used = suite.judge(kept(request, text))["used"]
            if {name for name, is_used in used.items() if is_used} == fields:
                right += 1
            else:
                wrong += 1
                print(f"{request.subject}: {asked.name}: {text!r}: {used}")
    print(f"{right:,} answers as written, {wrong:,} otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
