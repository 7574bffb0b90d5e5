import lightgbm as lgb
import pandas as pd

TARGET = "evicted"


def tenant_matrix(df: pd.DataFrame) -> lgb.Dataset:
    use = ["rent_to_income", "prior_evictions"]
    use += ["familial_status"]  # FL301: family_status
    use.append("disability")  # FL301: disability
    for c in ("familial_status", "disability"):
        df[c] = df[c].astype("category")
    return lgb.Dataset(df[use], label=df[TARGET])


def main():
    tenants = pd.read_csv("tenants.csv")
    booster = lgb.train({"objective": "binary", "verbose": -1}, tenant_matrix(tenants), 150)
    booster.save_model("tenant_risk.txt")


main()
