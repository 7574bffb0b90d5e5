"""Where the workers of a fleet run: on this machine, or on a cluster of Ray or Dask.

An engine takes jobs, gives answers as they come, and can be stopped (`contract.py`). Which worker does what,
what is tried again and how messages travel is its own business. Everywhere a job is done in a process of its
own (`slots.py`), which can be ended without harm to the worker beside it.
"""
