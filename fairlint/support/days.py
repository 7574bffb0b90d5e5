"""Days as ISO 8601 writes them, `2027-06-30`."""

from __future__ import annotations


def is_day(text: str) -> bool:
    """Return whether a text is a day as ISO 8601 writes it, `2027-06-30`."""
    from datetime import date  # noqa: PLC0415 (start-up: few suppressions end)

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def today() -> str:
    """Return the local day, as ISO 8601 writes it."""
    from datetime import date  # noqa: PLC0415 (as above)

    return date.today().isoformat()  # noqa: DTZ011 (a day ends where the user is)


def days_until(day: str, since: str) -> int:
    """Return how many days there are from one day to another; negative if it is past."""
    from datetime import date  # noqa: PLC0415 (as above)

    return (date.fromisoformat(day) - date.fromisoformat(since)).days
