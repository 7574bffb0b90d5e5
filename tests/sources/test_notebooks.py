"""Notebooks: the code in the cells, what IPython adds to it, damage, and places in the JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.checking.runner import check_paths, check_source
from fairlint.config import Settings
from fairlint.findings.report import NotAnalysed, Report
from fairlint.sources.notebooks import JsonPlaces, read_notebook
from fairlint.support.files import NotReadableError
from fairlint.syntax import SHIPPED
from fairlint.syntax.depth import TOO_DEEP
from fairlint.syntax.python.magics import plain_python

SCORE = """\
def score(applicant):
    points = applicant.years_experience
    if applicant.gender == "male":
        points += 5
    return points
"""
CLEAN = "import math\n"


def notebook(*cells: str | tuple[str, str] | dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A notebook of code cells; a pair is (type, source), a dict the whole cell."""
    made = []
    for cell in cells:
        if isinstance(cell, dict):
            made.append(cell)
            continue
        kind, text = ("code", cell) if isinstance(cell, str) else cell
        whole: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        made.append(whole | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made, **changes}


def read(document: object) -> bytes:
    return read_notebook("a.ipynb", json.dumps(document).encode(), 1_000_000, SHIPPED).data


def checked(document: object, **options: Any) -> Report:
    report = check_source(json.dumps(document, **options), path="a.ipynb")
    assert not report.failed, report.not_analysed
    return report


# Cells ------------------------------------------------------------------------------------------------------


def test_findings_are_placed_in_their_cells() -> None:
    report = checked(notebook(("markdown", "# Applicants"), CLEAN, ("raw", "x"), SCORE), indent=1)

    [finding] = report.findings
    assert (finding.path, finding.cell, finding.start.line, finding.start.column) == ("a.ipynb", 4, 3, 8)
    assert {(step.cell, step.start.line) for step in finding.flow} == {(4, 3), (4, 4)}
    assert report.files == 1


def test_names_go_from_one_cell_to_the_next() -> None:
    rate = "def rate(candidate):\n    score = 1\n    score += BONUS[candidate.gender]\n    return score"
    [finding] = checked(notebook('BONUS = {"male": 5, "female": 2}', rate)).findings

    assert (finding.rule, finding.cell, finding.start.line) == ("FL202", 2, 3)
    assert (1, 1) in {(step.cell, step.start.line) for step in finding.flow}


@pytest.mark.parametrize("text", [SCORE, SCORE.splitlines(keepends=True), [SCORE[:30], SCORE[30:]]])
def test_a_source_may_be_one_text_or_many(text: str | list[str]) -> None:
    [finding] = checked(notebook({"cell_type": "code", "source": text})).findings
    assert (finding.cell, finding.start.line) == (1, 3)


@pytest.mark.parametrize(
    "cell",
    [
        {"cell_type": "code"},
        {"cell_type": "code", "source": None},
        {"cell_type": "code", "source": [1, "x = 1\n", None]},
        {"source": "no type"},
        "no cell",
        None,
        {"cell_type": "code", "source": "x = '\ud800\\0'\0"},
        {"cell_type": "code", "metadata": [], "source": "x = 1"},
    ],
)
def test_odd_cells_do_no_harm(cell: Any) -> None:
    document = notebook(CLEAN, SCORE)
    document["cells"].insert(1, cell)
    [finding] = checked(document).findings
    assert finding.cell == 3


def test_outputs_and_text_are_not_code() -> None:
    document = notebook(CLEAN, ("markdown", SCORE))
    document["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [SCORE]}]
    assert checked(document).uses == ()


def test_fingerprints_stay_while_cells_move_and_outputs_change() -> None:
    before = notebook(CLEAN, SCORE)
    after = notebook(("markdown", "# New"), CLEAN, "x = 1\n", SCORE)
    for number, cell in enumerate(after["cells"]):
        cell["execution_count"] = number
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]

    [first], [second] = checked(before).findings, checked(after).findings
    assert first.fingerprint == second.fingerprint
    assert (first.cell, second.cell) == (2, 4)


