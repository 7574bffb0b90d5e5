import pandas as pd
from sklearn.preprocessing import OrdinalEncoder

CREEDS = ["none", "hindu", "muslim", "christian"]
SIZES = ["small", "medium", "large"]


def encode(housing: pd.DataFrame) -> pd.DataFrame:
    faith = OrdinalEncoder(categories=[CREEDS])
    housing["religion_rank"] = faith.fit_transform(housing[["religion"]])  # FL401: religion
    housing["flat_rank"] = OrdinalEncoder(categories=[SIZES]).fit_transform(housing[["flat_size"]])
    return housing


def religion_options() -> list[str]:
    return sorted(CREEDS)  # silent: options of a form


if __name__ == "__main__":
    encode(pd.read_csv("flat_requests.csv")).to_csv("flat_requests_encoded.csv", index=False)
