"""What is known of libraries: what a callable does, by its qualified name.

A model of a library (`fairlint/library_models/*.toml`, a user's own file, a plugin's) lists its functions and
methods with what each `does`, in the closed vocabulary of `DOES`. The evaluator, the readers and the
detectors ask here and see the same; none of them knows a library by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from fairlint.support.records import Record, field

TYPE_CHECKING = False  # importing typing would take long
if TYPE_CHECKING:
    from typing import Any, Literal


DOES: Mapping[str, str] = {
    # values
    "keeps": "gives what it is given, perhaps in another form",
    "stays": "gives what it is called on in another form, which says the same",
    "measures": "gives a figure of many, which says nothing of one",
    "spans": "gives a stretch of places in a list",
    "compares": "compares two values",
    "joins": "joins truth values by `and` or `or`",
    "negates": "gives the opposite of a truth value",
    "computes": "calculates with two values",
    "extreme": "gives the lowest or highest of its values",
    "chooses": "gives one of two values by a test",
    "names file": "gives a path that is put together of what it is given, or the file or text that is there",
    "gives configuration": "gives the function below it what a file of YAML holds, by its folder and name",
    "makes option": "makes an option of a program, with a default",
    "loads data": "gives what is in a file of data, in the form json, yaml, toml, csv or rows",
    "sums": "adds up its values",
    "asks of all": "whether all, or any, of its values are true",
    "rises": "gives a number that differs where its argument differs",
    "reads": "gives the field or entry that a text names",
    "makes getter": "gives a function that reads the field or entry that a text names",
    "gives fields": "gives all fields of a record",
    "parses": "gives a date in another form",
    "gives age": "gives the time since a date",
    "copies": "writes a value into its target",
    "appends": "writes a value behind what its target holds",
    "prints": "writes a formatted text into its target",
    "prints behind": "writes a formatted text behind what its target holds",
    "begins text": "gives a text, empty where no argument is named, that others are added to",
    "empties": "makes its target an empty text",
    "reads into": "writes what comes from outside into its arguments from the target on",
    "searches": "says whether one text is in another",
    "matches": "says whether a regular expression fits a text",
    "formats": "fills the gaps of a text",
    "lists arguments": "makes its target the list of what is given for `...`",
    "holds text": "gives something that holds the texts it is given: a message, a template, a chain",
    "fills text": "puts values into the places of the text that it is called on",
    "wraps text": "gives the text it is given, as a template or as a piece of a query",
    "joins texts": "makes one text of the list that it is given",
    # people
    "picks": "hands on some of the people it is given",
    "keeps rows": "hands on the same people",
    "takes first": "takes some from the front or the back",
    "orders": "puts people in the order of a key",
    "filters": "keeps the rows that pass a test",
    "turns away": "ends the program, or what was asked for, with an error: whoever got so far is turned away",
    "sends on": "sends whoever asked to another page",
    "gathers": "puts something into a collection",
    "gathers all": "puts all of something into a collection",
    "removes": "takes something out of a collection",
    "runs query": "runs a query that is built of calls and gives its rows",
    # tables
    "reads table": "reads a table from somewhere",
    "names columns": "gives the names of the columns",
    "keeps columns": "gives a table with the same columns",
    "selects columns": "gives a table with some of the columns",
    "drops columns": "gives a table without some of the columns",
    "renames columns": "gives the columns other names",
    "adds columns": "gives a table with more columns",
    "puts beside": "puts tables beside or below each other",
    "applies": "gives what a function, or a table, makes of each value that it is called on",
    "encodes": "puts codes in the place of columns",
    "fills gaps": "puts something in the place of what is missing, where it is called on or given first",
    "asks for gaps": "says whether something is missing",
    "ranks within": "gives each row a figure of its group, where rows are in groups",
    "picks within": "hands on some rows of each group, where rows are in groups",
    "groups rows": "puts rows into groups by what a column says",
    "numbers": "puts numbers in the place of groups, or makes what does",
    "table": "gives its argument in the form of a table",
    "begins row": "gives a row of numbers that are all the same, whose places get others later",
    # models
    "learns": "teaches a model",
    "predicts": "applies a model to people",
    "evaluates": "teaches a model that it is given, and judges it",
    "prepares": "learns about columns and hands them on in another form",
    "wraps": "wraps features and labels for a model",
    "splits": "splits each argument in two",
    "formula": "reads features from a formula",
    "lists columns": "is told the columns that a model gets",
    "pipeline": "is told which columns each step of a pipeline takes",
    "imputes": "makes what fills gaps with what it has learnt",
    "chains steps": "makes one thing of several that a table goes through",
    "loads model": "gives a model that was taught before, and predicts",
    "names model": "loads a model by the name or file that a text says",
    "guesses": "guesses a person's group from a name, a face or a voice",
    # what others read
    "decides": "makes a decision about the person it is given",
    "scores": "gives a score of the person it is given",
    "shows": "shows something to a person",
    "stores": "stores something",
    "checks": "checks that something is valid",
    "audits": "measures what something does to groups",
    "asks user": "gives what somebody has chosen or typed",
    "gives typed": "gives what somebody has typed into the field of a window",
    "gives form": "gives all that somebody has typed into the form of a page that the code names",
    "serves": "makes a function answer requests, whose parameters get what somebody has typed",
    "makes field": "makes a field of a record, or an option, with a default",
    "runs sql": "runs a text as SQL",
    "binds value": "gives a query that was prepared the value of one placeholder",
    "is prompt": "is a class that stands for a prompt: its docstring is the order",
    "fills prompt": "makes a field of such a class whose value the model is given",
    "asks model": "sends a text to a language model",
    "gives cases": "calls the test below it once for each row that it is given",
    "gives itself": "gives what the function below it returns to all parameters of its name",
    "nothing": "is known to do nothing that matters here",
}
"""What a callable does → in words. The vocabulary is closed: what it cannot say, a Python function says."""

KEYS: Mapping[str, str] = {
    "does": "what it does",
    "argument": "the place or keyword of the argument that it is about; without, the receiver or the first",
    "arguments": "the places of several arguments, in the order in which they are meant",
    "keywords": "keywords that say the same",
    "op": "the operator of `compares`, `joins`, `computes`, `extreme`",
    "form": "the form in which a value is kept or given: int, float, lower, ...; `not`: the opposite",
    "way": "how gaps are filled: by a `neighbour`, with what is `frequent`",
    "features": "what a model learns from: places and keywords",
    "label": "what it learns: places and keywords",
    "weight": "by how much each row counts, or how likely each is picked: places and keywords",
    "target": "what is written to: a place",
    "attribute": "the protected attribute that is guessed; without, what its argument or its result names",
    "returns": "the type of what it gives",
    "python": "the function of the library's Python module that says what no entry can",
}
"""What an entry may say → in words."""

SAME_PEOPLE = frozenset({"keeps rows", "keeps columns", "drops columns", "renames columns", "takes first"})
"""What methods do that hand on the people they are called on, or some of them."""
JUDGES: Mapping[str, Literal["decide", "score"]] = {"decides": "decide", "scores": "score"}
"""What a callable does that judges whom it is given → the effect on that person."""
LOOKS = frozenset({"shows", "stores", "checks", "audits"})
"""What callables do that only look at what they are given: nobody's outcome moves there."""
TEACHES = frozenset({"learns", "predicts"})
"""What methods do that give something to a model."""
PREPARES = frozenset({"numbers", "imputes", "chains steps"})
"""What makes an object that is taught how to change tables, and is none."""
LOADED = "sklearn.loaded()"
"""The type of a model that was taught before, where an entry says no other: it predicts as most do."""
FIELD = "."
"""Stands before the names of fields among the entries of a library."""
MODELS = "models"
EVERYWHERE = "everywhere"
IN_TABLES = "tables"


