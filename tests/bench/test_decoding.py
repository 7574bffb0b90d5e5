"""How tokens are drawn, and when a row is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from fairlint.backends.batches import FIRST_ON_ACCELERATOR, BatchSize, in_order  # noqa: E402
from fairlint.backends.decoding import (  # noqa: E402
    Drawing,
    Row,
    attention_kernels,
    choose,
    decode,
    shared_prefix,
    text_of,
)


def usual(logits: Any, drawing: Drawing) -> Any:
    """The distribution that transformers' own processors make."""
    ids = torch.zeros(logits.shape[0], 1, dtype=torch.long)
    for processor in [
        transformers.TemperatureLogitsWarper(drawing.temperature),
        *([transformers.TopKLogitsWarper(drawing.top_k)] if drawing.top_k else []),
        *([transformers.TopPLogitsWarper(drawing.top_p)] if drawing.top_p < 1 else []),
    ]:
        logits = processor(ids, logits)
    return logits.double().softmax(-1)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    temperature=st.sampled_from([0.2, 0.7, 1.0, 1.5]),
    top_p=st.sampled_from([0.3, 0.9, 0.95, 1.0]),
    top_k=st.sampled_from([0, 1, 5, 50]),
    size=st.sampled_from([7, 60, 2000]),
)
def test_tokens_come_as_often_as_they_should(
    seed: int, temperature: float, top_p: float, top_k: int, size: int
) -> None:
    """Evenly spaced draws give each token its share, and no token outside of the nucleus."""
    logits = torch.randn(1, size, generator=torch.Generator().manual_seed(seed)) * 2
    drawing = Drawing(temperature, top_p, top_k)
    count = 2_000
    draws = (torch.arange(count, dtype=torch.float64) + 0.5) / count
    chosen = choose(logits.expand(count, size), draws, drawing)
    shares = torch.bincount(chosen, minlength=size).double() / count
    wanted = usual(logits, drawing)[0]
    assert (shares - wanted).abs().max() <= 1.5 / count + 1e-3 * (top_p < 1)


def test_no_temperature_takes_the_likeliest() -> None:
    logits = torch.tensor([[0.0, 3.0, 1.0], [5.0, 0.0, 0.0]])
    assert choose(logits, torch.tensor([0.99, 0.99]), Drawing(0)).tolist() == [1, 0]


def test_what_was_said_is_penalised() -> None:
    logits = torch.tensor([[2.0, 1.9, -1.0]])
    seen = torch.tensor([[True, False, True]])
    assert choose(logits, torch.zeros(1), Drawing(0, repetition_penalty=1.5), seen).tolist() == [1]
    processor = transformers.RepetitionPenaltyLogitsProcessor(1.5)
    assert processor(torch.tensor([[0, 2]]), logits.clone()).argmax() == 1


class Words:
    """A tokenizer of whole pieces."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = ["<end>", *pieces]

    def decode(self, tokens: list[int], **_: Any) -> str:
        return "".join(self.pieces[token] for token in tokens if token)


class Reciter:
    """A model that recites: each row goes through its own script, whatever its prompt."""

    device = torch.device("cpu")

    def __init__(self, *scripts: list[int], words: int) -> None:
        self.scripts = [list(script) for script in scripts]
        self.words = words
        self.sizes: list[int] = []

        class Config:
            num_hidden_layers = 1

            def get_text_config(self, **_: Any) -> Any:
                return transformers.LlamaConfig(num_hidden_layers=1, vocab_size=words)

        self.config = Config().get_text_config()

    def forward(self, input_ids: Any, cache: Any, **_: Any) -> Any: ...

    def __call__(self, input_ids: Any, cache: Any, **_: Any) -> Any:
        rows = input_ids.shape[0]
        states = torch.zeros(rows, 1, input_ids.shape[1], 2)
        states[..., 0] = torch.arange(rows)[:, None, None]
        if cache.get_seq_length():
            kept = cache.layers[0].keys[:, :, :1, 0].flatten().long().tolist()
        else:
            kept = list(range(rows))
        cache.update(states, states, 0)
        self.sizes.append(rows)
        logits = torch.full((rows, 1, self.words), -9.0)
        for row, script in enumerate(kept):
            logits[row, 0, self.scripts[script].pop(0)] = 9.0

        class Done:
            pass

        done = Done()
        done.logits = logits  # type: ignore[attr-defined]
        return done


def rows_of(*prompts: tuple[int, ...], complete: Any = lambda _: None) -> list[Row]:
    return [Row(place, prompt, place, complete, []) for place, prompt in enumerate(prompts)]


def written(model: Any, words: Words, rows: list[Row], limit: int = 9) -> Iterator[tuple[int, str, str]]:
    for done in decode(model, words, rows, Drawing(0), limit=limit, ends=frozenset({0})):
        for row in done:
            yield row.place, row.text, row.finish


def test_rows_leave_when_they_are_done() -> None:
    words = Words("a", "b", "\n")
    model = Reciter([1, 0], [2, 2, 2, 2, 2, 2], [1, 1, 0], [2, 0], words=4)
    found = list(written(model, words, rows_of((1, 2), (2, 1), (3, 1), (1, 1)), limit=5))
    assert found == [(0, "a", "end"), (3, "b", "end"), (2, "aa", "end"), (1, "bbbbb", "length")]
    assert model.sizes == [4, 4, 2, 1, 1]


def test_a_complete_answer_is_cut_where_it_ends() -> None:
    """Only a token with a line's end makes us look; what follows the answer is left out."""
    words = Words("code\n", "end\nprin", "x")
    looked = []

    def complete(text: str) -> int | None:
        looked.append(text)
        return text.index("end\n") + 4 if "end\n" in text else None

    model = Reciter([3, 1, 2, 3, 3], words=4)
    assert list(written(model, words, rows_of((1,), complete=complete))) == [(0, "xcode\nend\n", "complete")]
    assert looked == ["xcode\n", "xcode\nend\nprin"]


