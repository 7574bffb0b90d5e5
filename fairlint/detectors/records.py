"""Test data: records of people in tests that all belong to one group."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.analyses.test_records.test_values import case_words
from fairlint.detectors.context import Context
from fairlint.findings.uses import Use
from fairlint.semantics.values.symbolic import Const
from fairlint.vocabulary.phrases import alternatives

# a text, as few runs come to need it compiled
_TEST_CODE = (
    rb"\bdef test_\w+\(|\bvoid test_\w+\(|\bint test_\w+\(|\(unittest\.TestCase\)|\bTEST(?:_F|_CASE)?\("
)
_TEST_MARKS = (b" test_", b"(unittest.TestCase)", b"TEST")
"""One of these stands in all test code, and is found in a fraction of the time."""
_SOMEBODY = "person"


def observe(context: Context) -> Iterator[Use]:
    """Yield all records of one file."""
    is_test = is_test_path(context.source.path) or _holds_tests(context.source.data)
    if (is_test or _may_test(context)) and _may_say_groups(context):
        from fairlint.detectors.cases import uses_in  # noqa: PLC0415 (start-up: most files hold no test)

        yield from uses_in(context, is_test=is_test)


def _holds_tests(data: bytes) -> bool:
    return any(mark in data for mark in _TEST_MARKS) and re.search(_TEST_CODE, data) is not None


def _may_test(context: Context) -> bool:
    """Return whether anything in the file is called like a test or what is tried in one."""
    written = context.written
    test_like = f"(?i){alternatives(case_words()['test_like'])}".encode()
    return bool(
        re.search(test_like, context.source.data)
        and (written.asserts or re.search(test_like, " ".join(map(ascii, written.spelled)).encode()))
    )


def _may_say_groups(context: Context) -> bool:
    """Return whether the file names an attribute and, anywhere, one of its groups, and that often enough."""
    vocabulary, written = context.vocabulary, context.written
    attributes: dict[str, list[str]] = {}
    for name in written.spelled:
        for mention in vocabulary.mentions_of(name, _SOMEBODY):
            if mention.form == "flag":
                return True
            attributes.setdefault(mention.attribute, []).append(name)
    labels = [member.label for members in context.definitions.enums.values() for member in members]
    quoted = set(written.texts)
    labels += [
        name for name in written.spelled if len(name) > 1 or name in quoted
    ]  # `m` is no group by itself
    labels += [
        value.value
        for _, value in context.facts.values.values()
        if isinstance(value, Const) and isinstance(value.value, str)
    ]
    return any(
        any(
            (group := vocabulary.group_of(name, text)) is not None and not vocabulary.is_missing(name, group)
            for text in labels
        )
        for name in attributes
        if vocabulary.attribute(name).form == "value" and vocabulary.attribute(name).kind != "proxy"
    )


def is_test_path(path: str) -> bool:
    """Return whether the names of folders or of a file say that it holds tests."""
    *folders, name = path.replace("\\", "/").split("/")
    stem = name.partition(".")[0]
    return (
        stem.startswith("test_")
        or stem.endswith(("_test", "_tests"))
        or stem in case_words()["test_files"]
        or not case_words()["test_folders"].isdisjoint(folders)
    )
