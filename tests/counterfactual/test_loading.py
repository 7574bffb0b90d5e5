"""Populations out of files, and what is told of files that are none."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint import UsageError
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.population import Cell, Column, Population

LOANS = """\
id,age,sex,grade,paid
1,25,f,b,yes
2,30,m,a,no
3,29,f,b,yes
4,61,m,c,no
5,25,f,b,no
"""
DESCRIPTION = """\
drop = ["id"]
label = { column = "paid", favourable = "yes" }

[columns.age]
attribute = "age"
bands = [
  { name = "young", to = 29 }, { name = "middle", from = 30, to = 60 }, { name = "old", from = 61, to = 99 },
]

[columns.sex]
attribute = "gender"
values = { f = "female", m = "male", d = "diverse" }

[columns.grade]
ordered = ["c", "b", "a"]
"""


class Loans:
    """A CSV file and its description, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.data, self.config = folder / "loans.csv", folder / "loans.toml"
        self.data.write_text(LOANS, encoding="utf-8")
        self.config.write_text(DESCRIPTION, encoding="utf-8")

    def load(self) -> Population:
        return load(self.data, config=self.config)

    def refusal(self) -> str:
        """What is told, without the folder."""
        with pytest.raises(UsageError) as told:
            self.load()
        message = str(told.value)
        assert "\n" not in message
        return message.replace(f"{self.data.parent}/", "")

    def say(self, more: str) -> None:
        self.config.write_text(f"{more}\n{DESCRIPTION}", encoding="utf-8")


@pytest.fixture
def loans(tmp_path: Path) -> Loans:
    return Loans(tmp_path)


def test_distinct_rows_stand_for_their_people(loans: Loans) -> None:
    people = loans.load()
    assert people.name == "loans"
    assert [(one.name, one.values, one.ordered, one.attribute) for one in people.columns] == [
        ("age", ("young", "middle", "old"), True, "age"),
        ("sex", ("female", "male", "diverse"), False, "gender"),
        ("grade", ("c", "b", "a"), True, None),
    ]
    assert people.rows == (("young", "female", "b"), ("middle", "male", "a"), ("old", "male", "c"))
    assert people.weights == (3, 1, 1)
    assert people.favourable == (2, 0, 0)
    assert people.people == people.origin.read == 5
    assert people.label == "paid"


def test_bands_as_numbers(loans: Loans) -> None:
    people = load(str(loans.data), config=str(loans.config), ages="numbers")
    assert [row[0] for row in people.rows] == [25, 30, 29, 61]
    assert people.columns[0].values == (25, 29, 30, 60, 61)  # 60 is the end of a band; 99 nobody is
    assert people.columns[0].ordered


def test_rows_are_left_out_as_it_is_said(loans: Loans) -> None:
    loans.data.write_text(LOANS + "6,,m,a,no\n7,40,m,?,no\n8,25,f,b,yes\n")
    loans.say('drop-missing = true\ndeduplicate = "with-label"\ndrop-rows = { id = [4, 9] }')
    people = loans.load()
    assert people.origin.read == 8
    assert people.origin.dropped == {
        "id is 4": 1, "id is 9": 0, "a value is missing": 2, "equal to another row": 1,
    }  # fmt: skip
    # of (25, f, b) one with each label is left, beside (29, f, b)
    assert dict(zip(people.rows, people.weights, strict=True)) == {
        ("young", "female", "b"): 3, ("middle", "male", "a"): 1,
    }  # fmt: skip
    assert people.favourable == (2, 0)


def test_without_the_label_the_first_of_equal_rows_counts(loans: Loans) -> None:
    loans.say('deduplicate = "without-label"')
    people = loans.load()
    assert people.weights == (2, 1, 1)
    assert people.favourable == (2, 0, 0)


def test_columns_are_kept_in_the_order_that_is_said(loans: Loans) -> None:
    loans.config.write_text(
        'keep = ["sex", "years", "ends_in"]\n'
        'columns.sex.attribute = "gender"\n'
        'columns.years.column = "age"\n'
        "columns.ends_in = { column = 'age', bands = [{ name = 'any' }] }\n"
    )
    people = loans.load()
    assert people.rows[0] == ("f", 25, "any")
    assert people.favourable is None
    assert people.label is None


