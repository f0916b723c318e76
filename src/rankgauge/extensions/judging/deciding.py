"""Which of two runs is better, decided by judging as few documents as possible.

By a sum over documents such as DCG@10, two runs differ by

    D = Σ x(h),    x(h) = (weight at the rank in one run - weight at the rank in the other) gain(h) / topics,

so only documents at different ranks matter. Their grades h by people are expected from the labels of a
language model, and from how people judged documents with the same label. Documents are drawn one by one
from those left, R, with larger probabilities q where expectations may be further off, and judged. Each gives
an unbiased estimate of D from what was known before (Farquhar, Gal & Rainforth 2021):

    Z = Σ_{judged before} x(h) + Σ_R E x + (x(h) - E x) / q,

where the last term is of the document drawn. D is estimated by their mean, weighted by the inverse of the
variance expected of each. Its interval allows for a look after each batch: of the error α, α (labels /
budget)^1.5 is spent by then (Lan & DeMets 1983). Once all documents that matter are judged, D is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.campaigns.findings import Findings
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.extensions.judging.decisions import shown_grades
from rankgauge.extensions.judging.pooling import pool
from rankgauge.extensions.judging.sampled_measures import RATIOS, Estimable
from rankgauge.measures.settings import Measure
from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import check_level
from rankgauge.schema.lazy import required_module
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import counted

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
MEASURE = "DCG@10"
LOOK = ("judged", "difference", "low", "high", "verdict")
BATCH = 20
PRIOR = 4.0  # human grades that the expectation before any is worth, for each label
TRUST = 0.6  # share of them that is as the label; the others are spread over all grades
EVEN = 0.1  # share of q that does not depend on expectations
SPENDING = 1.5  # exponent
PATHS = 50_000  # simulated, for the limits of interim looks
LEAST = 10  # judgments for an interval
ROUNDING = 1e-10  # of the largest weight


class Interim(NamedTuple):
    """What is known of a difference after some batches."""

    judged: int  # documents of complete batches
    difference: float  # mean of the first run minus that of the second; NaN before the first batch
    low: float
    high: float
    verdict: str  # of the first run: "better", "worse", or "equivalent" within the margin; "" if undecided
    batch: dict[str, list[str]]  # {topic: documents to judge next}; empty if decided or the budget is spent
    asked: dict[str, list[str]]  # {topic: documents of all batches, with this one}
    left: float  # judgments that would decide if the estimate stays; NaN if unknown


START = Interim(0, math.nan, math.nan, math.nan, "", {}, {}, math.nan)


@dataclass(frozen=True, repr=False, eq=False)
class Decided(Findings):
    """The findings of a decision, with its numbers."""

    interim: Interim = START


def decide(
    llm_qrels: Any, runs: Any, human_qrels: Any = None, measure: str = MEASURE, **options: Any
) -> Decided:
    """Which of two runs is better, as far as human judgments decide, and the documents to judge next.

    Options are those of `Decision`.

    >>> runs = {"old": {"q1": ["d1", "d2"]}, "new": {"q1": ["d2", "d1"]}}
    >>> decide({"q1": {"d1": 0, "d2": 2}}, runs).interim.batch
    {'q1': ['d1', 'd2']}
    """
    return Decision(runs, llm_qrels, measure, **options).findings(human_qrels)


class Decision:
    """The difference between two runs by a sum over documents, decided by judging in batches.

    Means are over all topics that the language model labelled; documents without a label are taken for grade
    0. `grades` are those that people may give, besides the model's. Other options are those of `pool`.

    >>> runs = {"old": {"q1": ["d1", "d2"]}, "new": {"q1": ["d2", "d1"]}}
    >>> decision = Decision(runs, {"q1": {"d1": 0, "d2": 2}})
    >>> decision.after().batch
    {'q1': ['d1', 'd2']}
    >>> found = decision.after({"q1": {"d1": 0, "d2": 2}})
    >>> found.verdict, round(found.difference, 4)
    ('worse', -0.7381)
    """

    def __init__(
        self,
        runs: Any,
        llm_qrels: Any,
        measure: str | Measure = MEASURE,
        *,
        budget: int | None = None,
        batch: int = BATCH,
        margin: float | None = None,
        alpha: float = 0.05,
        seed: int = 0,
        grades: Iterable[float] = (),
        **options: Any,
    ) -> None:
        check_level(1 - alpha)
        if margin is not None and not (is_number(margin) and 0 < margin < math.inf):
            raise OptionError(f"margin must be a number above 0, not {margin!r}")
        self.alpha, self.margin, self.seed = alpha, margin, whole_number("seed", seed, 0)
        self.measure = sum_over_documents(measure)
        llm = Qrels.of(llm_qrels)
        documents = pool(runs, depth=self.measure.cutoff, **options)
        if len(documents.runs) != 2:
            raise OptionError(f"a decision is between two runs, and these are {len(documents.runs)}")
        self.runs: tuple[str, ...] = documents.runs
        documents = documents.of_topics(llm.sorted_topics)
        if not len(documents):
            raise InputError("the runs have no topic with labels of the language model")
        self.grades: Floats = np.unique([*np.arange(max(0.0, llm.levels[-1]) + 1), *llm.levels, *grades])
        by_rank, gains = worth(self.measure, int(documents.rank.max()), self.grades)
        sides = by_rank[documents.rank - 1] * np.where(documents.run == 0, 1.0, -1.0)
        weights = np.bincount(documents.doc, sides, len(documents)) / len(llm.sorted_topics)
        places = np.flatnonzero(np.abs(weights) > ROUNDING * np.abs(sides).max())
        if not len(places):
            raise InputError(f"{self.measure} of both runs is the same, whichever documents are relevant")
        self.worth: Floats = weights[places, None] * gains  # (documents, grades) x
        names = documents.docs.take(places).texts()
        topics = [documents.topics[number] for number in documents.topic[places].tolist()]
        self.documents = [*zip(topics, names, strict=True)]
        known = {topic: llm.grades_of(topic) for topic in documents.topics}
        labels = [known[topic].get(name, 0.0) for topic, name in self.documents]
        self.label: Ints = np.searchsorted(self.grades, labels)
        self.batch = whole_number("batch", batch)
        self.budget = min(len(places), whole_number("budget", budget or len(places)))

    def after(self, human_qrels: Any = None) -> Interim:
        """What these judgments say, and the documents to judge next.

        Only documents of complete batches count.
        """
        *_, last = self.looks(human_qrels)
        return last

    def looks(self, human_qrels: Any = None) -> Iterator[Interim]:
        """What is known before the first batch and after each complete one, until the decision."""
        grade = self._grades_of({} if human_qrels is None else Qrels.of(human_qrels).to_dict())
        steps: list[_Step] = []
        limits = _Limits(self.budget, self.alpha)
        found = START
        while True:
            drawn = [] if found.verdict else self._draw(steps, grade)
            batch = self._by_topic(step.place for step in drawn if grade[step.place] < 0)
            asked = self._by_topic(step.place for step in (*steps, *drawn))
            yield found._replace(batch=batch, asked=asked)
            if batch or not drawn:
                return
            steps += drawn
            found = self._interim(steps, grade, limits)

    def _by_topic(self, places: Iterable[int]) -> dict[str, list[str]]:
        """{topic: documents}, in an order that does not show when they were drawn."""
        found: dict[str, list[str]] = {}
        for topic, name in sorted(self.documents[place] for place in places):
            found.setdefault(topic, []).append(name)
        return found

    def findings(self, human_qrels: Any = None) -> Decided:
        """What is known in a sentence, the documents to judge next, and how the interval narrowed."""
        looks = [*self.looks(human_qrels)]
        last = looks[-1]
        batch = [(topic, document) for topic, documents in last.batch.items() for document in documents]
        settings = {
            name: getattr(self, name) for name in ("measure", "budget", "batch", "margin", "alpha", "seed")
        }
        return Decided(
            sentences=[*self.sentences(last)],
            tables={
                "batch": Table(("topic", "document"), batch),
                "looks": Table(LOOK, [look[:5] for look in looks[1:]]),
            },
            captions={
                "batch": "The documents to judge next." if batch else "Nothing is left to judge.",
                "looks": f"{self.runs[0]} minus {self.runs[1]} after each batch, with "
                f"{100 * (1 - self.alpha):g} % intervals that allow for these looks.",
            },
            title=f"{self.runs[0]} against {self.runs[1]}",
            data=[name for name, rows in (("batch", batch), ("looks", looks[1:])) if not rows],
            settings=settings,
            interim=last,
        )

    def sentences(self, found: Interim) -> Iterator[str]:
        """What is known, and what to do."""
        run, against = self.runs
        matter = f"{counted(len(self.documents), 'document')} can make a difference"
        if not found.judged:
            yield f"On {self.measure}, {matter} between {run} and {against}; none of a batch has been judged."
        else:
            numbers = f"{found.difference:.4f}"
            if not math.isnan(found.low):
                numbers += f" [{found.low:.4f}, {found.high:.4f}]"
            words = {
                "better": f"{run} is better than {against}",
                "worse": f"{run} is worse than {against}",
                "equivalent": f"{run} and {against} differ by less than {self.margin}",
                "": f"whether {run} is better than {against} is undecided",
            }
            yield (
                f"On {self.measure}, {words[found.verdict]}: the difference is {numbers} after "
                f"{counted(found.judged, 'judgment')} ({matter})."
            )
        if found.left > 0 and found.batch:
            yield f"About {counted(int(found.left), 'more judgment')} would decide if the estimate stayed."
        if found.batch:
            count = sum(map(len, found.batch.values()))
            yield f"Judge the {counted(count, 'document')} of the batch, and ask again."
        elif not found.verdict:
            yield f"The budget of {counted(self.budget, 'judgment')} is spent."

    def _grades_of(self, known: Mapping[str, Mapping[str, float]]) -> Ints:
        """(documents,) the number of the grade by people; -1 without."""
        grades = [known.get(topic, {}).get(name) for topic, name in self.documents]
        for (topic, name), grade in zip(self.documents, grades, strict=True):
            if grade is not None and grade not in self.grades:
                raise InputError(
                    f"topic {topic!r}, document {name!r}: grade {grade:g} is none of the labels' "
                    f"({shown_grades(self.grades.tolist())}); bring both onto one scale"
                )
        return np.array([-1 if each is None else np.searchsorted(self.grades, each) for each in grades])

    def _draw(self, steps: list[_Step], grade: Ints) -> list[_Step]:
        """The next batch, whose probabilities depend on the judgments of those before it."""
        count = min(self.batch, self.budget - len(steps))
        if not count:
            return []
        judged = [step.place for step in steps]
        left = np.ones(len(self.documents), dtype=np.bool_)
        left[judged] = False
        size = len(self.grades)
        counts = PRIOR * (TRUST * np.eye(size) + (1 - TRUST) / size)
        np.add.at(counts, (self.label[judged], grade[judged]), 1)
        share = (counts / counts.sum(axis=1, keepdims=True))[self.label]  # (documents, grades)
        expected = (share * self.worth).sum(axis=1)
        variance = (share * (self.worth - expected[:, None]) ** 2).sum(axis=1)
        spread, reach = np.sqrt(variance), np.ptp(self.worth, axis=1)
        weight = (1 - EVEN) * spread / spread[left].sum() + EVEN * reach / reach[left].sum()
        drawn = []
        for chance in np.random.default_rng([self.seed, len(steps)]).random(count).tolist():
            places = np.flatnonzero(left)
            q = weight[places] / weight[places].sum()
            at = min(int(np.searchsorted(np.cumsum(q), chance)), len(q) - 1)
            place = int(places[at])
            of_estimate = float((variance[places] * (1 / q - 1)).sum())
            drawn.append(_Step(place, q[at], expected[place], float(expected[places].sum()), of_estimate))
            left[place] = False
        return drawn

    def _interim(self, steps: list[_Step], grade: Ints, limits: _Limits) -> Interim:
        count = len(steps)
        added = np.array([self.worth[step.place, grade[step.place]] for step in steps])
        if count == len(self.documents):
            return self._decided(count, float(added.sum()), 0.0)
        _, q, expected, rest, variance = np.array(steps).T
        estimates = np.cumsum(added) - added + rest + (added - expected) / q
        weights = 1 / variance
        difference = float((weights * estimates).sum() / weights.sum())
        limit = limits.at(count, float(weights.sum()))
        if count < LEAST or math.isinf(limit):
            return self._decided(count, difference, math.nan)
        scale = (weights * (estimates - difference) ** 2).sum() / (count - 1)
        stdtrit, ndtr = (getattr(required_module("scipy.special"), name) for name in ("stdtrit", "ndtr"))
        limit = -stdtrit(count - 1, ndtr(-limit))
        return self._decided(count, difference, float(limit * math.sqrt(scale / weights.sum())))

    def _decided(self, judged: int, difference: float, half: float) -> Interim:
        low, high = difference - half, difference + half
        verdict = "better" if low > 0 else "worse" if high < 0 else ""
        if self.margin is not None and -self.margin < low and high < self.margin:
            verdict = "equivalent"
        left = math.nan
        if not verdict and difference and half > 0:
            left = math.ceil(judged * (half / difference) ** 2) - judged
        return Interim(judged, difference, low, high, verdict, {}, {}, left)


class _Step(NamedTuple):
    """A document drawn, and what was expected."""

    place: int
    q: float
    expected: float  # of what it adds
    rest: float  # expected of all documents left, and of this
    variance: float  # expected of the estimate


def sum_over_documents(measure: str | Measure) -> Measure:
    """The measure, if it is a sum of what single documents add."""
    found: Measure = Estimable().read(measure)
    if found.spec.name in RATIOS:
        raise MeasureError(f"{found} is no sum over documents; choose one, such as DCG@10 or P@10")
    return found


def worth(measure: Measure, depth: int, grades: Floats) -> tuple[Floats, Floats]:
    """((ranks,) weights, (grades,) gains): what a document adds to a value is their product."""
    places = [*range(1, depth + 1)]
    names = [*map(str, places)]
    top = float(grades[-1])
    qrels = {f"rank {place}": {str(place): top} for place in places}
    qrels |= {f"grade {grade:g}": {"1": grade} for grade in grades.tolist()}
    values = evaluate(qrels, {"": dict.fromkeys(qrels, names)}, [measure]).to_dict()[""]
    (of_topic,) = values.values()
    weights = np.array([of_topic[f"rank {place}"] for place in places])
    gains = np.array([of_topic[f"grade {grade:g}"] for grade in grades.tolist()])
    if not gains[-1]:
        raise InputError(f"{measure} finds nothing in grade {top:g}, the highest of the labels")
    return weights, gains / gains[-1]


class _Limits:
    """The limits of a standardised estimate at successive looks, by simulation."""

    def __init__(self, budget: int, alpha: float) -> None:
        self.budget, self.alpha, self.spent, self.weight = budget, alpha, 0.0, 0.0
        self.source = np.random.default_rng(0)
        self.sums = np.zeros(PATHS)  # of the paths within all limits so far

    def at(self, judged: int, weight: float) -> float:
        """The limit after so many judgments, whose estimates have this weight together."""
        more = math.sqrt(max(weight - self.weight, 0.0))
        self.sums += more * self.source.standard_normal(len(self.sums))
        self.weight = weight
        size = np.abs(self.sums) / math.sqrt(weight)
        beyond = round((self.alpha * (judged / self.budget) ** SPENDING - self.spent) * PATHS)
        limit = float(np.partition(size, -beyond)[-beyond]) if beyond else math.inf
        self.spent += beyond / PATHS
        self.sums = self.sums[size < limit]
        return limit
