"""How a model shares professions out among groups: from likelihoods of sentences, with gradients.

- `calibrated` (causal): P(profession | person, template), made a distribution over all words of all groups
  (Bayes' rule with an equal prior), summed by group, mean over templates.
- `mean-loss` (causal), as published (Shrestha and Srinivasan 2025, arXiv 2510.06354): exp(-mean loss of the
  sentence's tokens), summed over words and templates, normalised.
- `association` (masked), after the same: P(person | profession) / P(person | profession masked), summed over
  words and templates, normalised. All words of a person are masked, `the man`.
- `association-noun` (masked), as the published code has it: the noun alone is masked, and `the`, `this` or
  `my` stays in view. Of a noun of several tokens, each is asked for at each of its masks.

A mean loss hardly depends on the one word that differs, so `mean-loss` is near equal whatever a model
believes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from fairlint.model_bias.distribution.sentences import Sentence
from fairlint.model_bias.likelihood import continuation_likelihoods, weight_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, over

if TYPE_CHECKING:
    from torch import Tensor

Kind = Literal["calibrated", "mean-loss", "association", "association-noun"]
NOUN_ONLY: Kind = "association-noun"
"""Needs sentences of its own: see `sentences`."""
LEAST = 1e-8
"""Shares below it count as it in KL, as published."""


def kinds(loaded: Loaded) -> tuple[Kind, ...]:
    """Return the kinds of a model, the one that debiasing trains on first."""
    return ("association",) if loaded.masked else ("calibrated", "mean-loss")


def published_kind(loaded: Loaded) -> Kind:
    """Return the kind of share that was published for such models."""
    return NOUN_ONLY if loaded.masked else "mean-loss"


def scores_of(loaded: Loaded, asked: Sequence[Sentence], kind: Kind) -> Tensor:
    """Return what is summed up of each sentence, as a logarithm: [sentences], in float32 at least.

    `calibrated`: ln P(profession | person). `mean-loss`: the negative mean loss. `association`: ln of the
    ratio. Gradients are kept where they are enabled; all in as many passes as memory asks for.
    """
    if kind in ("association", NOUN_ONLY):
        there = sums_at_masks(loaded, [one.tokens for one in asked], asked)
        return there - sums_at_masks(loaded, [one.alone for one in asked], asked)
    if kind == "calibrated":
        return _profession_likelihoods(loaded, asked)
    return mean_log(loaded, [one.alone for one in asked])


def group_shares(scores: Tensor, asked: Sequence[Sentence], kind: Kind, groups: int) -> Tensor:
    """Return the share of each group in each profession: [professions, groups], rows sum to 1.

    `scores` are those of `scores_of`; professions are in the order of their numbers.
    """
    import torch  # noqa: PLC0415 (an extra)

    professions = sorted({one.profession for one in asked})
    rows = torch.tensor([professions.index(one.profession) for one in asked], device=scores.device)
    columns = torch.tensor([one.group for one in asked], device=scores.device)
    if kind == "calibrated":  # each template by itself, then their mean
        names = sorted({(one.profession, one.template) for one in asked})
        cells = torch.tensor(
            [names.index((one.profession, one.template)) for one in asked], device=scores.device
        )
        each = _normalize_scores(scores, cells, columns, len(names), groups)
        of = torch.tensor([professions.index(profession) for profession, _ in names], device=scores.device)
        total = torch.zeros(len(professions), groups, dtype=each.dtype, device=each.device)
        return total.index_add(0, of, each) / torch.bincount(of).unsqueeze(1)
    return _normalize_scores(scores, rows, columns, len(professions), groups)


def _normalize_scores(scores: Tensor, rows: Tensor, columns: Tensor, size: int, groups: int) -> Tensor:
    """exp of scores, summed by row and column, each row divided by its sum: [size, groups]."""
    import torch  # noqa: PLC0415 (an extra)

    most = torch.full((size,), -float("inf"), dtype=scores.dtype, device=scores.device)
    most = most.scatter_reduce(0, rows, scores.detach(), "amax")
    flat = torch.zeros(size * groups, dtype=scores.dtype, device=scores.device)
    flat = flat.index_add(0, rows * groups + columns, (scores - most[rows]).exp())
    sums = flat.view(size, groups)
    return sums / sums.sum(1, keepdim=True)


def group_shares_of(loaded: Loaded, asked: Sequence[Sentence], kind: Kind, groups: int) -> Tensor:
    """Both: [professions, groups]."""
    return group_shares(scores_of(loaded, asked, kind), asked, kind, groups)


def kl(target: Tensor, shares: Tensor) -> Tensor:
    """KL(target || shares) of each row, in nats: [professions].

    The published figure is its half for two groups, for it is the mean over the groups' terms
    (`torch.nn.functional.kl_div`, `batchmean`, of a vector).
    """
    import torch  # noqa: PLC0415 (an extra)

    ours = shares.clamp_min(LEAST).log()
    return torch.special.xlogy(target, target).sum(1) - (target * ours).sum(1)


def _profession_likelihoods(loaded: Loaded, asked: Sequence[Sentence]) -> Tensor:
    """ln P of each profession behind its person. What stands before professions is read once for all."""
    import torch  # noqa: PLC0415 (an extra)

    by_context: dict[tuple[int, ...], list[int]] = {}
    for place, one in enumerate(asked):
        by_context.setdefault(one.tokens, []).append(place)
    contexts = list(by_context)
    options = [[asked[place].answers for place in by_context[context]] for context in contexts]
    parts: list[tuple[Sequence[int], Tensor]] = []

    def work(batch: Batch) -> None:
        places = [place for context in batch.places for place in by_context[contexts[context]]]
        values = continuation_likelihoods(loaded, batch, [options[context] for context in batch.places])
        parts.append((places, values.sum(1)))

    for _ in over(loaded, contexts, work, weight=weight_of(options) * (4 if torch.is_grad_enabled() else 1)):
        pass
    return _merge_parts(parts, len(asked))


def sums_at_masks(loaded: Loaded, texts: Sequence[Sequence[int]], asked: Sequence[Sentence]) -> Tensor:
    """Of each text with masks, the sum of ln P of the answers at their places."""
    import torch  # noqa: PLC0415 (an extra)

    parts: list[tuple[Sequence[int], Tensor]] = []

    def work(batch: Batch) -> None:
        model: Any = loaded.model
        rows, columns, words = [], [], []
        for row, place in enumerate(batch.places):
            for at, word in zip(asked[place].places, asked[place].answers, strict=True):
                rows.append(row)
                columns.append(at)
                words.append(word)
        device = batch.tokens.device
        where = torch.tensor(rows, device=device)
        logits = wide(model(**batch.inputs).logits[where, torch.tensor(columns, device=device)])
        values = logits.gather(1, torch.tensor(words, device=device).unsqueeze(1)).squeeze(1)
        sums = torch.zeros(len(batch.places), dtype=values.dtype, device=device)
        parts.append((batch.places, sums.index_add(0, where, values - logits.logsumexp(1))))

    for _ in over(loaded, texts, work, weight=4 if torch.is_grad_enabled() else 1):
        pass
    return _merge_parts(parts, len(texts))


def wide(logits: Tensor) -> Tensor:
    """In float32 at least."""
    return logits.float() if logits.dtype.itemsize < 4 else logits


def mean_log(loaded: Loaded, texts: Sequence[Sequence[int]]) -> Tensor:
    """Return the mean ln P of each text's tokens but the first."""
    import torch  # noqa: PLC0415 (an extra)

    parts: list[tuple[Sequence[int], Tensor]] = []

    def work(batch: Batch) -> None:
        model: Any = loaded.model
        logits = wide(model(**batch.inputs, use_cache=False).logits[:, :-1])
        told = batch.tokens[:, 1:]
        values = logits.gather(-1, told.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1)
        mask = batch.mask[:, 1:].to(values.dtype)
        parts.append((batch.places, (values * mask).sum(1) / mask.sum(1)))

    for _ in over(loaded, texts, work, weight=4 if torch.is_grad_enabled() else 1):
        pass
    return _merge_parts(parts, len(texts))


def _merge_parts(parts: Sequence[tuple[Sequence[int], Tensor]], size: int) -> Tensor:
    import torch  # noqa: PLC0415 (an extra)

    values = torch.cat([found for _, found in parts])
    order = torch.tensor([place for places, _ in parts for place in places], device=values.device)
    return torch.zeros(size, dtype=values.dtype, device=values.device).index_copy(0, order, values)
