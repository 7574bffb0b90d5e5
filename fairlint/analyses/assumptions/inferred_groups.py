"""Guessed groups: where code works out a person's group from a name, a face or a voice."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, pairwise

from fairlint.analyses.assumptions import answering_models as models
from fairlint.analyses.assumptions import asked_groups
from fairlint.analyses.assumptions.attribute_reads import Read, Reader
from fairlint.semantics.names.library import Found
from fairlint.semantics.names.syntax_index import NOWHERE
from fairlint.semantics.tables.column_names import some_names
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import Const, Sequence, Table, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import split_words

MOST_ARMS = 30
LONGEST_BODY = 6
"""Statements of a branch in which a group is looked for."""
MOST_SAID = 4
"""Words of a text that is printed and says somebody's group; longer ones may say anything of it."""
MOST_SHOWN = 3
"""Calls of a function that guesses that are shown."""
OF_A_MODEL = "what a model says"
OF_FIGURES = "the highest of a table's columns"
OF_A_PLACE = "where somebody lives"
OF_A_TITLE = "a pronoun or title"
OF_A_TEXT = "words in a text"


class InferredGroup(Record, eq=False):
    """One guess: whose attribute, where, from what, and which group, where the code says it itself."""

    read: Read
    node: Node
    source: str
    group: str = ""
    is_sure: bool = False
    """Whether a library does it that does nothing else."""
    is_by_name: bool = False
    """Whether nothing but its bare name says that it is of that library."""
    has_classes: bool = False
    """Whether the groups that a model tells apart are written out."""
    is_loaded: bool = False
    """Whether a model is loaded here, and nothing is said yet of its answer."""
    steps: tuple[tuple[Node, str], ...] = ()


lexicon = partial(word_lists, "inferred_groups")
"""The names and words of `inferred_groups.toml`."""


def guesses(reader: Reader) -> Iterator[InferredGroup]:
    """All guesses of one file."""
    guesser = _InferenceFinder(reader)
    loaded: list[InferredGroup] = []
    answered: set[str] = set()
    for guess in _in_order(guesser, reader):
        if guess.is_loaded:
            loaded.append(guess)
        else:
            answered.update([guess.read.mention.attribute] if guess.source == OF_A_MODEL else ())
            yield guess
    yield from (one for one in loaded if one.read.mention.attribute not in answered)


def _in_order(guesser: _InferenceFinder, reader: Reader) -> Iterator[InferredGroup]:
    """The guesses of each kind; what is found first keeps others from telling the same."""
    places = reader.syntax.places
    for node in places(tree.Call):
        for call in reader.calls(node):
            yield from guesser.call(call)
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


