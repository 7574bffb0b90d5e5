"""Calls that guess: of libraries and models that are known for it, and of functions that are named so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fairlint.analyses.assumptions import answering_models as models
from fairlint.analyses.assumptions.attribute_reads import Read
from fairlint.analyses.assumptions.guess_sources import lexicon
from fairlint.analyses.assumptions.guessed_groups import mentions_in
from fairlint.semantics.names.library import Found
from fairlint.semantics.tables.column_names import some_names
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name
from fairlint.semantics.values.symbolic import Const
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.analyses.assumptions.inferred_groups import InferenceFinder


class InferredGroup(Record, eq=False):
    """One guess: whose attribute, where, from what, and which group, where the code says it itself."""

    read: Read
    node: Node
    source: str
    group: str = ""
    is_sure: bool = False
    """Whether a library does it that does nothing else."""
    is_by_name: bool = False
    """Whether nothing but its bare name says that it is of that library."""
    has_classes: bool = False
    """Whether the groups that a model tells apart are written out."""
    is_loaded: bool = False
    """Whether a model is loaded here, and nothing is said yet of its answer."""
    steps: tuple[tuple[Node, str], ...] = ()


def _guesses_of_call(finder: InferenceFinder, call: Call) -> Iterator[InferredGroup]:
    """Yield a call of a library, a service or a function that guesses."""
    node, does = call.node, finder.reader.does(call)
    name = last_name(node.function)
    if "guesses" in does and (found := finder.reader.known(call, "guesses")) is not None:
        yield from _by_library(finder, call, found)
    elif "names model" in does and (found := finder.reader.known(call, "names model")) is not None:
        yield from _guess_by_model_name(finder, call, found)
    elif "loads model" in does:
        yield from _guess_by_model_file(finder, node)
    elif name and name not in finder.own and name not in finder.told:
        yield from _by_name(finder, node, name)
    yield from _guess_by_classes(finder, call)
    if isinstance(node.function, tree.Field) and call.arguments:
        if name == "get":
            yield from finder.looked_up(node.arguments[0], node.function.value, node)
        if "applies" in does:
            yield from finder.looked_up(node.function.value, node.arguments[0], node)


def _by_library(finder: InferenceFinder, call: Call, found: Found) -> Iterator[InferredGroup]:
    """Yield what a library guesses: what its model says, what it is asked for, or what its result is read
    for.

    A name that nothing resolves has to say itself what is guessed.
    """
    node, source = call.node, f"`{finder._function_text(call.node.function)}`"
    if _is_told_data(finder, call, source):
        return
    if attribute := found.entry.given.get("attribute", ""):
        said = {read.mention.attribute for read in mentions_in(finder, split_words(found.entry.name))}
        if not found.by_name or attribute in said:
            yield from finder._build_guess(attribute, node, source, found=found)
        return
    places = found.entry.places("argument")
    asked = [text for value in (call.given(places) if places else ()) for text in some_names(value)]
    about = [read for text in asked for read in _asked_for(finder, text, node)]
    step = "it is asked for"
    if not found.by_name and (not asked or any(text.value == "ALL" for text in asked)):
        about, step = [*_asked_later(finder, call)], "the guess is read here"
    for read in {read.mention.attribute: read for read in reversed(about)}.values():
        yield from finder._build_guess(read.mention.attribute, node, source, (read.node, step), found=found)


def _is_told_data(finder: InferenceFinder, call: Call, source: str) -> bool:
    """Whether a call only gives data by which others guess, of which one speaks for all of its function:
    `names.words("male.txt")` looks at nobody.
    """
    given = [one.value if isinstance(one, tree.Literal) else None for one in call.node.arguments]
    if not given or not all(isinstance(one, str) and models.names_file(one) for one in given):
        return False
    scope = finder.reader.syntax.scope_around(call.node)
    key = (id(scope), source)
    if key in finder.data_told:
        return finder.data_told[key] is not call.node
    finder.data_told[key] = call.node
    return False


def _asked_for(finder: InferenceFinder, text: Const, node: Node) -> Iterator[Read]:
    """`"age,gender"` names two things."""
    for word in str(text.value).split(","):
        for read in finder.reader.named(word.strip(), text.node or node):
            if read.mention.attribute in lexicon()["attributes"]:
                yield read


def _asked_later(finder: InferenceFinder, call: Call) -> Iterator[Read]:
    """Yield what the code reads out of what a call gave: `result["dominant_race"]`, `face.gender`."""
    facts, places = finder.reader.facts, finder.reader.syntax.places
    nodes: list[tree.Index | tree.Field] = [*places(tree.Index), *places(tree.Field)]
    for node in nodes:
        for read in finder.reader.written(node):
            if read.mention.attribute in lexicon()["attributes"] and any(
                one is call.value for value in facts.values_of(node.value) for one in facts.behind(value)
            ):
                yield Read(read.mention, node)


def _guess_by_model_name(finder: InferenceFinder, call: Call, found: Found) -> Iterator[InferredGroup]:
    """`pipeline("image-classification", model="someone/gender-classification")`."""
    for value in call.given(found.entry.places("argument")):
        for text in some_names(value)[:4]:
            model = str(text.value)
            if attribute := models.model_of(model, finder.reader):
                yield from finder._build_guess(
                    attribute, call.node, f"the model `{model}`", found=found, loaded=True
                )
                return


def _guess_by_model_file(finder: InferenceFinder, node: tree.Call) -> Iterator[InferredGroup]:
    """`pickle.load(open("gender_model.pkl", "rb"))`."""
    for file in models.names_of_model_files(node.arguments[0], finder.reader) if node.arguments else ():
        if attribute := models.model_of(file, finder.reader, stored=True):
            yield from finder._build_guess(attribute, node, f"the model `{file}`", loaded=True)
            return


def _guess_by_classes(finder: InferenceFinder, call: Call) -> Iterator[InferredGroup]:
    """`flow_from_directory("photos", classes=["men", "women"])`."""
    for key in lexicon()["class_keywords"] & call.keywords.keys():
        if attribute := models.groups_of_one(some_names(call.keywords[key]), finder.reader):
            yield from finder._build_guess(attribute, call.node, "what a model is taught")


def _by_name(finder: InferenceFinder, call: tree.Call, name: str) -> Iterator[InferredGroup]:
    """`guess_gender(first_name)` of some other file."""
    looked_at = [finder.reader.text(one) for one in call.arguments[:3]]
    attribute = guesses_what(finder, _said_with_owner(finder, call.function, name), looked_at)
    if attribute:
        finder.told.add(name)
        yield from finder._build_guess(attribute, call, f"`{finder._function_text(call.function)}`")


def _said_with_owner(finder: InferenceFinder, function: Node, name: str) -> str:
    """Return the name of a function; where it is an attribute alone, behind its owner's:
    `classifier.gender`.
    """
    owner = last_name(function.value) if isinstance(function, tree.Field) else ""
    verbs = lexicon()["verbs"] - lexicon()["prepositions"]
    if not owner or verbs.isdisjoint(split_words(owner)) or not verbs.isdisjoint(split_words(name)):
        return name
    alone = all(any(True for _ in mentions_in(finder, (word,))) for word in split_words(name))
    return f"{owner}_{name}" if alone else name


def guesses_what(finder: InferenceFinder, name: str, looked_at: Iterable[str]) -> str:
    """Return the attribute that a function guesses, by its name and what it is given."""
    words = lexicon()
    own = split_words(name)
    if not words["methods_race"].isdisjoint(own):
        return "race"
    if words["verbs"].isdisjoint(own) or not words["silent"].isdisjoint(own):
        return ""
    attribute = ""
    for read in mentions_in(finder, own):
        if read.mention.attribute in lexicon()["attributes"] and read.mention.group is None:
            attribute = read.mention.attribute
    if not attribute:
        return ""
    seen = set(own)
    if not words["verbs"] & seen <= words["prepositions"]:
        seen |= {word for text in looked_at for word in split_words(text)}
    if attribute == "skin_color" and words["skin_told_apart"].isdisjoint(own):
        return ""  # where skin is in a picture, by its colour
    from_source = not words["sources"].isdisjoint(seen)
    sure = not words["verbs_sure"].isdisjoint(own) and attribute not in {"age", "race"}
    return attribute if from_source or sure else ""
