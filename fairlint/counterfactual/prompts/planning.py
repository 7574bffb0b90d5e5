"""What an audit asks: prompt, cases, cells and the form of answers, checked before anybody is asked."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from fairlint.counterfactual.prompts.answers_read import Form, form_of, read_answer
from fairlint.counterfactual.prompts.asked_forms import asked_form
from fairlint.counterfactual.prompts.cells import (
    NAMED,
    Cell,
    LeftOut,
    Plan,
    Slots,
    attribute_of,
    cells_of,
    column_of,
    plain_name,
    slots_of,
)
from fairlint.counterfactual.prompts.grammars.grammar import ENGLISH
from fairlint.counterfactual.prompts.languages import language_of_texts, rewrite_text, said_in
from fairlint.counterfactual.prompts.loading import DEFAULT_SANDBOX, cells_that_show, load_prompt, write_texts
from fairlint.counterfactual.prompts.mitigations import Mitigation, mitigations_of
from fairlint.counterfactual.prompts.names import Names, chosen_names, groups_with_names
from fairlint.counterfactual.prompts.observations import DRAWN, SCORED
from fairlint.counterfactual.prompts.power import FLIPS, fewest_cases, least_effect_before
from fairlint.counterfactual.prompts.probabilities import allowed_answers
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.counterfactual.prompts.prompt_functions import Sandbox
from fairlint.counterfactual.prompts.proxies import Proxy
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, field
from fairlint.vocabulary import default_vocabulary

LARGEST_CASES = 64 << 20
"""Bytes of a file of cases."""


class Audit(Record):
    """A prompt with all that is to be asked of it."""

    template: Prompt
    slots: Slots
    form: Form
    plan: Plan
    cases: int
    cells: tuple[Cell, ...]
    left_out: tuple[LeftOut, ...]
    mitigations: tuple[Mitigation, ...] = ()
    labels: Mapping[str, Fraction] = field(default_factory=dict)
    """Case → what the right answer to it is worth; empty where nobody says it."""
    allowed: tuple[str, ...] = ()
    """The answers whose probabilities are asked for; empty where an answer is drawn."""

    @property
    def step(self) -> float:
        """The least change of what an answer says, as a share of the scale."""
        return 0.0 if self.allowed else self.form.step

    @property
    def channels(self) -> list[str]:
        """The ways in which groups show, in the order of the cells."""
        return list(dict.fromkeys(cell.channel for cell in self.cells))


def plan_audit(
    place: str,
    cases: str | Sequence[Mapping[str, str]],
    names: tuple[Names, ...] | str | None = None,
    *,
    attributes: Sequence[str] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    answer: str | None = None,
    favourable: str | None = None,
    draws: int = 4,
    repeats: int = 1,
    mitigations: Sequence[str] = (),
    criteria: Sequence[str] = (),
    label: str | None = None,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    language: str | None = None,
    proxies: tuple[Proxy, ...] = (),
    logprobs: bool = False,
) -> Audit:
    """Return the audit of the prompt at `place` on the cases of a CSV file, or on given ones. A function
    that writes the prompt is run in the sandbox; the language is that of the words, where none is named.
    `names` are lists, or what `--names` takes: without any, those of a country of the language.

    `proxies` are values of placeholders that hint at a group: a way of showing it beside the others.
    `mitigations` are asked beside the prompt as it is, `criteria` what one of them names; `label` is the
    column of the cases that holds the right answer, as answers are written. With `logprobs`, the
    probability of each allowed answer is asked for, and none is drawn.

    Raises UsageError in one line for whatever makes it impossible: no placeholder for a person, a column that
    cases lack, a single group, or a form of answer that nobody says.
    """
    path = cases if isinstance(cases, str) else "the cases"
    rows = _read_cases(cases) if isinstance(cases, str) else [dict(one) for one in cases]
    if not rows:
        raise UsageError(f"{path}: holds no cases: a line of names and a line for each case are needed")
    template = load_prompt(place, rows, path, sandbox)
    slots = slots_of(template)
    _check_proxies(proxies, template, slots)
    if not slots.personal and not proxies:
        shown = ", ".join(f"{{{one}}}" for one in template.placeholders)
        raise UsageError(
            f"{place}: no placeholder says who the person is ({shown}): a name, a title or a protected "
            "attribute is needed"
        )
    values = _bound_values(template, slots, rows, path)
    asked = _asked_attributes(slots, attributes, place, proxies)
    texts = (text for row in values for name, text in row.items() if name not in slots.personal)
    spoken = language or language_of_texts([template.wording, *texts])
    lists = names if isinstance(names, tuple) else chosen_names(names, spoken)
    own_words = {} if spoken == ENGLISH else {"gender": said_in(spoken).sexes}
    given: Mapping[str, Sequence[str]] = {**own_words, **(groups or {})}
    chosen = {one: _groups_of_attribute(one, slots, rows, lists, given, path, proxies) for one in asked}
    written = write_texts(template, slots, Plan(chosen, lists, draws, repeats, spoken, proxies), values)
    template, slots, plan = written.prompt, written.slots, written.plan
    if attributes and (lost := [one for one in asked if one not in plan.groups]):
        raise UsageError(f"{place}: the prompt is the same whatever the {lost[0]}")
    form = form_of(template.wording, answer, favourable, otherwise=asked_form(template.wording))
    changed = mitigations_of(mitigations, template, slots, plan.groups, criteria, spoken)
    found, left = cells_of(template, slots, plan, values, changed)
    cells = cells_that_show(found)
    if not cells:
        why = left[0].why if left else f"nothing shows {', '.join(asked)}"
        raise UsageError(f"{place}: no case can be asked about: {why}")
    labels = {} if label is None else _read_labels(label, rows, template, form, path)
    allowed = allowed_answers(form) if logprobs else ()
    return Audit(
        template, slots, form, plan, len(rows), tuple(cells), tuple(left),
        mitigations=changed, labels=labels, allowed=allowed,
    )  # fmt: skip


def announced_difference(audit: Audit, channel: str) -> float | None:
    """Return the least difference that a mitigation has to make to be seen in a channel with 80 %.

    It is one of two effects, so chance counts twice.
    """
    return announced_effect(audit, channel, 0.0, flips=2 * FLIPS)


def announced_effect(audit: Audit, channel: str, threshold: float, *, flips: float = FLIPS) -> float | None:
    """Return the least effect that the audit can see in a channel with 80 %, before anybody is asked; None
    where there are too few cases, and where probabilities are asked for: nobody knows how these vary.
    """
    if audit.allowed:
        return None
    here = [
        cell
        for cell in audit.cells
        if cell.channel == channel and cell.arm == "group" and not cell.mitigation
    ]
    cases = len({cell.case for cell in here})
    answers = Counter((cell.case, pair) for cell in here for pair in cell.groups)
    draws = min(answers.values())
    return least_effect_before(
        cases,
        draws,
        count_tests(audit),
        flips=flips,
        threshold=threshold,
        is_decision=audit.form.kind == "label",
    )


def has_enough_cases(audit: Audit, channel: str) -> bool:
    """Return whether a channel has as many cases as any effect needs to be seen."""
    cases = {cell.case for cell in audit.cells if cell.channel == channel and not cell.mitigation}
    return len(cases) >= fewest_cases(count_tests(audit))


def count_tests(audit: Audit) -> int:
    """Return how many contrasts are judged together at most, those of answers that decide nothing included.

    With each mitigation, every contrast has an effect of its own, and a difference to the prompt as it is.
    """
    found = 0
    for channel in audit.channels:
        groups: dict[str, set[str]] = {}
        for cell in audit.cells:
            if cell.channel == channel:
                for attribute, group in cell.groups:
                    groups.setdefault(attribute, set()).add(group)
        found += sum(1 if len(one) == 2 else len(one) for one in groups.values())
    outcomes = SCORED if audit.allowed else DRAWN
    return len(outcomes) * found * (1 + 2 * len(audit.mitigations))


def line_with_own_sex(audit: Audit) -> str | None:
    """Return a line of the prompt's own text that surely says a sex, and stays whoever the person is; None
    where there is none, or gender is not varied.
    """
    if "gender" not in audit.plan.groups:
        return None
    language = audit.plan.language
    for line in audit.template.wording.splitlines():
        others = (rewrite_text(line, sex, language) for sex in ("female", "male"))
        if any(other is not None and other != line for other in others):
            return line.strip()
    return None


def _read_cases(path: str) -> list[dict[str, str]]:
    try:
        text = read_file(path, LARGEST_CASES).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise UsageError(f"{path}: {error}") from None
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise UsageError(f"{path}: row {number} has another number of cells than the first")
    return rows


def _bound_values(
    template: Prompt, slots: Slots, rows: Sequence[Mapping[str, str]], path: str
) -> list[dict[str, str]]:
    """Return the values of each case by placeholder."""
    columns = {plain_name(column): column for column in rows[0]}
    bound = {name: column_of(name, columns, template) for name in template.placeholders}
    lacking = [name for name, column in bound.items() if column is None and name not in slots.personal]
    if lacking:
        raise UsageError(f"{path}: has no column for {{{lacking[0]}}}: its columns are {', '.join(rows[0])}")
    return [{name: row[column] for name, column in bound.items() if column is not None} for row in rows]


def _read_labels(
    column: str, rows: Sequence[Mapping[str, str]], template: Prompt, form: Form, path: str
) -> dict[str, Fraction]:
    """Return what the right answer to each case is worth, by the number of the case."""
    if column not in rows[0]:
        raise UsageError(
            f"{path}: has no column {column!r} for --label: its columns are {', '.join(rows[0])}"
        )
    if plain_name(column) in {plain_name(one) for one in template.placeholders}:
        raise UsageError(f"--label {column}: the prompt shows that column, so it says the answer itself")
    found = {}
    for number, row in enumerate(rows, 1):
        kind, value = read_answer(row[column], form)
        if kind != "read" or value is None:
            raise UsageError(f"{path}: case {number} has the label {row[column]!r}, not {form.words}")
        found[str(number)] = value
    return found


def _check_proxies(proxies: Sequence[Proxy], template: Prompt, slots: Slots) -> None:
    """Raise UsageError for a placeholder that the prompt has not, or that says the group itself."""
    for one in proxies:
        if one.placeholder not in template.placeholders:
            shown = ", ".join(f"{{{name}}}" for name in template.placeholders)
            raise UsageError(f"--proxies: the prompt has no {{{one.placeholder}}}: it has {shown}")
        if one.placeholder in slots.personal:
            raise UsageError(f"--proxies: {{{one.placeholder}}} says who the person is, so it is no proxy")


def _asked_attributes(
    slots: Slots, attributes: Sequence[str], place: str, proxies: Sequence[Proxy]
) -> list[str]:
    """Return the attributes that are varied: those asked for, else all that the prompt can show."""
    shown = dict.fromkeys(slots.attributes.values())
    if slots.names:
        shown |= dict.fromkeys(NAMED)
    if slots.titles:
        shown |= {"gender": None}
    shown |= dict.fromkeys(one.attribute for one in proxies)
    if not attributes:
        return list(shown)
    wanted = [attribute_of(one) or one for one in attributes]
    unknown = [one for one in wanted if one not in shown and one != "gender"]
    if unknown:
        raise UsageError(f"{place}: nothing in the prompt shows {unknown[0]}: it can show {', '.join(shown)}")
    return list(dict.fromkeys(wanted))


def _groups_of_attribute(  # noqa: PLR0917 (all that may name groups)
    attribute: str,
    slots: Slots,
    rows: Iterable[Mapping[str, str]],
    names: Sequence[Names],
    given: Mapping[str, Sequence[str]],
    path: str,
    proxies: Sequence[Proxy],
) -> tuple[str, ...]:
    """Return the groups of an attribute: those given, those with names, those in the cases, those fairlint
    knows.
    """
    if attribute in given:
        found = tuple(given[attribute])
    elif attribute in NAMED and (slots.names or attribute == "gender"):
        found = tuple(groups_with_names(names, attribute))
    elif attribute not in slots.attributes.values() and any(one.attribute == attribute for one in proxies):
        found = tuple(dict.fromkeys(one.group for one in proxies if one.attribute == attribute))
    else:
        columns = {plain_name(one) for one, what in slots.attributes.items() if what == attribute}
        held = [value for row in rows for name, value in row.items() if plain_name(name) in columns and value]
        found = tuple(sorted(set(held))) or _known_groups(attribute)
    if len(found) < 2:
        told = f"only {found[0]!r}" if found else "no group"
        raise UsageError(
            f"{path}: {told} of {attribute}: an effect is a difference between groups; name them, as "
            f"--groups {attribute}=A,B"
        )
    return found


def _known_groups(attribute: str) -> tuple[str, ...]:
    vocabulary = default_vocabulary()
    try:
        return tuple(vocabulary.attribute(attribute).core_groups)
    except KeyError:
        return ()
