"""The words that say what a query is for; data in `lexicon/words/sql.toml`."""

from __future__ import annotations

from functools import partial

from fairlint.lexicon.load import word_lists

words = partial(word_lists, "sql")