def test_rules_of_paths_and_standard_input_know_notebooks(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(SCORE)))

    assert [finding.cell for finding in check_paths(["."]).findings] == [1]
    assert check_paths(["."], Settings(per_file_ignores={"*.ipynb": ("FL2",)})).findings == ()
    assert [finding.cell for finding in checked(notebook(SCORE)).findings] == [1]
    assert check_source(json.dumps(notebook(SCORE)), language="notebook").findings


# What is not read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "reason", "is_read"),
    [
        ("gender", 1, "not a notebook: it is not JSON (expecting value)", False),
        ('{"nbformat": 4,\n "cells": [', 2, "not a notebook: it is not JSON (expecting value)", False),
        ("", 1, "not a notebook: it is not JSON (expecting value)", False),
        ("[1, 2]", 1, "not a notebook: it names no nbformat", False),
        ('{"cells": []}', 1, "not a notebook: it names no nbformat", False),
        ('{"nbformat": 4, "cells": {}}', 1, "a damaged notebook: it has no list of cells", False),
        ('{"nbformat": 3, "worksheets": []}', 1, "notebook format 3 is not read, only 4", False),
        ('{"nbformat": 5, "cells": []}', 1, "notebook format 5 is not read, only 4", False),
        ("[\n" * 100_000, 181, f"a notebook whose JSON is {TOO_DEEP}", False),
        ('{"nbformat": 4, "x": ' + "1" * 5_000 + "}", 1, "not a notebook: JSON that cannot be read", False),
        (json.dumps(notebook()), 1, "a notebook without code cells", True),
        (json.dumps(notebook(("markdown", "gender"))), 1, "a notebook without code cells", True),
    ],
)
def test_what_is_no_notebook_is_named(text: str, line: int, reason: str, is_read: bool) -> None:
    report = check_source(text, path="a.ipynb")
    assert report.not_analysed == (NotAnalysed("a.ipynb", line, reason, "skipped"),)
    assert report.files == is_read
    assert not report.failed


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({"kernelspec": {"language": "R", "name": "ir"}}, "R"),
        ({"language_info": {"name": "julia"}}, "Julia"),
        ({"kernelspec": {"name": "ir"}}, "R"),
        ({"kernelspec": {"language": "sos"}}, "sos"),
    ],
)
def test_notebooks_of_other_languages_are_named(metadata: Any, name: str) -> None:
    report = checked(notebook("x <- 1 # gender", metadata=metadata))
    assert [gap.reason for gap in report.not_analysed] == [f"a notebook of {name} is not read"]
    assert report.files == 1


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"language": "python", "name": "conda-env-x-py"}},
        {"language_info": {"name": "ipython", "version": 3}},
        {"kernelspec": {"name": "my-own-kernel"}},
        {"kernelspec": None, "language_info": []},
        None,
    ],
)
def test_notebooks_of_python_are_known_whatever_says_so(metadata: Any) -> None:
    assert len(checked(notebook(SCORE, metadata=metadata)).findings) == 1


def test_only_the_code_has_to_be_small(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    document = notebook(SCORE)
    document["cells"][0]["outputs"] = [{"data": {"image/png": "A" * 300_000}}]
    (tmp_path / "a.ipynb").write_text(json.dumps(document))

    assert len(check_paths(["a.ipynb"], Settings(max_file_size=50_000)).findings) == 1
    too_large = check_paths(["a.ipynb"], Settings(max_file_size=100)).not_analysed
    assert "max-file-size" in too_large[0].reason
    code = check_paths(["a.ipynb"], Settings(max_file_size=20_000))
    assert code.findings
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(SCORE * 200)))
    assert "max-file-size" in check_paths(["a.ipynb"], Settings(max_file_size=5_000)).not_analysed[0].reason


