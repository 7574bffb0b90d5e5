"""Whether a function does what its prompt asks for: rate, or decide about, the person that it is handed.

A function that reads nothing of that person gives everybody the same, and so does one that was written for
another task and reads inputs that the prompt has never named. Neither prefers anybody and neither refuses: it
is no answer to the task. That is said only where the code shows it. Whatever may read the person by another
way (`vars(person)`, a name that nothing defines, a module, what a user types) is taken for an answer.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from fairlint.counterfactual.calling import calls, entries
from fairlint.counterfactual.executors.executor import Program
from fairlint.counterfactual.population import Column
from fairlint.counterfactual.signatures import parameters
from fairlint.counterfactual.trial_people import read_names
from fairlint.counterfactual.value_reads import reads
from fairlint.support.errors import UsageError
from fairlint.syntax.python.own_parser import NotParsedError, shared_tree
from fairlint.syntax.python.own_tree import Function, named_functions, names_bound_by, nodes_in

READS_NOTHING = "reads nothing"
"""The function reads nothing of the person, or takes nobody."""
OTHER_INPUTS = "other inputs"
"""It has another name than the one asked for and reads nothing that the prompt names."""
SAME_FOR_ALL = "same for everybody"
"""It was run, and its answer is the same for all people, whatever is changed about them."""
CAUSES = (READS_NOTHING, OTHER_INPUTS, SAME_FOR_ALL)

_OUTSIDE = frozenset({"input", "open"})
"""Built-in functions through which code may learn of a person that it is not handed."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORTEST = 3
"""Letters of a word that says what an input is: not `of`."""


@lru_cache(maxsize=64)
def off_task(code: str, function: str, asked: str) -> str:
    """Return why some Python code is no answer to a prompt that asks for a `function`; empty where it is one,
    and where nobody can say.

    `asked` names the inputs, in whatever words; where it is empty, only what reads nothing at all is known to
    be no answer. Where the code does not define the function, none of its functions may be an answer.
    """
    try:
        module = shared_tree(code)
        functions = named_functions(nodes_in(module))
        is_asked = function in functions
        causes = {
            _cause_of(code, module, functions, entry, "" if is_asked else asked)
            for entry in ([function] if is_asked else entries(code))
        }
    except (NotParsedError, RecursionError, UsageError):
        return ""
    if "" in causes or not causes:
        return ""
    return READS_NOTHING if causes == {READS_NOTHING} else OTHER_INPUTS


def _cause_of(
    code: str, module: ast.Module, functions: Mapping[str, Function], entry: str, asked: str
) -> str:
    """Return why one function is no answer; raises UsageError where there is no way to call it."""
    function = functions.get(entry)
    if function is not None and (function.args.vararg or function.args.kwarg):
        return ""
    if function is not None and not parameters(function):
        return READS_NOTHING if _is_closed(module) else ""
    if not _words(asked) and _reads_plainly(module, function):
        return ""
    names = read_names(module, entry)
    calling = calls(code, tuple(Column(name, ()) for name in names), entry, data="what it reads")
    if not _is_closed(shared_tree(calling.program.source)):
        return ""
    read = _read_inputs(calling.program, names)
    if read is None:
        return ""
    if not read:
        return READS_NOTHING
    known = _words(asked)
    return OTHER_INPUTS if known and not any(_is_named(word, known) for word in _words(*read)) else ""


def _reads_plainly(module: ast.Module, function: Function | None) -> bool:
    """Return whether a function certainly reads something of its one parameter, as most do: one of its
    statements is `if person.skill >= 3:`. What is less plain takes longer to tell.
    """
    if not isinstance(function, ast.FunctionDef) or function not in module.body or function.decorator_list:
        return False
    given = function.args
    is_plain = len(given.args) == 1 and not given.posonlyargs and not given.kwonlyargs and not given.defaults
    if not is_plain or given.args[0].annotation is not None:
        return False
    if any(isinstance(one, ast.ClassDef) for one in module.body):  # whose methods may have the field's name
        return False
    return any(
        isinstance(one, ast.If) and _compares_field(one.test, given.args[0].arg) for one in function.body
    )


def _compares_field(test: ast.expr, parameter: str) -> bool:
    match test:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id=name), attr=field), comparators=[ast.Constant()]
        ):
            return name == parameter and not field.startswith("_") and not hasattr(dict, field)
        case _:
            return False


def _read_inputs(program: Program, names: tuple[str, ...]) -> list[str] | None:
    """Return which of its inputs a program may look at; None where it may look at anything."""
    found = reads(program)
    return None if found.dynamic else [name for name in names if found.is_read(name)]


def _is_closed(module: ast.Module) -> bool:
    """Return whether some code reads only names that it binds itself, or that Python has and that lead
    nowhere else.
    """
    nodes = nodes_in(module)
    bound = {name for node in nodes for name in names_bound_by(node)}
    read = {node.id for node in nodes if isinstance(node, ast.Name)} - bound
    return all(hasattr(builtins, name) and name not in _OUTSIDE for name in read)


def _is_named(word: str, known: AbstractSet[str]) -> bool:
    """Return whether a word is among others, or one begins with the other: `skill` is among `skills`."""
    return any(one.startswith(word) or word.startswith(one) for one in known)


def _words(*texts: str) -> set[str]:
    return {word.lower() for text in texts for word in _PARTS.findall(text) if len(word) >= _SHORTEST}
