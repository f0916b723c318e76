"""The result of `compare`: a record of numbers, whose views are functions of the modules beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import paper as printed
from rankgauge.comparison import report
from rankgauge.comparison import sentences as texts
from rankgauge.comparison.registry import CORRECTIONS, Correction, StatisticalTest
from rankgauge.comparison.result import MARGIN_FIELDS, Interaction, MeasureComparison, Pair, p_name
from rankgauge.errors import OptionError
from rankgauge.model.notes import FEW_TOPICS
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Rendered, Table
from rankgauge.model.rules import ALL
from rankgauge.schema.json_text import json_value
from rankgauge.schema.options import keywords
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike


SHRUNKEN = ("shrunken", "shrunken_low", "shrunken_high")  # columns of estimates of segments


@dataclass(frozen=True, repr=False)
class Comparison(Rendered):
    """Runs compared pair by pair, for each measure.

    `comparison["AP"].pairs` has the numbers; `table`, `matrix`, `ranked` and `by_measure` show them, `paper`
    is a table for print, which `to_latex`, `to_markdown` and `to_html` write; `to_csv` has every number.
    `sentences` reads like a paper, `document` has all of it. `segments` compares runs within segments of
    topics: `comparison.segments["intent=navigational"]["AP"].pairs`.
    """

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # the runs that the others are compared with; empty for all pairs
    compared: tuple[MeasureComparison, ...]
    statistical_test: StatisticalTest
    correction: str
    family: str  # the pairs that p is corrected for: those of a measure, or of all
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # notes on topics and values that were left out or replaced
    posterior: bool = False  # with the probabilities of `sentences.posterior`
    judgments: str = ""  # how human judgments correct the means, if they do
    across: int = 1  # segments of one family, that p is corrected for, too
    segments: Mapping[str, Comparison] = field(default_factory=dict)  # by name, of their topics alone
    interactions: tuple[Interaction, ...] = ()

    conclusion = texts.conclusion
    on_margin = texts.on_margin
    test_phrase = texts.phrase_of_test
    ranked = report.ranked
    matrix = report.matrix
    by_measure = report.by_measure
    pair_cells = report.pair_cells
    section = report.section
    document = report.document
    paper = printed.paper
    short = printed.short

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each measure, as in a paper: runs, number of topics, test and outcome."""
        return texts.of_measures(self)

    @property
    def interval_phrase(self) -> str:
        """The definition of intervals, and whether they are corrected as p is."""
        return texts.interval_phrase(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the data, then advice on reading the numbers."""
        return self.remarks + report.advice(self)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures on which runs are compared."""
        return tuple(each.measure for each in self.compared)

    def __getitem__(self, measure: str) -> MeasureComparison:
        for each in self.compared:
            if each.measure == measure:
                return each
        raise KeyError(measure)

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.statistical_test.name

    @property
    def corrected_by(self) -> Correction:
        """The correction, with its description."""
        return CORRECTIONS[self.correction]

    @property
    def protected(self) -> bool:
        """Whether pairs are significant only if the overall test is."""
        overall = self.compared[0].overall
        return overall is not None and overall.protects

    @property
    def corrects(self) -> bool:
        """Whether p is corrected, beyond what the test itself accounts for."""
        return self.compared[0].corrects

    @property
    def p_name(self) -> str:
        """The name of the p that decides."""
        return p_name(self.corrects)

    @property
    def few_topics(self) -> str:
        """A caution on few topics where a difference is significant; otherwise empty."""
        claimed = (each for each in self.compared if each.claims)
        topics = min(texts.topic_counts(claimed), default=FEW_TOPICS)
        return f"Only {counted(topics, 'topic')} (use {FEW_TOPICS} or more)." if topics < FEW_TOPICS else ""

    @property
    def cautions(self) -> str:
        """What a reader of the outcomes must know, as the note of a table."""
        measures: dict[str, list[str]] = {}
        for each in self.compared:
            for clause in each.cautions:
                measures.setdefault(clause, []).append(each.measure)
        clauses = (f"{', '.join(names)}: {clause}." for clause, names in measures.items())
        return " ".join(filter(None, (*clauses, self.few_topics, self.on_judgments)))

    @property
    def on_judgments(self) -> str:
        """A sentence on how human judgments correct the means; empty if none do."""
        return self.judgments and f"{self.judgments}."

    @property
    def has_margin(self) -> bool:
        """Whether equivalence is tested on any measure."""
        return any(each.margin is not None for each in self.compared)

    def practical(self, pair: Pair) -> str:
        """The practical significance of a significant difference: marginal, noticeable or essential."""
        for compared in self.compared:
            if any(other is pair for other in compared.pairs):
                return compared.practical(pair)
        raise OptionError("the pair is not one of this comparison; take it from comparison[measure].pairs")

    def notation(self, measure: str | None = None) -> str:
        """The runs that are significantly better than others, such as `D, E > A**`."""
        return self[measure or self.measures[0]].outcome

    @property
    def estimates(self) -> dict[tuple[str, str, str, str], tuple[float, ...]]:
        """{(measure, segment, run, against): difference, low, high}, shrunken toward the mean of segments."""
        return {
            (each.measure, name, each.run, each.against): found
            for each in self.interactions
            for name, found in each.estimates.items()
        }

    def table(self) -> Table:
        """A row for every measure and pair, with every number."""
        shrunken, unknown = self.estimates, (math.nan,) * len(SHRUNKEN)
        rows = [
            [
                *([name] if self.segments else []),
                each.measure,
                *self._numbers(each, pair).values(),
                *(shrunken.get((each.measure, name, pair.run, pair.against), unknown) if shrunken else ()),
            ]
            for name, part in {ALL: self, **self.segments}.items()
            for each in part.compared
            for pair in each.pairs
        ]
        first = self.compared[0]
        lead = ("segment", "measure") if self.segments else ("measure",)
        headers = (*lead, *self._numbers(first, first.pairs[0]), *(SHRUNKEN if shrunken else ()))
        within = [part.test_phrase() for part in self.segments.values()][:1]
        note = " ".join(
            [report.on_test(self, "p: by"), *(f"Within segments: by {phrase}." for phrase in within)]
        )
        return Table(headers, rows, keys=2 + len(lead), note=note)

    def _numbers(self, compared: MeasureComparison, pair: Pair) -> dict[str, Any]:
        """Every number of a pair, and what they mean; those of a margin where there is one."""
        known = {**vars(pair), "practical": compared.practical(pair)}
        if self.posterior:
            known |= texts.posterior(compared, pair)
        if self.has_margin:
            return {**known, "outcome": compared.outcome_of(pair)}
        left_out = (*MARGIN_FIELDS, "probability_equivalent")
        return {name: value for name, value in known.items() if name not in left_out}

    def only(self, runs: Sequence[str]) -> Comparison:
        """The comparison of some of its runs, in this order; p stays as it is."""
        compared = tuple(
            replace(
                each,
                means={run: each.means[run] for run in runs},
                pairs=tuple(pair for pair in each.pairs if {pair.run, pair.against} <= {*runs}),
            )
            for each in self.compared
        )
        return replace(self, runs=tuple(runs), compared=compared)

    def labelled(self, labels: LabelsLike) -> Comparison:
        """The comparison with labels, a dict or a file, in place of the names of runs and measures."""
        named = Labels.read(labels)
        for noun, names in (("runs", self.runs), ("measures", self.measures)):
            named.distinct(noun, names)

        def pair_of(pair: Pair) -> Pair:
            run, against, favours = map(named, (pair.run, pair.against, pair.favours))
            return replace(pair, run=run, against=against, favours=favours if pair.favours else "")

        compared = tuple(
            replace(
                each,
                measure=named(each.measure),
                means={named(run): mean for run, mean in each.means.items()},
                pairs=tuple(map(pair_of, each.pairs)),
            )
            for each in self.compared
        )
        runs, baselines = (tuple(map(named, names)) for names in (self.runs, self.baselines))
        return replace(
            self,
            runs=runs,
            baselines=baselines,
            compared=compared,
            segments={name: part.labelled(named) for name, part in self.segments.items()},
            interactions=tuple(
                replace(each, measure=named(each.measure), run=named(each.run), against=named(each.against))
                for each in self.interactions
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """The whole comparison as dicts and lists, ready for JSON; undefined is None."""
        settings = ["runs", "baselines", "test", "correction", "family", "protected", "alpha"]
        settings += ["samples", "seed"]
        return {
            **{name: json_value(getattr(self, name)) for name in settings},
            **({"judgments": self.judgments} if self.judgments else {}),
            "versions": dict(self.versions),
            "measures": self._measures_as_dicts(),
            **(
                {
                    "segments": {name: part._measures_as_dicts() for name, part in self.segments.items()},
                    "interactions": json_value([asdict(each) for each in self.interactions]),
                }
                if self.segments
                else {}
            ),
            "sentences": [*self.sentences],
            "notes": [*self.notes],
        }

    def _measures_as_dicts(self) -> list[dict[str, Any]]:
        return [
            {
                "measure": each.measure,
                **({} if each.margin is None else {"margin": each.margin}),
                "means": json_value(each.means),
                "overall": json_value(asdict(each.overall)) if each.overall else None,
                "pairs": self._pairs_as_dicts(each),
                "outcome": each.outcome,
            }
            for each in self.compared
        ]

    def _pairs_as_dicts(self, compared: MeasureComparison) -> list[dict[str, Any]]:
        """The numbers of each pair, column by column: there may be a hundred thousand."""
        pairs = [*map(vars, compared.pairs)]
        derived = {"practical": compared.practical, "outcome": compared.outcome_of}
        if self.posterior:
            pairs = [self._numbers(compared, pair) for pair in compared.pairs]
        columns = {
            name: [*map(derived[name], compared.pairs)] if name in derived else [pair[name] for pair in pairs]
            for name in (self._numbers(compared, compared.pairs[0]) if pairs else ())
        }
        for name, column in columns.items():
            if {*map(type, column)} <= {float, int} and not all(map(math.isfinite, column)):
                columns[name] = json_value(column)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _options(self, form: str) -> Iterable[str]:
        return ("labels",) if form == "csv" else (name for name in keywords(self.paper) if name != "places")

    def _table_in(self, form: str, places: int, *, labels: LabelsLike = None, **options: Any) -> Table:
        """The table of a paper, with the options of `paper`; every number in csv."""
        if form != "csv":
            return self.paper(labels=labels, places=places, **options)
        return (self if labels is None else self.labelled(labels)).table()

    def __repr__(self) -> str:
        return str(self.short())

    def _repr_html_(self) -> str:
        return self.short()._repr_html_()
