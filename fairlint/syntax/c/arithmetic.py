"""What C makes of a constant expression: macros put in as tokens, numbers with their types."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

from fairlint.syntax.c.literals import number, text_between_quotes
from fairlint.syntax.constants import Defined, Named, NoNumberError, Number, Typed

LONGEST = 400
"""Characters of an expression that is computed; longer ones have no value here."""
MOST_TOKENS = 400
"""Tokens of an expression with all macros put in."""
DEEPEST = 40


class NoConstantError(Exception):
    """An expression reads what is not known before the program runs."""


_TOKEN = re.compile(
    r"""\s+|\\\r?\n|/\*.*?\*/|//[^\n]*
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<char>'(?:\\.|[^'\\\n])+')
    |(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||\#\#|[-+*/%&|^~!<>?:(),\#])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_RANKS = ("int", "unsigned", "long", "unsigned long", "float", "double")
_BITS = {"int": 32, "unsigned": 32, "long": 64, "unsigned long": 64}
_WHOLE = {
    "_Bool": (0, 1), "bool": (0, 1), "char": (0, 127), "signed char": (-128, 127), "unsigned char": (0, 255),
    "short": (-(2**15), 2**15 - 1), "unsigned short": (0, 2**16 - 1), "int": (-(2**31), 2**31 - 1),
    "unsigned": (0, 2**32 - 1), "long": (-(2**63), 2**63 - 1), "unsigned long": (0, 2**64 - 1),
}  # fmt: skip
"""The numbers that a type holds; of a plain `char` those that it holds on every machine."""
_MOST_SINGLE = 2**24
"""Up to here a `float` has every whole number; of greater ones it drops some."""
_COUNTS_ON = frozenset({"unsigned char", "unsigned short", "unsigned"})
"""Types that begin at 0 again behind their last number, which is the same on every machine in use."""
_LOSES_BITS = _COUNTS_ON | {"signed char", "short", "int"}
"""Types of which all compilers in use keep the last bits of a greater whole number; no sum may leave one."""
_WORDS = frozenset({"int", "long", "short", "char", "unsigned", "signed", "float", "double", "_Bool", "bool"})
_AROUND = frozenset({"const", "volatile", "static", "register", "extern", "constexpr", "inline", "auto"})
_OF_SIZE = re.compile(r"(u?)int(?:_fast|_least)?(8|16|32|64)_t")
_BY_SIZE = {"8": "signed char", "16": "short", "32": "int", "64": "long"}
_UNSIGNED = {
    "signed char": "unsigned char",
    "short": "unsigned short",
    "int": "unsigned",
    "long": "unsigned long",
}
_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
_BITWISE: dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_SUMS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip

_ALIAS = re.compile(rb"\btypedef[ \t]+((?:[A-Za-z_]\w*[ \t]+){1,5})([A-Za-z_]\w*)[ \t]*;", re.ASCII)

Token = tuple[str, str]


def aliases(data: bytes) -> dict[str, str]:
    """Return the other names of types that a source gives them, by `typedef int points;`."""
    if b"typedef" not in data:
        return {}
    return {match[2].decode("ascii"): match[1].decode("ascii") for match in _ALIAS.finditer(data)}


@lru_cache(maxsize=256)
def type_of(written: str) -> str:
    """Return the type of numbers that C words name, in one form; empty for any other type."""
    words = [word for word in written.split() if word not in _AROUND]
    if len(words) == 1 and (sized := _OF_SIZE.fullmatch(words[0])):
        base = _BY_SIZE[sized[2]]
        return _UNSIGNED[base] if sized[1] else base
    if words == ["size_t"]:
        return "unsigned long"
    if not words or not _WORDS.issuperset(words):
        return ""
    for floating in ("float", "double"):
        if floating in words:
            return floating
    if "bool" in words or "_Bool" in words:
        return "bool"
    base = next((word for word in ("char", "short", "long") if word in words), "int")
    if base == "char" and "signed" in words:
        base = "signed char"
    return _UNSIGNED["signed char" if base == "char" else base] if "unsigned" in words else base


def stored_value(value: Number, written: str) -> Number | None:
    """Return what a variable of a type, as written, holds of a number; None where C leaves that open."""
    type_ = type_of(written)
    return value_in_type(value, type_) if type_ else value


def value_in_type(value: Number, type_: str) -> Number | None:
    """Return the same for a type in its one form."""
    if type_ in {"float", "double"}:
        return float(value)
    if type_ == "bool":
        return int(value != 0)
    low, high = _WHOLE[type_]
    if not math.isfinite(value):
        return None
    whole = math.trunc(value)
    if low <= whole <= high:
        return whole
    if isinstance(value, float) or type_ not in _LOSES_BITS:
        return None
    return (whole - low) % (high - low + 1) + low


def compute_constant(text: str, named: Named) -> Typed | None:
    """Return the value of an expression; None where it is no constant. `NoNumberError` where C says no
    number.
    """
    if len(text) > LONGEST:
        return None
    try:
        tokens = _expand_macros(_tokenize_text(text), named, frozenset(), 0)
        reader = _Reader(tokens, named)
        value = reader.sequence()
        return value if reader.at == len(tokens) else None
    except NoConstantError:
        return None


@lru_cache(maxsize=1024)
def _tokenize_text(text: str) -> tuple[Token, ...]:
    found = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text)]
    return tuple([(kind, word) for kind, word in found if kind is not None])


