"""What printed texts say of a person: an outcome, a price, a permission, a denial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from fairlint.detectors.context import Context
from fairlint.detectors.sinks import only_looks
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import announcing_words, any_word, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Choice, Const, Lookup, Sequence, Value
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.vocabulary.words import split_words

_AMOUNT = lazy_expression(r"(?<![\w%.])\d")
_SIGN = lazy_expression(r"[$€£₹৳₦¥][ \t]*\d|\d[ \t]*[€£₹৳₦¥]")
"""An amount of money."""
LONGEST_PRINTED = 160
"""Characters of a printed text that announces an outcome."""
MOST_CALLS = 40
"""Calls of a chain that are looked through for what others are told."""
MOST_WORDS = 25
"""Different words of a sentence that says what somebody may do; longer ones tell stories."""
Said = tuple[frozenset[str], frozenset[str]]
"""The words by which a call announces an outcome, in what it is given as sentences and in any text."""


def said_by_target(acts: list[Event], context: Context) -> dict[str, list[Counter[frozenset[str]]]]:
    """Return how many of some acts announce what, by what is called, as sentences and in any text."""
    found: dict[str, list[Counter[frozenset[str]]]] = {}
    for event in acts:
        if event.kind == "call":
            counted = found.setdefault(event.target, [Counter(), Counter()])
            for counts, words in zip(counted, _announced_by(event, context), strict=True):
                counts[words] += 1
    return found


def _announced_by(event: Event, context: Context) -> Said:
    """Return what a call announces, which is the same for every site that it hangs on."""
    known = context.once(_announcement_cache, "")
    if id(event) not in known:
        known[id(event)] = _announced_in(_sentences_in_call(event)), _announced_in(_texts_in_call(event))
    return known[id(event)]


def _announcement_cache(_function: str, _context: Context) -> dict[int, Said]:
    return {}


def tells_outcome(
    event: Event, site: Site, said: Mapping[str, list[Counter[frozenset[str]]]], context: Context
) -> bool:
    """Return whether a call that stands alone is given texts that announce an outcome:
    `send(template="rejected")`.

    What people of all groups are sent announces nothing apart. A bare word counts where another act is the
    same call with another: `send(name, "rejected")`, `send(name, "approved")`.
    """
    if event.kind != "call" or event.target.partition(".")[0] in lexicon()["logs"]:
        return False
    if not isinstance(context.execution.syntax.parent(event.node), tree.Expression):
        return False
    if len({announcing_words(text) for text in _chosen_texts(event, site)}) > 1:
        return True
    alike, alike_in_words = said[event.target]
    own, own_in_words = _announced_by(event, context)
    if own and (len(alike) > 1 or alike.total() == 1):
        return True
    return bool(own_in_words) and len(alike_in_words) > 1


def is_told_otherwise(event: Event, site: Site, context: Context) -> bool:
    """Whether a program tells whoever sits at it what they may do or are given, and others something else:
    `print("Priority: high")` in one branch, `print("Priority: normal")` in another.
    """
    if event.kind != "call" or not only_looks(event, context) or not site.has(event):
        return False
    if event.target.partition(".")[0] in lexicon()["logs"]:
        return False
    own = _words_by_text(event)
    alike = (one for one in calls_under_site(site) if one is not event and one.target == event.target)
    others = [said for one in alike if (said := _words_by_text(one)) != own]
    if others and any(" " in text and _is_permission_text(words) for text, words in own.items()):
        return True
    return any(
        _is_denial(words, said) for other in others for words in own.values() for said in other.values()
    )


def calls_under_site(site: Site) -> Iterator[Event]:
    """Yield the first calls that run under a site."""
    return islice((one for one in site.guarded if one.kind == "call"), MOST_CALLS)


def _words_by_text(event: Event) -> dict[str, frozenset[str]]:
    """Return the texts that a call is given, and their words."""
    return {text.strip(): frozenset(split_words(text)) for text in _texts_in_call(event)}


def _is_denial(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether a text says what another one denies: `Retires`, `Does not retire`."""
    apart = one ^ other
    return bool(one & other) and bool(apart) and apart <= lexicon()["says_no"] | lexicon()["auxiliary"]


