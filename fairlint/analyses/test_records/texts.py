"""People inside texts: CSV, tables, literals amid prose, and forms that are filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from fairlint.support.records import Record

Plain = str | int | float | bool | None
Fields = dict[str, Plain]
"""One record: what the text calls its fields, and their values."""

MAX_TEXT = 200_000
LONGEST_LINE = 400
"""Nobody fills in a form in longer ones."""
LONGEST_LITERAL = 5_000
# texts, as few runs come to need them compiled
_FILLED = (
    r"^[ \t]*(?:[-*+•]|\d+[.)]|#)?[ \t]*"
    r"[`*\"'_]*(?P<name>[A-Za-z][\w /-]{0,30}?)[`*\"'_]*[ \t]*(?:\([^)\n]*\)[ \t]*)?"
    r"(?<![!<>=])[:=](?!=)[ \t]*[`*]*[ \t]*(?P<value>[^\n|]*?)[ \t]*$"
)
_SAID = (
    r"[`'\"](?P<name>\w+)[`'\"]\s+(?:attribute\s+)?"
    r"(?:is|are|=|set|as)(?:\s+(?:set|equal))?(?:\s+(?:to|as))?\s+"
    r"[`'\"](?P<value>[\w /-]+)[`'\"]"
)
_BREAK = (
    r"(?i)^[ \t]*(?:[#*_>-]*[ \t]*"
    r"(?:test[ _-]*case|case|example|person|patient|candidate|applicant)s?[ _]*\d*\b[^=\n]{0,60}"
    r"|\d+[.)][^\n:=]{0,80}|-{3,}|\*{3,}|\{|\})[ \t]*:?[*_ \t]*,?$"
)
_CALLED = r"\s*[\w.]+[(\[]"
_NEXT = (
    r"[,;][ \t]+(?=[*`\"']*[A-Za-z][\w /-]{0,30}[*`\"']*[ \t]*:)"
    r"|[ \t]+[-–—][ \t]+(?=[*`]*[A-Za-z][\w /-]{0,30}:)"
)
_LABEL = r"[^:=\n]{1,60}:[*_` \t]+(?=[*`\"']*[A-Za-z][\w /-]{0,30}[*`\"']*[ \t]*[:=](?!=))"
_PAIR = (
    r"[*`\"']*[A-Za-z][\w /-]{0,30}[*`\"']*[ \t]*(?:=(?!=)|:)[ \t]*[*`]*"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\"'`*,;:=()\[\]{}\n]+)[*`]*"
)
_AND = (
    r"[ \t]*(?:[,;][ \t]*(?:and[ \t]+)?|\band[ \t]+)(?=[*`\"']*[A-Za-z][\w /-]{0,30}[*`\"']*[ \t]*[:=](?!=))"
)
_SEVERAL = r"[,;\-–—]|and|[:=][^:=]*[:=]"
"""What a line has that several fields stand in."""
_RESULT = r"[ \t]*(?:->|=>|→|⇒)[^\n]*$"
_PART = (
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(?P<open>[{\[(])|(?P<close>[}\])])"
    r"|(?P<word>[A-Za-z_]\w*)(?P<colon>\s*:)?|(?P<left_out>\.\.\.|//[^\n]*)|(?P<code>[;=])"
)
_WORDS = {"true": "True", "false": "False", "null": "None"}
"""JSON's words, in Python; as long, so that nothing moves."""
_ROW = r"\(([^()\n]{0,160}['\"]\w[\w -]{0,40}['\"][^()\n]{0,160})\)"
_VALUE = r"[\w][\w /,.+&'-]{0,39}"
_STATEMENT = r"[ \t]*(?:def|class|if|elif|else|for|while|return|case|print|assert)\b(?![ \t]*[\d:])"
_FENCED = r"(?s)```[\w+-]*[ \t]*\r?\n(?P<body>.*?)(?:```|\Z)"
_COMMENT = r"[ \t]+(?:#|//)[^\n]*$"


