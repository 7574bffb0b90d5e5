import functools
import logging

log = logging.getLogger(__name__)


def logged(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        result = fn(*args, **kwargs)
        log.info("%s -> %s", fn.__name__, result)
        return result

    return inner


@logged
def eligible_for_apprenticeship(candidate):
    if candidate.age < 16:  # silent: legal minimum working age
        return False
    if candidate.pregnant:  # FL101: pregnancy
        return False
    return candidate.school_leaving_grade >= 2


@logged
def label(candidate):
    return f"{candidate.id} ({candidate.age})"  # silent: display text
