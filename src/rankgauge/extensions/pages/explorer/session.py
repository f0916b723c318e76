"""The session behind all views: a campaign, texts, names to show, standings of runs."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.comparison import Comparison, compare
from rankgauge.comparison.report import segment_sections
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.pages.figures.labels import legible, spelled, unique_labels
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.documents import Section
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import PLACES, printable
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.model.texts import Texts
from rankgauge.numbers.matrices import place_intervals
from rankgauge.schema.cache import Cache
from rankgauge.schema.options import choice
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgauge.model.output.labels import LabelsLike

LEVEL = 0.95  # of the intervals of means
MAX_VALUES = 1 << 25  # of topics and runs, that are kept for all measures
MAX_COMPARISONS = 200
MAX_BOUNDS = 8
MAX_SEGMENTED = 8  # runs, that are shown in segments of topics, beside the baseline
MEASURES = "nDCG@10 AP RR P@10 R@1000"
DEPTH = 100  # ranks of curves
LONGEST_QUERY = 300  # characters of a query that are shown in lists
RANKING_DEPTH = 100  # ranks of rankings that are shown at first
LLM_SHOWN = {
    "after": "labels of a document are shown when its assessor has judged it (default)",
    "always": "labels are shown beside every document",
    "never": "labels are not shown, and only order documents",
}
Part = TypeVar("Part")


def names_to_show(names: Iterable[str], labels: Labels, taken: Iterable[str] = ()) -> dict[str, str]:
    """{name in the files: unique label to show}, none of those `taken`."""
    return unique_labels(names, taken, lambda name: legible(labels(name)))


class Further(Protocol):
    """Judgments that people make while they look."""

    def count(self) -> tuple[int, int]:
        """(a number that grows with every change, documents judged)."""

    def rejudged(self) -> Campaign:
        """The campaign by all judgments so far, on the topics that have some."""


class Session:
    """Judgments and runs to look at, with the settings of the start.

    `curves` are the measures to draw by rank at first, down to `depth`; `findings` are those of studies; `by`
    has attributes of topics. Views use unique, printable names; `runs` and `topics` lead from these to the
    names in the files.
    """

    def __init__(
        self,
        campaign: Campaign,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        baseline: str | None = None,
        margin: float | None = None,
        documents: Any = None,
        topics: Any = None,
        labels: LabelsLike = None,
        title: str = "",
        command: str = "",
        options: Sequence[str] = (),
        curves: str | None = None,
        depth: int = DEPTH,
        findings: tuple[Section, ...] = (),
        by: Any = None,
    ) -> None:
        self.campaign = campaign
        self.measures = campaign.measure_texts(measures or (MEASURES if campaign.has_judgments else None))
        self.labels = Labels.read(labels)
        # {name in the files: name to show}, and the other way round.
        self.shown_runs = names_to_show(campaign.runs, self.labels)
        self.shown_topics = names_to_show(campaign.topics, self.labels)
        self.runs = {label: name for name, label in self.shown_runs.items()}
        self.topics = {label: name for name, label in self.shown_topics.items()}
        # The name to show of the run that others are compared with at first; None if nobody chose one.
        self.baseline = None
        if baseline is not None:
            self.baseline = self.shown_runs[choice("baseline", baseline, campaign.runs)]
        if margin is not None and not (is_number(margin) and 0 < margin < math.inf):
            raise OptionError(f"margin must be a number above 0, not {margin!r}")
        self.margin = margin  # below which a difference does not matter
        files = [run.file for run in campaign.inputs]
        self.document_texts, self.topic_texts = Texts.of_runs(documents, topics, files)
        self.parts: dict[type, Any] = {}  # what extensions add to a session for their views, by class
        self.further: Further | None = None  # judgments since the start
        self._rejudged: tuple[int, Session] | None = None
        self.command = command
        self.options = tuple(options)  # of the command line that change numbers, for commands to repeat
        self.curves = None if curves is None else tuple(map(str, parse_all(curves)))
        self.depth = depth
        self.first_view = ""  # the view to open; "" is the first that there is
        self.findings = findings
        self.segments = None if by is None else Segments.of(by, campaign.topics)
        if self.segments is not None and campaign.is_judged:
            self.findings = (*self._in_segments(self.segments), *findings)
        self.ranking_depth = RANKING_DEPTH  # a saved page may hold less
        topics_in_all = f" and {counted(len(campaign.topics), 'topic')}" if campaign.topics else ""
        self.title = title or counted(len(campaign.runs), "run") + topics_in_all
        self._forget()

    def _forget(self) -> None:
        size_of_one = max(len(self.campaign.runs) * len(self.campaign.topics), 1)
        self._standings: Cache[str, Standing] = Cache(max(8, MAX_VALUES // size_of_one))
        self._comparisons: Cache[tuple[str, str, str, str], Comparison] = Cache(MAX_COMPARISONS)
        self.bounds: Cache[tuple[str, ...], Any] = Cache(MAX_BOUNDS)  # see `views/unjudged.py`

    def _in_segments(self, segments: Segments) -> tuple[Section, ...]:
        """Means of the best runs in each segment by the first measure, and whether they differ there."""
        scores = self.campaign.scores(self.measures[:1]).sorted()
        baseline = self.run_called(self.baseline) if self.baseline else scores.runs[0]
        scores = scores.only(runs=dict.fromkeys([*scores.runs[:MAX_SEGMENTED], baseline]))
        means = Section("Segments of topics", segments.notes, scores.table(by=segments))
        if len(scores.runs) == 1:
            return (means,)
        compared = compare(scores, baseline=baseline, margin=self.margin, by=segments).labelled(self.labels)
        return (means, *segment_sections(compared, PLACES, short=True))

    def measure_name(self, text: str) -> str:
        """The label of a measure, or its text as the literature writes it."""
        label = self.labels(text)
        return spelled(text) if label == text else label

    def part(self, kind: type[Part]) -> Part | None:
        """What an extension added to the session, if it did."""
        return self.parts.get(kind)

    @property
    def has_judged_rankings(self) -> bool:
        """Whether there are judged rankings; scores alone have none."""
        return self.campaign.has_judgments and self.campaign.is_judged

    @property
    def has_subtopics(self) -> bool:
        """Whether judgments are by subtopic."""
        return self.campaign.has_judgments and isinstance(self.campaign.qrels, SubtopicQrels)

    def chosen(self, measures: str | None, baseline: str | None) -> Session:
        """The session with other measures and another baseline, if named."""
        other = copy.copy(self)
        if measures:
            other.measures = self.campaign.measure_texts(measures)
        if baseline is not None:
            other.baseline = self.shown_runs[self.run_called(baseline)]
        return other

    def rejudged(self, topic: str = "") -> Session:
        """The session by all judgments so far; this one if they have no such topic, or none is new."""
        version, judged = self.further.count() if self.further else (0, 0)
        if self.further is None or not judged:
            return self
        if self._rejudged is None or self._rejudged[0] != version:
            other = copy.copy(self)
            other.campaign, other.further = self.further.rejudged(), None
            new = [name for name in other.campaign.topics if name not in self.shown_topics]
            names = self.shown_topics | names_to_show(new, self.labels, self.topics)
            other.shown_topics = {name: names[name] for name in other.campaign.topics}
            other.topics = {label: name for name, label in other.shown_topics.items()}
            other.__dict__.pop("notes", None)
            other._forget()
            self._rejudged = version, other
        other = self._rejudged[1]
        return other if not topic or topic in other.topics else self

    def standings(
        self, measures: str | Measure | Iterable[str | Measure] | None = None
    ) -> dict[str, Standing]:
        """{measure: standing}, by default for the measures of the start; new ones are computed together."""
        texts = self.measures if measures is None else self.campaign.measure_texts(measures)
        known = {text: self._standings.find(text) for text in texts}
        new = [text for text, standing in known.items() if standing is None]
        if new:
            scores = self.campaign.scores(new)
            known |= {text: Standing(text, scores.only(measures=[text])) for text in new}
        return {text: self._standings.keep(text, each) for text, each in known.items() if each is not None}

    def standing(self, measure: str | None = None) -> Standing:
        """The standing by one measure, by default the first."""
        return next(iter(self.standings(measure or self.measures[:1]).values()))

    def copies(self, standing: Standing) -> dict[str, str]:
        """{run: the baseline, or else an earlier run, with the same values on all topics}."""
        rows = zip(standing.scores.runs, standing.values, strict=True)
        texts = {run: row.tobytes() for run, row in rows if not np.isnan(row).all()}
        originals: dict[bytes, str] = {}
        for run in sorted(texts, key=lambda run: self.shown_runs[run] != self.baseline):
            originals.setdefault(texts[run], run)
        return {run: originals[text] for run, text in texts.items() if originals[text] != run}

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Warnings about the runs."""
        return self.campaign.notes

    def queries(self, topics: Sequence[str], longest: int) -> dict[str, str]:
        """{topic: its query, cut to `longest` characters}; empty without texts of topics."""
        if self.topic_texts is None:
            return {}
        texts = self.topic_texts.get_many(topics)
        queries = {topic: printable(text.title or text.body) for topic, text in texts.items()}
        return {t: q if len(q) <= longest else f"{q[:longest]} …" for t, q in queries.items()}

    def unmatched(self, *, any_measure: bool = False) -> list[str]:
        """Warnings about labels that match no name, and about texts of other topics or documents.

        With `any_measure`, labels of measures not shown at first match, too.
        """
        campaign = self.campaign
        askable = filter(_is_measure, self.labels.written) if any_measure else ()
        names = (*campaign.runs, *campaign.topics, *self.measures, *(self.curves or ()), *askable)
        sentences = self.labels.unmatched(names)
        if self.topic_texts is not None:
            sentences += self.topic_texts.unmatched(campaign.topics)
        if self.document_texts is not None and campaign.has_judgments:
            sentences += self.document_texts.unmatched(campaign.qrels.sorted_docs, "document")
        return sentences

    def comparison(self, measure: str, baseline: str, test: Any = "t", correction: Any = None) -> Comparison:
        """All runs compared with a baseline; names are those in the files."""
        return self._comparisons.get(
            (measure, baseline, test, correction or ""),
            lambda: compare(
                self.standing(measure).scores,
                baseline=baseline,
                test=test,
                correction=correction,
                margin=self.margin,
            ),
        )

    def reference(self, standing: Standing, baseline: str | None = None) -> str:
        """The run to compare with: this baseline (a name to show), the session's, or the best."""
        chosen = self.baseline if baseline is None else baseline
        return self.run_called(chosen) if chosen else standing.order[0]

    def first_pair(self) -> list[str]:
        """The runs that the page compares at first, by their names to show, as `stateOf` in `views.js`."""
        standing = self.standing()
        copies = self.copies(standing)
        first = self.reference(standing)
        others = [run for run in standing.order if run != first]
        others.sort(
            key=lambda run: copies.get(run, run) == copies.get(first, first)
        )  # the best that is no copy
        pair = [first, *others[:1]]
        has_old = self.baseline is not None or not self.campaign.is_judged  # as `diff OLD NEW`
        return [self.shown_runs[run] for run in (pair if has_old else reversed(pair))]

    def run_called(self, shown: str) -> str:
        """The run of a name to show."""
        return self.runs[choice("run", shown, self.runs)]

    def topic_called(self, shown: str) -> str:
        """The topic of a name to show."""
        return self.topics[choice("topic", shown, self.topics)]


