"""A measure with its settings: its text, how it is composed, and what it computes from judged rankings."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError
from rankgauge.measures.rankings.discounts import Discount, discount_of
from rankgauge.measures.rankings.gains import LINEAR, Gains
from rankgauge.measures.rankings.vocabulary import Curve
from rankgauge.measures.spec import MEASURES, REL, Spec
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Flag, Parameter, signature
from rankgauge.schema.registry import errors_of
from rankgauge.schema.text import notebook

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Floats, Ints, JudgedRankings, Pool

CUTOFFS = ("cutoff", "top_k", "k")  # what ir_measures, torchmetrics and scikit-learn call it
F = TypeVar("F", bound=Callable[..., Any])


def _named_if_it_fails(method: F) -> F:
    """Name the measure in errors of functions that are not ours."""

    @functools.wraps(method)
    def call(self: Measure, *arguments: Any) -> Any:
        if self.spec.is_own:
            return method(self, *arguments)
        with errors_of("measure", self.spec.name, self.spec.function):
            return method(self, *arguments)

    return call  # type: ignore[return-value]


class Measure(Frozen, eq=False):
    """A measure with its settings. Its text is its identity: `parse(str(m)) == m`.

    Measures are composed as their text is, `nDCG(gains="exp2") @ 10`; what is set again replaces what was
    set. One that lacks a required setting, such as `IPrec`, can be completed, and is refused by `parse`.
    """

    spec: Spec
    settings: Mapping[str, Any]  # only what differs from the defaults, in declared order
    cutoff: int | None = None

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        names = self.spec.names
        texts = {n: self.spec.parameter(n).kind.write(value) for n, value in self.settings.items()}
        behind = texts.pop(names.at, None) if self.cutoff is None else str(self.cutoff)
        inside = ",".join(text if name == names.inner else f"{name}={text}" for name, text in texts.items())
        return (
            self.spec.name + (f"({inside})" if inside else "") + (f"@{behind}" if behind is not None else "")
        )

    def __repr__(self) -> str:
        return f"<Measure {self}>"

    def _repr_html_(self) -> str:
        from html import escape

        about = (self.spec.formula, self.spec.help.partition("\n\n")[0], self.spec.cite)
        paragraphs = "".join(f"<p>{escape(text)}</p>" for text in about if text)
        return notebook(f"<p><b>{escape(str(self))}</b>: {escape(self.spec.title)}</p>{paragraphs}")

    def __call__(self, *inner: Any, **settings: Any) -> Measure:
        """The measure with further settings; an inner measure has no name."""
        if inner:
            if len(inner) > 1 or not self.spec.names.inner:
                raise MeasureError(f"{self.spec.name} takes settings by name, as in {self.spec.name}(rel=2)")
            settings = {self.spec.names.inner: inner[0], **settings}
        stated = {name: _scalar(value) for name, value in settings.items()}
        cutoffs = [stated.pop(word) for word in CUTOFFS if word in stated and not self.spec.has(word)]
        if len(cutoffs) > 1:
            raise MeasureError(f"{self.spec.name}: the cutoff is set twice, to {cutoffs[0]} and {cutoffs[1]}")
        composed = compose(self.spec, {**self.settings, **stated}, self.cutoff)
        return composed @ cutoffs[0] if cutoffs else composed

    def __matmul__(self, cutoff: Any) -> Measure:
        """The measure at a cutoff, or at what it has after the @."""
        value, at = _scalar(cutoff), self.spec.names.at
        if at:
            return compose(self.spec, {**self.settings, at: value}, None)
        return compose(self.spec, self.settings, read_cutoff(self.spec, value))

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Measure) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def inner(self) -> Measure | None:
        """The inner measure, if there is one."""
        inner: Measure | None = self.settings.get(self.spec.names.inner)
        return inner

    @cached_property
    def gains(self) -> Gains:
        """The gains of grades."""
        declared = (p.default for p in self.spec.parameters if p.name == "gains")
        gains: Gains = self.settings.get("gains", next(declared, LINEAR))
        floor = None if self.spec.binary else self.settings.get("rel")
        return gains if floor is None else gains._replace(floor=floor)

    @property
    def of_collection(self) -> bool:
        """Whether values depend on the grades of other topics."""
        if self.inner is not None:
            return self.inner.of_collection
        if self.gains.scheme == "levels":
            return True
        scaled = any(p.name == "max_rel" for p in self.spec.parameters) and "max_rel" not in self.settings
        return scaled and self.gains.scheme in ("linear", "exp2")

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of its values; gains below 0 leave no lower bound."""
        (low, high), laws = self.spec.bounds, self.spec.laws
        unbounded = self.settings.get(laws.varies) in laws.unbounded.split()
        return (-math.inf if self.gains.signed else low), (math.inf if unbounded else high)

    @property
    def of_lists(self) -> bool:
        """Whether values depend on the length of the longest list."""
        return self.spec.needs.pads_to_longest and "N" not in self.settings

    @property
    def discount(self) -> Discount | None:
        """The discount of gains; None if the measure has no such parameter."""
        if not self.spec.has("discount"):
            return None
        return discount_of(
            self.settings.get("discount", self.spec.parameter("discount").default), self.settings.get("base")
        )

    @cached_property
    def _relevant_from(self) -> float:
        """The smallest relevant grade, or the smallest with a gain above 0."""
        if not self.spec.binary:
            return self.gains.least
        only: float | None = self.settings.get("grade")
        return self.rel if only is None else only

    @cached_property
    def rel(self) -> float:
        """The smallest relevant grade."""
        if self.spec.least_relevant is not None and "rel" not in self.settings:
            return self.spec.least_relevant(self.settings)
        least: float = self.settings.get("rel", REL.default)
        return least

    @cached_property
    def counted_from(self) -> float:
        """The smallest relevant grade, or the smallest with a gain."""
        return self._relevant_from if self.spec.binary else self.gains.lowest

    @property
    def lowest_grade(self) -> float:
        """The lowest grade that is not like unjudged."""
        whole = self.spec.needs.strata or self.settings.get("judged_only")
        if self.inner is not None and not whole:
            return self.inner.lowest_grade
        if self.spec.depends_on != "relevant" or self.settings.get("judged_only"):
            return -math.inf
        return self.counted_from

    def recall_base(self, pool: Pool) -> Ints:
        """(topics, 1): the number of judged documents that are relevant, or have a gain."""
        only = self.settings.get("grade")
        return pool.count(self._relevant_from) if only is None else pool.exactly(only).count(1.0)

    def worth(self, grade: float, levels: Iterable[float]) -> float:
        """The gain of a grade among the `levels` of the judgments."""
        gains = self.gains.above(self._relevant_from) if self.spec.binary else self.gains
        return gains.worth(grade, levels)

    def without_gain(self, levels: Iterable[float]) -> list[float]:
        """The grades above 0 without a gain, below the default of rel; none if excluded on purpose."""
        chosen = not self.settings.keys().isdisjoint(("rel", "grade"))
        if chosen or not (self.spec.binary and self.spec.has("gains")) or self.gains.scheme == "binary":
            return []
        return [level for level in levels if 0 < level < self._relevant_from]

    def is_relevant(self, grade: float) -> bool:
        """Whether a document of this grade is relevant, or has a gain."""
        only = self.settings.get("grade")
        if only is not None:
            return bool(grade == only)
        return grade >= self._relevant_from if self.spec.binary else self.gains.worth(grade) > 0

    @property
    def negatives(self) -> str:
        """The status of documents graded below 0: "unjudged" or "nonrelevant"."""
        negatives: str = self.settings.get("negatives", self.spec.parameter("negatives").default)
        return negatives

    @property
    def by_gain(self) -> bool:
        """Whether values depend on gains."""
        return not self.spec.binary or self.spec.has("gains")

    @property
    def is_linear(self) -> bool:
        """Whether the value is a sum of one term per rank."""
        linear = self.spec.laws.linear
        holds = linear == "always" or (linear == "uncut" and self.cutoff is None)
        return holds and self.spec.laws.varies not in self.settings

    @property
    def is_monotone(self) -> bool:
        """Whether moving a better document up never hurts."""
        return self.spec.laws.monotone and self.spec.laws.varies not in self.settings

    @property
    def reach(self) -> int | None:
        """The deepest rank that matters; None if all do."""
        return None if self.spec.needs.whole_ranking else self.cutoff

    @property
    def average(self) -> str:
        """The kind of average over topics."""
        average: str = self.settings.get("average", self.spec.average)
        return average

    @property
    def is_weighed(self) -> bool:
        """Whether topics are weighed in the average."""
        return self.average == "micro"

    @_named_if_it_fails
    def ideal(self, pool: Pool, depth: int | None = None) -> JudgedRankings:
        """The ideal rankings of a pool, whole or at least `depth` deep."""
        if not self.spec.is_own:
            pool = pool.isolated(self.spec.function.__module__)
        if self.spec.ideal is not None:
            settings = self._settings_for(signature(self.spec.ideal))
            return self.spec.ideal(pool, self._relevant_from, depth, **settings)
        gains = self.gains
        if self.spec.binary:
            gains = gains.above(self._relevant_from)
        if "grade" in self.settings:
            gains = Gains("map", tuple((g, float(self.is_relevant(g))) for g in pool.levels.tolist()))
        ideal: JudgedRankings = pool.ideal(gains)
        return ideal

    @property
    def other_reading(self) -> Measure | None:
        """The measure by another reading of its definition, if it has one."""
        for name, reading in self.spec.shows.readings.items():
            default = self.spec.parameter(name).default
            settings = {n: value for n, value in self.settings.items() if n != name}
            if self.settings.get(name, default) == default:
                settings[name] = reading
            return build(self.spec, settings, self.cutoff)
        return None

    def view(self, j: JudgedRankings) -> JudgedRankings:
        """The view that the measure's function gets."""
        if not self.spec.is_own:  # what it does to them must not change the values of others
            j = j.isolated(self.spec.function.__module__)
        _, condensed, least, level, grade = self._view_settings
        if condensed is not None:
            j = j.judged_only(condensed)
        if least is not None:
            j = j.keeping(least)
        if level is not None:
            return j.at_level(level)
        return j if grade is None else j.exactly(grade)

    @cached_property
    def _view_settings(self) -> tuple[Any, ...]:
        """What views depend on: owner, negatives, the lowest grade, the lowest relevant and the only one."""
        grade = self.settings.get("grade") if self.spec.binary else None
        return (
            "" if self.spec.is_own else self.spec.function.__module__,
            self.negatives if self.settings.get("judged_only") else None,
            self.counted_from if self.spec.depends_on == "relevant" else None,
            self.rel if self.spec.binary and grade is None else None,
            grade,
        )

    @cached_property
    def _own_settings(self) -> dict[str, Any]:
        return self._settings_for(self.spec.own)

    def _settings_for(self, names: Container[str]) -> dict[str, Any]:
        """The settings of these names, with gains after the framework's rel."""
        settings = {name: value for name, value in self.settings.items() if name in names}
        if "gains" in names and self.gains.floor is not None:
            settings["gains"] = self.gains
        return settings

    def _compute(self, j: JudgedRankings) -> tuple[Any, JudgedRankings]:
        view = self.view(j)
        return view.applied(self.spec.function, self._own_settings), view

    def value(self, j: JudgedRankings) -> Floats:
        """(topics,): the values; NaN where undefined."""
        return self.value_of(j.memo(self._view_settings, lambda: self.view(j)))

    @_named_if_it_fails
    def tied_value_of(self, view: JudgedRankings) -> Floats:
        """(topics,): the mean over all orders of tied documents."""
        return self._read(view.applied(self.spec.laws.tied or self.spec.function, self._own_settings), view)

    @_named_if_it_fails
    def value_of(self, view: JudgedRankings) -> Floats:
        """(topics,): the values, from a view."""
        result = view.applied(self.spec.function, self._own_settings)
        if not self.spec.curve:
            if isinstance(result, Curve):
                raise MeasureError(
                    f'{self.spec.name} returns a curve; write `-> "Curve"` after its signature'
                )
            return self._one_per_topic(result.reshape(-1), view)
        return self._read(result, view)

    def _one_per_topic(self, values: Floats, view: JudgedRankings) -> Floats:
        if hasattr(values, "of_topic"):  # a formula is being recorded
            recorded: Floats = values.of_topic()
            return recorded
        if getattr(getattr(values, "dtype", None), "kind", "f") not in "biuf":  # scalars have none
            raise MeasureError(
                f"{self.spec.name} has values of type {values.dtype}; its function must return real numbers"
            )
        if len(values) != len(view.retrieved):
            raise MeasureError(
                f"{self.spec.name} has {len(values)} values for {len(view.retrieved)} topics; "
                "its function must return a curve, or one number per topic"
            )
        return values

    def preference(self, view: JudgedRankings) -> Floats:
        """(hits,): larger for documents that the measure prefers."""
        if not self.spec.binary:
            return view.gain(self.gains)
        relevant: Floats = view.relevant.astype("float64")
        return relevant * (view.gain(self.gains) + 1) if self.by_gain else relevant

    @property
    def unclipped(self) -> Measure | None:
        """The measure without its limit of 1, if a ranking may exceed it."""
        if not self.spec.has("ideal") or "ideal" in self.settings:
            return None
        return build(self.spec, {**self.settings, "ideal": "unclipped"}, self.cutoff)

    @_named_if_it_fails
    def weight(self, j: JudgedRankings) -> Floats:
        """(topics,): the denominators, which weigh topics in the micro average."""
        result, view = self._compute(j)
        return self._read(result.over, view)

    def _read(self, curve: Any, view: JudgedRankings) -> Floats:
        values = (
            view.read_uncut(curve, self.spec.uncut) if self.cutoff is None else view.read(curve, self.cutoff)
        )
        return values if self.spec.is_own else self._one_per_topic(values, view)

    @_named_if_it_fails
    def vector(self, j: JudgedRankings, depth: int) -> Floats:
        """(topics, depth): the value at every rank."""
        curve, view = self._curve(j)
        return view.read_all(curve, depth)

    @_named_if_it_fails
    def at(self, j: JudgedRankings, ranks: Ints | Sequence[int]) -> Floats:
        """(topics, ranks): the value at these ranks."""
        curve, view = self._curve(j)
        return view.read_at(curve, ranks)

    def _curve(self, j: JudgedRankings) -> tuple[Any, JudgedRankings]:
        if not self.spec.curve:
            raise MeasureError(f"{self.spec.name} has one value per topic, not one at every rank")
        return self._compute(j)

    @_named_if_it_fails
    def columns(self, j: JudgedRankings, ranks: Ints | Sequence[int]) -> dict[str, Floats]:
        """{title: (topics, ranks)}: the curves that explain the measure."""
        view = self.view(j)
        curves = self.spec.shows.columns
        return {title: view.read_at(self._applied(curve, view), ranks) for title, curve in curves.items()}

    @_named_if_it_fails
    def parts(self, j: JudgedRankings) -> dict[str, Floats]:
        """{title: (topics,)}: what the value is made of."""
        view = self.view(j)
        parts = self.spec.shows.parts
        return {title: self._applied(part, view).reshape(-1) for title, part in parts.items()}

    def _applied(self, function: Callable[..., Any], view: JudgedRankings) -> Any:
        return view.applied(function, self._settings_for(signature(function)))


