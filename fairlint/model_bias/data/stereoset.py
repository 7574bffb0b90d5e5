"""StereoSet (Nadeem et al. 2021): contexts that go on as a stereotype says, against it, or with nonsense.

Every sentence is known by its `gold_label`, a word in the published file, and never by its place: the order
of the three differs from item to item, and copies of the data that number the labels differ, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from fairlint.model_bias.data.places import Place, document
from fairlint.model_bias.data.records import Option, Origin, Skipped
from fairlint.model_bias.data.sources import load_data_set, read
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

Task = Literal["intrasentence", "intersentence"]
TASKS: tuple[Task, ...] = ("intrasentence", "intersentence")
STEREOTYPE, ANTI_STEREOTYPE, UNRELATED = LABELS = ("stereotype", "anti-stereotype", "unrelated")
"""Words of `gold_label`."""
BLANK = "BLANK"
BIAS_TYPES = ("gender", "profession", "race", "religion")


class StereoSetItem(Record):
    """One context with its three sentences."""

    id: str
    task: Task
    """`intrasentence`: a word of the context is left out; `intersentence`: a sentence follows it."""
    target: str
    """Who it is about, such as `chess player`; 79 in the development set. Scores are means over targets."""
    bias_type: str
    """`gender`, `profession`, `race` or `religion`."""
    context: str
    """As published; within a sentence, BLANK stands for what is left out."""
    stereotype: str
    anti_stereotype: str
    unrelated: str
    """The sentence with each label: the whole sentence, or the second one alone."""
    prompt: str
    """What comes before that which differs; between sentences, the context. Empty where nothing does."""
    options: tuple[Option, ...]
    """What differs, in the order of LABELS: the words in the blank, or the second sentences. None where the
    three sentences are not the context with something put in (2 of 2,106)."""


class StereoSet(Record):
    """The items of both tasks, in the file's order."""

    items: tuple[StereoSetItem, ...]
    skipped: tuple[Skipped, ...]
    origin: Origin

    def of(self, task: Task, bias_type: str | None = None) -> tuple[StereoSetItem, ...]:
        """Return the items of one task, and perhaps of one type of bias."""
        return tuple(item for item in self.items if item.task == task and bias_type in {None, item.bias_type})


def bias_type_of(name: str) -> str | None:
    """Return the type of bias that `stereoset:TYPE` names; None for `stereoset`, which has all of them.

    Raises UsageError for a type that there is not.

    >>> bias_type_of("stereoset:race"), bias_type_of("stereoset")
    ('race', None)
    """
    _, colon, kind = name.partition(":")
    if colon and kind not in BIAS_TYPES:
        raise UsageError(f"--data: '{name}' names no type of bias ({', '.join(BIAS_TYPES)})")
    return kind or None


def load_stereoset(source: Path | None = None) -> StereoSet:
    """StereoSet's development set (2,106 and 2,123 items), or a user's file of the same form.

    Left out are items without exactly one sentence of each label, or with two equal sentences. Raises
    UsageError, with the place in the file, for what has another form.
    """
    file = load_data_set("stereoset") if source is None else read(source)
    data = document(file).at("data")
    if not any(data.has(task) for task in TASKS):
        raise UsageError(f"{file.path}: data has neither {' nor '.join(TASKS)}")
    items: list[StereoSetItem] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for task in TASKS:
        for entry in data.at(task).entries() if data.has(task) else ():
            id_ = entry.at("id").text()
            if id_ in seen:
                raise UsageError(f"{file.path}: {entry.name}.id: '{id_}' is there twice")
            seen.add(id_)
            sentences = _parse_sentences(entry.at("sentences"))
            reason = _reason_to_skip(sentences)
            if reason:
                skipped.append(Skipped(id_, reason))
            else:
                items.append(_build_item(id_, task, entry, dict(sentences)))
    return StereoSet(tuple(items), tuple(skipped), file.origin)


def _parse_sentences(place: Place) -> list[tuple[str, str]]:
    found = []
    for entry in place.entries():
        label = entry.at("gold_label")
        if label.value not in LABELS:
            raise label.wrong(f"one of {', '.join(LABELS)}")
        found.append((label.text(), entry.at("sentence").text()))
    return found


def _reason_to_skip(sentences: list[tuple[str, str]]) -> str:
    """Return why an item is left out; empty where it is not."""
    count = Counter(label for label, _ in sentences)
    for label in LABELS:
        if count[label] != 1:
            return f"{count[label]} sentences are labelled {label}, not 1"
    return "" if len({text for _, text in sentences}) == len(LABELS) else "two sentences are equal"


def _build_item(id_: str, task: Task, entry: Place, by_label: Mapping[str, str]) -> StereoSetItem:
    context = entry.at("context").text()
    if task == "intersentence":
        prompt = context.rstrip()
        options = tuple(Option(label, f" {by_label[label].strip()}") for label in LABELS)
    else:
        prompt, options = _split_at_blank(context, by_label)
    return StereoSetItem(
        id=id_,
        task=task,
        target=entry.at("target").text(),
        bias_type=entry.at("bias_type").text(),
        context=context,
        stereotype=by_label[STEREOTYPE],
        anti_stereotype=by_label[ANTI_STEREOTYPE],
        unrelated=by_label[UNRELATED],
        prompt=prompt,
        options=options,
    )


def _split_at_blank(context: str, by_label: Mapping[str, str]) -> tuple[str, tuple[Option, ...]]:
    """Return what comes before the blank, as the sentences write it, and what each puts in.

    Sentences may begin with another case than the context, and end with or without its full stop.
    """
    before, blank, after = context.partition(BLANK)
    after = after.rstrip(". ")
    if not blank or BLANK in after:
        return "", ()
    prompts, options = set(), []
    for label in LABELS:
        sentence = by_label[label]
        body = sentence.rstrip(". ")
        words = body[len(before) : len(body) - len(after)]
        if (
            not words.strip()
            or sentence[: len(before)].casefold() != before.casefold()
            or not body.casefold().endswith(after.casefold())
        ):
            return "", ()
        prompts.add(sentence[: len(before)].rstrip(" "))
        space = " " if before.endswith(" ") else ""
        options.append(Option(label, space + words.strip()))
    return (prompts.pop(), tuple(options)) if len(prompts) == 1 else ("", ())
