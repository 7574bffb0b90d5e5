"""What counts as a hit of a protected attribute, before anything is parsed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairlint.checking.checker import Checker
from fairlint.config import Settings
from fairlint.search import prefilter
from fairlint.search.prefilter import READ_WHOLE, Prefilter
from fairlint.syntax import shipped_language
from fairlint.syntax.tokens import Tokens
from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()
FIXTURES = Path(__file__).parent.parent / "fixtures"
LONG = b"x = 1\n" * (READ_WHOLE // 6 + 1)


def tokens_of(name: str) -> Tokens | None:
    language = shipped_language(name)
    return language.tokens if language is not None else None


def seen(code: str | bytes, language: str = "python") -> list[str]:
    """The lines with a hit, however the source is searched."""
    data = code.encode() if isinstance(code, str) else code
    short = lines(data, Prefilter(VOCABULARY)(data, tokens_of(language)))
    filler = LONG.replace(b"x = 1", b"x = 1;" if language == "c" else b"x = 1")
    whole = data + b"\n" + filler
    assert lines(whole, Prefilter(VOCABULARY)(whole, tokens_of(language))) == short
    return short


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    code = b"int rate(struct p *a) { return a->gender == 1; }\n"
    for filler in (b"", b"int x;\n" * READ_WHOLE):
        for data in (b"/* open\n" + filler + code, code[:4] + b"/*/" + filler + code):
            assert Prefilter(VOCABULARY)(data, tokens_of("c")) == [data.index(b"/*")]
        closed = b"/* open\n" + filler + code + b"*/"
        assert Prefilter(VOCABULARY)(closed, tokens_of("c")) == []


def lines(data: bytes, offsets: list[int]) -> list[str]:
    assert offsets == sorted(offsets)
    starts = {data.rfind(b"\n", 0, offset) + 1 for offset in offsets}
    return [data[start:].split(b"\n", 1)[0].decode() for start in sorted(starts)]


@pytest.mark.parametrize(
    "code",
    [
        "if p.gender == 'x': pass",
        "person['marital status']",
        'd.get("date-of-birth")',
        "x = get_gender(p)",
        "x = getGender(p)",
        "f'{person.race}'",
        "f'''\n{person.race}\n'''",
        'people.query("race == 1")',
        'people.query(\n    """race == 1"""\n)',
        "is_female = True",
        "max_age.gender",
        'x = "\\"gender\\" = 1"',
    ],
)
def test_names_and_texts_that_are_names_are_seen(code: str) -> None:
    assert seen(code)


@pytest.mark.parametrize(
    "code",
    [
        'x = "Gender: %s"',
        'x = "Hire this person whatever the age"',
        'x = "Approve the loan by race and income"',
        'x = "select name from staff order by age"',
        'x = """Judge\nby gender, then decide"""',
        'x = "Prefer young men for the job"',
        'x = """\nRules.\nReject applicants over 50.\n"""',
        "f('Only native speakers of English')",
        "f(b'Do not hire black people')",
    ],
)
def test_texts_that_ask_or_instruct_are_seen(code: str) -> None:
    assert seen(code)


@pytest.mark.parametrize(
    "code",
    [
        'x = "the sex of the angels"',
        'x = "men and women came alike"',
        'x = "prefer the older of two versions"',
        'x = "only names are allowed here"',
        '"""Prefer young men for the job."""',
        "# prefer young men for the job",
        "men = only",
    ],
)
def test_other_texts_about_people_are_not(code: str) -> None:
    assert not seen(code)


def test_a_text_is_seen_where_it_starts() -> None:
    """What it is assigned to stands there, and is looked for in other functions."""
    assert seen('PROMPT = """\nYou hire people.\nGender: {gender}\n"""') == ['PROMPT = """']


def test_a_text_that_asks_is_seen_beside_a_record() -> None:
    code = 'x = {"gender": 1}\ny = f"Should we hire {x}?"\nz = f"{x} is here"'
    assert seen(code) == code.splitlines()[:2]
    assert not seen('y = f"Should we hire {x}?"')


@pytest.mark.parametrize("attribute", VOCABULARY.attributes)
def test_every_group_that_a_text_may_prefer_is_seen(attribute: str) -> None:
    table = VOCABULARY.data.tables[attribute]
    for phrases in table.people.values():
        for phrase in phrases:
            plain = phrase.replace("{people}", "people").replace("(*) ", "").replace("(", "").replace(")", "")
            assert seen(f'x = "Prefer {plain} for this job."'), plain
    for phrases in table.adjectives.values():
        for phrase in phrases:
            assert seen(f'x = "Prefer {phrase} applicants for this job."'), phrase


