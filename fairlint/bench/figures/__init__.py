"""Figures of a run, and of runs side by side."""
