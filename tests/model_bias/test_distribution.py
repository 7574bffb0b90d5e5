"""How professions are shared out: against plain computations, and questions and targets of one's own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from random_models import ARCHITECTURES, MASKED, tiny
from word_tokenizer import word_tokenizer

from fairlint import UsageError
from fairlint.backends.model import ModelError
from fairlint.model_bias.distribution import codes, questions, shares, splits, targets
from fairlint.model_bias.distribution.questions import Group, Questions, Template, fill_template
from fairlint.model_bias.distribution.sentences import sentences
from fairlint.model_bias.distribution.shares import Kind
from fairlint.model_bias.loading import Loaded
from fairlint.support.records import replace

JOBS = ("nurse", "engineer", "head cook", "clerk")
QUESTIONS = Questions(
    (Group("male", ("he", "the man")), Group("female", ("she", "the woman"))),
    JOBS,
    (
        Template("{person} works as {article} {profession}.", "train"),
        Template("today {person} met {article} {profession} here.", "train"),
        Template("{person} was {article} {profession}.", "test"),
    ),
    "here",
)
VOCABULARY = "he she the man woman works as a an was today met here nurse engineer head cook clerk".split()


def loaded(kind: str, batch_size: int = 0) -> Loaded:
    tokenizer = word_tokenizer(VOCABULARY)
    return Loaded(kind, "1", tiny(kind), tokenizer, masked=kind in MASKED, batch_size=batch_size)


def measured(one: Loaded, asked: Questions, kind: Kind, part: str = "train") -> torch.Tensor:
    some = sentences(one, asked, asked.professions, asked.of(part))
    with torch.no_grad():
        return shares.group_shares_of(one, some, kind, len(asked.groups))


def ln_p(one: Loaded, tokens: list[int], place: int, word: int) -> float:
    model: Any = one.model
    with torch.no_grad():
        return float(model(torch.tensor([tokens])).logits[0, place].log_softmax(-1)[word])


def plainly(one: Loaded, template: Template, word: str, job: str, kind: Kind) -> float:
    """A sentence's term, token by token, each in a pass of its own."""
    encode: Any = one.tokenizer.encode
    before, person, between, named, rest = fill_template(template, word, job)
    left = encode(before + person + between, add_special_tokens=False)
    its, end = encode(named, add_special_tokens=False), encode(rest, add_special_tokens=False)
    if kind == "association":
        place = len(encode(before, add_special_tokens=False))
        words = encode(person, add_special_tokens=False)
        total = 0.0
        for mid, sign in ((its, 1), ([5] * len(its), -1)):
            tokens = [3, *left, *mid, *end, 4]
            tokens[1 + place : 1 + place + len(words)] = [5] * len(words)
            for number, token in enumerate(words):
                total += sign * ln_p(one, tokens, 1 + place + number, token)
        return total
    tokens = [1, *left, *its]
    if kind == "mean-loss":
        tokens += end
        terms = [ln_p(one, tokens[:place], place - 1, tokens[place]) for place in range(1, len(tokens))]
        return sum(terms) / len(terms)
    begin = 1 + len(left)
    return sum(ln_p(one, tokens[:place], place - 1, tokens[place]) for place in range(begin, len(tokens)))


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_shares_are_those_of_a_plain_computation(kind: str) -> None:
    one = loaded(kind)
    templates = QUESTIONS.of("train")
    for how in shares.kinds(one):
        found = measured(one, QUESTIONS, how)
        assert found.sum(1).tolist() == pytest.approx([1.0] * len(JOBS))
        for row, job in enumerate(JOBS):
            terms = [
                [
                    [math.exp(plainly(one, template, word, job, how)) for word in group.words]
                    for group in QUESTIONS.groups
                ]
                for template in templates
            ]
            if how == "calibrated":
                each = [[sum(words) / sum(map(sum, groups)) for words in groups] for groups in terms]
                wanted = [sum(column) / len(templates) for column in zip(*each, strict=True)]
            else:
                sums = [sum(sum(groups[number]) for groups in terms) for number in range(2)]
                wanted = [value / sum(sums) for value in sums]
            assert found[row].tolist() == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "bert"])
def test_swapping_the_groups_swaps_the_shares(kind: str) -> None:
    one = loaded(kind)
    first, second = QUESTIONS.groups
    swapped = Questions((second, first), JOBS, QUESTIONS.templates, "here")
    for how in shares.kinds(one):
        found, other = measured(one, QUESTIONS, how), measured(one, swapped, how)
        assert other.flip(1).tolist() == [pytest.approx(row, abs=1e-12) for row in found.tolist()]


