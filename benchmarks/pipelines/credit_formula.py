"""Default risk, German credit data: models with formulas.

Statistical consulting, second draft. Model selection by AIC; the final model is used to set
the credit line, see the last section.
"""
import json

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from data import packaged
from scipy import stats
from statsmodels.stats.outliers_influence import variance_inflation_factor

# ---------------------------------------------------------------- data
maps = json.loads(packaged("german", "values_maps.json").read_text())
names = ("status duration history purpose amount savings employment rate status_sex debtors "
         "residence property age plans housing n_credits job liable phone foreign y").split()
d = pd.read_csv(packaged("german", "german.data"), sep=" ", names=names)

d["default"] = (d.y == 2).astype(int)
split = d.status_sex.map(maps["status_sex"]).str.split(" : ", expand=True)
d["sex"] = split[0].str.strip()
d["marital"] = np.where(d.status_sex.isin(["A93", "A95"]), "single", "other")
d["foreign"] = (d.foreign == "A201").astype(int)
d["log_amount"] = np.log(d.amount)
d["no_account"] = (d.status == "A14").astype(int)
d["critical"] = (d.history == "A34").astype(int)
d["low_savings"] = d.savings.isin(["A61", "A62"]).astype(int)
d["owner"] = (d.housing == "A152").astype(int)
d["new_car"] = (d.purpose == "A40").astype(int)

# ---------------------------------------------------------------- description
print(d[["duration", "amount", "age", "rate"]].describe().round(1))
print(pd.crosstab(d.sex, d.default, normalize="index").round(3))
print(d.groupby("sex").amount.median())
print("t test of age by default:", stats.ttest_ind(d.age[d.default == 1], d.age[d.default == 0]))
chi2, pvalue, dof, _ = stats.chi2_contingency(pd.crosstab(d.sex, d.default))
print(f"sex and default: chi2({dof}) = {chi2:.2f}, p = {pvalue:.4f}")

# ---------------------------------------------------------------- collinearity
numeric = d[["duration", "log_amount", "rate", "residence"]].astype(float)
design = sm.add_constant(numeric)
vif = pd.Series(
    [variance_inflation_factor(design.to_numpy(), i) for i in range(1, design.shape[1])],
    index=numeric.columns,
)
print("VIF\n", vif.round(2))

# ---------------------------------------------------------------- candidate models
rng = np.random.default_rng(3)
is_train = rng.random(len(d)) < 0.75
train, test = d[is_train], d[~is_train]

m0 = smf.logit("default ~ duration + log_amount + rate", data=train).fit(disp=0)
m1 = smf.logit(
    "default ~ duration + log_amount + rate + no_account + critical + low_savings + owner",
    data=train,
).fit(disp=0)
m2 = smf.logit(
    "default ~ duration + log_amount + rate + no_account + critical + low_savings + owner + new_car"
    " + age + C(sex)",
    data=train,
).fit(disp=0)

base = "default ~ duration + log_amount + rate + no_account + critical + low_savings + new_car"
m3 = smf.logit(base + " + np.log(age) + C(sex):C(marital) + foreign", data=train).fit(disp=0)

table = pd.DataFrame(
    {name: [m.aic, m.bic, m.prsquared, m.df_model] for name, m in
     {"m0": m0, "m1": m1, "m2": m2, "m3": m3}.items()},
    index=["AIC", "BIC", "pseudo R2", "df"],
)
print(table.round(3))
lr = 2 * (m2.llf - m1.llf)
print(f"m1 vs m2: LR = {lr:.2f}, p = {stats.chi2.sf(lr, m2.df_model - m1.df_model):.4f}")

# ---------------------------------------------------------------- final model
final = m2 if m2.aic < m3.aic else m3
print(final.summary().tables[1])
odds = pd.DataFrame({"OR": np.exp(final.params), "p": final.pvalues})
print(odds.round(3))

# calibration by decile of risk
p = final.predict(test)
calibration = pd.DataFrame({"p": p, "y": test.default}).groupby(pd.qcut(p, 5)).mean()
print(calibration.round(3))
brier = np.mean((p - test.default) ** 2)
print(f"Brier score: {brier:.4f}")

# ---------------------------------------------------------------- residuals
resid = final.resid_pearson
print("largest Pearson residuals:", np.sort(np.abs(resid))[-5:].round(2))
print("mean residual by sex:\n", pd.Series(resid, index=train.index).groupby(train.sex).mean().round(3))

# ---------------------------------------------------------------- amount asked for (description only)
ols = smf.ols("log_amount ~ duration + C(purpose) + C(job)", data=d).fit(cov_type="HC3")
print(f"R2 = {ols.rsquared:.3f}")
d["excess"] = ols.resid
print(d.groupby("sex").excess.mean().round(3))

# ---------------------------------------------------------------- credit line
loss_given_default = 0.6
margin = 0.12
expected = margin * (1 - p) - loss_given_default * p
line = (test.amount * np.clip(expected / margin, 0, 1)).round(-2)
line[test.foreign == 1] = line[test.foreign == 1] * 0.9  # may leave the country
offer = pd.DataFrame({"asked": test.amount, "p": p.round(3), "line": line})
print(offer.head(10))
print("share that gets half or more:", (offer.line >= 0.5 * offer.asked).mean().round(3))
print("share that gets nothing:", (offer.line <= 0).mean().round(3))
