"""What the rest of the tool relies on when it reads Python."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.syntax import lowering
from fairlint.syntax.depth import MAX_DEPTH
from fairlint.syntax.python.parser import parse
from fairlint.syntax.tree import Assign, Broken, Function, If, Literal, Node, Span, Tree, Type, children, walk

_SPEC = importlib.util.spec_from_file_location("dump", Path(__file__).with_name("dump.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
_DUMP = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_DUMP)


def dumped(source: str) -> str:
    tree = parse(source.encode())
    assert tree.gaps == ()
    return str(_DUMP.dump(tree))


def lost(source: str) -> list[str]:
    data = source.encode()
    return [data[gap.span.start : gap.span.end].decode() for gap in parse(data).gaps]


def nodes(tree: Tree) -> list[Node]:
    return [node for top in tree.body for node in walk(top)]


def functions(tree: Tree) -> dict[str, Function]:
    return {node.name: node for node in nodes(tree) if isinstance(node, Function)}


PASS = "(Other kind=pass_statement)"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # names, literals, strings
        ("applicant.gender", "applicant.gender"),
        ("True, False, None, ...", "(tuple True False None (Other kind=ellipsis))"),
        ("[0x1F, 1_000, 0o17, 0b11, 1.5e3, .5]", "(list 31 1000 15 3 1500.0 0.5)"),
        ("0777, 10L", "(tuple 511 10)"),
        ("3j", "(Other kind=integer)"),
        (r"'a\tb\x41\u00e9\N{BULLET}\101\q'", r"'a\tbAé•A\\q'"),
        (r"r'\d', b'\x00', rb'\n', u'é'", r"(tuple '\\d' b'\x00' b'\\n' 'é')"),
        ("'fe' 'male'", "'female'"),
        ("('a'\n  # why\n  'b')", "'ab'"),
        ('"a\\\nb"', "'ab'"),
        ("f'{a.race!r:>{width}} x{{y}}' ' z'", "(Interpolation [a.race width ' x{y} z'])"),
        ("t'{name}'", "(Interpolation [name])"),
        ("f'male'", "'male'"),
        ("'''two\r\nlines'''", "'two\\nlines'"),
        # operators
        ("a + b * -c", "(Binary op=+ a (Binary op=* b (Unary op=- c)))"),
        ("not a", "(Unary op=not a)"),
        ("a and b and (c and d) or e", "(BoolOp op=or [(BoolOp op=and [a b c d]) e])"),
        ("(a == 1) & (b != 2)", "(Binary op=& (Compare op=== a 1) (Compare op=!= b 2))"),
        ("18 <= age < 65", "(BoolOp op=and [(Compare op=<= 18 age) (Compare op=< age 65)])"),
        ("a is None, a is not b", "(tuple (Compare op=== a None) (Compare op=!= a b))"),
        ("a in b, a not in b", "(tuple (Compare op=in a b) (Compare op='not in' a b))"),
        ("5 if male else 2", "(Conditional male then=5 otherwise=2)"),
        ("(n := len(a))", "(Assign [n] (Call len [a]))"),
        ("await f(x)", "(Call f [x])"),
        # accesses, calls, collections
        ("((a)).b[c](d)", "(Call (Index a.b c) [d])"),
        ("df.loc[mask, 'score']", "(Index df.loc (tuple mask 'score'))"),
        ("a[1:2], a[::3], a[1,]", "(tuple (Index a (Slice 1 2)) (Index a (Slice 3)) (Index a (tuple 1)))"),
        ("f(a, *b, c=1, **d)", "(Call f [a (Star b)] keywords=[[c 1] [None d]])"),
        ("f(x for x in y)", "(Call f [(Comprehension kind=generator x [(Generator x y)])])"),
        ("{'male': 5, **rest}", "(dict 'male': 5 (Star rest))"),
        ("{1, 2}, [*a], ()", "(tuple (set 1 2) (list (Star a)) (tuple))"),
        (
            "[a for b in c if d if e for f in g]",
            "(Comprehension kind=list a [(Generator b c [d e]) (Generator f g)])",
        ),
        ("{k: v for k, v in x}", "(Comprehension kind=dict v k [(Generator (tuple k v) x)])"),
        (
            "lambda a, *b, c=1: a",
            "(Lambda [(Parameter a) (Parameter b star=*) (Parameter c default=1)] body=a)",
        ),
        # simple statements
        ("a = b = 1", "(Assign [a b] 1)"),
        ("a, *b = c", "(Assign [(tuple a (Star b))] c)"),
        ("a[0].b //= 2", "(Assign [(Index a 0).b] 2 op=//)"),
        ("x: dict[str,\n  int] = y", "(Assign [x] y type='dict[str, int]')"),
        ("x: int", "(Assign [x] type=int)"),
        ("type Sex[T] = list[T]", "(Assign [Sex] (Index list T) type=type)"),
        ("x = yield y", "(Assign [x] (Return y is_yield))"),
        ("yield from y", "(Return y is_yield)"),
        ("raise A from b", "(Raise A)"),
        ("assert a, 'b'", "(Assert a 'b')"),
        ("global a; del b", "(Other kind=global_statement [a]) (Other kind=delete_statement [b])"),
        ("import a.b, c as d", "(Import a.b [[a.b a]]) (Import c [[c d]])"),
        ("from ..a import (b as c, d)", "(Import ..a [[b c] [d d]] is_from)"),
        ("from a import *", "(Import a [[* *]] is_from)"),
        ("from __future__ import division", ""),
        ("print 'a', b", "(Call print ['a' b])"),
        ("print >>log, a", "(Call print [a] keywords=[[file log]])"),
        ("exec 'x' in d", "(Call exec ['x' d])"),
        # compound statements
        (
            "if a:\n  1\nelif b: 2\nelse:\n  3",
            "(If a then=[1] otherwise=[(If b then=[2] otherwise=[3] is_elif)])",
        ),
        ("for a, b in c:\n  break\nelse: d", "(Loop (tuple a b) c body=[(Break)] otherwise=[d])"),
        ("while a: continue", "(Loop a body=[(Continue)])"),
        (
            "try: a\nexcept (B, C) as e: d\nexcept: f\nelse: g\nfinally: h",
            "(Try body=[a] [[d] [f]] otherwise=[g] final=[h])",
        ),
        ("try: a\nexcept* B: c", "(Try body=[a] [[c]])"),
        ("try: a\nexcept B, C: d", "(Try body=[a] [[d]])"),
        ("with a as b, c: pass", f"(With [(Assign [b] a) c] body=[{PASS}])"),
        ("async with (a as (b, c), d): pass", f"(With [(Assign [(tuple b c)] a) d] body=[{PASS}])"),
        # definitions
        (
            "@d(1)\nasync def f(a, /, b: int, *c: str, e=1, **g) -> float:\n  'doc'\n  return 1",
            (
                "(Function f [(Parameter a) (Parameter b type=int) (Parameter c type=str star=*)"
                " (Parameter e default=1) (Parameter g star=**)] body=[(Return 1)]"
                " decorators=[(Call d [1])] docstring=doc returns=float)"
            ),
        ),
        ("def f[T: int](a, *, b): pass", f"(Function f [(Parameter a) (Parameter b)] body=[{PASS}])"),
        (
            "@d\nclass A(B, metaclass=M):\n  'doc'\n  x: int = 3",
            (
                "(Type A kind=class [B (Other kind=keyword_argument [M])] body=[(Assign [x] 3 type=int)]"
                " decorators=[d] docstring=doc)"
            ),
        ),
        ("class G(str, enum.Enum): M = 1", "(Type G kind=enum [str enum.Enum] body=[(Assign [M] 1)])"),
    ],
)
def test_a_construct_becomes_the_shared_nodes(source: str, expected: str) -> None:
    assert dumped(source) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("'male'", "['male']"),
        ("'m' | 'male'", "['m' 'male']"),
        ("('m' | 'male') as x", "[(Capture x 'm') (Capture x 'male')]"),
        ("-1 | Sex.MALE", "[-1 Sex.MALE]"),
        ("None", "[None]"),
        ("x", "[(Capture x)]"),
        ("{'gender': 'male', **rest}", "[(dict 'gender': 'male' (Star (Capture rest)))]"),
        ("[1, *rest]", "[(list 1 (Star (Capture rest)))]"),
        ("'a' | 'b', _", "[(tuple (BoolOp op=or ['a' 'b']) (Capture _))]"),
        ("Person(x, gender='male')", "[(Call Person [(Capture x)] keywords=[[gender 'male']])]"),
        ("a.B()", "[(Call a.B)]"),
    ],
)
def test_a_match_pattern_is_an_expression(pattern: str, expected: str) -> None:
    assert dumped(f"match p:\n  case {pattern}: 1") == f"(Switch p [(Case {expected} body=[1])])"


def test_only_a_bare_wildcard_is_the_default() -> None:
    assert dumped("match a, b:\n  case _ if c: 1\n  case _: 2") == (
        "(Switch (tuple a b) [(Case [(Capture _)] guard=c body=[1]) (Case body=[2])])"
    )


def test_spans_are_the_bytes_as_written() -> None:
    data = "é = 1\n@d\ndef f(ä=2):\n    return a.b + ('x' 'y')\n".encode()
    tree = parse(data)
    function = functions(tree)["f"]
    shown = {data[node.span.start : node.span.end].decode() for node in walk(function)}
    assert {"ä=2", "return a.b + ('x' 'y')", "a.b + ('x' 'y')", "a.b", "'x' 'y'", "d"} <= shown
    assert data[function.span.start : function.span.end].startswith(b"def f")
    assert data[function.name_span.start : function.name_span.end] == b"f"


def test_an_elif_spans_to_the_end_of_the_chain() -> None:
    data = b"if a: 1\nelif b: 2\nelse: 3\n"
    (chain,) = parse(data).body
    assert isinstance(chain, If)
    assert chain.otherwise[0].span == Span(8, 25)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_ending_is_read(newline: str) -> None:
    assert dumped(newline.join(["if a:", "  b", "c"])) == "(If a then=[b]) c"


def test_functions_that_are_not_wanted_keep_their_head() -> None:
    asked: list[tuple[str, bytes]] = []
    data = b'def a(x=1):\n  "doc"\n  y\nclass B:\n  z = 1\n  def c(self):\n    def d(): e\n  def f(self): g\n'

    def keep(start: int, end: int, name: str) -> bool:
        asked.append((name, data[start:end].split(b"(")[0]))
        return name == "B.c"

    tree = parse(data, keep)
    assert asked == [("a", b"def a"), ("B.c", b"def c"), ("B.f", b"def f")]
    found = functions(tree)
    assert (found["a"].body, found["a"].docstring, found["a"].parameters[0].name) == ((), "doc", "x")
    assert found["B" if "B" in found else "c"].body
    assert found["d"].body
    assert found["f"].body == ()
    assert any(isinstance(node, Type) and len(node.body) == 3 for node in tree.body)


# ------------------------------------------------------------------------------------------------ broken code


@pytest.mark.parametrize(
    ("source", "expected", "gaps"),
    [
        pytest.param(
            "def f(a):\n    s = 0\n    if a.gender == 'male':\n        s += 5\n    elif a.attention",
            "(Function f [(Parameter a)] body=[(Assign [s] 0)"
            " (If (Compare op=== a.gender 'male') then=[(Assign [s] 5 op=+)]) (Broken [a.attention])])",
            ["elif a.attention"],
            id="cut off in an elif",
        ),
        pytest.param(
            "def f(a):\n    s = sum([\n        a.x,\n        a.gen",
            "(Function f [(Parameter a)] body=[(Broken [s sum a.x a.gen])])",
            ["s = sum([\n        a.x,\n        a.gen"],
            id="cut off in brackets",
        ),
        pytest.param(
            "x = f(a,\ny = 3\ndef g():\n    return 1\n",
            "(Broken [x f a]) (Assign [y] 3) (Function g body=[(Return 1)])",
            ["x = f(a,"],
            id="bracket never closed",
        ),
        pytest.param(
            'def f(a):\n    """Rate the\n    candidate.\n    s = 0\n    return s\n',
            "(Function f [(Parameter a)] body=[(Broken) (Assign [s] 0) (Return s)])",
            ['"""Rate the\n    candidate.'],
            id="docstring never closed",
        ),
        pytest.param(
            'def f(a):\n    """Rate.\n    return a\n\ndef g(b):\n    """Rate\n    it."""\n    return b\n',
            "(Function f [(Parameter a)] body=[(Broken [Rate]) (Return a)])"
            " (Function g [(Parameter b)] body=[(Return b)] docstring='Rate\\n    it.')",
            ['"""Rate.'],
            id="docstring closed by the next one",
        ),
        pytest.param(
            "Sure! Here's the code (it works:\n\ndef f(a):\n    return a\nI hope that this helps!\n",
            "(Broken) (Function f [(Parameter a)] body=[(Return a)]) (Broken)",
            ["Sure! Here's the code (it works:", "I hope that this helps!"],
            id="prose around the code",
        ),
        pytest.param(
            "Sure: def f(a):\n    return a\n",
            "(Function f [(Parameter a)] body=[(Return a)])",
            ["Sure:"],
            id="prose glued to the header",
        ),
        pytest.param(
            "if a = 3:\n    x += 1\nelif b:\n    x += 2\nelse\n    x = 3\n",
            "(If (Broken [(Assign [a] 3)]) then=[(Assign [x] 1 op=+)] otherwise="
            "[(If b then=[(Assign [x] 2 op=+)] otherwise=[(Assign [x] 3)] is_elif)])",
            ["if a = 3:", "else"],
            id="damaged headers keep the chain",
        ),
        pytest.param(
            "def f(a)\n    return a\n",
            "(Function f [(Parameter a)] body=[(Return a)])",
            ["def f(a)"],
            id="colon forgotten",
        ),
        pytest.param(
            "if a == 'x # y' # so:\n    b = 1\nelse:\n    b = 2\n",
            "(If (Compare op=== a 'x # y') then=[(Assign [b] 1)] otherwise=[(Assign [b] 2)])",
            ["if a == 'x # y' # so:"],
            id="colon inside a comment",
        ),
        pytest.param(
            "if a == 'Bachelor's degree' and b['c'] == 'd':\n    e = 1\n",
            "(If (BoolOp op=and [(Compare op=== a \"Bachelor's degree\") (Compare op=== (Index b 'c') 'd')])"
            " then=[(Assign [e] 1)])",
            [],
            id="apostrophe inside a text",
        ),
        pytest.param(
            "x = {\n    'Bachelor's degree': 3,\n    'Master's': {'d': 5},\n}\ny = 1\n",
            "(Assign [x] (dict \"Bachelor's degree\": 3 \"Master's\": (dict 'd': 5))) (Assign [y] 1)",
            [],
            id="apostrophe inside a key",
        ),
        pytest.param(
            "x = f'it'\ny = a or'b'or c (\n",
            "(Assign [x] 'it') (Broken [y (BoolOp op=or [a 'b']) c])",
            ["y = a or'b'or c ("],
            id="texts beside letters",
        ),
        pytest.param(
            "def f(a):\n    x = 1\nNote this!\n    return a\n",
            "(Function f [(Parameter a)] body=[(Assign [x] 1) (Return a)])",
            ["Note this!"],
            id="stray line inside a function",
        ),
        pytest.param("x = 1\n\0\ny = 2\n", "(Assign [x] 1) (Broken) (Assign [y] 2)", ["\0"], id="NUL"),
        pytest.param("print('a'", "(Broken ['a'])", ["print('a'"], id="call cut off"),
    ],
)
def test_what_stands_around_damage_is_read(source: str, expected: str, gaps: list[str]) -> None:
    assert _DUMP.dump(parse(source.encode())) == expected
    assert lost(source) == gaps


