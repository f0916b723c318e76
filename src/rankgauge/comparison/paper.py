"""A comparison as the table of a paper: runs by measures, with marks of significance and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from rankgauge.comparison.notation import (
    STRONG,
    disagreement,
    is_defined,
    letters,
    p_text,
    signed,
    significant,
)
from rankgauge.comparison.report import cells_of, test_phrase
from rankgauge.comparison.result import Compared, ComparisonResult, Pair
from rankgauge.errors import OptionError
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.score_cells import MeasureCells, best_and_second, percent_note
from rankgauge.model.output.table_cells import COLUMN
from rankgauge.model.output.tables import Cell, NumberText, Position, Shown, Table
from rankgauge.schema.checks import choice
from rankgauge.schema.text import counted, joined, repeated

MARKS = {
    "letters": "a letter for each run that a value is significantly better than",
    "daggers": "†, ‡, § and so on instead of letters",
    "stars": "* and ** for two levels of significance, against a single baseline",
    "none": "no marks",
}
Result = TypeVar("Result", bound=ComparisonResult)
DAGGERS = "†‡§¶‖"
P_PLACES = 3


@dataclass(frozen=True)
class PaperOptions:
    """What a table of a paper shows beside means and the best of them."""

    marks: str | None = None  # one of MARKS; None: daggers for a few baselines, letters otherwise
    second: bool = False  # underlines the second-best means
    delta: bool = False  # a row below each run: its differences from the baseline
    p: bool = False  # a row below each run: p against the baseline
    percent: bool = False  # multiplies values between -1 and 1 by 100
    places: int = 4  # decimals of differences
    caption: str | None = None  # None: one of our own; empty: none, and no float
    label: str = ""  # to refer to the table
    width: float = COLUMN  # pt, of a column of the paper


def labelled(comparison: Result, labels: Labels) -> Result:
    """The comparison with the labels of its runs and measures instead of their names."""
    for noun, names in (("runs", comparison.runs), ("measures", comparison.measures)):
        if twice := repeated(map(labels, names)):
            raise OptionError(f"two {noun} have the label {twice[0]!r}; each needs one of its own")

    def pair_of(pair: Pair) -> Pair:
        run, against, favours = map(labels, (pair.run, pair.against, pair.favours))
        return replace(pair, run=run, against=against, favours=favours if pair.favours else "")

    compared = tuple(
        replace(
            each,
            measure=labels(each.measure),
            means={labels(run): mean for run, mean in each.means.items()},
            pairs=tuple(map(pair_of, each.pairs)),
        )
        for each in comparison.compared
    )
    runs, baselines = (tuple(map(labels, names)) for names in (comparison.runs, comparison.baselines))
    return replace(comparison, runs=runs, baselines=baselines, compared=compared)


def paper(comparison: ComparisonResult, labels: Labels, options: PaperOptions) -> Table:
    """Runs by measures, baselines first, with the best means, marks of significance and a note on them."""
    cells = [cells_of(each, options.percent) for each in comparison.compared]
    notes_on_values = [percent_note(comparison.measures, labels)] if options.percent else []
    comparison = labelled(comparison, labels)
    runs = [*comparison.baselines, *(run for run in comparison.runs if run not in comparison.baselines)]
    marks = _Marks.of(comparison, runs, options.marks)
    added = _added_rows(comparison, options, cells)
    rows: list[list[Cell]] = []
    place: dict[str, int] = {}
    for run in runs:
        place[run] = len(rows)
        means = (cell.average(each.means[run]) for cell, each in zip(cells, comparison.compared, strict=True))
        rows += [[run, *means], *added.get(run, ())]
    best: set[Position] = set()
    second: set[Position] = set()
    for column, each in enumerate(comparison.compared, 1):
        first, next_best = best_and_second([each.means[run] for run in runs], each.direction)
        best |= {(place[runs[i]], column) for i in first}
        second |= {(place[runs[i]], column) for i in next_best if options.second}
    raised, lowered = marks.of_cells(comparison, place)
    note = [
        f"The best values are bold{', the second-best ones underlined' if second else ''}." if best else "",
        marks.note(comparison, bool(lowered)),
        _note_on_rows(comparison, options),
        *notes_on_values,
    ]
    caption = options.caption
    if caption is None:
        caption = f"Effectiveness of {counted(len(runs), 'run')} over {_topics(comparison)} topics."
    return Table(
        ("run", *comparison.measures),
        rows,
        best,
        second,
        {**{(place[run], 0): symbol for run, symbol in marks.shown_symbols.items()}, **raised},
        lowered,
        caption=caption,
        label=options.label,
        width=options.width,
        note=" ".join(filter(None, note)),
    )


@dataclass(frozen=True)
class _Marks:
    """How significance is marked: the symbol of each run that others are compared with."""

    kind: str
    symbols: Mapping[str, str]
    both_ways: bool  # whether worse values are marked, too: with all pairs, the better ones tell it all

    @classmethod
    def of(cls, comparison: ComparisonResult, runs: list[str], kind: str | None) -> _Marks:
        marked = list(comparison.baselines) or runs
        if kind is None:
            kind = "daggers" if 0 < len(comparison.baselines) <= len(DAGGERS) else "letters"
        choice("marks", kind, MARKS)
        if kind == "stars" and len(comparison.baselines) != 1 and len(runs) > 2:
            raise OptionError(
                "stars mark differences from one baseline; pass a single baseline, or use letters or daggers"
            )
        if kind == "daggers":
            size = len(DAGGERS)
            symbols = [DAGGERS[i % size] * (1 + i // size) for i in range(len(marked))]
        else:
            symbols = letters(len(marked)) if kind == "letters" else [""] * len(marked)
        return cls(kind, dict(zip(marked, symbols, strict=True)), bool(comparison.baselines))

    @property
    def shown_symbols(self) -> dict[str, str]:
        """The symbols of runs, which stand after their names."""
        return {run: symbol for run, symbol in self.symbols.items() if symbol}

    def of_cells(
        self, comparison: ComparisonResult, place: Mapping[str, int]
    ) -> tuple[dict[Position, str], dict[Position, str]]:
        """What is raised after values that are significantly better, and lowered after worse ones."""
        raised: dict[Position, list[str]] = {}
        lowered: dict[Position, list[str]] = {}
        for column, each in enumerate(comparison.compared, 1):
            for found in significant(each, comparison.alpha) if self.kind != "none" else ():
                for run, other, marks in (
                    (found.better, found.worse, raised),
                    (found.worse, found.better, lowered if self.both_ways else {}),
                ):
                    if other in self.symbols:
                        marks.setdefault((place[run], column), []).append(self.symbols[other] or found.stars)
        order = {symbol: number for number, symbol in enumerate(self.symbols.values())}

        def in_order(found: dict[Position, list[str]]) -> dict[Position, str]:
            return {
                cell: "".join(sorted(symbols, key=lambda symbol: order.get(symbol, 0)))
                for cell, symbols in found.items()
            }

        return in_order(raised), in_order(lowered)

    def note(self, comparison: ComparisonResult, has_lowered: bool) -> str:
        """What the marks mean, with the test, its correction, α and the number of topics."""
        if self.kind == "none":
            return ""
        most = max(comparison.compared, key=lambda each: each.most_samples or 0)
        test = f"{test_phrase(comparison, most)} (α = {comparison.alpha:g}, n = {_topics(comparison)})"
        if not any(any(significant(each, comparison.alpha)) for each in comparison.compared):
            defined = any(map(is_defined, comparison.compared))
            return f"{'No difference is significant' if defined else 'Significance is undefined'} by {test}."
        better = "better (raised) or worse (lowered)" if has_lowered else "better"
        if self.kind == "stars":
            levels = f"p < {comparison.alpha:g} and p < {comparison.alpha / STRONG:g}"
            other = joined(comparison.baselines or ["the other run"])
            what = f"* and ** mark values significantly {better} than {other}, {levels},"
        elif comparison.baselines:
            verb = "marks" if len(self.symbols) == 1 else "mark"
            what = f"{joined(self.symbols.values())} {verb} values significantly {better} than "
            what += joined(self.symbols)
        else:
            what = "Superscripts name the runs that a value is significantly better than,"
        disagreements = [
            f"{each.measure}: {text}"
            for each in comparison.compared
            if (text := disagreement(each, comparison.alpha))
        ]
        return " ".join([f"{what} by {test}.", *disagreements])


def _topics(comparison: ComparisonResult) -> str:
    counts = sorted({pair.topics for each in comparison.compared for pair in each.pairs})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def _added_rows(
    comparison: ComparisonResult, options: PaperOptions, cells: list[MeasureCells]
) -> dict[str, list[list[Cell]]]:
    """{run: rows of its differences from baselines, and of p}."""
    if not (options.delta or options.p):
        return {}
    baselines = comparison.baselines or (comparison.runs[:1] if len(comparison.runs) == 2 else ())
    if not baselines:
        raise OptionError("rows of differences and p need a baseline; pass one")
    added: dict[str, list[list[Cell]]] = {}
    for run in comparison.runs:
        for baseline in baselines if run not in baselines else ():
            of = f" {baseline}" if len(baselines) > 1 else ""
            if options.delta:
                differences = [
                    _difference(cell, each.means[run], each.means[baseline], options.places)
                    for each, cell in zip(comparison.compared, cells, strict=True)
                ]
                added.setdefault(run, []).append([f"Δ{of}", *differences])
            if options.p:
                values = [_pair(each, run, baseline).corrected for each in comparison.compared]
                texts = [NumberText(p_text(p, P_PLACES), p) for p in values]
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


def _note_on_rows(comparison: ComparisonResult, options: PaperOptions) -> str:
    if not (options.delta or options.p):
        return ""
    rows = joined([*(["Δ"] if options.delta else []), *(["p"] if options.p else [])])
    return f"Rows {rows} compare a run with {joined(comparison.baselines or comparison.runs[:1])}."
