"""How a group's points and answers travel: through functions that are values, through collections that are
filled, through records, tables of rules and instances of classes.

A line that ends with `# <attribute>` is one over which a finding about that attribute leads; the other lines
hold no finding's place.
"""

from __future__ import annotations

import re
import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding

TOLD: dict[str, str] = {
    "rules are lambdas in a list": """
        RULES = [
            (lambda a: a["age"] > 60, "DENY"),  # age
            (lambda a: a["income"] < 20000, "DENY"),
        ]

        def decide(application):
            for test, outcome in RULES:
                if test(application):
                    return outcome
            return "APPROVE"
        """,
    "rules are functions in a list of the module": """
        def build(policy):
            def by_age(applicant):
                return applicant.age <= policy["max_age"]  # age

            return [by_age]

        CHECKS = build({"max_age": 40})

        def hire(p):
            return all(check(p) for check in CHECKS)
        """,
    "rules are records of a namedtuple": """
        from collections import namedtuple

        Rule = namedtuple("Rule", "field value points")
        RULES = [Rule("gender", "F", -3), Rule("degree", "BSc", 4)]  # gender

        def points(candidate):
            return sum(r.points for r in RULES if getattr(candidate, r.field) == r.value)
        """,
    "rules are records with a function": """
        class Step:
            def __init__(self, name, fn):
                self.name = name
                self.fn = fn

        STEPS = [
            Step("income", lambda a: a.income / 1000),
            Step("pregnancy", lambda a: -30 if a.pregnant else 0),  # pregnancy
        ]

        def hiring_score(applicant):
            return sum(step.fn(applicant) for step in STEPS)
        """,
    "rules are JSON": """
        import json

        RULES = json.loads('[{"field": "sex", "value": "F", "points": -4}]')  # gender

        def hiring_points(c):
            pts = 0
            for r in RULES:
                if c[r["field"]] == r["value"]:
                    pts += r["points"]
            return pts
        """,
    "operators are looked up": """
        import operator

        OPS = {">": operator.gt, "<": operator.lt}
        CRITERIA = [("age", "<", 35), ("experience", ">", 2)]  # age

        def passes(candidate):
            return all(OPS[op](candidate[f], v) for f, op, v in CRITERIA)
        """,
    "functions are folded": """
        from functools import reduce

        STEPS = [
            lambda s, p: s + p["income"] / 1000,
            lambda s, p: s - 15 if p["race"] == "black" else s,  # race
        ]

        def credit_score(p):
            return reduce(lambda acc, f: f(acc, p), STEPS, 0)
        """,
    "functions are prepared": """
        from functools import partial

        def adjust(score, delta=0):
            return score + delta

        ADJUSTERS = {"male": partial(adjust, delta=2), "female": partial(adjust, delta=-2)}

        def final_score(candidate):
            return ADJUSTERS[candidate.gender](candidate.raw_score)  # gender
        """,
    "a function closes over weights": """
        def make_scorer(weights):
            def scorer(person):
                total = 0
                for k, w in weights.items():
                    total += w * person[k]
                return total
            return scorer

        loan_scorer = make_scorer({"income": 0.4, "is_foreign": -0.5})  # national_origin

        def decide(person):
            return "approve" if loan_scorer(person) > 0.6 else "deny"
        """,
    "a class for each group": """
        class MalePolicy:
            discount = 0.0

            def price(self, base):
                return base * (1 - self.discount)

        class FemalePolicy(MalePolicy):
            discount = 0.15

        POLICIES = {"M": MalePolicy, "F": FemalePolicy}

        def quote(customer, base):
            policy = POLICIES[customer.sex]()  # gender
            return policy.price(base)
        """,
    "a strategy for each group": """
        class Strict:
            def cutoff(self):
                return 720

        class Relaxed:
            def cutoff(self):
                return 640

        def strategy_for(borrower):
            if borrower.race == "white":  # race
                return Relaxed()
            return Strict()

        def approve(borrower):
            return borrower.fico >= strategy_for(borrower).cutoff()
        """,
    "a method for each group": """
        class Scorer:
            def score(self, c):
                return getattr(self, "score_" + c.gender, self.score_other)(c)  # gender

            def score_male(self, c):
                return c.test * 1.1

            def score_female(self, c):
                return c.test

            def score_other(self, c):
                return c.test * 0.9
        """,
    "pairs of a comprehension are sorted": """
        def rank(people):
            scored = [(p.gpa + (0.3 if p.gender == "female" else 0), p) for p in people]  # gender
            scored.sort(key=lambda t: t[0], reverse=True)
            return [p for _, p in scored][:20]
        """,
    "a list is filled and sorted by place": """
        def allocate(patients, beds):
            priorities = []
            for p in patients:
                pr = p["severity"]
                if p["age"] > 75:  # age
                    pr -= 5
                priorities.append(pr)
            order = sorted(range(len(patients)), key=lambda i: priorities[i], reverse=True)
            return [patients[i] for i in order[:beds]]
        """,
    "a dict is filled and its best key taken": """
        def pick(suppliers):
            found = {}
            for s in suppliers:
                base = s.quality
                if s.owner_gender == "female":  # gender
                    base -= 7
                found[s.name] = base
            return max(found, key=found.get)
        """,
    "an entry is changed for some": """
        def rescore(students):
            marks = [s.mark for s in students]
            for i, s in enumerate(students):
                if s.disability == "deaf":  # disability
                    marks[i] -= 5
            order = sorted(range(len(marks)), key=marks.__getitem__, reverse=True)
            return [students[i] for i in order[:30]]
        """,
    "a heap": """
        import heapq

        def serve(patients, beds):
            queue = []
            for patient in patients:
                key = patient.severity
                if patient.nationality != "domestic":  # national_origin
                    key += 3
                heapq.heappush(queue, (key, patient.id))
            return [heapq.heappop(queue)[1] for _ in range(beds)]
        """,
    "a loop over the sorted ends early": """
        def choose(queue, free):
            chosen = []
            for family in sorted(queue, key=lambda f: (f.nationality != "DE", f.since)):  # national_origin
                chosen.append(family)
                if len(chosen) == free:
                    break
            return chosen
        """,
    "so many of each group": """
        from collections import defaultdict

        def seats(applicants, total):
            groups = defaultdict(list)
            for a in applicants:
                groups[a.gender].append(a)
            quota = {"male": int(total * 0.7), "female": int(total * 0.3)}
            chosen = []
            for g, members in groups.items():
                members.sort(key=lambda a: a.score, reverse=True)
                chosen += members[: quota[g]]  # gender
            return chosen
        """,
    "those for whom it does not hold": """
        from itertools import filterfalse

        def offer(customers):
            return list(filterfalse(lambda c: c["disabled"], customers))  # disability
        """,
    "tables over tables": """
        from collections import ChainMap

        CUTS = ChainMap({"female": 0.65}, {"male": 0.5, "female": 0.5})

        def accept(student, p):
            return p >= CUTS[student.gender]  # gender
        """,
    "the place of a group in a list": """
        GROUPS = ["male", "female", "other"]
        POINTS = [5, 3, 0]

        def points(applicant):
            return POINTS[GROUPS.index(applicant.gender)]  # gender
        """,
    "the place of an age among limits": """
        import bisect

        AGE_POINTS = [0, 8, 12, 4]

        def age_score(applicant):
            return AGE_POINTS[bisect.bisect([25, 35, 50], applicant.age)]  # age
        """,
    "a dot product": """
        import numpy as np

        COLS = ["income", "debt", "gender_male"]
        W = np.array([0.3, -0.4, 0.2])

        def predict_default(row):
            x = np.array([row[c] for c in COLS])  # gender
            return 1 / (1 + np.exp(-(W @ x)))
        """,
    "a guess is a column": """
        import pandas as pd

        df = pd.read_csv("stops.csv")
        df["hispanic"] = df["last_name"].str.lower().str.endswith(("ez", "do"))  # ethnicity
        df["flag"] = df["plate"].str.endswith("X")
        """,
    "a guess is chosen by a list of names": """
        import numpy as np
        import pandas as pd

        HISPANIC = pd.read_csv("hispanic_surnames.csv")["name"].tolist()
        df = pd.read_csv("voters.csv")
        df["ethnicity"] = np.where(df["surname"].isin(HISPANIC), "hispanic", "other")  # ethnicity
        """,
}

