"""Points for the waiting list of the housing co-operative."""
from operator import attrgetter

RULES = []


def rule(func):
    RULES.append(func)
    return func


@rule
def waiting_years(member):
    return member.years_waiting * 2


@rule
def partner_rule(member):
    return 5 if member.sexual_orientation == "straight" else 0  # FL201|FL203|FL101: sexual_orientation


def priority(member, rules=RULES):
    points = 0
    for r in rules:
        points += r(member)
    return points


def waiting_list(members):
    return sorted(members, key=priority, reverse=True)[:10]


def birthday_list(members):
    return sorted(members, key=attrgetter("age"))  # silent: shown whole
