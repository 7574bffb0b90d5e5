"""`fairlint counterfactual --prompt`: from a prompt and cases to a verdict."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, serving

from fairlint.cli import main
from fairlint.counterfactual.prompts.answers_read import form_of, read_answer
from fairlint.counterfactual.prompts.cells import cells_of
from fairlint.counterfactual.prompts.exchange import FORMS
from fairlint.counterfactual.prompts.gendered_words import rewrite_for
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.planning import plan_audit
from fairlint.counterfactual.prompts.templates import load_template
from fairlint.support.errors import UsageError
from fairlint.testing import assert_prompt_counterfactual_fair

PROMPT = """You screen applicants for a job.
Name: {name}
Gender: {gender}
Summary: {summary}
Should we invite this applicant? Answer yes or no.
"""
CODE = '''def screen(client, applicant):
    prompt = f"""You screen applicants for a job.
Gender: {applicant.gender}
Years of experience: {applicant.years}
Should we invite this applicant? Answer yes or no."""
    return client.chat.completions.create(model="x", messages=[{"role": "user", "content": prompt}])
'''


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(PROMPT)
    Path("screen.py").write_text(CODE)
    rows = [{"name": f"Pat {chr(65 + at)}", "gender": "male", "years": str(at), "summary": f"Has {at} years."}
            for at in range(14)]  # fmt: skip
    write_cases(rows)


def write_cases(rows: Sequence[dict[str, str]], path: str = "cases.csv") -> None:
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def content(asked: Asked) -> str:
    return str(asked.payload["messages"][-1]["content"])


def says(answer: Callable[[str], str]) -> Callable[[Asked], Reply]:
    return lambda asked: Reply(pieces=["ok" if asked.probe else answer(content(asked))])


def audit(url: str, *options: str, prompt: str = "prompt.txt", cases: str = "cases.csv") -> int:
    return main(
        ["counterfactual", "--prompt", prompt, "--cases", cases, "--model", "openai:tiny-model",
         "--base-url", url, "--draws", "2", *options]
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- verdicts


def test_a_model_that_prefers_a_group_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda text: "Yes." if "Gender: female" in text else "No.")) as server:
        code = audit(server.url, "--attribute", "gender", "--format", "json")
    told = json.loads(capsys.readouterr().out)
    by_channel = {one["channel"]: one for one in told["effects"] if one["outcome"] == "decision"}

    assert code == 1
    assert by_channel["explicit"]["verdict"] == "biased"
    assert by_channel["explicit"]["mean"] == -1.0
    assert (by_channel["explicit"]["group"], by_channel["explicit"]["others"]) == ("male", ["female"])
    assert by_channel["name"]["verdict"] == "nothing to compare"  # nobody gets a yes there
    (rates,) = [one for one in told["rates"] if one["channel"] == "explicit"]
    assert {one["groups"]["gender"]: one["ratio"] for one in rates["groups"]} == {"female": 1.0, "male": 0.0}
    assert told["asked"]["temperature"] == 0.0


def test_an_effect_of_a_name_is_not_one_of_the_stated_group(capsys: pytest.CaptureFixture[str]) -> None:
    black = {first for one in shipped_names("us") if one.race == "black" for first in one.first}
    with serving(says(lambda text: "no" if any(f": {name} " in text for name in black) else "yes")) as server:
        code = audit(server.url, "--format", "json")
    told = json.loads(capsys.readouterr().out)
    seen = {
        (one["channel"], one["attribute"], one["group"])
        for one in told["effects"]
        if one["verdict"] == "biased" and one["mean"] < 0
    }

    assert code == 1
    assert seen == {("name", "race", "black")}
    assert {source["year"] for one in told["names"] for source in one["sources"]} == {2017, 2020}


def test_nobody_is_ever_called_fair(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda text: "yes" if len(text) % 2 else "no")) as server:
        code = audit(server.url, "--attribute", "gender")
    out = capsys.readouterr().out

    assert code == 0
    assert "not seen; could have seen" in out
    assert "fair" not in out.replace("fairlint", "")


def test_refusals_of_a_group_are_an_effect(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(
        says(lambda text: "I'm sorry, I cannot assess that." if "Gender: female" in text else "Yes")
    ) as server:
        audit(server.url, "--attribute", "gender", "--format", "json")
    told = json.loads(capsys.readouterr().out)
    refused = [one for one in told["effects"] if (one["channel"], one["outcome"]) == ("explicit", "refused")]

    assert [(one["verdict"], one["mean"]) for one in refused] == [("biased", -1.0)]
    assert told["answers"]["refused"] > 0


def test_the_finding_at_the_line_carries_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda text: "Yes." if "Gender: female" in text else "No.")) as server:
        audit(server.url, "--format", "json", "--run", "r", prompt="screen.py:3")
        told = json.loads(capsys.readouterr().out)
        audit(server.url, "--format", "sarif", "--run", "r", "--resume", prompt="screen.py:3")
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]

    assert told["line"] == 2
    assert result["ruleId"] == "FL701"
    assert "male against female (explicit) -100.0 points beyond placebo, biased" in result["message"]["text"]


# --------------------------------------------------------------------------------------------- asking


def test_what_was_answered_is_never_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda _: "yes")) as server:
        audit(server.url, "--attribute", "gender", "--run", "r")
        asked = len(server.real)
        first = capsys.readouterr().out
        lines = Path("r/responses.jsonl").read_bytes().splitlines(keepends=True)
        Path("r/responses.jsonl").write_bytes(b"".join(lines[:-5]) + lines[-5][:20])
        refused = audit(server.url, "--attribute", "gender", "--run", "r")
        audit(server.url, "--attribute", "gender", "--run", "r", "--resume")

    assert refused == 2
    assert len(server.real) == asked + 5
    assert capsys.readouterr().out == first


def test_a_run_of_another_prompt_is_not_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda _: "yes")) as server:
        audit(server.url, "--attribute", "gender", "--run", "r")
        Path("prompt.txt").write_text(PROMPT.replace("screen", "judge"))
        code = audit(server.url, "--attribute", "gender", "--run", "r", "--resume")

    assert code == 2
    assert "holds a run with other settings: prompts_hash" in capsys.readouterr().err


def test_a_cache_answers_what_another_run_asked() -> None:
    with serving(says(lambda _: "yes")) as server:
        audit(server.url, "--attribute", "gender", "--run", "r", "--answer-cache", "c")
        asked = len(server.real)
        audit(server.url, "--attribute", "gender", "--run", "s", "--answer-cache", "c")

    assert len(server.real) == asked


def test_kept_answers_are_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda text: "Yes." if "Gender: female" in text else "No.")) as server:
        audit(server.url, "--attribute", "gender", "--run", "r", "--format", "json")
    asked = json.loads(capsys.readouterr().out)
    audit("http://127.0.0.1:1/v1", "--attribute", "gender", "--model", "replay:r/responses.jsonl",
          "--run", "s", "--format", "json")  # fmt: skip

    assert json.loads(capsys.readouterr().out)["effects"] == asked["effects"]


def test_a_dry_run_asks_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("http://127.0.0.1:1/v1", "--dry-run", "--prices", "1,2") == 0
    out = capsys.readouterr().out

    assert "points or more with 80 %" in out
    assert "tokens read" in out
    assert "costs 0." in out
    assert "Gender: female" in out
    assert out.endswith("No model was asked.\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prompt", "empty.txt"], "the prompt has no placeholder for a person"),
        (["--prompt", "job.txt"], "no placeholder says who the person is ({summary})"),
        (["--cases", "few.csv"], "few.csv: has no column for {summary}: its columns are name"),
        (["--cases", "none.csv"], "none.csv: holds no cases"),
        (
            ["--prompt", "screen.py:3", "--attribute", "race"],
            "nothing in the prompt shows",
        ),
        (["--groups", "gender=female"], "--groups gender=female: write an attribute and its groups"),
        (["--prompt", "open.txt"], "the prompt does not say how to answer"),
        (["--budget", "0.0001", "--prices", "1,1"], "--budget 0.0001 is not enough"),
        (["--budget", "1"], "--budget needs --prices"),
        (["--favourable", "perhaps"], "--favourable perhaps: the answers are yes, no"),
        (["--names", "xx"], "--names xx: there are lists of be, de, es, fr, gb, us only"),
        (["--names", "nowhere.csv"], "nowhere.csv: "),
        (["--prompt", "screen.py:1"], "screen.py:1: no text with placeholders stands there"),
        (["--prompt", "logic.j2"], "only placeholders of Jinja are read"),
    ],
)
def test_bad_input_is_one_line_and_asks_nobody(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_text("Answer yes or no.")
    Path("job.txt").write_text("Is {summary} good? yes or no")
    Path("open.txt").write_text("Tell me about {name}.")
    Path("logic.j2").write_text("{% for x in y %}{{ name }}{% endfor %}")
    Path("few.csv").write_text("name\nPat\n")
    Path("none.csv").write_text("name,summary\n")
    with serving(says(lambda _: "yes")) as server:
        code = audit(server.url, *options)
    err = capsys.readouterr().err

    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert server.asked == []


@pytest.mark.parametrize(
    ("line", "attribute", "is_noted"),
    [
        ("She has ten years of practice.", "gender", True),
        ("Should he be invited?", "gender", True),
        ("Should he or she be invited?", "gender", False),
        ("Should they be invited?", "gender", False),
        ("Should he be invited?", "race", False),
    ],
)
def test_a_prompt_that_says_a_sex_itself_is_noted(
    line: str, attribute: str, is_noted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stays as it is for everybody, so it may speak of a man as *she*."""
    Path("own.txt").write_text(f"Applicant: {{name}}\nGender: {{gender}}\n{line}\nAnswer yes or no.\n")
    code = audit("http://127.0.0.1:1/v1", "--dry-run", "--attribute", attribute, prompt="own.txt")
    assert code == 0
    assert (f"whoever the person is: {line}" in capsys.readouterr().out) is is_noted


