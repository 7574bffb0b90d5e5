"""Query builders: what Django's and SQLAlchemy's calls choose, order, score and change."""

from __future__ import annotations

import pytest

from fairlint.checking.runner import check_source
from fairlint.config import Settings


def reported(code: str) -> list[tuple[str, str]]:
    report = check_source(code.lstrip("\n"), path="work.py", settings=Settings(min_severity="warning"))
    return [(finding.rule, finding.use.attribute) for finding in report.findings]


DECIDING = {
    "a column comes first": (
        """
def shortlist(session, n):
    return session.query(Candidate).order_by(Candidate.age.asc()).limit(n).all()
""",
        ("FL105", "age"),
    ),
    "a function says which end": (
        """
def shortlist(session, n):
    return session.query(Candidate).order_by(desc(Candidate.age)).limit(n).all()
""",
        ("FL105", "age"),
    ),
    "a model is ordered": (
        """
def layoffs(n):
    return Employee.objects.order_by("-age")[:n]
""",
        ("FL105", "age"),
    ),
    "several conditions": (
        """
def eligible(session):
    stmt = select(Tenant).where(Tenant.income > 2000, Tenant.religion.in_(["christian", "jewish"]))
    return session.scalars(stmt).all()
""",
        ("FL106", "religion"),
    ),
    "joined conditions": (
        """
def hire(session):
    stmt = select(Applicant).where(or_(Applicant.gender == "male", Applicant.rank > 9))
    return session.execute(stmt.limit(3)).scalars().all()
""",
        ("FL106", "gender"),
    ),
    "a statement that is run at once": (
        """
def hire(session):
    return session.execute(select(Applicant).where(Applicant.gender == "male").limit(3)).scalars().all()
""",
        ("FL106", "gender"),
    ),
    "a helper narrows": (
        """
def hire(session):
    return session.scalars(narrowed(select(Applicant)).order_by(Applicant.rank)).all()


def narrowed(stmt):
    return stmt.where(Applicant.gender == "male")
""",
        ("FL106", "gender"),
    ),
    "an update statement": (
        """
def close(conn):
    conn.execute(update(Applicant).where(Applicant.gender == "male").values(status="rejected"))
""",
        ("FL101", "gender"),
    ),
    "a delete statement": (
        """
def close(conn):
    conn.execute(delete(Applicant).where(Applicant.gender == "male"))
""",
        ("FL106", "gender"),
    ),
    "a selection is deleted": (
        """
def close():
    Application.objects.filter(applicant__pregnant=True).delete()
""",
        ("FL106", "pregnancy"),
    ),
    "a case": (
        """
def ranked():
    bonus = case((Applicant.gender == "male", 10), else_=0)
    return select(Applicant.id, (Applicant.exam + bonus).label("score")).limit(10)
""",
        ("FL203", "gender"),
    ),
    "an older case": (
        """
def ranked():
    bonus = case([(Applicant.gender == "male", 10)], else_=0)
    return select(Applicant.id, (Applicant.exam + bonus).label("score")).limit(10)
""",
        ("FL203", "gender"),
    ),
    "a case of whens": (
        """
def scored():
    return Applicant.objects.annotate(
        points=F("exam") + Case(When(race="white", then=Value(5)), default=Value(0))
    ).order_by("-points")[:10]
""",
        ("FL203", "race"),
    ),
    "a vague name, people who wait, and a limit": (
        """
def pick_tenants(session, flats):
    stmt = select(Tenant).where(Tenant.race == "white").order_by(Tenant.applied_on).limit(flats)
    return session.scalars(stmt).all()
""",
        ("FL106", "race"),
    ),
    "a name that says it twice": (
        """
def loan_offers(session):
    return session.exec(select(Customer).where(Customer.gender != "female")).all()
""",
        ("FL106", "gender"),
    ),
    "what changes stands before who is changed": (
        """
def release_early():
    Inmate.update(risk=0).where(Inmate.race == "white").execute()
""",
        ("FL203", "race"),
    ),
    "a case of a module": (
        """
import sqlalchemy as sa
def view(loans):
    points = sa.case((loans.c.gender == "F", loans.c.base - 20), else_=loans.c.base)
    return sa.select(loans.c.id, points.label("credit_score"))
""",
        ("FL203", "gender"),
    ),
}


@pytest.mark.parametrize("name", DECIDING)
def test_what_decides_is_found(name: str) -> None:
    code, wanted = DECIDING[name]
    assert wanted in reported(code)


SILENT = {
    "people who are looked up": """
def latest_french_users(session):
    return session.query(User).filter(User.nationality == "FR").order_by(User.created.desc()).limit(9).all()
""",
    "the best of a race": """
def best_women(session):
    return session.scalars(select(Athlete).where(Athlete.sex == "F").order_by(Athlete.time).limit(3)).all()
""",
    "an order without a cut": """
def directory():
    return Employee.objects.order_by("gender", "last_name")
""",
    "figures": """
def women():
    return Applicant.objects.aggregate(women=Count("id", filter=Q(gender="F")))
""",
    "a label": """
def people():
    return Person.objects.annotate(
        salutation=Case(When(gender="F", then=Value("Ms")), When(gender="M", then=Value("Mr")))
    )
""",
    "an order by name": """
def shortlist(session, n):
    return session.query(Candidate).order_by(Candidate.score.desc()).limit(n).all()
""",
    "missing values": """
def shortlist(session):
    return session.scalars(select(Candidate).where(Candidate.gender.is_not(None), Candidate.score > 5)).all()
""",
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_shows_stays_silent(name: str) -> None:
    assert reported(SILENT[name]) == []


def surely(code: str) -> list[tuple[str, str, bool]]:
    """The rules, how sure they are, and whether they say that only a bare name speaks for them."""
    report = check_source(code.lstrip("\n"), path="work.py", settings=Settings(min_severity="warning"))
    return [
        (one.rule, one.confidence, any("by its name alone" in said.reason for said in one.use.evidence))
        for one in report.findings
    ]


CHOSEN = (
    "def hire(session):\n    return session.scalars(select(Tenant).where(Tenant.race == 'white')).all()\n"
)
HANDED = "def shortlist(tenants):\n    return tenants.filter({}).limit(5)\n"


def test_a_builder_of_a_known_library_is_surer_than_a_bare_name() -> None:
    assert surely("from sqlalchemy import select\n\n" + CHOSEN) == [("FL106", "high", False)]
    assert surely(CHOSEN) == [("FL106", "medium", True)]


def test_a_class_of_the_file_says_whose_a_query_is() -> None:
    code = (
        "class Tenant(Base):\n    pass\n\n\ndef hire():\n    return Tenant.objects.filter(race='white')[:3]\n"
    )
    assert surely(code) == [("FL106", "high", False)]


def test_a_condition_for_something_that_nobody_knows_is_weak_evidence() -> None:
    condition = HANDED.format("\"race = 'white'\"")
    assert surely(condition) == [("FL702", "medium", True)]
    spark = condition.replace("shortlist(tenants)", "shortlist(session: SparkSession)")
    spark = spark.replace("tenants.", "session.table('tenants').")
    assert surely("from pyspark.sql import SparkSession\n\n" + spark) == [("FL702", "medium", False)]


def test_a_condition_for_another_package_is_no_sql() -> None:
    code = HANDED.format("\"race = 'white'\"").replace("    return", "    tenants = Sheet()\n    return")
    assert surely("from gridlib import Sheet\n\n" + code) == []
