"""The content of a comparison within segments of topics, for readers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankgauge.comparison.corrections import correction_of
from rankgauge.comparison.procedures.interaction import PERMUTATIONS
from rankgauge.comparison.report import MAX_PAIRS, ComparisonReport
from rankgauge.comparison.result import MAX_NAMES, NO_DIFFERENCE, UNDEFINED, Compared, p_name, p_phrase
from rankgauge.model.notes import FEW_TOPICS
from rankgauge.model.output.documents import Section
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.text import counted, joined

SHORT = ("segment", "topics", "run", "against", "difference", "equivalence p", "outcome")
MAX_ROWS = 20  # of the short answer


def segment_sections(comparison: ComparisonReport, places: int, *, short: bool = False) -> Iterator[Section]:
    """By each measure, the outcome in segments, and a row for each segment and pair."""
    for measure in comparison.measures if comparison.segments else ():
        table = _table(comparison, measure, places, short)
        yield Section(f"{measure} by segment", segment_sentences(comparison, measure), table)


def segment_sentences(comparison: ComparisonReport, measure: str) -> tuple[str, ...]:
    """The segments in which runs differ, by one measure, and whether differences depend on attributes."""
    compared = {name: part[measure] for name, part in comparison.segments.items()}
    part = next(iter(comparison.segments.values()))
    few = [
        f"{name} ({least})"
        for name, each in compared.items()
        if each.claims and (least := min(pair.topics for pair in each.pairs)) < FEW_TOPICS
    ]
    test = f"{part.test_phrase().removeprefix('a ')}, α = {comparison.alpha:g}"
    sentences = [
        f"Within segments, {_differing(compared)} ({test}).",
        f"Few topics in {_some(few)}; use {FEW_TOPICS} or more." if few else "",
        _on_interactions(comparison, measure),
    ]
    return tuple(filter(None, sentences))


def _differing(compared: dict[str, Compared]) -> str:
    """A clause on the pairs that differ significantly, with the segments in which they do."""
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


def _on_interactions(comparison: ComparisonReport, measure: str) -> str:
    """A sentence on whether differences depend on the attributes."""
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
        verb = f"{'depends' if shown else 'is not shown to depend'} on {attribute}"
        if len(found) == 1:
            verb += f" ({p} {p_phrase(found[0].corrected)})"
        elif shown:
            verb += f" for {len(shown)} of {len(found)} pairs"
        clauses.append(verb)
    test = f"permutation tests ({PERMUTATIONS} permutations of the segments)"
    sentences = [f"The difference {joined(clauses)}, by {test}."] if clauses else []
    if untested:
        sentences.append(
            f"Whether the difference depends on {joined(untested)} cannot be tested in a single segment."
        )
    return " ".join(sentences)


def _some(names: list[str]) -> str:
    more = [counted(len(names) - MAX_NAMES, "more segment")] if len(names) > MAX_NAMES else []
    return joined([*names[:MAX_NAMES], *more])


def _table(comparison: ComparisonReport, measure: str, places: int, short: bool) -> Table:
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
    for name, part, pair in found:
        cells = part.pair_cells(part[measure], pair, places)
        rows.append({"segment": name, "topics": pair.topics, **cells})
    interval = next(column for column in rows[0] if column.endswith("interval"))
    kept = [*SHORT, interval, part.p_name] if short else [column for column in rows[0] if column != "better"]
    notes = []
    if len(comparison.compared[0].pairs) == 1:
        kept = [column for column in kept if column not in ("run", "against")]
        notes.append(f"Differences: {pair.run} minus {pair.against}.")
    columns = [column for column in rows[0] if column in kept]
    hidden = sum(len(part[measure].pairs) for part in comparison.segments.values()) - len(rows)
    notes += [f"{counted(hidden, 'more difference')} not shown."] * bool(hidden)
    return Table(
        tuple(columns), [[row[column] for column in columns] for row in rows], keys=2, note=" ".join(notes)
    )
