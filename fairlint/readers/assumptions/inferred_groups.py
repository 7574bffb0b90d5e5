"""Guessed groups: where code works out somebody's group from a name, a face or a voice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from fairlint.lexicon.load import word_lists
from fairlint.lexicon.words import split_words
from fairlint.readers.assumptions.attribute_reads import Read, Reader
from fairlint.readers.assumptions.syntax_index import (
    Scope,
    SyntaxIndex,
    argument,
    called,
    resolved,
    text_of,
    texts,
)
from fairlint.records import Record
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

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
    steps: tuple[tuple[Node, str], ...] = ()


@cache
def lexicon() -> Mapping[str, frozenset[str]]:
    """The names and words of `inferred_groups.toml`."""
    return word_lists("inferred_groups")


def guesses(scene: SyntaxIndex, reader: Reader, modules: Iterable[str]) -> Iterator[Guess]:
    """All guesses of one file that imports `modules`."""
    guesser = _Guesser(scene, reader, modules)
    for call, scope in scene.places(tree.Call):
        yield from guesser.call(call, scope)
    for branch, scope in scene.places(tree.If):
        if not branch.is_elif:
            yield from guesser.branches(branch, scope)
    for choice, scope in scene.places(tree.Conditional):
        if not isinstance(scene.parents.get(id(choice)), tree.Conditional):
            yield from guesser.choice(choice, scope)
    for assign, scope in scene.places(tree.Assign):
        yield from guesser.column(assign, scope)
    for index, scope in scene.places(tree.Index):
        yield from guesser.looked_up(index.index, index.value, index, scope)
    for text, _ in scene.places(tree.Literal):
        yield from guesser.address(text)
    for field, scope in scene.places(tree.Field):
        yield from guesser.field(field, scope)
        yield from guesser.handed(field, scope)
    for function, _ in scene.places(tree.Function):
        yield from guesser.definition(function)


class _Guesser:
    """Who is guessed to be what in one file."""

    def __init__(self, scene: SyntaxIndex, reader: Reader, modules: Iterable[str]) -> None:
        self.scene = scene
        self.reader = reader
        words = lexicon()
        parts = {part for module in modules for part in module.lstrip(".").split(".")}
        self.about = [
            attribute
            for attribute in ("gender", "race", "national_origin", "face")
            if not parts.isdisjoint(words[f"modules_{attribute}"])
        ]
        """What the imported modules guess."""
        self.own = {function.name for function, _ in scene.places(tree.Function)}
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
        sure: bool = False,
    ) -> Iterator[Guess]:
        read = self.reader.attribute(attribute, node)
        if read is not None:
            self.inside.append(node)
            yield Guess(read, node, source, group, sure, steps)

    # --------------------------------------------------------------------------------------------- calls

    def call(self, call: tree.Call, scope: Scope) -> Iterator[Guess]:
        """A call of a library, a service or a function that guesses."""
        name = called(call)
        words = lexicon()
        if self.about and (attribute := self._asked_of(call.function, scope)):
            yield from self._guess(attribute, call, f"`{self._shown(call.function)}`", sure=True)
            return
        if name in words["faces"]:
            yield from self._faces(call, scope)
        elif name in words["loaders"]:
            yield from self._loaded(call, scope)
        elif name and name not in self.own and name not in self.told:
            yield from self._by_name(call, name)
        if name == "get" and isinstance(call.function, tree.Field) and call.arguments:
            yield from self.looked_up(call.arguments[0], call.function.value, call, scope)
        if name == "map" and isinstance(call.function, tree.Field) and call.arguments:
            yield from self.looked_up(call.function.value, call.arguments[0], call, scope)

    def _shown(self, function: Node) -> str:
        return " ".join(self.reader.text(function).split())[:50]

    def _asked_of(self, function: Node, scope: Scope) -> str:
        """What a function of a library guesses, or a method of what it made; empty for any other."""
        words = lexicon()
        name = _bare_name(function)
        if isinstance(function, tree.Name):
            return self._module_of(function.id, name) if name in words["calls"] else ""
        if not isinstance(function, tree.Field):
            return ""
        root = resolved(function.value, scope)
        made = False
        while isinstance(root, tree.Call | tree.Field):
            made = made or called(root) in words["calls_objects"]
            root = root.function if isinstance(root, tree.Call) else root.value
        if not isinstance(root, tree.Name) or not (name in words["calls"] or (made and name == "get")):
            return ""
        return self._module_of(root.id, name)

    def _module_of(self, name: str, function: str) -> str:
        """What the module guesses that a name comes from: what the function says, else what it is for."""
        words = lexicon()
        about = next(
            (one for one in self.about if self.scene.imported_from(name, words[f"modules_{one}"])), ""
        )
        if not about:
            return ""
        for read in self._mentions_in(split_words(function)):
            if read.mention.attribute in lexicon()["attributes"]:
                return read.mention.attribute
        return "" if about == "face" else about

    def handed(self, field: tree.Field, scope: Scope) -> Iterator[Guess]:
        """`names.apply(detector.get_gender)`."""
        call = self.scene.parents.get(id(field))
        if not self.about or not isinstance(call, tree.Call) or field not in call.arguments:
            return
        attribute = self._asked_of(field, scope)
        if attribute:
            yield from self._guess(attribute, field, f"`{self._shown(field)}`", sure=True)

    def _faces(self, call: tree.Call, scope: Scope) -> Iterator[Guess]:
        """`DeepFace.analyze(photo, actions=["gender", "race"])`."""
        listed = [argument(call, key) for key in lexicon()["faces_keywords"]]
        given = next((one for one in listed if one is not None), None)
        of_library = "face" in self.about or "face" in self.reader.text(call.function).lower()
        if given is not None:
            named = texts(given, scope)
            for text in named:
                for read in self.reader.columns(_words_of(text), ""):
                    if read.mention.attribute in lexicon()["attributes"]:
                        step = (text, "it is asked for")
                        source = f"`{self._shown(call.function)}`"
                        yield from self._guess(read.mention.attribute, call, source, step, sure=True)
            if not any(text.value == "ALL" for text in named):
                return
        if not (of_library and (given is not None or called(call) == "analyze")):
            return
        for attribute, place in self._asked_later().items():
            source = f"`{self._shown(call.function)}`"
            yield from self._guess(attribute, call, source, (place, "the guess is read here"), sure=True)

    def _asked_later(self) -> dict[str, Node]:
        """What the code reads out of what was found in a face: `result["dominant_race"]`."""
        found: dict[str, Node] = {}
        for index, _ in self.scene.places(tree.Index):
            text = text_of(index.index)
            for read in self.reader.named(text, index) if text is not None else ():
                if read.mention.attribute in lexicon()["attributes"]:
                    found.setdefault(read.mention.attribute, index)
        return found

    def _loaded(self, call: tree.Call, scope: Scope) -> Iterator[Guess]:
        """`pipeline("image-classification", model="someone/gender-classification")`."""
        arguments = [
            *call.arguments,
            *(value for key, value in call.keywords if key in {"model", "repo_id", "weights"}),
        ]
        for argument_ in arguments:
            for text in texts(argument_, scope)[:4]:
                model = str(text.value)
                attribute = self._model_of(model)
                if attribute:
                    yield from self._guess(attribute, call, f"the model `{model}`", sure=True)
                    return

    def _model_of(self, text: str) -> str:
        """What a model's name or file says that it guesses."""
        if len(text) > LONGEST_NAME or " " in text:
            return ""
        if "fairface" in text.lower():
            return "race"
        for word in split_words(text.rpartition("/")[2]):
            for read in self.reader.named(word, tree.Name(tree.Span(0, 0), word)):
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
        seen = {word for text in looked_at for word in split_words(text)} | set(own)
        from_source = not words["sources"].isdisjoint(seen)
        sure = not words["verbs_sure"].isdisjoint(own) and attribute not in {"age", "race"}
        return attribute if from_source or sure else ""

    def _mentions_in(self, words: tuple[str, ...]) -> Iterator[Read]:
        for word in words:
            yield from self.reader.named(word, tree.Name(tree.Span(0, 0), word))

    def address(self, text: tree.Literal) -> Iterator[Guess]:
        """`requests.get("https://api.genderize.io?name=...")`."""
        value = text.value
        if not isinstance(value, str) or len(value) > LONGEST_NAME * 2 or "." not in value:
            return
        lowered = value.lower()
        if "://" not in lowered and not lowered.startswith("api."):
            return
        for part in lexicon()["urls"]:
            if part in lowered:
                attribute = (
                    "age" if "agify" in part else "national_origin" if "national" in part else "gender"
                )
                yield from self._guess(attribute, text, f"`{part}`", sure=True)
                return

    def field(self, field: tree.Field, scope: Scope) -> Iterator[Guess]:
        """`face.gender` of a library that analyses faces."""
        del scope
        if "face" not in self.about or "face" not in split_words(path_of(field.value) or ""):
            return
        for read in self.reader.named(field.name, field, "face"):
            if read.mention.attribute in lexicon()["attributes"] and read.mention.attribute not in self.told:
                self.told.add(read.mention.attribute)
                yield from self._guess(read.mention.attribute, field, "a face", sure=True)

    # ------------------------------------------------------------------------------------------- by hand

    def branches(self, branch: tree.If, scope: Scope) -> Iterator[Guess]:
        """`if name.endswith("a"): gender = "female"`."""
        current = branch
        for _ in range(MOST_ARMS):
            source = self._source_of(current.test, scope)
            if source:
                for part in current.then[:LONGEST_BODY]:
                    found = self._group_given(part, scope)
                    if found is not None:
                        yield from self._derived(*found, current.test, source)
                        return
            if len(current.otherwise) != 1 or not isinstance(current.otherwise[0], tree.If):
                return
            current = current.otherwise[0]

    def choice(self, choice: tree.Conditional, scope: Scope) -> Iterator[Guess]:
        """`"female" if name.endswith("a") else "male"`."""
        source = self._source_of(choice.test, scope)
        if source:
            found = self._group_in(choice.then, scope)
            if found is not None:
                yield from self._derived(*found, choice.test, source)

    def column(self, assign: tree.Assign, scope: Scope) -> Iterator[Guess]:
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
            case _, tree.Call(function=tree.Field(name="where" | "select"), arguments=(first, *_)):
                test = first
            case _, tree.Call() | tree.Compare() | tree.Binary() | tree.BoolOp() | tree.Unary():
                pass
            case _:
                return
        for read in self.reader.written(target):
            if read.mention.attribute in lexicon()["attributes"] and (source := self._source_of(test, scope)):
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
        for outer in self.scene.around(test):
            if isinstance(outer, tree.Function):
                name = tree.Name(outer.name_span, outer.name)
                steps = ((name, "the function that guesses"),) if outer.name else ()
                break
        yield from self._guess(attribute, test, source, *steps, group=group)

    def _group_given(self, part: Node, scope: Scope) -> tuple[str, str] | None:
        """The attribute and group that a statement gives: `gender = "female"`, `return "female"`."""
        match part:
            case tree.Return(value=value) if value is not None:
                return self._group_in(value, scope)
            case tree.Assign(targets=(target,), value=value, op=None) if value is not None:
                for read in self.reader.written(target):
                    group = self.reader.group(read.mention.attribute, value, scope)
                    if read.mention.attribute in lexicon()["attributes"] and self.reader.is_somebody(
                        read.mention.attribute, group
                    ):
                        return read.mention.attribute, group or ""
                return self._group_in(value, scope)
            case _:
                return None

    def _group_in(self, value: Node, scope: Scope) -> tuple[str, str] | None:
        """The group that a text or the first part of a tuple names, by itself or for the function around."""
        if isinstance(value, tree.Collection) and value.items:
            value = value.items[0].value
        text = text_of(resolved(value, scope))
        for attribute, group in self.reader.groups_in(text) if text is not None else ():
            if attribute in lexicon()["attributes"]:
                return attribute, group
        for outer in self.scene.around(value):
            if isinstance(outer, tree.Function):
                for read in self._mentions_in(split_words(outer.name)):
                    group_ = self.reader.group(read.mention.attribute, value, scope)
                    if read.mention.attribute in lexicon()["attributes"] and self.reader.is_somebody(
                        read.mention.attribute, group_
                    ):
                        return read.mention.attribute, group_ or ""
                return None
        return None

    def _source_of(self, test: Node, scope: Scope) -> str:
        """What a test looks at that tells nobody's group: the end of a name, a pitch, a pronoun."""
        words = lexicon()
        for part in tree.walk(test):
            match part:
                case tree.Call(
                    function=tree.Field(
                        name="endswith" | "startswith" | "contains" | "match" | "fullmatch", value=value
                    )
                ) if self._is_name(value):
                    return "the letters of a name"
                case tree.Call(function=tree.Field(name="isin", value=value)) if self._is_name(value):
                    return "a list of names"
                case tree.Call(
                    function=tree.Field(name="match" | "search" | "fullmatch"), arguments=(*_, value)
                ) if self._is_name(value):
                    return "the letters of a name"
                case tree.Compare(op="in" | "==", left=left, right=right) if self._is_name(left):
                    if isinstance(left, tree.Index):
                        return "the letters of a name"
                    if self._lists_names(right, scope):
                        return "a list of names"
                case tree.Compare(op="<" | "<=" | ">" | ">=", left=left, right=right):
                    for side in (left, right):
                        if not words["sources_pitch"].isdisjoint(split_words(path_of(side) or "")):
                            return "the pitch of a voice"
                case tree.Compare(op="in" | "==", left=left, right=right):
                    named = texts(left, scope) or texts(right, scope)
                    if named and all(_is_pronoun(str(text.value)) for text in named):
                        return "a pronoun or title"
                case tree.Call(function=tree.Name(id="any"), arguments=(tree.Comprehension() as over,)):
                    named = [text for one in over.generators for text in texts(one.iterable, scope)]
                    if named and all(_is_pronoun(str(text.value)) for text in named):
                        return "a pronoun or title"
                case _:
                    pass
        return ""

    def _is_name(self, node: Node) -> bool:
        """Whether an expression is somebody's name, or a letter of it."""
        while True:
            match node:
                case tree.Call(function=tree.Field(value=inner)) | tree.Field(name="str", value=inner):
                    node = inner
                case tree.Index(value=tree.Field(name="str", value=inner)):  # `df["name"].str[-1]`
                    node = inner
                case _:
                    break
        if isinstance(node, tree.Index) and not isinstance(node.index, tree.Literal):
            node = node.value
        if isinstance(node, tree.Index) and text_of(node.index) is None:
            node = node.value
        words = split_words((path_of(node) or "").rpartition(".")[2])
        text = text_of(node.index) if isinstance(node, tree.Index) else None
        if text is not None:
            words = split_words(text)
        return not lexicon()["sources_name"].isdisjoint(words)

    def _lists_names(self, node: Node, scope: Scope) -> bool:
        """Whether a list is one of names of a group, by its own name or by what stands in it."""
        words = split_words(path_of(node) or "")
        if not {"names", "name"}.isdisjoint(words):
            return True
        return any(
            self.reader.groups_in(word) or self.reader.groups_in(word.removesuffix("s")) for word in words
        ) or (len(texts(node, scope)) > 1)

    def looked_up(self, key: Node, base: Node, node: Node, scope: Scope) -> Iterator[Guess]:
        """`GENDER_OF_NAME[first_name]`, `title.map({"Mr": "male", "Mrs": "female"})`."""
        table = resolved(base, scope)
        if not (isinstance(table, tree.Collection) and table.kind == "dict" and len(table.items) > 1):
            return
        found = [self._group_in(item.value, scope) for item in table.items[:MOST_ARMS]]
        first = found[0]
        if first is None or any(one is None or one[0] != first[0] for one in found):
            return
        keys = [text_of(item.key) for item in table.items if item.key is not None]
        by_title = all(text is not None and _is_pronoun(text) for text in keys)
        if by_title or (self._is_name(key) and not any(self.reader.groups_in(text or "") for text in keys)):
            source = "a pronoun or title" if by_title else "a list of names"
            yield from self._guess(first[0], node, source, (table, "the table of guesses"))

    # ----------------------------------------------------------------------------------------- functions

    def definition(self, function: tree.Function) -> Iterator[Guess]:
        """`def infer_gender(first_name)`, where nothing inside of it was told."""
        if any(
            function.span.start <= node.span.start and node.span.end <= function.span.end
            for node in self.inside
        ):
            return
        looked_at = [parameter.name for parameter in function.parameters]
        attribute = self._guesses_what(function.name, looked_at)
        if attribute and function.body:
            name = tree.Name(function.name_span, function.name)
            yield from self._guess(attribute, name, f"`{function.name}`")


def _bare_name(function: Node) -> str:
    return function.id if isinstance(function, tree.Name) else getattr(function, "name", "")


def _words_of(text: tree.Literal) -> list[tree.Literal]:
    """`"age,gender"` names two things."""
    return [tree.Literal(text.span, part.strip()) for part in str(text.value).split(",")]


def _is_pronoun(text: str) -> bool:
    words = lexicon()
    bare = text.strip(" .,").lower()
    return bare in words["pronouns_male"] or bare in words["pronouns_female"]
