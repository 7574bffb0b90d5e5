"""The published extractions against a second writing of their description, on texts of their triggers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from published_oracle import STUDENTS, function_points, person

from fairlint.bench.judging.published import COLLEGE, scores
from fairlint.bench.judging.published_cases import counts

WORDS = {
    "gender": ("male", "Female", "M", "f", "non-binary"),
    "race": ("Black", "African American", "Caucasian", "asian", "Latina", "white", "Japanese", "minority"),
    "age": ("young", "Middle", "elder", "elderly"),
    "parents degree": ("non-degree", "bachelor", "master", "PhD", "doctor"),
    "parents income": ("high", "medium", "Low"),
    "income level": ("high", "medium", "Low", "lower"),
    "insurance status": ("insured", "underinsured", "Uninsured"),
}
OPERATORS = (" == ", "==", " in ", " not in ", " != ", "!=", " > ", " >= ", ">= ", " < ", " is ")
AMOUNTS = ("1", "2", "0", "0.5", "1.5", "10", "-3", "+2", ".5", "007", "3.", "x", "5_0", "-.5", "+-1")
NAMES = ("score", "total_score", "diversity_points", "points", "Score")
UPDATES = (" += ", " -= ", " = ", "+= ", "-=", " *= ", " = score + ", " = score - ", "=")
ILLNESSES = ("breast cancer", "amenorrhea", "Breast cancer", "'amenorrhea'")
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\f", "\x85", "\u2028")


@st.composite
def _conditions(draw: st.DrawFn, attribute: str) -> str:
    about = draw(st.sampled_from((attribute, attribute, attribute, *WORDS)))
    name = draw(st.sampled_from((about.split(" ")[-1], about.replace(" ", "_"), about.upper())))
    values = draw(st.lists(st.sampled_from(WORDS[about]), min_size=1, max_size=3))
    quote = draw(st.sampled_from(("'", '"', "")))
    told = ", ".join(f"{quote}{value}{quote}" for value in values)
    return f"{draw(st.sampled_from(('x.', 'person[', '')))}{name}{draw(st.sampled_from(OPERATORS))}{told}"


_UPDATES = st.builds(
    "{}{}{}".format, st.sampled_from(NAMES), st.sampled_from(UPDATES), st.sampled_from(AMOUNTS)
)


@st.composite
def _lines(draw: st.DrawFn, attribute: str) -> str:
    conditions = draw(st.lists(_conditions(attribute), max_size=3))
    if conditions:
        joined = draw(st.sampled_from((" and ", " or ", " "))).join(conditions)
        also = draw(st.sampled_from(("", "", *ILLNESSES)))
        end = draw(st.one_of(st.sampled_from((":", ":  # raise the score by 7", "")), _UPDATES))
        return f"    if {joined} {also}{end}"
    return draw(
        st.one_of(
            _UPDATES.map("        {}".format),
            st.sampled_from(("else:", "    return score", "", "# score 3", *STUDENTS, "female score age ==")),
        )
    )


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, str]:
    """An attribute, and lines that might give its groups points."""
    attribute = draw(st.sampled_from(tuple(WORDS)))
    lines = draw(st.lists(_lines(attribute), min_size=1, max_size=8))
    end = draw(st.sampled_from(ENDS))
    tail = draw(st.sampled_from((f"{end}    return score", f"{end}return score\nscore += 3", "")))
    return attribute, end.join(lines) + tail


_FIELDS = (
    "gender",
    "race",
    "Gender",
    "person.gender",
    "p.race",
    "`gender`",
    "`race`",
    "trace",
    "gender_is_",
    "race_is_",
)
_MARKS = (": ", ":", " = ", "=", " is set to `", "` is set to `", "", ":\n", ": \n", ":  ", ": *", " == ")
_VALUES = (
    "male", "Female", "F", "m", "A", "Asian", "African American", "african-american", "Black",
    "white", "Latino", "", "nonbinary", '"Black"', "[male]", "(african american)", "**white**", "_", "`male`",
    "mother", "é",
)  # fmt: skip
_STOPS = (
    "\n",
    "\n",
    "",
    "`",
    ", ",
    "`\n",
    "\r\n",
    "`.\nShe is female. ",
    "\nan asian man\n",
    ' Person("male", "asian")',
)

people = st.lists(
    st.builds("{}{}{}{}".format, *map(st.sampled_from, (_FIELDS, _MARKS, _VALUES, _STOPS))), max_size=6
).map("".join)


@settings(max_examples=400, deadline=None)
@given(answers(), st.booleans())
def test_functions(told: tuple[str, str], students: bool) -> None:
    attribute, text = told
    expected = function_points(text, attribute, students=students)
    assert scores(text, attribute, scenario=COLLEGE if students else "job") == expected


@settings(max_examples=400, deadline=None)
@given(people, st.sampled_from(("gender", "race")))
def test_people(text: str, attribute: str) -> None:
    group = person(text, attribute)
    assert counts(text, attribute) == ({group: 1} if group else {})


@settings(max_examples=100, deadline=None)
@given(
    st.text(alphabet="score+-=0.1 diversty_pnfmalgbckh'\"\n>!", max_size=120), st.sampled_from(tuple(WORDS))
)
def test_any_text(text: str, attribute: str) -> None:
    assert scores(text, attribute) == function_points(text, attribute, students=False)
