"""What is switched off gives zeros, its mean or another text's values, and nothing else is touched."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from random_models import ARCHITECTURES, MASKED, MORE, tiny

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

import tiny_models

from fairlint import UsageError
from fairlint.backends import registry
from fairlint.backends.caches import cache_name
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.bench.evaluating import evaluate
from fairlint.cli import main
from fairlint.model_bias import ablation, ablation_files, loading
from fairlint.model_bias.ablation import Ablation, ablate_components, ablation_of, random_sets
from fairlint.model_bias.anatomy import Component, component
from fairlint.model_bias.hooks import at, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import batch_of

TEXTS = [[1, 7, 23, 42, 11, 5], [1, 9, 9, 31], [1, 50, 8, 8, 12, 40, 3], [1, 4]]
HEAD, MLP = Component(1, 2), Component(2)


class Padding:
    """All of a tokenizer that passes need."""

    pad_token_id = 0
    bos_token_id = 1


def loaded_of(kind: str, **more: Any) -> Loaded:
    return Loaded(kind, "r1", tiny(kind, **more), Padding(), kind in MASKED, batch_size=0)


def values_of(loaded: Loaded, one: Component, text: Sequence[int]) -> torch.Tensor:
    """[positions, width]"""
    kept: list[torch.Tensor] = []
    model: Any = loaded.model
    with hook_model(loaded.anatomy, at(loaded.anatomy, {one: kept.append})):
        model(torch.tensor([list(text)]))
    return kept[0][0]


def logits(loaded: Loaded, texts: Sequence[Sequence[int]]) -> list[torch.Tensor]:
    model: Any = loaded.model
    found = model(**batch_of(loaded, texts).inputs).logits
    return [found[row, : len(text)] for row, text in enumerate(texts)]


def after(loaded: Loaded, change: Ablation, one: Component, text: Sequence[int]) -> torch.Tensor:
    """What a component gives on when it is ablated: a hook that comes later sees it."""
    with ablate_components(loaded, change):
        return values_of(loaded, one, text)


@pytest.mark.parametrize("kind", [*ARCHITECTURES, *MORE])
@pytest.mark.parametrize("one", [HEAD, Component(1)])
def test_zeroed_components_give_zeros_at_all_positions(kind: str, one: Component) -> None:
    """As zero ablation is defined; on demand the first token of causal models is left as it is."""
    loaded = loaded_of(kind)
    before = values_of(loaded, one, TEXTS[0])
    assert not after(loaded, ablation_of(loaded, [one], "zero", []), one, TEXTS[0]).any()
    kept = ablation_of(loaded, [one], "zero", [], keep_first=True)
    found = after(loaded, kept, one, TEXTS[0])
    start = 0 if kind in MASKED else 1
    assert not found[start:].any()
    assert torch.equal(found[:start], before[:start])
    assert torch.equal(values_of(loaded, one, TEXTS[0]), before), "afterwards all is as it was"


@pytest.mark.parametrize("kind", ["llama", "gpt2", "bert"])
@pytest.mark.parametrize("one", [HEAD, MLP])
def test_means_are_those_of_all_positions_of_all_texts(kind: str, one: Component) -> None:
    loaded = loaded_of(kind)
    start = 0 if kind in MASKED else 1
    every = torch.cat([values_of(loaded, one, text)[start:] for text in TEXTS])
    change = ablation_of(loaded, [one], "mean", TEXTS)
    assert numpy.allclose(change.means[one], every.mean(0).numpy(), rtol=0, atol=1e-12)
    found = after(loaded, change, one, TEXTS[2])
    assert torch.allclose(found[start:], every.mean(0).expand_as(found[start:]), rtol=0, atol=1e-12)


def test_resampling_gives_another_text_s_values_at_the_same_place() -> None:
    loaded = loaded_of("llama")
    change = ablation_of(loaded, [HEAD, MLP], "resample", TEXTS, seed=3)
    text = TEXTS[1]
    others = [values_of(loaded, HEAD, other) for other in TEXTS if other != text and len(other) >= len(text)]
    found = after(loaded, change, HEAD, text)
    assert any(torch.allclose(found[1:], one[1 : len(text)], rtol=0, atol=1e-12) for one in others) or (
        torch.allclose(found[1:], values_of(loaded, HEAD, TEXTS[3])[1].expand_as(found[1:]), atol=1e-12)
    )
    seeds = {
        str(after(loaded, ablation_of(loaded, [HEAD], "resample", TEXTS, seed=seed), HEAD, text).tolist())
        for seed in range(12)
    }
    assert len(seeds) == len(TEXTS) - 1, "each other text is drawn by some seed, itself by none"


@pytest.mark.parametrize("how", ablation.HOWS)
@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_neox", "bert"])
def test_what_is_beside_a_text_changes_nothing(kind: str, how: ablation.How) -> None:
    loaded = loaded_of(kind)
    with ablate_components(loaded, ablation_of(loaded, [HEAD, MLP], how, TEXTS)):
        together = logits(loaded, TEXTS)
        for text, found in zip(TEXTS, together, strict=True):
            assert torch.allclose(logits(loaded, [text])[0], found, rtol=0, atol=1e-10)


def test_a_text_that_is_written_word_by_word_is_ablated_as_a_whole_one() -> None:
    """With kept keys and values, and padding on the left."""
    loaded = loaded_of("llama")
    model: Any = loaded.model
    text, name = TEXTS[0], cache_name(model)
    with ablate_components(loaded, ablation_of(loaded, [HEAD, MLP], "mean", TEXTS)):
        whole = model(torch.tensor([text])).logits[0, -1]
        padded = torch.tensor([[0, 0, *text[:-1]], [1, 4, 5, 6, 7, 8, 9]])
        mask = torch.tensor([[0, 0, 1, 1, 1, 1, 1], [1] * 7])
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        held = model(padded, attention_mask=mask, position_ids=places, use_cache=True)
        mask = torch.cat([mask, torch.ones(2, 1, dtype=torch.long)], -1)
        step = model(
            torch.tensor([[text[-1]], [3]]),
            attention_mask=mask,
            position_ids=mask.sum(-1, keepdim=True) - 1,
            **{name: getattr(held, name)},
        ).logits[0, -1]
    assert torch.allclose(step, whole, rtol=0, atol=1e-10)


def test_a_head_that_alone_writes_the_answer_takes_it_along() -> None:
    """All other heads' outputs and all MLPs are nothing, so the logits hang on the embedding and one head."""
    loaded = loaded_of("llama")
    anatomy = loaded.anatomy
    wide = anatomy.head_width
    with torch.no_grad():
        for layer, projection in enumerate(anatomy.attentions):
            keep = projection.weight[:, 2 * wide : 3 * wide].clone()
            projection.weight.zero_()
            if layer == 1:
                projection.weight[:, 2 * wide : 3 * wide] = keep
        for block in anatomy.blocks:
            block.mlp.down_proj.weight.zero_()
    pair = [[1, 7, 23, 42], [1, 31, 50, 42]]  # they end alike: only a head can tell

    def gap() -> float:
        one, other = logits(loaded, pair)
        return float((one[-1] - other[-1]).abs().max())

    assert gap() > 1e-3
    with ablate_components(loaded, ablation_of(loaded, [Component(1, 1), Component(0)], "zero", [])):
        assert gap() > 1e-3
    for how in ("zero", "mean"):
        with ablate_components(loaded, ablation_of(loaded, [HEAD], how, TEXTS)):
            assert gap() == 0