# Large notebooks --------------------------------------------------------------------------------------------


LARGE = 200_000
"""Bytes of an output that dwarfs the code."""


def large(*cells: str, output: str = "A") -> bytes:
    document = notebook(*cells, metadata={"kernelspec": {"language": "python", "name": "python3"}})
    document["cells"][0]["outputs"] = [{"data": {"image/png": output * LARGE}}]
    return json.dumps(document, indent=1).encode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SCORE.replace("    ", "\t"), 1),
        ("x = 1\n" + SCORE.replace("if applicant.gender", "\n    if applicant.gender"), 1),
        (CLEAN, 0),
    ],
)
def test_escapes_hide_nothing(text: str, found: int) -> None:
    document = json.loads(large(CLEAN))
    document["cells"].append({"cell_type": "code", "source": text})
    for ascii_only in (True, False):
        raw = json.dumps(document, ensure_ascii=ascii_only).encode()
        assert len(check_source(raw, path="a.ipynb").findings) == found


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-2],
        lambda raw: b"x" + raw,
        lambda raw: raw.replace(b'"nbformat": 4', b'"nbformat": 3'),
        lambda raw: raw.replace(b'"code"', b'"raw"'),
        lambda raw: raw.replace(b"python3", b"ir").replace(b"python", b"R"),
    ],
)
def test_a_large_notebook_is_named_like_a_small_one(damage: Any) -> None:
    assert len(check_source(damage(large(CLEAN)), path="a.ipynb").not_analysed) == 1


# Damage -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damaged",
    [
        "x = (1,\nfor y in\n",
        'text = """never\nclosed\n',
        "def f(:\n    pass\n",
        "table = {'a': [1, 2,\n",
        ")\n",
        "values = [1\nother = 2",
    ],
)
def test_a_cell_that_does_not_parse_is_named_and_the_rest_checked(damaged: str) -> None:
    report = checked(notebook(SCORE, ("markdown", "now"), damaged, SCORE.replace("score", "rate")))

    assert [(finding.cell, finding.start.line) for finding in report.findings] == [(1, 3), (4, 3)]
    assert {(gap.path, gap.cell) for gap in report.not_analysed} == {("a.ipynb", 3)}
    assert all(gap.line <= 2 for gap in report.not_analysed)


def test_names_go_over_a_damaged_cell() -> None:
    rate = "def rate(candidate):\n    score = 1\n    score += BONUS[candidate.gender]\n    return score"
    report = checked(notebook('BONUS = {"male": 5, "female": 2}', "x = (", rate))
    assert [(finding.rule, finding.cell) for finding in report.findings] == [("FL202", 3)]


def test_python_2_is_read() -> None:
    report = checked(notebook("print 'gender'\n", SCORE))
    assert [finding.cell for finding in report.findings] == [2]
    assert report.not_analysed == ()


# What IPython adds ------------------------------------------------------------------------------------------

