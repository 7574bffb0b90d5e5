"""Checks many repositories, and keeps what was found as tables that answer questions.

```
list ─▶ entries ─▶ jobs ─▶ engine (workers) ─▶ rows ─▶ journal ─▶ parts of the store ─▶ views ─▶ answers
```

`running.py` has the order of the work. A worker (`jobs.py`) makes a folder of plain files of an entry
(`checkouts.py`), checks it and makes rows of the report (`rows.py`). Engines say where workers run.
"""
