from django.db.models import Count, Q

from recruiting.models import Candidate


def shortlist(job, size=10):
    qs = Candidate.objects.filter(job=job, test_points__gte=70)
    qs = qs.filter(gender="female")  # FL702|FL106: gender
    return qs.order_by("-test_points")[:size]


def oldest_out(job, size=5):
    return Candidate.objects.filter(job=job).order_by("-age")[:size]  # FL702|FL105: age


def by_gender(job):
    return Candidate.objects.filter(job=job).values("gender").annotate(n=Count("id"))  # silent: counts per group


def women_applied(job):
    return Candidate.objects.filter(Q(job=job) & Q(gender="female")).count()  # silent: a count
