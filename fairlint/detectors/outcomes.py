"""What happens to a person at a site, and whether that is a decision, a score, or mere talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.user_input import is_chosen
from fairlint.lexicon.model import Evidence
from fairlint.lexicon.words import split_words
from fairlint.records import Record
from fairlint.semantics.amounts import known, readable
from fairlint.semantics.effects import announces_outcome, any_word, classify_target, is_show, lexicon
from fairlint.semantics.library import DOES, JUDGES, LOOKS
from fairlint.semantics.sites import Site, asks_directly
from fairlint.semantics.specialization import Naming, Result, Specialization, Sum, Unknown
from fairlint.semantics.values import (
    Choice,
    Const,
    Event,
    Operation,
    Protected,
    Sequence,
    Text,
    Value,
    either,
    walk,
)
from fairlint.semantics.ways import Way
from fairlint.syntax import tree
from fairlint.syntax.tree import Call, Node
from fairlint.uses import Effect

_AMOUNT = re.compile(r"(?<![\w%.])\d")
TURNED_AWAY = "people are turned away by an error"
GOES_ON = ("goes on",)
LONGEST_ANNOUNCEMENT = 200
"""Characters of a text that announces an outcome; longer ones tell stories."""


class Sink(Record):
    """What an effect amounts to: which one it is, how strongly it speaks for a decision, and in what
    words.
    """

    effect: Effect
    evidence: Evidence | None = None

    @property
    def weight(self) -> int:
        """The weight of the evidence."""
        return self.evidence.weight if self.evidence else 0


def sink(effect: Effect, weight: int, reason: str) -> Sink:
    """A Sink with its reason."""
    return Sink(effect, Evidence(weight, reason))


def relevant(event: Event, site: Site, hypothesis: Specialization) -> bool:
    """Whether the event happens for the person, given that the site is reached."""
    hypothesis.naming.steps.spend()
    conditions = site.conditions(event)
    happens = all(hypothesis.truth(test) == holds for test, holds in conditions.own) and all(
        hypothesis.holds(condition) == holds for condition, holds in conditions.others
    )
    if happens:
        hypothesis.naming.reached.add(id(event))
    return happens


def ways_to(events: list[Event], site: Site, naming: Naming) -> list[Way]:
    """What has to hold for each of the site's own events that has not happened to any group yet.

    The last is the first, as it stands behind most.
    """
    unmet = [event for event in reversed(events) if site.has(event) and id(event) not in naming.reached]
    conditions = map(site.conditions, unmet)
    return [(*reversed(one.own), *one.others) for one in conditions]


def exits(site: Site, function: str, context: Context) -> list[Event]:
    """The events of `function` that can end what happens at the site, and the acts that it guards, in
    order.
    """
    own = site.in_function(function)
    home = context.functions.get(function)
    is_home = function == site.functions[0] and (
        home is None or home.span.start <= site.node.span.start < home.span.end
    )
    start = site.node.span.start if is_home else 0
    found = {
        id(event): event
        for event in context.timeline.ends(function, start)
        if event.kind in {"return", "raise"} or event.loop is own[0].loop
    }
    role = function_sink(context, function, site.attribute)
    decided = {
        event.target
        for event in own
        if event.kind == "assign" and (is_outcome_target(event) or _is_source(event, role))
    }
    for event in own:
        if event.node.span.end > start and (
            (event.kind in {"call", "append"} and not is_idle(event, context))
            or _tells_outcome(event, site, context)
            or (event.kind == "assign" and event.target in decided and not _is_kept(event.value))
        ):
            found[id(event)] = event
    context.steps.spend(1 + len(found))
    return context.timeline.in_order(found.values())


def is_idle(event: Event, context: Context) -> bool:
    """Calls that change nothing for anybody."""
    if event.kind != "call" or judged(event.node, context) is not None:
        return False
    if event.target.partition(".")[0] in lexicon()["logs"]:
        return True
    if only_looks(event, context):
        return not _printed_outcome(event)
    return not any_word(event.target.rpartition(".")[2], decision_verbs())


def _tells_outcome(event: Event, site: Site, context: Context) -> bool:
    """Whether a call that stands alone is given texts that announce an outcome: `send(template="rejected")`.

    What people of all groups are sent announces nothing apart.
    """
    if event.kind != "call" or event.target.partition(".")[0] in lexicon()["logs"]:
        return False
    is_chosen_by_group = len({_announcing(text) for text in _chosen_texts(event, site)}) > 1
    if not (is_chosen_by_group or any(map(_announcing, _sentences(event)))):
        return False
    if not isinstance(context.execution.syntax.parent(event.node), tree.Expression):
        return False
    if is_chosen_by_group:
        return True
    said = [
        frozenset(word for text in _sentences(other) for word in _announcing(text))
        for other in (event, *site.guarded)
        if other is event or (other.kind == "call" and other.target == event.target and other is not event)
    ]
    return len(said) == 1 or len(set(said)) > 1


def _announcing(text: str) -> frozenset[str]:
    if len(text) >= LONGEST_ANNOUNCEMENT:
        return frozenset()
    return (lexicon()["outcome_text"] - lexicon()["talk"]).intersection(split_words(text))


def _chosen_texts(event: Event, site: Site) -> Iterator[str]:
    """The texts of which a call is given one by group."""
    for part in walk(event.value):
        if isinstance(part, Choice) and site.asks(part.test):
            for one in either(part):
                if isinstance(one, Const) and isinstance(one.value, str):
                    yield one.value


def _sentences(event: Event) -> Iterator[str]:
    """The texts that a call is given by name, or that are more than a name."""
    given = [part.value for part in walk(event.value) if isinstance(part, Const)]
    yield from (text for text in given if isinstance(text, str) and " " in text.strip())
    named = event.node.keywords if isinstance(event.node, tree.Call) else ()
    for _, value in named:
        if isinstance(value, tree.Literal) and isinstance(value.value, str):
            yield value.value


def only_looks(event: Event, context: Context) -> bool:
    """Whether a call only tells, keeps or examines what it is given."""
    return not LOOKS.isdisjoint(context.does(event.node)) or is_show(event.target)


def judged(node: Node, context: Context) -> Sink | None:
    """What becomes of a person whom a call is given that scores or decides, by the model of its library."""
    known = context.known(node)
    for does in known.entry.does if known is not None else ():
        if does in JUDGES and known is not None and isinstance(node, Call):
            called = " ".join(context.source.text(node.function.span).split())
            says = f"`{called}` {DOES[does]}, says the model of `{known.library.name}`"
            return sink(JUDGES[does], 3, says)
    return None


def decision_verbs() -> frozenset[str]:
    """Words by which a called function decides."""
    return lexicon()["outcome"] - lexicon()["vague_outcome"]


def is_outcome_target(event: Event) -> bool:
    """An assignment to something that holds a decision, or of a text that announces one."""
    kind = classify_target(event.target)
    if _is_kept(event.value):
        return False  # the attribute is kept, whatever the table is called
    if kind == "outcome":
        return True
    return (
        kind in {"other", "weak score", "show"}
        and isinstance(event.value, Const)
        and isinstance(event.value.value, str)
        and any_word(event.value.value, lexicon()["outcome_text"] - lexicon()["talk"])
        and len(event.value.value) < 120
    )


def _is_kept(value: Value) -> bool:
    """Whether a value is a read, or a list of reads, and nothing is asked of them: `[rules["caste"]]`."""
    ends = list(either(value))
    return any(isinstance(part, Protected) for end in ends for part in walk(end)) and all(
        isinstance(end, Protected)
        or (isinstance(end, Sequence) and all(isinstance(item, Protected) for item in end.items))
        for end in ends
    )


def _is_source(event: Event, role: str) -> bool:
    """Whether what a judging function goes by is chosen: a file, or what is loaded from one."""
    if role not in {"score", "decide"} or not isinstance(event.node, tree.Assign) or event.node.value is None:
        return False
    texts = [part.value for part in tree.walk(event.node.value) if isinstance(part, tree.Literal)]
    return any(isinstance(text, str) and text.rpartition(".")[2] in lexicon()["data_files"] for text in texts)


def _printed_outcome(event: Event) -> bool:
    texts = [
        part.value for part in walk(event.value) if isinstance(part, Const) and isinstance(part.value, str)
    ]
    announcing = lexicon()["outcome_text"] - lexicon()["talk"]
    return any(len(text) < 160 and (any_word(text, announcing) or _says_amount(text)) for text in texts)


def _says_amount(text: str) -> bool:
    """Whether a printed text says what somebody gets or pays: `Premium: Rs 4 per thousand`."""
    is_amount = _AMOUNT.search(text) is not None
    return is_amount and any_word(text, lexicon()["score"] - lexicon()["weak_score"])


Outcome = tuple[str, ...]


def tests_of(events: list[Event]) -> int:
    """How many tests lead to the events."""
    return sum(1 + len(event.guards) for event in events)


def outcome(events: list[Event], site: Site, hypothesis: Specialization, context: Context) -> Outcome:
    """What happens to the person: the acts on the way and how it ends."""
    acts: list[str] = []
    for event in events:
        if not relevant(event, site, hypothesis):
            continue
        own = site.has(event)
        asked = _told_apart(event, site, hypothesis) if own else hypothesis
        described = describe(event, asked, context, own=own)
        if event.kind in {"return", "raise", "continue", "break"}:
            return (*acts, described)
        acts.append(described)
    return (*acts, *GOES_ON) if not acts else tuple(acts)


def _told_apart(event: Event, site: Site, hypothesis: Specialization) -> Specialization:
    """The hypothesis for what an event does, where other sites have a say in it, too: not by them."""
    if not site.has_branch_elsewhere(event.value):
        return hypothesis
    return hypothesis.putting_aside(site.is_elsewhere)


def describe(event: Event, hypothesis: Specialization, context: Context, *, own: bool) -> str:
    """One act in the code's words, with what is known about its value.

    An act that is not the site's `own` may differ by group for reasons that another site gives; its text
    stands for it.
    """
    match event.kind:
        case "return" | "assign" if own and hypothesis.naming.attribute.name in context.dependence.attributes(
            event.value
        ):
            value = _shown(hypothesis.evaluate(event.value), hypothesis)
            return f"return {value}" if event.kind == "return" else f"{event.target} = {value}"
        case "call" if own and hypothesis.naming.attribute.name in context.dependence.attributes(event.value):
            values = event.value.items if isinstance(event.value, Sequence) else ()
            shown = ", ".join(_shown(hypothesis.evaluate(item), hypothesis) for item in values)
            return f"{event.target}({shown})"
        case "continue":
            return "skipped"
        case _:
            return _as_written(event.node, context)


def _as_written(node: Node, context: Context) -> str:
    """An act as the code writes it, on one line and shortened."""
    given = node.value if isinstance(node, tree.Return) and not node.is_yield else None
    text = " ".join(context.source.text((given or node).span).split()).removesuffix(";")
    text = text if given is None else f"return {text}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _shown(result: Result, hypothesis: Specialization) -> str:
    match result:
        case Const(value=value, label=label):
            return label or repr(value)
        case Sum(amount=amount) if (plain := known(amount)) is not None:
            return f"{plain:g}"
        case Sum(amount=amount):
            return readable(amount)
        case Unknown(key="?"):
            return "…"
        case _:
            return hypothesis.key(result)


def function_sink(context: Context, function: str, attribute: str) -> str:
    """What a function's name says it does about `attribute`: decide, score, check, show, measure, or
    nothing.
    """
    name = function.rpartition(".")[2]
    words = split_words(name)
    lexicon_ = lexicon()
    if not lexicon_["measure"].isdisjoint(words):
        return "measure"
    mentions = [mention for mention in context.vocabulary.mentions(name) if mention.attribute == attribute]
    if any(mention.group is not None for mention in mentions):
        return "mention"
    if not (lexicon_["score"] - lexicon_["weak_score"]).isdisjoint(words):
        return "score"
    if any(mention.strength != "proxy" for mention in mentions):
        return "mention"
    if not lexicon_["check"].isdisjoint(words):
        return "check"
    if not lexicon_["outcome"].isdisjoint(words):
        return "decide"
    if words and words[0] in lexicon()["predicates"]:
        return "predicate"
    if not lexicon_["show"].isdisjoint(words):
        return "show"
    return ""


def gives_text(function: str, context: Context) -> bool:
    """Whether a function says of itself that it gives a text: a rank's name is no rank."""
    node = context.function_named(function)
    return node is not None and context.conventions.is_text(node.returns)