SILENT: dict[str, str] = {
    "labels are gathered": """
        from collections import defaultdict

        def report(people):
            by_gender = defaultdict(list)
            for p in people:
                by_gender[p.gender].append(p.score)
            rows = [(g, sum(v) / len(v)) for g, v in by_gender.items()]
            rows.sort(key=lambda r: r[0])
            labels = []
            for p in people:
                labels.append((p.name, "Herr" if p.gender == "m" else "Frau"))
            return rows, labels
        """,
    "the oldest entries of a cache": """
        import heapq

        class Cache:
            def evict(self, n):
                for e in heapq.nsmallest(n, self.items.values(), key=lambda e: e.age):
                    del self.items[e.key]
        """,
    "a voice for each group": """
        class Low:
            pitch = 90

        class High:
            pitch = 190

        VOICES = {"male": Low, "female": High}

        def speak(speaker, text):
            return VOICES[speaker.gender]().pitch, text
        """,
    "letters of a name that guess nobody": """
        import pandas as pd

        df = pd.read_csv("people.csv")
        df["short"] = df["surname"].str[:3]
        df["double"] = df["surname"].str.contains("-")
        """,
    "pages of members by age": """
        def pages(members, size):
            rows = sorted(members, key=lambda m: m.age)
            for member in rows:
                print(member.name, member.age)
        """,
}


