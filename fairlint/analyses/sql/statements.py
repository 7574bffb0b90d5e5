"""What an SQL statement does to people, and where a protected attribute takes part in it. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from fairlint.analyses.sql import clause_effects
from fairlint.analyses.sql.conditions import (
    NULL,
    Person,
    Reader,
    Subject,
    constant,
    is_placeholder,
    is_text,
    worlds,
)
from fairlint.analyses.sql.nodes import Sql, argument
from fairlint.analyses.sql.one_form import in_one_form
from fairlint.analyses.sql.rows import ancestors, feeding, has_row_limit, subqueries
from fairlint.analyses.sql.words import words
from fairlint.findings.uses import GroupPoints, PointsOp
from fairlint.semantics.values.symbolic import Scalar
from fairlint.support.records import Record, field, replace
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Attribute, Mention
from fairlint.vocabulary.words import split_words

MOST_SELECTS = 24
"""SELECTs of one statement that are looked at; of more, the report says so."""
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.PercentRank, exp.CumeDist)


class Clause(Record):
    """One place in a statement where an attribute tells people apart."""

    subject: Subject
    name: str
    """WHERE, HAVING, ON, ORDER BY, CASE, JOIN or a window's PARTITION BY."""
    deed: str
    """select, points, outcome, rank, share: what it does there."""
    groups: tuple[str, ...] = ()
    outcomes: Mapping[str, str] = field(default_factory=dict)
    points: GroupPoints | None = None
    target: str = ""
    asked: bool = False
    """Whether the group is given from outside."""
    written: tuple[str, ...] = ()
    cut: bool = False
    texts: tuple[str, ...] = ()
    """What it says of people, in the query's words."""
    place: str = ""
    """The part of the statement that an amount is for: AS, ORDER BY, SET, WHERE or SELECT."""


class Statement(Record):
    """One statement and its clauses."""

    kind: str
    target: str
    """The table or view that is written, or the columns that are set."""
    tables: tuple[str, ...]
    named: tuple[str, ...]
    """Names that the statement gives to its own queries: `WITH eligible AS (...)`."""
    columns: tuple[str, ...]
    limited: bool
    offset: bool
    ordered: tuple[str, ...]
    """Columns that people are ordered by."""
    locked: bool
    report: bool
    """Whether it only gives figures of many people."""
    comments: str
    sets: tuple[tuple[str, str], ...] = ()
    """UPDATE: the columns that are set, with the new values as far as they are texts."""
    clauses: tuple[Clause, ...] = ()
    left_out: int = 0
    """How many of its SELECTs are not looked at, because there are too many."""


def _names_of_columns(root: Sql) -> tuple[str, ...]:
    """The columns that a statement names, and the names that it gives to others."""
    read = [
        column.name
        for column in root.find_all(exp.Column)
        if not is_placeholder(column) and not is_text(column)
    ]
    return tuple(dict.fromkeys((*read, *(alias.alias for alias in root.find_all(exp.Alias)))))


