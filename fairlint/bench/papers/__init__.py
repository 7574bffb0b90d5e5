"""Published papers as data: models, runs and tables, and what runs of fairlint come to beside them.

A paper is one file of `data/`. Its tables are figures; its prompts and answers stay with its authors.
"""
