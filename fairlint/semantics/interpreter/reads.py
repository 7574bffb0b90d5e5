"""Calls that read a protected attribute, whatever they do otherwise."""

from __future__ import annotations

from functools import partial

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.names.verdict_names import holds_verdict
from fairlint.semantics.texts.menus import attribute_of_menu
from fairlint.semantics.values.paths import dotted_name
from fairlint.semantics.values.symbolic import Const, Lookup, Opaque, Operation, Protected, Value
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.getters import GETTER_PREFIXES
from fairlint.vocabulary.labels import asked_for
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import ASKED, TABLE, TYPED, Mention
from fairlint.vocabulary.words import split_words

lexicon = partial(word_lists, "reads")
"""The words of `vocabulary/words/reads.toml`."""
_WORD = lazy_expression(r"[A-Za-z]\w*")
MOST_KEYED = 4
"""Readers by a key take few arguments."""


def read_by_identifier(
    identifier: str, node: Node, frame: Frame, receiver: str = "", type_: str = ""
) -> Value | None:
    """Return a read of a protected attribute by `identifier`, a constant that names a group, or None."""
    mention = mention_of(identifier, frame, receiver)
    if mention is None:
        return None
    bare = identifier.rpartition(".")[2]
    if (
        mention.group is not None
        and frame.program.conventions.is_constant(bare)
        and (not receiver or receiver.rpartition(".")[2][:1].isupper())
    ):
        return Const(bare, label=bare)
    return Protected(mention, node, receiver, type_)


def read_by_type(
    identifier: str, type_: str, node: Node, frame: Frame, receiver: str = ""
) -> Protected | None:
    """Return a read of something whose type is an enum of groups: `enum gender g`."""
    attribute = frame.program.attribute_of_type(type_name(type_)) if type_ else None
    if attribute is None:
        return None
    return Protected(
        Mention(attribute, identifier, (type_name(type_),), "strong", "value", None, 2), node, receiver
    )


def mention_of(identifier: str, frame: Frame, receiver: str = "") -> Mention | None:
    """Return the mention that `identifier` is, `get_gender` and its like included."""
    mentions = frame.program.vocabulary.mentions_of(identifier, receiver)
    if not mentions or (not receiver and holds_verdict(mentions[0], frame)):
        return None
    return mentions[0]


def read_by_codes(name: str, value: Value, node: Node, frame: Frame) -> Protected | None:
    """Return the read that something of an attribute's name is, where the code itself says which codes of a
    column of several attributes are its groups: `SEX = {"A91": "male", "A92": "female"}` of
    `personal_status_sex`.
    """
    mention = mention_of(name, frame) if name else None
    if mention is None or mention.group is not None or mention.form != "value":
        return None
    if isinstance(value, Lookup):
        entries = [entry for _, entry in value.table.entries]
        default = value.default if isinstance(value.default, Const) else Const(None)
        held = entries if default.value is None else [*entries, default]
    else:
        held = [*either(value)]
    vocabulary, groups = frame.program.vocabulary, set[str | None]()
    for one in held:
        text = one.value if isinstance(one, Const) else None
        groups.add(vocabulary.group_of(mention.attribute, text) if isinstance(text, str) else None)
    if len(groups) < 2 or None in groups:
        return None
    coded = [one for one in walk(value) if isinstance(one, Protected)]
    for one in coded:
        named = {other.attribute for other in vocabulary.mentions(one.mention.identifier)}
        if one.mention.attribute != mention.attribute and mention.attribute in named:
            found = read_by_identifier(name, node, frame)
            return found if isinstance(found, Protected) else None
    return None


def is_record(name: str, value: Value, frame: Frame) -> bool:
    """Whether a variable named after a group holds a record of the class of that name, and no yes or no:
    `refugee = Refugee.objects.filter(user=user).first()`.
    """
    mention = mention_of(name, frame)
    if mention is None or mention.group is None or not isinstance(value, Opaque):
        return False
    classes = (word for word in _WORD.findall(value.key) if word[0].isupper() and not word.isupper())
    return any(split_words(word) == split_words(name) for word in classes)


def read_by_label(label: str, node: Node, frame: Frame, *, typed: bool = False) -> Protected | None:
    """Return what a widget holds that is labelled "Select your gender:", by that label; or what is `typed` in
    behind it.
    """
    name, speaks = asked_for(label)
    found = read_by_identifier(name, node, frame) if name else None
    is_whole = isinstance(found, Protected) and set(name.split("_")) <= set(found.mention.words)
    if isinstance(found, Protected) and is_whole and (speaks or typed):
        # "your gender", and not "your dog's gender"
        found = replace(found, receiver=ASKED) if speaks else replace(found, type=TYPED)
    return found if isinstance(found, Protected) and found.mention.strength != "proxy" else None


def read_by_label_or_menu(
    found: Protected | None, shown: list[str], node: Node, frame: Frame
) -> Protected | None:
    """Return what is typed in by what it is asked for, else by the list of options that is shown before:
    groups of one attribute. A label that names one of the groups may begin such a list: `male = 1, female =
    2`.
    """
    if found is not None and found.mention.group is None:
        return found
    attribute = attribute_of_menu(shown, frame.program.vocabulary)
    chosen = read_by_identifier(attribute, node, frame) if attribute else None
    if not isinstance(chosen, Protected) or chosen.mention.form != "value":
        return found
    return replace(chosen, type=TYPED) if chosen.mention.strength != "proxy" else found


