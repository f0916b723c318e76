"""The result of `compare`: a comparison with all its views, the table of a paper among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rankgauge.comparison.report import ComparisonReport
from rankgauge.comparison.result import MARGIN_FIELDS, STRONG, Compared, Pair, printed_p, signed
from rankgauge.comparison.segment_report import segment_sections
from rankgauge.comparison.sentences import cells_of, topic_counts
from rankgauge.errors import OptionError
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.table_cells import COLUMN
from rankgauge.model.output.tables import Cell, NumberText, Position, Rendered, Shown, Table
from rankgauge.model.rules import ALL
from rankgauge.model.score_cells import BEST, BEST_AND_SECOND, MeasureCells, best_and_second, percent_note
from rankgauge.schema.json_text import json_value
from rankgauge.schema.options import choice, keywords
from rankgauge.schema.text import counted, joined, letters, spanned

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike

MARKS = {
    "letters": "a letter for each run that a value is significantly better than",
    "daggers": "†, ‡, § and so on instead of letters",
    "stars": "* and ** for two levels of significance, against a single baseline",
    "none": "no marks",
}
DAGGERS = "†‡§¶‖"
MAX_RUNS = 10  # of the short answer, beside baselines
MORE = "More: document() has every pair, to_latex() and paper() the table for print."


@dataclass(frozen=True, repr=False)
class Comparison(Rendered, ComparisonReport):
    """Runs compared pair by pair, for each measure.

    `comparison["AP"].pairs` has the numbers; `table`, `matrix`, `ranked` and `by_measure` show them, `paper`
    is a table for print, which `to_latex`, `to_markdown` and `to_html` write; `to_csv` has every number.
    `sentences` reads like a paper, `document` has all of it. `segments` compares runs within segments of
    topics: `comparison.segments["intent=navigational"]["AP"].pairs`.
    """

    segments: Mapping[str, Comparison] = field(default_factory=dict)

    def table(self) -> Table:
        """A row for every measure and pair, with every number."""
        rows = [
            [*([name] if self.segments else []), each.measure, *self._numbers(each, pair).values()]
            for name, part in {ALL: self, **self.segments}.items()
            for each in part.compared
            for pair in each.pairs
        ]
        first = self.compared[0]
        lead = ("segment", "measure") if self.segments else ("measure",)
        headers = (*lead, *self._numbers(first, first.pairs[0]))
        within = [part.test_phrase() for part in self.segments.values()][:1]
        note = " ".join([self._note("p: by"), *(f"Within segments: by {phrase}." for phrase in within)])
        return Table(headers, rows, keys=2 + len(lead), note=note)

    def document(self, places: int = 4, *, notes: bool = True) -> Document:
        """The whole comparison for reading: runs, measures, segments, and notes unless they are left out."""
        found = super().document(places, notes=False)
        sections = (*found.sections, *segment_sections(self, places))
        on_data = (Section("Notes", self.notes),) if notes and self.notes else ()
        return Document(found.title, (*sections, *on_data))

    def _numbers(self, compared: Compared, pair: Pair) -> dict[str, Any]:
        """Every number of a pair, and what they mean; those of a margin where a measure has one."""
        known = {**vars(pair), "practical": compared.practical(pair)}
        if self.has_margin:
            return {**known, "outcome": compared.outcome_of(pair)}
        return {name: value for name, value in known.items() if name not in MARGIN_FIELDS}

    def practical(self, pair: Pair) -> str:
        """The practical significance of a significant difference: marginal, noticeable or essential."""
        for compared in self.compared:
            if any(other is pair for other in compared.pairs):
                return compared.practical(pair)
        raise OptionError("the pair is not one of this comparison; take it from comparison[measure].pairs")

    def paper(
        self,
        *,
        labels: LabelsLike = None,
        marks: str | None = None,
        second: bool = False,
        delta: bool = False,
        p: bool = False,
        percent: bool = False,
        places: int = 4,
        caption: str | None = None,
        label: str = "",
        width: float = COLUMN,
    ) -> Table:
        """The table of a paper: runs by measures, marks of significance, and a note on test, α and topics.

        `labels` name runs and measures, a dict or a file; `marks` are letters, daggers, stars or none;
        `second` underlines the second-best means, and those that look equal with `places` decimals are marked
        alike; `delta` and `p` add rows of differences (with as many decimals) and p against the
        baseline; `percent` multiplies values between -1 and 1 by 100. An empty
        `caption` leaves it out, and with it the float of LaTeX; `label` is for references to the table.
        LaTeX fits it into a column of `width` pt.
        """
        named = Labels.read(labels)
        cells = [cells_of(each, percent) for each in self.compared]
        shown = self.labelled(named)
        runs = [*shown.baselines, *(run for run in shown.runs if run not in shown.baselines)]
        symbols = _symbols(shown, runs, marks)
        added = _added_rows(shown, cells, places if delta else None, p)
        means = [
            {run: cell.average(each.means[run]) for run in runs}
            for cell, each in zip(cells, shown.compared, strict=True)
        ]
        rows: list[list[Cell]] = []
        place: dict[str, int] = {}
        for run in runs:
            place[run] = len(rows)
            rows += [[run, *(column[run] for column in means)], *added.get(run, ())]
        best: set[Position] = set()
        underlined: set[Position] = set()
        for column, (each, values) in enumerate(zip(shown.compared, means, strict=True), 1):
            first, next_best = best_and_second([*values.values()], each.direction, places)
            best |= {(place[runs[i]], column) for i in first}
            underlined |= {(place[runs[i]], column) for i in next_best if second}
        raised, lowered = _marked_cells(shown, symbols, place)
        raised |= {(place[run], 0): symbol for run, symbol in symbols.items() if symbol}
        topics = topic_counts(shown.compared)
        note = [_note_on_marks(shown, symbols, f"n = {spanned(topics)}", bool(lowered))]
        if delta or p:
            of_p = f"p{' (corrected)' if self.corrects else ''}"
            kinds = joined([name for name, wanted in (("Δ", delta), (of_p, p)) if wanted])
            note.append(f"Rows {kinds} compare a run with {joined(shown.baselines or shown.runs[:1])}.")
        if percent:
            note.append(percent_note(self.measures, named))
        if caption is None:
            caption = f"Effectiveness of {counted(len(runs), 'run')} over {spanned(topics, 'topic')}."
        return Table(
            ("run", *shown.measures),
            rows,
            best,
            underlined,
            raised,
            lowered,
            caption=caption,
            label=label,
            width=width,
            note=" ".join(filter(None, note)),
            emphasis=BEST_AND_SECOND if underlined else BEST if best else "",
        )

    def short(self, places: int = 4, *, notes: bool = True, more: str = MORE) -> Document:
        """The answer: a table of runs by measures, a sentence for a paper, notes, and where there is `more`.

        Runs are ordered by the first measure; of many, the best ones are shown, the best by each other
        measure, and the baselines.
        """
        order = self.compared[0].best_first
        kept = {*order[:MAX_RUNS], *self.baselines, *(each.best_first[0] for each in self.compared)}
        shown = self._only([run for run in order if run in kept])
        is_marked = any(each.significant for each in shown.compared)
        table = shown.paper(places=places, caption="", marks=None if is_marked else "none")
        marks = "Letters name the runs that a value is significantly better than"
        if self.baselines:
            symbols = _symbols(shown, [*shown.runs], None)
            marks = _meaning_of_marks(shown, symbols, bool(table.subscripts))
        hidden = len(order) - len(shown.runs)
        note = [f"{marks}."] * is_marked
        note += [f"{counted(hidden, 'more run')} not shown."] * bool(hidden)
        below = [*(f"Note: {each}." for each in self.notes if notes), more]
        segments = [*segment_sections(self, places, short=True)]
        texts = [[self.conclusion(places)], below] if segments else [[self.conclusion(places), *below]]
        answer, *rest = (Section("", (*filter(None, each),)) for each in texts if any(each))
        sections = (Section("", (), table._replace(note=" ".join(note))), answer, *segments, *rest)
        return Document("", sections)

    def _only(self, runs: Sequence[str]) -> Comparison:
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

    def _options(self, form: str) -> Iterable[str]:
        return ("labels",) if form == "csv" else (name for name in keywords(self.paper) if name != "places")

    def _table_in(self, form: str, places: int, *, labels: LabelsLike = None, **options: Any) -> Table:
        """The table of a paper, with the options of `paper`; every number of every pair in csv."""
        if form != "csv":
            return self.paper(labels=labels, places=places, **options)
        return (self if labels is None else self.labelled(labels)).table()

    def labelled(self, labels: LabelsLike) -> Comparison:
        """The comparison with labels instead of the names of runs and measures; a dict or a file has them."""
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

    def notation(self, measure: str | None = None) -> str:
        """The runs that are significantly better than others, such as `D, E > A**`."""
        return self[measure or self.measures[0]].outcome

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

    def _pairs_as_dicts(self, compared: Compared) -> list[dict[str, Any]]:
        """The numbers of each pair, column by column: there may be a hundred thousand."""
        pairs = [*map(vars, compared.pairs)]
        derived = {"practical": compared.practical, "outcome": compared.outcome_of}
        columns = {
            name: [*map(derived[name], compared.pairs)] if name in derived else [pair[name] for pair in pairs]
            for name in (self._numbers(compared, compared.pairs[0]) if pairs else ())
        }
        for name, column in columns.items():
            if {*map(type, column)} <= {float, int} and not all(map(math.isfinite, column)):
                columns[name] = json_value(column)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def __repr__(self) -> str:
        return str(self.short())

    def _repr_html_(self) -> str:
        return self.short()._repr_html_()


def _symbols(comparison: ComparisonReport, runs: list[str], kind: str | None) -> dict[str, str]:
    """{run that others are compared with: the symbol that marks differences from it}; empty without marks.

    Symbols are empty where stars are the marks.
    """
    marked = list(comparison.baselines) or runs
    if kind is None:
        kind = "daggers" if 0 < len(comparison.baselines) <= len(DAGGERS) else "letters"
    choice("marks", kind, MARKS)
    if kind == "none":
        return {}
    if kind == "stars" and len(comparison.baselines) != 1 and len(runs) > 2:
        raise OptionError(
            "stars mark differences from one baseline; pass a single baseline, or use letters or daggers"
        )
    symbols = letters(len(marked)) if kind == "letters" else [""] * len(marked)
    if kind == "daggers":
        size = len(DAGGERS)
        symbols = [DAGGERS[i % size] * (1 + i // size) for i in range(len(marked))]
    return dict(zip(marked, symbols, strict=True))


def _marked_cells(
    comparison: ComparisonReport, symbols: Mapping[str, str], place: Mapping[str, int]
) -> tuple[dict[Position, str], dict[Position, str]]:
    """The marks raised after values that are significantly better, and lowered after worse ones.

    Worse values are marked against baselines; with all pairs, the better ones tell it all.
    """
    raised: dict[Position, list[str]] = {}
    lowered: dict[Position, list[str]] = {}
    for column, each in enumerate(comparison.compared, 1):
        for found in each.significant:
            for run, other, marks in (
                (found.better, found.worse, raised),
                (found.worse, found.better, lowered if comparison.baselines else {}),
            ):
                if other in symbols:
                    marks.setdefault((place[run], column), []).append(symbols[other] or found.stars)
    order = {symbol: number for number, symbol in enumerate(symbols.values())}

    def in_order(found: dict[Position, list[str]]) -> dict[Position, str]:
        return {
            cell: "".join(sorted(marks, key=lambda symbol: order.get(symbol, 0)))
            for cell, marks in found.items()
        }

    return in_order(raised), in_order(lowered)


def _note_on_marks(
    comparison: ComparisonReport, symbols: Mapping[str, str], topics: str, has_lowered: bool
) -> str:
    """The meaning of the marks, with the test, its correction, α and the number of topics."""
    if not symbols:
        return ""
    test = f"{comparison.test_phrase()} (α = {comparison.alpha:g}, {topics})"
    if not any(each.significant for each in comparison.compared):
        defined = any(each.is_defined for each in comparison.compared)
        none = "No difference is significant" if defined else "Significance is undefined"
        return f"{none} by {test}. {comparison.cautions}".rstrip()
    comma = "," if not (comparison.baselines and any(symbols.values())) else ""
    meaning = _meaning_of_marks(comparison, symbols, has_lowered)
    return f"{meaning}{comma} by {test}. {comparison.cautions}".rstrip()


def _meaning_of_marks(comparison: ComparisonReport, symbols: Mapping[str, str], has_lowered: bool) -> str:
    better = "better (raised) or worse (lowered)" if has_lowered else "better"
    if not any(symbols.values()):
        levels = f"p < {comparison.alpha:g} and p < {comparison.alpha / STRONG:g}"
        other = joined(comparison.baselines or ["the other run"])
        return f"* and ** mark values significantly {better} than {other}, {levels}"
    if comparison.baselines:
        verb = "marks" if len(symbols) == 1 else "mark"
        return f"{joined(symbols.values())} {verb} values significantly {better} than {joined(symbols)}"
    return "Superscripts name the runs that a value is significantly better than"


def _added_rows(
    comparison: ComparisonReport, cells: list[MeasureCells], places: int | None, p: bool
) -> dict[str, list[list[Cell]]]:
    """{run: rows of its differences from baselines, with `places` decimals unless it is None, and of p}."""
    if places is None and not p:
        return {}
    baselines = comparison.baselines or (comparison.runs[:1] if len(comparison.runs) == 2 else ())
    if not baselines:
        raise OptionError("rows of differences and p need a baseline; pass one")
    added: dict[str, list[list[Cell]]] = {}
    for run in comparison.runs:
        for baseline in baselines if run not in baselines else ():
            of = f" {baseline}" if len(baselines) > 1 else ""
            if places is not None:
                differences = [
                    _difference(cell, each.means[run], each.means[baseline], places)
                    for each, cell in zip(comparison.compared, cells, strict=True)
                ]
                added.setdefault(run, []).append([f"Δ{of}", *differences])
            if p:
                values = [_pair(each, run, baseline).corrected for each in comparison.compared]
                texts = [NumberText(printed_p(each), each) for each in values]
                added.setdefault(run, []).append([f"p{of}", *texts])
    return added


def _pair(compared: Compared, run: str, baseline: str) -> Pair:
    """The pair of a run and a baseline, either way round."""
    return next(pair for pair in compared.pairs if {pair.run, pair.against} == {run, baseline})


def _difference(cell: MeasureCells, value: float, against: float, places: int) -> Cell:
    """The difference of two values of the table, whatever average they are; a test may look at others."""
    difference = 0.0 if value == against else value - against  # both may be infinite
    shown = cell.difference(difference, of_averages=True)
    return shown if isinstance(shown, Shown) else NumberText(signed(shown, places), shown)