@pytest.mark.parametrize("kind", ["llama", "bert"])
def test_batches_do_not_matter_and_gradients_flow(kind: str) -> None:
    one, small = loaded(kind), loaded(kind, 1)
    how = shares.kinds(one)[0]
    assert measured(one, QUESTIONS, how).tolist() == [
        pytest.approx(row, abs=1e-9) for row in measured(small, QUESTIONS, how).tolist()
    ]
    weight = next(iter(one.model.parameters())).requires_grad_()
    some = sentences(one, QUESTIONS, JOBS, QUESTIONS.of("train"))
    target = torch.full((len(JOBS), 2), 0.5, dtype=torch.float64)
    loss = shares.kl(target, shares.group_shares_of(one, some, how, 2)).mean()
    [gradient] = torch.autograd.grad(loss, [weight])
    step = 1e-5 * gradient / gradient.norm()
    with torch.no_grad():
        weight += step
        up = float(shares.kl(target, shares.group_shares_of(one, some, how, 2)).mean())
        weight -= 2 * step
        down = float(shares.kl(target, shares.group_shares_of(one, some, how, 2)).mean())
    assert (up - down) / 2e-5 == pytest.approx(float(gradient.norm()), rel=1e-3)


def test_three_groups_and_equal_shares_where_a_model_cannot_tell() -> None:
    one = loaded("llama")
    for weight in one.model.parameters():
        weight.zero_()
    third = Questions(
        (*QUESTIONS.groups, Group("other", ("clerk", "the cook"))), JOBS, QUESTIONS.templates, ""
    )
    assert measured(one, third, "calibrated").tolist() == [pytest.approx([1 / 3] * 3)] * len(JOBS)


@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=5), st.lists(st.floats(0.01, 1), min_size=5, max_size=5)
)
def test_kl_is_0_only_for_the_same_shares(values: list[float], others: list[float]) -> None:
    p = torch.tensor([values], dtype=torch.float64)
    q = torch.tensor([others[: len(values)]], dtype=torch.float64)
    p, q = p / p.sum(), q / q.sum()
    assert float(shares.kl(p, p)) == pytest.approx(0, abs=1e-12)
    plain = sum(float(a) * math.log(float(a) / float(b)) for a, b in zip(p[0], q[0], strict=True))
    assert float(shares.kl(p, q)) == pytest.approx(plain, abs=1e-12)
    published = torch.nn.functional.kl_div(q[0].log(), p[0], reduction="batchmean")
    assert float(published) == pytest.approx(plain / len(values), abs=1e-12)


def test_the_shipped_questions() -> None:
    asked = questions.load()
    assert [one.name for one in asked.groups] == ["male", "female"]
    assert len(asked.professions) == 60
    assert not {one.text for one in asked.of("train")} & {one.text for one in asked.of("test")}
    world = targets.load("real-world", asked)
    assert world.shares["nurse"][1] > 0.85
    for target in (world, targets.load("equal", asked)):
        assert all(sum(row) == pytest.approx(1) for row in target.shares.values())


def test_splits_keep_kinds_apart_and_are_the_same_again() -> None:
    asked = questions.load()
    kinds = splits.kinds(targets.load("real-world", asked), asked.professions, ["male", "female"])
    found = splits.split(kinds, 3)
    every = [*found.train, *found.valid, *found.test]
    assert sorted(every) == sorted(asked.professions)
    assert len(set(every)) == len(every)
    assert splits.split(kinds, 3) == found
    assert splits.split(kinds, 4) != found
    for part in (found.train, found.valid, found.test):
        assert {kinds[one] for one in part} == {"male", "female", "balanced"}
    with pytest.raises(UsageError, match="too few"):
        splits.split(dict.fromkeys("abc", "all"))


