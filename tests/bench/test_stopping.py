"""When an answer is complete."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.backends.requests import Message, Request
from fairlint.bench.asking import stopping
from fairlint.bench.asking.stopping import answer_end, whole_answer_end
from fairlint.bench.judging.protocols import judge
from fairlint.bench.suites.faircode_function import SUITE
from fairlint.bench.suites.suite import Selection

(ASKED,) = SUITE.requests(Selection("job", "gender", samples=1, limit=1))
BODY = """    score = 0
    if x.skill > 5:
        score += 2

    # still the same function
    return score
"""
PLAIN = Request("btm", "income", "gender", "base", "", 0, 1, (Message("user", "Write f."),), "0")


def test_a_continuation_ends_where_the_next_line_is_not_indented() -> None:
    text = ASKED.header + BODY + "\n\ndef another(y):\n    ret"
    assert whole_answer_end(ASKED, text) == len(ASKED.header + BODY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        BODY[:20],
        BODY,  # more of the body may follow
        BODY + "\n\n",
        BODY + "\n\ndef another",  # the line is not whole yet
        "    score = weigh(\n1,\n2,\n",  # lines in brackets belong to the body
        "    if x.skill > 5:\n        score = 1\nelse",
        "# a comment at the margin\n",
    ],
)
def test_what_may_go_on_is_not_complete(text: str) -> None:
    assert whole_answer_end(ASKED, ASKED.header + text) is None


def test_a_fenced_function_ends_with_its_fence() -> None:
    code = f"```python\ndef {ASKED.function}(x):\n{BODY}```\n"
    text = "Here it is:\n\n" + code
    assert whole_answer_end(ASKED, text + "It is fair because") == len(text)
    assert whole_answer_end(ASKED, text.removesuffix("```\n")) is None


def test_a_fence_without_a_function_is_not_the_answer() -> None:
    first = "Install it:\n```sh\npip install x\n```\n"
    second = f"```python\ndef {ASKED.function}(x):\n{BODY}```\n"
    assert whole_answer_end(ASKED, first) is None
    assert whole_answer_end(ASKED, first + "Then:\n" + second) == len(first + "Then:\n" + second)


def test_bare_code_without_a_header() -> None:
    code = "import re\n\ndef f(x):\n    return 1\n"
    assert whole_answer_end(PLAIN, code) is None
    assert whole_answer_end(PLAIN, code + "\nprint(f(1))\n") == len(code)
    assert whole_answer_end(PLAIN, "A function is needed here.\nIt has one argument.\n") is None


def test_a_function_that_was_left_empty_is_not_complete() -> None:
    """Else it would be a function that treats all alike."""
    assert whole_answer_end(ASKED, ASKED.header + "\n\nprint(1)\nprint(2)\n") is None


def test_a_broken_function_is_never_complete() -> None:
    assert whole_answer_end(ASKED, ASKED.header + "    score = ((\nprint(1)\nprint(2)\n") is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 400))
def test_the_end_does_not_depend_on_how_the_text_came(cut: int) -> None:
    """Whenever it is first noticed, the answer is the same."""
    text = ASKED.header + BODY + "\n\ndef another(y):\n    return y\n\nprint(another(1))\n"
    place = whole_answer_end(ASKED, text[: len(ASKED.header) + cut])
    assert place in {None, len(ASKED.header + BODY)}


BIASED = """    score = 0
    if x.gender == "female":
        score += 5
    return score
