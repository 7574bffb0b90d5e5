import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.preprocessing import OneHotEncoder

staff = pd.read_excel("promotion_rounds.xlsx")

enc = OneHotEncoder(sparse_output=False)
origin = enc.fit_transform(staff[["national_origin"]])  # FL301|FL405: national_origin
num = staff[["review_avg", "projects_led", "training_days"]].to_numpy()

design = np.hstack([num, origin])
ridge = Ridge(alpha=2.0)
ridge.fit(design, staff["promotion_score"])  # FL902: national_origin

shortlist = staff.assign(pred=ridge.predict(design)).nlargest(12, "pred")
print(shortlist[["employee_id", "pred"]])
