"""Scores: a number that decides about people is changed by group."""

from __future__ import annotations

from fairlint.detectors.compared_people import (
    are_of_one_person,
    compared_with,
    is_between_people,
    is_limit_of_nobody,
    is_taste,
    names_nobody,
    picks_no_value,
    two_people,
)
from fairlint.detectors.consequential_acts import ways_to
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import is_about_spelling
from fairlint.detectors.group_naming import account_of
from fairlint.detectors.outcomes import tests_of, values_of
from fairlint.detectors.printed_names import kind_of_target
from fairlint.detectors.recoding import is_flag, only_decodes, only_recodes
from fairlint.detectors.roles import function_sink
from fairlint.detectors.score_changes import (
    changes_by_target,
    total_after_events,
    value_before_site,
    with_other_rows,
    with_what_follows,
    without_others,
)
from fairlint.detectors.sinks import Sink, names_a_group, sink
from fairlint.detectors.unread_scores import (
    find_named_results,
    idle_target,
    is_dead_target,
    is_return_variable,
)
from fairlint.detectors.use_builder import answer_tags, make_use, mark_unnamed_groups, shape_of
from fairlint.findings.uses import Effect, GroupPoints, Use
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.comparison import Comparison
from fairlint.semantics.groups.group_points import compare_amounts, gives_several, group_points
from fairlint.semantics.groups.group_terms import SCALE, GroupTerms
from fairlint.semantics.groups.results import is_scale
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import is_entry_of_score
from fairlint.semantics.values.amounts import Amount, known_number
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Const, Lookup, Operation, Protected, Value
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record, replace
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

_CALCULATED = lazy_expression(r"(?:[-+*/%]|//|\*\*|exp|log|sqrt)\(")
"""How the name of something begins that is calculated of what nobody knows."""
_NUMBERS = frozenset({"score", "weak score", "measure"})
"""The kinds of what is a score when a number is given to it."""


class _Candidate(Record, frozen=False):
    target: str
    events: list[Event]
    comparison: Comparison[Amount | None] | None
    """None for a target that is no score, whatever it gets."""
    points: GroupPoints | None
    sink: Sink
    how: str = ""
    """How a raw value enters, where not as a number."""

    def is_scale(self, site: Site, context: Context) -> bool:
        """Return whether the raw value counts."""
        return self.comparison is not None and _is_scale(self.comparison, site, context)


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the score that the site changes by group, if it does."""
    best: _Candidate | None = None
    for target, events in changes_by_target(site, context).items():
        candidate = _build_candidate(site, target, events, naming, context)
        if candidate is not None and (
            best is None or _rank_of_candidate(candidate) > _rank_of_candidate(best)
        ):
            best = candidate
    if best is None:
        return None
    decoded = shape_of(site, naming) == "table" and only_decodes(site, context)
    use = make_use(
        site,
        naming,
        context,
        kind="score-update",
        effect=_effect_of_candidate(best, site, naming, context),
        shape="scale" if best.is_scale(site, context) else "branch" if decoded else shape_of(site, naming),
        event=best.events[-1],
        points=best.points,
        target=best.target,
        sink=best.sink,
        leaves_out=best.comparison is not None and best.comparison.leaves_out,
        last=f"`{best.target}` is changed here",
        span=best.events[-1].node.span if decoded else None,
    )
    by_scale = use.shape == "scale" and not picks_no_value(site, context)
    is_known = best.comparison is not None and gives_several(best.comparison)
    if best.points is None and not (by_scale or is_known) and names_nobody(site, context):
        use = mark_unnamed_groups(use)
    return add_entry_detail(use, best.how, site, context)


def _effect_of_candidate(best: _Candidate, site: Site, naming: GroupTerms, context: Context) -> Effect:
    """Return what becomes of whoever gets the number."""
    matches = best.points is None and not naming.beside and is_between_people(site, context)
    compared = two_people(site, context) if best.points is None else None
    matches = matches or (compared is not None and are_of_one_person(compared, site, context))
    if matches or is_about_spelling(site, naming, context):
        return "show"
    is_column = best.points is None and _makes_features(best.target, best.events[-1].function)
    return "store" if is_column else best.sink.effect


def add_entry_detail(use: Use, how: str, site: Site, context: Context) -> Use:
    """Return the Use, with how a raw value enters; a note where a test alone says nothing of whom: a length
    of time that hangs on an age, or a limit that nobody knows of what may be no person's.
    """
    is_by_test = how == "by a test" and use.points is None
    speaks_of_nobody = not compared_with(site, context) or is_limit_of_nobody(site, context)
    if is_by_test and (speaks_of_nobody or is_taste(site, context)):
        use = mark_unnamed_groups(use)
    if not (use.points and use.points.gap) and not _has_numbers(site):
        use = replace(use, tags=use.tags | answer_tags())
    return replace(use, detail=how) if how else use


def _has_numbers(site: Site) -> bool:
    """Return whether a table that is read by group has numbers in it: what groups get is then known."""
    return any(
        isinstance(one, Const) and isinstance(one.value, int | float)
        for part in walk(*(event.value for event in site.events))
        if isinstance(part, Lookup) and site.asks(part.subject)
        for _, entry in part.table.entries
        for one in either(entry)
    )


def _makes_features(target: str, function: str) -> bool:
    """Return whether a column is made by what says of itself that it makes the features of a model, where
    they are told.
    """
    lists = word_lists("learning")
    *classes, name = map(split_words, function.split("."))
    is_maker = not lists["feature_lists"].isdisjoint(name) or any(
        not (lists["prepare"] | lists["feature_lists"]).isdisjoint(words) for words in classes
    )
    return "[" in target and is_maker


def _is_scale(comparison: Comparison[Amount | None], site: Site, context: Context) -> bool:
    """Return whether the raw value counts, and is not only looked up in a list, or by a function, that nobody
    knows.
    """
    if not comparison.by_scale:
        return False
    answers = [answer for answer in (*comparison.by_group.values(), comparison.other) if answer is not None]
    if any(is_scale(part) for answer in answers for product in answer for part in product):
        return True
    values = [*(event.value for event in site.events), *(guard.test for guard in context.guards(site))]
    asked = [
        part
        for part in walk(*values)
        if isinstance(part, Operation) and any(_is_of(side, site.attribute) for side in part.arguments)
    ]
    is_number = any(read.mention.form in {"number", "date"} for read in site.reads.values())
    return is_number or not asked or any(part.op not in {"in", "asks"} for part in asked)


def _is_of(value: Value, attribute: str) -> bool:
    return isinstance(value, Protected) and value.mention.attribute == attribute


def describes(site: Site, context: Context) -> bool:
    """Return whether the number that the site changes counts or describes people, and is nobody's score."""
    use = account_of(context, observe, site)
    return use is not None and use.effect == "show"


