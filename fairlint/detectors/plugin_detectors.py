"""Asks the detectors of plugins, and looks at what they give before it is believed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import isfinite

from fairlint.detectors.context import Context
from fairlint.detectors.detector import Detector
from fairlint.detectors.group_naming import account_of
from fairlint.findings.uses import Use
from fairlint.plugins.guard import InvalidOfferError, SchemaCheck, guest
from fairlint.semantics.groups.group_terms import TooManyStepsError
from fairlint.semantics.groups.sites import Site
from fairlint.support.causes import SkipReason
from fairlint.syntax.tree import Gap, Span
from fairlint.vocabulary.model import Evidence

MOST = 10_000
"""Uses and gaps that one detector may give for a file."""
_NAMES = {"Evidence": Evidence, "Span": Span, "SkipReason": SkipReason}


def observe_site(detector: Detector, site: Site, context: Context) -> Use | None:
    """Return what a detector makes of a site. Raises a PluginError that names it."""
    assert detector.observe_site is not None
    with guest(detector.plugin, f"its detector '{detector.name}'", lets=(TooManyStepsError,)):
        found = account_of(context, detector.observe_site, site)
    return None if found is None else _check_detector_result(detector, found, context, (Use,))  # type: ignore[return-value]


def observe_file(detector: Detector, context: Context) -> Iterator[Use | Gap]:
    """Yield what a detector finds in a file, one by one. Raises a PluginError that names it."""
    assert detector.observe_file is not None
    observed: Iterator[Use | Gap] = iter(())
    what = f"its detector '{detector.name}'"
    with guest(detector.plugin, what):
        observed = iter(detector.observe_file(context))
    for number in range(MOST + 1):
        with guest(detector.plugin, what):
            taken = list(islice(observed, 1))
            if number == MOST and taken:
                raise InvalidOfferError(f"gives more than {MOST:,} Uses for one file")
        if not taken:
            return
        yield _check_detector_result(detector, taken[0], context, (Use, Gap))


def _check_detector_result(
    detector: Detector, found: object, context: Context, kinds: tuple[type[Use | Gap], ...]
) -> Use | Gap:
    with guest(detector.plugin, f"what its detector '{detector.name}' gives"):
        kind = next((one for one in kinds if type(found) is one), kinds[0])
        SchemaCheck(_NAMES, len(context.source.data)).record(found, kind)
        assert isinstance(found, Use | Gap)
        if isinstance(found, Use):
            if found.attribute not in context.vocabulary.attributes:
                raise InvalidOfferError(f"is about '{found.attribute}', which is no attribute")
            points = (
                () if found.points is None else (found.points.other or 0, *found.points.by_group.values())
            )
            if not all(map(isfinite, points)):
                raise InvalidOfferError("has points that are no finite numbers")
        return found
