"""Statistics that several commands need."""