def _rank_of_candidate(candidate: _Candidate) -> tuple[int, ...]:
    return (
        candidate.sink.effect == "score",
        any(event.kind == "update" for event in candidate.events),
        candidate.sink.weight,
    )


def _build_candidate(
    site: Site, target: str, events: list[Event], naming: GroupTerms, context: Context
) -> _Candidate | None:
    is_update = any(event.kind == "update" for event in events)
    kind = kind_of_target(target, events[-1].function, context)
    named = context.once(find_named_results, events[-1].function)
    is_figure = not is_update and kind == "other" and target in named
    if not is_update and not (is_figure or _may_be_score(target, kind, events, context)):
        return None
    if is_dead_target(site, target, events, context):
        return _Candidate(target, events, None, None, Sink("none"))
    if (idle := idle_target(site, target, events, context)) is not None:
        return _Candidate(target, events, None, None, idle)
    if kind != "score" and only_recodes(site, with_other_rows(target, events, context), context):
        return _Candidate(target, events, None, None, Sink("store"))
    events = with_what_follows(site, target, events, context)
    if is_update:
        events = [event for event in events if event.kind == "update" or _is_asked_for(event, site)]

    before = value_before_site(site, target, events, context)

    def ask(hypothesis: Specialization) -> Amount | None:
        return total_after_events(events, site, hypothesis, before)

    comparison = compare_amounts(
        naming,
        ask,
        values_of(events),
        cost=tests_of(events),
        ways=lambda: ways_to(events, site, naming),
    )
    amounts_ = [amount for amount in (*comparison.by_group.values(), comparison.other) if amount is not None]
    how = how_it_enters(amounts_, by_test=comparison.by_scale)
    if any(SCALE in part for amount in amounts_ for product in amount for part in product):
        comparison = replace(comparison, by_scale=True)
    if not comparison.tells or _is_no_score(amounts_, is_update=is_update, is_figure=is_figure):
        return None
    values = [event.value for event in events]
    points = group_points(comparison, plain_op="add" if is_update else "set", written=values)
    points = without_others(points, site, target, events, context)
    found = _sink_of_target(site, target, events, points, context)
    return _Candidate(target, events, comparison, points, found, how)


