"""Contrasts of WinoGender's pronouns, code's groups, StereoSet's blanks, and the pairs of a user's file."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from fairlint.backends.model import ModelError
from fairlint.model_bias.contrasts import Contrast
from fairlint.model_bias.data.loading import load
from fairlint.model_bias.data.pairs import Item, pairs
from fairlint.model_bias.data.places import document
from fairlint.model_bias.data.records import MALE, Origin, Skipped
from fairlint.model_bias.data.sources import read
from fairlint.model_bias.data.stereoset import BLANK, StereoSetItem, bias_type_of
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.model_bias.likelihood import tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

NAMES = ("winogender", "code", "stereoset")
OTHER_LENGTH = "the prompts have different numbers of tokens"
SAME = "the prompts are the same"
NOT_ONE = "an answer is not one token"
NO_BLANK = "its sentences are not the context with something put in"
NO_TARGET = "what comes before the blank does not name the target"
NO_PARTNER = "no other target of its kind has as many tokens"


class Contrasts(Record):
    """What is to be located, and what could not be."""

    contrasts: tuple[Contrast, ...]
    found: int
    """How many pairs there are; `contrasts` are those that were drawn of them, each both ways."""
    skipped: tuple[Skipped, ...]
    """Items of which no contrast can be made."""
    origin: Origin


class _Text(Record):
    """A contrast before it is tokenized."""

    id: str
    subject: str
    direction: str
    clean: str
    corrupted: str
    answers: tuple[str, str]
    rest: str
    """What follows the answer, which a masked model reads, too."""


def check_data(data: str) -> None:
    """Raise UsageError for what `contrasts` cannot read, without a model."""
    if data.partition(":")[0] == "stereoset":
        bias_type_of(data)
    elif data not in NAMES:
        if not Path(data).exists():
            raise UsageError(f"there are no pairs '{data}' ({', '.join(NAMES)}, or a file)")
        _texts_of_file(Path(data))


def contrasts(loaded: Loaded, data: str, count: int = 0, seed: int = 0) -> Contrasts:
    """Return the contrasts of a data set of NAMES, of StereoSet's items of one type of bias, or of a file.

    At most `count` pairs (0: all) are drawn by `seed`, from as many subjects as there are, and each is there
    both ways: what an effect has of the second order is of opposite signs then and goes out of the mean,
    which makes the estimate by gradients a better one. A file is a JSON
    document, `{"pairs": [{"clean": ..., "corrupted": ..., "answers": [" he", " she"]}]}`, in which a pair may
    also have `id`, `subject`, `direction` and `rest`. A masked model reads the mask in place of the answer,
    and `rest` behind it. Raises UsageError for a file of another form, ModelError where no contrast is left,
    and for code where a masked model is to go on with it.
    """
    if loaded.masked and data == "code":
        raise ModelError(f"{loaded.name} fills in masks: it does not say how code goes on (leave out code)")
    found = _load_texts(loaded, data)
    skipped = found.skipped
    made: list[Contrast] = []
    for text in found.texts:
        one = _tokenize_contrast(loaded, text)
        if isinstance(one, str):
            skipped.append(Skipped(text.id, one))
        else:
            made.append(one)
    if not made:
        reason = f": {skipped[0].reason}" if skipped else ""
        raise ModelError(f"{data} has no pair that {loaded.name} can be asked about{reason}")
    drawn = _sample_contrasts(made, count, seed)
    both = tuple(way for one in drawn for way in (one, one.reversed))
    return Contrasts(both, len(made), tuple(skipped), found.origin)


def _sample_contrasts(made: Sequence[Contrast], count: int, seed: int) -> tuple[Contrast, ...]:
    """Return some contrasts, one of each subject before a second one of any, and none that is another's
    reverse.
    """
    prompts: dict[frozenset[tuple[int, ...]], Contrast] = {}
    for one in made:
        prompts.setdefault(frozenset((one.clean, one.corrupted)), one)
    mixed = list(prompts.values())
    random.Random(seed).shuffle(mixed)  # noqa: S311 (a sample, no secret)
    seen: dict[str, int] = {}
    rounds: list[tuple[int, Contrast]] = []
    for one in mixed:
        seen[one.subject] = seen.get(one.subject, 0) + 1
        rounds.append((seen[one.subject], one))
    chosen = [one for _, one in sorted(rounds, key=lambda pair: pair[0])]
    return tuple(chosen[:count] if count else chosen)


def _tokenize_contrast(loaded: Loaded, text: _Text) -> Contrast | str:
    """Return a contrast, or the reason why there is none."""
    prompts = [tokens_of(loaded, one) for one in (text.clean, text.corrupted)]
    if len(prompts[0]) != len(prompts[1]):
        return OTHER_LENGTH
    if prompts[0] == prompts[1]:
        return SAME
    answers = []
    for answer in text.answers:
        behind = [tokens_of(loaded, prompt + answer) for prompt in (text.clean, text.corrupted)]
        if any(whole[:-1] != prompt for whole, prompt in zip(behind, prompts, strict=True)):
            return NOT_ONE
        answers.append(behind[0][-1])
    if answers[0] == answers[1]:
        return NOT_ONE
    before, after = list(loaded.start), []
    if loaded.masked:
        named = loaded.tokenizer
        mask = named.mask_token_id
        if not isinstance(mask, int):
            raise ModelError(f"{loaded.name} is a masked model whose tokenizer has no mask")
        before = [int(one) for one in (named.cls_token_id,) if isinstance(one, int)]
        after = [mask, *tokens_of(loaded, text.rest)]
        after += [int(one) for one in (named.sep_token_id,) if isinstance(one, int)]
    clean, corrupted = ((*before, *prompt, *after) for prompt in prompts)
    place = len(before) + len(prompts[0]) - (0 if loaded.masked else 1)
    return Contrast(
        id=text.id,
        subject=text.subject,
        direction=text.direction,
        clean=clean,
        corrupted=corrupted,
        place=place,
        answers=(answers[0], answers[1]),
        texts=(text.clean, text.corrupted),
        words=text.answers,
        rest=text.rest if loaded.masked else "",
    )


class _Texts(NamedTuple):
    """Pairs, what was left out of their data, and where these are from."""

    texts: list[_Text]
    skipped: list[Skipped]
    origin: Origin


def _load_texts(loaded: Loaded, data: str) -> _Texts:
    skipped: list[Skipped] = []
    if data == "winogender":
        wino = load("winogender")
        pairs = [*_occupation_texts(loaded, wino.items, skipped)]
        return _Texts(pairs, [*wino.skipped, *skipped], wino.origin)
    if data == "code":
        code = load("code")
        pairs = [*_occupation_texts(loaded, code.of("named", "gender"), skipped)]
        return _Texts(pairs, skipped, code.origin)
    if data.partition(":")[0] == "stereoset":
        stereoset = load("stereoset")
        items = stereoset.of("intrasentence", bias_type_of(data))
        pairs = [*_target_texts(loaded, items, skipped)]
        return _Texts(pairs, [*stereoset.skipped, *skipped], stereoset.origin)
    check_data(data)
    return _texts_of_file(Path(data))


def _occupation_texts(loaded: Loaded, items: Sequence[Item], skipped: list[Skipped]) -> Iterator[_Text]:
    """Yield an occupation in which mostly one gender works, and one in which mostly the other does."""
    by_id = {item.id: item for item in items}
    found = pairs(items, loaded.tokenizer)
    skipped += found.skipped
    for pair in found.pairs:
        item = by_id[pair.id.partition(" > ")[0]]
        first: dict[str, str] = {}
        for option in item.options:
            first.setdefault(option.label, option.text)
        male, female = first[MALE], first["female"]
        rest = item.male[len(item.prompt) + len(male) :] if isinstance(item, WinoGenderItem) else ""
        yield _Text(
            id=pair.id,
            subject=pair.clean_women.occupation,
            direction=pair.direction,
            clean=pair.clean,
            corrupted=pair.corrupted,
            answers=(male, female) if pair.direction == "male to female" else (female, male),
            rest=rest,
        )


def _target_texts(loaded: Loaded, items: Sequence[StereoSetItem], skipped: list[Skipped]) -> Iterator[_Text]:
    """Yield a target, and the next one of its kind by name; the answers are stereotype and
    anti-stereotype.
    """
    kinds: dict[str, set[str]] = {}
    for item in items:
        kinds.setdefault(item.bias_type, set()).add(item.target)
    for item in items:
        if not item.options:
            skipped.append(Skipped(item.id, NO_BLANK))
            continue
        name = re.compile(rf"(?i)(?<!\w){re.escape(item.target)}(?!\w)")
        if not name.search(item.prompt):
            skipped.append(Skipped(item.id, NO_TARGET))
            continue
        size = len(tokens_of(loaded, item.prompt))
        ordered = sorted(kinds[item.bias_type])
        place = ordered.index(item.target)
        for other in ordered[place + 1 :] + ordered[:place]:
            prompt = name.sub(partial(_match_case, target=item.target, other=other), item.prompt)
            if len(tokens_of(loaded, prompt)) == size and prompt != item.prompt:
                yield _Text(
                    id=f"{item.id} > {other}",
                    subject=item.target,
                    direction=f"{item.target} to {other}",
                    clean=item.prompt,
                    corrupted=prompt,
                    answers=(item.options[0].text, item.options[1].text),
                    rest=item.context.partition(BLANK)[2],
                )
                break
        else:
            skipped.append(Skipped(item.id, NO_PARTNER))


def _match_case(found: re.Match[str], target: str, other: str) -> str:
    """Return the other name, with a capital letter where the found one has one, and without one where a
    target that has one is written small.
    """
    if found[0][0].isupper():
        return other[0].upper() + other[1:]
    return other.lower() if target[0].isupper() else other


def _texts_of_file(path: Path) -> _Texts:
    """Return the pairs of a user's file."""
    file = read(path)
    texts: list[_Text] = []
    seen: set[str] = set()
    for number, entry in enumerate(document(file).at("pairs").entries()):
        told: Mapping[str, str] = {
            key: entry.at(key).text(may_be_blank=key == "rest")
            for key in ("id", "subject", "direction", "rest")
            if entry.has(key)
        }
        answers = entry.at("answers").texts()
        if len(answers) != 2:
            raise entry.at("answers").wrong("a list of two texts")
        id_ = told.get("id", str(number + 1))
        if id_ in seen:
            raise UsageError(f"{file.path}: {entry.name}.id: '{id_}' is there twice")
        seen.add(id_)
        texts.append(
            _Text(
                id=id_,
                subject=told.get("subject", id_),
                direction=told.get("direction", "clean to corrupted"),
                clean=entry.at("clean").text().rstrip(" "),
                corrupted=entry.at("corrupted").text().rstrip(" "),
                answers=(answers[0], answers[1]),
                rest=told.get("rest", ""),
            )
        )
    return _Texts(texts, [], file.origin)
