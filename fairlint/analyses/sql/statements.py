"""What an SQL statement does to people, and where a protected attribute takes part in it. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from fairlint.analyses.sql import clause_effects
from fairlint.analyses.sql.case_clauses import case_clauses, window_clauses
from fairlint.analyses.sql.clauses import Clause, Statement
from fairlint.analyses.sql.conditions import Person, Reader, Subject, worlds
from fairlint.analyses.sql.constants import constant, is_placeholder, is_text
from fairlint.analyses.sql.nodes import Sql, argument
from fairlint.analyses.sql.one_form import in_one_form
from fairlint.analyses.sql.rows import FeedingSelect, feeding, has_row_limit, subqueries
from fairlint.analyses.sql.words import words
from fairlint.semantics.values.symbolic import Scalar
from fairlint.support.records import Record, replace
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Attribute, Mention
from fairlint.vocabulary.words import split_words

MOST_SELECTS = 24
"""SELECTs of one statement that are looked at; of more, the report says so."""


def _names_of_columns(root: Sql) -> tuple[str, ...]:
    """Return the columns that a statement names, and the names that it gives to others."""
    read = [
        column.name
        for column in root.find_all(exp.Column)
        if not is_placeholder(column) and not is_text(column)
    ]
    return tuple(dict.fromkeys((*read, *(alias.alias for alias in root.find_all(exp.Alias)))))


def _order_columns(tops: Sequence[Sql | None]) -> tuple[str, ...]:
    """Return the columns by which a statement orders its rows."""
    orders = [top.args.get("order") for top in tops if top is not None]
    return tuple(
        column.name for order in orders if order is not None for column in order.find_all(exp.Column)
    )


class StatementAnalyzer:
    """Surveys statements; knows what a column mentions."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        attribute: Callable[[str], Attribute],
        lawful: Callable[[str], frozenset[float]],
        codes: Callable[[str], Mapping[Scalar, str]],
    ) -> None:
        """`lawful` gives the limits that the law sets, `codes` the names that the code has for numbers."""
        self._vocabulary = vocabulary
        self._attribute = attribute
        self._lawful = lawful
        self._codes = codes
        self._data_set: str | None = None
        self._aliases: dict[str, str] = {}
        self._main = ""

    def survey(self, root: Sql) -> Statement:
        """Return what the statement does, and its clauses."""
        root = in_one_form(root)
        tables = [table for table in root.find_all(exp.Table) if table.name]
        ctes = {cte.alias_or_name.lower(): cte.this for cte in root.find_all(exp.CTE)}
        names = [table.name for table in tables if table.name.lower() not in ctes]
        self._aliases = {table.alias_or_name.lower(): table.name for table in tables}
        made = _outline_of_statement(root)
        query = made.query
        self._main = _main_table(root, query, names, ctes)
        columns = _names_of_columns(root)
        self._data_set = self._vocabulary.data_set_of(columns)
        every = list(feeding(query, ctes))
        selects = every[:MOST_SELECTS]
        tops = [query, *(one.select for one in selects)]
        clauses = [clause for clause in self._all_clauses(root, made.kind, selects) if clause is not None]
        return Statement(
            kind=made.kind,
            target=made.target,
            tables=tuple(dict.fromkeys(name for name in (self._main, *names) if name)),
            named=tuple(ctes),
            columns=columns,
            limited=any(has_row_limit(top) for top in tops if top is not None),
            offset=any(top.args.get("offset") is not None for top in tops if top is not None),
            ordered=_order_columns(tops),
            locked=any(bool(one.select.args.get("locks")) for one in selects),
            report=query is not None and not selects,
            comments=" ".join(text for node in root.walk() for text in node.comments or ()),
            sets=tuple(_assignments_of_updates(root)),
            clauses=tuple(clauses),
            left_out=len(every) - len(selects),
        )  # fmt: skip

    # ----------------------------------------------------------------------------------------------- columns

    def find(self, column: exp.Column) -> tuple[Mention, str] | None:
        """Return what a column mentions, and the table it is of."""
        table = self._aliases.get(column.table.lower(), column.table) if column.table else self._main
        found = self._vocabulary.mentions_of(column.name, table)
        return (found[0], table) if found else None

    def column_attributes(self, node: Sql) -> list[str]:
        """Return the attributes that the columns in a part of a statement name, each once."""
        found: dict[str, None] = {}
        for column in node.find_all(exp.Column):
            if (
                not is_text(column)
                and not is_placeholder(column)
                and (mention := self.find(column)) is not None
            ):
                found.setdefault(mention[0].attribute)
        return list(found)

    def reader(self, attribute: str) -> Reader:
        """Return a fresh reader for one attribute."""
        return Reader(
            self._attribute(attribute),
            self._vocabulary,
            self.find,
            self._lawful(attribute),
            data_set=self._data_set,
            codes=self._codes(attribute),
        )

    # ----------------------------------------------------------------------------------------------- clauses

    def _all_clauses(self, root: Sql, kind: str, selects: list[FeedingSelect]) -> Iterator[Clause | None]:
        for one in selects:
            yield from self._of_select(one.select, one.negated)
        yield from case_clauses(self, root, selects)
        yield from window_clauses(self, root, selects)
        if kind in {"update", "delete"}:
            where = root.args.get("where")
            if where is not None:
                yield from self._change_clauses(root, where)
                for inner in subqueries(where, {}):
                    yield from self._of_select(inner.select, inner.negated, deed="outcome")
        if isinstance(root, exp.Merge):
            for when in root.find_all(exp.When):
                test, then = when.args.get("condition"), when.args.get("then")
                if test is not None and isinstance(then, exp.Update | exp.Var):
                    yield from self._change_clauses(then, test)

    def _of_select(self, select: exp.Select, negated: bool, deed: str = "select") -> Iterator[Clause | None]:
        for name in ("where", "having", "qualify"):
            part = select.args.get(name)
            if part is not None:
                for attribute in self.column_attributes(part):
                    yield self._selection_clause(part, attribute, name.upper(), negated=negated, deed=deed)
        for join in select.args.get("joins") or ():
            test = join.args.get("on")
            if test is not None:
                yield from self._join_clauses(select, join, test)
        order = select.args.get("order")
        if order is not None and (has_row_limit(select) or has_row_limit(select.parent)):
            for key in order.expressions:
                for attribute in self.column_attributes(key):
                    reader = self.reader(attribute)
                    subject = reader.subject(key.this)
                    if subject is None and isinstance(key.this, exp.Predicate):
                        subject = self.first(key.this, reader)  # `ORDER BY gender = 'male' DESC`
                    if subject is not None:
                        yield Clause(subject, "ORDER BY", "rank")

    def _selection_clause(
        self, part: Sql, attribute: str, name: str, *, negated: bool = False, deed: str = "select"
    ) -> Clause | None:
        reader = self.reader(attribute)
        subject = self.first(part, reader)
        if subject is None:
            return None

        def ask(world: dict[Sql, bool]) -> object:
            return [reader.truth(part, person, world) for person in (None, *reader.people())]

        ask({})  # notes what it is compared with
        people = reader.people()
        best: dict[Person, bool] = {}
        for world in worlds(ask):
            answers = {person: reader.truth(part, person, dict(world)) != negated for person in people}
            if len(set(answers.values())) > 1 and (
                not best or clause_effects.spread(answers) > clause_effects.spread(best)
            ):
                best = answers
        if not best:
            if reader.dates:
                return Clause(subject, name, deed, cut=True)
            if reader.asked and not _is_optional(part):
                return Clause(subject, name, deed, asked=True)
            return None
        if not reader.cuts and self._all_known_stay(best, reader):
            return None
        return Clause(
            subject,
            name,
            deed,
            groups=tuple(dict.fromkeys(reader.group(text) or text for text in reader.written)),
            outcomes=clause_effects.inclusion_by_group(best, reader.attribute),
            written=tuple(reader.written),
            cut=bool(reader.cuts),
        )

    @staticmethod
    def _all_known_stay(answers: Mapping[Person, bool], reader: Reader) -> bool:
        """Return whether the condition names the values that a column may have: `gender IN ('M', 'F')`."""
        named = {reader.group(text) or text for text in reader.written}
        core = set(reader.attribute.core_groups)
        fare = {person: answers[person] for person in answers if person in named or person in core}
        listed = bool(core) and named >= set(reader.attribute.core_groups[:2])
        return listed and len({fare[person] for person in named if person in fare}) == 1

    def first(self, part: Sql, reader: Reader) -> Subject | None:
        """Return the first subject in a part of a statement, as wide as it is read."""
        for column in part.find_all(exp.Column, bfs=False):
            if (subject := reader.subject(column)) is not None:
                node: Sql = column
                while (parent := node.parent) is not None and parent is not part:
                    if (wider := reader.subject(parent)) is not None:
                        subject = wider
                    node = parent
                return subject
        return None

    def _join_clauses(self, select: exp.Select, join: exp.Join, test: Sql) -> Iterator[Clause | None]:
        """Yield a join to a table of points by group; other conditions of a join are as those of WHERE."""
        table = join.this.name if isinstance(join.this, exp.Table) else join.alias_or_name
        for attribute in self.column_attributes(test):
            reader = self.reader(attribute)
            subject = self.first(test, reader)
            if subject is None:
                continue
            keyed = any(
                (reader.subject(pair.this) is not None and isinstance(pair.expression, exp.Column))
                or (reader.subject(pair.expression) is not None and isinstance(pair.this, exp.Column))
                for pair in test.find_all(exp.EQ)
            )  # fmt: skip
            if not keyed:
                if not join.side:
                    yield self._selection_clause(test, attribute, "ON")
                continue
            gained = self._points_column(select, join.alias_or_name, table)
            if gained:
                yield Clause(subject, f"JOIN {table}", "points", target=gained)

    @staticmethod
    def _points_column(select: exp.Select, alias: str, table: str) -> str:
        """Return the column of points that comes with a joined table, if it holds some."""
        known = words()["points"]
        for part in (*select.expressions, *([select.args["order"]] if select.args.get("order") else [])):
            for column in part.find_all(exp.Column):
                own = column.table.lower() == alias.lower() or (
                    not column.table and not known.isdisjoint(split_words(table))
                )
                if own and not known.isdisjoint(split_words(column.name)):
                    return str(column.name)
        return ""

    def _change_clauses(self, change: Sql, test: Sql) -> Iterator[Clause | None]:
        """Yield what UPDATE or DELETE does to the people that a condition picks."""
        pairs = [pair for pair in change.expressions if isinstance(pair, exp.EQ)]
        for attribute in self.column_attributes(test):
            found = self._selection_clause(test, attribute, "WHERE", deed="outcome")
            if found is None:
                continue
            texts = tuple(str(value) for pair in pairs if isinstance(value := constant(pair.expression), str))
            target = next((pair.this.name for pair in pairs), "")
            points = None
            for pair in pairs:
                if (
                    points := clause_effects.update_points(pair, found.outcomes, found.groups, cut=found.cut)
                ) is not None:
                    target = pair.this.name
                    break
            verb = "deleted" if isinstance(change, exp.Delete) else clause_effects.deed(pairs, target)
            outcomes = {
                group: text.replace("kept", verb).replace("left out", "as before")
                for group, text in found.outcomes.items()
            }
            yield replace(
                found,
                deed="points" if points else "outcome",
                outcomes=outcomes,
                points=points,
                target=target,
                texts=texts,
            )


