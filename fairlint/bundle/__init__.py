"""A bundle of evidence: the reports of one run in a zip file, with a manifest of their SHA-256 sums."""

from __future__ import annotations

VERSION = 1
"""Of the form of a bundle."""
SUFFIX = ".zip"
MANIFEST = "manifest.json"
MEMBERS = (
    "README.txt",
    "report.html",
    "report.json",
    "report.sarif",
    "suppressed.json",
    "coverage.json",
    "provenance.json",
)
"""What the manifest names, in the order of the file."""
