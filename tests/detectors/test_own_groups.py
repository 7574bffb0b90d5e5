"""People who are measured against their own group, places by group, and what only looks like it."""

import textwrap

import pytest

from fairlint import check_source

LOUD = ("error", "warning")


def told(code: str, language: str = "python") -> list[tuple[str, str]]:
    name = "service.c" if language == "c" else "service.py"
    report = check_source(textwrap.dedent(code), path=name, language=language)
    assert not report.not_analysed
    return [(one.rule, one.use.attribute) for one in report.findings if one.severity in LOUD]


FRAME = 'import pandas as pd\n\napplicants = pd.read_csv("applicants.csv")\n'
ROWS = {
    "a rank": """
        applicants["place"] = applicants.groupby(["gender"])["rating"].rank(ascending=False)
        promoted = applicants.loc[applicants["place"] <= 5]
    """,
    "a rank of a field": """
        applicants["share"] = applicants.groupby("gender").rating.rank(pct=True)
        applicants["hired"] = applicants["share"] >= 0.8
    """,
    "the mean taken off": """
        applicants["net"] = applicants["rating"] - applicants.groupby("gender")["rating"].transform("mean")
        shortlist = applicants.nlargest(10, "net")
    """,
    "z-scores by a function": """
        applicants["z"] = applicants.groupby("gender")["rating"].transform(lambda s: (s - s.mean()) / s.std())
        hired = applicants[applicants["z"] > 1.5]
    """,
    "means that are looked up": """
        means = applicants.groupby("gender")["rating"].mean()
        applicants["net"] = applicants["rating"] - applicants["gender"].map(means)
        selected = applicants.sort_values("net", ascending=False).head(10)
    """,
    "groups in a variable": """
        by_gender = applicants.groupby("gender")["rating"]
        applicants["z"] = (applicants["rating"] - by_gender.transform("mean")) / by_gender.transform("std")
        applicants["selected"] = applicants["z"] > 1
    """,
    "a file that is called after the outcome": """
        applicants["share"] = applicants.groupby("gender")["rating"].rank(pct=True)
        applicants[applicants["share"] > 0.9].to_csv("out/promoted.csv")
    """,
    "a file of the first": """
        means = applicants.groupby("gender")["rating"].transform("mean")
        people = applicants.assign(net=applicants["rating"] - means)
        people.nlargest(10, "net").to_csv("hired.csv")
    """,
    "a rank within an expression": """
        hired = applicants[applicants.groupby("gender")["rating"].rank() < 11]
    """,
    "a column that assign makes": """
        ranked = applicants.assign(share=applicants.groupby("gender")["rating"].rank(pct=True))
        hired = ranked[ranked["share"] > 0.9]
    """,
}


@pytest.mark.parametrize("form", ROWS)
def test_a_figure_within_the_group_that_decides_is_a_cut_off_by_group(form: str) -> None:
    assert set(told(FRAME + textwrap.dedent(ROWS[form]))) == {("FL501", "gender")}


def test_polars_ranks_over_groups() -> None:
    code = """
    import polars as pl

    applicants = pl.read_csv("applicants.csv")
    hired = applicants.filter(pl.col("rating").rank().over("gender") <= 10)
    """
    assert told(code) == [("FL501", "gender")]


PEERS = {
    "a z-score": """
        import statistics

        def accept(pupil, pupils):
            peers = [one.mark for one in pupils if one.ethnicity == pupil.ethnicity]
            return (pupil.mark - statistics.mean(peers)) / statistics.stdev(peers) > 1.0
    """,
    "a list that filter makes": """
        from scipy import stats

        def is_eligible(pupil, pupils):
            peers = list(filter(lambda one: one.ethnicity == pupil.ethnicity, pupils))
            return stats.percentileofscore([one.mark for one in peers], pupil.mark) > 80
    """,
    "a share that is summed": """
        def standing(mark, ethnicity, pupils):
            peers = [one.mark for one in pupils if one.ethnicity == ethnicity]
            return sum(other < mark for other in peers) / len(peers)

        def select_pupils(pupils):
            return [one for one in pupils if standing(one.mark, one.ethnicity, pupils) >= 0.75]
    """,
    "a share that is counted": """
        def admit(pupil, pupils):
            same = below = 0
            for other in pupils:
                if other.ethnicity == pupil.ethnicity:
                    same += 1
                    if other.mark < pupil.mark:
                        below += 1
            return below / same > 0.9
    """,
}


