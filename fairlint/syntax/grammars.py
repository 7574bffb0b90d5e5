"""Loads a grammar without its package's own import, which costs more than all of parsing a small file.

The grammar packages import `importlib.resources` to offer their query files, which nobody needs here. Where
the compiled part cannot be found by itself, the package is imported as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder
from importlib.util import module_from_spec
from os import path

from tree_sitter import Language

EXTENSION = "_binding"


def grammar(package: str) -> Language:
    """Return the language that a grammar package such as `tree_sitter_python` holds."""
    language = _compiled_part(package) or import_module(package).language
    return Language(language())


def _compiled_part(package: str) -> Callable[[], object] | None:
    found = PathFinder.find_spec(package)
    for folder in (found.submodule_search_locations if found is not None else None) or ():
        for suffix in EXTENSION_SUFFIXES:
            file = path.join(folder, EXTENSION + suffix)  # noqa: PTH118 (start-up: no pathlib for this)
            if path.exists(file):  # noqa: PTH110 (as above)
                return _load_extension(f"{package}.{EXTENSION}", file)
    return None


def _load_extension(name: str, file: str) -> Callable[[], object] | None:
    loader = ExtensionFileLoader(name, file)
    spec = ModuleSpec(name, loader, origin=file)
    try:
        module = module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        return None
    return getattr(module, "language", None)
