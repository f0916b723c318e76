"""Records that are frozen dataclasses to everybody, but are not compiled."""

import copy
import dataclasses
import inspect
import pickle
import re

import pytest

from rankgauge.schema.frozen import Frozen


class Point(Frozen):
    x: int
    y: int = 0
    more: dict = {}  # noqa: RUF012


class Named(Point):
    name: str = "p"


class Thing(Frozen, eq=False):
    size: int = 1


class Checked(Frozen):
    size: int

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("too small")


@dataclasses.dataclass(frozen=True)
class Real(Point):
    z: int = 3


def test_fields_are_given_in_order_or_by_name():
    assert Point(1, 2) == Point(y=2, x=1) == Point(1, 2, {})
    assert repr(Named(1, name="q")) == "Named(x=1, y=0, more={}, name='q')"


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((), {}, "look at x"),
        ((1,), {"x": 1}, "look at x"),
        ((1,), {"z": 1}, "look at z"),
        ((1, 2, {}, 4), {}, "not 4 values"),
    ],
)
def test_fields_are_given_once(values, named, said):
    with pytest.raises(TypeError, match=re.escape("Point takes x, y, more")) as raised:
        Point(*values, **named)
    assert said in str(raised.value)


def test_records_of_equal_fields_are_equal():
    assert Named(1) != Point(1)
    assert Named(1) != Named(2)
    assert Thing() != Thing()
    assert len({Thing(), Thing()}) == 2
    assert len({Checked(1), Checked(1), Checked(2)}) == 2


def test_records_do_not_change():
    point = Point(1)
    with pytest.raises(AttributeError, match="x cannot be set"):
        point.x = 2
    with pytest.raises(AttributeError, match="x cannot be deleted"):
        del point.x
    assert point._replace(x=2) == Point(2)
    assert point == Point(1)
    with pytest.raises(ValueError, match="too small"):
        Checked(1)._replace(size=-1)


def test_records_travel():
    assert pickle.loads(pickle.dumps(Named(1))) == copy.deepcopy(Named(1)) == Named(1)


def test_others_see_a_dataclass():
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 0, "more": {}}
    assert str(inspect.signature(Checked)) == str(
        inspect.signature(dataclasses.make_dataclass("C", [("size", int)]))
    )
    assert Real(1, z=2) == Real(1, 0, {}, 2) != Real(1)
