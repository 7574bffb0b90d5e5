"""Moving a model's shares towards a target: batches of one kind of professions, early stop, checkpoints.

Several processes share a step: each takes a part of a batch's professions and of its plain text, and all add
up their gradients.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fairlint.model_bias.distribution import tensor_files
from fairlint.model_bias.distribution.adapters import Adapter, Trained
from fairlint.model_bias.distribution.losses import Adaptive
from fairlint.model_bias.distribution.questions import Questions
from fairlint.model_bias.distribution.sentences import Sentence, sentences
from fairlint.model_bias.distribution.shares import (
    Kind,
    group_shares_of,
    kinds,
    kl,
    mean_log,
    scores_of,
    sums_at_masks,
    wide,
)
from fairlint.model_bias.distribution.splits import Splits
from fairlint.model_bias.distribution.targets import EQUAL, Target
from fairlint.model_bias.distribution.team import Team
from fairlint.model_bias.likelihood import tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import batch_of
from fairlint.model_bias.scores.asking import Specials, specials
from fairlint.support.records import Record

if TYPE_CHECKING:
    from torch import Tensor

Method = Literal["kl", "cda", "leace", "inlp"]
METHODS: tuple[Method, ...] = get_args(Method)
Keep = Literal["own", "text", "sentences"]
MASKED_SHARE = 0.15
"""Of the tokens of plain text, for a masked model's own loss (Devlin et al. 2019)."""
CHECKPOINT = "checkpoint.pt"


class Settings(Record):
    """How a model is trained; `leace` and `inlp` change it without. Defaults suit a small causal model."""

    method: Method = "kl"
    adapter: Adapter | None = Adapter()
    """None trains all weights."""
    rate: float = 2e-4
    decay: float = 0.01
    epochs: int = 4
    batch: int = 6
    """Professions in a batch, all of one kind."""
    momentum: float = 0.8
    keep: Keep = "own"
    """What is to stay on plain text: the model's `own` predictions, by KL from what they were before, or its
    loss on that `text`, by which it learns it, and seems better for it where text alike is measured. Of a
    masked model also its loss on the `sentences` about the batch's professions, each token masked in turn, as
    was published."""
    gamma: float = 2.0
    """What that loss is multiplied with."""
    passages: int = 8
    """Of plain text in a step."""
    patience: int = 5
    least: float = 1e-4
    """What the divergence on held-back professions must fall by to count as better."""
    seed: int = 0


class Lesson(Record):
    """What is taught."""

    questions: Questions
    target: Target
    splits: Splits
    kinds: Mapping[str, str]
    """Profession → its kind: batches are of one."""
    passages: tuple[str, ...]
    """Plain text that the model is to stay able to write."""


class Epoch(Record):
    """What an epoch came to."""

    train: float
    """Mean KL of its batches, in nats, not weighted."""
    valid: float
    """KL on the professions that are held back for stopping, with the same templates."""
    text: float
    """Mean loss a token of plain text, as `Settings.keep` says."""


class History(Record):
    """A training, as it went."""

    epochs: tuple[Epoch, ...]
    best: int
    """Which epoch's weights were kept; -1: those from before."""
    steps: int
    at_floor: float | None
    """In how many of the steps lambda was at its floor, as a share; None where it is not used."""


Progress = Callable[[int, int, float], None]
"""Told the epoch, of how many at most, and KL on what is held back."""


def train(
    loaded: Loaded,
    lesson: Lesson,
    settings: Settings,
    *,
    folder: Path,
    team: Team | None = None,
    progress: Progress | None = None,
) -> tuple[Trained, History]:
    """Train; the model is left as the best epoch made it, until `Trained.remove`.

    A checkpoint stands in `folder` after each epoch: a training that was broken off goes on there, and comes
    to the same weights. All processes of a `team` have these.

    Raises ModelError for words or layers that the model lacks and too little memory, and UsageError where the
    checkpoint cannot be written.
    """
    run = _Run(loaded, lesson, settings, team or Team())
    run.go(folder / CHECKPOINT, progress)
    return run.trained, run.history


