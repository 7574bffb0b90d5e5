"""What a model is asked about items, and its answers, each kept as soon as it is there.

The answer to an item is, for each of its options, ln P of the option's tokens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.backends.model import ModelError
from fairlint.model_bias.data.records import Skipped
from fairlint.model_bias.likelihood import continuation, continuations, fillings, log_probabilities, tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.support.records import Record

Answer = Sequence[Sequence[float]]
"""For each option, ln P of its tokens."""
Keep = Callable[[Mapping[str, Answer]], None]
Progress = Callable[[int, int], None]
"""Told how many tokens were read, and of how many."""
EVERY = 2.0
"""Seconds after which answers are kept at the latest, once a pass is over."""


class Written(Record):
    """An option for a causal model: how likely are these tokens behind those?"""

    before: tuple[int, ...]
    tokens: tuple[int, ...]


class Mask(Record):
    """A text in which one place holds the mask: how likely is this token there?"""

    tokens: tuple[int, ...]
    place: int
    word: int


Asked = Written | tuple[Mask, ...]
Plan = Mapping[str, Sequence[Asked]]
"""Item → its options."""


class Cost(Record):
    """How much there is to read."""

    texts: int
    tokens: int


def option_of_text(loaded: Loaded, context: str, text: str) -> Written:
    """Return a text behind a context, which may be empty.

    A model without a token to begin with (Qwen) gets the one that ends texts, for that is what stood before
    texts in training. Raises ModelError where it has neither.
    """
    end = loaded.tokenizer.eos_token_id
    if context or loaded.start or end is None:
        before, tokens = continuation(loaded, context, text)
        return Written(tuple(before), tuple(tokens))
    return Written((int(end),), tuple(tokens_of(loaded, text)))


def masks_of_text(loaded: Loaded, before: str, text: str, after: str) -> tuple[Mask, ...]:
    """Return a text between two others, as a masked model is asked for it by StereoSet's own code: token by
    token from the left, with one mask for the next token, and nothing of those that follow it.
    """
    start, end, mask = specials(loaded)
    head, body, tail = (tokens_of(loaded, one) for one in (before, text, after))
    return tuple(
        Mask((*start, *head, *body[:place], mask, *tail, *end), len(start) + len(head) + place, word)
        for place, word in enumerate(body)
    )


def masked_in_turn(loaded: Loaded, tokens: Sequence[int], places: Sequence[int]) -> tuple[Mask, ...]:
    """Return a text, once with each of some places masked: pseudo-log-likelihood (Salazar et al. 2020)."""
    mask = specials(loaded).mask
    return tuple(
        Mask((*tokens[:place], mask, *tokens[place + 1 :]), place, tokens[place]) for place in places
    )


class Planned(NamedTuple):
    """What a model is asked, and what is left out."""

    plan: Plan
    skipped: list[Skipped]


class Specials(NamedTuple):
    """What a masked model's texts begin and end with, and its mask."""

    start: tuple[int, ...]
    end: tuple[int, ...]
    mask: int


def specials(loaded: Loaded) -> Specials:
    """Return the special tokens of a masked model. Raises ModelError where it has no mask."""
    known: Any = loaded.tokenizer
    if known.mask_token_id is None:
        raise ModelError(f"{loaded.name} has no token for a mask")
    start = known.cls_token_id if known.cls_token_id is not None else known.bos_token_id
    end = known.sep_token_id if known.sep_token_id is not None else known.eos_token_id
    return Specials(() if start is None else (start,), () if end is None else (end,), known.mask_token_id)


def fitting(loaded: Loaded, plan: Plan) -> Planned:
    """Items that the model can read, and those that are too long for it or have an option of no token."""
    model: Any = loaded.model
    room = getattr(model.config.get_text_config(), "max_position_embeddings", None) or float("inf")
    kept: dict[str, Sequence[Asked]] = {}
    skipped: list[Skipped] = []
    for key, options in plan.items():
        longest = max(map(_option_length, options))
        if longest > room:
            skipped.append(Skipped(key, f"longer than the {room} tokens that the model reads"))
        elif not all(option.tokens if isinstance(option, Written) else option for option in options):
            skipped.append(Skipped(key, "no token is left to be asked for"))
        else:
            kept[key] = options
    return Planned(kept, skipped)


def _option_length(option: Asked) -> int:
    if isinstance(option, Written):
        return len(option.before) + len(option.tokens)
    return max((len(mask.tokens) for mask in option), default=0)


def cost(plan: Plan) -> Cost:
    """Return how many texts and tokens the model has to read for all answers."""
    texts = tokens = 0
    for options in plan.values():
        one = _cost_of_options(options)
        texts, tokens = texts + one.texts, tokens + one.tokens
    return Cost(texts, tokens)


