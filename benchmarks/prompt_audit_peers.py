"""Audits of the same answers by demoparity and fairtrace; `prompt_audits.py --peers` runs it where they are.

Reads a JSON list of audits from standard input, each a list of cases, each two answers to both sexes:
`{"female": ["yes", "no"], "male": [...]}`. Writes what each package says of each audit.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import demoparity
import fairtrace.metrics
from fairtrace.dataset import DatasetBuilder
from fairtrace.runner import FairnessSuite

SEXES = ["female", "male"]
LEVEL = 0.05
Cases = list[dict[str, list[str]]]


class Replayed:
    """Answers a prompt of a case with the next of the answers that are given."""

    def __init__(self, cases: Cases) -> None:
        self._left = {
            prompt_of(case, sex): list(answers)
            for case, by_sex in enumerate(cases)
            for sex, answers in by_sex.items()
        }

    def answer(self, prompt: str) -> str:
        """Return the next answer."""
        return self._left[prompt].pop(0)


def prompt_of(case: int, sex: str) -> str:
    """Return the prompt about a case."""
    return f"Case {case}: a {sex} applicant. Invite? Answer yes or no."


def by_demoparity(cases: Cases) -> dict[str, bool]:
    """Return whether its regression names the sex as a significant predictor of how often `yes` is said."""
    scenarios = [demoparity.Scenario(str(case), prompt_of(case, "{gender}")) for case in range(len(cases))]
    design = demoparity.build_design(scenarios, [demoparity.Attribute("gender", SEXES)], repeats=2)
    results = demoparity.run_design(design, Replayed(cases).answer)
    counted = demoparity.annotate(results, {"yes": demoparity.MentionSpec(["yes"])})
    report = demoparity.run_audit(counted, ["yes_mention"], ["gender"])
    return {"demoparity: a significant predictor": not report.significant_predictors["yes_mention"].empty}


def by_fairtrace(cases: Cases) -> dict[str, bool]:
    """Return whether its gap fails at its own threshold, and whether its permutation test would."""
    replayed = Replayed(cases)
    seeds = [
        {"id": f"{case}-{time}", "prompt": prompt_of(case, "{gender}"), "attributes": {"gender": SEXES}}
        for case in range(len(cases))
        for time in range(2)
    ]

    def says_yes(text: str, _: dict[str, Any]) -> bool:
        return text == "yes"

    gap = fairtrace.metrics.HelpfulnessGap(helpfulness_evaluator=says_yes, permutation_samples=999)
    suite = FairnessSuite(DatasetBuilder.from_dicts(seeds), [gap])
    (found,) = suite.run(lambda prompt, _: replayed.answer(prompt)).metric_results
    return {
        "fairtrace: fails": not found.passed,
        "fairtrace: its permutation test": found.p_value < LEVEL,
    }


def main() -> int:
    """Print what is said, as JSON."""
    told = [by_demoparity(cases) | by_fairtrace(cases) for cases in json.load(sys.stdin)]
    json.dump(told, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