def mask_each_token(sentence: Sentence, ends: Specials) -> list[Sentence]:
    """Return a masked model's sentence, once with each token masked, those at its ends aside."""
    whole = list(sentence.tokens)
    for place, token in zip(sentence.places, sentence.answers, strict=True):
        whole[place] = token
    found = []
    for place in range(len(ends.start), len(whole) - len(ends.end)):
        tokens = (*whole[:place], ends.mask, *whole[place + 1 :])
        found.append(Sentence(0, 0, 0, 0, tokens, (place,), (whole[place],), tokens))
    return found


class _Run:
    """A training on its way."""

    def __init__(self, loaded: Loaded, lesson: Lesson, settings: Settings, team: Team) -> None:
        import torch  # noqa: PLC0415 (an extra)

        self.loaded, self.lesson, self.settings, self.team = loaded, lesson, settings, team
        self.questions, self.target, self.splits = lesson.questions, lesson.target, lesson.splits
        self.kind: Kind = kinds(loaded)[0]
        self.trained = Trained(loaded, settings.adapter, settings.seed)
        self.optimizer = torch.optim.AdamW(
            self.trained.weights, lr=settings.rate, weight_decay=settings.decay
        )
        self.adaptive = Adaptive(settings.momentum, masked=loaded.masked)
        self.chance = random.Random(settings.seed)  # noqa: S311 (no secret)
        self.epochs: list[Epoch] = []
        self.best, self.lowest, self.kept = -1, float("inf"), self.trained.state

    @property
    def history(self) -> History:
        """What happened so far."""
        uses = self.settings.method == "kl" and self.target.name != EQUAL and self.adaptive.steps
        share = self.adaptive.at_floor / self.adaptive.steps if uses else None
        return History(tuple(self.epochs), self.best, self.adaptive.steps, share)

    def go(self, checkpoint: Path, progress: Progress | None) -> None:
        """All epochs that are left, then the best one's weights."""
        if not self.restore(checkpoint):
            self.lowest = self.divergence(self.splits.valid)
        while len(self.epochs) < self.settings.epochs and not self.is_over():
            trained, text = self.epoch()
            valid = self.divergence(self.splits.valid)
            self.epochs.append(Epoch(trained, valid, text))
            if valid < self.lowest - self.settings.least:
                self.best, self.lowest, self.kept = len(self.epochs) - 1, valid, self.trained.state
            if self.team.is_first:
                self.save(checkpoint)
            if progress:
                progress(len(self.epochs), self.settings.epochs, valid)
        self.trained.restore(self.kept)

    def is_over(self) -> bool:
        """Return whether no epoch of the last ones was better."""
        return len(self.epochs) - 1 - self.best >= self.settings.patience

    def epoch(self) -> tuple[float, float]:
        """Return one pass over the professions: mean KL and mean loss of text."""
        import torch  # noqa: PLC0415 (an extra)

        model: Any = self.loaded.model
        # dropout: by epoch, so that it is the same after a break; by process, so that each has its own
        torch.manual_seed((self.settings.seed * 1_000 + len(self.epochs)) * 1_000 + self.team.rank)
        model.train()
        divergences, losses = [], []
        try:
            for kind, professions in self.batches():
                self.optimizer.zero_grad()
                divergences.append((self.step(kind, professions), len(professions)))
                losses.append(self.text_step(professions))
                self.add_up()
                self.optimizer.step()
        finally:
            model.eval()
        count = sum(size for _, size in divergences)
        return sum(value * size for value, size in divergences) / count, sum(losses) / len(losses)

    def add_up(self) -> None:
        """Give each process the gradients of all."""
        if self.team.size == 1:
            return
        for weight in self.trained.weights:
            own = weight.grad if weight.grad is not None else weight.new_zeros(weight.shape)
            weight.grad = self.team.total(own)

    def batches(self) -> Iterator[tuple[str, list[str]]]:
        """Return the training professions, each batch of one kind, all in an order by chance."""
        by_kind: dict[str, list[str]] = {}
        for one in self.splits.train:
            by_kind.setdefault(self.lesson.kinds[one], []).append(one)
        found = []
        for kind, some in by_kind.items():
            self.chance.shuffle(some)
            size = self.settings.batch
            found += [(kind, some[begin : begin + size]) for begin in range(0, len(some), size)]
        self.chance.shuffle(found)
        return iter(found)

    def step(self, kind: str, professions: Sequence[str]) -> float:
        """Return the gradient of a batch; its mean KL."""
        if self.settings.method == "cda":
            self.step_of_all_groups(professions)
            return self.divergence(professions)
        own = self.team.part(professions)
        values = self.divergences(own).sum() if own else None
        value = self.sum_over_team(values) / len(professions)
        weight = 1.0
        if self.target.name != EQUAL:
            groups = len(self.questions.groups)  # the published code weighs the mean over the groups' terms
            weight = self.adaptive.weight(kind, value / groups, len(professions)) / groups
        else:
            self.adaptive.steps += 1
        if values is not None:
            (weight * values / len(professions)).backward()
        return value

    def step_of_all_groups(self, professions: Sequence[str]) -> None:
        """Counterfactual data augmentation (Zhao et al. 2018): the same sentence about every group."""
        own = self.team.part(professions)
        if not own:
            return
        asked = self.asked(own)
        if self.loaded.masked:
            values = scores_of(self.loaded, asked, "association")
        else:
            values = mean_log(self.loaded, [one.alone for one in asked])
        (-values.mean() * len(own) / len(professions)).backward()

    def sum_over_team(self, values: Tensor | None) -> float:
        """Return the sum of all processes' numbers; None where this one has nothing to add."""
        import torch  # noqa: PLC0415 (an extra)

        model: Any = self.loaded.model
        own = torch.zeros((), device=model.device) if values is None else values.detach()
        return float(self.team.total(own.double() if model.device.type == "cpu" else own.float()))

    def divergences(self, professions: Sequence[str]) -> Tensor:
        """KL of each profession, with gradients: [professions]."""
        shares = group_shares_of(self.loaded, self.asked(professions), self.kind, len(self.questions.groups))
        return kl(self.wanted(professions, shares), shares)

    def asked(self, professions: Sequence[str]) -> tuple[Sentence, ...]:
        """Return the sentences of some professions in the templates that teach."""
        return sentences(self.loaded, self.questions, professions, self.questions.of("train"))

    def wanted(self, professions: Sequence[str], like: Tensor) -> Tensor:
        """Return the target's shares: [professions, groups]."""
        return like.new_tensor(self.target.of(professions))

    def divergence(self, professions: Sequence[str]) -> float:
        """Return the mean KL of some professions, as the model is now."""
        import torch  # noqa: PLC0415 (an extra)

        model: Any = self.loaded.model
        was_training = model.training
        model.eval()
        own = self.team.part(professions)
        with torch.no_grad():
            value = self.sum_over_team(self.divergences(own).sum() if own else None)
        model.train(was_training)
        return value / len(professions)

    def text_step(self, professions: Sequence[str]) -> float:
        """Return the gradient of the model's own loss on some plain text, or on the sentences about
        `professions`; its mean a token.
        """
        if self.settings.keep == "sentences" and self.settings.gamma:
            return self.sentences_step(professions)
        if not self.lesson.passages or not self.settings.gamma:
            return 0.0
        texts = self.chance.sample(
            list(self.lesson.passages), min(self.settings.passages, len(self.lesson.passages))
        )
        if self.settings.keep == "text" and not self.loaded.masked:
            loss = self.next_loss(texts)
        else:
            asked = self.hidden(texts) if self.loaded.masked else self.written(texts)
            count = sum(len(one.places) for one in asked)
            own = self.team.part(asked)
            total = self.own_loss if self.settings.keep == "own" else self.masked_loss
            loss = total(own) / max(count, 1) if own else None
        if loss is not None:
            (self.settings.gamma * loss).backward()
        return self.sum_over_team(loss)

    def sentences_step(self, professions: Sequence[str]) -> float:
        """Return the gradient of a masked model's loss on the sentences that teach, each token masked in
        turn; its mean a token.
        """
        ends = specials(self.loaded)
        asked = [one for sentence in self.asked(professions) for one in mask_each_token(sentence, ends)]
        own = self.team.part(asked)
        loss = self.masked_loss(own) / len(asked) if own else None
        if loss is not None:
            (self.settings.gamma * loss).backward()
        return self.sum_over_team(loss)

    def next_loss(self, texts: Sequence[str]) -> Tensor | None:
        """Return a causal model's: the mean -ln P of the tokens of each text, this process's part of their
        mean.
        """
        tokens = [one.tokens for one in self.written(texts)]
        own = self.team.part(tokens)
        return -mean_log(self.loaded, own).sum() / len(tokens) if own else None

    def written(self, texts: Sequence[str]) -> list[Sentence]:
        """Texts of which a causal model is asked for every token but the first."""
        found = []
        for text in texts:
            tokens = (*self.loaded.start, *tokens_of(self.loaded, text))
            if len(tokens) > 1:
                places = tuple(range(len(tokens) - 1))
                found.append(Sentence(0, 0, 0, 0, tokens, places, tokens[1:], tokens))
        return found

    def own_loss(self, asked: Sequence[Sentence]) -> Tensor:
        """KL of the model's predictions on plain text from those before training, sum over tokens; a masked
        model predicts tokens that are masked by chance.
        """
        import torch  # noqa: PLC0415 (an extra)

        batch = batch_of(self.loaded, [one.tokens for one in asked])
        spots = [(row, place) for row, one in enumerate(asked) for place in one.places]
        rows, columns = (torch.tensor(one, device=batch.tokens.device) for one in zip(*spots, strict=True))
        model: Any = self.loaded.model
        more = {} if self.loaded.masked else {"use_cache": False}

        def predictions() -> Tensor:
            found: Tensor = wide(model(**batch.inputs, **more).logits[rows, columns]).log_softmax(-1)
            return found

        was_training = model.training
        model.eval()
        with torch.no_grad(), self.trained.unchanged():
            before = predictions()
        model.train(was_training)
        return torch.nn.functional.kl_div(predictions(), before, log_target=True, reduction="sum")

    def masked_loss(self, asked: Sequence[Sentence]) -> Tensor:
        """Return a masked model's: the sum of -ln P of tokens that were masked by chance."""
        return -sums_at_masks(self.loaded, [one.tokens for one in asked], asked).sum()

    def hidden(self, texts: Sequence[str]) -> list[Sentence]:
        """Texts of which some tokens are masked by chance, the same in all processes."""
        start, end, mask = specials(self.loaded)
        asked = []
        for text in texts:
            whole = [*start, *tokens_of(self.loaded, text), *end]
            inner = range(len(start), len(whole) - len(end))
            if not inner:
                continue
            places = sorted(self.chance.sample(inner, max(1, round(MASKED_SHARE * len(inner)))))
            hidden = tuple(mask if place in places else token for place, token in enumerate(whole))
            answers = tuple(whole[place] for place in places)
            asked.append(Sentence(0, 0, 0, 0, hidden, tuple(places), answers, hidden))
        return asked

    def save(self, checkpoint: Path) -> None:
        """All that the next epoch depends on, written whole or not at all."""
        state = {
            "weights": self.trained.state,
            "kept": self.kept,
            "optimizer": self.optimizer.state_dict(),
            "adaptive": self.adaptive.state,
            "chance": self.chance.getstate(),
            "epochs": [(one.train, one.valid, one.text) for one in self.epochs],
            "best": self.best,
            "lowest": self.lowest,
        }
        tensor_files.write(checkpoint, state)

    def restore(self, checkpoint: Path) -> bool:
        """Go on from a checkpoint, which the first process reads for all; whether there is one."""
        here = self.team.is_first and checkpoint.exists()
        state = self.team.told(tensor_files.read(checkpoint) if here else None)
        if state is None:
            return False
        self.trained.restore(state["weights"])
        self.kept = state["kept"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.adaptive.restore(state["adaptive"])
        version, internal, gauss = state["chance"]
        self.chance.setstate((version, tuple(internal), gauss))
        self.epochs = [Epoch(*one) for one in state["epochs"]]
        self.best, self.lowest = state["best"], state["lowest"]
        return True
