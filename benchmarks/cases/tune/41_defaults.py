import argparse
from dataclasses import dataclass


@dataclass
class Borrower:
    name: str
    income: float
    race: str = "White"  # FL403: race
    gender: str | None = None  # silent: no group by default


def interest_offer(income, amount, sex="male"):  # FL403: gender
    base = 0.04 if amount < income else 0.07
    return {"rate": base, "sex": sex}


def read_row(row):
    religion = row.get("religion", "unknown")  # silent: unknown is no group
    nationality = row.get("nationality", "German")  # FL403: national_origin
    return religion, nationality


parser = argparse.ArgumentParser()
parser.add_argument("--income", type=float, required=True)
parser.add_argument("--marital-status", default="married", choices=["single", "married"])  # FL403: marital_status
parser.add_argument("--gender", choices=["f", "m", "x"])  # silent: choices without a default