@pytest.mark.parametrize("form", PEERS)
def test_who_is_compared_with_the_same_only_has_a_cut_off_by_group(form: str) -> None:
    assert set(told(PEERS[form])) == {("FL501", "ethnicity")}


C_PEERS = """
struct pupil { int race; double mark; };

int admit(const struct pupil *pupil, const struct pupil *all, int n)
{
    int same = 0, below = 0;
    for (int i = 0; i < n; i++) {
        if (all[i].race == pupil->race) {
            same++;
            if (all[i].mark < pupil->mark)
                below++;
        }
    }
    return (double)below / same > 0.9;
}
"""


C_NORMS = """
struct pupil { int race; double mark; int admitted; };

void admit(struct pupil *pupil, const double *mean, const double *sd)
{
    double z = (pupil->mark - mean[pupil->race]) / sd[pupil->race];
    pupil->admitted = z > 1.0;
}
"""
C_MEAN = """
struct pupil { int race; double mark; };

static double mean_of(const struct pupil *all, int n, int race)
{
    double total = 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (all[i].race == race) {
            total += all[i].mark;
            count++;
        }
    return total / count;
}

int admit(const struct pupil *pupil, const struct pupil *all, int n)
{
    return pupil->mark - mean_of(all, n, pupil->race) > 5;
}
"""


@pytest.mark.parametrize("code", [C_PEERS, C_NORMS, C_MEAN])
def test_c_measures_by_hand(code: str) -> None:
    assert told(code, "c") == [("FL501", "race")]


def test_who_joins_a_list_as_one_of_a_selection_is_chosen() -> None:
    code = """
    def shortlist(candidates):
        chosen = []
        chosen += [one for one in candidates if one.gender == "female"]
        return chosen
    """
    assert told(code) == [("FL106", "gender")]


PLACES = {
    "the head of each": 'hired = applicants.sort_values("rating").groupby("gender").head(10)',
    "a sample of each": 'invited = applicants.groupby("gender").sample(n=5)',
    "the largest by a function": """
        hired = applicants.groupby("gender").apply(lambda part: part.nlargest(20, "rating"))
    """,
    "a loop over parts": """
        selected = []
        for gender, part in applicants.groupby("gender"):
            selected.append(part.nlargest(3, "rating"))
    """,
    "lists by group": """
        from collections import defaultdict

        def shortlist(candidates):
            by_gender = defaultdict(list)
            for candidate in candidates:
                by_gender[candidate.gender].append(candidate)
            chosen = []
            for people in by_gender.values():
                people.sort(key=lambda one: one.rating)
                chosen.extend(people[:5])
            return chosen
    """,
    "lists by group that are sorted and joined": """
        def shortlist(candidates):
            groups = {}
            for candidate in candidates:
                groups.setdefault(candidate["gender"], []).append(candidate)
            chosen = []
            for gender, members in groups.items():
                members = sorted(members, key=lambda one: -one["rating"])
                chosen += members[:3]
            return chosen
    """,
    "a draw from lists by group": """
        import random

        def draw(candidates):
            by_gender = {}
            for candidate in candidates:
                by_gender.setdefault(candidate.gender, []).append(candidate)
            selected = []
            for gender, people in by_gender.items():
                selected.extend(random.sample(people, 5))
            return selected
    """,
    "a share of the group": """
        def admit(pupil, pupils, admitted):
            same = [one for one in pupils if one.gender == pupil.gender]
            if admitted[pupil.gender] < len(same) * 0.3:
                pupil.admitted = True
    """,
    "shares that are elsewhere": """
        def admit(pupil, places, taken, shares):
            if taken[pupil.gender] < len(places) * shares[pupil.gender]:
                pupil.admitted = True
    """,
}


@pytest.mark.parametrize("form", PLACES)
def test_places_for_each_group_are_a_quota(form: str) -> None:
    found = told(FRAME + textwrap.dedent(PLACES[form]))
    assert set(found) == {("FL502", "gender")}


