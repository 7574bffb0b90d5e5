"""Commands of `fairlint model` on a small model of random weights: what they take, refuse, say and write."""

from __future__ import annotations

import csv
import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import transformers
from random_models import tiny
from word_tokenizer import word_tokenizer

from fairlint.cli import main, model_score
from fairlint.cli.model_ablate import table
from fairlint.model_bias import contrast_data, results
from fairlint.model_bias.ablating import Step
from fairlint.model_bias.data.loading import load
from fairlint.model_bias.effects import Effect

KINDS = {
    "race": (("Arab", "Greek", "Ghanaian"), ("rich", "poor", "seven")),
    "gender": (("mother", "father", "sister"), ("kind", "strict", "blue")),
}


def stereoset(path: Path) -> Path:
    """Items within sentences about three targets of each of two types of bias, two of each."""
    found = []
    for kind, (targets, words) in KINDS.items():
        for target in targets:
            for number, context in enumerate(("the {} was BLANK .", "we met the {} who was BLANK there .")):
                written = context.format(target.lower() if number else target)
                found.append({
                    "id": f"{target}-{number}",
                    "target": target,
                    "bias_type": kind,
                    "context": written,
                    "sentences": [
                        {"sentence": written.replace("BLANK", word), "gold_label": label}
                        for word, label in zip(
                            words, ("stereotype", "anti-stereotype", "unrelated"), strict=True
                        )
                    ],
                })  # fmt: skip
    path.write_text(json.dumps({"data": {"intrasentence": found}}))
    return path


WORDS = [*re.findall(r"\w+", "the was we met who there " + str(KINDS)), "."]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a causal and a masked model, and data; it is the working directory."""
    tokenizer = word_tokenizer(WORDS)
    for name, kind in (("causal", "gpt2"), ("masked", "bert")):
        tiny(kind, vocabulary=len(tokenizer)).float().save_pretrained(tmp_path / name)
        tokenizer.save_pretrained(tmp_path / name)
    data = stereoset(tmp_path / "stereoset.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contrast_data, "load", lambda name: load(name, str(data)))
    return tmp_path


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


SCORE = ["model", "score", "--model", "causal", "--output", "out", "--data", "stereoset=stereoset.json"]
ABLATE = [
    "model", "ablate", "--model", "causal", "--output", "out", "--heads", "1.2,0.0", "--how", "zero",
    "--controls", "2",
]  # fmt: skip


def test_a_masked_model_is_scored_without_code_unless_somebody_names_it(
    there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fairlint.cli import model_score

    monkeypatch.setattr(model_score, "DATA", "stereoset=stereoset.json,code")
    assert main(["model", "score", "--model", "masked", "--output", "out"]) == 0
    assert "code is left out" in capsys.readouterr().err
    told = results.read(there / "out")["score"]
    assert [one["name"] for one in told["data"]] == ["stereoset"]
    assert "code is left out" in told["warnings"][0]
    assert main(["model", "score", "--model", "masked", "--output", "other", "--data", "code"]) == 2
    assert "leave out code" in capsys.readouterr().err


@pytest.mark.usefixtures("there")
def test_a_masked_model_is_not_located_on_code_that_it_cannot_go_on_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["model", "locate", "--model", "masked", "--data", "code", "--output", "out"]) == 2
    told = capsys.readouterr().err
    assert "does not say how code goes on (leave out code)" in told
    assert told.count("\n") == 1


def test_intervals_in_csv_files_are_two_columns_of_numbers(there: Path) -> None:
    assert main([*SCORE, "-q"]) == 0
    assert main([*ABLATE, "--data", "stereoset=stereoset.json", "-q"]) == 0
    figures = there / "out" / "figures"
    told = rows_of(figures / "score-stereoset.csv")
    assert list(told[0]) == [
        "task", "about", "items", "LMS", "LMS low", "LMS high", "SS", "SS low", "SS high", "ICAT", "ICAT low",
        "ICAT high",
    ]  # fmt: skip
    for row in (one for one in told if one["ICAT low"]):  # bounds without width are none
        low, value, high = (float(row[name]) for name in ("ICAT low", "ICAT", "ICAT high"))
        assert low <= value <= high
    (row, *_) = rows_of(figures / "ablate-effects.csv")
    assert list(row)[3:] == [
        "difference", "difference low", "difference high", "at random low", "at random high",
    ]  # fmt: skip
    shown = results.read(there / "out")["score"]["figures"]["stereoset"][0]["icat"]
    assert float(told[0]["ICAT low"]) == shown["low"]
    for path in figures.glob("*.csv"):
        assert "−" not in path.read_text("utf-8"), path
    page = (there / "out" / "report.html").read_text("utf-8")
    assert re.search(r">[−\d.]+ to [−\d.]+<", page), "people read them as one"


def test_a_pair_of_a_masked_model_can_be_asked_again(there: Path) -> None:
    """What follows the mask is kept with the pair, in the form of a user's file."""
    command = ["model", "locate", "--model", "masked", "--exact", "all", "-q", "--data"]
    assert main([*command, "stereoset", "--pairs", "3", "--output", "out"]) == 0
    kept = json.loads((there / "out" / "locate" / "pairs.json").read_text())["stereoset"]["pairs"]
    assert all(pair["rest"] for pair in kept)
    (there / "again.json").write_text(json.dumps({"pairs": kept[:1]}))
    assert main([*command, "again.json", "--output", "other"]) == 0
    again = json.loads((there / "other" / "locate" / "pairs.json").read_text())["again"]["pairs"]
    assert again[0]["metric"] == pytest.approx(kept[0]["metric"], abs=1e-5)


