"""How the name of a group is written in a text: in which case, and how many of its letters are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.symbolic import Protected, Spelling
from fairlint.support.records import replace
from fairlint.syntax.text_methods import CASES
from fairlint.vocabulary.model import Attribute


def is_group_text(read: Protected, frame: Frame) -> bool:
    """Return whether a read is a text that names one of a few groups, and no column of a table."""
    is_group = read.mention.form == "value" and read.mention.group is None
    return (
        is_group
        and bool(frame.program.vocabulary.attribute(read.mention.attribute).core_groups)
        and not has_tables(frame)
    )


def in_case(read: Protected, method: str) -> Protected:
    """Return a read whose text is brought into a case by a method; any other leaves it unknown."""
    case = method if method in CASES else ""
    return read if case == read.spelling.case else replace(read, spelling=replace(read.spelling, case=case))


def read_of_first_letters(read: Protected, letters: int) -> Protected:
    """Return a read of which the first letters are left."""
    left = min(letters, read.spelling.letters or letters)
    return read if left <= 0 else replace(read, spelling=replace(read.spelling, letters=left))


def fits(text: object, spelling: Spelling) -> bool:
    """Return whether a text may be all that is left of a name."""
    return not spelling.letters or not isinstance(text, str) or len(text) <= spelling.letters


def spell_name(name: str, spelling: Spelling, beside: str) -> str:
    """Return a name as a text has it; where nobody says in which case, as what it is compared with is
    written.
    """
    case = spelling.case or ("lower" if beside.islower() else "upper" if beside.isupper() else "title")
    text = CASES[case](name)
    return text[: spelling.letters] if spelling.letters else text


def telling(
    attribute: Attribute, spelling: Spelling, beside: str, passes: Callable[[str], bool]
) -> frozenset[str]:
    """Return the groups whose name passes a test as a text has it: of those that everybody knows, or else of
    all.
    """
    everybody = [group for group, known in attribute.groups.items() if not known.missing]

    def named(groups: Iterable[str]) -> frozenset[str]:
        return frozenset(group for group in groups if passes(spell_name(group, spelling, beside)))

    def spelled(groups: Iterable[str]) -> frozenset[str]:
        spellings = {
            group: attribute.groups[group].spellings for group in groups if group in attribute.groups
        }
        return frozenset(
            group
            for group, others in spellings.items()
            if any(passes(spell_name(other, spelling, beside)) for other in others)
        )

    core = attribute.core_groups
    return named(core) or spelled(core) or named(everybody) or spelled(everybody)
