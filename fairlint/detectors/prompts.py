"""Prompts: a model or a reader is asked to decide about a person by a protected attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.file_index import BETWEEN
from fairlint.lexicon.preferring import may_prefer
from fairlint.syntax import tree
from fairlint.uses import Use

# a text, as it is compiled where the first prose is met
_WORTH = (
    r"(?i)\b(?:hir(?:e|ed|es|ing)|reject\w*|approv\w+|admi(?:t\w*|ssion\w*)|promot(?:e|ed|ion)|shortlist\w*|suitab\w+"
    r"|eligib\w+|loans?|lend\w*|mortgage|tenants?|candidates?|applicants?|parole|bail|recidiv\w+|defendants?"
    r"|premium|salary|sentenc\w+|evict\w*|lay ?off\w*|fired?|interview\w*|scholarship|creditworth\w+|insur\w+"
    r"|triage|priorit\w+|recommend\w*|rank|rate|score|assess|evaluate|judge|decide|choose|select|pick|guilty"
    r"|trustworth\w+|den(?:y|ied)|grant\w*|invit\w+|welfare|visa|risk|(?:re)?offen[ds]\w*|predict|qualif\w+|promising"
    r"|deserv\w+|detain\w*|releas\w+"
    r"|deport\w*|terminat\w+|dismiss\w*|grade|vet|accept\w*|enrol\w*|award\w*|who gets"
    r"|the right (?:person|man|woman)"
    r"|underwrit\w+|fit for|good fit|unfit|weed out|flag|investigate|arrest\w*|exclude\w*|let|marks?|fraud\w*"
    r"|reliable|trusted|credit|benefits?|housing|lease|vacancy)\b"
)
"""Stands in every file with a text that asks for a decision or prefers somebody."""


def observe(context: Context) -> Iterator[Use]:
    """All prompts of one file, and all texts that tell whom to prefer."""
    prose = _prose(context)
    decides = bool(prose) and re.search(_WORTH, prose) is not None
    instructs = may_prefer(context.written.prose.encode("utf-8", "replace"))
    if decides or instructs:
        from fairlint.detectors.prompt_texts import uses_in  # noqa: PLC0415 (start-up: few files ask)

        yield from uses_in(context, decides=decides, instructs=instructs)


def _prose(context: Context) -> str:
    """The running text of a file; the orders of DSPy's signatures are docstrings."""
    prose = context.written.prose
    if "Signature" not in context.written.names:
        return prose
    orders = [part.docstring for part in context.body if isinstance(part, tree.Type) and part.docstring]
    return BETWEEN.join([prose, *orders])
