"""What an assignment to a column does hangs on the version of pandas that the project asks for."""

from pathlib import Path

import pandas as pd
import pytest

from fairlint import check_source
from fairlint.checking.runner import check_paths
from fairlint.cli import main
from fairlint.config.settings import Settings
from fairlint.project.requirement_files import loses_changes, newest_in

CODE = 'import pandas as pd\n\n\ndef rate(people):\n    mask = people["gender"] == "male"\n    {}\n'
CHANGES = [
    'people["score"][mask] += 5',
    'people["score"].loc[mask] += 5',
    "people.score[mask] += 5",
    'people["score"][mask] = 5',
]
IN_PLACE = [
    'people["gender"].fillna("male", inplace=True)',
    'people["gender"].replace({"male": 1, "female": 0}, inplace=True)',
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(code: str) -> list[tuple[str, str]]:
    return [
        (one.rule, one.use.detail)
        for one in check_source(
            CODE.format(code), path="rate.py", settings=Settings(min_severity="note")
        ).findings
    ]


@pytest.mark.parametrize("code", CHANGES)
def test_what_is_lost_is_no_decision(code: str) -> None:
    assert told(code) == [("FL104", "what is changed there is a copy")]


@pytest.mark.parametrize("code", IN_PLACE)
def test_what_is_lost_in_place_is_no_decision(code: str) -> None:
    assert told(code) == []


@pytest.mark.skipif(int(pd.__version__.partition(".")[0]) < 3, reason="is about pandas 3")
@pytest.mark.parametrize("code", [*CHANGES, *IN_PLACE])
@pytest.mark.filterwarnings("ignore")
def test_so_it_is_in_pandas(code: str) -> None:
    people = pd.DataFrame({"gender": ["male", "female", None], "score": [1, 1, 1]})
    before = people.copy()
    names: dict[str, object] = {}
    exec(compile(CODE.format(code), "rate.py", "exec"), names)
    rate = names["rate"]
    assert callable(rate)
    rate(people)
    pd.testing.assert_frame_equal(people, before)


@pytest.mark.parametrize(
    "code", ['people.loc[mask, "score"] += 5', 'people["score"] = people["score"].mask(mask, 5)']
)
def test_what_reaches_the_table_is_told_as_ever(code: str) -> None:
    assert [rule for rule, _ in told(code)] == ["FL203"]


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("requirements.txt", "pandas>=2,<3\n", "FL203"),
        ("requirements-dev.txt", "pandas==2.2.*\n", "FL203"),
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "pandas~=2.1"]\n', "FL203"),
        ("pyproject.toml", '[tool.poetry.dependencies]\npandas = "^2.1"\n', "FL203"),
        ("setup.cfg", "[options]\ninstall_requires =\n    pandas<3\n", "FL203"),
        ("environment.yml", "dependencies:\n  - pandas=1.5\n", "FL203"),
        ("uv.lock", '[[package]]\nname = "pandas"\nversion = "2.2.3"\n', "FL203"),
        ("requirements.txt", "pandas>=2\n", "FL104"),
        ("requirements.txt", "pandas==3.0.1\n", "FL104"),
        ("requirements.txt", "geopandas<1\npandas-stubs==2.0\n", "FL104"),
        ("notes.txt", "pandas<3\n", "FL104"),
    ],
)
@pytest.mark.parametrize("folder", ["", "jobs/rating"])
@pytest.mark.usefixtures("here")
def test_the_project_says_which_pandas_it_uses(name: str, text: str, rule: str, folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    code = Path(folder) / "rate.py"
    code.write_text(CODE.format(CHANGES[0]))
    assert [one.rule for one in check_paths([code], Settings(min_severity="note")).findings] == [rule]


def test_a_lock_file_comes_before_what_is_asked_for_and_the_nearest_file_first(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "requirements.txt").write_text("pandas<3\n")
    code = CODE.format(CHANGES[0]).encode()

    def read(path: str, limit: int) -> bytes | None:
        data = Path(path).read_bytes()
        return data if len(data) <= limit else None

    def lost() -> bool:
        return loses_changes(code, str(inner / "rate.py"), str(tmp_path), read)

    assert not lost()
    (inner / "requirements.txt").write_text("pandas>=3\n")
    assert lost()
    (inner / "poetry.lock").write_text('name = "pandas"\nversion = "2.2.3"\n')
    assert not lost()


def test_nothing_is_looked_for_where_nothing_hangs_on_it(tmp_path: Path) -> None:
    def read(path: str, limit: int) -> bytes | None:
        raise AssertionError(path, limit)

    (tmp_path / "requirements.txt").write_text("pandas<3\n")
    plain = CODE.format('people.loc[mask, "score"] += 5').encode()
    for code in (plain, CODE.format(CHANGES[0]).replace("pandas", "numpy").encode()):
        assert not loses_changes(code, str(tmp_path / "rate.py"), str(tmp_path), read)


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ("pandas", 0), ("pandas>=2", 0), ("pandas!=2.0,>=1", 0), ("pandas<3", 2), ("pandas<3.1", 3),
        ("pandas<=2.2", 2), ("pandas>1.0,<=3", 3), ("pandas[excel]==2.1 ; python_version<'3.9'", 2),
        ('"pandas (>=2.1,<3.0)"', 2), ('pandas = {version = "^2.2", extras = ["x"]}', 2), ('pandas = "*"', 0),
        ("pandas\nnumpy==1.26", 0), ('install_requires=["pandas", "numpy<2"]', 0),
        ('"pandas": {\n"hashes": [],\n"version": "==2.2.3"', 2), ("# pandas<3", None), ("numpy", None),
    ],
)  # fmt: skip
def test_the_newest_version_that_a_file_lets_in(text: str, newest: int | None) -> None:
    assert newest_in(text.encode()) == newest


@pytest.mark.usefixtures("here")
def test_a_result_that_is_kept_is_made_anew_when_the_bound_changes() -> None:
    Path("rate.py").write_text(CODE.format(CHANGES[0]))
    Path("requirements.txt").write_text("pandas<3\n")
    arguments = ["--cache-dir", "kept", "rate.py"]
    assert main(arguments) == main(arguments) == 1
    Path("requirements.txt").write_text("pandas\n")
    assert main(arguments) == 0


def test_a_version_may_have_many_digits() -> None:
    for text in ("pandas=={}", 'name = "pandas"\nversion = "{}"'):
        assert (newest_in(text.format("9" * 5000).encode()) or 0) > 3


@pytest.mark.parametrize(
    "piece", [b"pandas>=1" + b" " * 500, b"pandas = {", b'"pandas": {', b"pandas[", b".a[", b"]" + b" " * 500]
)
def test_texts_that_repeat_take_time_by_their_size(piece: bytes) -> None:
    text = b"import pandas;" + piece * (1_000_000 // len(piece))
    assert newest_in(text) in {0, 1}
    assert not loses_changes(text)
