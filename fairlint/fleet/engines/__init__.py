"""Where the workers of a fleet run: on this machine, or on a cluster of Ray or Dask.

What an engine does is said in `fairlint.engines`. Everywhere a job is done in a process of its own
(`slots.py`), which can be ended without harm to the worker beside it.
"""
