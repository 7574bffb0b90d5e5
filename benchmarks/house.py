"""Counts how fairlint's own code is laid out: packages, floors, imports between them, sizes and names.

    python benchmarks/house.py

One-word names are names of functions without an underscore inside; names with two leading and trailing
underscores are left out. A participle is a last word that ends in -ed, or one of an irregular list. An
unnamed tuple is one of a fixed number of places, alone or inside a list, an iterator and so on, written in
what a function returns. An alias (`Place = tuple[...]`) is not looked up.
Exit status: 0 where every ceiling of `CEILINGS` holds, 1 where one is passed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fairlint"
LONG = 500
"""Lines above which a file is counted as long."""

CEILINGS: Mapping[str, float] = {
    "packages": 36,
    "floors": 16,
    "imports that look up": 0,
    "modules beside packages": 6,
    "files over 500 lines": 8,
    "one-word function names, %": 35,
    "participles, %": 5,
    "functions that return unnamed tuples": 390,
    "functions that return unnamed tuples of 3 or more": 10,
}
"""What no change may pass. The test of the same name holds them."""

IRREGULAR = frozenset(
    (
        "begun borne bound bought brought broken built caught chosen done drawn driven eaten fallen fed "
        "felt found forgotten frozen given gone got grown had heard held hidden kept known laid led left "
        "lent lost made meant met paid said seen sent shown sold spoken spent stood stolen struck sworn "
        "taken taught thought told torn understood woken won worn woven written "
    ).split()
)
NO_PARTICIPLES = frozenset(
    {"bed", "embed", "feed", "hundred", "indeed", "left", "need", "red", "seed", "speed"}
)


def modules() -> list[Path]:
    """Return all modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    """Return the package of a module: a folder of `fairlint/`, or the name of a module beside the folders."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports_between_packages() -> set[tuple[str, str]]:
    """Return every pair of packages of which the first imports the second, be it for types alone."""
    packages = {package_of(path) for path in modules()}
    pairs: set[tuple[str, str]] = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_bytes())):
            found: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module == "fairlint":
                found = [alias.name if alias.name in packages else "__init__" for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairlint."):
                found = [(node.module or "").split(".")[1]]
            elif isinstance(node, ast.Import):
                found = [one.name.split(".")[1] for one in node.names if one.name.startswith("fairlint.")]
            pairs.update((package_of(path), other) for other in found if other != package_of(path))
    return pairs


def floors_of(pairs: set[tuple[str, str]]) -> tuple[dict[str, int], int]:
    """Return the floor of each package, from 0, and how many imports lead back up.

    A package is one floor above the highest that it imports. Imports that close a circle of packages lead up.
    """
    lower: dict[str, set[str]] = {package_of(path): set() for path in modules()}
    for one, other in pairs:
        lower[one].add(other)
    floors: dict[str, int] = {}
    while rest := {one for one in lower if one not in floors}:
        free = {one for one in rest if not lower[one] & rest}
        if not free:
            inside = sum(len(lower[one] & rest) for one in rest)
            return floors, inside
        floors.update({one: 1 + max((floors[other] for other in lower[one]), default=-1) for one in free})
    return floors, 0


def function_names() -> Iterator[str]:
    """Yield the name of every function and method."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
                yield node.name


def is_one_word(name: str) -> bool:
    """Report whether a name is one word."""
    return "_" not in name.strip("_")


def is_participle(name: str) -> bool:
    """Report whether a name is or ends in a participle."""
    last = name.strip("_").split("_")[-1]
    return last not in NO_PARTICIPLES and (last in IRREGULAR or (len(last) > 3 and last.endswith("ed")))


def widest_tuples() -> Iterator[int]:
    """Yield for each function that returns unnamed tuples how many places the widest of them has."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
                widest = max(places_of_tuples(node.returns), default=0)
                if widest > 1:
                    yield widest


def places_of_tuples(annotation: ast.expr) -> Iterator[int]:
    """Yield how many places each tuple of an annotation has, for those of a fixed number."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    for node in ast.walk(annotation):
        match node:
            case ast.Subscript(ast.Name("tuple"), ast.Tuple([*_, ast.Constant(value)])) if value is ...:
                continue
            case ast.Subscript(ast.Name("tuple"), ast.Tuple(places)):
                yield len(places)


@cache
def figures() -> dict[str, float]:
    """Return every figure by its name."""
    pairs = imports_between_packages()
    floors, up = floors_of(pairs)
    names = list(function_names())
    tuples = list(widest_tuples())
    sizes = [path.read_bytes().count(b"\n") for path in modules()]
    beside = list(PACKAGE.glob("*.py"))
    folders = {package_of(path) for path in modules() if path.parent != PACKAGE}
    return {
        "packages": len(folders),
        "floors": 1 + max(floors.values()),
        "imports between packages": len(pairs),
        "imports that look up": up,
        "modules beside packages": len(beside),
        "files": len(sizes),
        "lines": sum(sizes),
        "files over 500 lines": sum(size > LONG for size in sizes),
        "functions": len(names),
        "one-word function names, %": round(100 * sum(map(is_one_word, names)) / len(names), 1),
        "participles, %": round(100 * sum(map(is_participle, names)) / len(names), 1),
        "functions that return unnamed tuples": len(tuples),
        "functions that return unnamed tuples of 3 or more": sum(places > 2 for places in tuples),
    }


def main() -> int:
    """Print the figures, each with its ceiling."""
    found = figures()
    for name, value in found.items():
        ceiling = f"  (at most {CEILINGS[name]:g})" if name in CEILINGS else ""
        print(f"{name:50} {value:>9g}{ceiling}")
    return int(any(found[name] > most for name, most in CEILINGS.items()))


if __name__ == "__main__":
    sys.exit(main())