def _is_measure(text: str) -> bool:
    try:
        return bool(parse_all(text))
    except MeasureError:
        return False


@dataclass(frozen=True)
class Standing:
    """The scores of all runs by one measure, and what follows from them."""

    measure: str
    scores: Scores

    @cached_property
    def direction(self) -> int:
        """1 if higher is better, -1 if lower is, 0 if neither."""
        return self.scores.direction(self.measure)

    @property  # which would take as much memory as the scores
    def values(self) -> Floats:
        """(runs, topics); NaN where a value is undefined or infinite, or a topic does not count."""
        values = self.scores.values[:, 0]
        return np.where(self.scores.counted & np.isfinite(values), values, np.nan)

    @cached_property
    def means(self) -> dict[str, float]:
        """{run: mean}."""
        return {run: mean[self.measure] for run, mean in self.scores.mean().items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """{run: confidence interval of its mean}."""
        return {run: ends[self.measure] for run, ends in self.scores.interval(LEVEL).items()}

    @cached_property
    def places(self) -> tuple[Ints, Ints, Ints] | None:
        """(place, low, high) of each run; None for a measure without better or worse, or without values."""
        if not self.direction:
            return None
        try:
            places, low, high = place_intervals(self.scores)
        except InputError:  # no topic has a value for all runs
            return None
        return places[0], low[0], high[0]

    @cached_property
    def by_topic(self) -> tuple[Floats, Floats]:
        """(median, best) of the runs on each topic."""
        return self.median_and_best(self.values)

    def median_and_best(self, values: Floats) -> tuple[Floats, Floats]:
        """(median, best) in each column; NaN where no run has a value."""
        known = ~np.isnan(values).all(axis=0)
        median, best = np.full((2, values.shape[1]), np.nan)
        median[known] = np.nanmedian(values[:, known], axis=0)
        best[known] = (np.nanmin if self.direction < 0 else np.nanmax)(values[:, known], axis=0)
        return median, best

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The runs, the best (without a better direction, the highest) first."""
        way, means = self.direction or 1, self.means
        return tuple(sorted(means, key=lambda run: (math.isnan(means[run]), -way * means[run])))
