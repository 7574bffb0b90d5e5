"""WinoGender (Rudinger et al. 2018): which pronoun a model expects, against who works there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlint.backends.model import ModelError
from fairlint.model_bias.data.records import FEMALE, MALE, SHARES
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.asking import Answer, Asked, Planned, masks_of_text, option_of_text
from fairlint.model_bias.scores.resampling import correlation, mean
from fairlint.statistics.intervals import Interval
from fairlint.support.records import Record

ALL = "overall"
DEFINITIONS = {
    "gap": "ln P(he, his, him) − ln P(she, her) in the pronoun's place, mean over occupations; above 0 the "
    "male pronoun is expected",
    "r_bls": f"Pearson's r over occupations of the gap with the share of women ({SHARES})",
    "r_bergsma": "the same with the share of women among mentions in text (Bergsma and Lin 2006)",
    "likely": "causal: behind what comes before the pronoun; masked: with what comes after it, too",
}


class Gap(Record):
    """One occupation."""

    occupation: str
    items: int
    gap: float
    """In nats."""
    women: float | None
    """Share of women in %, by BLS."""
    bergsma: float | None


class WinoGenderScore(Record):
    """The scores of one part, with intervals by a bootstrap over occupations."""

    refers_to: str
    """Whom the pronoun means: `occupation`, `participant` or `overall`."""
    items: int
    gap: Interval
    """In nats."""
    r_bls: Interval | None
    r_bergsma: Interval | None
    occupations: tuple[Gap, ...]


def plan(loaded: Loaded, items: Sequence[WinoGenderItem]) -> Planned:
    """Return what the model is asked: the male, the female and (of a causal model) the neutral pronoun.

    The neutral sentence may go on differently, so that a masked model, which reads on, is not asked for it.
    """
    found: dict[str, Sequence[Asked]] = {}
    for item in items:
        if loaded.masked:
            after = item.male[len(item.prompt) + len(item.options[0].text) :]
            found[item.id] = [
                masks_of_text(loaded, item.prompt, option.text, after)
                for option in item.options
                if option.label in {MALE, FEMALE}
            ]
        else:
            found[item.id] = [option_of_text(loaded, item.prompt, option.text) for option in item.options]
    return Planned(found, [])


def figures(
    items: Sequence[WinoGenderItem], answers: Mapping[str, Answer], *, seed: int = 0
) -> tuple[WinoGenderScore, ...]:
    """Return the scores over all items, and by whom the pronoun means; items without an answer are
    in none.
    """
    told = []
    for item in items:
        if item.id in answers:
            male, female = (sum(one) for one in answers[item.id][:2])
            told.append((item, male - female))
    found = []
    for part in (ALL, "occupation", "participant"):
        some = [one for one in told if part in {ALL, one[0].refers_to}]
        if some:
            found.append(_score_of_part(part, some, seed))
    return tuple(found)


def _score_of_part(part: str, told: Sequence[tuple[WinoGenderItem, float]], seed: int) -> WinoGenderScore:
    gaps: dict[str, list[float]] = {}
    women = {}
    for item, gap in told:
        gaps.setdefault(item.occupation, []).append(gap)
        women[item.occupation] = item.women
    rows = []
    for occupation, some in gaps.items():
        known = women[occupation]
        shares = (known.bls, known.bergsma) if known else (None, None)
        rows.append(Gap(occupation, len(some), sum(some) / len(some), *shares))
    known_rows = [row for row in rows if row.women is not None and row.bergsma is not None]
    values = [row.gap for row in known_rows]
    middle = mean([row.gap for row in rows], seed)
    if middle is None:
        raise ModelError("the model gives some pronouns no probability at all")
    return WinoGenderScore(
        part,
        len(told),
        middle,
        correlation(values, [row.women or 0.0 for row in known_rows], seed),
        correlation(values, [row.bergsma or 0.0 for row in known_rows], seed),
        tuple(rows),
    )
