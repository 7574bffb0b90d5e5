"""Whether a text looks like SQL that could tell people apart, before anything is parsed."""

from __future__ import annotations

import re

from fairlint.vocabulary import Vocabulary

LONGEST = 20_000
"""Characters of a query that is parsed; longer ones are named as not analysed."""

_OPENS = r"(?:\s|(?:--|\#)[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)|\{%.*?(?:%\}|\Z)|\{\{.*?(?:\}\}|\Z)|\()*+"
"""Each way is taken whole or fails at its first character: before 3.11.5, Python went on from where the last
way had failed."""
_STATEMENT = re.compile(
    rf"""{_OPENS}(?:
        select\b.+?\bfrom\b
      | with\s+(?:recursive\s+)?[\w"`\[\]]+\s*(?:\([^)]*\)\s*)?as\s*(?:not\s+)?(?:materialized\s*)?\(
      | update\s+.+?\bset\b(?P<set>)
      | delete\s+from\s+\S
      | (?:insert|replace)\s+(?:or\s+\w+\s+)?(?:into|overwrite|ignore)\b.+?\bselect\b
      | from\s+[\w."`]+\s+(?:(?:as\s+)?\w+\s+)?(?:\|>|select\b|where\b[^=<>]{1, 200}[=<>])
      | merge\s+into\b
      | create\s+(?:or\s+replace\s+)?(?:(?:global|local|temp|temporary|materialized|transient)\s+)*
        (?:view|table)\b.+?\bas\b(?P<as>)
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_SELECT = re.compile(r"\bselect\b", re.IGNORECASE)
_CASE = re.compile(r"\s*case\b", re.IGNORECASE)
_CASE_ENDS = re.compile(r"\bend\b", re.IGNORECASE)
_CASE_BRANCH = re.compile(r"\bwhen\b", re.IGNORECASE)
_CONDITION = re.compile(r"[^\n;]+", re.DOTALL)
_COMPARES = re.compile(r"[=<>]|\bin\b|\blike\b", re.IGNORECASE)
_TELLS_APART = re.compile(
    r"\b(?:where|having|case|decode|iif|if|order\s+by|join|qualify|using|on)\b|[-+*]", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SURE = re.compile(rf"{_OPENS}(?:SELECT|WITH|UPDATE|DELETE|INSERT|MERGE|CREATE|FROM)\b", re.DOTALL)


def is_statement(text: str) -> bool:
    """Return whether a text opens like an SQL statement that reads or changes rows, and may tell
    them apart.
    """
    found = _STATEMENT.match(text)
    if found is None or _TELLS_APART.search(text) is None:
        return False
    # behind the first of its kind, which takes one look at the rest where a pattern would take one from each
    if found["set"] is not None:
        return "=" in text[found.end() :]
    return found["as"] is None or _SELECT.search(text, found.end()) is not None


def is_case(text: str) -> bool:
    """Return whether a text is a `CASE` expression, as `expr()` takes it."""
    return None not in {_CASE.match(text), _CASE_BRANCH.search(text), _CASE_ENDS.search(text)}


def is_condition(text: str) -> bool:
    """Return whether a text could be a condition, as `df.where()` takes it."""
    return _CONDITION.fullmatch(text) is not None and _COMPARES.search(text) is not None


def is_sure(text: str) -> bool:
    """Return whether a text is SQL and no prose, by its capitals."""
    return _SURE.match(text) is not None


def mentions_any(text: str, vocabulary: Vocabulary) -> bool:
    """Return whether any word of a text names an attribute."""
    return any(vocabulary.mentions(word) for word in set(_WORD.findall(text)))
