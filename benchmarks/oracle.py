"""Small programs of a grammar: what fairlint says of them against what their execution shows.

    python benchmarks/oracle.py --seed 7 --programs 1000 [--language both] [--cores 2] [--show 3] [--minimise]

Each program decides about a person by one protected attribute, or only looks as if it did. It is run, in a
sandbox, on people who differ in that attribute alone, and read by fairlint, which never runs it. Where the
outcome differs it has to be told with that attribute; where it never does, nothing may be told. Amounts,
directions and values that are told have to be those that were measured; none told is counted by itself.
Program number N of a seed is always the same. What does not compile, does not end, or ends otherwise than its
own text says is counted, named and left out. `--show K` prints K disagreements of each kind, `--minimise` the
same with the parts of the grammar left out that they do not need.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import oracle_c
import oracle_python
from oracle_grammar import FIXED, InvalidError, Program, Spec, draw, simpler
from oracle_judging import KINDS, Verdict, check, judged
from oracle_running import run_c, run_python

LANGUAGES = {
    "python": (oracle_python.PARTS, oracle_python.render, run_python),
    "c": (oracle_c.PARTS, oracle_c.render, run_c),
}
BATCH = 50
"""Programs that are run in one process."""
DRAWS = 1_000
"""How often choices are tried for an attribute and an outcome, and these after one another."""


@dataclass(frozen=True)
class Judged:
    """A program and how the two sides go together; `left_out` says why it says nothing."""

    program: Program
    verdict: Verdict
    left_out: str = ""


def program_of(language: str, seed: int, number: int) -> Program:
    """Program number N of a seed."""
    parts, render, _ = LANGUAGES[language]
    chance = random.Random(f"{language} {seed} {number}")
    for _ in range(DRAWS):
        fixed = {part: chance.choice(parts[part]) for part in FIXED}
        for _ in range(DRAWS):
            choices = draw(chance, parts, fixed)
            try:
                return render(Spec(language, chance.randrange(10**6), choices))
            except InvalidError:
                continue
    raise RuntimeError("no choices go together")


def judge_all(programs: Sequence[Program]) -> list[Judged]:
    """Runs and reads programs of one language."""
    if not programs:
        return []
    _, _, run = LANGUAGES[programs[0].spec.language]
    found = []
    for program, measured in zip(programs, run(programs), strict=True):
        if isinstance(measured, str):
            found.append(Judged(program, Verdict("", (), ""), measured))
        else:
            found.append(Judged(program, judged(program, measured, check(program))))
    return found


def _batch(asked: tuple[str, int, range]) -> list[Judged]:
    language, seed, numbers = asked
    return judge_all([program_of(language, seed, number) for number in numbers])


def judge_many(languages: Sequence[str], seed: int, count: int, cores: int = 1) -> list[Judged]:
    """So many programs of each language, in their order."""
    batches = [
        (language, seed, range(start, min(start + BATCH, count)))
        for language in languages
        for start in range(0, count, BATCH)
    ]
    if cores == 1:
        return [one for batch in batches for one in _batch(batch)]
    with ProcessPoolExecutor(cores) as processes:
        return [one for batch in processes.map(_batch, batches) for one in batch]


def minimised(found: Judged) -> Judged:
    """The same disagreement with as many parts as simple as they can be."""
    parts, render, _ = LANGUAGES[found.program.spec.language]
    smallest, goes_on = found, True
    while goes_on:
        goes_on = False
        made = list(_rendered(render, simpler(smallest.program.spec, parts)))
        for one in judge_all(made):
            if not one.left_out and one.verdict.kind == found.verdict.kind:
                smallest, goes_on = one, True
                break
    return smallest


def _rendered(render: object, specs: Iterable[Spec]) -> Iterator[Program]:
    for spec in specs:
        try:
            yield render(spec)  # type: ignore[operator]
        except InvalidError:
            continue


# ------------------------------------------------------------------------------------------------ tables


def counted(found: Sequence[Judged]) -> Counter[str]:
    """Programs by how they disagree."""
    return Counter(one.verdict.kind or "agree" for one in found if not one.left_out)


def summary(found: Sequence[Judged]) -> Iterator[str]:
    """The table by kind of disagreement, and what was left out."""
    for language in LANGUAGES:
        mine = [one for one in found if one.program.spec.language == language]
        if not mine:
            continue
        kinds = counted(mine)
        total = sum(kinds.values())
        yield f"{language}: {total} programs"
        for kind in ("agree", *KINDS):
            yield f"  {kind:16} {kinds[kind]:6}  {kinds[kind] / max(total, 1):7.2%}"
        reasons = Counter(one.left_out.split(":")[0] for one in mine if one.left_out)
        yield f"  {'left out':16} {sum(reasons.values()):6}"
        for one in [one for one in mine if one.left_out][:10]:
            yield f"    {one.left_out[:90]}: {one.program.spec}"


def by_part(found: Sequence[Judged], most: int = 12) -> Iterator[str]:
    """The options of the grammar whose programs disagree most often, and how often others do."""
    for kind in KINDS:
        all_of: Counter[tuple[str, str, str]] = Counter()
        wrong: Counter[tuple[str, str, str]] = Counter()
        for one in found:
            if not one.left_out:
                chosen = [(one.program.spec.language, *choice) for choice in one.program.spec.choices]
                all_of.update(chosen)
                if one.verdict.kind == kind:
                    wrong.update(chosen)
        share = sum(one.verdict.kind == kind for one in found) / max(1, len(found))
        shares = {choice: wrong[choice] / all_of[choice] for choice in wrong}
        over = sorted(
            (one for one in shares if shares[one] > 1.5 * share), key=lambda one: (-shares[one], one)
        )
        if over:
            yield f"{kind}: {share:.2%} of all, and of these parts of the grammar"
        for language, part, option in over[:most]:
            choice = (language, part, option)
            yield (
                f"  {language} {part + '=' + (option or 'none'):28} {wrong[choice]:5} of {all_of[choice]:5}"
                f"  {shares[choice]:7.2%}"
            )


def shown(found: Sequence[Judged], most: int, kinds: Sequence[str], *, small: bool) -> Iterator[str]:
    """Disagreements of each kind, with their programs; of those made small, one for what it needs."""
    for kind in kinds:
        causes: Counter[tuple[str, ...]] = Counter()
        for one in [one for one in found if one.verdict.kind == kind]:
            if len(causes) >= most:
                break
            told = minimised(one) if small else one
            cause = needed(told.program.spec) if small else (str(len(causes)),)
            causes[cause] += 1
            if causes[cause] == 1:
                yield f"---- {kind}: {told.program.spec} seed={told.program.spec.seed}"
                yield told.program.text
                yield f"measured: {told.verdict.measured}"
                yield from (f"fairlint: {each}" for each in told.verdict.told or ("nothing",))
                yield ""
        if small:
            yield from (f"{kind}: {times} × {' '.join(cause)}" for cause, times in causes.most_common())


def needed(spec: Spec) -> tuple[str, ...]:
    """The parts that are not as simple as they can be."""
    parts = LANGUAGES[spec.language][0]
    return tuple(f"{part}={option}" for part, option in spec.choices if option != parts[part][0])


def shares(found: Sequence[Judged]) -> Mapping[str, float]:
    """Kind of disagreement → its share of the programs that say something."""
    kinds = counted(found)
    return {kind: kinds[kind] / max(1, sum(kinds.values())) for kind in KINDS}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--programs", type=int, default=300, help="of each language")
    parser.add_argument("--language", choices=(*LANGUAGES, "both"), default="both")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="K", help="disagreements of each kind")
    parser.add_argument("--kind", action="append", choices=KINDS, help="show these only")
    parser.add_argument("--minimise", action="store_true", help="make those that are shown small")
    told = parser.parse_args(arguments)
    languages = list(LANGUAGES) if told.language == "both" else [told.language]
    found = judge_many(languages, told.seed, told.programs, told.cores)
    asked = told.kind or KINDS
    for line in (*shown(found, told.show, asked, small=told.minimise), *summary(found), *by_part(found)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