class Entry(Record):
    """What one callable of a library does."""

    library: str
    name: str
    """Its name in the library: `read_csv`, `DataFrame.fillna`, `*.fit` for any class of it."""
    does: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    """What else the entry says, by the keys of `KEYS`."""

    @property
    def is_method(self) -> bool:
        """Whether it is called on something."""
        return "." in self.name

    @property
    def returns(self) -> str:
        """The qualified type of what it gives; empty where the entry does not say."""
        type_: str = self.given.get("returns", LOADED if "loads model" in self.does else "")
        if not type_ or "." in type_ or ":" in type_:
            return type_
        return f"{self.library}.{type_}"

    def places(self, key: str) -> tuple[int | str, ...]:
        """Return the places and keywords of arguments that a key names."""
        found = self.given.get(key, ())
        return tuple(found) if isinstance(found, list | tuple) else (found,)


class Library(Record, eq=False, slots=False):
    """The model of one library."""

    name: str
    about: frozenset[str] = frozenset()
    """`tables`, `models`, `audits`: what code that imports it works with; `language`: what all code does."""
    common: str = ""
    """Where its names are weak evidence without an import: `everywhere`, or where there are `tables`."""
    like: tuple[str, ...] = ()
    """Libraries all of whose names it has, too."""
    entries: Mapping[str, tuple[tuple[tuple[str, ...], Entry], ...]] = field(default_factory=dict)
    """The last part of a name → what it is of (`("DataFrame",)`), and the entry."""
    function: Callable[[str], Any] | None = None
    """Gives the Python function of this name."""

    @property
    def has_models(self) -> bool:
        """Whether it teaches models, or loads them."""
        every = (entry for entries in self.entries.values() for _, entry in entries)
        return MODELS in self.about or any("loads model" in entry.does for entry in every)

    def find(self, parts: tuple[str, ...]) -> Entry | None:
        """Return the entry for a name inside the library; the one that says most of what it is of."""
        best: Entry | None = None
        most = -1
        entries = self.entries.get(parts[-1], ())
        of_value = bool(entries) and any(part.endswith(")") for part in parts[:-1])
        for owner, entry in entries:  # a function is called on no value
            if (
                len(owner) > most
                and (owner or not of_value)
                and _is_owner_suffix(owner, parts[:-1], of_value)
            ):
                best, most = entry, len(owner)
        return best

    def methods(self, name: str) -> Iterator[Entry]:
        """Return the methods of this name, of whatever type."""
        return (entry for _, entry in self.entries.get(name, ()) if entry.is_method)

    def fields(self, name: str) -> Iterator[Entry]:
        """Return the fields of this name, of whatever type."""
        return (entry for _, entry in self.entries.get(f"{FIELD}{name}", ()))

    def functions(self, name: str) -> Iterator[Entry]:
        """Return the functions of this name."""
        return (entry for _, entry in self.entries.get(name, ()) if not entry.is_method)


