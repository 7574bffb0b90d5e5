"""Rules that the law itself makes: all of this is allowed."""
from datetime import date

MIN_AGE = {"beer": 16, "spirits": 18, "car": 18}


def may_buy(person, item):
    if person.age < MIN_AGE[item]:  # silent: legal minimum age
        return False
    return True


def may_vote(resident):
    return resident.age >= 18 and resident.registered  # silent: legal voting age


def standard_deduction(filing_status):
    if filing_status == "married_jointly":  # silent: tax status
        return 29_200
    return 14_600


def pension_starts(insured):
    return insured.age >= 67  # silent: retirement age


def age_on(born, day=None):
    day = day or date.today()
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def check_form(form):
    if form["gender"] not in ("f", "m", "x", ""):  # silent: validation
        raise ValueError("gender: choose one of the options")
    if not 0 <= form["age"] <= 120:  # silent: validation
        raise ValueError("age out of range")
