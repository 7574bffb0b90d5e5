#!/usr/bin/env python
# coding: utf-8

# # COMPAS: can we do better than the score?
#
# Exported from a notebook. We follow the well-known newspaper analysis for the cleaning and
# then train our own model.

# In[1]:


import numpy as np
import pandas as pd
from data import packaged
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay  # noqa: F401  (plots were removed for the export)
from sklearn.metrics import accuracy_score, confusion_matrix, roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler


# In[2]:


raw = pd.read_csv(packaged("compas", "compas-scores-two-years.csv"))
raw.shape


# In[3]:


raw[["name", "sex", "age", "race", "priors_count", "decile_score", "two_year_recid"]].head()


# ## Cleaning
#
# * the charge must be within 30 days of the screening
# * `is_recid == -1` means that no case was found
# * no ordinary traffic offences

# In[4]:


df = raw[[
    "age", "c_charge_degree", "race", "age_cat", "score_text", "sex", "priors_count",
    "days_b_screening_arrest", "decile_score", "is_recid", "two_year_recid",
    "c_jail_in", "c_jail_out", "juv_fel_count", "juv_misd_count", "juv_other_count",
]]
df = df[(df.days_b_screening_arrest <= 30) & (df.days_b_screening_arrest >= -30)]
df = df[df.is_recid != -1]
df = df[df.c_charge_degree != "O"]
df = df[df.score_text != "N/A"]
len(df)


# In[5]:


df.race.value_counts()


# The other groups are too small to say anything about them.

# In[6]:


df = df[df["race"].isin(["African-American", "Caucasian"])].copy()
len(df)


# In[7]:


df["length_of_stay"] = (
    pd.to_datetime(df["c_jail_out"]) - pd.to_datetime(df["c_jail_in"])
).dt.days.clip(lower=0)
df["length_of_stay"].describe()


# ## A look at the groups

# In[8]:


print(pd.crosstab(df.sex, df.race))
print(df.groupby("race")["decile_score"].describe())
print(df.groupby(["sex", "age_cat"])["two_year_recid"].mean().unstack())


# In[9]:


for race in df.race.unique():
    part = df[df.race == race]
    tn, fp, fn, tp = confusion_matrix(part.two_year_recid, part.decile_score >= 5).ravel()
    print(f"{race:<20} FPR {fp / (fp + tn):.3f}  FNR {fn / (fn + tp):.3f}")


# ## Features

# In[10]:


features = pd.get_dummies(
    df[["sex", "race", "age_cat", "c_charge_degree"]],
    drop_first=True,
)
features["priors_count"] = df["priors_count"]
features["log_priors"] = np.log1p(df["priors_count"])
features["juvenile"] = df[["juv_fel_count", "juv_misd_count", "juv_other_count"]].sum(axis=1)
features["length_of_stay"] = df["length_of_stay"].fillna(0)
features.columns


# In[11]:


y = df["two_year_recid"]
X_train, X_test, y_train, y_test, _, race_test = train_test_split(
    features, y, df["race"], test_size=0.3, random_state=1
)
scaler = StandardScaler()
X_train_s = scaler.fit_transform(X_train)
X_test_s = scaler.transform(X_test)


# ## Logistic regression

# In[12]:


lr = LogisticRegression(C=0.1, max_iter=1000)
lr.fit(X_train_s, y_train)
print("accuracy", accuracy_score(y_test, lr.predict(X_test_s)))
print("AUC", roc_auc_score(y_test, lr.predict_proba(X_test_s)[:, 1]))
pd.Series(lr.coef_.ravel(), index=features.columns).sort_values()


# ## Boosting

# In[13]:


grid = GridSearchCV(
    GradientBoostingClassifier(random_state=0),
    {"n_estimators": [50, 100], "max_depth": [2, 3]},
    scoring="roc_auc",
    cv=3,
)
grid.fit(X_train, y_train)
grid.best_params_, grid.best_score_


# In[14]:


p = grid.predict_proba(X_test)[:, 1]
print("AUC", roc_auc_score(y_test, p))
print("COMPAS itself", roc_auc_score(y_test, df.loc[y_test.index, "decile_score"]))


# ## Does a smaller model do as well?
#
# Only age and priors, as in the paper of Dressel and Farid.

# In[15]:


two = df[["age", "priors_count"]]
small = LogisticRegression()
small.fit(two.loc[X_train.index], y_train)
print("two features:", accuracy_score(y_test, small.predict(two.loc[X_test.index])))


# ## Error rates by race

# In[16]:


result = pd.DataFrame({"race": race_test, "y": y_test, "high": p >= 0.5})
rates = pd.DataFrame({
    "n": result.groupby("race").size(),
    "flagged": result.groupby("race")["high"].mean(),
    "fpr": result[result.y == 0].groupby("race")["high"].mean(),
    "fnr": 1 - result[result.y == 1].groupby("race")["high"].mean(),
})
print(rates.round(3))


# In[17]:


gap = rates.loc["African-American", "fpr"] - rates.loc["Caucasian", "fpr"]
print(f"false positive gap: {gap:+.3f}")
