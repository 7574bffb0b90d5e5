"""The JSON Schema of attribute tables, for editors: what `tables` takes, by the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from fairlint.vocabulary.model import AttributeKind, Form

Schema = Mapping[str, Any]

_TEXT: Schema = {"type": "string", "minLength": 1}
_TEXTS: Schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_FLAG: Schema = {"type": "boolean"}
_BY_GROUP: Schema = {"type": "object", "additionalProperties": _TEXTS}
_NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
_BANDS: Schema = {"type": "object", "additionalProperties": {**_NUMBERS, "minItems": 2, "maxItems": 2}}
_CODES: Schema = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": "string", "pattern": "="},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]
    },
}
_LIMITS: Schema = {
    "anyOf": [
        _NUMBERS,
        {
            "type": "object",
            "properties": {
                "numbers": _NUMBERS,
                "among": {"type": "object", "properties": {"numbers": _NUMBERS, "words": _TEXTS}},
            },
            "additionalProperties": False,
        },
    ]
}

KEYS: Mapping[str, tuple[Schema, str]] = {
    "title": (_TEXT, "what people call it"),
    "rename": (_TEXT, "what reports call it instead of its name"),
    "note": (_TEXT, "what people should know about it"),
    "kind": ({"enum": list(get_args(AttributeKind))}, "what sort of attribute it is"),
    "form": ({"enum": list(get_args(Form))}, "what its values are"),
    "core": (_TEXTS, "groups that are in every table"),
    "coarse": (_TEXTS, "groups that divide people in another way than the rest"),
    "domains": (_TEXTS, "fields in which it is protected; without any, it is in all"),
    "needs_domain": (_FLAG, "it counts only where the field is known"),
    "ordered": (_FLAG, "its groups have an order"),
    "identifies": (_FLAG, "its values tell one person from another"),
    "proxy_for": (_TEXTS, "attributes that it stands for"),
    "strong": (_TEXTS, "names in code, as words, that mean it wherever they stand"),
    "likely": (_TEXTS, "names that mean it with some evidence"),
    "ambiguous": (_TEXTS, "names that need more evidence"),
    "proxy": (_TEXTS, "names of what goes along with it"),
    "flags": (_BY_GROUP, "names that hold one group's truth, as is_female"),
    "likely_flags": (_BY_GROUP, "such names that are said of things, too, as is_old"),
    "bare_flags": (_BY_GROUP, "such names that may stand alone, as disabled"),
    "ambiguous_flags": (_BY_GROUP, "such names that need a person beside them"),
    "forms": (
        {
            "type": "object",
            "properties": dict.fromkeys(get_args(Form), _TEXTS),
            "additionalProperties": False,
        },
        "names whose values are of another form",
    ),
    "columns": (_TEXTS, "columns of known data sets, as they are written"),
    "generic": (_TEXTS, "names that count as a field of a person only"),
    "weak_generic": (_TEXTS, "such names that mostly mean something else there, too"),
    "groups": (_BY_GROUP, "each group's spellings in code and data"),
    "people": (_BY_GROUP, "how running text names the people of a group by itself"),
    "adjectives": (_BY_GROUP, "how running text names a group before a noun for people"),
    "missing": (_TEXTS, "spellings of a value that nobody gave"),
    "distinctive": (_BY_GROUP, "spellings that mean the group wherever they stand"),
    "bands": (_BANDS, "of numbers: each group's lowest and highest"),
    "laws": (_BY_GROUP, "jurisdiction = the laws that protect it there, separated by semicolons"),
    "codes": (_CODES, "data set = what its codes mean"),
    "limits": (_LIMITS, "numbers that the law itself sets"),
    "not": (_TEXTS, "whole names that do not mean it"),
    "not_of": (_TEXTS, "words that, beside a name, say that it does not mean it"),
    "not_values": (_TEXTS, "values that say that a name does not mean it"),
    "beside": (
        _BY_GROUP,
        "name = words one of which has to stand near, where the name mostly means something else",
    ),
    "told_by": (_BY_GROUP, "name = values that say what it means, where it means nothing by itself"),
    "remove": (_TEXTS, "names that no longer mean it, spellings that no longer mean one of its groups"),
    "disabled": (_FLAG, "switches the attribute off"),
}
"""Key → its schema and what it is for."""


def schema() -> Schema:
    """Return the schema of the table `attributes`."""
    return {
        "type": "object",
        "description": "attribute = what is to be known about it",
        "propertyNames": {"pattern": r"^[^\sA-Z.\-]+$"},
        "additionalProperties": {
            "type": "object",
            "properties": {key: {**one, "description": about} for key, (one, about) in KEYS.items()},
            "additionalProperties": False,
        },
    }
