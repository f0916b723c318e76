"""Provenance: how scores were made. `rankgauge.model.notes` turns it into sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rankgauge.measures.language import lookup
from rankgauge.model.rules import UNBOUNDED
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import AVERAGES, LARGEST, expect

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.measures import Measure

_JSON_TYPES = {"str": (str,), "int": (int,), "float": (float, int), "bool": (bool,)}  # by annotation
NO_TEXTS: Mapping[str, str] = {}
NO_COUNTS: Mapping[str, int] = {}


class Facts(Frozen):
    """Part of a provenance; its JSON leaves out fields of `if_any` at their default."""

    if_any: ClassVar[tuple[str, ...]] = ()

    def as_dict(self) -> dict[str, Any]:
        """The facts as dicts, for JSON."""
        return {
            name: _as_json(value)
            for name, value in self._asdict().items()
            if name not in self.if_any or value != self._defaults[name]
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The facts from `as_dict`; unknown fields are ignored, wrong types are a ValueError."""
        expect(isinstance(fields, Mapping), "the facts of a provenance", "an object", fields)
        known = [name for name in cls._defaults if name in fields]
        return cls(**{name: _from_json(cls._types[name], fields[name], name) for name in known})


def _as_json(value: Any) -> Any:
    if isinstance(value, Facts):
        return value.as_dict()
    return {key: _as_json(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def _from_json(kind: str, value: Any, field: str) -> Any:
    if kind.endswith(" | None"):
        return None if value is None else _from_json(kind.removesuffix(" | None"), value, field)
    if kind == "tuple[str, ...]":
        expect(isinstance(value, (list, tuple)), field, "a list", value)
        return tuple(_from_json("str", each, field) for each in value)
    if kind.startswith("Mapping[str, "):
        expect(isinstance(value, Mapping), field, "an object", value)
        inner = kind.removeprefix("Mapping[str, ").removesuffix("]")
        return {key: _from_json(inner, each, field) for key, each in value.items()}
    if kind in _RECORDS:
        return _RECORDS[kind].from_dict(value)
    expect(type(value) in _JSON_TYPES[kind], field, f"of type {kind}", value)
    expect(kind not in ("int", "float") or -LARGEST <= value <= LARGEST, field, "a smaller number", value)
    return value


class OtherReading(Facts):
    """How values differ between two readings of a measure's definition."""

    reading: str = ""  # the measure by that reading
    differing: int = 0  # values that differ
    values: int = 0  # values that are defined, over all runs and topics
    swapped: int = 0  # pairs of runs whose means are in another order
    pairs: int = 0  # pairs of runs


class MeasureFacts(Facts):
    """The definition of a measure, and the numbers of topics on which its values need care."""

    if_any = (
        "caution", "small_base", "out_of_reach", "beyond_base", "beyond", "one_subtopic", "overlapping",
        "below_rel", "N", "longest", "short", "unsolved", "name_note", "other_reading", "text", "share",
    )  # fmt: skip

    title: str = ""
    formula: str = ""
    cite: str = ""
    direction: int = 1  # 1: higher is better, -1: lower is better, 0: neither
    average: str = "mean"
    caution: str = ""  # what a reader of its means should know
    small_base: int = 0  # topics with fewer relevant documents than the base of its discount
    out_of_reach: int = 0  # topics with more relevant documents than its cutoff can hold
    beyond_base: int = 0  # topics whose relevant documents are so few that `beyond` holds at its cutoff
    beyond: str = ""  # what a reader should know of a cutoff beyond the relevant documents
    one_subtopic: int = 0  # topics with a single subtopic, for measures that need several
    overlapping: int = 0  # documents in several strata, for measures that need disjoint ones
    below_rel: float = 0.0  # the highest grade above 0 that gets no gain, being below the default of rel
    N: int | None = None  # the length to which it pads or cuts every list
    longest: bool = False  # whether that is the length of the longest list
    short: int = 0  # topics with more relevant documents than half of that
    name_note: str = ""  # on the text that named it, which other tools read differently
    unsolved: tuple[str, ...] = ()  # topics whose ideal ranking takes too long to find: they never count
    other_reading: OtherReading = OtherReading()
    text: str = ""  # its canonical text, where the scores have it under another name
    share: bool = False  # whether values are between 0 and 1, of a measure that is not in the registry

    @classmethod
    def of(cls, measure: Measure) -> MeasureFacts:
        """The definition of a measure, whatever it is evaluated on."""
        spec = measure.spec
        return cls(
            title=spec.title,
            formula=spec.formula,
            cite=spec.cite,
            direction=spec.direction,
            average=measure.average,
            caution=spec.shows.caution,
            beyond=spec.shows.beyond if measure.cutoff is not None else "",
        )

    def __post_init__(self) -> None:
        expect(self.direction in (-1, 0, 1), "the direction of a measure", "1, 0 or -1", self.direction)
        expect(
            self.average in AVERAGES,
            "the average of a measure",
            f"one of {', '.join(AVERAGES)}",
            self.average,
        )


class QrelsFacts(Facts):
    """Where the judgments come from, and how many there are."""

    if_any = ("groups", "grades", "assumed", "digest")

    source: str = ""
    topics: int | None = None
    judgments: int | None = None
    duplicates_dropped: int = 0
    groups: int = 0  # of assessors, if they are evaluated separately
    grades: str = ""  # how grades were changed before anything else, such as 1=0,2=1
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`
    digest: str = ""  # of topics, documents and grades: see `Qrels.digest`; Spark has none


class RandomOrders(Facts):
    """Topics whose values are from random orders of tied documents."""

    topics: Mapping[str, int] = NO_COUNTS  # {measure: topics}
    orders: int = 0  # per topic
    seed: int = 0


class RunFacts(Facts):
    """Where a run comes from, and what was counted while it was evaluated.

    Only ties that can change the value of a measure in use are counted.
    """

    if_any = (
        "assumed", "none_relevant", "judged", "ids_differ", "rising_scores", "copy_of", "unjudged",
        "random_orders", "above_ideal", "collapse", "unmapped",
    )  # fmt: skip

    source: str = ""
    topics: int = 0  # judged topics with results
    retrieved: int = 0
    missing: int = 0  # judged topics without results
    none_relevant: bool = False  # no result has a judgment that a measure distinguishes from unjudged
    judged: int | None = None  # results that are judged, counted if hardly any has such a judgment
    ids_differ: str = ""  # how documents differ from judged ones, if hardly any is judged and that is clear
    # neighbouring results looked at whose scores rise with the ranks, if nearly all do and scores decide
    rising_scores: int = 0
    copy_of: str = ""  # an earlier run with the same documents in the same order
    collapse: str = ""  # how passages became documents before anything else, such as prefix:#
    unmapped: int = 0  # passages that stayed as they are
    unjudged_topics: int = 0
    tied_topics: int = 0
    tied_documents: int = 0
    decisive_ties: int = 0
    duplicates_dropped: int = 0
    undefined: Mapping[str, int] = NO_COUNTS  # {measure: topics}
    unjudged: Mapping[str, int] = NO_COUNTS  # {cutoff: documents}, if all judged documents are looked up
    random_orders: RandomOrders = RandomOrders()
    above_ideal: Mapping[str, int] = NO_COUNTS  # {measure: topics} where the run beats the ideal ranking
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`

    def under(self, names: Mapping[str, str]) -> RunFacts:
        """The facts with renamed measures, {new name: name here}."""

        def renamed(counts: Mapping[str, int]) -> Mapping[str, int]:
            return {name: counts[old] for name, old in names.items() if old in counts}

        orders = self.random_orders
        return self._replace(
            undefined=renamed(self.undefined),
            above_ideal=renamed(self.above_ideal),
            random_orders=orders._replace(topics=renamed(orders.topics)),
        )


_RECORDS: dict[str, type[Facts]] = {  # by annotation, as _JSON_TYPES
    "OtherReading": OtherReading,
    "MeasureFacts": MeasureFacts,
    "QrelsFacts": QrelsFacts,
    "RandomOrders": RandomOrders,
    "RunFacts": RunFacts,
}


class Provenance(Facts):
    """Versions, rules, definitions and counts behind a set of scores."""

    if_any = ("plan",)

    versions: Mapping[str, str] = NO_TEXTS  # rankgauge, core, numpy, python
    options: Mapping[str, str] = NO_TEXTS  # those of `model.rules.Rules`
    measures: Mapping[str, MeasureFacts] = {}
    qrels: QrelsFacts = QrelsFacts()
    runs: Mapping[str, RunFacts] = {}
    plan: str = ""  # how Spark brought the rows of a topic together, if it did: see `engines.spark`

    def __repr__(self) -> str:
        measures, runs = (
            ", ".join([*names][:4]) + ", ..." * (len(names) > 4) for names in (self.measures, self.runs)
        )
        return f"<Provenance of {measures} for {runs}: as_dict() has all of it>"

    @property
    def choices(self) -> dict[str, str]:
        """The rules, and how grades and passages were changed, to be shown."""
        collapse = " ".join(dict.fromkeys(run.collapse for run in self.runs.values() if run.collapse))
        changed = {"grades": self.qrels.grades, "collapse": collapse}
        return {**{name: text for name, text in changed.items() if text}, **self.options}

    def measure(self, text: str) -> MeasureFacts:
        """The facts of a measure; defaults for an unknown one."""
        return self.measures[text] if text in self.measures else MeasureFacts()

    def under(self, names: Mapping[str, str]) -> Provenance:
        """The provenance with measures under other names: {name: the one that it has here}."""
        measures = {
            name: self.measure(old)._replace(text=self.measure(old).text or (old if name != old else ""))
            for name, old in names.items()
        }
        return self._replace(
            measures=measures, runs={run: facts.under(names) for run, facts in self.runs.items()}
        )

    def direction(self, text: str) -> int:
        """1 if higher values of a measure are better, -1 if lower are, 0 if neither; 1 if it is unknown."""
        return self.measures[text].direction if text in self.measures else direction_by_name(text)

    def bounds(self, text: str) -> tuple[float, float]:
        """The range of the values of a measure; infinite if it is not known."""
        return (0.0, 1.0) if self.measure(text).share else bounds_by_name(self.measure(text).text or text)


def direction_by_name(measure: str) -> int:
    """The direction of one of our measures; 1 for any other name."""
    known = lookup(measure)
    return 1 if known is None else known.spec.direction


def bounds_by_name(measure: str) -> tuple[float, float]:
    """The range of the values of one of our measures; infinite for any other name."""
    known = lookup(measure)
    return UNBOUNDED if known is None else known.bounds


def caution_by_name(measure: str) -> str:
    """The caution for the means of one of our measures, or ""."""
    known = lookup(measure)
    return known.spec.shows.caution if known is not None and known.average == "mean" else ""


def is_share(measure: str) -> bool:
    """Whether averages of a measure lie between -1 and 1, as those of unknown names."""
    known = lookup(measure)
    if known is None:
        return True
    lowest, highest = known.bounds
    return known.average != "sum" and lowest >= -1 and highest <= 1


def is_count(measure: str) -> bool:
    """Whether the values of a measure are counts, which have no decimals."""
    known = lookup(measure)
    return known is not None and known.spec.shows.counts


def hardly_any(judged: int, results: int, topics: int) -> bool:
    """Whether hardly any result is judged: none, or fewer than one in 200 and one in ten topics.

    Where a topic has a single judged document, one in 1,000 may be all there is to find.
    """
    return not judged or (200 * judged < results and 10 * judged < topics)
