"""What an answer says, read as the prompt asks: yes or no, a number on a scale, or one of several labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from fairlint.counterfactual.prompts.observations import Kind
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


_YES_NO = re.compile(r"\byes\b\W*(?:or|/|and)?\W*no\b", re.IGNORECASE)
_SCALE = re.compile(
    r"(?:from|between|of|scale|\()\s*(\d+)\s*(?:to|and|-|–|through)\s*(\d+)|\b(\d+)\s*[-–]\s*(\d+)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_THOUGHT = "</think>"
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:sorry|unable|not able|not comfortable)|as an ai|it (?:is|would be) inappropriate"
    r"|i (?:cannot|can['’]?t|can not|won['’]t|will not|must decline|decline)"
    r"|unable to (?:assess|decide|provide))",
    re.IGNORECASE,
)


def form_of(text: str, answer: str | None, favourable: str | None, *, otherwise: str = "") -> Form:
    """Return the form that the prompt asks for, or that `answer` names: `yes/no`, `0..10` or `hire/reject`;
    `otherwise` does where neither says it, as the linter reads what is asked.

    Raises UsageError where nothing says it.
    """
    if answer is not None:
        return _named_form(answer, favourable)
    if _YES_NO.search(text):
        return _with_favourable(("yes", "no"), favourable)
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
    """Return what an answer says."""
    said = text.rpartition(_THOUGHT)[2].strip()
    value = _label_value(said, form) if form.kind == "label" else _number_value(said, form)
    if value is not None:
        return ReadAnswer("read", value)
    return ReadAnswer("refused" if _REFUSAL.search(said) else "unreadable", None)


def _label_value(said: str, form: Form) -> Fraction | None:
    """Return the value of the label that the answer begins with, or of the only one in it."""
    any_label = "|".join(re.escape(one) for one in sorted(form.labels, key=len, reverse=True))
    found = [one[0].casefold() for one in re.finditer(rf"(?<!\w)(?:{any_label})(?!\w)", said, re.IGNORECASE)]
    begins = re.match(rf"[\W_]*(?:{any_label})(?!\w)", said, re.IGNORECASE)
    if not found or (begins is None and (len(set(found)) > 1 or _REFUSAL.search(said))):
        return None
    return Fraction(found[0] in {one.casefold() for one in form.favourable})


def _number_value(said: str, form: Form) -> Fraction | None:
    """Return the share of the scale of the first number on it; none of an answer that begins with a
    refusal.
    """
    refused = _REFUSAL.search(said)
    for found in _NUMBER.finditer(said):
        if refused and refused.start() < found.start():
            return None
        value = Fraction(found[0].replace(",", "."))
        if form.low <= value <= form.high:
            return (value - form.low) / (form.high - form.low)
    return None
