"""How likely allowed answers are, by weights on this machine: against a plain computation, token by token."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models  # noqa: E402

from fairlint.backends import transformers_model, transformers_scoring  # noqa: E402
from fairlint.backends.allowed_answers import log_of_sum, spellings_of  # noqa: E402
from fairlint.backends.model import ModelError, ModelOptions, Response  # noqa: E402
from fairlint.backends.prompting import tokens_of  # noqa: E402
from fairlint.backends.requests import Message, Request, completion  # noqa: E402

ANSWERS = ("yes", "no", "1", "10")


@pytest.fixture(scope="module")
def codegen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.codegen(tmp_path_factory.mktemp("models") / "tiny-codegen")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.llama(tmp_path_factory.mktemp("models") / "tiny-llama")


def loaded(folder: Path, **options: Any) -> transformers_model.TransformersModel:
    return transformers_model.load(str(folder), ModelOptions(device="cpu", **options))


def asked(*contents: str, allowed: Sequence[str] = ANSWERS) -> list[Request]:
    return [
        Request(
            "s", "c", "a", str(at), "", 0, 1, (Message("user", one),), "", plain=True, allowed=tuple(allowed)
        )
        for at, one in enumerate(contents)
    ]


def scored(model: transformers_model.TransformersModel, requests: Sequence[Request]) -> dict[str, Response]:
    found = [one for batch in model.score(requests, 16) for one in batch]
    assert len(found) == len(requests)
    return {one.request.subject: one for one in found}


PROMPTS = ("Should we invite this nurse?", "Should we invite this nurse? score += 2\n" * 9, "rate")


def log_of(model: Any, tokens: Sequence[int]) -> Any:
    """ln P of each token behind the last one, by a pass over the whole text."""
    with torch.inference_mode():
        return model(torch.tensor([list(tokens)])).logits[0, -1].double().log_softmax(-1)


def plainly(
    one: transformers_model.TransformersModel, request: Request, ends: Sequence[int]
) -> dict[str, float]:
    """The same as `score`: each way to write an answer alone, a pass a token, added up as probabilities."""
    model, tokenizer = one._model, one._tokenizer
    in_chat = bool(one.settings["chat"])
    found = {}
    for answer in request.allowed:
        ways = set()
        for way in spellings_of(answer):
            prompt = tokens_of(tokenizer, request, in_chat=in_chat)
            if in_chat:
                ways.add((tuple(prompt), tuple(tokenizer.encode(way, add_special_tokens=False))))
            else:
                text = completion(request)
                whole = tokenizer(f"{text}{way}" if text.endswith("\n") else f"{text} {way}")["input_ids"]
                assert whole[: len(prompt)] == prompt
                ways.add((tuple(prompt), tuple(whole[len(prompt) :])))
        total = 0.0
        for prompt_tokens, tokens in ways:
            so_far, log = list(prompt_tokens), 0.0
            for token in tokens:
                log += float(log_of(model, so_far)[token])
                so_far.append(token)
            total += math.exp(log) * float(log_of(model, so_far).exp()[list(ends)].sum())
        found[answer] = total
    return found


def test_a_chat_model_says_how_likely_each_whole_answer_is(llama: Path) -> None:
    """The prompts differ in length and begin alike, so that they are padded and share a beginning."""
    model = loaded(llama)
    requests = asked(*PROMPTS)
    ends = sorted(model._ends)
    found = scored(model, requests)
    for request in requests:
        one = found[request.subject]
        wanted = plainly(model, request, ends)
        told = {name: math.exp(log) for name, log in one.probabilities.items()}
        assert told == pytest.approx(wanted, rel=1e-3)
        assert one.text == max(wanted, key=lambda name: wanted[name])
        assert (one.new_tokens, dict(one.at_most)) == (0, {})


def test_without_a_chat_an_answer_ends_at_a_new_line_too(codegen: Path) -> None:
    model = loaded(codegen)
    requests = asked(*PROMPTS)
    tokenizer = model._tokenizer
    ends = {token for token in range(len(tokenizer)) if tokenizer.decode([token]).startswith("\n")}
    ends.add(tokenizer.eos_token_id)
    assert len(ends) > 1
    found = scored(model, requests)
    for request in requests:
        told = {name: math.exp(log) for name, log in found[request.subject].probabilities.items()}
        assert told == pytest.approx(plainly(model, request, sorted(ends)), rel=1e-3)


def test_the_probabilities_of_answers_are_shares_of_all_that_can_be_written(llama: Path) -> None:
    """No text counts twice, though `1` begins `10` and every answer may have a full stop."""
    model = loaded(llama)
    (one,) = scored(model, asked(PROMPTS[0])).values()
    assert 0 < math.exp(log_of_sum(one.probabilities.values())) < 1


def test_what_else_is_asked_changes_nothing(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(llama)
    together = scored(model, asked(*PROMPTS))
    monkeypatch.setattr(transformers_scoring, "ROWS", 1)
    alone = scored(model, asked(*PROMPTS))
    for subject, one in alone.items():
        assert one.probabilities == pytest.approx(together[subject].probabilities, abs=1e-4)


def test_short_memory_means_fewer_prompts_at_a_time(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(llama)
    whole = transformers_scoring._logs_of_batch
    sizes = []

    def short(torch_: Any, model_: Any, several: Sequence[Any], ends: Sequence[int]) -> Any:
        sizes.append(len(several))
        if len(several) > 1:
            raise torch.OutOfMemoryError("out of memory")
        return whole(torch_, model_, several, ends)

    monkeypatch.setattr(transformers_scoring, "_logs_of_batch", short)
    assert len(scored(model, asked(*PROMPTS, allowed=("yes", "no")))) == 3
    assert sizes[0] > 1
    assert sizes[-1] == 1


def test_a_template_that_begins_with_thoughts_is_refused_in_one_line(tmp_path: Path) -> None:
    thinking = tiny_models.TEMPLATE.replace("assistant\n{%", "assistant\n<think>\n{%")
    model = loaded(tiny_models.llama(tmp_path / "m", thinking))
    with pytest.raises(ModelError, match=r"think first.*leave --logprobs out"):
        scored(model, asked("Invite?"))
