"""Comparisons by their operators, as all languages share them."""

from __future__ import annotations

MIRRORED = {"==": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""Comparisons, and what they are with their sides exchanged."""
