"""How grave it is that groups get different things: an error needs a name or a text that says so."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import Settings, check_source

TOLD: dict[str, tuple[str, str]] = {
    "a function that decides": (
        "error",
        """
        def approve(applicant):
            if applicant.gender == "female":
                return False
            return True
        """,
    ),
    "a text that announces it": (
        "error",
        """
        def look_at(applicant):
            if applicant.gender == "female":
                return "rejected"
            return "next"
        """,
    ),
    "a function that decides about people": (
        "error",
        """
        def evaluate_applicant(applicant):
            return "B" if applicant.gender == "female" else "A"
        """,
    ),
    "people whom others do not join": (
        "error",
        """
        def gather(applicants):
            selected = []
            for applicant in applicants:
                if applicant.gender == "female":
                    continue
                selected.append(applicant)
            return selected
        """,
    ),
    "people who are selected": (
        "error",
        """
        def pick(students):
            selected_students = [one for one in students if one.gender == "male"]
            return selected_students
        """,
    ),
    "a mere answer": (
        "warning",
        """
        def look_at(applicant):
            if applicant.gender == "female":
                return False
            return True
        """,
    ),
    "how things are": (
        "warning",
        """
        def is_safe(patient, drug):
            if patient.pregnant and drug.category == "X":
                return False
            return True
        """,
    ),
    "what somebody may do": (
        "error",
        """
        def may_leave(employee):
            if employee.gender == "female":
                return False
            return True
        """,
    ),
    "an error in a function that says nothing": (
        "warning",
        """
        def submit(applicant):
            if applicant.gender == "female":
                raise SpouseError("the spouse has to sign")
            return applicant
        """,
    ),
    "how something or somebody is treated": (
        "warning",
        """
        def determine_route(traveller):
            return "north" if traveller.gender == "female" else "south"
        """,
    ),
    "a number that may be a code": (
        "note",
        """
        def to_column(applicant):
            if applicant.gender == "female":
                return 3
            return 4
        """,
    ),
    "a label": (
        "note",
        """
        def classify_diagnosis_mapping(row):
            if row["has_diabetes"] == "yes":
                return "explicit_flags"
            return "free_text"
        """,
    ),
    "something that joins a list": (
        "note",
        """
        def gather(applicants, labels):
            found = []
            for applicant in applicants:
                if applicant.gender == "female":
                    found.append(labels[applicant.number])
            return found
        """,
    ),
    "something is looked up in an index": (
        "note",
        """
        def edges(rows, concepts, ids, admissions):
            sources = []
            for admission, event in rows:
                if admission not in admissions["admission"]:
                    continue
                if event not in concepts["diagnosis"]:
                    continue
                if concepts["diagnosis"][event] not in ids["diagnosis"]:
                    continue
                sources.append(admission)
            return sources
        """,
    ),
    "people in an order": (
        "warning",
        """
        def layoffs(employees, count):
            ranked = sorted(employees, key=lambda one: one.age)
            return ranked[:count]
        """,
    ),
    "kinds of trouble in an order": (
        "note",
        """
        def troubles(row):
            found = []
            if row["gender"] not in ("female", "male"):
                found.append("gender")
            if not row["age"]:
                found.append("age")
            return found

        def report(applicants):
            kinds = {}
            for row in applicants:
                for trouble in troubles(row):
                    kinds[trouble] = kinds.get(trouble, 0) + 1
            return [kind for kind, _ in sorted(kinds.items(), key=lambda x: -x[1])[:10]]
        """,
    ),
    "a number by group": (
        "error",
        """
        def premium(driver):
            base = 100
            if driver.gender == "male":
                base *= 1.2
            return base
        """,
    ),
    "a value of its own": (
        "warning",
        """
        def statement(person):
            value = 0
            if person.gender == "male":
                value = 400
            return value
        """,
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_how_grave_it_is(name: str) -> None:
    severity, code = TOLD[name]
    report = check_source(textwrap.dedent(code), settings=Settings(min_severity="note"))
    assert {one.severity for one in report.findings} == {severity}


@pytest.mark.parametrize(("yes", "no", "severity"), [("1", "0", "warning"), ("101", "201", "note")])
def test_in_c_0_and_1_are_an_answer_and_a_number_of_a_room_is_none(yes: str, no: str, severity: str) -> None:
    code = "struct guest { char gender; };\nint look_at(struct guest *guest) {\n"
    code += f"    if (guest->gender == 'F') return {no};\n    return {yes};\n}}\n"
    report = check_source(code, path="guest.c", settings=Settings(min_severity="note"))
    assert [one.severity for one in report.findings] == [severity]


IN_OTHER_WORDS = {
    "a voice that is selected": """
        def voice_for(speaker):
            if speaker.gender == "female":
                selected_voice = "en_f1"
            else:
                selected_voice = "en_m1"
            return selected_voice
        """,
    "lists that are called after groups": """
        def avatar(user):
            if user.gender == "male":
                candidates = MALE_AVATARS
            else:
                candidates = FEMALE_AVATARS
            return choice(candidates)
        """,
    "a value that a validator hands back": """
        class DatingProfile:
            @field_validator("gender_preference")
            @classmethod
            def validate_gender_preference(cls, v):
                if not v:
                    raise ValueError("specify a gender")
                return v
        """,
    "kinship": """
        def determine_respondent_role(respondent, parent_found):
            if parent_found:
                return "child"
            elif respondent["gender"] == "male":
                return "father"
            elif respondent["gender"] == "female":
                return "mother"
            return "unknown"
        """,
    "a title": """
        def assign_title(customer):
            return "Mr." if customer.gender == "male" else "Ms."
        """,
    "a band": """
        def determine_category(person):
            if person.age < 18:
                return "child"
            return "adult"
        """,
    "a code under the attribute's name": """
        def guess(self, name, encoded=False):
            found = self.get(name)
            if encoded is True:
                if found["gender"] == "female":
                    gender = 0
                elif found["gender"] == "male":
                    gender = 1
                else:
                    gender = 2
            else:
                gender = found["gender"]
            return gender
        """,
    "an empty text, by which other things are chosen later": """
        def detect(*texts):
            for text in texts:
                if not text:
                    continue
                lowered = normalize(text)
                if lowered in KNOWN:
                    return lowered
            return None

        def search(diagnosis, note, programs):
            found = detect(note, diagnosis)
            return [one for one in programs if fits(one, found)]
        """,
}


@pytest.mark.parametrize("name", IN_OTHER_WORDS)
def test_a_group_in_other_words_is_no_outcome(name: str) -> None:
    assert not check_source(textwrap.dedent(IN_OTHER_WORDS[name])).findings


PLACES = {
    "an age that a helper works out": """
        def years(birth_date):
            if not birth_date:
                return None
            return today().year - birth_date.year

        def match_score(candidate, wanted):
            score = 0
            age = years(candidate.birth_date)
            fits = True
            if age:
                if age < wanted.min_age:  # here
                    fits = False
            else:
                fits = False
            if fits:
                score += 15
            return score
        """,
}


@pytest.mark.parametrize("name", PLACES)
def test_a_helper_that_asks_for_a_value_is_not_the_place(name: str) -> None:
    code = textwrap.dedent(PLACES[name])
    line = next(at for at, text in enumerate(code.split("\n"), 1) if text.endswith("# here"))
    assert [one.start.line for one in check_source(code).findings] == [line]


@pytest.mark.parametrize(
    ("otherwise", "what", "is_clear"),
    [
        ("Not eligible", "a loan", True),
        ("Come back later", "a loan", False),
        ("Not eligible", "this", False),
    ],
)
def test_some_are_told_yes_and_others_no(otherwise: str, what: str, is_clear: bool) -> None:
    code = f"""
    #include <stdio.h>
    int main(void)
    {{
        int choice, age, n, balance[20];
        char name[20][40];
        printf("Menu: 1. deposit, 2. withdraw, 3. {what}");
        scanf("%d", &choice);
        switch (choice) {{
        case 3:
            scanf("%d", &age);
            if (age > 22 && age < 50)
                printf("Eligible for {what}");
            else
                printf("{otherwise}");
            break;
        }}
    }}
    """
    found = check_source(textwrap.dedent(code), language="c", settings=Settings(min_severity="note")).findings
    said = {item.reason for one in found for item in one.use.evidence}
    assert ("some get a yes and others a no" in said) == is_clear