def _is_owner_suffix(owner: tuple[str, ...], parts: tuple[str, ...], of_value: bool) -> bool:
    """Return whether something stands below what an entry is of; `*` is any class, or what a
    function gave.
    """
    if len(owner) > len(parts):
        return False
    return all(
        one in {other, "*"} and (one != "*" or of_value or other[:1].isupper())
        for one, other in zip(reversed(owner), reversed(parts), strict=False)
    )


Named = tuple[tuple[Entry, Library], ...]
"""What several libraries call by one name."""


class Found(Record):
    """What is known of a call. `by_name` says that nothing but its bare name tells what it is."""

    entry: Entry
    library: Library
    by_name: bool = False


MOST_FOUND = 20_000
"""Qualified names of which the answer is kept."""


class Models:
    """All models that a run knows, asked by name."""

    def __init__(
        self,
        load: Callable[[str], Library | None],
        common: Callable[[str], Iterable[Library]],
        usual: Mapping[str, str],
    ) -> None:
        """`load` gives a library by its package, `common` those of a language that need no import; `usual` is
        what a name usually stands for in a piece of a program that imports nothing of that name.
        """
        self.usual = usual
        self._load = load
        self._common = common
        self._known: dict[str, Library | None] = {}
        self._with_models: dict[str, bool] = {}
        self._commons: dict[str, tuple[Library, ...]] = {}
        self._found: dict[str, tuple[Found, ...]] = {}
        self._field_gives: dict[tuple[str, str], frozenset[str]] = {}

    def library(self, package: str) -> Library | None:
        """Return the model of a package, if there is one."""
        if package not in self._known:
            self._known[package] = self._load(package)
        return self._known[package]

    def gives_models(self, package: str) -> bool:
        """Return whether a package has models, be it that it loads what was taught before."""
        if package not in self._with_models:
            found = self.library(package)
            self._with_models[package] = found is not None and found.has_models
        return self._with_models[package]

    def with_alike(self, library: Library) -> Iterator[Library]:
        """Yield a library and those that it is like, the nearest first."""
        seen: set[str] = set()
        queue = [library]
        while queue:
            one = queue.pop(0)
            if one.name in seen:
                continue
            seen.add(one.name)
            yield one
            queue.extend(other for name in one.like if (other := self.library(name)) is not None)

    def common(self, language: str) -> tuple[Library, ...]:
        """Return the libraries of a language whose names are evidence without an import."""
        if language not in self._commons:
            self._commons[language] = tuple(self._common(language))
        return self._commons[language]

    def field_gives(self, name: str, language: str) -> frozenset[str]:
        """Return what a field of this name gives in the common libraries of a language."""
        key = (name, language)
        found = self._field_gives.get(key)
        if found is None:
            if len(self._field_gives) >= MOST_FOUND:
                self._field_gives.clear()
            entries = (entry for library in self.common(language) for entry in library.fields(name))
            found = self._field_gives[key] = frozenset([word for entry in entries for word in entry.does])
        return found

    def find(self, name: str) -> Found | None:
        """Return what is known of a qualified name."""
        found = self.find_all(name)
        return found[0] if found else None

    def find_all(self, name: str) -> tuple[Found, ...]:
        """Return the same, and what the libraries say that its library is like."""
        found = self._found.get(name)
        if found is None:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            found = self._found[name] = tuple(self._look_up(name))
        return found

    def _look_up(self, name: str) -> Iterator[Found]:
        package, _, rest = name.partition(".")
        library = self.library(package) if rest else None
        parts = tuple(rest.split("."))
        for one in () if library is None else self.with_alike(library):
            if (entry := one.find(parts)) is not None:
                yield Found(entry, one)
