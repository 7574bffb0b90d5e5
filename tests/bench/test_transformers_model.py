"""Weights on this machine: small models with random weights, which load and decode like the real ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models  # noqa: E402

from fairlint.backends import decoding, transformers_model  # noqa: E402
from fairlint.backends.model import ModelError, ModelOptions, Response, Sampling  # noqa: E402
from fairlint.backends.prompting import tokens_of  # noqa: E402
from fairlint.backends.requests import Request, completion, key_of  # noqa: E402
from fairlint.bench.suites.faircode_function import SUITE  # noqa: E402
from fairlint.bench.suites.suite import Selection  # noqa: E402
from fairlint.support.records import replace  # noqa: E402

ASKED = SUITE.requests(Selection(attributes="gender", samples=2, limit=6))
SHORT = Sampling(max_new_tokens=24)


@pytest.fixture(scope="module")
def codegen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.codegen(tmp_path_factory.mktemp("models") / "tiny-codegen")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.llama(tmp_path_factory.mktemp("models") / "tiny-llama")


def loaded(folder: Path, **options: Any) -> transformers_model.TransformersModel:
    return transformers_model.load(str(folder), ModelOptions(**options))


def answers(
    model: transformers_model.TransformersModel,
    requests: Sequence[Request] = ASKED,
    sampling: Sampling = SHORT,
) -> dict[str, Response]:
    found = [one for batch in model.answer(requests, sampling, SUITE.finished) for one in batch]
    assert len(found) == len({key_of(one.request) for one in found})
    return {key_of(one.request): one for one in found}


def prompt_of(model: transformers_model.TransformersModel, request: Request) -> list[int]:
    return tokens_of(model._tokenizer, request, in_chat=bool(model.settings["chat"]))


def test_codegen_goes_on_writing_the_function(codegen: Path) -> None:
    """It has no chat template, so it gets one text that ends with the function's head."""
    model = loaded(codegen)
    assert (model.name, model.settings["chat"], model.settings["dtype"]) == ("tiny-codegen", False, "float32")
    assert model.revision.startswith("files:")
    found = answers(model)
    assert set(found) == set(map(key_of, ASKED))
    for one in found.values():
        assert one.given == one.request.header
        assert one.finish == ("length" if one.new_tokens == SHORT.max_new_tokens else "end")
        assert one.prompt_tokens == len(model._tokenizer(completion(one.request))["input_ids"])
    assert len({one.text for one in found.values()}) > len(ASKED) / 2, "seeds differ, so answers do"


@pytest.mark.parametrize("size", [1, 5, 12])
@pytest.mark.parametrize("kind", ["codegen", "llama"])
def test_the_same_seed_gives_the_same_answer_at_any_batch_size(
    kind: str, size: int, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    whole = answers(loaded(folder, batch_size=8))
    assert answers(loaded(folder, batch_size=size)) == whole
    some = answers(loaded(folder, batch_size=size), ASKED[3:6])
    assert some == {key: whole[key] for key in some}


def test_greedy_answers_are_those_of_generate(llama: Path) -> None:
    """Padding, shared beginnings and the cache of our own change nothing."""
    model = loaded(llama, batch_size=12)
    ours = answers(model, sampling=Sampling(max_new_tokens=24, temperature=0, early_stop=False))
    for request in ASKED[::3]:
        prompt = torch.tensor([prompt_of(model, request)])
        theirs = model._model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=24
        )
        text = decoding.text_of(model._tokenizer, theirs[0, prompt.shape[1] :].tolist())
        assert ours[key_of(request)].text == text


