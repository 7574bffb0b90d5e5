"""Takes a group out of where it is assumed of everybody who says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.fixes.editing import Change, Draft, quoted_like, stands_for_group, without_item

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

UNKNOWN = "unknown"
NOTHING = str(None)
_DEFAULTS = frozenset({"default", "initial"})
"""Keywords under which a call is given what counts where nobody says anything."""
_COLUMNS = frozenset({"Column", "column", "mapped_column", "MappedColumn"})
_HAVE_COLUMNS = ("Model", "Base", "Document", "Entity")
"""How the names of classes end whose fields are columns of a table."""
_NULLABLE = frozenset({"nullable", "null"})
_CHOICES = frozenset({"choices", "enum", "options", "values", "allowed", "one_of", "pattern", "regex"})
_ARE_CHOICES = ("Choice", "ChoiceField", "ChoiceType", "Enum", "ENUM", "Literal", "OptionMenu", "SelectField")
"""How the names of what takes only some values end."""
_LENGTHS = frozenset({"max_length", "length", "max_len", "maxlength"})
_TEXTS = frozenset({"str", "Any", "object"})
_WORDS = re.compile(r"\w+")
_MAY_BE_NOTHING = (NOTHING, "Optional", "Any", "object")


def draft(code: Code, finding: Finding) -> Draft | None:
    """Return the change that leaves the attribute open."""
    span = finding.use.span
    node = code.at(span, cst.Param, cst.BaseExpression)
    param = node if isinstance(node, cst.Param) else None
    if node is None:
        around = (one for one in code.nodes(cst.Param) if one.default is not None)
        param = next((one for one in around if code.span(one).start == span.start), None)
    if param is None and node is not None:
        above = code.parent(node)
        param = above if isinstance(above, cst.Param) and above.default is node else None
    if param is not None:
        return _draft_for_parameter(code, param)
    return None if node is None else _draft_for_value(code, node, finding)


def _draft_for_value(code: Code, node: cst.CSTNode, finding: Finding) -> Draft | None:
    """For a value that stands in an expression."""
    own, holder = code.span(node), code.parent(node)
    if isinstance(holder, cst.BooleanOperation) and holder.right is node:
        return Draft(f"assume nothing: `{NOTHING}`", (Change(own.start, own.end, NOTHING),))
    if isinstance(holder, cst.Arg) and holder.keyword is not None and holder.keyword.value in _DEFAULTS:
        call = code.parent(holder)
        if isinstance(call, cst.Call) and _has_to_have_one(code, call):
            return None
        if isinstance(call, cst.Call) and len(call.args) > 1:
            change = without_item(code, call.args, call.args.index(holder))
            return Draft("take the default out", (change,))
    if not isinstance(node, cst.SimpleString) or node.prefix or not stands_for_group(node, finding):
        return None
    if _has_value_limit(code, holder):
        return None
    word = quoted_like(code, node, UNKNOWN)
    return Draft(f"assume an explicit {word}", (Change(own.start, own.end, word),))


def _has_to_have_one(code: Code, call: cst.Call) -> bool:
    """Return whether a call makes a column that takes no row without a value: inserts rely on its default."""
    name = _last_name(call.func)
    nullable = next((one.value for one in call.args if one.keyword and one.keyword.value in _NULLABLE), None)
    if nullable is not None and code.text(nullable) in {"True", "False"}:
        return code.text(nullable) == "False"
    holder = code.nearest(call, cst.ClassDef, cst.FunctionDef)
    if name in _COLUMNS:
        annotated = code.parent(call)
        said = code.text(annotated.annotation.annotation) if isinstance(annotated, cst.AnnAssign) else ""
        return bool(said) and not any(word in said for word in _MAY_BE_NOTHING)
    if not isinstance(holder, cst.ClassDef):
        return False
    if any(one.keyword and one.keyword.value == "table" for one in holder.keywords):
        return True
    bases = {_last_name(base.value) for base in holder.bases}
    is_field = name.endswith("Field") and name != "Field"
    return is_field and any(base.endswith(_HAVE_COLUMNS) and base != "BaseModel" for base in bases)


def _has_value_limit(code: Code, holder: cst.CSTNode | None) -> bool:
    """Return whether what takes a text may refuse the word for nothing known: other choices, or fewer
    letters.
    """
    if isinstance(holder, cst.AnnAssign):
        said = set(_WORDS.findall(code.text(holder.annotation.annotation)))
        return said.isdisjoint(_TEXTS)
    call = code.parent(holder) if isinstance(holder, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return False
    types = [one.value for one in call.args if isinstance(one.value, cst.Call)]
    if any(f"{quote}{UNKNOWN}{quote}" in code.text(one) for one in call.args for quote in "\"'"):
        return False
    return any(map(_takes_some, (call, *types))) or any(map(_is_short, types))


def _takes_some(call: cst.Call) -> bool:
    """Return whether a call says which values there are, or how long they may be."""
    named = {one.keyword.value: one.value for one in call.args if one.keyword is not None}
    if not named.keys().isdisjoint(_CHOICES) or _last_name(call.func).endswith(_ARE_CHOICES):
        return True
    lengths = (named[name] for name in _LENGTHS & named.keys())
    return any(isinstance(one, cst.Integer) and one.evaluated_value < len(UNKNOWN) for one in lengths)


def _is_short(kind: cst.Call) -> bool:
    """Return whether a type of a column holds few letters: `String(2)`."""
    first = kind.args[0].value if kind.args else None
    return isinstance(first, cst.Integer) and first.evaluated_value < len(UNKNOWN)


def _draft_for_parameter(code: Code, param: cst.Param) -> Draft | None:
    """For a parameter: it has to be given, or else begins as nothing where callers leave it out."""
    parameters, default = code.parent(param), param.default
    if not isinstance(parameters, cst.Parameters) or default is None:
        return None
    name = param.name.value
    if _can_lose_default(parameters, param) and not _is_left_out(code, parameters, param):
        last = param.name if param.annotation is None else param.annotation.annotation
        change = Change(code.span(last).end, code.span(default).end)
        return Draft(f"take the default out: `{name}` has to be given", (change,))
    said = "" if param.annotation is None else code.text(param.annotation.annotation)
    own = code.span(default)
    if not said or any(word in said for word in _MAY_BE_NOTHING):
        return Draft(f"default to nothing: `{NOTHING}`", (Change(own.start, own.end, NOTHING),))
    if said == str.__name__ and isinstance(default, cst.SimpleString):
        word = quoted_like(code, default, UNKNOWN)
        return Draft(f"default to an explicit {word}", (Change(own.start, own.end, word),))
    return None


def _can_lose_default(parameters: cst.Parameters, param: cst.Param) -> bool:
    """Return whether Python lets a parameter go without a default: none before it has one, by place."""
    if param in parameters.kwonly_params:
        return True
    before: list[cst.Param] = []
    for one in (*parameters.posonly_params, *parameters.params):
        if one is param:
            return all(other.default is None for other in before)
        before.append(one)
    return False


def _is_left_out(code: Code, parameters: cst.Parameters, param: cst.Param) -> bool:
    """Return whether the file itself calls the function without saying the parameter, or hands it on."""
    function = code.parent(parameters)
    if not isinstance(function, cst.FunctionDef):
        return True
    holder = code.nearest(code.parent(function) or function, cst.ClassDef, cst.FunctionDef)
    names = {function.name.value}
    if isinstance(holder, cst.ClassDef):
        names.add(holder.name.value)
    place = _argument_place(parameters, param, skip=isinstance(holder, cst.ClassDef))
    return any(
        not _has_argument(call.args, param.name.value, place)
        for call in code.nodes(cst.Call)
        if _last_name(call.func) in names
    )


def _argument_place(parameters: cst.Parameters, param: cst.Param, *, skip: bool) -> int | None:
    """Return the place of a parameter among the arguments; None where it has to be named."""
    ordered = (*parameters.posonly_params, *parameters.params)
    return next((at - skip for at, one in enumerate(ordered) if one is param), None)


def _has_argument(arguments: Sequence[cst.Arg], name: str, place: int | None) -> bool:
    if any(one.star for one in arguments):
        return True
    plain = sum(one.keyword is None for one in arguments)
    named = any(one.keyword is not None and one.keyword.value == name for one in arguments)
    return named or (place is not None and place < plain)


def _last_name(node: cst.BaseExpression) -> str:
    last = node.attr if isinstance(node, cst.Attribute) else node
    return str(last.value) if isinstance(last, cst.Name) else ""
