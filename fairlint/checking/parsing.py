"""From a Source of several parts to its Tree: every part's spans are those of the whole."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from fairlint.project.data_files import MOST_BYTES, DataFile, why_unread
from fairlint.project.dependencies import LARGEST_MODULE
from fairlint.project.links import Link, Links
from fairlint.sources.files_to_check import shown_path
from fairlint.support.records import replace
from fairlint.syntax.language import Language
from fairlint.syntax.source import Part, Source
from fairlint.syntax.tree import DataText, Gap, Span, Tree

Keep = Callable[[int, int, str], bool]
Parse = Callable[[bytes, Keep | None], Tree]

MOST_BLANKS = 200_000_000
"""Bytes of blanks that are parsed for the sake of right spans; a notebook that takes more stays as it is."""
RUN_TOGETHER = "a statement that goes over the end of a cell"
_INK = re.compile(rb"[^\r\n]")


def parse_at(start: int, text: bytes, parse: Parse, keep: Keep | None) -> Tree:
    """Return the tree of `text` as if it began at the offset `start`."""
    return parse(b" " * (start - 1) + b"\n" + text if start else text, keep)


def parse_cells(source: Source, tree: Tree, parse: Parse, keep: Keep) -> Tree:
    """Return the tree of a notebook in which no cell runs into the next, and damage stays in its cell.

    `tree` is that of all cells together, in which what is never closed takes in the cells that follow.
    """
    starts = [part.start for part in source.parts]
    if not tree.gaps and not _runs_over(starts, tree):
        return tree
    cells = list(zip(starts, [*starts[1:], len(source.data)], strict=True))
    broken = [cell for cell in cells if parse(source.data[slice(*cell)], _keep_nothing).gaps]
    whole = bytearray(source.data)
    for start, end in broken:
        whole[start:end] = _INK.sub(b" ", source.data[start:end])
    intact = parse(bytes(whole), keep)
    if intact.gaps or _runs_over(starts, intact):  # each is right by itself, and they are not together
        broken, intact = cells, replace(tree, body=(), gaps=())
    if sum(start for start, _ in broken) > MOST_BLANKS:
        lost = [Gap(node.span, RUN_TOGETHER) for node in tree.body if _is_over(starts, node.span)]
        return replace(tree, gaps=(*tree.gaps, *lost))
    trees = [intact, *(parse_at(start, source.data[start:end], parse, keep) for start, end in broken)]
    body = sorted((node for one in trees for node in one.body), key=lambda node: node.span.start)
    gaps = sorted((gap for one in trees for gap in one.gaps), key=lambda gap: gap.span.start)
    return replace(tree, body=tuple(body), gaps=tuple(gaps))


def _runs_over(starts: Sequence[int], tree: Tree) -> bool:
    """Return whether a statement of one cell goes on in the next."""
    return any(_is_over(starts, node.span) for node in tree.body)


def _is_over(starts: Sequence[int], span: Span) -> bool:
    return bisect_right(starts, span.start) < bisect_left(starts, span.end)


def with_modules(source: Source, tree: Tree, links: Links, parse: Parse) -> tuple[Source, Tree]:
    """Return a source and its tree together with the modules that are followed from it."""
    pieces = [_end_with_newline(source.data)]
    parts = [*(source.parts or (Part(0, source.path),))]
    trees = []
    size = len(pieces[0])
    for link in links.modules:
        text = _end_with_newline(link.data)
        trees.append(
            replace(parse_at(size, text, parse, _filter_of_link(link)), imports=link.imports, own=link.own)
        )
        parts.append(Part(size, shown_path(link.path)))
        pieces.append(text)
        size += len(text)
    return (
        replace(source, data=b"".join(pieces), parts=tuple(parts)),
        replace(tree, imports=links.imports, modules=tuple(trees)),
    )


def with_headers(
    source: Source, language: Language, keep: Keep, headers: Sequence[tuple[str, bytes]]
) -> tuple[Source, Tree]:
    """Return a source together with its headers, each a path and a text, and the tree of both."""
    own, behind = _end_with_newline(source.data), [_end_with_newline(text) for _, text in headers]
    starts = accumulate(map(len, behind), initial=len(own))
    parts = [Part(start, shown_path(path)) for start, (path, _) in zip(starts, headers, strict=False)]
    tree = language.tree(own, keep, b"".join(behind))
    return replace(source, data=own + b"".join(behind), parts=(Part(0, source.path), *parts)), tree


def with_data(
    source: Source, tree: Tree, own: Sequence[DataFile], of_modules: Sequence[Sequence[DataFile]]
) -> tuple[Source, Tree]:
    """Return a source and its tree together with the files of data that it and the modules followed
    may load.
    """
    starts = (source.path, *(source.parts[at].path for at in range(-len(of_modules), 0)))
    every = {one.path: one for several in (own, *of_modules) for one in several}
    if not every:
        return source, tree
    pieces = [_end_with_newline(source.data)]
    parts = [*(source.parts or (Part(0, source.path),))]
    size, left = len(pieces[0]), MOST_BYTES
    known: dict[str, DataText] = {}
    for path, one in every.items():
        shown = shown_path(path)
        if one.data is None or len(one.data) > left:
            reason = why_unread(path, LARGEST_MODULE) if one.data is None else "all such files are too large"
            known[path] = DataText(shown, None, reason)
            continue
        text = _end_with_newline(one.data)
        known[path] = DataText(shown, Span(size, size + len(one.data)))
        parts.append(Part(size, shown))
        pieces.append(text)
        size += len(text)
        left -= len(text)
    of_own, *of_others = (
        tuple(replace(known[one.path], beside=beside, above=one.above, tells=one.tells) for one in several)
        for beside, several in zip(starts, (own, *of_modules), strict=True)
    )
    modules = zip(tree.modules, of_others, strict=True)
    return (
        replace(source, data=b"".join(pieces), parts=tuple(parts)),
        replace(tree, data=of_own, modules=tuple(replace(one, data=found) for one, found in modules)),
    )


def _end_with_newline(text: bytes) -> bytes:
    return text if text.endswith(b"\n") or not text else text + b"\n"


def _filter_of_link(link: Link) -> Keep:
    """Say of a module's functions whether they have to do with what is wanted of it."""
    names = {name.decode("utf-8", "replace") for name in link.names}
    return lambda _start, _end, name: name.partition(".")[0] in names


def _keep_nothing(start: int, end: int, name: str) -> bool:
    del start, end, name
    return False
