"""Levels: how severe a finding is, and how sure."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the mildest to the most severe."""
CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")
"""From the least to the most sure."""

NOTE_WEIGHT = 3
"""Evidence below this is too weak to speak about: no rule reports it, and no detector looks further."""
FULL_WEIGHT = 5
"""From here on a finding has its rule's severity, and a Use can speak for others; below it is a note."""
