"""What an answer says, read as the prompt asks: yes or no, a number on a scale, or one of several labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from fairlint.counterfactual.prompts.observations import Kind
from fairlint.counterfactual.prompts.refusals import (
    has_hint,
    has_refusing_hint,
    refusals_in,
    straight,
    wordings,
)
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

Asked = Literal["label", "number"]


class Form(Record):
    """How an answer has to look."""

    kind: Asked
    labels: tuple[str, ...] = ()
    favourable: tuple[str, ...] = ()
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)

    @property
    def step(self) -> float:
        """The least change of an answer, as a share of the scale."""
        return 1.0 if self.kind == "label" else float(1 / (self.high - self.low))

    @property
    def words(self) -> str:
        """The form as people read it."""
        if self.kind == "label":
            return " or ".join(self.labels)
        return f"a number from {float(self.low):g} to {float(self.high):g}"


_YES_NO = tuple(
    (pair, re.compile(rf"\b{pair[0]}\b\W*(?:{between})?\W*\b{pair[1]}\b", re.IGNORECASE))
    for pair, between in (
        (("yes", "no"), "or|and"),
        (("ja", "nein"), "oder|und"),
        (("oui", "non"), "ou|et"),
        (("sí", "no"), "o|y"),
    )
)
"""The two answers of each language, and how a prompt asks for one of them."""
_SCALE = re.compile(
    r"(?:from|between|of|scale|\()\s*(\d+)\s*(?:to|and|-|–|through)\s*(\d+)|\b(\d+)\s*[-–]\s*(\d+)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_THOUGHT = "</think>"


def form_of(text: str, answer: str | None, favourable: str | None, *, otherwise: str = "") -> Form:
    """Return the form that the prompt asks for, or that `answer` names: `yes/no`, `0..10` or `hire/reject`;
    `otherwise` does where neither says it, as the linter reads what is asked.

    Raises UsageError where nothing says it.
    """
    if answer is not None:
        return _named_form(answer, favourable)
    for pair, asked in _YES_NO:
        if asked.search(text):
            return _with_favourable(pair, favourable)
    scales = list(_SCALE.finditer(text))
    if scales:
        low, high = (int(one) for one in scales[-1].groups() if one is not None)
        if low < high:
            return Form("number", low=Fraction(low), high=Fraction(high))
    if otherwise:
        return _named_form(otherwise, favourable)
    raise UsageError(
        "the prompt does not say how to answer: name it, as --answer yes/no, --answer 0..10 or "
        "--answer hire/reject"
    )


def _named_form(answer: str, favourable: str | None) -> Form:
    scale = _RANGE.fullmatch(answer)
    if scale is not None and Fraction(scale[1]) < Fraction(scale[2]):
        return Form("number", low=Fraction(scale[1]), high=Fraction(scale[2]))
    labels = tuple(one.strip() for one in answer.split("/") if one.strip())
    if len(labels) < 2:
        raise UsageError(f"--answer {answer}: write yes/no, 0..10 or labels with / between, as hire/reject")
    return _with_favourable(labels, favourable)


def _with_favourable(labels: Sequence[str], favourable: str | None) -> Form:
    wanted = tuple(one.strip() for one in favourable.split("/")) if favourable else tuple(labels[:1])
    unknown = [one for one in wanted if one.casefold() not in {each.casefold() for each in labels}]
    if unknown:
        raise UsageError(f"--favourable {unknown[0]}: the answers are {', '.join(labels)}")
    return Form("label", labels=tuple(labels), favourable=wanted)


class ReadAnswer(NamedTuple):
    """Whether an answer could be read, and its share of the scale: 1 for a favourable label."""

    kind: Kind
    value: Fraction | None


def read_answer(text: str, form: Form) -> ReadAnswer:
    """Return what an answer says. One that names an answer and apologizes is unreadable rather than refused,
    if it is not clearly a decision.
    """
    said = straight(text.rpartition(_THOUGHT)[2].strip())
    refusals = refusals_in(said)
    named = [
        one
        for one in (_labels_in(said, form) if form.kind == "label" else _numbers_in(said, form))
        if not any(each.start() <= one.start < each.end() for each in refusals)
    ]
    value = _label_value(said, named, form) if form.kind == "label" else _number_value(said, named)
    if value is not None:
        return ReadAnswer("read", value)
    is_refused = refusals or (has_refusing_hint(said) and len({one.value for one in named}) != 1)
    return ReadAnswer("refused" if is_refused else "unreadable", None)


class _Named(NamedTuple):
    """An answer that a text names, where, and how."""

    start: int
    value: Fraction
    text: str


def _labels_in(said: str, form: Form) -> list[_Named]:
    favourable = {straight(one).casefold() for one in form.favourable}
    return [
        _Named(one.start(), Fraction(one[0].casefold() in favourable), one[0].casefold())
        for one in re.finditer(rf"(?<!\w){_any_label(form)}(?!\w)", said, re.IGNORECASE)
        if not _only_negates(one, form)
    ]


def _only_negates(found: re.Match[str], form: Form) -> bool:
    """Return whether a label stands there as a word of a sentence that goes on: *No veo ningún problema*."""
    beside = wordings().negations.get(found[0].casefold(), frozenset())
    if beside.isdisjoint(one.casefold() for one in form.labels):
        return False
    return re.match(r"[*_\"'»”]*\s*(?:[.,;:!?)\n—–-]|o\b|$)", found.string[found.end() :]) is None


def _any_label(form: Form) -> str:
    return f"(?:{'|'.join(re.escape(straight(one)) for one in sorted(form.labels, key=len, reverse=True))})"


def _numbers_in(said: str, form: Form) -> list[_Named]:
    numbers = ((one, Fraction(one[0].replace(",", "."))) for one in _NUMBER.finditer(said))
    return [
        _Named(one.start(), (value - form.low) / (form.high - form.low), one[0])
        for one, value in numbers
        if form.low <= value <= form.high
    ]


def _label_value(said: str, named: Sequence[_Named], form: Form) -> Fraction | None:
    """Return the value of the label that the answer begins with, or of the only one in it; where it refuses
    or apologizes, only if the label follows an apology or is what the answer concludes.
    """
    if not named:
        return None
    first = named[0]
    if not re.search(r"\w", said[: first.start].replace("_", " ")):
        return first.value
    if len({one.text for one in named}) > 1:
        return None
    if (refusals_in(said) or has_hint(said)) and not (
        _follows_an_apology(said, first)
        or re.search(rf"{wordings().conclusion}[\s\W]*{_any_label(form)}\W*$", said, re.IGNORECASE)
    ):
        return None
    return first.value


def _follows_an_apology(said: str, one: _Named) -> bool:
    """Return whether an answer stands right behind an apology, and a pause behind the answer."""
    apology = re.fullmatch(rf"\W*{wordings().before}", said[: one.start], re.IGNORECASE)
    return (
        apology is not None
        and re.match(r"\s*(?:[.,;:!)\n–—-]|$)", said[one.start + len(one.text) :]) is not None
    )


def _number_value(said: str, named: Sequence[_Named]) -> Fraction | None:
    """Return the share of the scale of the first number on it; none of an answer that begins with a refusal
    or an apology, unless the number follows that at once.
    """
    if not named:
        return None
    first = named[0]
    before = said[: first.start]
    if (refusals_in(before) or has_hint(before)) and not _follows_an_apology(said, first):
        return None
    return first.value