def _order_columns(tops: Sequence[Sql | None]) -> tuple[str, ...]:
    """The columns by which a statement orders its rows."""
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
        """What the statement does, and its clauses."""
        root = in_one_form(root)
        tables = [table for table in root.find_all(exp.Table) if table.name]
        ctes = {cte.alias_or_name.lower(): cte.this for cte in root.find_all(exp.CTE)}
        names = [table.name for table in tables if table.name.lower() not in ctes]
        self._aliases = {table.alias_or_name.lower(): table.name for table in tables}
        kind, target, query = _kind_of_statement(root)
        self._main = _main_table(root, query, names, ctes)
        columns = _names_of_columns(root)
        self._data_set = self._vocabulary.data_set_of(columns)
        every = list(feeding(query, ctes))
        selects = every[:MOST_SELECTS]
        tops = [query, *(select for select, _ in selects)]
        clauses = [clause for clause in self._all_clauses(root, kind, selects) if clause is not None]
        return Statement(
            kind=kind,
            target=target,
            tables=tuple(dict.fromkeys(name for name in (self._main, *names) if name)),
            named=tuple(ctes),
            columns=columns,
            limited=any(has_row_limit(top) for top in tops if top is not None),
            offset=any(top.args.get("offset") is not None for top in tops if top is not None),
            ordered=_order_columns(tops),
            locked=any(bool(select.args.get("locks")) for select, _ in selects),
            report=query is not None and not selects,
            comments=" ".join(text for node in root.walk() for text in node.comments or ()),
            sets=tuple(_assignments_of_updates(root)),
            clauses=tuple(clauses),
            left_out=len(every) - len(selects),
        )  # fmt: skip

    # ----------------------------------------------------------------------------------------------- columns

    def find(self, column: exp.Column) -> tuple[Mention, str] | None:
        """What a column mentions, and the table it is of."""
        table = self._aliases.get(column.table.lower(), column.table) if column.table else self._main
        found = self._vocabulary.mentions_of(column.name, table)
        return (found[0], table) if found else None

    def _column_attributes(self, node: Sql) -> list[str]:
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
        """A fresh reader for one attribute."""
        return Reader(
            self._attribute(attribute),
            self._vocabulary,
            self.find,
            self._lawful(attribute),
            data_set=self._data_set,
            codes=self._codes(attribute),
        )

    # ----------------------------------------------------------------------------------------------- clauses

    def _all_clauses(
        self, root: Sql, kind: str, selects: list[tuple[exp.Select, bool]]
    ) -> Iterator[Clause | None]:
        for select, negated in selects:
            yield from self._of_select(select, negated)
        yield from self._case_clauses(root, selects)
        yield from self._window_clauses(root, selects)
        if kind in {"update", "delete"}:
            where = root.args.get("where")
            if where is not None:
                yield from self._change_clauses(root, where)
                for inner, negated in subqueries(where, {}):
                    yield from self._of_select(inner, negated, deed="outcome")
        if isinstance(root, exp.Merge):
            for when in root.find_all(exp.When):
                test, then = when.args.get("condition"), when.args.get("then")
                if test is not None and isinstance(then, exp.Update | exp.Var):
                    yield from self._change_clauses(then, test)

    def _of_select(self, select: exp.Select, negated: bool, deed: str = "select") -> Iterator[Clause | None]:
        for name in ("where", "having", "qualify"):
            part = select.args.get(name)
            if part is not None:
                for attribute in self._column_attributes(part):
                    yield self._selection_clause(part, attribute, name.upper(), negated=negated, deed=deed)
        for join in select.args.get("joins") or ():
            test = join.args.get("on")
            if test is not None:
                yield from self._join_clauses(select, join, test)
        order = select.args.get("order")
        if order is not None and (has_row_limit(select) or has_row_limit(select.parent)):
            for key in order.expressions:
                for attribute in self._column_attributes(key):
                    reader = self.reader(attribute)
                    subject = reader.subject(key.this)
                    if subject is None and isinstance(key.this, exp.Predicate):
                        subject = self._first(key.this, reader)  # `ORDER BY gender = 'male' DESC`
                    if subject is not None:
                        yield Clause(subject, "ORDER BY", "rank")

    def _selection_clause(
        self, part: Sql, attribute: str, name: str, *, negated: bool = False, deed: str = "select"
    ) -> Clause | None:
        reader = self.reader(attribute)
        subject = self._first(part, reader)
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
        """Whether the condition names the values that a column may have: `gender IN ('M', 'F')`."""
        named = {reader.group(text) or text for text in reader.written}
        core = set(reader.attribute.core_groups)
        fare = {person: answers[person] for person in answers if person in named or person in core}
        listed = bool(core) and named >= set(reader.attribute.core_groups[:2])
        return listed and len({fare[person] for person in named if person in fare}) == 1

    def _first(self, part: Sql, reader: Reader) -> Subject | None:
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
        """A join to a table of points by group; other conditions of a join are as those of WHERE."""
        table = join.this.name if isinstance(join.this, exp.Table) else join.alias_or_name
        for attribute in self._column_attributes(test):
            reader = self.reader(attribute)
            subject = self._first(test, reader)
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
        """The column of points that comes with a joined table, if it holds some."""
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
        """What UPDATE or DELETE does to the people that a condition picks."""
        pairs = [pair for pair in change.expressions if isinstance(pair, exp.EQ)]
        for attribute in self._column_attributes(test):
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

    # ------------------------------------------------------------------------------------------------- cases

    def _case_clauses(self, root: Sql, selects: list[tuple[exp.Select, bool]]) -> Iterator[Clause | None]:
        live = {id(select) for select, _ in selects}
        for node in root.find_all(exp.Case, exp.If, exp.DecodeCase, exp.Mul):
            if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
                continue
            if isinstance(node, exp.Mul) and not isinstance(
                node.this.unnest() if isinstance(node.this, exp.Paren) else node.expression.unnest(),
                exp.Predicate,
            ):
                continue
            if any(isinstance(up, exp.Case | exp.If) for up in ancestors(node)):
                continue
            select = node.find_ancestor(exp.Select)
            if select is not None and id(select) not in live:
                continue
            if any(isinstance(up, exp.AggFunc | exp.Group | exp.Filter) for up in ancestors(node)):
                continue
            for attribute in self._column_attributes(node):
                yield self._case_clause(node, attribute)

    def _case_clause(self, node: Sql, attribute: str) -> Clause | None:
        reader = self.reader(attribute)
        subject = self._case_subject(node, reader)
        if subject is None:
            return None

        asked = _with_what_fills(node)

        def ask(world: dict[Sql, bool]) -> object:
            return [reader.amount(asked, person, world) for person in (None, *reader.people())]

        ask({})
        people = reader.people()
        best: dict[Person, float | str | None] = {}
        for world in worlds(ask):
            answers = {person: reader.amount(asked, person, dict(world)) for person in people}
            if len(set(answers.values())) > 1 and (
                not best or len(set(answers.values())) > len(set(best.values()))
            ):
                best = answers
        changed = None if best else self._given_back(node, reader)
        if not (best or changed) or not (reader.written or reader.cuts):
            return None
        whole, op, sign = clause_effects.application_of_amount(node)
        target, place = clause_effects.target(whole)
        clause = Clause(
            subject,
            "CASE",
            "points",
            groups=tuple(dict.fromkeys(reader.group(text) or text for text in reader.written)),
            target=target,
            written=tuple(reader.written),
            cut=bool(reader.cuts),
            place=place,
        )
        if changed is not None:
            return replace(clause, deed="points", points=changed)
        is_lost = not _has_null_default(asked, whole)
        return self._given(clause, best, reader, (op, sign), is_lost=is_lost)

    @staticmethod
    def _given(
        clause: Clause,
        best: Mapping[Person, float | str | None],
        reader: Reader,
        applied: tuple[PointsOp, float],
        *,
        is_lost: bool,
    ) -> Clause:
        """The clause with what each person gets; `is_lost` says that NULL makes the whole NULL."""
        op, sign = applied
        amounts = {person: value for person, value in best.items() if isinstance(value, float)}
        lacking = [person for person, value in best.items() if value is NULL]
        if amounts and len(amounts) + len(lacking) == len(best):
            scaled = {person: value * sign for person, value in amounts.items()}
            points = clause_effects.points(op, scaled, reader.attribute, lacking=lacking)
            return replace(clause, deed="points", points=replace(points, missing=is_lost and bool(lacking)))
        texts = tuple(
            dict.fromkeys(value for value in best.values() if isinstance(value, str) and value is not NULL)
        )
        if not texts:
            return clause
        outcomes = {
            person: repr(value) if isinstance(value, str) and value is not NULL else "NULL"
            for person, value in best.items()
        }
        shown = clause_effects.results_by_group(outcomes, reader.attribute)
        return replace(clause, deed="outcome", outcomes=shown, texts=texts)

    def _given_back(self, node: Sql, reader: Reader) -> GroupPoints | None:
        """What each group gets of a column that a CASE gives back changed:
        `CASE WHEN sex = 'M' THEN pay * 1.1 ELSE pay END`.
        """
        if (
            len({column.name for branch in _case_results(node) for column in branch.find_all(exp.Column)})
            != 1
        ):
            return None
        tables: list[dict[Person, float | str | None]] = []
        for reader.held in (0.0, 1.0):
            tables.append({person: reader.amount(node, person, {}) for person in reader.people()})
        reader.held = None
        added, held = tables
        factors = {
            person: value - base
            for person, base in added.items()
            if isinstance(base, float) and isinstance(value := held[person], float)
        }
        if len(factors) < len(added):
            return None
        amounts = {person: value for person, value in added.items() if isinstance(value, float)}
        if set(factors.values()) == {1.0} and len(set(amounts.values())) > 1:
            return clause_effects.points("add", amounts, reader.attribute)
        if set(amounts.values()) == {0.0} and len(set(factors.values())) > 1:
            rounded = {person: round(value, 10) for person, value in factors.items()}
            return clause_effects.points("multiply", rounded, reader.attribute)
        return None

    def _case_subject(self, node: Sql, reader: Reader) -> Subject | None:
        """The attribute where the branches ask for it, not where they give it back."""
        if isinstance(node, exp.Case) and node.this is not None:
            return reader.subject(node.this) or self._first(exp.Paren(this=node.this.copy()), reader)
        tests: list[Sql] = []
        if isinstance(node, exp.Case):
            tests = [branch.this for branch in node.args["ifs"]]
        elif isinstance(node, exp.DecodeCase):
            return reader.subject(node.expressions[0])
        else:
            tests = [node.this] if isinstance(node, exp.If) else [node.this, node.expression]
        for test in tests:
            if (subject := self._first_or_self(test, reader)) is not None:
                return subject
        return None

    def _first_or_self(self, test: Sql, reader: Reader) -> Subject | None:
        return reader.subject(test) or self._first(test, reader)

    # ----------------------------------------------------------------------------------------------- windows

    def _window_clauses(self, root: Sql, selects: list[tuple[exp.Select, bool]]) -> Iterator[Clause | None]:
        """A rank by an attribute, or within a group, with a cut at it."""
        ranks = [window for window in root.find_all(exp.Window) if isinstance(window.this, _RANKS)]
        if not ranks:
            return
        cuts = {
            column.name.lower()
            for select, _ in selects
            for name in ("where", "qualify", "having")
            if (part := select.args.get(name)) is not None
            for test in part.walk(prune=_is_comparison)
            if _is_comparison(test)
            for column in test.find_all(exp.Column)
        }
        for window in ranks:
            alias = window.parent.alias if isinstance(window.parent, exp.Alias) else ""
            if alias.lower() not in cuts and window.find_ancestor(exp.Qualify) is None:
                continue
            order = window.args.get("order")
            for key in order.expressions if order is not None else ():
                for attribute in self._column_attributes(key):
                    if (subject := self.reader(attribute).subject(key.this)) is not None:
                        yield Clause(subject, "ORDER BY", "rank")
            for key in window.args.get("partition_by") or ():
                for attribute in self._column_attributes(key):
                    if (subject := self.reader(attribute).subject(key)) is not None:
                        yield Clause(subject, "PARTITION BY", "share")