class _InferenceFinder:
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
        """Whether a guess was told that stands in a node."""
        at = bisect_left(self.starts, node.span.start)
        return at < len(self.starts) and self.starts[at] < node.span.end

    # --------------------------------------------------------------------------------------------- calls

    def call(self, call: Call) -> Iterator[InferredGroup]:
        """A call of a library, a service or a function that guesses."""
        node, does = call.node, self.reader.does(call)
        name = last_name(node.function)
        if "guesses" in does and (found := self.reader.known(call, "guesses")) is not None:
            yield from self._by_library(call, found)
        elif "names model" in does and (found := self.reader.known(call, "names model")) is not None:
            yield from self._guess_by_model_name(call, found)
        elif "loads model" in does:
            yield from self._guess_by_model_file(node)
        elif name and name not in self.own and name not in self.told:
            yield from self._by_name(node, name)
        yield from self._guess_by_classes(call)
        if isinstance(node.function, tree.Field) and call.arguments:
            if name == "get":
                yield from self.looked_up(node.arguments[0], node.function.value, node)
            if "applies" in does:
                yield from self.looked_up(node.function.value, node.arguments[0], node)

    def _function_text(self, function: Node) -> str:
        return " ".join(self.reader.text(function).split())[:50]

    def _by_library(self, call: Call, found: Found) -> Iterator[InferredGroup]:
        """What a library guesses: what its model says, what it is asked for, or what its result is read for.

        A name that nothing resolves has to say itself what is guessed.
        """
        node, source = call.node, f"`{self._function_text(call.node.function)}`"
        if self._is_told_data(call, source):
            return
        if attribute := found.entry.given.get("attribute", ""):
            said = {read.mention.attribute for read in self._mentions_in(split_words(found.entry.name))}
            if not found.by_name or attribute in said:
                yield from self._build_guess(attribute, node, source, found=found)
            return
        places = found.entry.places("argument")
        asked = [text for value in (call.given(places) if places else ()) for text in some_names(value)]
        about = [read for text in asked for read in self._asked_for(text, node)]
        step = "it is asked for"
        if not found.by_name and (not asked or any(text.value == "ALL" for text in asked)):
            about, step = [*self._asked_later(call)], "the guess is read here"
        for read in {read.mention.attribute: read for read in reversed(about)}.values():
            yield from self._build_guess(read.mention.attribute, node, source, (read.node, step), found=found)

    def _is_told_data(self, call: Call, source: str) -> bool:
        """Whether a call only gives data by which others guess, of which one speaks for all of its function:
        `names.words("male.txt")` looks at nobody.
        """
        given = [one.value if isinstance(one, tree.Literal) else None for one in call.node.arguments]
        if not given or not all(isinstance(one, str) and models.names_file(one) for one in given):
            return False
        scope = self.reader.syntax.scope_around(call.node)
        key = (id(scope), source)
        if key in self.data_told:
            return self.data_told[key] is not call.node
        self.data_told[key] = call.node
        return False

    def _asked_for(self, text: Const, node: Node) -> Iterator[Read]:
        """`"age,gender"` names two things."""
        for word in str(text.value).split(","):
            for read in self.reader.named(word.strip(), text.node or node):
                if read.mention.attribute in lexicon()["attributes"]:
                    yield read

    def _asked_later(self, call: Call) -> Iterator[Read]:
        """What the code reads out of what a call gave: `result["dominant_race"]`, `face.gender`."""
        facts, places = self.reader.facts, self.reader.syntax.places
        nodes: list[tree.Index | tree.Field] = [*places(tree.Index), *places(tree.Field)]
        for node in nodes:
            for read in self.reader.written(node):
                if read.mention.attribute in lexicon()["attributes"] and any(
                    one is call.value for value in facts.values_of(node.value) for one in facts.behind(value)
                ):
                    yield Read(read.mention, node)

    def handed(self, field: tree.Field) -> Iterator[InferredGroup]:
        """`names.apply(detector.get_gender)`."""
        call = self.reader.syntax.parent(field)
        if isinstance(call, tree.Call) and field in call.arguments:
            found = self.reader.method(field)
            if found is not None and (attribute := found.entry.given.get("attribute", "")):
                yield from self._build_guess(attribute, field, f"`{self._function_text(field)}`", found=found)

    def _guess_by_model_name(self, call: Call, found: Found) -> Iterator[InferredGroup]:
        """`pipeline("image-classification", model="someone/gender-classification")`."""
        for value in call.given(found.entry.places("argument")):
            for text in some_names(value)[:4]:
                model = str(text.value)
                if attribute := models.model_of(model, self.reader):
                    yield from self._build_guess(
                        attribute, call.node, f"the model `{model}`", found=found, loaded=True
                    )
                    return

    def _guess_by_model_file(self, node: tree.Call) -> Iterator[InferredGroup]:
        """`pickle.load(open("gender_model.pkl", "rb"))`."""
        for file in models.names_of_model_files(node.arguments[0], self.reader) if node.arguments else ():
            if attribute := models.model_of(file, self.reader, stored=True):
                yield from self._build_guess(attribute, node, f"the model `{file}`", loaded=True)
                return

    def _guess_by_classes(self, call: Call) -> Iterator[InferredGroup]:
        """`flow_from_directory("photos", classes=["men", "women"])`."""
        for key in lexicon()["class_keywords"] & call.keywords.keys():
            if attribute := models.groups_of_one(some_names(call.keywords[key]), self.reader):
                yield from self._build_guess(attribute, call.node, "what a model is taught")

    def _by_name(self, call: tree.Call, name: str) -> Iterator[InferredGroup]:
        """`guess_gender(first_name)` of some other file."""
        looked_at = [self.reader.text(one) for one in call.arguments[:3]]
        attribute = self._guesses_what(self._said_with_owner(call.function, name), looked_at)
        if attribute:
            self.told.add(name)
            yield from self._build_guess(attribute, call, f"`{self._function_text(call.function)}`")

    def _said_with_owner(self, function: Node, name: str) -> str:
        """The name of a function; where it is an attribute alone, behind its owner's: `classifier.gender`."""
        owner = last_name(function.value) if isinstance(function, tree.Field) else ""
        verbs = lexicon()["verbs"] - lexicon()["prepositions"]
        if not owner or verbs.isdisjoint(split_words(owner)) or not verbs.isdisjoint(split_words(name)):
            return name
        alone = all(any(True for _ in self._mentions_in((word,))) for word in split_words(name))
        return f"{owner}_{name}" if alone else name

    def _guesses_what(self, name: str, looked_at: Iterable[str]) -> str:
        """The attribute that a function guesses, by its name and what it is given."""
        words = lexicon()
        own = split_words(name)
        if not words["methods_race"].isdisjoint(own):
            return "race"
        if words["verbs"].isdisjoint(own) or not words["silent"].isdisjoint(own):
            return ""
        attribute = ""
        for read in self._mentions_in(own):
            if read.mention.attribute in lexicon()["attributes"] and read.mention.group is None:
                attribute = read.mention.attribute
        if not attribute:
            return ""
        seen = set(own)
        if not words["verbs"] & seen <= words["prepositions"]:
            seen |= {word for text in looked_at for word in split_words(text)}
        if attribute == "skin_color" and words["skin_told_apart"].isdisjoint(own):
            return ""  # where skin is in a picture, by its colour
        from_source = not words["sources"].isdisjoint(seen)
        sure = not words["verbs_sure"].isdisjoint(own) and attribute not in {"age", "race"}
        return attribute if from_source or sure else ""

    def _mentions_in(self, words: tuple[str, ...]) -> Iterator[Read]:
        """What the words of a name mention, by themselves and with the next one: `skin_tone`."""
        for word in (*words, *(f"{first}_{second}" for first, second in pairwise(words))):
            yield from self.reader.named(word, NOWHERE)

    def address(self, text: tree.Literal) -> Iterator[InferredGroup]:
        """`requests.get("https://api.genderize.io?name=...")`."""
        if not isinstance(text.value, str) or not models.is_address(text.value):
            return
        asking = " ".join(self._function_text(name) for name, _ in self._function_around(text))
        if (service := models.service_at(text.value, asking)) is not None:
            yield from self._build_guess(service[0], text, f"`{service[1]}`", sure=True)

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
            given = map(self._assigned_group, current.then[:LONGEST_BODY])
            found = next(filter(None, given), None) or self._group_of_name_list(current.test)
            if found is not None:
                source, test = self._source_of(current.test)
                if source:
                    yield from self._guess_from_source(*found, test, source, current.test)
                    return
            if len(current.otherwise) != 1 or not isinstance(current.otherwise[0], tree.If):
                return
            current = current.otherwise[0]

    def choice(self, choice: tree.Conditional) -> Iterator[InferredGroup]:
        """`"female" if name.endswith("a") else "male"`."""
        source, test = self._source_or_model(choice.test)
        found = self._group_in(self.reader.values(choice.then), choice.then) if source else None
        if found is None and (called := self._guessed_name(choice.test)):
            found = self._group_of(self._mentions_in(split_words(called)), self.reader.values(choice.then))
            source = source or f"`{called}`"
        around = self.reader.syntax.parent(choice)
        if found is None and source and isinstance(around, tree.Assign):  # `gender = "F" if ... else "M"`
            found = self._group_of(self.reader.written(around.targets[0]), self.reader.values(choice.then))
        if found is not None:
            yield from self._guess_from_source(*found, test, source, choice.test)

    def _guessed_name(self, test: Node) -> str:
        """What a test asks about that is called a guess: `predicted_genders`."""
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
            case _, tree.Call(arguments=(first, *_)) if self._is_call_with_effect(value, "chooses"):
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
        """Whether a call gives what a model says, or guesses by its name from a face, a voice or a name."""
        verbs = lexicon()["verbs"] - lexicon()["prepositions"]
        given = {word for one in call.arguments for word in split_words(path_of(one) or "")}
        named = not verbs.isdisjoint(split_words(last_name(call.function) or ""))
        return self._is_model_s(call) or (named and not lexicon()["sources"].isdisjoint(given))

    def answers(self, assigns: list[tree.Assign]) -> Iterator[InferredGroup]:
        """`gender_pred = scores.argmax()`, where nothing tells what becomes of it."""
        quiet = [one for one in assigns if one.op is None and not self._is_told_around(one)]
        for one in quiet:
            if isinstance(one.value, tree.Call) and self._is_model_s(one.value):
                step = (one.targets[0], "it is kept here")
                for read in models.called_answer(one.targets[0], self.reader):
                    yield from self._build_guess(read.mention.attribute, one.value, OF_A_MODEL, step)

    def _is_told_around(self, node: Node) -> bool:
        scope = self.reader.syntax.scope_around(node)
        return bool(self.inside) if scope is None else self._is_told_in(scope)

    def _is_of_a_model(self, mention: Mention, value: Node) -> bool:
        """Whether a model's answer may be somebody's group.

        It is none where what is missing is filled in, which is told by itself, of one group a figure, and a
        place in what names the attribute itself: `gender = people["gender"].iloc[place]`.
        """
        if mention.form != "value" or mention.group is not None:
            return False
        parts = tree.walk(value.value) if isinstance(value, tree.Index) else ()
        reads = (read.mention for part in parts for read in self.reader.written(part))
        return all(read.attribute != mention.attribute for read in reads)

    def _source_or_model(self, test: Node) -> tuple[str, Node]:
        """The same as `_source_of`; a probability that stands by itself is a model's, too: `probs > 0.5`."""
        source, place = self._source_of(test)
        if source or not isinstance(test, tree.Compare):
            return source, place
        likely = models.is_likelihood(test, self.reader, of_a_group=False)
        return (OF_A_MODEL if likely else ""), place

    def _is_called_a_guess(self, target: Node, value: Node) -> bool:
        """Whether what is worked out is called `predicted_race`, or is a column of this name."""
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
        """The name of the function that a guess is made in, as a step."""
        for outer in self.reader.syntax.around(node):
            if isinstance(outer, tree.Function) and outer.name:
                return ((tree.Name(outer.name_span, outer.name), "the function that guesses"),)
        return ()

    def _assigned_group(self, part: Node) -> tuple[str, str] | None:
        """The attribute and group that a statement gives: `gender = "female"`, `return "female"`."""
        match part:
            case tree.Return(value=value) if value is not None:
                return self._group_in(self.reader.values(value), value)
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                values = self.reader.values(value)
                found = self._group_of(self.reader.written(target), values)
                return found or self._group_in(values, value)
            case tree.Expression(value=tree.Call(arguments=(first, *_)) as call) if self._is_call_with_effect(
                call, "shows"
            ):
                said = self.reader.values(first)
                return self._group_in(said, first) or self._group_in_words(said)
            case _:
                return None

    def _group_in_words(self, values: Iterable[Value]) -> tuple[str, str] | None:
        """The group that a few words name: `"Detected: MALE"`."""
        for value in values:
            text = value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
            words = re.findall(r"[A-Za-z]+", text)
            for word in words if len(words) <= MOST_SAID else ():
                for attribute, group in self.reader.groups_in(word):
                    if attribute in lexicon()["attributes"]:
                        return attribute, group
        return None

    def _group_of_name_list(self, test: Node) -> tuple[str, str] | None:
        """The group whose names a list holds: `if first in FEMALE_NAMES`."""
        match test:
            case tree.Compare(op="in", left=left, right=right) if self._is_name(left):
                words = split_words(path_of(right) or "")
                if {"names", "name"}.isdisjoint(words):
                    return None
                groups = (pair for word in words for pair in self.reader.groups_in(word))
                return next((pair for pair in groups if pair[0] in lexicon()["attributes"]), None)
            case _:
                return None

    def _group_in(self, values: Iterable[Value], node: Node) -> tuple[str, str] | None:
        """The group that a text or the first part of a tuple names, by itself or for the function around."""
        first = [_first_part(value) for value in values]
        for value in first:
            text = value.value if isinstance(value, Const) else None
            for attribute, group in self.reader.groups_in(text) if isinstance(text, str) else ():
                if attribute in lexicon()["attributes"]:
                    return attribute, group
        for outer in self.reader.syntax.around(node):
            if isinstance(outer, tree.Function):
                return self._group_of(self._mentions_in(split_words(outer.name)), first)
        return None

    def _group_of(self, reads: Iterable[Read], values: Iterable[Value]) -> tuple[str, str] | None:
        """The group of one of some attributes that a value is."""
        known = list(values)
        for read in reads:
            attribute = read.mention.attribute
            groups = (self.reader.group_of(attribute, value) for value in known)
            group = next((one for one in groups if one is not None), None)
            if attribute in lexicon()["attributes"] and self.reader.is_somebody(attribute, group):
                return attribute, group or ""
        return None

    def _source_of(self, test: Node) -> tuple[str, Node]:
        """What a test looks at that tells nobody's group, the end of a name, a pitch, a pronoun, and where it
        does so: in the test itself, or where its variable is given a value.
        """
        for part in self._asked_by(test):
            if source := self._told_by(part):
                return source, test if inside(part, test) else part
        return "", test

    def _asked_by(self, test: Node) -> Iterator[Node]:
        """The parts of a test, and the calls and comparisons that its variables come from."""
        facts = self.reader.facts
        for part in tree.walk(test):
            yield part
            for value in self.reader.values(part) if isinstance(part, tree.Name | tree.Index) else ():
                places = map(facts.place_of, facts.behind(value))
                yield from (place for place in places if isinstance(place, tree.Call | tree.Compare))

    def _told_by(self, part: Node) -> str:
        words, names = lexicon(), self.reader.names
        match part:
            case tree.Call() if self._is_model_s(part):
                return OF_A_MODEL
            case tree.Call(function=tree.Field(value=value), arguments=(_, *_)) if self._is_call_with_effect(
                part, "applies"
            ):
                return self._looked_up_by(value)
            case tree.Call(function=tree.Field(name=name, value=value)) if name in words[
                "looks_at_letters"
            ] and self._is_name(value):
                return "the letters of a name"
            case tree.Call(function=tree.Field(value=value)) if self._is_call_with_effect(
                part, "compares", "in"
            ) and self._is_name(value):
                return "a list of names"
            case tree.Call(function=tree.Field(name=name), arguments=(*first, value)) if (
                name in words["looks_for_pattern"]
            ):
                said = [text for one in first for text in names(one)]
                return "the letters of a name" if self._is_name(value) else self._said_in(said, value)
            case tree.Compare(op="in" | "==" as op, left=left, right=right) if self._is_name(left):
                if isinstance(left, tree.Index) or self._is_letter(left, right, op):
                    return "the letters of a name"
                return "a list of names" if self._lists_names(right) else ""
            case tree.Compare(op="<" | "<=" | ">" | ">="):
                return self._measurement_source(part)
            case tree.Compare(op="in" | "==" as op, left=left, right=right):
                said = names(left) or names(right)
                return (
                    _source_if_pronouns(said)
                    or self._said_in(said, right if op == "in" else None)
                    or self._appearance_source(part)
                )
            case tree.Call(arguments=(tree.Comprehension() as over,)) if self._is_call_with_effect(
                part, "asks of all"
            ):
                return self._said_one_by_one(over)
            case _:
                return ""

    def _measurement_source(self, test: tree.Compare) -> str:
        """What a number was measured from that a test compares: how likely it is, or how high a voice is."""
        if models.is_likelihood(test, self.reader):
            return OF_A_MODEL
        called = {word for side in (test.left, test.right) for word in self._words_of(side)}
        if called & lexicon()["sources_pitch"]:
            return "the pitch of a voice"
        if looks := self._appearance_source(test):
            return looks
        return self._measured_by([*self.reader.values(test.left), *self.reader.values(test.right)])

    def _appearance_source(self, test: tree.Compare) -> str:
        """Whether it is asked how somebody looks: `hair_style == "long"`."""
        words = {word for side in (test.left, test.right) for word in self._words_of(side)}
        return "" if words.isdisjoint(lexicon()["sources_looks"]) else "how somebody looks"

    def _said_one_by_one(self, over: tree.Comprehension) -> str:
        """`any(word in text for word in ["she", "her"])`."""
        said = [text for one in over.generators for text in self.reader.names(one.iterable)]
        asked = over.element
        subject = asked.right if isinstance(asked, tree.Compare) and asked.op == "in" else None
        if subject is not None and self._is_name(subject):
            return "the letters of a name"
        return _source_if_pronouns(said) or self._said_in(said, subject)

    def _said_in(self, said: list[Const], subject: Node | None) -> str:
        """Whether words for a group are looked for in what somebody has said or written."""
        if subject is None or lexicon()["sources_said"].isdisjoint(self._words_of(subject)):
            return ""
        words = [word for text in said for word in re.findall(r"[A-Za-z]{3,}", str(text.value))]
        named = (pair for word in words for pair in self.reader.groups_in(word))
        return OF_A_TEXT if any(pair[0] in lexicon()["attributes"] for pair in named) else ""

    def _looked_up_by(self, subject: Node) -> str:
        """What a column is looked up by that tells nobody's group: a surname, or where somebody lives."""
        called = self._words_of(subject)
        if not lexicon()["sources_place"].isdisjoint(called):
            return OF_A_PLACE
        return "a list of names" if not lexicon()["sources_surname"].isdisjoint(called) else ""

    def _measured_by(self, values: list[Value]) -> str:
        """What numbers were measured from that are compared: the pitch of a voice, pronouns in a text."""
        facts = self.reader.facts
        behind = [one for value in values for part in walk(value) for one in facts.behind(part)]
        calls = [call for one in behind if (call := facts.call_giving(one)) is not None]
        for call in calls:
            called = {word for one in call.node.arguments for word in _words_in(path_of(one) or "")}
            called.update(_words_in(call.name))
            if not called.isdisjoint(lexicon()["measures_pitch"]):
                return "the pitch of a voice"
        counted = [one for call in calls if call.name.endswith("count") for one in call.arguments]
        return _source_if_pronouns([one for one in counted if isinstance(one, Const)])

    def _is_call_with_effect(self, node: Node, does: str, op: str = "") -> bool:
        """Whether an expression is a call that does something, by an operator where one is asked for."""
        calls = self.reader.calls(node) if isinstance(node, tree.Call) else ()
        known = [self.reader.known(call, does) for call in calls if does in self.reader.does(call)]
        return any(one is not None and op in {"", one.entry.given.get("op")} for one in known)

    def _words_of(self, node: Node) -> set[str]:
        """The words that a value goes by: those of a variable, and of the field or column that it holds."""
        places = map(self.reader.facts.place_of, self.reader.values(node))
        written = (node, *(_without_methods(place) for place in places if place is not None))
        called = [path_of(one) or "" for one in written]
        called += [
            str(name.value)
            for one in written
            if isinstance(one, tree.Index)
            for name in self.reader.names(one.index)
        ]
        return {word for name in called for word in _words_in(name.rpartition(".")[2])}

    def _is_name(self, node: Node) -> bool:
        """Whether an expression is a person's name, or a letter of it."""
        while True:
            match node:
                case tree.Call(function=tree.Field(value=inner)) | tree.Field(name="str", value=inner):
                    node = inner
                case tree.Index(value=tree.Field(name="str", value=inner)):  # `df["name"].str[-1]`
                    node = inner
                case tree.Index(value=inner, index=index) if not self.reader.names(index):
                    node = inner
                case _:
                    return not lexicon()["sources_name"].isdisjoint(self._words_of(node))

    def _is_letter(self, left: Node, right: Node, op: str) -> bool:
        """Whether a variable that holds a part of a name is compared with letters: `end = name[-1]`."""
        if not lexicon()["sources_name"].isdisjoint(split_words(path_of(left) or "")):
            return False  # the name as a whole
        values = self.reader.values(right)
        texts = [value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)]
        known = bool(texts) and len(texts) == len(values)
        return known and (op == "in" or all(len(text) == 1 and not text.isdigit() for text in texts))

    def _lists_names(self, node: Node) -> bool:
        """Whether a list is one of names of a group, by its own name or by what stands in it."""
        words = split_words(path_of(node) or "")
        if not {"names", "name"}.isdisjoint(words):
            return True
        return any(
            self.reader.groups_in(word) or self.reader.groups_in(word.removesuffix("s")) for word in words
        ) or (len(self.reader.names(node)) > 1)

    def looked_up(self, key: Node, base: Node, node: Node) -> Iterator[InferredGroup]:
        """`GENDER_OF_NAME[first_name]`, `title.map({"Mr": "male", "Mrs": "female"})`."""
        for table in self.reader.values(base):
            attribute, keys = self._groups_in_table(table, node)
            if not attribute or not isinstance(table, Table):
                continue
            spelt = (self.reader.groups_in(text) or self.reader.group_named(attribute, text) for text in keys)
            by_title = _are_titles(keys)
            by_name = self._is_name(key) or _is_called_after_names(base, keys)
            if by_title or (by_name and not any(spelt)):  # `{"M": "Male"}` spells out codes
                source = OF_A_TITLE if by_title else "a list of names"
                yield from self._build_guess(attribute, node, source, (table.node, "the table of guesses"))

    def gone_through(self, loop: tree.Loop) -> Iterator[InferredGroup]:
        """`for title, gender in {"Mr": "male", "Mrs": "female"}.items()`."""
        match loop:
            case tree.Loop(iterable=tree.Call(function=tree.Field(value=base)) as call):
                for table in self.reader.values(base):
                    attribute, keys = self._groups_in_table(table, call)
                    if attribute and isinstance(table, Table) and _are_titles(keys):
                        yield from self._build_guess(
                            attribute, call, OF_A_TITLE, (table.node, "the table of guesses")
                        )
            case _:
                pass

    def _groups_in_table(self, table: Value, node: Node) -> tuple[str, list[str]]:
        """The attribute whose groups a table holds, of which all are one's, and its keys."""
        if not isinstance(table, Table) or len(table.entries) < 2:
            return "", []
        found = [self._group_in([value], node) for _, value in table.entries[:MOST_ARMS]]
        first = found[0]
        if first is None or any(one is None or one[0] != first[0] for one in found):
            return "", []
        return first[0], [str(one.value) for one, _ in table.entries if isinstance(one, Const)]

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
        """Whether a place in a list is what a model says: the place of its highest score, or its answer."""
        return any(True for _ in self._answers_in(node))

    def _answers_in(self, node: Node) -> Iterator[tree.Call]:
        """The calls behind an expression that give what a model says."""
        for part in self._asked_by(node):
            if isinstance(part, tree.Call) and self._is_model_s(part):
                yield part

    def _is_model_s(self, call: tree.Call) -> bool:
        """Whether a call gives what a model says, or the likeliest of several."""
        words = split_words(last_name(call.function) or "")
        return not lexicon()["picks_class"].isdisjoint(words) or self._is_call_with_effect(call, "predicts")

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
        attribute = self._guesses_what(function.name, looked_at)
        if attribute and function.body:
            name = tree.Name(function.name_span, function.name)
            called = (
                one for one in self.reader.syntax.places(tree.Call) if last_name(one.function) == name.id
            )
            steps = [(one, "it is asked here") for one in islice(called, MOST_SHOWN)]
            yield from self._build_guess(attribute, name, f"`{function.name}`", *steps)


