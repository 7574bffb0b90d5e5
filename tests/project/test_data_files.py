"""Rules and feature lists that stand in files of data which the code loads: JSON, YAML, TOML and CSV."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from programs import git

from fairlint import Settings, check_paths, check_source
from fairlint.cli import main
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.project.dependencies import LARGEST_MODULE
from fairlint.suppression.changed_lines import only, since
from fairlint.syntax.data import nodes_of
from fairlint.syntax.data.places import DEEPEST, MOST_VALUES
from fairlint.syntax.tree import Collection, Literal, Name, Node, walk

GRANTS = """\
{
  "marks": 3,
  "gender": {
    "female": 9,
    "male": 4
  },
  "castes": {"sc": 6, "obc": 2},
  "admits": ["sc", "st"],
  "oldest": 35,
  "rows": [
    {"gender": "female", "points": 7},
    {"gender": "male", "points": 1}
  ]
}
"""
AS_YAML = """\
marks: 3
gender: &points
  female: 9
  male: 4
castes: {sc: 6, obc: 2}
admits:
- sc
- st
oldest: 35
rows:
- gender: female
  points: 7
- gender: male
  points: 1
"""
AS_TOML = """\
marks = 3
admits = [
  "sc",
  "st",
]
oldest = 35

[gender]
female = 9
male = 4

[castes]
sc = 6
obc = 2

[[rows]]
gender = "female"
points = 7

