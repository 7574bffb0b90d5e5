"""Models that tell somebody's group: by a name, the classes they tell apart, and what an answer is called."""

from __future__ import annotations

import re
from functools import partial

from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

MOST_CLASSES = 30
LONGEST_NAME = 120
"""Longer texts name no model."""
LONGEST_ADDRESS = 240
FEWEST_BANDS = 3
LONGEST_BAND = 40
_BAND = r"(?:[A-Za-z]+[ -]){0,3}\W*\d{1,3}\s*(?:(?:-|–|to)\s*\d{1,3}|\+|(?:and )?(?:above|over|older))?\W*"
"""A band of ages: `(25-32)`, `60+`, `Teen (11-25)`."""
MOST_SHOWN = 6
"""Words of a text that says which picture shows whom: `"a photo of a woman"`."""

lexicon = partial(word_lists, "inferred_groups")


def model_of(text: str, reader: Reader, *, stored: bool = False) -> str:
    """Return what a model's name or file says that it guesses; what is stored has to be called a
    model, too.
    """
    if len(text) > LONGEST_NAME or " " in text:
        return ""
    words = split_words(text.replace("\\", "/").rpartition("/")[2])
    if stored and (
        lexicon()["stores_model"].isdisjoint(words) or not lexicon()["stores_else"].isdisjoint(words)
    ):
        return ""
    for word in words:
        if word in lexicon()["models_race"]:
            return "race"
        for read in reader.named(word, NOWHERE):
            if read.mention.attribute in lexicon()["attributes"] and read.mention.group is None:
                return read.mention.attribute
    return ""


def names_file(text: str) -> bool:
    """Return whether a text is the name of a file."""
    return re.fullmatch(r"[\w./-]+\.\w{2,5}", text) is not None


def names_of_model_files(node: Node, reader: Reader) -> list[str]:
    """Return the file that is loaded: `joblib.load("model.pkl")`, `pickle.load(open("model.pkl", "rb"))`."""
    behind = [reader.facts.call_giving(value) for value in reader.values(node)]
    opened = [call.node.arguments[0] for call in behind if call is not None and call.node.arguments]
    names = [name for place in (node, *opened) for name in reader.names(place)]
    return [str(name.value) for name in names if "." in str(name.value)]


def is_address(text: str) -> bool:
    """Return whether a text may be the address of a service."""
    if len(text) > LONGEST_ADDRESS or "." not in text:
        return False
    return "://" in text or text[:4].lower() == "api."


class Service(Record):
    """What a service guesses, and the part of its address that says so."""

    attribute: str
    part: str


def service_at(address: str, asking: str = "") -> Service | None:
    """Return the service whose address a text is; nothing where the function that is `asking` wants to know
    how often it may still be asked.
    """
    if not is_address(address) or any_word(asking, lexicon()["functions_of_accounts"]):
        return None
    lowered = address.lower()
    for attribute in ("age", "national_origin", "gender"):
        for part in sorted(lexicon()[f"urls_{attribute}"], key=lambda part: (-len(part), part)):
            if part in lowered:
                asked = split_words(lowered.partition(part)[2].partition("?")[0])
                return Service(attribute, part) if lexicon()["urls_of_accounts"].isdisjoint(asked) else None
    return None


def groups_of_one(held: tuple[Value, ...], reader: Reader) -> str:
    """Return the attribute whose groups some texts are, all but a few; empty for any others.

    Two colours alone are no groups of people.
    """
    if not 2 <= len(held) <= MOST_CLASSES:
        return ""
    classes = [_class_of_text(one) for one in held]
    if not all(map(text_values.is_name, classes)):
        return ""
    for attribute in sorted(lexicon()["attributes"] - {"age"}):
        named = [one for one in classes if reader.group_of(attribute, one) is not None]
        if 2 * len(named) > len(classes) and (attribute == "gender" or len(named) > 2):
            return attribute
    return ""


def bands_of_age(held: tuple[Value, ...], called: str, reader: Reader) -> str:
    """Age, where a list that is called after it holds bands: `AGES = ["(0-2)", "(4-6)", "60+"]`."""
    if not FEWEST_BANDS <= len(held) <= MOST_CLASSES:
        return ""
    texts_held = [one.value for one in held if isinstance(one, Const) and isinstance(one.value, str)]
    band = re.compile(_BAND)
    if len(texts_held) < len(held) or not all(
        len(one) <= LONGEST_BAND and band.fullmatch(one) for one in texts_held
    ):
        return ""
    reads = (read.mention.attribute for word in split_words(called) for read in reader.named(word, NOWHERE))
    return "age" if "age" in reads else ""


def _class_of_text(value: Value) -> Value:
    """Return the class that a text describes: a woman, for `"a photo of a woman"`."""
    if not isinstance(value, Const) or not isinstance(value.value, str) or " " not in value.value:
        return value
    words = re.findall(r"\w+", value.value.lower())
    if len(words) > MOST_SHOWN or lexicon()["sources"].isdisjoint(words):
        return value
    return Const(words[-1], value.label, value.node)


def called_answer(target: Node, reader: Reader) -> list[Read]:
    """Return the attribute that a model's answer is called after: `gender_pred`, `race_idx`."""
    name = (path_of(target) or "").rpartition(".")[2]
    words, lists = split_words(name), lexicon()
    answers = lists["guessed"] | lists["answers"] | lists["answer_places"]
    left = [word for word in words if word not in answers]
    if len(left) == len(words):
        return []
    reads = (read for word in left for read in reader.named(word, target))
    return [
        one for one in reads if one.mention.attribute in lists["attributes"] and one.mention.group is None
    ]


def is_likelihood(test: tree.Compare, reader: Reader, *, of_a_group: bool = True) -> bool:
    """Return whether a test asks how likely it is that somebody is of a group: `prob_female > 0.5`.

    Where what hangs on it says so, the test need not name one. Who compares it with a number that is drawn
    makes people up.
    """
    if any(_is_random_draw(side, reader) for side in (test.left, test.right)):
        return False
    for side in (test.left, test.right):
        words = split_words((path_of(side) or "").rpartition(".")[2])
        if lexicon()["likelihoods"].isdisjoint(words):
            continue
        if not of_a_group:
            return True
        told = [pair for word in words for pair in reader.groups_in(word)]
        named = [read.mention.attribute for word in words for read in reader.named(word, NOWHERE)]
        if lexicon()["attributes"].intersection([*(attribute for attribute, _ in told), *named]) - {"age"}:
            return True
    return False


def _is_random_draw(side: Node, reader: Reader) -> bool:
    """Return whether one side of a test is drawn at random: `rng.random(N)`, or a variable that was."""
    places = (reader.facts.place_of(value) for value in reader.values(side))
    calls = [
        part
        for place in (side, *places)
        for part in (() if place is None else tree.walk(place))
        if isinstance(part, tree.Call)
    ]
    return any(not lexicon()["drawn"].isdisjoint(split_words(path_of(call.function) or "")) for call in calls)