def test_controls_are_other_heads_of_the_same_layers() -> None:
    anatomy = loaded_of("llama").anatomy
    chosen = [Component(1, 2), Component(1, 0), Component(2, 3), Component(0)]
    sets = random_sets(anatomy, chosen, 20, seed=1)
    assert len(set(sets)) > 3
    for drawn in sets:
        assert len(set(drawn)) == len(chosen)
        assert not set(drawn) & set(chosen)
        assert [one.layer for one in drawn if one.head is not None] == [1, 1, 2]
        assert sum(one.head is None for one in drawn) == 1
    assert sets == random_sets(anatomy, chosen, 20, seed=1)
    with pytest.raises(ModelError, match="too few are left for a random control"):
        random_sets(anatomy, list(anatomy.components())[:7], 1)


def test_where_a_layer_has_no_other_head_another_layer_s_is_drawn() -> None:
    anatomy = loaded_of("llama").anatomy
    (drawn,) = random_sets(anatomy, [Component(1, head) for head in range(4)], 1)
    assert {one.layer for one in drawn} <= {0, 2}


def test_sizes_of_a_curve() -> None:
    assert [ablation.sizes(count) for count in (1, 2, 3, 8, 20)] == [
        (1,), (1, 2), (1, 2, 3), (1, 2, 4, 8), (1, 2, 4, 8, 16, 20),
    ]  # fmt: skip


