"""fairlint model locate: pairs, what is checked exactly, agreement, what is kept and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest
from random_models import MASKED, tiny

from fairlint import UsageError
from fairlint.backends.model import ModelError
from fairlint.cli import main
from fairlint.model_bias import contrast_data, loading
from fairlint.model_bias.attribution import Effects
from fairlint.model_bias.contrast_data import contrasts
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.locate_results import carriers, heads_file, overlap, read_pairs
from fairlint.model_bias.locating import agreement, checked_heads, draws, foremost, locate, with_early


class Words:
    """A tokenizer of words, each with the space before it; long words are of two tokens."""

    pad_token_id, bos_token_id, cls_token_id, sep_token_id, mask_token_id = 0, 1, 3, 4, 5

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        pieces = [word[part : part + 8] for word in text.split() for part in range(0, len(word), 8)]
        return [self.known.setdefault(piece, 6 + len(self.known)) for piece in pieces]


def small(kind: str = "llama") -> Loaded:
    tokenizer: Any = Words()
    return Loaded(kind, "1", tiny(kind), tokenizer, masked=kind in MASKED, batch_size=0)


PAIRS: list[dict[str, Any]] = [
    {"id": "a", "subject": "one", "clean": "the nurse said", "corrupted": "the cook said"},
    {
        "id": "b",
        "subject": "one",
        "clean": "a nurse went",
        "corrupted": "a smith went",
        "direction": "f to m",
    },
    {"id": "c", "subject": "two", "clean": "my baker saw that", "corrupted": "my guard saw that"},
    {"id": "d", "subject": "three", "clean": "we saw the maid as", "corrupted": "we saw the lord as"},
]


def write(folder: Path, pairs: list[dict[str, Any]]) -> str:
    path = folder / "own.json"
    told = [{"answers": [" she", " he"], **one} for one in pairs]
    path.write_text(json.dumps({"pairs": told}), encoding="utf-8")
    return str(path)


def test_pairs_of_a_file_have_the_answer_at_the_last_token(tmp_path: Path) -> None:
    found = contrasts(small(), write(tmp_path, PAIRS))
    one = next(one for one in found.contrasts if one.id == "b")
    assert (one.clean[0], one.place) == (1, len(one.clean) - 1)
    assert one.words == (" she", " he")
    assert one.direction == "f to m"
    assert found.found == 4


def test_a_masked_model_reads_the_mask_and_what_follows(tmp_path: Path) -> None:
    loaded = small("bert")
    found = contrasts(loaded, write(tmp_path, [{**PAIRS[0], "rest": " so ."}]))
    one = found.contrasts[0]
    words: Any = loaded.tokenizer
    rest = words.encode(" so .", add_special_tokens=False)
    assert one.clean[0] == 3
    assert one.clean[one.place] == 5
    assert list(one.clean[one.place + 1 :]) == [*rest, 4]
    assert numpy.isfinite(locate(loaded, found.contrasts, "all").exact.heads).all()


def test_what_cannot_be_compared_is_counted_with_the_reason(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [
        {**PAIRS[0], "id": "long", "corrupted": "the veterinarian said"},
        {**PAIRS[0], "id": "same", "corrupted": PAIRS[0]["clean"]},
        {**PAIRS[0], "id": "several", "answers": [" she", " the other one"]},
        {**PAIRS[0], "id": "several letters", "answers": [" she", " veterinarian"]},
    ]
    found = contrasts(small(), write(tmp_path, [*PAIRS, *odd]))
    assert {one.id: one.reason for one in found.skipped} == {
        "long": contrast_data.OTHER_LENGTH,
        "same": contrast_data.SAME,
        "several": contrast_data.NOT_ONE,
        "several letters": contrast_data.NOT_ONE,
    }
    assert found.found == len(PAIRS)
    with pytest.raises(ModelError, match=r"^[^\n]*no pair that llama can be asked about: [^\n]*$"):
        contrasts(small(), write(tmp_path, odd))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "is not a table"),
        ('{"pairs": []}', "pairs is not a list of something"),
        ('{"pairs": [{"clean": "a"}]}', r"pairs\[0\].answers is missing"),
        ('{"pairs": [{"clean": "a", "corrupted": "b", "answers": ["x"]}]}', "a list of two texts"),
        ('{"pairs": [{"clean": 3, "corrupted": "b", "answers": ["x", "y"]}]}', r"pairs\[0\].clean is not"),
        ("{", "line 1 is not JSON"),
    ],
)
def test_a_file_of_another_form_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=rf"^[^\n]*{said}[^\n]*$"):
        contrasts(small(), str(path))


def test_a_name_that_is_no_data_is_one_line() -> None:
    with pytest.raises(UsageError, match="there are no pairs 'winogendr'"):
        contrasts(small(), "winogendr")


def test_pairs_are_drawn_from_as_many_subjects_as_there_are(tmp_path: Path) -> None:
    path = write(tmp_path, PAIRS)
    for seed in range(5):
        drawn = contrasts(small(), path, 3, seed).contrasts
        assert {one.subject for one in drawn} == {"one", "two", "three"}
    assert len(contrasts(small(), path).contrasts) == 2 * 4


def test_a_pair_is_there_both_ways_and_once(tmp_path: Path) -> None:
    again = {**PAIRS[0], "id": "e", "clean": PAIRS[0]["corrupted"], "corrupted": PAIRS[0]["clean"]}
    loaded = small()
    found = contrasts(loaded, write(tmp_path, [PAIRS[0], PAIRS[1], again]))
    assert found.found == 3
    assert len(found.contrasts) == 2 * 2, "e is a the other way round"
    one, other = found.contrasts[2:] if found.contrasts[0].id == "a" else found.contrasts[:2]
    assert (one.id, other.id) == ("b", "b, reversed")
    assert (other.clean, other.corrupted, other.answers) == (one.corrupted, one.clean, one.answers[::-1])
    assert (one.direction, other.direction) == ("f to m", "m to f")
    assert one.subject == other.subject, "they are drawn together for intervals"
    told = locate(loaded, found.contrasts, "all").attribution
    assert told.clean[0] == pytest.approx(-told.corrupted[1])


def test_the_foremost_and_all_mlps_are_checked_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlint.model_bias.locating.FOREMOST", 3)
    monkeypatch.setattr(foremost, "__defaults__", (3,))
    loaded = small()
    pairs = contrasts(loaded, write(tmp_path, PAIRS)).contrasts
    kept: dict[str, Any] = {}
    found = locate(loaded, pairs, keep=lambda one, told: kept.update({one.id: told}))
    there = ~numpy.isnan(found.exact.heads).any(axis=0)
    assert there.sum() == 3
    assert not numpy.isnan(found.exact.mlps).any()
    means = abs(found.attribution.patching.heads.mean(axis=0))
    assert means[there].min() >= means[~there].max()

    monkeypatch.setattr("fairlint.model_bias.locating.patch_each", None)  # nothing is patched again
    again = locate(loaded, pairs, known=kept)
    assert numpy.array_equal(again.exact.heads, found.exact.heads, equal_nan=True)
    assert numpy.array_equal(again.exact.embedding, found.exact.embedding)


def test_agreement_of_equal_and_of_opposite_estimates() -> None:
    random = numpy.random.default_rng(0)
    values = random.normal(size=(6, 40))
    counts = draws(list("abcdef"))
    same = agreement(values, values, counts, top=5)
    assert same.spearman == pytest.approx((1, 1, 1))
    assert same.overlap == pytest.approx((5, 5, 5))
    other = agreement(values, -values, counts)
    assert other.pearson == pytest.approx((-1, -1, -1))
    holes = numpy.where(numpy.arange(40) < 4, values, numpy.nan)
    some = agreement(values, holes, counts, top=5)
    assert some.parts == 4
    assert some.overlap is None
    scipy = pytest.importorskip("scipy.stats")
    noisy = values + random.normal(size=values.shape)
    told = agreement(values, noisy, counts)
    means = values.mean(axis=0), noisy.mean(axis=0)
    assert told.spearman is not None
    assert told.pearson is not None
    assert told.spearman[0] == pytest.approx(scipy.spearmanr(*means).statistic)
    assert told.pearson[0] == pytest.approx(scipy.pearsonr(*means).statistic)
    assert told.pearson[1] < told.pearson[0] < told.pearson[2]


def test_pairs_of_one_subject_are_drawn_together() -> None:
    counts = draws(["x", "y", "x"])
    assert (counts[0] == 1).all()
    assert (counts[:, 0] == counts[:, 2]).all()
    assert (counts[1:, 0] != 1).any()


def test_heads_for_ablation_push_towards_the_typical_answer(tmp_path: Path) -> None:
    loaded = small()
    found = locate(loaded, contrasts(loaded, write(tmp_path, PAIRS)).contrasts, "all")
    told = heads_file(found, "own", "tiny")
    effects = [float(found.exact.of(one).mean()) for one in carriers(found)]
    assert effects == sorted(effects)
    assert all(effect < 0 for effect in effects)
    assert told["components"] == [str(one) for one in carriers(found)]
    both = overlap(found, found)
    assert both["shared"]["value"] == both["top"] == both["by_chance"] == found.exact.heads[0].size == 12


def test_the_command_keeps_what_it_found_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = small("gpt2")
    monkeypatch.setattr(loading, "load", lambda *_: loaded)
    path = write(tmp_path, PAIRS)
    command = ["model", "locate", "--data", path, "--exact", "all", "--output", str(tmp_path / "out")]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "own: 4 pairs of 3 subjects, both ways" in shown
    told = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["locate"]
    one = told["figures"]["data"]["own"]
    back = read_pairs(tmp_path / "out")["own"]
    assert back.exact.heads.shape == (8, 3, 4)
    kept = numpy.array(one["effects"]["exact"]["heads"]["value"])
    assert kept == pytest.approx(back.exact.heads.mean(axis=0))
    assert back.attribution.mlps.shape == (8, 3)
    assert [pair["id"] for pair in back.pairs]
    assert [shown["kind"] for shown in told["shown"]] == ["heat", "heat", "dots", "table"]
    assert any("the nurse said" in example for example in told["examples"])
    heads = json.loads((tmp_path / "out" / "locate" / "heads.json").read_text(encoding="utf-8"))
    assert heads["components"]
    assert set(heads["components"]) <= {top["component"] for top in one["top"]}
    assert main(command) == 2
    assert "already holds results" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0


def test_what_is_no_file_of_effects_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "locate").mkdir()
    for text in ("{", "[]", '{"a": {}}', '{"a": 3}'):
        (tmp_path / "locate" / "pairs.json").write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=r"^[^\n]*pairs\.json[^\n]*$"):
            read_pairs(tmp_path)


def test_heads_of_the_first_layers_are_checked_too_and_stand_in_for_the_estimate() -> None:
    """What they give goes through all that follows, where estimates by gradients err most."""
    random = numpy.random.default_rng(0)
    guess, exact = random.normal(size=(2, 4, 21, 3))
    nothing = numpy.zeros((4, 21)), numpy.zeros(4)
    checked = checked_heads(Effects(guess, *nothing))
    assert [str(one) for one in checked[:6]] == ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]
    assert len(set(checked)) == len(checked) == 6 + 20
    means = abs(guess.mean(axis=0))[2:]
    later = sorted(means.ravel())[-20:]
    assert sorted(means[one.layer - 2, one.head or 0] for one in checked[6:]) == later
    mixed = with_early(guess, exact)
    assert numpy.array_equal(mixed[:, :2], exact[:, :2])
    assert numpy.array_equal(mixed[:, 2:], guess[:, 2:])
