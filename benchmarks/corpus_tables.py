"""The tables of docs/appendix/corpus-study.md: what is asked of a store, and Markdown of the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corpus_sample import Precision, precision_by

from fairlint.fleet.query import ask

BEGIN, END = "<!-- {name}: begin -->", "<!-- {name}: end -->"
"""Between what the page has tables that a program writes."""
DECIDING = "effect IN ('decide', 'score', 'learn')"


class Asked(NamedTuple):
    """One table: its title, the heads of its columns, and the question to the store."""

    title: str
    heads: Sequence[str]
    sql: str


QUESTIONS = (
    Asked("What was checked", ("packages", "checked", "not checked", "files", "MB of all files",
                               "with a finding", "with a warning or an error", "findings"), """
        SELECT count(*), count(*) FILTER (status <> 'failed'), count(*) FILTER (status = 'failed'),
               sum(files)::BIGINT, round(sum(bytes) / 1e6)::BIGINT, count(*) FILTER (findings > 0),
               (SELECT count(DISTINCT repository) FROM latest_findings WHERE severity <> 'note'),
               sum(findings)::BIGINT
        FROM latest_repositories"""),
    Asked("By attribute: packages that mention it, tell people apart by it, and decide by it",
          ("attribute", "sort", "mention", "use", "decide", "with a finding",
           "with a warning or an error"), f"""
        SELECT attribute, attribute_kind, count(DISTINCT repository) AS mention,
               count(DISTINCT repository) FILTER (kind <> 'read') AS use,
               count(DISTINCT repository) FILTER ({DECIDING}) AS decide, coalesce(any_value(f.packages), 0),
               coalesce(any_value(f.loud), 0)
        FROM latest_uses LEFT JOIN (
            SELECT attribute, count(DISTINCT repository) AS packages,
                   count(DISTINCT repository) FILTER (severity <> 'note') AS loud
            FROM latest_findings GROUP BY attribute) f USING (attribute)
        GROUP BY attribute, attribute_kind ORDER BY decide DESC, use DESC, mention DESC, attribute"""),
    Asked("By kind of use and what comes of it", ("kind", "effect", "packages", "uses"), """
        SELECT kind, effect, count(DISTINCT repository) AS packages, count(*) AS uses
        FROM latest_uses GROUP BY ALL ORDER BY packages DESC, uses DESC, kind, effect"""),
    Asked("By rule", ("rule", "name", "packages", "errors", "warnings", "notes"), """
        SELECT rule, name, count(DISTINCT repository) AS packages, count(*) FILTER (severity = 'error'),
               count(*) FILTER (severity = 'warning'), count(*) FILTER (severity = 'note')
        FROM latest_findings GROUP BY ALL ORDER BY packages DESC, rule"""),
    Asked("By field, where words around a use say it",
          ("field", "packages that mention", "packages that decide", "with a finding", "findings"), f"""
        SELECT coalesce(nullif(domain, ''), 'not known') AS field, count(DISTINCT repository) AS packages,
               count(DISTINCT repository) FILTER ({DECIDING}), coalesce(any_value(f.packages), 0),
               coalesce(any_value(f.findings), 0)
        FROM latest_uses LEFT JOIN (
            SELECT coalesce(nullif(domain, ''), 'not known') AS field, count(*) AS findings,
                   count(DISTINCT repository) AS packages
            FROM latest_findings GROUP BY 1) f ON f.field = coalesce(nullif(domain, ''), 'not known')
        GROUP BY 1 ORDER BY packages DESC, field"""),
    Asked("By what would have to justify it", ("context", "packages", "findings"), """
        SELECT coalesce(nullif(context, ''), 'none'), count(DISTINCT repository) AS packages,
               count(*) AS findings
        FROM latest_findings GROUP BY 1 ORDER BY findings DESC, 1"""),
    Asked("Not read", ("cause", "kind", "packages", "files", "of files that were checked"), """
        SELECT cause, coalesce(nullif(kind, ''), '–'), count(DISTINCT repository) AS packages,
               count(DISTINCT repository || chr(0) || path) AS files,
               printf('%.2f %%', 100.0 * count(DISTINCT repository || chr(0) || path) / (
                   SELECT sum(files) FROM latest_repositories))
        FROM latest_coverage GROUP BY ALL ORDER BY files DESC, 1, 2"""),
    Asked("Not checked, by reason", ("cause", "packages", "reason", "which"), """
        SELECT cause, count(*) AS packages, reason,
               string_agg(replace(repository, 'pypi:', ''), ', ' ORDER BY repository)
        FROM latest_errors GROUP BY cause, reason ORDER BY packages DESC, cause, reason"""),
)  # fmt: skip


def tables_of(connection: Any) -> Iterator[str]:
    """Yield the tables about what is in a store; `connection` is what `open_views` gives."""
    for asked in QUESTIONS:
        rows = list(ask(connection, asked.sql).rows)
        yield f"## {asked.title}\n\n" + (markdown_table(asked.heads, rows) if rows else "None.\n")


def precision_tables(joined: Sequence[Mapping[str, Any]], gone: int) -> Iterator[str]:
    """Yield the tables of precision: of all labels, by list, by severity and by rule."""
    heads = ("findings", "correct", "wrong", "unclear", "correct / (correct + wrong)", "95 % interval")
    for title, name in (("By list", "list"), ("By severity", "severity"), ("By rule", "rule")):
        found = precision_by(joined, lambda label, name=name: str(label[name]))  # type: ignore[misc]
        rows = [precision_cells(value, of) for value, of in found.items()]
        yield f"### Precision: {title[0].lower()}{title[1:]}\n\n" + markdown_table(heads, rows)
    if gone:
        yield f"{gone} of the labelled findings are no longer reported.\n"


def precision_cells(value: str, found: Precision) -> list[str]:
    """Return the row of one precision."""
    share = "–" if found.share is None else f"{found.share:.2f}"
    bounds = "–" if found.low is None or found.high is None else f"{found.low:.2f} to {found.high:.2f}"
    return [value, str(found.correct), str(found.wrong), str(found.unclear), share, bounds]


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown; numbers have their thousands apart."""
    lines = [heads, ["---"] * len(heads), *([cell_text(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell_text(value: Any) -> str:
    """Return what stands in a cell."""
    if isinstance(value, int):
        return f"{value:,}"
    return "–" if value is None else str(value).replace("|", r"\|").replace("\n", " ")


def replace_tables(page: Path, name: str, tables: Iterable[str]) -> None:
    """Put tables between the two marks of a page; ValueError where it lacks them."""
    text = page.read_text(encoding="utf-8")
    begin, end = BEGIN.format(name=name), END.format(name=name)
    before, found, rest = text.partition(begin)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise ValueError(f"{page}: has no {begin} and {end}")
    made = "\n".join(tables)
    page.write_text(f"{before}{begin}\n\n{made}\n{end}{after}", encoding="utf-8")
