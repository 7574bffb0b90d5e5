"""Cases of test data, judged: which outcomes and tables know one group of people only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fairlint.analyses.test_records.reader import find_people, records_to_count
from fairlint.analyses.test_records.test_values import (
    Given,
    Outcome,
    Person,
    Rows,
    Spell,
    case_words,
    words_of,
)
from fairlint.detectors.context import Context
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import Step, Use
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import split_words

FEWEST = 3
"""So many cases of one group are no accident."""
MOST_STEPS = 8
LONGEST_OUTCOME = 60
BY_OUTCOME = "by-outcome"
"""Tags a Use that is about the cases of one outcome."""
_NO_GROUPS = frozenset({"yes", "no"})
"""What a condition may be: the tests of a clinic set them on purpose."""
SAYS_MUCH = 3
SAYS_LITTLE = 1


class Case(Record, eq=False):
    """A record, and what is to come out for it. `key` is the same for all cases of one outcome."""

    person: Person
    key: str
    outcome: Outcome | None
    words: frozenset[str]
    """The words of all that it, its outcome and its place are called."""

    def given(self, attribute: str) -> Given | None:
        """Return what it says of an attribute."""
        return self.person.given.get(attribute)


def uses_in(context: Context, *, is_test: bool) -> Iterator[Use]:
    """Yield what there is to say of the cases in one file; `is_test` says that all of it is a test."""
    spell = Spell(context.vocabulary, context.definitions, keep_own_words=False)
    reader = find_people(spell, context.execution)
    people = [person for person in records_to_count(reader) if not person.is_implied or person.judges]
    cases = [_build_case(person) for person in people if is_test or _is_test_record(person, context)]
    if len(cases) < FEWEST:
        return
    for attribute in dict.fromkeys(attribute for case in cases for attribute in case.person.given):
        if context.vocabulary.attribute(attribute).form != "value":
            continue
        told: set[int] = set()
        for use, found in _by_outcome(context, cases, attribute):
            told.update(id(case.person) for case in found)
            yield use
        yield from _by_table(context, cases, attribute, told)


# ---------------------------------------------------------------------------------------------------- tests


def _is_test_record(person: Person, context: Context) -> bool:
    """Return whether the record is there to try something on."""
    words = case_words()["test"]
    names = [*person.names, person.function, person.rows.name if person.rows is not None else ""]
    if not words.isdisjoint(words_of(names)):
        return True
    if person.outcome is not None and person.outcome.rank == 3 and _is_assertion(person.outcome):
        return True
    owner = context.definitions.types.get(person.function.partition(".")[0])
    return owner is not None and any(
        isinstance(base, tree.Name | tree.Field) and "Test" in getattr(base, "id", getattr(base, "name", ""))
        for base in owner.bases
    )


def _is_assertion(outcome: Outcome) -> bool:
    return isinstance(outcome.node, tree.Compare | tree.Call)


# ------------------------------------------------------------------------------------------------- outcomes


def _build_case(person: Person) -> Case:
    outcome = person.outcome if person.outcome is not None else _outcome_by_name(person)
    if _is_what_comes_out(person):
        outcome = None
    names = [*person.names, person.function, *person.judges, person.type]
    if person.rows is not None:
        names.append(person.rows.name)
    if outcome is None:
        return Case(person, "", None, words_of(names))
    words = words_of([*names, outcome.text, outcome.about])
    text = " ".join(outcome.text.lower().split())
    says_itself = any(letter.isalpha() for letter in text) and text not in {"true", "false"}
    return Case(person, text if says_itself else f"{outcome.about} {text}", outcome, words)


def _is_what_comes_out(person: Person) -> bool:
    """Return whether a record is what a test compares a result with: `expected_data = [{"rank":
    "officer"}]`.
    """
    names = [person.rows.name] if person.rows is not None else person.names
    words = case_words()
    tried = [name for name in person.judges if words["says_same"].isdisjoint(split_words(name))]
    return not tried and not words["compared_with"].isdisjoint(words_of(names))


def _outcome_by_name(person: Person) -> Outcome | None:
    """Return the outcome that a test's, a list's or a variable's name says: `high_risk_cases`.

    A class of tests says what they are about, and a test of figures (`test_hit_rate`) decides about nobody.
    """
    words = case_words()
    table = person.rows.name if person.rows is not None else ""
    for name in (*person.names, table, person.function.rpartition(".")[2]):
        parts = split_words(name)
        if parts and parts[-1] in words["statistics"] - words["test"]:
            continue
        telling = [part for part in parts if part in words["judgement"] or part in words["degree"]]
        if any(part in words["judgement"] for part in telling):
            return Outcome(" ".join(telling), 1, person.node)
    return None


def _is_judgement(cases: Sequence[Case], attribute: str) -> bool:
    """Return whether the outcome says something about people, and is not made by their group or by their
    body.
    """
    words = case_words()
    for case in cases:
        if words["judgement"].isdisjoint(case.words) or not words["addresses"].isdisjoint(
            _outcome_words(case)
        ):
            return False
        if attribute == "gender" and _is_of_one_sex(case):
            return False
    return True


def _outcome_words(case: Case) -> frozenset[str]:
    """Return the words about what is done: the outcome's, the called functions', the test's own."""
    outcome = case.outcome
    said = [outcome.text, outcome.about] if outcome is not None else []
    return words_of([*said, *case.person.judges, case.person.function])


def _is_of_one_sex(case: Case) -> bool:
    words = case_words()["sexes"]
    return not words.isdisjoint(case.words) or not words.isdisjoint(words_of(case.person.fields))


