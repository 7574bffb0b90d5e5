"""Names that hold an attribute where the file's own codes say so: `student.category in ("SC", "ST")`.

By itself `category` may be anything's, and `genre` a film's. The attributes' tables say which names are
looked at (`told_by`). They hold the attribute if all that the file compares them with, or puts in their
place, are groups of it, and one of them is such as the table names, or two are known to everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fairlint.semantics.names.effects import is_show
from fairlint.semantics.values.paths import read_name
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Tree
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import normalize_spelling, split_words

WEIGHT = 1
"""What such a name says of a person by itself."""
MOST_CODES = 60
"""Codes of one name that are looked at."""


def with_coded_names(parsed: Tree, data: bytes, vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary, with the names that the codes of the file say are an attribute's."""
    if not _may_stand(vocabulary.telling, data):
        return vocabulary
    codes: dict[str, dict[str, None]] = {}
    for name, code in _code_comparisons(parsed):
        known = codes.setdefault(name, {})
        if len(known) < MOST_CODES:
            known.setdefault(code)
    found: dict[str, Mention] = {}
    for name, texts in codes.items():
        words = split_words(name)
        for attribute, telling in _told_by(words, vocabulary):
            if _are_groups(attribute, texts, telling, vocabulary):
                found[name] = Mention(attribute, name, words, "ambiguous", "value", None, WEIGHT)
    return vocabulary.naming(found) if found else vocabulary


def _may_stand(names: Iterable[str], data: bytes) -> bool:
    """Return whether the last word of one of some names may stand in a source, between others than
    letters.
    """
    lower = data.lower()
    for word in {name.rpartition(" ")[2].encode() for name in names}:
        at = lower.find(word)
        while at >= 0:
            if not (lower[at - 1 : at].isalpha() or lower[at + len(word) : at + len(word) + 1].isalpha()):
                return True
            at = lower.find(word, at + 1)
    return False


def _told_by(words: Sequence[str], vocabulary: Vocabulary) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the attributes that a name, or the end of it, means by values, each with values that alone say
    so.
    """
    for start in range(len(words)):
        if (known := vocabulary.telling.get(" ".join(words[start:]))) is not None:
            yield from known
            return


def _are_groups(
    attribute: str, texts: Mapping[str, None], telling: Sequence[str], vocabulary: Vocabulary
) -> bool:
    """Return whether texts are groups of an attribute, and one that says so by itself, or two that everybody
    knows, are among them.
    """
    groups = {vocabulary.group_of(attribute, text) for text in texts}
    if None in groups:
        return False
    is_told = not {normalize_spelling(text) for text in texts}.isdisjoint(telling)
    return is_told or len(groups.intersection(vocabulary.attribute(attribute).core_groups)) > 1


def _constant_comparisons(parts: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Yield each name that is compared with constants of an enum, with what each of these is called."""
    bodies = (part.body for part in parts if isinstance(part, tree.Type) and part.kind == "enum")
    assigned = (one.targets for body in bodies for one in body if isinstance(one, tree.Assign))
    members = {one.id for targets in assigned for one in targets if isinstance(one, tree.Name)}
    for part in parts if members else ():
        match part:
            case tree.Compare(op="==" | "!=", left=left, right=tree.Name(id=code)) if code in members:
                yield read_name(left), code
            case tree.Switch(subject=subject, cases=cases):
                for pattern in (one for case in cases for one in case.patterns):
                    if isinstance(pattern, tree.Name) and pattern.id in members:
                        yield read_name(subject), pattern.id


def _code_comparisons(parsed: Tree) -> Iterator[tuple[str, str]]:
    """Yield each name that is compared with texts, or for which a table has entries, with each of
    the texts.
    """
    trees = (parsed, *parsed.modules)
    parts = [part for one in trees for part in one.landmarks]
    yield from _constant_comparisons(parts)
    tables = {
        target.id: part.value
        for part in parts
        if isinstance(part, tree.Assign)
        and isinstance(part.value, tree.Collection)
        and part.value.kind == "dict"
        for target in part.targets
        if isinstance(target, tree.Name)
    }
    for part in parts:
        match part:
            case tree.Call(function=tree.Name(id=called), arguments=(left, right, *_)):
                if not _is_formatted_io(called, (left, right)):  # C: `strcmp(category, "SC")`
                    yield from _name_text_pairs(read_name(left), right)
                    yield from _name_text_pairs(read_name(right), left)
            case tree.Compare(op="==" | "!=" | "in" | "not in", left=left, right=right):
                yield from _name_text_pairs(read_name(left), right)
                yield from _name_text_pairs(read_name(right), left)
            case tree.Switch(subject=subject, cases=cases):
                patterns = (pattern for case in cases for pattern in case.patterns)
                yield from ((read_name(subject), text) for one in patterns for text in _literal_texts(one))
            case tree.Call(function=tree.Field(value=value), arguments=(tree.Collection() as table, *_)):
                yield from _name_text_pairs(read_name(value), table)
            case tree.Index(value=tree.Name(id=held), index=key) if held in tables:
                yield from _name_text_pairs(read_name(key), tables[held])
            case tree.Call(function=tree.Field(value=tree.Name(id=held)), arguments=(key, *_)) if (
                held in tables
            ):
                yield from _name_text_pairs(read_name(key), tables[held])


def _name_text_pairs(name: str, texts: Node) -> Iterator[tuple[str, str]]:
    if name:
        yield from ((name, text) for text in _literal_texts(texts))


def _is_formatted_io(called: str, arguments: Sequence[Node]) -> bool:
    """Return whether a call prints or reads a name by a format, which is no code: `scanf("%s", category)`."""
    texts = [one.value for one in arguments if isinstance(one, tree.Literal)]
    return is_show(called) or any(isinstance(text, str) and "%" in text for text in texts)


def _literal_texts(node: Node) -> Iterator[str]:
    match node:
        case tree.Literal(value=str() as text):
            yield text
        case tree.Collection(kind=kind, items=items):
            held = (item.key if kind == "dict" else item.value for item in items)
            yield from (
                one.value for one in held if isinstance(one, tree.Literal) and isinstance(one.value, str)
            )