def how_it_enters(amounts_: list[Amount], *, by_test: bool) -> str:
    """Return how a raw value takes part in amounts, where it is no number in them: through a table, or a
    test.
    """
    scales = [part for amount in amounts_ for product in amount for part in product if SCALE in part]
    if any(map(is_scale, scales)):
        return ""
    return "by a table" if scales else "by a test" if by_test else ""


def _is_no_score(amounts_: list[Amount], *, is_update: bool, is_figure: bool) -> bool:
    """Return whether groups get a text, a yes or no, or, of a figure, a label, a code, or what a function
    gives.
    """
    if any(_is_text(amount) for amount in amounts_):
        return True
    if not is_update and all(known_number(amount) in {0.0, 1.0} for amount in amounts_):
        return True
    return is_figure and not any(
        known_number(amount) is None and is_numeric_amount(amount) for amount in amounts_
    )


def _may_be_score(target: str, kind: str, events: list[Event], context: Context) -> bool:
    """Return whether what is given a value is a number about somebody by its name, and not only a
    yes or no.
    """
    return kind in _NUMBERS and not is_flag(target, events[-1].function, context)


def _is_asked_for(event: Event, site: Site) -> bool:
    """Return whether a test on the attribute itself leads to the event: `if score > 10: score = 10` is no
    such test.
    """
    return any(asks_directly(guard.test, site.attribute, site.dependence) for guard in event.guards)


def _is_text(amount: Amount) -> bool:
    """Return whether something that is no number takes part: a text, a list."""
    return any(part[:1] in {"'", '"', "["} or part == repr(None) for product in amount for part in product)


def is_numeric_amount(amount: Amount) -> bool:
    """Return whether something is a number for all one can see: a known one, or one that is worked out."""
    if len(amount) != 1:
        return True
    ((product, factor),) = amount.items()
    return (
        len(product) != 1 or factor != 1 or SCALE in product[0] or _CALCULATED.match(product[0]) is not None
    )


def _sink_of_target(
    site: Site, target: str, events: list[Event], points: GroupPoints | None, context: Context
) -> Sink:
    function = events[-1].function
    kind = kind_of_target(target, function, context)
    role = function_sink(context, function, site.attribute)
    steps = _sizes_of_steps(points)
    judges = role in {"score", "decide", "predicate"}
    counts_up = points is not None and points.op == "add" and steps <= {0.0, 1.0}
    if kind == "count" and (counts_up or not judges):
        return Sink("show")
    if kind not in {"score", "outcome"} and _is_mirror_image(points):
        return Sink("show")
    if kind in {"weak score", "other"} and counts_up and (names_a_group(target, context) or not judges):
        return Sink("show")
    if _counts_a_group(target, points, site, context):
        return Sink("show")
    returned = is_return_variable(target, function, context)
    if kind in {"score", "outcome"}:
        return sink("score", 2, f"changes the score `{target}`")
    if kind in {"weak score", "count"}:
        strong = returned or judges
        found = sink("score", 2 if strong else 1, f"changes `{target}`")
        return found if judges else replace(found, said="answer")
    if returned and judges:
        return sink("score", 2, f"changes `{target}`, which is returned")
    if returned or "." in target or "[" in target:
        return sink("score", 1, f"changes `{target}`")
    return Sink("none")


def _is_mirror_image(points: GroupPoints | None) -> bool:
    """Return whether only the sign differs, as where a population pyramid shows one group on the left."""
    return points is not None and points.op == "multiply" and {*points.by_group.values()} == {1.0, -1.0}


def _sizes_of_steps(points: GroupPoints | None) -> set[float]:
    """By how much groups are changed, where something is added to what they have."""
    return {abs(value) for value in points.by_group.values()} if points and points.op == "add" else set()


def _counts_a_group(target: str, points: GroupPoints | None, site: Site, context: Context) -> bool:
    """Return whether an entry says how many of a group there are: `weights["F"] = weights.get("F",
    0) + 1`.
    """
    key = target.partition("[")[2].strip("]'\"")
    named = names_a_group(target, context) or context.vocabulary.group_of(site.attribute, key)
    return bool(named and points and is_entry_of_score(target) and {*points.by_group.values()} <= {0.0, 1.0})