class _Outline(Record):
    """The kind of a statement, the table or columns that it changes, and the query that it carries out."""

    kind: str
    target: str = ""
    query: Sql | None = None


def _outline_of_statement(root: Sql) -> _Outline:
    match root:
        case exp.Insert():
            return _Outline("insert", _table_name(root.this), argument(root, "expression"))
        case exp.Create():
            return _Outline("create", _table_name(root.this), argument(root, "expression"))
        case exp.Update():
            pairs = [pair.this.name for pair in root.expressions if isinstance(pair, exp.EQ)]
            return _Outline("update", ", ".join(pairs))
        case exp.Delete():
            return _Outline("delete", _table_name(root.this))
        case exp.Merge():
            return _Outline("merge", _table_name(root.this))
        case exp.Query():
            into = root.args.get("into")
            if into is not None:
                return _Outline("insert", _table_name(into.this), root)
            return _Outline("select", query=root)
        case _:
            return _Outline("other")


def _table_name(node: object) -> str:
    if isinstance(node, exp.Schema):
        node = node.this
    return str(node.name) if isinstance(node, Sql) else ""


def _main_table(root: Sql, query: Sql | None, names: list[str], ctes: Mapping[str, Sql]) -> str:
    if query is None:
        return _table_name(root.this) or (names[0] if names else "")
    for one in feeding(query, ctes):
        from_ = argument(one.select, "from")
        if from_ is not None and isinstance(from_.this, exp.Table) and from_.this.name.lower() not in ctes:
            return str(from_.this.name)
    return names[0] if names else ""


def _assignments_of_updates(root: Sql) -> Iterator[tuple[str, str]]:
    for change in root.find_all(exp.Update):
        for pair in change.expressions:
            if isinstance(pair, exp.EQ):
                value = constant(pair.expression)
                yield pair.this.name, value if isinstance(value, str) else ""


def _is_optional(part: Sql) -> bool:
    """Return whether a condition falls away where nobody asked: `(:gender IS NULL OR gender = :gender)`."""
    return any(
        is_placeholder(test.this) or is_placeholder(test.expression) or constant(test.this) == ""
        for either in part.find_all(exp.Or)
        for test in either.find_all(exp.Is, exp.EQ)
        if is_placeholder(test.this)
        or (is_placeholder(test.expression) and not isinstance(test.this, exp.Column))
    ) or any(
        is_placeholder(inner) and len(call.expressions) == 1
        for call in part.find_all(exp.Coalesce)
        for inner in (call.this,)
    )
