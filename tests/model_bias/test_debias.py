"""Moving shares towards a target: adapters, weights of losses, early stop, resuming, the commands."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import MASKED, tiny
from word_tokenizer import word_tokenizer

from fairlint import UsageError
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.cli import main
from fairlint.model_bias import loading, results
from fairlint.model_bias.distribution import shares, splits, targets
from fairlint.model_bias.distribution.adapters import Adapter, Trained
from fairlint.model_bias.distribution.debiasing import (
    Result,
    State,
    compare_methods,
    debias,
    figures_of,
    over_seeds,
    verdict,
)
from fairlint.model_bias.distribution.debiasing import warnings as warnings_of
from fairlint.model_bias.distribution.erasing import ERASING, FILE, Erased, _group_directions
from fairlint.model_bias.distribution.losses import CEILING, Adaptive
from fairlint.model_bias.distribution.measuring import measure
from fairlint.model_bias.distribution.questions import Group, Questions, Template
from fairlint.model_bias.distribution.sentences import Sentence, sentences
from fairlint.model_bias.distribution.training import CHECKPOINT, History, Lesson, Settings, train
from fairlint.model_bias.hooks import Changes, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.support.records import replace

JOBS = tuple(f"job{number}" for number in range(24))
QUESTIONS = Questions(
    (Group("male", ("he", "sir")), Group("female", ("she", "madam"))),
    JOBS,
    (
        Template("{person} works as a {profession}.", "train"),
        Template("{person} became a {profession}.", "train"),
        Template("{person} is a {profession}.", "test"),
    ),
    "here",
)
TEXT = ("the sun is warm", "a dog works", "the sun became warm", "a warm dog is a dog")
VOCABULARY = [*"he she sir madam works as a became is the sun warm dog".split(), *JOBS]
SMALL = Settings(adapter=Adapter(4, 8), rate=5e-3, epochs=3, batch=4, gamma=0.5)


def loaded(kind: str) -> Loaded:
    model = tiny(kind, max_position_embeddings=2_000).float()  # room for a function
    return Loaded(kind, "1", model, word_tokenizer(VOCABULARY), masked=kind in MASKED, batch_size=0)


def lesson(target: str = "equal", questions: Questions = QUESTIONS) -> Lesson:
    kinds = dict.fromkeys(questions.professions, "all")
    return Lesson(questions, targets.load(target, questions), splits.split(kinds), kinds, TEXT)


def logits(one: Loaded) -> torch.Tensor:
    model: Any = one.model
    with torch.no_grad():
        found: torch.Tensor = model(torch.tensor([[1, 8, 9, 10, 20, 7]])).logits
    return found


def divergence(one: Loaded, asked: Lesson, part: str = "train") -> float:
    professions = getattr(asked.splits, part)
    kind = shares.kinds(one)[0]
    found = measure(one, asked.questions, professions, asked.questions.of("train"), only=[kind])[kind]
    wanted = torch.tensor(asked.target.of(professions))
    return float(shares.kl(wanted, torch.tensor(found)).mean())


@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_neox", "bert"])
def test_an_adapter_that_learnt_nothing_is_the_base_exactly(kind: str, tmp_path: Path) -> None:
    one = loaded(kind)
    before = logits(one)
    one.model.save_pretrained(tmp_path / "base")
    one.tokenizer.save_pretrained(tmp_path / "base")
    trained = Trained(one, Adapter(), 0)
    assert torch.equal(logits(one), before)
    trained.save(tmp_path / "adapter")
    trained.remove()
    assert torch.equal(logits(one), before)
    assert not any(weight.requires_grad for weight in one.model.parameters())
    plain = loading.load(str(tmp_path / "base"))
    again = loading.load(str(tmp_path / "base"), ModelOptions(adapter=str(tmp_path / "adapter")))
    assert torch.equal(logits(again), before)
    assert again.revision.startswith(f"{plain.revision}+adapter:")


@pytest.mark.parametrize("kind", ["llama", "bert"])
@pytest.mark.parametrize("change", [{}, {"adapter": None, "rate": 1e-3}, {"keep": "text", "gamma": 0.05}])
def test_training_brings_shares_nearer_and_leaves_the_model_as_it_was(
    kind: str, change: dict[str, Any], tmp_path: Path
) -> None:
    one, asked = loaded(kind), lesson()
    first, before = divergence(one, asked), logits(one)
    trained, history = train(one, asked, replace(SMALL, **change), folder=tmp_path)
    assert divergence(one, asked) < 0.5 * first
    assert history.at_floor is None
    with trained.unchanged():
        assert logits(one).tolist() == [[pytest.approx(row, abs=1e-6) for row in logits(one)[0].tolist()]]
        assert torch.allclose(logits(one), before, atol=1e-6)
    trained.save(tmp_path / "saved")
    after = logits(one)
    trained.remove()
    assert torch.allclose(logits(one), before, atol=1e-6)
    if change.get("adapter", "") is None:
        again = loading.load(str(tmp_path / "saved"))
    else:
        one.model.save_pretrained(tmp_path / "base")
        one.tokenizer.save_pretrained(tmp_path / "base")
        again = loading.load(str(tmp_path / "base"), ModelOptions(adapter=str(tmp_path / "saved")))
    assert torch.allclose(logits(again), after, atol=1e-4)


def test_the_same_text_about_all_groups_is_another_method(tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    trained, history = train(one, asked, replace(SMALL, method="cda"), folder=tmp_path)
    assert history.steps == 0
    assert len(history.epochs) == 3
    trained.remove()


def read_off(one: Loaded, some: Sequence[Sentence]) -> tuple[torch.Tensor, torch.Tensor]:
    """What the first block hands on from the token before the profession on, and the groups."""
    kept: dict[int, torch.Tensor] = {}
    changes = Changes(blocks={0: lambda values: kept.update({0: values.detach()})})
    tokens = [torch.tensor([each.alone]) for each in some]
    found, labels = [], []
    model: Any = one.model
    with hook_model(one.anatomy, changes), torch.no_grad():
        for each, text in zip(some, tokens, strict=True):
            model(text)
            for place in range(len(each.tokens) - 1, len(each.alone)):
                found.append(kept[0][0, place])
                labels.append(each.group)
    return torch.stack(found), torch.tensor(labels)


@pytest.mark.parametrize("method", ERASING)
def test_erasing_leaves_no_group_and_is_taken_out_again(method: str, tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    before = logits(one)
    some = sentences(one, QUESTIONS, asked.splits.train, QUESTIONS.of("train"))
    values, groups = read_off(one, some)
    readable = accuracy(values, groups)
    erased = Erased(one, some, 2, method)
    values, groups = read_off(one, some)
    assert readable > 0.75
    assert accuracy(values, groups) < 0.6
    if method == "leace":
        apart = values[groups == 0].mean(0) - values[groups == 1].mean(0)
        assert float(apart.norm()) < 1e-4 * float(values.norm(dim=1).mean())
    erased.save(tmp_path / "maps")
    kept = torch.load(tmp_path / "maps" / FILE, weights_only=True)
    assert sorted(kept) == [0, 1, 2]
    assert not torch.allclose(logits(one), before, atol=1e-4)
    erased.remove()
    assert torch.equal(logits(one), before)
    with pytest.raises(ModelError, match="masked"):
        Erased(loaded("bert"), (), 2, method)


def accuracy(values: torch.Tensor, groups: torch.Tensor) -> float:
    """Of a linear classifier on texts that it has not seen."""
    from sklearn.linear_model import LogisticRegression

    x, y = values.double().numpy(), groups.numpy()
    x = (x - x.mean(0)) / (x.std(0) + 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=300, C=0.1).fit(x[::2], y[::2])
    return float(model.score(x[1::2], y[1::2]))


@given(st.integers(1, 3), st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_what_classifiers_go_by_is_found_whatever_else_is_there(groups: int, seed: int) -> None:
    chance = numpy.random.default_rng(seed)
    labels = chance.integers(0, groups + 1, 400)
    values = chance.normal(size=(400, 12))
    values[:, :groups] += 4 * numpy.eye(groups + 1)[labels][:, :groups]
    away = _group_directions(values, labels, seed)
    assert away @ away.T == pytest.approx(numpy.eye(len(away)), abs=1e-9)
    left = values - values @ away.T @ away
    apart = [left[labels == one].mean(0) for one in range(groups + 1)]
    assert max(numpy.linalg.norm(one - apart[0]) for one in apart) < 1.2
    assert len(away) < 12


def test_where_nothing_can_be_read_off_nothing_is_erased() -> None:
    values = numpy.random.default_rng(0).normal(size=(2_000, 4))
    assert not _group_directions(values, numpy.arange(2_000) % 2, 0).any()


class KilledError(Exception):
    pass


@pytest.mark.parametrize("kind", ["llama", "bert"])
def test_a_training_that_was_broken_off_comes_to_the_same_weights(kind: str, tmp_path: Path) -> None:
    asked = lesson()
    how = replace(SMALL, adapter=Adapter(4, 8, dropout=0.1))
    trained, whole = train(loaded(kind), asked, how, folder=tmp_path / "whole")

    def kill(epoch: int, *_: Any) -> None:
        if epoch == 2:
            raise KilledError

    with pytest.raises(KilledError):
        train(loaded(kind), asked, how, folder=tmp_path / "broken", progress=kill)
    assert (tmp_path / "broken" / CHECKPOINT).exists()
    other, again = train(loaded(kind), asked, how, folder=tmp_path / "broken")
    assert again == whole
    for name, value in trained.state.items():
        assert torch.equal(value, other.state[name]), name


def test_it_stops_where_nothing_gets_better_and_keeps_the_best(tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    before = logits(one)
    _, history = train(one, asked, replace(SMALL, rate=0.0, epochs=9, patience=2), folder=tmp_path)
    assert (len(history.epochs), history.best) == (2, -1)
    assert torch.equal(logits(one), before)


def test_a_training_that_learned_nothing_says_so_and_stores_no_adapter(tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    how = replace(SMALL, rate=0.0, epochs=2)
    told = debias(one, asked, how, folder=tmp_path / "a", measured=lambda: State({}, {}))
    assert told is not None
    assert not (tmp_path / "a" / "adapter").exists()
    figure = {"kl.held-out": {"before": 0.15, "after": {"value": 0.15}, "change": {"low": 0, "high": None}}}
    (warned,) = warnings_of({"kl": figure}, [told], asked.target)
    assert warned.startswith("kl, seed 0: nothing was learned.")
    said = verdict({"kl": figure}, "tiny", asked.target, [told])
    assert said.endswith("kl learned nothing and leaves the model as it was.")
    learned = debias(
        one, asked, replace(how, rate=1e-2), folder=tmp_path / "b", measured=lambda: State({}, {})
    )
    assert learned is not None
    assert (tmp_path / "b" / "adapter").exists() == (learned.history.best >= 0)


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = loaded("llama")
    trained = Trained(one, Adapter(), 0)
    trained.save(tmp_path / "adapter")
    kept = {file.name: file.read_bytes() for file in (tmp_path / "adapter").iterdir()}

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("peft.PeftModel.save_pretrained", full)
    with pytest.raises(UsageError, match=r"cannot be written.*No space"):
        trained.save(tmp_path / "adapter")
    assert {file.name: file.read_bytes() for file in (tmp_path / "adapter").iterdir()} == kept
    assert [one.name for one in tmp_path.iterdir()] == ["adapter"]
    trained.remove()
    monkeypatch.setattr("torch.save", full)
    with pytest.raises(UsageError, match=r"cannot be written.*No space"):
        train(one, lesson(), SMALL, folder=tmp_path / "run")
    assert list((tmp_path / "run").iterdir()) == []


def test_weights_of_steps_are_those_of_the_formula() -> None:
    ours = Adaptive(0.6, masked=False)
    chance = random.Random(0)
    known: dict[str, tuple[float, float, int]] = {}
    floors = 0
    for step in range(200):
        kind = chance.choice(["male", "balanced", "female"])
        value, size = chance.random() * 3, chance.randint(1, 6)
        if kind in known:
            mean, variance, seen = known[kind]
            new = 0.6 * mean + 0.4 * value
            known[kind] = new, (seen * variance + (value - new) * (value - mean)) / (seen + size), seen + size
        else:
            known[kind] = value, 0.0, size
        mean, variance, _ = known[kind]
        factor, floor, alpha = (1.2, 1.0, 1e-5) if kind == "balanced" else (0.95, 0.8, 1e-6)
        raw = factor * mean / (1 + variance)
        floors += raw <= floor
        wanted = min(max(raw, floor), 1.5) / (mean + alpha)
        assert ours.weight(kind, value, size) == pytest.approx(wanted), step
        if step == 100:
            copy = Adaptive(0.6, masked=False)
            copy.restore(json.loads(json.dumps(ours.state)))
            ours = copy
    assert (ours.steps, ours.at_floor) == (200, floors)
    assert CEILING == 1.5


def test_a_masked_models_rules_differ() -> None:
    for kind, floor in (("male", 0.8), ("female", 1.0), ("balanced", 1.0)):
        assert Adaptive(0.8, masked=True).weight(kind, 1e-3, 4) == pytest.approx(floor / 1e-3, rel=0.02)


def test_intervals_over_seeds_are_students() -> None:
    found = over_seeds([1.0, 2.0, 3.0])
    assert found["value"] == 2.0
    assert found["low"] == pytest.approx(2 - 4.302653 / 3**0.5, abs=1e-5)
    assert over_seeds([1.0]) == {"value": 1.0, "low": None, "high": None}


def rows(men: dict[str, float]) -> dict[str, tuple[float, float]]:
    return {job: (share, 1 - share) for job, share in men.items()}


def test_each_seed_is_compared_on_its_own_split() -> None:
    asked = lesson()
    jobs = asked.questions.professions
    old = rows({job: 0.5 + number / 60 for number, job in enumerate(jobs)})
    new = rows({job: 0.5 + number / 120 for number, job in enumerate(jobs)})
    each = {seed: splits.split(asked.kinds, seed) for seed in (0, 1)}
    assert each[0].test != each[1].test
    before, after = (
        State({"perplexity": value}, {"calibrated": {"train": one, "test": one}})
        for one, value in ((old, 10.0), (new, 11.0))
    )
    done = [Result("kl", seed, History((), -1, 0, None), after) for seed in (0, 1)]
    told = compare_methods(before, done, asked.target, each)["kl"]

    def plainly(table: dict[str, tuple[float, float]], some: Sequence[str]) -> float:
        return sum(sum(0.5 * numpy.log(0.5 / share) for share in table[job]) for job in some) / len(some)

    for seed in (0, 1):
        found = told["kl.held-out"]["seeds"][seed]
        assert found["before"] == pytest.approx(plainly(old, each[seed].test))
        assert found["after"] == pytest.approx(plainly(new, each[seed].test))
        assert figures_of(before, asked.target, each[seed])["kl.taught"] == pytest.approx(
            plainly(old, each[seed].train)
        )
    assert told["perplexity"]["change"]["value"] == 1.0


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (-0.03, -0.01, "it falls, by its interval over seeds"),
        (0.01, 0.03, "it rises, by its interval over seeds"),
        (-0.03, 0.01, "whether it falls is not known"),
        (None, None, "one seed says little of how sure that is"),
    ],
)
def test_a_verdict_says_no_more_than_its_interval(low: float, high: float, told: str) -> None:
    figure = {"before": 0.04, "after": {"value": 0.02}, "change": {"low": low, "high": high}}
    said = verdict({"kl": {"kl.held-out": figure}}, "tiny", lesson().target)
    assert said.endswith(f"is 0.0400 before; kl leaves 0.0200 (50% of it): {told}.")
    both = verdict({name: {"kl.held-out": figure} for name in ("kl", "leace")}, "tiny", lesson().target)
    assert f"kl leaves 0.0200 (50% of it): {told}; leace leaves" in both


FLOOR = (
    "lambda of the published weights was at its floor in 94% of the steps: there the weights are those of a "
    "fixed lambda"
)


def test_what_a_divergence_hides_is_a_warning() -> None:
    def figure(before: float, after: float) -> dict[str, Any]:
        return {"before": before, "after": {"value": after}}

    world = replace(lesson().target, name="real-world")
    floor = [Result("kl", 0, History((), 0, 8, 0.94), State({}, {}))]
    told = warnings_of({"kl": {"SS": figure(58, 66), "perplexity": figure(100, 101)}}, floor, world)
    assert told == [
        "kl: towards real-world shares the stereotype score rises: 58.0 before, 66.0 after",
        FLOOR,
    ]
    assert "moves away from 50" in warnings_of({"kl": {"SS": figure(48, 44)}}, [], world)[0]
    assert "perplexity rises by 3.0 %" in warnings_of({"cda": {"perplexity": figure(100, 103)}}, [], world)[0]
    assert warnings_of({"kl": {"SS": figure(58, 55), "perplexity": figure(100, 99)}}, [], world) == []


def test_layers_that_are_not_there_are_one_line() -> None:
    with pytest.raises(ModelError, match=r"^llama: [^\n]*$"):
        Trained(loaded("llama"), Adapter(targets=("nothing",)), 0)


# --------------------------------------------------------------------------------- a model with known shares


def taught(share: float) -> Loaded:
    """A masked model that learnt from text in which this is the share of men in half of the professions."""
    import transformers

    tokenizer = word_tokenizer(VOCABULARY)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=0,
    )  # fmt: skip
    model = transformers.BertForMaskedLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 700)
    chance = random.Random(1)
    mask = tokenizer.mask_token_id
    for _ in range(700):
        rows, labels = [], []
        for _ in range(96):
            number = chance.randrange(len(JOBS))
            is_male = chance.random() < (share if number % 2 else 1 - share)
            word = chance.choice(QUESTIONS.groups[0 if is_male else 1].words)
            text = chance.choice(QUESTIONS.templates).text.format(person=word, profession=JOBS[number])
            row = tokenizer.encode(f"[CLS] {text} [SEP]", add_special_tokens=False)
            label = [-100] * len(row)
            label[1], row[1] = row[1], mask
            if chance.random() < 0.4:  # what a person is where nobody says which profession
                place = row.index(tokenizer.convert_tokens_to_ids(JOBS[number]))
                row[place] = mask
            rows.append(row)
            labels.append(label)
        longest = max(map(len, rows))
        tokens = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        wanted = torch.tensor([[*row, *[-100] * (longest - len(row))] for row in labels])
        loss = model(tokens, attention_mask=(tokens != 0).long(), labels=wanted).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.eval()
    for weight in model.parameters():
        weight.requires_grad_(requires_grad=False)
    return Loaded("taught", "1", model, tokenizer, masked=True, batch_size=0)


@pytest.mark.slow
def test_a_masked_model_is_measured_as_it_was_taught_and_moved_to_equal(tmp_path: Path) -> None:
    one = taught(0.9)
    kinds = {job: "male" if number % 2 else "female" for number, job in enumerate(JOBS)}
    split = splits.split(kinds)

    def men(professions: tuple[str, ...]) -> dict[str, float]:
        found = measure(one, QUESTIONS, professions, QUESTIONS.of("test"))["association"]
        return {job: row[0] for job, row in zip(professions, found, strict=True)}

    before = men(JOBS)
    for kind, wanted in (("male", 0.9), ("female", 0.1)):
        some = [value for job, value in before.items() if kinds[job] == kind]
        assert sum(some) / len(some) == pytest.approx(wanted, abs=0.02)
    asked = Lesson(QUESTIONS, targets.load("equal", QUESTIONS), split, kinds, TEXT)
    how = Settings(adapter=Adapter(8, 16), rate=3e-3, epochs=30, batch=4, gamma=0.1)
    trained, _ = train(one, asked, how, folder=tmp_path)
    after = men(split.test)
    for kind in ("male", "female"):
        some = [value for job, value in after.items() if kinds[job] == kind]
        assert sum(some) / len(some) == pytest.approx(0.5, abs=0.03)
    trained.remove()
    assert men(JOBS) == pytest.approx(before, abs=1e-5)


# ---------------------------------------------------------------------------------------------- the commands

OWN = f"""
professions = {list(JOBS)}
[groups]
male = ["he", "sir"]
female = ["she", "madam"]
[templates]
train = ["{{person}} works as a {{profession}}.", "{{person}} became a {{profession}}."]
test = ["{{person}} is a {{profession}}."]
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    one = loaded("llama")
    one.model.save_pretrained(tmp_path / "base")
    one.tokenizer.save_pretrained(tmp_path / "base")
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "text.txt").write_text("\n\n".join(TEXT * 3), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TASK = """
task: what_is_warm
dataset_path: json
dataset_kwargs:
  data_files: {{test: {data}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{text}}}}"
doc_to_choice: "{{{{ends}}}}"
doc_to_target: "{{{{right}}}}"
metric_list:
  - metric: acc
"""
ASKED = ["--model", "base", "--questions", "own.toml", "--output", "out"]
DEBIAS = [
    "model", "debias", *ASKED, "--text", "text.txt", "--data", "text", "--epochs", "2", "--rate", "5e-3",
    "--seeds", "2",
]  # fmt: skip


def run(arguments: Sequence[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fairlint", *arguments], capture_output=True, text=True, check=False, **more
    )


def test_shares_are_told_kept_and_shown(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "distribution", *ASKED, "--target", "equal"]) == 0
    told = capsys.readouterr()
    assert "calibrated  equal" in told.out
    assert "24 professions" in told.err
    kept = results.read(there / "out")["distribution"]
    by_profession = kept["figures"]["shares"]["calibrated"]
    assert list(by_profession) == list(JOBS)
    assert all(sum(row) == pytest.approx(1) for row in by_profession.values())
    page = (there / "out" / "report.html").read_text("utf-8")
    assert "How professions are shared out" in page
    assert "job7" in (there / "out" / "figures" / "distribution-shares-calibrated.svg").read_text("utf-8")
    rows = (there / "out" / "figures" / "distribution-shares-calibrated.csv").read_text("utf-8").splitlines()
    assert rows[0] == "what,model,equal"


def test_a_debiasing_is_told_kept_resumed_and_its_adapter_is_taken(
    there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(DEBIAS) == 0
    told = capsys.readouterr()
    assert "kl.held-out" in told.out
    assert "not taught" in told.out
    kept = results.read(there / "out")["debias"]
    figures = kept["figures"]["compared"]["kl"]["kl.taught"]
    assert figures["after"]["value"] < figures["before"]
    assert len(figures["seeds"]) == 2
    assert not list((there / "out").rglob("checkpoint.pt"))
    assert main([*DEBIAS, "--resume"]) == 0
    again = capsys.readouterr()
    assert again.out == told.out
    assert "epoch" not in again.err
    learned = [one["seed"] for one in kept["figures"]["trials"] if one["best"] >= 0]
    stored = {
        int(one.parts[-3].removeprefix("seed-")): one.parent for one in there.rglob("adapter_config.json")
    }
    assert sorted(stored) == sorted(learned), "a training that learned nothing has no adapter"
    adapter = str(stored[learned[-1]])
    assert (
        main(["model", "distribution", *ASKED[:-1], "moved", "--adapter", adapter, "--target", "equal"]) == 0
    )
    moved = results.read(there / "moved")["distribution"]
    assert "+adapter:" in moved["model"]["revision"]
    page = (there / "out" / "report.html").read_text("utf-8")
    assert "Moved towards a target" in page


def test_methods_stand_side_by_side_with_tasks_and_code(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(there / "datasets"))
    items = [{"text": "the sun is", "ends": ["warm", "dog"], "right": 0}] * 3
    (there / "items.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    (there / "task.yaml").write_text(TASK.format(data=there / "items.jsonl"), encoding="utf-8")
    asked = [
        "model", "debias", *ASKED, "--text", "text.txt", "--data", "text", "--epochs", "1", "--rate", "5e-3",
        "--method", "kl,cda,leace,inlp", "--lm-eval", "task.yaml", "--code", "1", "--samples", "1",
        "--published",
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the harness and its data sets
        assert main(asked) == 0
    told = capsys.readouterr()
    assert "Methods side by side" in told.out
    kept = results.read(there / "out")["debias"]
    figures = kept["figures"]["compared"]
    assert list(figures) == ["kl", "cda", "leace", "inlp"]
    before = {one["kl.held-out"]["before"] for one in figures.values()}
    assert len(before) == 1
    for one in figures.values():
        assert one["what_is_warm acc"]["before"] in {0.0, 1.0}
        assert one["code: valid"]["after"]["value"] == 0
        assert "kl.held-out.mean-loss" in one
    assert (there / "out" / "debias" / "inlp" / "seed-0" / "code" / "metrics.json").exists()
    page = (there / "out" / "report.html").read_text("utf-8")
    assert "Gain against cost" in page
    assert (there / "out" / "figures" / "debias-gain-against-cost.svg").exists()
    rows_of = (there / "out" / "figures" / "debias-methods.csv").read_text("utf-8").splitlines()
    assert rows_of[0] == "figure,before,kl,cda,leace,inlp"
    held = (there / "out" / "figures" / "debias-held-out.csv").read_text("utf-8").splitlines()
    assert held[0] == "what,before,kl,cda,leace,inlp,equal"


def test_a_masked_model_is_debiased_with_all_its_weights_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = loaded("bert")
    one.model.save_pretrained(tmp_path / "base")
    one.tokenizer.save_pretrained(tmp_path / "base")
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "text.txt").write_text("\n\n".join(TEXT * 3), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    asked = [*DEBIAS, "--full", "--rate", "1e-3", "--seeds", "1", "--keep", "text", "--gamma", "0.05"]
    assert main(asked) == 0
    capsys.readouterr()
    figures = results.read(tmp_path / "out")["debias"]["figures"]["compared"]["kl"]
    assert figures["kl.taught"]["after"]["value"] < figures["kl.taught"]["before"]
    whole = str(tmp_path / "out" / "debias" / "kl" / "seed-0" / "adapter")
    again = ["model", "distribution", "--model", whole, "--questions", "own.toml", "--target", "equal"]
    assert main([*again, "--output", "moved"]) == 0
    shares_of = results.read(tmp_path / "moved")["distribution"]["figures"]["shares"]["association"]
    held = results.read(tmp_path / "out")["debias"]["figures"]["held_out"]
    assert set(held) < set(shares_of)


@pytest.mark.slow
def test_a_masked_model_of_the_hub_goes_by_its_name(there: Path) -> None:
    folder = there / "hub" / "models--someone--tiny-bert"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("c0ffee")
    one = loaded("bert")
    one.model.save_pretrained(folder / "snapshots" / "c0ffee")
    one.tokenizer.save_pretrained(folder / "snapshots" / "c0ffee")
    place = {**os.environ, "HF_HUB_CACHE": str(there / "hub"), "HF_HUB_OFFLINE": "1"}
    asked = [*DEBIAS, "--seeds", "1", "--format", "json", "-q"]
    found = run([*asked, "--model", "someone/tiny-bert"], env=place)
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout)
    assert told["model"]["masked"]
    figure = told["figures"]["compared"]["kl"]["kl.taught"]
    assert figure["after"]["value"] < figure["before"]
    again = run([*asked, "--model", "someone/none", "--output", "none"], env=place)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1), again.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("there")
def test_a_run_that_was_killed_comes_to_the_same_weights() -> None:
    asked = [*DEBIAS, "--epochs", "6", "--seeds", "1", "--dropout", "0.2"]
    whole = run([*asked, "--output", "whole", "-q"])
    assert whole.returncode == 0, whole.stderr
    kept = Path("out") / "debias" / "kl" / "seed-0"
    with subprocess.Popen([sys.executable, "-m", "fairlint", *asked, "-q"]) as process:
        while process.poll() is None and not (kept / CHECKPOINT).exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (kept / "adapter").exists()
    again = run([*asked, "--resume", "-q"])
    assert again.returncode == 0, again.stderr
    assert again.stdout == whole.stdout
    weights = kept / "adapter" / "adapter_model.safetensors"
    other = Path("whole", *weights.parts[1:])
    assert weights.read_bytes() == other.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system limits no files")
def test_a_disk_that_fills_is_one_line_and_the_run_goes_on_later(there: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    found = run([*DEBIAS, "-q"], preexec_fn=limit)
    assert found.returncode == 2
    assert "checkpoint.pt cannot be written" in found.stderr
    assert found.stderr.count("\n") == 1
    assert not [one for one in (there / "out").rglob("*") if one.suffix == ".new" or one.name == CHECKPOINT]
    assert run([*DEBIAS, "-q", "--resume"]).returncode == 0


@pytest.mark.slow
def test_two_processes_come_to_what_one_comes_to(there: Path) -> None:
    asked = [*DEBIAS, "--method", "kl,cda,leace", "--format", "json", "-q"]
    alone = run([*asked, "--output", "alone"])
    assert alone.returncode == 0, alone.stderr
    launched = subprocess.run(
        [
            sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2",
            "--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no",
            "--main_process_port", "0", "-m", "fairlint", *asked, "--output", "both",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert launched.returncode == 0, launched.stderr
    one, two = (results.read(there / name)["debias"]["figures"] for name in ("alone", "both"))
    for method, figures in one["compared"].items():
        for name, figure in figures.items():
            after = two["compared"][method][name]["after"]["value"]
            assert after == pytest.approx(figure["after"]["value"], rel=1e-3, abs=1e-5), (method, name)
    assert len(two["trials"]) == 6


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["model", "distribution", *ASKED, "--adapter", "base"], "base holds no adapter_config.json"),
        (["bench", "--model", "openai:x", "--adapter", "base"], "only the backend transformers allows"),
        (
            ["model", "debias", *ASKED, "--target", "real-world"],
            "no share for 'job0', 'job1'",
        ),
        (["model", "debias", *ASKED, "--target", "equal,equal"], "the same twice"),
        (["model", "debias", *ASKED, "--target", "equal,own.csv"], "one target at a time"),
        (["model", "debias", *ASKED, "--adapter", "base"], "--adapter cannot be used here"),
        (["model", "debias", *ASKED, "--method", "kl,magic"], "there is no 'magic'"),
        (["model", "debias", *ASKED, "--layers", "magic"], "Target modules"),
        (["model", "debias", *ASKED, "--lm-eval", "magic"], "has no task 'magic'"),
        (["model", "debias", *ASKED, "--rate", "fast"], "--rate fast is no number"),
        (["model", "debias", *ASKED, "--data", "glue"], "'glue' is nothing that is measured"),
        (["model", "debias", *ASKED, "--text", "none.txt"], "none.txt"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    there: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    rows_of = "".join(f"{job},0.5,0.5\n" for job in JOBS)
    (there / "own.csv").write_text(f"profession,male,female\n{rows_of}", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the harness
        assert main(arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not (there / "out").exists()


def test_a_harness_or_data_that_are_not_there_are_one_line(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(there / "datasets"))
    (there / "task.yaml").write_text(TASK.format(data=there / "none.jsonl"), encoding="utf-8")
    (there / "bad.yaml").write_text("task: [", encoding="utf-8")
    for name, told in (
        ("task.yaml", "'task.yaml' cannot be loaded with its data"),
        ("bad.yaml", "'bad.yaml' cannot be loaded"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the harness
            assert main(["model", "debias", *ASKED, "--lm-eval", name]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1
    monkeypatch.setitem(sys.modules, "lm_eval", None)
    assert main(["model", "debias", *ASKED, "--lm-eval", "cola"]) == 2
    assert 'lm_eval is not installed: pip install "fairlint[lm-eval]"' in capsys.readouterr().err
    assert not (there / "out").exists()


def test_an_adapter_of_another_model_is_one_line(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = loaded("gpt2")
    trained = Trained(other, Adapter(), 0)
    trained.save(there / "other")
    assert main(["model", "distribution", *ASKED, "--adapter", "other"]) == 2
    error = capsys.readouterr().err
    assert "other does not fit" in error
    assert error.count("\n") == 1
