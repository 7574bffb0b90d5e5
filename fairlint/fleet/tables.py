"""The tables of a store as data: what each column is called, holds and means.

`docs/appendix/fleet-store.md` has them for people; a test compares the two. `VERSION` goes up when a program
that reads a store would no longer understand it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fairlint.support.records import Record

VERSION = 1
Type = Literal["text", "texts", "whole", "number"]


class Column(Record):
    """One column. `texts` is a list; what is not known is null, and an empty text where a text says so."""

    name: str
    type: Type
    about: str


def _columns(text: str) -> tuple[Column, ...]:
    """Return columns from lines of a name, a type and what it means."""
    lines = (line.split(None, 2) for line in text.strip().splitlines())
    return tuple(Column(name, _TYPES[kind], about) for name, kind, about in lines)


_TYPES: Mapping[str, Type] = {"text": "text", "texts": "texts", "whole": "whole", "number": "number"}
_PLACE = """
repository     text    the name of the repository
path           text    the file, from the repository's root on
cell           whole   the cell of a notebook, from 1
line           whole   the line, from 1
"""
_FINDING = f"""
{_PLACE.strip()}
column         whole   the column, from 1
end_line       whole   where it ends
end_column     whole   where it ends, exclusive
rule           text    the code of the rule
name           text    the name of the rule
severity       text    error, warning or note
confidence     text    high, medium or low
attribute      text    the protected attribute
attributes     texts   all attributes that it is about
kind           text    the kind of use
effect         text    what comes of it for a person
context        text    what would have to justify a difference
groups         texts   the groups that the code names
op             text    add, multiply or set, where amounts are known
gap            number the largest amount less the smallest
amounts        text    what each group gets, as JSON; an empty name stands for all others
places         whole   at how many places of the code
condition      text    the code that tells the groups apart, as written
message        text    what is found
advice         text    what to do instead
laws           texts   ids of the laws that it is about
owners         texts   who owns the file, as CODEOWNERS says
domain         text    what the code is used for, where words around it say so
language       text    the language of the file
function       text    the function around it
fingerprint    text    what it is known by while its line stays (`fairlint/v1`)
line_hash      text    the hash of its line that GitHub compares (`primaryLocationLineHash`)
identity       text    what it is known by while the code around it changes (`fairlint/v2`)
body           text    a sum over the function's code, which tells equal findings apart
near           text    a sum over the code next to it, for the same purpose
details        text    the path of the value, other places, evidence and amounts, as JSON, for SARIF
"""
TABLES: Mapping[str, tuple[Column, ...]] = {
    "repositories": _columns("""
repository     text    its name, as the list has it
kind           text    folder, git, archive or package
address        text    where it was found
commit         text    the commit, or `sha256:` and a digest of its contents
inputs         text    a digest of fairlint, its rules and the settings
status         text    checked, unchanged (known from an earlier run) or failed
data_run       text    the run that has its rows: its own, or an earlier one where it is unchanged
files          whole   files that were checked
bytes          whole   bytes of all its files
findings       whole   rows in the table findings
uses           whole   rows in the table uses
suppressed     whole   rows in the table suppressed
not_read       whole   rows in the table coverage
hidden_notes   whole   findings milder than the lowest severity that is kept
seconds        number  how long it took, all shards together
cpu_seconds    number  how much of a processor it took, git and pip among it
holds_until    text    the last day on which its rows hold; empty where no suppression ends
reusable       whole   1 where the same commit need not be checked again, else 0
configuration  text    policy, own (the repository's, too) or refused (its own cannot be used)
configured_by  text    the files of the repository that say so, or why they do not
pre_commit     text    its `.pre-commit-config.yaml`, for `fleet adopt`; empty where there is none
"""),
    "findings": _columns(_FINDING),
    "uses": _columns(f"""
{_PLACE.strip()}
column         whole   the column, from 1
attribute      text    the protected attribute
attribute_kind text    protected, socioeconomic or proxy
kind           text    the kind of use
effect         text    what comes of it for a person
shape          text    how the code tells groups apart
groups         texts   the groups that the code names
target         text    the score, outcome or table, as written
function       text    the function around it
domain         text    what the code is used for, where words around it say so
context        text    what would have to justify a difference
weight         whole   the sum of the evidence
language       text    the language of the file
"""),
    "coverage": _columns("""
repository     text    the name of the repository
path           text    what was not read, or not to its end
cell           whole   the cell of a notebook, from 1
line           whole   the line from which on, from 1
cause          text    as in the JSON report, or unread or left-out
kind           text    of unread: the language, `prompt` or `rule file`
reason         text    why, in a clause
language       text    the language of a file with uses that was not read to its end
"""),
    "errors": _columns("""
repository     text    the name of the repository
address        text    where it was looked for
cause          text    why it was not checked, in a word
reason         text    the same in a clause
"""),
    "suppressed": _columns(f"""
{_FINDING.strip()}
reason         text    why it is suppressed
suppressed_by  text    comment, baseline, or policy for an exception of the policy
owner          text    of an exception: who answers for it
until          text    the last day on which it holds; empty where it has no end
"""),
}
"""Table → its columns, besides `run` and `date`, which every table has from the names of its folders."""
