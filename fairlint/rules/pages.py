"""Rule pages: from their text to rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, get_args

from fairlint.findings.finding import Applicability, Remedy
from fairlint.findings.levels import CONFIDENCES, SEVERITIES
from fairlint.findings.uses import ContextName, Effect, Kind, PointsOp, Shape
from fairlint.rules.messages import OPTIONAL, PLACEHOLDER, PLACEHOLDERS
from fairlint.rules.rule import (
    JURISDICTION,
    LAW,
    LAW_HERE,
    OF_LAW,
    SELECTABLE,
    Condition,
    Reference,
    Rule,
)
from fairlint.support.expressions import lazy_expression
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.vocabulary.model import AttributeKind

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_ORDER = 50

_Choice = TypeVar("_Choice", bound=str)
_CODE = lazy_expression(r"[A-Z]{2,8}[0-9]{3,4}")
_NAME = lazy_expression(r"[a-z0-9]+(-[a-z0-9]+)*")


class RuleError(ValueError):
    """A rule page that cannot be used; the message names the page and the key."""


CONDITIONS = ("match", "unless", "note_when")
_FLAGS = frozenset({"joined", "leaves_out"})
_KNOWN_TEXTS: Mapping[str, tuple[str, ...]] = {
    "attribute_kind": get_args(AttributeKind),
    "kind": get_args(Kind),
    "effect": get_args(Effect),
    "shape": get_args(Shape),
    "op": ("", *get_args(PointsOp)),
    "context": get_args(ContextName),
    JURISDICTION: ("us", "eu", "uk"),
}
"""Fields of text whose values are known beforehand."""


def load_page(path: Path | str) -> Rule:
    """Read one rule page."""
    try:
        text = read_file(path, LARGEST_SETTINGS).decode()
    except NotReadableError as error:
        raise RuleError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise RuleError(f"{path}: is not UTF-8 text") from None
    return parse_page(text, str(path))


def parse_page(text: str, path: str) -> Rule:
    """Return a rule from the text of its page; `path` is for messages."""
    front, page = front_matter(text, path)
    from fairlint.support.documents import read_toml  # noqa: PLC0415 (the shipped pages are kept in compiled form)

    try:
        table = read_toml(front)
    except ValueError as error:
        raise RuleError(f"{path}: front matter: {error}") from None
    return _FrontMatter(table, path).rule(page.lstrip("\n"))


def front_matter(text: str, path: str) -> tuple[str, str]:
    """Return the two parts of a page: its TOML and the Markdown after it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    opening, _, rest = text.partition("\n")
    front, closing, page = rest.partition("\n+++\n")
    if opening.strip() != "+++" or not closing:
        raise RuleError(f"{path}: a rule page starts with TOML between two `+++` lines")
    return front, page


