"""Sites while their events are gathered, and which branches are one site with an earlier one."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.semantics.groups import chains
from fairlint.semantics.groups.asking import is_bare
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.values.events import ANYWHERE, Event, Guard, Guards, along
from fairlint.semantics.values.symbolic import Const, Operation, Protected, Sequence, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record, field
from fairlint.syntax.tree import If, Node, inside

_ENDS = frozenset({"return", "raise", "continue", "break"})


class SiteDraft(Record, frozen=False):
    """A site while its events are gathered."""

    attribute: str
    node: Node
    start: Node
    test: Value
    branches: set[int]
    guarded: list[Event] = field(default_factory=list)
    fed: list[Event] = field(default_factory=list)
    around: Guards = ANYWHERE
    """The way to it, as its last event has it."""
    reads: dict[int, Protected] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    """The values, by identity, whose reads are among them."""
    walks: dict[tuple[object, ...], object] = field(default_factory=dict)

    def add(self, event: Event, guard: Guard | None = None) -> bool:
        """Add an event, unless it is one that an earlier walk through the same function has given: whether it
        did.

        What a function does that is called in both branches behind a guard happens in each of them.
        """
        node = event.node
        place = (node.span, type(node), event.function if event.kind == "filter" else "", guard is None)
        walk: object = event.run
        if guard is not None:
            walk = tuple([id(call) for call in event.way if not inside(call, guard.site)])
        if self.walks.setdefault(place, walk) != walk:
            return False
        (self.fed if guard is None else self.guarded).append(event)
        return True

    def note_reads(self, value: Value, dependence: Dependence) -> None:
        """Add the reads of the attribute that take part in a value."""
        for read in dependence.reads(value, self.attribute, self.seen):
            self.reads.setdefault(read.node.span.start, read)

    def take(self, other: SiteDraft) -> None:
        """Add what hangs on a branch that goes on where this one leaves off."""
        self.guarded.extend(other.guarded)
        self.fed.extend(other.fed)
        self.reads.update(other.reads)
        self.branches |= other.branches

    def done(
        self, dependence: Dependence, deciding: Mapping[int, Node], repeated: Mapping[Guards, Guards]
    ) -> Site:
        """Return the site, to which nothing will be added."""
        seen = {id(event): event for event in (*self.guarded, *self.fed)}
        return Site(
            self.attribute,
            self.node,
            self.start,
            self.test,
            dependence,
            tuple(self.guarded),
            tuple(self.fed),
            tuple(sorted(seen.values(), key=lambda event: event.node.span.start)),
            frozenset(seen),
            tuple(dict.fromkeys(event.function for event in seen.values())),
            self.around,
            repeated,
            self.reads,
            frozenset(self.branches),
            deciding,
        )


def join_continuations(drafts: list[SiteDraft], dependence: Dependence) -> list[SiteDraft]:
    """Join branches that go on where an earlier one left the body (`if a: return 1`, `if b: return 2`), and
    those that change the same number for others.

    Cut-offs of a number that end alike stay apart, as each is a requirement of its own.
    """
    by_branch = {(id(draft.node), draft.attribute): draft for draft in drafts}
    left: dict[str, dict[Guards, Guard | None]] = {}
    ahead: dict[int, SiteDraft] = {}
    drafts = sorted(drafts, key=lambda draft: draft.start.span.start)
    for draft in drafts:
        before = _preceding_draft(draft, by_branch, left.setdefault(draft.attribute, {}), dependence)
        if before is not None and _first_branch(before, ahead) is not draft:
            ahead[id(draft)] = before
    chained: dict[int, list[SiteDraft]] = {}
    for draft in drafts:
        chained.setdefault(id(_first_branch(draft, ahead)), []).append(draft)
    kept: list[SiteDraft] = []
    for draft in drafts:
        chain = chained.get(id(draft), [])
        if not chain or (_is_for(draft) != "groups" and not chains.tell_apart(one.guarded for one in chain)):
            kept.extend(chain)
            continue
        for other in chain:
            if other is not draft:
                draft.take(other)
        kept.append(draft)
    return _same_number(sorted(kept, key=lambda draft: draft.start.span.start), dependence)


def _first_branch(draft: SiteDraft, ahead: Mapping[int, SiteDraft]) -> SiteDraft:
    """Return the first branch of the chain that a branch belongs to."""
    while (before := ahead.get(id(draft))) is not None:
        draft = before
    return draft


def _same_number(drafts: list[SiteDraft], dependence: Dependence) -> list[SiteDraft]:
    """Join branches, one after another, that change the same number, the later ones for other people or in
    place of what the first has put there.
    """
    kept: list[SiteDraft] = []
    latest: dict[tuple[str, Guards, str], SiteDraft] = {}
    for draft in drafts:
        last = draft.guarded[-1] if draft.guarded else None
        key = (draft.attribute, draft.around, "" if last is None else last.target)
        before = latest.get(key) if isinstance(draft.node, If) else None
        if before is not None and any(
            joins(before.guarded, draft.guarded, draft.attribute, dependence)
            for joins in (chains.goes_on, chains.says_on)
        ):
            before.take(draft)
            continue
        kept.append(draft)
        if isinstance(draft.node, If) and last is not None:
            latest[key] = draft
    return kept


def _preceding_draft(
    draft: SiteDraft,
    by_branch: dict[tuple[int, str], SiteDraft],
    known: dict[Guards, Guard | None],
    dependence: Dependence,
) -> SiteDraft | None:
    """Return the draft of the first branch on the way that has left the body, if it is about the same:
    groups, or amounts by a limit.
    """
    if not draft.guarded or not (is_for := _is_for(draft)):
        return None

    def left(first: Guard | None, _way: Guards, guard: Guard) -> Guard | None:
        if first is not None or not guard.implied:
            return first
        before = by_branch.get((id(guard.site), draft.attribute))
        if before is None or not _is_for(before):
            return None
        return None if _turns_away(before, guard, dependence) else guard

    first = along(draft.guarded[0].guards, known, None, left)
    before = None if first is None else by_branch[id(first.site), draft.attribute]
    if before is None or before is draft or _is_for(before) != is_for:
        return None
    return before if is_for == "groups" or chains.is_of_one(before.guarded, draft.guarded) else None


def _is_for(draft: SiteDraft) -> str:
    """Return what a branch that others may go on from is about."""
    names_groups = _names_groups(draft.test, draft.attribute)
    if not names_groups or any(read.mention.form == "number" for read in draft.reads.values()):
        return chains.sort_of(draft.guarded) or ("groups" if names_groups else "")
    return "groups"


def _turns_away(before: SiteDraft, guard: Guard, dependence: Dependence) -> bool:
    """Return whether a branch only turns away what cannot be rated, so that what follows tells the groups by
    itself.

    It raises an error, or is left by nobody whom it names: `if gender not in ("male", "female"): return 0`.
    """
    ends = (event.kind for event in before.guarded if event.kind in _ENDS)
    if next(ends, "") == "raise" and all(kind == "raise" for kind in ends):
        return True
    named = _named_values(guard.test, before.attribute, dependence)
    return len(named) > 1 and all(
        chains.holds_of(guard.test, one, before.attribute, dependence) is guard.holds for one in named
    )


def _named_values(test: Value, attribute: str, dependence: Dependence) -> list[Const]:
    """Return the known values that a test compares an attribute with."""
    return [
        one
        for part in walk(test)
        if isinstance(part, Operation)
        and part.op in {"==", "in"}
        and is_bare(part.arguments[0], attribute, dependence)
        for side in part.arguments[1:]
        for one in (side.items if isinstance(side, Sequence) else (side,))
        if isinstance(one, Const)
    ]


def _names_groups(test: Value, attribute: str) -> bool:
    """Return whether a test compares the attribute with groups, and not with a limit."""
    return any(
        isinstance(part, Operation)
        and part.op in {"==", "in"}
        and any(
            isinstance(side, Protected) and side.mention.attribute == attribute for side in part.arguments
        )
        for part in walk(test)
    )
