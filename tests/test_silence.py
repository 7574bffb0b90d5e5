import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
NAMES = ("corpora", "silence")

UNFAIR = """\
def score(applicant):
    points = 10
    if applicant.gender == "male":
        points += 5
    return points
"""


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    loaded = {}
    for name in NAMES:
        spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        loaded[name] = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, loaded[name])
        spec.loader.exec_module(loaded[name])
    return loaded


def notebook(*cells: tuple[str, str]) -> str:
    made: list[dict[str, object]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    ("file", "wheel", "expected"),
    [
        ("some_thing-1.2-py3-none-any.whl", True, True),
        ("some_thing-1.2-py3-none-any.whl", False, False),
        ("some-thing-1.2.tar.gz", False, True),
        ("some-thing-1.2.tar.gz", True, False),
        ("Some_Thing-1.2.zip", False, True),
        ("some_thing-1.2.3-py3-none-any.whl", True, False),
        ("some-thing-1.2.3.tar.gz", False, False),
        ("some-thing-else-1.2.tar.gz", False, False),
    ],
)
def test_an_archive_is_known_by_name_version_and_kind(
    benchmarks: dict[str, ModuleType], file: str, wheel: bool, expected: bool
) -> None:
    corpus = benchmarks["corpora"].Corpus("other-name", "1.2", "0" * 64, wheel, "some-thing")
    assert corpus.is_archive(Path(file)) is expected


def test_a_wheel_and_a_source_distribution_of_one_package_live_side_by_side(
    benchmarks: dict[str, ModuleType], tmp_path: Path
) -> None:
    corpora = benchmarks["corpora"]
    wheel, source = tmp_path / "p-1.0-py3-none-any.whl", tmp_path / "p-1.0.tar.gz"
    wheel.write_bytes(b"wheel")
    source.write_bytes(b"source")
    assert (
        corpora._matching(corpora.Corpus("p", "1.0", hashlib.sha256(b"wheel").hexdigest()), tmp_path) == wheel
    )
    pinned = corpora.Corpus("p-source", "1.0", hashlib.sha256(b"source").hexdigest(), False, "p")
    assert corpora._matching(pinned, tmp_path) == source
    changed = corpora.Corpus("p-source", "1.0", hashlib.sha256(b"other").hexdigest(), False, "p")
    assert corpora._matching(changed, tmp_path) is None
    assert wheel.exists()
    assert not source.exists()


def test_no_name_stands_for_two_corpora(benchmarks: dict[str, ModuleType]) -> None:
    corpora, silence = benchmarks["corpora"], benchmarks["silence"]
    assert not set(corpora.CORPORA) & set(corpora.EXTRA)
    assert set(silence.KNOWN) == {"stdlib", "c-controls", *corpora.CORPORA, *corpora.EXTRA}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (notebook(("markdown", "a\nb\n"), ("code", "x = 1\ny = 2"), ("code", "z = 3\n")), 3),
        (json.dumps({"cells": [{"cell_type": "code", "source": "x = 1\ny = 2\n"}]}), 2),
        (json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "y"]}]}]}), 2),
        (json.dumps({"cells": []}), 0),
        (json.dumps([1]), 0),
        (json.dumps({"cells": 3}), 0),
        ("not JSON\n\n", 0),
    ],
)
def test_of_a_notebook_the_lines_of_code_count(
    benchmarks: dict[str, ModuleType], tmp_path: Path, text: str, lines: int
) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    assert benchmarks["corpora"].lines_of(tmp_path, frozenset({".ipynb"})) == (1, lines)


def test_notebooks_are_counted_apart_from_programs(
    benchmarks: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silence = benchmarks["silence"]
    folder = tmp_path / "seaborn"
    folder.mkdir()
    (folder / "scoring.py").write_text(UNFAIR)
    (folder / "quiet.py").write_text("x = 1\n")
    (folder / "notes.ipynb").write_text(notebook(("markdown", "# Scores"), ("code", UNFAIR)))
    programs, notebooks = silence.run("seaborn", folder)
    assert (programs.files, programs.lines, programs.loud) == (2, 6, 1)
    assert (notebooks.files, notebooks.lines, notebooks.loud) == (1, 5, 1)
    assert programs.per_100k == pytest.approx(100_000 / 6)
    assert not programs.target.met(programs)
    silence.print_findings(notebooks)
    assert "seaborn/notes.ipynb:cell 2:3" in capsys.readouterr().out


def test_a_breakdown_is_told_and_fails(
    benchmarks: dict[str, ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    silence = benchmarks["silence"]
    entry = {"path": "folktables/a.py", "line": 1, "reason": "internal error: KeyError: 1"}
    result = silence.Result("folktables", silence.NO_LIMIT, 1, 1, 0.1, not_analysed=[entry])
    monkeypatch.setattr(silence, "prepare", lambda name, data: data / name)
    monkeypatch.setattr(silence, "run", lambda *_: [result])
    assert silence.main(["folktables", "--data", str(tmp_path)]) == 2
    assert "folktables/a.py: internal error: KeyError: 1" in capsys.readouterr().err
