"""What is located: two prompts of equally many tokens, and two answers that a model tells apart."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.backends.model import ModelError
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch
from fairlint.support.records import Record, replace

if TYPE_CHECKING:
    from torch import Tensor

METRIC = (
    "ln P(first answer) - ln P(second answer), which is the difference of their logits, "
    "where the answer is about to stand"
)
DIRECTION = (
    "what a part computes for the corrupted prompt is put into the run of the clean prompt; each pair both "
    "ways, and a part's effect is the mean of both"
)


class Contrast(Record):
    """Two prompts that differ in whom they are about, and two answers.

    The first answer is the one that is typical of whom the clean prompt is about, so that all contrasts have
    the same sign: a part whose corrupted values lower the metric carries the association.
    """

    id: str
    subject: str
    """What is drawn together for intervals, such as the occupation that the item is about."""
    direction: str
    """Such as `male to female`: from the clean prompt to the corrupted one."""
    clean: tuple[int, ...]
    corrupted: tuple[int, ...]
    """Tokens with all that a model's texts begin and end with; as many as in `clean`."""
    place: int
    """Whose output says what the answer is: the last token of a causal model, the mask of a masked one."""
    answers: tuple[int, int]
    """Tokens: the typical answer, and the other."""
    texts: tuple[str, str]
    """Both prompts as they are read."""
    words: tuple[str, str]
    """Both answers."""
    rest: str = ""
    """What a masked model reads behind the answer."""

    @property
    def reversed(self) -> Contrast:
        """The same pair the other way round: the corrupted prompt is the clean one, and the other answer the
        typical one, so that the sign of a part's effect stays what it was.
        """
        begin, _, end = self.direction.partition(" to ")
        return replace(
            self,
            id=f"{self.id}, reversed",
            direction=f"{end} to {begin}" if end else self.direction,
            clean=self.corrupted,
            corrupted=self.clean,
            answers=self.answers[::-1],
            texts=self.texts[::-1],
            words=self.words[::-1],
        )

    @property
    def told(self) -> Mapping[str, Any]:
        """The contrast as JSON, without its tokens; a pair of a user's file has the same form."""
        told: dict[str, Any] = {
            "id": self.id,
            "subject": self.subject,
            "direction": self.direction,
            "clean": self.texts[0],
            "corrupted": self.texts[1],
            "answers": list(self.words),
        }
        return {**told, "rest": self.rest} if self.rest else told


def check(contrasts: Sequence[Contrast]) -> None:
    """Raise ModelError where there is none, or one whose prompts differ in length."""
    if not contrasts:
        raise ModelError("there are no pairs to compare")
    for one in contrasts:
        if len(one.clean) != len(one.corrupted):
            raise ModelError(
                f"pair {one.id}: its prompts have {len(one.clean)} and {len(one.corrupted)} tokens, and only "
                "equally long ones can be put into one another"
            )


def metric(loaded: Loaded, batch: Batch, contrasts: Sequence[Contrast]) -> Tensor:
    """METRIC of each row of a batch of prompts, whose `places` are those of `contrasts`: [batch].

    In float32 at least. Gradients are kept where they are asked for.
    """
    import torch  # noqa: PLC0415 (an extra)

    model: Any = loaded.model
    asked = [contrasts[place] for place in batch.places]
    places = torch.tensor([one.place for one in asked], device=batch.tokens.device)
    more: dict[str, Any] = {}
    if "logits_to_keep" in inspect.signature(model.forward).parameters:
        # the words of other places are the larger part of the work in a small model
        kept, places = places.unique(return_inverse=True)
        more = {"logits_to_keep": kept}
    if not loaded.masked:
        more["use_cache"] = False
    logits = model(**batch.inputs, **more).logits
    rows = torch.arange(len(asked), device=logits.device)
    at_answer = logits[rows, places.to(logits.device)]
    if at_answer.dtype.itemsize < 4:
        at_answer = at_answer.float()
    answers = torch.tensor([one.answers for one in asked], device=logits.device)
    picked = at_answer.gather(1, answers)
    return picked[:, 0] - picked[:, 1]
