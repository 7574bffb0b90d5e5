# Income >50K - EDA + XGBoost baseline
# public kernel, fork me :)
import warnings

import numpy as np
import pandas as pd
import xgboost as xgb
from data import packaged
from sklearn.metrics import accuracy_score, classification_report, roc_auc_score
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import LabelEncoder

warnings.filterwarnings("ignore")
pd.set_option("display.max_columns", 50)
SEED = 42
np.random.seed(SEED)

cols = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
        "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week",
        "native_country", "income"]
train = pd.read_csv(packaged("adult", "adult.data"), names=cols, skipinitialspace=True)
test = pd.read_csv(packaged("adult", "adult.test"), names=cols, skipinitialspace=True, skiprows=1)
test["income"] = test["income"].str.rstrip(".")
print("train", train.shape, "test", test.shape)
train.info()

# ---------- EDA ----------
print(train["income"].value_counts(normalize=True))
print(train.groupby("sex")["income"].value_counts(normalize=True))
print(pd.crosstab(train["race"], train["income"], normalize="index"))
print(train.groupby("marital_status")["hours_per_week"].mean().sort_values())
print("mean age of rich people:", train[train["income"] == ">50K"]["age"].mean())
print("women in train:", (train["sex"] == "Female").sum())

# ---------- missing values ----------
train = train.replace("?", np.nan)
test = test.replace("?", np.nan)
print(train.isnull().sum()[train.isnull().sum() > 0])
for c in ["workclass", "occupation"]:
    train[c] = train[c].fillna("Unknown")
    test[c] = test[c].fillna("Unknown")
# most people are from the US anyway
train["native_country"] = train["native_country"].fillna("United-States")
test["native_country"] = test["native_country"].fillna("United-States")

# ---------- duplicates + outliers ----------
print("duplicates:", train.duplicated().sum())
train = train.drop_duplicates()
train = train[train["hours_per_week"] <= 90]

df = pd.concat([train.assign(is_train=1), test.assign(is_train=0)], ignore_index=True)

# ---------- feature engineering ----------
df["target"] = (df["income"] == ">50K").astype(int)
df["sex"] = df["sex"].map({"Male": 1, "Female": 0})
df["capital_diff"] = df["capital_gain"] - df["capital_loss"]
df["has_capital"] = (df["capital_diff"] != 0).astype(int)
df["age_bin"] = pd.cut(df["age"], bins=[0, 25, 35, 45, 55, 65, 120], labels=False)
df["overtime"] = (df["hours_per_week"] > 40).astype(int)
df["is_married"] = df["marital_status"].apply(lambda s: 1 if s.startswith("Married") else 0)
df["from_us"] = np.where(df["native_country"] == "United-States", 1, 0)
df["gov_job"] = df["workclass"].isin(["State-gov", "Federal-gov", "Local-gov"]).astype(int)
df["edu_x_hours"] = df["education_num"] * df["hours_per_week"]

# education is the same as education_num
df = df.drop(["education", "fnlwgt", "income"], axis=1)

# ---------- encoding ----------
cat_cols = ["workclass", "occupation", "relationship", "race", "marital_status"]
le = LabelEncoder()
for c in cat_cols:
    df[c] = le.fit_transform(df[c])
df = df.drop("native_country", axis=1)
print(df.head())

train = df[df["is_train"] == 1].drop("is_train", axis=1)
test = df[df["is_train"] == 0].drop("is_train", axis=1)

X = train.drop("target", axis=1)
y = train["target"]
X_test = test.drop("target", axis=1)
y_test = test["target"]
print("features:", list(X.columns))

# ---------- correlation check ----------
corr = train.corr()["target"].abs().sort_values(ascending=False)
print(corr.head(10))

# ---------- CV ----------
params = {
    "objective": "binary:logistic",
    "eval_metric": "auc",
    "max_depth": 5,
    "eta": 0.15,
    "subsample": 0.9,
    "colsample_bytree": 0.8,
    "seed": SEED,
    "nthread": 2,
}
kf = KFold(n_splits=3, shuffle=True, random_state=SEED)
oof = np.zeros(len(X))
test_pred = np.zeros(len(X_test))
for fold, (tr, va) in enumerate(kf.split(X, y)):
    dtrain = xgb.DMatrix(X.iloc[tr], label=y.iloc[tr])
    dvalid = xgb.DMatrix(X.iloc[va], label=y.iloc[va])
    bst = xgb.train(params, dtrain, num_boost_round=80, evals=[(dvalid, "valid")], verbose_eval=False)
    oof[va] = bst.predict(dvalid)
    test_pred += bst.predict(xgb.DMatrix(X_test)) / kf.get_n_splits()
    print(f"fold {fold}: AUC {roc_auc_score(y.iloc[va], oof[va]):.5f}")
print(f"OOF AUC: {roc_auc_score(y, oof):.5f}")

# ---------- threshold tuning ----------
best_t, best_acc = 0.5, 0.0
for t in np.arange(0.3, 0.7, 0.02):
    acc = accuracy_score(y, oof > t)
    if acc > best_acc:
        best_t, best_acc = t, acc
print("best threshold", round(best_t, 2), "acc", round(best_acc, 4))
print(classification_report(y_test, test_pred > best_t))

# ---------- simple holdout with sklearn API for importances ----------
x_tr, x_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, stratify=y, random_state=SEED)
clf = xgb.XGBClassifier(n_estimators=60, max_depth=4, learning_rate=0.2, n_jobs=2)
clf.fit(x_tr, y_tr)
print("holdout acc:", clf.score(x_va, y_va))
imp = pd.Series(clf.feature_importances_, index=X.columns).sort_values(ascending=False)
print(imp.head(12))

submission = pd.DataFrame({"id": np.arange(len(X_test)), "target": (test_pred > best_t).astype(int)})
print(submission["target"].value_counts())
print("That's it! Please upvote if you liked it.")