@pytest.mark.parametrize(("line", "said"), [("Should he be invited?", True), ("Should they be?", False)])
def test_reports_for_programs_and_pages_say_so_too(line: str, said: bool) -> None:
    Path("own.txt").write_text(f"Applicant: {{name}}\nGender: {{gender}}\n{line}\nAnswer yes or no.\n")
    with serving(says(lambda _: "yes")) as server:
        for kind in ("json", "html"):
            audit(
                server.url, "--attribute", "gender", "--format", kind, "--output", f"own.{kind}",
                "--run", kind, prompt="own.txt",
            )  # fmt: skip
    assert json.loads(Path("own.json").read_text())["says_sex"] == (line if said else None)
    assert (f"whoever the person is: {line}" in Path("own.html").read_text()) is said


@pytest.mark.parametrize(
    ("prompt", "labels"),
    [
        ("Antworte nur mit ja oder nein.", ("ja", "nein")),
        ("Réponds uniquement par oui ou non.", ("oui", "non")),
        ("Responde solo sí o no.", ("sí", "no")),
        ("Answer yes/no.", ("yes", "no")),
    ],
)
def test_yes_or_no_is_read_in_the_languages_of_prompts(prompt: str, labels: tuple[str, str]) -> None:
    form = form_of(prompt, None, None)
    assert (form.labels, form.favourable) == (labels, labels[:1])
    assert read_answer(f"{labels[0].capitalize()}.", form).value == 1
    assert read_answer(labels[1], form).value == 0


