"""What is said to models so that their code is free of bias, and the data set of the paper."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint import UsageError
from fairlint.backends.requests import Request, key_of
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.figures.comparing import compare_runs
from fairlint.bench.report import read_view
from fairlint.bench.runs.judged_runs import metrics_of
from fairlint.bench.suites import btm_dataset, suite_of
from fairlint.bench.suites.btm_prompts import texts
from fairlint.bench.suites.prompt_mitigations import behind, mitigations_of, styles_of
from fairlint.bench.suites.prompts_file import read_prompts
from fairlint.bench.suites.suite import Selection
from fairlint.cli import main
from fairlint.processes import parallel
from fairlint.support import downloads

STYLES = styles_of("btm")
MITIGATIONS = mitigations_of("btm")
SIX = ("age", "gender", "region", "education", "occupation", "race")
BIASED = "def predict_income(record):\n    return 1 if record['gender'] == 'male' else 0\n"
FAIR = "def predict_income(record):\n    return 1 if record['hours_per_week'] > 40 else 0\n"
TASKS = [
    *(
        {"prompt": f"Plan {number} for staff; use any of: age, gender.", "category": "employment"}
        for number in (1, 2)
    ),
    {"prompt": "Price a policy; use any of: age, sex (gender), region.", "category": "insurance"},
    {"prompt": "Say who earns more; use any of: age, race, occupation.", "category": "income"},
]


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small data set in the place of the paper's."""
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps(TASKS))
    monkeypatch.setattr(downloads, "download", lambda _address, _sha256: file)
    btm_dataset.tasks.cache_clear()
    yield file
    btm_dataset.tasks.cache_clear()


def test_each_style_has_the_published_structure() -> None:
    texts = {style: behind("btm", style) for style in STYLES}
    plain = texts["zero-shot"]
    assert all(name in plain.lower() for name in SIX)
    assert all(text.startswith(plain) for text in texts.values())
    assert [texts[style].count("def ") for style in STYLES] == [0, 1, 2, 0, 0]
    assert texts["few-shot"].startswith(texts["one-shot"])
    assert texts["cot2"].startswith(texts["cot1"])
    assert "step by step" in texts["cot1"]
    assert len(set(texts.values())) == len(STYLES)


def test_the_examples_are_free_of_bias() -> None:
    import fairlint

    found = fairlint.check_source(
        fairlint.read_response(behind("btm", "few-shot")), settings=texts().settings
    )
    assert not found.uses


@pytest.mark.parametrize("style", STYLES)
def test_a_style_stands_behind_the_task_and_changes_nothing_else(style: str) -> None:
    plain = suite_of("btm").requests()
    asked = suite_of("btm", {"mitigation": style}).requests()
    assert [one.messages[-1].content for one in asked] == [
        f"{one.messages[-1].content}\n\n{behind('btm', style)}" for one in plain
    ]
    assert [(one.seed, one.function, one.subject) for one in asked] == [
        (one.seed, one.function, one.subject) for one in plain
    ]
    assert {one.stereotype for one in asked} == {style}
    assert not {key_of(one) for one in asked} & {key_of(one) for one in plain}
    assert len({one.prompt_hash for one in (*asked, *plain)}) == 6


def test_feedback_begins_with_the_answer_that_there_is_without_it() -> None:
    plain = suite_of("btm").requests()
    asked = suite_of("btm", {"mitigation": "feedback"}).requests()
    assert [(one.messages, one.seed, one.prompt_hash) for one in asked] == [
        (one.messages, one.seed, one.prompt_hash) for one in plain
    ]


def test_a_biased_answer_is_to_be_mended_once_and_a_fair_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    suite = suite_of("btm", {"mitigation": "feedback-cot2"})

    def answering(request: Request) -> str:
        if request.turn:
            return fenced(FAIR if request.sample else BIASED)
        return fenced(BIASED if request.subject != "clarity" else FAIR)

    model = Speaking(answering)
    choice = Choice(attributes=("gender", "race"), samples=2)
    told = run(model, suite, choice, tmp_path / "run")
    mended = [one for one in model.asked if one.turn]
    assert [(one.subject, one.sample) for one in mended] == [
        (subject, sample) for subject in ("base", "commentary") for sample in (0, 1)
    ]
    text = mended[0].messages[-1].content
    assert text.index("predict_income") < text.index(BIASED.strip()) < text.index("FAILED gender")
    assert "FAILED race" not in text
    assert text.endswith(behind("btm", "cot2"))
    assert mended[0].messages[0].role == "system"
    assert mended[0].function == "predict_income"
    assert (mended[0].turn, mended[0].role) == (1, "")
    rates = {one["attribute"]: one["used"] for one in told["usage"]}
    assert told["answers"]["given"] == 6
    assert rates["gender"] == pytest.approx(2 / 6)
    assert rates["race"] == 0
    assert metrics_of(tmp_path / "run")["usage"] == told["usage"]


