"""Inferences: a group is guessed from a name, a face or a voice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fairlint.analyses.assumptions.guess_sources import OF_A_TEXT, OF_A_TITLE, OF_FIGURES, lexicon
from fairlint.analyses.assumptions.guessing_calls import InferredGroup
from fairlint.analyses.assumptions.inferred_groups import guesses
from fairlint.detectors.context import Context
from fairlint.detectors.defaults import quiet_path
from fairlint.detectors.labels import is_group_label
from fairlint.detectors.use_builder import by_name_tags, known_by_name, plain_use
from fairlint.findings.uses import Step, Use
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Protected
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Evidence

BY_LIBRARY = 10
"""How much it says that a library is used which does nothing else."""
BY_HAND = 4
"""How much it says that a name, a face or a voice is looked at."""
MOST_RETURNS = 30
"""Returns of a group that are told as the way to one guess, the first ones."""
BY_CLASSES = 7
"""How much it says that a model's answer is one of some groups that are written out."""
OF_WORDS = "of-words"
"""Tags a guess from words in a text, whose writer may have said so."""
OF_COLUMNS = "of-columns"
"""Tags a group that is the highest of a table's columns, whose rows may be nobody: names, or places."""
_TAGS = {OF_A_TEXT: frozenset({OF_WORDS}), OF_FIGURES: frozenset({OF_COLUMNS})}


def observe(context: Context) -> Iterator[Use]:
    """Yield all inferences of one file."""
    told: set[tuple[int, str]] = set()
    for guess in guesses(context.reader):
        function = context.function_at(guess.node.span)
        key = (guess.node.span.start, guess.read.mention.attribute)
        if key in told or (not guess.is_sure and any_word(function, _silent_words(guess))):
            continue
        told.add(key)
        yield _use_of_guess(guess, function, context)
    attributes = {attribute for _, attribute in told}
    yield from (use for use in _group_classifier_uses(context) if use.attribute not in attributes)


def _group_classifier_uses(context: Context) -> Iterator[Use]:
    """Models that are taught to tell somebody's group: `model.fit(photos, people["gender"])`."""
    told: set[str] = set()
    for event in context.events:
        if event.kind != "learn" or event.target != "label":
            continue
        read = next((part for part in walk(event.value) if isinstance(part, Protected)), None)
        if read is None or not is_group_label(event.value, read.mention.attribute, context):
            continue
        mention = read.mention
        is_group = mention.form == "value" and mention.group is None and mention.strength != "proxy"
        if not is_group or mention.attribute not in lexicon()["attributes"] or mention.attribute in told:
            continue
        teacher = event.node.function if isinstance(event.node, tree.Call) else event.node
        asked = (
            event.node.arguments[0] if isinstance(event.node, tree.Call) and event.node.arguments else teacher
        )
        said = f"{event.function} {context.source.text(teacher.span)} {_answering_model_text(asked, context)}"
        if any_word(said, lexicon()["looks_only"]):
            continue
        told.add(mention.attribute)
        yield plain_use(
            context,
            mention,
            read.node,
            kind="inference",
            effect="assume",
            shape="read",
            evidence=(Evidence(BY_HAND, "a model is taught to tell it"), *quiet_path(context)),
            flow=(
                Step(read.node.span, "the group is read here"),
                Step(teacher.span, "a model learns it here"),
            ),
            detail="what a model is taught",
            receiver=read.receiver,
            tags=by_name_tags(event.by_name),
        )


def _answering_model_text(node: Node, context: Context) -> str:
    """Return what a loss is told the answers of: `adversary` of `adversary(hidden)`."""
    if isinstance(node, tree.Call):
        return context.source.text(node.function.span)
    if not isinstance(node, tree.Name):
        return ""
    given = context.once(_given_by_calls, context.function_at(node.span)).get(node.id)
    return node.id if given is None else f"{node.id} {context.source.text(given.span)}"


def _given_by_calls(function: str, context: Context) -> dict[str, Node]:
    """Return what is called to give the variables of a function their values."""
    node = context.function_named(function)
    body = context.body if node is None else node.body
    return {
        target.id: part.value.function
        for statement in body
        for part in tree.walk(statement)
        if isinstance(part, tree.Assign) and isinstance(part.value, tree.Call)
        for target in part.targets
        if isinstance(target, tree.Name)
    }


def _use_of_guess(guess: InferredGroup, function: str, context: Context) -> Use:
    node = guess.node
    if isinstance(node, tree.Call) and "\n" in context.source.text(node.span):
        node = node.function
    said = Evidence(_weight_of_guess(guess), f"guessed from {guess.source}")
    steps = [Step(place.span, message) for place, message in guess.steps]
    if not isinstance(node, tree.Call):
        steps.extend(_return_steps(guess, function, context))
    return plain_use(
        context,
        guess.read.mention,
        node,
        kind="inference",
        effect="assume",
        shape="read",
        groups=(guess.group,) if guess.group else (),
        evidence=(
            said,
            *(known_by_name(guess.node, context) if guess.is_by_name else ()),
            *quiet_path(context),
        ),
        flow=(*steps, Step(node.span, "a group is guessed here")),
        detail=guess.source,
        tags=by_name_tags(guess.is_by_name) | _TAGS.get(guess.source, frozenset()),
    )


def _silent_words(guess: InferredGroup) -> frozenset[str]:
    """Return words of a function that guesses nothing; where a title is looked up, its name says no such
    thing.
    """
    words = lexicon()
    return words["silent"] - (words["titles_called"] if guess.source == OF_A_TITLE else frozenset())


def _weight_of_guess(guess: InferredGroup) -> int:
    """Return how much the way in which a group is guessed says for it."""
    if guess.is_sure:
        return BY_LIBRARY
    return BY_CLASSES if guess.has_classes else BY_HAND


def _return_steps(guess: InferredGroup, function: str, context: Context) -> Iterator[Step]:
    """Yield where a function that guesses by hand returns a group."""
    known = context.once(_known_returns, "")
    key = (function, guess.read.mention.attribute)
    if key not in known:
        known[key] = list(islice(_find_groups(*key, context), MOST_RETURNS))
    yield from known[key]


def _known_returns(_function: str, _context: Context) -> dict[tuple[str, str], list[Step]]:
    return {}


def _find_groups(function: str, attribute: str, context: Context) -> Iterator[Step]:
    told = set[int]()
    for event in context.once(_find_returns, "").get(function, ()):
        place = event.node.value if isinstance(event.node, tree.Return) else None
        if place is None or id(place) in told:
            continue
        if any(context.reader.group_of(attribute, part) is not None for part in walk(event.value)):
            told.add(id(place))
            yield Step(place.span, "a group is returned here")


def _find_returns(_: str, context: Context) -> dict[str, list[Event]]:
    """Return what is returned, by the function that does."""
    found: dict[str, list[Event]] = {}
    for event in context.events:
        if event.kind == "return":
            found.setdefault(event.function, []).append(event)
    return found
