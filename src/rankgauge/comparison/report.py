"""A comparison for readers: tables, sentences and advice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from rankgauge.comparison.notation import (
    NO_DIFFERENCE,
    best_first,
    disagreement,
    is_defined,
    legend,
    letters,
    outcome,
    p_phrase,
    p_text,
    pair_name,
    signed,
    significant,
    stars,
    verdict,
)
from rankgauge.comparison.result import Compared, ComparisonResult, Pair
from rankgauge.model.notes import on_comparison
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.score_cells import MeasureCells
from rankgauge.model.output.tables import Cell, NumberText, Table
from rankgauge.schema.text import counted

# The most that a reader takes in: rows of pairs, columns of a matrix, characters of an outcome.
MOST_PAIRS, MOST_COLUMNS, LONG = 60, 12, 300


def ranked(comparison: ComparisonResult) -> Table:
    """Runs by their means, with the letters of the runs that each is significantly better than."""
    order = best_first(comparison.compared[0])
    letter = dict(zip(order, letters(len(order)), strict=True))
    headers, columns = ["", "run"], [[letter[run] for run in order], list[Cell](order)]
    best: set[tuple[int, int]] = set()
    for each in comparison.compared:
        beaten: dict[str, list[str]] = {run: [] for run in order}
        for found in significant(each, comparison.alpha):
            beaten[found.better].append(letter[found.worse])
        top = best_first(each)[0]
        best |= {(row, len(headers)) for row, run in enumerate(order) if each.means[run] == each.means[top]}
        headers += [each.measure, f"{each.measure} better than"]
        columns += [
            _means(each, order),
            [" ".join(sorted(beaten[run], key=_by_length)) for run in order],
        ]
    return Table(headers, list(zip(*columns, strict=True)), best, keys=2)


def _means(compared: Compared, runs: Iterable[str]) -> list[Cell]:
    """The means of runs; sums of counts have no decimals, as in tables of scores."""
    return [cells_of(compared).average(compared.means[run]) for run in runs]


def cells_of(compared: Compared, percent: bool = False) -> MeasureCells:
    """How the means of a measure are shown; those of counts that are whole are sums."""
    whole = all(mean.is_integer() for mean in compared.means.values())
    return MeasureCells.of(compared.measure, "sum" if whole else "mean", percent)


def _by_length(letter: str) -> tuple[int, str]:
    return len(letter), letter


def matrix(comparison: ComparisonResult, compared: Compared, places: int = 4) -> Table:
    """Differences of rows minus columns, with stars; the letters are those of `ranked`.

    Where the means say otherwise than the test, `>` or `<` shows whether the test finds the row better.
    """
    order = best_first(comparison.compared[0])
    names = letters(len(order))
    cells: dict[tuple[str, str], str] = {}
    for pair in compared.pairs:
        found = verdict(compared, pair, comparison.alpha)
        for row, column, difference in (
            (pair.run, pair.against, pair.difference),
            (pair.against, pair.run, 0.0 - pair.difference),
        ):
            marks = found.stars if found else ""
            if found and not found.means_agree:
                marks = f" {'>' if found.better == row else '<'}{marks}"
            cells[row, column] = NumberText(signed(difference, places) + marks, difference)
    rows = [
        [letter, run, *(cells.get((run, other), "") for other in order)]
        for letter, run in zip(names, order, strict=True)
    ]
    return Table(("", "run", *names), rows, keys=2)


def by_measure(comparison: ComparisonResult) -> Table:
    """Measures by runs: the means, and which runs are significantly better than which by each measure.

    The layout of Järvelin & Kekäläinen 2002, table II, where no significant difference is an empty cell;
    the note explains the last column.
    """
    rows: list[list[Cell]] = []
    for each in comparison.compared:
        result = outcome(each, comparison.alpha)
        rows.append([each.measure, *_means(each, comparison.runs), "" if result == NO_DIFFERENCE else result])
    names = ["measure", "stat. sign."]
    while {*names} & {*comparison.runs}:  # a row may become an object, whose keys must differ
        names = [f"({name})" for name in names]
    note = _legend_of_measures(comparison)
    return Table((names[0], *comparison.runs, names[1]), rows, note=note)


def _legend_of_measures(comparison: ComparisonResult) -> str:
    """What the significances of `by_measure` mean: test, correction, topics and stars."""
    topics = _topics_phrase([pair.topics for each in comparison.compared for pair in each.pairs])
    most = max(comparison.compared, key=lambda each: each.most_samples or 0)
    otherwise = [
        f" {each.measure}: {text[0].lower()}{text[1:]}"
        for each in comparison.compared
        if (text := disagreement(each, comparison.alpha))
    ]
    return (
        f"Stat. sign.: {test_phrase(comparison, most)}, over {topics} "
        f"({legend(comparison.alpha)}; empty: {NO_DIFFERENCE})."
        f"{''.join(otherwise)}"
    )


def pairs(comparison: ComparisonResult, compared: Compared, places: int, most: int) -> Table:
    """The pairs for reading: only the largest differences if there are too many to show."""
    shown = list(compared.pairs)
    if len(shown) > most:
        shown = sorted(shown, key=lambda pair: -abs(pair.difference))[:most]
    rows = [pair_cells(comparison, compared, pair, places) for pair in shown]
    if not disagreement(compared, comparison.alpha):  # the signs of differences show which run is better
        for row in rows:
            del row["better"]
    return Table(tuple(rows[0]), [[*row.values()] for row in rows], keys=2)


def pair_cells(comparison: ComparisonResult, compared: Compared, pair: Pair, places: int) -> dict[str, Cell]:
    """The numbers of a pair for reading, by column."""
    found = verdict(compared, pair, comparison.alpha)
    marked = p_text(pair.corrected, places) + stars(pair.corrected, comparison.alpha)
    p = {"p": NumberText(marked, pair.corrected)}
    if _corrects(comparison):
        p = {"p": NumberText(p_text(pair.p, places), pair.p), "corrected p": p["p"]}
    interval = (
        "–" if math.isnan(pair.low) else f"[{signed(pair.low, places)},{signed(pair.high, places)}]"
    )  # without a space, where a line could break
    return {
        "run": pair.run,
        "against": pair.against,
        "difference": NumberText(signed(pair.difference, places), pair.difference),
        "%": NumberText(signed(pair.percent, 1), pair.percent),
        **p,
        "better": found.better if found else "",
        "effect": NumberText(signed(pair.effect, 2), pair.effect),
        f"{100 * (1 - comparison.alpha):g} % interval": interval,
        "w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}",
        "practical": found.practical if found else "",
    }


def _corrects(comparison: ComparisonResult) -> bool:
    return comparison.correction != "none" and len(comparison.compared[0].pairs) > 1


def sentence(comparison: ComparisonResult, compared: Compared) -> str:
    """The comparison by one measure as in a paper: runs, number of topics, test and outcome."""
    topics = _topics_phrase([pair.topics for pair in compared.pairs])
    result = outcome(compared, comparison.alpha)
    if len(result) > LONG:
        count = sum(1 for _ in significant(compared, comparison.alpha))
        result = f"{count} of {len(compared.pairs)} pairs differ significantly"
    explained = "" if ">" not in result else f" ({legend(comparison.alpha)})"
    return (
        f"{compared.measure} of {_runs_phrase(comparison, compared)} was compared over {topics} by "
        f"{test_phrase(comparison, compared)} "
        f"(α = {comparison.alpha:g}; rankgauge {comparison.versions['rankgauge']}): {result}{explained}."
        f" {disagreement(compared, comparison.alpha)}"
    ).rstrip()


def _topics_phrase(counts: list[int]) -> str:
    least, most = min(counts), max(counts)
    return counted(least, "topic") if least == most else f"{least} to {most} topics"


def _runs_phrase(comparison: ComparisonResult, compared: Compared) -> str:
    if len(compared.pairs) == 1:
        return f"{compared.pairs[0].run} and {compared.pairs[0].against}"
    if comparison.baselines:
        others = len(comparison.runs) - len(comparison.baselines)
        against = f"against {', '.join(comparison.baselines)}"
        return f"{others} {'run' if others == 1 else 'runs'} {against}"
    return f"{len(comparison.runs)} runs, all {len(compared.pairs)} pairs,"


def test_phrase(comparison: ComparisonResult, compared: Compared) -> str:
    """The test, its samples, and how it accounts for several pairs."""
    test = f"a two-sided {comparison.statistical_test.title}"
    most = compared.most_samples or 0
    if comparison.samples and (most or not comparison.statistical_test.sequential):  # else all p are exact
        more = f", up to {most} where p is small" if most > comparison.samples else ""
        test += f" ({comparison.samples} {comparison.statistical_test.unit}{more}, seed {comparison.seed})"
    if len(compared.pairs) == 1:
        return test
    if comparison.statistical_test.familywise and comparison.correction == "none":
        return f"{test}, which accounts for all pairs"
    if comparison.correction == "none":
        return f"{test} without correction for {len(compared.pairs)} pairs"
    return f"{test} with {comparison.corrected_by.title} for {len(compared.pairs)} pairs"


def notes(comparison: ComparisonResult) -> tuple[str, ...]:
    """Notes on the data, then advice."""
    return comparison.remarks + advice(comparison)


def advice(comparison: ComparisonResult) -> tuple[str, ...]:
    """Advice on reading a comparison."""
    all_pairs = [pair for each in comparison.compared for pair in each.pairs]
    marginal = {
        f"{pair_name(found.pair)} ({each.measure})": None
        for each in comparison.compared
        for found in significant(each, comparison.alpha)
        if found.practical == "marginal"
    }
    return on_comparison(
        topics=min(pair.topics for pair in all_pairs),
        pairs=len(comparison.compared[0].pairs),
        corrected=comparison.correction != "none" or comparison.statistical_test.familywise,
        alpha=comparison.alpha,
        marginal=tuple(marginal),
    )


def document(comparison: ComparisonResult, places: int = 4, *, with_notes: bool = True) -> Document:
    """Ranked runs, then each measure with its sentence and pairs, then notes."""
    # The best mean is not marked: in plain text its star would be one of significance.
    table = replace(ranked(comparison), best=frozenset())
    sections = [Section("Runs", (_letters_legend(comparison),), table)]
    for each in comparison.compared:
        sections.append(section(comparison, each, places))
        if 2 < len(comparison.runs) <= MOST_COLUMNS and not comparison.baselines:
            title = f"{each.measure}: rows minus columns ({legend(comparison.alpha)})"
            sections.append(Section(title, (), matrix(comparison, each, places)))
    if with_notes and (sentences := notes(comparison)):
        sections.append(Section("Notes", sentences))
    return Document(
        f"{len(comparison.runs)} runs compared by {', '.join(comparison.measures)}", tuple(sections)
    )


def _letters_legend(comparison: ComparisonResult) -> str:
    if any(any(significant(each, comparison.alpha)) for each in comparison.compared):
        text = "Letters after a mean name the runs it is significantly better than"
    elif any(is_defined(each) for each in comparison.compared):
        text = "No run is significantly better than another"
    else:
        text = "Whether a run is significantly better than another is undefined"
    return f"{text} (α = {comparison.alpha:g})."


def section(comparison: ComparisonResult, each: Compared, places: int = 4, most: int = MOST_PAIRS) -> Section:
    """The comparison by one measure: its sentence, how to read the numbers, and up to `most` pairs."""
    sentences = [sentence(comparison, each)]
    if each.overall:
        overall = each.overall
        statistic = "undefined" if math.isnan(overall.statistic) else f"{overall.statistic:.4g}"
        sentences.append(f"All runs together: {overall.name} = {statistic}, p {p_phrase(overall.p, places)}")
    if len(each.pairs) > most:
        sentences.append(f"The {most} largest of {len(each.pairs)} differences:")
    test = comparison.statistical_test
    sentences.append(f"Effect: {test.effect}; interval: {test.interval}.")
    return Section(each.measure, tuple(sentences), pairs(comparison, each, places, most))
