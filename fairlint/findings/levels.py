"""Levels: how severe a finding is, and how sure."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the mildest to the most severe."""
CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")
"""From the least to the most sure."""