class _FrontMatter:
    """The table between the `+++` lines, taken apart key by key."""

    def __init__(self, table: dict[str, object], path: str) -> None:
        self.table = table
        self.path = path

    def rule(self, page: str) -> Rule:
        rule = Rule(
            code=self.pattern("code", _CODE),
            name=self.pattern("name", _NAME),
            severity=self.one_of("severity", SEVERITIES),
            confidence=self.one_of("confidence", CONFIDENCES),
            languages=self.languages(),
            tags=self.texts("tags"),
            message=self.message(),
            advice=self.text("advice"),
            advice_when=self.advice_when(),
            references=self.references(),
            laws=self.laws(),
            match=self.conditions("match"),
            unless=self.conditions("unless") if "unless" in self.table else (),
            note_when=self.conditions("note_when") if "note_when" in self.table else (),
            order=self.order(),
            remedies=self.remedies(),
            page=page,
            path=self.path,
        )
        if self.table:
            raise self.wrong(next(iter(self.table)), "is not a key of a rule page")
        return rule

    def wrong(self, key: str, problem: str) -> RuleError:
        return RuleError(f"{self.path}: `{key}` {problem}")

    def take(self, key: str) -> object:
        try:
            return self.table.pop(key)
        except KeyError:
            raise self.wrong(key, "is missing") from None

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self.wrong(key, "must be one line of text")
        return value

    def pattern(self, key: str, pattern: re.Pattern[str]) -> str:
        value = self.text(key)
        if not pattern.fullmatch(value):
            raise self.wrong(key, f"is {value!r}, not of the form {pattern.pattern}")
        return value

    def one_of(self, key: str, allowed: tuple[_Choice, ...]) -> _Choice:
        value = self.text(key)
        for choice in allowed:
            if value == choice:
                return choice
        raise self.wrong(key, f"is {value!r}; allowed are {', '.join(allowed)}")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.wrong(key, "must be a list of texts")
        return tuple(value)

    def languages(self) -> tuple[str, ...]:
        languages = self.texts("languages")
        if not languages:
            raise self.wrong("languages", "names no language")
        return languages

    def message(self) -> str:
        message = self.text("message")
        for found in PLACEHOLDER.finditer(message):
            if found[1] not in PLACEHOLDERS:
                known = ", ".join(PLACEHOLDERS)
                raise self.wrong("message", f"has an unknown placeholder {{{found[1]}}}; known are {known}")
        left = PLACEHOLDER.sub("", OPTIONAL.sub(r"\1", message))
        if any(mark in left for mark in "{}[]"):
            raise self.wrong("message", "has an unmatched or nested bracket")
        return message

    def laws(self) -> tuple[str, ...]:
        found = self.texts("laws") if "laws" in self.table else ()
        for id_ in found:
            self.check_law("laws", id_)
        return found

    def check_law(self, key: str, id_: str) -> None:
        from fairlint.laws import register  # noqa: PLC0415 (the shipped pages are kept in compiled form)

        if id_ not in register():
            from fairlint.support.did_you_mean import did_you_mean  # noqa: PLC0415 (as above)

            hint = did_you_mean(id_, register()) or "; fairlint laws lists them"
            raise self.wrong(key, f"names {id_!r}, which is no law of the register{hint}")

    def references(self) -> tuple[Reference, ...]:
        value = self.table.pop("references", [])
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, dict) or not {"title"} <= item.keys() <= {"title", "url"}:
                raise self.wrong("references", "must be a list of tables with a title and perhaps a url")
            if not all(isinstance(text, str) for text in item.values()):
                raise self.wrong("references", "has a title or url that is no text")
        assert isinstance(value, list)
        return tuple(Reference(item["title"], item.get("url", "")) for item in value)

    def remedies(self) -> tuple[Remedy, ...]:
        value = self.table.pop("fix", [])
        needed = {"kind", "applicability", "languages", "say"}
        for item in value if isinstance(value, list) else (value,):
            if not isinstance(item, dict) or item.keys() - {"contexts"} != needed:
                raise self.wrong("fix", f"must be tables of {', '.join(sorted(needed))}")
        assert isinstance(value, list)
        return tuple(_FrontMatter(dict(item), self.path).remedy() for item in value)

    def remedy(self) -> Remedy:
        return Remedy(
            self.pattern("kind", _NAME),
            self.one_of("applicability", get_args(Applicability)),
            self.languages(),
            self.text("say"),
            self.texts("contexts") if "contexts" in self.table else (),
        )

    def order(self) -> int:
        value = self.table.pop("order", DEFAULT_ORDER)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong("order", "must be a whole number")
        return value

    def advice_when(self) -> tuple[tuple[Condition, str], ...]:
        value = self.table.pop("advice_when", [])
        found: list[tuple[Condition, str]] = []
        for table in value if isinstance(value, list) else [value]:
            fields = dict(table) if isinstance(table, dict) else {}
            say = fields.pop("say", None)
            if not fields or not isinstance(say, str) or not say.strip() or "\n" in say:
                raise self.wrong("advice_when", "must be tables of fields of a use and `say`, a line of text")
            condition = {field: self.values("advice_when", field, wanted) for field, wanted in fields.items()}
            if condition.keys() <= OF_LAW:
                raise self.wrong("advice_when", "has to name a field of a use and the jurisdiction or law")
            if LAW_HERE in say and LAW not in condition:
                raise self.wrong("advice_when", f"has {LAW_HERE} in `say` and names no `{LAW}`")
            found.append((condition, say))
        return tuple(found)

    def conditions(self, key: str) -> tuple[Condition, ...]:
        value = self.take(key)
        tables = value if isinstance(value, list) else [value]
        conditions = []
        for table in tables:
            if not isinstance(table, dict) or not table:
                raise self.wrong(key, "must be a table, or a list of tables, of fields of a use")
            conditions.append({field: self.values(key, field, wanted) for field, wanted in table.items()})
        return tuple(conditions)

    def values(self, table: str, field: str, wanted: object) -> frozenset[object]:
        key = f"{table}.{field}"
        selectable = (*SELECTABLE, *sorted(OF_LAW)) if table == "advice_when" else (*SELECTABLE,)
        if field not in selectable:
            raise self.wrong(key, f"is no field to select on; known are {', '.join(selectable)}")
        values = wanted if isinstance(wanted, list) else [wanted]
        for value in values:
            if field in _FLAGS:
                if not isinstance(value, bool):
                    raise self.wrong(key, "must be true or false")
            elif not isinstance(value, str):
                raise self.wrong(key, "must be a text or a list of texts")
            elif field in _KNOWN_TEXTS and value not in _KNOWN_TEXTS[field]:
                known = ", ".join(filter(None, _KNOWN_TEXTS[field]))
                raise self.wrong(key, f"is {value!r}; allowed are {known}")
            elif field == LAW:
                self.check_law(key, value)
        return frozenset(values)
