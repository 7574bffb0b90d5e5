"""Test data: records of people in tests that all belong to one group."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.uses import Use

# a text, as few runs come to need it compiled
_TEST_LIKE = rb"(?i)test|cases?\b|case_|sample|example|fixture|scenario|demo|mock|dummy|__main__|assert"
_TEST_CODE = (
    rb"\bdef test_\w+\(|\bvoid test_\w+\(|\bint test_\w+\(|\(unittest\.TestCase\)|\bTEST(?:_F|_CASE)?\("
)
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "testdata", "test_data", "fixtures"})


def observe(context: Context) -> Iterator[Use]:
    """All records of one file."""
    is_test = _is_test_path(context.source.path) or bool(re.search(_TEST_CODE, context.source.data))
    if is_test or re.search(_TEST_LIKE, context.source.data):
        from fairlint.detectors.cases import uses_in  # noqa: PLC0415 (start-up: most files hold no test)

        yield from uses_in(context, is_test=is_test)


def _is_test_path(path: str) -> bool:
    *folders, name = path.replace("\\", "/").split("/")
    stem = name.partition(".")[0]
    return (
        stem.startswith("test_")
        or stem.endswith(("_test", "_tests"))
        or stem in {"conftest", "tests", "test"}
    ) or any(folder in _TEST_FOLDERS for folder in folders)