def test_what_cells_look_like_is_their_type(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("sex,n,x,flag,code,word\n f ,1,1,true,007,a\nm,-2,2.5,False,010,NAN-A\n")
    people = load(path)
    assert people.rows == (("f", 1, 1.0, True, "007", "a"), ("m", -2, 2.5, False, "010", "NAN-A"))
    assert [one.ordered for one in people.columns] == [False, True, True, False, False, False]
    assert people.columns[1].values == (-2, 1)


def test_a_type_that_is_said_counts(tmp_path: Path) -> None:
    path, config = tmp_path / "x.csv", tmp_path / "x.toml"
    path.write_text("sex,zip,code,yes\n1,12,007,TRUE\n2,13,010,TRUE\n")
    config.write_text(
        'columns.sex = { attribute = "gender", type = "text", also = ["3"] }\n'
        "columns.zip = { ordered = false }\n"
        'columns.code = { type = "number" }\n'
    )
    people = load(path, config=config)
    assert people.rows == (("1", 12, 7, True), ("2", 13, 10, True))
    assert people.columns[0].values == ("1", "2", "3")
    assert not people.columns[1].ordered


def test_protected_columns_are_guessed_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("shoe_size,gender,age,marital-status,race\n38,f,44,single,black\n41,m,20,married,white\n")
    people = load(path)
    assert [one.attribute for one in people.columns] == [None, "gender", "age", "marital_status", "race"]
    assert people.favourable is None
    (note,) = people.origin.notes
    assert note.startswith(
        "Which columns are protected is guessed by their names: gender (gender), age (age), "
    )
    assert "--data-config" in note


def test_of_too_many_columns_nothing_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Column] = []
    monkeypatch.setattr("fairlint.counterfactual.guessing.attribute_of", asked.append)
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"age_{n}" for n in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n")
    with pytest.raises(UsageError, match=r"20,000 columns are too many .*at most 1,000.*--data-config"):
        load(path)
    assert asked == []


