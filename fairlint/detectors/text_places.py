"""Where a finding about a text stands."""

from __future__ import annotations

import re

from fairlint.analyses.prompts.usages import Usage
from fairlint.detectors.context import Context
from fairlint.semantics.values.symbolic import Placeholder, TextSpan
from fairlint.syntax.tree import Call, Node, Span

LONGEST = 100


def hole_at(hole: Placeholder, context: Context) -> Span:
    """Return the place of a gap: the first line of its text, where that is one token over several lines."""
    if isinstance(hole.within, Call) and hole.node is not hole.within:
        return hole.node.span  # the text stands in a file
    if hole.within is not None and hole.name:
        return _span_of_placeholder(hole.name, hole.within, context)
    if hole.within is not None and is_long(hole.within.span, context):
        return first_line(hole.within.span, context)
    return hole.node.span


def _span_of_placeholder(place: str, text: Node, context: Context) -> Span:
    span = text.span
    if is_long(span, context):
        return first_line(span, context)
    name = re.escape(place.encode())
    raw = context.source.data[span.start : span.end]
    found = re.search(rb"[{$%<\[(]+\s*" + name + rb"\b[^\n\"'})>\]]{0,12}[})>\]]*s?", raw)
    if found is None:
        return first_line(span, context)
    return Span(span.start + found.start(), span.start + found.end())


def words_at(words: str, usage: Usage, context: Context) -> Span:
    """Return where some words of a text stand in the source, however they are broken there."""
    phrase = rb"(?:[\s\"'\\]|\\n)+".join(re.escape(word.encode()) for word in words.split())
    for piece in usage.pieces:
        if not isinstance(piece, TextSpan) or piece.node is None:
            continue
        span = piece.node.span
        found = re.search(phrase, context.source.data[span.start : span.end])
        if found is not None and is_long(span, context):
            return first_line(span, context)
        if found is not None:
            return first_line(Span(span.start + found.start(), span.start + found.end()), context)
    return first_line(usage.node.span, context)


def is_long(span: Span, context: Context) -> bool:
    """Return whether a text is one token over several lines."""
    tokens, data = context.definitions.tokens, context.source.data
    return tokens is not None and tokens.is_long(data, span.start) and b"\n" in data[span.start : span.end]


def first_line(span: Span, context: Context) -> Span:
    """Return the first line of a span, as far as it is shown."""
    end = context.source.data.find(b"\n", span.start, span.end)
    return Span(span.start, min(span.end if end < 0 else end, span.start + LONGEST))