def _expand_macros(tokens: Sequence[Token], named: Named, hidden: frozenset[str], depth: int) -> list[Token]:
    """Return the tokens with all macros put in; a macro within itself stays a name."""
    if depth > DEEPEST:
        raise NoConstantError
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, word = tokens[at]
        at += 1
        macro = named(word) if kind == "name" and word not in hidden else None
        if not isinstance(macro, Defined):
            found.append((kind, word))
        elif ";" in macro.text or "{" in macro.text:
            raise NoConstantError  # statements are no number, however often they are put in
        elif macro.parameters is None:
            found += _expand_macros(_plain_tokens(macro.text), named, hidden | {word}, depth + 1)
        else:
            given, at = _macro_arguments(tokens, at)
            if len(given) != len(macro.parameters):
                raise NoConstantError
            whole = {
                name: _expand_macros(one, named, hidden, depth + 1)
                for name, one in zip(macro.parameters, given, strict=True)
            }
            body = [one for token in _plain_tokens(macro.text) for one in whole.get(token[1], [token])]
            found += _expand_macros(body, named, hidden | {word}, depth + 1)
        if len(found) > MOST_TOKENS:
            raise NoConstantError
    return found


def _plain_tokens(text: str) -> tuple[Token, ...]:
    tokens = _tokenize_text(text)
    if any(word in {"#", "##"} for _, word in tokens):
        raise NoNumberError
    return tokens


def _macro_arguments(tokens: Sequence[Token], at: int) -> tuple[list[list[Token]], int]:
    """Return the arguments of a call that begins here, and where it ends."""
    if at >= len(tokens) or tokens[at][1] != "(":
        raise NoConstantError
    given: list[list[Token]] = [[]]
    depth = 1
    for place in range(at + 1, len(tokens)):
        word = tokens[place][1]
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return given if given != [[]] else [], place + 1
        if depth == 1 and word == ",":
            given.append([])
        else:
            given[-1].append(tokens[place])
    raise NoConstantError


