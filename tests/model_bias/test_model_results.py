"""The folder of results: nothing is lost, nothing of others is written over, and all is read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from random_models import tiny

from fairlint import UsageError
from fairlint.model_bias import results
from fairlint.model_bias.loading import Loaded
from fairlint.support.records import replace


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return Loaded("tiny", "1", tiny("llama"), tokenizer=None, masked=False, batch_size=0)


def told(part: str, loaded: Loaded, value: float) -> dict[str, object]:
    return results.document(
        part, loaded, settings={}, data=[], definitions={"gap": "a gap"}, figures={"gap": value}
    )


def test_parts_are_read_back_and_stand_together_in_one_file(tmp_path: Path, loaded: Loaded) -> None:
    for part, value in (("locate", 1.5), ("score", 0.1)):
        with results.open_part(tmp_path, part, loaded, items="x") as run:
            results.write(run, told(part, loaded, value))
    assert list(results.read(tmp_path)) == ["score", "locate"]
    whole = json.loads((tmp_path / "metrics.json").read_text())
    assert whole == results.read(tmp_path)
    assert whole["locate"]["figures"] == {"gap": 1.5}
    assert whole["locate"]["model"]["dtype"] == "float64"


def test_kept_items_are_there_when_a_part_goes_on(tmp_path: Path, loaded: Loaded) -> None:
    with results.open_part(tmp_path, "score", loaded, items="x") as run:
        run.responses.append([{"key": "a", "answer": [[1.0]]}])
    with results.open_part(tmp_path, "score", loaded, items="x", resume=True) as run:
        assert [one["answer"] for one in run.responses.records()] == [[[1.0]]]


def test_a_part_that_is_there_is_not_written_over(tmp_path: Path, loaded: Loaded) -> None:
    with results.open_part(tmp_path, "score", loaded, items="x"):
        pass
    with pytest.raises(UsageError, match=r"already holds results; use --resume"):
        results.open_part(tmp_path, "score", loaded, items="x")


def test_a_folder_of_another_model_is_one_line(tmp_path: Path, loaded: Loaded) -> None:
    with results.open_part(tmp_path, "score", loaded, items="x"):
        pass
    for other in (replace(loaded, revision="2"), replace(loaded, name="other")):
        with pytest.raises(UsageError, match=r"^[^\n]*holds results of tiny \(1\), and this is [^\n]*$"):
            results.open_part(tmp_path, "locate", other, items="x")
        with pytest.raises(UsageError, match=r"^[^\n]+$"):
            results.open_part(tmp_path, "score", other, items="x", resume=True)
    assert not (tmp_path / "locate").exists()


def test_other_items_are_another_run(tmp_path: Path, loaded: Loaded) -> None:
    with results.open_part(tmp_path, "score", loaded, items=results.digest_of(["a"])):
        pass
    with pytest.raises(UsageError, match="prompts_hash"):
        results.open_part(tmp_path, "score", loaded, items=results.digest_of(["b"]), resume=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "does not hold figures of fairlint model score"),
        ('{"part": "score", "format": 99}', "is of format 99"),
    ],
)
def test_what_is_no_such_file_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "score").mkdir()
    (tmp_path / "score" / "metrics.json").write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        results.read(tmp_path)
    assert "\n" not in str(caught.value)
