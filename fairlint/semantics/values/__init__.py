"""Symbolic values and what can be said of one by itself."""
