"""The content of a comparison, for readers: tables, segments of topics, and a document of all of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from rankgauge.comparison.corrections import correction_of
from rankgauge.comparison.procedures.interaction import LEAST, PERMUTATIONS
from rankgauge.comparison.result import (
    MAX_NAMES,
    NO_DIFFERENCE,
    UNDEFINED,
    MeasureComparison,
    Pair,
    legend,
    p_name,
    p_phrase,
    p_text,
    printed_p,
    signed,
    stars,
)
from rankgauge.comparison.sentences import (
    cells_of,
    posterior,
    sentence,
    topic_counts,
    topics_phrase,
    topics_to_decide,
)
from rankgauge.model.notes import FEW_TOPICS, on_comparison
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Cell, NumberText, Table
from rankgauge.numbers.intervals import POWER
from rankgauge.schema.text import counted, joined, letters

MAX_PAIRS, MAX_COLUMNS = 60, 12  # the most that a reader takes in: rows of pairs, columns of a matrix
SHORT = ("segment", "topics", "run", "against", "difference", "equivalence p", "outcome")
MAX_ROWS = 20  # of the short answer on segments


def ranked(comparison: Any) -> Table:
    """Runs by their means, with the letters of the runs that each is significantly better than."""
    order = comparison.compared[0].best_first
    letter = dict(zip(order, letters(len(order)), strict=True))
    headers, columns = ["", "run"], [[letter[run] for run in order], list[Cell](order)]
    for each in comparison.compared:
        beaten: dict[str, list[str]] = {run: [] for run in order}
        for found in each.significant:
            beaten[found.better].append(letter[found.worse])
        headers += [each.measure, f"{each.measure} better than"]
        columns += [
            _means(each, order),
            [" ".join(sorted(beaten[run], key=lambda name: (len(name), name))) for run in order],
        ]
    return Table(
        headers,
        list(zip(*columns, strict=True)),
        keys=2,
        note=on_test(comparison, f"Better than (α = {comparison.alpha:g}): by"),
    )


def on_test(comparison: Any, begin: str) -> str:
    """The test and the cautions, for a table of means or differences."""
    return f"{begin} {comparison.test_phrase()}. {comparison.cautions}".rstrip()


def matrix(comparison: Any, measure: str | None = None, places: int = 4) -> Table:
    """Differences of rows minus columns, with stars, on the first measure unless another is named.

    Letters are those of `ranked`. Where the means do not agree with the test, `>` or `<` shows whether the
    test finds the row better.
    """
    compared = comparison[measure or comparison.measures[0]]
    order = comparison.compared[0].best_first
    names = letters(len(order))
    cells: dict[tuple[str, str], str] = {}
    for pair in compared.pairs:
        found = compared.verdict(pair)
        for row, column, difference in (
            (pair.run, pair.against, pair.difference),
            (pair.against, pair.run, 0.0 - pair.difference),
        ):
            marks = found.stars if found else ""
            if found and found.disagreement:
                marks = f" {'>' if found.better == row else '<'}{marks}"
            cells[row, column] = NumberText(signed(difference, places) + marks, difference)
    rows = [
        [letter, run, *(cells.get((run, other), "") for other in order)]
        for letter, run in zip(names, order, strict=True)
    ]
    note = on_test(comparison, f"Rows minus columns ({legend(comparison.alpha)}) by")
    return Table(("", "run", *names), rows, keys=2, note=note)


def by_measure(comparison: Any) -> Table:
    """Measures by runs: the means, and the outcome of the test as in `notation`; empty if none.

    Tests of all runs have a column with the p of the overall test. The layout is that of Järvelin &
    Kekäläinen 2002, table II; the note explains the last column.
    """
    rows: list[list[Cell]] = []
    for each in comparison.compared:
        result = each.outcome
        decisive = [each.overall.corrected] if each.overall else []
        overall = [NumberText(printed_p(p) + stars(p, comparison.alpha), p) for p in decisive]
        outcome = "" if result == NO_DIFFERENCE else result
        rows.append([each.measure, *_means(each, comparison.runs), *overall, outcome])
    of_all = comparison.compared[0].overall
    names = ["measure", f"overall {p_name(of_all is not None and of_all.corrects)}", "stat. sign."]
    while {*names} & {*comparison.runs}:  # a row may become an object, whose keys must differ
        names = [f"({name})" for name in names]
    if not of_all:
        del names[1]
    topics = topics_phrase(comparison, comparison.compared)
    note = (
        f"Stat. sign.: {comparison.test_phrase()}, over {topics} "
        f"({legend(comparison.alpha)}; empty: {NO_DIFFERENCE}). {comparison.cautions}"
    )
    return Table((names[0], *comparison.runs, *names[1:]), rows, note=note.rstrip())


def pair_cells(comparison: Any, compared: MeasureComparison, pair: Pair, places: int) -> dict[str, Cell]:
    """The numbers of a pair for reading, by column."""
    found = compared.verdict(pair)
    marked = p_text(pair.corrected, places) + (found.stars if found else "")
    p = {
        "p": NumberText(p_text(pair.p, places), pair.p),
        comparison.p_name: NumberText(marked, pair.corrected),
    }
    interval = (
        "–" if math.isnan(pair.low) else f"[{signed(pair.low, places)},{signed(pair.high, places)}]"
    )  # without a space, where a line could break
    meaning: dict[str, Cell] = {"practical": compared.practical(pair)}
    if compared.margin is not None:  # which replaces the rule of thumb
        of_both = pair.corrected_equivalence
        meaning = {
            "equivalence p": NumberText(p_text(of_both, places), of_both),
            "outcome": compared.outcome_of(pair),
        }
    if comparison.posterior:
        known = posterior(compared, pair)
        meaning["P(better)"] = NumberText(
            p_text(known["probability_better"], places), known["probability_better"]
        )
        if compared.margin is not None:
            within = known["probability_equivalent"]
            meaning["P(equivalent)"] = NumberText(p_text(within, places), within)
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
        **meaning,
    }


def advice(comparison: Any) -> tuple[str, ...]:
    """Advice on reading the numbers."""
    marginal = {
        f"{found.pair} ({each.measure})": None
        for each in comparison.compared
        for found in each.significant
        if found.practical == "marginal"
    }
    return on_comparison(
        comparison.measures,
        topics=None if comparison.few_topics else min(topic_counts(comparison.compared)),
        pairs=len(comparison.compared[0].pairs),
        corrected=comparison.corrects or comparison.statistical_test.familywise,
        alpha=comparison.alpha,
        marginal=tuple(marginal),
    )


def document(comparison: Any, places: int = 4, *, notes: bool = True) -> Document:
    """The whole comparison for reading: runs, measures, segments, and notes unless they are left out."""
    if any(each.significant for each in comparison.compared):
        text = "Letters after a mean name the runs it is significantly better than"
    elif any(each.is_defined for each in comparison.compared):
        text = "No run is significantly better than another"
    else:
        text = "Whether a run is significantly better than another is undefined"
    table = ranked(comparison)._replace(note="")
    sentences = filter(None, (f"{text} (α = {comparison.alpha:g}).", comparison.few_topics))
    sections = [Section("Runs", tuple(sentences), table)]
    for each in comparison.compared:
        sections.append(section(comparison, each, places))
        if 2 < len(comparison.runs) <= MAX_COLUMNS and not comparison.baselines:
            title = f"{each.measure}: rows minus columns ({legend(comparison.alpha)})"
            sections.append(Section(title, (), matrix(comparison, each.measure, places)._replace(note="")))
    sections += segment_sections(comparison, places)
    if notes and comparison.notes:
        sections.append(Section("Notes", comparison.notes))
    return Document(
        f"{len(comparison.runs)} runs compared by {', '.join(comparison.measures)}", tuple(sections)
    )


def section(comparison: Any, compared: MeasureComparison, places: int = 4, most: int = MAX_PAIRS) -> Section:
    """The comparison on one measure: its sentence, how to read the numbers, and up to `most` pairs."""
    sentences, shown = [sentence(comparison, compared)], list(compared.pairs)
    if len(shown) > most:
        sentences.append(f"The {most} largest of {len(shown)} differences:")
        shown = sorted(shown, key=lambda pair: -abs(pair.difference))[:most]
    sentences.append(f"Effect: {comparison.statistical_test.effect}; interval: {comparison.interval_phrase}.")
    rows = [pair_cells(comparison, compared, pair, places) for pair in shown]
    needed = [topics_to_decide(comparison, compared, pair) for pair in shown]
    if not all(map(math.isnan, needed)):
        for row, topics in zip(rows, needed, strict=True):
            text = "–" if math.isnan(topics) else str(math.ceil(topics))
            row["topics needed"] = NumberText(text, topics)
        sentences.append(f"Topics needed: to show a difference as large as seen (power {POWER:g}).")
    if not compared.disagreements:  # the signs of differences show which run is better
        for row in rows:
            del row["better"]
    table = Table(tuple(rows[0]), [[*row.values()] for row in rows], keys=2)
    return Section(compared.measure, tuple(sentences), table)


def _means(compared: MeasureComparison, runs: Iterable[str]) -> list[Cell]:
    return [cells_of(compared).average(compared.means[run]) for run in runs]


def segment_sections(comparison: Any, places: int, *, short: bool = False) -> Iterator[Section]:
    """For each measure, the outcome in segments, and a row for each segment and pair."""
    for measure in comparison.measures if comparison.segments else ():
        table = _table(comparison, measure, places, short)
        yield Section(f"{measure} by segment", segment_sentences(comparison, measure), table)


def segment_sentences(comparison: Any, measure: str) -> tuple[str, ...]:
    """The segments in which runs differ, on one measure, and whether differences depend on attributes."""
    compared = {name: part[measure] for name, part in comparison.segments.items()}
    part = next(iter(comparison.segments.values()))
    topics = {name: min(pair.topics for pair in each.pairs) for name, each in compared.items()}
    depends = tuple(
        f"{each.attribute}="
        for each in comparison.interactions
        if each.measure == measure and each.corrected < comparison.alpha
    )
    few = [
        f"{name} ({topics[name]})"
        for name, each in compared.items()
        if topics[name] < FEW_TOPICS and (each.claims or name.startswith(depends))
    ]
    test = f"{part.test_phrase().removeprefix('a ')}, α = {comparison.alpha:g}"
    sentences = [
        f"Within segments, {_differing(compared)} ({test}).",
        _on_interactions(comparison, measure, min(topics.values())),
        f"Few topics in {_some(few)}; use {FEW_TOPICS} or more." if few else "",
    ]
    return tuple(filter(None, sentences))


def _differing(compared: dict[str, MeasureComparison]) -> str:
    names: dict[tuple[str, str, str], list[str]] = {}
    for name, each in compared.items():
        for found in each.significant:
            pair = found.pair
            words = ("better", "worse") if each.direction else ("higher", "lower")
            names.setdefault((pair.run, words[found.better != pair.run], pair.against), []).append(name)
    if not names:
        defined = any(each.is_defined for each in compared.values())
        return NO_DIFFERENCE if defined else UNDEFINED
    if len(names) > MAX_NAMES:
        return f"{len(names)} pairs differ significantly in some segment"
    return "; ".join(
        f"{run} is significantly {word} than {against} in {_some(where)}"
        for (run, word, against), where in names.items()
    )


def _on_interactions(comparison: Any, measure: str, least: int) -> str:
    tests = [each for each in comparison.interactions if each.measure == measure]
    name = correction_of(comparison.correction, comparison.statistical_test.familywise)
    p = p_name(name != "none" and len(tests) > 1)
    clauses, untested = [], []
    for attribute in dict.fromkeys(each.attribute for each in tests):
        found = [each for each in tests if each.attribute == attribute]
        if all(math.isnan(each.p) for each in found):
            untested.append(attribute)
            continue
        shown = [each for each in found if each.corrected < comparison.alpha]
        verb = f"{'depends' if shown else 'shows no dependence'} on {attribute}"
        if len(found) == 1:
            verb += f" ({p} {p_phrase(found[0].corrected)})"
        elif shown:
            verb += f" for {len(shown)} of {len(found)} pairs"
        clauses.append(verb)
    test = f"Brown and Forsythe's test and {PERMUTATIONS:,} permutations of the segments"
    test += f", of which those of fewer than {LEAST} topics count as one" if least < LEAST else ""
    sentences = [f"The difference {joined(clauses)}, by {test}."] if clauses else []
    if untested:
        sentences.append(
            f"Whether the difference depends on {joined(untested)} cannot be tested without two segments of "
            f"{LEAST} topics."
        )
    return " ".join(sentences)


def _some(names: list[str]) -> str:
    more = [counted(len(names) - MAX_NAMES, "more segment")] if len(names) > MAX_NAMES else []
    return joined([*names[:MAX_NAMES], *more])


def _table(comparison: Any, measure: str, places: int, short: bool) -> Table:
    """A row for each segment and pair; of too many, first those with an outcome, then the largest."""
    found = [(name, part, pair) for name, part in comparison.segments.items() for pair in part[measure].pairs]
    most = MAX_ROWS if short else MAX_PAIRS
    if len(found) > most:

        def rank(place: int) -> tuple[bool, float]:
            _, part, pair = found[place]
            size = abs(pair.difference)
            return part[measure].outcome_of(pair) == "undecided", 0.0 if math.isnan(size) else -size

        found = [found[place] for place in sorted(sorted(range(len(found)), key=rank)[:most])]
    rows: list[dict[str, Cell]] = []
    estimates = {} if short else comparison.estimates
    for name, part, pair in found:
        cells = part.pair_cells(part[measure], pair, places)
        if estimates:
            shrunken = estimates.get((measure, name, pair.run, pair.against), (math.nan,) * 3)
            cells["shrunken"] = "{} [{},{}]".format(*(signed(each, places) for each in shrunken))
        rows.append({"segment": name, "topics": pair.topics, **cells})
    interval = next(column for column in rows[0] if column.endswith("interval"))
    kept = [*SHORT, interval, part.p_name] if short else [column for column in rows[0] if column != "better"]
    notes = []
    if len(comparison.compared[0].pairs) == 1:
        kept = [column for column in kept if column not in ("run", "against")]
        notes.append(f"Differences: {pair.run} minus {pair.against}.")
    columns = [column for column in rows[0] if column in kept]
    notes.append(f"Intervals: {part.interval_phrase}.")
    if estimates:
        notes.append("Shrunken: toward the mean of the segments, by how little they seem to differ.")
    hidden = sum(len(part[measure].pairs) for part in comparison.segments.values()) - len(rows)
    notes += [f"{counted(hidden, 'more difference')} not shown."] * bool(hidden)
    return Table(
        tuple(columns), [[row[column] for column in columns] for row in rows], keys=2, note=" ".join(notes)
    )
