from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
import pandas as pd


def build():
    pre = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job_title", "gender", "marital_status"]),  # FL301|FL405: gender; FL301|FL405: marital_status
        (SimpleImputer(strategy="median"), ["salary", "years_in_job"]),
        remainder="drop",
    )
    return make_pipeline(pre, HistGradientBoostingClassifier(learning_rate=0.05))


def run(path):
    staff = pd.read_csv(path)
    pipe = build()
    pipe.fit(staff, staff["credit_ok"])
    allowed = {"male", "female", "diverse", "unknown"}
    bad = staff.loc[~staff["gender"].isin(allowed)]  # silent: validation of the input
    if len(bad):
        raise ValueError(f"{len(bad)} rows with an invalid gender")
    return pipe
