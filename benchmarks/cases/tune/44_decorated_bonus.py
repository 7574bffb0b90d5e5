import functools
import logging
import time

log = logging.getLogger("promotion")


def timed(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        t0 = time.perf_counter()
        try:
            return func(*args, **kwargs)
        finally:
            log.debug("%s took %.4f", func.__name__, time.perf_counter() - t0)

    return wrapper


@timed
def family_points(employee):
    if employee.has_children:  # FL604|FL201|FL101: family_status
        return -2
    return 1


def promotion_score(employee):
    score = 10 * employee.review_grade
    score += family_points(employee)
    if employee.age < 18:  # silent: legal minimum age for the night shift
        log.info("minor, ask the works council")
    return score
