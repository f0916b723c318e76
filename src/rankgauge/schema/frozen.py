"""Frozen records, like frozen dataclasses.

A dataclass compiles its methods when it is defined: importing `dataclasses` and defining the 50 records of a
small `rankgauge evaluate` would double its CPU time (75 ms more), so their methods are written once, here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from typing_extensions import Self, dataclass_transform  # part of typing from Python 3.11 on
else:
    dataclass_transform = lambda **_: lambda decorated: decorated  # noqa: E731

_REQUIRED: Any = object()  # the default of a field without a default


class _AsDataclass:
    """An attribute of dataclasses, for `dataclasses.replace` and `help`, made when read."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, _record: object, cls: type[Frozen]) -> Any:
        from dataclasses import MISSING, field, make_dataclass
        from inspect import signature

        def declared(default: Any) -> Any:
            if isinstance(default, dict):
                return field(default_factory=default.copy)
            return field(default=MISSING if default is _REQUIRED else default)

        fields = [(name, cls._types[name], declared(default)) for name, default in cls._defaults.items()]
        made = make_dataclass(cls.__name__, fields, frozen=True)
        return signature(made) if self._name == "__signature__" else getattr(made, self._name)


@dataclass_transform(frozen_default=True)
class Frozen:
    """A class whose annotated attributes are its fields; records of one class with equal fields are equal.

    >>> class Point(Frozen):
    ...     x: int
    ...     y: int = 0
    >>> Point(1)._replace(y=2)
    Point(x=1, y=2)
    """

    _defaults: ClassVar[dict[str, Any]] = {}  # {field: its default}
    _types: ClassVar[dict[str, Any]] = {}  # {field: its annotation}
    _required: ClassVar[frozenset[str]] = frozenset()  # fields without a default
    __dataclass_fields__: ClassVar[Any] = _AsDataclass()
    __dataclass_params__: ClassVar[Any] = _AsDataclass()
    __signature__: ClassVar[Any] = _AsDataclass()

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        types = {n: kind for n, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")}
        cls._types = {**cls._types, **types}
        cls._defaults = {**cls._defaults, **{name: vars(cls).get(name, _REQUIRED) for name in types}}
        cls._required = frozenset(name for name, default in cls._defaults.items() if default is _REQUIRED)
        if not eq and "__eq__" not in vars(cls):
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = self._defaults
        given = dict(zip(fields, values, strict=False)) | named
        each_once = len(given) == len(values) + len(named)
        if not (each_once and self._required <= given.keys() <= fields.keys()):
            self._refuse(values, named)
        self.__dict__.update(fields | given)
        self.__post_init__()

    def _refuse(self, values: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Raise an error for missing, unknown or repeated fields."""
        fields = self._defaults
        positional = dict(zip(fields, values, strict=False))
        record = {**fields, **positional, **named}
        wrong = [name for name in record if name not in fields or (name in positional and name in named)]
        wrong += [name for name, value in record.items() if value is _REQUIRED]
        problem = f"each once; look at {', '.join(wrong)}" if wrong else f"and not {len(values)} values"
        raise TypeError(f"{type(self).__name__} takes {', '.join(fields)}, {problem}")

    def __post_init__(self) -> None:
        """Check the fields; for subclasses to override."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: its {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: its {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self._all() == other._all()

    def __hash__(self) -> int:  # without `_all`: settings are hashed several times in each small evaluation
        return hash((*map(self.__dict__.__getitem__, self._defaults),))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{n}={v!r}' for n, v in self._asdict().items())})"

    def _all(self) -> tuple[Any, ...]:
        return tuple(map(vars(self).__getitem__, self._defaults))

    def _asdict(self) -> dict[str, Any]:
        """{field: value}."""
        return dict(zip(self._defaults, self._all(), strict=True))

    def _replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**{**self._asdict(), **changes})