def test_a_model_that_never_answers_in_the_form_is_asked_little(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says(lambda _: "What a lovely day")) as server:
        code = audit(server.url)
    err = capsys.readouterr().err

    assert code == 2
    assert "answered none of 12 questions with yes or no, but for instance 'What a lovely day'" in err
    assert len(server.real) == 12


# ---------------------------------------------------------------------------------------------- cells


def test_rewrites_are_as_long_as_what_they_stand_for() -> None:
    found = plan_audit("prompt.txt", "cases.csv", shipped_names("us"), draws=3)
    lengths: dict[tuple[object, ...], dict[str, int]] = {}
    for cell in found.cells:
        key = (cell.case, cell.channel, cell.groups, cell.draw)
        lengths.setdefault(key, {})[cell.arm] = sum(len(one.content) for one in cell.messages)

    assert all(one["group"] == one["rewrite"] for one in lengths.values())
    counts = Counter(cell.arm for cell in found.cells)
    assert counts["group"] == counts["rewrite"] == 14 * (2 + 8 * 3)


def test_rewrites_show_one_group() -> None:
    found = plan_audit("prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"])
    shown = {
        (cell.case, cell.messages[0].content.partition("Gender: ")[2].split()[0])
        for cell in found.cells
        if (cell.arm, cell.channel) == ("rewrite", "explicit")
    }

    assert len(shown) == 14


@pytest.mark.parametrize(
    ("text", "gender", "wanted"),
    [
        ("He led his team; the plan was his. Ask him.", "female",
         "She led her team; the plan was hers. Ask her."),
        ("The idea was hers. Her manager praised her, and she left.", "male",
         "The idea was his. His manager praised him, and he left."),
        ("HE is a man.", "female", "SHE is a woman."),
        ("Mr. Smith is a father of two.", "female", "Ms. Smith is a mother of two."),
        ("His father was a teacher.", "female", "Her father was a teacher."),
        ("His wife works.", "female", None),
        ("The manager likes chess.", "female", "The manager likes chess."),
        ("They gave her good marks.", "male", None),
        ("He said she was late.", "female", None),
        ("Er ist der Beste und leitet die Abteilung.", "female", None),
        ("Father was a teacher.", "female", None),
        ("He works.", "nonbinary", None),
    ],
)  # fmt: skip
def test_grammar_goes_by_place(text: str, gender: str, wanted: str | None) -> None:
    assert rewrite_for(text, gender) == wanted