def says_more_than_may(site: Site) -> bool:
    """Return whether what a site tells says what somebody gets, or what others do not: more than
    "You can".
    """
    said = [words for one in calls_under_site(site) for words in _words_by_text(one).values()]
    return any(not words.isdisjoint(lexicon()["permits"]) for words in said) or any(
        _is_denial(one, other) for one in said for other in said
    )


def _is_permission_text(words: frozenset[str]) -> bool:
    """Return whether a sentence says what somebody may do or is given, and complains about no input."""
    lists = lexicon()
    is_permission = not words.isdisjoint(lists["permits"])
    is_permission |= not words.isdisjoint(lists["may"]) and words.isdisjoint(lists["looks"])
    return (
        is_permission
        and len(words) <= MOST_WORDS
        and words.isdisjoint(lists["complaint"] | lists["typed_wrong"])
    )


def _announced_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in announcing_words(text))


def _texts_in_call(event: Event) -> Iterator[str]:
    """Return all texts that a call is given."""
    return (
        part.value for part in walk(event.value) if isinstance(part, Const) and isinstance(part.value, str)
    )


def _chosen_texts(event: Event, site: Site) -> Iterator[str]:
    """Yield the texts of which a call is given one by group."""
    for part in walk(event.value):
        ends: Iterable[Value] = ()
        if isinstance(part, Choice) and site.asks(part.test):
            ends = either(part)
        elif isinstance(part, Lookup) and site.asks(part.subject):
            ends = (one for _, entry in part.table.entries for one in either(entry))
        yield from (one.value for one in ends if isinstance(one, Const) and isinstance(one.value, str))


def _sentences_in_call(event: Event) -> Iterator[str]:
    """Yield the texts that a call is given by name, or that are more than a name."""
    given = [part.value for part in walk(event.value) if isinstance(part, Const)]
    yield from (text for text in given if isinstance(text, str) and " " in text.strip())
    named = event.node.keywords if isinstance(event.node, tree.Call) else ()
    for _, value in named:
        if isinstance(value, tree.Literal) and isinstance(value.value, str):
            yield value.value


def printed_outcome(event: Event) -> bool:
    """Report whether an event prints what becomes of a person."""
    announcing = lexicon()["outcome_text"] - lexicon()["talk"]
    return _says_price(event) or any(
        any_word(text, announcing) or _says_may(text) or _says_level(text) for text in _print_texts(event)
    )


def _says_may(text: str) -> bool:
    """Return whether a text tells its reader what is allowed, and not where to look: `You cannot marry`."""
    lists = lexicon()
    words = [word for word in split_words(text) if word not in lists["says_no"] - lists["may"]]
    return any(
        who == "you" and verb in lists["may"] and act not in lists["looks"] | lists["may_use"]
        for who, verb, act in zip(words, words[1:], words[2:], strict=False)
    )


def _says_level(text: str) -> bool:
    """Return whether a text says how much of something that is judged somebody has: `Priority
    level: HIGH`.
    """
    words, lists = split_words(text), lexicon()
    return not lists["judged_by_level"].isdisjoint(words) and not lists["levels"].isdisjoint(words)


def _print_texts(event: Event) -> Iterator[str]:
    """Yield the texts that a call prints, but for long ones, which tell stories."""
    for part in walk(event.value):
        if isinstance(part, Const) and isinstance(part.value, str) and len(part.value) < LONGEST_PRINTED:
            yield part.value


def prints_prices(events: list[Event]) -> bool:
    """Return whether all that happens is that somebody is told what to pay, or what is paid."""
    return all(event.kind == "call" and _says_price(event) for event in events)


def _says_price(event: Event) -> bool:
    """Return whether a call prints what somebody gets or pays: `Premium: Rs 4 per thousand`, `Entry is free`.

    What is only worked out and shown (`Fare: %d`) is told where it is worked out.
    """
    lists = lexicon()
    given = event.value.items if isinstance(event.value, Sequence) else (event.value,)
    is_known = all(isinstance(one, Const) for one in given)
    for text in _print_texts(event):
        words = set(split_words(text))
        is_amount = _AMOUNT.search(text) is not None
        if is_amount and not words.isdisjoint(lists["score"] - lists["weak_score"]):
            return True
        if is_known and (
            not words.isdisjoint(lists["price_text"])
            or ("free" in words and not words.isdisjoint(lists["priced"]))
            or (is_amount and (_SIGN.search(text) is not None or not words.isdisjoint(lists["money"])))
        ):
            return True
    return False
