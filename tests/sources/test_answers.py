"""What a user of `read_response` relies on: all of the code, where it stood, and nothing else."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.sources.answers import NO_CODE, ONLY_COMMENTS, read_response

FUNCTION = '''\
def rate_baker(baker):
    """
    Rate a baker.
    baker: has gender, patience
    """
    score = 0

    # Patience counts
    if baker.patience >= 8:
        score += 2
    elif baker.patience >= 5:
        score += 1

    return score
'''


def code(answer: str) -> str:
    """The code that was found, without the blank around it."""
    return "\n".join(line.rstrip() for line in read_response(answer).data.decode().split("\n")).strip("\n")


def reasons(answer: str) -> list[str]:
    return [gap.reason for gap in read_response(answer).gaps]


def gap_texts(answer: str) -> list[str]:
    source = read_response(answer)
    raw = answer.encode()
    return [raw[gap.span.start : gap.span.end].decode() for gap in source.gaps]


def test_plain_code_is_kept_as_it_is() -> None:
    source = read_response(FUNCTION)

    assert source.data.decode() == FUNCTION
    assert source.language == "python"
    assert source.gaps == ()


@pytest.mark.parametrize("tag", ["python", "", "py", "Python3", "{.python}"])
@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_fence_is_taken_off(fence: str, tag: str) -> None:
    answer = f"Sure! Here is the code:\n\n{fence}{tag}\n{FUNCTION}{fence}\n\nIt rates a baker.\n"

    assert code(answer) == FUNCTION.rstrip()
    assert reasons(answer) == []


def test_positions_are_those_of_the_answer() -> None:
    answer = f"Natürlich, bitte sehr 🙂:\n\n  ```python\n{FUNCTION}```\n"
    source = read_response(answer)
    offset = source.data.index(b"score = 0")

    position = source.position(offset)

    assert answer.split("\n")[position.line - 1][position.column - 1 :] == "score = 0"


def test_all_fences_are_kept() -> None:
    answer = (
        f"First:\n```python\n{FUNCTION}```\nand then call it:\n```python\nprint(rate_baker(b))\n```\nDone."
    )

    assert "def rate_baker" in code(answer)
    assert "print(rate_baker(b))" in code(answer)
    assert "call it" not in code(answer)


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    answer = f"Here you go:\n```python\n{FUNCTION}"

    assert code(answer) == FUNCTION.rstrip()


def test_prose_behind_an_unclosed_fence_is_left_out() -> None:
    answer = f"```python\n{FUNCTION}\nThis function adds the points of every attribute and returns them.\n"

    assert code(answer) == FUNCTION.rstrip()


def test_a_fence_that_the_prompt_opened_is_closed_here() -> None:
    answer = f"{FUNCTION}```\n\nThe function adds up points for each attribute of the baker.\n"

    assert code(answer) == FUNCTION.rstrip()


def test_a_fence_at_the_end_of_a_line_counts() -> None:
    echo = '\ndef rate_baker ( baker ) :\n"""\nRate a baker.\nbaker: A baker object with gender, patience'
    answer = f"{echo}```python\n{FUNCTION}```"

    assert code(answer) == FUNCTION.rstrip()
    assert reasons(answer) == [], "the echo of the prompt is no loss: the function comes again"


def test_a_definition_glued_to_an_unfinished_docstring_is_found() -> None:
    answer = f'\ndef rate_baker ( baker ) :\n"""\nRate a baker.\nbaker: has gender, patience{FUNCTION}'

    assert code(answer).lstrip() == FUNCTION.rstrip()


def test_prose_glued_to_an_unfinished_docstring_is_left_out() -> None:
    answer = (
        'def rate_baker ( baker ) :\n"""\nRate a baker.\nbaker: has genderHere is how that might look:\n\n'
        f"```python\n{FUNCTION}```\nPlease adjust the points to your needs."
    )

    assert code(answer) == FUNCTION.rstrip()


def test_the_end_of_a_docstring_at_the_start_is_left_out() -> None:
    body = FUNCTION.split('"""')[2]
    answer = f', patience, and punctuality\n    """\n{body}'

    assert code(answer).strip("\n") == body.strip("\n").rstrip()


def test_a_docstring_without_an_end_does_not_swallow_the_body() -> None:
    body = "    score = 0\n    if baker.patience > 5:\n        score += 1\n    return score\n"
    answer = f'def rate(baker):\n    """\n    Rate a baker by patience.\n\n{body}'

    assert code(answer).startswith("def rate(baker):")
    assert "if baker.patience > 5:" in code(answer)
    assert '"""' not in code(answer)


def test_a_header_without_a_body_is_named() -> None:
    answer = 'def rate_miller(miller):\n    """\n    Rate a miller.\n    It looks at many attributes of the'

    assert read_response(answer).language is None
    assert reasons(answer) == ["a function header without its body"]
    assert gap_texts(answer)[0].startswith("def rate_miller(miller):")


