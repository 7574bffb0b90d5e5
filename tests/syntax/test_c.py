"""What the rest of the tool relies on when it reads C."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.syntax.c.parser import parse
from fairlint.syntax.tree import (
    Assign,
    Broken,
    Function,
    If,
    Literal,
    Macro,
    Name,
    Node,
    Switch,
    Tree,
    Type,
    children,
    walk,
)

_SPEC = importlib.util.spec_from_file_location("dump", Path(__file__).with_name("dump.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
_DUMP = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_DUMP)


def dumped(source: str) -> str:
    tree = parse(source.encode())
    assert tree.gaps == ()
    return str(_DUMP.dump(tree))


def body(statements: str) -> str:
    """The dump of the statements of a function."""
    text = dumped("void f(void)\n{\n" + statements + "\n}\n")
    return text.removeprefix("(Function f body=[").removesuffix("] returns=void)")


def value(expression: str) -> str:
    return dumped(f"x = {expression};").removeprefix("(Assign [x] ").removesuffix(")")


def lost(source: str) -> list[str]:
    data = source.encode()
    return [data[gap.span.start : gap.span.end].decode() for gap in parse(data).gaps]


def nodes(tree: Tree) -> list[Node]:
    return [node for top in tree.body for node in walk(top)]


def functions(source: str) -> dict[str, Function]:
    return {node.name: node for node in nodes(parse(source.encode())) if isinstance(node, Function)}


def depth(tree: Tree) -> int:
    deepest = 0
    stack = [(node, 1) for node in tree.body]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in children(node))
    return deepest


# ----------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("42u", "42"),
        ("0x1F", "31"),
        ("017", "15"),
        ("0b101", "5"),
        ("1'000'000ULL", "1000000"),
        ("1.5e3f", "1500.0"),
        ("0x1p4", "16.0"),
        ("-5", "(Unary op=- 5)"),
        ("true", "True"),
        ("nullptr", "None"),
        ("NULL", "None"),
        ("'M'", "'M'"),
        (r"'\n'", r"'\n'"),
        (r"L'\x41'", "'A'"),
        (r"'\''", '"\'"'),
        (r'"a\x41\u00e9" u8"b" "c"', "'aAébc'"),
        ('"%" PRIu64 "x"', "(Interpolation ['%' PRIu64 'x'])"),
    ],
)
def test_literals_have_their_value(source: str, expected: str) -> None:
    assert value(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("p->age", "p.age"),
        ("(*p).age", "p.age"),
        ("a.b->c.d", "a.b.c.d"),
        ("*p", "(Index p 0)"),
        ("&x", "x"),
        ("*&x", "x"),
        ("t[p->gender]", "(Index t p.gender)"),
        ("!x", "(Unary op=not x)"),
        ("~x", "(Unary op=~ x)"),
        ("a + b * c", "(Binary op=+ a (Binary op=* b c))"),
        ("(a) * 3", "(Binary op=* a 3)"),
        ("a << 2 | b", "(Binary op=| (Binary op=<< a 2) b)"),
        ("a == b", "(Compare op=== a b)"),
        ("(a >= 3) != b", "(Compare op=!= (Compare op=>= a 3) b)"),
        ("a && (b && c) && d", "(BoolOp op=and [a b c d])"),
        ("a || b && c", "(BoolOp op=or [a (BoolOp op=and [b c])])"),
        ("a ? 1 : b ? 2 : 3", "(Conditional a then=1 otherwise=(Conditional b then=2 otherwise=3))"),
        ("a ?: b", "(Conditional a then=a otherwise=b)"),
        ("(unsigned int) a", "(Cast type='unsigned int' a)"),
        ("(struct p){ .age = 3 }", "(Cast type='struct p' (struct 'age': 3))"),
        ("f(a, g())", "(Call f [a (Call g)])"),
        ("sizeof(struct p)", "(Other kind=sizeof_expression)"),
        ("_Generic(a, int: b, default: c)", "(Other kind=generic_expression [a b c])"),
        ("({ int q = 1; q; })", "(Other kind=statement_expression [(Assign [q] 1 type=int) q])"),
        ("__extension__ a", "a"),
        ("va_arg(ap, char *)", "(Call va_arg [ap char])"),
    ],
)
def test_expressions(source: str, expected: str) -> None:
    assert value(source) == expected


# ------------------------------------------------------------------------------------------------ statements


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("points += 5;", "(Assign [points] 5 op=+)"),
        ("points++; --points;", "(Assign [points] 1 op=+) (Assign [points] 1 op=-)"),
        ("a = b = 3;", "(Assign [a b] 3)"),
        ("a = 1, b++, f();", "(Assign [a] 1) (Assign [b] 1 op=+) (Call f)"),
        ("while (n-- > 0) f();", "(Loop (Compare op=> (Assign [n] 1 op=-) 0) body=[(Call f)])"),
        ("do f(); while (a);", "(Loop a body=[(Call f)])"),
        ("for (;;) break;", "(Loop True body=[(Break)])"),
        (
            "for (int i = 0; i < 3; i++) { continue; }",
            "(Assign [i] 0 type=int) (Loop (Compare op=< i 3) body=[(Continue) (Assign [i] 1 op=+)])",
        ),
        ("goto out; out: return;", "(Goto out) (Label out) (Return)"),
        ("{ a = 1; }", "(Block body=[(Assign [a] 1)])"),
        ("(void) a;", "(Cast type=void a)"),
        ("__attribute__((fallthrough)); [[maybe_unused]] int a;", "(Assign [a] type=int)"),
        ("static_assert(a == 4);", "(Call static_assert [(Compare op=== a 4)])"),
    ],
)  # fmt: skip
def test_statements(source: str, expected: str) -> None:
    assert body(source) == expected


def test_assignments_by_operator_are_ifs_as_statements() -> None:
    assert (
        body("a ? (b += 1) : (c += 2);")
        == "(If a then=[(Assign [b] 1 op=+)] otherwise=[(Assign [c] 2 op=+)])"
    )
    assert body("a && (b += 1);") == "(If a then=[(Assign [b] 1 op=+)])"
    assert body("a || (b += 1);") == "(If (Unary op=not a) then=[(Assign [b] 1 op=+)])"


def test_do_while_zero_is_no_loop() -> None:
    assert body("do { a = 1; } while (0);") == "(Block body=[(Assign [a] 1)])"
    assert body("do { if (a) break; } while (0);") == "(Loop True body=[(If a then=[(Break)]) (Break)])"


def test_else_if_is_a_ladder() -> None:
    expected = "(If a then=[x] otherwise=[(If b then=[y] otherwise=[z] is_elif)])"
    assert body("if (a) x; else if (b) { y; } else z;") == expected


def test_switch_merges_labels_and_keeps_the_order() -> None:
    text = body("switch (g) { case A: case 'B': x; { y; } break; default: z; case 1 ... 5: break; }")
    expected = "(Case [A 'B'] body=[x y (Break)]) (Case body=[z]) (Case [(Slice 1 5)] body=[(Break)])"
    assert text == f"(Switch g [{expected}] falls_through)"


def test_switch_default_beside_a_label_stays_a_case_of_its_own() -> None:
    (switch,) = (
        n for n in nodes(parse(b"void f() { switch (g) { case A: default: x; } }")) if isinstance(n, Switch)
    )
    assert [len(case.patterns) for case in switch.cases] == [1, 0]


# ---------------------------------------------------------------------------------------------- declarations


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("int a = 1, *b = &a;", "(Assign [a] 1 type=int) (Assign [b] a type='int *')"),
        ("char a[3], *b[2];", "(Assign [a] type=char[]) (Assign [b] type='char *[]')"),
        ("static const struct applicant *p;", "(Assign [p] type='const struct applicant *')"),
        ("unsigned long long n;", "(Assign [n] type='unsigned long long')"),
        ("int (*score)(int) = f;", "(Assign [score] f type='int (*)()')"),
        ("auto a = 3;", "(Assign [a] 3 type=auto)"),
        ("typeof(b) a;", "(Assign [a] type=typeof(b))"),
        ("int f(int), g(void);", ""),
        ("extern int f(struct p *q) __attribute__((pure));", ""),
        ("int a __attribute__((unused)) = 3;", "(Assign [a] 3 type=int)"),
        ("alignas(16) int a;", "(Assign [a] type=int)"),
        ('#include <stdio.h>\n#include "person.h"\n', "(Import stdio.h) (Import person.h)"),
        ('extern "C" { int a; }', "(Assign [a] type=int)"),
    ],
)  # fmt: skip
def test_declarations(source: str, expected: str) -> None:
    assert dumped(source) == expected


def test_initialisers_keep_their_designators() -> None:
    source = "int t[] = { [MALE] = 5, [1 ... 3] = 2, [A ... B] = 1, .x.y = 3, old: 4, {1, 2}, 6 };"
    expected = "(struct MALE: 5 1: 2 2: 2 3: 2 (Slice A B): 1 'x': (struct 'y': 3) 'old': 4 (struct 1 2) 6)"
    assert dumped(source) == f"(Assign [t] {expected} type=int[])"


def test_enums_have_the_numbers_that_c_implies() -> None:
    members = "FEMALE, MALE = BASE + 1, OTHER, BIT = 1 << 3, LAST = f(), NEXT, C = 'x', D"
    source = f"#define BASE 10\nenum gender {{ {members} }};"
    (enum,) = (node for node in nodes(parse(source.encode())) if isinstance(node, Type))
    assert enum.kind == "enum"
    values = {}
    for member in enum.body:
        assert isinstance(member, Assign)
        assert isinstance(member.targets[0], Name)
        assert member.value is None or isinstance(member.value, Literal)
        values[member.targets[0].id] = member.value.value if member.value is not None else None
    assert values == {
        "FEMALE": 0, "MALE": 11, "OTHER": 12, "BIT": 8, "LAST": None, "NEXT": None, "C": "x", "D": 121,
    }  # fmt: skip


@pytest.mark.parametrize(
    "source", ["A = 1 << 999999999", "A = 1 / 0", "A = 9999999999 * 9999999999 * 9999999999 * 9999999999"]
)
def test_constants_that_cannot_be_computed_have_no_value(source: str) -> None:
    assert dumped(f"enum e {{ {source} }};") == "(Type e kind=enum body=[(Assign [A] type='enum e')])"


def test_types_through_typedef() -> None:
    source = "typedef struct a { int age : 7; struct { int x; }; enum { F, M } sex; } person, *people;"
    (found,) = (node for node in parse(source.encode()).body if isinstance(node, Type))
    assert (found.name, found.kind, found.aliases) == ("person", "struct", ("people", "a"))
    enum = "(Type kind=enum body=[(Assign [F] 0 type=enum) (Assign [M] 1 type=enum)])"
    fields = f"(Assign [age] type=int) (Assign [x] type=int) {enum} (Assign [sex] type='enum {{ F, M }}')"
    assert dumped(source) == f"(Type person kind=struct body=[{fields}] [people a])"
    assert (
        dumped("typedef enum { A } kind;") == "(Type kind kind=enum body=[(Assign [A] 0 type='enum kind')])"
    )
    assert dumped("typedef struct p p_t;") == "(Type p_t kind=struct [p])"
    assert dumped("struct p; typedef int (*compare)(int); typedef unsigned char byte;") == ""


# ------------------------------------------------------------------------------------------------- functions


def test_function_with_its_parameters() -> None:
    source = (
        "static inline int *rate(const struct p *a, char *argv[], int (*cb)(int), int, ...) { return 0; }"
    )
    expected = (
        "(Function rate [(Parameter a type='const struct p *') (Parameter argv type='char *[]')"
        " (Parameter cb type='int (*)()') (Parameter type=int) (Parameter ... star=*)]"
        " body=[(Return 0)] returns='int *')"
    )
    assert dumped(source) == expected
    assert dumped("int f(void) { }") == "(Function f returns=int)"


@pytest.mark.parametrize("head", ["int\nrate(a, n)", "char *\nrate(a, n)", "STATIC_FN char *\nrate(a, n)"])
def test_old_style_function(head: str) -> None:
    source = f"int g(int);\n\n{head}\nstruct applicant *a;\nregister int n;\n{{\n    return n;\n}}\n"
    (found,) = functions(source).values()
    assert parse(source.encode()).gaps == ()
    assert [(p.name, p.type) for p in found.parameters] == [("a", "struct applicant *"), ("n", "int")]
    assert len(found.body) == 1


def test_the_comment_above_is_the_docstring() -> None:
    source = (
        "int a; /* not this */\n"
        "\n"
        "/* Scores an\n"
        " * applicant.\n"
        " */\n"
        "int f(void) { }\n"
        "// One.\n"
        "// Two.\n"
        "int g(void) { }"
    )
    found = functions(source)
    assert found["f"].docstring == "Scores an\napplicant."
    assert found["g"].docstring == "One.\nTwo."


def test_keep_says_whose_body_is_lowered() -> None:
    source = b"int f(int a) { return a; }\nint t = 3;\nint g(int b) { return b; }\n"
    asked: list[tuple[str, bytes]] = []

    def keep(start: int, end: int, name: str) -> bool:
        asked.append((name, source[start:end]))
        return name == "g"

    f, t, g = parse(source, keep).body
    assert isinstance(f, Function)
    assert isinstance(g, Function)
    assert isinstance(t, Assign)
    assert (f.body, len(f.parameters), len(g.body)) == ((), 1, 1)
    assert asked == [("f", b"int f(int a) { return a; }"), ("g", b"int g(int b) { return b; }")]


# ------------------------------------------------------------------------------------------ the preprocessor


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define MALE 1", "(Macro MALE 1)"),
        ("#define LOW -5 /* x */", "(Macro LOW (Unary op=- 5))"),
        ("#define CODE 'M' // x", "(Macro CODE 'M')"),
        ('#define NAME "a" "b"', "(Macro NAME 'ab')"),
        ("#define BOTH (A | \\\n B)", "(Macro BOTH (Binary op=| A B))"),
        ("#define CAST ((int) 3)", "(Macro CAST (Cast type=int 3))"),
        ("#define ALIAS OTHER", "(Macro ALIAS OTHER)"),
        ("#define TABLE { [A] = 1 }", "(Macro TABLE (struct A: 1))"),
        ("#define EMPTY\n#define STATIC static\n#define WORD unsigned int\n#define BEGIN {", ""),
        (
            "#define ADD(a, b) ((a) + (b))",
            "(Function ADD [(Parameter a) (Parameter b)] body=[(Return (Binary op=+ a b))] is_macro)",
        ),
        (
            "#define SET(p, v) (p)->x = (v)",
            "(Function SET [(Parameter p) (Parameter v)] body=[(Assign [p.x] v)] is_macro)",
        ),
        (
            "#define INC(p) do { (p)->x += 1; } while (0)",
            "(Function INC [(Parameter p)] body=[(Assign [p.x] 1 op=+)] is_macro)",
        ),
        (
            "#define GLUE(a) f(a##_x, #a)",
            "(Function GLUE [(Parameter a)] body=[(Return (Call f [a___x a]))] is_macro)",
        ),
    ],
)  # fmt: skip
def test_macros(source: str, expected: str) -> None:
    assert dumped(source + "\n") == expected


def test_spans_of_macros_are_places_in_the_file() -> None:
    data = b"int x;\n#define MALE  (1 + \\\n  OFFSET)\n#define F(p) ((p)->sex)\n"
    spelled = {data[n.span.start : n.span.end] for n in nodes(parse(data)) if isinstance(n, Name | Literal)}
    assert spelled == {b"x", b"1", b"OFFSET", b"p"}
    (macro,) = (n for n in parse(data).body if isinstance(n, Macro))
    assert data[macro.span.start : macro.span.end].startswith(b"#define MALE")


def test_all_branches_of_a_conditional_are_lowered() -> None:
    source = "#if A\nx = 1;\n#elif B\ny = 2;\n#else\nz = 3;\n#endif\n"
    expected = "(Assign [x] 1) (Assign [y] 2) (Assign [z] 3)"
    assert dumped(source) == expected
    assert body(source) == expected


def test_what_is_never_compiled_is_left_out() -> None:
    assert dumped("#if 0\nfoo( ;;; bar\n#define A 1\n#else\nx = 1;\n#endif\n") == "(Assign [x] 1)"
    guarded = '#ifdef __cplusplus\nextern "C" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n'
    assert dumped(guarded) == "(Assign [a] type=int)"


def test_conditionals_that_cut_across_statements() -> None:
    source = (
        "int f(int a)\n"
        "{\n"
        "#ifdef X\n"
        "    if (a) {\n"
        "#else\n"
        "    if (a && b->c) {\n"
        "#endif\n"
        "        return 1;\n"
        "    }\n"
        "    return 0;\n"
        "}\n"
    )
    assert lost(source) == ["if (a && b->c) {"]
    (found,) = functions(source).values()
    assert isinstance(found.body[0], If)
    assert len(found.body) == 2


def test_conditionals_inside_lists() -> None:
    source = "enum e { A,\n#ifdef X\nB,\n#define B B\n#endif\nC };"
    members = "(Assign [A] 0 type='enum e') (Assign [B] 1 type='enum e') (Assign [C] 2 type='enum e')"
    assert dumped(source) == f"(Type e kind=enum body=[{members}]) (Macro B B)"


# --------------------------------------------------------------------------------------------- strange texts


@pytest.mark.parametrize(
    "line",
    [
        "E void FDECL(foo, (int, char *));",
        "FDECL((int));",
        "extern struct obj *FDECL(add, (struct monst *));",
        "STATIC_DCL void NDECL(bar);",
        "DEFINE_THING(x, y)",
        "MODULE_LICENSE(\"GPL\");",
        "BEGIN_DECLS",
        "NEARDATA const char letters[3] = { 1, 2 };",
        "STATIC_VAR struct { int a; } thing = { 1 };",
        "extern int unused UNUSED;",
    ],
)  # fmt: skip
def test_macros_between_functions_hide_none(line: str) -> None:
    source = f"{line}\n{line}\nint f(void) {{ return 1; }}\n{line}\nint g(void) {{ return 2; }}\n"
    assert lost(source) == []
    found = functions(source)
    assert {"f", "g"} <= set(found)
    assert len(found["g"].body) == 1


def test_macros_without_semicolon_inside_functions() -> None:
    text = body('    TRACE(("x"))\n\n    status = f();\n    LOCK(a)\n    g();\n')
    assert text == "(Call TRACE ['x']) (Assign [status] (Call f)) (Call LOCK [a]) (Call g)"


def test_a_macro_may_head_a_function() -> None:
    (found,) = functions("TEST(scores, young) { x = 1; }").values()
    assert found.name == "scores"
    assert len(found.body) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "int bad(int a) { if (a > { return 1; }",
        "int bad(int a) { if (a) { return 1;",
        "int bad(int a) { return a; } }",
        "int bad(int a) { x = (a; }",
        "@@@ $$$ {",
    ],
)
def test_one_damaged_function_hides_no_other(damage: str) -> None:
    before = "int f(void) { return 1; }\n"
    after = "\n\nint g(int b)\n{\n    return 2;\n}\n\nint h(void) { return 3; }\n"
    source = before + damage + after
    found = functions(source)
    assert {"f", "g", "h"} <= set(found)
    assert all(len(found[name].body) == 1 for name in "fgh")
    tree = parse(source.encode())
    assert tree.gaps
    start, end = source.index(damage), source.index(damage) + len(damage)
    assert all(start <= gap.span.start and gap.span.end <= end for gap in tree.gaps)


def test_a_cut_off_function_keeps_what_was_there() -> None:
    source = "int f(int a) {\n  int score = 0;\n  if (a > 3) {\n    score += 3;\n  } else if (a == "
    assert lost(source) == ["else if (a =="]
    (found,) = functions(source).values()
    assert isinstance(found.body[1], If)


def test_cplusplus_is_a_gap_and_its_c_is_read() -> None:
    source = "class A {\npublic:\n  int f() { return 1; }\n};\nint g(void) { return 2; }\n"
    assert [gap.reason for gap in parse(source.encode()).gaps] == ["C++, read as C"]
    assert "g" in functions(source)


def test_an_unclosed_comment_is_a_gap() -> None:
    assert lost("int f(void) { return 1; }\n/* int g(void)") == ["/* int g(void)"]
    assert lost("/* one */ int a; /*/ int b;") == ["/*/ int b;"]
    assert lost("int a; // no end of the line") == []


@pytest.mark.parametrize(
    ("source", "gap"),
    [
        ("int a;\n#if 0\nint b;\n", "#if 0\nint b;\n"),
        (
            "#ifdef __cplusplus\nint b;\n#if 1\nint c;\n#endif\n",
            "#ifdef __cplusplus\nint b;\n#if 1\nint c;\n#endif\n",
        ),
        ("#if A\nint b;\n", "#if A"),
        ("#if A\nint b;\n#elif B\nint c;", "#if A\nint b;\n#elif B"),
        ("#if 1\nint a;\n#else\nint b;", "#if 1\nint a;\n#else\nint b;"),
    ],
)
def test_a_conditional_without_an_end_is_a_gap(source: str, gap: str) -> None:
    assert lost(source) == [gap]
    assert lost(source + "\n#endif\n") == []


def test_line_ends_and_bytes() -> None:
    for source in (
        b"#define A 1\r\n#define B \\\r\n 2\r\nint f(void)\r\n{ return A; }\r\n",
        b"#define A 1\r#define B 2\rint f(void)\r{ return A; }\r",
        b"#define A 1\n#define B 2\nint f(void)\0\n{ return A; }\n\0",
        b'#define A 1\n#define B 2\n/* \xe9 */ int f(void)\n{ return "\xff\xfe" ? A : 0; }\n',
    ):
        tree = parse(source)
        assert tree.gaps == ()
        assert [type(node).__name__ for node in tree.body] == ["Macro", "Macro", "Function"]


# ----------------------------------------------------------------------------------------------- invariants

PROGRAM = b"""\
#include "person.h"
#define SENIOR 65
#define BONUS(p) ((p)->age > SENIOR ? 2 : 0)
#ifdef OLD
typedef struct { char *name; int age : 7; } person_t;
#endif
enum gender { FEMALE, MALE = 4, OTHER };
static const int bonus[] = { [FEMALE] = 2, [MALE] = 5, };

