"""Small programs that tests check, and git as tests run it: shared by all that need nothing special."""

from __future__ import annotations

import subprocess
from pathlib import Path

POINTS = """\
def points(applicant):
    score = 0
    if applicant.gender == "female":
        score -= 5
    return score
"""
AGE = """\


def may_rent(person):
    return person.age > 45
"""
SCORE = '''\
def score(applicant):
    """Score an applicant for a job."""
    points = 0
    if applicant.gender == "male":
        points += 5
    return points
'''
CLEAN = "def add(a, b):\n    return a + b\n"


def git(*arguments: str, folder: Path | None = None) -> str:
    """Runs git in the current folder or another, as somebody."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
