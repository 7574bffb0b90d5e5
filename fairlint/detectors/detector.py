"""What a detector is: a name, and a function that observes Uses in a file or at one of its sites."""

from __future__ import annotations

from fairlint.support.records import Record

TYPE_CHECKING = False  # importing typing at run time takes long
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fairlint.detectors.context import Context
    from fairlint.findings.uses import Use
    from fairlint.semantics.groups.group_terms import GroupTerms
    from fairlint.semantics.groups.sites import Site
    from fairlint.syntax.tree import Gap

    ObserveFile = Callable[[Context], Iterable[Use | Gap]]
    ObserveSite = Callable[[Site, GroupTerms, Context], Use | None]


class Detector(Record):
    """One of the two functions is given, and both get the file's Context, which all detectors share.

    `observe_site` is asked about every place that tells groups apart, with a fresh record of the groups that
    the code names there. The first detector that finds a person's score or outcome at a site has the word,
    the shipped ones before those of plugins. `observe_file` is asked once, for Uses that no branch, table or
    test makes; a Gap among them is named in the report as not analysed.
    """

    name: str
    observe_file: ObserveFile | None = None
    observe_site: ObserveSite | None = None
    plugin: str = ""
    """Who brings it; fairlint fills that in, and it is empty for its own."""
