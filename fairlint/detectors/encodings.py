"""Encodings: the groups of a person become numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from fairlint.analyses.assumptions.attribute_reads import Reader
from fairlint.analyses.assumptions.encodings import codings
from fairlint.analyses.assumptions.ordinal_encodings import Code, Coding, lexicon
from fairlint.detectors import purpose_context
from fairlint.detectors.context import Context
from fairlint.detectors.defaults import quiet_path
from fairlint.detectors.group_rates import only_measures
from fairlint.detectors.use_builder import by_name_tags, named_only, plain_use
from fairlint.findings.uses import GroupPoints, Step, Use
from fairlint.semantics.names.effects import any_word, classify_target
from fairlint.semantics.names.library import MODELS
from fairlint.semantics.tables.libraries import about
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import split_words

A_COLUMN = 4
"""How much it says that a whole column of a table is coded."""
TELLING = 2
"""How much it says that a name speaks of codes or features."""
LEARNS = 1
"""How much it says that the file makes models."""
BARELY = -4
"""Codes that are as good as one-hot, or that nobody can tell the number of."""
SMALL = frozenset({-1.0, 0.0, 1.0, 2.0})
"""Codes of two groups; other pairs of numbers are amounts."""
_SAYS_CODES = rb"(?i)encod|feat|one_?hot|vectori[sz]e"
BINARY = "binary"
CATEGORY_CODES = ".cat.codes"
TAKES_NUMBERS = Evidence(3, "the fairness toolkit takes groups as numbers alone")


def observe(context: Context) -> Iterator[Use]:
    """Yield all encodings of one file."""
    if context.conventions.enums_are_numbers and not _says_codes(context):
        return
    reader = context.reader
    told: set[tuple[int, str]] = set()
    for coding in codings(reader):
        key = (coding.node.span.start, coding.read.mention.attribute)
        if key in told:
            continue
        use = _coding_use(coding, reader, context)
        if use is not None:
            told.add(key)
            yield use


def _says_codes(context: Context) -> bool:
    """Return whether any name in a file may speak of codes or features for a model."""
    return re.search(_SAYS_CODES, context.source.data) is not None


def _coding_use(coding: Coding, reader: Reader, context: Context) -> Use | None:
    mention = coding.read.mention
    names = _names_around(coding.node, reader)
    if not _may_rank(coding, names, context) or _is_silent(coding, names, reader, context):
        return None
    if (judged := _judge_coding(coding, context)) is None:
        return None
    if (variables := _coding_variables(coding.node, reader)) and only_measures(variables, context):
        return None
    evidence, is_binary = judged
    by_name = named_only(coding.call, context)
    evidence += by_name
    packages = {module.lstrip(".").partition(".")[0] for module in context.definitions.imports}
    measured = not packages.isdisjoint(lexicon()["needs_codes"])
    if is_binary and measured:
        return None  # the privileged are 1 there, and the others 0
    listed = coding.read.listed
    named = [] if listed is None else [(listed, f"{mention.attribute.replace('_', ' ')} is listed here")]
    steps = [*named, *coding.steps, (coding.node, "groups become numbers here")]
    use = plain_use(
        context,
        mention,
        coding.node,
        kind="encoding",
        effect="learn",
        shape="table" if coding.how == "table" else "branch",
        groups=[code.group or code.label.strip().lower() for code in coding.codes],
        evidence=[*evidence, *_context_evidence(coding, names, context), *quiet_path(context)],
        flow=[Step(place.span, message) for place, message in steps],
        target=names[0] if names else None,
        detail=coding.tool,
        receiver=coding.read.receiver,
        tags=by_name_tags(by_name) | ({BINARY} if is_binary else set()),
    )
    place = coding.node if listed is None else listed  # of a loop over columns, the one that it is about
    use = replace(use, points=_code_points(coding, context), span=place.span)
    if measured and not use.context.name:
        use = replace(use, context=purpose_context.make_use_context("audit", (TAKES_NUMBERS,)))
    return use


def _context_evidence(coding: Coding, names: list[str], context: Context) -> Iterator[Evidence]:
    """Yield what speaks for numbers that a model gets, beside the numbers."""
    if coding.in_table:
        yield Evidence(A_COLUMN, "codes a column of a table")
        if coding.tool == CATEGORY_CODES:  # `.cat` is an animal to whoever weighs the words around
            yield Evidence(1, "the column is a category")
        return
    if any(any_word(name, lexicon()["telling_targets"]) for name in names):
        yield Evidence(TELLING, "its name speaks of codes or features")
    if MODELS in about(context.execution.program):
        yield Evidence(LEARNS, "the file makes models")


def _code_points(coding: Coding, context: Context) -> GroupPoints | None:
    by_group = {
        code.group or code.label.strip().lower(): code.number
        for code in coding.codes
        if not _is_unknown(code, coding, context)
    }
    return GroupPoints("set", by_group, coding.rest) if by_group else None


# ------------------------------------------------------------------------------------------------- judged


def _may_rank(coding: Coding, names: list[str], context: Context) -> bool:
    """Return whether the attribute has groups in no order, and its codes are not those of any list
    of groups.
    """
    mention = coding.read.mention
    attribute = context.attribute(mention.attribute)
    if attribute.kind != "protected" or attribute.ordered or mention.form in {"number", "date", "flag"}:
        return False  # `is_male` is a code already, and `Married` says yes or no
    telling = lexicon()["telling_numbers"]
    return not context.conventions.enums_are_numbers or any(any_word(name, telling) for name in names)


def _judge_coding(coding: Coding, context: Context) -> tuple[list[Evidence], bool] | None:
    """Return what the numbers say, and whether they are the two of a gender; None where they rank nobody."""
    gender = coding.read.mention.attribute == "gender"
    core = context.vocabulary.attribute(coding.read.mention.attribute).core_groups
    if coding.how in {"dummies", "encoder"}:
        is_told = gender or (coding.how == "encoder" and set(core) != {"yes", "no"})
        return ([], gender) if is_told else None
    known = [code for code in coding.codes if not _is_unknown(code, coding, context)]
    if not _are_groups(known):
        return None
    numbers = {code.number for code in known} | ({coding.rest} if coding.rest is not None else set())
    groups = {code.group or code.label.lower() for code in known}
    asks_unknown = len(known) < len(coding.codes)
    if gender:
        for_others = coding.rest is not None and coding.rest not in {code.number for code in known}
        if len(numbers) == 2:
            return ([], True) if numbers <= SMALL and not asks_unknown else None
        return None if len(groups) < 3 or len(numbers) < 2 or asks_unknown or for_others else ([], False)
    return _judge_other_groups(coding, numbers, groups, core)


def _judge_other_groups(
    coding: Coding, numbers: set[float], groups: set[str], core: Collection[str]
) -> tuple[list[Evidence], bool] | None:
    """Return the same of groups of another attribute."""
    if len(numbers) != 2:
        return ([], False) if len(numbers) > 2 else None
    if coding.how == "cast" or len(groups) < 2 or len(core) == 2:
        return None  # one group against all others, which is how audits and dummies say it
    barely = Evidence(BARELY, "0 and 1 say only who is in a group")
    return ([barely] if numbers == {0.0, 1.0} else []), False


def _are_groups(codes: list[Code]) -> bool:
    """Return whether groups are coded, and besides them nothing but words."""
    no_words = any(code.group is None and not _is_word(code.label) for code in codes)
    return any(code.group is not None for code in codes) and not no_words


def _is_unknown(code: Code, coding: Coding, context: Context) -> bool:
    return code.group is not None and context.vocabulary.is_missing(coding.read.mention.attribute, code.group)


def _is_word(label: str) -> bool:
    return bool(split_words(label)) and not label.strip().isdigit()


# ------------------------------------------------------------------------------------------------- silent


def _names_around(node: Node, reader: Reader) -> list[str]:
    """Return the names that a coding's numbers go to: a variable, a column, a keyword, the function
    around.
    """
    names: list[str] = []
    inner = node
    for outer in reader.syntax.around(node):
        match outer:
            case tree.Assign(targets=targets):
                names += [_target_name(target, reader) for target in targets]
            case tree.Call(function=function, keywords=keywords):
                names += [key for key, value in keywords if value is inner and key is not None]
                if isinstance(function, tree.Field) and function.name in {"alias", "withColumn", "insert"}:
                    names += [str(name.value) for one in outer.arguments for name in reader.names(one)]
            case tree.Item(key=key) if key is not None:
                names += [str(name.value) for name in reader.names(key)]
            case tree.Function(name=name):
                names.append(name)
                break
            case tree.Type():
                break
            case _:
                pass
        inner = outer
    return names


def _coding_variables(node: Node, reader: Reader) -> list[str]:
    """Return the variables that hold a coding's numbers; none where anything else is given them."""
    branches: Node | None = node if isinstance(node, tree.If | tree.Switch) else None
    for outer in () if branches is not None else reader.syntax.around(node):
        if isinstance(outer, tree.Assign):
            plain = [target.id for target in outer.targets if isinstance(target, tree.Name)]
            return plain if len(plain) == len(outer.targets) else []
        if isinstance(outer, tree.Return | tree.Lambda | tree.Function | tree.Loop):
            return []
        if isinstance(outer, tree.If | tree.Switch):
            branches = outer
            break
    if branches is None:
        return []
    found: list[str] = []
    for part in tree.walk(branches):
        match part:
            case tree.Call(function=tree.Field(name="append", value=tree.Name(id=name))):
                found.append(name)
            case tree.Assign(targets=(tree.Name(id=name),)):
                found.append(name)
            case tree.Call() | tree.Assign() | tree.Return():
                return []
            case _:
                pass
    return list(dict.fromkeys(found))


