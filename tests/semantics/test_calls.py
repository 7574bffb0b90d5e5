"""What calls tell about people: of library functions, methods, queries, macros and function values."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairlint
from fairlint.findings.report import Report
from fairlint.semantics.texts import regexes

STRUCT = """
struct applicant {
    char gender[10]; char religion[20]; char nationality[20]; char status[20];
    char sex; int age; int score; int years;
};
"""


def check(code: str, language: str = "python") -> Report:
    if language == "c":
        code = STRUCT + dedent(code)
    return fairlint.check_source(dedent(code), language=language)


def rules(code: str, language: str = "python") -> list[tuple[str, str]]:
    return [(finding.rule, finding.use.attribute) for finding in check(code, language).findings]


def points(code: str, attribute: str, language: str = "python") -> dict[str, float]:
    """The points of the first finding on `attribute`, groups that get nothing left out."""
    for finding in check(code, language).findings:
        if finding.use.attribute == attribute and finding.points is not None:
            return {group: value for group, value in finding.points.by_group.items() if value}
    return {}


def scoring(test: str, prelude: str = "") -> str:
    """A function that takes five points from whom `test` holds for."""
    head = f"import re, operator, math\n{prelude}\ndef score(applicant):\n    points = 0\n"
    return f"{head}    if {test}:\n        points -= 5\n    return points\n"


# ------------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize(
    "test",
    [
        'any([applicant.gender == "female", applicant.gender == "f"])',
        'all([applicant.gender == "female", applicant.score < 10])',
        'any(applicant.gender == word for word in ["female", "f", "woman"])',
        'any(applicant.get(key) == value for key, value in UNWANTED.items())',
        'applicant.gender.lower() == str("Female").lower()',
        'applicant.gender in "female f woman".split()',
        'operator.eq(applicant.gender, "female")',
        'operator.contains(["female", "f"], applicant.gender)',
        'not operator.ne(applicant.gender, "female")',
        're.match(r"^f(emale)?$", applicant.gender)',
        're.search("female|woman", applicant.gender, re.IGNORECASE)',
        'PATTERN.fullmatch(applicant.gender)',
        'PATTERN.match(applicant.gender) is not None',
        'math.isclose(applicant.gender, FEMALE)',
        'operator.attrgetter("gender")(applicant) == "female"',
        'get_field(applicant, "gender") == "female"',
    ],
)  # fmt: skip
def test_a_test_may_be_spelled_by_a_call(test: str) -> None:
    prelude = 'FEMALE = "female"\nUNWANTED = {"gender": "female"}\nPATTERN = re.compile("^f(emale)?$")'
    assert points(scoring(test, prelude), "gender") == {"female": -5.0}


def test_a_comprehension_with_conditions_is_gone_through() -> None:
    code = """
        BONUS = {"male": 3, "female": 1}
        def score(applicant):
            return sum(value for key, value in BONUS.items() if applicant.gender == key)
    """
    assert points(code, "gender") == {"male": 3.0, "female": 1.0}


def test_having_some_is_being_in_the_group() -> None:
    assert points(scoring("len(applicant.disabilities) > 0"), "disability") == {"yes": -5.0}


def test_an_age_may_lie_in_a_range() -> None:
    assert points(scoring("applicant.age in range(56, 90)"), "age") == {"56–89": -5.0}


@pytest.mark.parametrize(
    "birth",
    [
        'datetime.strptime(applicant["dob"], "%Y-%m-%d")',
        'datetime.datetime.strptime(applicant["dob"], "%Y-%m-%d")',
        'date.fromisoformat(applicant["date_of_birth"])',
        'pd.to_datetime(applicant["birth_date"])',
        'parse(applicant["dob"])',
    ],
)
def test_a_parsed_date_of_birth_is_one(birth: str) -> None:
    code = f"""
        def score(applicant):
            birth = {birth}
            points = 10
            if date.today().year - birth.year > 55:
                points -= 4
            return points
    """
    assert points(code, "age") == {"56 and over": -4.0}


@pytest.mark.parametrize(
    "test",
    [
        '"Gender".lower() == column',
        're.match("^[a-z]+$", applicant.gender)',
        're.fullmatch(".*", applicant.gender)',
        "any(checks)",
        "len(applicant.errors) > 0",
    ],
)
def test_calls_that_ask_for_nobody_are_silent(test: str) -> None:
    assert rules(scoring(test, "checks = []\ncolumn = input()")) == []


# ---------------------------------------------------------------------------------------- amounts by group


def test_a_sum_of_one_of_two_lists_is_one_of_two_sums() -> None:
    code = """
        def score(applicant):
            parts = [1, 2, 3] if applicant.gender == "male" else [1, 1, 1]
            return sum(parts)
    """
    assert points(code, "gender") == {"male": 6.0, "female": 3.0}


def test_one_of_two_tables_is_gone_through_by_key() -> None:
    code = """
        MEN = {"experience": 3, "education": 2}
        WOMEN = {"education": 2, "experience": 1}
        def score(applicant):
            weights = MEN if applicant.gender == "male" else WOMEN
            total = 0
            for name, weight in weights.items():
                total += weight
            return total
    """
    found = check(code).findings
    assert [finding.use.attribute for finding in found] == ["gender"]
    table = found[0].points
    assert table is not None
    assert table.gap == 2.0


def test_a_function_may_be_chosen_by_group() -> None:
    table = """
        HANDLERS = {"male": lambda base: base + 5, "female": lambda base: base}
        def score(applicant):
            return HANDLERS[applicant.gender](applicant.base)
    """
    variable = """
        def lenient(base):
            return base + 5
        def strict(base):
            return base
        def score(applicant):
            rate = lenient if applicant.gender == "male" else strict
            return rate(applicant.base)
    """
    assert points(table, "gender") == points(variable, "gender") == {"male": 5.0}


def test_what_a_chosen_function_does_is_done_to_the_group() -> None:
    code = """
        def accept(person):
            person.approved = True
        def reject(person):
            person.approved = False
        def process(applicant):
            act = accept if applicant.gender == "male" else reject
            act(applicant)
    """
    assert ("FL101", "gender") in rules(code)


def test_a_function_pointer_may_be_chosen_by_group() -> None:
    table = """
        enum { MALE, FEMALE };
        static int rate_m(int years) { return years + 5; }
        static int rate_f(int years) { return years; }
        static int (*raters[])(int) = { [MALE] = rate_m, [FEMALE] = rate_f };
        struct person { int gender; int years; };
        int score(struct person *p) { return (*raters[p->gender])(p->years); }
    """
    assert points(table, "gender", "c") == {"male": 5.0}
    assert points(table.replace("(*raters[p->gender])", "raters[p->gender]"), "gender", "c") == {"male": 5.0}


@pytest.mark.parametrize(
    "column",
    [
        'lambda d: d["score"] + np.where(d["sex"] == "male", 5, 0)',
        'applicants["score"] + np.where(applicants["sex"] == "male", 5, 0)',
        'applicants["score"] + 5 * (applicants["sex"] == "male")',
    ],
)
def test_assign_sets_a_column(column: str) -> None:
    code = f"""
        def rate(applicants):
            return applicants.assign(score={column})
    """
    assert points(code, "gender") == {"male": 5.0}


# ------------------------------------------------------------------------------------------------ selections

MEN = '[c for c in candidates if c.gender == "male"]'
MEN_ONE_BY_ONE = '(c for c in candidates if c.gender == "male")'


@pytest.mark.parametrize(
    "statements",
    [
        f"return next({MEN_ONE_BY_ONE}, None)",
        f"return max({MEN}, key=lambda c: c.score)",
        f"return tuple(sorted({MEN_ONE_BY_ONE}, key=lambda c: c.score))",
        f"return sorted({MEN_ONE_BY_ONE})[:3]",
        f"return heapq.nlargest(5, {MEN_ONE_BY_ONE}, key=lambda c: c.score)",
        f"return random.choice({MEN})",
        f"return list(itertools.islice({MEN_ONE_BY_ONE}, 5))",
        f"hired = set(); hired.update({MEN_ONE_BY_ONE}); return hired",
        f"hired = []; hired.extend({MEN}); return hired",
        f"hired = []; hired.append({MEN}); return hired",
        'return candidates[candidates["gender"] == "male"].sort_values("score").head(5)',
        'return candidates[candidates["gender"] == "male"].nlargest(10, "score")',
        'return candidates.drop(candidates[candidates["gender"] != "male"].index)',
        "women = candidates[candidates.sex == 'female']; candidates.drop(index=women.index, inplace=True)",
        'return candidates[candidates["gender"].str.match("^m(ale)?$")]',
        "return candidates.filter(lambda c: c.gender == 'male')",
    ],
)
def test_a_selection_stays_one(statements: str) -> None:
    body = statements.replace("; ", "\n    ")
    found = rules(f"def select_candidates(candidates):\n    {body}\n")
    assert found == [("FL106", "gender")], found


def test_joining_a_set_by_group_is_a_decision() -> None:
    code = """
        def select(candidates):
            hired = set()
            for candidate in candidates:
                if candidate.gender == "male":
                    hired.add(candidate)
            return hired
    """
    assert [attribute for _, attribute in rules(code)] == ["gender"]


@pytest.mark.parametrize(
    ("query", "attribute"),
    [
        ('Applicant.objects.filter(gender="M", score__gt=4).order_by("-score")[:10]', "gender"),
        ('Applicant.objects.exclude(race__in=["black", "asian"])', "race"),
        ("Applicant.objects.filter(age__lt=45).order_by('-score')[:10]", "age"),
        ("Applicant.objects.filter(age__range=(20, 35))", "age"),
        ('Applicant.objects.select_related("user").filter(user__gender__iexact="male")', "gender"),
        ('Applicant.objects.filter(Q(gender="M"), score__gt=4)', "gender"),
        ('Applicant.objects.filter(~Q(gender="F"))', "gender"),
        ('session.query(Applicant).filter_by(gender="male").all()', "gender"),
        ('session.query(Applicant).filter(Applicant.gender == "male").limit(5).all()', "gender"),
        ('select(Applicant).where(Applicant.gender == "male")', "gender"),
        ('applicants.filter(F.col("gender") == "male").limit(5)', "gender"),
    ],
)
def test_a_query_selects(query: str, attribute: str) -> None:
    found = rules(f"def shortlist(session, applicants):\n    return {query}\n")
    assert [named for _, named in found] == [attribute], found


def test_a_query_may_change_all_it_selects() -> None:
    code = """
        def close():
            Applicant.objects.filter(gender="F").update(status="rejected")
    """
    assert ("FL101", "gender") in rules(code)


def test_the_same_people_in_another_order_are_no_selection() -> None:
    assert (
        rules('def shortlist():\n    return Applicant.objects.filter(score__gt=4).order_by("name")[:5]\n')
        == []
    )
    statistic = """
        def report(candidates):
            best = max(c.score for c in candidates if c.gender == "female")
            print("best woman", best)
    """
    assert rules(statistic) == []


# ------------------------------------------------------------------------------------------------ C


def c_scoring(test: str, before: str = "") -> str:
    return f"int score(struct applicant *c) {{ int points = c->years; {before} if ({test}) points -= 5; return points; }}"  # noqa: E501


@pytest.mark.parametrize(
    ("test", "before", "expected"),
    [
        ("likely(c->sex == 'F')", "", {"female": -5.0}),
        ("__builtin_expect(!!(c->sex == 'F'), 0)", "", {"female": -5.0}),
        ("tolower(c->sex) == tolower('F')", "", {"female": -5.0}),
        ("strchr(\"Ff\", c->sex)", "", {"female": -5.0}),
        ("strchr(\"Ff\", c->sex) != NULL", "", {"female": -5.0}),
        ("!strcmp(g, \"female\")", "char g[10]; strcpy(g, c->gender);", {"female": -5.0}),
        ("!strcmp(g, \"female\")", "char g[10]; strncpy(g, c->gender, sizeof g);", {"female": -5.0}),
        ("!strcmp(g, \"female\")", "char g[10]; snprintf(g, 10, \"%s\", c->gender);", {"female": -5.0}),
        ("cmp == 0", "int cmp = strcmp(c->gender, \"female\");", {"female": -5.0}),
        ("!cmp", "int cmp = strcasecmp(\"female\", c->gender);", {"female": -5.0}),
        ("strcmp(c->gender, \"female\")", "", {"male": -5.0}),
        ("strcmp(json_get(c, \"gender\"), \"female\") == 0", "", {"female": -5.0}),
    ],
)  # fmt: skip
def test_texts_in_c(test: str, before: str, expected: dict[str, float]) -> None:
    assert points(c_scoring(test, before), "gender", "c") == expected


def test_a_part_of_a_text_names_a_group() -> None:
    assert points(c_scoring('strstr(c->nationality, "Mexican")'), "national_origin", "c") == {"mexican": -5.0}
    assert rules(c_scoring("strchr(c->nationality, ',')"), "c") == []


def test_a_helper_that_compares_leaves_the_decision_where_it_is() -> None:
    code = """
        static int is_female(struct applicant *c) { return strcmp(c->gender, "female") == 0; }
        int score(struct applicant *c) {
            int points = c->years;
            if (is_female(c))
                points -= 2;
            return points;
        }
    """
    assert rules(code, "c") == [("FL201", "gender")]
    assert points(code, "gender", "c") == {"female": -2.0}


def test_copying_a_text_is_an_assignment() -> None:
    code = """
        void decide(struct applicant *c) {
            if (strcmp(c->gender, "female") == 0) strcpy(c->status, "REJECTED");
            else strcpy(c->status, "APPROVED");
        }
    """
    assert rules(code, "c") == [("FL101", "gender")]


RANKING = """
    static int by_key(const void *a, const void *b) {{
        const struct applicant *x = a, *y = b;
        return {order};
    }}
    void select_applicants(struct applicant *list, int n) {{
        qsort(list, n, sizeof *list, by_key);
        {after}
    }}
