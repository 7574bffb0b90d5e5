"""`fairlint explain`: what is said about one line, in every way that a line can be silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairlint.checking.explain import Explanation, explain
from fairlint.checking.explained_uses import EFFECTS, REMEDIES, TAGS
from fairlint.checking.runner import check_paths
from fairlint.cli import main
from fairlint.cli.explain import COMMAND, _parse_place
from fairlint.config import Settings
from fairlint.findings.uses import Effect
from fairlint.rules.judging import MILD_TAGS
from fairlint.support.errors import UsageError

SCORE = """\
BONUS = {"white": 2, "asian": 1}


def area(a, b):
    return a * b


def score_candidate(candidate):
    \"\"\"Scores without a look at the gender.\"\"\"
    score = 3 * candidate.years_experience
    if candidate.gender == "male":
        score += 5
    score += BONUS.get(candidate.race, 0)
    log("race_condition", score)  # by gender
    print(candidate.gender)
    return score
"""

Ask = Callable[..., Explanation]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Explains the line that holds some text, in a file with some code."""
    monkeypatch.chdir(tmp_path)

    def asked(
        code: str, line: str, *, path: str = "score.py", column: int | None = None, **settings: Any
    ) -> Explanation:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(code)
        (number,) = [at for at, text in enumerate(code.splitlines(), 1) if line in text]
        return explain(path, number, column=column, settings=Settings(root=tmp_path, **settings))

    return asked


def codes(told: Explanation) -> list[str]:
    """The codes of all reasons, the accounts' first."""
    return [
        reason.code
        for reasons in (
            *(account.reasons for account in told.accounts),
            [unused.reason for unused in told.unused],
            told.reasons,
        )
        for reason in reasons
    ]


# ---------------------------------------------------------------------------------------------- findings


def test_a_finding_with_its_rule_its_groups_and_the_sum_of_its_evidence(ask: Ask) -> None:
    told = ask(SCORE, "candidate.gender ==")
    (account,) = told.accounts
    assert account.verdict is not None
    assert (account.verdict.rule.code, account.verdict.severity) == ("FL201", "error")
    assert account.use.points is not None
    assert account.use.points.by_group == {"male": 5, "female": 0}
    assert account.use.weight == sum(item.weight for item in account.use.evidence) >= 5
    assert codes(told) == []
    assert told.function == "score_candidate"


@pytest.mark.parametrize("line", ["score += 5", "BONUS = ", "BONUS.get"])
def test_a_line_on_the_way_counts(ask: Ask, line: str) -> None:
    (account,) = ask(SCORE, line).accounts
    assert account.reasons == ()
    assert account.verdict is not None
    assert account.verdict.rule.code in {"FL201", "FL202"}


def test_findings_are_those_of_a_run(ask: Ask) -> None:
    for number, line in enumerate(SCORE.splitlines(), 1):
        if SCORE.splitlines().count(line) > 1:
            continue
        told = ask(SCORE, line)
        reported = {
            account.verdict.rule.code
            for account in told.accounts
            if account.verdict and not account.reasons and account.start.line == number
        }
        run = check_paths(["score.py"], Settings())
        assert reported == {finding.rule for finding in run.findings if finding.start.line == number}


def test_a_column_leaves_out_what_does_not_cover_it(ask: Ask) -> None:
    code = (
        "def decide(person):\n"
        "    bonus = (5 if person.gender == 'male' else 0); score = (3 if person.race == 'white' else 0)\n"
        "    return bonus + score\n"
    )
    assert {account.use.attribute for account in ask(code, "bonus = ").accounts} == {"gender", "race"}
    (account,) = ask(code, "bonus = ", column=code.splitlines()[1].index("person.race") + 1).accounts
    assert account.use.attribute == "race"
    assert len(ask(code, "bonus = ", column=1).accounts) == 2


# ---------------------------------------------------------------------------------------- why it is silent


