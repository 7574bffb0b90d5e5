"""FairCode's prompts, read out of a copy of its authors' programs, which are parsed and never run.

They are asked as the programs ask Qwen: the worked example as turns of a chat, then a sentence and the head
of a function. Each prompt stands alone here; the programs add the turns of one subject to those of the next.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.bench.asking.answers import plain_attribute
from fairlint.bench.papers.paper import AuthorsFile
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, digest, read_file
from fairlint.support.records import Record

LARGEST = 1_000_000
"""Bytes of a program of the authors."""
EXAMPLES = "utils.py"
FIRST = 30
"""Majors of each of two lists that are asked about parents."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "gender": ("male", "female"),
    "race": ("white", "black", "hispanic", "asian"),
    "age": ("young", "middle", "elder"),
}
"""Attribute → the lists that are asked about it, where it has lists of its own."""

Names = Mapping[str, Any]


class _Program(Record):
    """A program that asks about one scenario, and where things are in it."""

    file: str
    field: str
    """What a subject is called, in prompts and in a file of them."""
    variable: str
    """What the program calls a subject."""
    attributes: str
    """The list of attributes that are asked about."""
    example: str
    """The function of the other file that has the worked example."""


PROGRAMS = (
    _Program("code_job.py", "job", "job", "attr_list", "get_prompt_job"),
    _Program("code_edu.py", "major", "major", "sensitive_attr", "get_prompt_edu"),
    _Program("code_med.py", "treatment", "t", "sensitive_attr", "get_prompt_med"),
)
ASKS = "get_result2"
"""The function of a program that asks Qwen."""
SENTENCES = ("new_user", "user_new")
HEAD = "unfilled_code"


class _Subject(Record):
    listed: str
    name: str
    neutral: tuple[str, ...]


def prompts_of(folder: Path, known: Sequence[AuthorsFile]) -> Iterator[str]:
    """Yield the prompts as lines of a file of prompts.

    Raises UsageError where a file is missing, or is another one than the published one.
    """
    sources = {one.file: _parse(folder / one.file, one) for one in known if one.sha256}
    for program in PROGRAMS:
        source = sources[program.file]
        example = _example(_function(sources[EXAMPLES], program.example))
        asking = _function(source, ASKS)
        for attribute in _literal(source, program.attributes):
            for subject in _subjects(source, program, plain_attribute(attribute)):
                neutral = subject.neutral or _neutral(asking, attribute)
                listed = (*neutral, attribute) if subject.neutral else neutral
                names = {program.variable: subject.name, "str_attr": ", ".join(listed)}
                asked = _assigned(asking, SENTENCES, names) + _assigned(asking, (HEAD,), names)
                record = {
                    "messages": [*example, {"role": "user", "content": asked}],
                    "attribute": plain_attribute(attribute),
                    program.field: subject.name,
                    "list": subject.listed or None,
                    "shuffle": list(listed),
                }
                yield json.dumps(record) + "\n"


def _parse(path: Path, known: AuthorsFile) -> ast.Module:
    try:
        if digest(path) != known.sha256:
            raise UsageError(f"{path}: not the published file, whose SHA-256 is {known.sha256}")
        return ast.parse(read_file(path, LARGEST))
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None


def _subjects(source: ast.Module, program: _Program, attribute: str) -> Iterator[_Subject]:
    """Yield what a program asks about for an attribute, in its order and spelling."""
    if program.field == "treatment":
        yield from (_Subject("", name.lower(), ()) for name in _literal(source, "treatments"))
    elif program.field == "job":
        for group in GROUPS[attribute]:
            for name, neutral in _literal(source, f"{group}_occupations").items():
                told = tuple(dict.fromkeys(one.lower().replace(" ", "_") for one in neutral))
                yield _Subject(group, name.lower(), told)
    elif attribute in GROUPS:
        for group in GROUPS[attribute]:
            majors = dict.fromkeys(name.lower() for name in _literal(source, f"major_{group}"))
            yield from (_Subject(group, name, ()) for name in majors)
    else:
        lists = (_literal(source, f"major_{group}")[:FIRST] for group in GROUPS["gender"])
        majors = dict.fromkeys(name.lower() for one in lists for name in one)
        yield from (_Subject("", name, ()) for name in majors)


# ---------------------------------------------------------------------------------------- what a program says


def _function(source: ast.Module, name: str) -> ast.FunctionDef:
    return next(one for one in source.body if isinstance(one, ast.FunctionDef) and one.name == name)


def _literal(source: ast.Module, name: str) -> Any:
    """Return what a name is first given, as a literal."""
    return ast.literal_eval(next(_values(source, (name,))))


def _values(node: ast.AST, names: Sequence[str]) -> Iterator[ast.expr]:
    """Yield what some names are given, in the order of the text."""
    for one in ast.walk(node):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                yield value
            case _:
                pass


def _example(function: ast.FunctionDef) -> list[dict[str, str]]:
    """Return the turns that a chat begins with."""
    names: dict[str, Any] = {}
    for one in function.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = _evaluate(value, names)
            case _:
                pass
    turns: list[dict[str, str]] = next(
        _evaluate(value, names) for value in _values(function, ("prompt",)) if isinstance(value, ast.List)
    )
    return turns


def _neutral(asking: ast.FunctionDef, attribute: str) -> tuple[str, ...]:
    """Return all attributes of a request, the one that is asked about in its place."""
    names = dict.fromkeys(("attr", "sensitive_attr"), attribute)
    return tuple(_evaluate(next(_values(asking, ("attrs",))), names))


def _assigned(asking: ast.FunctionDef, wanted: Sequence[str], names: Names) -> str:
    return str(_evaluate(next(_values(asking, wanted)), names))


def _evaluate(node: ast.expr, names: Names) -> Any:
    """Return the value of a text with holes, or of a list or dictionary of such; nothing else is known."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.JoinedStr(values=parts):
            return "".join(str(_evaluate(part, names)) for part in parts)
        case ast.FormattedValue(value=value):
            return _evaluate(value, names)
        case ast.List(elts=elements):
            return [_evaluate(one, names) for one in elements]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {_evaluate(key, names): _evaluate(value, names) for key, value in pairs if key}
        case ast.Call(func=ast.Attribute(value=value, attr="replace"), args=[before, after]):
            return _evaluate(value, names).replace(_evaluate(before, names), _evaluate(after, names))
        case _:
            raise UsageError(f"a part of a program is not known: {ast.unparse(node)}")