def people_in_text(text: str, names_group: Callable[[str], bool]) -> list[Fields]:
    """Return the records in a text that is CSV; `names_group` says whether a field is a person's attribute.

    Empty where the text is none or speaks of no one.
    """
    stripped = text.strip()
    return _from_lines(stripped, names_group) if "\n" in stripped and len(stripped) <= MAX_TEXT else []


def _from_lines(text: str, names_group: Callable[[str], bool]) -> list[Fields]:
    """Return the rows of a table whose first line names the columns."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for mark in (",", "\t", ";", "|"):
        header = _split_cells(lines[0], mark)
        if len(header) < 2 or not any(map(names_group, header)):
            continue
        if any(not re.fullmatch(r"[\w .\-/()?]{1,40}", cell) for cell in header):
            continue
        rows = [_split_cells(line, mark) for line in lines[1:]]
        rows = [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
        if rows and all(len(row) == len(header) for row in rows):
            return [{name: plain(cell) for name, cell in zip(header, row, strict=True)} for row in rows]
    return []


def _split_cells(line: str, mark: str) -> list[str]:
    if mark == "|":
        line = line.strip("|")
    return [cell.strip().strip("\"'*` ") for cell in line.split(mark)]


def plain(text: str) -> Plain:
    """Return a cell's value: a number, a truth value, or the text."""
    lowered = text.lower()
    if lowered in {"true", "yes"}:
        return True
    if lowered in {"false", "no"}:
        return False
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


# ------------------------------------------------------------------------------------------ literals


