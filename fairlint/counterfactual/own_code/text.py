"""What was measured of one function, for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.counterfactual.group_metrics import accuracy, selections
from fairlint.counterfactual.measured import Changes, Measured, Share
from fairlint.counterfactual.metrics import Bias, compare_with_threshold, mean_change_ratio
from fairlint.counterfactual.own_code.aligning import align_columns, percent_text, ratio_text, shorten_text
from fairlint.counterfactual.own_code.crossed_text import crossed_lines
from fairlint.counterfactual.own_code.running import Tried
from fairlint.counterfactual.population import Cell, Column
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style

MOST_PAIRS = 6
"""Changes from one value to another that the text names."""
MOST_DEAD = 5
"""Values nobody has that it names."""
MOST_OUTCOMES = 4
"""Outcomes that it names."""
MOST_FINDINGS = 3
"""Findings of an attribute that it names."""
LONGEST_MESSAGE = 160
"""Characters of an exception's message."""


def lines(tried: Tried, threshold: float, style: Style) -> Iterator[str]:
    """Yield the lines of the report, without their ends."""
    measured, people = tried.measured, tried.population
    line = f":{tried.head.line}" if tried.head else ""
    yield style("strong", f"{tried.path}{line} {tried.entry}")
    source = people.origin.source
    yield f"  people    {people.people:,} of {people.name} ({source}), {len(people.rows):,} distinct"
    instead = f" instead of {measured.plain_calls:,}" if measured.calls < measured.plain_calls else ""
    yield f"  run by    {tried.executor}: {measured.calls:,} calls{instead}"
    if tried.protections:
        yield f"  held by   {', '.join(tried.protections)}"
    if measured.failed is not None:
        yield f"  failed    {measured.failed[0]}: {printable(measured.failed[1])}"
        return
    yield from _outcome_lines(measured)
    for error, message in tried.raised[:MOST_OUTCOMES]:
        yield f"  raises    {error}: {shorten_text(' '.join(printable(message).split()), LONGEST_MESSAGE)}"
    if tried.unknown:
        yield f"  unknown   reads {', '.join(tried.unknown)}, which {people.name} does not have"
    if not measured.executable:
        yield f"  not executable: {_reason_of_silence(measured)}"
        return
    yield ""
    yield from _table_lines(tried, threshold, style)
    columns = {column.name: column for column in people.columns}
    for one in measured.attributes:
        yield from _outcome_changes(one)
        if one.followed is not None:
            yield from _follower_lines(columns[one.column], one)
    for joint in measured.joint:
        first, second = joint.columns
        share = 100 * joint.changed / joint.compared if joint.compared else 0.0
        told = f"{joint.changed:,} people, {joint.only_together:,} of whom neither changes alone"
        yield f"{first} and {second} together change {share:.1f} % ({told})"
    yield from _as_they_are(measured, style)
    for note in (*people.origin.notes, *tried.notes):
        yield style("dim", f"note: {note}")


NO_VALUE = "no value: "
"""What the measurement puts before the type of what has no value."""
_WHY = {
    "no outcome": "for nobody there is an outcome that can be compared",
    "returns nothing": "it returns nothing for anybody",
    "random": "the same person gets different outcomes when asked again",
    "state": "it keeps something from person to person: another order gives other outcomes",
}


def _reason_of_silence(measured: Measured) -> str:
    """Return why nothing is told of a function that was run."""
    kinds = [cause.removeprefix(NO_VALUE) for cause in measured.unanswered if cause.startswith(NO_VALUE)]
    if measured.cause == "no outcome" and kinds and len(kinds) == len(measured.unanswered):
        return f"what it returns ({', '.join(map(printable, kinds))}) has no value to compare"
    return _WHY.get(measured.cause or "", measured.cause or "")


def _outcome_lines(measured: Measured) -> Iterator[str]:
    if not measured.outcomes:
        yield "  outcomes  none"
    told = ", ".join(
        f"{_outcome_text(one.kind, one.text)} for {one.people:,}" for one in measured.outcomes[:MOST_OUTCOMES]
    )
    more = measured.different - MOST_OUTCOMES
    if told:
        yield f"  outcomes  {told}{f', and {more:,} more' if more > 0 else ''}"
    if measured.unanswered:
        lost = ", ".join(f"{cause}: {count:,}" for cause, count in measured.unanswered.items())
        without = measured.people - measured.answered
        yield f"  no value  for {without:,} people ({lost}); they are not counted"


def _outcome_text(kind: str, text: str) -> str:
    """Return an outcome as code writes it."""
    if kind == "bool":
        return "True" if text == "1" else "False"
    return "nothing" if kind == "none" else shorten_text(printable(text))


def _table_lines(tried: Tried, threshold: float, style: Style) -> Iterator[str]:
    rows = [("attribute", "changes for", "of people", "change ratio (least)", "", "linter")]
    marks = []
    for one in tried.measured.attributes:
        ratio = mean_change_ratio(one)
        verdict = _verdict_text(one.changed, compare_with_threshold(one.cip, threshold))
        verdict = "proved alike" if one.proved and not verdict else verdict
        marks.append(verdict == "biased")
        rows.append(
            (
                one.column,
                f"{one.changed:,}",
                percent_text(one.cip),
                "-" if ratio is None else f"{float(ratio):.3f} ({float(one.floor):.3f})",
                verdict,
                _findings_text(tried, one.attribute),
            )
        )
        if one.followed is not None:
            together = compare_with_threshold(one.followed.cip, threshold)
            marks.append(together.above)
            rows.append(
                (
                    f"  with {', '.join(one.followed.columns)}",
                    f"{one.followed.changed:,}",
                    percent_text(one.followed.cip),
                    "",
                    _verdict_text(one.followed.changed, together),
                    "",
                )
            )
    for number, line in enumerate(align_columns(rows, right={1, 2, 3})):
        yield style("dim", line) if number == 0 else style("strong", line) if marks[number - 1] else line
    yield ""