def findings(code: str) -> tuple[list[str], list[Finding]]:
    """The lines of a program, and what is found in it."""
    text = textwrap.dedent(code).strip("\n") + "\n"
    bare = re.sub(r"  # \w+$", "", text, flags=re.MULTILINE)
    report = check_source(bare, language="python", settings=Settings(min_severity="note"))
    return text.splitlines(), list(report.findings)


@pytest.mark.parametrize("flow", TOLD)
def test_a_way_is_followed(flow: str) -> None:
    lines, found = findings(TOLD[flow])
    for number, line in enumerate(lines, 1):
        if (mark := re.search(r"  # (\w+)$", line)) is not None:
            ways = [{one.start.line, *(step.start.line for step in one.flow)} for one in found]
            told = [one.use.attribute for one, way in zip(found, ways, strict=True) if number in way]
            assert mark[1] in told, [one.message for one in found]


@pytest.mark.parametrize("flow", SILENT)
def test_look_alikes_are_silent(flow: str) -> None:
    _, found = findings(SILENT[flow])
    assert [one.message for one in found if one.severity != "note"] == []


def test_of_what_is_read_at_one_place_the_first_that_is_named_is_told() -> None:
    groups = ["African-American", "Caucasian", "Hispanic", "Asian", "Native American", "White", "Black"]
    code = f"GROUPS = {groups}\n\ndef shown(frame):\n    return frame.loc[GROUPS]\n"
    flows = [use.flow[0].span.start for _, use in check_source(code).uses if use.attribute == "race"]
    assert set(flows) == {code.index('"African') if '"African' in code else code.index("'African")}


@pytest.mark.parametrize(("other", "told"), [(2, True), (5, False)])
def test_long_expressions_that_begin_alike_are_not_the_same(other: int, told: bool) -> None:
    def points(times: int) -> str:
        return f'({{ int t = lookup("{"a" * 300}"); t * {times}; }})'

    code = f"""int score(struct person *applicant) {{
    int points = 0;
    if (applicant->gender == MALE)
        points += {points(5)};
    else
        points += {points(other)};
    return points;
}}
"""
    assert bool(check_source(code, path="a.c", language="c").findings) is told


TWO_TESTS = {
    "points by group beside points by months": (
        """
        def fee(member):
            total = 40
            if member.months > 3:
                total -= 5
            if member.gender == "f":
                total -= 10
            elif member.gender == "m":
                total += 5
            else:
                log(member)
            return total
        """,
        [
            (6, "gender is read here"),
            (7, "`total` is changed here"),
            (8, "gender is read here"),
            (9, "`total` is changed here"),
        ],
    ),
    "a test of grades before one by group": (
        """
        def admit(applicant):
            sex = applicant.sex
            if applicant.grade > 3:
                is_man = sex == "male"
                if is_man:
                    return "accepted"
            return "rejected"
        """,
        [(3, "gender is read here"), (7, "the outcome is decided here")],
    ),
    "a test of grades within one by group": (
        """
        def admit(applicant):
            if applicant.sex == "male":
                if applicant.grade > 3:
                    return "accepted"
            return "rejected"
        """,
        [(3, "gender is read here"), (5, "the outcome is decided here")],
    ),
    "a row of a table that the test is about": (
        """
        RULES = [("female", 3)]

        def score(applicant):
            points = 0
            if applicant.months > 12:
                points += 1
            for sex, more in RULES:
                if applicant.sex == sex:
                    points += more
            return points
        """,
        [(2, "the table says this"), (9, "gender is read here"), (10, "`points` is changed here")],
    ),
}


@pytest.mark.parametrize(("code", "marked"), TWO_TESTS.values(), ids=TWO_TESTS)
def test_only_the_steps_that_the_attribute_takes_part_in_are_marked(
    code: str, marked: list[tuple[int, str]]
) -> None:
    (found,) = check_source(textwrap.dedent(code), settings=Settings(min_severity="note")).findings
    assert sorted((step.start.line, step.message) for step in found.flow) == marked
