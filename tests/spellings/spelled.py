"""One constant, nine spellings and more in Python, seven in C: what every rule must see through alike."""

from __future__ import annotations

from collections.abc import Mapping

Spelled = tuple[str, str]
"""What has to stand before the code, and the expression."""


def python(value: str | int) -> Mapping[str, Spelled]:
    """The ways to spell a text or a number in Python."""
    written = repr(value)
    if isinstance(value, str):
        start, end = value[:2], value[2:]
        together = {
            "f-string": (f"START = {start!r}\n", f"f'{{START}}{end}'"),
            "sum of texts": ("", f"{start!r} + {end!r}"),
            "percent": (f"END = {end!r}\n", f"'{start}%s' % END"),
        }
    else:
        together = {"sum of numbers": (f"LESS = {value - 1}\n", "LESS + 1")}
    return {
        "literal": ("", written),
        "constant of the module": (f"USUAL = {written}\n", "USUAL"),
        "constant of a class": (f"class Usual:\n    ONE = {written}\n", "Usual.ONE"),
        "member of an enum": (
            f"import enum\nclass Usual(enum.Enum):\n    ONE = {written}\n",
            "Usual.ONE.value",
        ),
        "unpacked": (f"USUAL, OTHER = {written}, None\n", "USUAL"),
        "entry of a dict": (f"USUAL = {{'one': {written}}}\n", "USUAL['one']"),
        "result of a helper": (f"def usual():\n    return {written}\n", "usual()"),
        "comprehension": (f"ALL = [{written}, None]\n", "[one for one in ALL][0]"),
        "walrus": ("", f"(usual := {written})"),
        **together,
    }


def c(value: str | int, enum: Spelled) -> Mapping[str, Spelled]:
    """The ways to spell a text or a number in C. `enum` is what an enum says in the place of a text."""
    written = f'"{value}"' if isinstance(value, str) else str(value)
    type_ = "const char *" if isinstance(value, str) else "int "
    return {
        "literal": ("", written),
        "macro": (f"#define USUAL {written}\n", "USUAL"),
        "member of an enum": enum,
        "constant": (f"static {type_}const usual = {written};\n", "usual"),
        "field of a struct": (
            f"struct preset {{ {type_}one; }};\nstatic const struct preset usual = {{ .one = {written} }};\n",
            "usual.one",
        ),
        "table": (f"static {type_}const all[] = {{ {written}, 0 }};\n", "all[0]"),
        "result of a helper": (f"static {type_}usual(void)\n{{\n    return {written};\n}}\n", "usual()"),
    }