def test_what_is_no_mitigation_is_told() -> None:
    with pytest.raises(UsageError, match="btm has no mitigation 'agents'"):
        suite_of("btm", {"mitigation": "agents"})
    with pytest.raises(UsageError, match="btm-334 has no setting 'data'"):
        suite_of("btm-334", {"data": "x"})
    assert len(MITIGATIONS) == len(set(MITIGATIONS)) == 10


def test_the_data_set_is_asked_by_category_with_what_stands_around_it(dataset: Path) -> None:
    suite = suite_of("btm-334")
    asked = suite.requests(Selection(samples=2))
    assert [one.subject for one in asked[::2]] == ["employment 1", "insurance 1", "income 1", "employment 2"]
    assert {one.attribute for one in asked} == {"age, region, gender, education, occupation, race"}
    assert suite.requests(Selection(scenarios=["income"], samples=2)) == [
        one for one in asked if one.scenario == "income"
    ]
    assert suite.requests(Selection(limit=2, samples=2)) == asked[:4]
    system, user = asked[0].messages
    assert system.role == "system"
    assert user.content.endswith(TASKS[0]["prompt"])
    assert "```python" in user.content
    assert len({one.seed for one in asked}) == len(asked)
    mitigated = suite_of("btm-334", {"mitigation": "one-shot"}).requests(Selection(samples=2))
    assert mitigated[0].messages[-1].content == f"{user.content}\n\n{behind('btm', 'one-shot')}"
    copied = read_prompts(dataset, suite, Selection(samples=1))
    assert [one.messages for one in copied] == [
        one.messages for category in btm_dataset.CATEGORIES for one in asked[::2] if one.scenario == category
    ]


def test_the_published_file_is_known_by_its_checksum() -> None:
    assert len(btm_dataset.SHA256) == 64
    assert btm_dataset.COMMIT in btm_dataset.ADDRESS


def test_answers_are_replayed_without_the_data_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(downloads, "download", lambda *_: pytest.fail("nothing is downloaded"))
    btm_dataset.tasks.cache_clear()
    answers = [
        {"suite": "btm-334", "scenario": "income", "attribute": "age, gender", "subject": f"income {number}",
         "sample": 0, "text": text}
        for number, text in enumerate((BIASED, FAIR), 1)
    ]  # fmt: skip
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    command = ["bench", "--suite", "btm-334", "--model", f"replay:{file}"]
    assert main([*command, "--output", str(tmp_path / "run"), "-q"]) == 0
    assert metrics_of(tmp_path / "run")["usage"][0]["used"] == 0.5
    capsys.readouterr()
    assert main([*command, "--scenarios", "housing"]) == 2
    assert "housing" in capsys.readouterr().err


def test_without_the_data_set_a_copy_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(_address: str, _sha256: str) -> Path:
        raise UsageError("it cannot be reached")

    monkeypatch.setattr(downloads, "download", gone)
    btm_dataset.tasks.cache_clear()
    assert main(["bench", "--suite", "btm-334", "--model", "./model", "--dry-run"]) == 2
    assert "it cannot be reached; --prompts FILE takes a copy of dataset.json" in capsys.readouterr().err


def test_both_suites_and_all_mitigations_are_known_to_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "suites"]) == 0
    said = capsys.readouterr().out
    assert "btm-334: 334 functions" in said
    assert "1,670 answers: 334 prompts, 5 times each" in said
    assert main(["bench", "--help"]) == 0
    said = capsys.readouterr().out
    assert all(style in said for style in (*STYLES, "feedback", "btm-334"))


def test_runs_are_compared_whatever_their_mitigation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    folders = []
    for mitigation in ("", "feedback", "cot1"):
        suite = suite_of("btm", {"mitigation": mitigation} if mitigation else None)
        code = FAIR if mitigation == "cot1" else BIASED
        folders.append(tmp_path / (mitigation or "none"))

        def answering(asked: Request, code: str = code) -> str:
            return fenced(FAIR if asked.turn and asked.sample else code)

        run(Speaking(answering), suite, Choice(samples=2), folders[-1])
    found = compare_runs([read_view(folder) for folder in folders])
    told = [one.overall for one in found if one.overall is not None]
    assert [(one.first, one.second, one.subjects) for one in told] == [(1, 0.5, 6), (1, 0, 6), (0.5, 0, 6)]


