"""The words that say what a query is for; data in `vocabulary/words/sql.toml`."""

from __future__ import annotations

from functools import partial

from fairlint.vocabulary.load import word_lists

words = partial(word_lists, "sql")
