"""Room allocation points for the student residence."""
from dataclasses import dataclass


@dataclass
class Request:
    distance_km: float
    semester: int
    religion: str


def faith_bonus(religion):
    return 5 if religion == "catholic" else 0  # FL201|FL101: religion


def distance_points(km):
    return min(20, int(km // 25))


def allocation_score(request: Request) -> int:
    score = distance_points(request.distance_km) + 2 * request.semester
    score += faith_bonus(request.religion)
    return score


def waiting_list(requests):
    return sorted(requests, key=allocation_score, reverse=True)[:40]