def held_by(widget: Node, node: Node, frame: Frame) -> Protected | None:
    """Return what a field of a window holds, by its name: `self.gender_entry`."""
    words = split_words(dotted_name(widget).rpartition(".")[2])
    about = [word for word in words if word not in lexicon()["widgets"]]
    found = read_by_identifier("_".join(about), node, frame) if about else None
    return found if isinstance(found, Protected) and found.mention.strength != "proxy" else None


def named_at(found: Value | None, key: Const, written: Node) -> Value | None:
    """Return a read whose name comes out of a list or table, with the place where it stands there."""
    if isinstance(found, Protected) and key.node is not None and not isinstance(written, tree.Literal):
        return replace(found, named=key.node)
    return found


def written_out_value(value: Value) -> Value:
    """Return what a record that is written out holds in a field named after an attribute: a key of
    a table.
    """
    if isinstance(value, Protected) and value.sample is not None and value.of is not None:
        return value.sample
    return value


def with_sample(found: Value, value: Value) -> Value:
    """Return a read, with the constant that its variable got."""
    is_read = isinstance(found, Protected) and isinstance(value, Const)
    return replace(found, sample=value) if is_read else found


def by_name(name: str, node: Node, frame: Frame, arguments: tuple[Value, ...] = ()) -> Value:
    """Return what an unknown function gives: `get_gender(x)`, `calculate_age(x)`, `column(x, "sex")` are
    reads, and one that asks for something tells those it is given apart.
    """
    for prefix in GETTER_PREFIXES:
        rest = name.removeprefix(prefix)
        if rest != name and rest:
            found = read_by_identifier(rest, node, frame)
            if isinstance(found, Protected) and found.mention.strength != "proxy":
                return found
    return (
        _by_key(name, node, frame)
        or _undefined_query_value(name, node, arguments, frame)
        or Opaque(frame.text(node))
    )


def _undefined_query_value(name: str, node: Node, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Return what a function that nobody defines says of a person: `is_high_risk_race(person.race)`.

    Whether somebody is of a group where its name says so, else something that depends on what it is given.
    """
    mention = mention_of(name, frame)
    if mention is not None and mention.group is not None and len(arguments) == 1:
        about = _asked_about(node, frame)
        is_of_person = isinstance(arguments[0], Protected) or frame.program.is_person(about, mention)
        return Protected(mention, node, about) if is_of_person else None
    words, lists = split_words(name), lexicon()
    if not words or words[0] not in lists["asks"] or not lists["asks_else"].isdisjoint(words):
        return None
    read = [one for one in arguments if isinstance(one, Protected)]
    if len(read) != 1 or read[0].mention.group is not None or read[0].mention.strength == "proxy":
        return None
    return Operation("asks", (read[0],), node)


def _asked_about(node: Node, frame: Frame) -> str:
    """Return what a function is asked about, as the code calls it."""
    argument = node.arguments[0] if isinstance(node, tree.Call) and node.arguments else None
    argument = argument.value if isinstance(argument, tree.Field) else argument
    return "" if argument is None else frame.text(argument)


def _by_key(name: str, node: Node, frame: Frame) -> Value | None:
    if not isinstance(node, tree.Call) or not 0 < len(node.arguments) <= MOST_KEYED:
        return None
    keys = [argument for argument in node.arguments if isinstance(argument, tree.Literal)]
    given = [(key, frame.evaluate(key)) for key in keys or node.arguments]
    texts = [
        (key, value) for key, value in given if isinstance(value, Const) and isinstance(value.value, str)
    ]
    if len(texts) != 1:
        return None
    key, text = texts[0]
    words = split_words(name)
    lists = lexicon()
    if not lists["other"].isdisjoint(words):
        return None
    if lists["by_key"].isdisjoint(words):
        return _read_by_person_call(name, node, text, frame) if node.arguments[0] is key else None
    if isinstance(node.function, tree.Field):
        receiver = frame.text(node.function.value)
        receiver = TABLE if receiver in lexicon()["column_modules"] else receiver
    else:
        receiver = "" if node.arguments[0] is key else frame.text(node.arguments[0])
    found = named_at(read_by_identifier(str(text.value), key, frame, receiver), text, key)
    return found if isinstance(found, Protected) and found.mention.strength != "proxy" else None


def _read_by_person_call(name: str, node: tree.Call, key: Const, frame: Frame) -> Protected | None:
    """Return what a person gives who is called with the name of what is asked of them: `person("is_widowed",
    year)`, as taxes and benefits are written. A function or class of the name `person` makes or looks up
    something.
    """
    defined = frame.program.definitions
    if not isinstance(node.function, tree.Name) or defined.defines(name) or name in defined.imported:
        return None
    mention = mention_of(str(key.value), frame, name)
    if mention is None or mention.strength == "proxy" or not frame.program.is_person(name, mention):
        return None
    found = named_at(
        read_by_identifier(str(key.value), node.arguments[0], frame, name), key, node.arguments[0]
    )
    return found if isinstance(found, Protected) else None


def group_constant(value: Value, frame: Frame) -> Mention | None:
    """Return the group that a named constant stands for by its name."""
    if not (isinstance(value, Const) and value.label):
        return None
    mention = mention_of(value.label, frame)
    return mention if mention is not None and mention.group is not None else None