def looks_up(site: Site, naming: Naming) -> bool:
    """Whether somebody is found by what stands for one person, such as the name that a user has given.

    To be asked after a comparison, which meets the groups that the code names.
    """
    is_direct = asks_directly(site.test, site.attribute, site.dependence)
    return is_direct and not naming.named and (naming.attribute.identifies or _is_by_birthday(site))


def _is_by_birthday(site: Site) -> bool:
    """Whether a date of birth has to be the one that is asked for."""
    asked = [part for part in walk(site.test) if isinstance(part, Operation) and site.asks(part)]
    compared = [part for part in asked if part.op not in {"and", "or", "not", "&", "|"}]
    return all(read.mention.form == "date" for read in site.reads.values()) and all(
        part.op == "==" and not any(isinstance(side, Const) for side in part.arguments) for part in compared
    )


def decision_sink(site: Site, events: list[Event], differing: set[str], context: Context) -> Sink:
    """What the differing outcomes amount to. `differing` holds the outcomes that not every group has."""
    function = events[0].function
    role = function_sink(context, function, site.attribute)
    best = Sink("none")
    for event in events:
        found = _event_sink(site, event, role, differing, context)
        if found is not None and _strength(found) > _strength(best):
            best = found
    return best


def _strength(found: Sink) -> tuple[int, bool, bool]:
    return (found.weight, found.effect == "decide", found.effect != "none")