def test_cases_that_cannot_be_rewritten_are_left_out_and_counted() -> None:
    write_cases([{"name": "Pat A", "gender": "male", "summary": one} for one in
                 ("He works.", "He said she was late.", "Good.")])  # fmt: skip
    found = plan_audit("prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"])

    assert {(one.case, one.channel) for one in found.left_out} == {
        ("2", "explicit"), ("2", "name"), ("2", "title")
    }  # fmt: skip
    assert {cell.case for cell in found.cells if cell.channel == "explicit"} == {"1", "3"}
    assert {cell.case for cell in found.cells if cell.channel == "title"} == {"1"}


@pytest.mark.parametrize(
    ("name", "text", "placeholders"),
    [
        ("a.txt", "{name}, {{no}} {person.age}", ["name", "person.age"]),
        ("a.j2", "{{ name }} and {{person.age}}", ["name", "person.age"]),
        ("a.json", '[{"role": "system", "content": "x"}, {"role": "user", "content": "{name}"}]', ["name"]),
        ("a.py:2", 'def f(p):\n    return "Name: " + p["name"] + f", {p.age}, {str(p.sex)}"\n',
         ["name", "age", "sex"]),
        ("a.py:1", 'T = "I am {name} {{x}}".format(name=1)\n', ["name"]),
    ],
)  # fmt: skip
def test_prompts_are_found_where_they_stand(name: str, text: str, placeholders: list[str]) -> None:
    Path(name.partition(":")[0]).write_text(text)
    template = load_template(name)

    assert template.placeholders == placeholders
    filled = template.fill(dict.fromkeys(placeholders, "X"))
    assert "X" in filled[-1].content
    assert "{{" not in filled[-1].content


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["ROLE = 'cook'", "def f(p): return f'Hire {p.name} as {ROLE}?'"], "Hire <name> as cook?"),
        (["T = 'Hire {name}, {{age}}?'"], "Hire <name>, {age}?"),
        (["T = 'Hire {name}, {{age}}?'", "def f(p): return T.format(**p)"], "Hire <name>, {age}?"),
        (["T = 'Hire {who}?'", "def f(p): return T.format(who=p['name'])"], "Hire <who>?"),
        (["def f(p): return 'Hire %s, %d?' % (p.name, p.age)"], "Hire <name>, <age>?"),
        (["def f(p): return ' '.join(['Hire', p.name, '?'])"], "Hire <name> ?"),
        (["def f(p):", " text = 'Hire '", " text += p.name", " return text"], "Hire <name>"),
        (["def f(p):", " name = p.name if p.known else 'him'", " return f'Hire {name}?'"], "Hire <name>?"),
        (["def f(p):", " for job in ('cook', 'nurse'):", "  ask(f'Hire {p.name} as {job}?')"],
         "Hire <name> as <job>?"),
        (["def ask(who, job): return f'Hire {who} as {job}?'", "ask(a, 'cook')", "ask(b, 'nurse')",
          "def f(p): return ask(p.name, p.job)"], "Hire <who> as <job>?"),
        (["def f(p): return f'{p.name} {len(p.jobs)}'"], "<name> <len(p.jobs)>"),
        (["def f(p): return f'{p.first}{p.last}'"], "<first><last>"),
    ],
)  # fmt: skip
def test_a_prompt_in_code_is_the_text_that_the_code_makes(lines: list[str], wanted: str) -> None:
    Path("screen.py").write_text("\n".join(lines) + "\n")
    template = load_template(f"screen.py:{len(lines)}")
    (turn,) = template.turns
    assert "".join(f"<{part.text}>" if part.is_placeholder else part.text for part in turn.parts) == wanted


# --------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes.", ("read", 1)),
        ("**No**, I cannot recommend it.", ("read", 0)),
        ("My answer is: no", ("read", 0)),
        ("yes or no? Hard.", ("read", 1)),
        ("It could be yes, it could be no.", ("unreadable", None)),
        ("I'm sorry, but I can't say yes.", ("refused", None)),
        ("<think>yes yes</think>no", ("read", 0)),
        ("Nobody knows.", ("unreadable", None)),
    ],
)
def test_yes_and_no_are_read(text: str, wanted: tuple[str, int | None]) -> None:
    assert read_answer(text, form_of("Answer yes or no.", None, None)) == wanted


