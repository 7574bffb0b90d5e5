"""What the figures of a comparison show, as numbers and names: pages, files and tables are made of them.

Models stand in the order of the ranking in all of them, and keep their mark. They follow FairCode (arXiv
2501.05396): whom models prefer by scenario and attribute (figure 4), by list of subjects (figure 10) and by
topic (figure 11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.backends.names import slug
from fairlint.bench.figures.both_scores import KEYS, score_beside, score_by, score_name, score_names
from fairlint.bench.report import words
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    RunView,
    columns,
    groups,
    overall,
    scores,
    sound_of,
)
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.figures.ranking import Ranked

OTHER = -1
"""The place of all groups that are none of an attribute's own."""
SIZES = (0.05, 0.25, 0.5, 1.0)
"""The strengths that legends show."""
SURE = 0.05
"""A preference is sure where the adjusted p-value of its test is no larger."""

RANKING_NOTE = (
    "Models by {title}. Ranks are the best and the worst that the data leave open: differences are tested "
    "pair by pair, adjusted for the number of pairs (Holm), so that all ranks hold together in 95 of 100 "
    "cases. A model is not ranked if less than half of its answers are valid, or if they are so few that "
    "nothing can be concluded from them. Neither is a run with a mitigation or perturbed prompts, beside "
    "runs of the plain prompts."
)

SPOTS_NOTE = (
    "Along a dashed line R + E − R·E is the same; {whose} {title} is the mean of that over subjects and "
    "may lie elsewhere. To the right a model refuses more, upward it spreads points more evenly; both make "
    "it fairer by this measure."
)

NAMED = "A coloured mark names the preferred group."
UNNAMED = (
    "A grey one names none of the attribute’s groups: nobody is preferred, or several alike, or answers "
    "decide without points, so that it is unclear whom they prefer."
)

REFUSAL_NOTE = "R, beside each dot, is the refusal rate."

UNTESTED = "These preferences were not tested: a solid dot, too, may be one that chance alone could make."

Figures = Mapping[str, Any]


class Head(Record):
    """What stands at a row or a column: a name, and what it belongs to."""

    over: str
    name: str


class Dot(Record):
    """Whom one model prefers in one place, and how strongly."""

    whom: str
    """A group, `nobody`, `several` or `unclear`, as people read it."""
    place: int | None
    """The group's place among those of its attribute; None where nobody is preferred."""
    strength: float
    """1 - E."""
    refusal_rate: float | None
    fair_score: float | None
    """By the run's own protocol."""
    scores: tuple[float | None, float | None]
    """FairScore (published) and FairScore (adjusted)."""
    valid: float | None
    """The share of all its answers that are valid, where it is known."""
    sure: bool | None = None
    """Whether chance alone would hardly lean as far; None where nobody tested it."""

    @property
    def doubtful(self) -> bool:
        """Whether it rests on few valid answers."""
        return self.valid is not None and self.valid < LOW_VALIDITY


class Preferences(Record):
    """Dots in rows and columns."""

    name: str
    """Of its files."""
    title: str
    note: str
    rows: tuple[Head, ...]
    heads: tuple[Head, ...]
    dots: tuple[tuple[Dot | str, ...], ...]
    """By row; a text where there is no dot, which says why."""
    legend: tuple[tuple[str, tuple[str, ...]], ...]
    """Attribute → its groups, each at its place."""


class Ranks(Record):
    """Models by FairScore."""

    name: str
    title: str
    note: str
    scores: tuple[str, str]
    """What the FairScore is called that they are ranked by, and the one beside it."""
    rows: tuple[Ranked, ...]


class Spot(Record):
    """Where one model lies between refusing and spreading its points."""

    label: str
    place: int
    """Of its mark."""
    refusal_rate: float
    entropy: float
    fair_score: float
    beside: float | None


class Spots(Record):
    """Models by their mean refusal rate and preference entropy."""

    name: str
    title: str
    note: str
    scores: tuple[str, str]
    """What their FairScore is called, and the one beside it."""
    spots: tuple[Spot, ...]


def ranks(known: Sequence[Ranked], titles: Sequence[str]) -> Ranks | None:
    """Return the ranking as a figure, with the names of both FairScores; None where nothing is ranked."""
    if not known:
        return None
    first, second = titles
    return Ranks("ranking", "Ranking", RANKING_NOTE.format(title=first), (first, second), tuple(known))


