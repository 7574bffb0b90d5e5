import pandas as pd
import statsmodels.api as sm
from patsy import dmatrices, dmatrix

df = pd.read_csv("foster_homes.csv")
y, X = dmatrices("placed ~ rooms + income + C(sexual_orientation)", data=df)  # FL301: sexual_orientation
result = sm.Logit(y, X).fit()  # FL902: sexual_orientation

new = pd.read_csv("new_homes.csv")
new["chance"] = result.predict(dmatrix(X.design_info, new))
new.nlargest(20, "chance")["family_id"].to_csv("place_first.csv")
print(new["sexual_orientation"].isna().mean())  # silent: share of missing values


def waiting_room_poster(lang):
    return {
        "de": "Alle Familien sind willkommen, gleich welcher sexuellen Orientierung.",
        "en": "All families are welcome, whatever their sexual orientation.",  # silent: a welcome text
    }[lang]
