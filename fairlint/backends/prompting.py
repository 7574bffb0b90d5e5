"""How a request becomes a model's prompt: a conversation in its chat template, or a text to go on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.backends.requests import THINKING, Request, chat, completion

TAIL = 32
"""Tokens at the end of a prompt in which a template may have begun the model's thoughts."""


def answer_prefix(request: Request, tokenizer: Any, prompt: Sequence[int], *, in_chat: bool) -> str:
    """Return what an answer's text goes on from: the head of a function, or thoughts that a chat template
    begins.
    """
    if not in_chat:
        return request.header
    _, begun, rest = tokenizer.decode(prompt[-TAIL:]).rpartition(THINKING)
    return f"{begun}{rest}" if begun and not rest.strip() else ""


def tokens_of(tokenizer: Any, request: Request, *, in_chat: bool, template: str | None = None) -> list[int]:
    """Return the tokens of a request's prompt. `template` is another chat template than the
    tokenizer's own.
    """
    if not in_chat:
        return list(tokenizer(completion(request))["input_ids"])
    from jinja2.exceptions import TemplateError  # noqa: PLC0415 (comes with the backends)

    turns = chat(request)
    try:
        return _apply_template(tokenizer, turns, template)
    except TemplateError:
        if turns[0]["role"] != "system":
            raise
        return _apply_template(tokenizer, without_system(turns), template)


def _apply_template(tokenizer: Any, turns: list[dict[str, str]], template: str | None) -> list[int]:
    other = {"chat_template": template} if template else {}
    found = tokenizer.apply_chat_template(
        turns, add_generation_prompt=True, tokenize=True, return_dict=True, **other
    )
    return list(found if isinstance(found, list) else found["input_ids"])


def without_system(turns: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the turns for a template that knows no system's turn: what it says goes before the first
    question.
    """
    (first, second, *rest) = turns
    return [
        {"role": second["role"], "content": f"{first['content']}\n\n{second['content']}"},
        *map(dict, rest),
    ]
