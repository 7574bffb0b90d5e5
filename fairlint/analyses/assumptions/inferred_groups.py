"""Guessed groups: where code works out a person's group from a name, a face or a voice."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from functools import partial
from itertools import islice

from fairlint.analyses.assumptions import answering_models as models
from fairlint.analyses.assumptions import asked_groups
from fairlint.analyses.assumptions.attribute_reads import Reader
from fairlint.analyses.assumptions.guess_sources import (
    OF_A_MODEL,
    OF_A_PLACE,
    OF_A_TITLE,
    OF_FIGURES,
    asked_by,
    is_call_with_effect,
    is_model_s,
    is_name,
    is_pronoun,
    lexicon,
    source_of,
)
from fairlint.analyses.assumptions.guessed_groups import (
    MOST_ARMS,
    assigned_group,
    group_in,
    group_of,
    group_of_name_list,
    groups_in_table,
    mentions_in,
)
from fairlint.analyses.assumptions.guessing_calls import InferredGroup, _guesses_of_call, guesses_what
from fairlint.semantics.names.library import Found
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import Const, Sequence, Table
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import split_words

LONGEST_BODY = 6
"""Statements of a branch in which a group is looked for."""
MOST_SHOWN = 3
"""Calls of a function that guesses that are shown."""


def guesses(reader: Reader) -> Iterator[InferredGroup]:
    """Yield all guesses of one file."""
    guesser = InferenceFinder(reader)
    loaded: list[InferredGroup] = []
    answered: set[str] = set()
    for guess in _in_order(guesser, reader):
        if guess.is_loaded:
            loaded.append(guess)
        else:
            answered.update([guess.read.mention.attribute] if guess.source == OF_A_MODEL else ())
            yield guess
    yield from (one for one in loaded if one.read.mention.attribute not in answered)


def _in_order(guesser: InferenceFinder, reader: Reader) -> Iterator[InferredGroup]:
    """Yield the guesses of each kind; what is found first keeps others from telling the same."""
    places = reader.syntax.places
    for node in places(tree.Call):
        for call in reader.calls(node):
            yield from _guesses_of_call(guesser, call)
    for branch in places(tree.If):
        if not branch.is_elif:
            yield from guesser.branches(branch)
    for choice in places(tree.Conditional):
        if not isinstance(reader.syntax.parent(choice), tree.Conditional):
            yield from guesser.choice(choice)
    for assign in places(tree.Assign):
        yield from guesser.column(assign)
    for index in places(tree.Index):
        yield from guesser.looked_up(index.index, index.value, index)
        yield from guesser.chosen_by_model(index)
    for loop in places(tree.Loop):
        yield from guesser.gone_through(loop)
    for text in places(tree.Literal):
        yield from guesser.address(text)
    for formatted in places(tree.Interpolation):
        yield from guesser.asked(formatted)
    for text in places(tree.Literal):
        yield from guesser.asked(text)
    for field in places(tree.Field):
        yield from guesser.handed(field)
    yield from guesser.answers(places(tree.Assign))
    for function in places(tree.Function):
        yield from guesser.definition(function)


class InferenceFinder:
    """Who is guessed to be what in one file."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.own = {function.name for function in reader.syntax.places(tree.Function)}
        self.told: set[str] = set()
        self._asks: bool | None = None
        self.data_told: dict[tuple[int, str], Node] = {}
        """By function and source, the call for data that was told."""
        self.inside: set[int] = set()
        self.starts: list[int] = []
        """What was told and where it starts, in order, so that what is around it need not be."""

    def _build_guess(
        self,
        attribute: str,
        node: Node,
        source: str,
        *steps: tuple[Node, str],
        group: str = "",
        found: Found | None = None,
        sure: bool = False,
        classes: bool = False,
        loaded: bool = False,
    ) -> Iterator[InferredGroup]:
        by_name = found is not None and found.by_name
        sure = sure or (found is not None and not by_name)
        if source == OF_A_MODEL and isinstance(node, tree.Call) and self._is_of_a_table(node):
            source = OF_FIGURES
        for read in self.reader.named(attribute, node):
            insort(self.starts, node.span.start)
            self.inside.add(id(node))
            yield InferredGroup(read, node, source, group, sure, by_name, classes, loaded, steps)

    def _is_told_in(self, node: Node) -> bool:
        """Return whether a guess was told that stands in a node."""
        at = bisect_left(self.starts, node.span.start)
        return at < len(self.starts) and self.starts[at] < node.span.end

    # --------------------------------------------------------------------------------------------- calls

    def _function_text(self, function: Node) -> str:
        return " ".join(self.reader.text(function).split())[:50]

    def handed(self, field: tree.Field) -> Iterator[InferredGroup]:
        """`names.apply(detector.get_gender)`."""
        call = self.reader.syntax.parent(field)
        if isinstance(call, tree.Call) and field in call.arguments:
            found = self.reader.method(field)
            if found is not None and (attribute := found.entry.given.get("attribute", "")):
                yield from self._build_guess(attribute, field, f"`{self._function_text(field)}`", found=found)

    def address(self, text: tree.Literal) -> Iterator[InferredGroup]:
        """`requests.get("https://api.genderize.io?name=...")`."""
        if not isinstance(text.value, str) or not models.is_address(text.value):
            return
        asking = " ".join(self._function_text(name) for name, _ in self._function_around(text))
        if (service := models.service_at(text.value, asking)) is not None:
            yield from self._build_guess(service.attribute, text, f"`{service.part}`", sure=True)

    def asked(self, text: tree.Literal | tree.Interpolation) -> Iterator[InferredGroup]:
        """`f"Guess the gender of {name}"`, where the file asks a language model, or a field of its answer."""
        if self.inside and any(id(outer) in self.inside for outer in self.reader.syntax.around(text)):
            return
        around = self.reader.syntax.parent(text)
        whole = around if isinstance(around, tree.Binary) else text
        if whole.span.end - whole.span.start < asked_groups.SHORTEST_ORDER:
            return
        is_asked = self._asks_models() or asked_groups.is_prompt(whole, self.reader)
        reads = asked_groups.attributes_in_orders(whole, self.reader) if is_asked else []
        if isinstance(text, tree.Literal):
            reads = reads or asked_groups.attributes_in_description(text, self.reader)
        for read in reads:
            yield from self._build_guess(read.mention.attribute, whole, "what a language model is asked")

    def _asks_models(self) -> bool:
        if self._asks is None:
            self._asks = any("asks model" in self.reader.does(call) for call in self.reader.facts.calls)
        return self._asks

    # ------------------------------------------------------------------------------------------- by hand

    def branches(self, branch: tree.If) -> Iterator[InferredGroup]:
        """`if name.endswith("a"): gender = "female"`."""
        current = branch
        for _ in range(MOST_ARMS):
            given = map(partial(assigned_group, self), current.then[:LONGEST_BODY])
            found = next(filter(None, given), None) or group_of_name_list(self, current.test)
            if found is not None:
                source, test = source_of(self, current.test)
                if source:
                    yield from self._guess_from_source(*found, test, source, current.test)
                    return
            if len(current.otherwise) != 1 or not isinstance(current.otherwise[0], tree.If):
                return
            current = current.otherwise[0]

    def choice(self, choice: tree.Conditional) -> Iterator[InferredGroup]:
        """`"female" if name.endswith("a") else "male"`."""
        source, test = self._source_or_model(choice.test)
        found = group_in(self, self.reader.values(choice.then), choice.then) if source else None
        if found is None and (called := self._guessed_name(choice.test)):
            found = group_of(self, mentions_in(self, split_words(called)), self.reader.values(choice.then))
            source = source or f"`{called}`"
        around = self.reader.syntax.parent(choice)
        if found is None and source and isinstance(around, tree.Assign):  # `gender = "F" if ... else "M"`
            found = group_of(self, self.reader.written(around.targets[0]), self.reader.values(choice.then))
        if found is not None:
            yield from self._guess_from_source(*found, test, source, choice.test)

    def _guessed_name(self, test: Node) -> str:
        """Return what a test asks about that is called a guess: `predicted_genders`."""
        for part in tree.walk(test):
            name = (
                (path_of(part) or "").rpartition(".")[2] if isinstance(part, tree.Name | tree.Field) else ""
            )
            if name and not lexicon()["guessed"].isdisjoint(split_words(name)):
                return name
        return ""

    def column(self, assign: tree.Assign) -> Iterator[InferredGroup]:
        """`df["hispanic"] = df["surname"].str.endswith("ez")`, by itself, in `np.where`, or under a mask."""
        target, value = assign.targets[0], assign.value
        if isinstance(target, tree.Collection) and isinstance(value, tree.Call) and assign.op is None:
            yield from self._guess_by_targets(target, value)
        if (
            value is None
            or assign.op is not None
            or not isinstance(target, tree.Index | tree.Field | tree.Name)
        ):
            return
        test: Node = value
        match target, value:
            case tree.Index(value=tree.Field(name="loc"), index=tree.Collection(items=(mask, name))), _:
                test, target = mask.value, name.value
            case _, tree.Call(arguments=(first, *_)) if is_call_with_effect(self, value, "chooses"):
                test = first
            case _, tree.Call() | tree.Compare() | tree.Binary() | tree.BoolOp() | tree.Unary():
                pass
            case _, tree.Index():  # `model.predict(rows)[0]`
                pass
            case _:
                return
        for read in self.reader.written(target):
            source, test = self._source_or_model(test)
            if not source and read.mention.form == "value" and self._is_called_a_guess(target, value):
                source, test = f"`{self._function_text(value)}`", value
            if source == OF_A_MODEL and not self._is_of_a_model(read.mention, value):
                continue
            if source == OF_A_PLACE and read.mention.attribute not in lexicon()["of_a_place"]:
                continue
            if read.mention.attribute in lexicon()["attributes"] and source:
                if self._is_told_in(value):
                    return
                yield from self._build_guess(
                    read.mention.attribute,
                    test,
                    source,
                    *self._function_around(test),
                    (target, "it is kept here"),
                    group=read.mention.group or "",
                )
                return

    def _guess_by_targets(self, target: tree.Collection, call: tree.Call) -> Iterator[InferredGroup]:
        """`age, gender = model.predict(photo)`; an age by itself may be one of anything."""
        found = [
            (item.value, read.mention) for item in target.items for read in self.reader.written(item.value)
        ]
        found = [(place, one) for place, one in found if one.attribute in lexicon()["attributes"]]
        if any(one.form == "value" and one.group is None for _, one in found) and self._asks_of_source(call):
            for place, mention in found:
                yield from self._build_guess(mention.attribute, call, OF_A_MODEL, (place, "it is kept here"))

    def _asks_of_source(self, call: tree.Call) -> bool:
        """Return whether a call gives what a model says, or guesses by its name from a face, a voice or a
        name.
        """
        verbs = lexicon()["verbs"] - lexicon()["prepositions"]
        given = {word for one in call.arguments for word in split_words(path_of(one) or "")}
        named = not verbs.isdisjoint(split_words(last_name(call.function) or ""))
        return is_model_s(self, call) or (named and not lexicon()["sources"].isdisjoint(given))

    def answers(self, assigns: list[tree.Assign]) -> Iterator[InferredGroup]:
        """`gender_pred = scores.argmax()`, where nothing tells what becomes of it."""
        quiet = [one for one in assigns if one.op is None and not self._is_told_around(one)]
        for one in quiet:
            if isinstance(one.value, tree.Call) and is_model_s(self, one.value):
                step = (one.targets[0], "it is kept here")
                for read in models.called_answer(one.targets[0], self.reader):
                    yield from self._build_guess(read.mention.attribute, one.value, OF_A_MODEL, step)

    def _is_told_around(self, node: Node) -> bool:
        scope = self.reader.syntax.scope_around(node)
        return bool(self.inside) if scope is None else self._is_told_in(scope)

    def _is_of_a_model(self, mention: Mention, value: Node) -> bool:
        """Return whether a model's answer may be somebody's group.

        It is none where what is missing is filled in, which is told by itself, of one group a figure, and a
        place in what names the attribute itself: `gender = people["gender"].iloc[place]`.
        """
        if mention.form != "value" or mention.group is not None:
            return False
        parts = tree.walk(value.value) if isinstance(value, tree.Index) else ()
        reads = (read.mention for part in parts for read in self.reader.written(part))
        return all(read.attribute != mention.attribute for read in reads)

    def _source_or_model(self, test: Node) -> tuple[str, Node]:
        """Return the same as `source_of`; a probability that stands by itself is a model's, too: `probs >
        0.5`.
        """
        source, place = source_of(self, test)
        if source or not isinstance(test, tree.Compare):
            return source, place
        likely = models.is_likelihood(test, self.reader, of_a_group=False)
        return (OF_A_MODEL if likely else ""), place

    def _is_called_a_guess(self, target: Node, value: Node) -> bool:
        """Return whether what is worked out is called `predicted_race`, or is a column of this name."""
        if not any(isinstance(part, tree.Call) for part in tree.walk(value)):
            return False
        called = path_of(target) or self.reader.text(target)
        called = called.rpartition("[")[2] or called
        return not lexicon()["guessed"].isdisjoint(split_words(called.rpartition(".")[2]))

    def _guess_from_source(
        self, attribute: str, group: str, node: Node, source: str, asked: Node
    ) -> Iterator[InferredGroup]:
        steps = self._function_around(node)
        if not inside(node, asked):
            steps = (*steps, (asked, "the groups are distinguished here"))
        yield from self._build_guess(attribute, node, source, *steps, group=group)

    def _function_around(self, node: Node) -> tuple[tuple[Node, str], ...]:
        """Return the name of the function that a guess is made in, as a step."""
        for outer in self.reader.syntax.around(node):
            if isinstance(outer, tree.Function) and outer.name:
                return ((tree.Name(outer.name_span, outer.name), "the function that guesses"),)
        return ()

    def looked_up(self, key: Node, base: Node, node: Node) -> Iterator[InferredGroup]:
        """`GENDER_OF_NAME[first_name]`, `title.map({"Mr": "male", "Mrs": "female"})`."""
        for table in self.reader.values(base):
            attribute, keys = groups_in_table(self, table, node)
            if not attribute or not isinstance(table, Table):
                continue
            spelt = (self.reader.groups_in(text) or self.reader.group_named(attribute, text) for text in keys)
            by_title = _are_titles(keys)
            by_name = is_name(self, key) or _is_called_after_names(base, keys)
            if by_title or (by_name and not any(spelt)):  # `{"M": "Male"}` spells out codes
                source = OF_A_TITLE if by_title else "a list of names"
                yield from self._build_guess(attribute, node, source, (table.node, "the table of guesses"))

    def gone_through(self, loop: tree.Loop) -> Iterator[InferredGroup]:
        """`for title, gender in {"Mr": "male", "Mrs": "female"}.items()`."""
        match loop:
            case tree.Loop(iterable=tree.Call(function=tree.Field(value=base)) as call):
                for table in self.reader.values(base):
                    attribute, keys = groups_in_table(self, table, call)
                    if attribute and isinstance(table, Table) and _are_titles(keys):
                        yield from self._build_guess(
                            attribute, call, OF_A_TITLE, (table.node, "the table of guesses")
                        )
            case _:
                pass

    def chosen_by_model(self, index: tree.Index) -> Iterator[InferredGroup]:
        """`["man", "woman"][scores.argmax()]`, `{0: "male", 1: "female"}[model.predict(x)[0]]`."""
        for base in self.reader.values(index.value)[:1]:
            match base:
                case Sequence(items=held):
                    pass
                case Table(entries=entries):
                    held = tuple(value for _, value in entries)
                case _:
                    return
            if any(id(one) in self.inside for one in self._answers_in(index.index)):
                return  # it was told itself: `gender_label = model.predict(face).argmax()`
            called = (path_of(index.value) or "").rpartition(".")[2]
            around = " ".join(
                node.id for node, _ in self._function_around(index) if isinstance(node, tree.Name)
            )
            attribute = models.groups_of_one(held, self.reader) or models.bands_of_age(
                held, f"{called} {around}", self.reader
            )
            if attribute and self._is_answer(index.index):
                step = (base.node, "the groups that it tells apart")
                yield from self._build_guess(attribute, index, OF_A_MODEL, step, classes=True)

    def _is_answer(self, node: Node) -> bool:
        """Return whether a place in a list is what a model says: the place of its highest score, or its
        answer.
        """
        return any(True for _ in self._answers_in(node))

    def _answers_in(self, node: Node) -> Iterator[tree.Call]:
        """Yield the calls behind an expression that give what a model says."""
        for part in asked_by(self, node):
            if isinstance(part, tree.Call) and is_model_s(self, part):
                yield part

    def _is_of_a_table(self, call: tree.Call) -> bool:
        """Whether the highest of some columns of a table is asked for which no model has made, by its name:
        `census[["white", "black"]].idxmax(axis=1)`.
        """
        match call.function:
            case tree.Field(value=tree.Index(value=table, index=index), name=name) if not (
                lexicon()["picks_class"].isdisjoint(split_words(name))
            ):
                listed = self.reader.values(index)[:1]
            case _:
                return False
        held = listed[0].items if listed and isinstance(listed[0], Sequence) else ()
        names = [one.value for one in held if isinstance(one, Const) and isinstance(one.value, str)]
        if not names or len(names) < len(held):
            return False
        words = split_words(path_of(table) or self.reader.text(table))
        if not (word_lists("features")["said"] | lexicon()["guessed"]).isdisjoint(words):
            return False
        named = (read.mention for name in names for read in self.reader.named(name, index))
        return not any(self.reader.is_of_people(table, mention) for mention in named)

    # ----------------------------------------------------------------------------------------- functions

    def definition(self, function: tree.Function) -> Iterator[InferredGroup]:
        """`def infer_gender(first_name)`, where nothing inside of it was told."""
        if self._is_told_in(function):
            return
        looked_at = [parameter.name for parameter in function.parameters]
        attribute = guesses_what(self, function.name, looked_at)
        if attribute and function.body:
            name = tree.Name(function.name_span, function.name)
            called = (
                one for one in self.reader.syntax.places(tree.Call) if last_name(one.function) == name.id
            )
            steps = [(one, "it is asked here") for one in islice(called, MOST_SHOWN)]
            yield from self._build_guess(attribute, name, f"`{function.name}`", *steps)


def _are_titles(keys: list[str]) -> bool:
    """Return whether a table goes by titles, of which some, as `Dr`, say nobody's group."""
    bare = [key.strip(" .,").lower() for key in keys]
    known = [key for key in bare if is_pronoun(key) or key in lexicon()["titles_sure"]]
    return bool(known) and all(key in lexicon()["titles"] or key in known for key in bare)


def _is_called_after_names(base: Node, keys: list[str]) -> bool:
    """Return whether a table says by its own name that its keys are people's names: `NAME_GENDER`."""
    words = split_words((path_of(base) or "").rpartition(".")[2])
    named = not {"name", "names"}.isdisjoint(words) and lexicon()["silent_tables"].isdisjoint(words)
    return named and all(len(key) > 1 and key.replace(" ", "").isalpha() for key in keys)
