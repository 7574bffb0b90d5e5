"""How long 100 programs on three data sets take, and how much faster that is than one call for each change.

    python benchmarks/counterfactual_speed.py [--programs 100] [--plain 3] [--answers FILE...]

Programs are made by a small grammar over each data set's own columns and values, as language models write
them: comparisons, scores, tables; some format, sort or compute with columns, so that nothing short of the
values themselves tells them apart. With `--answers`, up to half of them are models' answers out of these
files that decide on the data set's columns. Both ways run in one process, one after the other, through the
same executor.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from plain_counterfactuals import plain

import fairlint
from fairlint.counterfactual.calling import Calling, calls
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.measured import Measured
from fairlint.counterfactual.measuring import measure
from fairlint.counterfactual.population import Column, Population

DATA = ("adult", "german", "compas")
PAPER = {
    "adult": ("age", "sex", "race", "native_country", "marital_status"),
    "german": ("age", "sex"),
    "compas": ("age", "sex", "race"),
}
"""The protected attributes of arXiv 2606.00049; the country is its region."""


def condition(column: Column, chance: random.Random, read: str) -> str:
    """A question about one column, as a model would write it."""
    values = list(column.values)
    one = chance.choice(values)
    if isinstance(one, int | float) and not isinstance(one, bool):
        return f"{read} {chance.choice(['<', '>=', '>', '<='])} {one}"
    few = chance.sample(values, min(len(values), chance.randint(1, 3)))
    return chance.choice(
        [
            f"{read} == {one!r}",
            f"{read} != {one!r}",
            f"{read} in {few!r}",
            f"{read}.lower() == {str(one).lower()!r}",
        ]
    )


OPAQUE = (
    "score += len(str({read})) % 3",
    "label = 'a {{}}'.format({read})\n    score += label > 'a k'",
    "score += sorted([str({read}), 'm'])[0] == 'm'",
)


def program(columns: Sequence[Column], chance: random.Random) -> str:
    """A function that decides about one person."""
    style = chance.choice(["person['{}']", "person.get('{}')"])
    lines = ["def decide(person):", "    score = 0"]
    chosen = chance.sample(list(columns), min(len(columns), chance.randint(3, 7)))
    for column in chosen:
        read = style.format(column.name)
        match chance.randrange(5):
            case 0:
                lines += [
                    f"    if {condition(column, chance, read)}:",
                    f"        score += {chance.randint(1, 3)}",
                ]
                lines += [
                    f"    elif {condition(column, chance, read)}:",
                    f"        score -= {chance.randint(1, 2)}",
                ]
            case 1:
                table = {value: chance.randint(0, 3) for value in column.values[:6]}
                lines.append(f"    score += {table!r}.get({read}, 0)")
            case 2:
                other = chance.choice(chosen)
                second = condition(other, chance, style.format(other.name))
                lines += [f"    if {condition(column, chance, read)} and {second}:", "        score += 2"]
            case 3 if chance.random() < 0.3:
                lines.append("    " + chance.choice(OPAQUE).format(read=read))
            case _:
                lines += [f"    if {condition(column, chance, read)}:", "        score += 1"]
    lines.append(chance.choice(["    return score >= 2", "    return 1 if score > 1 else 0"]))
    return "\n".join(lines) + "\n"


def answers(paths: Sequence[str]) -> Iterator[str]:
    """The code in models' answers."""
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            told = json.loads(line)
            source = fairlint.read_response(told.get("text") or told.get("code") or "")
            if source.language == "python":
                yield source.data.decode("utf-8")


def callings(population: Population, count: int, given: Sequence[str], seed: int) -> list[Calling]:
    """So many programs that can be called with the population's columns."""
    chance = random.Random(seed)
    found: list[Calling] = []
    for source in chance.sample(list(given), len(given)):
        if len(found) < count // 2:
            try:
                known = calls(source, population.columns)
            except fairlint.UsageError:
                continue
            if not known.unknown:
                found.append(known)
    while len(found) < count:
        found.append(calls(program(population.columns, chance), population.columns))
    return found


def main() -> None:
    """Prints a line for each data set, then the total and the ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument(
        "--plain", type=int, default=3, help="programs of each data set that are also tried one by one"
    )
    parser.add_argument("--answers", nargs="*", default=[])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    given = list(answers(told.answers))
    total = 0.0
    fast = slow = 0.0
    with MontyExecutor(told.workers) as executor, ThreadPoolExecutor(told.workers) as threads:
        for name in DATA:
            population = load(name)
            programs = callings(population, told.programs, given, told.seed)

            def one(calling: Calling, population: Population = population, name: str = name) -> Measured:
                return measure(
                    calling.program, population, executor, columns=calling.columns, attributes=PAPER[name]
                )

            start = time.perf_counter()
            found = list(threads.map(one, programs))
            took = time.perf_counter() - start
            total += took
            made, would = sum(each.calls for each in found), sum(each.plain_calls for each in found)
            runs = sum(each.executable for each in found)
            print(
                f"{name}: {len(found)} programs, {runs} executable, {population.people} people: {took:.1f} s"
            )
            print(f"    {made:,} calls instead of {would:,}", flush=True)
            # every n-th program, so that those that are slow have their share
            names = tuple(column.name for column in population.columns)
            pairs = zip(programs, found, strict=True)
            some = [calling for calling, each in pairs if each.executable and calling.columns == names]
            for calling in some[:: max(len(some) // max(told.plain, 1), 1)][: told.plain]:
                start = time.perf_counter()
                quick = one(calling)
                fast += time.perf_counter() - start
                start = time.perf_counter()
                expected, _ = plain(calling.program, population, executor, PAPER[name])
                slow += time.perf_counter() - start
                for column, counted in expected.items():
                    changes = quick.changes(column)
                    assert changes is not None
                    if (changes.compared, changes.changed) != (counted.compared, counted.changed):
                        sys.exit(
                            f"{name}, {column}: {changes.cip} is not {counted.changed}/{counted.compared}"
                        )
    print(
        f"all: {total:.1f} s; one by one takes {slow / fast:.0f} times as long ({slow:.1f} s, {fast:.1f} s)"
    )


if __name__ == "__main__":
    main()