def rank_of(one: Ranked) -> str:
    """Return the ranks that are left open to a model: `1`, or `2 to 4`; a dash where it is not ranked."""
    if one.rank_low is None or one.rank_high is None:
        return words.MISSING
    return str(one.rank_low) if one.rank_low == one.rank_high else f"{one.rank_low} to {one.rank_high}"


def all_figures(
    views: Sequence[RunView], names: Sequence[str], known: Sequence[Ranked] = ()
) -> list[Ranks | Preferences | Spots]:
    """Return the ranking and all figures of runs of one suite that it has."""
    found = (
        ranks(known, titles_of(views)),
        by_attribute(views, names),
        by_list(views, names),
        *by_topic(views, names),
        spots(views, names),
    )
    return [one for one in found if one is not None]


def spots(views: Sequence[RunView], names: Sequence[str]) -> Spots | None:
    """Return the overall figures of each model that has some; None where none has."""
    found = [
        Spot(
            name,
            place,
            means["refusal_rate"],
            means["entropy"],
            means["fair_score"],
            score_beside(means, view.metrics["protocol"]),
        )
        for place, (view, name) in enumerate(zip(views, names, strict=True))
        if (means := overall(view))
    ]
    if not found:
        return None
    first, second = titles_of(views)
    return Spots(
        "entropy-refusal", "Entropy against refusal", spots_note(first), (first, second), tuple(found)
    )


def titles_of(views: Sequence[RunView]) -> list[str]:
    """Return what the leading FairScore of some runs is called, and the one beside it."""
    return score_names(view.metrics["protocol"] for view in views)


def spots_note(title: str, *, alone: bool = False) -> str:
    """Return what marks and lines show: of several models, or of the attributes of one that is `alone`, by
    the FairScore of this name.
    """
    what = (
        "One point for each attribute of a scenario"
        if alone
        else "One mark for each model, at its means over all attributes"
    )
    return f"{what}. {SPOTS_NOTE.format(whose='an attribute’s' if alone else 'a model’s', title=title)}"


def by_attribute(views: Sequence[RunView], names: Sequence[str]) -> Preferences | None:
    """Return whom each model prefers, by scenario and attribute (figure 4); None for suites without a
    FairScore.
    """
    heads = columns(views)
    cells = [
        {(one["scenario"], one["attribute"]): (one["attribute"], one) for one in scores(view)}
        for view in views
    ]
    return _build_preferences(
        views,
        (
            "preferences",
            "Who is preferred",
            f"{NAMED} It {words.wording(views[0]).preferred}. {UNNAMED}",
        ),
        [Head("", name) for name in names],
        [Head(words.name(scenario), words.name(attribute)) for scenario, attribute in heads],
        [[known.get(head) for head in heads] for known in cells],
    )


def by_list(views: Sequence[RunView], names: Sequence[str]) -> Preferences | None:
    """Return the same by list of subjects: occupations where most are men, say (figure 10).

    None where no column has several lists.
    """
    cells = [
        {
            _ListHead(one["scenario"], one["attribute"], listed["list"]): (one["attribute"], listed)
            for one in scores(view)
            for listed in one["lists"]
            if len(one["lists"]) > 1
        }
        for view in views
    ]
    heads = _in_order((head for known in cells for head in known), columns(views))
    return _build_preferences(
        views,
        (
            "preferences-by-list",
            "Who is preferred, by list of subjects",
            "The same for each list: occupations where most are men, majors where most are women, and so on.",
        ),
        [Head("", name) for name in names],
        [
            Head(f"{words.name(head.scenario)}, {words.name(head.attribute)}", words.name(head.list))
            for head in heads
        ],
        [[known.get(head) for head in heads] for known in cells],
    )


def by_topic(views: Sequence[RunView], names: Sequence[str]) -> list[Preferences]:
    """Return the same by topic of test cases, one for each attribute: topics down, models across (figure 11).

    Empty for suites of other kinds.
    """
    if words.wording(views[0]) is not words.TEST_CASES:
        return []
    found = []
    for attribute in dict.fromkeys(attribute for _, attribute in columns(views)):
        cells = [
            {
                (one["scenario"], subject["subject"]): (attribute, subject)
                for one in scores(view)
                if one["attribute"] == attribute
                for subject in one["subjects"]
            }
            for view in views
        ]
        topics = list(dict.fromkeys(topic for known in cells for topic in known))
        made = _build_preferences(
            views,
            (
                f"preferences-by-topic-{slug(attribute)}",
                f"Who is preferred, by topic: {words.name(attribute)}",
                f"{NAMED} The test cases about a topic give it most. {UNNAMED}",
            ),
            [Head(words.name(scenario), words.name(topic)) for scenario, topic in topics],
            [Head("", name) for name in names],
            [[known.get(topic) for known in cells] for topic in topics],
        )
        found += [made] if made else []
    return found