def _event_sink(site: Site, event: Event, role: str, differing: set[str], context: Context) -> Sink | None:
    match event.kind:
        case "return":
            return _return_sink(site, event, role, differing, context)
        case "raise":
            if role in {"check", "mention"}:
                return Sink("check")
            if is_complaint(event, context) and not _is_cut(site):
                return Sink("check")
            return sink(
                "decide",
                2 if role in {"decide", "score", "predicate"} else 1,
                TURNED_AWAY,
            )
        case "continue" | "break":
            return _skip_sink(event, context)
        case "append":
            return _append_sink(site, event, role, context)
        case "call" if (found := judged(event.node, context)) is not None:
            return Sink("decide", found.evidence)
        case "call" if only_looks(event, context):
            if site.node is event.node:
                return Sink("show")  # what is shown is the attribute itself
            return sink("decide", 2, "a decision is announced")
        case "call":
            return sink("decide", 2, f"calls `{event.target}`")
        case "assign" if _is_source(event, role):
            return sink("decide", 1, f"what `{event.function.rpartition('.')[2]}` goes by is chosen here")
        case "assign":
            return sink("decide", 2, f"sets the outcome `{event.target}`")
        case _:
            return None


_TRUTHS = frozenset({repr(True), repr(False), repr(None), "true", "false"})


