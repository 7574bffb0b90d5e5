"""Reviews of the same code by another author, after the part about reviews of arXiv 2603.24359.

A subject is a change, half of which have one known defect. What differs is the author: a name of one of
the lists that audits of prompts use, or pronouns. Names at one place of the lists are as frequent as each
other, and answers that are compared have the same place, change and sample. The answer is a JSON object; what
cannot be read is told as such and is no decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.backends.requests import Message, Request, hash_of, seed_of
from fairlint.bench.figures import task_variants as variants
from fairlint.bench.figures.bias import mean
from fairlint.bench.judging.reviews import DECISIONS, REFUSED, UNREADABLE, read_review, unread_review
from fairlint.bench.judging.usage import told_share
from fairlint.bench.suites.choosing import resolve_choice
from fairlint.bench.suites.suite import EVERYTHING, BaseSuite, Judged, Kept, ProtocolName, Selection
from fairlint.counterfactual.prompts.names import Names, groups_with_names, shipped_names
from fairlint.run_folders import record_shapes
from fairlint.support.documents import read_toml
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.report.suite_report import SuiteReport

NAME = "code-review"
BY_NAME, BY_PRONOUNS = "name", "pronouns"
ATTRIBUTES = ("gender", "race")
MEASURES = {"approved": True, "severe": True, "comments": False, "answered": True}
"""What answers about two authors are compared by → whether it is a share."""

UNREAD = (REFUSED, UNREADABLE)

DEFINITIONS = {
    **variants.DEFINITIONS,
    "approved": "the share of readable reviews whose decision is `approve`",
    "severe": "the share of reviews with readable comments at least one of which is major or critical",
    "comments": "the mean number of comments of a review",
    "answered": "the share of judged answers that hold a readable decision",
    "refused": "the number of answers that refuse to review",
    "unreadable": "the number of other answers without a readable decision; they are in no share but "
    "`answered`",
    "valid": "the share of answers that hold a readable decision",
    "not_judged": "the number of answers whose analysis broke or ended at a limit; they are in no figure",
}


class Change(Record):
    """What is reviewed."""

    name: str
    title: str
    code: str
    defect: str
    place: int
    """Where it stands in the file: it says which names its authors have."""


class Author(NamedTuple):
    """How an author is shown, what authors differ in, and this one's group."""

    scenario: str
    attribute: str
    group: str


class Texts(Record):
    """The file of changes."""

    system: str
    request: str
    changes: Mapping[str, Change]
    country: str
    references: tuple[str, ...]
    initials: tuple[str, ...]
    pronouns: Mapping[str, str]


@cache
def texts() -> Texts:
    """Return what `data/code_review.toml` says."""
    data = read_toml((files(__package__) / "data" / "code_review.toml").read_text(encoding="utf-8"))
    return Texts(
        system=data["system"],
        request=data["request"],
        changes={
            told["name"]: Change(told["name"], told["title"], told["code"], told.get("defect", ""), place)
            for place, told in enumerate(data["changes"])
        },
        country=data["country"],
        references=tuple(data["references"]),
        initials=tuple(data["initials"]),
        pronouns=data["pronouns"],
    )


@cache
def groups_of_authors(attribute: str) -> tuple[str, ...]:
    """Return the groups of authors by an attribute, first the one that the others are compared with."""
    groups = groups_with_names(shipped_names(texts().country), attribute)
    return tuple(sorted(groups, key=lambda group: group not in texts().references))


class CodeReview(BaseSuite):
    """The suite, as `fairlint.bench.suites.suite.Suite` has it."""

    name = NAME
    title = "reviews of the same code by authors of another gender or race: who is approved"
    source = "Gendered Prompting and LLM Code Review (arXiv 2603.24359), the part about reviews"
    samples = 4
    max_new_tokens = 700
    temperature: float | None = None
    harness_figures = ("approved", "answered")
    outcome_shape = record_shapes.CODE_REVIEW

    @property
    def report(self) -> SuiteReport:
        """Whom the model approves, and how authors differ."""
        from fairlint.bench.suites.code_review_report import REPORT  # noqa: PLC0415 (only reports need it)

        return REPORT

    def scenarios(self) -> tuple[str, ...]:
        """Return how the author is shown."""
        return (BY_NAME, BY_PRONOUNS)

    def attributes(self) -> tuple[str, ...]:
        """Return what authors differ in; pronouns show the gender alone."""
        return ATTRIBUTES

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return the requests of a choice, change by change, so that `limit` leaves all authors of a change
        together. Raises ValueError for a name that is not known, a number below 1, and race by pronouns.
        """
        choice = resolve_choice(self, selection)
        authors = [
            Author(scenario, attribute, group)
            for scenario in choice.scenarios
            for attribute in choice.attributes
            if scenario == BY_NAME or attribute == "gender"
            for group in groups_of_authors(attribute)
        ]
        if not authors:
            raise ValueError("pronouns tell nothing about race: choose the scenario name, or gender")
        prompts = ((change, author) for change in texts().changes.values() for author in authors)
        return [_build_request(*prompt, sample, selection.seed) for prompt, sample in choice.each(prompts)]

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return the decision of a review and how many comments it has, or why it cannot be read."""
        return read_review(kept["given"] + kept["text"])

    def unjudged(self, kept: Kept) -> dict[str, Any]:  # noqa: ARG002 (nothing is known of it)
        """Return the outcome of an answer that could not be judged."""
        return unread_review()

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:
        """Return whether the author's change is approved, by the author's group."""
        approved = _values_of_review(judged)["approved"]
        return {} if approved is None else {f"{kept['attribute']}: {kept['list']}": bool(approved)}

    def planned_difference(self, requests: Sequence[Request]) -> float | None:
        """Return the least difference between two authors that these requests will show."""
        return variants.planned_difference_between(requests, list(MEASURES))

    def figures(
        self,
        judged: Sequence[tuple[Kept, Judged]],
        protocol: ProtocolName,  # noqa: ARG002 (there is one)
    ) -> dict[str, Any]:
        """Return shares of approved changes by author, how authors differ, and what the model does with
        defects.
        """
        return figures(judged)


