"""Moving shares towards a target: adapters, weights of losses, early stop, resuming, the commands."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from random_models import MASKED, tiny
from word_tokenizer import word_tokenizer

from fairlint import UsageError
from fairlint.bench.models.model import ModelError, ModelOptions
from fairlint.cli import main
from fairlint.model import loading, results
from fairlint.model.distribution import shares, splits, targets
from fairlint.model.distribution.adapters import Adapter, Trained
from fairlint.model.distribution.debiasing import over_seeds
from fairlint.model.distribution.erasing import Erased
from fairlint.model.distribution.losses import CEILING, Adaptive
from fairlint.model.distribution.measuring import measure
from fairlint.model.distribution.questions import Group, Questions, Template
from fairlint.model.distribution.sentences import sentences
from fairlint.model.distribution.training import CHECKPOINT, Lesson, Settings, train
from fairlint.model.hooks import Changes, hooked
from fairlint.model.loading import Loaded
from fairlint.records import replace

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
    model = tiny(kind).float()
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


def test_erasing_changes_shares_and_is_taken_out_again(tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    before = logits(one)
    some = sentences(one, QUESTIONS, asked.splits.train, QUESTIONS.of("train"))
    erased = Erased(one, some, 2)
    kept: dict[int, torch.Tensor] = {}
    changes = Changes(blocks={0: lambda values: kept.update({0: values.detach()})})
    tokens = [torch.tensor([each.alone]) for each in some]
    found, labels = [], []
    model: Any = one.model
    with hooked(one.anatomy, changes), torch.no_grad():
        for each, text in zip(some, tokens, strict=True):
            model(text)
            for place in range(len(each.tokens) - 1, len(each.alone)):
                found.append(kept[0][0, place])
                labels.append(each.group)
    values, groups = torch.stack(found), torch.tensor(labels)
    apart = values[groups == 0].mean(0) - values[groups == 1].mean(0)
    assert float(apart.norm()) < 1e-4 * float(values.norm(dim=1).mean())
    erased.save(tmp_path / "maps")
    assert not torch.allclose(logits(one), before, atol=1e-4)
    erased.remove()
    assert torch.equal(logits(one), before)
    with pytest.raises(ModelError, match="masked"):
        Erased(loaded("bert"), (), 2)


class KilledError(Exception):
    pass


@pytest.mark.parametrize("kind", ["llama", "bert"])
def test_a_training_that_was_broken_off_comes_to_the_same_weights(kind: str, tmp_path: Path) -> None:
    asked = lesson()
    settings = replace(SMALL, adapter=Adapter(4, 8, dropout=0.1))
    trained, whole = train(loaded(kind), asked, settings, folder=tmp_path / "whole")

    def kill(epoch: int, *_: Any) -> None:
        if epoch == 2:
            raise KilledError

    with pytest.raises(KilledError):
        train(loaded(kind), asked, settings, folder=tmp_path / "broken", progress=kill)
    assert (tmp_path / "broken" / CHECKPOINT).exists()
    other, again = train(loaded(kind), asked, settings, folder=tmp_path / "broken")
    assert again == whole
    for name, value in trained.state.items():
        assert torch.equal(value, other.state[name]), name


def test_it_stops_where_nothing_gets_better_and_keeps_the_best(tmp_path: Path) -> None:
    one, asked = loaded("llama"), lesson()
    settings = replace(SMALL, rate=0.0, epochs=9, patience=2)
    before = logits(one)
    _, history = train(one, asked, settings, folder=tmp_path)
    assert (len(history.epochs), history.best) == (2, -1)
    assert torch.equal(logits(one), before)


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
    settings = Settings(adapter=Adapter(8, 16), rate=3e-3, epochs=30, batch=4, gamma=0.1)
    trained, _ = train(one, asked, settings, folder=tmp_path)
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


ASKED = ["--model", "base", "--questions", "own.toml", "--output", "out"]
DEBIAS = [
    "model", "debias", *ASKED, "--text", "text.txt", "--data", "text", "--epochs", "2", "--rate", "5e-3",
    "--seeds", "2",
]  # fmt: skip


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
    adapter = str(there / "out" / "debias" / "kl" / "seed-1" / "adapter")
    assert (
        main(["model", "distribution", *ASKED[:-1], "moved", "--adapter", adapter, "--target", "equal"]) == 0
    )
    moved = results.read(there / "moved")["distribution"]
    assert "+adapter:" in moved["model"]["revision"]
    page = (there / "out" / "report.html").read_text("utf-8")
    assert "Moved towards a target" in page


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
        (["model", "debias", *ASKED, "--rate", "fast"], "--rate fast is no number"),
        (["model", "debias", *ASKED, "--data", "glue"], "'glue' is nothing that is measured"),
        (["model", "debias", *ASKED, "--text", "none.txt"], "none.txt"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    there: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not (there / "out").exists()


def test_an_adapter_of_another_model_is_one_line(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = loaded("gpt2")
    trained = Trained(other, Adapter(), 0)
    trained.save(there / "other")
    assert main(["model", "distribution", *ASKED, "--adapter", "other"]) == 2
    error = capsys.readouterr().err
    assert "other does not fit" in error
    assert error.count("\n") == 1
