"""Ready questions: what is asked often, as SQL over the views of a store (`query.py`).

`$run` is the run that is asked about, `$before` the one before it, `$days` how far ahead is looked.
"""

# ruff: noqa: S608 (columns are named here)

from __future__ import annotations

from collections.abc import Mapping

from fairlint.support.records import Record


class Question(Record):
    """One question: what it answers, and how it is asked."""

    about: str
    sql: str


_BY_REPOSITORY = """(
    SELECT {columns}, repository, count(*) AS findings, count(*) FILTER (severity = 'error') AS errors
    FROM findings WHERE run = $run GROUP BY ALL
)"""


def _counted_findings(columns: str, source: str = _BY_REPOSITORY) -> str:
    """Return findings and repositories by the values of columns, the most first; counted by repository before
    that, which takes a fraction of the time.
    """
    grouped = _BY_REPOSITORY.format(columns=columns) if source == _BY_REPOSITORY else source
    return f"""
        SELECT {columns}, sum(findings)::BIGINT AS findings, count(DISTINCT repository) AS repositories,
               sum(errors)::BIGINT AS errors
        FROM {grouped} GROUP BY ALL ORDER BY findings DESC, 1
    """


_BY_OWNER = f"""(
    SELECT repository, findings, errors, unnest(if(len(owners) = 0, ['nobody'], owners)) AS owner
    FROM {_BY_REPOSITORY.format(columns="owners")}
)"""
_BY_LAW = """
    WITH counted AS (
        SELECT repository, hash(laws) AS id, count(*) AS findings,
               count(*) FILTER (severity = 'error') AS errors
        FROM findings WHERE run = $run GROUP BY ALL
    ), lists AS (
        SELECT hash(laws) AS id, any_value(laws) AS laws FROM findings WHERE run = $run GROUP BY id
    ), sums AS (
        SELECT law, sum(findings)::BIGINT AS findings, sum(errors)::BIGINT AS errors
        FROM (SELECT id, findings, errors, unnest(laws) AS law FROM (
            SELECT id, sum(findings) AS findings, sum(errors) AS errors FROM counted GROUP BY id
        ) JOIN lists USING (id)) GROUP BY law
    ), alike AS (
        SELECT ids, count(*) AS repositories
        FROM (SELECT list_sort(list(id)) AS ids FROM counted GROUP BY repository) GROUP BY ids
    ), held AS (
        SELECT law, sum(repositories)::BIGINT AS repositories
        FROM (SELECT DISTINCT ids, repositories, unnest(laws) AS law
            FROM (SELECT ids, repositories, unnest(ids) AS id FROM alike) JOIN lists USING (id)) GROUP BY law
    )
    SELECT law, findings, repositories, errors FROM sums JOIN held USING (law) ORDER BY findings DESC, 1
"""
"""Lists of laws are few and long: each is counted by its hash, repositories with the same ones at once."""

QUESTIONS: Mapping[str, Question] = {
    "by-rule": Question("findings of each rule", _counted_findings("rule, name")),
    "by-owner": Question(
        "findings of each owner, as CODEOWNERS says", _counted_findings("owner", _BY_OWNER)
    ),
    "by-language": Question("findings in each language", _counted_findings("language")),
    "by-attribute": Question("findings about each protected attribute", _counted_findings("attribute")),
    "by-kind": Question("findings of each kind of use", _counted_findings("kind")),
    "by-effect": Question("findings by what comes of them", _counted_findings("effect")),
    "by-domain": Question("findings by what the code is used for", _counted_findings("domain")),
    "by-severity": Question("findings of each severity", _counted_findings("severity")),
    "by-confidence": Question("findings of each confidence", _counted_findings("confidence")),
    "by-context": Question("findings by what would have to justify them", _counted_findings("context")),
    "by-repository": Question("findings of each repository", """
        SELECT repository, count(*) AS findings, count(*) FILTER (severity = 'error') AS errors,
               max(gap) FILTER (op = 'add') AS widest_gap
        FROM findings WHERE run = $run GROUP BY ALL ORDER BY findings DESC, repository
    """),
    "by-law": Question("findings that refer to each law", _BY_LAW),
    "uses-by-attribute": Question("repositories that use, and decide by, each attribute", """
        SELECT attribute, count(*) AS uses, count(DISTINCT repository) AS repositories,
               count(DISTINCT repository) FILTER (effect IN ('decide', 'score', 'learn')) AS deciding
        FROM uses WHERE run = $run GROUP BY ALL ORDER BY uses DESC, attribute
    """),
    "uses-by-kind": Question("uses of each kind", """
        SELECT kind, effect, count(*) AS uses, count(DISTINCT repository) AS repositories
        FROM uses WHERE run = $run GROUP BY ALL ORDER BY uses DESC, kind, effect
    """),
    "new-since": Question("findings that no finding of the run before has the name and file of", """
        SELECT repository, path, line, rule, severity, message
        FROM findings f WHERE run = $run AND NOT EXISTS (
            SELECT 1 FROM findings b
            WHERE b.run = $before AND b.repository = f.repository AND b.identity = f.identity
              AND b.path = f.path)
        ORDER BY repository, path, line
    """),
    "worst-gaps": Question("the widest gaps between groups, of amounts that are added", """
        SELECT gap, repository, path, line, rule, attribute, message
        FROM findings WHERE run = $run AND op = 'add' ORDER BY gap DESC, repository, path, line LIMIT 100
    """),
    "expiring": Question("suppressions that end within --days", """
        SELECT until, suppressed_by, owner, repository, path, line, rule, reason
        FROM suppressed WHERE run = $run AND until <> '' AND until::DATE <= current_date + $days::INTEGER
        ORDER BY until, repository, path, line
    """),
    "suppressed": Question("suppressed findings of each rule, and how many have no end", """
        SELECT rule, suppressed_by, count(*) AS suppressed, count(*) FILTER (until = '') AS without_end
        FROM suppressed WHERE run = $run GROUP BY ALL ORDER BY suppressed DESC, rule, suppressed_by
    """),
    "unread": Question("what was not read, by cause and kind", """
        SELECT cause, kind, sum(places)::BIGINT AS places, sum(files)::BIGINT AS files,
               count(DISTINCT repository) AS repositories,
               round(sum(files) / (
                   SELECT nullif(sum(files), 0) FROM repositories WHERE run = $run), 4) AS share_of_read
        FROM (
            SELECT cause, kind, repository, count(*) AS places, len(list_distinct(list(path))) AS files
            FROM coverage WHERE run = $run GROUP BY ALL
        ) GROUP BY ALL ORDER BY files DESC, cause, kind
    """),
    "errors": Question("repositories that were not checked, by cause", """
        SELECT cause, count(*) AS repositories, min(repository) AS for_example, any_value(reason) AS reason
        FROM errors WHERE run = $run GROUP BY cause ORDER BY repositories DESC, cause
    """),
    "trend": Question("findings and repositories of each run", """
        SELECT r.run, r.date, count(*) AS repositories, sum(r.findings)::BIGINT AS findings,
               sum(r.suppressed)::BIGINT AS suppressed, sum(r.not_read)::BIGINT AS not_read,
               count(*) FILTER (r.status = 'failed') AS not_checked
        FROM repositories r JOIN runs USING (run) GROUP BY ALL ORDER BY min(runs.number)
    """),
}  # fmt: skip
"""Name → question."""
