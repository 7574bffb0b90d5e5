"""C programs for oracle.py: each choice is a function or an entry of a table."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from oracle_grammar import (
    AGES,
    DEPARTMENTS,
    FIELDS,
    GROUPS,
    OTHERS,
    SUBJECTS,
    TWINS,
    Key,
    Lines,
    Outcome,
    Program,
    Spec,
    indented,
    people,
    require,
)

TEXTS = ("text", "array")
NUMBERS = ("enum", "macro", "plain", "constant")

TESTS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "eq": (NUMBERS, "{v} == {one}"),
    "ne": (NUMBERS, "{v} != {one}"),
    "reversed": (NUMBERS, "{one} == {v}"),
    "or": (NUMBERS, "{v} == {one} || {v} == {two}"),
    "mask": (NUMBERS, "(1 << {v}) & (1 << {one} | 1 << {two})"),
    "xor": (NUMBERS, "!({v} ^ {one})"),
    "minus": (NUMBERS, "{v} - {one} == 0"),
    "strcmp": (TEXTS, "strcmp({v}, {one}) == 0"),
    "not_strcmp": (TEXTS, "!strcmp({v}, {one})"),
    "zero_strcmp": (TEXTS, "0 == strcmp({v}, {one})"),
    "strcmp_differs": (TEXTS, "strcmp({v}, {one}) != 0"),
    "strcmp_true": (TEXTS, "strcmp({v}, {one})"),
    "strcmp_or": (TEXTS, "strcmp({v}, {one}) == 0 || strcmp({v}, {two}) == 0"),
    "strcasecmp": (TEXTS, "strcasecmp({v}, {one}) == 0"),
    "strncmp": (TEXTS, 'strncmp({v}, "{word:.3}", 3) == 0'),
    "strstr": (TEXTS, 'strstr({v}, "{word:.4}") != NULL'),
    "strstr_true": (TEXTS, 'strstr({v}, "{word:.4}")'),
    "first": (TEXTS, "{v}[0] == '{word:.1}'"),
    "deref": (TEXTS, "*{v} == '{word:.1}'"),
    "toupper": (TEXTS, "toupper({v}[0]) == '{upper:.1}'"),
    "memcmp": (TEXTS, "memcmp({v}, {one}, sizeof {one}) == 0"),
    "char_eq": (("char",), "{v} == {one}"),
    "char_ne": (("char",), "{v} != {one}"),
    "char_or": (("char",), "{v} == {one} || {v} == '{upper:.1}'"),
    "char_strchr": (("char",), 'strchr("{word:.1}{upper:.1}", {v}) != NULL'),
    "char_toupper": (("char",), "toupper({v}) == '{upper:.1}'"),
    "char_code": (("char",), "{v} == {code}"),
    "lt": (("number",), "{v} < {low}"),
    "ge": (("number",), "{v} >= {high}"),
    "gt": (("number",), "{v} > {high}"),
    "le": (("number",), "{v} <= {low}"),
    "age_reversed": (("number",), "{low} > {v}"),
    "between": (("number",), "{v} >= {low} && {v} < {high}"),
    "ends": (("number",), "{v} < {low} || {v} > {high}"),
    "age_not": (("number",), "!({v} < {high})"),
    "decade": (("number",), "{v} / 10 == {decade}"),
    "unsigned": (("number",), "(unsigned)({v} - {low}) < {span}"),
    "age_macro": (("number",), "{v} >= RETIREMENT_AGE"),
}
"""Name → how the field is written for it, and the condition."""
AMOUNTS = (
    "{n}", "({n} + 7) / 2", "-{n} / 4", "-{n} % 4", "(int)({n} / 2.0)", "(int)-{n}.7", "BONUS",
    "BONUS * 2", "(BONUS) * 2", "WEIGHT({n})", "WEIGHT({n} + 1)", "LOOSE({n} + 1)", "{n} << 1",
    "{n} >> 1", "~{n}", "!{n}", "!!{n}", "'e' - 'a'", "010", "0x1f", "(unsigned char)({n} + 250)",
    "(signed char)({n} + 120)", "1 ? {n} : 0", "TEN", "points_each", "{n}.9", "7 / 2 * {n}",
    "7 * {n} / 2", "7 % 4 + {n}", "sizeof(char) * {n}", "({n}, 3)", "abs(-{n})", "{n} & 6", "{n}u",
    "(short)({n} * 10000)", "{n} / 2.0", "1e1", "-{n}",
)  # fmt: skip
"""How points are written, the simplest first."""
FLOWS = (
    "if_else", "if", "negated", "guard", "nested", "and", "or", "ternary", "times", "flag", "helper", "macro",
    "one_round", "while", "do_while", "elif", "switch", "fallthrough", "table", "designated", "struct_table",
    "early", "goto", "comma", "case_range", "decades", "switch_default_first", "if_assign", "for_break",
)  # fmt: skip
PARTS: Mapping[str, Sequence[str]] = {
    "attribute": ("gender", "race", "religion", "age"),
    "written": ("enum", "text", "array", "char", "macro", "plain", "constant", "number"),
    "test": tuple(TESTS),
    "origin": ("pointer", "value", "typedef", "params", "nested"),
    "local": ("inline", "local", "renamed", "helper"),
    "flow": FLOWS,
    "around": ("function", "static", "loop", "out", "called"),
    "outcome": (
        "verdict", "flag", "number", "points", "minus", "capped", "factor", "state", "state_number", "print",
        "append",
    ),
    "amount": AMOUNTS,
    "type": ("int", "double", "float", "long", "short"),
    "twin": TWINS,
}  # fmt: skip
"""Part → its options, the simplest first."""
TYPED = {"number", "points", "minus", "capped"}
"""Outcomes of which the type of C is a choice."""
NUMERIC = {"number", "points", "minus", "capped", "factor", "state_number"}
HEADERS = (
    "#include <ctype.h>",
    "#include <stdlib.h>",
    "#include <string.h>",
    "#include <strings.h>",
    "#include <stdio.h>",
)


@dataclass
class Writer:
    """A program as it is put together."""

    spec: Spec
    chance: random.Random
    function: str
    subject: str
    own: str
    neutral: str
    module: Lines = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def tested(self) -> str:
        """The field that is tested."""
        return self.neutral if self.spec["twin"] == "neutral" else self.own

    def read(self, name: str) -> str:
        """A field of the record."""
        origin = self.spec["origin"]
        if origin == "params":
            return name
        dot = "." if origin == "value" else "->"
        inner = "person." if origin == "nested" and name == self.tested else ""
        return f"{self.subject}{dot}{inner}{name}"


def render(spec: Spec) -> Program:
    """The program of these choices. Raises InvalidError where they do not go together."""
    chance = random.Random(spec.seed)
    function, subject = chance.choice(SUBJECTS)
    attribute = spec["attribute"]
    neutral = "distance" if attribute == "age" else "department"
    writer = Writer(spec, chance, function, subject, chance.choice(FIELDS[attribute]), neutral)
    _check(spec)
    keys, raw, literals = _groups(writer)
    value, reading = _value(writer)
    outcome = _outcome(writer)
    body = [*outcome.before, *reading, *_flow(writer, outcome, value, literals), "@leave"]
    text = "\n".join(_assembled(writer, body, outcome.result)) + "\n"
    persons = people(keys, raw, writer.tested, attribute, (writer.own, writer.neutral))
    return Program(
        spec,
        text,
        "\n".join(_drive(writer, [dict(one.row) for one in persons])),
        attribute,
        persons,
        spec["outcome"] in NUMERIC,
        function,
        names=tuple(dict.fromkeys([*writer.names, function, subject, "drive", "rows"])),
        aliases=_aliases(keys, raw),
    )


def _check(spec: Spec) -> None:
    """What does not go together whatever the rest is."""
    flow, outcome, around, written = (spec[one] for one in ("flow", "outcome", "around", "written"))
    require((spec["attribute"] == "age") == (written == "number"))
    require(written in TESTS[spec["test"]][0])
    require(
        spec["origin"] != "params"
        or (
            around in {"function", "static", "out"}
            and outcome not in {"state", "state_number"}
            and spec["local"] in {"inline", "renamed"}
        )
    )
    require(outcome not in {"state", "state_number"} or spec["origin"] != "value")
    require(
        around != "loop"
        or (
            spec["origin"] in {"pointer", "typedef", "nested"}
            and outcome in {"append", "state", "state_number", "print"}
        )
    )
    require(outcome != "append" or around == "loop")
    require(around != "out" or outcome in {"points", "number", "minus"})
    require(
        spec["amount"] == AMOUNTS[0] or outcome in {"number", "points", "minus", "capped", "state_number"}
    )
    require(spec["type"] == "int" or outcome in {"number", "points", "minus", "capped"})
    # people are written so that the test matters, and these flows have none
    require(spec["test"] != "strcasecmp" or flow not in MANY)
    if flow in {"early", "case_range", "decades"}:
        require(written == "number")
    if flow in {"switch", "fallthrough", "switch_default_first"}:
        require(written in {"enum", "macro", "plain", "char"})
    if flow in {"table", "designated"}:
        require(
            written in {"enum", "macro", "plain"}
            and outcome in {"number", "points", "minus", "capped", "factor"}
        )
    if flow == "designated":
        require(written != "plain")
    if flow == "struct_table":
        require(written in TEXTS and outcome in {"number", "points", "minus"})
    if outcome in {"append", "state", "state_number", "print"}:
        require(flow not in {"times", "comma", "if_assign"})


def _groups(writer: Writer) -> tuple[list[Key], dict[Key, object], list[str]]:
    """Whom there is, what stands in the field, and the literals by which code names them."""
    attribute, written = writer.spec["attribute"], writer.spec["written"]
    if attribute == "age":
        return list(AGES), {age: age for age in AGES}, []
    everybody = [*GROUPS[attribute], OTHERS[attribute]]
    names = list(DEPARTMENTS[: len(everybody)]) if writer.spec["twin"] == "neutral" else everybody
    order = writer.chance.sample(range(len(everybody) - 1), len(everybody) - 1)
    if written in NUMBERS:
        return _numbered(writer, everybody, names, order)
    if written == "char":
        raw: dict[Key, object] = {group: f"'{name[0]}'" for group, name in zip(everybody, names, strict=True)}
        return list(everybody), raw, [f"'{names[place][0]}'" for place in order]
    shown: Callable[[str], str] = str.title if writer.spec["test"] == "strcasecmp" else str
    raw = {group: f'"{shown(name)}"' for group, name in zip(everybody, names, strict=True)}
    return list(everybody), raw, [f'"{names[place]}"' for place in order]


def _numbered(
    writer: Writer, everybody: Sequence[str], names: Sequence[str], order: Sequence[int]
) -> tuple[list[Key], dict[Key, object], list[str]]:
    """Groups as numbers, which have names but for plain ones."""
    words = [name.upper() for name in names]
    written = writer.spec["written"]
    if written == "enum":
        writer.module += [f"enum kind {{ {', '.join(words)} }};", ""]
        writer.names += ["kind", *words]
    elif written == "macro":
        writer.module += [*(f"#define {word} {place}" for place, word in enumerate(words)), ""]
        writer.names += words
    elif written == "constant":
        require(
            writer.spec["flow"]
            not in {"switch", "fallthrough", "switch_default_first", "table", "designated"}
        )
        writer.module += [*(f"static const int {word} = {place};" for place, word in enumerate(words)), ""]
        writer.names += words
    raw: dict[Key, object] = dict(zip(everybody, range(len(everybody)), strict=True))
    literals = [str(place) if written == "plain" else words[place] for place in order]
    return list(everybody), raw, literals


def _aliases(keys: Sequence[Key], raw: Mapping[Key, object]) -> dict[str, Key]:
    return {str(raw[key]).strip("\"'").lower(): key for key in keys if not isinstance(key, int)}


# ------------------------------------------------------------------------------------- readings and tests


def _kind(writer: Writer, name: str) -> str:
    """The declaration of a field or a parameter."""
    if name != writer.tested:
        return (
            f"int {name}"
            if name != writer.own or writer.spec["attribute"] == "age"
            else f"const char *{name}"
        )
    if writer.spec["written"] == "array" and writer.spec["origin"] != "params":
        return f"char {name}[16]"
    return _local(writer, name)


def _local(writer: Writer, name: str) -> str:
    """The declaration of a name that holds what is tested."""
    kinds = {"text": "const char *", "array": "const char *", "char": "char ", "enum": "enum kind "}
    return f"{kinds.get(writer.spec['written'], 'int ')}{name}"


def _value(writer: Writer) -> tuple[str, Lines]:
    """The expression of what is tested, and the statements before it."""
    spec = writer.spec
    read = writer.read(writer.tested)
    # what the helper handed back would point into a copy that is gone
    require(spec["local"] != "helper" or spec["written"] != "array" or spec["origin"] != "value")
    if spec["local"] == "inline":
        return read, []
    if spec["local"] == "helper":
        head = _local(writer, "").strip()
        parameter = _parameter(writer)
        writer.names.append("group_of")
        writer.module += [
            "@types",
            f"static {head} group_of({parameter})",
            "{",
            f"    return {read};",
            "}",
            "",
        ]
        return f"group_of({writer.subject})", []
    name = writer.tested if spec["local"] == "local" else "wanted"
    require(spec["origin"] != "params" or name != writer.tested)
    return name, [f"{_local(writer, name)} = {read};"]


def _limits(writer: Writer) -> tuple[int, int]:
    low = writer.chance.randrange(22, 40)
    return low, writer.chance.randrange(low + 6, 75)


def _condition(writer: Writer, value: str, literals: Sequence[str]) -> str:
    """The test by which the first side is told from all others."""
    test = writer.spec["test"]
    if writer.spec["attribute"] == "age":
        low, high = _limits(writer)
        if test == "age_macro":
            writer.module += [f"#define RETIREMENT_AGE {high}", ""]
            writer.names.append("RETIREMENT_AGE")
        return TESTS[test][1].format(v=value, low=low, high=high, decade=high // 10, span=high - low)
    one, two = literals[0], literals[1]
    word = one.strip("\"'").lower()
    code = ord(word[0]) if word else 0
    return TESTS[test][1].format(v=value, one=one, two=two, word=word, upper=word.upper(), code=code)


# ---------------------------------------------------------------------------------------------- outcomes


def _outcome(writer: Writer) -> Outcome:
    """What comes of a program, and how."""
    kind, chance, subject = writer.spec["outcome"], writer.chance, writer.subject
    texts = ['"approved"', '"rejected"', '"on hold"', '"waiting list"', '"later"']
    numbers = [str(one) for one in chance.sample(range(1, 30), 5)]
    if chance.random() < 0.6 and kind != "number":
        numbers[0] = ""
    numbers[1] = _amount(writer, numbers[1])
    factors = ["", *(str(one) for one in chance.sample([0.5, 0.8, 1.1, 1.25, 1.5, 2.0, 3], 4))]
    field_of, printed = f"{subject}->{{}} = {{value}};", 'printf("application: %s\\n", {value});'
    # what is declared, its values, how one is put, and what is handed back
    name, values, put, result = {
        "verdict": ('const char *verdict = "open"', texts, "verdict = {value};", "verdict"),
        "flag": ("int eligible = 0", ["0", "1", "0", "1", "0"], "eligible = {value};", "eligible"),
        "number": ("limit = 0", numbers, "limit = {value};", "limit"),
        "points": ("points = 3 * {years}", numbers, "points += {value};", "points"),
        "minus": ("points = 3 * {years}", numbers, "points -= {value};", "points"),
        "capped": ("points = 3 * {years}", numbers, "points += {value};", "points > 40 ? 40 : points"),
        "factor": ("double premium = {income}", factors, "premium *= {value};", "premium"),
        "state": ("", texts, field_of.replace("{}", "status"), ""),
        "state_number": ("", ["700", *numbers[1:]], field_of.replace("{}", "credit_limit"), ""),
        "print": ("", texts, printed, ""),
        "append": ("", ["", "yes", "", "yes", ""], f"chosen[count++] = {subject}->id;", ""),
    }[kind]
    declared = name.replace("{years}", writer.read("years")).replace("{income}", writer.read("income"))
    if writer.spec["around"] == "out":
        declared, put, result = f"*{declared}", f"*{put}", ""
    elif kind in TYPED:
        declared = f"{writer.spec['type']} {declared}"
    if writer.spec["twin"] == "same":
        values = [values[1]] * len(values)
    return Outcome(
        values,
        lambda value: [put.replace("{value}", value)],
        [f"{declared};"] if declared else [],
        result,
        overwrites=kind in {"verdict", "flag", "number", "state", "state_number"},
    )


def _amount(writer: Writer, number: str) -> str:
    """Points as they are written."""
    how = writer.spec["amount"]
    defined = {
        "BONUS": [f"#define BONUS {number} + 1"],
        "WEIGHT": ["#define WEIGHT(x) ((x) * 2)"],
        "LOOSE": ["#define LOOSE(x) x * 2"],
        "TEN": [f"enum {{ TEN = {number} }};"],
        "points_each": [f"static const int points_each = {number};"],
    }
    for name, lines in defined.items():
        if name in how:
            writer.module += [*lines, ""]
            writer.names.append(name)
    return how.format(n=number)


# ------------------------------------------------------------------------------------------------- flows


def _block(head: str, body: Lines) -> Lines:
    return [f"{head} {{", *indented(body or [";"]), "}"]


def _flow(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    """The statements in which a side is chosen; `@leave` stands where the result is handed back."""
    kind = writer.spec["flow"]
    if kind in MANY:
        return MANY[kind](writer, outcome, value, literals)
    condition = _condition(writer, value, literals)
    zero, one = outcome.side(0), outcome.side(1)
    years = writer.read("years")
    both = [*_block(f"if ({condition})", one), *(_block("else", zero) if zero else [])]
    if kind == "if_else":
        return both
    if kind == "if":
        require(outcome.overwrites or not zero)
        return [*zero, *_block(f"if ({condition})", one)]
    if kind == "negated":
        return [*_block(f"if (!({condition}))", zero), *_block("else", one)]
    if kind == "guard":
        return [*_block(f"if (!({condition}))", [*zero, "@leave"]), *one]
    if kind == "nested":
        return [*_block(f"if ({years} > 3)", both), *_block("else", zero)]
    if kind in {"and", "or"}:
        sign = "&&" if kind == "and" else "||"
        return [*_block(f"if (({condition}) {sign} {years} > 3)", one), *_block("else", zero)]
    if kind == "flag":
        return [f"int is_meant = {condition};", *_block("if (is_meant)", one), *_block("else", zero)]
    if kind in {"ternary", "times", "comma", "if_assign"}:
        return _expression(outcome, kind, condition)
    if kind in {"helper", "macro"}:
        return _asked(writer, outcome, value, condition)
    if kind == "one_round":
        return _block("for (int i = 0; i < 1; i++)", both)
    if kind == "for_break":
        require(not zero)
        return _block("for (int i = 0; i < 2; i++)", _block(f"if ({condition})", [*one, "break;"]))
    if kind == "while":
        require(not zero)
        return _block(f"while ({condition})", [*one, "break;"])
    if kind == "do_while":
        return [*_block("do", both)[:-1], "} while (0);"]
    require(kind == "goto" and writer.spec["around"] != "loop")
    return [
        f"if (!({condition}))",
        "    goto others;",
        *one,
        "goto done;",
        "others:",
        *(zero or [";"]),
        "done: ;",
    ]


def _expression(outcome: Outcome, kind: str, condition: str) -> Lines:
    require(bool(outcome.values[1]))
    zero, one = outcome.values[0] or "0", outcome.values[1]
    if kind == "times":
        require(zero == "0" and one.isdigit())
        return outcome.put(f"{one} * !!({condition})")
    require(bool(outcome.values[0]))
    if kind == "comma":
        return outcome.put(f"(0, ({condition})) ? {one} : {zero}")
    if kind == "if_assign":
        require(not one.startswith('"'))
        test = _block(f"if ((is_meant = !!({condition})))", outcome.put(one))
        return ["int is_meant;", *test, *_block("else", outcome.put(zero))]
    return outcome.put(f"({condition}) ? {one} : {zero}")


def _asked(writer: Writer, outcome: Outcome, value: str, condition: str) -> Lines:
    """The test in a function or a macro of its own."""
    zero, one = outcome.side(0), outcome.side(1)
    inside = condition.replace(value, "asked")
    if writer.spec["flow"] == "macro":
        writer.names.append("IS_MEANT")
        writer.module += [f"#define IS_MEANT(asked) ({inside.replace('asked', '(asked)')})", ""]
        return [*_block(f"if (IS_MEANT({value}))", one), *_block("else", zero)]
    writer.names.append("is_meant")
    head = f"static int is_meant({_local(writer, 'asked')})"
    writer.module += [head, "{", f"    return {inside};", "}", ""]
    return [*_block(f"if (is_meant({value}))", one), *_block("else", zero)]


def _switch(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    arms = [
        f"case {literals[0]}:", *indented([*outcome.side(1), "break;"]),
        f"case {literals[1]}:", *indented([*outcome.side(2), "break;"]),
    ]  # fmt: skip
    others = ["default:", *indented([*outcome.side(0), "break;"])]
    if writer.spec["flow"] == "switch_default_first":
        return _block(f"switch ({value})", [*others, *arms])
    if writer.spec["flow"] == "fallthrough":
        arms = [
            f"case {literals[0]}:",
            *indented(outcome.side(1)),
            f"case {literals[1]}:",
            *indented([*outcome.side(2), "break;"]),
        ]
    return _block(f"switch ({value})", [*arms, *others])


def _elif(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    if writer.spec["attribute"] == "age":
        low, high = _limits(writer)
        tests = [f"{value} < {low}", f"{value} < {high}"]
        if writer.spec["test"] in {"ge", "gt"}:
            tests = [f"{value} >= {high}", f"{value} >= {low}"]
    elif writer.spec["written"] in TEXTS:
        tests = [f"strcmp({value}, {literal}) == 0" for literal in literals[:2]]
    else:
        tests = [f"{value} == {literal}" for literal in literals[:2]]
    if writer.spec["flow"] == "early":
        return [
            *_block(f"if ({tests[0]})", [*outcome.side(1), "@leave"]),
            *_block(f"if ({tests[1]})", [*outcome.side(2), "@leave"]),
            *outcome.side(0),
        ]
    return [
        *_block(f"if ({tests[0]})", outcome.side(1)),
        *_block(f"else if ({tests[1]})", outcome.side(2)),
        *_block("else", outcome.side(0)),
    ]


def _table(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    size = len(GROUPS[writer.spec["attribute"]]) + 1
    numbers = [one or "0" for one in outcome.values]
    numbers = [numbers[number % len(numbers)] for number in range(size)]
    kind = "double" if any("." in one for one in numbers) else "int"
    if writer.spec["flow"] == "table":
        entries = ", ".join(numbers)
    else:
        entries = ", ".join(f"[{name}] = {one}" for name, one in zip(literals, numbers, strict=False))
    writer.names.append("points_of")
    writer.module += [f"static const {kind} points_of[{size}] = {{ {entries} }};", ""]
    return outcome.put(f"points_of[{value}]")


def _struct_table(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    entries = ", ".join(
        f"{{ {name}, {one or 0} }}" for name, one in zip(literals[:2], outcome.values[1:], strict=False)
    )
    writer.names += ["entry", "entries"]
    writer.module += [
        f"static const struct entry {{ const char *name; int points; }} entries[] = {{ {entries} }};",
        "",
    ]
    return _block(
        "for (int i = 0; i < 2; i++)",
        _block(f"if (strcmp({value}, entries[i].name) == 0)", outcome.put("entries[i].points")),
    )


def _ages(writer: Writer, outcome: Outcome, value: str, _literals: Sequence[str]) -> Lines:
    low, high = _limits(writer)
    if writer.spec["flow"] == "decades":
        arms = [
            f"case {low // 10}:",
            *indented([*outcome.side(1), "break;"]),
            "default:",
            *indented([*outcome.side(0), "break;"]),
        ]
        return _block(f"switch ({value} / 10)", arms)
    arms = [
        f"case {low} ... {high}:",
        *indented([*outcome.side(1), "break;"]),
        "default:",
        *indented([*outcome.side(0), "break;"]),
    ]
    return _block(f"switch ({value})", arms)


MANY = {
    "switch": _switch, "fallthrough": _switch, "switch_default_first": _switch, "elif": _elif, "early": _elif,
    "table": _table, "designated": _table, "struct_table": _struct_table, "case_range": _ages,
    "decades": _ages,
}  # fmt: skip


# ----------------------------------------------------------------------------------------------- assembly


def _type(writer: Writer) -> str:
    return "Person" if writer.spec["origin"] == "typedef" else "struct person"


def _parameter(writer: Writer) -> str:
    constant = "" if writer.spec["outcome"] in {"state", "state_number"} else "const "
    if writer.spec["origin"] == "value":
        return f"{_type(writer)} {writer.subject}"
    return f"{constant}{_type(writer)} *{writer.subject}"


def _declared(writer: Writer) -> Lines:
    names = ["years", "income", "id", writer.own, writer.neutral]
    fields = [
        f"{_kind(writer, name)};"
        for name in names
        if name != writer.tested or writer.spec["origin"] != "nested"
    ]
    inner: Lines = []
    if writer.spec["origin"] == "nested":
        inner = ["struct identity {", *indented([f"{_kind(writer, writer.tested)};"]), "};", ""]
        fields.append("struct identity person;")
        writer.names.append("identity")
    fields += ["const char *status;", "int credit_limit;"]
    writer.names.append("person")
    if writer.spec["origin"] == "typedef":
        writer.names.append("Person")
        return [*inner, "typedef struct {", *indented(fields), "} Person;", ""]
    return [*inner, "struct person {", *indented(fields), "};", ""]


def _assembled(writer: Writer, body: Lines, result: str) -> Lines:
    """The lines of the whole program."""
    spec = writer.spec
    kind = {"verdict": "const char *", "flag": "int ", "factor": "double "}.get(
        spec["outcome"], f"{spec['type']} " if result else "void "
    )
    parameters = _parameter(writer)
    if spec["origin"] == "params":
        parameters = ", ".join(
            _kind(writer, name) for name in ("years", "income", "id", writer.own, writer.neutral)
        )
    name = "limit" if spec["outcome"] == "number" else "points"
    if spec["around"] == "out":
        parameters += f", {spec['type']} *{name}"
    handed = f"return {result};" if result else "return;"
    if spec["around"] == "loop":
        handed = "continue;"
        inside = _left(body, handed)
        inside = inside[:-1] if inside[-1] == handed else inside
        constant = "" if spec["outcome"] in {"state", "state_number"} else "const "
        subject = writer.subject
        loop = _block(
            "for (int number = 0; number < size; number++)",
            [f"{constant}{_type(writer)} *{subject} = &{subject}s[number];", *inside],
        )
        several = f"{constant}{_type(writer)} *{subject}s, int size"
        head = f"void {writer.function}({several})"
        if spec["outcome"] == "append":
            head = f"int {writer.function}({several}, int *chosen)"
            loop = ["int count = 0;", *loop, "return count;"]
        function = [head, "{", *indented(loop), "}"]
    else:
        inside = _left(body, handed)
        inside = inside[:-1] if not result and inside[-1] == handed else inside
        static = "static " if spec["around"] == "static" else ""
        if spec["around"] == "called":
            require(bool(result) and spec["origin"] in {"pointer", "typedef", "value", "nested"})
            writer.names.append("inner")
            function = [
                f"static {kind}inner({parameters})", "{", *indented(inside), "}", "",
                f"{kind}{writer.function}({parameters})", "{", f"    return inner({writer.subject});", "}",
            ]  # fmt: skip
        else:
            function = [f"{static}{kind}{writer.function}({parameters})", "{", *indented(inside), "}"]
    enums = [line for line in writer.module if line.startswith("enum kind")]
    declared = _declared(writer)
    rest = [line for line in writer.module if line not in enums]
    rest = [line for line in rest if line != "@types"]
    return [*HEADERS, "", *enums, *declared, *rest, *function]


def _left(body: Lines, handed: str) -> Lines:
    """The body with what hands the result back in its places."""
    return [line.replace("@leave", handed) for line in body]


def _drive(writer: Writer, rows: Sequence[Mapping[str, object]]) -> Lines:
    """What calls the program with each person and prints what came of it."""
    spec = writer.spec
    entries = []
    for row in rows:
        cells = [f".years = {row['years']}", f".income = {row['income']}", f".id = {row['id']}"]
        for name in (writer.own, writer.neutral):
            cell = row[name]
            if name != writer.tested:
                cell = cell if isinstance(cell, int) else f'"{cell}"' if name == writer.own else 0
            cells.append(
                f".{'person.' if name == writer.tested and spec['origin'] == 'nested' else ''}{name} = {cell}"
            )
        entries.append(f"{{ {', '.join(cells)} }},")
    name = "limit" if spec["outcome"] == "number" else "points"
    handed = {"value": "person_of_row", "params": ""}.get(spec["origin"], "&person_of_row")
    if spec["origin"] == "params":
        handed = ", ".join(
            f"person_of_row.{one}" for one in ("years", "income", "id", writer.own, writer.neutral)
        )
    call = f"{writer.function}({handed})"
    if spec["around"] == "loop":
        call = f"{writer.function}(&person_of_row, 1{', chosen' if spec['outcome'] == 'append' else ''})"
    number, text = 'printf("\\x1f%.17g\\x1e", (double)({}));', 'printf("\\x1f%s\\x1e", {});'
    if spec["around"] == "out":
        shown = [f"{spec['type']} {name} = 0;", f"{writer.function}({handed}, &{name});", number.format(name)]
    elif spec["outcome"] == "state":
        shown = [f"{call};", text.format('person_of_row.status ? person_of_row.status : ""')]
    elif spec["outcome"] == "state_number":
        shown = [f"{call};", number.format("person_of_row.credit_limit")]
    elif spec["outcome"] == "print":
        shown = [f"{call};", text.format('""')]
    elif spec["outcome"] == "append":
        shown = ["int chosen[2];", number.format(call)]
    else:
        shown = [(text if spec["outcome"] == "verdict" else number).format(call)]
    return [
        f"static const {_type(writer)} rows[] = {{", *indented(entries), "};",
        "static void drive(void)", "{",
        "    for (int row = 0; row < (int)(sizeof rows / sizeof rows[0]); row++) {",
        f"        {_type(writer)} person_of_row = rows[row];",
        *indented(shown, 2),
        "    }", "}",
    ]  # fmt: skip
