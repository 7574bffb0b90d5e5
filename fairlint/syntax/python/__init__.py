"""Python, whole: how it is recognised, lexed, outlined and parsed, and what it takes for granted."""

from __future__ import annotations

import sys
from collections.abc import Callable

from fairlint.syntax.conventions import Conventions
from fairlint.syntax.language import Language
from fairlint.syntax.python.tokens import TOKENS

TYPE_CHECKING = False  # importing typing would take longer than this module
if TYPE_CHECKING:
    from fairlint.syntax.completeness import Names
    from fairlint.syntax.outline import Modules, Outline
    from fairlint.syntax.signs import Signs
    from fairlint.syntax.tree import Tree


def _parse_source(data: bytes, keep: Callable[[int, int, str], bool] | None = None) -> Tree:
    from fairlint.syntax.python.parser import parse  # noqa: PLC0415 (loads tree-sitter: most files end unparsed)

    return parse(data, keep)


def _load_outline() -> Outline:
    from fairlint.syntax.python.outline import OUTLINE  # noqa: PLC0415 (as above)

    return OUTLINE


def _load_modules() -> Modules:
    from fairlint.syntax.python.modules import MODULES  # noqa: PLC0415 (most files import nothing that is here)

    return MODULES


def _load_names() -> Names:
    from fairlint.syntax.python.names import NAMES  # noqa: PLC0415 (only the bench asks)

    return NAMES


def _declared_encoding(raw: bytes) -> str | None:
    if b"coding" not in raw[:1000]:
        return None
    from fairlint.syntax.python.encoding import coding_cookie  # noqa: PLC0415 (hardly any file says one)

    return coding_cookie(raw)


def _is_intact(data: bytes) -> bool:
    from fairlint.syntax.python.intact import is_intact  # noqa: PLC0415 (loads the module for warnings)

    return is_intact(data)


def _byte_code(path: str, changed: int, size: int) -> tuple[str, bytes]:
    from fairlint.syntax.python.intact import byte_code  # noqa: PLC0415 (as above)

    return byte_code(path, changed, size)


def _plain_cell(code: bytes) -> bytes:
    from fairlint.syntax.python.magics import plain_python  # noqa: PLC0415 (few runs meet a notebook)

    return plain_python(code)


def _load_signs() -> Signs:
    from fairlint.syntax.python.signs import SIGNS  # noqa: PLC0415 (only answers of models are without a suffix)

    return SIGNS


PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    parse=_parse_source,
    title="Python",
    tokens=TOKENS,
    conventions=Conventions(
        receivers=("self", "cls"),
        parents=("super()",),
        shares=(b"global", "global_statement"),
        standard=sys.stdlib_module_names,
    ),
    outline=_load_outline,
    signs=_load_signs,
    modules=_load_modules,
    names=_load_names,
    interpreters=("python", "pypy", "ipython", "uv"),
    encoding=_declared_encoding,
    is_intact=_is_intact,
    byte_code=_byte_code,
    kernels=("python", "python2", "python3", "ipython", "pyspark", "sage", "sagemath", "cython"),
    cell=_plain_cell,
)
