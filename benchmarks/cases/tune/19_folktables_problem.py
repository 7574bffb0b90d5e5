import numpy as np
from folktables import ACSDataSource, BasicProblem
from sklearn.linear_model import LogisticRegression

source = ACSDataSource(survey_year="2018", horizon="1-Year", survey="person")
data = source.get_data(states=["CA", "TX"], download=True)

Employment = BasicProblem(
    features=["AGEP", "SCHL", "MAR", "SEX", "RAC1P"],  # FL301: age; FL301: marital_status; FL301: gender; FL301: race
    target="ESR",
    target_transform=lambda x: x == 1,
    group="RAC1P",  # silent: the group of the audit
    preprocess=lambda d: d[d["PWGTP"] >= 1],
    postprocess=lambda x: np.nan_to_num(x, nan=-1),
)

features, labels, groups = Employment.df_to_numpy(data)
clf = LogisticRegression(max_iter=1000)
clf.fit(features, labels)
