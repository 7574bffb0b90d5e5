"""The prompt at a place: a file, a line of code, or a function, which is run for the people of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fairlint.backends.requests import Message
from fairlint.counterfactual.prompts.cells import Cell, Plan, Slots, cells_of
from fairlint.counterfactual.prompts.code_prompts import load_from_code
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.counterfactual.prompts.prompt_functions import (
    PromptFunction,
    Sandbox,
    load_function,
    names_function,
    write_prompts,
)
from fairlint.counterfactual.prompts.templates import load_template
from fairlint.support.records import Record, replace

DEFAULT_SANDBOX = Sandbox()


def load_prompt(
    place: str, rows: Sequence[Mapping[str, str]], cases: str, sandbox: Sandbox = DEFAULT_SANDBOX
) -> Prompt:
    """Return the prompt at a place, as `load_function`, `load_from_code` and `load_template` do; no code is
    run.
    """
    if names_function(place):
        return load_function(place, rows, cases, sandbox)
    path, _, line = place.rpartition(":")
    return (
        load_from_code(path, int(line)) if path.endswith(".py") and line.isdecimal() else load_template(place)
    )


class Written(Record):
    """A prompt with its texts, what of a person it shows, and what is asked about it."""

    prompt: Prompt
    slots: Slots
    plan: Plan


def write_texts(prompt: Prompt, slots: Slots, plan: Plan, values: Sequence[Mapping[str, str]]) -> Written:
    """Return the prompt with all texts that the plan takes. What a function is given of a person and does not
    show is no placeholder of it.
    """
    if not isinstance(prompt, PromptFunction):
        return Written(prompt, slots, plan)
    while True:
        asked = _People(prompt)
        cells_of(asked, slots, plan, values)
        prompt = write_prompts(prompt, asked.people)
        ways = ways_by_effect(cells_of(prompt, slots, plan, values)[0])
        fewer = _shown_slots(slots, ways)
        if fewer == slots:
            shown = {way.attribute for way, is_shown in ways.items() if is_shown}
            hidden = {way.attribute for way in ways} - shown
            groups = {name: groups for name, groups in plan.groups.items() if name not in hidden}
            return Written(prompt, slots, replace(plan, groups=groups))
        slots = fewer


class _People:
    """Stands for a function before it is run, and keeps who is asked about."""

    def __init__(self, function: PromptFunction) -> None:
        self.path, self.line, self.last_line = function.path, function.line, function.last_line
        self.placeholders, self.wording = function.placeholders, ""
        self.known, self.finding_lines = function.known, function.finding_lines
        self.people: list[Mapping[str, str]] = []

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return an empty prompt."""
        self.people.append(values)
        return (Message("user", ""),)


class Way(NamedTuple):
    """An attribute in a channel."""

    channel: str
    attribute: str


def ways_by_effect(cells: Iterable[Cell]) -> Mapping[Way, bool]:
    """Return each way in which the cells show a group, and whether it changes the text of any prompt."""
    texts: dict[Way, dict[object, set[tuple[Message, ...]]]] = {}
    for cell in cells:
        if cell.arm == "group":
            for attribute, _ in cell.groups:
                others = tuple(pair for pair in cell.groups if pair[0] != attribute)
                alike = texts.setdefault(Way(cell.channel, attribute), {})
                alike.setdefault((cell.case, others, cell.draw, cell.mitigation), set()).add(cell.messages)
    return {way: any(len(held) > 1 for held in alike.values()) for way, alike in texts.items()}


def cells_that_show(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of channels in which the text changes with the person."""
    channels = {way.channel for way, is_shown in ways_by_effect(cells).items() if is_shown}
    return [cell for cell in cells if cell.channel in channels]


def _shown_slots(slots: Slots, ways: Mapping[Way, bool]) -> Slots:
    """Return the placeholders without those that change nothing."""
    channels: dict[str, bool] = {}
    for way, is_shown in ways.items():
        channels[way.channel] = channels.get(way.channel, False) or is_shown
    return Slots(
        {name: one for name, one in slots.attributes.items() if ways.get(Way("explicit", one), True)},
        slots.names if channels.get("name", True) else {},
        slots.titles if channels.get("title", True) else {},
    )
