from dataclasses import dataclass

CUTOFF = {"male": 0.50, "female": 0.62}
GRADE_CUTOFF = {"A": 0.4, "B": 0.5, "C": 0.7}


@dataclass
class Application:
    gender: str
    grade: str
    p_repay: float


def approve(app: Application) -> bool:
    return app.p_repay >= CUTOFF[app.gender]  # FL501|FL101|FL202: gender


def approve_v2(app: Application) -> bool:
    return app.p_repay >= GRADE_CUTOFF[app.grade]  # silent: a cut-off by loan grade


def address(app: Application) -> str:
    return "Sir" if app.gender == "male" else "Madam"  # silent: salutation