class _Reader:
    """Reads tokens as an expression, the operators by how tightly they bind."""

    def __init__(self, tokens: list[Token], named: Named) -> None:
        self.tokens, self.named, self.at, self.depth = tokens, named, 0, 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, word: str) -> None:
        if self.peek() != word:
            raise NoConstantError
        self.at += 1

    def expression(self, level: int) -> Typed:
        """Return an expression of operators that bind at least so tightly; 0 takes `? :`, too."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoConstantError
        left = self.prefix_expression()
        while (bound := _LEVELS.get(self.peek(), -1)) >= max(level, 1):
            sign = self.peek()
            self.at += 1
            if sign in {"&&", "||"}:
                left = self.logic(sign, left, bound)
            else:
                left = _binary_result(sign, left, self.expression(bound + 1))
        if level == 0 and self.peek() == "?":
            left = self.choice(left)
        self.depth -= 1
        return left

    def logic(self, sign: str, left: Typed, bound: int) -> Typed:
        right = self.expression(bound + 1)
        truths = _truth_value(left), _truth_value(right)
        return Typed("int", int(all(truths) if sign == "&&" else any(truths)))

    def choice(self, test: Typed) -> Typed:
        self.take("?")
        then = self.expression(0)
        self.take(":")
        otherwise = self.expression(0)
        common = _common_type(then, otherwise)
        return _convert_type(then if _truth_value(test) else otherwise, common)

    def prefix_expression(self) -> Typed:
        kind, word = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        self.at += 1
        if word in {"-", "+", "~", "!"}:
            self.depth += 1
            if self.depth > DEEPEST:
                raise NoConstantError
            found = _unary_result(word, self.prefix_expression())
            self.depth -= 1
            return found
        if word == "(":
            return self.in_brackets()
        if kind == "number":
            return _literal_value(word)
        if kind == "char":
            return _character_value(word)
        if word in {"true", "false"}:
            return Typed("int", int(word == "true"))
        if word == "sizeof":
            return self.size()
        found_by_name = self.named(word) if kind == "name" else None
        if isinstance(found_by_name, Typed):
            return found_by_name
        raise NoConstantError

    def in_brackets(self) -> Typed:
        end = self.at
        while end < len(self.tokens) and self.tokens[end][0] == "name":
            end += 1
        words = " ".join(word for _, word in self.tokens[self.at : end])
        if (
            end > self.at
            and end < len(self.tokens)
            and self.tokens[end][1] == ")"
            and (type_ := type_of(words))
        ):
            self.at = end + 1
            return _cast_value(self.prefix_expression(), type_)
        value = self.sequence()
        self.take(")")
        return value

    def size(self) -> Typed:
        """`sizeof(char)` is 1 everywhere; all other sizes hang on the machine."""
        end = self.at
        while end < len(self.tokens) and self.tokens[end][1] != ")":
            end += 1
        words = [word for _, word in self.tokens[self.at : end]]
        if words[:1] != ["("] or words[1:] not in (["char"], ["signed", "char"], ["unsigned", "char"]):
            raise NoNumberError
        self.at = end + 1
        return Typed("unsigned long", 1)

    def sequence(self) -> Typed:
        """Lower `a, b`: the last one is its value."""
        value = self.expression(0)
        while self.peek() == ",":
            self.at += 1
            value = self.expression(0)
        return value


def _literal_value(word: str) -> Typed:
    value = number(word)
    if value is None:
        raise NoNumberError
    lower = word.lower().replace("'", "")
    is_based = lower.startswith(("0x", "0b")) or (lower[0] == "0" and len(lower) > 1)
    if isinstance(value, float):
        if lower.endswith("f") and not lower.startswith("0x"):
            return Typed("float", value, _is_single(value))
        if lower.endswith("l"):
            raise NoNumberError  # `long double` holds more than is computed with here
        return Typed("double", value)
    suffix = re.sub(r"^(?:0x[0-9a-f]+|0b[01]+|[0-9]+)", "", lower)
    if set(suffix) - set("ul"):
        raise NoNumberError
    kinds = ["unsigned", "unsigned long"] if "u" in suffix else ["int", "long"]
    if is_based and "u" not in suffix:
        kinds = ["int", "unsigned", "long", "unsigned long"]
    for kind in kinds:
        if ("l" in suffix) <= (kind.endswith("long")) and value <= _WHOLE[kind][1]:
            return Typed(kind, value)
    raise NoNumberError


def _character_value(word: str) -> Typed:
    text = text_between_quotes(word)
    if len(text) != 1 or not 0 <= ord(text) <= 127:
        raise NoNumberError
    return Typed("int", ord(text))


def _is_single(value: float) -> bool:
    try:
        found: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return False
    return found == value


def _typed_result(type_: str, value: Number, *, is_exact: bool = True) -> Typed:
    """Return a result in its type; none where it leaves what the type holds."""
    if type_ in {"double", "float"}:
        if not math.isfinite(value) or (
            type_ == "float" and abs(value) > _MOST_SINGLE and not _is_single(value)
        ):
            raise NoNumberError
        return Typed(type_, float(value), is_exact and (type_ == "double" or _is_single(float(value))))
    low, high = _WHOLE[type_]
    if type_ in _COUNTS_ON and isinstance(value, int):
        return Typed(type_, value & high)
    if not low <= value <= high:
        raise NoNumberError
    return Typed(type_, value)


def _promote_integer(one: Typed) -> Typed:
    return one if one.type in _RANKS else Typed("int", one.value, one.is_exact)


def _common_type(left: Typed, right: Typed) -> str:
    return max(_promote_integer(left).type, _promote_integer(right).type, key=_RANKS.index)


def _convert_type(one: Typed, type_: str) -> Typed:
    if type_ in {"float", "double"}:
        return _typed_result(type_, one.value, is_exact=one.is_exact)
    return _typed_result(type_, one.value)


def _truth_value(one: Typed) -> bool:
    return one.value != 0


def _cast_value(one: Typed, type_: str) -> Typed:
    if type_ in {"float", "double"}:
        return _convert_type(one, type_)
    if not one.is_exact and type_ != "bool":
        raise NoNumberError
    value = value_in_type(one.value, type_)
    if value is None:
        raise NoNumberError
    return Typed(type_, value)


def _unary_result(sign: str, given: Typed) -> Typed:
    one = _promote_integer(given)
    if sign == "!":
        return Typed("int", int(not one.value))
    if sign == "~":
        if isinstance(one.value, float) or one.type == "unsigned long":
            raise NoNumberError
        return _typed_result(one.type, ~one.value)
    return one if sign == "+" else _typed_result(one.type, -one.value, is_exact=one.is_exact)


def _binary_result(sign: str, first: Typed, second: Typed) -> Typed:
    if sign in {"<<", ">>"}:
        return _shift_result(sign, _promote_integer(first), _promote_integer(second))
    type_ = _common_type(first, second)
    left, right = _convert_type(first, type_), _convert_type(second, type_)
    is_exact = left.is_exact and right.is_exact
    if sign in _COMPARE:
        if not is_exact:
            raise NoNumberError
        return Typed("int", int(_COMPARE[sign](left.value, right.value)))
    if sign in _SUMS:
        return _typed_result(type_, _SUMS[sign](left.value, right.value), is_exact=is_exact)
    one, other = left.value, right.value
    if isinstance(one, float) or isinstance(other, float):
        if sign != "/" or not other:
            raise NoNumberError
        return _typed_result(type_, one / other, is_exact=is_exact)
    if sign in _BITWISE:
        return _typed_result(type_, _BITWISE[sign](one, other))
    if not other:
        raise NoNumberError
    quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    return _typed_result(type_, quotient if sign == "/" else one - quotient * other)


def _shift_result(sign: str, left: Typed, right: Typed) -> Typed:
    one, by = left.value, right.value
    if isinstance(one, float) or isinstance(by, float) or not 0 <= by < _BITS[left.type] or one < 0:
        raise NoNumberError
    return _typed_result(left.type, one << by if sign == "<<" else one >> by)
