import pandas as pd
import statsmodels.api as sm

jobs = pd.read_csv("applications.csv")
jobs = jobs.dropna(subset=["gender", "test_score"])  # silent: drops missing values
jobs = jobs.query("gender == 'male' and test_score > 0")  # FL304|FL106: gender

X = sm.add_constant(jobs[["test_score", "years_relevant", "referrals"]])
logit = sm.Logit(jobs["hired"], X).fit()
logit.save("hire_model.pickle")
