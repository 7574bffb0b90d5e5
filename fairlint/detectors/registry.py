"""All detectors: those that fairlint ships, and those of plugins."""

from __future__ import annotations

from fairlint.detectors import SHIPPED
from fairlint.detectors.detector import Detector
from fairlint.plugins.guard import InvalidOfferError
from fairlint.plugins.manager import ask, claim, gather, is_nonempty_text
from fairlint.support.records import replace

_HOOK = "fairlint_detectors"


def detectors() -> tuple[Detector, ...]:
    """Return all detectors, the shipped ones first."""
    by_name = {one.name: one for one in SHIPPED}
    for plugin, detector in gather(_HOOK, _as_detector):
        own = replace(detector, plugin=plugin)

        def take(own: Detector = own) -> None:
            claim(by_name, own.name, own, "the detector")

        ask(plugin, _HOOK, take)
    return tuple(by_name.values())


def _as_detector(value: object) -> Detector:
    if not isinstance(value, Detector):
        raise InvalidOfferError(f"must give Detector objects, not {type(value).__name__}")
    if not is_nonempty_text(value.name):
        raise InvalidOfferError("gives a detector whose name is no text")
    given = [one for one in (value.observe_file, value.observe_site) if one is not None]
    if len(given) != 1 or not callable(given[0]):
        raise InvalidOfferError(f"must give '{value.name}' one function, observe_file or observe_site")
    return value
