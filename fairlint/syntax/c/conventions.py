"""What C code takes for granted."""

from __future__ import annotations

from fairlint.syntax.language import Conventions

CONVENTIONS = Conventions(
    receivers=("self", "this"),  # what object-oriented C calls its first parameter
    parents=(),
    constructor="",
    static=(),
    or_gives_value=False,
    main="",
)
