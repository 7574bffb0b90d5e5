"""math: what no entry of `math.toml` can say."""

from __future__ import annotations

from fairlint.models.numpy import dot

__all__ = ["dot"]