def test_what_prompts_begin_with_goes_through_once(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(llama, batch_size=12)
    shared = answers(model)
    monkeypatch.setattr(decoding, "SHORTEST_SHARED", 10**6)
    assert answers(model) == shared


def test_an_assistant_is_asked_in_a_chat(llama: Path) -> None:
    model = loaded(llama)
    assert model.settings["chat"]
    text = model._tokenizer.decode(prompt_of(model, ASKED[0]))
    assert text.startswith("<|im_start|>system\n")
    assert text.endswith("<|im_start|>assistant\n")
    assert all(one.given == "" for one in answers(model, ASKED[:1]).values())
    plain = loaded(llama, chat=False)
    assert prompt_of(plain, ASKED[0]) == plain._tokenizer(completion(ASKED[0]))["input_ids"]


def test_a_template_without_a_system_turn(tmp_path: Path) -> None:
    model = loaded(tiny_models.llama(tmp_path / "gemma", tiny_models.NO_SYSTEM))
    text = model._tokenizer.decode(prompt_of(model, ASKED[0]))
    assert text.startswith(f"<|im_start|>user\n{ASKED[0].messages[0].content}\n\n")
    assert "system" not in text.split("\n")[0]


def test_thoughts_that_a_template_begins_belong_to_the_answer(tmp_path: Path) -> None:
    """Else a draft in them would be taken for the answer."""
    template = tiny_models.TEMPLATE.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
    model = loaded(tiny_models.llama(tmp_path / "thinker", template))
    assert all(one.given == "<think>\n" for one in answers(model, ASKED[:2]).values())


def test_the_models_own_sampling_holds_where_none_is_asked_for(tmp_path: Path) -> None:
    folder = tiny_models.llama(tmp_path / "own")
    tiny_models.says(folder, temperature=0.3, top_p=0.8, do_sample=True)
    model = loaded(folder)
    assert model.sampling(SHORT) == Sampling(max_new_tokens=24, temperature=0.3, top_p=0.8)
    chosen = model.sampling(Sampling(max_new_tokens=24, temperature=0.9, top_p=1.0))
    assert (chosen.temperature, chosen.top_p) == (0.9, 1.0)


def test_the_likeliest_tokens_alone_are_drawn_where_that_is_asked_for(llama: Path) -> None:
    """Of one token the likeliest is drawn, however hot; 0 draws from all, as the model's files say here."""
    hot = replace(SHORT, temperature=5.0, top_p=1.0)
    greedy = answers(loaded(llama), sampling=replace(SHORT, temperature=0.0))
    assert answers(loaded(llama), sampling=replace(hot, top_k=1)) == greedy
    assert answers(loaded(llama), sampling=replace(hot, top_k=0)) == answers(loaded(llama), sampling=hot)


def test_too_little_memory_halves_the_batch(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = answers(loaded(llama))
    sizes = []

    def small(model: Any, tokenizer: Any, rows: Any, drawing: Any, **more: Any) -> Any:
        sizes.append(len(rows))
        if len(rows) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        yield from decoding.decode(model, tokenizer, rows, drawing, **more)

    monkeypatch.setattr(transformers_model, "decode", small)
    assert answers(loaded(llama, batch_size=12)) == whole
    assert sizes[:3] == [12, 6, 3]
    monkeypatch.setattr(transformers_model, "decode", _never_enough)
    with pytest.raises(ModelError, match="one answer at a time needs more memory"):
        answers(loaded(llama))


def _never_enough(*_: Any, **__: Any) -> Any:
    raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")


def test_memory_that_ends_in_the_middle_of_a_batch_loses_nothing(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answers(loaded(llama), sampling=Sampling(max_new_tokens=40))
    failed: list[int] = []

    def late(model: Any, tokenizer: Any, rows: Any, drawing: Any, **more: Any) -> Any:
        for done in decoding.decode(model, tokenizer, rows, drawing, **more):
            yield done[:1]
            if len(rows) > 2 and len(failed) < 2:
                for row in done[1:]:
                    row.finish = ""  # as if they had not been written yet
                failed.append(len(rows))
                raise MemoryError
            if done[1:]:
                yield done[1:]

    monkeypatch.setattr(transformers_model, "decode", late)
    assert answers(loaded(llama, batch_size=12), sampling=Sampling(max_new_tokens=40)) == whole
    assert failed


def test_an_error_that_is_not_about_memory_goes_through(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    monkeypatch.setattr(transformers_model, "decode", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        answers(loaded(llama))


def test_a_prompt_that_is_too_long_is_told_before_anything_is_asked(llama: Path) -> None:
    with pytest.raises(ModelError, match=r"reads 4096 tokens at most, and a prompt of \d+ with"):
        answers(loaded(llama), sampling=Sampling(max_new_tokens=5000))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"dtype": "int8"}, "--dtype must be auto or one of float32, bfloat16, float16"),
        ({"device": "cuda:9"}, "--device cuda:9 cannot be used here"),
        ({"device": "abacus"}, "--device abacus cannot be used here"),
    ],
)
def test_what_cannot_be_used(options: dict[str, str], says: str, llama: Path) -> None:
    with pytest.raises(ModelError) as error:
        loaded(llama, **options)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_hub_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        ModelError, match=r"not in the hub's cache .*`hf download Salesforce/codegen-350M-mono`"
    ):
        transformers_model.load("Salesforce/codegen-350M-mono", ModelOptions())


def test_weights_that_are_damaged(tmp_path: Path) -> None:
    folder = tiny_models.llama(tmp_path / "damaged")
    (folder / "model.safetensors").write_bytes(b"\0" * 100)
    with pytest.raises(ModelError, match="cannot be loaded"):
        loaded(folder)


def test_weights_that_are_missing_are_not_made_up(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = tiny_models.llama(tmp_path / "part")
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks 1 of its weights, such as model.layers.1.mlp.up_proj"):
        loaded(folder)


def test_other_weights_are_another_revision(tmp_path: Path) -> None:
    folder = tiny_models.llama(tmp_path / "one")
    before = loaded(folder).revision
    assert loaded(folder).revision == before
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert loaded(folder).revision != before


def test_bfloat16(llama: Path) -> None:
    model = loaded(llama, dtype="bfloat16")
    assert model.settings["dtype"] == "bfloat16"
    assert len(answers(model)) == len(ASKED)
