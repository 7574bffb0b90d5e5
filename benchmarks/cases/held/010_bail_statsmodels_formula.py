# Failure-to-appear model used by the pretrial office
import statsmodels.formula.api as smf
import pandas as pd

df = pd.read_stata("pretrial.dta")
df = df[df["race"].notna()]  # silent: missing values are no group

FORMULA = "fta ~ charge_degree + prior_fta + age + C(race)"  # FL301: age; FL301: race

result = smf.logit(FORMULA, data=df).fit(disp=False)
print(result.summary2())


def release_score(defendant: dict) -> float:
    row = pd.DataFrame([defendant])
    return float(1 - result.predict(row)[0])
