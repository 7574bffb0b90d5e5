"""What a user is told in one line."""

from __future__ import annotations


class UsageError(Exception):
    """Something the user asked for cannot be done. The message is one clear line."""


class NothingToCheckError(UsageError):
    """Nothing that was named is a file to check."""