@pytest.mark.parametrize(
    ("source", "gaps"),
    [
        ("def f(a):\n    if a:\n        b = 1\n   return b\n", ["return b"]),
        ("def f(a):\n    b = 1\n      c = 2\n    return b\n", ["c = 2"]),
        ("a = 1\n  b = 2\nc = 3\n", ["b = 2"]),
        ("def f(a):\n    if a: b = 1; c = 2\n    d = 3; e = 4\n    return b\n", []),
        ("def f(a):\n\tb = 1\n        return b\n", []),
        ("def f(a):\n    # as\n  # it\n    b = (\n1)\n    return b\n", []),
    ],
)
def test_what_is_indented_unlike_its_block_is_named(source: str, gaps: list[str]) -> None:
    assert lost(source) == gaps


def test_a_long_table_with_one_error_is_not_lost() -> None:
    rows = [f"    'key{at}': {at}," for at in range(60)]
    rows[30] = "    'key30': 3 0,"
    tree = parse("\n".join(["x = {", *rows, "}", "y = 1"]).encode())
    assert len([node for node in nodes(tree) if isinstance(node, Literal)]) > 100
    assert len(tree.gaps) == 1
    assert tree.gaps[0].span.end - tree.gaps[0].span.start < 20


def test_invalid_utf8_is_no_obstacle() -> None:
    tree = parse(b"x = '\xff'\n\xff\xfe = 3\ny = 2\n")
    assert _DUMP.dump(tree).startswith("(Assign [x] '\ufffd')")
    assert _DUMP.dump(tree).endswith("(Assign [y] 2)")
    assert len(tree.gaps) == 1


