"""Guessed groups: where code works out a person's group from a name, a face or a voice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from fairlint.lexicon.load import word_lists
from fairlint.lexicon.words import split_words
from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.records import Record
from fairlint.semantics.facts import Call
from fairlint.semantics.library import Found
from fairlint.semantics.paths import last_name, path_of
from fairlint.semantics.syntax_index import NOWHERE
from fairlint.semantics.tables.columns import some_names
from fairlint.semantics.values import Const, Sequence, Table, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

MOST_ARMS = 30
LONGEST_BODY = 6
"""Statements of a branch in which a group is looked for."""
LONGEST_NAME = 120
"""Longer texts name no model."""


class Guess(Record, eq=False):
    """One guess: whose attribute, where, from what, and which group, where the code says it itself."""

    read: Read
    node: Node
    source: str
    group: str = ""
    is_sure: bool = False
    """Whether a library does it that does nothing else."""
    is_by_name: bool = False
    """Whether nothing but its bare name says that it is of that library."""
    steps: tuple[tuple[Node, str], ...] = ()


lexicon = partial(word_lists, "inferred_groups")
"""The names and words of `inferred_groups.toml`."""


def guesses(reader: Reader) -> Iterator[Guess]:
    """All guesses of one file."""
    guesser, places = _Guesser(reader), reader.syntax.places
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
        yield from guesser.looked_up(index.index, reader.values(index.value), index)
    for text in places(tree.Literal):
        yield from guesser.address(text)
    for field in places(tree.Field):
        yield from guesser.handed(field)
    for function in places(tree.Function):
        yield from guesser.definition(function)


class _Guesser:
    """Who is guessed to be what in one file."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.own = {function.name for function in reader.syntax.places(tree.Function)}
        self.told: set[str] = set()
        self.inside: list[Node] = []
        """What was told, so that the function around it need not be."""

    def _guess(
        self,
        attribute: str,
        node: Node,
        source: str,
        *steps: tuple[Node, str],
        group: str = "",
        found: Found | None = None,
        sure: bool = False,
    ) -> Iterator[Guess]:
        by_name = found is not None and found.by_name
        sure = sure or (found is not None and not by_name)
        for read in self.reader.named(attribute, node):
            self.inside.append(node)
            yield Guess(read, node, source, group, sure, by_name, steps)

    # --------------------------------------------------------------------------------------------- calls

    def call(self, call: Call) -> Iterator[Guess]:
        """A call of a library, a service or a function that guesses."""
        node, does = call.node, self.reader.does(call)
        name = last_name(node.function)
        if "guesses" in does and (found := self.reader.known(call, "guesses")) is not None:
            yield from self._by_library(call, found)
        elif "names model" in does and (found := self.reader.known(call, "names model")) is not None:
            yield from self._loaded(call, found)
        elif name and name not in self.own and name not in self.told:
            yield from self._by_name(node, name)
        if isinstance(node.function, tree.Field) and call.arguments:
            if name == "get":
                base = [] if call.receiver is None else [call.receiver]
                yield from self.looked_up(node.arguments[0], base, node)
            if "applies" in does:
                yield from self.looked_up(node.function.value, call.arguments[:1], node)

    def _shown(self, function: Node) -> str:
        return " ".join(self.reader.text(function).split())[:50]

    def _by_library(self, call: Call, found: Found) -> Iterator[Guess]:
        """What a library guesses: what its model says, what it is asked for, or what its result is read for.

        A name that nothing resolves has to say itself what is guessed.
        """
        node, source = call.node, f"`{self._shown(call.node.function)}`"
        if attribute := found.entry.given.get("attribute", ""):
            said = {read.mention.attribute for read in self._mentions_in(split_words(found.entry.name))}
            if not found.by_name or attribute in said:
                yield from self._guess(attribute, node, source, found=found)
            return
        places = found.entry.places("argument")
        asked = [text for value in (call.given(places) if places else ()) for text in some_names(value)]
        about = [read for text in asked for read in self._asked_for(text, node)]
        step = "it is asked for"
        if not found.by_name and (not asked or any(text.value == "ALL" for text in asked)):
            about, step = [*self._asked_later(call)], "the guess is read here"
        for read in {read.mention.attribute: read for read in reversed(about)}.values():
            yield from self._guess(read.mention.attribute, node, source, (read.node, step), found=found)

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

    def handed(self, field: tree.Field) -> Iterator[Guess]:
        """`names.apply(detector.get_gender)`."""
        call = self.reader.syntax.parent(field)
        if isinstance(call, tree.Call) and field in call.arguments:
            found = self.reader.method(field)
            if found is not None and (attribute := found.entry.given.get("attribute", "")):
                yield from self._guess(attribute, field, f"`{self._shown(field)}`", found=found)

    def _loaded(self, call: Call, found: Found) -> Iterator[Guess]:
        """`pipeline("image-classification", model="someone/gender-classification")`."""
        for value in call.given(found.entry.places("argument")):
            for text in some_names(value)[:4]:
                model = str(text.value)
                if attribute := self._model_of(model):
                    yield from self._guess(attribute, call.node, f"the model `{model}`", found=found)
                    return

    def _model_of(self, text: str) -> str:
        """What a model's name or file says that it guesses."""
        if len(text) > LONGEST_NAME or " " in text:
            return ""
        for word in split_words(text.rpartition("/")[2]):
            if word in lexicon()["models_race"]:
                return "race"
            for read in self.reader.named(word, NOWHERE):
                if read.mention.attribute in lexicon()["attributes"] and read.mention.group is None:
                    return read.mention.attribute
        return ""

    def _by_name(self, call: tree.Call, name: str) -> Iterator[Guess]:
        """`guess_gender(first_name)` of some other file."""
        attribute = self._guesses_what(name, [self.reader.text(one) for one in call.arguments[:3]])
        if attribute:
            self.told.add(name)
            yield from self._guess(attribute, call, f"`{self._shown(call.function)}`")

    def _guesses_what(self, name: str, looked_at: Iterable[str]) -> str:
        """The attribute that a function guesses, by its name and what it is given."""
        words = lexicon()
        own = split_words(name)
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
        from_source = not words["sources"].isdisjoint(seen)
        sure = not words["verbs_sure"].isdisjoint(own) and attribute not in {"age", "race"}
        return attribute if from_source or sure else ""

    def _mentions_in(self, words: tuple[str, ...]) -> Iterator[Read]:
        for word in words:
            yield from self.reader.named(word, NOWHERE)

    def address(self, text: tree.Literal) -> Iterator[Guess]:
        """`requests.get("https://api.genderize.io?name=...")`."""
        value = text.value
        if not isinstance(value, str) or len(value) > LONGEST_NAME * 2 or "." not in value:
            return
        lowered = value.lower()
        if "://" not in lowered and not lowered.startswith("api."):
            return
        for attribute in ("age", "national_origin", "gender"):
            for part in lexicon()[f"urls_{attribute}"]:
                if part in lowered:
                    yield from self._guess(attribute, text, f"`{part}`", sure=True)
                    return

    # ------------------------------------------------------------------------------------------- by hand

    def branches(self, branch: tree.If) -> Iterator[Guess]:
        """`if name.endswith("a"): gender = "female"`."""
        current = branch
        for _ in range(MOST_ARMS):
            given = map(self._group_given, current.then[:LONGEST_BODY])
            if (found := next(filter(None, given), None)) is not None:
                source, test = self._source_of(current.test)
                if source:
                    yield from self._derived(*found, test, source)
                    return
            if len(current.otherwise) != 1 or not isinstance(current.otherwise[0], tree.If):
                return
            current = current.otherwise[0]

    def choice(self, choice: tree.Conditional) -> Iterator[Guess]:
        """`"female" if name.endswith("a") else "male"`."""
        source, test = self._source_of(choice.test)
        if source:
            found = self._group_in(self.reader.values(choice.then), choice.then)
            if found is not None:
                yield from self._derived(*found, test, source)

    def column(self, assign: tree.Assign) -> Iterator[Guess]:
        """`df["hispanic"] = df["surname"].str.endswith("ez")`, by itself, in `np.where`, or under a mask."""
        target, value = assign.targets[0], assign.value
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
            case _, tree.Call(arguments=(first, *_)) if self._does(value, "chooses"):
                test = first
            case _, tree.Call() | tree.Compare() | tree.Binary() | tree.BoolOp() | tree.Unary():
                pass
            case _:
                return
        for read in self.reader.written(target):
            source, test = self._source_of(test)
            if read.mention.attribute in lexicon()["attributes"] and source:
                yield from self._guess(
                    read.mention.attribute,
                    test,
                    source,
                    (target, "it is kept here"),
                    group=read.mention.group or "",
                )
                return

    def _derived(self, attribute: str, group: str, test: Node, source: str) -> Iterator[Guess]:
        steps: tuple[tuple[Node, str], ...] = ()
        for outer in self.reader.syntax.around(test):
            if isinstance(outer, tree.Function):
                name = tree.Name(outer.name_span, outer.name)
                steps = ((name, "the function that guesses"),) if outer.name else ()
                break
        yield from self._guess(attribute, test, source, *steps, group=group)

    def _group_given(self, part: Node) -> tuple[str, str] | None:
        """The attribute and group that a statement gives: `gender = "female"`, `return "female"`."""
        match part:
            case tree.Return(value=value) if value is not None:
                return self._group_in(self.reader.values(value), value)
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                values = self.reader.values(value)
                found = self._group_of(self.reader.written(target), values)
                return found or self._group_in(values, value)
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
            for value in self.reader.values(part) if isinstance(part, tree.Name) else ():
                places = map(facts.place_of, facts.behind(value))
                yield from (place for place in places if isinstance(place, tree.Call | tree.Compare))

    def _told_by(self, part: Node) -> str:
        words, names = lexicon(), self.reader.names
        match part:
            case tree.Call(function=tree.Field(name=name, value=value)) if name in words[
                "looks_at_letters"
            ] and self._is_name(value):
                return "the letters of a name"
            case tree.Call(function=tree.Field(value=value)) if self._does(
                part, "compares", "in"
            ) and self._is_name(value):
                return "a list of names"
            case tree.Call(function=tree.Field(name=name), arguments=(*_, value)) if name in words[
                "looks_for_pattern"
            ] and self._is_name(value):
                return "the letters of a name"
            case tree.Compare(op="in" | "==" as op, left=left, right=right) if self._is_name(left):
                if isinstance(left, tree.Index) or self._is_letter(left, right, op):
                    return "the letters of a name"
                return "a list of names" if self._lists_names(right) else ""
            case tree.Compare(op="<" | "<=" | ">" | ">=", left=left, right=right):
                called = {word for side in (left, right) for word in self._words_of(side)}
                return "the pitch of a voice" if called & words["sources_pitch"] else ""
            case tree.Compare(op="in" | "==", left=left, right=right):
                return _pronouns(names(left) or names(right))
            case tree.Call(arguments=(tree.Comprehension() as over,)) if self._does(part, "asks of all"):
                return _pronouns([text for one in over.generators for text in names(one.iterable)])
            case _:
                return ""

    def _does(self, node: Node, does: str, op: str = "") -> bool:
        """Whether an expression is a call that does something, by an operator where one is asked for."""
        calls = self.reader.calls(node) if isinstance(node, tree.Call) else ()
        known = [self.reader.known(call, does) for call in calls if does in self.reader.does(call)]
        return any(one is not None and op in {"", one.entry.given.get("op")} for one in known)

    def _words_of(self, node: Node) -> set[str]:
        """The words that a value goes by: those of a variable, and of the field or column that it holds."""
        places = map(self.reader.facts.place_of, self.reader.values(node))
        written = (node, *(place for place in places if place is not None))
        called = [path_of(one) or "" for one in written]
        called += [
            str(name.value)
            for one in written
            if isinstance(one, tree.Index)
            for name in self.reader.names(one.index)
        ]
        return {word for name in called for word in split_words(name.rpartition(".")[2])}

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
        return known and (op == "in" or all(len(text) == 1 for text in texts))

    def _lists_names(self, node: Node) -> bool:
        """Whether a list is one of names of a group, by its own name or by what stands in it."""
        words = split_words(path_of(node) or "")
        if not {"names", "name"}.isdisjoint(words):
            return True
        return any(
            self.reader.groups_in(word) or self.reader.groups_in(word.removesuffix("s")) for word in words
        ) or (len(self.reader.names(node)) > 1)

    def looked_up(self, key: Node, bases: Iterable[Value], node: Node) -> Iterator[Guess]:
        """`GENDER_OF_NAME[first_name]`, `title.map({"Mr": "male", "Mrs": "female"})`."""
        for table in bases:
            if not isinstance(table, Table) or len(table.entries) < 2:
                continue
            found = [self._group_in([value], node) for _, value in table.entries[:MOST_ARMS]]
            first = found[0]
            if first is None or any(one is None or one[0] != first[0] for one in found):
                continue
            keys = [str(one.value) for one, _ in table.entries if isinstance(one, Const)]
            by_title = all(map(_is_pronoun, keys))
            if by_title or (self._is_name(key) and not any(map(self.reader.groups_in, keys))):
                source = "a pronoun or title" if by_title else "a list of names"
                yield from self._guess(first[0], node, source, (table.node, "the table of guesses"))

    # ----------------------------------------------------------------------------------------- functions

    def definition(self, function: tree.Function) -> Iterator[Guess]:
        """`def infer_gender(first_name)`, where nothing inside of it was told."""
        if any(inside(node, function) for node in self.inside):
            return
        looked_at = [parameter.name for parameter in function.parameters]
        attribute = self._guesses_what(function.name, looked_at)
        if attribute and function.body:
            name = tree.Name(function.name_span, function.name)
            yield from self._guess(attribute, name, f"`{function.name}`")


def _pronouns(names: list[Const]) -> str:
    is_told = bool(names) and all(_is_pronoun(str(name.value)) for name in names)
    return "a pronoun or title" if is_told else ""


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
