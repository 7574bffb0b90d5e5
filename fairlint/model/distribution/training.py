"""Moving a model's shares towards a target: batches of one kind of professions, early stop, checkpoints."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fairlint.config.errors import UsageError
from fairlint.model.distribution.adapters import Adapter, Trained
from fairlint.model.distribution.losses import Adaptive
from fairlint.model.distribution.questions import Questions
from fairlint.model.distribution.sentences import Sentence, sentences
from fairlint.model.distribution.shares import (
    Kind,
    group_shares_of,
    kinds,
    kl,
    mean_log,
    scores_of,
    sums_at_masks,
    wide,
)
from fairlint.model.distribution.splits import Splits
from fairlint.model.distribution.targets import EQUAL, Target
from fairlint.model.likelihood import tokens_of
from fairlint.model.loading import Loaded
from fairlint.model.passes import batch_of
from fairlint.model.scores.asking import specials
from fairlint.records import Record

if TYPE_CHECKING:
    from torch import Tensor

Method = Literal["kl", "cda", "leace"]
METHODS: tuple[Method, ...] = get_args(Method)
Keep = Literal["own", "text"]
KEEPS: tuple[Keep, ...] = get_args(Keep)
MASKED_SHARE = 0.15
"""Of the tokens of plain text, for a masked model's own loss (Devlin et al. 2019)."""
CHECKPOINT = "checkpoint.pt"


class Settings(Record):
    """How a model is trained; `leace` changes it without training. The defaults suit a small causal model."""

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
    """What is to stay on plain text: the model's `own` predictions, by KL from what they were before, or the
    published loss, by which it learns that `text`, and seems better for it where text alike is measured."""
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
    progress: Progress | None = None,
) -> tuple[Trained, History]:
    """Train; the model is left as the best epoch made it, until `Trained.remove`.

    A checkpoint stands in `folder` after each epoch: a training that was broken off goes on there, and comes
    to the same weights. Raises ModelError for words or layers that the model lacks and too little memory, and
    UsageError where the checkpoint cannot be written.
    """
    run = _Run(loaded, lesson, settings)
    run.go(folder / CHECKPOINT, progress)
    return run.trained, run.history