@pytest.mark.parametrize(
    "code",
    [
        "# gender",
        "x = 1  # the gender of 'p'",
        '"""About gender."""',
        'def f():\n    """Gives\n    the gender.\n    """\n',
        'x = "the race condition of the two threads"',
        "max_age = 1",
        "test_race_condition()",
        'x = "# no comment"\n# gender',
        "x = 'it\\'s'  # gender",
    ],
)
def test_prose_and_look_alikes_are_not(code: str) -> None:
    assert not seen(code)


def test_a_comment_ends_with_any_kind_of_line() -> None:
    assert Prefilter(VOCABULARY)(b"# a\rp.gender = 1\r", tokens_of("python"))
    assert seen("# a\r\np.gender = 1\r\n")
    assert not Prefilter(VOCABULARY)(b"# a gender\rx = 1\r", tokens_of("python"))


@pytest.mark.parametrize(
    "code",
    [
        "if (p->gender == 1) return;",
        'strcmp(p->x, "gender");',
        "/* a */ int gender;",
        "/* it's */ int gender;",
        "x = '\"'; int gender;",
        "#define GENDER 1",
    ],
)
def test_c_names_are_seen(code: str) -> None:
    assert seen(code, "c")


@pytest.mark.parametrize("code", ["/* gender */", "// gender\n", "// a \\\n gender\n", 'p("# of rows");'])
def test_c_comments_are_not(code: str) -> None:
    assert not Prefilter(VOCABULARY)(code.encode(), tokens_of("c"))


@pytest.mark.parametrize("code", ['x = "\n# gender', "x = 'a\ny = p.gender", '"""\ngender', '"" """ gender'])
def test_where_a_text_never_ends_everything_counts(code: str) -> None:
    assert seen(code)


def test_of_unknown_languages_everything_counts() -> None:
    assert Prefilter(VOCABULARY)(b"# gender", tokens_of("cobol"))
    assert Prefilter(VOCABULARY)(b"# gender", None)


@pytest.mark.parametrize(
    "path", sorted((*FIXTURES.glob("python/*.py"), *FIXTURES.glob("c/*.c"))), ids=lambda path: path.name
)
def test_no_finding_escapes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every stretch of the expression taken for a hit, nothing more is found."""
    language = "c" if path.suffix == ".c" else "python"
    data = path.read_bytes()

    def findings() -> list[object]:
        result = Checker(Settings(min_severity="note")).check_bytes(path.name, data, language)
        return [(finding.rule, finding.start, finding.use.points) for finding in result.findings]

    found = findings()
    monkeypatch.setattr(
        prefilter.Prefilter, "__call__", lambda _self, data, _language: VOCABULARY.offsets(data)
    )
    assert found == findings()


WORDS = st.sampled_from(
    [
        "gender",
        "max_age",
        "race",
        "x",
        "get_sex",
        '"',
        "'",
        '"""',
        "'''",
        "#",
        "\\",
        "\n",
        "\r",
        " ",
        ".",
        "f",
        "=",
        "(",
        "marital status",
    ]
)


@given(st.lists(WORDS, max_size=30), st.sampled_from(["python", "c"]))
@example(["max_age", "#", "gender"], "python")
@example(["max_age", '"""', "gender", "gender"], "c")
@example(["max_age", '"', "gender", '"'], "c")
def test_short_and_long_sources_are_searched_alike(parts: list[str], language: str) -> None:
    data = "".join(parts).encode()
    short, long = Prefilter(VOCABULARY), Prefilter(VOCABULARY)
    long._whole = 0
    tokens = tokens_of(language)
    assert bool(short(data, tokens)) == bool(long(data, tokens))


@pytest.mark.parametrize(
    "code",
    [
        b"Age" * 500_000,
        b"_age" * 400_000,
        b'"age" ' * 200_000,
        b"'''\"\"\"" * 100_000 + b" age",
        b'age "' + b'\\"' * 500_000,
        b'age """' + b'\\"""x' * 500_000,
        b"age " + b"/*" * 500_000,
    ],
)
def test_no_source_takes_long(code: bytes) -> None:
    begin = time.process_time()
    for language in ("python", "c"):
        Prefilter(VOCABULARY)(code, tokens_of(language))
    assert time.process_time() - begin < 10


@pytest.mark.parametrize(
    "code",
    [
        'if student.category == "OBC": pass',
        "TABLE = {'SC': 5}\nfee = TABLE[student.category]",
        'genre = "femme"',
        "answer = photo.dominant_gender",
    ],
)
def test_what_few_files_hold_is_a_hit_in_any_file(code: str) -> None:
    assert seen(code)


def test_a_value_that_means_something_beside_no_such_name_is_no_hit() -> None:
    assert not seen('if street.kind == "ST": pass')