def test_the_effect_moves_nobody(ask: Ask) -> None:
    told = ask(SCORE, "print(")
    assert codes(told) == ["effect"]
    assert told.accounts[0].use.effect == "show"


def test_a_function_that_is_not_looked_into(ask: Ask) -> None:
    told = ask(SCORE, "return a * b")
    assert codes(told) == ["not-lowered"]
    assert told.nearest == 11
    assert "`area` was not looked into" in told.reasons[0].text
    assert "the nearest one is in line 11" in told.reasons[0].text


def test_a_line_without_a_name(ask: Ask) -> None:
    told = ask(SCORE, "3 * candidate")
    assert codes(told) == ["no-name"]
    assert told.nearest == 11


def test_a_file_without_a_name(ask: Ask) -> None:
    told = ask("def area(a, b):\n    return a * b\n", "return")
    assert codes(told) == ["no-hit"]
    assert told.nearest is None


@pytest.mark.parametrize("line", ["Scores without"])
def test_names_in_running_text_count_for_nothing(ask: Ask, line: str) -> None:
    assert codes(ask(SCORE, line)) == ["comment"]


def test_a_comment_counts_for_nothing(ask: Ask) -> None:
    told = ask(SCORE, "race_condition")
    assert {name.where for name in told.names if name.attribute == "gender"} == {"comment"}
    assert codes(told) == ["comment"]
    assert codes(ask("x = 1  # gender\n", "x")) == ["comment"]


def test_a_name_on_which_nothing_hangs(ask: Ask) -> None:
    told = ask("def f(applicant):\n    applicant.race\n", "applicant.race")
    assert codes(told) == ["no-use"]
    assert told.unused[0].weight == sum(item.weight for item in told.unused[0].evidence) > 0


