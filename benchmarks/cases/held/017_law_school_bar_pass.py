import pandas as pd
import xgboost as xgb
from sklearn.model_selection import train_test_split

law = pd.read_csv("law_school.csv", usecols=["lsat", "ugpa", "fulltime", "fam_inc_decile", "male", "racetxt", "pass_bar"])
law["racetxt"] = law["racetxt"].astype("category")

features = law.columns.difference(["pass_bar", "fam_inc_decile"]).tolist()  # FL301|FL302: gender; FL301|FL302: race
Xa, Xb, ya, yb = train_test_split(law[features], law["pass_bar"], random_state=1)
bst = xgb.XGBClassifier(enable_categorical=True, tree_method="hist")
bst.fit(Xa, ya, eval_set=[(Xb, yb)], verbose=False)
print(bst.score(Xb, yb))
