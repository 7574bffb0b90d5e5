import heapq
import pandas as pd


def invite(applications: pd.DataFrame, seats: int) -> pd.DataFrame:
    """Assessment day: `seats` people are asked to come."""
    return applications.nsmallest(seats, "age")  # FL105: age


def fast_track(employees, k):
    return heapq.nlargest(k, employees, key=lambda e: e.date_of_birth)  # FL105: age


def drop_stale(cache, k):
    for entry in sorted(cache.entries, key=lambda e: e.age, reverse=True)[:k]:  # silent: the age of a cache entry
        entry.close()


def member_table(members):
    rows = sorted(members, key=lambda m: m.age)  # silent: shown whole
    return "\n".join(f"{m.name:<20}{m.age:>4}" for m in rows)
