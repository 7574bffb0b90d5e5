"""Checks what a long-lived program asks about, in a process beside it that can be ended at any time.

`process.py` is the side of the program, `jobs.py` what can be asked, `__main__.py` the process. Both sides
send messages: the length of the rest in four bytes, then JSON.
"""
