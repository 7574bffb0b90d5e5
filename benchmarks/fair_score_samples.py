"""Shows what the number of answers and of valid ones does to the FairScore of one behaviour.

    python benchmarks/fair_score_samples.py [--subjects N]

A behaviour is what each answer of a model does with the same chances, whatever came before. Its own FairScore
is the formula's of ten answers (test cases: 100) that give on average what it gives. Beside it stand the mean
FairScores over many subjects with 2 to 25 answers each, of which 100 %, 75 % or 50 % are valid: by the
published protocol, where an answer that is not valid is a refusal, by the exact protocol without the
jackknife, and by the exact protocol as it is. Exit status: 0 where the exact FairScore of behaviours that are
always the same is nowhere more than 0.02 from their own, else 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import starmap

from fairlint.bench.figures.metrics import (
    FUNCTION_ANSWERS,
    FUNCTION_SHIFT,
    Answer,
    exact_subject,
    fair_score,
    preference_entropy,
    score_subject,
)
from fairlint.bench.figures.scoring import SEVERAL
from fairlint.bench.judging import published_cases
from fairlint.bench.suites import faircode_testcase
from fairlint.support.records import Record

SAMPLES = (2, 3, 5, 10, 25)
VALID = (1.0, 0.75, 0.5)
NEAR = 0.02
REFUSES = Answer({}, refused=True)
UNCLEAR = Answer({}, refused=False, unclear=True)


def gives(**points: float) -> Answer:
    """An answer with these points."""
    return Answer(points, refused=False)


class Behaviour(Record):
    """What each answer does, with what chance."""

    name: str
    groups: int
    answers: tuple[tuple[float, Answer], ...]
    shift: float = FUNCTION_SHIFT
    scaled_to: int = FUNCTION_ANSWERS

    def own(self) -> float:
        """The FairScore of the mean answer, `scaled_to` times."""
        sums: dict[str, float] = {}
        for chance, answer in self.answers:
            for group, amount in answer.points.items():
                sums[group] = sums.get(group, 0.0) + chance * amount * self.scaled_to
        refused = sum(chance for chance, answer in self.answers if answer.refused)
        unclear = sum(chance for chance, answer in self.answers if answer.unclear)
        entropy = preference_entropy(sums, self.groups, shift=self.shift)
        return fair_score(refused, entropy * (1 - unclear / (1 - refused)) if unclear else entropy)


ALWAYS = (
    Behaviour("women +1, always", 2, ((1, gives(female=1)),)),
    Behaviour("men +2 and women +1, always", 2, ((1, gives(male=2, female=1)),)),
    Behaviour("women −1, always", 2, ((1, gives(female=-1)),)),
    Behaviour("one of four +1, always", 4, ((1, gives(black=1)),)),
    Behaviour("refuses, always", 2, ((1, REFUSES),)),
    Behaviour("decides without points, always", 2, ((1, UNCLEAR),)),
    Behaviour("test cases: a man, always", 2, ((1, gives(male=1)),), published_cases.SHIFT,
              faircode_testcase.ANSWERS),
)  # fmt: skip
BY_CHANCE = (
    Behaviour("women +1 or men +1, half each", 2, ((0.5, gives(female=1)), (0.5, gives(male=1)))),
    Behaviour("women +1 in 7 of 10, else men", 2, ((0.7, gives(female=1)), (0.3, gives(male=1)))),
    Behaviour("women +1 in 9 of 10, else men", 2, ((0.9, gives(female=1)), (0.1, gives(male=1)))),
    Behaviour("women +1 in half, else refuses", 2, ((0.5, gives(female=1)), (0.5, REFUSES))),
    Behaviour("women +1 in 1 of 5, else refuses", 2, ((0.2, gives(female=1)), (0.8, REFUSES))),
    Behaviour("women .3, men .2, else refuses", 2,
              ((0.3, gives(female=1)), (0.2, gives(male=1)), (0.5, REFUSES))),
    Behaviour("one of four, all as often", 4, tuple((0.25, gives(**{name: 1})) for name in "abcd")),
    Behaviour("women .4, unclear .2, else refuses", 2,
              ((0.4, gives(female=1)), (0.2, UNCLEAR), (0.4, REFUSES))),
    Behaviour("test cases: men 7 of 10", 2, ((0.7, gives(male=1)), (0.3, gives(female=1))),
              published_cases.SHIFT, faircode_testcase.ANSWERS),
)  # fmt: skip


def measured(
    known: Behaviour, samples: int, valid: float, subjects: int, seed: str
) -> tuple[float, float, float]:
    """The mean FairScores over subjects: as published, exact without the jackknife, and exact."""
    drawn = random.Random(seed)
    chances, answers = zip(*known.answers, strict=True)
    published: list[float] = []
    plain: dict[bool, list[float]] = {True: [], False: []}
    exact: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(subjects):
        given: list[Answer | None] = [
            one if drawn.random() < valid else None for one in drawn.choices(answers, chances, k=samples)
        ]
        points = [one.points if one else {} for one in given]
        published.append(score_subject(points, known.groups, shift=known.shift).fair_score)
        whole = [one for one in given if one]
        if whole:
            found = exact_subject(whole, known.groups, shift=known.shift, scaled_to=known.scaled_to)
            plain[len(whole) >= SEVERAL].append(found.score.fair_score)
            exact[len(whole) >= SEVERAL].append(found.estimate.fair_score)
    return mean(published), mean(plain[True] or plain[False]), mean(exact[True] or exact[False])


def mean(values: Sequence[float]) -> float:
    """The mean."""
    return sum(values) / len(values)


def rows(behaviours: Sequence[Behaviour], subjects: int) -> Iterator[tuple[str, float]]:
    """The lines of a table, each with how far the exact protocol gets from the behaviour's own FairScore."""
    for known in behaviours:
        own = known.own()
        for valid in VALID:
            found = [measured(known, count, valid, subjects, f"{known.name} {count}") for count in SAMPLES]
            cells = " | ".join(starmap("{:.2f} / {:.2f} / {:.2f}".format, found))
            yield (
                f"| {known.name} | {own:.2f} | {valid:.0%} | {cells} |",
                max(abs(exact - own) for _, _, exact in found),
            )


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=1_000)
    subjects = parser.parse_args().subjects
    farthest = {}
    for title, behaviours in (("always the same", ALWAYS), ("by chance", BY_CHANCE)):
        print(f"\n{title}: published / exact without the jackknife / exact\n")
        print(f"| behaviour | its own | valid | {' | '.join(f'{count} answers' for count in SAMPLES)} |")
        print(f"|---|---|---|{'---|' * len(SAMPLES)}")
        found = []
        for line, away in rows(behaviours, subjects):
            print(line, flush=True)
            found.append(away)
        farthest[title] = max(found)
    for title, away in farthest.items():
        print(f"\n{title}: the exact FairScore is at most {away:.3f} from the behaviour's own")
    return int(farthest["always the same"] > NEAR)


if __name__ == "__main__":
    sys.exit(main())
