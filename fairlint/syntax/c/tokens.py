"""How C writes comments and texts."""

from __future__ import annotations

from fairlint.syntax.tokens import Tokens

TOKENS = Tokens(
    line_comments=(b"//",),
    block_comments=((b"/*", b"*/"),),
    is_spliced=True,
    keywords=frozenset(
        (
            "auto break case char const continue default do double else enum extern float for goto if"
            " inline int long register restrict return short signed sizeof static struct switch typedef"
            " union unsigned void volatile while bool true false NULL nullptr define include ifdef ifndef"
            " endif elif undef"
        ).split()
    ),
)
