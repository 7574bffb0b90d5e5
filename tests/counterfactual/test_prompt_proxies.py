"""`--proxies FILE`: a placeholder's value hints at the group, and nothing else says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairlint.backends.model import Sampling
from fairlint.cli import main
from fairlint.counterfactual.prompts.asking import ask_audit
from fairlint.counterfactual.prompts.audited import Audited, summed_up, verdict_text
from fairlint.counterfactual.prompts.function_model import FunctionModel
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.planning import Audit, plan_audit
from fairlint.counterfactual.prompts.proxies import own_proxies
from fairlint.support.errors import UsageError

PROMPT = (
    "Name: {name}\nGender: {gender}\nClub: {club}\nYears: {years}\nShould we invite them? Answer yes or no."
)
LIST = """placeholder,attribute,group,value
club,gender,female,Netball
club,gender,female,Synchronised swimming
club,gender,male,Rugby
club,gender,male,Wrestling
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(PROMPT)
    Path("cases.csv").write_text(
        "name,gender,club,years\n" + "".join(f"Pat A,male,Chess,{at % 9}\n" for at in range(30))
    )
    Path("clubs.csv").write_text(LIST)


def planned() -> Audit:
    return plan_audit(
        "prompt.txt", "cases.csv", shipped_names("us"), attributes=["gender"], draws=2,
        proxies=own_proxies("clubs.csv"),
    )  # fmt: skip


def test_only_the_proxy_shows_the_group() -> None:
    cells = [cell for cell in planned().cells if cell.channel == "proxy" and cell.arm == "group"]
    texts = {(cell.groups, cell.messages[0].content) for cell in cells if cell.case == "1"}

    assert {text.splitlines()[2] for _, text in texts} == {
        "Club: Netball", "Club: Synchronised swimming", "Club: Rugby", "Club: Wrestling"
    }  # fmt: skip
    assert all(text.startswith("Name: P. A.\nGender: not stated\n") for _, text in texts)
    assert {groups for groups, text in texts if "Rugby" in text} == {(("gender", "male"),)}


def test_other_ways_of_showing_the_group_keep_the_cases_own_value() -> None:
    others = [cell for cell in planned().cells if cell.channel != "proxy"]
    assert {"explicit", "name"} <= {cell.channel for cell in others}
    assert all("Club: Chess" in cell.messages[0].content for cell in others)


def asked(model: Callable[[str], str], run: str) -> Audited:
    audit = planned()
    sampling = Sampling(max_new_tokens=16, temperature=0.0, early_stop=False)
    answers, told = ask_audit(audit, lambda: FunctionModel(model), Path(run), sampling)
    return summed_up(audit, answers, told, threshold=0.0)


def decision(told: Audited) -> str:
    return next(
        verdict_text(one)
        for one in told.effects
        if one.contrast.channel == "proxy" and one.contrast.outcome == "decision"
    )


def test_an_effect_of_all_values_is_bias_and_that_of_one_is_said_to_be_one() -> None:
    def by_all(text: str) -> str:
        return "no" if "Netball" in text or "swimming" in text else "yes"

    def by_one(text: str) -> str:
        return "no" if "Netball" in text else "yes"

    assert decision(asked(by_all, "all")) == "biased"
    assert decision(asked(by_one, "one")) == "carried by one value: Netball"
    assert decision(asked(lambda text: "yes" if "4" in text else "no", "none")).startswith("not seen")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("placeholder,group\n", "has the columns placeholder, attribute, group, value"),
        (LIST.replace("male,Wrestling", "male,"), "row 5 has an empty cell"),
        ("".join(LIST.splitlines(keepends=True)[:3]), "only 'female'"),
        (LIST.replace("club,gender,male,Wrestling\n", ""), "'male' has one value"),
        (LIST.replace("Wrestling", "Netball"), "'Netball' stands for two groups"),
        (LIST.replace("club", "school"), "the prompt has no {school}"),
        (LIST.replace("club", "name"), "{name} says who the person is"),
        (LIST + "years,gender,female,1\n", "two placeholders for gender"),
    ],
)
def test_a_list_that_cannot_be_compared_is_one_line(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("clubs.csv").write_text(text)
    code = main(
        ["counterfactual", "--prompt", "prompt.txt", "--cases", "cases.csv", "--proxies", "clubs.csv",
         "--dry-run"]
    )  # fmt: skip
    err = capsys.readouterr().err
    assert (code, err.count("\n")) == (2, 1)
    assert message in err


def test_a_prompt_that_shows_nothing_else_can_be_asked() -> None:
    Path("prompt.txt").write_text("Club: {club}. Years: {years}. Should we invite them? Answer yes or no.")
    audit = planned()
    assert audit.channels == ["proxy"]
    with pytest.raises(UsageError, match="no placeholder says who the person is"):
        plan_audit("prompt.txt", "cases.csv", shipped_names("us"))
