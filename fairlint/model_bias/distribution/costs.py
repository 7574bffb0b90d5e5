"""What a model is good for beside its shares: published data sets, plain text, tasks, the code it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.model import ModelError
from fairlint.model_bias.distribution import harness, written
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.perplexity import perplexity
from fairlint.model_bias.scores.scoring import score, task
from fairlint.support.records import Record

DATA = ("stereoset", "winogender", "crows-pairs", "text")
"""What is measured unless somebody says otherwise; `text` is perplexity."""
CODE = "code"
"""The folder of the answers, in that of a state."""


class Asked(Record):
    """What is measured."""

    published: bool = False
    """Whether the published share is told of, too: of a causal model it takes longer than all others."""
    data: tuple[str, ...] = DATA
    limit: int | None = None
    """Items of each data set and task."""
    text: tuple[str, ...] = ()
    """Of which perplexity is taken."""
    tasks: Mapping[str, Any] = {}
    """Of lm-evaluation-harness, loaded."""
    prompts: int = 0
    """For functions; 0 asks for no code."""
    samples: int = 2
    """Answers to a prompt."""
    groups: tuple[str, ...] = ()
    """Whom the shares are of."""

    def check(self, loaded: Loaded) -> None:
        """Raise ModelError, before anything is measured, for what a masked model is not asked for."""
        if loaded.masked and self.prompts:
            raise ModelError(f"--code: {loaded.name} is a masked model, and writes no code")
        if loaded.masked and self.tasks:
            raise ModelError(f"--lm-eval: {loaded.name} is a masked model, and the harness asks causal ones")


def costs(loaded: Loaded, asked: Asked, folder: Path) -> dict[str, float]:
    """Return all figures of a model as it is now; answers are kept in `folder`. Raises ModelError and
    UsageError.
    """
    found: dict[str, float] = {}
    for name in asked.data:
        found.update(_of_data(loaded, name, asked.text, asked.limit))
    found.update(harness.figures(loaded, asked.tasks, asked.limit))
    if asked.prompts:
        found.update(
            written.figures(loaded, asked.groups, folder / CODE, limit=asked.prompts, samples=asked.samples)
        )
    return found


def _of_data(loaded: Loaded, name: str, text: Sequence[str], limit: int | None) -> dict[str, float]:
    if name == "text":
        return {"perplexity": perplexity(loaded, text).value.mean} if text else {}
    found: Any = score(loaded, task(loaded, name, limit=limit, within=True))
    if name == "stereoset":
        all_of = next(one for one in found if one.task == "intrasentence" and one.bias_type == "overall")
        return {"SS": all_of.ss.mean, "LMS": all_of.lms.mean}
    if name == "crows-pairs":
        return {"CrowS-Pairs": next(one for one in found if one.bias_type == "overall").stereotype.mean}
    told = {"WinoGender he - she": found[0].gap.mean}
    if found[0].r_bls is not None:
        told["WinoGender r"] = found[0].r_bls.mean
    return told
