"""A campaign: judgments and runs, each read once, or only their scores."""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.campaigns.leaderboard import Leaderboard, json_table
from rankgauge.campaigns.options import MEASURES
from rankgauge.campaigns.selection import BY, select
from rankgauge.engines.assembly import assemble, batches, blocks, longest, numbers_in_topics
from rankgauge.engines.facts import notes_on, source_of
from rankgauge.engines.local.document_ranks import TopicRanking, TopicRankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput, load_run, resolve_runs
from rankgauge.engines.threads import Progress, available
from rankgauge.errors import InputError
from rankgauge.evaluation import KINDS
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.language import lookup
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.model.curves import Curves
from rankgauge.model.notes import on_dropped
from rankgauge.model.output.labels import Labels
from rankgauge.model.provenance import MeasureFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import (
    ESTIMATOR,
    TARGET,
    DocumentOrder,
    Estimator,
    Inputs,
    Reading,
    RunInputs,
    Target,
)
from rankgauge.model.run import Run
from rankgauge.model.score_files import EXTENSIONS
from rankgauge.model.score_tables import TableColumns, is_nested
from rankgauge.model.score_values import find_places
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import read_judgments
from rankgauge.schema.options import choice

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.model.output.labels import LabelsLike


S = TypeVar("S", bound=Scores)


def scores_of(source: Any) -> Scores:
    """Scores unchanged, from a saved file, or from anything that `Scores.from_table` takes.

    A file or frame of the means of runs alone is a `Leaderboard`.
    """
    if isinstance(source, Scores):
        return source
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in EXTENSIONS:
        try:
            return Scores.load(source)
        except InputError:
            if Path(source).suffix.lower() != ".json" or json_table(source) is None:
                raise
            return means_of(source)
    table = source if is_nested(source) else TableColumns.of(source)
    if isinstance(table, TableColumns) and table.has_only_means:
        return means_of(table)
    return _with_known_measures(Scores.from_table(table))


def means_of(source: Any) -> Leaderboard:
    """The means of runs, from anything that `Leaderboard.of` takes."""
    return _with_known_measures(source if isinstance(source, Leaderboard) else Leaderboard.of(source))


def _with_known_measures(scores: S) -> S:
    """The scores with the canonical texts and descriptions of known measures."""
    measures = {name: lookup(name) for name in scores.measures}
    texts = tuple(name if measure is None else str(measure) for name, measure in measures.items())
    if len({*texts}) < len(texts):  # two names for one measure: both stay as they are
        return scores
    known = {str(measure): MeasureFacts.of(measure) for measure in measures.values() if measure}
    return scores._replace(measures=texts, provenance=scores.provenance._replace(measures=known))


def needs_subtopics(measures: str | Measure | Iterable[str | Measure] | None) -> bool:
    """Whether a measure needs judgments by subtopic."""
    return measures is not None and any(measure.spec.needs.subtopics for measure in parse_all(measures))


