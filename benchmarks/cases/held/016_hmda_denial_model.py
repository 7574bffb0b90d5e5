from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
import pandas as pd

lar = pd.read_csv("hmda_2022_ny.csv", low_memory=False)
lar = lar[lar["action_taken"].isin([1, 3])]

transform = make_column_transformer(
    (SimpleImputer(strategy="median"), ["loan_amount", "income", "property_value"]),
    (OneHotEncoder(handle_unknown="ignore"), ["derived_race", "derived_sex", "loan_type"]),  # FL301|FL405: race; FL301|FL405: gender
)
denial = make_pipeline(transform, LogisticRegressionCV(cv=5, max_iter=2000))
denial.fit(lar, lar["action_taken"] == 3)

rates = lar.groupby("derived_race")["action_taken"].apply(lambda s: (s == 3).mean())  # silent: denial rates report
rates.to_csv("denial_rates.csv")
