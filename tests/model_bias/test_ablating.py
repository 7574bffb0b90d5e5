"""Figures before and after: right as they are, paired, and gone where the head that makes them is gone."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
import torch
from random_models import tiny
from scipy import stats

from fairlint import UsageError
from fairlint.backends.model import ModelError
from fairlint.cli import main
from fairlint.model_bias import ablating, effects
from fairlint.model_bias.ablating import Step
from fairlint.model_bias.anatomy import Component, component
from fairlint.model_bias.data.code_prompts import CodeItem, load_code
from fairlint.model_bias.data.records import Option, Origin, Women, some
from fairlint.model_bias.data.stereoset import StereoSet, StereoSetItem
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.model_bias.effects import Effect, Table
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores import winogender
from fairlint.model_bias.scores.asking import answers
from fairlint.model_bias.scores.perplexity import perplexity
from fairlint.model_bias.scores.scoring import sample


class Letters:
    """A token a letter."""

    pad_token_id = 0
    bos_token_id = 1
    eos_token_id = 2

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [3 + ord(letter) % 57 for letter in text]


def loaded_of(seed: int = 0) -> Loaded:
    return Loaded("tiny", "r1", tiny("llama", seed=seed), Letters(), masked=False, batch_size=0)


def masked_of() -> Loaded:
    tokenizer: Any = Letters()
    tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id = 1, 2, 3
    return Loaded("tiny", "r1", tiny("bert"), tokenizer, masked=True, batch_size=0)


def measured(loaded: Loaded, data: str, items: Sequence[Any]) -> Table:
    return effects.measure(loaded, effects.question(loaded, data, items))


def log_probability(loaded: Loaded, text: str, begin: int = 0) -> list[float]:
    """ln P of each letter from `begin` on, one text at a time."""
    model: Any = loaded.model
    tokens = [1, *Letters().encode(text, add_special_tokens=False)]
    told = model(torch.tensor([tokens])).logits[0].log_softmax(-1)
    return [float(told[place, tokens[place + 1]]) for place in range(begin, len(tokens) - 1)]


def code(occupation: str, bls: float) -> CodeItem:
    options = (Option("male", "mm"), Option("male", "M"), Option("female", "ff"), Option("female", "F"))
    return CodeItem(
        occupation, "named", "t", "python", occupation, "gender", "", f"if {occupation} == '", options,
        Women(occupation, bls, 2015, bls),
    )  # fmt: skip


CODE = [code(name, bls) for name, bls in (("nurse", 90.0), ("chef", 20.0), ("clerk", 60.0), ("cop", 10.0))]


def test_code_s_gap_and_correlation_are_those_of_single_texts() -> None:
    loaded = loaded_of()
    gaps = []
    for item in CODE:
        chance = {
            one.text: math.exp(sum(log_probability(loaded, item.prompt + one.text, len(item.prompt))))
            for one in item.options
        }
        gaps.append(math.log(chance["mm"] + chance["M"]) - math.log(chance["ff"] + chance["F"]))
    found = effects.figures(measured(loaded, "code", CODE))
    assert found["code.gap"][0] == pytest.approx(sum(gaps) / 4, abs=1e-9)
    wanted = stats.pearsonr(gaps, [one.women.bls for one in CODE if one.women]).statistic
    assert found["code.r"][0] == pytest.approx(wanted, abs=1e-9)


def test_stereoset_s_scores_are_means_over_targets() -> None:
    loaded = loaded_of()
    items = [
        StereoSetItem(
            str(n), "intrasentence", target, "race", "", f"{a} one", f"{a} two it", f"{a} 3", "", ()
        )
        for n, (target, a) in enumerate((("x", "aa"), ("x", "bc"), ("x", "cd"), ("y", "ef")))
    ]

    def mean(text: str) -> float:
        told = log_probability(loaded, text)
        return sum(told) / len(told)

    rows: dict[str, list[tuple[float, float]]] = {}
    for one in items:
        s, a, u = map(mean, (one.stereotype, one.anti_stereotype, one.unrelated))
        rows.setdefault(one.target, []).append((s > a, ((s > u) + (a > u)) / 2))
    wanted = [100 * numpy.mean([numpy.mean([r[k] for r in told]) for told in rows.values()]) for k in (0, 1)]
    found = effects.figures(measured(loaded, "stereoset", items))
    assert found["stereoset.ss"][0] == pytest.approx(wanted[0])
    assert found["stereoset.lms"][0] == pytest.approx(wanted[1])
    assert found["stereoset.icat"][0] == pytest.approx(wanted[1] * min(wanted[0], 100 - wanted[0]) / 50)


def test_perplexity_is_of_all_tokens() -> None:
    loaded = loaded_of()
    told = [one for text in ("some words", "no") for one in log_probability(loaded, text)]
    found = effects.figures(measured(loaded, "text", ["some words", "no"]))
    assert found["text.perplexity"][0] == pytest.approx(math.exp(-sum(told) / len(told)), rel=1e-9)


def test_a_masked_model_is_asked_for_text_as_its_scores_are() -> None:
    loaded = masked_of()
    items = [
        WinoGenderItem(
            name, name, "someone", "occupation", "nominative", f"the {name} said",
            (Option("male", " he"), Option("female", " she"), Option("neutral", " they")),
            f"the {name} said he went", f"the {name} said she went", f"the {name} said they went",
            Women(name, bls, 2015, bls),
        )
        for name, bls in (("nurse", 90.0), ("chef", 20.0), ("clerk", 60.0))
    ]  # fmt: skip
    found = effects.figures(measured(loaded, "winogender", items))
    wanted = winogender.figures(items, answers(loaded, winogender.plan(loaded, items).plan))[0]
    assert found["winogender.gap"][0] == pytest.approx(wanted.gap.mean, abs=1e-9)
    passages = ["some words", "no"]
    told = effects.figures(measured(loaded, "text", passages))["text.perplexity"][0]
    assert told == pytest.approx(perplexity(loaded, passages).value.mean, rel=1e-9)
    with pytest.raises(ModelError, match="does not say how code goes on"):
        effects.question(loaded, "code", CODE)


def test_items_that_are_too_long_are_counted_and_an_empty_set_is_one_line() -> None:
    loaded = loaded_of()
    loaded.model.config.max_position_embeddings = 30
    asked = effects.question(loaded, "text", ["some words", "w" * 60])
    assert [(one.id, one.reason) for one in asked.skipped] == [
        ("1", "longer than the 30 tokens that the model reads")
    ]
    assert effects.measure(loaded, asked).items == 1
    with pytest.raises(ModelError, match="none of the 1 items of text can be measured: longer than"):
        effects.question(loaded, "text", ["w" * 60])


def test_what_was_measured_is_kept_and_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = loaded_of()
    asked = [effects.question(loaded, "code", CODE)]
    kept: dict[str, Any] = {}

    def keep(name: str, tables: Sequence[Table]) -> None:
        kept[name] = [effects.table_as_json(one) for one in tables]

    def run(known: dict[str, Any]) -> list[ablating.Step]:
        read = {
            name: [effects.read_table(one) for one in json.loads(json.dumps(told))]
            for name, told in known.items()
        }
        return ablating.ablate(
            loaded, [Component(1, 2)], "zero", asked, [], controls=1, known=read, keep=keep
        )

    first = run({})
    assert list(kept) == ["before", "list 0", "control 1"]
    monkeypatch.setattr(effects, "measure", None)  # nothing is measured again
    again = run(dict(kept))
    assert [one.as_json for one in again] == [one.as_json for one in first]


def table(gaps: list[float]) -> Table:
    shares = numpy.linspace(5, 95, len(gaps))
    rows = numpy.array([(x, y, x * x, y * y, x * y, 1.0) for x, y in zip(shares, gaps, strict=True)])
    return Table("code", tuple(map(str, range(len(gaps)))), rows, len(gaps))


def test_the_bootstrap_is_paired() -> None:
    """Occupations differ much, the ablation takes the same off each: the difference is sure."""
    gaps = list(numpy.random.default_rng(0).normal(1, 5, 40))
    gap, r = effects.effects(table(gaps), table([one - 0.25 for one in gaps]))
    assert (gap.difference, gap.low, gap.high) == pytest.approx((-0.25, -0.25, -0.25))
    assert abs(r.difference) < 1e-9
    with pytest.raises(ValueError, match="not measured over the same clusters"):
        effects.effects(table(gaps), table(gaps[1:]))


def test_intervals_hold_the_difference_as_often_as_they_say() -> None:
    random = numpy.random.default_rng(1)
    held = 0
    for _ in range(100):
        gaps = random.normal(0, 2, 60)
        gap, _ = effects.effects(table(list(gaps)), table(list(gaps + random.normal(0.5, 1, 60))))
        held += gap.low <= 0.5 <= gap.high
    assert 86 <= held <= 100


def test_no_correlation_of_equal_gaps_is_told() -> None:
    _, r = effects.effects(table([1.0, 2.0, 4.0]), table([2.0, 2.0, 2.0]))
    assert r.as_json["after"] is None
    assert r.as_json["difference"] is None


def test_a_head_that_alone_writes_the_gap_takes_it_along_and_controls_do_not() -> None:
    loaded = loaded_of()
    anatomy = loaded.anatomy
    wide = anatomy.head_width
    with torch.no_grad():
        for layer, projection in enumerate(anatomy.attentions):
            keep = projection.weight[:, 2 * wide : 3 * wide].clone()
            projection.weight.zero_()
            if layer == 1:
                projection.weight[:, 2 * wide : 3 * wide] = 20 * keep
        for block in anatomy.blocks:
            block.mlp.down_proj.weight.zero_()

    asked = effects.question(loaded, "code", CODE)
    seen: list[tuple[int, int]] = []
    steps = ablating.ablate(
        loaded,
        [Component(1, 2), component("0.1")],
        "zero",
        [asked],
        [],
        controls=3,
        done=lambda done, of: seen.append((done, of)),
    )
    assert [(one.kind, len(one.components)) for one in steps] == [
        ("list", 1), ("list", 2), ("control", 2), ("control", 2), ("control", 2),
    ]  # fmt: skip
    assert seen == [(done, 6) for done in range(1, 7)]
    first, whole, *controls = ({one.figure: one for one in step.effects} for step in steps)
    assert abs(first["code.r"].before) <= 1
    assert math.isnan(first["code.r"].after), "all occupations have the same gap now"
    assert first["code.gap"].difference != 0
    assert whole["code.gap"].difference == first["code.gap"].difference
    assert [one["code.gap"].difference for one in controls] == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--heads says what to switch off"),
        (("--heads", "23"), "'23' is no component"),
        (("--heads", "none.json"), "none.json: cannot be read: No such file"),
        (("--heads", "1.2", "--data", "bbq"), "'bbq' is not measured before and after"),
        (("--heads", "1.2", "--how", "half"), "--how"),
        (("--heads", "1.2", "--how", "mean", "--keep-first"), "--keep-first is for --how zero"),
    ],
)
def test_wrong_usage_is_one_line(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "ablate", *options]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.slow
def test_the_shipped_model_s_results_can_be_ablated_by_the_bench(tmp_path: Path) -> None:
    asked = ("model", "ablate", "--heads", "23.5,25.1", "--data", "code,winogender", "--limit", "6", "-q")
    assert main([*asked, "--controls", "1", "--output", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "ablate" / "metrics.json").read_text())
    assert [one["kind"] for one in told["figures"]["steps"]] == ["list", "list", "control"]
    assert set(told["definitions"]) == {"how", "code.gap", "code.r", "winogender.gap", "winogender.r"}
    from fairlint.model_bias import ablation_files

    held = ablation_files.read(tmp_path / "ablate" / "ablation.json")
    assert (held.how, [str(one) for one in held.components]) == ("mean", ["23.5", "25.1"])
    with pytest.raises(UsageError, match="already holds results"):
        raise_of(["model", "ablate", "--heads", "23.5", "--output", str(tmp_path)])


def raise_of(arguments: list[str]) -> None:
    from fairlint.cli.model import run

    run(arguments[1:])


def test_the_table_has_a_gap_between_columns_and_no_interval_without_width() -> None:
    from fairlint.cli.model_ablate import table as text

    some = Effect("text.perplexity", 11556.804, 11430.799, -126.005, -130.0, -110.0, 0.01, 20)
    alike = Effect("stereoset.ss", 36.842, 50.0, 0.0, 0.0, 0.0, 1.0, 20)
    steps = [Step("list", names, (some, alike)) for names in (("1.1",), ("1.1", "1.2"))]
    lines = list(text([*steps, Step("control", ("0.1", "0.2"), (some, alike))], "zero"))
    row = next(line for line in lines if line.startswith("text.perplexity"))
    assert row.split() == [
        "text.perplexity",
        "11556.804",
        "11430.799",
        "-126.005",
        "(-130.000",
        "to",
        "-110.000)",
        "-126.005",
    ]
    assert "to" not in next(line for line in lines if line.startswith("stereoset.ss")).split()


def test_items_that_heads_were_chosen_on_are_not_measured_again() -> None:
    loaded = loaded_of()
    data = load_code()
    every, _ = ablating.questions(loaded, [data], limit=12)
    used = {one.prompt for one in every[0].items[:5]}
    left, _ = ablating.questions(loaded, [data], limit=12, without=used)
    assert [one.id for one in left[0].items] == [one.id for one in every[0].items if one.prompt not in used]


def test_a_limit_takes_the_same_items_in_all_commands() -> None:
    """Of each kind as many, drawn at random: what ablations measure is part of what scores measure."""
    loaded, data = loaded_of(), load_code()
    scored = sample(data, 7)
    (asked,), _ = ablating.questions(loaded, [data], limit=7)
    gender = [one for one in scored if one.question == "named" and one.attribute == "gender"]
    assert [one.id for one in gender] == [one.id for one in asked.items]
    kinds = {(one.question, one.attribute == "gender") for one in data.items}
    assert len(scored) == 7 * len(kinds)
    assert len({one.occupation for one in scored}) > 7


def test_a_limit_takes_as_many_within_sentences_as_between() -> None:
    items = tuple(
        SimpleNamespace(task=task) for task in ("intrasentence", "intersentence") for _ in range(30)
    )
    drawn = sample(StereoSet(items, (), Origin("", "")), 5)  # type: ignore[arg-type]
    assert [one.task for one in drawn] == ["intrasentence"] * 5 + ["intersentence"] * 5
    assert drawn[:5] == some(items[:30], 5)