def test_resuming_with_another_option_says_which_one(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCORE, "--limit", "3", "-q"]) == 0
    assert main([*SCORE, "--limit", "4", "-q", "--resume"]) == 2
    told = capsys.readouterr().err
    assert "options.limit is 3 there, 4 now" in told
    assert "prompts_hash" not in told
    stereoset(there / "stereoset.json").write_text(
        (there / "stereoset.json").read_text().replace("we", "who")
    )
    assert main([*SCORE, "--limit", "3", "-q", "--resume"]) == 2
    assert "prompts_hash" in capsys.readouterr().err, "nothing else differs"


def test_names_are_put_in_as_the_text_writes_names(there: Path) -> None:
    assert main(["model", "locate", "--model", "causal", "--data", "stereoset:race", "--output", "out"]) == 0
    pairs = json.loads((there / "out" / "locate" / "pairs.json").read_text())["stereoset:race"]["pairs"]
    texts = {pair["corrupted"] for pair in pairs}
    targets = KINDS["race"][0]
    assert texts <= {
        text
        for name in targets
        for text in (f"the {name} was", f"we met the {name.lower()} who was")
    }  # fmt: skip
    told = results.read(there / "out")["locate"]
    assert "of whom StereoSet says nothing" in told["definitions"]["stereoset"]
    assert (there / "out" / "locate" / "heads-stereoset-race.json").exists()


def test_types_of_stereotypes_are_measured_apart_before_and_after(there: Path) -> None:
    data = "stereoset:race=stereoset.json,stereoset:gender=stereoset.json,stereoset=stereoset.json"
    assert main([*ABLATE, "--data", data, "-q"]) == 0
    told = results.read(there / "out")["ablate"]
    last = next(one for one in told["figures"]["steps"] if len(one["components"]) == 2)
    by_figure = {one["figure"]: one for one in last["effects"]}
    race, gender, whole = (by_figure[f"stereoset{part}.ss"] for part in (":race", ":gender", ""))
    assert (race["clusters"], gender["clusters"], whole["clusters"]) == (3, 3, 6)
    assert whole["after"] == pytest.approx((race["after"] + gender["after"]) / 2)
    assert set(told["definitions"]) >= {"stereoset:race.ss", "stereoset.ss"}
    assert main(["model", "locate", "--model", "causal", "--data", "stereoset:age", "--output", "o"]) == 2


def test_an_interval_that_is_printed_as_one_number_is_left_out() -> None:
    tiny_one = Effect("code.gap", 1.0, 1.0, 1e-9, -1e-9, 2e-9, 0.9, 20)
    (row,) = (line for line in table([Step("list", ("1.1",), (tiny_one,))], "zero") if "code.gap" in line)
    assert row.split() == ["code.gap", "1.000", "1.000", "+0.000"]


def test_a_whole_model_is_saved_without_a_bar(there: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from fairlint.model_bias import loading
    from fairlint.model_bias.distribution.adapters import Trained

    transformers.utils.logging.enable_progress_bar()
    capfd.readouterr()
    trained = Trained(loading.load(str(there / "causal")), None, 0)
    trained.save(there / "saved")
    assert "Writing" not in capfd.readouterr().err
    assert transformers.utils.logging.is_progress_bar_enabled()


def test_a_small_divergence_is_written_as_in_the_table() -> None:
    from fairlint.cli.model_distribution import verdict

    some: dict[str, Any] = {"kl": {"value": 0.00028, "low": 0.0001, "high": 0.0004}, "constant": 0.0}
    assert "2.8e−04 nats" in verdict({"calibrated": {"equal": some}}, "tiny")


SCAN = [
    "model", "ablate", "--model", "causal", "--heads", "all", "--each", "--how", "zero", "--data",
    "stereoset=stereoset.json", "--output",
]  # fmt: skip


def test_each_head_and_mlp_is_switched_off_alone(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCAN, "out"]) == 0
    said = capsys.readouterr()
    assert "16 states of the model" in said.err, "what it costs is told first: 12 heads, 3 MLPs, and before"
    assert "15 components, each ablated alone" in said.out
    told = results.read(there / "out")["ablate"]
    by_component = {one["components"][0]: one["effects"] for one in told["figures"]["steps"]}
    assert list(by_component)[:2] == ["0.0", "0.1"]
    assert list(by_component)[-1] == "mlp 2"
    for name in ("1.2", "mlp 1"):
        alone = ["--heads", name, "--controls", "0", "--output", f"out-{name[-1]}"]
        assert main([*ABLATE[:4], *alone, "--how", "zero", "--data", SCAN[-2], "-q"]) == 0
        (step,) = results.read(there / f"out-{name[-1]}")["ablate"]["figures"]["steps"]
        for one, other in zip(by_component[name], step["effects"], strict=True):
            assert {key: one[key] for key in other} == other
    adjusted = [one["adjusted"] for effects in by_component.values() for one in effects]
    assert all(one["adjusted"] >= one["p"] for effects in by_component.values() for one in effects)
    assert max(adjusted) <= 1
    cells = rows_of(there / "out" / "figures" / "ablate-stereoset-ss-heads.csv")
    assert len(cells) == 12
    for cell in cells:
        effect = by_component[f"{cell['layer']}.{cell['head']}"][0]
        assert float(cell["difference"]) == effect["difference"]
    assert (there / "out" / "figures" / "ablate-stereoset-ss-heads.svg").exists()
    mlps = rows_of(there / "out" / "figures" / "ablate-stereoset-icat-mlps.csv")
    assert [row["what"] for row in mlps] == ["mlp 0", "mlp 1", "mlp 2"]
    assert not (there / "out" / "ablate" / "ablation.json").exists(), "nobody wants all of it switched off"


