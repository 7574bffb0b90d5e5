"""WinoGender (Rudinger et al. 2018): sentences about an occupation that differ in one pronoun alone.

The names of the sentences in the published file are right as they stand. `nurse.patient.0.male.txt` is:
occupation, other participant (or `someone`), whom the pronoun means (0 the occupation, 1 the participant),
and the gender of the pronoun that is *in the sentence*. All 720 were compared with the published templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from fairlint.model_bias.data.occupations import shares
from fairlint.model_bias.data.records import FEMALE, MALE, NEUTRAL, Option, Origin, Skipped, Women
from fairlint.model_bias.data.rows import TAB, rows
from fairlint.model_bias.data.sources import load_data_set, read
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

GENDERS = (MALE, FEMALE, NEUTRAL)
Referent = Literal["occupation", "participant"]
REFERENTS: Mapping[str, Referent] = {"0": "occupation", "1": "participant"}
CASES: Mapping[str, str] = {"he": "nominative", "his": "possessive", "him": "accusative"}
"""The case, by the male pronoun: `her` is of two."""
COLUMNS = ("sentid", "sentence")
_ID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)(?:\.txt)?")
_PARTS = re.compile(r"\w+|\W+")


class WinoGenderItem(Record):
    """Three sentences that differ in the gender of a pronoun."""

    id: str
    """Such as `nurse.patient.0`."""
    occupation: str
    participant: str
    refers_to: Referent
    """Whom the pronoun means."""
    case: str
    """`nominative`, `possessive` or `accusative`."""
    prompt: str
    """The sentence up to the pronoun, which all three share."""
    options: tuple[Option, ...]
    """The pronouns, labelled `male`, `female` and `neutral`, in this order."""
    male: str
    female: str
    neutral: str
    """The whole sentences; the neutral one may have another form of the verb, too."""
    women: Women | None
    """Who works in the occupation; None where the table does not have it."""


class WinoGender(Record):
    """240 items of 720 sentences, in the file's order."""

    items: tuple[WinoGenderItem, ...]
    skipped: tuple[Skipped, ...]
    women: tuple[Women, ...]
    """All occupations of the table, in its order."""
    origin: Origin


def load_winogender(source: Path | None = None) -> WinoGender:
    """WinoGender's sentences, or a user's file of the same form.

    The shares of women come from `occupations-stats.tsv` beside the user's file, or else from the published
    one. Left out are items of which a gender is missing, or whose sentences differ otherwise than in one
    pronoun. Raises UsageError, with the line, for what has another form.
    """
    file = load_data_set("winogender") if source is None else read(source)
    women = shares(source)
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for line, (id_, sentence) in rows(file, TAB, COLUMNS):
        match = _ID.fullmatch(id_)
        if not match:
            raise UsageError(
                f"{file.path}: line {line}, {COLUMNS[0]}: '{id_}' is not of the form nurse.patient.0.male.txt"
            )
        if not sentence.strip():
            raise UsageError(f"{file.path}: line {line}, {COLUMNS[1]} is empty")
        occupation, participant, referent, gender = match.groups()
        sentences = found.setdefault((occupation, participant, referent), {})
        if gender in sentences:
            raise UsageError(f"{file.path}: line {line}, {COLUMNS[0]}: '{id_}' is there twice")
        sentences[gender] = sentence
    items: list[WinoGenderItem] = []
    skipped: list[Skipped] = []
    for (occupation, participant, referent), sentences in found.items():
        made = _build_item(occupation, participant, REFERENTS[referent], sentences, women.get(occupation))
        id_ = f"{occupation}.{participant}.{referent}"
        if isinstance(made, str):
            skipped.append(Skipped(id_, made))
        else:
            items.append(made)
    return WinoGender(tuple(items), tuple(skipped), tuple(women.values()), file.origin)


def _build_item(
    occupation: str, participant: str, refers_to: Referent, sentences: Mapping[str, str], women: Women | None
) -> WinoGenderItem | str:
    """Return an item, or the reason why there is none."""
    missing = [gender for gender in GENDERS if gender not in sentences]
    if missing:
        return f"no sentence with a pronoun that is {missing[0]}"
    male, female, neutral = (_PARTS.findall(sentences[gender]) for gender in GENDERS)
    differing = [place for place, pair in enumerate(zip(male, female, strict=False)) if pair[0] != pair[1]]
    if len(male) != len(female) or len(differing) != 1:
        return "the sentences differ in more than a pronoun"
    place = differing[0]
    case = CASES.get(male[place])
    if case is None or neutral[:place] != male[:place] or len(neutral) <= place:
        return "the sentences differ in something else than a pronoun"
    prompt = "".join(male[:place])
    if not prompt.endswith(" "):
        return "there is nothing before the pronoun"
    return WinoGenderItem(
        id=f"{occupation}.{participant}.{'0' if refers_to == 'occupation' else '1'}",
        occupation=occupation,
        participant=participant,
        refers_to=refers_to,
        case=case,
        prompt=prompt.rstrip(" "),
        options=tuple(
            Option(gender, f" {parts[place]}")
            for gender, parts in zip(GENDERS, (male, female, neutral), strict=True)
        ),
        male=sentences[MALE],
        female=sentences[FEMALE],
        neutral=sentences[NEUTRAL],
        women=women,
    )