MAGICS = [
    ("%matplotlib inline\nx = 1\n", "                  \nx = 1\n"),
    ("%%time\nx = 1\n", "      \nx = 1\n"),
    ("%%capture out\nx = 1", "             \nx = 1"),
    ("# timed\n%%time\nx = 1\n", "# timed\n      \nx = 1\n"),
    ("%%time\n%%capture\nx = 1\n", "      \n         \nx = 1\n"),
    ("%%timeit -n 10 y = 2\nf(y)\n", "0;             y = 2\nf(y)\n"),
    ("%time f(x)\n", "0;    f(x)\n"),
    ("%timeit -n 10 -r3 f(x)\n", "0;                f(x)\n"),
    ("%time for x in y: f(x)\n", "                      \n"),
    (
        "for x in y:\n    !ls {x}\n    !l\n    %time f(x)\n",
        "for x in y:\n    pass   \n    0 \n    0;    f(x)\n",
    ),
    ("x = !ls -l\n", "x = _     \n"),
    ("x = %time f(y)\n", "x =       f(y)\n"),
    ("df = %sql select age from t\n", 'df =    "select age from t"\n'),
    ("df = %sql select b from t where age < 4 and b", 'df =     "select b from t where age <4 and b"'),
    ("%sql select age from t;\n", '_=  "select age from t"\n'),
    ("a['b'], c = !ls\n", "a['b'], c = _  \n"),
    ("!pip install \\\n    pandas\nx = 1\n", "              \n          \nx = 1\n"),
    ("pip install pandas\nx = 1\n", "                  \nx = 1\n"),
    ("conda install -y numpy", "                      "),
    ("cd ..\nls ../data\n", "     \n          \n"),
    ("ls = 1\nls -a\n", "ls = 1\nls -a\n"),
    ("?x\nx?\nx.y??\n%time?\n", "  \n  \n     \n      \n"),
    ("/f x\n,f a b\n;f a\n", "    \n      \n    \n"),
    ("%%bash\necho $AGE\n", "      \n         \n"),
    ("%%sql\nselect age\n", "_='''\nselect age\n'''"),
    ("%%sql young <<\nselect 'a'", 'young=sql(""" \nselect \'a\'""")'),
    ("%%sql\ngrant all\n", "     \n         \n"),
    ("%sql\nselect age\n", "-'''\nselect age\n'''"),
    ("%sql sqlite:///x.db\n", "                   \n"),
    ("%md about *age*\nmore\n", "               \n    \n"),
    ("%%unknown\nx = 1\n", "         \nx = 1\n"),
    ("%%unknown\nsome words here\n", "         \n               \n"),
    ("%%writefile a.py\nx = 1\n", "                \nx = 1\n"),
    ("%%writefile a.txt\nx = 1\n", "                 \n     \n"),
    ("%%html\r\n<b>é</b>\r\n", "      \r\n         \r\n"),
]
UNTOUCHED = [
    "x = (a\n  % b)\n",
    "text = '''\n%magic\n!ls\n?x\n'''\n",
    "print('%s' % x)\nx = y if z else '?'  # why?\n",
    "d['k=%s'] = '!x'\nx != y\nx %= 2\nx = y \\\n  % z\n",
    "f(\n    !x\n)\n",
    "@decorated\ndef f(): pass\n",
    "assert x, 'what?'\n",
]


@pytest.mark.parametrize(("cell", "code"), MAGICS)
def test_what_is_not_python_is_blank(cell: str, code: str) -> None:
    assert plain_python(cell.encode()).decode() == code


@pytest.mark.parametrize("cell", UNTOUCHED)
def test_python_stays(cell: str) -> None:
    assert plain_python(cell.encode()).decode() == cell


@given(
    st.lists(
        st.sampled_from(["%", "%%", "!", "?", "x", "=", " ", "\n", "'", '"""', "(", "]", "\\", "é", "time "])
    )
)
def test_no_cell_changes_its_size_or_its_lines(pieces: list[str]) -> None:
    cell = "".join(pieces).encode()
    code = plain_python(cell)
    assert len(code) == len(cell)
    assert [at for at, byte in enumerate(code) if byte == 10] == [
        at for at, byte in enumerate(cell) if byte == 10
    ]


def test_cells_in_other_languages_leave_the_rest() -> None:
    sql = {"cell_type": "code", "metadata": {"vscode": {"languageId": "sql"}}, "source": "select age from t"}
    report = checked(notebook("%%bash\ncat people | grep gender\n", sql, "%matplotlib inline\n" + SCORE))
    assert [(finding.cell, finding.start.line) for finding in report.findings] == [(3, 4)]
    (lost,) = report.not_analysed
    assert (lost.cell, lost.reason, lost.cause) == (2, "a cell of SQL, which is not read", "skipped")


