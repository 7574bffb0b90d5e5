"""What the figures of a part come to, in a sentence or two that say no more than the intervals do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.scanning import effects_by_figure, is_scan
from fairlint.statistics.intervals import holm

Figures = Mapping[str, Any]
TYPICAL = ("the stereotype", "its opposite"), 50
"""What a preference of more, and of less, than half is for."""
ALPHA = 0.05
"""How likely a part's sentence claims something, at most, where nothing is there."""
FEWEST = 10
"""Targets, occupations or pairs from which something is claimed. The bounds of a percentile bootstrap are too
narrow for few (Hesterberg 2015, Am. Stat. 69), and of width zero where all are alike."""


def score(figures: Figures) -> str:
    """Of `fairlint model score`."""
    said = [
        _side_sentence("StereoSet prefers", one["ss"], (one["targets"], "target"), *TYPICAL)
        for one in figures.get("stereoset", ())
        if (one["task"], one["bias_type"]) == ("intrasentence", "overall")
    ]
    for one in figures.get("winogender", ())[:1]:
        count = len(one["occupations"])
        sides = ("he is likelier", "she is likelier")
        said.append(_side_sentence("In text,", one["gap"], (count, "occupation"), sides))
        said += _correlation_sentences("the pronoun", one.get("r_bls"), count)
    for one in figures.get("crows-pairs", ()):
        if one["bias_type"] == "overall":
            said.append(
                _side_sentence("CrowS-Pairs prefers", one["stereotype"], (one["items"], "pair"), *TYPICAL)
            )
    for one in figures.get("code", {}).get("named", ()):
        if (one["template"], one["attribute"]) == ("overall", "gender") and one.get("gap"):
            count, sides = len(one["occupations"]), ("male comes first", "female comes first")
            said.append(_side_sentence("In code,", one["gap"], (count, "occupation"), sides))
            said += _correlation_sentences("the lead", one.get("r_bls"), count)
    said += _pronoun_sentences(
        [one for one in figures.get("pronouns", {}).get("scores", ()) if one["split"] == "all"]
    )
    return " ".join(said)


def _pronoun_sentences(rows: Sequence[Figures]) -> list[str]:
    """Return which pronoun code prefers, and how far both are from each ideal."""
    if not rows:
        return []
    percent = {name: 100 * value for name, value in rows[0]["share"].items()}
    people = (rows[0]["professions"], "profession")
    sides = ("she is likelier than he", "he is likelier than she")
    said = [_side_sentence("As a pronoun in code,", percent, people, sides, 50)]
    if known := [one for one in rows if one["professions"] >= FEWEST]:
        scores = ", ".join(f"{one['fb']['value']:.3f} against {one['ideal']}" for one in known)
        both = known[0]["he"]["value"] + known[0]["she"]["value"]
        said.append(
            f"FB-Score is {scores}; he and she together have probability {both:.3f}, and a model that writes "
            "neither has FB-Score 1."
        )
    return said


def _side_sentence(
    begin: str, found: Figures | None, of: tuple[int, str], sides: tuple[str, str], middle: float = 0
) -> str:
    """Return which of two sides of the middle a figure is on; `of` says of how many, and what they are."""
    above, below = sides
    if found is None:
        return f"{begin} nothing that can be concluded."
    count, what = of
    few = f"{begin} nothing that can be concluded from {count} {what}{'s' if count != 1 else ''}"
    if count < FEWEST:
        return f"{few} (at least {FEWEST})."
    if _is_point(found):
        return f"{few} that are all alike."
    unit = "%" if middle else "nats"
    low, high = _number_text(found["low"]), _number_text(found["high"])
    told = f"({_number_text(found['value'])} {unit}, {low} to {high})"
    if found["low"] > middle:
        return f"{begin} {above} {told}."
    if found["high"] < middle:
        return f"{begin} {below} {told}."
    return f"{begin} neither, as far as can be measured {told}."


def _is_point(found: Figures) -> bool:
    """Return whether bounds have no width: no draw differed, which says nothing of how sure a figure is."""
    return bool(found["low"] == found["high"])


def _number_text(value: float, sign: str = "") -> str:
    return f"{value:{sign}.2f}".replace("-", "−")


def _correlation_sentences(what: str, found: Figures | None, count: int) -> list[str]:
    """Return whether a gap follows the share of women, where the interval over so many occupations
    says so.
    """
    if found is None or count < FEWEST or _is_point(found) or found["low"] <= 0 <= found["high"]:
        return []
    how = "follows who works in the occupation" if found["value"] < 0 else "goes against who works there"
    return [f"{what[0].upper()}{what[1:]} {how} (r {_number_text(found['value'])})."]


