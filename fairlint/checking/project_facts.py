"""What is asked of a project for one file, and the file parsed with what it includes and imports."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.checking.file_result import FileResult
from fairlint.checking.incomplete import named_gaps
from fairlint.checking.judging import place_of
from fairlint.syntax.source import Source

if TYPE_CHECKING:
    from fairlint.checking.checker import Checker
    from fairlint.project.data_files import DataFile
    from fairlint.project.dependencies import Dependencies, Reading
    from fairlint.project.header_files import Found
    from fairlint.project.links import Links
    from fairlint.syntax.language import Keep, Language
    from fairlint.syntax.tree import Tree


def may_lose_changes(data: bytes, *place: Any) -> bool:
    """Report whether changes of a table may be lost, by the library's version."""
    from fairlint.project.requirement_files import loses_changes  # noqa: PLC0415 (few sources need it)

    return loses_changes(data, *place)


def found_headers(
    checker: Checker, source: Source, language: Language, basis: Dependencies | None
) -> Found | None:
    """Return what the source includes from the project; None where it includes nothing."""
    if not checker.in_project or language.headers is None or b"include" not in source.data:
        return None
    reading = language.headers()
    if reading.named.search(source.data) is None:
        return None
    from fairlint.project.header_files import headers_of  # noqa: PLC0415 (few sources include others)

    folder, name = os.path.split(source.path)
    path = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 (paths are texts here)
    read, root = checker.reader(language), os.fspath(checker.settings.root)
    if basis is None:
        return headers_of(source.data, path, root, reading, read)
    return headers_of(source.data, path, root, reading, read, noting=basis.recording_reads)


def functions_to_keep(checker: Checker, source: Source, language: Language, hits: Sequence[int]) -> Keep:
    """Return which functions are worth lowering: all of them where a file of data that may be loaded names an
    attribute, for what becomes of that, no word in the code may say.
    """
    from fairlint.search.function_outline import keep_all, keep_relevant  # noqa: PLC0415 (few files come here)

    project = checker._project_with(source) if checker.in_project else None
    if project is not None and project.loads_any(project.real(source.path), source.data):
        return keep_all
    return keep_relevant(source.data, language, hits)


def new_dependencies(checker: Checker, language: Language) -> Dependencies | None:
    """Return what will say what a result hangs on; None where none is kept."""
    if checker.crew is None or checker.crew.known is None:
        return None
    from fairlint.project.dependencies import Dependencies  # noqa: PLC0415 (only where results are kept)

    return Dependencies(language.name)


def sort_out_imported(checker: Checker, source: Source, result: FileResult) -> None:
    """Keep of the Uses in imported modules those that the source has a hand in, apart from its own."""
    uses, result.uses = result.uses, []
    for use in uses:
        part = source.part(use.span.start)
        if part is None or part.path == source.path:
            result.uses.append(use)
            continue
        has_a_hand = any(source.place(step.span.start).path == source.path for step in use.flow)
        if has_a_hand and not checker.at(part.path).is_excluded_path(part.path):
            result.elsewhere.append((place_of(part.path, use, part.start), use))


def paths_read(loaded: Sequence[Sequence[DataFile]]) -> list[str]:
    """Return the paths of the data files that were read."""
    return [one.path for several in loaded for one in several if one.data is not None]


def record_reads(read: Reading, paths: list[str]) -> Reading:
    """Return the same reader, which notes the paths of what it has read."""

    def noted(path: str, largest: int) -> bytes | None:
        data = read(path, largest)
        if data is not None:
            paths.append(os.path.realpath(path))
        return data

    return noted


def with_others(
    source: Source,
    tree: Tree,
    links: Links | None,
    loaded: Sequence[Sequence[DataFile]],
    parse: Callable[..., Tree],
) -> tuple[Source, Tree]:
    """Return a source and its tree with the modules that are followed, and the files of data that all may
    load.
    """
    if links is not None:
        from fairlint.checking.parsing import with_modules  # noqa: PLC0415 (few sources import others)

        source, tree = with_modules(source, tree, links, parse)
    if any(loaded):
        from fairlint.checking.parsing import with_data  # noqa: PLC0415 (few sources load data)

        source, tree = with_data(source, tree, loaded[0], loaded[1:])
    return source, tree


def syntax_errors(source: Source, language: Language) -> FileResult:
    """Return what of a source that names nothing protected could not be parsed.

    What is cut at a limit names nothing protected, either, so it is no loss.
    """
    from fairlint.search.function_outline import keep_all  # noqa: PLC0415 (few sources are broken)

    source, tree = parse_with_headers(source, language, keep_all, None)
    lost = [gap for gap in tree.gaps if gap.cause == "syntax"]
    result = FileResult(source.path, not_analysed=named_gaps(source, [*source.gaps, *lost]))
    result.read = not (lost and tree.is_unread)
    return result


def parse_with_headers(
    source: Source, language: Language, keep: Keep, headers: Found | None
) -> tuple[Source, Tree]:
    """Return a source with its headers behind it, and the tree of both."""
    if headers is not None and headers.headers:
        from fairlint.checking.parsing import with_headers  # noqa: PLC0415 (few sources include others)

        return with_headers(source, language, keep, headers.headers)
    tree = language.tree(source.data, keep)
    if len(source.parts) < 2:
        return source, tree
    from fairlint.checking.parsing import parse_cells  # noqa: PLC0415 (few sources are notebooks)

    return source, parse_cells(source, tree, language.tree, keep)
