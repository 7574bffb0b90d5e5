from django.db.models import Avg, Count
from django.shortcuts import render

from .models import Candidate


def select_finalists(job):
    """The ten people who are invited."""
    pool = Candidate.objects.filter(job=job, score__gte=60)
    return pool.filter(gender="M").order_by("-score")[:10]  # FL702|FL106: gender


def statistics(request, job):
    rows = (
        Candidate.objects.filter(job=job)
        .values("gender")  # silent: aggregate report
        .annotate(n=Count("id"), mean=Avg("score"))
    )
    return render(request, "stats.html", {"rows": rows})


def incomplete(job):
    return Candidate.objects.filter(job=job, gender__isnull=True)  # silent: missing values