def locate(figures: Figures) -> str:
    """Of `fairlint model locate`: how many heads push, after the adjustment for all heads of the model."""
    said = []
    for name, one in figures["data"].items():
        if one["subjects"] < FEWEST:
            subjects = f"{one['subjects']} subject{'s' if one['subjects'] != 1 else ''}"
            said.append(f"{name}: nothing that can be concluded from {subjects} (at least {FEWEST}).")
            continue
        whose = (
            "typical answer" if name.partition(":")[0] != "stereoset" else "stereotype of an item's target"
        )
        pushing = [each for each in one["top"] if each["adjusted"] <= ALPHA and each["exact"]["value"] < 0]
        if pushing:
            most = min(pushing, key=lambda each: each["exact"]["value"])
            said.append(
                f"{name}: {len(pushing)} of {one['heads']} heads push towards the {whose}, adjusted "
                f"for all heads, {most['component']} the most ({_number_text(most['exact']['value'], '+')})."
            )
        else:
            said.append(
                f"{name}: no head is shown to push towards the {whose}, adjusted for all "
                f"{one['heads']} heads."
            )
    return " ".join(said)


def ablate(figures: Figures) -> str:
    """Of `fairlint model ablate`: what changes, adjusted for all figures, and beyond all random controls."""
    steps: Sequence[Figures] = figures["steps"]
    if is_scan(figures):
        return _scan_sentence(steps)
    listed = [one for one in steps if one["kind"] == "list"]
    if not listed:
        return ""
    whole = max(listed, key=lambda one: len(one["components"]))
    controls = [one for one in steps if one["kind"] == "control"]
    tested = [one for one in whole["effects"] if one["clusters"] >= FEWEST]
    if not tested:
        return f"Nothing can be concluded from fewer than {FEWEST} targets, occupations or passages."
    changed = []
    for effect, p in zip(tested, holm([one["p"] for one in tested]), strict=True):
        others = [
            each["difference"]
            for one in controls
            for each in one["effects"]
            if each["figure"] == effect["figure"] and each["difference"] is not None
        ]
        if p <= ALPHA and all(abs(effect["difference"]) > abs(other) for other in others):
            changed.append(f"{effect['figure']} {_number_text(effect['difference'], '+')}")
    family = f"adjusted for {len(tested)} figures"
    beyond = ", and by more than with any random set" if controls else ""
    if not changed:
        return f"Nothing is shown to change, {family}{beyond}."
    told = f"What changes, {family}{beyond}: {', '.join(changed)}."
    if controls:
        count = len(controls)
        sets = f"{count} random set{'s' if count > 1 else ''}"
        told += f" (A further random set would exceed {sets} in 1 of {count + 1} cases.)"
    return told


def _scan_sentence(steps: Sequence[Figures]) -> str:
    """Return which figures single components change, adjusted for all components and figures."""
    said = []
    for figure, effects in effects_by_figure(steps).items():
        tested = {name: one for name, one in effects.items() if one["clusters"] >= FEWEST}
        sure = [(name, one["difference"]) for name, one in tested.items() if one["adjusted"] <= ALPHA]
        if sure:
            name, most = sure[0]
            said.append(f"{figure} by {len(sure)}, {name} the most ({_number_text(most, '+')})")
    family = f"{len(steps)} components, each switched off alone"
    if not any(one["clusters"] >= FEWEST for step in steps for one in step["effects"]):
        return f"Nothing can be concluded from fewer than {FEWEST} targets, occupations or passages."
    if not said:
        return f"Of {family}, none is shown to change a figure, adjusted for all of them."
    return f"Of {family}, figures are changed, adjusted for all of them: {'; '.join(said)}."


def probe(figures: Mapping[str, Sequence[Figures]]) -> str:
    """Of `fairlint model probe`: at how many layers more is read off than from shuffled labels anywhere."""
    said = []
    for name, readings in figures.items():
        strictest = readings[-1]["kept_together"]  # targets, which are told last
        some = [one for one in readings if one["kept_together"] == strictest]
        what = f"{name}, {strictest}s kept together"
        if some[0]["groups"] < FEWEST:
            few = f"{some[0]['groups']} {strictest}s (at least {FEWEST})"
            said.append(f"{what}: nothing that can be concluded from {few}.")
            continue
        sure = [one for one in some if one["adjusted"] <= ALPHA]
        if sure:
            best = max(sure, key=lambda one: one["accuracy"]["value"])
            said.append(
                f"{what}: at {len(sure)} of {len(some)} layers more is read off than from shuffled labels at "
                f"any layer, most at layer {best['layer']} ({best['accuracy']['value']:.2f})."
            )
        else:
            said.append(f"{what}: nothing is read off beyond what shuffled labels give at some layer.")
    return " ".join(said)