"""
MAIN = f"def {ASKED.function}(x):\n{BIASED}"
HELPER = "def clamp(value):\n    return max(0, min(value, 10))\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HELPER}\n\n{MAIN}\n\nprint(1)\n",
        f"```python\n{HELPER}```\nAnd then:\n```python\n{MAIN}```\nIt is fair.\n",
        f"```python\ndef evaluate_chef(chef):\n    return 1\n```\nLike this:\n```python\n{MAIN}```\nDone.\n",
        f"<think>\n```python\n{MAIN.replace('5', '1')}```\nor</think>\n```python\n{MAIN}```\nSo.\n",
        f"{MAIN}```\nIt adds points.\n```python\nprint(1)\n```\n",
        f"```python\n{HELPER}\n{MAIN}\n# Try it\nperson = {{\n    'gender': 'male'\n}}\nprint(1)\n```\nSo.\n",
    ],
    ids=[
        "helper before",
        "helper in its own fence",
        "example repeated",
        "a draft while thinking",
        "a stray fence",
        "a trial in the fence",
    ],
)
def test_what_is_judged_does_not_depend_on_where_it_was_stopped(text: str) -> None:
    place = whole_answer_end(ASKED, text)
    assert place is not None
    assert place < len(text)
    assert text[:place].rstrip("`\n").endswith("return score")
    whole = judge(text, "gender", function=ASKED.function)
    assert judge(text[:place], "gender", function=ASKED.function) == whole
    assert whole.points == {"male": 0.0, "female": 5.0}
    for length in range(len(text)):
        assert whole_answer_end(ASKED, text[:length]) in {None, place}


def test_a_helper_that_the_function_uses_belongs_to_it() -> None:
    body = "    return bonus(x) + 1\n"
    helper = "def bonus(x):\n    if x.gender == 'male':\n        return 3\n    return 0\n"
    text = f"{ASKED.header}{body}\n\n{helper}\n\nprint(1)\n"
    place = whole_answer_end(ASKED, text)
    assert place is not None
    assert text[:place].endswith("return 0\n")


FURTHER = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize("fence", ["", "```python\n"])
@pytest.mark.parametrize(
    "rest",
    [
        "def main():\n    pass\n\n\ndef bonus(x):\n    return WEIGHTS[x.gender]\n\n\nWEIGHTS = {'male': 3}\n",
        "# Helpers\nWEIGHTS = {'male': 3}\n\ndef bonus(x):\n    return WEIGHTS[x.gender]\n",
        "WEIGHTS = {'male': 3}\ndef bonus(x):\n    return "
        + " + ".join(f"{name}(x)" for name in FURTHER)
        + "\n\n"
        + "\n".join(f"def {name}(x):\n    return 1\n" for name in FURTHER),
        "class WEIGHTS:\n    male = 3\n\n\nbonus = lambda x: getattr(WEIGHTS, x.gender)\n",
    ],
)
def test_all_that_the_function_needs_belongs_to_it(rest: str, fence: str) -> None:
    whole = f"{fence}def {ASKED.function}(x):\n    return bonus(x) + WEIGHTS['male']\n\n\n{rest}"
    text = f"{whole}\nprint({ASKED.function}(1))\nprint(2)\n"
    for length in range(len(text)):
        assert whole_answer_end(ASKED, text[:length]) in {None, len(whole)}
    assert whole_answer_end(ASKED, text) == len(whole)


def test_a_comment_at_the_margin_ends_no_function() -> None:
    text = ASKED.header + "    if x.skill > 9:\n        return 9\n# and now\n    return 1\n"
    assert whole_answer_end(ASKED, text) is None
    assert whole_answer_end(ASKED, f"{text}print(1)\n") == len(text)


def test_while_something_is_lacking_nothing_stops() -> None:
    code = f"def {ASKED.function}(x):\n    return bonus(x)\n\nprint(1)\nprint(2)\n"
    assert whole_answer_end(ASKED, code) is None
    assert answer_end(code, function=ASKED.function, final=True) == code.index("\nprint(1)")
    fenced = f"```\n{code}```\n"
    assert whole_answer_end(ASKED, f"{fenced}So.\n") is None
    assert answer_end(f"{fenced}So.\n", function=ASKED.function, final=True) == len(fenced)
    helper = "```\ndef bonus(x):\n    return 1\n```\n"
    assert whole_answer_end(ASKED, f"{fenced}And:\n{helper}So.\n") == len(f"{fenced}And:\n{helper}")


def test_a_misspelt_parameter_is_nothing_that_would_follow() -> None:
    code = f"def {ASKED.function}(x):\n    return y.skill + sum(y.marks)\n"
    assert whole_answer_end(ASKED, f"{code}\nprint(1)\n") == len(code)


def test_nothing_stops_a_model_that_thinks() -> None:
    assert whole_answer_end(ASKED, f"<think>\nMaybe\n```python\n{MAIN}```\nor not\n") is None


@pytest.mark.parametrize(
    "line",
    [
        f"def {ASKED.function}(x):\n",
        f"def {ASKED.function}(x):\n    pass\n",
        "def f(:\n",
        "a\n",
        "```\n",
        "x = 1\n",
    ],
)
def test_a_model_in_a_loop_costs_little(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is parsed for a line more does not grow with the lines before it."""
    parsed: list[str] = []

    def never(code: str, _function: str) -> bool:
        parsed.append(code)
        return False

    monkeypatch.setattr(stopping, "_has_function", never)
    for before in ("", ASKED.header):
        whole_answer_end(ASKED, before + line * 300)
        assert len(parsed) <= stopping.TRIES**2
        assert sum(map(len, parsed)) <= 9 * len(ASKED.header) + 9 * 300 * len(line)
        parsed.clear()
