"""What the texts of one file ask for: a decision about a person, or that a person be preferred."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.analyses.prompts import prompt_intent, templates
from fairlint.analyses.prompts.tools import tools
from fairlint.analyses.prompts.usages import Usage, usages
from fairlint.detectors import grounds_of_prompts, instructed
from fairlint.detectors.context import Context
from fairlint.detectors.prompt_folding import PromptReport, each_prompt_once, to_one_end
from fairlint.detectors.prompt_inputs import BESIDE, PLACES, Carried, Known, attributes_in_text
from fairlint.detectors.prompt_recipients import addressee, clinical, evidence_of_name_guesses, may_address
from fairlint.detectors.text_places import first_line, hole_at
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.levels import FULL_WEIGHT, NOTE_WEIGHT
from fairlint.findings.uses import NO_CONTEXT, SPOKEN_FOR, Step, Use
from fairlint.semantics.values.symbolic import Placeholder, TextSpan
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Span
from fairlint.vocabulary.model import Evidence

TEXT_COSTS, USE_COSTS = 20, 200
"""Steps to look at a text, and to tell what is filled into one, beside its characters."""


def uses_in(context: Context, *, decides: bool, instructs: bool) -> Iterator[Use]:
    """Yield all texts that ask to decide, where any may, and all that tell whom to prefer, where any may."""
    decides = decides and may_address(context)
    if not (decides or instructs):
        return
    used = list(usages(context.execution))
    if decides:
        found = list(decision_reports([*used, *tools(context.execution)], context))
        told = list(each_prompt_once(found, FULL_WEIGHT))
        yield from (use for use in told if SPOKEN_FOR in use.tags)
        yield from _one_a_line((use for use in told if SPOKEN_FOR not in use.tags), context)
        filled = {(one.number, one.use.attribute) for one in found if one.use.weight >= NOTE_WEIGHT}
        yield from _one_a_line(grounds_of_prompts.observe(used, filled, context), context)
    if instructs:
        yield from _one_a_line(instructed.observe(used, context), context)


def _one_a_line(uses: Iterable[Use], context: Context) -> Iterator[Use]:
    """Yield what stands on one line is one finding: its first attribute speaks for the others."""
    best: dict[tuple[int, str], Use] = {}
    for use in uses:
        key = (context.source.position(use.span.start).line, use.attribute)
        if key not in best or use.weight > best[key].weight:
            best[key] = use
    lines: dict[int, list[Use]] = {}
    for (line, _), use in best.items():
        lines.setdefault(line, []).append(use)
    for several in lines.values():
        several.sort(key=lambda use: (use.weight < FULL_WEIGHT, use.context.name, use.span.start))
        first, *others = several
        told = [use for use in others if use.weight >= NOTE_WEIGHT]
        flow = to_one_end([first.flow, *(use.flow for use in told)])
        yield replace(first, joined=(*first.joined, *(use.attribute for use in told)), flow=flow)
        for use in others:
            yield replace(use, tags=use.tags | {SPOKEN_FOR})


def decision_reports(used: Iterable[Usage], context: Context) -> Iterator[PromptReport]:
    """Yield each attribute of each text that asks to decide about a person."""
    asked: dict[str, prompt_intent.Ask | None] = {}
    known: Known = {}
    for number, usage in enumerate(used):
        if not context.may_read(usage.begin, TEXT_COSTS + len(usage.pieces)):
            return
        pieces = templates.open_placeholders(usage.pieces)
        several = attributes_in_text(pieces, context, known)
        if usage.left_out:
            context.facts.cut(usage.begin, usage.left_out)
        if not several:
            continue
        text = templates.running_text(pieces)
        if reason := prompt_intent.left_out(text):
            context.facts.cut(usage.begin, reason)
        if prompt_intent.is_program(text):
            continue
        flat = prompt_intent.flatten_text(text)
        if flat not in asked:
            if not context.may_read(usage.begin, len(flat) // 4):
                return
            asked[flat] = prompt_intent.ask_of(flat)
        if (ask := asked[flat]) is None:
            continue
        speech = prompt_intent.speech_of(flat)
        if not (reasons := addressee(usage, speech, context)):
            continue
        if speech.people:
            reasons.append(Evidence(1, "the text speaks of a person"))
        for one in several:
            if not context.may_read(usage.begin, USE_COSTS):
                return
            healing = _is_healing(one, flat, speech)
            if (
                _is_needed_attribute(one, ask, speech, healing=healing)
                or _is_excused_attribute(one, flat, speech)
                or _is_in_program(one)
            ):
                continue
            use = _decision_use(one, usage, ask, reasons, context)
            if healing:
                use = clinical(use, speech)
            elif use.context.name == "clinical" and prompt_intent.says("business", flat):
                use = replace(use, context=NO_CONTEXT)
            holes = (one.hole, *one.hole.through)
            way = tuple(hole_at(hole, context) for hole in holes) + _read_from_files(holes, context)
            text_key = number if usage.is_one else (number, use.span)
            yield PromptReport(use, way, text_key, number, one.hole)


def _is_needed_attribute(
    one: Carried, ask: prompt_intent.Ask, speech: prompt_intent.Speech, *, healing: bool
) -> bool:
    """Return whether the attribute is what a text about health is about; what else is asked of a body is
    nothing.
    """
    if not healing:
        return ask.is_care
    is_subject = one.mention.attribute in prompt_intent.words()["clinical_subject"]
    return is_subject or not (speech.people or ask.is_care)


def _read_from_files(holes: Iterable[Placeholder], context: Context) -> tuple[Span, ...]:
    """Return where the texts are read whose gaps these are, of those that stand in files."""
    calls = (hole.within for hole in holes)
    return tuple(first_line(call.span, context) for call in calls if isinstance(call, tree.Call))


def _is_in_program(one: Carried) -> bool:
    """Return whether the gap stands in a program that a text shows among others."""
    within = one.hole.within
    shown = within.value if isinstance(within, tree.Literal) else None
    return isinstance(shown, str) and prompt_intent.is_program(shown)


def _is_excused_attribute(one: Carried, flat: str, speech: prompt_intent.Speech) -> bool:
    """Return whether the attribute is to play no part, or is that of a person to be played."""
    mention = one.mention
    terms = (mention.attribute.replace("_", " "), " ".join(mention.words))
    if prompt_intent.plays_no_part(flat, (*terms, "sex") if mention.attribute == "gender" else terms):
        return True
    return not speech.plays and prompt_intent.says("persona", flat) is not None


def _is_healing(one: Carried, flat: str, speech: prompt_intent.Speech) -> bool:
    """Return whether the text is about a person's health, which needs the attribute, and ranks or serves
    nobody.
    """
    healing = speech.clinical and not speech.scarce and not prompt_intent.says("business", flat)
    return bool(healing) and one.mention.attribute in prompt_intent.words()["clinical_attributes"]


def _decision_use(
    one: Carried, usage: Usage, ask: prompt_intent.Ask, reasons: list[Evidence], context: Context
) -> Use:
    asked = Evidence(ask.weight, f"the text asks for a decision about a person (`{ask.verb}`)")
    use = plain_use(
        context,
        one.mention,
        tree.Name(hole_at(_entry_hole(one.hole), context), one.hole.name),
        kind="prompt",
        effect="decide",
        shape="read",
        evidence=(asked, *reasons, *evidence_of_name_guesses(usage)),
        flow=_flow_of_prompt(one, usage, context),
        target=usage.name or None,
        detail=ask.verb,
        receiver=one.receiver,
    )
    return replace(use, joined=(BESIDE,)) if one.mention.attribute in PLACES else use


def _entry_hole(hole: Placeholder) -> Placeholder:
    """Return where what fills a gap enters the text that is sent."""
    return hole.through[-1] if hole.through else hole


def _flow_of_prompt(one: Carried, usage: Usage, context: Context) -> tuple[Step, ...]:
    """Return where the attribute is read, where it is put into the text, and where the text is used."""
    name, hole, place = one.mention.attribute.replace("_", " "), one.hole, _entry_hole(one.hole)
    steps = []
    if one.node is not None and one.node is not hole.node:
        steps.append(Step(one.node.span, f"{name} is read here"))
    inner = (hole, *hole.through)[:-1]
    into_part = f"{name} is put into a part of the text here"
    steps.extend(Step(first_line(one.node.span, context), into_part) for one in inner)
    written = (piece.node for piece in usage.pieces if isinstance(piece, TextSpan))
    begin = place.within or next(filter(None, written), None)
    line_of = context.source.position
    hole_line = line_of(hole_at(place, context).start).line
    if begin is not None and line_of(begin.span.start).line != hole_line:
        steps.append(Step(first_line(begin.span, context), "the text begins here"))
    if place.node is not place.within:
        steps.append(Step(first_line(place.node.span, context), f"{name} is put into the text here"))
    steps.append(Step(first_line(usage.node.span, context), "the text asks for a decision"))
    return tuple(dict.fromkeys(steps))
