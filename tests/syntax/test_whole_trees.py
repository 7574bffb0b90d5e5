"""Trees that are kept while one text is judged."""

from __future__ import annotations

from fairlint.syntax import SHIPPED
from fairlint.syntax.tree import Function, Tree
from fairlint.syntax.whole_trees import kept_trees, parse_once

CODE = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n"


def bodies(tree: Tree) -> dict[str, bool]:
    return {node.name: bool(node.body) for node in tree.body if isinstance(node, Function)}


def test_a_tree_without_all_functions_is_not_taken_for_the_whole_one() -> None:
    parse = SHIPPED[0].parse
    with kept_trees():
        assert bodies(parse_once(parse, CODE, lambda _start, _end, name: name == "a")) == {
            "a": True,
            "b": False,
        }
        whole = parse_once(parse, CODE)
        assert bodies(whole) == {"a": True, "b": True}
        assert parse_once(parse, CODE) is whole
        assert bodies(parse_once(parse, CODE, lambda _start, _end, name: name == "b")) == {
            "a": False,
            "b": True,
        }


def test_a_tree_of_which_all_functions_were_wanted_is_parsed_once() -> None:
    times = 0

    def parse(data: bytes, keep: object) -> Tree:
        nonlocal times
        times += 1
        return SHIPPED[0].parse(data, keep)  # type: ignore[arg-type]  # handed on as it came

    with kept_trees():
        first = parse_once(parse, CODE, lambda *_: True)
        assert parse_once(parse, CODE) is first
        assert times == 1
    assert parse_once(parse, CODE) is not parse_once(parse, CODE)
    assert times == 3
