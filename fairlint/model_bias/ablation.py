"""Switching parts of a model off: heads and MLPs give zeros, their mean, or what they gave in another text.

`zero` changes all positions, as zero ablation is defined. Means and other texts' values leave the first token
of a causal model's text as it is: nothing stands before it that could be read, and models park numbers there
that would be far out of place anywhere else (Sun et al. 2024, Massive activations in large language models).
So it is left out of means, too. With `keep_first`, `zero` leaves it as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from fairlint.backends.model import ModelError
from fairlint.model_bias.anatomy import Anatomy, Component, anatomy_of
from fairlint.model_bias.hooks import Changes, at, attach, hook_model
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, over
from fairlint.support.records import Record, replace

if TYPE_CHECKING:
    import numpy
    from torch import Tensor
    from torch.utils.hooks import RemovableHandle

    Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

How = Literal["zero", "mean", "resample"]
HOWS: tuple[How, ...] = get_args(How)
_KEPT = (
    "; the first token of a causal model's text keeps what it has, and it is a word of the text where the "
    "model has no token to begin with"
)
DEFINITIONS: Mapping[How, str] = {
    "zero": "what the components give is 0 at all positions",
    "mean": "what the components give is their mean over positions of texts of the data sets" + _KEPT,
    "resample": "what the components give is what they gave in another text" + _KEPT,
}
KEEP_FIRST = "what the components give is 0" + _KEPT
"""Of `zero` where the first token is kept."""
MOST_DONORS = 64
"""Texts whose values `resample` draws from: each is kept whole."""


class Donors(Record, eq=False):
    """What components gave in other texts."""

    texts: tuple[tuple[int, ...], ...]
    """The tokens of each text, with that which texts begin with."""
    values: Mapping[Component, tuple[Array, ...]]
    """A component's values in each text: [positions, width]."""


class Ablation(Record, eq=False):
    """Some components, and what stands in the place of what they give.

    It is what `fairlint.backends.model.Intervention` asks for.
    """

    how: How
    components: tuple[Component, ...]
    """The most important first, where they are ranked."""
    means: Mapping[Component, Array] = {}
    """Of `mean`: a vector for each, [head width] or [width]."""
    donors: Donors | None = None
    """Of `resample`."""
    seed: int = 0
    """Of `resample`: which text's values a text gets."""
    revision: str = ""
    """Of `mean`: the model that the means are of; empty where nobody knows."""
    keep_first: bool = False
    """Of `zero`: the first token of a causal model's text is left as it is, as `mean` and `resample` do."""

    @property
    def digest(self) -> str:
        """What tells this ablation from others, the order of its components aside."""
        kept = " keep-first" if self.keep_first else ""
        found = hashlib.sha256(f"{self.how} {self.seed if self.donors else 0}{kept}".encode())
        for one in sorted(self.components, key=str):
            found.update(f"\n{one}\n".encode())
            if one in self.means:
                found.update(self.means[one].astype("<f8").tobytes())
            for values in self.donors.values[one] if self.donors else ():
                found.update(values.astype("<f8").tobytes())
        return found.hexdigest()[:24]

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a model's answers depend on by it, as JSON."""
        told = {"how": self.how, "components": [str(one) for one in self.components], "digest": self.digest}
        return {**told, "keep_first": True} if self.keep_first else told

    def attach(self, model: Any, name: str, revision: str) -> None:
        """Leave it in a model for good. Raises ModelError where it is another model's."""
        if self.revision and revision != self.revision:
            raise ModelError(
                f"the means of this ablation are of another model ({self.revision}) than {name} ({revision})"
            )
        put_in(model, anatomy_of(model, name), self)


@contextmanager
def ablate_components(loaded: Loaded, ablation: Ablation) -> Iterator[None]:
    """Within, the model works without the components. Raises ModelError where it does not have them."""
    handles = put_in(loaded.model, loaded.anatomy, ablation)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def put_in(model: Any, anatomy: Anatomy, ablation: Ablation) -> list[RemovableHandle]:
    """Return the same until the handles are removed."""
    for one in ablation.components:
        anatomy.check(one)
        _check_width(anatomy, one, ablation)
    running = _Pass(ablation, masked=anatomy.layout.masked)
    changes = at(anatomy, {one: running.change_of(one) for one in ablation.components})
    # what enters the model is noted first: which texts, and where they begin
    noting = model.register_forward_pre_hook(running.note, with_kwargs=True)
    return [noting, *attach(anatomy, changes)]