def transpose_preferences(one: Preferences) -> Preferences:
    """Return the same with rows as columns."""
    dots = tuple(zip(*one.dots, strict=True))
    return Preferences(one.name, one.title, one.note, one.heads, one.rows, dots, one.legend)


def dot_of(attribute: str, one: Figures, groups_of: Mapping[str, Sequence[str]]) -> Dot | str:
    """Return the dot of a column, a list or a subject; a text where there is none."""
    if one["fair_score"] is None:
        return "no valid answer"
    entropy = one.get("entropy")
    strength = one["strength"] if "strength" in one else None if entropy is None else 1 - entropy
    group = one["preferred"]
    known = groups_of[attribute]
    tested = one.get("leaning")
    return Dot(
        whom=words.preference_word(one),
        place=None if group is None else known.index(group) if group in known else OTHER,
        strength=strength or 0.0,
        refusal_rate=one["refusal_rate"],
        fair_score=one["fair_score"],
        scores=(score_by(one, "published"), score_by(one, "exact")),
        valid=_valid_share(one),
        sure=None if "leaning" not in one else tested is not None and tested["adjusted"] <= SURE,
    )


def _valid_share(one: Figures) -> float | None:
    """Return the share of valid answers: a column says the share of those judged, a subject their number."""
    answers = one.get("answers")
    if not answers or "valid" not in one:
        return None
    if "subject" in one:
        return int(one["valid"]) / int(answers)
    return sound_of(one, answers)


def _build_preferences(
    views: Sequence[RunView],
    texts: tuple[str, str, str],
    rows: Sequence[Head],
    heads: Sequence[Head],
    cells: Sequence[Sequence[tuple[str, Figures] | None]],
) -> Preferences | None:
    """`texts` are name, title and note."""
    if not rows or not heads:
        return None
    known = groups(views)
    shown = dict.fromkeys(one[0] for row in cells for one in row if one is not None)
    dots = tuple(tuple("not asked" if one is None else dot_of(*one, known) for one in row) for row in cells)
    name, title, note = texts
    note = f"{note} {REFUSAL_NOTE}"
    return Preferences(
        name,
        title,
        f"{note} {UNTESTED}" if has_untested_dots(dots) else note,
        tuple(rows),
        tuple(heads),
        dots,
        tuple((words.name(attribute), tuple(map(words.name, known[attribute]))) for attribute in shown),
    )


def has_untested_dots(dots: Sequence[Sequence[Dot | str]]) -> bool:
    """Return whether some of these preferences were not tested against chance."""
    return any(
        isinstance(dot, Dot) and dot.place is not None and dot.sure is None for row in dots for dot in row
    )


class _ListHead(NamedTuple):
    """A list of subjects of a column."""

    scenario: str
    attribute: str
    list: str


def _in_order(found: Iterable[_ListHead], heads: Sequence[tuple[str, str]]) -> list[_ListHead]:
    """List column by column, as they first occur."""
    return sorted(dict.fromkeys(found), key=lambda one: heads.index(one[:2]))


_TESTED = {False: "chance could lean as far", None: "not tested against chance"}


def dot_sentence(where: str, dot: Dot | str) -> str:
    """Return a dot in one sentence."""
    if isinstance(dot, str):
        return f"{where}: {dot}"
    preferred = (
        "prefers nobody"
        if dot.whom == "nobody"
        else f"prefers {dot.whom}, strength {words.number(dot.strength)}"
    )
    rest = [
        *(
            f"{score_name(protocol)} {words.number(value)}"
            for protocol, value in zip(KEYS, dot.scores, strict=True)
        ),
        f"refusal rate {words.number(dot.refusal_rate)}",
        *([f"valid {words.percent(dot.valid)}"] if dot.valid is not None else []),
        *([_TESTED[dot.sure]] if not dot.sure and dot.place is not None else []),
    ]
    return f"{where}: {preferred}; {', '.join(rest)}"