OWN = """
professions = ["judge", "actor"]
[groups]
old = ["the old man"]
young = ["the boy"]
[templates]
train = ["{person} is {article} {profession}."]
test = ["{person} became {article} {profession}."]
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_questions_of_ones_own(tmp_path: Path) -> None:
    asked = questions.load(write(tmp_path / "own.toml", OWN))
    assert [one.name for one in asked.groups] == ["old", "young"]
    assert fill_template(asked.templates[0], "the boy", "actor") == ("", "The boy", " is an ", "actor", ".")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('young = ["the boy"]\n', "", "two groups"),
        ('["the boy"]', '["the boy", "a boy"]', "equally many words"),
        ('["the boy"]', '["the old man"]', "two groups, or there twice"),
        ("{person} is", "he is", "needs {person} once"),
        ('{profession}."]\ntest', 'job."]\ntest', "needs {profession} once"),
        ('"{person} is {article} {profession}."', '"{profession} is {person}."', "must stand before"),
        ("test =", "exam =", "has 'exam'"),
        ("[groups]", "[people]", "unknown key 'people'"),
        ('["judge", "actor"]', '"judge"', "must be a list of texts"),
        ('"actor"', '"judge"', "the same text twice"),
    ],
)
def test_what_is_wrong_with_questions_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in OWN
    with pytest.raises(UsageError, match=r"^[^\n]*$") as found:
        questions.load(write(tmp_path / "own.toml", OWN.replace(old, new)))
    assert told in str(found.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("profession,male,female\nnurse,0.5,0.6\n", "sum to 1.1, not to 1"),
        ("profession,male,female\nnurse,half,0.5\n", "'half' is no share"),
        ("profession,male,female\nnurse,0.5,0.5\nnurse,0.5,0.5\n", "there twice"),
        ("profession,male\nnurse,1\n", "no column 'female'"),
        ("profession,male,female\nnurse,0.5,0.5\n", "no shares for 'engineer', 'head cook', 'clerk'"),
    ],
)
def test_what_is_wrong_with_a_target_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError, match=r"^[^\n]*$") as found:
        targets.load(str(write(tmp_path / "own.csv", text)), QUESTIONS)
    assert told in str(found.value)


def test_a_target_of_ones_own(tmp_path: Path) -> None:
    rows = "".join(f"{job},0.25,0.75\n" for job in JOBS)
    target = targets.load(str(write(tmp_path / "own.csv", "profession,male,female\n" + rows)), QUESTIONS)
    assert target.of(["clerk"]) == ((0.25, 0.75),)
    with pytest.raises(UsageError, match="no share for 'head cook'"):
        targets.load("real-world", QUESTIONS)


CODES = Questions(
    QUESTIONS.groups, ("nurse", "doctor", "teacher"), QUESTIONS.templates, "here",
    {"nurse": "29-1141", "doctor": "29-1210", "teacher": "25-2000"},
)  # fmt: skip
BY_CODE = """code,title,employed,male,female
29-1141.00,Registered Nurses,3000,0.1,0.9
29-1211,"Physicians, one kind",30,0.8,0.2
29-1218.00,"Physicians, another",10,0.4,0.6
25-2021,Elementary,100,0.2,0.8
"""


def test_a_target_by_codes(tmp_path: Path) -> None:
    target = targets.load(str(write(tmp_path / "bls.csv", BY_CODE)), CODES)
    assert target.shares["nurse"] == (0.1, 0.9)
    assert target.shares["doctor"] == pytest.approx((0.7, 0.3))
    assert target.shares["teacher"] == (0.2, 0.8)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("employed,", "workers,", "2 rows for 'doctor' (29-1210), such as 29-1211, and no column 'employed'"),
        ("29-1141.00", "nurses", "'nurses' is no code such as 29-1141 (SOC) or 29-1141.00 (O*NET)"),
        ("29-1218.00", "29-1211.00", "'29-1211' is there twice"),
        ("25-2021", "47-2031", "no shares for 'teacher'"),
        ("3000", "many", "'many' is no number of people"),
        ("0.1,0.9", "0.1,0.8", "sum to 0.9, not to 1"),
    ],
)
def test_what_is_wrong_with_codes_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in BY_CODE
    with pytest.raises(UsageError, match=r"^[^\n]*$") as found:
        targets.load(str(write(tmp_path / "bls.csv", BY_CODE.replace(old, new))), CODES)
    assert told in str(found.value)


def test_codes_of_professions_are_shipped_or_ones_own(tmp_path: Path) -> None:
    asked = questions.load()
    assert asked.codes["nurse"] == "29-1141"
    assert set(codes.default_codes()) < set(asked.professions)
    assert all(codes.code_of(one, "") == one for one in asked.codes.values())
    with pytest.raises(
        UsageError, match="nobody says those of 'technician', 'supervisor', 'worker' and 4 more"
    ):
        targets.load(str(write(tmp_path / "bls.csv", BY_CODE)), asked)
    own = OWN + '[codes]\njudge = "23-1023.00"\nactor = "27-2011"\n'
    assert questions.load(write(tmp_path / "own.toml", own)).codes == {"judge": "23-1023", "actor": "27-2011"}
    with pytest.raises(UsageError, match=r"codes.judge: 'x' is no code"):
        questions.load(write(tmp_path / "own.toml", own.replace("23-1023.00", "x")))


def test_professions_that_a_model_does_not_know_are_one_line() -> None:
    asked = replace(QUESTIONS, professions=("nurse", "zork", "blub", "quux", "plonk"))
    with pytest.raises(
        ModelError, match=r"^llama does not know 'zork', 'blub', 'quux' and 1 more \(professions\)$"
    ):
        sentences(loaded("llama"), asked, JOBS, QUESTIONS.templates)


def test_words_that_a_model_cannot_tell_apart_are_one_line() -> None:
    blind = Questions((Group("a", ("he",)), Group("b", ("zork",))), JOBS, QUESTIONS.templates, "")
    with pytest.raises(ModelError, match="does not know 'zork'"):
        sentences(loaded("llama"), blind, JOBS, QUESTIONS.templates)
    same = Questions((Group("a", ("he",)), Group("b", ("HE",))), JOBS, QUESTIONS.templates, "")
    with pytest.raises(ModelError, match="cannot tell 'HE' from 'he'"):
        sentences(loaded("llama"), same, JOBS, QUESTIONS.templates)
