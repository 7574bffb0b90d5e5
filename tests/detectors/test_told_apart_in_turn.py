"""Separate branches that ask for something and tell people what they get: one finding, with all of it."""

from __future__ import annotations

import textwrap

from fairlint import check_source


def told(code: str, language: str = "python") -> list[str]:
    report = check_source(
        textwrap.dedent(code).lstrip("\n"),
        path=f"scholarships.{'py' if language == 'python' else 'c'}",
        language=language,
    )
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule}: {one.message}" for one in report.findings]


def test_what_both_are_asked_for_is_no_score() -> None:
    (found,) = told(
        """
        sex = input("Your sex: ").lower()
        if sex == "male":
            points = float(input("Points: "))
            if points > 70:
                print("You get a discount of 50")
        if sex == "female":
            points = float(input("Points: "))
            if points > 70:
                print("You get a discount of 80")
        """
    )
    assert found.endswith(
        'male → print("You get a discount of 50"), female → print("You get a discount of 80")'
    )


def test_bands_of_ages_that_are_told_in_turn() -> None:
    (found,) = told(
        """
        def quote(person):
            if person.age < 30:
                print("Your premium is 90")
            if person.age >= 30 and person.age < 60:
                print("Your premium is 60")
            if person.age >= 60:
                print("Your premium is 140")
        """
    )
    assert "under 30 → " in found
    assert "30–59 → " in found
    assert "60 and over → " in found


def test_texts_for_the_same_people_stay_two_findings() -> None:
    assert (
        len(
            told(
                """
            def quote(person):
                if person.gender == "male":
                    print("Your premium is 90")
                if person.gender != "female":
                    print("Your fee is 20")
            """
            )
        )
        == 2
    )


def test_a_number_that_only_one_group_is_asked_for_is_no_amount() -> None:
    assert not [
        one
        for one in told(
            """
            def ask(person):
                bonus = 0
                if person.gender == "female":
                    bonus = int(input("Bonus: "))
                return bonus
            """
        )
        if "+" in one or "= " in one
    ]


def test_what_c_asks_for_is_what_is_typed_in() -> None:
    (found,) = told(
        """
        #include <stdio.h>
        #include <string.h>

        int main(void)
        {
            char answer[12];
            puts("What is your sex?");
            fgets(answer, sizeof answer, stdin);
            if (strncmp(answer, "male", 4) == 0)
                printf("Your discount is 5");
            if (strncmp(answer, "female", 6) == 0)
                printf("Your discount is 15");
            return 0;
        }
        """,
        "c",
    )
    assert found.startswith("9 FL101: the outcome depends on gender: male → ")


def test_what_c_asks_for_last_is_what_counts() -> None:
    assert (
        told(
            """
            #include <stdio.h>

            int main(void)
            {
                char sex, again;
                printf("Sex: ");
                scanf(" %c", &sex);
                printf("Once more, with a new form? ");
                scanf(" %c", &again);
                if (again == 'm') {
                    printf("You are rejected");
                    return 1;
                }
                return 0;
            }
            """,
            "c",
        )
        == []
    )
