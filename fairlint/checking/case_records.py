"""Who the people in test cases are: the groups of every record, in code or in a model's answer.

>>> from fairlint.checking.case_records import count_groups, record_groups
>>> answer = "Here is a case:\\n\\nsmoker: True\\nrace: African American\\ngender: M"
>>> count_groups(record_groups(answer), "race")
{'black': 1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fairlint.support.records import Record
from fairlint.syntax import DEFAULT
from fairlint.syntax.source import Source

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost as much as Python's start
if TYPE_CHECKING:
    from fairlint.analyses.test_records.test_values import Person
    from fairlint.analyses.test_records.texts import FieldsInText
    from fairlint.syntax.tree import Tree
    from fairlint.vocabulary import Vocabulary


class CaseRecord(Record):
    """One person who is written out.

    `groups` maps attributes to canonical groups; a word that the vocabulary does not know stands there as the
    code has it, in lower case. `outcome` is what is to come out for the person, in the code's words, empty
    where nothing says so. `line` starts at 1.
    """

    groups: Mapping[str, str]
    outcome: str
    line: int


def record_groups(
    text: str | Source,
    *,
    language: str | None = None,
    vocabulary: Vocabulary | None = None,
    code: Source | None = None,
) -> tuple[CaseRecord, ...]:
    """Return the people in some code, or in a model's answer, each once.

    A text without a language is a model's answer: its code is read, and where that holds nobody, the forms
    that it has filled in. `language` is `python` or `c`. `code` is what `read_response` gives for the answer,
    where somebody has asked already.
    """
    from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (loads the attribute data)

    spoken = vocabulary if vocabulary is not None else default_vocabulary()
    if isinstance(text, Source):
        source = text
    elif code is not None:
        source = code
    elif language is None:
        from fairlint.sources.answers import read_response  # noqa: PLC0415 (as above)
        from fairlint.syntax.registry import languages  # noqa: PLC0415 (nobody else needs it)

        source = read_response(text, languages=languages().values())
    else:
        source = Source("<string>", text.encode("utf-8", "replace"), language)
    found = [_case_record(person, source, 0) for person in _people_in_source(source, spoken)]
    if not found and isinstance(text, str) and language is None:
        found = _filled_in(text, spoken)
    return tuple(sorted(found, key=lambda record: record.line))


def count_groups(records: Iterable[CaseRecord], attribute: str) -> dict[str, int]:
    """Return how many records belong to each group of an attribute."""
    counts: dict[str, int] = {}
    for record in records:
        group = record.groups.get(attribute)
        if group is not None:
            counts[group] = counts.get(group, 0) + 1
    return counts


def _people_in_source(source: Source, vocabulary: Vocabulary) -> list[Person]:
    """Return everybody in some code."""
    from fairlint.analyses.test_records.rows import people_of  # noqa: PLC0415 (nobody else needs it)
    from fairlint.library_models import loading  # noqa: PLC0415 (as below)
    from fairlint.syntax.depth import deep_calls  # noqa: PLC0415 (as below)

    with deep_calls():
        tree = _parse_source(source)
        return people_of(source, tree, vocabulary, loading.shipped_models()) if tree is not None else []


def _case_record(person: Person, source: Source, lines_before: int) -> CaseRecord:
    from fairlint.analyses.test_records.test_values import span_of  # noqa: PLC0415 (as above)

    return CaseRecord(
        {attribute: given.group for attribute, given in person.given.items()},
        person.outcome.text if person.outcome is not None else "",
        source.position(span_of(person).start).line + lines_before,
    )


def _parse_source(source: Source) -> Tree | None:
    from fairlint.syntax.registry import languages  # noqa: PLC0415 (as above)

    language = languages().get(source.language or "")
    return language.tree(source.data) if language is not None else None


def _filled_in(text: str, vocabulary: Vocabulary) -> list[CaseRecord]:
    """Return the people in what an answer has filled in."""
    from fairlint.analyses.test_records.texts import people_in_blocks, people_in_forms  # noqa: PLC0415 (as above)

    def names_group(name: str) -> bool:
        return bool(vocabulary.mentions(name))

    return (
        _with_groups(text, people_in_blocks(text, names_group), vocabulary)
        or _in_literals(text, names_group, vocabulary)
        or _with_groups(text, people_in_forms(text, names_group), vocabulary)
        or _in_tuples(text, vocabulary)
    )


def _with_groups(text: str, people: Iterable[FieldsInText], vocabulary: Vocabulary) -> list[CaseRecord]:
    from fairlint.analyses.test_records.test_values import groups_of_fields  # noqa: PLC0415 (as above)

    found = []
    for one in people:
        groups = groups_of_fields(vocabulary, one.fields)
        if groups:
            found.append(CaseRecord(groups, "", text.count("\n", 0, one.start) + 1))
    return found


def _in_literals(text: str, names_group: Callable[[str], bool], vocabulary: Vocabulary) -> list[CaseRecord]:
    """Return the people in dicts amid prose, as in code."""
    from fairlint.analyses.test_records.texts import literals_in_prose  # noqa: PLC0415 (as above)

    found: list[CaseRecord] = []
    for literal, offset in literals_in_prose(text, names_group):
        source = Source("<literal>", literal.encode("utf-8", "replace"), DEFAULT.name)
        before = text.count("\n", 0, offset)
        people = (one for one in _people_in_source(source, vocabulary) if not _is_code_book(one, vocabulary))
        found.extend(_case_record(person, source, before) for person in people)
    return found


def _is_code_book(person: Person, vocabulary: Vocabulary) -> bool:
    """Return whether it gives numbers to the groups of an attribute, `{"Male": 0, "Female": 1}`, and is
    nobody.
    """
    return len(person.fields) > 1 and any(
        all(vocabulary.group_of(attribute, name) is not None for name in person.fields)
        for attribute in person.given
    )


def _in_tuples(text: str, vocabulary: Vocabulary) -> list[CaseRecord]:
    """Return the people in tuples amid prose."""
    from fairlint.analyses.test_records.texts import rows_in_prose  # noqa: PLC0415 (as above)

    rows = rows_in_prose(text)
    source = Source("<rows>", f"[\n{rows}\n]".encode("utf-8", "replace"), DEFAULT.name)
    people = _people_in_source(source, vocabulary) if rows else []
    return [
        CaseRecord({name: given.group for name, given in person.given.items()}, "", 1) for person in people
    ]
