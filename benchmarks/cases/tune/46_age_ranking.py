import pandas as pd

staff = pd.read_csv("site_b_staff.csv", parse_dates=["hired_on"])

redundant = staff.sort_values("age", ascending=False).head(40)  # FL105: age
redundant[["employee_id", "name"]].to_csv("redundancy_list.csv", index=False)

oldest_contracts = staff.sort_values("hired_on").head(10)  # silent: length of service
print(oldest_contracts["employee_id"].tolist())

birthdays = staff.sort_values("date_of_birth")  # silent: shown whole
print(birthdays[["name", "date_of_birth"]].to_string())

hist = staff["age"].plot.hist(bins=12)  # silent: a chart
hist.figure.savefig("age_pyramid.png")