UNSEEN = """\
from yard import put_up


def place(tenant):
    if tenant.gender == "male":
        put_up(tenant)
    if tenant.race == "white":
        tenant.tone = "b"
        send_off(tenant)
    print("Mr" if tenant.gender == "male" else "Ms")
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('tenant.gender == "male":', ["`put_up` decides", "a library model of `yard`", 'put_up = "decides"']),
        ("tenant.race", ["`tenant.tone` or `send_off` is an outcome", "a name that says so"]),
        ("print", ["nothing, unless"]),
    ],
)
def test_what_is_not_seen_is_not_said_to_be_absent(ask: Ask, line: str, names: list[str]) -> None:
    (account,) = ask(UNSEEN, line).accounts
    (reason,) = account.reasons
    assert (reason.code, reason.text) == ("effect", "fairlint sees no outcome or score that depends on it")
    for name in names:
        assert name in reason.remedy


def test_what_is_to_be_done_is_enough(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "yard.toml").write_text('package = "yard"\n[functions]\nput_up = "decides"\n')
    (account,) = ask(UNSEEN, 'tenant.gender == "male":', library_models=("yard.toml",)).accounts
    assert account.verdict is not None
    renamed = UNSEEN.replace("tenant.tone", "tenant.tone_decision")
    (account,) = ask(renamed, "tenant.race").accounts
    assert account.verdict is not None


def test_too_little_speaks_for_a_person(ask: Ask) -> None:
    code = "def lock(thread):\n    if thread.race == 1:\n        return False\n    return True\n"
    told = ask(code, "thread.race")
    assert "weight" in codes(told)


def test_what_is_tested_together_is_told_once(ask: Ask) -> None:
    code = (
        "def decide(person):\n"
        "    if person.gender == 'female' and person.race == 'black':\n"
        "        return 'reject'\n"
        "    return 'hire'\n"
    )
    told = ask(code, "person.gender")
    speaker, silent = told.accounts
    assert speaker.use.joined == (silent.use.attribute,)
    assert codes(told) == ["spoken-for"]
    assert "explain score.py:2" in silent.reasons[0].remedy


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"select": ("FL1",)}, "select"),
        ({"ignore": ("points-by-group",)}, "ignore"),
        ({"per_file_ignores": {"*.py": ("FL2",)}}, "per-file-ignores"),
        ({"exclude": ("score.py",)}, "excluded"),
    ],
)
def test_the_settings_hide_it(ask: Ask, settings: dict[str, Any], code: str) -> None:
    assert codes(ask(SCORE, "candidate.gender ==", **settings)) == [code]


def decision_by(field: str) -> str:
    return (
        "def accept_loan(applicant):\n"
        f"    if applicant.{field}:\n"
        "        return 'reject'\n"
        "    return 'accept'\n"
    )


def test_a_law_that_does_not_name_it(ask: Ask) -> None:
    code = decision_by("is_veteran")
    assert codes(ask(code, "is_veteran")) == []
    assert codes(ask(code, "is_veteran", jurisdiction="uk")) == ["jurisdiction"]


def test_a_domain_in_which_it_is_lawful(ask: Ask) -> None:
    code = decision_by("marital_status == 'single'")
    assert codes(ask(code, "marital_status")) == []
    assert codes(ask(code, "marital_status", domain="justice")) == ["domain"]
    assert codes(ask(decision_by("income_level == 'low'"), "income_level")) == ["domain"]


def test_what_a_comment_puts_aside_says_so(ask: Ask) -> None:
    code = f"# fairlint: ignore-file[FL201] -- the quota law\n{SCORE}"
    (account,) = ask(code, "candidate.gender ==").accounts
    assert account.verdict is not None
    assert [reason.code for reason in account.reasons] == ["suppressed"]
    assert account.reasons[0].text == "the comment in line 1 suppresses it: the quota law"


def test_a_milder_finding_says_why(ask: Ask) -> None:
    code = SCORE.replace("score_candidate", "mitigate_bias_for_candidate")
    (account,) = ask(code, "candidate.gender ==").accounts
    assert account.verdict is not None
    assert account.verdict.severity == "note"
    assert account.milder == "a note, not error: its context is audit (4)"
    assert [reason.code for reason in account.reasons] == ["min-severity"]
    (shown,) = ask(code, "candidate.gender ==", min_severity="note").accounts
    assert shown.reasons == ()


def test_a_line_that_could_not_be_read(ask: Ask) -> None:
    code = "def decide(person):\n    retrun ( person.race ==\n    return person.gender\n"
    told = ask(code, "retrun")
    assert set(codes(told)) == {"gap"}
    assert "not analysed" in told.reasons[0].text


def test_every_effect_and_every_mild_tag_is_in_words() -> None:
    assert set(EFFECTS) == set(Effect.__args__)  # type: ignore[attr-defined]
    assert set(TAGS) >= set(MILD_TAGS)


def test_every_code_is_in_the_manual() -> None:
    page = (Path(__file__).parent.parent / "docs" / "usage.md").read_text("utf-8")
    section = page.partition("## Why a line is reported, or not\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert {code.strip(" `") for row in rows for code in row.split(",")} == set(REMEDIES)


# --------------------------------------------------------------------------------------------------- names


def unknown(told: Explanation) -> dict[str, str]:
    return {name.written: name.reason for name in told.names if not name.attribute}


def test_names_known_and_unknown(ask: Ask) -> None:
    told = ask(SCORE, "candidate.gender ==")
    known = {name.written: (name.attribute, name.group) for name in told.names if name.attribute}
    assert known == {"gender": ("gender", ""), "male": ("gender", "male")}
    assert unknown(told) == {"candidate": ""}


def test_the_groups_of_a_table_whose_attribute_is_read_elsewhere(ask: Ask) -> None:
    told = ask(SCORE, "BONUS = ")
    groups = {name.written: name.group for name in told.names if name.attribute == "race"}
    assert groups == {"white": "white", "asian": "asian"}


def test_a_false_friend_says_so(ask: Ask) -> None:
    assert "false friend" in unknown(ask(SCORE, "race_condition"))["race_condition"]


def test_a_name_that_needs_a_person_before_it(ask: Ask) -> None:
    code = "zip = load()\nperson.zip = 3\n"
    assert "only as a field of a person" in unknown(ask(code, "load"))["zip"]
    assert [name.attribute for name in ask(code, "person.zip").names if name.attribute] == ["zip_code"]


def test_names_in_templates_queries_and_getters(ask: Ask) -> None:
    code = (
        "prompt = f'Shall we hire {person.gender}?'\n"
        "rows = run('SELECT id FROM applicants WHERE race = 1')\n"
        "value = get_age(person)\n"
    )
    assert {name.attribute for name in ask(code, "prompt").names if name.attribute} == {"gender"}
    assert {(name.attribute, name.where) for name in ask(code, "SELECT").names if name.attribute} == {
        ("race", "text")
    }
    assert {name.attribute for name in ask(code, "get_age").names if name.attribute} == {"age"}


def test_c_has_its_own_comments_and_words(ask: Ask) -> None:
    code = (
        "int rate(const struct applicant *a) {\n"
        "    int score = 0; /* race */\n"
        "    if (a->gender == MALE) score += 5; // age\n"
        "    return score;\n"
        "}\n"
    )
    told = ask(code, "a->gender", path="rate.c")
    assert told.accounts[0].verdict is not None
    assert {name.written: name.where for name in told.names if name.attribute} == {
        "gender": "code",
        "MALE": "code",
        "age": "comment",
    }
    assert codes(ask(code, "race", path="rate.c")) == ["comment"]


# ----------------------------------------------------------------------------------------------- notebooks


def notebook(*cells: str) -> str:
    every = [{"cell_type": "markdown", "metadata": {}, "source": ["# Hiring"]}]
    every += [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": [text]}  # type: ignore[dict-item]
        for text in cells
    ]
    return json.dumps({"cells": every, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_cell_of_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    head, _, body = SCORE.partition("\n\n\n")
    Path("score.ipynb").write_text(notebook(head, body))
    line = body.splitlines().index('    if candidate.gender == "male":') + 1
    told = explain("score.ipynb", line, cell=3, settings=Settings())
    assert told.accounts[0].verdict is not None
    assert told.text.strip() == 'if candidate.gender == "male":'
    table = explain("score.ipynb", 1, cell=2, settings=Settings())
    assert table.accounts[0].cell == 3
    for cell, number, problem in (
        (None, 1, "say which cell: score.ipynb:cell 2:1"),
        (1, 1, "cell 1 holds no code"),
        (2, 2, "cell 2 has 1 line, so there is no line 2"),
    ):
        with pytest.raises(UsageError, match=problem):
            explain("score.ipynb", number, cell=cell, settings=Settings())


# ------------------------------------------------------------------------------------------ the command line


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "score.py").write_text(SCORE)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_the_text_for_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--isolated", "score.py:11"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "score.py:11 in score_candidate"
    assert lines[2] == '11 |     if candidate.gender == "male":'
    assert "error[FL201]: `score` depends on gender: male +5, female +0, gap 5" in lines
    titles = [line.split()[0] for line in lines[10:] if line.startswith("  ") and line[2] != " "]
    assert titles == ["use", "effect", "groups", "way", "evidence", "rule", "instead"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", range(1, len(SCORE.splitlines()) + 1))
def test_every_line_has_an_answer(capsys: pytest.CaptureFixture[str], line: int) -> None:
    assert main(["explain", f"score.py:{line}"]) == 0
    output = capsys.readouterr().out
    assert "no finding" in output or "[FL" in output
    assert "to do" in output or "instead" in output
    assert "\x1b" not in output


@pytest.mark.usefixtures("here")
def test_lines_keep_to_the_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlint.cli.explain.terminal_width", lambda *_: 70)
    main(["explain", "score.py:5"])
    main(["explain", "score.py:13"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 70


@pytest.mark.usefixtures("here")
def test_colour_only_where_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "score.py:11", "--color", "always"])
    assert "\x1b[1;31merror[FL201]\x1b[0m" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "score.py:11:8", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["thresholds"] == {"note": 3, "full": 5}
    (use,) = facts["uses"]
    assert (use["rule"], use["severity"], use["reported"]) == ("FL201", "error", True)
    assert use["weight"] == sum(item["weight"] for item in use["evidence"])
    assert [name["name"] for name in facts["names"]] == ["candidate", "gender", "male"]
    main(["explain", "score.py:5", "--format", "json"])
    facts = json.loads(capsys.readouterr().out)
    assert [reason["code"] for reason in facts["reasons"]] == ["not-lowered"]
    assert facts["nearest"] == 11


@pytest.mark.usefixtures("here")
def test_what_a_run_shows_because_it_fails_on_notes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fairlint.toml").write_text('fail-on = "note"\n')
    Path("score.py").write_text(SCORE.replace("score_candidate", "mitigate_bias_for_candidate"))
    main(["explain", "score.py:11"])
    assert "hidden" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "explain takes a file and a line"),
        (["score.py"], "such as score.py:1"),
        (["score.py:99"], "file has 16 lines, so there is no line 99"),
        (["score.py:0"], "no line 0"),
        (["score.py:3:9"], "line 3 has 0 columns, not 9"),
        (["gone.py:3"], "gone.py: no such file"),
        (["notes.txt:1"], "neither its suffix nor its first line says Python or C"),
        (["folder:1"], "is a folder"),
        (["score.py:cell 2:3"], "is no notebook"),
        (["zeros.py:1"], "a binary file"),
        (["--all", "score.py:1"], "unknown option --all"),
    ],
)
def test_wrong_usage_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    (here / "notes.txt").write_text("gender\n")
    (here / "zeros.py").write_bytes(b"\0gender\n")
    (here / "folder").mkdir()
    assert main(["explain", *arguments]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert problem in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a.py:3", ("a.py", None, 3, None)),
        ("a.py:3:7", ("a.py", None, 3, 7)),
        ("a.py:3:7:", ("a.py", None, 3, 7)),
        ("C:/a.py:3", ("C:/a.py", None, 3, None)),
        ("a b.ipynb:cell 4:line 7", ("a b.ipynb", 4, 7, None)),
        ("a.ipynb:cell 4:line 7:2", ("a.ipynb", 4, 7, 2)),
        ("a.ipynb:cell 4:7:2", ("a.ipynb", 4, 7, 2)),
    ],
)
def test_places_as_reports_write_them(text: str, place: tuple[str, int | None, int, int | None]) -> None:
    assert _parse_place(text) == place


def test_blanks_in_a_place_need_no_quotes() -> None:
    assert COMMAND.parse(["a.ipynb:cell", "4:line", "7"]).words == ["a.ipynb:cell", "4:line", "7"]


def test_a_limit_that_the_law_sets_is_named(tmp_path: Path) -> None:
    path = tmp_path / "terms.py"
    path.write_text(
        "def offer(applicant):\n"
        "    if applicant.age < 18:\n        return 'rejected'\n"
        "    if applicant.age > 60:\n        return 'rejected'\n"
        "    return 'standard terms'\n"
    )
    (minor,) = explain(str(path), 2, settings=Settings()).accounts
    assert [(reason.code, reason.text) for reason in minor.reasons] == [
        ("lawful", "a limit of age that the law itself sets decides here")
    ]
    (older,) = explain(str(path), 4, settings=Settings()).accounts
    assert older.verdict is not None
    (own,) = explain(str(path), 2, settings=Settings(lawful_ages=(21.0,))).accounts
    assert [reason.code for reason in own.reasons] == ["effect"]