def _return_sink(site: Site, event: Event, role: str, differing: set[str], context: Context) -> Sink | None:
    function = event.function
    if role == "mention":
        return Sink("show")
    if role in {"", "show"} and is_chosen(event.value, site.attribute, context):
        return Sink("show")
    returned = [text.removeprefix("return ") for text in differing if text.startswith("return ")]
    if not returned:
        return None
    name = function.rpartition(".")[2] or "the file"
    strings = [text for text in returned if text[:1] in "'\""]
    if role == "check" and not strings:
        return Sink("check")
    if role == "score" and not strings and gives_text(function, context):
        return Sink("show")
    if strings:
        return _text_sink(strings, name, role, context)
    found = _plain_sink(returned, name, role)
    if found.effect == "none" and _announced_apart(function, differing, context):
        return sink("decide", 2, f"`{name}` returns what announces the outcome")
    return found


def _text_sink(strings: list[str], name: str, role: str, context: Context) -> Sink:
    """What it is that different texts are returned."""
    if role != "show" and any(map(announces_outcome, strings)):
        return sink("decide", 2, f"returned by `{name}` as the outcome")
    if role in {"decide", "score"}:
        return sink("decide", 2, f"`{name}` returns a decision")
    if role == "" and _is_treatment(name) and not any(names_a_group(text, context) for text in strings):
        return sink("decide", 1, f"`{name}` says how a person is treated")
    return Sink("show")


def _is_treatment(name: str) -> bool:
    """Whether a function's name says that it gives the way in which a person is treated: `choose_plan`."""
    words = split_words(name)
    return bool(words) and (words[-1] in lexicon()["treatment"] or words[0] in lexicon()["treats"])


def _announced_apart(function: str, differing: set[str], context: Context) -> bool:
    """Whether what is returned announces one outcome for some and another, or none, for others."""
    said = {
        _announced(event.node.value, context)
        for event in context.timeline.ends(function, 0)
        if isinstance(event.node, tree.Return)
        and event.node.value is not None
        and _as_written(event.node, context) in differing
    }
    return len(said) > 1


