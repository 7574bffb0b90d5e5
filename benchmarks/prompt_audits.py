"""Audits of simulated models whose effect is known: how often one is called biased, and how often missed.

    python benchmarks/prompt_audits.py [--audits 1000] [--kinds none,group,...]

Each simulated model answers yes or no to 40 cases. A case has its own chance of a yes, such that two answers
to the same prompt differ in 14 of 100 cases. What a kind adds to this:

| kind | what the answer depends on, beside the case |
|---|---|
| none | nothing; five attributes are tested, with refusals |
| length | the length of the text |
| order | the place among the questions of a case |
| group | the group, by the least effect announced before |
| one name | one of eight first names |
| refusals | nothing, but one group is refused more often |
| unchanged | the group, as much with a mitigation as without |
| removed | the group by the least difference announced, but with the mitigation nothing |
| doubled | the group by half as much without the mitigation as with it |

Of these three, *biased* says how often a difference is called that is none, *found* how often one is.

Of kinds with *scored*, each answer is the probability of a yes, as with `--logprobs`. It varies with the case
and with each text, on the logit scale, and so does the probability of other answers:

| kind | what the probability depends on, beside case and text |
|---|---|
| scored none | nothing; five attributes are tested |
| scored length, scored order | the length of the text, the place among the questions of a case |
| scored 2, scored 5, scored 10, scored 20 | the group, by so many points |
| drawn 2, drawn 5, drawn 10, drawn 20 | the same; but one answer is drawn from each probability |

`--peers` has other packages judge answers of the same models, 60 audits each, in an environment that is made
for them and removed: `python benchmarks/prompt_audits.py --peers`.

Exit status: 0 if at most 5 % of audits without an effect are called biased, at least 78 % of the announced
effects are found, and none has the wrong direction.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fairlint.counterfactual.prompts.effects import Effect, measured_effects, measured_family
from fairlint.counterfactual.prompts.observations import Arm, Observation
from fairlint.counterfactual.prompts.power import least_effect_before
from fairlint.counterfactual.prompts.probabilities import GRAIN

CASES, NAMES, FLIPS = 40, 8, 0.14
MOST_FALSE, LEAST_FOUND = 0.05, 0.78
FIVE = {
    "gender": ("female", "male"),
    "race": ("asian", "black", "hispanic", "white"),
    "age": ("old", "young"),
    "religion": ("christian", "muslim", "jewish"),
    "disability": ("yes", "no"),
}


@dataclass(frozen=True)
class Asked:
    """A question to a simulated model: who it shows, how long it is, and which question of its case it is."""

    group: str
    name: str
    length: int
    place: int


KINDS = (
    *("none", "length", "order", "group", "one name", "refusals"),
    *("unchanged", "removed", "doubled"),
    *("scored none", "scored length", "scored order"),
    *(f"{how} {size}" for size in (2, 5, 10, 20) for how in ("scored", "drawn")),
)
Model = Callable[[Asked], tuple[float, float]]
"""What is added to the chance of a yes, and the chance of a refusal."""


def observations(
    model: Model,
    draw: random.Random,
    attributes: dict[str, tuple[str, ...]],
    chances: tuple[float, ...],
    *,
    channel: str,
    draws: int,
    mitigation: str = "",
) -> Iterator[Observation]:
    """Yield the answers to one audit: in each case all groups and a rewrite as long as each."""
    for case in range(CASES):
        chance = draw.choice(chances)
        for attribute, groups in attributes.items():
            cells = [
                (arm, group, name, 100 + 7 * at + name)
                for at, group in enumerate(groups)
                for name in draw.sample(range(NAMES), draws)
                for arm in ("group", "rewrite")
            ]
            draw.shuffle(cells)
            count: dict[tuple[str, str], int] = {}
            for place, (arm, group, name, length) in enumerate(cells):
                number = count[arm, group] = count.get((arm, group), -1) + 1
                shown = group if arm == "group" else groups[0]
                added, refused = model(Asked(shown, f"{shown}{name}", length, place))
                is_refused = draw.random() < refused
                yes = draw.random() < min(1.0, max(0.0, chance + added))
                yield Observation(
                    str(case),
                    channel,
                    ((attribute, group),),
                    arm,  # type: ignore[arg-type]
                    number,
                    "refused" if is_refused else "read",
                    None if is_refused else Fraction(yes),
                    f"{group}{name}" if channel == "name" else "",
                    mitigation,
                )


CASE_SPREAD, TEXT_SPREAD = 1.5, 0.5
"""Standard deviations of the logit of a yes between cases, and between texts about the same case."""
ARMS: tuple[Arm, ...] = ("group", "rewrite")
OUTSIDE = -3.0
"""Logit of the probability of other answers."""


def sigmoid(logit: float) -> float:
    """Return the probability that a logit stands for."""
    return 1 / (1 + math.exp(-logit))


def logit_shift(points: float) -> float:
    """Return the shift of all logits that changes the mean probability of a yes by so many points."""
    draw = random.Random(0)
    logits = [draw.gauss(0, math.hypot(CASE_SPREAD, TEXT_SPREAD)) for _ in range(20_000)]
    before = sum(map(sigmoid, logits))
    low, high = 0.0, 5.0
    for _ in range(30):
        middle = (low + high) / 2
        gained = (sum(sigmoid(one + middle) for one in logits) - before) / len(logits)
        low, high = (middle, high) if gained < points / 100 else (low, middle)
    return low


def scored_observations(
    shift: Callable[[Asked], float],
    draw: random.Random,
    attributes: dict[str, tuple[str, ...]],
    *,
    is_drawn: bool = False,
) -> Iterator[Observation]:
    """Yield the same as `observations` of probabilities, or of one answer that is drawn from each."""
    for case in range(CASES):
        usual = draw.gauss(0, CASE_SPREAD)
        for attribute, groups in attributes.items():
            cells = [(arm, group, 100 + 7 * at) for at, group in enumerate(groups) for arm in ARMS]
            draw.shuffle(cells)
            for place, (arm, group, length) in enumerate(cells):
                shown = group if arm == "group" else groups[0]
                asked = Asked(shown, shown, length, place)
                yes = sigmoid(usual + draw.gauss(0, TEXT_SPREAD) + shift(asked))
                outside = sigmoid(OUTSIDE + draw.gauss(0, TEXT_SPREAD))
                told: dict[str, Any] = {"value": Fraction(draw.random() < yes)}
                if not is_drawn:
                    told = {
                        "value": Fraction(round(yes * GRAIN), GRAIN),
                        "likeliest": Fraction(yes > 0.5),
                        "outside": Fraction(round(outside * GRAIN), GRAIN),
                    }
                yield Observation(str(case), "explicit", ((attribute, group),), arm, 0, "read", **told)


def scored_audit(kind: str, seed: int) -> tuple[bool, bool, bool]:
    """Return the same as `audit` of probabilities, or of answers that are drawn from them."""
    how, what = kind.split()
    draw = random.Random(seed)
    if what == "none":
        answers = list(scored_observations(lambda _: 0.0, draw, FIVE))
    else:
        by = SHIFTS[what] if what in SHIFTS else lambda asked: GROUP_SHIFTS[what] * (asked.group == "male")
        answers = list(scored_observations(by, draw, {"gender": FIVE["gender"]}, is_drawn=how == "drawn"))
    effects = measured_effects(answers, seed=seed, step=1.0 if how == "drawn" else 0.0)
    if what in GROUP_SHIFTS:
        biased = decided(effects, "biased")
        right = [one for one in biased if (one.mean or 0) > 0]
        return bool(biased), bool(right), len(right) < len(biased)
    return any(one.verdict in {"biased", "one name"} for one in effects), False, False


SHIFTS: dict[str, Callable[[Asked], float]] = {
    "length": lambda asked: -0.5 * (asked.length - 100) / 7,
    "order": lambda asked: -0.8 * (asked.place > 1),
}
"""What shifts the logit of a yes where groups do not."""
GROUP_SHIFTS = {str(size): logit_shift(size) for size in (2, 5, 10, 20)}
"""Points → the shift of the logit of one group."""


def decided(effects: list[Effect], verdict: str, outcome: str = "decision") -> list[Effect]:
    """Return the effects of an outcome with a verdict."""
    return [one for one in effects if one.verdict == verdict and one.contrast.outcome == outcome]


WITH_IT = {"unchanged": 1.0, "removed": 0.0, "doubled": 2.0}
"""Kind → how large the effect is with a mitigation, in times of that without."""


def mitigated_audit(kind: str, seed: int, size: float) -> tuple[bool, bool, bool]:
    """Return whether an audit called a difference that is none, found one that is, and had it backwards."""
    draw = random.Random(seed)
    low = (1 - (1 - 2 * FLIPS) ** 0.5) / 2
    if kind == "removed":  # what is announced of a difference, with nine tests in the family
        size = least_effect_before(CASES, 1, 9, flips=2 * FLIPS) or 1.0
    before = size / max(1.0, WITH_IT[kind])
    answers: list[Observation] = []
    for mitigation, factor in (("", 1.0), ("redaction", WITH_IT[kind])):
        added = before * factor

        def model(asked: Asked, added: float = added) -> tuple[float, float]:
            return added * (asked.group == "male"), 0.0

        answers += observations(
            model,
            draw,
            {"gender": FIVE["gender"]},
            (low,),
            channel="explicit",
            draws=1,
            mitigation=mitigation,
        )
    (change,) = [
        one for one in measured_family(answers, seed=seed).changes if one.contrast.outcome == "decision"
    ]
    wanted = {"unchanged": "", "removed": "smaller", "doubled": "larger"}[kind]
    called = change.verdict in {"smaller", "larger"}
    return (
        called and not wanted,
        change.verdict == wanted,
        called and bool(wanted) and change.verdict != wanted,
    )


def audit(kind: str, seed: int, size: float) -> tuple[bool, bool, bool]:
    """Return whether an audit called anything biased, found what is there, and had it backwards."""
    if kind.startswith(("scored", "drawn")):
        return scored_audit(kind, seed)
    if kind in WITH_IT:
        return mitigated_audit(kind, seed, size)
    draw = random.Random(seed)
    models: dict[str, Model] = {
        "none": lambda _: (0.0, 0.02),
        "length": lambda asked: (-0.03 * (asked.length - 100) / 7, 0.0),
        "order": lambda asked: (-0.15 * (asked.place > 1), 0.0),
        "group": lambda asked: (size * (asked.group == "male"), 0.0),
        "one name": lambda asked: (0.9 * (asked.name == "male3"), 0.0),
        "refusals": lambda asked: (0.0, 0.35 * (asked.group == "male")),
    }
    attributes = FIVE if kind == "none" else {"gender": FIVE["gender"]}
    channel, draws = ("name", 8) if kind == "one name" else ("explicit", 1)
    low = (1 - (1 - 2 * FLIPS) ** 0.5) / 2
    chances = (low,) if kind == "group" else (low, 1 - low)  # an effect is not cut off at 1
    answers = list(observations(models[kind], draw, attributes, chances, channel=channel, draws=draws))
    effects = measured_effects(answers, seed=seed)
    biased = decided(effects, "biased")
    if kind == "group":
        right = [one for one in biased if (one.mean or 0) > 0]
        return bool(biased), bool(right), len(right) < len(biased)
    if kind == "one name":
        named = decided(effects, "one name")
        return bool(biased), any(one.carried_by == "male3" for one in named), False
    if kind == "refusals":
        return bool(biased), bool(decided(effects, "biased", "refused")), False
    return any(one.verdict in {"biased", "one name"} for one in effects), False, False


# ---------------------------------------------------------------------------------------------------- peers

PEERS = ("demoparity==0.2.0", "fairtrace==0.1.0")
PEER_AUDITS = 60


def peer_models(size: float) -> dict[str, Model]:
    """Return the models that packages are compared on, by what their answers depend on."""
    return {
        "nothing": lambda _: (0.0, 0.0),
        "the length of the text": lambda asked: (-0.3 * (asked.length - 100) / 7, 0.0),
        f"the group, by {100 * size:.1f} points": lambda asked: (size * (asked.group == "male"), 0.0),
        "the group, by 20 points": lambda asked: (0.2 * (asked.group == "male"), 0.0),
    }


def peer_answers(seed: int, kind: str, model: Model) -> list[Observation]:
    """Return two answers to each sex and each rewrite of 40 cases."""
    low = (1 - (1 - 2 * FLIPS) ** 0.5) / 2
    chances = (low,) if kind.startswith("the group") else (low, 1 - low)
    draw = random.Random(seed)
    return list(observations(model, draw, {"gender": FIVE["gender"]}, chances, channel="explicit", draws=2))


def peer_cases(answers: list[Observation]) -> list[dict[str, list[str]]]:
    """Return the same as `prompt_audit_peers.py` takes them: without rewrites, so as many answers in all."""
    cases: list[dict[str, list[str]]] = [{"female": [], "male": []} for _ in range(CASES)]
    for one in answers:
        if one.arm == "group":
            cases[int(one.case)][one.groups[0][1]].append("yes" if one.value else "no")
    return cases


def compare_peers(size: float) -> int:
    """Print how often each package says that there is an effect, where there is none and where there is."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        installed = subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=False)
        if installed.returncode:
            print(f"not installed: {', '.join(PEERS)}")
            return 1
        for kind, model in peer_models(size).items():
            audits = [peer_answers(seed, kind, model) for seed in range(PEER_AUDITS)]
            effects = [measured_effects([one for one in some if one.draw == 0]) for some in audits]
            said = [{"fairlint: biased": bool(decided(some, "biased"))} for some in effects]
            told = subprocess.run(
                [python, Path(__file__).with_name("prompt_audit_peers.py")],
                input=json.dumps([peer_cases(some) for some in audits]),
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            for own, other in zip(said, json.loads(told.stdout), strict=True):
                own.update(other)
            print(f"answers depend on {kind}: {PEER_AUDITS} audits of {4 * CASES} answers", flush=True)
            for name in said[0]:
                print(f"  {name:36} {sum(one[name] for one in said):2}")
    return 0


def main() -> int:
    """Print the figures, a kind a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--audits", type=int, default=1000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    failed = False
    size = least_effect_before(CASES, 1, 3, flips=FLIPS) or 1.0
    if options.peers:
        return compare_peers(size)
    print(f"{CASES} cases, announced: {100 * size:.1f} points")
    for kind in options.kinds.split(","):
        found = [audit(kind, seed, size) for seed in range(options.audits)]
        biased, right, wrong = (sum(column) / len(found) for column in zip(*found, strict=True))
        print(
            f"{kind:13} biased {100 * biased:5.1f} %, found {100 * right:5.1f} %, wrong {100 * wrong:.1f} %",
            flush=True,
        )
        if kind.removeprefix("scored ") in {"none", "length", "order", "unchanged"}:
            failed |= biased > MOST_FALSE
        elif kind in {"group", "removed"}:
            failed |= right < LEAST_FOUND or wrong > 0
        elif kind.startswith("scored"):  # of 2 points, some are taken for the opposite, as chance has it
            failed |= wrong > (MOST_FALSE / 2 if kind == "scored 2" else 0)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
