"""How Python writes comments and texts."""

from __future__ import annotations

from fairlint.syntax.tokens import Tokens

TOKENS = Tokens(
    line_comments=(b"#",),
    long_quotes=(b'"""', b"'''"),
    prefixes=b"rRbBuUfFtT",
    formatted=b"fFtT",
    binary=b"bB",
    keywords=frozenset(
        (
            "False None True and as assert async await break case class cls continue def del elif else"
            " except finally for from global if import in is lambda match nonlocal not or pass raise"
            " return self try while with yield"
        ).split()
    ),
)
