"""Estimated GFR, the four-variable study equation."""


def egfr(creatinine, patient):
    value = 175 * creatinine ** -1.154 * patient.age ** -0.203  # silent: age in a medical formula
    if patient.sex == "F":  # silent: sex in a medical formula
        value *= 0.742
    if patient.race == "African American":  # FL204|FL201|FL203: race
        value *= 1.212
    return value


def basal_rate(weight, height, age, sex):
    """Energy need at rest in kcal."""
    base = 10 * weight + 6.25 * height - 5 * age
    return base + 5 if sex == "male" else base - 161  # silent: medicine
