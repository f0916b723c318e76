"""A comparison for readers: tables, sentences and advice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from rankgauge.comparison.notation import (
    legend,
    letters,
    ordered,
    outcome,
    p_said,
    p_text,
    pair_name,
    signed,
    significant,
    stars,
    told,
)
from rankgauge.comparison.result import MARGINAL, Compared, Comparison, Pair
from rankgauge.model import notes
from rankgauge.model.documents import Document, Section
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.text import counted

MOST_PAIRS, MOST_COLUMNS, LONG = 60, 12, 300  # what a reader takes in: rows, columns of a matrix, characters


def ranked(comparison: Comparison) -> Table:
    """Runs by their mean in the first measure, with letters; and whom each is significantly better than."""
    order = ordered(comparison.compared[0])
    letter = dict(zip(order, letters(len(order)), strict=True))
    headers, columns = ["", "run"], [[letter[run] for run in order], list[Cell](order)]
    best: set[tuple[int, int]] = set()
    for each in comparison.compared:
        beaten: dict[str, list[str]] = {run: [] for run in order}
        for better, worse, _ in significant(each, comparison.alpha):
            beaten[better].append(letter[worse])
        top = ordered(each)[0]
        best |= {(row, len(headers)) for row, run in enumerate(order) if each.means[run] == each.means[top]}
        headers += [each.measure, f"{each.measure} better than"]
        columns += [
            [each.means[run] for run in order],
            [" ".join(sorted(beaten[run], key=_by_length)) for run in order],
        ]
    return Table(headers, list(zip(*columns, strict=True)), best)


def _by_length(letter: str) -> tuple[int, str]:
    return len(letter), letter


def matrix(comparison: Comparison, compared: Compared, places: int = 4) -> Table:
    """Differences of rows less columns, with stars; the letters are those of `ranked`."""
    order = ordered(comparison.compared[0])
    named = letters(len(order))
    cells: dict[tuple[str, str], str] = {}
    for pair in compared.pairs:
        marks = stars(pair.corrected, comparison.alpha)
        cells[pair.run, pair.against] = signed(pair.difference, places) + marks
        cells[pair.against, pair.run] = signed(0.0 - pair.difference, places) + marks
    rows = [
        [letter, run, *(cells.get((run, other), "") for other in order)]
        for letter, run in zip(named, order, strict=True)
    ]
    return Table(("", "run", *named), rows)


def pairs(comparison: Comparison, compared: Compared, places: int = 4) -> Table:
    """The pairs for eyes, the largest differences first if there are too many to show."""
    shown = list(compared.pairs)
    if len(shown) > MOST_PAIRS:
        shown = sorted(shown, key=lambda pair: -abs(pair.difference))[:MOST_PAIRS]
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    p = ("p", "corrected p") if _corrects(comparison) else ("p",)
    headers = ("run", "against", "difference", "%", *p, "effect", level, "w/t/l", "practical")
    return Table(headers, [_row(comparison, pair, places) for pair in shown])


def _row(comparison: Comparison, pair: Pair, places: int) -> list[Cell]:
    drawn = comparison.samples
    marked = p_text(pair.corrected, places, drawn) + stars(pair.corrected, comparison.alpha)
    interval = (
        "–" if math.isnan(pair.low) else f"[{signed(pair.low, places)},{signed(pair.high, places)}]"
    )  # no line ends in it
    return [
        pair.run,
        pair.against,
        signed(pair.difference, places),
        signed(pair.percent, 1),
        *([p_text(pair.p, places, drawn), marked] if _corrects(comparison) else [marked]),
        signed(pair.effect, 2),
        interval,
        f"{pair.wins}/{pair.ties}/{pair.losses}",
        pair.practical,
    ]


def _corrects(comparison: Comparison) -> bool:
    return comparison.correction != "none" and len(comparison.compared[0].pairs) > 1


def sentence(comparison: Comparison, compared: Compared) -> str:
    """What one would write in a paper: who, over how many topics, by which test, with what outcome."""
    counts = sorted({pair.topics for pair in compared.pairs})
    topics = counted(counts[0], "topic") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    found = outcome(compared, comparison.alpha)
    if len(found) > LONG:
        count = sum(1 for _ in significant(compared, comparison.alpha))
        found = f"{count} of {len(compared.pairs)} pairs differ significantly"
    stars_said = "" if ">" not in found else f" ({legend(comparison.alpha)})"
    return (
        f"{compared.measure} of {_who(comparison, compared)} was compared over {topics} by "
        f"{_test(comparison, compared)} "
        f"(α = {comparison.alpha:g}; rankgauge {comparison.versions['rankgauge']}): {found}{stars_said}."
    )


def _who(comparison: Comparison, compared: Compared) -> str:
    if len(compared.pairs) == 1:
        return f"{compared.pairs[0].run} and {compared.pairs[0].against}"
    if comparison.baselines:
        others = len(comparison.runs) - len(comparison.baselines)
        against = f"against {', '.join(comparison.baselines)}"
        return f"{others} {'run' if others == 1 else 'runs'} {against}"
    return f"{len(comparison.runs)} runs, all {len(compared.pairs)} pairs,"


def _test(comparison: Comparison, compared: Compared) -> str:
    said = f"a two-sided {comparison.statistical_test.title}"
    if comparison.samples:
        said += f" ({comparison.samples} {comparison.statistical_test.unit}, seed {comparison.seed})"
    if len(compared.pairs) == 1:
        return said
    if comparison.statistical_test.familywise and comparison.correction == "none":
        return f"{said}, which counts with all pairs"
    if comparison.correction == "none":
        return f"{said} without correction for {len(compared.pairs)} pairs"
    return f"{said} with {comparison.corrected_by.title} for {len(compared.pairs)} pairs"


def counsel(comparison: Comparison) -> tuple[str, ...]:
    """Advice on reading a comparison."""
    measured = [pair for each in comparison.compared for pair in each.pairs]
    marginal = {
        f"{pair_name(pair)} ({each.measure})": None
        for each in comparison.compared
        for pair in each.pairs
        if pair.corrected < comparison.alpha and abs(pair.percent) < MARGINAL
    }
    protected = comparison.correction != "none" or comparison.statistical_test.familywise
    return notes.of_comparison(
        topics=min(pair.topics for pair in measured),
        pairs=len(comparison.compared[0].pairs),
        corrected=protected,
        alpha=comparison.alpha,
        marginal=tuple(marginal),
    )


def sheet(comparison: Comparison, places: int = 4, *, notes: bool = True) -> Document:
    """Ranked runs, then each measure with its sentence and pairs, then notes."""
    # The best mean is not marked: in plain text its star would be one of significance.
    table = replace(ranked(comparison), best=frozenset())
    sections = [Section("Runs", (_letters_said(comparison),), table)]
    for each in comparison.compared:
        sections += _of_measure(comparison, each, places)
    if notes and comparison.notes:
        sections.append(Section("Notes", comparison.notes))
    return Document(
        f"{len(comparison.runs)} runs compared by {', '.join(comparison.measures)}", tuple(sections)
    )


def _letters_said(comparison: Comparison) -> str:
    if any(any(significant(each, comparison.alpha)) for each in comparison.compared):
        said = "Letters behind a mean name the runs it is significantly better than"
    elif any(told(each) for each in comparison.compared):
        said = "No run is significantly better than another"
    else:
        said = "Whether a run is significantly better than another cannot be told"
    return f"{said} (α = {comparison.alpha:g})."


def _of_measure(comparison: Comparison, each: Compared, places: int) -> Iterator[Section]:
    said = [sentence(comparison, each)]
    if each.overall:
        value = each.overall
        statistic = "undefined" if math.isnan(value.statistic) else f"{value.statistic:.4g}"
        said.append(f"All runs together: {value.name} = {statistic}, p {p_said(value.p, places)}")
    if len(each.pairs) > MOST_PAIRS:
        said.append(f"The {MOST_PAIRS} largest of {len(each.pairs)} differences:")
    read = f"Effect: {comparison.statistical_test.effect}; interval: {comparison.statistical_test.interval}."
    yield Section(each.measure, (*said, read), pairs(comparison, each, places))
    if 2 < len(comparison.runs) <= MOST_COLUMNS and not comparison.baselines:
        title = f"{each.measure}: rows less columns ({legend(comparison.alpha)})"
        yield Section(title, (), matrix(comparison, each, places))
