"""The content of a comparison, for readers: tables, sentences and advice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rankgauge.comparison.registry import CORRECTIONS, TESTS, Correction, StatisticalTest
from rankgauge.comparison.result import (
    NO_DIFFERENCE,
    Compared,
    Pair,
    legend,
    p_phrase,
    p_text,
    signed,
    stars,
)
from rankgauge.model.notes import on_comparison
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Cell, NumberText, Position, Table
from rankgauge.model.score_cells import MeasureCells
from rankgauge.schema.text import letters, spanned

# The most that a reader takes in: rows of pairs, columns of a matrix, characters of an outcome.
MAX_PAIRS, MAX_COLUMNS, LONG = 60, 12, 300


@dataclass(frozen=True, repr=False)
class ComparisonReport:
    """Runs compared pair by pair, for each measure, with views for reading."""

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # the runs that the others are compared with; empty for all pairs
    compared: tuple[Compared, ...]
    test: str
    correction: str
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # notes on topics and values that were left out or replaced

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures by which runs are compared."""
        return tuple(each.measure for each in self.compared)

    def __getitem__(self, measure: str) -> Compared:
        for each in self.compared:
            if each.measure == measure:
                return each
        raise KeyError(measure)

    @property
    def statistical_test(self) -> StatisticalTest:
        """The test, with its description."""
        return TESTS[self.test]

    @property
    def corrected_by(self) -> Correction:
        """The correction, with its description."""
        return CORRECTIONS[self.correction]

    def ranked(self) -> Table:
        """Runs by their means, with the letters of the runs that each is significantly better than."""
        order = self.compared[0].best_first
        letter = dict(zip(order, letters(len(order)), strict=True))
        headers, columns = ["", "run"], [[letter[run] for run in order], list[Cell](order)]
        best: set[Position] = set()
        for each in self.compared:
            beaten: dict[str, list[str]] = {run: [] for run in order}
            for found in each.significant:
                beaten[found.better].append(letter[found.worse])
            top = each.means[each.best_first[0]]
            best |= {(row, len(headers)) for row, run in enumerate(order) if each.means[run] == top}
            headers += [each.measure, f"{each.measure} better than"]
            columns += [
                _means(each, order),
                [" ".join(sorted(beaten[run], key=lambda name: (len(name), name))) for run in order],
            ]
        return Table(headers, list(zip(*columns, strict=True)), best, keys=2)

    def matrix(self, measure: str | None = None, places: int = 4) -> Table:
        """Differences of rows minus columns, with stars; by the first measure unless another is named.

        Letters are those of `ranked`. Where the means say otherwise than the test, `>` or `<` shows whether
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
                if found and not found.means_agree:
                    marks = f" {'>' if found.better == row else '<'}{marks}"
                cells[row, column] = NumberText(signed(difference, places) + marks, difference)
        rows = [
            [letter, run, *(cells.get((run, other), "") for other in order)]
            for letter, run in zip(names, order, strict=True)
        ]
        return Table(("", "run", *names), rows, keys=2)

    def by_measure(self) -> Table:
        """Measures by runs: the means, and the outcome of the test as in `notation`; empty if none.

        The layout of Järvelin & Kekäläinen 2002, table II, where no significant difference is an empty cell;
        the note explains the last column.
        """
        rows: list[list[Cell]] = []
        for each in self.compared:
            result = each.outcome
            rows.append([each.measure, *_means(each, self.runs), "" if result == NO_DIFFERENCE else result])
        names = ["measure", "stat. sign."]
        while {*names} & {*self.runs}:  # a row may become an object, whose keys must differ
            names = [f"({name})" for name in names]
        topics = spanned(topic_counts(self.compared), "topic")
        otherwise = (
            f" {each.measure}: {text[0].lower()}{text[1:]}"
            for each in self.compared
            if (text := each.disagreement)
        )
        note = (
            f"Stat. sign.: {self.test_phrase()}, over {topics} "
            f"({legend(self.alpha)}; empty: {NO_DIFFERENCE}).{''.join(otherwise)}"
        )
        return Table((names[0], *self.runs, names[1]), rows, note=note)

    def pair_cells(self, compared: Compared, pair: Pair, places: int) -> dict[str, Cell]:
        """The numbers of a pair for reading, by column."""
        found = compared.verdict(pair)
        marked = p_text(pair.corrected, places) + stars(pair.corrected, self.alpha)
        p = {"p": NumberText(marked, pair.corrected)}
        if self.correction != "none" and len(self.compared[0].pairs) > 1:
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
            f"{100 * (1 - self.alpha):g} % interval": interval,
            "w/t/l": f"{pair.wins}/{pair.ties}/{pair.losses}",
            "practical": compared.practical(pair),
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each measure, as in a paper: runs, number of topics, test and outcome."""
        return tuple(map(self._sentence, self.compared))

    def _sentence(self, compared: Compared) -> str:
        topics = spanned(topic_counts([compared]), "topic")
        result = compared.outcome
        if len(result) > LONG:
            result = f"{len(compared.significant)} of {len(compared.pairs)} pairs differ significantly"
        explained = "" if ">" not in result else f" ({legend(self.alpha)})"
        return (
            f"{compared.measure} of {self._runs_phrase(compared)} was compared over {topics} by "
            f"{self.test_phrase(compared)} "
            f"(α = {self.alpha:g}; rankgauge {self.versions['rankgauge']}): {result}{explained}."
            f" {compared.disagreement}"
        ).rstrip()

    def _runs_phrase(self, compared: Compared) -> str:
        if len(compared.pairs) == 1:
            return f"{compared.pairs[0].run} and {compared.pairs[0].against}"
        if self.baselines:
            others = len(self.runs) - len(self.baselines)
            return f"{others} {'run' if others == 1 else 'runs'} against {', '.join(self.baselines)}"
        return f"{len(self.runs)} runs, all {len(compared.pairs)} pairs,"

    def test_phrase(self, compared: Compared | None = None) -> str:
        """The test, its samples (by default the most of any measure), and its correction."""
        compared = compared or max(self.compared, key=lambda each: each.most_samples or 0)
        test = f"a two-sided {self.statistical_test.title}"
        most = compared.most_samples or 0
        if self.samples and (most or not self.statistical_test.sequential):  # else all p are exact
            more = f", up to {most} where p is small" if most > self.samples else ""
            test += f" ({self.samples} {self.statistical_test.unit}{more}, seed {self.seed})"
        if len(compared.pairs) == 1:
            return test
        if self.statistical_test.familywise and self.correction == "none":
            return f"{test}, which accounts for all pairs"
        if self.correction == "none":
            return f"{test} without correction for {len(compared.pairs)} pairs"
        return f"{test} with {self.corrected_by.title} for {len(compared.pairs)} pairs"

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
            topics=min(topic_counts(self.compared)),
            pairs=len(self.compared[0].pairs),
            corrected=self.correction != "none" or self.statistical_test.familywise,
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
        # The best mean is not marked: in plain text its star would be one of significance.
        table = self.ranked()._replace(best=frozenset())
        sections = [Section("Runs", (f"{text} (α = {self.alpha:g}).",), table)]
        for each in self.compared:
            sections.append(self.section(each, places))
            if 2 < len(self.runs) <= MAX_COLUMNS and not self.baselines:
                title = f"{each.measure}: rows minus columns ({legend(self.alpha)})"
                sections.append(Section(title, (), self.matrix(each.measure, places)))
        if notes and self.notes:
            sections.append(Section("Notes", self.notes))
        return Document(f"{len(self.runs)} runs compared by {', '.join(self.measures)}", tuple(sections))

    def section(self, compared: Compared, places: int = 4, most: int = MAX_PAIRS) -> Section:
        """The comparison by one measure: its sentence, how to read the numbers, and up to `most` pairs."""
        sentences, shown = [self._sentence(compared)], list(compared.pairs)
        if overall := compared.overall:
            statistic = "undefined" if math.isnan(overall.statistic) else f"{overall.statistic:.4g}"
            sentences.append(
                f"All runs together: {overall.name} = {statistic}, p {p_phrase(overall.p, places)}"
            )
        if len(shown) > most:
            sentences.append(f"The {most} largest of {len(shown)} differences:")
            shown = sorted(shown, key=lambda pair: -abs(pair.difference))[:most]
        test = self.statistical_test
        sentences.append(f"Effect: {test.effect}; interval: {test.interval}.")
        rows = [self.pair_cells(compared, pair, places) for pair in shown]
        if not compared.disagreement:  # the signs of differences show which run is better
            for row in rows:
                del row["better"]
        table = Table(tuple(rows[0]), [[*row.values()] for row in rows], keys=2)
        return Section(compared.measure, tuple(sentences), table)


def _means(compared: Compared, runs: Iterable[str]) -> list[Cell]:
    """The means of runs; sums of counts have no decimals, as in tables of scores."""
    return [cells_of(compared).average(compared.means[run]) for run in runs]


def cells_of(compared: Compared, percent: bool = False) -> MeasureCells:
    """The display of the means of a measure; those of counts that are whole are sums."""
    whole = all(mean.is_integer() for mean in compared.means.values())
    return MeasureCells.of(compared.measure, "sum" if whole else "mean", percent)


def topic_counts(compared: Iterable[Compared]) -> set[int]:
    """The numbers of topics that pairs are compared on."""
    return {pair.topics for each in compared for pair in each.pairs}
