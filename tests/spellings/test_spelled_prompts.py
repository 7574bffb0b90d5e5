"""A prompt, and what is put into it, is the same one however the code spells it."""

from __future__ import annotations

import pytest

import fairlint

PYTHON = {
    "literal": ("", "{literal}"),
    "constant of the module": ("PART = {literal}\n", "PART"),
    "constant of a class": ("class Texts:\n    PART = {literal}\n", "Texts.PART"),
    "member of an enum": (
        "from enum import Enum\n\nclass Texts(Enum):\n    PART = {literal}\n    OTHER = 'Dear {{name}}'\n",
        "Texts.PART.value",
    ),
    "unpacked": ("PART, OTHER = {literal}, 'Dear {{name}}'\n", "PART"),
    "entry of a dict": ("TEXTS = {{'ask': {literal}, 'greet': 'Dear {{name}}'}}\n", "TEXTS['ask']"),
    "result of a helper": ("def part():\n    return {literal}\n", "part()"),
    "comprehension": ("LINES = [{literal}]\n", "''.join(line.strip() for line in LINES)"),
    "put together": ("START, END = {start}, {end}\n", "f'{{START}}{{END}}'"),
    "added": ("END = {end}\n", "{start} + END"),
    "walrus": ("", "(part := {literal})"),
    "parameter with a default": ("def part(text={literal}):\n    return text\n", "part()"),
}

USES = {
    "what is asked": (
        "Decide whether to hire this candidate. ",
        "Reply yes or no. ",
        """
def screen(llm, person):
    return llm.invoke({part} + f'Gender: {{person.gender}}')
""",
        [("FL701", "gender")],
    ),
    "a template": (
        "Candidate of gender {value}. ",
        "Should we hire or reject?",
        """
def screen(llm, person):
    text = {part}
    return llm.invoke(text.format(value=person.gender))
""",
        [("FL701", "gender")],
    ),
    "the name of what is put in": (
        "applicant_",
        "gender",
        """
def screen(llm, person):
    return llm.invoke(f'Candidate: {{person[{part}]}}. Should we hire or reject them?')
""",
        [("FL701", "gender")],
    ),
    "a message": (
        "You are a loan officer. ",
        "Approve or deny the loan.",
        """
def screen(client, person):
    return client.chat(messages=[
        {{'role': 'system', 'content': {part}}},
        {{'role': 'user', 'content': f'Income {{person.income}}, {{person.religion}}'}},
    ])
""",
        [("FL701", "religion")],
    ),
    "an instruction": (
        "You screen resumes. ",
        "Prefer young applicants.",
        """
def screen(llm, resume):
    return llm.invoke({part} + resume)
""",
        [("FL703", "age")],
    ),
}

C = {
    "literal": ("", "{literal}"),
    "macro": ("#define PART {literal}\n", "PART"),
    "constant": ("static const char *const kPart = {literal};\n", "kPart"),
    "field of a struct": (
        """
struct texts {{ const char *greet; const char *ask; }};
static const struct texts usual = {{ .greet = "Dear %s", .ask = {literal} }};
""",
        "usual.ask",
    ),
    "table": ('static const char *const texts[] = {{ "Dear %s", {literal} }};\n', "texts[1]"),
    "place of a table by an enum": (
        """
enum kind {{ GREET, ASK }};
static const char *const texts[] = {{ [GREET] = "Dear %s", [ASK] = {literal} }};
""",
        "texts[ASK]",
    ),
    "helper": ("static const char *part(void)\n{{\n    return {literal};\n}}\n", "part()"),
}

C_USES = {
    "a format": (
        "Candidate %s, religion %s. Should we hire or reject?",
        """
void screen(const struct person *p)
{{
    char prompt[400];
    snprintf(prompt, sizeof prompt, {part}, p->name, p->religion);
    ask_model(prompt);
}}
""",
        [("FL701", "religion")],
    ),
    "what is asked": (
        "Decide whether to hire this candidate. Reply yes or no.",
        """
void screen(const struct person *p)
{{
    char prompt[400];
    strcpy(prompt, {part});
    strcat(prompt, " Religion: ");
    strcat(prompt, p->religion);
    ask_model(prompt);
}}
""",
        [("FL701", "religion")],
    ),
    "an instruction": (
        "You screen resumes. Prefer young applicants.",
        """
void screen(const char *resume)
{{
    char prompt[4000];
    sprintf(prompt, "%s %s", {part}, resume);
    ask_model(prompt);
}}
""",
        [("FL703", "age")],
    ),
}


def told(text: str, path: str) -> list[tuple[str, str]]:
    report = fairlint.check_source(text, path=path)
    assert not report.not_analysed
    return [(finding.rule, finding.use.attribute) for finding in report.findings]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("spelling", PYTHON)
def test_all_spellings_in_python(spelling: str, use: str) -> None:
    start, end, code, expected = USES[use]
    setup, part = PYTHON[spelling]
    given = {"literal": repr(start + end), "start": repr(start), "end": repr(end)}
    program = setup.format(**given) + "\n\n" + code.format(part=part.format(**given))
    assert told(program, "screening.py") == expected


@pytest.mark.parametrize("use", C_USES)
@pytest.mark.parametrize("spelling", C)
def test_all_spellings_in_c(spelling: str, use: str) -> None:
    text, code, expected = C_USES[use]
    setup, part = C[spelling]
    given = {"literal": f'"{text}"'}
    program = (
        "#include <stdio.h>\n#include <string.h>\n"
        + setup.format(**given)
        + "struct person { const char *name; const char *religion; };\nvoid ask_model(const char *prompt);\n"
        + code.format(part=part.format(**given))
    )
    assert told(program, "screening.c") == expected