def _announced(value: Node, context: Context) -> frozenset[str]:
    """The words of a returned expression that announce an outcome: of its texts, keys, and names."""
    lists = lexicon()
    announcing = lists["outcome_text"] - lists["talk"]
    found: set[str] = set()
    for part in tree.walk(value):
        match part:
            case tree.Literal(value=str() as text) if len(text) < LONGEST_ANNOUNCEMENT:
                found |= announcing.intersection(split_words(text))
            case tree.Name(id=name) | tree.Field(name=name):
                found |= announcing.intersection(split_words(name))
            case tree.Collection(items=items):
                keyed = [(item.key.value, item.value) for item in items if isinstance(item.key, tree.Literal)]
                found |= _answers(keyed, context)
            case tree.Call(keywords=keywords):
                found |= _answers(keywords, context)
            case _:
                pass
    return frozenset(found)


def _answers(keyed: Iterable[tuple[object, Node]], context: Context) -> set[str]:
    """What is said under keys that name an outcome: `approved=False`."""
    return {
        f"{key}={context.source.text(value.span)}"
        for key, value in keyed
        if isinstance(key, str) and any_word(key, decision_verbs()) and isinstance(value, tree.Literal)
    }


def _plain_sink(returned: list[str], name: str, role: str) -> Sink:
    """What it is that different numbers, truth values or other things are returned."""
    is_truth = any(text in _TRUTHS for text in returned)
    if role in {"decide", "score", "predicate"}:
        return sink("decide", 2, f"`{name}` returns a decision")
    if role == "show" or (role == "" and not is_truth and any_word(name, lexicon()["binning"])):
        return Sink("show")
    if role == "" and not is_truth and classify_target(name) == "count":
        return Sink("show")  # how many of the people are of the group
    if is_truth or any(map(_is_number, returned)):
        return sink("decide", 1, f"`{name}` returns a different result")
    return Sink("none")


def is_complaint(event: Event, context: Context) -> bool:
    """Whether an error says that a value cannot be, rather than that a person is turned away."""
    return any_word(context.source.text(event.node.span), lexicon()["complaint"])


def _is_cut(site: Site) -> bool:
    return all(read.mention.form in {"number", "date"} for read in site.reads.values())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _append_sink(site: Site, event: Event, role: str, context: Context) -> Sink:
    name = event.target.removesuffix(".remove").removesuffix(".discard")
    if any_word(name, lexicon()["person_sets"]) or (classify_target(name) == "outcome"):
        return sink("decide", 2, f"people join or leave `{name}`")
    if role == "mention" or names_a_group(name, context) or is_show(name):
        return Sink("show")
    appended = [other for other in site.events if other.kind == "append"]
    if len({other.target for other in appended}) > 1:
        return Sink("show")
    if isinstance(event.value, Const | Text):
        return _ground_sink(event, name, role, context)
    if role == "decide":
        return sink("decide", 2, f"people join or leave `{name}` in `{event.function}`")
    return Sink("decide")


def _ground_sink(event: Event, name: str, role: str, context: Context) -> Sink:
    """What it is that a text joins a list: a ground for or against a person, or mere talk."""
    if role == "decide":
        return sink("decide", 2, f"`{name}` grows in `{event.function}`")
    words = split_words(name)
    if role in {"check", "show"} or not words or words[-1] not in lexicon()["grounds"]:
        return Sink("show")
    if is_complaint(event, context):
        return Sink("check")
    return sink("decide", 2 if role else 1, f"a ground for or against a person joins `{name}`")


def names_a_group(name: str, context: Context) -> bool:
    """Whether a variable's own name says that it is about one group (`women`, `male_count`)."""
    words = split_words(name)
    vocabulary = context.vocabulary
    if any(mention.strength != "proxy" for mention in vocabulary.mentions(name)):
        return True
    return any(vocabulary.groups_in(word) for word in (*words, *(word.removesuffix("s") for word in words)))


def _skip_sink(event: Event, context: Context) -> Sink:
    """Skipping people is a decision if something that matters happens to those who are not skipped."""
    if event.loop is None:
        return Sink("show")
    later = [
        other
        for other in context.timeline.looped(event.function)
        if other.loop is event.loop and other.node.span.start > event.node.span.end
    ]
    for other in later:
        if other.kind == "append" and not names_a_group(other.target, context):
            return sink("decide", 2, "others go on and these people are skipped")
        if other.kind == "call" and not only_looks(other, context):
            return sink("decide", 1, "others go on and these people are skipped")
        if other.kind in {"update", "assign"} and classify_target(other.target) in {"score", "outcome"}:
            return sink("decide", 2, "others go on and these people are skipped")
        if other.kind == "return":
            return sink("decide", 1, "others go on and these people are skipped")
    return Sink("show")
