"""What fills each placeholder of a prompt, or each parameter of a function that writes one."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.counterfactual.prompts.cells import Slots
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.counterfactual.prompts.prompt_functions import PromptFunction
from fairlint.support.records import Record

NAME_WORDS = {"full": "a name", "first": "a first name", "last": "a last name"}


class Binding(Record):
    """One placeholder or parameter."""

    name: str
    column: str
    """What it is called in the cases, or would be there."""
    shows: str
    """What the audit says of a person there; empty where it is the case's own text."""


def bindings_of(prompt: Prompt, slots: Slots) -> list[Binding]:
    """Return what fills each placeholder or parameter, in their order."""
    shown = {
        **slots.attributes,
        **slots.titles,
        **{name: NAME_WORDS[kind] for name, kind in slots.names.items()},
    }
    if isinstance(prompt, PromptFunction):
        pairs = zip(prompt.calling.program.call.names, prompt.calling.columns, strict=True)
    else:
        pairs = zip(prompt.placeholders, prompt.placeholders, strict=True)
    return [Binding(name, column, shown.get(column, "")) for name, column in pairs]


def binding_lines(prompt: Prompt, slots: Slots) -> Iterator[str]:
    """Yield what says who the person is, and what each case brings along."""
    found = bindings_of(prompt, slots)
    people = [f"{one.name} ({one.shows})" for one in found if one.shows]
    cases = [
        one.name if one.name == one.column else f"{one.name} (column {one.column})"
        for one in found
        if not one.shows
    ]
    if people:
        yield f"of the person: {', '.join(people)}"
    if cases:
        yield f"of the case: {', '.join(cases)}"