[[rows]]
gender = "male"
points = 1
"""
LOADED = {
    "an open file": (
        "grants.json", GRANTS,
        'import json\n\nwith open("grants.json", encoding="utf-8") as file:\n    GRANTS = json.load(file)\n',
    ),
    "a path beside the code": (
        "rules/grants.json", GRANTS,
        ("import json\nfrom pathlib import Path\n\n"
        'GRANTS = json.loads((Path(__file__).parent / "rules" / "grants.json").read_text())\n'),
    ),
    "a path of the system's": (
        "rules/grants.json", GRANTS,
        ("import json\nimport os\n\n"
        'RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules")\n'
        'GRANTS = json.load(open(os.path.join(RULES, "grants.json")))\n'),
    ),
    "a folder above": (
        "../rules/grants.json", GRANTS,
        ("import json\nfrom pathlib import Path\n\nROOT = Path(__file__).resolve().parents[1]\n"
        'GRANTS = json.loads((ROOT / "rules/grants.json").read_bytes())\n'),
    ),
    "a text with a place": (
        "rules/grants.json", GRANTS,
        ("import json\nimport os\n\nHERE = os.getcwd()\n"
        'GRANTS = json.load(open(f"{HERE}/rules/grants.json"))\n'),
    ),
    "a file of a package": (
        "rules/grants.json", GRANTS,
        ("import json\nfrom importlib import resources\n\n"
        'GRANTS = json.loads(resources.files("app.rules").joinpath("grants.json").read_text())\n'),
    ),
    "a function that loads": (
        "grants.yaml", AS_YAML,
        ("import yaml\n\n\ndef load(path):\n    with open(path) as stream:\n"
        '        return yaml.safe_load(stream)\n\n\nGRANTS = load("grants.yaml")\n'),
    ),
    "a parameter that is left out": (
        "grants.yml", AS_YAML,
        ('import yaml\n\n\ndef load(path="grants.yml"):\n'
        "    return yaml.load(open(path), Loader=yaml.FullLoader)\n\n\nGRANTS = load()\n"),
    ),
    "an option of the program": (
        "grants.yaml", AS_YAML,
        ("import argparse\n\nimport yaml\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--grants", default="grants.yaml")\noptions = parser.parse_args()\n'
        "with open(options.grants) as stream:\n    GRANTS = yaml.safe_load(stream)\n"),
    ),
    "what the environment may name": (
        "grants.json", GRANTS,
        (
            "import json\nimport os\n\n"
            'with open(os.getenv("GRANTS", "grants.json")) as file:\n    GRANTS = json.load(file)\n'
        ),
    ),
    "TOML": (
        "grants.toml", AS_TOML,
        'import tomllib\n\nwith open("grants.toml", "rb") as file:\n    GRANTS = tomllib.load(file)\n',
    ),
}  # fmt: skip
"""Ways of loading, each with the file's name, its text, and the code."""
RATES = """

def by_table(pupil):
    score = pupil.marks
    score += GRANTS["gender"][pupil.gender]
    return score


def by_get(pupil):
    score = pupil.marks
    score += GRANTS["castes"].get(pupil.caste, 0)
    return score


def by_rows(pupil):
    score = 0
    for row in GRANTS["rows"]:
        if row["gender"] == pupil.gender:
            score += row["points"]
    return score


def by_list(pupil):
    if pupil.caste in GRANTS["admits"]:
        return "admitted"
    return "turned away"


def by_limit(pupil):
    if pupil.age > GRANTS["oldest"]:
        return "turned away"
    return "admitted"
"""
FEATURES = """\
data: loans.csv
target: repaid
features:
  - income
  - gender
kept: {numbers: [income, age], words: [town, religion]}
"""
TRAINING = """\
import pandas as pd
import yaml
from sklearn.linear_model import LogisticRegression

with open("params.yaml") as file:
    params = yaml.safe_load(file)
loans = pd.read_csv(params["data"])
"""
TABLE = """\
import json

POINTS = json.load(open("points.json"))


def rate(person):
    score = person.years
    score += POINTS["gender"][person.gender]
    return score
"""
BY_GENDER = '{"gender": {"male": 5, "female": 2}}'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to check, in one of its own."""
    folder = tmp_path / "project"
    (folder / "app").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def checked(code: str, **files: str | bytes) -> Report:
    """What is told of code in `app/rate.py` beside files of data, whose names have `_` for the dot."""
    Path("app/rate.py").write_text(code)
    for name, text in files.items():
        path = Path("app", name.replace("_", "."))
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check_paths(["app/rate.py"])


def told(report: Report) -> list[tuple[str, str]]:
    return [(one.rule, one.use.attribute) for one in report.findings]


def lines(found: Finding, path: str) -> set[int]:
    """The lines of a file that a finding names."""
    places = [(found.path, found.start.line), *((one.path, one.start.line) for one in found.flow)]
    return {line for where, line in places if where == path}


def plain(node: Node) -> object:
    """What a file of data holds, as Python would give it."""
    match node:
        case Literal(value=value):
            return value
        case Collection(kind="dict", items=items):
            return {plain(item.key): plain(item.value) for item in items if item.key is not None}
        case Collection(items=items):
            return [plain(item.value) for item in items]
        case Name(id=name):
            return name
        case _:
            raise AssertionError(node)


@pytest.mark.parametrize("way", LOADED)
def test_what_a_file_says_is_what_the_code_says(way: str) -> None:
    name, text, code = LOADED[way]
    place = Path("app", name)
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    Path("app/rate.py").write_text(code + RATES)
    report = check_paths(["app/rate.py"])
    assert told(report) == [
        ("FL202", "gender"), ("FL202", "caste"), ("FL201", "gender"), ("FL101", "caste"), ("FL102", "age"),
    ]  # fmt: skip
    table, get, rows = (dict(one.use.points.by_group) for one in report.findings[:3] if one.use.points)
    assert table == {"female": 9, "male": 4}
    assert {group: get[group] for group in ("sc", "obc", "general")} == {"sc": 6, "obc": 2, "general": 0}
    assert rows == {"female": 7, "male": 1}
    shown = place.resolve().relative_to(Path.cwd()).as_posix()
    for one in report.findings:
        assert one.path == "app/rate.py"
        assert lines(one, shown), one.rule
    assert not report.not_analysed


def test_a_row_of_a_table_is_named() -> None:
    code = (
        "import csv\n\n\ndef rate(pupil):\n    score = 0\n    with open('bonus.csv') as file:\n"
        "        for row in csv.DictReader(file):\n            if row['gender'] == pupil.gender:\n"
        "                score += int(row['points'])\n    return score\n"
    )
    (found,) = checked(code, bonus_csv='gender,points\nfemale,8\n"male",3\n').findings
    assert found.use.points is not None
    assert dict(found.use.points.by_group) == {"female": 8, "male": 3}
    assert lines(found, "app/bonus.csv") == {2, 3}
    (other,) = checked(
        code.replace("(file)", "(file, delimiter=';')"), bonus_csv="gender;points\nmale;6\n"
    ).findings
    assert other.use.points is not None
    assert other.use.points.by_group["male"] == 6


FACTOR_ROWS = "gender,factor\nfemale,0.8\nmale,1.5\n"
WAYS_OF_ROWS = {
    "a table of them": (
        "with open('factors.csv') as file:\n"
        "    FACTORS = {row['gender']: float(row['factor']) for row in csv.DictReader(file)}\n"
    ),
    "a table that a loop fills": (
        "FACTORS = {}\nfor row in csv.DictReader(open('factors.csv')):\n"
        "    FACTORS[row['gender']] = float(row['factor'])\n"
    ),
    "rows behind their header": (
        "FACTORS = {}\nrows = csv.reader(open('factors.csv'))\nheader = next(rows)\n"
        "for gender, factor in rows:\n    FACTORS[gender] = float(factor)\n"
    ),
    "rows from the second on": (
        "FACTORS = {row[0]: float(row[1]) for row in list(csv.reader(open('factors.csv')))[1:]}\n"
    ),
}


@pytest.mark.parametrize("loaded", WAYS_OF_ROWS.values(), ids=WAYS_OF_ROWS)
def test_a_table_that_is_made_of_the_rows_of_a_file_is_read(loaded: str) -> None:
    code = f"import csv\n\n{loaded}\n\ndef premium(driver, base):\n    return base * FACTORS[driver.gender]\n"
    (found,) = checked(code, factors_csv=FACTOR_ROWS).findings
    assert found.use.points is not None
    assert dict(found.use.points.by_group) == {"female": 0.8, "male": 1.5}
    assert lines(found, "app/factors.csv") >= {2, 3}
    assert not checked(code, factors_csv="gender,factor\nfemale,1.1\nmale,1.1\n").findings


def test_the_header_among_the_rows_is_no_group() -> None:
    code = (
        "import csv\n\n\ndef premium(driver, base):\n    for row in csv.reader(open('factors.csv')):\n"
        "        if row[0] == driver.gender:\n            base *= float(row[1])\n    return base\n"
    )
    (found,) = checked(code, factors_csv=FACTOR_ROWS).findings
    assert found.use.points is not None
    assert dict(found.use.points.by_group) == {"female": 0.8, "male": 1.5}


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        ('params["features"]', {5: "gender"}),
        ('params["kept"]["numbers"] + params["kept"]["words"]', {5: "gender", 6: "age religion"}),
        ('params.get("features")', {5: "gender"}),
    ],
)
def test_columns_that_are_listed_in_a_file_are_named_there(columns: str, places: dict[int, str]) -> None:
    code = f'{TRAINING}LogisticRegression().fit(loans[{columns}], loans[params["target"]])\n'
    found = [one for one in checked(code, params_yaml=FEATURES).findings if one.rule == "FL301"]
    by_line: dict[int, list[str]] = {}
    for one in found:
        assert one.path == "app/params.yaml"
        assert not one.remedies
        by_line.setdefault(one.start.line, []).append(one.use.attribute)
    assert {line: " ".join(sorted(names)) for line, names in by_line.items()} == places


WAYS_OF_COLUMNS = {
    "a configuration that hydra gives": """
        import hydra

        def train(loans, given):
            columns = list(given.kept.numbers) + list(given.kept.words)
            LogisticRegression(C=given.model.c).fit(loans[columns], loans[given.target])

        @hydra.main(config_path=".", config_name="params", version_base=None)
        def main(given):
            train(pd.read_csv("loans.csv"), given)

        main()
        """,
    "fields of a class": """
        class Trainer:
            def __init__(self, given):
                self.given = given
                self.numbers = given["kept"]["numbers"]
                self.words = self.given["kept"].get("words")

            def train(self, loans):
                LogisticRegression().fit(loans[self.numbers + self.words], loans[self.given["target"]])

        Trainer(params).train(loans)
        """,
    "an instance in a variable": """
        class Trainer:
            def __init__(self, columns):
                self.columns = columns

            def train(self, loans):
                LogisticRegression().fit(loans[self.columns], loans["repaid"])

        def main():
            trainer = Trainer(params["kept"]["numbers"] + params["kept"]["words"])
            trainer.train(loans)
        """,
    "arguments by their names": """
        def train(numbers, words):
            LogisticRegression().fit(loans[numbers + words], loans["repaid"])

        train(**params["kept"])
        """,
    "a record made of them": """
        from dataclasses import dataclass

        @dataclass
        class Kept:
            numbers: list[str]
            words: list[str]

        def main():
            kept = Kept(**params["kept"])
            LogisticRegression().fit(loans[kept.numbers + kept.words], loans["repaid"])
        """,
}


@pytest.mark.parametrize("way", WAYS_OF_COLUMNS)
def test_columns_are_followed_from_the_file_to_the_model(way: str) -> None:
    code = TRAINING + textwrap.dedent(WAYS_OF_COLUMNS[way])
    report = checked(code, params_yaml=FEATURES.replace("features", "shown"))
    found = {(one.path, one.start.line, one.use.attribute) for one in report.findings if one.rule == "FL301"}
    assert found == {("app/params.yaml", 6, "age"), ("app/params.yaml", 6, "religion")}


def test_no_fix_changes_a_file_of_data() -> None:
    code = f'{TRAINING}LogisticRegression().fit(loans[params["features"]], loans[params["target"]])\n'
    checked(code, params_yaml=FEATURES)
    main(["--isolated", "--no-cache", "--fix", "--unsafe-fixes", "app/rate.py"])
    assert Path("app/params.yaml").read_text() == FEATURES


def test_a_module_that_loads_is_followed() -> None:
    Path("app/grants.py").write_text(LOADED["an open file"][2])
    Path("app/grants.json").write_text(GRANTS)
    user = "from grants import GRANTS\n" + RATES
    report = checked(user)
    assert ("FL202", "gender") in told(report)
    assert all(lines(one, "app/grants.json") for one in report.findings)


def test_a_file_that_a_loader_elsewhere_is_handed_is_read() -> None:
    Path("app/loading.py").write_text(
        "import json\n\n\ndef load_rules(path):\n    with open(path) as f:\n        return json.load(f)\n"
    )
    code = TABLE.replace("import json", "from loading import load_rules").replace(
        'json.load(open("points.json"))', 'load_rules("points.json")'
    )
    (found,) = checked(code, points_json=BY_GENDER).findings
    assert found.use.points is not None
    assert found.use.points.by_group["male"] == 5


def test_nothing_outside_of_the_project_is_read(here: Path) -> None:
    (here.parent / "points.json").write_text(BY_GENDER)
    for written in ("../points.json", "../../points.json", str(here.parent / "points.json")):
        report = checked(TABLE.replace("points.json", written))
        assert [one.use.points for one in report.findings] == [None]


def test_a_link_out_of_the_project_is_not_read(here: Path) -> None:
    (here.parent / "points.json").write_text(BY_GENDER)
    Path("app/points.json").symlink_to(here.parent / "points.json")
    report = checked(TABLE)
    assert [one.use.points for one in report.findings] == [None]
    assert [one.reason for one in report.not_analysed] == [
        "app/points.json is not read: a link leads out of the project"
    ]


@pytest.mark.parametrize(
    ("written", "points"),
    [
        ('"new/points.json"', 7),
        ('"points.json"', 3),
        ('"../points.json"', 9),
        ('HERE / ".." / "points.json"', 9),
        ('os.path.join("old", "points.json")', 1),
        ('pick("old", "new") + "/points.json"', None),
        ('f"{pick()}points.json"', None),
        ('"/old/points.json"', None),
    ],
)
def test_which_of_several_files_is_meant_is_not_guessed(written: str, points: float | None) -> None:
    for folder, male in (("app/old", 1), ("app/new", 7), ("app", 3), (".", 9)):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "points.json").write_text(json.dumps({"gender": {"male": male, "female": 0}}))
    head = 'import os\nfrom pathlib import Path\n\nHERE = Path(__file__).parent\nFOLDERS = ["old", "new"]\n'
    code = head + TABLE.replace('open("points.json")', f"open({written})")
    (found,) = checked(code).findings
    assert (found.use.points.by_group["male"] if found.use.points else None) == points


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"gender": {"male": 5,', "Expecting property name"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested too deeply"),
        ("[" + "1," * MOST_VALUES + "1]", "more than 5,000 values"),
        (f'["{"x" * LARGEST_MODULE}"]', "larger than 200,000 bytes"),
        (b'{"gender": \0}', "no text"),
    ],
)
def test_what_is_not_read_is_said_where_it_is_loaded(text: str | bytes, reason: str) -> None:
    (gap,) = checked(TABLE, points_json=text).not_analysed
    assert gap.line == 3
    assert gap.reason.startswith("app/points.json is not read: ")
    assert reason in gap.reason


def test_text_that_is_no_utf8_is_read_all_the_same() -> None:
    text = BY_GENDER.replace("{", '{"größe": 1, ', 1).encode("latin-1")
    (found,) = checked(TABLE, points_json=text).findings
    assert found.use.points is not None
    (marked,) = checked(TABLE, points_json=b"\xef\xbb\xbf" + BY_GENDER.encode()).findings
    assert marked.use.points == found.use.points


def test_a_text_alone_leads_to_no_file() -> None:
    Path("points.json").write_text(BY_GENDER)
    assert [one.use.points for one in check_source(TABLE).findings] == [None]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_hangs_on_the_files_that_were_loaded(jobs: int) -> None:
    def male() -> float | None:
        settings = Settings(root=Path.cwd(), jobs=jobs)
        (found,) = check_paths(["app/rate.py"], settings).findings
        return found.use.points.by_group["male"] if found.use.points else None

    checked(TABLE)
    assert male() is None
    seen = []
    for points in (5, 6, 6):
        Path("app/points.json").write_text(json.dumps({"gender": {"male": points, "female": 0}}))
        seen.append(male())
    assert seen == [5, 6, 6]


def test_the_cache_knows_of_the_files_that_were_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> str:
        main(["--isolated", "--format", "concise", "--cache-dir", "kept", "app"])
        return capsys.readouterr().out

    checked(TABLE)
    Path("app/user.py").write_text(
        "from rate import POINTS\n\n\ndef of(person):\n    score = 1\n"
        '    score += POINTS["gender"][person.gender]\n    return score\n'
    )
    assert "male +5" not in run()
    Path("app/points.json").write_text(BY_GENDER)
    assert run().count("male +5, female +2") == 2
    assert run().count("male +5, female +2") == 2
    Path("app/points.json").write_text(BY_GENDER.replace("5", "8"))
    assert run().count("male +8, female +2") == 2


def test_a_changed_file_changes_what_the_code_does_with_it() -> None:
    checked(TABLE, points_json=BY_GENDER)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "rules")
    assert told(only(check_paths(["app"]), since("HEAD"))) == []
    Path("app/points.json").write_text(BY_GENDER.replace("5", "8"))
    assert told(only(check_paths(["app"]), since("HEAD"))) == [("FL202", "gender")]


def test_values_are_those_of_the_language() -> None:
    assert plain(nodes_of(b'{"a": 1, "b": [true, null, -2.5], "a": "\\u00e9"}', "json")) == {
        "a": "é", "b": [True, None, -2.5],
    }  # fmt: skip
    text = b"a: no\nb: 012\nc: &x {d: 1, e: 2}\nf:\n  <<: *x\n  e: 3\na: yes\nday: 2020-01-02\n"
    assert plain(nodes_of(text, "yaml")) == {
        "a": True, "b": 10, "c": {"d": 1, "e": 2}, "f": {"d": 1, "e": 3}, "day": "2020-01-02",
    }  # fmt: skip
    assert plain(nodes_of(b'a.b = 1\n[[t]]\nx = [1, {y = "#"}]\n[[t]]\n', "toml")) == {
        "a": {"b": 1}, "t": [{"x": [1, {"y": "#"}]}, {}],
    }  # fmt: skip
    assert plain(nodes_of(b'a,b\r\n1,"x,\ny"\r\n\r\n2\r\n', "csv")) == [{"a": "1", "b": "x,\ny"}, {"a": "2"}]
    assert plain(nodes_of(b"", "yaml")) is None
    assert plain(nodes_of(b"", "csv")) == []


@pytest.mark.parametrize("form", ["json", "yaml", "toml"])
def test_each_value_stands_where_it_is_written(form: str) -> None:
    text = {"json": GRANTS, "yaml": AS_YAML, "toml": AS_TOML}[form]
    text = ("# ä€𝄞\n" if form != "json" else "") + text.replace(
        "marks", "noten_ü" if form != "toml" else "marks"
    )
    data = text.encode()
    for node in walk(nodes_of(data, form, 1000)):
        if isinstance(node, Literal) and not (form == "toml" and isinstance(node.value, str)):
            written = data[node.span.start - 1000 : node.span.end - 1000].decode()
            assert written.strip('"') == str(node.value)


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcde", "bcdef", strict=True)
)


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        ("yaml", ALIASES, "more than 5,000 values"),
        ("yaml", "a: &a [*a]", "stands for nothing"),
        ("yaml", "a: !!python/name:os.system x", "a type of its own"),
        ("yaml", "a: !mine {}", "a type of its own"),
        ("yaml", "--- 1\n--- 2\n", "several YAML documents"),
        ("yaml", "? [a]\n: 1", "no text or number"),
        ("yaml", "<<: 1", "merges what is no table"),
        ("yaml", "a: [1", "not valid YAML"),
        ("yaml", "[" * 60 + "]" * 60, "in one another"),
        ("toml", "a = 1\na = 2\n", "not valid TOML"),
        ("toml", "a = " + "[" * 60 + "]" * 60, "in one another"),
        ("json", "1" * 5000, "too many digits"),
        ("csv", "a\n" + "1\n" * (MOST_VALUES + 1), "more than 5,000 values"),
    ],
)
def test_what_is_refused_is_a_clause(form: str, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        nodes_of(text.encode(), form)
