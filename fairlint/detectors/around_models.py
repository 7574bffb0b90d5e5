"""What code does about a model's features besides: proxies that stay, and audits."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.column_mentions import is_protected_attribute, mention_of
from fairlint.detectors.context import Context
from fairlint.detectors.group_rates import measures_groups
from fairlint.detectors.kept_columns import known_columns, narrowing_node
from fairlint.detectors.learnt_columns import (
    LEARNT,
    Found,
    feature_tables,
    headline_node,
    other_columns,
    teacher_name,
)
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import Step, Use
from fairlint.semantics.values.events import Event
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import split_words


def proxy_uses(context: Context) -> Iterator[Use]:
    """Yield where protected columns are dropped and a known proxy stays."""
    told: set[str] = set()
    for given in feature_tables(context):
        event, table = given.event, given.table
        dropped = [
            (name, node)
            for name, node in table.left_out
            if not isinstance(node, tree.Call)  # it has become several there
            and (mention := mention_of(name, context)) is not None
            and is_protected_attribute(mention, context)
        ]
        if not dropped:
            continue
        gone = {name for name, _ in table.left_out}
        held = {column.name: column.node for column in table.held}
        for name, node in {**known_columns(table, context), **held}.items():
            mention = None if name in gone else mention_of(name, context)
            if mention is None or is_protected_attribute(mention, context) or mention.attribute in told:
                continue
            if context.attribute(mention.attribute).kind != "proxy":
                continue
            told.add(mention.attribute)
            yield plain_use(
                context,
                mention,
                narrowing_node(table) or dropped[0][1],
                kind="feature",
                effect="learn",
                shape="read",
                evidence=(Evidence(LEARNT + 1, f"`{dropped[0][0]}` is dropped, and `{name}` stays"),),
                flow=(
                    Step(dropped[0][1].span, f"`{dropped[0][0]}` is dropped"),
                    Step(node.span, f"`{name}` stays"),
                    Step(headline_node(event.node).span, "a model is given it here"),
                ),
                target=teacher_name(event, context),
                detail=name,
                receiver="applicant",
                tags={"proxy-left"},
            )


def has_audit(context: Context) -> bool:
    """Return whether anything in the file looks at what the model does to groups."""
    met = context.execution.program.found.values()
    if context.audits(*context.packages) or any("audits" in found.entry.does for _, found in met):
        return True
    names = {word for name in context.functions for word in split_words(name)}
    return bool(names & word_lists("features")["audits"]) or measures_groups(context)


def _main_teacher(found: Found, context: Context) -> Node:
    """Return the call that teaches the model: rather a `fit` than a split or what comes before it."""
    same = [
        given.event
        for given in feature_tables(context)
        if any(c.node is found.column.node for c in given.table.held)
    ]
    return max(same, key=lambda event: _teacher_rank(event, context), default=found.event).node


def _teacher_rank(event: Event, context: Context) -> int:
    name = teacher_name(event, context).rpartition(".")[2]
    does = context.does(event.node)
    return 2 if name == "fit" else int("wraps" in does or "learns" in does)


def unaudited_use(found: Found, use: Use, context: Context) -> Use:
    """Return the Use of a model by whose features no audit is made."""
    return plain_use(
        context,
        found.mention,
        headline_node(_main_teacher(found, context)),
        kind="feature",
        effect="learn",
        shape="read",
        evidence=use.evidence,
        flow=use.flow,
        target=use.target,
        detail=use.detail,
        beside=other_columns(found.table, context),
        tags={"unaudited"},
    )
