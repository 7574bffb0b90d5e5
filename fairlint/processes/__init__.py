"""Worker processes, time limits, memory limits and signals."""
