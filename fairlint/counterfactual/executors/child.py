"""The process that runs one batch: `python -I -S child.py`, with a request on its standard input.

The request is one JSON object; the answer is what the harness writes, between two marks that the request
names. The first mark starts the clock of whoever waits. What the program prints goes nowhere, and ends the
process where it is too much. The parent believes nothing of what it reads: a program may find the mark.
"""

from __future__ import annotations

import base64
import builtins
import enum
import hashlib
import json
import os
import sys
import types
from collections import Counter, OrderedDict
from typing import Any

_MRO = type.__dict__["__mro__"].__get__
_NAME = type.__dict__["__name__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_SPACE = type.__dict__["__dict__"].__get__
_EXACT: list[tuple[type, Any]] = [
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (list, lambda value: list(list.__iter__(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: set(frozenset.__iter__(value))),
]


def type_name(value: Any) -> str:
    """Return the name of a value's type, whatever its class says of itself."""
    return str.__str__(_NAME(type(value)))


def plain(value: Any) -> Any:
    """Return a value of a type that only extends a built-in one, as the built-in one; members of an Enum by
    name.
    """
    kind = type(value)
    line = _MRO(kind)
    equals = next(each for each in line if "__eq__" in _SPACE(each))
    for base, exact in _EXACT:
        if _is_among(base, line) and _is_among(equals, (base, Counter, OrderedDict)):
            return exact(value)
    if _is_among(enum.Enum, line):
        return f"{type_name(value)}.{str.__str__(object.__getattribute__(value, '_name_'))}"
    module = _MODULE(kind)
    if type(module) is str and module.partition(".")[0] in ("numpy", "pandas"):
        return value.tolist() if hasattr(kind, "tolist") else value
    return value


def _is_among(kind: type, kinds: tuple[type, ...]) -> bool:
    """Return whether a class is one of several; a class may call itself equal to anything."""
    return any(each is kind for each in kinds)


class Printed:
    """Counts what is printed and lets it go; `over` is called where it is too much."""

    encoding = "utf-8"
    errors = "replace"
    closed = False

    def __init__(self, most: int, over: Any) -> None:
        self._left = most
        self._over = over

    def write(self, text: str) -> int:
        """Count a text."""
        length = len(text)
        self._left -= length
        if self._left < 0:
            self._over()
        return length

    def writelines(self, texts: Any) -> None:
        """Count texts."""
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        """There is nothing to flush."""

    def isatty(self) -> bool:
        """Return it is no terminal."""
        return False


def start(source: str, space: dict[str, Any]) -> None:
    """Execute a program's text."""
    exec(compile(source, "<decision>", "exec", dont_inherit=True), space)  # noqa: S102 (what it is for)


def main() -> None:
    """Read the request, holds this process to its limits, runs the program and answers."""
    asked = json.loads(sys.stdin.buffer.read())
    mark = asked["mark"].encode()
    write, leave, sha256 = os.write, os._exit, hashlib.sha256
    answer_to = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(nowhere, each)

    def tell(answer: str | None) -> None:
        data = mark if answer is None else answer.encode("ascii", "replace") + mark
        while data:
            data = data[write(answer_to, data) :]
        if answer is not None:
            leave(0)

    # their own built-in names: the program may change those of everybody else
    harness: dict[str, Any] = {"__builtins__": dict(vars(builtins)), "__name__": "harness"}
    exec(compile(asked["harness"], "<harness>", "exec"), harness)  # noqa: S102 (of fairlint)
    confinement: dict[str, Any] = {"__name__": "confinement"}
    exec(compile(asked["confinement"], "<confinement>", "exec"), confinement)  # noqa: S102 (the same)
    quote = json.encoder.encode_basestring_ascii

    def too_much() -> None:
        tell(failure("output", "prints more than it may", quote))

    failure, answer = harness["failure"], harness["answer"]
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Printed(asked["output"], too_much)  # type: ignore[assignment,misc]
    module = types.ModuleType("decision")
    sys.modules["decision"] = module
    if asked.get("data"):
        module.__dict__["DATA"] = base64.b64decode(asked.pop("data"))
    sys.modules.pop("__main__", None)
    sys.argv = [""]
    sys.setrecursionlimit(asked["depth"])
    lacking = confinement["confine"](asked["seconds"], asked["memory"], [*asked["folders"], *sys.path])
    tell(None)
    if asked.get("lacking"):
        tell(json.dumps(lacking))
    for guarantee in asked["needs"]:
        if lacking[guarantee]:
            tell(failure("died", f"{guarantee}: {lacking[guarantee]}", quote))

    def digest(text: str) -> str:
        return sha256(text.encode()).hexdigest()

    tools: dict[str, Any] = {"quote": quote, "digest": digest, "plain": plain, "name": type_name}
    if asked.get("frames"):
        frames: dict[str, Any] = {"__builtins__": dict(vars(builtins)), "__name__": "frames"}
        exec(compile(asked["frames"], "<frames>", "exec"), frames)  # noqa: S102 (the same)
        tools["frame"] = lambda call, of: frames["outcomes"](call, of["names"], of["columns"], of["count"])
    try:
        tell(answer(asked, module.__dict__, start, tools))
    except MemoryError:
        tell(failure("memory", "takes more memory than it may have", quote))


if __name__ == "__main__":
    main()
