import numpy as np
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

rec = np.genfromtxt("scholarships.csv", delimiter=",", names=True, dtype=None, encoding="utf8")

enc = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
eth_hot = enc.fit_transform(rec["ethnicity"].reshape(-1, 1))  # FL301|FL405: ethnicity

numbers = StandardScaler().fit_transform(np.c_[rec["marks"], rec["attendance"]])
X = np.hstack([numbers, eth_hot])
y = rec["awarded"]

svm = SVC(kernel="rbf", probability=True)
svm.fit(X, y)

labels, counts = np.unique(rec["ethnicity"], return_counts=True)  # silent: counts of groups
for name, n in zip(labels, counts):
    print(f"{name:>12}: {n}")