def _cost_of_options(options: Sequence[Asked]) -> Cost:
    texts = [one for option in options for one in ([option] if isinstance(option, Written) else option)]
    if has_shared_contexts(options):
        contexts = {option.before for option in options if isinstance(option, Written)}
        tokens = sum(map(len, contexts)) + sum(len(one.tokens) - 1 for one in texts)
        return Cost(len(contexts), tokens)
    return Cost(
        len(texts),
        sum(len(one.tokens) + (len(one.before) if isinstance(one, Written) else 0) for one in texts),
    )


def has_shared_contexts(options: Sequence[Asked]) -> bool:
    """Return whether it is worth reading what stands before options once for all of them."""
    some = [option for option in options if isinstance(option, Written)]
    if len(some) > 1 == len({option.before for option in some}) and all(len(one.tokens) == 1 for one in some):
        return True  # one pass says how likely each of them is
    together = sum(map(len, {option.before for option in some})) + sum(len(one.tokens) for one in some)
    return sum(len(one.before) + len(one.tokens) for one in some) > 2 * together


def answers(
    loaded: Loaded, plan: Plan, *, keep: Keep | None = None, progress: Progress | None = None
) -> dict[str, Answer]:
    """Return the model's answers to all items, by key.

    `keep` gets answers as they come, those that are there when the work breaks off included. Raises
    ModelError where memory does not suffice for one text.
    """
    desk = _Desk(plan, keep, progress)
    try:
        if loaded.masked:
            _ask_masked_model(loaded, plan, desk)
        else:
            _ask_plain(
                loaded, {key: some for key, some in plan.items() if not has_shared_contexts(some)}, desk
            )
            _ask_with_shared_contexts(
                loaded, {key: some for key, some in plan.items() if has_shared_contexts(some)}, desk
            )
    finally:
        desk.flush()
    return {key: desk.found[key] for key in plan}


class _Desk:
    """Puts answers together as their parts come in."""

    def __init__(self, plan: Plan, keep: Keep | None, progress: Progress | None) -> None:
        self.found: dict[str, Answer] = {}
        self._open = {key: sum(map(_count_parts, some)) for key, some in plan.items()}
        self._parts: dict[str, list[list[float]]] = {
            key: [[0.0] * (1 if isinstance(one, Written) else len(one)) for one in some]
            for key, some in plan.items()
        }
        self._costs = {key: _cost_of_options(some).tokens for key, some in plan.items()}
        self._total = sum(self._costs.values())
        self._done = 0
        self._keep, self._progress = keep, progress
        self._waiting: dict[str, Answer] = {}
        self._last = time.monotonic()

    def put(self, key: str, option: int, values: Sequence[float], place: int | None = None) -> None:
        if place is None:
            self._parts[key][option] = list(values)
        else:
            self._parts[key][option][place] = values[0]
        self._open[key] -= 1
        if self._open[key] == 0:
            self.found[key] = self._waiting[key] = self._parts.pop(key)
            self._done += self._costs[key]
            if self._progress is not None:
                self._progress(self._done, self._total)
            if time.monotonic() - self._last > EVERY:
                self.flush()

    def flush(self) -> None:
        if self._waiting and self._keep is not None:
            self._keep(self._waiting)
        self._waiting = {}
        self._last = time.monotonic()


def _count_parts(option: Asked) -> int:
    return 1 if isinstance(option, Written) else len(option)


class _Option(NamedTuple):
    """An option of a question, by the question's key and its own number."""

    key: str
    number: int
    written: Written


def _written_options(plan: Plan) -> Iterator[_Option]:
    for key, some in plan.items():
        for number, option in enumerate(some):
            assert isinstance(option, Written)
            yield _Option(key, number, option)


def _ask_plain(loaded: Loaded, plan: Plan, desk: _Desk) -> None:
    asked = list(_written_options(plan))
    texts = [(*one.written.before, *one.written.tokens) for one in asked]
    begins = [len(one.written.before) for one in asked]
    log_probabilities(
        loaded, texts, begins, lambda at, values: desk.put(asked[at].key, asked[at].number, values)
    )


def _ask_with_shared_contexts(loaded: Loaded, plan: Plan, desk: _Desk) -> None:
    asked: dict[tuple[str, tuple[int, ...]], list[tuple[int, Written]]] = {}
    for key, number, option in _written_options(plan):
        asked.setdefault((key, option.before), []).append((number, option))
    keys = list(asked)

    def told(at: int, found: list[list[float]]) -> None:
        for (number, _), values in zip(asked[keys[at]], found, strict=True):
            desk.put(keys[at][0], number, values)

    options = [[option.tokens for _, option in asked[key]] for key in keys]
    continuations(loaded, [before for _, before in keys], options, told)


def _ask_masked_model(loaded: Loaded, plan: Plan, desk: _Desk) -> None:
    asked = [
        (key, number, place, mask)
        for key, some in plan.items()
        for number, option in enumerate(some)
        if not isinstance(option, Written)
        for place, mask in enumerate(option)
    ]
    fillings(
        loaded,
        [mask.tokens for *_, mask in asked],
        [mask.place for *_, mask in asked],
        [mask.word for *_, mask in asked],
        lambda at, value: desk.put(asked[at][0], asked[at][1], [value], asked[at][2]),
    )
