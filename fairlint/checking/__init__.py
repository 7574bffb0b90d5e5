"""Check sources: from paths and settings to findings, one file or many."""
