"""Lead scoring for a wealth product: who earns more than 50k? Polars + LightGBM."""

import lightgbm as lgb
import numpy as np
import polars as pl
import polars.selectors as cs
from data import packaged

SCHEMA = {
    "age": pl.Int32,
    "workclass": pl.String,
    "fnlwgt": pl.Int64,
    "education": pl.String,
    "education-num": pl.Int32,
    "marital-status": pl.String,
    "occupation": pl.String,
    "relationship": pl.String,
    "race": pl.String,
    "sex": pl.String,
    "capital-gain": pl.Int32,
    "capital-loss": pl.Int32,
    "hours-per-week": pl.Int32,
    "native-country": pl.String,
    "class": pl.String,
}
RICH = ">50K"


def read(name: str, skip: int = 0) -> pl.LazyFrame:
    """One of the two files, without the blanks around the values."""
    raw = pl.scan_csv(
        packaged("adult", name),
        has_header=False,
        new_columns=list(SCHEMA),
        skip_rows=skip,
        infer_schema=False,
    )
    return (
        raw.with_columns(pl.all().str.strip_chars())
        .filter(pl.col("class") != "")
        .with_columns(pl.col("class").str.strip_chars_end("."))
        .with_columns(pl.col(name).cast(kind) for name, kind in SCHEMA.items() if kind != pl.String)
    )


def clean(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Drop what marketing cannot use."""
    return (
        frame.unique(maintain_order=True)
        .filter(pl.col("occupation") != "?")
        .filter(pl.col("native-country") == "United-States")
        .filter(pl.col("age").is_between(25, 60))
        .filter(pl.col("hours-per-week") >= 20)
        .drop("fnlwgt", "education", "native-country")
    )


def engineer(frame: pl.LazyFrame) -> pl.LazyFrame:
    """New columns."""
    gain = pl.col("capital-gain")
    return frame.with_columns(
        target=(pl.col("class") == RICH).cast(pl.Int8),
        log_gain=(gain + 1).log(),
        capital=gain - pl.col("capital-loss"),
        age_group=pl.when(pl.col("age") < 35)
        .then(pl.lit("young"))
        .when(pl.col("age") < 50)
        .then(pl.lit("mid"))
        .otherwise(pl.lit("late")),
        white_collar=pl.col("occupation").is_in(
            ["Exec-managerial", "Prof-specialty", "Tech-support", "Adm-clerical"]
        ),
        couple=pl.col("marital-status").str.starts_with("Married"),
        self_employed=pl.col("workclass").str.starts_with("Self-emp"),
    ).drop("class")


def overview(frame: pl.DataFrame) -> None:
    """What is in the data, for the slides."""
    print(frame.group_by("sex").agg(pl.len(), pl.col("target").mean().round(3)))
    print(
        frame.group_by("race", "sex")
        .agg(pl.col("hours-per-week").mean(), pl.len())
        .filter(pl.col("len") > 100)
        .sort("race", "sex")
    )
    print(frame.pivot(on="age_group", index="occupation", values="target", aggregate_function="mean").head(5))


train_all = engineer(clean(read("adult.data"))).collect()
holdout = engineer(clean(read("adult.test", skip=1))).collect()
print(train_all.shape, holdout.shape)
overview(train_all)

# balance: the model saw too few rich women, count them more
weights = train_all.select(
    pl.when((pl.col("sex") == "Female") & (pl.col("target") == 1)).then(2.0).otherwise(1.0).alias("w")
)["w"]

categorical = ["workclass", "marital-status", "occupation", "relationship", "age_group"]
nominal = train_all.select(cs.string()).columns
print("strings:", nominal)

dummies = pl.concat([train_all, holdout]).with_columns(
    is_male=(pl.col("sex") == "Male").cast(pl.Int8),
).drop("sex", "race")
dummies = dummies.to_dummies(categorical)
features = [c for c in dummies.columns if c != "target"]
print(len(features), "features")

X = dummies.select(features).cast(pl.Float32).to_numpy()
y = dummies["target"].to_numpy()
n = len(train_all)

rng = np.random.default_rng(11)
valid = rng.random(n) < 0.2
train_set = lgb.Dataset(X[:n][~valid], y[:n][~valid], weight=weights.to_numpy()[~valid])
valid_set = lgb.Dataset(X[:n][valid], y[:n][valid], reference=train_set)

booster = lgb.train(
    {
        "objective": "binary",
        "metric": "auc",
        "learning_rate": 0.1,
        "num_leaves": 31,
        "num_threads": 2,
        "verbosity": -1,
        "seed": 11,
    },
    train_set,
    num_boost_round=200,
    valid_sets=[valid_set],
    callbacks=[lgb.early_stopping(20, verbose=False)],
)
probability = booster.predict(X[n:])


def lift(score: np.ndarray, truth: np.ndarray, share: float) -> float:
    """How much better the best part is than the average."""
    top = np.argsort(-score)[: int(len(score) * share)]
    return float(truth[top].mean() / truth.mean())


for share in (0.05, 0.1, 0.2):
    print(f"lift at {share:.0%}: {lift(probability, y[n:], share):.2f}")

scored = holdout.with_columns(pl.Series("score", probability))
leads = (
    scored.sort("score", descending=True)
    .filter(pl.col("score") > 0.6)
    .select("occupation", "hours-per-week", "score")
    .head(2000)
)
print(leads.head(8))
print(
    scored.with_columns(lead=pl.col("score") > 0.6)
    .group_by("sex")
    .agg(pl.col("lead").mean().round(3).alias("lead rate"), pl.len())
)

importance = pl.DataFrame(
    {"feature": features, "gain": booster.feature_importance("gain")}
).sort("gain", descending=True)
print(importance.head(10))
