"""Where work runs that a command hands out: what all engines have in common, and Ray.

An engine takes tasks, gives results as they come, and can be stopped (`contract.py`). Which worker does what,
what is tried again and how messages travel is its own business.
"""