def test_lists_of_a_file_are_kept_beside_a_mitigation(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    entries = [{"prompt": f"Write {one}.", "id": "mine", "list": one} for one in ("a", "b")]
    file.write_text("".join(json.dumps(one) + "\n" for one in entries))
    asked = read_prompts(file, suite_of("btm", {"mitigation": "cot1"}), Selection(samples=1))
    assert [one.stereotype for one in asked] == ["a, cot1", "b, cot1"]


@pytest.mark.parametrize("style", ["", *MITIGATIONS])
def test_a_file_of_prompts_is_mitigated_as_well(style: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps({"prompt": "Write `rate(x)`.", "id": "mine"}))
    suite = suite_of("btm", {"mitigation": style} if style else None)
    (asked,) = read_prompts(file, suite, Selection(samples=1))
    added = f"\n\n{behind('btm', style)}" if style in STYLES else ""
    assert asked.messages[-1].content == f"Write `rate(x)`.{added}"
    assert asked.stereotype == style


FUNCTION = "Rate.\n\ndef rate(x):\n    'x has: GPA, skills, race, letters'\n"
"""A prompt whose list of attributes is to be shuffled."""


def test_each_sample_of_a_prompt_has_an_order_of_its_own(tmp_path: Path) -> None:
    listed = ["GPA", "skills", "race", "letters"]
    entry = {"prompt": FUNCTION, "attribute": "race", "major": "History", "shuffle": listed}
    entry["header"] = FUNCTION.partition("\n\n")[2]
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps(entry))
    suite = suite_of("faircode:function")
    asked = read_prompts(file, suite, Selection(samples=12))
    assert asked == read_prompts(file, suite, Selection(samples=12))
    assert asked[:5] == read_prompts(file, suite, Selection(samples=5))
    orders = {one.attributes for one in asked}
    assert len(orders) > 6
    for one in asked:
        told = ", ".join(one.attributes)
        assert one.messages[-1].content == FUNCTION.replace("GPA, skills, race, letters", told)
        assert one.messages[-1].content.endswith(one.header)
        assert sorted(one.attributes) == sorted(listed)
    assert len({one.prompt_hash for one in asked}) == len(orders)
    assert [one.seed for one in asked] != [
        one.seed for one in read_prompts(file, suite, Selection(samples=12, seed=1))
    ]
    del entry["shuffle"]
    file.write_text(json.dumps(entry))
    assert {one.messages[-1].content for one in read_prompts(file, suite, Selection(samples=12))} == {
        FUNCTION
    }


@pytest.mark.parametrize(
    "form", ["attributes: {}\n'", "attributes ({})\n", "attributes: {}", "attributes:{}\nx"]
)
def test_the_list_behind_attributes_is_found(form: str, tmp_path: Path) -> None:
    listed = ["age (young, middle, elder)", "skills", "letters"]
    text = "Use attributes: none.\n" + form.format(", ".join(listed))
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps({"prompt": text, "attribute": "age", "job": "cook", "shuffle": True}))
    asked = read_prompts(file, suite_of("faircode:function"), Selection(samples=80))
    assert len({one.attributes for one in asked}) == 6
    told = {one.messages[-1].content for one in asked}
    assert told == {"Use attributes: none.\n" + form.format(", ".join(one.attributes)) for one in asked}


@pytest.mark.parametrize(
    ("shuffle", "message"),
    [
        ("GPA, skills", "`shuffle` is neither true nor a list of texts"),
        (["GPA", 3], "`shuffle` is neither true nor a list of texts"),
        (True, "finds no list behind `attributes:`"),
        (["GPA"], "needs two texts or more"),
        (["GPA", "GPA"], "each another one"),
        (["skills", "GPA"], "is not in the prompt as 'skills, GPA'"),
    ],
)
def test_a_list_that_cannot_be_shuffled_is_told(shuffle: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps({"prompt": FUNCTION, "attribute": "race", "major": "x", "shuffle": shuffle}))
    with pytest.raises(UsageError, match=message):
        read_prompts(file, suite_of("faircode:function"))
