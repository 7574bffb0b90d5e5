"""What a program asks its user for names what is typed in, whatever the variable is called."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")
GAIN = "points = 10\nif answer == {value!r}:\n    points += 4\nprint(points)\n"


def told(code: str) -> list[tuple[str, str]]:
    """The rule and the attribute of each finding."""
    return [(one.rule, one.use.attribute) for one in check_source(code, settings=NOTES).findings]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ('answer = input("Enter your gender: ")', "m"),
        ('answer = input("Enter your gender:\\n")', "m"),
        ('answer = input("Votre sexe : ")', "h"),
        ('answer = input("Bitte geben Sie Ihr Geschlecht ein: ")', "w"),
        ('print("What is your gender?")\nanswer = input()', "f"),
        ('import click\nanswer = click.prompt("Your sex")', "f"),
        ('from rich.prompt import Prompt\nanswer = Prompt.ask("Your sex")', "f"),
        ('import streamlit as st\nanswer = st.radio("What is your gender?", ["m", "f"])', "f"),
    ],
)
def test_a_letter_that_somebody_is_asked_for_is_his_group(asked: str, value: str) -> None:
    assert told(f"{asked}\n" + GAIN.format(value=value)) == [("FL201", "gender")]


@pytest.mark.parametrize(
    "asked",
    [
        'answer = input("Enter the gender of the noun: ")',
        'answer = input("Your dog\'s gender: ")',
        'print("What is your gender?")\nage = 3\nprint("And your city?")\nanswer = input()',
        'answer = input("Your city: ")',
    ],
)
def test_what_is_asked_for_last_or_of_something_else_is_not(asked: str) -> None:
    assert told(f"{asked}\n" + GAIN.format(value="m")) == []


def test_what_is_typed_into_a_field_of_a_form_is_its_data() -> None:
    code = "def score(form):\n    points = 0\n    if form.gender.data == 'female':\n        points += 5\n"
    assert told(code + "    return points\n") == [("FL201", "gender")]


@pytest.mark.parametrize(
    ("read", "group", "points"),
    [
        ("applicant.has_green_card", "permanent-resident", "+5"),
        ("applicant.needs_visa_sponsorship", "foreign", "+5"),
        ("applicant.race_std == 'black'", "black", "+5"),
        ("applicant['gender_standardized'] == 'male'", "male", "+5"),
    ],
)
def test_names_that_code_about_people_uses(read: str, group: str, points: str) -> None:
    code = f"def rate(applicant):\n    score = 0\n    if {read}:\n        score += 5\n    return score\n"
    (finding,) = check_source(code, settings=NOTES).findings
    assert f"{group} {points}" in finding.message


@pytest.mark.parametrize("read", ["people.age_std > 3", "applicant.has_visa_card", "wallet.green_card"])
def test_names_that_only_look_like_them(read: str) -> None:
    code = f"def rate(people, applicant, wallet):\n    score = 0\n    if {read}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == []


@pytest.mark.parametrize(
    "test",
    [
        "category == 'SC'",
        "row['category'] in ('SC', 'ST')",
        "student.category != 'OBC'",
        "form['quota'] == 'EWS'",
    ],
)
def test_codes_of_castes_say_what_a_category_is(test: str) -> None:
    code = f"def cutoff(category, row, student, form):\n    score = 40\n    if {test}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == [("FL201", "caste")]


@pytest.mark.parametrize(
    "test",
    ["category == 'books'", "category in ('SC', 'books')", "item['category'] == 'ST'", "state == 'SC'"],
)
def test_other_categories_are_none(test: str) -> None:
    code = f"def cutoff(category, item, state):\n    score = 40\n    if {test}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == []


def test_codes_of_castes_are_read_in_c() -> None:
    code = """
    int score(const char *category, int marks) {
        int score = marks;
        if (strcmp(category, "SC") == 0) score += 5;
        return score;
    }
    """
    report = check_source(code, language="c", settings=NOTES)
    assert [(one.rule, one.use.attribute) for one in report.findings] == [("FL201", "caste")]


MENUS = [
    'print("1. Male")\nprint("2. Female")\nanswer = int(input("Your choice: "))',
    'print("1) Male  2) Female  3) Exit")\nanswer = int(input())',
    'answer = int(input("Press 1 for male, 2 for female: "))',
    'answer = int(input("male = 1, female = 2 > "))',
]


@pytest.mark.parametrize("asked", MENUS)
def test_a_list_of_groups_to_choose_from_names_what_is_typed_in(asked: str) -> None:
    code = f"{asked}\nbonus = 100\nif answer == 2:\n    bonus += 40\nprint(bonus)\n"
    assert told(code) == [("FL201", "gender")]


def test_a_list_of_groups_is_read_in_c_too() -> None:
    code = (
        '#include <stdio.h>\nint main(void)\n{\n    int n, marks;\n    scanf("%d", &marks);\n'
        '    puts("Which religion are you of?");\n    puts("1) Hindu");\n    puts("2) Muslim");\n'
        '    puts("3) Quit");\n    scanf("%d", &n);\n    if (n == 2)\n        marks -= 3;\n'
        "    return marks;\n}\n"
    )
    found = check_source(code, language="c", settings=NOTES).findings
    assert [(one.rule, one.use.attribute) for one in found] == [("FL201", "religion")]


@pytest.mark.parametrize(
    "asked",
    [
        'print("1. Shoes for men")\nprint("2. Shoes for women")\nanswer = int(input("Your choice: "))',
        'print("1. Male")\nprint("2. Add a course")\nanswer = int(input("Your choice: "))',
        'print("A game for male or female players")\nanswer = int(input("Level: "))',
        'print("1. Male, 2. Female")\nsex = int(input())\nanswer = int(input("Level: "))',
        'print("1. Add", "2. Drop", "3. Exit")\nanswer = int(input("Your choice: "))',
    ],
)
def test_other_lists_name_nothing(asked: str) -> None:
    code = f"{asked}\nbonus = 100\nif answer == 2:\n    bonus += 40\nprint(bonus)\n"
    assert told(code) == []


def test_what_stands_in_brackets_behind_what_is_asked_for_is_no_part_of_the_list() -> None:
    code = (
        "#include <stdio.h>\nint main(void)\n{\n    char c; int years, degree, pay = 0;\n"
        '    printf("Gender (m/f), years here and degree (0 = none, 1 = some): ");\n'
        "    scanf(\" %c %d %d\", &c, &years, &degree);\n    if (c == 'm' && degree == 1)\n"
        "        pay = 300;\n    else if (c == 'f' && degree == 1)\n        pay = 200;\n    return pay;\n}\n"
    )
    found = check_source(code, language="c", settings=NOTES).findings
    assert [(one.rule, one.use.attribute) for one in found] == [("FL201", "gender")]


def test_a_number_that_is_shown_as_a_salary_is_one() -> None:
    code = (
        '#include <stdio.h>\nint main(void)\n{\n    char sex; int s = 0;\n    scanf("%c", &sex);\n'
        "    if (sex == 'm')\n        s = 900;\n    else if (sex == 'f')\n        s = 700;\n"
        '    printf("{}: %d\\n", s);\n    return 0;\n}\n'
    )
    told_as = {
        name: [
            one.rule for one in check_source(code.replace("{}", name), language="c", settings=NOTES).findings
        ]
        for name in ("Monthly salary", "Tax payable", "Row", "Steps for the salary of")
    }
    assert told_as == {
        "Monthly salary": ["FL201"],
        "Tax payable": ["FL201"],
        "Row": [],
        "Steps for the salary of": [],
    }


@pytest.mark.parametrize(
    "shown",
    ['print("Bonus:", b)', 'print(f"Your bonus is {b}")', 'print("Your bonus is " + str(b) + " euros")'],
)
def test_so_it_is_in_python(shown: str) -> None:
    code = f'sex = input("Sex: ")\nb = 100\nif sex == "female":\n    b = 80\n{shown}\n'
    assert told(code) == [("FL201", "gender")]


@pytest.mark.parametrize(
    ("child", "other"),
    [
        ("You pay $4", "You pay $9"),
        ("The ticket is free", "The ticket costs 10 euros"),
        ("A discount is given", "The whole fare"),
    ],
)
def test_prices_that_are_printed_go_by_age_in_a_note(child: str, other: str) -> None:
    code = f'age = int(input("Age: "))\nif age < 12:\n    print("{child}")\nelse:\n    print("{other}")\n'
    found = check_source(code, settings=NOTES).findings
    assert [(one.rule, one.use.attribute, one.severity) for one in found] == [("FL102", "age", "note")]


def test_what_a_ticket_costs_by_age_has_a_context_and_by_caste_none() -> None:
    code = (
        "def bus_fare(passenger, fare):\n    if passenger.age >= 60:\n        fare *= 0.5\n"
        '    if passenger.caste == "sc":\n        fare *= 2\n    return fare\n'
    )
    found = check_source(code, settings=NOTES).findings
    assert [(one.use.attribute, one.severity) for one in found] == [("age", "note"), ("caste", "error")]


def test_texts_that_a_price_is_only_filled_into_are_no_outcome_of_their_own() -> None:
    code = (
        'def pay(worker):\n    salary = 100\n    if worker.sex == "female":\n        salary -= 10\n'
        '    print("Premium: %d" % salary)\n    return salary\n'
    )
    assert told(code) == [("FL201", "gender")]


def test_a_score_that_is_given_by_a_word_is_an_outcome() -> None:
    code = 'patient = {{}}\nif {}["age"] > 60:\n    {} = "{}"\nelse:\n    {} = "{}"\nprint({})\n'
    priority = ("patient", "priority", "high", "priority", "low", "priority")
    assert [attribute for _, attribute in told(code.format(*priority))] == ["age"]
    grade = ("patient", "grade", "blue", "grade", "green", "grade")
    assert told(code.format(*grade)) == []


def test_whom_a_state_calls_up_is_a_note() -> None:
    code = (
        'sex = input("Your sex (M/F): ")\nif sex == "F":\n    print("Military service: not eligible")\n'
        'else:\n    print("Military service: eligible")\n'
    )
    assert {one.severity for one in check_source(code, settings=NOTES).findings} <= {"note"}


def test_a_code_that_is_printed_and_read_is_still_a_caste() -> None:
    code = (
        "#include <stdio.h>\n#include <string.h>\nint main(void)\n{\n    char category[9]; int fee = 900;\n"
        '    printf("Category (GEN/OBC/SC/ST): ");\n    scanf("%8s", category);\n'
        '    printf("You said %s\\n", category);\n    if (strcmp(category, "SC") == 0)\n        fee = 100;\n'
        "    return fee;\n}\n"
    )
    found = check_source(code, language="c", settings=NOTES).findings
    assert [(one.rule, one.use.attribute) for one in found] == [("FL201", "caste")]


@pytest.mark.parametrize(
    ("asked", "places"),
    [
        ("Enter age sex and marital status", "&n, &a, &b"),
        ("age, sex, merital status (y/n): ", "&n, &a, &b"),
        ("Sex marital status age", "&a, &b, &n"),
    ],
)
def test_names_one_behind_the_other_are_asked_for_in_that_order(asked: str, places: str) -> None:
    code = (
        "#include <stdio.h>\nint main(void)\n{\n    char a, b; int n;\n"
        f'    printf("{asked}");\n    scanf("%d %c %c", {places});\n'
        "    if (b == 'M' || (b == 'U' && a == 'F'))\n        printf(\"Driver is insured\");\n"
        '    else\n        printf("Driver is not insured");\n    return 0;\n}\n'
    )
    (found,) = check_source(code, language="c", settings=NOTES).findings
    assert {found.use.attribute, *found.use.joined} == {"gender", "marital_status"}


def test_groups_that_are_told_the_same_but_for_their_name_fare_alike() -> None:
    code = (
        'sex = input("Your sex (M/F): ")\nif sex == "M":\n    print("You are eligible, and you are {}")\n'
        'elif sex == "F":\n    print("You are {}eligible, and you are female")\n'
        'else:\n    print("Invalid sex entered, not eligible")\n'
    )
    assert told(code.format("male", "")) == []
    assert told(code.format("male", "not ")) == [("FL101", "gender")]


@pytest.mark.parametrize(
    ("some", "others"),
    [
        ("You can rent this room", "You cannot rent this room"),
        ("Priority level: HIGH", "Priority level: NORMAL"),
    ],
)
def test_what_somebody_may_and_how_urgent_he_is_are_outcomes(some: str, others: str) -> None:
    code = (
        f'sex = input("Your sex: ")\nif sex == "male":\n    print("{some}")\nelse:\n    print("{others}")\n'
    )
    assert told(code) == [("FL101", "gender")]
    shown = code.replace(some, "You can see the blue page").replace(others, "You can see the red page")
    assert told(shown) == []


@pytest.mark.parametrize(
    ("yes", "no"),
    [("You can marry", "You cannot marry"), ("Eligible for marriage", "Not eligible for marriage")],
)
def test_who_may_marry_is_what_a_statute_says(yes: str, no: str) -> None:
    code = (
        'sex = input("Your sex: ")\nage = int(input("Your age: "))\n'
        f'if sex == "male" and age >= 21 or sex == "female" and age >= 18:\n    print("{yes}")\n'
        f'else:\n    print("{no}")\n'
    )
    assert {one.severity for one in check_source(code, settings=NOTES).findings} == {"note"}


def test_a_citizens_vote_is_a_note_and_a_citizens_loan_is_not() -> None:
    asked = 'citizen = input("Are you a citizen? ")\n'
    code = asked + 'if citizen == "yes":\n    print("{}")\nelse:\n    print("{}")\n'
    said = {
        text: {one.severity for one in check_source(code.format(*text), settings=NOTES).findings}
        for text in (("You can vote", "You cannot vote"), ("The loan is approved", "The loan is rejected"))
    }
    assert list(said.values()) == [{"note"}, {"error"}]


def test_constants_of_an_enum_say_what_a_category_is() -> None:
    code = (
        "enum list { {names} };\nstruct row { int place; enum list category; };\n"
        "int is_admitted(struct row r)\n{\n    switch (r.category) {\n    case {first}:\n"
        "        return r.place < 100;\n    default:\n        return r.place < 400;\n    }\n}\n"
    )
    castes = code.replace("{names}", "GEN, OBC, SC, ST").replace("{first}", "OBC")
    shapes = code.replace("{names}", "ROUND, FLAT, ST").replace("{first}", "FLAT")
    told_by = [check_source(one, language="c", settings=NOTES).findings for one in (castes, shapes)]
    assert [[one.use.attribute for one in findings] for findings in told_by] == [["caste"], []]


@pytest.mark.parametrize("end", ["else:", "elif True:"])
def test_two_groups_that_are_sent_the_same_are_told_apart_from_the_others(end: str) -> None:
    code = (
        "def decide(connection, candidate):\n"
        "    if candidate['ethnicity'] in ('black', 'white'):\n"
        "        connection.execute('UPDATE a SET status = ?', ('rejected', candidate['id']))\n"
        f"    {end}\n"
        "        connection.execute('UPDATE a SET status = ?', ('approved', candidate['id']))\n"
    )
    assert told(code) == [("FL101", "ethnicity")]