def test_an_answer_that_the_model_ends_stays_whole() -> None:
    words = Words("code\n")
    model = Reciter([1, 0], words=2)
    (found,) = written(model, words, rows_of((1,)))
    assert found == (0, "code\n", "end")


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=6))
def test_what_prompts_share(prompts: list[list[int]]) -> None:
    count = shared_prefix(prompts)
    assert all(prompt[:count] == prompts[0][:count] for prompt in prompts)
    assert count < min(map(len, prompts))
    longer = count + 1
    assert longer == min(map(len, prompts)) or any(
        prompt[:longer] != prompts[0][:longer] for prompt in prompts
    )


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), max_size=30), st.integers(1, 10))
def test_every_prompt_has_its_turn(prompts: list[list[int]], window: int) -> None:
    order = in_order(prompts, window=window)
    assert sorted(order) == list(range(len(prompts)))
    for start in range(0, len(prompts), window):
        assert sorted(order[start : start + window]) == list(range(start, min(start + window, len(prompts))))


def test_the_batch_grows_while_it_pays() -> None:
    size = BatchSize(0, most=128)
    assert size.now == 16
    size.went(16, 100)
    assert size.now == 32
    size.went(5, 10)  # the last few say nothing
    assert size.now == 32
    size.went(32, 150)
    size.went(64, 140)
    assert size.now == 32
    size.went(32, 500)
    assert size.now == 32, "found is found: a run shall not change its mind"


def test_an_accelerator_begins_with_more_rows() -> None:
    size = BatchSize(0, most=512, first=FIRST_ON_ACCELERATOR)
    assert size.now == 128
    size.went(128, 100)
    assert size.now == 256
    assert BatchSize(0, most=64, first=FIRST_ON_ACCELERATOR).now == 64


def test_an_accelerator_plans_no_attention_for_each_length() -> None:
    flags = torch.backends.cuda
    before = flags.cudnn_sdp_enabled()
    with attention_kernels(torch, "cuda"):
        assert not flags.cudnn_sdp_enabled()
        assert flags.math_sdp_enabled()
        assert flags.mem_efficient_sdp_enabled()
        assert flags.flash_sdp_enabled()
    assert flags.cudnn_sdp_enabled() == before
    with attention_kernels(torch, "cpu"):
        assert flags.cudnn_sdp_enabled() == before


def test_memory_sets_the_limit() -> None:
    size = BatchSize(0, most=128)
    size.went(16, 100)
    size.went(32, 200)
    assert size.too_much(64)
    assert size.now == 32
    size.went(32, 1000)
    assert size.now == 32
    wanted = BatchSize(3, most=64)
    assert wanted.now == 3
    wanted.went(3, 100)
    assert wanted.now == 3
    assert wanted.too_much(3)
    assert not wanted.too_much(1)


def test_an_answer_keeps_the_blanks_that_it_begins_with() -> None:
    """SentencePiece tokenizers take the first one off whatever they decode."""

    class Pieces:
        def decode(self, tokens: list[int], **_: Any) -> str:
            return "".join(("", "def f(x):\n", "    ", "return 1")[token] for token in tokens).removeprefix(
                " "
            )

    assert text_of(Pieces(), [2, 3]) == "   return 1"
    assert text_of(Pieces(), [2, 3], before=(1,)) == "    return 1"


def test_memory_that_ends_while_a_row_ends() -> None:
    """A row counts as written only when it was handed over."""
    words = Words("a")
    model = Reciter([1, 0], [1, 1, 1], words=2)
    rows = rows_of((1,), (1,))
    written = decode(model, words, rows, Drawing(0), limit=3, ends=frozenset({0}))
    assert [row.place for row in next(written)] == [0]
    assert rows[1].finish == ""
