"""types: what no entry of `types.toml` can say."""

from __future__ import annotations

from fairlint.models.builtins import dictionary
from fairlint.models.copy import same_table

__all__ = ["dictionary", "same_table"]
