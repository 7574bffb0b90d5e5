"""What users may write into `fairlint.toml` and `pyproject.toml`, and what they are told when it is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fairlint.config import Settings, find_config, load_settings, read_config
from fairlint.config.schema import schema
from fairlint.config.table import SETTINGS
from fairlint.rules.loading import load_rules
from fairlint.support.errors import UsageError
from fairlint.support.records import replace


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(here: Path, text: str) -> Settings:
    (here / "fairlint.toml").write_text(text)
    return load_settings(["."])


def test_all_keys_are_read(here: Path) -> None:
    settings = written(
        here,
        """
        select = ["FL1", "points-by-group"]
        ignore = ["FL104"]
        exclude = ["old"]
        extend-exclude = ["gen/*.py"]
        force-exclude = true
        respect-gitignore = false
        min-severity = "note"
        fail-on = "error"
        jurisdiction = "eu"
        domain = "hiring"
        lawful-ages = [18, 67.5]
        vocabulary = ["words.toml"]
        max-file-size = "2 MB"
        file-timeout = 2.5

        [per-file-ignores]
        "tests/*" = ["FL201"]

        [age-bands]
        young = [18, 29]
        old = [60, 120]

        [attributes.shoe_size]
        strong = "shoe size"
        """,
    )

    assert set(settings.origins.values()) == {(str(here / "fairlint.toml"),)}
    assert replace(settings, origins={}) == Settings(
        select=("FL1", "points-by-group"),
        ignore=("FL104",),
        exclude=("old",),
        extend_exclude=("gen/*.py",),
        force_exclude=True,
        respect_gitignore=False,
        min_severity="note",
        fail_on=("error",),
        jurisdiction="eu",
        domain="hiring",
        lawful_ages=(18, 67.5),
        vocabulary=(here / "words.toml",),
        max_file_size=2_000_000,
        file_timeout=2.5,
        per_file_ignores={"tests/*": ("FL201",)},
        age_bands={"young": (18, 29), "old": (60, 120)},
        attributes={"shoe_size": {"strong": "shoe size"}},
        root=here,
        source=here / "fairlint.toml",
    )


def test_pyproject_has_a_table_of_its_own(here: Path) -> None:
    (here / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.fairlint]\nselect = ["FL2"]\n')

    assert load_settings(["."]).select == ("FL2",)


def test_fairlint_toml_wins_over_pyproject_beside_it(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.fairlint]\nselect = ["FL2"]\n')
    (here / "fairlint.toml").write_text('\ufeffselect = ["FL1"]\n', encoding="utf-8")

    assert load_settings(["."]).select == ("FL1",)


def test_the_nearest_file_above_the_first_path_is_taken(here: Path) -> None:
    inner = here / "sub" / "deep"
    inner.mkdir(parents=True)
    (here / "fairlint.toml").write_text('select = ["FL1"]')
    (here / "sub" / "pyproject.toml").write_text("[tool.other]\n")
    (inner / "x.py").write_text("")

    assert find_config(inner / "x.py") == here / "fairlint.toml"

    (here / "sub" / "pyproject.toml").write_text('[tool.fairlint]\nselect = ["FL2"]')

    settings = load_settings([inner / "x.py"])
    assert settings.select == ("FL2",)
    assert settings.root == here / "sub"


def test_a_file_can_be_named_or_none_be_read(here: Path) -> None:
    (here / "fairlint.toml").write_text('select = ["FL1"]')
    (here / "other.toml").write_text('select = ["FL2"]')

    assert load_settings(config="other.toml").select == ("FL2",)
    assert load_settings(isolated=True).select == ()


def test_without_a_file_the_defaults_hold(here: Path) -> None:
    settings = load_settings(["."])

    assert settings.min_severity == settings.least_failing == "warning"
    assert settings.jurisdiction == settings.domain == "all"
    assert settings.source is None
    assert Path(settings.root) == here


BEYOND = ("overlap", "after its end", "not nan", "not inf", "is not valid TOML")
"""Mistakes that no schema can tell."""
MISTAKES = [
    ("selct = []", "unknown key 'selct'; did you mean 'select'?"),
    ("zzz = 1", "unknown key 'zzz'; known keys are age-bands, attributes, baseline, cache-dir, domain"),
    ("extend_exclude = []", "did you mean 'extend-exclude'?"),
    ("select = 'FL1'", "'select' must be a list of strings, not 'FL1'"),
    ("select = [1]", "'select' must be a list of strings, not [1]"),
    ("select = ['']", "'select' must not hold an empty string"),
    ("force-exclude = 'yes'", "'force-exclude' must be true or false, not 'yes'"),
    (
        "fail-on = 'fatal'",
        "'fail-on' must be one of note, warning, error, not-analysed, unread, incomplete, not 'fatal'",
    ),
    ("domain = ['hiring']", "'domain' must be one of all, hiring, credit,"),
    ("jurisdiction = 'fr'", "'jurisdiction' must be one of all, us, eu, uk, not 'fr'"),
    ("age-bands = {}", "'age-bands' must be a table of group = [lowest, highest], not {}"),
    ("age-bands = {young = 18}", "'age-bands' → 'young' must be [lowest, highest], not 18"),
    ("age-bands = {young = [40, 30]}", "'young' begins at 40, after its end at 30"),
    ("age-bands = {young = [18, nan]}", "must hold numbers, not nan"),
    ("age-bands = {a = [1, 5], b = [5, 9]}", "'a' and 'b' overlap"),
    ("lawful-ages = [true]", "'lawful-ages' must hold numbers, not True"),
    ("per-file-ignores = ['x']", "'per-file-ignores' must be a table of pattern = [rules]"),
    ("per-file-ignores = {'a.py' = 'FL1'}", "'a.py' must be a list of strings"),
    ("attributes = {gender = 1}", "'attributes' must be tables, one an attribute"),
    ("home-country = 'Germny'", "as 'DE', not 'Germny'; Germany is 'DE'"),
    ("home-country = 'XX'", "must be a country's two letters (ISO 3166), as 'DE', not 'XX'"),
    ("home-country = 49", "must be a country's two letters"),
    ("max-file-size = -1", "'max-file-size' must be a number of bytes, or text such as '5 MB', not -1"),
    ("max-file-size = 'big'", "not 'big'"),
    ("max-file-size = true", "not True"),
    (
        "file-timeout = -1",
        "'file-timeout' must be a number of seconds, 0 for no limit, not -1",
    ),
    ("file-timeout = '9 s'", "not '9 s'"),
    ("file-timeout = nan", "not nan"),
    ("file-timeout = inf", "not inf"),
    ("lawful-ages = [nan]", "must hold numbers, not nan"),
    (f"lawful-ages = [{10**400}]", "must hold numbers up to 1,000,000, not 1000"),
    ("select = [", "is not valid TOML: "),
    ("file-timeout = 1" + 5_000 * "0", "is not valid TOML: "),
    ("a = 1\na = 2", "is not valid TOML: "),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes_are_told_in_one_line_with_the_file(here: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(here, text)

    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{here / 'fairlint.toml'}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes_are_told_by_the_schema_too(text: str, message: str) -> None:
    if any(one in message for one in BEYOND):
        pytest.skip("no schema can tell")
    rules = [(rule.code, rule.name) for rule in load_rules()]
    assert not Draft202012Validator(schema(rules)).is_valid(tomllib.loads(text))


def test_mistakes_in_pyproject_name_the_whole_key(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.fairlint]\nselct = []\n")

    with pytest.raises(UsageError, match=r"unknown key 'tool\.fairlint\.selct'"):
        load_settings(["."])


def test_a_configuration_that_cannot_be_read_is_told(here: Path) -> None:
    (here / "bad.toml").write_bytes(b"select = ['\xff']")
    (here / "deep.toml").write_text("select = " + "[" * 5_000)

    with pytest.raises(UsageError, match=r"gone\.toml: cannot be read: No such file or directory"):
        read_config(Path("gone.toml"))
    with pytest.raises(UsageError, match="not a regular file"):
        read_config(here)
    with pytest.raises(UsageError, match=r"bad\.toml: is not UTF-8 text"):
        read_config(Path("bad.toml"))
    with pytest.raises(UsageError, match=r"deep\.toml: nested too deeply"):
        read_config(Path("deep.toml"))


@pytest.mark.parametrize(
    ("text", "size"), [("1000", 1000), ("'7'", 7), ("'3 kB'", 3_000), ("'3KB'", 3_000), ("'1 GB'", 10**9)]
)
def test_sizes_have_units(here: Path, text: str, size: int) -> None:
    assert written(here, f"max-file-size = {text}").max_file_size == size


def test_the_command_line_changes_what_it_names_only() -> None:
    settings = Settings(select=("FL1",), domain="credit").with_changes(select=None, domain="hiring")

    assert (settings.select, settings.domain) == (("FL1",), "hiring")


def test_vocabulary_files_come_before_the_users_own_tables(here: Path) -> None:
    (here / "words.toml").write_text('[attributes.shoe]\nstrong = "shoe size"\n')
    settings = written(here, 'vocabulary = ["words.toml"]\n[attributes.gender]\ndisabled = true\n')

    assert settings.vocabulary_tables() == (
        {"attributes": {"shoe": {"strong": "shoe size"}}},
        {"attributes": {"gender": {"disabled": True}}},
    )
    assert Settings().vocabulary_tables() == ()


def test_a_vocabulary_file_that_is_missing_is_told(here: Path) -> None:
    settings = written(here, 'vocabulary = ["words.toml"]')

    with pytest.raises(UsageError, match=r"words\.toml: cannot be read"):
        settings.vocabulary_tables()


ODD: list[Any] = [
    None, [], {}, True, 0, -1, 1, 10**26, 10**400, float("nan"), float("inf"), "", "\ud800", "\0", "9" * 5000,
    "9" * 5000 + " MB", [[]], [{}], [None], [10**400], {"a": []}, {"a": {}}, {"a": None}, {"a": [10**400, 1]},
    {"\ud800": ["x"]},
]  # fmt: skip


@pytest.mark.parametrize("key", SETTINGS)
def test_whatever_a_key_holds_it_is_read_or_told_in_one_line(key: str) -> None:
    def told(value: object) -> str:
        try:
            SETTINGS[key].read(value)
        except ValueError as error:
            return str(error)
        return ""

    assert not any("\n" in told(value) for value in ODD)