PROGRAM = '''\
"""Doc."""
import a.b
@decorated(1)
class Person(Base, metaclass=Meta):
    age: int = 3
    def rate(self, *args, bonus={"male": 5, **more}, **kwargs) -> float:
        """Rate — the person."""
        score = 0
        if self.gender == "male" and not (18 <= self.age < 65):
            score += bonus[self.gender] * 2
        elif self.race in ("a", 'b'):
            score = (score - 1) if x else f"{score:>{width}} é"
        else:
            return [row for row in rows if row["sex"] != 1]
        match self.gender:
            case "male" | "m":
                pass
            case {"sex": Person(age=3)} if ok:
                raise E(
                    "text",
                )
        with open(p) as f, g:
            try:
                lambda y: y
            except (A, B) as e:
                del e
            finally:
                yield 1
        return score
'''


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, len(PROGRAM.encode())),
    st.integers(0, len(PROGRAM.encode())),
    st.binary(max_size=6) | st.sampled_from([b"", b'"""', b"(", b"'", b"\n", b"else:\n", b"def f(", b"{"]),
)
def test_damaged_programs_never_raise_and_spans_nest(start: int, end: int, put_in: bytes) -> None:
    data = PROGRAM.encode()
    start, end = sorted((start, end))
    check(data[:start])
    check(data[:start] + put_in + data[end:])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PROGRAM.splitlines()), max_size=12))