def test_lists_and_means_are_read_back(tmp_path: Path) -> None:
    loaded = loaded_of("llama")
    change = ablation_of(loaded, [HEAD, MLP], "mean", TEXTS)
    path = ablation_files.write(tmp_path, change, "llama")
    found = ablation_files.read(path)
    assert (found.how, found.components, found.digest) == ("mean", change.components, change.digest)
    assert all(numpy.array_equal(found.means[one], change.means[one]) for one in change.components)
    other = ablation_of(loaded, [HEAD, MLP], "mean", TEXTS[:2])
    assert other.digest != change.digest


def test_a_mere_list_is_zeroed(tmp_path: Path) -> None:
    (tmp_path / "heads.json").write_text('{"components": ["1.2", "mlp 2", "1.2"]}')
    found = ablation_files.read(tmp_path / "heads.json")
    assert (found.how, found.components) == ("zero", (HEAD, MLP))
    assert found.digest == Ablation("zero", (MLP, HEAD)).digest


def test_that_the_first_token_is_kept_is_read_back(tmp_path: Path) -> None:
    kept = Ablation("zero", (HEAD,), keep_first=True)
    found = ablation_files.read(ablation_files.write(tmp_path, kept, "llama"))
    assert (found.how, found.components, found.keep_first) == ("zero", (HEAD,), True)
    assert found.digest == kept.digest
    assert kept.digest != Ablation("zero", (HEAD,)).digest
    assert kept.settings["keep_first"] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "lists no components"),
        ('{"components": []}', "lists no components"),
        ('{"components": [1]}', "lists no components"),
        ('{"components": ["1"]}', "'1' is no component"),
        ('{"components": ["1.2"], "how": "half"}', "how is zero or mean, not 'half'"),
        ('{"components": ["1.2"], "how": "resample"}', "ablate by zero or mean"),
        ('{"components": ["1.2"], "how": "mean"}', "means names the .npz file"),
        ('{"components": ["1.2"], "how": "mean", "means": "../x.npz"}', "means names the .npz file"),
        ('{"components": ["1.2"], "how": "mean", "means": "x.npz"}', "x.npz: cannot be read: No such file"),
        ('{"components": ["1.2"], "how": "mean", "means": "heads.json"}', "holds no vectors"),
    ],
)
def test_a_wrong_list_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "heads.json").write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        ablation_files.read(tmp_path / "heads.json")
    assert "\n" not in str(caught.value)


def test_changed_means_and_means_of_another_width_are_told(tmp_path: Path) -> None:
    loaded = loaded_of("llama")
    path = ablation_files.write(tmp_path, ablation_of(loaded, [HEAD], "mean", TEXTS), "llama")
    short: dict[str, Any] = {"1.2": numpy.ones(3)}
    numpy.savez(tmp_path / "ablation.npz", **short)
    with pytest.raises(UsageError, match="is not the file that was written with the list"):
        ablation_files.read(path)
    wrong = Ablation("mean", (HEAD,), {HEAD: numpy.ones(3)})
    with pytest.raises(ModelError, match="has 3 numbers, and the model's heads are 8 wide"):
        ablation.put_in(loaded.model, loaded.anatomy, wrong)
    with pytest.raises(ModelError, match=r"there is no mean of 1\.2"):
        ablation.put_in(loaded.model, loaded.anatomy, Ablation("mean", (HEAD,)))


