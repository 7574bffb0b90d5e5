"""Sentences as a model reads them: which tokens name the person, and which the profession."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.backends.model import ModelError
from fairlint.model_bias.distribution.questions import (
    Questions,
    SentenceParts,
    Template,
    fill_template,
    some_of,
)
from fairlint.model_bias.likelihood import continuation, tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores.asking import specials
from fairlint.support.records import Record, replace

MOST_MASKS = 6
"""Tokens of a word beyond which a masked model's product over masks says nothing."""


class Sentence(Record):
    """A sentence about a person of a group in a profession. Numbers are places in the questions."""

    profession: int
    template: int
    group: int
    word: int
    tokens: tuple[int, ...]
    """Causal: what stands before the profession, with what texts begin with. Masked: the whole sentence, with
    masks in place of the person."""
    places: tuple[int, ...]
    """Masked: where the masks stand."""
    answers: tuple[int, ...]
    """The tokens whose probability is asked for: causal, the profession's; masked, the person's."""
    alone: tuple[int, ...]
    """Causal: the whole sentence. Masked: the sentence with the profession masked as well."""


def sentences(
    loaded: Loaded,
    questions: Questions,
    professions: Sequence[str],
    templates: Sequence[Template],
    *,
    noun_only: bool = False,
) -> tuple[Sentence, ...]:
    """Return all professions with all templates and all words, profession by profession, group by group.

    With `noun_only`, masked models read the first of a person's several words.

    Raises ModelError for two words that the model's tokenizer cannot tell apart, or one of too many tokens.
    """
    check(loaded, questions)
    return tuple(
        _build_sentence(loaded, template, profession, word, (row, column, group, number), noun_only=noun_only)
        for row, profession in enumerate(professions)
        for column, template in enumerate(templates)
        for group, named in enumerate(questions.groups)
        for number, word in enumerate(named.words)
    )


def check(loaded: Loaded, questions: Questions) -> None:
    """Raise ModelError, in one line, for words of groups, and professions, that it cannot be asked about."""
    known: dict[tuple[int, ...], str] = {}
    unknown = loaded.tokenizer.unk_token_id
    for group in questions.groups:
        for word in group.words:
            tokens = tuple(tokens_of(loaded, " " + word))
            if loaded.masked and len(tokens) > MOST_MASKS:
                raise ModelError(
                    f"{loaded.name} splits '{word}' into {len(tokens)} tokens: a masked model is asked for "
                    f"{MOST_MASKS} at most"
                )
            if unknown is not None and unknown in tokens:
                raise ModelError(f"{loaded.name} does not know '{word}' (group {group.name})")
            if tokens in known:
                raise ModelError(f"{loaded.name} cannot tell '{word}' from '{known[tokens]}'")
            known[tokens] = word
    blank = [
        one
        for one in questions.professions
        if not (split := tokens_of(loaded, " " + one)) or unknown in split
    ]
    if blank:
        raise ModelError(f"{loaded.name} does not know {some_of(blank)} (professions)")


def _build_sentence(
    loaded: Loaded,
    template: Template,
    profession: str,
    word: str,
    at: tuple[int, int, int, int],
    *,
    noun_only: bool,
) -> Sentence:
    parts = fill_template(template, word, profession)
    if loaded.masked and noun_only:
        return _mask_noun(loaded, parts, at)
    if loaded.masked:
        return _build_masked_sentence(loaded, parts, at)
    # the blank belongs to the profession's first token, as in text
    context = parts.before + parts.person + parts.between
    bare = context.rstrip()
    start, answer = continuation(loaded, bare, context[len(bare) :] + parts.profession)
    whole = (*loaded.start, *tokens_of(loaded, context + parts.profession + parts.rest))
    return Sentence(*at, tuple(start), (), tuple(answer), whole)


def _mask_noun(loaded: Loaded, parts: SentenceParts, at: tuple[int, int, int, int]) -> Sentence:
    """Return a sentence in which the first of several words of a person is read, and each token of the others
    is asked for at each of their masks, as the published code multiplies them.
    """
    first, _, noun = parts.person.partition(" ")
    if noun:
        parts = parts._replace(before=parts.before + first, person=noun)
    found = _build_masked_sentence(loaded, parts, at)
    pairs = [(place, token) for token in found.answers for place in found.places]
    return replace(
        found, places=tuple(place for place, _ in pairs), answers=tuple(token for _, token in pairs)
    )


def _build_masked_sentence(loaded: Loaded, parts: SentenceParts, at: tuple[int, int, int, int]) -> Sentence:
    """Return the person's and the profession's tokens are found as those that differ from the text around
    them.
    """
    start, end, mask = specials(loaded)
    before, person, between, named, rest = parts
    pieces = [
        before,
        (" " if before else "") + person if not before.endswith(" ") else person,
        between.rstrip(),
        between[len(between.rstrip()) :] + named,
        rest,
    ]
    split = [tokens_of(loaded, one) if one else [] for one in pieces]
    tokens = [*start]
    spans = []
    for some in split:
        spans.append(range(len(tokens), len(tokens) + len(some)))
        tokens += some
    tokens += end
    there = [mask if place in spans[1] else token for place, token in enumerate(tokens)]
    gone = [mask if place in spans[3] else token for place, token in enumerate(there)]
    return Sentence(*at, tuple(there), tuple(spans[1]), tuple(split[1]), tuple(gone))