def _without_methods(node: Node) -> Node:
    """What methods are called on that are given constants at most: `name` of `(name or "").strip()`."""
    while True:
        match node:
            case tree.Call(function=tree.Field(value=inner), arguments=given) if all(
                isinstance(one, tree.Literal) for one in given
            ):
                node = inner
            case tree.BoolOp(op="or", values=(inner, tree.Literal())):
                node = inner
            case _:
                return node


def _words_in(name: str) -> set[str]:
    """The words of a name, by themselves and with the next one: `f0`, `first_name`."""
    words = split_words(name)
    return {*words, *(first + second for first, second in pairwise(words))}


def _source_if_pronouns(names: list[Const]) -> str:
    is_told = bool(names) and all(_is_pronoun(str(name.value)) for name in names)
    return OF_A_TITLE if is_told else ""


def _are_titles(keys: list[str]) -> bool:
    """Whether a table goes by titles, of which some, as `Dr`, say nobody's group."""
    bare = [key.strip(" .,").lower() for key in keys]
    known = [key for key in bare if _is_pronoun(key) or key in lexicon()["titles_sure"]]
    return bool(known) and all(key in lexicon()["titles"] or key in known for key in bare)


def _is_called_after_names(base: Node, keys: list[str]) -> bool:
    """Whether a table says by its own name that its keys are people's names: `NAME_GENDER`."""
    words = split_words((path_of(base) or "").rpartition(".")[2])
    named = not {"name", "names"}.isdisjoint(words) and lexicon()["silent_tables"].isdisjoint(words)
    return named and all(len(key) > 1 and key.replace(" ", "").isalpha() for key in keys)


def _first_part(value: Value) -> Value:
    match value:
        case Sequence(items=(first, *_)) | Table(entries=((_, first), *_)):
            return first
        case _:
            return value


def _is_pronoun(text: str) -> bool:
    words = lexicon()
    bare = text.strip(" .,").lower()
    return bare in words["pronouns_male"] or bare in words["pronouns_female"]
