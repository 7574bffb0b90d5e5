"""Changes that cannot change what comes of a program change no finding; the net itself is tried, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import metamorphic
import pytest
from metamorphic import CHANGES, differences, is_known, measure, programs, told_of, tried
from metamorphic_edits import Changed, NotHereError, Program
from metamorphic_words import HEADERS, IMPORTS, KNOWN

from fairlint.syntax.c.parser import parse
from fairlint.vocabulary.context import Context
from fairlint.vocabulary.weighing import weigh_mention

if TYPE_CHECKING:
    from fairlint.vocabulary.model import Evidence, Mention, Surroundings

SCORER = b'''import math


def points(applicant):
    """Points of an applicant."""
    score = 0
    if applicant.gender == "male" and applicant.years > 2:
        score += 5
    else:
        score += 1
    return score


def limit(driver):
    if driver.age < 25:
        rate = 2
    elif driver.age > 70:
        rate = 3
    else:
        rate = 1
    return rate
'''
NESTED = "else and if to elif"
PROGRAM = Program("scorer.py", "scorer.py", SCORER)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_changes_nothing_changes_no_finding(name: str) -> None:
    tally = measure(range(16), 11, [name])[name]
    assert tally.examples == []
    assert tally.programs or name == NESTED  # no fixture nests an `if` where `elif` would do


@pytest.mark.parametrize("name", [name for name in CHANGES if not name.startswith("C: ")])
def test_a_changed_program_is_the_same_program(name: str) -> None:
    """What it computes is what it computed, where the change fits."""
    results = []
    for seed in range(6):
        try:
            changed = CHANGES[name](random.Random(seed), PROGRAM)
        except NotHereError:
            continue
        results.append(changed)
        (path, text), *others = changed.files.items()
        assert (path, text) != (PROGRAM.path, SCORER)
        if not others and path.endswith(".py"):
            compile(text, path, "exec")
            assert _outcomes(text, changed) == _outcomes(SCORER, Changed({}))
    assert results or name in {"annotation removed", "str.f(x) for x.f()", "else and if to elif", "two files"}


def _outcomes(text: bytes, changed: Changed) -> list[object]:
    lines = [line for line in text.decode().splitlines() if not line.startswith(("import ", "from "))]
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    people = [
        type("Person", (), {"gender": gender, "years": years, "age": age})()
        for gender in ("male", "female") for years in (1, 3) for age in (20, 40, 80)
    ]  # fmt: skip
    functions = [names[changed.renamed.get(name, name)] for name in ("points", "limit")]
    return [function(person) for function in functions for person in people]  # type: ignore[operator]


def test_an_if_in_an_else_becomes_an_elif() -> None:
    nested = CHANGES["elif to else and if"](random.Random(1), PROGRAM)
    again = CHANGES[NESTED](random.Random(1), Program("n.py", PROGRAM.path, nested.files[PROGRAM.path]))
    assert again.files[PROGRAM.path] == SCORER


def test_a_place_is_known_again_after_an_edit() -> None:
    changed = CHANGES["comment"](random.Random(1), PROGRAM)
    new = changed.files[PROGRAM.path].decode().splitlines()
    for number, line in enumerate(SCORER.decode().splitlines(), 1):
        now = changed.line_of(number)
        assert now is not None
        assert new[now - 1] == line


def test_the_same_number_gives_the_same_program() -> None:
    first, second = tried(5, 1), tried(5, 1)
    assert first is not None
    assert second is not None
    assert (first[0], first[2].files) == (second[0], second[2].files)


def test_a_veto_of_an_import_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net itself: an import that speaks against a person is met as a loss."""
    real = weigh_mention

    def weigh(
        context: Context, mention: Mention, around: Surroundings, **given: object
    ) -> tuple[Evidence, ...]:
        if any(module.startswith("zlib") for module in around.imports):
            return ()
        return real(context, mention, around, **given)  # type: ignore[arg-type]

    before = told_of(PROGRAM)
    changed = Changed(
        {PROGRAM.path: SCORER.replace(b"import math\n", b"import math\nimport zlib\n")}, lambda line: line + 1
    )
    assert differences(before, metamorphic.checked(changed.files), changed) == []
    monkeypatch.setattr("fairlint.vocabulary.weighing.weigh_mention", weigh)
    assert {kind for kind, _ in differences(before, metamorphic.checked(changed.files), changed)} >= {"lost"}


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (SCORER.replace(b"+= 5", b"+= 7"), "points"),
        (SCORER.replace(b'"male"', b'"other"'), "points"),
        (SCORER.replace(b"return score", b"return 0"), "severity"),
        (b"\n" + SCORER, "lost"),
        (SCORER + SCORER.replace(b"points", b"second"), "new"),
    ],
)
def test_each_kind_of_change_is_noticed(new: bytes, kind: str) -> None:
    changed = Changed({PROGRAM.path: new})
    kinds = {one for one, _ in differences(told_of(PROGRAM), metamorphic.checked(changed.files), changed)}
    assert kinds & {kind, "lost", "new"}


def test_a_finding_at_another_line_is_another_one() -> None:
    changed = Changed({PROGRAM.path: b"\n" + SCORER}, lambda line: line + 1)
    assert differences(told_of(PROGRAM), metamorphic.checked(changed.files), changed) == []
    stays = Changed({PROGRAM.path: b"\n" + SCORER}, lambda line: line)
    kinds = [kind for kind, _ in differences(told_of(PROGRAM), metamorphic.checked(stays.files), stays)]
    assert sorted(set(kinds)) == ["lost", "new"]


def test_what_is_known_has_a_reason_and_is_of_one_kind() -> None:
    for one in KNOWN:
        assert one["reason"].strip()
        assert one["change"] in CHANGES or f"C: {one['change']}" in CHANGES
    assert is_known("C: function renamed", "FL403", "read_form → read_form_graph")
    assert not is_known("function renamed", "FL201", "read_form → read_form_graph")


def test_there_are_hundreds_of_programs_and_modules() -> None:
    assert len(programs()) > 250
    assert len({module for module, _ in IMPORTS}) >= 300
    assert len(set(HEADERS)) >= 90


@pytest.mark.parametrize("name", [name for name in CHANGES if name.startswith("C: ")])
def test_a_changed_program_of_c_is_read_without_a_gap(name: str) -> None:
    read = 0
    for number in range(12):
        made = tried(number, 3, [name])
        if made is not None:
            (path, text), *_ = made[2].files.items()
            tree = parse(text, None)
            assert not tree.gaps, (path, made[2].said)
            read += 1
    assert read
