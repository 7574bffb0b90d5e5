"""Which applicants should get an offer letter? Logit on last year's decisions."""
import pandas as pd
import statsmodels.formula.api as smf

last_year = pd.read_csv("admissions_2022.csv")
this_year = pd.read_csv("applicants_2023.csv")

formula = "admitted ~ gpa + test_score + C(ethnicity) + age"  # FL301: ethnicity; FL301: age
fit = smf.logit(formula, data=last_year).fit(disp=False)

this_year["p_admit"] = fit.predict(this_year)
offers = this_year.nlargest(250, "p_admit")
offers[["applicant_id", "p_admit"]].to_csv("offers.csv", index=False)

print(this_year["ethnicity"].value_counts(normalize=True))  # silent: printed distribution
