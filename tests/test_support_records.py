"""Records behave as frozen dataclasses do, and cost less."""

from __future__ import annotations

import copy
import pickle
from functools import cached_property

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.support.records import Record, field, field_names, replace


class Point(Record):
    x: int
    y: int = 0

    @property
    def sum(self) -> int:
        """Both together."""
        return self.x + self.y


class Labelled(Point):
    label: str = ""
    marks: list[str] = field(default_factory=list)


class Place(Record, eq=False):
    name: str


class Town(Place):
    size: int = 0


class Counter(Record, frozen=False):
    count: int = 0
    seen: set[int] = field(default_factory=set)


class Lazy(Record, slots=False):
    text: str

    @cached_property
    def size(self) -> int:
        """Counted once."""
        return len(self.text)


class Empty(Record):
    pass


def test_fields_are_given_by_place_or_by_name() -> None:
    assert Point(1, 2) == Point(x=1, y=2) == Point(1, y=2)
    assert Point(1) == Point(1, 0)
    assert (Point(3, 4).x, Point(3, 4).y, Point(3, 4).sum) == (3, 4, 7)


def test_fields_of_the_base_come_first() -> None:
    assert field_names(Labelled) == field_names(Labelled(1)) == ("x", "y", "label", "marks")
    assert Labelled(1, 2, "a", ["b"]).marks == ["b"]


def test_a_default_that_is_made_is_made_for_each() -> None:
    one, other = Labelled(1), Labelled(1)
    assert one == other
    assert one.marks is not other.marks
    given_list = ["mine"]
    assert Labelled(1, marks=given_list).marks is given_list


def test_wrong_arguments_are_told_by_their_names() -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_a_field_without_a_default_cannot_follow_one_with() -> None:
    with pytest.raises(TypeError, match="a field without a default follows"):

        class Wrong(Point):
            z: int  # type: ignore[misc]


def test_equality_is_by_type_and_value() -> None:
    assert Point(1, 2) != Point(2, 1)
    assert Point(1, 2) != (1, 2)
    assert Labelled(1) != Point(1)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_equality_can_be_identity_also_for_subclasses() -> None:
    town = Town("a", 1)
    assert town == town  # noqa: PLR0124
    assert town != Town("a", 1)
    assert len({town, Town("a", 1)}) == 2


def test_what_may_change_has_no_hash() -> None:
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_slots_keep_mistakes_out_and_can_be_left_away() -> None:
    with pytest.raises(AttributeError):
        Counter().cuont = 1  # type: ignore[attr-defined]
    lazy = Lazy("abc")
    assert lazy.size == 3
    assert vars(lazy) == {"text": "abc", "size": 3}


def test_patterns_match_by_place_and_by_name() -> None:
    match Point(1, 2):
        case Point(1, y=y):
            assert y == 2
        case _:
            pytest.fail("no match")


def test_the_text_says_all() -> None:
    assert repr(Labelled(1, 2, "a")) == "Labelled(x=1, y=2, label='a', marks=[])"
    assert repr(Empty()) == "Empty()"


values = st.integers() | st.text() | st.none() | st.tuples(st.integers())


@given(values, values, values)
def test_a_record_survives_copying_pickling_and_replacing(x: object, y: object, other: object) -> None:
    record = Labelled(x, y, "l", ["m"])  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.copy(record) == copy.deepcopy(record) == record
    changed = replace(record, y=other)
    assert (changed.x, changed.y, changed.marks) == (x, other, record.marks)
    assert record.y == y


def test_a_base_is_initialized_by_what_a_subclass_adds_to() -> None:
    class Base(Record, slots=False):
        x: int

    class Longer(Base, slots=False):
        y: int

        def __init__(self, x: int, y: int) -> None:
            super().__init__(x)
            object.__setattr__(self, "y", y)

    for _ in range(2):
        made = Longer(1, y=2)
        assert (made.x, made.y, Base(3).x) == (1, 2, 3)