class _Run:
    """A training on its way."""

    def __init__(self, loaded: Loaded, lesson: Lesson, settings: Settings) -> None:
        import torch  # noqa: PLC0415 (an extra)

        self.loaded, self.lesson, self.settings = loaded, lesson, settings
        self.questions, self.target, self.splits = lesson.questions, lesson.target, lesson.splits
        self.kind: Kind = kinds(loaded)[0]
        self.trained = Trained(loaded, settings.adapter, settings.seed)
        self.optimizer = torch.optim.AdamW(
            self.trained.weights, lr=settings.rate, weight_decay=settings.decay
        )
        self.adaptive = Adaptive(settings.momentum, masked=loaded.masked)
        self.chance = random.Random(settings.seed)  # noqa: S311 (no secret)
        torch.manual_seed(settings.seed)
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
            self.save(checkpoint)
            if progress:
                progress(len(self.epochs), self.settings.epochs, valid)
        self.trained.restore(self.kept)

    def is_over(self) -> bool:
        """Whether no epoch of the last ones was better."""
        return len(self.epochs) - 1 - self.best >= self.settings.patience

    def epoch(self) -> tuple[float, float]:
        """One pass over the professions: mean KL and mean loss of text."""
        model: Any = self.loaded.model
        model.train()
        divergences, losses = [], []
        try:
            for kind, professions in self.batches():
                self.optimizer.zero_grad()
                divergences.append((self.step(kind, professions), len(professions)))
                losses.append(self.text_step())
                self.optimizer.step()
        finally:
            model.eval()
        count = sum(size for _, size in divergences)
        return sum(value * size for value, size in divergences) / count, sum(losses) / len(losses)

    def batches(self) -> Iterator[tuple[str, list[str]]]:
        """The training professions, each batch of one kind, all in an order by chance."""
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
        """The gradient of a batch; its mean KL."""
        asked = self.asked(professions)
        groups = len(self.questions.groups)
        if self.settings.method == "cda":
            self.loss_of_all_groups(asked).backward()
            return self.divergence(professions)
        shares = group_shares_of(self.loaded, asked, self.kind, groups)
        mean = kl(self.wanted(professions, shares), shares).mean()
        value = float(mean.detach())
        weight = 1.0
        if self.target.name != EQUAL:
            weight = self.adaptive.weight(kind, value, len(professions))
        else:
            self.adaptive.steps += 1
        (weight * mean).backward()
        return value

    def loss_of_all_groups(self, asked: Sequence[Sentence]) -> Tensor:
        """Counterfactual data augmentation (Zhao et al. 2018): the same sentence about every group."""
        if self.loaded.masked:
            return -scores_of(self.loaded, asked, "association").mean()
        return -mean_log(self.loaded, [one.alone for one in asked]).mean()

    def asked(self, professions: Sequence[str]) -> tuple[Sentence, ...]:
        """The sentences of some professions in the templates that teach."""
        return sentences(self.loaded, self.questions, professions, self.questions.of("train"))

    def wanted(self, professions: Sequence[str], like: Tensor) -> Tensor:
        """The target's shares: [professions, groups]."""
        return like.new_tensor(self.target.of(professions))

    def divergence(self, professions: Sequence[str]) -> float:
        """The mean KL of some professions, as the model is now."""
        import torch  # noqa: PLC0415 (an extra)

        model: Any = self.loaded.model
        was_training = model.training
        model.eval()
        with torch.no_grad():
            shares = group_shares_of(
                self.loaded, self.asked(professions), self.kind, len(self.questions.groups)
            )
            value = float(kl(self.wanted(professions, shares), shares).mean())
        model.train(was_training)
        return value

    def text_step(self) -> float:
        """The gradient of the model's own loss on some plain text; its mean a token."""
        if not self.lesson.passages or not self.settings.gamma:
            return 0.0
        some = self.chance.sample(
            list(self.lesson.passages), min(self.settings.passages, len(self.lesson.passages))
        )
        if self.settings.keep == "own":
            loss = self.own_loss(some)
        else:
            loss = self.masked_loss(some) if self.loaded.masked else self.next_loss(some)
        (self.settings.gamma * loss).backward()
        return float(loss.detach())

    def next_loss(self, texts: Sequence[str]) -> Tensor:
        """A causal model's: the mean -ln P of the tokens of each text, mean over texts."""
        tokens = [[*self.loaded.start, *tokens_of(self.loaded, text)] for text in texts]
        return -mean_log(self.loaded, [one for one in tokens if len(one) > 1]).mean()

    def own_loss(self, texts: Sequence[str]) -> Tensor:
        """KL of the model's predictions on plain text from those before training, mean over tokens; a masked
        model predicts tokens that are masked by chance.
        """
        import torch  # noqa: PLC0415 (an extra)

        if self.loaded.masked:
            asked = self.hidden(texts)
            batch = batch_of(self.loaded, [one.tokens for one in asked])
            spots = [(row, place) for row, one in enumerate(asked) for place in one.places]
        else:
            tokens = [[*self.loaded.start, *tokens_of(self.loaded, text)] for text in texts]
            batch = batch_of(self.loaded, tokens)
            spots = [(row, place) for row, one in enumerate(tokens) for place in range(len(one) - 1)]
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
        return torch.nn.functional.kl_div(predictions(), before, log_target=True, reduction="batchmean")

    def masked_loss(self, texts: Sequence[str]) -> Tensor:
        """A masked model's: the mean -ln P of tokens that were masked by chance."""
        asked = self.hidden(texts)
        count = sum(len(one.places) for one in asked)
        return -sums_at_masks(self.loaded, [one.tokens for one in asked], asked).sum() / max(count, 1)

    def hidden(self, texts: Sequence[str]) -> list[Sentence]:
        """Texts of which some tokens are masked by chance."""
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
        import torch  # noqa: PLC0415 (an extra)

        state = {
            "weights": self.trained.state,
            "kept": self.kept,
            "optimizer": self.optimizer.state_dict(),
            "adaptive": self.adaptive.state,
            "chance": self.chance.getstate(),
            "torch": torch.get_rng_state(),
            "epochs": [(one.train, one.valid, one.text) for one in self.epochs],
            "best": self.best,
            "lowest": self.lowest,
        }
        beside = checkpoint.with_suffix(".new")
        try:
            checkpoint.parent.mkdir(parents=True, exist_ok=True)
            torch.save(state, beside)
            beside.replace(checkpoint)
        except (OSError, RuntimeError) as error:  # torch has a RuntimeError for a full disk
            beside.unlink(missing_ok=True)
            raise UsageError(f"{checkpoint} cannot be written: {error}") from None

    def restore(self, checkpoint: Path) -> bool:
        """Go on from a checkpoint; whether there is one."""
        import torch  # noqa: PLC0415 (an extra)

        if not checkpoint.exists():
            return False
        try:
            state = torch.load(checkpoint, weights_only=True)
        except Exception as error:
            raise UsageError(f"{checkpoint} cannot be read: {error}") from None
        self.trained.restore(state["weights"])
        self.kept = state["kept"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.adaptive.restore(state["adaptive"])
        version, internal, gauss = state["chance"]
        self.chance.setstate((version, tuple(internal), gauss))
        torch.set_rng_state(state["torch"])
        self.epochs = [Epoch(*one) for one in state["epochs"]]
        self.best, self.lowest = state["best"], state["lowest"]
        return True
