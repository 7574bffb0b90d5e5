STANDARD_DEDUCTION = {"single": 14600, "married_joint": 29200, "head_of_household": 21900}  # silent: tax filing status

BRACKETS = [(11600, 0.10), (47150, 0.12), (100525, 0.22), (191950, 0.24)]


def taxable(income, filing_status):
    return max(0, income - STANDARD_DEDUCTION[filing_status])  # silent: tax filing status


def tax(income, filing_status):
    rest, lower, due = taxable(income, filing_status), 0, 0.0
    width = 2 if filing_status == "married_joint" else 1  # silent: tax law
    for upper, rate in BRACKETS:
        upper *= width
        part = min(rest, upper) - lower
        if part <= 0:
            break
        due += part * rate
        lower = upper
    return round(due, 2)