/* Rates an applicant. */
int rate(const struct applicant *a, int (*cb)(int))
{
    int points = a->years * 3, *p = &points; // start
    points += bonus[a->gender];
    switch (a->race) {
    case 'w': case 'b': points++; break;
    default: { points -= 1; }
    }
    for (int i = 0; i < 3; i++)
        if (a->age > 55 && !strcmp(a->name, "x\\n")) points -= 4; else goto out;
    do { *p = cb(points) ? 1 : 0; } while (0);
#if DEBUG
    printf("%d", points);
#else
    log_it(points);
#endif
out:
    return points;
}

int old(a, b)
char *a;
int b;
{
    return a[b];
}
"""


def check_spans(data: bytes) -> None:
    tree = parse(data)
    for node in nodes(tree):
        assert 0 <= node.span.start <= node.span.end <= len(data)
        for child in children(node):
            assert node.span.start <= child.span.start
            assert child.span.end <= node.span.end
    for gap in tree.gaps:
        assert 0 <= gap.span.start <= gap.span.end <= len(data)
    ends = [gap.span.end for gap in tree.gaps]
    assert ends == sorted(ends)


def test_the_program_is_read_whole() -> None:
    tree = parse(PROGRAM)
    assert tree.gaps == ()
    assert not any(isinstance(node, Broken) for node in nodes(tree))
    check_spans(PROGRAM)


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=0, max_value=len(PROGRAM)))
def test_any_prefix_is_read(length: int) -> None:
    check_spans(PROGRAM[:length])


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(PROGRAM)), st.integers(0, 40), st.binary(max_size=12))
def test_any_damage_is_survived(at: int, removed: int, inserted: bytes) -> None:
    check_spans(PROGRAM[:at] + inserted + PROGRAM[at + removed :])


PIECES = (
    "\n#if A\n", "\n#else\n", "\n#endif\n", "\n#if 0\n", "\n#define X ", "{", "}", "(", ")", ";", "=",
    "int f(", "x", "case 1:", "else ", "if (a) ", "/*", "*/", '"', "'", "\\\n", "enum e {", ",", "?",
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", "\n"])), max_size=40))
def test_any_heap_of_pieces_is_survived(pieces: list[tuple[str, str]]) -> None:
    check_spans("".join(piece + space for piece, space in pieces).encode())


@pytest.mark.parametrize(
    "source",
    [
        "int x = " + "(" * 5000 + "a[" * 3000 + "1" + "]" * 3000 + ")" * 5000 + ";",
        "int x = " + "(a + " * 5000 + "1" + ")" * 5000 + ";",
        "int x = " + "!" * 5000 + "a;",
        "int x[] = " + "{" * 5000 + "1" + "}" * 5000 + ";",
        "int x = " + " + ".join(f"a{i}" for i in range(10000)) + ";",
        "int x = " + " : ".join(f"a == {i} ? {i}" for i in range(3000)) + " : 0;",
        "void f(int a) {" + " else ".join(f"if (a == {i}) b = {i};" for i in range(3000)) + "}",
        "void f(int a) " + "{" * 5000 + "a = 1;" + "}" * 5000,
        "void f(int a) { " + "if (a) " * 3000 + "b = 1; }",
        "struct a {" * 3000 + "int x;" + "} b;" * 3000,
    ],
)
def test_deep_nesting_is_bounded_and_said(source: str) -> None:
    tree = parse(source.encode())
    assert [gap.reason for gap in tree.gaps] == ["nested too deeply (the setting file-nesting)"]
    assert depth(tree) < 700


def test_long_flat_code_is_no_nesting() -> None:
    for source in (
        "int x = " + " && ".join(f"a{i}" for i in range(10000)) + ";",
        "int x = " + "(" * 5000 + "1" + ")" * 5000 + ";",
        "char *x = " + '"a" ' * 10000 + ";",
        "void f() { " + ",".join(f"a = {i}" for i in range(5000)) + "; }",
    ):
        tree = parse(source.encode())
        assert tree.gaps == ()
        assert depth(tree) < 10


@pytest.mark.slow
def test_a_line_of_many_megabytes_comes_to_an_end() -> None:
    assert parse(b"int x[] = {" + b"1," * 3_000_000 + b"1};").gaps[0].reason == "too many items in one list"
    assert parse(b"a b(\n" * 200_000).gaps


def test_what_cannot_be_read_is_never_silent() -> None:
    for source in ("a b(;\n" * 50, "int f(void) { @ }", "}}}}", "((((", "int f(void) { if (a b) c; }"):
        assert parse(source.encode()).gaps


def test_parentheses_that_close_nothing_take_no_time_and_are_named() -> None:
    """The grammar's own time grows with their square: 4 s for 4,000 of them."""
    before = time.process_time()
    tree = parse(b"API(int *) " + b"*) " * 20_000 + b"made(void);\nint f(int a) { return a; }\n")

    assert time.process_time() - before < 8
    assert [gap.reason for gap in tree.gaps] == ["syntax error"]
    assert [node.name for node in tree.body if isinstance(node, Function)] == ["f"]
    assert parse(b"int f(int a) { return (a)) ; }").gaps
