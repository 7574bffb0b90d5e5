"""How Python's definitions look."""

from __future__ import annotations

from fairlint.syntax.outline import Outline, definitions_by_indent

OUTLINE = Outline(
    # behind the end of a line, found by leaps from one such end to the next
    definitions=definitions_by_indent(rb"\n([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)"),
    reference=rb"(?:(?<![\w.>])|\b(?:self|cls|[A-Z]\w*)\.)([A-Za-z_]\w*)",
    sets=(
        rb"[\w\])]\.([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)",
        # at module level, and constants of a class; several at once, too
        (
            rb"^(?:(?:global[ \t]+)?|[ \t]+(?=[A-Z][A-Z0-9_]*\b))((?:[A-Za-z_]\w*[ \t]*,[ \t]*)*[A-Za-z_]\w*)"
            rb"[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)"
        ),
        # what is imported: `from ethnicolr import pred_wiki_name`
        rb"^[ \t]*(?:lazy[ \t]+)?(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([\w \t,]+)",
        # fields of a class that begin as lists
        rb"^[ \t]+([A-Za-z_]\w*)[ \t]*:[ \t]*\w[^=\n]*=[ \t]*(?:[\[(]|field\(|Field\()",
    ),
    # with what stands on the deeper lines below it
    constant=(
        rb"\n([A-Za-z_]\w*)(?:[ \t]*(?::[^=\n]*)?=(?!=)|\.append\()"
        rb"([^\n]*(?:\n(?:[ \t)\]}][^\n]*|(?=\n)))*)"
    ),
    shared=rb"\bglobal[ \t]+([A-Za-z_][\w, \t]*)",
    top_level=rb"(?m)^(?!def |class |import |from |@|async )[A-Za-z_].*",
    over=rb"\n@([A-Za-z_]\w*)",
    chosen=rb"""getattr\((?:self|cls),[ \t]*f?["']([A-Za-z_]\w*)""",  # `getattr(self, "score_" + group)`
    tests=rb"\bdef test_",
    always=frozenset({b"__init__", b"__post_init__"}),
    special=(b"__",),
)
