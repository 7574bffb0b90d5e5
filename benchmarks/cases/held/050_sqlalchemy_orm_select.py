from sqlalchemy import Column, Integer, String, func, select
from sqlalchemy.orm import DeclarativeBase, Session


class Base(DeclarativeBase):
    pass


class Tenant(Base):
    __tablename__ = "tenant"
    id = Column(Integer, primary_key=True)
    nationality = Column(String(60))  # silent: ORM column
    rating = Column(Integer)


def approve_tenants(session: Session, flats: int):
    stmt = (
        select(Tenant)
        .where(Tenant.nationality == "German")  # FL702|FL106: national_origin
        .order_by(Tenant.rating.desc())
        .limit(flats)
    )
    return session.scalars(stmt).all()


def nationality_counts(session: Session):
    stmt = select(Tenant.nationality, func.count()).group_by(Tenant.nationality)  # silent: aggregate
    return session.execute(stmt).all()
