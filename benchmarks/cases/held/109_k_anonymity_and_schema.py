"""Release a hospital extract: generalise, then check k."""
import pandas as pd
import pandera as pa

QUASI = ["age_band", "gender", "postcode3"]  # silent: quasi-identifiers of k-anonymity

schema = pa.DataFrameSchema(
    {
        "age_band": pa.Column(str),  # silent: schema
        "gender": pa.Column(str, pa.Check.isin(["f", "m", "x", "u"])),  # silent: validation
        "race": pa.Column(str, nullable=True),  # silent: schema
    }
)


def k_of(extract: pd.DataFrame) -> int:
    return int(extract.groupby(QUASI).size().min())  # silent: group size


def release(extract: pd.DataFrame, k: int = 5) -> pd.DataFrame:
    extract = schema.validate(extract)
    sizes = extract.groupby(QUASI)["age_band"].transform("size")
    return extract[sizes >= k].drop(columns=["race"])  # silent: column dropped
