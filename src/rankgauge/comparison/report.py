"""The content of a comparison, for readers: tables and a document, with its sentences and advice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankgauge.comparison.result import (
    NO_DIFFERENCE,
    Compared,
    Interaction,
    Pair,
    legend,
    p_name,
    p_text,
    printed_p,
    signed,
    stars,
)
from rankgauge.comparison.sentences import ComparisonSentences, cells_of, topic_counts
from rankgauge.model.notes import on_comparison
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Cell, NumberText, Table
from rankgauge.schema.text import letters, spanned

MAX_PAIRS, MAX_COLUMNS = 60, 12  # the most that a reader takes in: rows of pairs, columns of a matrix


@dataclass(frozen=True, repr=False)
class ComparisonReport(ComparisonSentences):
    """Runs compared pair by pair, for each measure, with views for reading."""

    segments: Mapping[str, ComparisonReport] = field(default_factory=dict)  # by name, of their topics alone
    interactions: tuple[Interaction, ...] = ()

    def ranked(self) -> Table:
        """Runs by their means, with the letters of the runs that each is significantly better than."""
        order = self.compared[0].best_first
        letter = dict(zip(order, letters(len(order)), strict=True))
        headers, columns = ["", "run"], [[letter[run] for run in order], list[Cell](order)]
        for each in self.compared:
            beaten: dict[str, list[str]] = {run: [] for run in order}
            for found in each.significant:
                beaten[found.better].append(letter[found.worse])
            headers += [each.measure, f"{each.measure} better than"]
            columns += [
                _means(each, order),
                [" ".join(sorted(beaten[run], key=lambda name: (len(name), name))) for run in order],
            ]
        # The best mean is not marked: in plain text its star would be one of significance.
        return Table(
            headers,
            list(zip(*columns, strict=True)),
            keys=2,
            note=self._note(f"Better than (α = {self.alpha:g}): by"),
        )

    def _note(self, begin: str) -> str:
        """The test and the cautions, for a table of means or differences."""
        return f"{begin} {self.test_phrase()}. {self.cautions}".rstrip()

    def matrix(self, measure: str | None = None, places: int = 4) -> Table:
        """Differences of rows minus columns, with stars; by the first measure unless another is named.

        Letters are those of `ranked`. Where the means do not agree with the test, `>` or `<` shows whether
        the test finds the row better.
        """
        compared = self[measure or self.measures[0]]
        order = self.compared[0].best_first
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
        note = self._note(f"Rows minus columns ({legend(self.alpha)}) by")
        return Table(("", "run", *names), rows, keys=2, note=note)

    def by_measure(self) -> Table:
        """Measures by runs: the means, and the outcome of the test as in `notation`; empty if none.

        Tests of all runs have a column with the p of the overall test. The layout is that of Järvelin &
        Kekäläinen 2002, table II, where no significant difference is an empty cell; the note explains the
        last column.
        """
        rows: list[list[Cell]] = []
        for each in self.compared:
            result = each.outcome
            decisive = [each.overall.corrected] if each.overall else []
            overall = [NumberText(printed_p(p) + stars(p, self.alpha), p) for p in decisive]
            outcome = "" if result == NO_DIFFERENCE else result
            rows.append([each.measure, *_means(each, self.runs), *overall, outcome])
        of_all = self.compared[0].overall
        names = ["measure", f"overall {p_name(of_all is not None and of_all.corrects)}", "stat. sign."]
        while {*names} & {*self.runs}:  # a row may become an object, whose keys must differ
            names = [f"({name})" for name in names]
        if not of_all:
            del names[1]
        topics = spanned(topic_counts(self.compared), "topic")
        note = (
            f"Stat. sign.: {self.test_phrase()}, over {topics} "
            f"({legend(self.alpha)}; empty: {NO_DIFFERENCE}). {self.cautions}"
        )
        return Table((names[0], *self.runs, *names[1:]), rows, note=note.rstrip())

    def pair_cells(self, compared: Compared, pair: Pair, places: int) -> dict[str, Cell]:
        """The numbers of a pair for reading, by column."""
        found = compared.verdict(pair)
        marked = p_text(pair.corrected, places) + (found.stars if found else "")
        p = {"p": NumberText(p_text(pair.p, places), pair.p), self.p_name: NumberText(marked, pair.corrected)}
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
        return {
            "run": pair.run,
            "against": pair.against,
            "difference": NumberText(signed(pair.difference, places), pair.difference),
            "%": NumberText(signed(pair.percent, 1), pair.percent),
            **p,
            "better": found.better if found else "",
            "effect": NumberText(signed(pair.effect, 2), pair.effect),
            f"{100 * (1 - self.alpha):g} % interval": interval,
            "w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}",
            **meaning,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the data, then advice on reading the numbers."""
        marginal = {
            f"{found.pair} ({each.measure})": None
            for each in self.compared
            for found in each.significant
            if found.practical == "marginal"
        }
        advice = on_comparison(
            self.measures,
            topics=None if self.few_topics else min(topic_counts(self.compared)),
            pairs=len(self.compared[0].pairs),
            corrected=self.corrects or self.statistical_test.familywise,
            alpha=self.alpha,
            marginal=tuple(marginal),
        )
        return self.remarks + advice

    def document(self, places: int = 4, *, notes: bool = True) -> Document:
        """The whole comparison for reading: ranked runs, each measure, and notes unless they are left out."""
        if any(each.significant for each in self.compared):
            text = "Letters after a mean name the runs it is significantly better than"
        elif any(each.is_defined for each in self.compared):
            text = "No run is significantly better than another"
        else:
            text = "Whether a run is significantly better than another is undefined"
        table = self.ranked()._replace(note="")
        sentences = filter(None, (f"{text} (α = {self.alpha:g}).", self.few_topics))
        sections = [Section("Runs", tuple(sentences), table)]
        for each in self.compared:
            sections.append(self.section(each, places))
            if 2 < len(self.runs) <= MAX_COLUMNS and not self.baselines:
                title = f"{each.measure}: rows minus columns ({legend(self.alpha)})"
                sections.append(Section(title, (), self.matrix(each.measure, places)._replace(note="")))
        if notes and self.notes:
            sections.append(Section("Notes", self.notes))
        return Document(f"{len(self.runs)} runs compared by {', '.join(self.measures)}", tuple(sections))

    def section(self, compared: Compared, places: int = 4, most: int = MAX_PAIRS) -> Section:
        """The comparison by one measure: its sentence, how to read the numbers, and up to `most` pairs."""
        sentences, shown = [self._sentence(compared)], list(compared.pairs)
        if len(shown) > most:
            sentences.append(f"The {most} largest of {len(shown)} differences:")
            shown = sorted(shown, key=lambda pair: -abs(pair.difference))[:most]
        sentences.append(f"Effect: {self.statistical_test.effect}; interval: {self.interval_phrase}.")
        rows = [self.pair_cells(compared, pair, places) for pair in shown]
        if not compared.disagreements:  # the signs of differences show which run is better
            for row in rows:
                del row["better"]
        table = Table(tuple(rows[0]), [[*row.values()] for row in rows], keys=2)
        return Section(compared.measure, tuple(sentences), table)


def _means(compared: Compared, runs: Iterable[str]) -> list[Cell]:
    """The means of runs; sums of counts have no decimals, as in tables of scores."""
    return [cells_of(compared).average(compared.means[run]) for run in runs]
