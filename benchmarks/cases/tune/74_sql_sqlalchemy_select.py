from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .tables import Tenant


def pick_tenants(session: Session, flats: int):
    stmt = (
        select(Tenant)
        .where(Tenant.race == "white")  # FL702|FL106: race
        .where(Tenant.income > 2000)
        .order_by(Tenant.applied_on)
        .limit(flats)
    )
    return session.scalars(stmt).all()


def share_by_race(session: Session):
    stmt = select(Tenant.race, func.count()).group_by(Tenant.race)  # silent: aggregate report
    return session.execute(stmt).all()


def rename_group(session: Session, old: str, new: str):
    session.query(Tenant).filter(Tenant.race == old).update({"race": new})  # silent: data cleaning
    session.commit()