def literals_in_prose(text: str, names_group: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield the dicts that are written out in a text, of JSON or Python, as Python, and where each begins.

    They may stand anywhere in a line, and reach over several. A list gives the dicts in it.
    """
    at = text.find("{")
    looked_at = 0
    while at >= 0 and looked_at < MAX_TEXT:
        found = _literal_at_bracket(text, at)
        looked_at += found.end - at
        if found.text and any(map(names_group, found.names)):
            yield found.text, at
        at = text.find("{", found.end if found.text else at + 1)


class _Literal(Record):
    """A literal, the names in it, and where it ends."""

    text: str
    names: list[str]
    end: int


def _literal_at_bracket(text: str, start: int) -> _Literal:
    """Return the literal that begins at a bracket; its text is empty if none does."""
    parts: list[str] = []
    names: list[str] = []
    closing: list[str] = []
    at = start
    for found in re.compile(_PART).finditer(text, start, start + LONGEST_LITERAL):
        parts.append(text[at : found.start()])
        at = found.end()
        token = found[0]
        if found["open"]:
            closing.append({"{": "}", "[": "]", "(": ")"}[token])
        elif found["close"]:
            if closing.pop() != token:
                break
            if not closing:
                return _Literal("".join([*parts, token]), names, at)
        elif found["text"]:
            names.append(token[1:-1])
        elif found["code"] and closing[-1] == "}":
            break
        elif found["left_out"]:
            token = ""
        elif found["colon"] and closing[-1] == "}":
            names.append(found["word"])
            token = f'"{found["word"]}"{found["colon"]}'
        else:
            token = _WORDS.get(token, token)
        parts.append(token)
    return _Literal("", names, at)


# ------------------------------------------------------------------------------------------ forms


class FieldsInText(Record):
    """The fields of a person, and where in the text they begin."""

    fields: Fields
    start: int


def people_in_forms(text: str, names_group: Callable[[str], bool]) -> list[FieldsInText]:
    """Return the records in what a person has filled in.

    Line by line (`gender: Male`), in a table, or in a sentence about names in backticks.
    """
    for reading in (_people_in_tables, _people_in_forms, _people_in_sentences):
        found = list(reading(text, names_group))
        if found:
            return found
    return []


def people_in_blocks(text: str, names_group: Callable[[str], bool]) -> Iterator[FieldsInText]:
    """Yield the records in CSV between fences."""
    for match in re.finditer(_FENCED, text):
        for fields in people_in_text(match["body"], names_group):
            yield FieldsInText(fields, match.start("body"))


def _people_in_sentences(text: str, names_group: Callable[[str], bool]) -> Iterator[FieldsInText]:
    said: Fields = {}
    start = 0
    for match in re.finditer(_SAID, text):
        if not names_group(match["name"]):
            continue
        if match["name"] in said:
            yield FieldsInText(said, start)
            said = {}
        start = start if said else match.start()
        said[match["name"]] = match["value"].strip()
    if said:
        yield FieldsInText(said, start)


def _people_in_tables(text: str, names_group: Callable[[str], bool]) -> Iterator[FieldsInText]:
    block: list[str] = []
    start = at = 0
    for line in [*text.splitlines(keepends=True), ""]:
        if line.count("|") >= 2:
            start = start if block else at
            block.append(line)
        else:
            if len(block) >= 2:
                found = _from_lines("\n".join(block), names_group) or _by_line(block, names_group)
                for fields in found:
                    yield FieldsInText(fields, start)
            block = []
        at += len(line)


def _by_line(block: list[str], names_group: Callable[[str], bool]) -> list[Fields]:
    """Return the people of a table whose lines are fields: one for each column of values."""
    rows = [_split_cells(line, "|") for line in block]
    named = [row for row in rows if len(row) > 1 and names_group(row[0])]
    if not named or len({len(row) for row in named}) != 1:
        return []
    return [{row[0]: plain(row[place]) for row in named} for place in range(1, len(named[0]))]


def rows_in_prose(text: str) -> str:
    """Rows that stand in a text as tuples, `(True, "male", "white")`, as a list in Python; empty for none."""
    return "\n".join(f"({found[1]})," for found in re.finditer(_ROW, text))


def _people_in_forms(text: str, names_group: Callable[[str], bool]) -> Iterator[FieldsInText]:
    current: Fields = {}
    start = at = 0
    for line in text.splitlines(keepends=True):
        here, at = at, at + len(line)
        if len(line) > LONGEST_LINE or re.match(_STATEMENT, line):
            continue
        is_filled_in = ":" in line or "=" in line
        if not is_filled_in and not current:
            continue
        for piece in _split_fields(line.rstrip("\r\n")):
            match = re.match(_FILLED, re.sub(_COMMENT, "", piece)) if is_filled_in else None
            value = _filled_value(match["value"]) if match is not None else ""
            if match is None or not value:
                if re.match(_BREAK, piece.rstrip()) and current:
                    yield FieldsInText(current, start)
                    current = {}
                continue
            name = match["name"].strip().strip("`*\"'_ ").lower()
            if not names_group(name) or value.lower() == name:
                continue
            if name in current:
                yield FieldsInText(current, start)
                current = {}
            start = start if current else here
            current[name] = value
    if current:
        yield FieldsInText(current, start)


def _split_fields(line: str) -> list[str]:
    """Return the parts of a line that may each fill in a field.

    A line of nothing but pairs, `Case 1: age = 40, gender = "Female"`, is cut at all of them, and behind its
    label. Anything else between them makes it prose or code, where `=` need not fill in anything.
    """
    if not re.search(_SEVERAL, line):
        return [line]
    pieces = re.split(_NEXT, re.sub(_RESULT, "", re.sub(_COMMENT, "", line)))
    label = re.match(_LABEL, pieces[0])
    before = [label[0].rstrip()] if label is not None else []
    inside = [pieces[0][label.end() :], *pieces[1:]] if label is not None else pieces
    pairs = [pair.strip(" \t.,;") for piece in inside for pair in re.split(_AND, piece)]
    if len(pairs) < 2 or not all(re.fullmatch(_PAIR, pair) for pair in pairs):
        return re.split(_NEXT, line)
    return [*before, *pairs]


def _filled_value(text: str) -> str:
    if re.match(_CALLED, text):
        return ""
    value = text.strip().rstrip(",;.").strip().strip("`*\"'_ ").strip()
    value = re.sub(r"\s*[(\[].*$", "", value).strip("\"'`* ")
    return value if re.fullmatch(_VALUE, value) else ""