@pytest.mark.parametrize("line", ["%%script python3 -u", "%%script /usr/bin/python3", "%%script --bg pypy3"])
def test_a_cell_that_a_program_of_python_runs_is_python(line: str) -> None:
    assert [finding.start.line for finding in checked(notebook(f"{line}\n{SCORE}")).findings] == [4]
    assert checked(notebook(f"%%script perl python.pl\n{SCORE}")).findings == ()


@pytest.mark.parametrize("line", ["%sql", "%md", "%md a text", "%sh"])
def test_python_behind_a_line_for_another_language_is_read(line: str) -> None:
    assert [finding.start.line for finding in checked(notebook(f"{line}\n{SCORE}")).findings] == [4]
    assert checked(notebook(f"{line}\nselect the people by their gender\n", "x = 1\n")).not_analysed == ()


def test_timed_training_is_seen() -> None:
    data = b"%time model.fit(X, y)\n"
    assert plain_python(data) == b"0;    model.fit(X, y)\n"


# Places in the file -----------------------------------------------------------------------------------------

WRITINGS = [
    {"indent": 1},
    {"indent": 4, "ensure_ascii": False},
    {},
    {"indent": None, "separators": (",", ":")},
]


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("as_list", [True, False])
def test_regions_are_those_of_the_file(writing: dict[str, Any], as_list: bool) -> None:
    text = SCORE.replace("points = ", 'naïve = "é\\"\\t😀"; points = ')
    document = notebook(("markdown", '"source": ["x"]'), CLEAN, text)
    if not as_list:
        document["cells"][2]["source"] = text
    raw = json.dumps(document, **writing)
    [finding] = check_source(raw, path="a.ipynb").findings

    assert finding.region is not None
    start, end = finding.region
    assert start.line == end.line
    line = raw.split("\n")[start.line - 1]
    assert line[start.column - 1 : end.column - 1] == 'applicant.gender == \\"male\\"'
    assert finding.line_hash.endswith(":1")


@pytest.mark.parametrize("writing", WRITINGS)
@given(
    text=st.text(
        st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=40
    )
)
def test_every_character_is_found(writing: dict[str, Any], text: str) -> None:
    document = notebook(CLEAN, {"cell_type": "code", "source": text})
    raw = json.dumps(document, **writing)
    places = JsonPlaces(raw.encode())
    lines = raw.split("\n")
    offset = 0
    for character in text:
        start, end = places.position(2, offset), places.position(2, offset, behind=True)
        written = lines[start.line - 1][start.column - 1 : end.column - 1]
        assert json.loads(f'"{written}"') == character
        offset += len(character.encode())


def test_sarif_shows_the_lines_of_the_file(tmp_path: Path, monkeypatch: Any) -> None:
    from fairlint.reporters import ReportOptions, concise, sarif
    from fairlint.reporters import json as json_report
    from fairlint.reporters import text as text_report

    monkeypatch.chdir(tmp_path)
    raw = json.dumps(notebook(("markdown", "# A"), SCORE, "x = ("), indent=1)
    (tmp_path / "a.ipynb").write_text(raw)
    report = check_paths(["."])
    options = ReportOptions()

    [run] = json.loads("".join(sarif.report(report, options)))["runs"]
    [result] = run["results"]
    [location] = result["locations"]
    region = location["physicalLocation"]["region"]
    assert "applicant.gender" in raw.split("\n")[region["startLine"] - 1]
    assert location["logicalLocations"] == [{"name": "cell 2", "kind": "cell"}]
    assert "(cell 2, line 3)" in result["message"]["text"]
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "a.ipynb, cell 3, line 1, was not analysed: syntax error"
    assert "region" not in notification["locations"][0]["physicalLocation"]

    document = json.loads("".join(json_report.report(report, options)))
    [told] = document["findings"]
    assert (told["path"], told["cell"], told["line"]) == ("a.ipynb", 2, 3)
    assert [step["cell"] for step in told["flow"]] == [2, 2]
    assert document["not_analysed"] == [
        {"path": "a.ipynb", "cell": 3, "line": 1, "reason": "syntax error", "cause": "syntax"}
    ]

    shown = "".join(text_report.report(report, options))
    assert "--> a.ipynb:cell 2:line 3:8" in shown
    assert '3 |     if applicant.gender == "male":' in shown
    assert "not analysed: a.ipynb:cell 3:line 1: syntax error" in shown
    lines = "".join(concise.report(report, options)).splitlines()
    assert lines[0].startswith("a.ipynb:cell 2:3:8: FL201 error ")
    assert lines[1] == "a.ipynb:cell 3:1:1: not analysed syntax error"