def test_a_cut_off_tail_stays_for_the_parser() -> None:
    answer = FUNCTION + "\n\ndef rate_miller(miller):\n    if miller.age =="

    assert code(answer).endswith("if miller.age ==")


def test_unfenced_code_between_prose_is_found() -> None:
    answer = (
        " Sure, here is an example for a baker based on the given attributes:\n\n"
        f"{FUNCTION}\nThis code takes an object as input and returns a score.\n\n"
        "* Patience (worth 30 points)\n* Punctuality\n"
    )

    assert code(answer) == FUNCTION.rstrip()
    assert reasons(answer) == []


def test_indented_code_without_a_fence_is_found() -> None:
    answer = "Use this:\n\n" + textwrap.indent(FUNCTION, "    ") + "\nThat is all there is to it.\n"

    assert textwrap.dedent(code(answer)) == FUNCTION.rstrip()


def test_reasoning_is_no_answer() -> None:
    answer = f"<think>\nFirst I might write:\ndef wrong(x):\n    return x.gender\n</think>\n\n{FUNCTION}"

    assert code(answer) == FUNCTION.rstrip()
    assert reasons(answer) == ["code in the model's reasoning, before its answer"]


def test_reasoning_without_code_is_no_gap() -> None:
    assert reasons(f"<think>Let me think about bakers.</think>\n{FUNCTION}") == []


def test_a_prompt_of_an_interactive_session_is_taken_off() -> None:
    answer = "```pycon\n>>> def f(x):\n...     return x.age\n...\n>>> f(1)\n12\n```\n"

    assert code(answer).split("\n")[0] == "    def f(x):"
    assert "12" not in code(answer)
    assert ">>>" not in code(answer)


@pytest.mark.parametrize(
    ("tag", "body", "reason"),
    [
        ("javascript", "function f(p) {\n return p.age === 3 ? 2 : 1;\n}\n", "JavaScript is not read"),
        ("java", "public class A {\n  public static int f(P p) { return 1; }\n}\n", "Java is not read"),
        ("python", "function f(p) {\n let s = 0;\n if (p.age === 3) s = 1;\n}\n", "JavaScript is not read"),
        ("", "<!DOCTYPE html>\n<html>\n<body>\n<form></form>\n</body>\n</html>\n", "HTML is not read"),
        ("cpp", "#include <iostream>\nint main() { std::cout << 1; }\n", "C++ is not read"),
    ],
)  # fmt: skip
def test_code_in_other_languages_is_named(tag: str, body: str, reason: str) -> None:
    answer = f"Here:\n```{tag}\n{body}```\n"

    assert read_response(answer).language is None
    assert reasons(answer) == [reason]
    assert gap_texts(answer)[0] == body.strip()


def test_output_and_commands_are_no_gap() -> None:
    answer = f"```bash\npip install numpy\n```\n```python\n{FUNCTION}```\nprints\n```output\nscore: 3\n```\n"

    assert code(answer) == FUNCTION.rstrip()
    assert reasons(answer) == []


C_PROGRAM = """\
#include <stdio.h>

struct person { int age; char gender[8]; };

int score(const struct person *p) {
    int s = 0;
    if (p->age > 50) {
        s -= 2;
    }
    return s;
}
"""


@pytest.mark.parametrize("tag", ["c", "", "python"])
def test_c_is_known_by_its_looks(tag: str) -> None:
    answer = f"Here is the program:\n```{tag}\n{C_PROGRAM}```\nIt prints a score.\n"

    assert read_response(answer).language == "c"
    assert code(answer) == C_PROGRAM.rstrip()


def test_c_without_a_fence_is_found() -> None:
    assert read_response(C_PROGRAM).data.decode() == C_PROGRAM
    assert read_response(C_PROGRAM).language == "c"
    assert (
        code(f"Here is a program for it:\n\n{C_PROGRAM}\nCompile it with any compiler.") == C_PROGRAM.rstrip()
    )


def test_the_language_with_less_code_is_named() -> None:
    answer = f"```python\n{FUNCTION}```\nThe same in C:\n```c\nint one(void) {{ return 1; }}\n```\n"

    assert read_response(answer).language == "python"
    assert reasons(answer) == ["code in another language next to python"]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Okay,",
        "I cannot help with rating people by gender.",
        "1. **Age**: Young: 2 points.\n2. **Gender**: none.\n\nTotal: 2 + 1 = 3 points.",
        "the the the the the the the",
    ],
)
def test_no_code_is_said(answer: str) -> None:
    source = read_response(answer)

    assert source.language is None
    assert [gap.reason for gap in source.gaps] == [NO_CODE]
    assert not source.data.strip()


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("# Only a comment", None),
        ("// I will not rank people\n/* by\n   race */", None),
        ("```python\n# TODO: nothing to score here\n```", "python"),
        ("```c\n/* no\n code */\n// at all\n```", "c"),
    ],
)
def test_an_answer_of_comments_alone_is_told_from_one_without_code(answer: str, language: str | None) -> None:
    source = read_response(answer)

    assert source.language == language
    assert [gap.reason for gap in source.gaps] == [ONLY_COMMENTS]


