"""Draft the reduction-in-force list for a site."""
import pandas as pd


def rif_list(staff: pd.DataFrame, cut: int) -> list[str]:
    eligible = staff[staff["site"] == "Leeds"]
    oldest = eligible.nlargest(cut, "age")  # FL105: age
    return oldest["employee_id"].tolist()


def birthdays(staff: pd.DataFrame) -> pd.DataFrame:
    return staff.sort_values("date_of_birth")[["employee_id", "date_of_birth"]]  # silent: sorted for display only


def seniority(staff: pd.DataFrame, cut: int) -> list[str]:
    return staff.nsmallest(cut, "tenure_months")["employee_id"].tolist()
