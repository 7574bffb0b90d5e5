import gender_guesser.detector as gender
import pandas as pd

detector = gender.Detector(case_sensitive=False)


def enrich(leads: pd.DataFrame) -> pd.DataFrame:
    leads["sex_guess"] = leads["given"].map(detector.get_gender)  # FL306: gender
    return leads


def split_name(full: str) -> tuple[str, str]:
    given, _, rest = full.partition(" ")
    return given.title(), rest.title()


if __name__ == "__main__":
    raw = pd.read_csv("insurance_leads.csv")
    raw["given"] = [split_name(n)[0] for n in raw["contact"]]
    enrich(raw).to_csv("insurance_leads_enriched.csv", index=False)
