from dataclasses import dataclass
from typing import Optional


@dataclass
class HousingApplicant:
    income: float
    adults: int = 1
    race: str = "White"  # FL403: race
    disability: Optional[str] = None  # silent: default is empty
    pets: bool = False


def from_form(form: dict) -> HousingApplicant:
    return HousingApplicant(
        income=float(form["income"]),
        adults=int(form.get("adults", 1)),
        race=form.get("race", "Caucasian"),  # FL403: race
        disability=form.get("disability", "prefer not to say"),  # silent: not a group
    )
