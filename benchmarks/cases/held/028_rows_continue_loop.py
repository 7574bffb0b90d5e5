import csv

from sklearn.linear_model import Perceptron


def read_training_rows(path):
    X, y = [], []
    with open(path, newline="") as fh:
        for applicant in csv.DictReader(fh):
            if applicant["salary"] == "":
                continue
            if applicant["disability"] == "yes":  # FL304|FL106: disability
                continue
            X.append([float(applicant["salary"]), float(applicant["rent"])])
            y.append(applicant["lease_kept"] == "1")
    return X, y


def main():
    X, y = read_training_rows("leases.csv")
    tenant_model = Perceptron(max_iter=50)
    tenant_model.fit(X, y)
    print(tenant_model.coef_)


if __name__ == "__main__":
    main()
