"""The ways to write each allowed answer behind a prompt, as tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fairlint.backends.allowed_answers import no_probabilities, spellings_of
from fairlint.backends.prompting import answer_prefix, tokens_of
from fairlint.backends.requests import Request, completion

Tokens = tuple[int, ...]


class Options(NamedTuple):
    """A prompt and the ways to write each allowed answer behind it, as tokens."""

    prompt: Tokens
    answers: Mapping[str, tuple[Tokens, ...]]

    @property
    def all_tokens(self) -> list[Tokens]:
        """Each way to write an answer, once."""
        return list(dict.fromkeys(way for ways in self.answers.values() for way in ways))


def options_of(
    tokenizer: Any, name: str, request: Request, *, in_chat: bool, template: str | None = None
) -> Options:
    """Return a request's prompt and its allowed answers as tokens.

    In a chat, an answer is cut into tokens alone, since the template ends before it. Else prompt and answer
    are cut together, with a blank between them, as lm-evaluation-harness does; where a token spans both, the
    prompt ends before it. Raises ModelError for a template that begins with the model's thoughts.
    """
    prompt = tuple(tokens_of(tokenizer, request, in_chat=in_chat, template=template))
    if in_chat:
        if answer_prefix(request, tokenizer, prompt, in_chat=True):
            raise no_probabilities(name, "its chat template has it think first")
        alone = {
            one: _each_once(
                tuple(tokenizer.encode(way, add_special_tokens=False)) for way in spellings_of(one)
            )
            for one in request.allowed
        }
        return Options(prompt, alone)
    text = completion(request)
    blank = "" if text[-1:].isspace() else " "
    whole = {
        one: _each_once(tuple(tokenizer(f"{text}{blank}{way}")["input_ids"]) for way in spellings_of(one))
        for one in request.allowed
    }
    shared = min(_shared_tokens(prompt, way) for ways in whole.values() for way in ways)
    if not shared:
        raise no_probabilities(name, "it has no token to begin a text with")
    return Options(prompt[:shared], {one: tuple(way[shared:] for way in ways) for one, ways in whole.items()})


def _each_once(ways: Iterator[Tokens]) -> tuple[Tokens, ...]:
    """Return the ways that are not empty: tokenizers without capitals write several alike."""
    return tuple(dict.fromkeys(way for way in ways if way))


def _shared_tokens(prompt: Tokens, whole: Tokens) -> int:
    """Return how many tokens both begin with, one of the whole left over."""
    most = min(len(prompt), len(whole) - 1)
    return next((at for at in range(most) if prompt[at] != whole[at]), most)


def newline_tokens(tokenizer: Any) -> frozenset[int]:
    """Return the tokens that begin a new line, which is how an answer ends that nobody gives in a chat."""
    numbers = range(len(tokenizer))
    texts = tokenizer.batch_decode([[number] for number in numbers], clean_up_tokenization_spaces=False)
    return frozenset(number for number, text in zip(numbers, texts, strict=True) if text.startswith("\n"))