def test_a_scan_that_was_broken_off_goes_on(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCAN, "out", "-q"]) == 0
    whole = results.read(there / "out")["ablate"]["figures"]
    kept = there / "out" / "ablate" / "responses.jsonl"
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[:5]))
    capsys.readouterr()
    assert main([*SCAN, "out", "--resume"]) == 0
    assert "5 of them are there" in capsys.readouterr().err
    assert results.read(there / "out")["ablate"]["figures"] == whole


@pytest.mark.usefixtures("there")
def test_all_parts_are_not_switched_off_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([one for one in [*SCAN, "out"] if one != "--each"]) == 2
    told = capsys.readouterr().err
    assert "--heads all is for --each" in told
    assert told.count("\n") == 1


def test_a_scan_says_what_is_sure_for_all_components_together() -> None:
    from fairlint.model_bias import scanning, verdicts

    def step(name: str, difference: float, p: float, clusters: int = 20) -> dict[str, Any]:
        told = Effect("code.gap", 1.0, 1.0 + difference, difference, -1.0, 1.0, p, clusters).as_json
        return {"kind": "each", "components": [name], "effects": [told]}

    steps = [step("0.0", 0.5, 0.0001), step("0.1", -0.9, 0.03), *(step(f"1.{n}", 0.1, 0.5) for n in range(8))]
    said = verdicts.ablate({"steps": scanning.adjust(steps)})
    assert said.endswith("adjusted for all of them: code.gap by 1, 0.0 the most (+0.50).")
    noise = verdicts.ablate({"steps": scanning.adjust([step(f"1.{n}", 0.3, 0.03) for n in range(1, 3)])})
    assert "code.gap by 2" in noise
    few = verdicts.ablate({"steps": scanning.adjust([step("0.0", 0.5, 1e-9, clusters=9)])})
    assert few == "Nothing can be concluded from fewer than 10 targets, occupations or passages."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score", "--data", "nosuch"), "there is no 'nosuch' to score"),
        (("score", "--data", "stereoset=none.json"), "none.json: "),
        (("score", "--data", "code", "--output", "stereoset.json"), "stereoset.json is a file"),
        (("locate", "--data", "nosuch"), "there are no pairs 'nosuch'"),
        (("locate", "--data", "stereoset:nosuch"), "names no type of bias"),
        (("ablate", "--heads", "0.0", "--data", "nosuch"), "'nosuch' is not measured"),
        (("ablate", "--heads", "0.0", "--data", "stereoset=none.json"), "none.json: "),
        (("ablate", "--heads", "none.json"), "none.json"),
        (("probe", "--data", "nosuch"), "'nosuch' is nothing that is probed"),
        (("distribution", "--target", "none.csv"), "none.csv"),
        (("debias", "--data", "nosuch"), "'nosuch' is nothing that is measured"),
        (("debias", "--text", "none.txt"), "none.txt"),
    ],
)
@pytest.mark.usefixtures("there")
def test_options_are_checked_before_a_model_is_loaded(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlint.model_bias import loading

    monkeypatch.setattr(loading, "load", lambda *_: pytest.fail("a model is loaded"))
    assert main(["model", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("ends", "code", "told"),
    [
        (lambda: signal.raise_signal(signal.SIGTERM), 143, "ended by SIGTERM"),
        (lambda: signal.raise_signal(signal.SIGINT), 130, "interrupted"),
    ],
)
def test_a_measurement_that_is_ended_says_how_to_go_on(
    ends: Callable[[], None],
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(model_score, "score", lambda _arguments: ends())
    assert main(["model", "score"]) == code
    assert capsys.readouterr().err == f"fairlint: {told}; the same command with --resume continues\n"
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