def _check_width(anatomy: Anatomy, one: Component, ablation: Ablation) -> None:
    mean = ablation.means.get(one)
    if ablation.how == "mean" and mean is None:
        raise ModelError(f"there is no mean of {one}: means are taken by fairlint model ablate --how mean")
    if mean is not None and one.head is not None and mean.shape != (anatomy.head_width,):
        raise ModelError(
            f"the mean of {one} has {mean.size} numbers, and the model's heads are {anatomy.head_width} wide"
        )
    width = anatomy.width
    if mean is not None and one.head is None and mean.shape != (width,):
        raise ModelError(f"the mean of {one} has {mean.size} numbers, and the model is {width} wide")


class _Pass:
    """What is known of the forward pass that is under way."""

    def __init__(self, ablation: Ablation, *, masked: bool) -> None:
        self._ablation = ablation
        self._masked = masked
        self._first: Tensor | None = None
        self._donors: list[int] = []

    def note(self, _module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Note a hook before the model: [batch, positions] tokens, and a mask of all that it has read."""
        tokens = args[0] if args else named["input_ids"]
        mask = named.get("attention_mask")
        held = named.get("cache", named.get("past_key_values"))
        every = self._masked or (self._ablation.how == "zero" and not self._ablation.keep_first)
        self._first = None if every else _first_token_mask(tokens, mask, held)
        donors = self._ablation.donors
        if donors is not None:
            rows = [
                row[known.bool()].tolist() if known is not None else row.tolist()
                for row, known in zip(tokens, mask if mask is not None else [None] * len(tokens), strict=True)
            ]
            self._donors = [_choose_donor(donors, row, self._ablation.seed) for row in rows]

    def change_of(self, one: Component) -> Callable[[Tensor], Tensor]:
        """Return what a component's values become."""

        def change(values: Tensor) -> Tensor:
            import torch  # noqa: PLC0415 (an extra)

            new = self._ablation_values(one, values)
            if self._first is None:
                return new.expand_as(values)
            return torch.where(self._first.to(values.device)[..., None], values, new)

        return change

    def _ablation_values(self, one: Component, values: Tensor) -> Tensor:
        import torch  # noqa: PLC0415 (an extra)

        ablation = self._ablation
        if ablation.how == "zero":
            return torch.zeros_like(values)
        if ablation.how == "mean":
            return torch.as_tensor(ablation.means[one]).to(values)
        donors = cast("Donors", ablation.donors)
        length = values.shape[1]
        rows = [_stretch_values(donors.values[one][place], length) for place in self._donors]
        return torch.stack([torch.as_tensor(row) for row in rows]).to(values)


def _first_token_mask(tokens: Tensor, mask: Tensor | None, held: Any) -> Tensor:
    """Return where texts have their first token, and paddings before it: [batch, positions]."""
    import torch  # noqa: PLC0415 (an extra)

    length = tokens.shape[1]
    if mask is not None:
        return mask.cumsum(-1)[:, -length:] <= 1
    first = torch.zeros_like(tokens, dtype=torch.bool)
    if held is None or not held.get_seq_length():
        first[:, 0] = True
    return first


def _choose_donor(donors: Donors, row: Sequence[int], seed: int) -> int:
    """Return which donor a text gets: another text, by a hash of its tokens and the seed, whatever is beside
    it.
    """
    others = [place for place, text in enumerate(donors.texts) if text != tuple(row)]
    if not others:
        raise ModelError("there is no other text whose values could be taken: give more of them")
    told = hashlib.sha256(f"{seed} {list(row)}".encode()).digest()
    return others[int.from_bytes(told[:8], "big") % len(others)]


def _stretch_values(values: Array, length: int) -> Array:
    """Return a donor's values [positions, width] at as many positions, those behind its first again and
    again.
    """
    places = [
        place if place < len(values) else 1 + (place - 1) % (len(values) - 1) for place in range(length)
    ]
    return values[places]


# --------------------------------------------------------------------------- what stands in their place


def ablation_of(
    loaded: Loaded,
    components: Sequence[Component],
    how: How,
    texts: Sequence[Sequence[int]],
    *,
    seed: int = 0,
    keep_first: bool = False,
) -> Ablation:
    """Return the ablation of some components, with their values in `texts`, which `zero` does not look at.

    `texts` are tokens with what texts begin with. Raises ModelError where the model lacks a component.
    """
    for one in components:
        loaded.anatomy.check(one)
    listed = tuple(dict.fromkeys(components))
    if how == "zero":
        return Ablation(how, listed, keep_first=keep_first)
    if how == "mean":
        return Ablation(how, listed, means(loaded, listed, texts), revision=loaded.revision)
    return Ablation(how, listed, donors=donors(loaded, listed, texts), seed=seed, revision=loaded.revision)


def some_of(ablation: Ablation, components: Sequence[Component]) -> Ablation:
    """Return the same with some of its components."""
    return replace(ablation, components=tuple(components))


def means(
    loaded: Loaded, components: Sequence[Component], texts: Sequence[Sequence[int]]
) -> dict[Component, Array]:
    """Return each component's mean over all positions of all texts, the first of each aside for causal
    models.

    Vectors of float64: [head width] of a head, [width] of an MLP.
    """
    totals: dict[Component, Any] = {}
    count = 0

    def add(_batch: Batch, seen: Mapping[Component, Tensor], weights: Tensor) -> None:
        nonlocal count
        count += int(weights.sum())
        for one, values in seen.items():
            told = values.double().cpu().numpy()
            totals[one] = totals.get(one, 0.0) + (told * weights.numpy()[..., None]).sum((0, 1))

    _read_components(loaded, components, texts, add)
    if not count:
        raise ModelError("means are taken over texts of two tokens or more: there is none")
    return {one: totals[one] / count for one in components}


def donors(loaded: Loaded, components: Sequence[Component], texts: Sequence[Sequence[int]]) -> Donors:
    """Return what components give in the first `MOST_DONORS` of the texts that have two tokens or more."""
    some = tuple(dict.fromkeys(tuple(text) for text in texts if len(text) > 1))[:MOST_DONORS]
    if len(some) < 2:
        raise ModelError("resampling takes the values of other texts: give two or more")
    found: dict[Component, dict[int, Array]] = {one: {} for one in components}

    def keep(batch: Batch, seen: Mapping[Component, Tensor], _weights: Tensor) -> None:
        for one, values in seen.items():
            told = values.double().cpu().numpy()
            for row, place in enumerate(batch.places):
                found[one][place] = told[row, : len(some[place])].copy()

    _read_components(loaded, components, some, keep)
    return Donors(
        some, {one: tuple(kept[place] for place in range(len(some))) for one, kept in found.items()}
    )


def _read_components(
    loaded: Loaded,
    components: Sequence[Component],
    texts: Sequence[Sequence[int]],
    take: Callable[[Batch, Mapping[Component, Tensor], Tensor], None],
) -> None:
    """Give `take` each batch, the components' values in it, and what counts of it: [batch, positions]."""
    anatomy = loaded.anatomy
    seen: dict[Component, Tensor] = {}

    def keep(one: Component) -> Callable[[Tensor], None]:
        return lambda values: seen.update({one: values})

    reading: Changes = at(anatomy, {one: keep(one) for one in components})

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        model: Any = loaded.model
        seen.clear()
        with torch.inference_mode(), hook_model(anatomy, reading):
            model(**batch.inputs)
            weights = batch.mask.clone()
            if not loaded.masked:
                weights[:, 0] = 0
            take(batch, seen, weights.cpu())

    for _ in over(loaded, texts, work):
        pass


# ------------------------------------------------------------------------------------- what is compared


def sizes(count: int) -> tuple[int, ...]:
    """Return how many components of a ranked list are taken: 1, 2, 4 and so on, and all.

    >>> sizes(6)
    (1, 2, 4, 6)
    """
    return (*(2**power for power in range(count.bit_length()) if 2**power < count), count)


def random_sets(
    anatomy: Anatomy, components: Sequence[Component], draws: int, *, seed: int = 0
) -> tuple[tuple[Component, ...], ...]:
    """Return controls: as many heads and MLPs, drawn from all others, heads of the same layers where these
    suffice.

    Raises ModelError where a model does not have as many others.
    """
    import numpy  # noqa: PLC0415 (an extra)

    random = numpy.random.default_rng(seed)
    whole = list(anatomy.components())
    found = []
    for _ in range(draws):
        free = [one for one in whole if one not in components]
        drawn = []
        for one in components:
            alike = [other for other in free if (other.head is None) == (one.head is None)]
            near = [other for other in alike if other.layer == one.layer] or alike
            if not near:
                raise ModelError(
                    f"{len(components)} of the model's {len(whole)} components are ablated: too few are left "
                    "for a random control"
                )
            drawn.append(near[int(random.integers(len(near)))])
            free.remove(drawn[-1])
        found.append(tuple(drawn))
    return tuple(found)
