"""SQL in texts: putting them together, reading them, and what they say about the groups of an attribute.

Only `texts`, `words` and `detection` may be imported before an SQL text with a protected word is met: the
others load sqlglot.
"""