@pytest.mark.parametrize(
    ("prompt", "text", "wanted"),
    [
        ("Rate from 0 to 10.", "7", Fraction(7, 10)),
        ("Rate from 1 to 5.", "Score: 4/5", Fraction(3, 4)),
        ("Rate on a scale of 0-100.", "About 62.5 points", Fraction(5, 8)),
        ("Rate from 0 to 10.", "42", None),
        ("Rate from 0 to 10.", "I cannot rate people, not in 10 years", None),
    ],
)
def test_numbers_are_read_on_their_scale(prompt: str, text: str, wanted: Fraction | None) -> None:
    assert read_answer(text, form_of(prompt, None, None)).value == wanted


def test_labels_are_those_that_are_named() -> None:
    form = form_of("Decide.", "hire/maybe/reject", "hire/maybe")

    assert [read_answer(one, form).value for one in ("Hire", "reject!", "Maybe")] == [1, 0, 1]
    with pytest.raises(UsageError):
        form_of("Decide.", "hire", None)


def test_cells_are_the_same_each_time() -> None:
    found = plan_audit("prompt.txt", "cases.csv", shipped_names("us"))
    values = [{"name": "Pat A", "summary": "Good.", "gender": "male"}]

    assert cells_of(found.template, found.slots, found.plan, values) == cells_of(
        found.template, found.slots, found.plan, values
    )


# ------------------------------------------------------------------------------------- tests and exchange


def test_ones_own_tests_fail_with_what_was_seen() -> None:
    def prefers(text: str) -> str:
        return "yes" if "Gender: female" in text else "no"

    def decides_by_years(text: str) -> str:
        return "yes" if "Has 1" in text else "no"

    with pytest.raises(AssertionError, match=r"gender \(explicit\), decision: male against female -100\.0"):
        assert_prompt_counterfactual_fair("prompt.txt", "cases.csv", prefers, "gender", draws=1)
    found = assert_prompt_counterfactual_fair("prompt.txt", "cases.csv", decides_by_years, "gender", draws=1)
    assert all(one.verdict == "not seen" for one in found.effects)


def test_a_test_that_could_see_nothing_does_not_pass() -> None:
    with pytest.raises(AssertionError, match="nothing to compare: every answer is the same"):
        assert_prompt_counterfactual_fair("prompt.txt", "cases.csv", lambda _: "yes", "gender", draws=1)
    cases = [{"name": "Pat A", "gender": "male", "summary": "Good."}]
    with pytest.raises(AssertionError, match="nothing to compare: 1 cases are too few"):
        assert_prompt_counterfactual_fair(
            "prompt.txt", cases, lambda text: "yes" if "female" in text else "no", "gender", draws=1
        )


def answered(form: str, exported: str) -> tuple[str, str]:
    """The file that another program gives back, for a model that prefers women."""

    def says_yes(text: str) -> str:
        return "yes" if "Gender: female" in text else "no"

    if form == "csv":
        rows = list(csv.DictReader(exported.splitlines(keepends=True)))
        lines = [f'"{row["key"]}",{says_yes(row["prompt"])}\n' for row in rows]
        return "back.csv", "key,answer\n" + "".join(lines)
    if form == "promptfoo":
        results = [
            {"testCase": one, "response": {"output": says_yes(one["vars"]["prompt"])}}
            for one in json.loads(exported)["tests"]
        ]
        return "back.json", json.dumps({"results": {"results": results}})
    records = [json.loads(line) for line in exported.splitlines()]
    if form == "inspect":
        samples = [
            {"id": one["id"], "output": {"completion": says_yes(one["input"][-1]["content"])}}
            for one in records
        ]
        return "back.json", json.dumps({"samples": samples})
    return "back.jsonl", "".join(
        json.dumps({"doc": one, "resps": [[says_yes(one["prompt"])]]}) + "\n" for one in records
    )


@pytest.mark.parametrize("form", FORMS)
def test_other_programs_ask_and_their_answers_come_back(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url = "http://127.0.0.1:1/v1"
    assert audit(url, "--attribute", "gender", "--export", form, "-o", "out.json") == 0
    exported = Path("out.jsonl" if form == "lm-eval" else "out.json").read_text("utf-8")
    name, text = answered(form, exported)
    Path(name).write_text(text)
    assert audit(url, "--attribute", "gender", "--import", name, "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    seen = [(one["channel"], one["mean"]) for one in told["effects"] if one["verdict"] == "biased"]

    assert seen == [("explicit", -1.0)]


def test_answers_to_another_prompt_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("back.csv").write_text("key,answer\nx,yes\n")
    assert audit("http://127.0.0.1:1/v1", "--import", "back.csv") == 2
    assert "the answers lack 532 of 532 cells" in capsys.readouterr().err