def _build_request(change: Change, author: Author, sample: int, seed: int) -> Request:
    told = texts()
    asked = (
        told.request
        .replace("AUTHOR", author_text(change.place + sample, author))
        .replace("TITLE", change.title)
        .replace("CODE", change.code.strip("\n"))
    )  # fmt: skip
    messages = (Message("system", told.system), Message("user", asked))
    return Request(
        suite=NAME,
        scenario=author.scenario,
        attribute=author.attribute,
        subject=change.name,
        stereotype=author.group,
        sample=sample,
        seed=seed_of(NAME, author.scenario, author.attribute, change.name, sample, seed),
        messages=messages,
        prompt_hash=hash_of(messages),
        plain=True,
    )


def author_text(place: int, author: Author) -> str:
    """Return an author of a group, as prompts show it. Authors at one place have names at one place of lists
    that differ in the attribute alone.
    """
    told = texts()
    other = "race" if author.attribute == "gender" else "gender"
    others = groups_of_authors(other)
    wanted = {author.attribute: author.group, other: others[place % len(others)]}
    first, last = _names_of(wanted["gender"], wanted["race"]).full_name(place // len(others))
    if author.scenario == BY_PRONOUNS:
        return f"{told.initials[place % len(told.initials)]}. {last} ({told.pronouns[author.group]})"
    return f"{first} {last}"


def _names_of(gender: str, race: str) -> Names:
    lists = shipped_names(texts().country)
    return next(one for one in lists if (one.gender, one.race) == (gender, race))


# ---------------------------------------------------------------------------------------------------- figures


def figures(judged: Sequence[tuple[Kept, Judged]]) -> dict[str, Any]:
    """Return the parts of `metrics.json`."""
    answers = variants.variant_answers(judged, _values_of_review)
    order = [group for attribute in ATTRIBUTES for group in groups_of_authors(attribute)]
    rows = variants.variant_rows(answers, tuple(MEASURES), counts=UNREAD, order=order)
    return {
        "scores": [], "scenarios": [], "overall": None, "usage": [], "other": None,
        "definitions": DEFINITIONS,
        "bias": {
            "overall": _overall_row(judged),
            "variants": rows,
            "differences": variants.difference_rows(answers, MEASURES, order),
            "domains": list(_rows_by_defect(judged)),
        },
    }  # fmt: skip


def _values_of_review(told: Judged) -> dict[str, int | None]:
    is_read = told["decision"] is not None
    severe = told["severe"]
    return {
        "approved": int(told["decision"] == DECISIONS[0]) if is_read else None,
        "severe": int(severe > 0) if severe is not None else None,
        "comments": told["comments"],
        "answered": int(is_read),
        **{kind: int(told["kind"] == kind) for kind in UNREAD},
    }


def _overall_row(judged: Sequence[tuple[Kept, Judged]]) -> dict[str, Any]:
    known = [(kept, told) for kept, told in judged if not told.get("not_judged")]
    values = [(kept["subject"], _values_of_review(told)) for kept, told in known]
    approved = [(change, one["approved"]) for change, one in values if one["approved"] is not None]
    return {
        "answers": len(judged),
        "not_judged": len(judged) - len(known),
        "answered": mean(one["answered"] or 0 for _, one in values),
        "approved": mean(one for _, one in approved),
        **{
            name.replace(" ", "_"): mean(
                told["decision"] == name for _, told in known if told["decision"] is not None
            )
            for name in DECISIONS[1:]
        },
        **told_share((change, bool(one)) for change, one in approved),
        **{kind: sum(told["kind"] == kind for _, told in known) for kind in UNREAD},
    }


def _rows_by_defect(judged: Sequence[tuple[Kept, Judged]]) -> Iterator[dict[str, Any]]:
    """Yield the same of changes without a known defect, and of those with one; replays may have others."""
    defects = {name: bool(change.defect) for name, change in texts().changes.items()}
    for name, is_defect in (("no known defect", False), ("a known defect", True)):
        pairs = [pair for pair in judged if defects.get(pair[0]["subject"]) is is_defect]
        if pairs:
            yield {"scenario": name, **_overall_row(pairs)}


SUITE = CodeReview()
