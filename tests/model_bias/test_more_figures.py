"""Figures beside the headline ones: gaps of stereotypes, perplexity alone, variance, AUC and directions."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from random_models import MASKED, tiny
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from word_tokenizer import word_tokenizer

from fairlint.cli import main
from fairlint.cli.model_debias import COMMAND, settings_of
from fairlint.model_bias import results
from fairlint.model_bias.data.records import Option
from fairlint.model_bias.data.stereoset import StereoSetItem
from fairlint.model_bias.distribution import measuring
from fairlint.model_bias.distribution.targets import Target
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.probing import Example, directions, probe
from fairlint.model_bias.scores import stereoset
from fairlint.model_bias.scores.asking import answers
from fairlint.model_bias.scores.perplexity import perplexity

WORDS = "the nurse judge was kind very strict blue here man said".split()
PASSAGES = ("the nurse was here", "the judge said the man was very strict", "blue was kind")


def loaded(kind: str) -> Loaded:
    return Loaded(kind, "1", tiny(kind), word_tokenizer(WORDS), masked=kind in MASKED, batch_size=0)


def item(target: str, *words: str) -> StereoSetItem:
    context = f"the {target} was BLANK here"
    more, less, none = (context.replace("BLANK", word) for word in words)
    labels = ("stereotype", "anti-stereotype", "unrelated")
    options = tuple(Option(label, f" {word}") for label, word in zip(labels, words, strict=True))
    return StereoSetItem(
        f"{target} {words[0]}", "intrasentence", target, "profession", context, more, less, none,
        f"the {target} was", options,
    )  # fmt: skip


ITEMS = (item("nurse", "kind", "very strict", "blue"), item("judge", "strict", "kind", "blue"))


@pytest.mark.parametrize("published", [False, True])
def test_the_gap_of_stereotypes_is_that_of_the_words_that_differ(published: bool) -> None:
    one = loaded("gpt2")
    model, encode = one.model, one.tokenizer.encode
    wanted = []
    for each in ITEMS:
        logs = []
        for place, text in enumerate((each.stereotype, each.anti_stereotype)):
            tokens = encode(text, add_special_tokens=False)
            start = [] if published else [one.tokenizer.bos_token_id]
            told = model(torch.tensor([[*start, *tokens]])).logits[0].log_softmax(-1)
            begin = len(encode(each.prompt, add_special_tokens=False))
            end = begin + len(encode(each.options[place].text, add_special_tokens=False))
            logs.append(sum(float(told[at - 1 + len(start), tokens[at]]) for at in range(begin, end)))
        wanted.append(logs[0] - logs[1])
    plan, _ = stereoset.plan(one, ITEMS, published=published)
    found = stereoset.figures(ITEMS, answers(one, plan), masked=False, plan=plan)
    gap = found[-1].gap
    assert gap is not None
    assert gap.mean == pytest.approx(statistics.mean(wanted), abs=1e-9)


def test_a_masked_models_gap_is_of_the_words_in_the_blank() -> None:
    one = loaded("bert")
    plan, _ = stereoset.plan(one, ITEMS)
    found = answers(one, plan)
    wanted = [sum(found[each.id][0]) - sum(found[each.id][1]) for each in ITEMS]
    gap = stereoset.figures(ITEMS, found, masked=True, plan=plan)[-1].gap
    assert gap is not None
    assert gap.mean == pytest.approx(statistics.mean(wanted), abs=1e-9)


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_perplexity_is_measured_without_training_or_ablation(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fairlint.cli import model_score

    one = loaded(kind)
    monkeypatch.setattr(model_score, "load", lambda _: one)
    (tmp_path / "text.txt").write_text("\n\n".join(PASSAGES))
    asked = ["model", "score", "--data", f"text={tmp_path / 'text.txt'}", "--output", str(tmp_path / "out")]
    assert main(asked) == 0
    assert "perplexity of 3 passages" in capsys.readouterr().out
    found = results.read(tmp_path / "out")["score"]
    wanted = perplexity(one, PASSAGES)
    told = found["figures"]["text"]
    assert told["value"]["value"] == pytest.approx(wanted.value.mean)
    assert (told["passages"], told["tokens"]) == (3, wanted.tokens)
    assert "text.value" in found["definitions"]
    assert (
        (tmp_path / "out" / "figures" / "score-text.csv").read_text().startswith("passages,tokens,perplexity")
    )


def test_kinds_of_professions_have_the_variance_of_their_divergence() -> None:
    jobs = ("nurse", "judge", "clerk")
    target = Target("equal", "here", dict.fromkeys(jobs, (0.5, 0.5)))
    shares = ((0.4, 0.6), (0.7, 0.3), (0.9, 0.1))
    kinds = {"nurse": "female", "judge": "male", "clerk": "male"}
    told = measuring.figures(shares, jobs, target, kinds)["by_kind"]
    values = measuring.divergences([(0.5, 0.5)] * 2, shares[1:])
    assert told["male"]["kl"]["value"] == pytest.approx(statistics.mean(values))
    assert told["male"]["variance"] == pytest.approx(statistics.variance(values))
    assert told["female"]["variance"] is None


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((), (1e-4, 0.01, 0.8)),
        (("--min-delta", "0.01", "--decay", "0", "--momentum", "1.0"), (0.01, 0.0, 1.0)),
    ],
)
def test_what_counts_as_progress_and_the_decay_are_options(
    options: tuple[str, ...], wanted: tuple[float, float, float]
) -> None:
    found = settings_of(COMMAND.parse(options))
    assert (found.least, found.decay, found.momentum) == wanted


def examples(count: int = 60) -> list[Example]:
    return [
        Example(f"{pair} {label}", label, str(pair), str(pair % 15))
        for pair in range(count)
        for label in (0, 1)
    ]


def test_auc_is_that_of_held_out_texts() -> None:
    some = examples()
    values = numpy.random.default_rng(3).normal(size=(2, len(some), 6))
    values[1, :, 2] += [5.0 * one.label for one in some]
    noise, planted = probe(values, some, kept_together="pair")
    assert planted.auc is not None
    assert planted.auc > 0.98
    assert noise.auc is not None
    assert 0.3 < noise.auc < 0.7
    weak = numpy.random.default_rng(4).normal(size=(1, len(some), 3))
    weak[0, :, 0] += [0.8 * one.label for one in some]
    (reading,) = probe(weak, some, kept_together="target")
    assert reading.auc is not None
    assert reading.auc > reading.accuracy.mean, "it does not hang on where the line is drawn"


@pytest.mark.parametrize("width", [5, 300])
def test_directions_are_those_of_a_plain_regression_on_all_texts(width: int) -> None:
    """Wide ones, too, which are learned in the space that the texts span."""
    some = examples(40)
    values = numpy.random.default_rng(1).normal(2.0, 3.0, size=(2, len(some), width))
    values[0, :, 1] += [2.0 * one.label for one in some]
    found = directions(values, some)
    labels = [one.label for one in some]
    for layer in range(2):
        rows = (values[layer] - values[layer].mean(0)) / values[layer].std(0)
        plain = LogisticRegression(C=0.1, max_iter=1_000, tol=1e-8).fit(rows, labels)
        odds = values[layer] @ found["weights"][layer] + found["bias"][layer]
        assert odds == pytest.approx(plain.decision_function(rows), abs=0.02)
        assert roc_auc_score(labels, odds) == pytest.approx(
            roc_auc_score(labels, plain.decision_function(rows)), abs=0.01
        )


def test_directions_are_kept_and_made_again_where_they_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlint.cli import model_probe

    one = loaded("gpt2")
    monkeypatch.setattr(model_probe, "load", lambda _: one)
    texts = [
        Example(f"the {word} was {'kind' if label else 'strict'}", label, f"{word}{pair}", word)
        for pair in range(4)
        for word in ("nurse", "judge", "man", "blue", "very", "said")
        for label in (0, 1)
    ]
    monkeypatch.setattr(model_probe, "_load_examples", lambda *_: texts)
    asked = ["model", "probe", "--data", "pronoun", "-q", "--output", str(tmp_path / "out")]
    assert main(asked) == 0
    path = tmp_path / "out" / "probe" / "directions-pronoun.npz"
    kept: dict[str, Any] = dict(numpy.load(path))
    assert kept["weights"].shape == (4, 32)
    assert kept["bias"].shape == (4,)
    told = json.loads((tmp_path / "out" / "probe" / "metrics.json").read_text())
    assert "weights" in told["definitions"]["directions"]
    assert all(0 <= reading["auc"] <= 1 for reading in told["figures"]["pronoun"])
    path.unlink()
    assert main([*asked, "--resume"]) == 0
    assert numpy.array_equal(numpy.load(path)["weights"], kept["weights"])
