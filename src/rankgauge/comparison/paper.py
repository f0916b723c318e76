"""The table of a paper, and the short answer, which shows it in plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.comparison.report import segment_sections
from rankgauge.comparison.result import STRONG, MeasureComparison, Pair, printed_p, signed
from rankgauge.comparison.sentences import cells_of, topic_counts
from rankgauge.errors import OptionError
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.table_cells import COLUMN
from rankgauge.model.output.tables import Cell, NumberText, Position, Shown, Table
from rankgauge.model.score_cells import BEST, BEST_AND_SECOND, MeasureCells, best_and_second, percent_note
from rankgauge.schema.options import choice
from rankgauge.schema.text import counted, joined, letters, spanned

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike

MARKS = {
    "letters": "a letter for each run that a value is significantly better than",
    "daggers": "†, ‡, § and so on instead of letters",
    "stars": "* and ** for two levels of significance, against a single baseline",
    "ties": "= for values that do not differ significantly from the best one",
    "none": "no marks",
}
DAGGERS, TIE = "†‡§¶‖", "="
MAX_LETTERS = 26  # runs that letters name: of more, abba could be a, b, b, a or ab, ba
MAX_RUNS = 10  # of the short answer, beside baselines
MORE = "More: document() lists every pair; to_latex() and paper() make the table for print."


def paper(
    comparison: Any,
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

    `labels`, a dict or a file, name runs and measures; `marks` are letters, daggers, stars, ties or none;
    `second` underlines the second-best means, and means that look equal with `places` decimals are marked
    alike; `delta` and `p` add rows of differences (with as many decimals) and p against the baseline;
    `percent` multiplies values between -1 and 1 by 100. An empty `caption` leaves out the float of LaTeX as
    well; `label` is for references to the table. LaTeX fits it into a column of `width` pt.
    """
    named = Labels.read(labels)
    cells = [cells_of(each, percent) for each in comparison.compared]
    shown = comparison.labelled(named)
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
    raised |= {(place[run], 0): symbol for run, symbol in symbols.items() if symbol not in ("", TIE)}
    topics = topic_counts(shown.compared)
    note = [_note_on_marks(shown, symbols, f"n = {spanned(topics)}", bool(lowered))]
    if delta or p:
        of_p = f"p{' (corrected)' if comparison.corrects else ''}"
        kinds = joined([name for name, wanted in (("Δ", delta), (of_p, p)) if wanted])
        note.append(f"Rows {kinds} compare a run with {joined(shown.baselines or shown.runs[:1])}.")
    if percent:
        note.append(percent_note(comparison.measures, named))
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


def short(comparison: Any, places: int = 4, *, notes: bool = True, more: str = MORE) -> Document:
    """The answer: a table of runs by measures, a sentence for a paper, notes, and where there is `more`.

    Runs are ordered by the first measure; of many, the best ones are shown, the best on each other measure,
    and the baselines.
    """
    order = comparison.compared[0].best_first
    kept = {*order[:MAX_RUNS], *comparison.baselines, *(each.best_first[0] for each in comparison.compared)}
    shown = comparison.only([run for run in order if run in kept])
    is_marked = any(each.significant for each in shown.compared)
    table = paper(shown, places=places, caption="", marks=None if is_marked else "none")
    marks = "Letters name the runs that a value significantly beats"
    if comparison.baselines:
        symbols = _symbols(shown, [*shown.runs], None)
        marks = _meaning_of_marks(shown, symbols, bool(table.subscripts))
    hidden = len(order) - len(shown.runs)
    note = [f"{marks}."] * is_marked
    unmarked = ", nor among the marks" * (is_marked and not comparison.baselines)
    note += [f"{counted(hidden, 'more run')} not shown{unmarked}."] * bool(hidden)
    below = [*(f"Note: {each}." for each in comparison.notes if notes), more]
    segments = [*segment_sections(comparison, places, short=True)]
    texts = (
        [[comparison.conclusion(places)], below] if segments else [[comparison.conclusion(places), *below]]
    )
    answer, *rest = (Section("", (*filter(None, each),)) for each in texts if any(each))
    sections = (Section("", (), table._replace(note=" ".join(note))), answer, *segments, *rest)
    return Document("", sections)