def _by_outcome(
    context: Context, cases: Sequence[Case], attribute: str
) -> Iterator[tuple[Use, Sequence[Case]]]:
    """Outcomes whose cases are all of one group."""
    by_key: dict[tuple[int, str], list[Case]] = {}
    for case in cases:
        if case.key:  # each table is a test of its own
            table = id(case.person.rows) if case.person.rows is not None else 0
            by_key.setdefault((table, case.key), []).append(case)
    for key, found in by_key.items():
        group = _only_group(found, attribute)
        kinds = {case.person.type for case in found}
        if (
            group is None
            or len(found) < FEWEST
            or len(kinds) > 1
            or not _is_deliberate_group(found, attribute)
        ):
            continue
        others = [case for other, rest in by_key.items() if other != key for case in rest]
        elsewhere = {given.group for case in others if (given := case.given(attribute)) is not None}
        if elsewhere == {group} or not _is_judgement(found, attribute):
            continue
        outcome = found[0].outcome
        text = outcome.text if outcome is not None else key[1]
        named = context.vocabulary.group_of(attribute, text)
        # `declined` is an outcome, and no answer that a person declined to give
        if named is not None and not context.vocabulary.is_missing(attribute, named):
            continue
        if outcome is not None and text in {"true", "false"} and outcome.about:
            text = f"{outcome.about} = {text}"
        yield (
            _case_use(
                context,
                found,
                attribute,
                called=text,
                reason=Evidence(SAYS_MUCH, f"all {len(found)} cases for this outcome are of one group"),
                tags=(BY_OUTCOME,),
            ),
            found,
        )


def _by_table(context: Context, cases: Sequence[Case], attribute: str, told: set[int]) -> Iterator[Use]:
    """Tables, and groups of cases in one function, whose rows are all of one group."""
    tables: dict[object, list[Case]] = {}
    for case in cases:
        rows = case.person.rows
        key: object = id(rows) if rows is not None else case.person.function
        tables.setdefault(key, []).append(case)
    for found in tables.values():
        group = _only_group(found, attribute)
        if group is None or len(found) < FEWEST or any(id(case.person) in told for case in found):
            continue
        if attribute == "gender" and any(_is_of_one_sex(case) for case in found):
            continue
        if not _is_deliberate_group(found, attribute) or any(
            not case_words()["addresses"].isdisjoint(_outcome_words(case)) for case in found
        ):
            continue
        rows = found[0].person.rows
        reason = Evidence(SAYS_LITTLE, f"all {len(found)} records are of one group")
        called = rows.name if rows is not None else ""
        yield _case_use(context, found, attribute, called=called, reason=reason)


def _only_group(cases: Iterable[Case], attribute: str) -> str | None:
    """Return the group of all the cases, where they have only one and all say it."""
    groups = set()
    for case in cases:
        given = case.given(attribute)
        if given is None or not given.is_known or given.group in _NO_GROUPS:
            return None
        groups.add(given.group)
    return groups.pop() if len(groups) == 1 else None


def _is_deliberate_group(cases: Sequence[Case], attribute: str) -> bool:
    """Return whether a person wrote the group more than once, and did not fix it for all cases in
    one place.
    """
    if (
        all(case.person.is_table for case in cases)
        or len({_attribute_places(case, attribute) for case in cases}) > 1
    ):
        return True
    inside = all(
        case.person.node.span.start
        <= case.person.given[attribute].node.span.start
        < case.person.node.span.end
        for case in cases
    )
    return inside and len({_attribute_places(case, *case.person.given) for case in cases}) > 1


def _attribute_places(case: Case, *attributes: str) -> tuple[object, ...]:
    """Return where a case says these attributes, and where that is read by a name."""
    given = [case.person.given[attribute] for attribute in attributes]
    return tuple((one.node.span.start, one.read_at and one.read_at.span.start) for one in given)


# ------------------------------------------------------------------------------------------------- telling


def _case_use(
    context: Context,
    cases: Sequence[Case],
    attribute: str,
    *,
    called: str,
    reason: Evidence,
    tags: Iterable[str] = (),
) -> Use:
    """Return one finding about cases that are all of one group; `called` is their outcome or their table."""
    first = cases[0]
    given = first.person.given[attribute]
    group = given.group
    rows = first.person.rows
    one_table = rows is not None and all(case.person.rows is rows for case in cases)
    place = _table_headline(context, rows) if one_table and rows is not None else given.node.span
    steps = [Step(place, "the cases begin here")] if one_table else []
    if one_table and rows is not None and (handed := _decorator_line(context, rows.node.span)) is not None:
        steps.insert(0, Step(handed, "a test is given them here"))
    seen: set[int] = set()
    for case in cases:
        node = case.person.given[attribute].node
        if node.span.start in seen or len(steps) > MOST_STEPS:
            continue
        seen.add(node.span.start)
        steps.append(Step(context.source.first_line(node.span), f"{group}"))
    text = " ".join(called.split())[:LONGEST_OUTCOME]
    return plain_use(
        context,
        given.mention,
        tree.Name(place, ""),
        kind="record",
        effect="test",
        shape="table",
        groups=(group,),
        evidence=(reason,),
        flow=steps,
        target=text or None,
        detail=str(len(cases)),
        receiver=first.person.type,
        tags=tags,
    )


def _decorator_line(context: Context, span: Span) -> Span | None:
    """Return the first line of the decorator that hands a table to a test:
    `@pytest.mark.parametrize(...)`.
    """
    for function in context.functions.values():
        for decorator in function.decorators:
            if decorator.span.start <= span.start and span.end <= decorator.span.end:
                return context.source.first_line(decorator.span)
    return None


def _table_headline(context: Context, rows: Rows) -> Span:
    """Return where a table begins: its first line."""
    return context.source.first_line(rows.node.span)
