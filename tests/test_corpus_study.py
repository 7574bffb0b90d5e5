"""The study of published packages: what is drawn and shown to a reader, labels, and the tables."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fleet_rows import row

from fairlint.fleet.parts import write_part
from fairlint.fleet.store import Run, open_store

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture
def sample() -> ModuleType:
    import corpus_sample

    return corpus_sample


@pytest.fixture
def tables() -> ModuleType:
    import corpus_tables

    return corpus_tables


def claim(package: str, line: int, rule: str = "FL201", **values: Any) -> dict[str, Any]:
    return {
        "repository": f"pypi:{package}==1.0", "path": "a.py", "cell": None, "line": line, "column": 5,
        "end_line": line, "rule": rule, "name": "points-by-group", "attribute": "gender",
        "severity": "error", "context": "", **values,
    }  # fmt: skip


def label_of(sample: ModuleType, row: dict[str, Any], word: str) -> dict[str, Any]:
    return {**row, **sample.key_of(row), "label": word, "reason": "read"}


def test_the_same_seed_draws_the_same_from_rows_in_any_order(sample: ModuleType) -> None:
    rows = [claim(f"p{at}", 1) for at in range(40)]
    drawn = sample.draw_claims(rows, 10, 7)
    assert len(drawn) == 10
    assert drawn == sample.draw_claims(rows[::-1], 10, 7)
    assert drawn != sample.draw_claims(rows, 10, 8)


def test_a_package_gives_no_more_than_five(sample: ModuleType) -> None:
    rows = [claim("large", at) for at in range(100)] + [claim("small", at) for at in range(3)]
    drawn = sample.draw_claims(rows, 50, 1)
    names = [one["repository"] for one in drawn]
    assert (names.count("pypi:large==1.0"), names.count("pypi:small==1.0")) == (5, 3)


def test_uses_fill_up_what_findings_lack(sample: ModuleType) -> None:
    rows = [claim(f"u{at}", 1, rule=sample.USE) for at in range(9)] + [claim(f"f{at}", 1) for at in range(3)]
    rules = [one["rule"] for one in sample.draw_claims(rows, 5, 1)]
    assert rules == ["FL201"] * 3 + [sample.USE] * 2


def test_a_reader_is_told_no_severity(sample: ModuleType) -> None:
    told = sample.sample_row(3, claim("p", 7, end_line=9))
    assert (told["package"], told["version"], told["line"], told["end_line"]) == ("p", "1.0", "7", "9")
    assert "error" not in " ".join(told.values())


def test_the_place_is_marked_in_the_code_around_it(sample: ModuleType) -> None:
    shown = list(sample.code_around("a\nb\nc\nd\ne\n", 3, 3, around=1))
    assert shown == ["      2 b".rjust(9), ">     3 c", "      4 d".rjust(9)]


def test_labels_are_joined_by_place_and_lost_findings_counted(sample: ModuleType, tables: ModuleType) -> None:
    here, lost = claim("p", 1, severity="note"), claim("p", 2)
    other = claim("p", 1, attribute="age")
    labels = [sample.key_of(one) | {"label": "correct", "reason": "read"} for one in (here, lost)]
    joined, gone = sample.join_labels(labels, [other, here])
    assert [(one["severity"], one["attribute"]) for one in joined] == [("note", "gender")]
    assert [one["line"] for one in gone] == ["2"]
    pytest.importorskip("scipy")
    text = "".join(tables.precision_tables([one | {"list": "all"} for one in joined], len(gone)))
    assert "| note | 1 | 0 | 0 | 1.00 |" in text
    assert "1 of the labelled" in text


def test_a_label_needs_a_known_word_and_a_reason(sample: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    good = label_of(sample, claim("p", 1), "wrong")
    rows = [{word: good[word] for word in sample.LABELS}]
    sample.write_csv(path, sample.LABELS, rows)
    assert sample.read_labels(path) == rows
    for change in ({"label": "right"}, {"reason": ""}):
        sample.write_csv(path, sample.LABELS, [*rows, rows[0] | change])
        with pytest.raises(ValueError, match=":3: needs a label"):
            sample.read_labels(path)


def test_unclear_labels_are_no_part_of_the_precision(sample: ModuleType) -> None:
    pytest.importorskip("scipy")
    words = ["correct"] * 8 + ["wrong"] * 2 + ["unclear"] * 5
    found = sample.precision_of([label_of(sample, claim(f"p{at}", 1), word) for at, word in enumerate(words)])
    assert (found.correct, found.wrong, found.unclear, found.share) == (8, 2, 5, 0.8)
    assert (found.low, found.high) == pytest.approx((0.490, 0.943), abs=0.001)  # Wilson's of 8 of 10


def test_findings_of_one_package_are_worth_less(sample: ModuleType) -> None:
    pytest.importorskip("scipy")
    words = ["correct"] * 8 + ["wrong"] * 8
    apart = [label_of(sample, claim(f"p{at}", 1), word) for at, word in enumerate(words)]
    together = [label_of(sample, claim(f"p{at // 4}", at), word) for at, word in enumerate(words)]
    assert sample.precision_of(together).high > sample.precision_of(apart).high


def test_without_a_clear_label_there_is_no_precision(sample: ModuleType, tables: ModuleType) -> None:
    found = sample.precision_of([label_of(sample, claim("p", 1), "unclear")])
    assert tables.precision_cells("all", found) == ["all", "0", "0", "1", "–", "–"]


def test_the_tables_count_packages_by_what_they_do(tables: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    from fairlint.fleet.query import open_views

    store = open_store(tmp_path / "store", is_new=True)
    store.write_run(Run("r1", "2026-01-01", "2026-01-01", is_finished=True))
    of_gender = {"attribute": "gender", "attribute_kind": "protected"}
    write_part(store.parts / "run=r1" / "date=2026-01-01" / "part-0", {
        "repositories": [
            row("repositories", repository="pypi:a==1", data_run="r1", status="checked", files=4, findings=1),
            row("repositories", repository="pypi:b==1", data_run="r1", status="checked", files=4),
            row("repositories", repository="pypi:c==1", data_run="r1", status="failed"),
        ],
        "uses": [
            row("uses", repository="pypi:a==1", kind="decision", effect="decide", domain="credit",
                **of_gender),
            row("uses", repository="pypi:a==1", kind="read", effect="show", **of_gender),
            row("uses", repository="pypi:b==1", kind="read", effect="store", **of_gender),
        ],
        "findings": [row("findings", repository="pypi:a==1", rule="FL101", name="decision-by-group",
                         severity="note", attribute="gender", domain="credit")],
        "coverage": [row("coverage", repository="pypi:b==1", path="a|b.ts", cause="unread",
                         kind="TypeScript")],
        "errors": [row("errors", repository="pypi:c==1", cause="gone", reason="there is no such version")],
    })  # fmt: skip
    with open_views(store) as connection:
        text = "".join(tables.tables_of(connection))
    for line in (
        "| 3 | 2 | 1 | 8 | 0 | 1 | 0 | 1 |",
        "| gender | protected | 2 | 1 | 1 | 1 | 0 |",
        "| decision | decide | 1 | 1 |",
        "| FL101 | decision-by-group | 1 | 0 | 0 | 1 |",
        "| credit | 1 | 1 | 1 | 1 |",
        "| not known | 2 | 0 | 0 | 0 |",
        "| unread | TypeScript | 1 | 1 | 12.50 % |",
        "| gone | 1 | there is no such version | c==1 |",
    ):
        assert f"{line}\n" in text


def test_tables_replace_those_between_their_marks(tables: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- t: begin -->\n\nold\n\n<!-- t: end -->\nafter\n")
    tables.replace_tables(page, "t", [tables.markdown_table(("a", "b"), [(1234, "x|y"), (None, "z")])])
    rows = "| a | b |\n| --- | --- |\n| 1,234 | x\\|y |\n| – | z |\n"
    assert page.read_text() == f"before\n<!-- t: begin -->\n\n{rows}\n<!-- t: end -->\nafter\n"
    with pytest.raises(ValueError, match="has no"):
        tables.replace_tables(page, "other", [])


def test_the_list_pins_each_package_once() -> None:
    import corpus_study

    packages = corpus_study.packages_of(corpus_study.LIST)
    names = [one.split("==") for one in packages]
    assert all(len(parts) == 2 for parts in names)
    assert len({name for name, _ in names}) == len(names)