# --------------------------------------------------------------------------------------- the bench


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.llama(tmp_path_factory.mktemp("models") / "tiny-llama")


def test_a_component_that_the_model_lacks_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["model", "ablate", "--model", str(folder), "--heads", "99.0", "--data", "code"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the model has no component 99.0" in line


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    names = [f"{layer}.{head}" for layer in (0, 1) for head in range(4)]
    (tmp_path / "heads.json").write_text(json.dumps({"components": names}))
    return tmp_path / "heads.json"


ASKED = ("--limit", "1", "--samples", "2", "--max-new-tokens", "8", "--dtype", "float32", "-q")


def texts(run: Path) -> list[str]:
    return [json.loads(line)["text"] for line in (run / "responses.jsonl").read_text().splitlines()]


def test_the_bench_asks_the_ablated_model_and_says_so(folder: Path, heads: Path, tmp_path: Path) -> None:
    plain, without = tmp_path / "plain", tmp_path / "without"
    asked = ("bench", "--model", str(folder), *ASKED)
    assert main([*asked, "--output", str(plain)]) == 0
    assert main([*asked, "--output", str(without), "--ablate", str(heads)]) == 0
    told = json.loads((without / "run.json").read_text())["options"]["model"]["ablation"]
    assert told["how"] == "zero"
    assert told["components"][:2] == ["0.0", "0.1"]
    assert "ablation" not in json.loads((plain / "run.json").read_text())["options"]["model"]
    assert texts(plain) != texts(without)


def test_a_run_goes_on_with_the_same_ablation_alone(
    folder: Path, heads: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("bench", "--model", str(folder), *ASKED, "--output", str(tmp_path / "run"))
    assert main([*asked, "--ablate", str(heads)]) == 0
    assert main([*asked, "--ablate", str(heads), "--resume"]) == 0
    capsys.readouterr()
    heads.write_text('{"components": ["0.1"]}')
    for more in ((), ("--ablate", str(heads))):
        assert main([*asked, *more, "--resume"]) == 2
        assert "holds a run with other settings: options.model.ablation" in capsys.readouterr().err


def test_ablated_answers_are_those_of_the_ablated_model(folder: Path) -> None:
    """The mean's vectors come from `fairlint.model_bias`, the answers from the bench: the same token."""
    loaded = loading.load(str(folder), ModelOptions(dtype="float32"))
    change = ablation_of(loaded, [component("1.2"), component("mlp 1")], "mean", [[0, 5, 9, 30], [0, 8, 8]])
    model = registry.load(str(folder), ModelOptions(dtype="float32", intervention=change))
    inner: Any = model
    tokens = torch.tensor([[0, 17, 33, 40]])
    with torch.inference_mode(), ablate_components(loaded, change):
        there: Any = loaded.model
        wanted = there(tokens).logits
    with torch.inference_mode():
        assert torch.equal(inner._model(tokens).logits, wanted)
    model.close()


def test_means_of_another_model_are_refused(folder: Path) -> None:
    other = Ablation("mean", (Component(0, 0),), {Component(0, 0): numpy.zeros(8)}, revision="files:other")
    with pytest.raises(ModelError, match=r"the means of this ablation are of another model \(files:other\)"):
        registry.load(str(folder), ModelOptions(intervention=other))
    with pytest.raises(ModelError, match=r"has no component 7\.0"):
        registry.load(str(folder), ModelOptions(intervention=Ablation("zero", (Component(7, 0),))))


def test_a_backend_that_hides_the_model_is_one_line(heads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--model", "openai:some", "--ablate", str(heads)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(ModelError, match="only the backend transformers allows, not openai"):
        evaluate("openai:some", options=ModelOptions(intervention=ablation_files.read(heads)))
