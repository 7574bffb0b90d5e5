from datetime import date


def age_on(day: date, born: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def may_vote(citizen, day):
    return age_on(day, citizen.birth_date) >= 18  # silent: legal voting age


def may_buy_alcohol(customer):
    return customer.age >= 21  # silent: legal drinking age


def pension_starts(member):
    return member.age >= 67  # silent: statutory retirement age


def accept_for_training(applicant):
    if applicant.age > 35:  # FL102: age
        return False
    return applicant.aptitude >= 60
