"""A campaign as studies see it: judgments and runs, each read once, or only their scores."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.engines.facts import source_of
from rankgauge.engines.judged_runs import Progress, blocks, numbers_in_topics, read_hits
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments, assemble, batches, longest
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import Measure, parse_all
from rankgauge.model.curves import Curves
from rankgauge.model.document_order import DUPLICATES, ORDER, SCORE_PRECISION, TIES, DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores, chosen_places
from rankgauge.model.topic_rules import MISSING, UNDEFINED, TopicRules
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.schema.checks import choice
from rankgauge.studies.numerics.score_tables import scores_of
from rankgauge.studies.parameters import MEASURES
from rankgauge.studies.selection import BY, SETTINGS, select


class Campaign:
    """Judgments and runs, with the rules for order and topics; a run is read once, whatever is asked of it.

    Judgments, runs and options are given as to `rankgauge.evaluate`.

    >>> campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 0.2}}, "b": {"q1": {"d2": 0.5}}})
    >>> campaign.runs, campaign.topics
    (('a', 'b'), ('q1',))
    >>> campaign.scores("RR").mean()
    {'a': {'RR': 1.0}, 'b': {'RR': 0.0}}
    """

    def __init__(
        self,
        qrels: Any,
        runs: Any,
        *,
        order: str = ORDER.default,
        ties: str = TIES.default,
        score_precision: str = SCORE_PRECISION.default,
        duplicates: str = DUPLICATES.default,
        missing: str = MISSING.default,
        undefined: str = UNDEFINED.default,
        threads: int | None = None,
        progress: Progress | None = None,
        run_format: str | None = None,
        qrels_format: str | None = None,
        run_columns: Mapping[str, str] | None = None,
        qrels_columns: Mapping[str, str] | None = None,
    ) -> None:
        self.order = DocumentOrder(order, ties, score_precision, duplicates)
        self.rules = TopicRules(missing, undefined)
        self.threads = available(threads)
        self._qrels: Qrels | None = Qrels.of(
            qrels, format=qrels_format, columns=qrels_columns, duplicates=duplicates
        )
        self._source = source_of(qrels)
        self._given = resolve_runs(runs, run_format, run_columns)
        # All that is judged is told, with scores and ties: no measure that is asked for later needs more.
        engine = LocalEngine(self._qrels, self.order, detail=True)
        self._hits: list[RetrievedJudgments] = read_hits(engine, self._given, threads, progress)
        self._made: Scores | None = None
        self._selected: dict[str, Any] = {}

    @classmethod
    def of_scores(cls, source: Any, *, threads: int | None = None) -> Campaign:
        """A campaign of which the scores alone are known, for studies that need no more.

        They are given as `Scores`, as a file that `Scores.save` or `rankgauge evaluate -q` wrote, or as any
        table that `Scores.from_table` takes.

        >>> Campaign.of_scores({"a": {"AP": {"t1": 0.5}}, "b": {"AP": {"t1": 0.25}}}).runs
        ('a', 'b')
        """
        scores = scores_of(source)
        campaign = cls.__new__(cls)
        campaign.order, campaign.rules, campaign.threads = DocumentOrder(), scores.rules, available(threads)
        campaign._qrels, campaign._source, campaign._hits = None, "", []
        campaign._given = [RunInput(run, "scores") for run in scores.runs]
        campaign._made, campaign._selected = scores, {}
        return campaign

    @classmethod
    def of(cls, source: Any) -> Campaign:
        """The campaign of whatever is one: itself, scores, or a file of scores."""
        if isinstance(source, cls):
            return source
        if isinstance(source, (Scores, str, os.PathLike)):
            return cls.of_scores(source)
        raise InputError(f"a study takes a Campaign(qrels, runs), or Scores, not {type(source).__name__}")

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self._given)

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, ascending as bytes."""
        return self._made.topics if self._made else self.qrels.sorted_topics

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        if self._qrels is None:
            raise InputError(
                "this study looks at judgments and rankings, and only scores were given; "
                "give it judgments and runs"
            )
        return self._qrels

    @property
    def hits(self) -> list[RetrievedJudgments]:
        """The judged documents that each run found, all of them told."""
        self.qrels  # noqa: B018  # says why, if there are none
        return self._hits

    @property
    def settings(self) -> dict[str, Any]:
        """What findings say of the campaign: its size and its rules."""
        rules = self._made.provenance.options if self._made else self.order.as_dict() | self.rules.as_dict()
        return {"runs": len(self.runs), **self._selected, "topics": len(self.topics), **rules}

    def scores(self, measures: str | Measure | Iterable[str | Measure] | None = None) -> Scores:
        """The scores of all runs, by a measure's text or several.

        None stands for all measures that scores were given for, or for a handful of well-known ones.
        """
        if self._made is not None:
            return self._made.only(measures=self.named(measures))
        scores = self._evaluator(self.named(measures)).of_hits(self._given, self._hits)
        # an evaluator is given judgments that are read, and knows nothing of their file
        known = replace(scores.provenance, qrels={**scores.provenance.qrels, "source": self._source})
        return replace(scores, provenance=known)

    def curves(self, measures: str | Measure | Iterable[str | Measure], *, depth: int = 100) -> Curves:
        """Measures at every rank down to `depth`, for all runs."""
        return self._evaluator(measures).curves_of_hits(self._given, self._hits, depth)

    def _evaluator(self, measures: str | Measure | Iterable[str | Measure]) -> Evaluator:
        rules: dict[str, Any] = self.order.as_dict() | self.rules.as_dict()
        return Evaluator(self.qrels, measures, **rules)

    def named(self, measures: str | Measure | Iterable[str | Measure] | None = None) -> tuple[str, ...]:
        """The texts of the measures that `scores` would have."""
        if self._made is not None and measures is None:
            return self._made.measures
        return tuple(map(str, parse_all(MEASURES if measures is None else measures)))

    def rankings(self) -> Iterator[tuple[slice, slice, JudgedRankings]]:
        """(runs, topics, their judged rankings), block by block; one run's topics after the other's."""
        qrels, most, docs = self.qrels, self.longest, numbers_in_topics(self.qrels)
        for first, last, pool in blocks(qrels):
            for some in batches(self._hits, first, last, pool):
                rankings = assemble(self._hits[some], first, last, qrels.sorted_grades, pool, most, docs)
                yield some, slice(first, last), rankings

    @property
    def longest(self) -> int:
        """How many documents the longest list has."""
        return longest(self._hits)

    def only(self, runs: Iterable[str]) -> Campaign:
        """The campaign with these runs alone, in this order."""
        runs = list(runs)
        places = chosen_places("run", runs, self.runs)
        chosen = copy.copy(self)
        chosen._given = [self._given[place] for place in places]
        chosen._hits = [self._hits[place] for place in places] if self._hits else []
        chosen._made = self._made and self._made.only(runs=runs)
        return chosen

    def select(
        self, *, top: Any = None, teams: Any = None, by: str = BY, setting: str | None = None
    ) -> Campaign:
        """The campaign with the runs that `rankgauge.studies.selection.select` selects by their means."""
        named = SETTINGS[choice("setting", setting, SETTINGS)].by if setting else by
        names = select(self.scores(named), top=top, teams=teams, by=by, setting=setting)
        chosen = self.only(names)
        said = {"top": top, "by": named, "teams": teams, "setting": setting, "of": len(self.runs)}
        chosen._selected = {f"selected_{key}": value for key, value in said.items() if value is not None}
        return chosen

    def judged_by(self, kept: npt.NDArray[np.bool_]) -> Campaign:
        """The campaign as if only some of its judgments had been made; no run is read again.

        `kept` has a truth value for each of `qrels.sorted_grades`. A topic that has none left stays.
        """
        reduced = copy.copy(self)
        reduced._qrels = self.qrels.only(kept)
        number = np.cumsum(kept) - 1
        reduced._hits = [run.only(kept[run.judgment], number) for run in self._hits]
        return reduced

    def judged_as(self, qrels: Qrels) -> Campaign:
        """The campaign under other judgments of its topics; no run is read again.

        Only documents that `self.qrels` has as well have been looked for in the runs.
        """
        if qrels.sorted_topics != self.topics:
            raise InputError("the judgments are of other topics than those of the campaign")
        topic = np.repeat(np.arange(len(self.topics)), np.diff(qrels.starts))
        known = self.qrels.judgments().lookup(topic, qrels.sorted_docs.data, qrels.sorted_docs.offsets)
        place = np.frombuffer(known, dtype=np.int64)
        if (place < 0).any():
            doc = qrels.sorted_docs.texts()[int((place < 0).argmax())]
            raise InputError(f"document {doc!r} is judged, and has not been looked for in the runs")
        number = np.full(len(self.qrels.sorted_grades), -1)
        number[place] = np.arange(len(place))
        other = copy.copy(self)
        other._qrels = qrels
        other._hits = [run.only(number[run.judgment] >= 0, number) for run in self._hits]
        return other