def _verdict_text(changed: int, bias: Bias) -> str:
    if bias.above:
        return "biased"
    return "at the threshold" if bias.reaching and changed else ""


def _as_they_are(measured: Measured, style: Style) -> Iterator[str]:
    """Yield what groups get, nothing changed: by each column the least and the most, and what the
    labels say.
    """
    if measured.favourable is not None:
        selected = _outcome_text(measured.outcomes[0].kind, measured.favourable)
    elif measured.score_limit is not None:
        selected = f"above the median of {measured.score_limit:g}"
    else:
        if measured.decision in {"labels", "other"}:
            yield style(
                "dim", "note: nobody can say which outcome is the favourable one: --favourable VALUE does"
            )
        return
    yield from _selection_lines(measured, selected, style)
    right = accuracy(measured)
    if right is not None:
        yield ""
        yield (
            f"labels: {percent_text(right.right)} of people get what the data say; "
            f"{percent_text(right.hits)} of those with the favourable label, "
            f"{percent_text(right.rejections)} of the others"
        )


def _selection_lines(measured: Measured, selected: str, style: Style) -> Iterator[str]:
    """Yield the lowest and highest rate by each attribute, and by two; nothing where all get the same."""
    rows = [(f"selected: {selected}", "least", "", "most", "", "ratio", "")]
    for one in selections(measured) if measured.decision != "one" else ():
        if len(one.rates) < 2:
            continue
        least, most = one.rates[0], one.rates[-1]
        rows.append(
            (
                one.column,
                shorten_text(printable(str(least.group))),
                percent_text(least.selected),
                shorten_text(printable(str(most.group))),
                percent_text(most.selected),
                ratio_text(one.ratio),
                "below four fifths" if one.meets_four_fifths is False else "",
            )
        )
    if len(rows) > 1:
        yield ""
        for number, line in enumerate(align_columns(rows, right={2, 4, 5})):
            yield style("dim", line) if number == 0 else line
    if measured.decision != "one":
        yield from crossed_lines(measured, style)


def _findings_text(tried: Tried, attribute: str | None) -> str:
    """Return the rules that speak of an attribute in the function, with their lines."""
    told = [
        f"{one.rule}:{one.start.line}" for one in tried.report.findings if attribute in one.use.attributes
    ]
    return ", ".join(told[:MOST_FINDINGS]) + (" ..." if len(told) > MOST_FINDINGS else "")


def _outcome_changes(changes: Changes) -> Iterator[str]:
    """From which value to which outcomes change, the most frequent first; and what nobody has."""
    yield from _pair_lines(changes.column, changes.values, changes.pairs)
    for test in changes.dead[:MOST_DEAD]:
        near = "" if test.nearest is None else f"; the nearest is {test.nearest!r}"
        yield f"{changes.column}: nobody has {test.value!r}, which the code asks for{near}"
    if changes.changed_with_dead > changes.changed and changes.cip_with_dead.value is not None:
        yield f"{changes.column}: with such values, {100 * changes.cip_with_dead.value:.1f} % change"


def _pair_lines(
    name: str, values: Sequence[Cell], pairs: Sequence[Sequence[Share]], together: str = ""
) -> Iterator[str]:
    """Yield the changes from one value to another that change the most outcomes."""
    found = [
        (pair, one, other)
        for one, row in zip(values, pairs, strict=False)
        for other, pair in zip(values, row, strict=True)
        if pair.part
    ]
    found.sort(key=lambda move: (-move[0].part, str(move[1]), str(move[2])))
    for pair, one, other in found[:MOST_PAIRS]:
        told = f"{pair.part:,} of {pair.whole:,} ({percent_text(pair)})"
        yield f"{name}: {one} → {other}{together} changes {told}"
    if len(found) > MOST_PAIRS:
        yield f"{name}: {len(found) - MOST_PAIRS} more pairs of values{together} (--format json)"


def _follower_lines(column: Column, changes: Changes) -> Iterator[str]:
    """Yield which values follow a column, what differs by that, and whom it makes impossible alone."""
    followed = changes.followed
    assert followed is not None
    for follower in column.followers:
        pairs = [
            f"{pair.value} ({pair.group}) ↔ {pair.other} ({pair.other_group})" for pair in follower.pairs
        ]
        more = f", and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else ""
        told = f"{', '.join(pairs[:MOST_PAIRS])}{more}" or "nobody has a value that does"
        yield printable(f"{column.name}: {follower.column} follows: {told}")
    together = f" with {', '.join(followed.columns)}"
    if followed.pairs != changes.pairs:
        yield from _pair_lines(column.name, column.values, followed.pairs, together)
    if followed.impossible:
        kinds = [f"{one.people:,} {one.value} and {one.stays}" for one in followed.impossible_as[:MOST_PAIRS]]
        others = len(followed.impossible_as) - MOST_PAIRS
        yield printable(
            f"{column.name}: changed alone, {followed.impossible:,} people would be impossible: "
            f"{', '.join(kinds)}{f', and {others} more kinds' if others > 0 else ''}"
        )