def test_shuffled_lines_never_raise(lines: list[str]) -> None:
    check("\n".join(lines).encode())


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_never_raise(data: bytes) -> None:
    check(data)


def check(data: bytes) -> None:
    tree = parse(data)
    stack = [(node, Span(0, len(data))) for node in tree.body]
    while stack:
        node, outer = stack.pop()
        assert outer.start <= node.span.start <= node.span.end <= outer.end, (data, node)
        # a definition starts at its keyword, its decorators stand before it
        outside = getattr(node, "decorators", ())
        stack.extend((child, outer if child in outside else node.span) for child in children(node))
    ends = [0]
    for gap in tree.gaps:
        assert 0 <= gap.span.start <= gap.span.end <= len(data)
        assert gap.span.start >= ends[-1]
        ends.append(gap.span.end)
    if any(isinstance(node, Broken) for node in nodes(tree)):
        assert tree.gaps


# ---------------------------------------------------------------------------------------- hostile input


def depth(tree: Tree) -> int:
    deepest = 0
    stack = [(node, 1) for node in tree.body]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in children(node))
    return deepest


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "(" * 5000,
        "x = " + "f(" * 5000 + ")" * 5000,
        "x = " + "not " * 5000 + "a",
        "x = a" + ".b" * 5000,
        "x = a" + ".b(c + d)" * 2000,
        "x = " + "a if b else " * 2000 + "c",
        "x = " + "lambda: " * 2000 + "c",
        "x: " + "list[" * 2000 + "]" * 2000 + " = 1",
        "".join(" " * at + "if a:\n" for at in range(300)) + " " * 300 + "pass",
        "match x:\n case " + "[" * 2000 + "]" * 2000 + ": pass",
        "x = " + "f'{" * 500 + "a" + "}'" * 500,
    ],
)
def test_deep_nesting_ends_in_a_gap(source: str) -> None:
    tree = parse(source.encode())
    assert depth(tree) <= MAX_DEPTH + 5
    assert tree.gaps


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "+".join(["a"] * 10_000),
        "x = " + "(" * 3000 + "a" + "+ a)" * 3000,
        "if a: pass\n" + "elif b == 3:\n  c = 1\n" * 3000 + "else: d\n",
    ],
)
def test_long_chains_are_cut_and_nothing_in_them_is_lost(source: str) -> None:
    tree = parse(source.encode())
    assert depth(tree) <= lowering.MAX_CHAIN + 10
    assert len(nodes(tree)) >= 3000
    assert [gap.reason for gap in tree.gaps] == [lowering.TOO_LONG]


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 5000 + "a" + ")" * 5000,
        "x = (" + " 'a'" * 10_000 + ")",
        "x = " + " and ".join("ab" * 5000),
    ],
)
def test_what_only_looks_deep_is_read_whole(source: str) -> None:
    tree = parse(source.encode())
    assert tree.gaps == ()
    assert depth(tree) <= 4