def build(spec: Spec, stated: Mapping[str, Any], cutoff: int | None) -> Measure:
    """A complete measure from settings: checked, in declared order, without defaults."""
    return complete(compose(spec, stated, cutoff))


def complete(measure: Measure) -> Measure:
    """The measure, if no required setting is missing."""
    for p in measure.spec.parameters:
        if p.required and p.name not in measure.settings:
            name = measure.spec.name
            raise MeasureError(f"{name} needs {p.name}, {p.help}, as in {measure.spec.example}")
    return measure


def read_cutoff(spec: Spec, value: Any) -> int:
    """A cutoff from its text or number."""
    text = str(value)
    digits = text.lstrip("0")
    if not (text.isascii() and digits.isdigit() and len(digits) <= 9):
        raise MeasureError(
            f"{spec.name}: the cutoff must be a whole number from 1 to {10**9 - 1}, not {value!r}"
        )
    return int(text)


def _scalar(value: Any) -> Any:
    """A number of NumPy or torch as Python's, also in a map."""
    if isinstance(value, dict):
        return {_scalar(grade): _scalar(gain) for grade, gain in value.items()}
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def compose(spec: Spec, stated: Mapping[str, Any], cutoff: int | None) -> Measure:
    """A measure whose required settings may be missing."""
    for name in spec.names.turns_into.keys() & stated.keys():
        other = MEASURES[spec.names.turns_into[name]]
        if other.has(name):
            return compose(other, stated, cutoff)
        wanted = Parameter(name, Flag(), "", None).read(spec.name, stated[name])
        rest = {each: value for each, value in stated.items() if each != name}
        return compose(other if wanted else spec, rest, cutoff)
    settings: dict[str, Any] = {}
    for name, value in stated.items():
        if name in spec.names.synonyms:
            meanings = spec.names.synonyms[name]
            if not isinstance(value, Hashable) or value not in meanings:
                allowed = ", ".join(map(str, meanings))
                raise MeasureError(f"{spec.name}: {name} must be one of {allowed}, not {value!r}")
            translated = meanings[value]
        else:
            translated = {name: value}
        for each, meant in translated.items():
            settings[each] = spec.parameter(each).read(spec.name, meant)
    if spec.canonicalise:
        settings = spec.canonicalise(settings)
    kept = {
        p.name: settings[p.name]
        for p in spec.parameters
        if p.name in settings and settings[p.name] != p.default
    }
    if "grade" in kept and "rel" in settings:
        raise MeasureError(f"{spec.name}: rel= and grade= exclude each other; leave one of them out")
    if "negatives" in kept and "judged_only" not in kept and not spec.own_negatives:
        raise MeasureError(f"{spec.name}: negatives= needs judged_only=true")
    if cutoff is not None and not spec.curve:
        raise MeasureError(f"{spec.name} takes no cutoff; leave @{cutoff} out")
    inner: Measure | None = kept.get(spec.names.inner)
    return Measure(spec if inner is None else spec.around(inner.spec), kept, cutoff)
