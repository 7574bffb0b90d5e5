"""What it amounts to that people join or leave a list, or are skipped in a loop."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from fairlint.detectors.context import Context
from fairlint.detectors.sinks import Sink, holds_outcome, is_complaint, names_a_group, only_looks, sink
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, classify_target, is_show, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Opaque, Text, Value
from fairlint.semantics.values.traversal import either
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import singular, split_words


def append_sink(site: Site, event: Event, role: str, context: Context) -> Sink:
    """Return what it amounts to that somebody or something joins or leaves a list."""
    name = event.target.removesuffix(".remove").removesuffix(".discard")
    if all(map(_is_known_number, either(event.value))) and classify_target(name) != "score":
        return Sink("store")  # the code of a group joins a list of codes
    if holds_outcome(name, site.attribute, context):
        return sink("decide", 2, f"people join or leave `{name}`")
    if role == "mention" or names_a_group(name, context) or is_show(name):
        return Sink("show")
    if name in context.once(_find_text_lists, event.function) and not _is_of_grounds(name):
        return Sink("show")  # lines of a text
    appended = [other for other in site.events if other.kind == "append"]
    if len({other.target for other in appended}) > 1:
        return Sink("show")
    if isinstance(event.value, Const | Text):
        return _ground_sink(event, name, role, context)
    if role == "decide":
        return sink("decide", 2, f"people join or leave `{name}` in `{event.function}`")
    is_person = isinstance(event.value, Opaque) and any(
        event.value.key == read.receiver for read in site.reads.values()
    )
    return Sink("decide", said="answer" if is_person else "shape")


def _is_known_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def _ground_sink(event: Event, name: str, role: str, context: Context) -> Sink:
    """Return what it is that a text joins a list: a ground for or against a person, or mere talk."""
    if role == "decide":
        return sink("decide", 2, f"`{name}` grows in `{event.function}`")
    is_asked = role != "check" and name in context.once(_find_emptiness_checks, event.function)
    if is_asked and not any_word(context.source.text(event.node.span), lexicon()["misfit"]):
        return sink("decide", 2, f"the outcome depends on whether `{name}` is empty")
    if role not in {"check", "show"} and _is_award(name, event, context):
        return sink("decide", 1, f"`{name}` says what a person is given")
    if role in {"check", "show"} or not _is_of_grounds(name):
        return Sink("show")
    if is_complaint(event, context):
        return Sink("check")
    return sink("decide", 2 if role else 1, f"a ground for or against a person joins `{name}`")


def _is_award(name: str, event: Event, context: Context) -> bool:
    """Return whether a list is named after what people are given, and is what its function gives back."""
    words = split_words(name)
    if not words or singular(words[-1]) not in lexicon()["awards"]:
        return False
    ends = [one.node for one in context.timeline.ends(event.function, event.node.span.end)]
    given = (end.value for end in ends if isinstance(end, tree.Return))
    return any(path_of(part) == name for value in given if value is not None for part in tree.walk(value))


def _is_of_grounds(name: str) -> bool:
    """Return whether a list is named after what speaks for or against a person."""
    words = split_words(name)
    return bool(words) and words[-1] in lexicon()["grounds"]


def _find_emptiness_checks(function: str, context: Context) -> frozenset[str]:
    """Return the lists of which a function asks whether they are empty, to say yes or no."""
    node = context.function_named(function)
    found: set[str] = set()
    for part in (part for statement in (() if node is None else node.body) for part in tree.walk(statement)):
        match part:
            case tree.Return(value=tree.Collection(items=items)):
                given: list[Node | None] = [item.value for item in items]
            case tree.Return(value=tree.Call(arguments=arguments, keywords=keywords)):
                given = [*arguments, *(value for _, value in keywords)]
            case tree.Return(value=value):
                given = [value]
            case tree.Assign(targets=(target,), value=value) if (
                classify_target(path_of(target) or "") == "outcome"
            ):
                given = [value]
            case tree.If(test=test, then=then) if any(map(_says_yes_or_no, then)):
                given = [test, tree.Unary(test.span, "not", test)]
            case _:
                continue
        found |= {name for one in given if one is not None and (name := _asked_if_empty(one, context))}
    return frozenset(found)


def _says_yes_or_no(statement: Node) -> bool:
    """Return whether a statement returns a truth value, perhaps with more."""
    match statement:
        case tree.Return(value=tree.Literal(value=bool())):
            return True
        case tree.Return(value=tree.Collection(items=(tree.Item(value=tree.Literal(value=bool())), *_))):
            return True
        case _:
            return False


def _asked_if_empty(asked: Node, context: Context) -> str:
    """Return what a test asks to be empty or not: `not unmet`, `len(unmet) == 0`."""
    match asked:
        case tree.Compare(left=tree.Call(arguments=(held,)) as call) if context.may(call, "measures"):
            return path_of(held) or ""
        case tree.Unary(op="not", operand=held) | tree.Compare(left=held, right=tree.Collection(items=())):
            return path_of(held) or ""
        case _:
            return ""


def _find_text_lists(function: str, context: Context) -> frozenset[str]:
    """Return the lists that a function makes one text of."""
    return frozenset(
        path_of(call.node.arguments[0]) or ""
        for call in context.facts.calls
        if call.function == function and call.node.arguments and "joins texts" in context.does(call.node)
    )


def skip_sink(event: Event, context: Context) -> Sink:
    """Skipping people is a decision if something that matters happens to those who are not skipped."""
    if event.loop is None:
        return Sink("show")
    starts, first = context.once(_find_what_matters, event.function).get(id(event.loop), ([], []))
    place = bisect_right(starts, event.node.span.end)
    if place == len(starts):
        return Sink("show")
    return sink("decide", first[place][1], "others go on and these people are skipped")


def _find_what_matters(function: str, context: Context) -> dict[int, tuple[list[int], list[tuple[int, int]]]]:
    """Of each loop in a function, by its identity: where what matters begins, and for each such place what
    comes first of all from there on, with its weight.
    """
    found: dict[int, list[tuple[int, int, int]]] = {}
    for order, event in enumerate(context.timeline.looped(function)):
        if (weight := _weight_in_loop(event, context)) > 0:
            found.setdefault(id(event.loop), []).append((event.node.span.start, order, weight))
    told: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
    for loop, rows in found.items():
        rows.sort()
        first = list(accumulate(((order, weight) for _, order, weight in reversed(rows)), min))
        told[loop] = [start for start, _, _ in rows], first[::-1]
    return told


def _weight_in_loop(event: Event, context: Context) -> int:
    """Return how much it says that an event happens to those who are not skipped; 0 where it does
    not matter.
    """
    match event.kind:
        case "append" if not names_a_group(event.target, context):
            return 2
        case "call" if not only_looks(event, context):
            return 1
        case "update" | "assign" if classify_target(event.target) in {"score", "outcome"}:
            return 2
        case "return":
            return 1
        case _:
            return 0