def test_chained_comparisons_in_each_other_do_not_explode() -> None:
    tree = parse(("x = " + "a < (" * 60 + "b" + ") < c" * 60).encode())
    assert len(nodes(tree)) < 10_000


@pytest.mark.parametrize(
    "source",
    [
        "def f(\n" * 5000,
        'x = """\n(\n' * 5000,
        "if a:\n" + " # a comment\n" * 20_000 + " pass\n",
        "\\\n" * 50_000,
        "'" * 50_001,
        "{" * 5000 + "\n" + "if x:\n" * 3000,
    ],
)
def test_work_grows_with_the_size_of_the_source(source: str) -> None:
    parse(source.encode())


def test_a_very_wide_list_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "MAX_ITEMS", 100)
    tree = parse(b"x = [" + b"1," * 1000 + b"]\ny = 2\n")
    assert [gap.reason for gap in tree.gaps] == [lowering.TOO_MANY]
    assert len(tree.body) == 2


@pytest.mark.slow
def test_the_standard_library_has_no_gaps() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    files = [
        path
        for path in sorted(library.rglob("*.py"))
        if not {"site-packages", "test", "tests"} & {*path.parts}
    ]
    checked = 0
    for path in files[:: max(1, len(files) // 150)]:
        data = path.read_bytes()
        if "bad" in path.name or "lib2to3" in path.parts:
            continue
        assert parse(data).gaps == (), path
        checked += 1
    assert checked > 100


@pytest.mark.parametrize("columns", ["    ", "\t", " "])
def test_blocks_within_hundreds_of_blocks_are_left_out(columns: str) -> None:
    """The grammar's scanner ended the process there."""
    lines = [f"{columns * depth}if x == {depth}:" for depth in range(700)]
    tree = parse("\n".join([*lines, f"{columns * 700}y = 1", "z = 2", ""]).encode())

    assert {gap.reason for gap in tree.gaps} == {"nested too deeply (the setting file-nesting)"}
    assert isinstance(tree.body[-1], Assign)


@pytest.mark.parametrize(
    "source",
    [
        "if x:\ny = 1\n",
        "def f():\n",
        "class A:\n    # to do\n",
        "try:\n    x = 1\ny = 1\n",
        "while x:\n    pass\nelse:\n",
    ],
)
def test_a_block_without_a_body_is_a_gap(source: str) -> None:
    (gap,) = parse(source.encode()).gaps

    assert gap.reason == "a statement that is not finished"
    assert source[gap.span.start : gap.span.end].strip()