C_CHANCES = """
enum sex { MALE, FEMALE };
static const double chances[] = { [MALE] = 0.8, [FEMALE] = 0.3 };
struct patient { enum sex sex; int treated; };

void assign(struct patient *p, double draw)
{
    if (draw < chances[p->sex])
        p->treated = 1;
}
"""
CHANCES = 'CHANCES = {"male": 0.8, "female": 0.3}\n\n\n'


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (
            "python",
            CHANCES + "def assign(patient, draw):\n    if draw < CHANCES[patient.gender]:\n"
            "        patient.treated = True\n    return patient\n",
        ),
        (
            "python",
            CHANCES + "class Ward:\n    def take(self, patient, draw):\n"
            "        if draw < CHANCES[patient.gender]:\n            self.enrol(patient)\n\n"
            "    def enrol(self, patient):\n        patient.enrolled = True\n",
        ),
        ("c", C_CHANCES),
    ],
)
def test_chances_of_a_treatment_are_told_with_their_gap(language: str, code: str) -> None:
    name = "ward.c" if language == "c" else "ward.py"
    (found,) = check_source(code, path=name, language=language).findings
    assert (found.rule, found.severity) == ("FL501", "error")
    assert found.use.points is not None
    assert found.use.points.gap == 0.5


SILENT = {
    "a rank within a department": """
        applicants["share"] = applicants.groupby("department")["rating"].rank(pct=True)
        promoted = applicants[applicants["share"] > 0.9]
        hired = applicants.groupby("team").head(10)
    """,
    "a file of ranks": """
        applicants["share"] = applicants.groupby("gender")["rating"].rank(pct=True)
        applicants[applicants["share"] > 0.9].to_csv("top_rows.csv")
    """,
    "a rank that is shown": """
        applicants["place"] = applicants.groupby("gender")["rating"].rank()
        print(applicants[["gender", "place"]])
        print(applicants.groupby("gender")["rating"].mean())
        applicants.groupby("gender").head(3)
    """,
    "a sample that is drawn": """
        survey = applicants.groupby("gender").sample(100)
        print(survey["rating"].mean())
    """,
    "rows that are balanced": """
        rows = applicants.dropna()
        rows = rows.groupby("gender").sample(n=500, random_state=0)
    """,
    "gaps that are filled and values far out": """
        applicants["pay"] = applicants["pay"].fillna(applicants.groupby("gender")["pay"].transform("median"))
        applicants["z"] = applicants.groupby("gender")["pay"].transform(lambda s: (s - s.mean()) / s.std())
        rows = applicants[applicants["z"].abs() < 3]
    """,
    "a feature that is centred": """
        from sklearn.linear_model import LinearRegression

        applicants["net"] = applicants["pay"] - applicants.groupby("gender")["pay"].transform("mean")
        LinearRegression().fit(applicants[["net"]], applicants["rating"])
    """,
    "a mean of peers that is reported": """
        def mean_of_peers(person, people):
            peers = [one.pay for one in people if one.gender == person.gender]
            if len(peers) < 5:
                return None
            return sum(peers) / len(peers)
    """,
    "too few of a group": """
        def accept(person, people, least):
            same = [one for one in people if one.gender == person.gender]
            if len(same) < least:
                return False
            return person.rating > 3
    """,
    "an audit": """
        def audit(people):
            for gender in {one.gender for one in people}:
                group = [one for one in people if one.gender == gender]
                if sum(one.hired for one in group) / len(group) < 0.8:
                    raise ValueError("adverse impact")
    """,
    "a match": """
        def match(one, other):
            score = 0
            if one.religion == other.religion:
                score += 10
            return score > 5
    """,
}


@pytest.mark.parametrize("form", SILENT)
def test_what_is_within_other_groups_or_only_shown_is_silent(form: str) -> None:
    assert told(FRAME + textwrap.dedent(SILENT[form])) == []


def test_what_hangs_on_a_rank_is_never_said_to_hang_on_nothing() -> None:
    code = FRAME + 'applicants["place"] = applicants.groupby("gender")["rating"].rank()\n'
    code += 'if applicants["place"].max() > 5:\n    pages = 2\n'
    assert [one.rule for one in check_source(code, path="service.py").findings if one.rule == "FL104"] == []
