"""Folders of runs: appended safely, read back, moved into place whole."""