"""


@pytest.mark.parametrize(
    "order",
    [
        "y->age - x->age",
        "(x->age > y->age) - (x->age < y->age)",
        "strcmp(x->gender, y->gender)",
        "strcmp(x->gender, y->gender) ? strcmp(x->gender, y->gender) : x->score - y->score",
    ],
)
def test_the_first_of_sorted_people_are_ranked(order: str) -> None:
    after = "for (int i = 0; i < 10; i++) hire(&list[i]);"
    assert [rule for rule, _ in rules(RANKING.format(order=order, after=after), "c")] == ["FL105"]
    shown = "for (int i = 0; i < n; i++) print_row(&list[i]);"
    assert rules(RANKING.format(order=order, after=shown), "c") == []


def test_people_sorted_by_something_else_first_are_not_ranked() -> None:
    order = "x->score != y->score ? y->score - x->score : y->age - x->age"
    after = "for (int i = 0; i < 10; i++) hire(&list[i]);"
    assert rules(RANKING.format(order=order, after=after), "c") == []


@pytest.mark.parametrize(
    "macro",
    [
        "#define ADD(s, n) do { (s) += (n); } while (0)",
        "#define ADD(s, n) ((s) += (n))",
        "#define ADD(s, n) { int more = (n); s = s + more; }",
    ],
)
def test_a_macro_changes_what_it_is_given(macro: str) -> None:
    variable = "int score(struct applicant *c) { int points = c->years; if (c->sex == 'M') ADD(points, 4); else ADD(points, 1); return points; }"  # noqa: E501
    field = "void rate(struct applicant *c) { if (c->sex == 'M') ADD(c->score, 4); }"
    assert points(f"{macro}\n{variable}", "gender", "c") == {"male": 4.0, "female": 1.0}
    assert points(f"{macro}\n{field}", "gender", "c") == {"male": 4.0}


def test_a_macro_may_return() -> None:
    code = """
        #define REJECT_IF(test) do { if (test) return 0; } while (0)
        int approve(struct applicant *c) { REJECT_IF(c->sex == 'F'); return 1; }
    """
    assert rules(code, "c") == [("FL101", "gender")]


def test_a_macro_that_calls_itself_ends() -> None:
    code = """
        #define ADD(s, n) do { (s) += (n); ADD(s, n); } while (0)
        int score(struct applicant *c) { int points = 0; if (c->sex == 'M') ADD(points, 4); return points; }
    """
    assert points(code, "gender", "c") == {"male": 4.0}


# ---------------------------------------------------------------------------------------- regular expressions


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^f(emale)?$", {"f", "female"}),
        (r"\Amale\Z", {"male"}),
        ("(?i)^(male|m)$", {"male", "m"}),
        ("[Mm]ale.*", {"Male", "male"}),
        (r"(?P<sex>wo)?man\b", {"woman", "man"}),
        ("", None),
        (".*", None),
        ("[a-z]+", None),
        (r"\w+", None),
        ("(unclosed", None),
        ("a{2}", None),
    ],
)
def test_the_texts_of_an_expression(pattern: str, expected: set[str] | None) -> None:
    found = regexes.texts(pattern)
    assert (None if found is None else set(found)) == expected


@given(st.text(alphabet="abM .-", min_size=1, max_size=12))
def test_an_escaped_text_is_itself(text: str) -> None:
    assert regexes.texts(re.escape(text)) == (text,)


@given(st.text(alphabet="abM()|?.*:i", max_size=14))
def test_every_listed_text_is_found(pattern: str) -> None:
    found = regexes.texts(pattern)
    try:
        compiled = re.compile(pattern)
    except re.error:
        return
    assert found is None or all(compiled.search(text) for text in found)