class Campaign:
    """Judgments and runs, with the rules for order and topics; each run is read once.

    Judgments, runs and options are those of `rankgauge.evaluate`; with human judgments of some topics, scores
    are `CorrectedScores`. Studies of judgments alone need no runs.

    >>> campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 0.2}}, "b": {"q1": {"d2": 0.5}}})
    >>> campaign.runs, campaign.topics
    (('a', 'b'), ('q1',))
    >>> campaign.scores("RR").mean()
    {'a': {'RR': 1.0}, 'b': {'RR': 0.0}}
    """

    progress: Progress | None = None  # called by long studies, with steps done and in total
    _human: Campaign | None = None  # the runs by human judgments of some topics, which correct means
    _correction: Mapping[str, Any] = {}  # options of `CorrectedScores.of`

    def __init__(
        self,
        qrels: Any,
        runs: Any = None,
        *,
        by_subtopic: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
        human_qrels: Any = None,
        human_topics: Any = None,
        estimator: Estimator = ESTIMATOR.default,
        target: Target = TARGET.default,
        **options: Unpack[Inputs],
    ) -> None:
        reading = Reading.of(options)
        self.order, self.rules = reading.order, reading.topics
        self.threads = available(threads)
        self._qrels: Qrels | None = read_judgments(qrels, by_subtopic=by_subtopic, **reading.of_qrels)
        self._source = source_of(qrels)
        self._inputs = [] if runs is None else resolve_runs(runs, reading, self._qrels)
        self._hits = self._read(self._qrels, progress)
        self._scores: Scores | None = None
        self._selected: dict[str, Any] = {}
        if human_qrels is not None:
            judged = read_judgments(human_qrels, by_subtopic=by_subtopic, **reading.of_qrels)
            KINDS.load("corrected").check(self._qrels, judged)
            self._human = self.read_again(judged)
            self._human._source = source_of(human_qrels)
            self._correction = {"human_topics": human_topics, "estimator": estimator, "target": target}

    @classmethod
    def of_runs(
        cls,
        runs: Any,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        **options: Unpack[RunInputs],
    ) -> Campaign:
        """A campaign without judgments, with all topics of the runs.

        >>> campaign = Campaign.of_runs({"a": {"q1": ["d1"]}, "b": {"q2": ["d1"]}})
        >>> campaign.topics, campaign.is_judged
        (('q1', 'q2'), False)
        """
        reading = Reading.of(options, RunInputs)
        inputs = resolve_runs(runs, reading)
        topics = [topic for run in inputs for topic in load_run(run.open(), reading.order).topics]
        rules: Any = {**reading.order.as_dict(), **reading.topics.as_dict()}
        return cls(Qrels.unjudged(topics), inputs, threads=threads, progress=progress, **rules)

    def _read(self, qrels: Qrels, progress: Progress | None = None) -> list[RetrievedJudgments]:
        # Every judged document is kept, with scores and ties, for whichever measure may need it later.
        engine = LocalEngine(qrels, self.order, detail=True)
        return read_runs(engine, self._inputs, self.threads, progress) if self._inputs else []

    @classmethod
    def of_scores(cls, source: Any, *, threads: int | None = None) -> Campaign:
        """A campaign of scores alone, for studies that need no more.

        The source is `Scores`, a file that `Scores.save` or `rankgauge evaluate -q` wrote, or any table that
        `Scores.from_table` takes. A file or frame of means alone is read as by `of_means`.

        >>> Campaign.of_scores({"a": {"AP": {"t1": 0.5}}, "b": {"AP": {"t1": 0.25}}}).runs
        ('a', 'b')
        """
        return cls._of(scores_of(source), threads)

    @classmethod
    def of_means(cls, source: Any, *, threads: int | None = None) -> Campaign:
        """A campaign of means alone, such as a published leaderboard, for studies that need no topics.

        The source is a CSV, TSV or JSON file or a frame, with a column of runs and one for each measure (or
        columns of runs, measures and values), or a dict {run: {measure: mean}}.

        >>> Campaign.of_means({"a": {"AP": 0.25, "RR": 0.5}, "b": {"AP": 0.2, "RR": 0.4}}).topics
        ()
        """
        return cls._of(means_of(source), threads)

    @classmethod
    def _of(cls, scores: Scores, threads: int | None) -> Campaign:
        campaign = cls.__new__(cls)
        campaign.order, campaign.rules, campaign.threads = DocumentOrder(), scores.rules, available(threads)
        campaign._qrels, campaign._source, campaign._hits = None, "", []
        campaign._inputs = [RunInput(run, "scores") for run in scores.runs]
        campaign._scores, campaign._selected = scores, {}
        return campaign

    @classmethod
    def of(cls, source: Any) -> Campaign:
        """The campaign of a source: a campaign itself, scores, or a file of scores."""
        if isinstance(source, cls):
            return source
        if isinstance(source, (Scores, str, os.PathLike)):
            return cls.of_scores(source)
        raise InputError(f"a study takes a Campaign(qrels, runs) or Scores, not {type(source).__name__}")

    def steps(self, total: int) -> Callable[[], None]:
        """A function that a long study calls after each step, to show progress."""
        number = itertools.count(1)

        def step() -> None:
            if self.progress:
                self.progress(next(number), total)

        return step

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self._inputs)

    @property
    def source(self) -> str:
        """Where the judgments come from: their path, or the type of an object in memory."""
        return self._source

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """The runs, to be read again; `rankgauge.assessment.pool` takes them like files."""
        return tuple(self._inputs)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on duplicate judgments, and on runs that are copies or have hardly any judged document."""
        dropped = 0 if self._qrels is None else self._qrels.dropped
        runs = notes_on(self._inputs, self._hits) if self._hits else ()
        return (*on_dropped("the judgments", dropped, self.order.duplicates), *runs)

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, ascending as bytes; none if only means are known."""
        return self._scores.topics if self._scores is not None else self.qrels.sorted_topics

    @property
    def has_judgments(self) -> bool:
        """Whether any measure can be computed, or only scores are known."""
        return self._qrels is not None

    @property
    def is_judged(self) -> bool:
        """Whether any document is judged, or scores are known."""
        return self._qrels is None or len(self._qrels) > 0

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        if self._qrels is None:
            only = "scores" if self.topics else "means of runs"
            raise InputError(
                f"this needs judgments and rankings, and the campaign has only {only}; "
                "pass judgments and runs"
            )
        return self._qrels

    @property
    def hits(self) -> list[RetrievedJudgments]:
        """The judged documents that each run retrieved."""
        self.qrels  # noqa: B018  # raises an error for a campaign of scores
        return self._hits

    @property
    def settings(self) -> dict[str, Any]:
        """The campaign's size and rules, as settings of findings."""
        if self._scores is not None:
            choices = self._scores.provenance.choices
        else:
            recoding = {"grades": self.qrels.recoding} if self.qrels.recoding else {}
            choices = recoding | self.order.as_dict() | self.rules.as_dict()
        return {"runs": len(self.runs), **self._selected, "topics": len(self.topics) or None, **choices}

    def require_topics(self, what: str) -> None:
        """Refuse a campaign of means for what needs the values of topics."""
        if not self.topics:
            raise InputError(
                f"{what} needs the values of topics, and there are only means of runs; pass judgments and "
                "runs, or scores with all topics (`rankgauge evaluate -q` writes them)"
            )

    def scores(self, measures: str | Measure | Iterable[str | Measure] | None = None) -> Scores:
        """The scores of all runs, on one or several measures.

        None means all measures of a campaign of scores, or else a handful of well-known ones.
        """
        if self._scores is not None:
            return self._scores.only(measures=self.measure_texts(measures))
        evaluator = self._evaluator(self.measure_texts(measures))
        scores = evaluator.evaluate_retrieved(self._inputs, self._hits)
        # The evaluator gets judgments that have been read, and does not know their file.
        qrels = scores.provenance.qrels._replace(source=self._source)
        scores = scores._replace(provenance=scores.provenance._replace(qrels=qrels))
        if self._human is None:
            return scores
        human = self._human.scores(scores.measures)
        corrected: Scores = KINDS.load("corrected").of(scores, human, **self._correction)
        return corrected

    def values(self, measures: str | Measure | Iterable[str | Measure]) -> npt.NDArray[np.float64]:
        """(runs, measures, topics): the values of `scores` alone, in less time."""
        if self._scores is not None:
            return np.asarray(self.scores(measures).values)
        values: npt.NDArray[np.float64] = self._evaluator(measures).values_of_retrieved(self._hits)
        return values

    def curves(self, measures: str | Measure | Iterable[str | Measure], *, depth: int = 100) -> Curves:
        """Measures at every rank down to `depth`, for all runs."""
        return self._evaluator(measures).curves_of_retrieved(self._inputs, self._hits, depth)

    def _evaluator(self, measures: str | Measure | Iterable[str | Measure]) -> Evaluator:
        rules: dict[str, Any] = self.order.as_dict() | self.rules.as_dict()
        return Evaluator(self.qrels, measures, **rules)

    def measure_texts(
        self, measures: str | Measure | Iterable[str | Measure] | None = None
    ) -> tuple[str, ...]:
        """The texts of the measures that `scores` has; scores may have measures of any name."""
        if self._scores is not None:
            known = self._scores.measures
            if measures is None:
                return known
            measures = [measures] if isinstance(measures, (str, Measure)) else [*measures]
            for texts in (measures, [text for each in measures for text in str(each).split()]):
                if {*map(str, texts)} <= {*known}:
                    return tuple(map(str, texts))
        return tuple(map(str, parse_all(MEASURES if measures is None else measures)))

    def rankings(self) -> Iterator[tuple[slice, slice, JudgedRankings]]:
        """(runs, topics, their judged rankings), block by block; run by run within a block."""
        qrels, most, docs = self.qrels, self.longest, numbers_in_topics(self.qrels)
        for first, last, pool in blocks(qrels):
            for some in batches(self._hits, first, last, pool):
                rankings = assemble(self._hits[some], first, last, qrels.sorted_grades, pool, most, docs)
                yield some, slice(first, last), rankings

    @cached_property
    def topic_rankings(self) -> TopicRankings:
        """The rankings of all runs, read one topic at a time."""
        return TopicRankings(self._inputs, self.order.require_one_order("a ranking shows"))

    def ranking(self, run: str, topic: str) -> TopicRanking:
        """All documents of one topic of a run, judged or not, in rank order; read from its file now.

        >>> Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 0.2, "d2": 0.5}}}).ranking("a", "q1").texts
        ['d2', 'd1']
        """
        self.qrels  # noqa: B018  # raises an error for a campaign of scores
        choice("run", run, self.runs)
        return self.topic_rankings.read(run, topic)

    @property
    def longest(self) -> int:
        """The length of the longest ranking."""
        return longest(self._hits)

    def _with(self, **changes: Any) -> Campaign:
        """The campaign with some attributes changed."""
        other = copy.copy(self)
        vars(other).update(changes)
        return other

    def _with_inputs(self, inputs: list[RunInput], **changes: Any) -> Campaign:
        other = self._with(_inputs=inputs, **changes)
        vars(other).pop("topic_rankings", None)  # which knows runs by their names here
        return other

    def only(self, runs: Iterable[str]) -> Campaign:
        """The campaign with only these runs, in this order."""
        runs = list(runs)
        places = find_places("run", runs, self.runs)
        return self._with(
            _inputs=[self._inputs[place] for place in places],
            _hits=[self._hits[place] for place in places] if self._hits else [],
            _scores=self._scores and self._scores.only(runs=runs),
            _human=self._human and self._human.only(runs),
        )

    def with_run(self, run: Run) -> Campaign:
        """The campaign with one more run; the others are not read again."""
        one = self._with(_inputs=resolve_runs([run]))
        return self._with_inputs(
            [*self._inputs, *one._inputs],
            _hits=[*self._hits, *one._read(self.qrels)],
            _human=self._human and self._human.with_run(run),
        )

    def labelled(self, labels: LabelsLike) -> Campaign:
        """The campaign with labels, a dict or a file, in place of the names of runs."""
        names = Labels.read(labels).distinct("runs", self.runs)
        return self._with_inputs(
            [run._replace(name=name) for run, name in zip(self._inputs, names, strict=True)],
            _scores=self._scores and self._scores._replace(runs=names),
            _human=self._human and self._human.labelled(labels),
        )

    def select(
        self, *, top: Any = None, teams: Any = None, by: str = BY, setting: str | None = None
    ) -> Campaign:
        """The campaign with the runs that `rankgauge.campaigns.selection.select` selects by their means."""
        measure = BY if setting else by
        names = select(self.scores(measure), top=top, teams=teams, by=by, setting=setting)
        selection = {"top": top, "by": measure, "teams": teams, "setting": setting, "of": len(self.runs)}
        selected = {f"selected_{key}": value for key, value in selection.items() if value is not None}
        return self.only(names)._with(_selected=selected)

    def judged_by(self, kept: npt.NDArray[np.bool_]) -> Campaign:
        """The campaign with only some of its judgments; no run is read again.

        `kept` has a truth value for each of `qrels.sorted_grades`. A topic without any judgment left stays.
        """
        number = np.cumsum(kept) - 1
        hits = [run.only(kept[run.judgment], number) for run in self._hits]
        return self._with(_qrels=self.qrels.only(kept), _hits=hits)

    def read_again(self, qrels: Qrels) -> Campaign:
        """The campaign with other judgments, of any documents and topics: its runs are read again."""
        return self._with(_qrels=qrels, _hits=self._read(qrels))

    def judged_as(self, qrels: Qrels) -> Campaign:
        """The campaign with other judgments of its topics; no run is read again.

        They may only judge documents of `self.qrels`: no others were looked up in the runs.
        """
        if qrels.sorted_topics != self.topics:
            raise InputError("the judgments and the campaign have different topics")
        topic = np.repeat(np.arange(len(self.topics)), np.diff(qrels.starts))
        places = self.qrels.judgments().lookup(topic, qrels.sorted_docs.data, qrels.sorted_docs.offsets)
        place = np.frombuffer(places, dtype=np.int64)
        if (place < 0).any():
            doc = qrels.sorted_docs.texts()[int((place < 0).argmax())]
            raise InputError(f"document {doc!r} is judged, but was not looked up in the runs")
        number = np.full(len(self.qrels.sorted_grades), -1)
        number[place] = np.arange(len(place))
        hits = [run.only(number[run.judgment] >= 0, number) for run in self._hits]
        return self._with(_qrels=qrels, _hits=hits)
