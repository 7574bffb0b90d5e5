"""Decisions: what is told of them, behind many other conditions, and in branches one after another."""

from __future__ import annotations

import textwrap

import pytest

import fairlint

CONDITIONS = (
    "p.x§ > 3", "p.y§ < 2", "not p.flag§", "p.kind != 'k§'", "p.ok§", "p.a§ and p.b§", "p.a§ or not p.b§",
    "p.n in (1, 2, §)",
)  # fmt: skip


def conditions(count: int) -> list[str]:
    return [CONDITIONS[place % len(CONDITIONS)].replace("§", str(place)) for place in range(count)]


def nested(count: int, inside: str) -> str:
    opened = [f"{' ' * place}  if {test}:" for place, test in enumerate(conditions(count))]
    return "\n".join((*opened, f"{' ' * count}  {inside}"))


def rules(body: str) -> list[str]:
    return [found.rule for found in fairlint.check_source(f"def decide(p):\n{body}\n").findings]


DECIDES = """
    def decide(applicant):
        if applicant.gender == "female":
            return "rejected"
        return "{others}"
    """


def test_an_outcome_by_group_is_told_at_the_test_with_what_each_gets() -> None:
    assert told(DECIDES.format(others="hired")) == [
        '2 FL101: the outcome depends on gender: male → return "hired", female → return "rejected"'
    ]


def test_the_same_outcome_for_all_is_no_decision_by_group() -> None:
    assert told(DECIDES.format(others="rejected")) == []


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_branches_in_one_another(count: int) -> None:
    inside = nested(count, "return 'rejected'")

    assert rules(f" if p.gender == 'female':\n{inside}\n return 'hired'") == ["FL101"]


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_one_long_condition(count: int) -> None:
    tests = " and ".join(f"({test})" for test in conditions(count))

    assert rules(f" if p.gender == 'female' and {tests}:\n  return 'rejected'\n return 'hired'") == ["FL101"]


@pytest.mark.parametrize("count", [3, 6, 10, 20, 40])
def test_behind_early_returns(count: int) -> None:
    returns = "\n".join(f"  if {test}:\n   return 'hired'" for test in conditions(count)).replace("!=", "==")

    assert rules(f" if p.gender == 'female':\n{returns}\n  return 'rejected'\n return 'hired'") == ["FL101"]


def test_points_behind_conditions() -> None:
    inside = nested(12, "score += 5")

    assert rules(f" score = 0\n if p.gender == 'female':\n{inside}\n return score") == ["FL201"]


@pytest.mark.parametrize(
    "never",
    [
        "  if p.x > 5:\n   if p.x < 3:\n    ",
        "  if p.kind == 'a':\n   if p.kind == 'b':\n    ",
        "  if p.ok:\n   if not p.ok:\n    ",
    ],
)
def test_what_never_happens_is_no_decision(never: str) -> None:
    assert rules(f" if p.gender == 'female':\n{never}return 'rejected'\n return 'hired'") == []


def test_the_same_for_all_behind_conditions() -> None:
    inside = nested(12, "return 'rejected'")

    assert rules(f" if p.gender == 'female' or p.gender != 'female':\n{inside}\n return 'hired'") == []


# ------------------------------------------- branches one after another: one finding, with all of it


def told(code: str, language: str = "python") -> list[str]:
    report = fairlint.check_source(
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