def _tables_around(node: Node, reader: Reader) -> Iterator[str]:
    """Yield the tables whose columns the numbers become."""
    for outer in reader.syntax.around(node):
        for target in outer.targets if isinstance(outer, tree.Assign) else ():
            if isinstance(target, tree.Index):
                yield path_of(target.value) or ""


def _target_name(target: Node, reader: Reader) -> str:
    """Return the name of a variable, field or column that is given a value."""
    match target:
        case tree.Index(index=index) if len(names := {str(one.value) for one in reader.names(index)}) == 1:
            return names.pop()
        case tree.Collection(items=items):
            return " ".join(_target_name(item.value, reader) for item in items)
        case _:
            return (path_of(target) or "").rpartition(".")[2]


def _is_silent(coding: Coding, names: list[str], reader: Reader, context: Context) -> bool:
    """Return whether the numbers are ids, masks, orders, figures or scores, by what is made of them."""
    words = lexicon()
    silent = words["silent_masks"] if coding.how == "encoder" else words["silent_targets"]
    for name in names:
        mentions = context.vocabulary.mentions(name)
        own = {word for mention in mentions for word in mention.words}
        rest = [word for word in split_words(name) if word not in own]
        if not words["silent_masks"].isdisjoint(rest):
            return True
        if not silent.isdisjoint(rest) and words["telling_targets"].isdisjoint(rest):
            return True
    if any(any_word(name, words["silent_masks"]) for name in _tables_around(coding.node, reader)):
        return True  # a table of what is audited
    if _is_predicate(context.function_at(coding.node.span)):
        return True
    target = names[0] if names else ""
    if target and not coding.in_table and classify_target(target) in {"score", "outcome", "measure", "count"}:
        return True
    if any(
        (isinstance(outer, tree.Call) and last_name(outer.function) in words["sums"])
        or (isinstance(outer, tree.Field) and outer.name in words["sums"])
        for outer in _expression_around(coding.node, reader)
    ):
        return True
    return coding.how == "encoder" and any_word(" ".join(names), frozenset({"y", "target"}))


def _is_predicate(function: str) -> bool:
    """Return whether a function answers a question by its name: `is_male`."""
    return split_words(function.rpartition(".")[2])[:1] in {("is",), ("has",)}


def _expression_around(node: Node, reader: Reader) -> Iterator[Node]:
    """Yield the parts of the same expression around a node."""
    for outer in reader.syntax.around(node):
        if isinstance(
            outer, tree.Assign | tree.Return | tree.Expression | tree.Function | tree.If | tree.Loop
        ):
            return
        yield outer
