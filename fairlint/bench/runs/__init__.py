"""Runs that are on the disk: their figures, what reports show of them, and shards merged."""