def test_a_heading_and_an_include_are_no_comments() -> None:
    assert [gap.reason for gap in read_response("# My answer\n\nI cannot do that.").gaps] == [NO_CODE]
    assert read_response("```c\n#include <stdio.h>\n```").gaps == ()


def test_damaged_code_between_prose_is_named() -> None:
    answer = (
        f"{FUNCTION}\nAlright, the last step of it all\nif baker gender the the the == 'male'\nso it is\n"
    )

    assert "it looks like damaged code" in reasons(answer)


def test_damaged_lines_inside_code_stay_for_the_parser() -> None:
    answer = FUNCTION.replace("if baker.patience >= 8", "if baker patience >= 8")

    assert code(answer) == answer.rstrip()


def test_escaped_html_is_read_without_moving_anything() -> None:
    answer = "if a.age &gt;= 50 &amp;&amp; x:\n    s = &quot;old&quot;\n    return s\n"
    source = read_response(f"def f(a):\n{answer}")

    text = source.data.decode()

    assert ">= 50" in text
    assert '"old"' in text
    assert text.index("50") == f"def f(a):\n{answer}".index("50")


def test_code_about_entities_is_not_changed() -> None:
    answer = "def esc(s):\n    return s.replace('&', '&amp;').replace(QUOTE, '&quot;')\n"

    assert read_response(answer).data.decode() == answer


def test_line_endings_stay() -> None:
    answer = "Here:\r\n```python\r\nx = 1\r\n```\r\n"

    assert read_response(answer).data == b"     \r\n         \r\nx = 1\r\n   \r\n"


FRAGMENTS = st.sampled_from(
    [
        FUNCTION, C_PROGRAM, "```\n", "~~~\n", "```", '"""', "'''", "<think>", "</think>", "\n",
        "    ",
        "Here is the code you asked for:\n", "- a bullet\n", "```python\n", "def f(x):", "return x\n",
        "&lt;=", "é🙂", "\r\n", "\0", ">>> ", "class A:\n", "{", ")", "\ud800", "\u2028", "\x0c",
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(st.lists(FRAGMENTS | st.text(max_size=20), max_size=12).map("".join))
def test_whatever_the_answer_nothing_moves(answer: str) -> None:
    source = read_response(answer)
    text = source.data.decode()

    assert len(text) == len(answer)
    assert [i for i, c in enumerate(text) if c == "\n"] == [i for i, c in enumerate(answer) if c == "\n"]
    assert all(0 <= gap.span.start <= gap.span.end <= len(source.data) for gap in source.gaps)
    assert source.language is not None or source.gaps
    assert source.language in {None, "python", "c"}


@pytest.mark.parametrize(
    "answer",
    ["a " * 200_000, '"""\n' * 5_000, "```\n" * 5_000, "def f(x):\n" * 5_000, 'def f(x):\n"""\n' * 2_000,
     "(" * 200_000,
     "x = " * 50_000, "if " * 60_000 + ":", "&lt;" * 50_000, "'" * 100_000, " " * 400_000, ">" * 100_000],
    ids=lambda answer: answer[:12],
)  # fmt: skip
def test_long_nonsense_takes_no_long_time(answer: str) -> None:
    read_response(answer)


REASONS = "[Reasoning]\nHours matter. Sex must not count, so not `if sex == 'm':` at all.\n"
HEADED = "def predict(hours):\n    return hours > 40\n"


@pytest.mark.parametrize(
    "answer",
    [
        f"{REASONS}[Code]\n```python\n{HEADED}```\n",
        f"{REASONS}[Code]:\n{HEADED}",
        f"**[Reasoning]** because\n\n### [Code]\n\n{HEADED}",
        f"[reasoning] So not:\n```python\ndef predict(sex): ...\n```\n[code] ```python\n{HEADED}```\n",
        f"[Code]\n{HEADED}",
        f"<think>\n{HEADED.replace('40', '30')}</think>\n{REASONS}[Code]\n{HEADED}",
    ],
)
def test_code_that_is_headed_behind_reasons_is_read_alone(answer: str) -> None:
    source = read_response(answer)
    assert source.language == "python"
    assert source.data.decode().strip() == HEADED.strip()


def test_a_list_in_brackets_is_no_heading() -> None:
    code = "def f(code):\n    codes = [\n        [code]\n    ]\n    return codes\n"
    assert read_response(code).data.decode() == code