def _symbols(comparison: Any, runs: list[str], kind: str | None) -> dict[str, str]:
    """{baseline: the symbol of differences from it}, empty if stars are the marks; {} without marks."""
    marked = list(comparison.baselines) or runs
    if kind is None:
        many = "ties" if len(runs) > MAX_LETTERS and not comparison.baselines else "letters"
        kind = "daggers" if 0 < len(comparison.baselines) <= len(DAGGERS) else many
    choice("marks", kind, MARKS)
    if kind == "none":
        return {}
    if kind == "ties":
        if comparison.baselines:
            raise OptionError("ties are marks for all pairs of runs; leave out the baseline, or use daggers")
        return dict.fromkeys(runs, TIE)
    if kind == "letters" and len(marked) > MAX_LETTERS:
        raise OptionError(
            f"letters name at most {MAX_LETTERS} runs, not {len(marked)}; pass a baseline, or use ties"
        )
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
    comparison: Any, symbols: Mapping[str, str], place: Mapping[str, int]
) -> tuple[dict[Position, str], dict[Position, str]]:
    """The marks raised after values that are significantly better, and lowered after worse ones.

    Worse values are marked against baselines alone; with all pairs, the better ones tell it all.
    """
    raised: dict[Position, list[str]] = {}
    lowered: dict[Position, list[str]] = {}
    for column, each in enumerate(comparison.compared, 1):
        if TIE in symbols.values():
            tied = (pair for pair in each.pairs if not (math.isnan(pair.corrected) or each.verdict(pair)))
            pairs = ((pair.run, pair.against) for pair in tied)
            best = each.best_first[0]
            others = (run for both in pairs if best in both for run in both if run != best)
            raised |= {(place[run], column): [TIE] for run in others}
            continue
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


def _note_on_marks(comparison: Any, symbols: Mapping[str, str], topics: str, has_lowered: bool) -> str:
    if not symbols:
        return ""
    test = f"{comparison.test_phrase()} (α = {comparison.alpha:g}, {topics})"
    if not any(each.significant for each in comparison.compared):
        defined = any(each.is_defined for each in comparison.compared)
        none = "No difference is significant" if defined else "Significance is undefined"
        return f"{none} by {test}. {comparison.cautions}".rstrip()
    comma = "," if has_lowered or not (comparison.baselines and any(symbols.values())) else ""
    meaning = _meaning_of_marks(comparison, symbols, has_lowered)
    return f"{meaning}{comma} by {test}. {comparison.cautions}".rstrip()


def _meaning_of_marks(comparison: Any, symbols: Mapping[str, str], has_lowered: bool) -> str:
    worse = ", those with ↓ or lowered marks worse" if has_lowered else ""
    if not any(symbols.values()):
        levels = f"p < {comparison.alpha:g} and p < {comparison.alpha / STRONG:g}"
        other = joined(comparison.baselines or ["the other run"])
        return f"* and ** mark values significantly better than {other}{worse}, {levels}"
    if TIE in symbols.values():
        return f"{TIE} marks values that do not differ significantly from the best one"
    if comparison.baselines:
        verb = "marks" if len(symbols) == 1 else "mark"
        return f"{joined(symbols.values())} {verb} values significantly better than {joined(symbols)}{worse}"
    return "Superscripts name the runs that a value is significantly better than"


def _added_rows(
    comparison: Any, cells: list[MeasureCells], places: int | None, p: bool
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


def _pair(compared: MeasureComparison, run: str, baseline: str) -> Pair:
    return next(pair for pair in compared.pairs if {pair.run, pair.against} == {run, baseline})


def _difference(cell: MeasureCells, value: float, against: float, places: int) -> Cell:
    """The difference of two values of the table, whatever their average; a test may look at others."""
    difference = 0.0 if value == against else value - against  # both may be infinite
    shown = cell.difference(difference, of_averages=True)
    return shown if isinstance(shown, Shown) else NumberText(signed(shown, places), shown)
