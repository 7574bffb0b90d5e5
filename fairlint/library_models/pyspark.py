"""Spark: what no entry of `pyspark.toml` can say."""

from __future__ import annotations

from fairlint.library_models.pandas import filtered, with_column
from fairlint.library_models.polars import cases, named
from fairlint.library_models.sqlalchemy import literal
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names
from fairlint.semantics.values.symbolic import Opaque, Value

__all__ = ["cases", "filtered", "indexed", "literal", "named", "with_column"]


def indexed(call: Invocation) -> Value | None:
    """`StringIndexer(inputCol="sex", outputCol="sex_index")`: codes of a column, under another name."""
    for old, new in (("inputCol", "outputCol"), ("inputCols", "outputCols")):
        before, after = call.keyword(old), call.keyword(new)
        if before is None or after is None:
            continue
        for one, other in zip(column_names.some_names(before), column_names.some_names(after), strict=False):
            call.frame.program.renamed.setdefault(str(other.value), (str(one.value), one.node or call.node))
    return Opaque(call.frame.text(call.node))