WIDE = """
import resource, sys
from pathlib import Path
sys.path[:0] = {path!r}
from fairlint.counterfactual.loading import load
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
people = load(Path("wide.csv"), config=Path("wide.toml"))
print(len(people.columns), people.people)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of processor time")
def test_a_table_takes_time_as_its_columns_do(tmp_path: Path) -> None:
    count = 60_000
    names = ",".join(f"c{n}" for n in range(count))
    (tmp_path / "wide.csv").write_text(f"sex,{names}\n" + f"m{',1' * count}\n" + f"f{',2' * count}\n")
    (tmp_path / "wide.toml").write_text("[columns.sex]\nattribute = 'gender'\n")
    asked = [sys.executable, "-c", WIDE.format(path=sys.path)]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "60001 2\n"), done.stderr


def test_an_attribute_that_fairlint_does_not_know_is_told(loans: Loans) -> None:
    loans.config.write_text(DESCRIPTION.replace('"gender"', '"sex"'))
    assert loans.load().origin.notes == (
        "`sex` is no attribute that fairlint itself knows; `gender` is one.",
    )


def test_a_shipped_description_fits_ones_own_copy(tmp_path: Path) -> None:
    path = tmp_path / "copy.data"
    path.write_text("A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1\n")
    people = load(path, config="german")
    assert people.rows == (("Retire", "male", 2, "own", "unknown", "little", 1169, "Short Term", "radio/TV"),)


# ------------------------------------------------------------------------------------------------ other files


def test_other_separators_and_headless_files(tmp_path: Path) -> None:
    path, config = tmp_path / "x.txt", tmp_path / "x.toml"
    config.write_text('separator = "\\t"\nheader = ["sex", "age"]\ncolumns.sex.attribute = "gender"\n')
    path.write_text("f\t30\n\nm\t40\n")
    assert load(path, config=config).rows == (("f", 30), ("m", 40))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_need_no_word(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("sex,city\nf,Köln\nm,Łódź\n", encoding=encoding)
    assert load(path).rows == (("f", "Köln"), ("m", "Łódź"))


def test_an_encoding_that_is_said(loans: Loans) -> None:
    loans.data.write_text("sex,city\nf,Köln\n", encoding="latin-1")
    loans.config.write_text('encoding = "latin-1"\ncolumns.sex.attribute = "gender"\n')
    assert loans.load().rows == (("f", "Köln"),)


def test_two_columns_of_one_name_that_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("sex,n,n\nf,1,1\nm,2,2\n")
    people = load(path)
    assert people.rows == (("f", 1), ("m", 2))


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path, config = tmp_path / "x.parquet", tmp_path / "x.toml"
    table = pa.table(
        {
            "sex": pa.array(["f", "m", "f"]).dictionary_encode(),
            "age": pa.array([30, 40, 30], pa.int64()),
            "code": ["1", "2", "1"],
            "pay": [1.5, 2.0, 1.5],
            "born": pa.array([0, 1, 0], pa.date32()),
            "granted": [True, False, True],
        }
    )
    pq.write_table(table, path)
    config.write_text('columns.sex.attribute = "gender"\nlabel = { column = "granted", favourable = true }\n')
    people = load(path, config=config)
    assert people.rows == (("f", 30, "1", 1.5, "1970-01-01"), ("m", 40, "2", 2.0, "1970-01-02"))
    assert (people.weights, people.favourable) == ((2, 1), (2, 0))
    pq.write_table(pa.table({"sex": ["f", None]}), path)
    with pytest.raises(UsageError, match="row 2, column 'sex': the value is missing; drop-missing"):
        load(path)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and more")
    with pytest.raises(UsageError, match=r"x\.parquet cannot be read as Parquet: "):
        load(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError) as told:
        load(path)
    assert str(told.value).endswith(
        'is a Parquet file, and pyarrow is not installed: pip install "fairlint[counterfactual]", '
        "or save it as CSV"
    )


# -------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "loans.csv is empty"),
        ("\n\n", "loans.csv is empty"),
        ("id,age,sex,grade,paid\n", "loans.csv has no rows"),
        ("a,age,sex,grade\n", "loans.csv has no column 'paid'; it has a, age, sex, grade"),
        ("id,agee,sex,grade,paid\n", "loans.csv has no column 'age'; did you mean 'agee'?"),
        ("id,age,,grade,paid\n", "loans.csv: column 3 has no name in the header"),
        (LOANS + "6,25,f\n", "loans.csv: row 7 has 3 cells, not 5"),
        (LOANS + "6,25,f,b,no,9\n", "loans.csv: row 7 has 6 cells, not 5"),
        (LOANS + "6\n", "loans.csv: row 7 has 1 cell, not 5"),
        (LOANS + "6,100,f,b,no\n", "loans.csv: row 7, column 'age': '100' is in none of its bands"),
        (LOANS + "6,29.5,f,b,no\n", "loans.csv: row 7, column 'age': '29.5' is in none of its bands"),
        (LOANS + "6,old,f,b,no\n", "loans.csv: row 7, column 'age': 'old' is no number"),
        (LOANS + "6,1_0,f,b,no\n", "loans.csv: row 7, column 'age': '1_0' is no number"),
        (LOANS + "6,inf,f,b,no\n", "loans.csv: row 7, column 'age': 'inf' is no number"),
        (LOANS + "6,25,x,b,no\n", "loans.csv: row 7, column 'sex': 'x' is not among its values"),
        (LOANS + "6,25,f,d,no\n", "loans.csv: row 7, column 'grade': 'd' is not among its ordered values"),
        (LOANS.replace("yes", "no"), "loans.csv: the label 'paid' is nowhere yes, but no"),
        (LOANS + '6,25,"f,b,no\n', "loans.csv: row 7 is not CSV: unexpected end of data"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_one_line(loans: Loans, text: str, message: str) -> None:
    loans.data.write_text(text)
    assert loans.refusal() == message


def test_a_label_of_three_values(loans: Loans) -> None:
    loans.data.write_text(LOANS + "6,25,f,b,maybe\n")
    assert loans.refusal() == (
        "loans.csv: the label 'paid' has 3 values ('yes', 'no', 'maybe'): say which are favourable and which "
        "are unfavourable"
    )


def test_missing_values(loans: Loans) -> None:
    loans.data.write_text(LOANS + "6,25,,b,no\n7,25,f,NA,no\n")
    assert loans.refusal() == (
        "loans.csv: row 7, column 'sex': the value is missing, as in 2 rows altogether; drop-missing = true "
        "leaves such rows out, and `values` can say what such a cell means"
    )


def test_another_separator(loans: Loans) -> None:
    loans.data.write_text(LOANS.replace(",", ";"))
    assert loans.refusal() == (
        "loans.csv has one column, 'id;age;sex;grade;paid': if cells are separated by ';', say "
        'separator = ";" in its description'
    )


def test_two_columns_of_one_name_that_differ(loans: Loans) -> None:
    loans.data.write_text("id,age,sex,grade,paid,sex\n1,25,f,b,no,f\n2,25,f,b,no,m\n")
    assert loans.refusal() == (
        "loans.csv: there are two columns 'sex', and in row 3 they differ: 'f' and 'm'"
    )


def test_bytes_that_are_no_csv(loans: Loans) -> None:
    loans.data.write_bytes(LOANS.encode() + "6,25,f,Ä,no\n".encode("latin-1"))
    assert loans.refusal().startswith(
        'loans.csv: line 7 is not UTF-8 text: say its encoding in a description, as encoding = "latin-1"'
    )
    loans.data.write_bytes(LOANS.encode("utf-16-le"))
    assert loans.refusal().startswith("loans.csv looks like UTF-16: say encoding = ")
    loans.data.write_bytes(b"PK\x03\x04 and more")
    assert loans.refusal() == "loans.csv is a zip archive or an Excel file: save its table as CSV"


def test_another_encoding_than_is_said(loans: Loans) -> None:
    loans.data.write_bytes(LOANS.encode() + "6,25,f,Ä,no\n".encode("latin-1"))
    loans.say('encoding = "ascii"')
    assert loans.refusal() == (
        "loans.csv is not ascii text (ordinal not in range(128)): say its encoding in the description"
    )


def test_what_is_no_plain_file_of_lines(tmp_path: Path) -> None:
    pipe, device, vast = tmp_path / "pipe", tmp_path / "device", tmp_path / "vast.csv"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    with vast.open("wb") as file:
        file.truncate(3_000_000_000)
    for path in (pipe, device):
        with pytest.raises(UsageError, match=r": not a regular file$"):
            load(path)
    with pytest.raises(
        UsageError, match=r"vast\.csv has a line of 1,048,576 characters or more: it is no table$"
    ):
        load(vast)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"x\.csv: cannot be read: No such file or directory$"):
        load(tmp_path / "x.csv")
    with pytest.raises(UsageError, match=r" is a directory, not a file of people$"):
        load(tmp_path)


def test_a_label_of_three_values_that_are_all_known(loans: Loans) -> None:
    loans.data.write_text(LOANS + "6,25,f,b,maybe\n")
    described = DESCRIPTION.replace('"yes"', '["yes", "maybe"], unfavourable = ["no"]')
    loans.config.write_text(described)
    people = loans.load()
    assert people.favourable == (3, 0, 0)
    loans.data.write_text(LOANS + "6,25,f,b,never\n")
    assert loans.refusal() == (
        "loans.csv: row 7, column 'paid': 'never' is neither favourable nor unfavourable"
    )


def test_a_missing_value_that_means_something(loans: Loans) -> None:
    loans.data.write_text(LOANS + "6,25,,b,no\n")
    loans.config.write_text(DESCRIPTION.replace(", d = ", ', "" = '))
    assert ("young", "diverse", "b") in loans.load().rows


def test_no_row_is_left(loans: Loans) -> None:
    loans.say("drop-rows = { sex = ['f', 'm'] }")
    assert loans.refusal() == "loans.csv: no row is left: sex is f: 3, sex is m: 2"


def test_without_a_description_nothing_may_be_missing_or_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("sex,n\nf,?\n")
    with pytest.raises(
        UsageError, match=r"row 2, column 'n': the value is missing \(\?\); drop-missing = true of a"
    ):
        load(path)
    path.write_text("shoe_size,n\n39,2\n")
    with pytest.raises(
        UsageError, match=r"x\.csv: no column is known to be protected \(shoe_size, n\): describe"
    ):
        load(path)


# ------------------------------------------------------------------------------------------------- invariants

cells = st.sampled_from(["a", "b", "1", "2.5", "x y", 'quoted "q"', "with, comma", "Köln"])


@settings(deadline=None)
@given(st.lists(st.tuples(cells, cells, st.sampled_from(["yes", "no"])), min_size=1, max_size=30))
def test_nobody_is_lost_and_nobody_is_made_up(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("people")
    path, config = folder / "x.csv", folder / "x.toml"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("sex", "n", "label"), *rows])
    config.write_text(
        'columns.sex = { attribute = "gender", type = "text" }\ncolumns.n.type = "text"\n'
        'label = { column = "label", favourable = ["yes"], unfavourable = ["no"] }\n'
    )
    if not any(label == "yes" for *_, label in rows):
        with pytest.raises(UsageError, match="is nowhere yes"):
            load(path, config=config)
        return
    people = load(path, config=config)
    assert people.favourable is not None
    expected: Counter[tuple[Cell, ...]] = Counter((sex, n) for sex, n, _ in rows)
    liked: Counter[tuple[Cell, ...]] = Counter((sex, n) for sex, n, label in rows if label == "yes")
    assert dict(zip(people.rows, people.weights, strict=True)) == expected
    assert all(liked[row] == count for row, count in zip(people.rows, people.favourable, strict=True))
    for place, column in enumerate(people.columns):
        assert set(column.values) == {row[place] for row in people.rows}


def test_one_group_alone_is_said(tmp_path: Path) -> None:
    data = tmp_path / "men.csv"
    data.write_text("sex,grade\nm,a\nm,b\n", encoding="utf-8")
    assert any("`sex` has one value, 'm': nobody is compared" in note for note in load(data).origin.notes)
    config = tmp_path / "men.toml"
    config.write_text('[columns.sex]\nattribute = "gender"\nvalues = { m = "male", f = "female" }\n')
    assert not any("one value" in note for note in load(data, config=config).origin.notes)
