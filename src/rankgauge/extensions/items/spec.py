"""Measures of recommended items, their registry, and the texts that name them, such as `ILD(by=genre)@10`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError
from rankgauge.measures.language import pieces, several
from rankgauge.measures.reader import Reader, Written
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Parameter, Text, check_options, parameters_of
from rankgauge.schema.registry import Registry
from rankgauge.schema.text import brief, repeated

if TYPE_CHECKING:
    from rankgauge.extensions.items.lists import Lists
    from rankgauge.measures.rankings.arrays.curves import Floats


class Column(Text):
    """The name of a column, in quotes if it is no word."""

    words = "the name of a column"

    def write(self, value: Any) -> str:
        """The name as it is written."""
        return str(value) if value.isidentifier() else f"'{value}'"


class ItemMeasure(Frozen, eq=False):
    """A measure of recommended items, with its settings and cutoff."""

    name: str
    title: str
    formula: str
    cite: str
    function: Callable[..., Floats]
    needs: tuple[str, ...] = ()  # of `KNOWLEDGE`
    direction: int = 1
    average: str = "mean"
    share: bool = False  # whether values are between 0 and 1
    cut: bool = True  # whether it takes a cutoff
    other_names: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    settings: Mapping[str, Any] = {}
    cutoff: int | None = None

    def __str__(self) -> str:
        chosen = [p for p in self.parameters if self.settings.get(p.name, p.default) != p.default]
        settings = ",".join(f"{p.name}={p.kind.write(self.settings[p.name])}" for p in chosen)
        inside = f"({settings})" if settings else ""
        return f"{self.name}{inside}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def values(self, lists: Lists) -> Floats:
        """(lists,) the value of each; NaN where it is undefined."""
        found: Floats = self.function(lists.cut(self.cutoff), **self.settings)
        return found


MEASURES: Registry[ItemMeasure] = Registry(
    "rankgauge.item_measures",
    "measure of items",
    [f"rankgauge.extensions.items.{name}" for name in ("catalogue", "exposure")],
    error=MeasureError,
    spellings=lambda measure: measure.other_names,
    listing="rankgauge items --help",
)
F = TypeVar("F", bound=Callable[..., Any])


def item_measure(name: str, **facts: Any) -> Callable[[F], F]:
    """Register a function of lists as a measure; parameters are those of its signature."""

    def register(function: F) -> F:
        parameters = parameters_of(function)
        MEASURES.add(name, ItemMeasure(name, function=function, parameters=parameters, **facts), function)
        return function

    return register


def parse_given(measures: str | Iterable[str]) -> dict[str, ItemMeasure]:
    """{given text: its measure}; texts may name several, separated by spaces.

    >>> [str(measure) for measure in parse_given("CatalogCoverage@10 ILD(by=genre)@5,10").values()]
    ['Coverage@10', 'ILD(by=genre)@5', 'ILD(by=genre)@10']
    """
    texts = several(measures)
    if wrong := [each for each in texts if not isinstance(each, str)]:
        raise MeasureError(f"a measure of items is a text such as 'Coverage@10', not {brief(wrong[0])}")
    given = {text: parse(text) for each in texts for text in pieces(each)}
    if not given:
        raise MeasureError(f"no measures of items; name at least one of {', '.join(MEASURES)}")
    return given


def parse(text: str) -> ItemMeasure:
    """The measure that a text names, in any spelling."""
    written = Reader(text).measure()
    measure = MEASURES.find(written.name)
    keys = [name for name, _ in written.settings]
    if "" in keys:
        raise MeasureError(f"{measure.name} takes settings by name, as in {measure.name}(by=genre)@10")
    check_options(measure.name, measure.parameters, keys)
    for key in repeated(keys):
        raise MeasureError(f"{measure.name}: {key} is set twice in {text!r}")
    known = {parameter.name: parameter for parameter in measure.parameters}
    settings = {
        key: known[key].read(measure.name, value.text if isinstance(value, Written) else value)
        for key, value in written.settings
    }
    for parameter in measure.parameters:
        if parameter.required and parameter.name not in settings:
            raise MeasureError(f"{measure.name} needs {parameter.name}, {parameter.help}")
    cutoff = None if written.cutoff is None else _cutoff(measure, written.cutoff)
    return measure._replace(settings=settings, cutoff=cutoff)


def _cutoff(measure: ItemMeasure, text: str) -> int:
    if not measure.cut:
        raise MeasureError(f"{measure.name} is of whole lists and takes no cutoff, not {text!r}")
    if not text.isdecimal():
        raise MeasureError(f"{measure.name}: the cutoff must be a whole number from 1 on, not {text!r}")
    return whole_number("cutoff", int(text))
