"""The content of a comparison, for readers: tables, sentences and advice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rankgauge.comparison.corrected_t import CORRECTED_T
from rankgauge.comparison.procedures.margin import POWER, correction_of
from rankgauge.comparison.registry import CORRECTIONS, TESTS, Correction, StatisticalTest
from rankgauge.comparison.result import (
    MAX_NAMES,
    NO_DIFFERENCE,
    UNDEFINED,
    Compared,
    Pair,
    legend,
    p_name,
    p_phrase,
    p_text,
    printed_p,
    signed,
    stars,
)
from rankgauge.model.notes import FEW_TOPICS, on_comparison
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Cell, NumberText, Table, capital, number
from rankgauge.model.score_cells import MeasureCells
from rankgauge.schema.text import counted, format_number, joined, letters, spanned

# The most that a reader takes in: rows of pairs, columns of a matrix, characters of an outcome.
MAX_PAIRS, MAX_COLUMNS, LONG = 60, 12, 300
ONE_SIDED = {"bootstrap": "paired bootstrap tests", CORRECTED_T.name: "t-tests of corrected differences"}


@dataclass(frozen=True, repr=False)
class ComparisonReport:
    """Runs compared pair by pair, for each measure, with views for reading."""

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # the runs that the others are compared with; empty for all pairs
    compared: tuple[Compared, ...]
    test: str
    correction: str
    family: str  # the pairs that p is corrected for: those of a measure, or of all
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # notes on topics and values that were left out or replaced
    judgments: str = ""  # how human judgments correct the means, if they do

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
        return CORRECTED_T if self.test == CORRECTED_T.name else TESTS[self.test]

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
        topics = min(topic_counts(claimed), default=FEW_TOPICS)
        return f"Only {counted(topics, 'topic')} (use {FEW_TOPICS} or more)." if topics < FEW_TOPICS else ""

    @property
    def cautions(self) -> str:
        """What the outcomes must not be read without, as the note of a table."""
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

    def conclusion(self, places: int = 4) -> str:
        """A sentence on the outcome by all measures, as in a paper, and what to be careful about."""
        measures: dict[str, list[str]] = {}
        for each in self.compared:
            lower = " (lower is better)" if each.direction < 0 else ""
            measures.setdefault(self._clause(each, places), []).append(f"{each.measure}{lower}")
        outcome = "; ".join(f"by {joined(names)}, {clause}" for clause, names in measures.items())
        topics = spanned(topic_counts(self.compared), "topic")
        test = f"{self.test_phrase().removeprefix('a ')}, α = {self.alpha:g}, {topics}"
        objections = dict.fromkeys(clause for each in self.compared for clause in each.objections)
        cautions = [*(f"{capital(clause)}." for clause in objections), self.few_topics, self.on_judgments]
        margins = map(self.on_margin, self.compared)
        return " ".join(filter(None, (f"{capital(outcome)} ({test}).", *margins, *cautions)))

    @property
    def has_margin(self) -> bool:
        """Whether equivalence is tested by any measure."""
        return any(each.margin is not None for each in self.compared)

    def on_margin(self, compared: Compared) -> str:
        """A sentence on pairs that are equivalent within the margin, or undecided; empty without one."""
        if compared.margin is None:
            return ""
        small = [found.pair for found in compared.significant if compared.is_within_margin(found.pair)]
        undecided = [pair for pair in compared.pairs if compared.outcome_of(pair) == "undecided"]
        clauses = [
            *_clauses_on_pairs(compared, compared.equivalent, "equivalent", "to"),
            *_clauses_on_pairs(compared, small, "significantly different", "from"),
            *_clauses_on_pairs(compared, undecided, "undecided", "against"),
        ]
        in_family = len(self.compared) if self.family == "all" else 1
        name = correction_of(self.correction, self.statistical_test.familywise)
        corrects = name != "none" and len(compared.pairs) * in_family > 1
        test = f"two one-sided {ONE_SIDED.get(self.test, 'paired t-tests')}"
        test += f" with {CORRECTIONS[name].title}" * corrects
        if len(compared.pairs) == 1:
            test += f", {p_name(corrects)} {p_phrase(compared.pairs[0].corrected_equivalence)}"
        needed = max((p.topics_needed for p in undecided if p.topics_needed > p.topics), default=0)
        more = f" {needed} topics would show equivalence with a power of {POWER:g} if runs did not differ."
        return (
            f"Within a margin of {format_number(compared.margin)} by {compared.measure}, "
            f"{'; '.join(clauses) or 'no pair is equivalent'} ({test}).{more if needed else ''}"
        )

    def _clause(self, compared: Compared, places: int) -> str:
        """The outcome by one measure."""

        def with_mean(run: str) -> str:
            return f"{run} ({number(cells_of(compared).average(compared.means[run]), places, '–')})"

        if len(compared.pairs) == 1:
            (pair,) = compared.pairs  # whose means may be other averages than those shown
            tested = {pair.run: pair.mean, pair.against: pair.mean_against}
            same = all(math.isclose(mean, compared.means[run]) for run, mean in tested.items())
            return self._clause_on_pair(compared, with_mean if same else str)
        if not compared.is_defined:
            return UNDEFINED
        if self.baselines:
            return "; ".join(_clause_on_baseline(compared, baseline) for baseline in self.baselines)
        place, better = ("best", "better") if compared.direction else ("highest", "higher")
        first = compared.best_first[0]
        best = [run for run in compared.best_first if compared.means[run] == compared.means[first]]
        several = joined(best) if len(best) <= MAX_NAMES else f"{len(best)} runs"
        clause = f"{with_mean(first)} is {place}" if len(best) == 1 else f"{several} are {place}"
        found = compared.significant
        if not found:
            return f"{clause}, but {NO_DIFFERENCE}"
        beaten = [each.worse for each in found if [each.better] == best]
        if beaten:
            clause += f" and significantly {better} than {_few(beaten, len(self.runs) - 1)}"
        elif len(best) == 1:
            clause += f", but not significantly {better} than another run"
        more = f", and {len(found)} of {len(compared.pairs)} pairs differ significantly"
        return clause + more * (len(beaten) < len(found))

    def _clause_on_pair(self, compared: Compared, with_mean: Callable[[str], str]) -> str:
        (pair,) = compared.pairs
        found, p = compared.verdict(pair), f"{self.p_name} {p_phrase(pair.corrected)}"
        if math.isnan(pair.corrected):
            return f"the significance of {with_mean(pair.run)} against {with_mean(pair.against)} is undefined"
        if not found:
            return f"{with_mean(pair.run)} and {with_mean(pair.against)} do not differ significantly, {p}"
        better = "better" if compared.direction else "higher"
        return f"{with_mean(found.better)} is significantly {better} than {with_mean(found.worse)}, {p}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each measure, as in a paper: runs, number of topics, test and outcome."""
        return tuple(
            f"{self._sentence(each)} {self.few_topics if each.claims else ''}".rstrip()
            for each in self.compared
        )

    def _sentence(self, compared: Compared) -> str:
        topics = spanned(topic_counts([compared]), "topic")
        result = compared.outcome
        if len(result) > LONG:
            result = f"{len(compared.significant)} of {len(compared.pairs)} pairs differ significantly"
        explained = "" if ">" not in result else f" ({legend(self.alpha)})"
        clauses = [compared.overall_clause, *compared.cautions, self.judgments]
        clauses = [each for each in dict.fromkeys(clauses) if each]
        return (
            f"{compared.measure} of {self._runs_phrase(compared)} was compared over {topics} by "
            f"{self.test_phrase(compared)} "
            f"(α = {self.alpha:g}; rankgauge {self.versions['rankgauge']}): {result}{explained}."
            f"{''.join(f' {capital(each)}.' for each in clauses)} {self.on_margin(compared)}"
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
        return f"{test}{self._family_phrase(len(compared.pairs), len(self.compared))}"

    def _family_phrase(self, pairs: int, measures: int) -> str:
        """The correction, and the tests that it is for."""
        together = self.family == "all" and measures > 1
        of_measures = counted(measures, "measure")
        in_all = f" of each measure, {pairs * measures} tests in all" if measures > 1 else ""
        if pairs == 1 and not together:
            return f" without correction for {of_measures}" if measures > 1 else ""
        if self.protected:
            holm = f", with Holm's correction for {of_measures}" if together else ""
            return f" for {pairs} pairs{in_all}, significant only if the overall test is{holm}"
        if self.statistical_test.familywise and self.correction == "none":
            own = ", which accounts for all pairs" if pairs > 1 else ""
            more = f"{own and ','} with Bonferroni's correction for {of_measures}" if together else in_all
            return own + more
        scope = of_measures if pairs == 1 else f"{pairs} pairs{in_all}"
        if together and pairs > 1:
            scope = f"all {pairs * measures} tests ({pairs} pairs by {of_measures})"
        how = "without correction" if self.correction == "none" else f"with {self.corrected_by.title}"
        return f" {how} for {scope}"

    @property
    def interval_phrase(self) -> str:
        """The definition of intervals, and whether they are corrected as p is."""
        test = self.statistical_test
        without = "with Bonferroni's correction" if test is CORRECTED_T else "not corrected"
        if test.familywise:
            across = self.correction == "none"
            without = "not corrected across measures" if across else f"without {self.corrected_by.title}"
        return f"{test.interval}, {without}" if self.corrects else test.interval

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


def _clause_on_baseline(compared: Compared, baseline: str) -> str:
    """The runs that differ significantly from a baseline."""
    better = [found.better for found in compared.significant if found.worse == baseline]
    worse = [found.worse for found in compared.significant if found.better == baseline]
    if not better and not worse:
        return f"no run differs significantly from {baseline}"
    words = ("better", "worse") if compared.direction else ("higher", "lower")
    others = sum(baseline in (pair.run, pair.against) for pair in compared.pairs)
    first, *rest = (
        f"{_few(runs, others)} {'is' if len(runs) == 1 else 'are'} significantly {word}"
        for runs, word in zip((better, worse), words, strict=True)
        if runs
    )
    return ", whereas ".join([f"{first} than {baseline}", *rest])


def _clauses_on_pairs(compared: Compared, pairs: list[Pair], word: str, preposition: str) -> Iterator[str]:
    """`B and C are equivalent to A`, or how many of the pairs are."""
    if len(pairs) > MAX_NAMES:
        yield f"{len(pairs)} of {len(compared.pairs)} pairs are {word}"
        return
    for against in dict.fromkeys(pair.against for pair in pairs):
        runs = [pair.run for pair in pairs if pair.against == against]
        yield f"{joined(runs)} {'is' if len(runs) == 1 else 'are'} {word} {preposition} {against}"


def _few(names: list[str], of: int) -> str:
    """A few names, or how many of the runs they are."""
    if len(names) <= MAX_NAMES:
        return joined(names)
    return f"all {of} other runs" if len(names) == of else f"{len(names)} of {of} other runs"


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
