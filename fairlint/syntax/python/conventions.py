"""What Python code takes for granted."""

from __future__ import annotations

from fairlint.syntax.language import Conventions

CONVENTIONS = Conventions(receivers=("self", "cls"), parents=("super()",))
