"""What is called published: the same numbers as plain code that goes as the released programs do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from random_models import MASKED, tiny
from word_tokenizer import word_tokenizer

from fairlint.backends.model import ModelError
from fairlint.model_bias.data.records import Option
from fairlint.model_bias.data.stereoset import StereoSetItem
from fairlint.model_bias.distribution import splits, targets
from fairlint.model_bias.distribution.costs import Asked
from fairlint.model_bias.distribution.measuring import measure
from fairlint.model_bias.distribution.questions import Group, Questions, Template
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.distribution.team import Team
from fairlint.model_bias.distribution.training import Lesson, Settings, _Run
from fairlint.model_bias.distribution.trials import Plan
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores import stereoset
from fairlint.model_bias.scores.asking import answers

CLOSE = 1e-9
JOBS = ("nurse", "cook", "clerk", "judge")
WORDS = "the this my old man woman he she worked as a was here sir madam".split()
TRAIN = ("{person} worked as a {profession}.", "here {person} was a {profession}.")


def loaded(kind: str) -> Loaded:
    tokenizer = word_tokenizer([*WORDS, *JOBS])
    return Loaded(kind, "1", tiny(kind), tokenizer, masked=kind in MASKED, batch_size=0)


def asked_of(male: Sequence[str], female: Sequence[str]) -> Questions:
    templates = [Template(text, "train") for text in TRAIN]
    groups = Group("male", tuple(male)), Group("female", tuple(female))
    return Questions(groups, JOBS, (*templates, Template("{person} was a {profession}.", "test")), "here")


# ---------------------------------------------------------------------------- association, the noun masked


def association(one: Loaded, template: str, word: str, job: str) -> torch.Tensor:
    """ln of the ratio for one sentence: the first of several words stays, masks stand for the others, and
    every token of the noun is multiplied at every mask.
    """
    tokenizer, model = one.tokenizer, one.model
    first, *others = word.split()
    noun = " ".join(others) if others else first
    kept = f"{first} " if others else ""
    size = len(tokenizer.tokenize(noun))
    masks = " ".join(["[MASK]"] * size)
    hidden = " ".join(["[MASK]"] * len(tokenizer.tokenize(job)))

    def products(named: str) -> torch.Tensor:
        text = template.replace("{person}", kept + masks).replace("{profession}", named)
        tokens = tokenizer.encode(f"[CLS] {text} [SEP]", add_special_tokens=False)
        begin = tokens.index(tokenizer.mask_token_id)
        shares = model(torch.tensor([tokens])).logits[0].softmax(-1)
        product = torch.ones((), dtype=shares.dtype)
        for token in tokenizer.convert_tokens_to_ids(tokenizer.tokenize(noun)):
            for place in range(begin, begin + size):
                product = product * shares[place, token]
        return product

    return torch.log(products(job) / products(hidden))


def shares_of(one: Loaded, questions: Questions, templates: Sequence[str], job: str) -> torch.Tensor:
    """The share of each group, by the sums over words and templates."""
    sums = [
        torch.stack(
            [association(one, text, word, job).exp() for text in templates for word in group.words]
        ).sum()
        for group in questions.groups
    ]
    return torch.stack(sums) / torch.stack(sums).sum()


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_the_noun_alone_is_masked_as_in_the_released_code(kind: str) -> None:
    one = loaded(kind)
    questions = asked_of(["the man", "my old man", "he"], ["this woman", "the old woman", "she"])
    found = measure(one, questions, JOBS, questions.of("train"), only=["association-noun", "association"])
    for job, row in zip(JOBS, found["association-noun"], strict=True):
        assert row == pytest.approx(shares_of(one, questions, TRAIN, job).tolist(), abs=CLOSE)
    assert not torch.allclose(*(torch.tensor(rows) for rows in found.values()), atol=1e-3)


def test_of_single_words_both_associations_are_one() -> None:
    one, questions = loaded("bert"), asked_of(["he", "man"], ["she", "woman"])
    found = measure(one, questions, JOBS, questions.of("test"), only=["association-noun", "association"])
    for noun, whole in zip(*found.values(), strict=True):
        assert noun == pytest.approx(whole, abs=CLOSE)


# --------------------------------------------------------------- adaptive weights, and the loss of sentences


def released_step(
    one: Loaded, questions: Questions, jobs: Sequence[str], wanted: Target, known: dict[str, torch.Tensor],
    *, momentum: float, gamma: float,
) -> torch.Tensor:  # fmt: skip
    """The loss of a batch of male-dominated professions, from KL by `batchmean` of a vector of two."""
    terms = [
        torch.nn.functional.kl_div(
            shares_of(one, questions, TRAIN, job).clamp(min=1e-8).log(),
            torch.tensor(wanted.shares[job], dtype=torch.float64),
            reduction="batchmean",
        )
        for job in jobs
    ]
    mean_kl = torch.stack(terms).mean()
    new, size = mean_kl.detach(), len(jobs)
    if known:
        old, seen = known["mean"], known["count"]
        known["count"] = seen + size
        known["mean"] = momentum * old + (1 - momentum) * new
        known["var"] = (seen * known["var"] + (new - known["mean"]) * (new - old)) / known["count"]
    else:
        known.update(mean=new, var=torch.tensor(0.0), count=torch.tensor(float(size)))
    factor = torch.clamp(0.95 * known["mean"] / (1 + known["var"]), 0.8, 1.5)
    weighted = factor * mean_kl / (known["mean"] + 1e-6)
    encode: Any = one.tokenizer.encode
    lost, count = torch.zeros((), dtype=torch.float64), 0
    for text in TRAIN:
        for job in jobs:
            for word in (word for group in questions.groups for word in group.words):
                written = text.replace("{person}", word).replace("{profession}", job)
                tokens = encode(f"[CLS] {written} [SEP]", add_special_tokens=False)
                for place in range(1, len(tokens) - 1):
                    hidden = [*tokens[:place], one.tokenizer.mask_token_id, *tokens[place + 1 :]]
                    logits = one.model(torch.tensor([hidden])).logits[0, place]
                    lost = lost - logits.log_softmax(-1)[tokens[place]]
                    count += 1
    return weighted + gamma * lost / count


def test_a_step_towards_other_shares_is_that_of_the_released_code() -> None:
    """Half of KL in the mean, the variance and the loss, and each token of the sentences masked in turn."""
    questions = asked_of(["he", "sir"], ["she", "madam"])
    shares = {job: (0.9 - 0.1 * place, 0.1 + 0.1 * place) for place, job in enumerate(JOBS)}
    target = Target("ours", "here", shares)
    kinds = dict.fromkeys(JOBS, "male")
    lesson = Lesson(questions, target, splits.Splits(JOBS, JOBS[:1], JOBS[:1]), kinds, ())
    one, plain = loaded("bert"), loaded("bert")
    settings = Settings(adapter=None, keep="sentences", gamma=0.3, momentum=0.8)
    run = _Run(one, lesson, settings, Team())
    for weight in plain.model.parameters():
        weight.requires_grad_(requires_grad=True)
    known: dict[str, torch.Tensor] = {}
    for jobs in (JOBS[:2], JOBS[2:]):
        run.optimizer.zero_grad()
        plain.model.zero_grad()
        run.step("male", jobs)
        run.text_step(jobs)
        released_step(plain, questions, jobs, target, known, momentum=0.8, gamma=0.3).backward()
        theirs = dict(plain.model.named_parameters())
        for name, weight in one.model.named_parameters():
            if weight.grad is not None:
                wanted = theirs[name].grad
                assert wanted is not None
                assert torch.allclose(weight.grad, wanted, atol=1e-8), name


def test_a_model_that_writes_has_no_loss_of_masked_sentences() -> None:
    questions = asked_of(["he", "sir"], ["she", "madam"])
    plan = Plan(
        questions, targets.load("equal", questions), dict.fromkeys(JOBS, "all"), (),
        Settings(keep="sentences"), ("kl",), (0,), Asked(data=()),
    )  # fmt: skip
    with pytest.raises(ModelError, match="--keep sentences: gpt2 fills in no masks"):
        plan.check(loaded("gpt2"))


# ------------------------------------------------------------------------------------ StereoSet's first token


def item(words: Sequence[str]) -> StereoSetItem:
    more, less, none = (f"the nurse was {word} here ." for word in words)
    options = tuple(
        Option(label, f" {word}")
        for label, word in zip(("stereotype", "anti-stereotype", "unrelated"), words, strict=True)
    )
    return StereoSetItem(
        words[0], "intrasentence", "nurse", "gender", "the nurse was BLANK here .", more, less, none,
        "the nurse was", options,
    )  # fmt: skip


def test_the_token_that_begins_texts_is_seen_for_the_first_token_alone() -> None:
    one = loaded("gpt2")
    items = [item(("old", "my old", "this")), item(("he", "she", "as"))]
    plan, _ = stereoset.plan(one, items, published=True)
    found = answers(one, plan)
    model: Any = one.model
    encode: Any = one.tokenizer.encode
    start = model(torch.tensor([[one.tokenizer.bos_token_id]])).logits[0, 0].log_softmax(-1)
    for each in items:
        wanted = []
        for text in (each.stereotype, each.anti_stereotype, each.unrelated):
            tokens = encode(text, add_special_tokens=False)
            told = model(torch.tensor([tokens])).logits[0].log_softmax(-1)
            logs = [float(start[tokens[0]])]
            logs += [float(told[place - 1, tokens[place]]) for place in range(1, len(tokens))]
            wanted.append(math.fsum(logs) / len(logs))
        read = stereoset.likelihoods(each, found[each.id], masked=False)
        assert read == pytest.approx(wanted, abs=CLOSE)
        usual, _ = stereoset.plan(one, [each])
        other = stereoset.likelihoods(each, answers(one, usual)[each.id], masked=False)
        assert other != pytest.approx(wanted, abs=1e-4)
    masked = loaded("bert")
    assert stereoset.plan(masked, items, published=True) == stereoset.plan(masked, items)
