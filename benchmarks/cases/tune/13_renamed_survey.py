import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier

RENAME = {"q01": "weekly_hours", "q02": "applicant_religion", "q03": "commute_km", "q99": "got_job"}

survey = pd.read_stata("jobcentre_wave4.dta").rename(columns=RENAME)
predictors = ["weekly_hours", "applicant_religion", "commute_km"]  # FL301|FL405: religion
X = pd.get_dummies(survey[predictors])
gb = GradientBoostingClassifier()
gb.fit(X, survey["got_job"])

by_faith = survey.groupby("applicant_religion")["got_job"].mean()  # silent: selection rates for the report
print((by_faith / by_faith.max()).round(2).to_markdown())
