"""Prompts: a model or a reader is asked to decide about a person by a protected attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.file_index import BETWEEN
from fairlint.findings.uses import Use
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.phrases import whole_words
from fairlint.vocabulary.preferring import may_prefer


def observe(context: Context) -> Iterator[Use]:
    """Yield all prompts of one file, and all texts that tell whom to prefer."""
    prose = _prose_of_file(context)
    decides = bool(prose) and re.search(whole_words(word_lists("prompts")["worth"]), prose) is not None
    instructs = may_prefer(context.written.prose, context.vocabulary)
    if decides or instructs:
        from fairlint.detectors.prompt_texts import uses_in  # noqa: PLC0415 (start-up: few files ask)

        yield from uses_in(context, decides=decides, instructs=instructs)


def _prose_of_file(context: Context) -> str:
    """Return the running text of a file; the docstring of a class that stands for a prompt is the order."""
    prose = BETWEEN.join([context.written.prose, *context.execution.tree.texts.values()])
    types = [part for part in context.body if isinstance(part, tree.Type) and part.docstring and part.bases]
    if not types:
        return prose
    from fairlint.analyses.prompts.usages import is_prompt  # noqa: PLC0415 (as above)

    orders = [part.docstring for part in types if is_prompt(part, context.execution.program)]
    return BETWEEN.join([prose, *orders])