def test_the_limit_of_a_cell_is_kept() -> None:
    with pytest.raises(NotReadableError, match="max-file-size"):
        read_notebook("a.ipynb", json.dumps(notebook("x = 1\n" * 100)).encode(), 100, SHIPPED)


def test_every_cell_ends_its_line() -> None:
    assert read(notebook("x = 1", "y = 2")) == b"x = 1\ny = 2\n"


# Cells that are not finished ----------------------------------------------------------------------------

TABLE = """\
BONUS = {"male": 5, "female": 2}
def rate(candidate):
    return candidate.years + BONUS[candidate.gender]
"""
INDENTED = "".join(f"    {line}" for line in TABLE.splitlines(keepends=True))
UNFINISHED = (
    "if x:", "if x:  # later\n", "if x:\n    pass\nelse:", "for one in many:\n", "while True:", "def f():",
    "async def f():\n", "class Rater:", "with a as b:", "try:\n    x = 1", "try:", "match x:",
    "if x:\n    if y:\n", "match x:\n    case 1:", "if x:\n    # to do\n", "x = (", "'" * 3, "@cached",
)  # fmt: skip


@pytest.mark.parametrize("cell", UNFINISHED)
@pytest.mark.parametrize("following", [TABLE, INDENTED], ids=["as it is", "further in"])
def test_an_unfinished_cell_is_named_and_the_next_is_read_as_if_it_were_closed(
    cell: str, following: str
) -> None:
    report = checked(notebook(cell, following))

    assert [(finding.rule, finding.severity, finding.cell) for finding in report.findings] == [
        (finding.rule, finding.severity, 2) for finding in checked(notebook("x = 1", TABLE)).findings
    ]
    (gap,) = report.not_analysed
    assert (gap.cell, gap.cause) == (1, "syntax")


@pytest.mark.parametrize(
    "following", ["else:\n    pass\n", "except ValueError:\n    pass\n", "elif y:\n    pass\n"]
)
def test_a_statement_does_not_go_on_in_the_next_cell(following: str) -> None:
    before = "try:\n    x = 1\n" if "except" in following else "if x:\n    x = 1\n"
    report = checked(notebook(before, following + TABLE))

    assert [finding.cell for finding in report.findings] == [2]
    assert 2 in {gap.cell for gap in report.not_analysed}


def test_a_cell_that_is_further_in_belongs_to_no_function_of_the_one_before() -> None:
    report = checked(notebook("def f(x):\n    return x\n", "    g = 1\n" + INDENTED))

    assert [finding.start.line for finding in report.findings] == [
        finding.start.line + 1 for finding in checked(notebook(CLEAN, TABLE)).findings
    ]
    assert not report.not_analysed


def test_a_text_that_is_closed_cells_later_hides_none_between() -> None:
    report = checked(notebook("'" * 3, TABLE, "'" * 3))

    assert [finding.cell for finding in report.findings] == [2]
    assert {gap.cell for gap in report.not_analysed} == {1, 3}


def test_cells_too_many_to_be_parsed_alone_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlint.checking.parsing.MOST_BLANKS", 0)
    report = checked(notebook("class Rater:\n    x = 1", INDENTED))

    assert [gap.reason for gap in report.not_analysed] == ["a statement that goes over the end of a cell"]
