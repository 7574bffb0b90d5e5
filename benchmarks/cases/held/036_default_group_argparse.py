import argparse
import json


def quote(income, months, nationality="German"):  # FL403: national_origin
    rate = 0.049 if months <= 24 else 0.062
    return {"rate": rate, "monthly": income * 0.2, "nationality": nationality}


def parse():
    p = argparse.ArgumentParser(description="loan quote")
    p.add_argument("--income", type=float, required=True)
    p.add_argument("--months", type=int, default=24)
    p.add_argument("--marital-status", default="married")  # FL403: marital_status
    p.add_argument("--gender", default=None)  # silent: default is no group
    p.add_argument("--religion", choices=["none", "catholic", "protestant", "other"])  # silent: allowed values of a form
    return p.parse_args()


if __name__ == "__main__":
    a = parse()
    print(json.dumps(quote(a.income, a.months)))