def _with_what_fills(node: Sql) -> Sql:
    """An amount with what stands in for it where it is NULL: `COALESCE(CASE ... END, 0)`."""
    while isinstance(up := node.parent, exp.Coalesce | exp.Paren | exp.Cast) and up.this is node:
        node = up
    return node


def _has_null_default(asked: Sql, whole: Sql) -> bool:
    """Whether something stands in for a whole sum where a part of it is NULL."""
    while asked is not whole and asked.parent is not None:
        asked = asked.parent
        if isinstance(asked, exp.Coalesce):
            return True
    return isinstance(whole, exp.Coalesce) and whole is not asked


# ---------------------------------------------------------------------------------------- the statement


def _kind_of_statement(root: Sql) -> tuple[str, str, Sql | None]:
    match root:
        case exp.Insert():
            return "insert", _table_name(root.this), argument(root, "expression")
        case exp.Create():
            return "create", _table_name(root.this), argument(root, "expression")
        case exp.Update():
            pairs = [pair.this.name for pair in root.expressions if isinstance(pair, exp.EQ)]
            return "update", ", ".join(pairs), None
        case exp.Delete():
            return "delete", _table_name(root.this), None
        case exp.Merge():
            return "merge", _table_name(root.this), None
        case exp.Query():
            into = root.args.get("into")
            return ("insert", _table_name(into.this), root) if into is not None else ("select", "", root)
        case _:
            return "other", "", None


def _table_name(node: object) -> str:
    if isinstance(node, exp.Schema):
        node = node.this
    return str(node.name) if isinstance(node, Sql) else ""


def _main_table(root: Sql, query: Sql | None, names: list[str], ctes: Mapping[str, Sql]) -> str:
    if query is None:
        return _table_name(root.this) or (names[0] if names else "")
    for select, _ in feeding(query, ctes):
        from_ = argument(select, "from")
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
    """Whether a condition falls away where nobody asked: `(:gender IS NULL OR gender = :gender)`."""
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


def _case_results(node: Sql) -> list[Sql]:
    """What a CASE gives back, branch by branch."""
    if not isinstance(node, exp.Case):
        return []
    given = [branch.args["true"] for branch in node.args["ifs"]]
    default = node.args.get("default")
    return given if default is None else [*given, default]


def _is_comparison(node: Sql) -> bool:
    return isinstance(node, exp.LT | exp.LTE | exp.EQ | exp.GT | exp.GTE | exp.Between)
