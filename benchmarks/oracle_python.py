"""Python programs for oracle.py: each choice is a function or an entry of a table."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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

METHODS: Mapping[str, tuple[str, Callable[[str], str], Callable[[str], str]]] = {
    "none": ("{v}", str, str),
    "lower": ("{v}.lower()", str.lower, str.title),
    "strip": ("{v}.strip()", str.strip, lambda group: f" {group} "),
    "casefold": ("{v}.casefold()", str.casefold, str.upper),
    "upper": ("{v}.upper()", str.upper, str),
    "title": ("{v}.title()", str.title, str),
    "capitalize": ("{v}.capitalize()", str.capitalize, str),
    "strip_lower": (
        "{v}.strip().lower()",
        lambda raw: raw.strip().lower(),
        lambda group: f" {group.title()}",
    ),
    "str": ("str({v})", str, str),
    "or_empty": ('({v} or "")', str, str),
    "or_empty_lower": ('({v} or "").lower()', str.lower, str.title),
    "split": ("{v}.split()[0]", lambda raw: raw.split()[0], lambda group: f"{group} person"),
    "first": ("{v}[0]", lambda raw: raw[0], str),
    "first_upper": ("{v}[0].upper()", lambda raw: raw[0].upper(), str),
    "first_slice": ("{v}[:1].lower()", lambda raw: raw[:1].lower(), str.title),
    "slice": ("{v}[:3]", lambda raw: raw[:3], str),
    "replace": ('{v}.replace("-", "")', lambda raw: raw.replace("-", ""), str),
    "codes": ("{v}", str, str),
    "code_texts": ("int({v})", str, str),
}
"""How the text that is read is handled: code, what it does, how people's groups are written so that it
matters. The last two are numbers in the place of groups."""
CODES = ("codes", "code_texts")

TESTS = (
    "eq", "ne", "reversed", "in_tuple", "in_set", "in_list", "not_in", "in_dict", "in_str", "contains",
    "startswith", "endswith", "re_match", "re_search", "re_fullmatch", "or", "constant", "enum", "any",
    "frozenset", "dict_get",
)  # fmt: skip
AGE_TESTS: Mapping[str, str] = {
    "lt": "{v} < {low}",
    "ge": "{v} >= {high}",
    "gt": "{v} > {high}",
    "le": "{v} <= {low}",
    "reversed": "{low} > {v}",
    "chained": "{low} <= {v} < {high}",
    "and": "{v} >= {low} and {v} < {high}",
    "ends": "({v} < {low} or {v} > {high})",
    "range": "{v} in range({low}, {high})",
    "not": "not {v} < {high}",
    "decade": "{v} // 10 == {decade}",
    "less": "{v} - {low} < 0",
}
FLOWS = (
    "if_else", "if", "negated", "guard", "guard_raise", "nested", "and", "or", "try", "with", "one_round",
    "while", "ternary",
    "and_or", "index", "times", "lambda", "flag", "helper", "inner", "walrus", "match", "elif", "table",
    "table_get", "table_local", "early", "bisect", "next", "for_break", "finally",
)  # fmt: skip
AMOUNTS = (
    "{n}", "({n} + 7) // 2", "-{n} // 4", "-{n} % 4", "round({n} / 2)", "int({n} / 3)", "int(-{n} / 4)",
    "divmod({n}, 4)[1]", 'int("{n}")', 'int("11", 2)', 'int("1f", 16)', "BONUS", "BONUS * 2", "abs(-{n})",
    "{n} << 1", "{n} ^ 3", "~{n}", "{n} ** 2", "min({n}, 9)", "max({n}, 9)", "sum(({n}, 2))",
    'len("abcd")', "round({n} * 0.25, 1)", "math.floor(-{n} / 4)", "math.ceil({n} / 4)", "float('{n}')",
    "True + {n}", "({n} if True else 0)", "POINTS['b']", "POINTS.get('z', {n})", "0x1F", "1_0", "1e1",
    "bonus()", "STEPS[-1]", "math.trunc(-{n} / 4)", "{n} // -4", "-{n}", "int({n}.9)", "round(-{n} / 2)",
    "{n} & 6", "pow({n}, 2)", "weight(2)",
)  # fmt: skip
"""How points are written, the simplest first."""
DEFINED: Mapping[str, Sequence[str]] = {
    "BONUS": ("BONUS = {n} + 1", ""),
    "POINTS": ("POINTS = {{'a': 1, 'b': 2, 'b': {n}}}", ""),
    "STEPS": ("STEPS = [1, 2, {n}]", ""),
    "bonus()": ("def bonus():", "    return {n}", ""),
    "weight(": ("def weight(times, each={n}):", "    return times * each", ""),
}
"""What an amount needs → the lines before the function."""
PARTS: Mapping[str, Sequence[str]] = {
    "attribute": ("gender", "race", "religion", "age"),
    "origin": (
        "dict", "typed_dict", "mapping", "any", "optional", "object", "dataclass", "class", "namedtuple",
        "json", "request_form", "request_json", "csv", "kwargs", "params", "nested",
    ),
    "read": ("direct", "get", "get_default", "getattr"),
    "local": ("inline", "local", "renamed", "helper"),
    "method": tuple(METHODS),
    "test": tuple(dict.fromkeys((*TESTS, *AGE_TESTS))),
    "flow": FLOWS,
    "around": ("function", "loop", "method", "static", "nested_function", "comprehension", "generator"),
    "outcome": (
        "verdict", "bool", "number", "points", "minus", "capped", "floored", "factor", "factor_dict", "state",
        "state_number", "append", "print", "sql", "sql_given", "mail", "mail_text", "raise",
    ),
    "amount": AMOUNTS,
    "twin": TWINS,
}  # fmt: skip
"""Part → its options, the simplest first."""
MAPPINGS = {
    "dict", "typed_dict", "mapping", "any", "optional", "json", "request_form", "request_json", "csv",
    "kwargs", "nested",
}  # fmt: skip
OBJECTS = {"object", "dataclass", "class", "namedtuple"}
NUMERIC = {"number", "points", "minus", "capped", "floored", "factor", "factor_dict", "state_number"}
STATEMENTS = {"append", "raise"}
"""Outcomes that only happen or do not."""


@dataclass
class Writer:
    """A program as it is put together."""

    spec: Spec
    chance: random.Random
    function: str
    subject: str
    own: str
    neutral: str
    attribute: str
    module: Lines = field(default_factory=list)
    imports: set[str] = field(default_factory=set)

    @property
    def tested(self) -> str:
        """The field that is tested."""
        return self.neutral if self.spec["twin"] == "neutral" else self.own

    def read(self, name: str) -> str:
        """A field of the record."""
        origin, how, record = self.spec["origin"], self.spec["read"], self.subject
        if origin == "params":
            return name
        if origin == "nested":
            record = f'{record}["person"]' if how == "direct" else f'{record}.get("person", {{}})'
        if origin in MAPPINGS:
            return {
                "direct": f'{record}["{name}"]',
                "get": f'{record}.get("{name}")',
                "get_default": f'{record}.get("{name}", "")',
            }[how]
        return f'getattr({record}, "{name}", None)' if how == "getattr" else f"{record}.{name}"

    def number(self, name: str) -> str:
        """A neutral number of the record."""
        text = self.read(name).replace(', "")', ", 0)").replace(", None)", ", 0)")
        return f"int({text})" if self.spec["origin"] == "csv" else text

    def written(self, name: str, value: str) -> str:
        """A statement that writes a field."""
        if self.spec["origin"] in MAPPINGS:
            return f'{self.subject}["{name}"] = {value}'
        return f"{self.subject}.{name} = {value}"


def render(spec: Spec) -> Program:
    """The program of these choices. Raises InvalidError where they do not go together."""
    chance = random.Random(spec.seed)
    function, subject = chance.choice(SUBJECTS)
    attribute = spec["attribute"]
    writer = Writer(
        spec,
        chance,
        function,
        subject,
        chance.choice(FIELDS[attribute]),
        "distance" if attribute == "age" else "department",
        attribute,
    )
    _check(spec)
    keys, raw, literals = _groups(writer)
    outcome = _outcome(writer)
    value, reading = _value(writer)
    flow = _flow(writer, outcome, value, literals)
    if spec["twin"] == "neutral":
        flow = [f"label = str({writer.read(writer.own)})", *flow]
    text = "\n".join(_assembled(writer, outcome, [*reading, *flow])) + "\n"
    drive = "\n".join(_drive(writer, outcome))
    may_raise = spec["outcome"] == "raise" or spec["flow"] == "guard_raise"
    return Program(
        spec,
        text,
        drive,
        attribute,
        people(keys, raw, writer.tested, attribute, (writer.own, writer.neutral)),
        spec["outcome"] in NUMERIC,
        function,
        raises=frozenset({"ValueError"} if may_raise else ()),
        aliases=_aliases(spec, keys, raw),
    )


def _check(spec: Spec) -> None:
    """What does not go together whatever the rest is."""
    origin, read, outcome, around, flow = (
        spec[one] for one in ("origin", "read", "outcome", "around", "flow")
    )
    require(read in {"direct", "getattr"} if origin in OBJECTS else read != "getattr")
    require(origin != "params" or (read == "direct" and spec["local"] in {"inline", "renamed"}))
    require(
        outcome not in {"state", "state_number"}
        or origin in {"dict", "typed_dict", "any", "optional", "object", "dataclass", "class"}
    )
    if spec["attribute"] == "age":
        require(spec["test"] in AGE_TESTS and spec["method"] in {"none", "code_texts"})
        require(flow not in {"table", "table_get", "table_local"})
        require(read != "get_default" or spec["method"] == "none")
    else:
        require(spec["test"] in TESTS and flow not in {"early", "bisect"})
    require(spec["origin"] != "csv" or spec["attribute"] != "age" or spec["method"] == "code_texts")
    require(spec["origin"] != "csv" or spec["method"] != "codes")
    require(
        spec["amount"] == AMOUNTS[0]
        or outcome in {"number", "points", "minus", "capped", "floored", "state_number"}
    )
    if outcome in STATEMENTS:
        require(
            flow
            in {
                "if",
                "if_else",
                "negated",
                "guard",
                "nested",
                "and",
                "or",
                "try",
                "with",
                "one_round",
                "flag",
                "helper",
                "lambda",
                "walrus",
                "match",
                "next",
                "for_break",
            }
        )
    if around in {"loop", "comprehension", "generator"}:
        require(origin in {"dict", "typed_dict", "mapping", "any", "object", "dataclass", "class", "nested"})
        require(outcome != "raise" and flow != "guard_raise")
    if around in {"comprehension", "generator"}:
        require(outcome in {"append", "points", "number", "verdict"} and flow in {"if", "if_else", "ternary"})
        require(spec["local"] == "inline" and spec["twin"] != "neutral")
    require(outcome != "append" or around in {"loop", "comprehension", "generator"})
    if spec["method"] in CODES:
        require(
            spec["test"]
            in {
                *AGE_TESTS,
                "eq",
                "ne",
                "reversed",
                "in_tuple",
                "in_set",
                "in_list",
                "not_in",
                "or",
                "constant",
                "frozenset",
            }
        )
    if spec["test"] in {"enum", "any", "dict_get"}:
        require(flow not in {"match", "elif"})


def _groups(writer: Writer) -> tuple[list[Key], dict[Key, Any], list[str]]:
    """Whom there is, how each is written, and the literals by which code names them, the tested first."""
    spec = writer.spec
    if writer.attribute == "age":
        written: Callable[[int], Any] = (
            str if spec["method"] == "code_texts" or spec["origin"] == "csv" else int
        )
        return list(AGES), {age: written(age) for age in AGES}, []
    groups = list(GROUPS[writer.attribute])
    everybody = [*groups, OTHERS[writer.attribute]]
    names = list(DEPARTMENTS[: len(everybody)]) if spec["twin"] == "neutral" else everybody
    order = writer.chance.sample(range(len(groups)), len(groups))
    if spec["method"] in CODES:
        cast: Callable[[int], Any] = str if spec["method"] == "code_texts" else int
        raw: dict[Key, Any] = {group: cast(place + 1) for place, group in enumerate(everybody)}
        return list(everybody), raw, [str(place + 1) for place in order]
    _, does, style = METHODS[spec["method"]]
    raw = {group: style(name) for group, name in zip(everybody, names, strict=True)}
    literals = [f'"{does(style(names[place]))}"' for place in order]
    require(len({does(text) for text in raw.values()}) == len(raw))
    return list(everybody), raw, literals


def _aliases(spec: Spec, keys: Sequence[Key], raw: Mapping[Key, Any]) -> dict[str, Key]:
    """What code calls each group, as fairlint writes names that it does not know."""
    if spec["attribute"] == "age":
        return {}
    handled = METHODS[spec["method"]][1]
    return {handled(str(raw[key])).strip().lower(): key for key in keys}


# ---------------------------------------------------------------------------------------------- outcomes


def _outcome(writer: Writer) -> Outcome:
    kind, chance = writer.spec["outcome"], writer.chance
    texts = [f'"{one}"' for one in ("approved", "rejected", "on hold", "waiting list")]
    numbers = [str(one) for one in chance.sample(range(1, 30), 4)]
    if chance.random() < 0.6:
        numbers[0] = "0"
    numbers[1] = _amount(writer, numbers[1])
    factors = ["1.0", *(str(one) for one in chance.sample([0.5, 0.8, 1.1, 1.25, 1.5, 2.0, 3], 3))]
    points = f"points = 3 * {writer.number('years')}"
    assign = {
        "verdict": ("verdict", texts),
        "bool": ("eligible", ["False", "True", "False", "True"]),
        "number": ("limit", numbers if numbers[0] != "0" else ["40", *numbers[1:]]),
    }
    if kind in assign:
        name, values = assign[kind]
        made = Outcome(values, lambda value: [f"{name} = {value}"], [], name, overwrites=True)
    elif kind in {"points", "minus", "capped", "floored"}:
        sign = "-" if kind in {"minus", "floored"} else "+"
        result = {"capped": "min(points, 40)", "floored": "max(points, -20)"}.get(kind, "points")
        made = Outcome(numbers, lambda value: [f"points {sign}= {value}"], [points], result, neutral="0")
    elif kind == "factor":
        before = [f"premium = {writer.number('income')}"]
        made = Outcome(factors, lambda value: [f"premium *= {value}"], before, "premium", neutral="1.0")
    elif kind == "factor_dict":
        module = ["def total_premium(terms):", '    return terms["base"] * terms["factor"]']
        before = [f'terms = {{"base": {writer.number("income")}, "factor": 1.0}}']
        made = Outcome(
            factors, lambda value: [f'terms["factor"] = {value}'], before, "total_premium(terms)",
            overwrites=True, module=module,
        )  # fmt: skip
    elif kind in {"state", "state_number"}:
        name, values = ("status", texts) if kind == "state" else ("credit_limit", ["700", *numbers[1:]])
        made = Outcome(values, lambda value: [writer.written(name, value)], overwrites=True)
    elif kind == "append":
        made = Outcome(
            ["", "yes"], lambda _value: [f"chosen.append({writer.subject})"], only=True, are_expressions=False
        )
    elif kind == "raise":
        made = Outcome(
            ["", '"not eligible"'],
            lambda value: [f"raise ValueError({value})"],
            [],
            '"approved"',
            only=True,
            are_expressions=False,
        )
    elif kind == "print":
        made = Outcome(texts, lambda value: [f'print("application:", {value})'])
    elif kind == "sql":
        statuses = [one.strip('"') for one in texts]
        where = f'WHERE id = ?", ({writer.number("id")},))'
        update = 'connection.execute("UPDATE applications SET status'
        made = Outcome(
            statuses,
            lambda value: [f"{update} = '{value}' {where}"],
            parameters=("connection",),
            are_expressions=False,
        )
    elif kind == "sql_given":
        update = 'connection.execute("UPDATE applications SET status = ? WHERE id = ?"'
        made = Outcome(
            texts,
            lambda value: [f"{update}, ({value}, {writer.number('id')}))"],
            parameters=("connection",),
        )
    elif kind == "mail":
        letters = ["send_offer", "send_rejection", "send_reminder", "send_question"]
        module = [
            line
            for name in letters
            for line in (f"def {name}(address):", f'    print("{name}", address)', "")
        ]
        made = Outcome(
            letters, lambda value: [f"{value}({writer.read('email')})"], module=module, are_expressions=False
        )
    else:
        made = Outcome(
            texts, lambda value: [f'mailer.send({writer.read("email")}, "Your application", {value})'],
            parameters=("mailer",),
        )  # fmt: skip
    if writer.spec["twin"] == "same":
        made.values = [made.values[1]] * len(made.values)
    return made


def _amount(writer: Writer, number: str) -> str:
    """Points as they are written."""
    how = writer.spec["amount"]
    for name, lines in DEFINED.items():
        if name in how:
            writer.module += [line.format(n=number) for line in lines]
    if "math." in how:
        writer.imports.add("import math")
    return how.format(n=number)


# ------------------------------------------------------------------------------------- readings and tests


def _value(writer: Writer) -> tuple[str, Lines]:
    """The expression of what is tested, and the statements before it."""
    spec = writer.spec
    template = "int({v})" if spec["method"] == "code_texts" else METHODS[spec["method"]][0]
    read = writer.read(writer.tested)
    if writer.attribute == "age" and spec["read"] == "get_default":
        read = read.replace(', "")', ", 40)")
    value = template.format(v=read)
    if spec["local"] == "inline":
        return value, []
    if spec["local"] == "helper":
        writer.module += [f"def group_of({writer.subject}):", f"    return {value}", ""]
        return f"group_of({writer.subject})", []
    name = writer.tested if spec["local"] == "local" else "wanted"
    require(spec["origin"] != "params" or name != writer.tested)
    return name, [f"{name} = {value}"]


def _limits(writer: Writer) -> tuple[int, int]:
    low = writer.chance.randrange(22, 40)
    return low, writer.chance.randrange(low + 6, 75)


def _condition(writer: Writer, value: str, literals: Sequence[str]) -> str:
    """The test by which the first side is told from all others."""
    test = writer.spec["test"]
    if writer.attribute == "age":
        low, high = _limits(writer)
        return AGE_TESTS[test].format(v=value, low=low, high=high, decade=high // 10)
    one, two = literals[0], literals[1]
    pair = f"{one}, {two}" if writer.chance.random() < 0.5 and len(literals) > 2 else one
    word = one.strip('"')
    if test in {"re_match", "re_search", "re_fullmatch"}:
        writer.imports.add("import re")
    if test == "constant":
        writer.module += [f"PREFERRED = {one}", ""]
    if test == "in_dict":
        writer.module += [f"LISTED = {{{one}: 1, {two}: 2}}", ""]
    if test == "dict_get":
        writer.module += [f"LISTED = {{{one}: True}}", ""]
    if test == "enum":
        writer.imports.add("from enum import Enum")
        members = [f"    {literal.strip(chr(34)).strip().upper()} = {literal}" for literal in literals]
        require(all(line.split()[0].isidentifier() for line in members))
        writer.module += ["class Kind(Enum):", *members, ""]
    return {
        "eq": f"{value} == {one}",
        "ne": f"{value} != {one}",
        "reversed": f"{one} == {value}",
        "in_tuple": f"{value} in ({pair},)" if "," not in pair else f"{value} in ({pair})",
        "in_set": f"{value} in {{{pair}}}",
        "in_list": f"{value} in [{pair}]",
        "frozenset": f"{value} in frozenset(({pair},))",
        "not_in": f"{value} not in ({one}, {two})",
        "in_dict": f"{value} in LISTED",
        "dict_get": f"LISTED.get({value}, False)",
        "in_str": f'{value} in "{word} {word}s"',
        "contains": f'"{word[:4]}" in {value}',
        "startswith": f'{value}.startswith("{word[:3]}")',
        "endswith": f'{value}.endswith("{word[-3:]}")',
        "re_match": f're.match(r"{word[:3]}", {value})',
        "re_search": f're.search(r"{word[-4:]}$", {value})',
        "re_fullmatch": f're.fullmatch(r"{word}|{word}s", {value})',
        "or": f"({value} == {one} or {value} == {two})",
        "constant": f"{value} == PREFERRED",
        "enum": f"Kind({value}) is Kind.{word.strip().upper()}",
        "any": f"any({value} == one for one in ({one},))",
    }[test]


# ------------------------------------------------------------------------------------------------- flows


def _block(head: str, body: Lines) -> Lines:
    return [head, *indented(body or ["pass"])]


def _flow(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    """The statements in which a side is chosen; `@leave` stands where the result is handed back."""
    kind = writer.spec["flow"]
    if kind in {"elif", "match", "table", "table_get", "table_local", "early", "bisect"}:
        return [*outcome.before, *_many(writer, outcome, value, literals), "@leave"]
    condition = _condition(writer, value, literals)
    body = _two(writer, outcome, value, condition)
    return [*outcome.before, *body, "@leave"]


def _two(writer: Writer, outcome: Outcome, value: str, condition: str) -> Lines:
    """A flow with two sides."""
    kind = writer.spec["flow"]
    zero, one = outcome.side(0), outcome.side(1)
    both = [*_block(f"if {condition}:", one), *(_block("else:", zero) if zero else [])]
    if kind in {"ternary", "and_or", "index", "times"}:
        return _expression(outcome, kind, condition)
    if kind == "if_else":
        return both
    if kind == "if":
        require(outcome.overwrites or not zero)
        return [*zero, *_block(f"if {condition}:", one)]
    if kind == "negated":
        return [*_block(f"if not ({condition}):", zero), *_block("else:", one)]
    if kind == "guard":
        return [*_block(f"if not ({condition}):", [*zero, "@leave"]), *one]
    if kind == "guard_raise":
        return [*_block(f"if not ({condition}):", ['raise ValueError("not eligible")']), *one]
    years = writer.number("years")
    if kind == "nested":
        return [*_block(f"if {years} > 3:", both), *_block("else:", zero)]
    if kind in {"and", "or"}:
        test = f"if {condition} {kind} {years} > 3:"
        return [*_block(test, one), *(_block("else:", zero) if zero else [])]
    if kind == "try":
        return [*_block("try:", both), *_block("except KeyError:", ["pass"])]
    if kind == "finally":
        return [*_block("try:", both), *_block("finally:", ["checked = True"])]
    if kind == "with":
        writer.imports.add("import contextlib")
        return _block("with contextlib.suppress(KeyError):", both)
    if kind == "one_round":
        return _block("for _ in range(1):", both)
    if kind == "for_break":
        return (
            [*zero, *_block("for _ in (1, 2):", _block(f"if {condition}:", [*one, "break"]))]
            if outcome.overwrites or not zero
            else _refuse()
        )
    if kind == "while":
        require(outcome.overwrites or not zero)
        return [*zero, *_block(f"while {condition}:", [*one, "break"])]
    if kind == "flag":
        return [f"is_meant = {condition}", *_block("if is_meant:", one), *_block("else:", zero)]
    if kind == "next":
        return [
            f"is_meant = next((True for _ in (1,) if {condition}), False)",
            *_block("if is_meant:", one),
            *_block("else:", zero),
        ]
    if kind == "lambda":
        require(writer.spec["local"] == "inline" and writer.spec["origin"] != "params")
        rule = f"rule = lambda {writer.subject}: {condition}"
        return [rule, *_block(f"if rule({writer.subject}):", one), *_block("else:", zero)]
    if kind == "helper":
        require(writer.spec["local"] != "helper" and condition.count(value) == 1)
        inside = condition.replace(value, "asked")
        writer.module += ["def is_meant(asked):", f"    return {inside}", ""]
        return [*_block(f"if is_meant({value}):", one), *(_block("else:", zero) if zero else [])]
    if kind == "walrus":
        require(condition.count(value) == 1 and writer.spec["around"] != "comprehension")
        return [
            *_block(f"if {condition.replace(value, f'(seen := {value})')}:", one),
            *(_block("else:", zero) if zero else []),
        ]
    require(kind == "inner" and outcome.are_expressions and outcome.overwrites and not outcome.parameters)
    inner = [
        "def chosen_value():",
        *indented(
            [*_block(f"if {condition}:", [f"return {outcome.values[1]}"]), f"return {outcome.values[0]}"]
        ),
    ]
    return [*inner, *outcome.put("chosen_value()")]


def _refuse() -> Lines:
    require(False)
    return []


def _expression(outcome: Outcome, kind: str, condition: str) -> Lines:
    require(outcome.are_expressions)
    zero, one = outcome.values[:2]
    if kind == "times":
        require(one.isdigit() and outcome.neutral == "0" and zero == "0")
        return outcome.put(f"{one} * bool({condition})")
    if kind == "and_or":
        require(one not in {"0", "False"})
        return outcome.put(f"({condition} and {one}) or {zero}")
    if kind == "index":
        return outcome.put(f"({zero}, {one})[bool({condition})]")
    return outcome.put(f"{one} if {condition} else {zero}")


def _many(writer: Writer, outcome: Outcome, value: str, literals: Sequence[str]) -> Lines:
    """A flow with a side for each of several groups or ages."""
    kind = writer.spec["flow"]
    require(not outcome.only or kind == "match")
    sides = [outcome.side(number % len(outcome.values)) for number in range(4)]
    if writer.attribute == "age":
        low, high = _limits(writer)
        tests = [f"{value} < {low}", f"{value} < {high}"]
        if writer.spec["test"] in {"ge", "gt"}:
            tests = [f"{value} >= {high}", f"{value} >= {low}"]
        if kind == "match":
            require(not outcome.only)
            arms = [
                *_block(f"case years_old if years_old < {low}:", sides[1]),
                *_block(f"case years_old if years_old < {high}:", sides[2]),
                *_block("case _:", sides[0]),
            ]
            return _block(f"match {value}:", arms)
        if kind == "early":
            require(writer.spec["around"] != "generator")
            return [
                *_block(f"if {tests[0]}:", [*sides[1], "@leave"]),
                *_block(f"if {tests[1]}:", [*sides[2], "@leave"]),
                *sides[0],
            ]
        if kind == "bisect":
            require(outcome.are_expressions)
            writer.imports.add("import bisect")
            values = ", ".join(outcome.values[:3])
            writer.module += [f"LIMITS = [{low}, {high}]", f"VALUES = [{values}]", ""]
            return outcome.put(f"VALUES[bisect.bisect(LIMITS, {value})]")
        return [
            *_block(f"if {tests[0]}:", sides[1]),
            *_block(f"elif {tests[1]}:", sides[2]),
            *_block("else:", sides[0]),
        ]
    if kind == "elif":
        return [
            *_block(f"if {value} == {literals[0]}:", sides[1]),
            *_block(f"elif {value} == {literals[1]}:", sides[2]),
            *_block("else:", sides[0]),
        ]
    if kind == "match":
        if outcome.only:
            return _block(
                f"match {value}:", [*_block(f"case {literals[0]}:", sides[1]), *_block("case _:", [])]
            )
        arms = [
            *_block(f"case {literals[0]}:", sides[1]),
            *_block(
                f"case {literals[1]} | {literals[2]}:" if len(literals) > 3 else f"case {literals[1]}:",
                sides[2],
            ),
            *_block("case _:", sides[0]),
        ]
        return _block(f"match {value}:", arms)
    return _table(writer, outcome, kind, value, literals)


def _table(writer: Writer, outcome: Outcome, kind: str, value: str, literals: Sequence[str]) -> Lines:
    values = [outcome.values[number % len(outcome.values)] for number in range(len(literals))]
    entries = [f"{literal}: {one}" for literal, one in zip(literals, values[1:] + values[:1], strict=True)]
    require(writer.attribute != "age" and outcome.are_expressions)
    if kind == "table":
        writer.module += [f"TABLE = {{{', '.join(entries)}}}", ""]
        return outcome.put(f"TABLE[{value}]")
    shorter = f"{{{', '.join(entries[:2])}}}"
    if kind == "table_get":
        writer.module += [f"TABLE = {shorter}", ""]
        return outcome.put(f"TABLE.get({value}, {values[0]})")
    return [f"table = {shorter}", *outcome.put(f"table.get({value}, {values[0]})")]


# ----------------------------------------------------------------------------------------------- assembly

ANNOTATIONS = {
    "typed_dict": ("dict[str, object]", ""),
    "mapping": ("Mapping[str, Any]", "from collections.abc import Mapping\nfrom typing import Any"),
    "any": ("Any", "from typing import Any"),
    "optional": ("Optional[dict]", "from typing import Optional"),
    "dataclass": ("Person", "from dataclasses import dataclass"),
    "class": ("Person", ""),
    "namedtuple": ("Person", "from typing import NamedTuple"),
}


def _assembled(writer: Writer, outcome: Outcome, body: Lines) -> Lines:
    """The lines of the whole program."""
    spec, subject = writer.spec, writer.subject
    annotation, needed = ANNOTATIONS.get(spec["origin"], ("", ""))
    if needed:
        writer.imports.update(needed.split("\n"))
    fields = ["years", "income", "id", "email", writer.own, writer.neutral]
    parameter = f"{subject}: {annotation}" if annotation else subject
    before: Lines = []
    if spec["origin"] == "params":
        parameter = ", ".join(fields)
    elif spec["origin"] == "kwargs":
        parameter = f"**{subject}"
    elif spec["origin"] == "json":
        writer.imports.add("import json")
        parameter, before = "body", [f"{subject} = json.loads(body)"]
    elif spec["origin"] == "request_form":
        parameter, before = "request", [f"{subject} = request.form"]
    elif spec["origin"] == "request_json":
        parameter, before = "request", [f"{subject} = request.get_json()"]
    elif spec["origin"] == "csv":
        writer.imports.add("import csv")
        parameter, before = "lines", [f"{subject} = next(csv.DictReader(lines))"]
    elif spec["origin"] == "optional":
        before = [f"if {subject} is None:", "    return None"]
    parameters = [*outcome.parameters, parameter]
    around = spec["around"]
    if around in {"comprehension", "generator"}:
        return _comprehended(writer, outcome, body)
    if around == "loop":
        return _looped(writer, outcome, body, annotation)
    handed = [f"return {outcome.result}"] if outcome.result else ["return"]
    inside = _left([*before, *body], handed)
    if not outcome.result and inside[-1:] == ["return"]:
        inside.pop()
    if around == "nested_function":
        names = ", ".join(
            [*outcome.parameters, *(fields if spec["origin"] == "params" else [_first_name(parameter)])]
        )
        require(spec["origin"] != "kwargs")
        inner = [f"def decided({names}):", *indented(inside)]
        inside = [*inner, "", f"return decided({names})"]
    head = f"def {writer.function}({', '.join(parameters)}):"
    function = [head, *indented(inside)]
    if around == "method":
        function = ["class Assessment:", *indented([head.replace("(", "(self, ", 1), *indented(inside)])]
    elif around == "static":
        function = ["class Assessment:", "    @staticmethod", *indented(function)]
    return [*_head(writer, outcome), *function]


def _first_name(parameter: str) -> str:
    return parameter.split(":", maxsplit=1)[0].strip("*")


def _left(body: Lines, handed: Lines) -> Lines:
    """The body with what hands the result back in its places."""
    made: Lines = []
    for line in body:
        if line.strip() == "@leave":
            made += [line.replace("@leave", one) for one in handed]
        else:
            made.append(line)
    return made


def _head(writer: Writer, outcome: Outcome) -> Lines:
    fields = ["years", "income", "id", "email", writer.own, writer.neutral]
    kinds = {"years": "int", "income": "int", "id": "int", "email": "str"}
    declared = [f"    {name}: {kinds.get(name, 'object')}" for name in fields]
    person: Lines = []
    if writer.spec["origin"] == "dataclass":
        person = ["@dataclass", "class Person:", *declared, ""]
    elif writer.spec["origin"] == "namedtuple":
        person = ["class Person(NamedTuple):", *declared, ""]
    elif writer.spec["origin"] == "class":
        sets = [f"        self.{name} = {name}" for name in fields]
        person = ["class Person:", f"    def __init__(self, {', '.join(fields)}):", *sets, ""]
    helpers = [*outcome.module, ""] if outcome.module else []
    imports = sorted(writer.imports)
    return [*imports, *([""] if imports else []), *person, *writer.module, *helpers]


def _looped(writer: Writer, outcome: Outcome, body: Lines, annotation: str) -> Lines:
    kind = writer.spec["outcome"]
    start, handed, end = (
        ["results = []"],
        [f"results.append({outcome.result})", "continue"],
        ["return results"],
    )
    if kind == "append":
        start, handed, end = ["chosen = []"], ["continue"], ["return chosen"]
    elif not outcome.result:
        start, handed, end = [], ["continue"], []
    require(annotation in {"", "Person", "Any"} or writer.spec["origin"] in MAPPINGS)
    inside = _left(body, handed)
    if inside[-1] == "continue":
        inside.pop()
    several = f"{writer.subject}s: list[{annotation}]" if annotation else f"{writer.subject}s"
    loop = [f"for {writer.subject} in {writer.subject}s:", *indented(inside)]
    head = f"def {writer.function}({', '.join([*outcome.parameters, several])}):"
    return [*_head(writer, outcome), head, *indented([*start, *loop, *end])]


def _comprehended(writer: Writer, outcome: Outcome, body: Lines) -> Lines:
    """The condition of the flow in a comprehension over all people."""
    condition = next(line for line in body if line.strip().startswith("if ") or " if " in line)
    if condition.strip().startswith("if "):
        condition = condition.strip()[3:-1]
    else:
        condition = condition.split(" if ", 1)[1].rsplit(" else ", 1)[0]
    subject, kind = writer.subject, writer.spec["outcome"]
    zero, one = outcome.values[:2]
    over = f"for {subject} in {subject}s"
    if kind == "append":
        require(writer.spec["twin"] == "")
        made = f"{subject} {over} if {condition}"
        made = f"[{made}]" if writer.spec["around"] == "comprehension" else f"list({made})"
    else:
        start = f"3 * {writer.number('years')} + " if kind == "points" else ""
        made = f"{start}({one} if {condition} else {zero}) {over}"
        made = f"[{made}]" if writer.spec["around"] == "comprehension" else f"list({made})"
    return [*_head(writer, outcome), f"def {writer.function}({subject}s):", f"    return {made}"]


def _drive(writer: Writer, outcome: Outcome) -> Lines:
    """What calls the program with one person and says what came of it."""
    spec = writer.spec
    origin, around = spec["origin"], spec["around"]
    make = {
        "object": "types.SimpleNamespace(**row)",
        "dataclass": 'space["Person"](**row)',
        "class": 'space["Person"](**row)',
        "namedtuple": 'space["Person"](**row)',
        "json": "json.dumps(row)",
        "request_form": "types.SimpleNamespace(form=row)",
        "request_json": "types.SimpleNamespace(get_json=lambda: row)",
        "csv": '[",".join(row), ",".join(map(str, row.values()))]',
        "nested": '{**row, "person": row}',
    }.get(origin, "row")
    function = f'space["{writer.function}"]'
    if around in {"method", "static"}:
        function = f'space["Assessment"]().{writer.function}'
    handed = "**row" if origin in {"kwargs", "params"} else "record"
    if around in {"loop", "comprehension", "generator"}:
        handed = "[record]"
    arguments = ", ".join([*("log" for _ in outcome.parameters), handed])
    shown = "result"
    if spec["outcome"] == "append":
        shown = "len(result)"
    elif around in {"loop", "comprehension", "generator"} and outcome.result:
        shown = "result[0]"
    elif spec["outcome"] in {"state", "state_number"}:
        name = "status" if spec["outcome"] == "state" else "credit_limit"
        shown = f'record["{name}"]' if origin in MAPPINGS else f"record.{name}"
    return [
        "def drive(space, row, log):",
        f"    record = {make}",
        f"    result = {function}({arguments})",
        f"    return {shown}",
    ]
