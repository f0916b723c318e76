"""The evaluator: judgments, runs and measures in, scores out.

`engines` read runs and order and join their documents; `engines.kernel` measures; values are gathered here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from rankgauge.engines import facts
from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import UNNAMED, RunInput, resolve_runs
from rankgauge.errors import InputError, MeasureError, RankgaugeError
from rankgauge.evaluation import DEEPEST_CURVE, KINDS, METHODS
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.language import parse_given
from rankgauge.measures.named_sets import CURVE, SEVERAL
from rankgauge.model.rules import ESTIMATOR, TARGET, Estimator, Reading, Target, refuse_correction
from rankgauge.model.scores import Scores
from rankgauge.schema.lazy import dependencies
from rankgauge.schema.options import choice, whole_number
from rankgauge.schema.parameters import Whole

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.engines.threads import Progress
    from rankgauge.model.curves import Curves
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.rules import DocumentOrder, Inputs, OfRuns

Names = Literal["canonical", "given"]  # under which results have measures
Measures = str | Measure | Iterable[str | Measure]


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Measures = SEVERAL,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    names: Names = "canonical",
    human_qrels: Any = None,
    human_topics: Any = None,
    estimator: Estimator = ESTIMATOR.default,
    target: Target = TARGET.default,
    **options: Unpack[Inputs],
) -> Scores:
    """The value of every measure for every run and judged topic.

    `qrels` is a path, a Qrels, a dict {topic: {document: grade}}, a frame, records with fields such as
    query_id, doc_id and relevance, or an array with a row per topic; `runs` is a path or pattern, a Run, or
    scores in one of these shapes, or {topic: [documents, best first]}; or a list or {name: run} of these.
    An array of integers is read as ids, best first (-1 for none), if judged documents are among them, none
    is called like a column (0, 1, ...), and there are not two or three columns; otherwise it is refused.

    The rules are keywords: `order`, `ties`, `score_precision` and `duplicates` decide how documents are
    ordered, `missing` and `undefined` which topics count. Formats and column names are inferred unless
    specified: `run_format`, `qrels_format`, `qrels_columns`, and
    `run_columns={"topic": "my_q", "doc": "my_d"}`. `grades={1: 0, 2: 1}` remaps
    grades first; None in place of a grade makes documents unjudged (`Qrels.of`).
    With `names="given"` results label measures as given: ndcg_cut_10, not nDCG@10.
    `collapse="prefix:#"` scores each document by its best passage in the runs: `regex:PATTERN`,
    `table:FILE`, a dict or a function map passages to documents, too, and `sum,prefix:#` adds up scores.

    With `human_qrels`, judgments of some topics in the same form, `qrels` are those of a language model, and
    the result is `CorrectedScores`: means are estimated from both. `human_topics` is a file of how these
    topics were drawn (`rankgauge pool --topics`), if by strata; `estimator` is "power-tuned" or "difference",
    and `target` is "like-these" or "these".

    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, "RR nDCG@10").mean()
    {'run': {'RR': 0.5, 'nDCG@10': 0.6309297535714575}}
    """
    evaluator = Evaluator(qrels, measures, names=names, **options)
    if human_qrels is None:
        refuse_correction(human_topics, estimator, target)
        return evaluator.evaluate(runs, threads=threads, progress=progress)
    inputs = evaluator.resolve(runs)
    human = Evaluator(human_qrels, measures, names=names, **options)
    corrected = KINDS.load("corrected")
    corrected.check(evaluator.qrels, human.qrels)
    llm, human_scores = (
        each.evaluate(inputs, threads=threads, progress=progress) for each in (evaluator, human)
    )
    correction: Any = {"human_topics": human_topics, "estimator": estimator, "target": target}
    scores: Scores = corrected.of(llm, human_scores, **correction)
    return scores


def evaluate_files(
    qrels: Any,
    runs: Iterable[str],
    measures: Measures = SEVERAL,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[Inputs],
) -> Scores:
    """The scores of runs in files; those of TREC files without importing NumPy."""
    scores = None
    if isinstance(qrels, str) and Reading.of(options).is_inferred:
        scores = evaluate_small(qrels, runs, measures, threads=threads, progress=progress, **options)
    if scores is not None:
        return scores
    return evaluate(qrels, runs, measures, threads=threads, progress=progress, **options)


def evaluate_small(
    qrels: str,
    runs: Iterable[str],
    measures: Measures,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[Inputs],
) -> Scores | None:
    """The scores by programs alone; None if these do not support files or measures, or find a mistake."""
    from rankgauge.engines.programs import FASTER
    from rankgauge.evaluation.program_back_end import is_small

    try:
        if not (FASTER and is_small(qrels)):
            return None
        evaluator = Evaluator(qrels, measures, back_end="programs", **options)
        return evaluator.evaluate([*runs], threads=threads, progress=progress)
    except (RankgaugeError, OSError):
        return None


def curves(
    qrels: Any,
    runs: Any,
    measures: Measures = CURVE,
    *,
    depth: Annotated[int, Whole(1, DEEPEST_CURVE), "the last rank"] = 100,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[Inputs],
) -> Curves:
    """Measures at every rank from 1 to `depth`, for every run and judged topic, with the ideal beside them.

    Takes the options of `evaluate`.

    >>> curves({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, "P", depth=3).mean()
    {'run': {'P': [0.0, 0.5, 0.3333333333333333]}}
    """
    parsed = parse_all(measures)
    check_curves(parsed, Reading.of(options).order, depth)  # before the judgments are read
    return Evaluator(qrels, parsed, **options).curves(runs, depth=depth, threads=threads, progress=progress)


def check_curves(measures: Iterable[Measure], order: DocumentOrder, depth: int) -> None:
    """Raise an error if there are no curves of these measures, to this depth."""
    whole_number("depth", depth, 1, DEEPEST_CURVE)
    order.require_one_order("curves follow")
    for measure in measures:
        if measure.cutoff is not None and measure.cutoff < depth:
            raise MeasureError(
                f"{measure} has a cutoff at rank {measure.cutoff}, and the curve goes down to {depth}; "
                f"leave out the cutoff, or use a depth of {measure.cutoff}"
            )


class Evaluator:
    """Judgments and measures, prepared once, for scoring run after run.

    Options are those of `evaluate`; how a run is read can also be stated for each.

    >>> evaluator = Evaluator({"q1": {"d1": 1}}, "RR nDCG@10")
    >>> evaluator.evaluate({"q1": {"d1": 0.2, "d2": 0.5}}).mean()
    {'run': {'RR': 0.5, 'nDCG@10': 0.6309297535714575}}
    """

    def __init__(
        self,
        qrels: Any,
        measures: Measures = SEVERAL,
        *,
        back_end: str = "arrays",
        names: Names = "canonical",
        **options: Unpack[Inputs],
    ) -> None:
        choice("names", names, get_args(Names))
        given = parse_given(measures)
        self.measures = tuple(dict.fromkeys(given.values()))
        # {name in the scores: canonical text}
        self._names = {text: str(measure) for text, measure in given.items()} if names == "given" else None
        self.reading = Reading.of(options)
        self.order, self.rules = self.reading.order, self.reading.topics
        needs_detail(self.measures, self.order)  # refuses combinations before the judgments are read
        of_qrels = self.reading.of_qrels
        if self.reading.grades is not None:
            from rankgauge.model.recoding import Recoding

            of_qrels["grades"] = Recoding.of(self.reading.grades)
        self.back_end: Any = _back_end(back_end)(self.measures, self.order, qrels, **of_qrels)
        self._provenance = facts.before_reading(
            given, self.order, self.rules, self.back_end.pools, self.back_end.qrels_facts
        )

    def __repr__(self) -> str:
        return (
            f"<Evaluator of {', '.join(map(str, self.measures))}: evaluate(runs), values(run), curves(runs)>"
        )

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        judgments: Qrels = self.back_end.qrels
        return judgments

    def evaluate(
        self,
        runs: Any,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        **of_runs: Unpack[OfRuns],
    ) -> Scores:
        """The scores of one or several runs, passed as to `rankgauge.evaluate`."""
        inputs = self.resolve(runs, **of_runs)
        return self.gather(inputs, self.back_end.read(inputs, threads, progress), readings=True)

    def values(self, run: Mapping[Any, Mapping[Any, float]]) -> dict[Any, dict[str, float]]:
        """{topic: {measure: value}} for one run {topic: {document: score}}, as in a loop over queries.

        The values are those of `evaluate`, for the judged topics of the run alone; NaN is undefined. There
        are no means, notes or provenance.

        >>> Evaluator({"q1": {"d1": 1}}, "RR").values({"q1": {"d1": 0.2, "d2": 0.5}})
        {'q1': {'RR': 0.5}}
        """
        if not isinstance(run, Mapping):
            kind = type(run).__name__
            raise InputError(f"expected one run as a dict {{topic: {{document: score}}}}, not {kind}")
        values: dict[Any, dict[str, float]] = self.back_end.values_of_dict(run)
        if self._names is None:
            return values
        return {t: {name: row[text] for name, text in self._names.items()} for t, row in values.items()}

    def resolve(self, runs: Any, **of_runs: Unpack[OfRuns]) -> list[RunInput]:
        """The runs to evaluate."""
        reading = self.reading._replace(**of_runs) if of_runs else self.reading
        return resolve_runs(runs, reading, getattr(self.back_end, "qrels", None))

    def evaluate_retrieved(
        self,
        inputs: Sequence[RunInput],
        retrieved: Sequence[RetrievedJudgments],
    ) -> Scores:
        """The scores of runs that were already read, with every judged document."""
        return self.gather(inputs, self.back_end.keep_needed(retrieved))

    def values_of_retrieved(self, retrieved: Sequence[RetrievedJudgments]) -> Any:
        """(runs, measures, topics): the values alone, of runs already read."""
        return self.back_end.values(retrieved)

    def curves(
        self,
        runs: Any,
        *,
        depth: int = 100,
        threads: int | None = None,
        progress: Progress | None = None,
        **of_runs: Unpack[OfRuns],
    ) -> Curves:
        """The measures of one or several runs at every rank down to `depth`."""
        check_curves(self.measures, self.order, depth)
        inputs = self.resolve(runs, **of_runs)
        return self._gather_curves(inputs, self.back_end.read(inputs, threads, progress), depth)

    def curves_of_retrieved(
        self, inputs: Sequence[RunInput], retrieved: Sequence[RetrievedJudgments], depth: int
    ) -> Curves:
        """The curves of runs that were already read, with every judged document."""
        check_curves(self.measures, self.order, depth)
        needed = self.back_end.keep_needed(retrieved)
        return self._gather_curves(inputs, needed, depth)

    def evaluate_scores(
        self, scores: Any, *, exclude: Mapping[Any, Any] | None = None, name: str = UNNAMED, **lists: Any
    ) -> Scores:
        """The scores of a matrix with a row per query, evaluated where it is: NumPy, torch, JAX, CuPy.

        `query_ids` are the ids of the rows, `doc_ids` those of the columns, or of each row. Queries and
        documents without ids are called 0, 1, 2, ... Lists of different lengths are rows with `lengths` or a
        `mask` (true for candidates), a list of arrays, or flat scores with `lengths` or with `indexes`, the
        number of the query of each. Documents of `exclude`, {query: documents}, are ranked as if they were
        not there.

        >>> Evaluator({"q1": {"d1": 1}}, "RR").evaluate_scores(
        ...     [[0.2, 0.5]], query_ids=["q1"], doc_ids=["d1", "d2"]
        ... ).mean()
        {'run': {'RR': 0.5}}
        """
        found: Scores = METHODS.load("evaluate_scores")(self, scores, exclude=exclude, name=name, **lists)
        return found

    def fixed(self, candidates: Any) -> Any:
        """Fixed candidates, whose scores are then evaluated again and again, as in training a re-ranker."""
        return METHODS.load("fixed")(self, candidates)

    def gather(
        self,
        inputs: Sequence[RunInput],
        retrieved: Sequence[RetrievedJudgments],
        *,
        readings: bool = False,
    ) -> Scores:
        """Measure runs and gather their values, with their provenance.

        With `readings`, it has facts on other readings of measures, unless all orders of ties count.
        """
        back_end = self.back_end
        measured = back_end.measure(retrieved, readings=readings and not self.order.over_orders)
        counted = back_end.table([self.rules.counts(run.retrieved) for run in retrieved])
        runs = {
            run.name: facts.run_facts(
                run,
                of_run,
                unjudged=facts.unjudged(self.measures, of_run),
                **facts.value_facts(self.measures, random, above),
            )
            for run, of_run, random, above in zip(
                inputs, retrieved, measured.random, measured.above_ideal, strict=True
            )
        }
        provenance = self._provenance._replace(measures=self._measure_facts(retrieved), runs=runs)
        scores = facts.gathered(
            back_end.topics, measured.values, counted, self.rules, provenance, measured.weights
        )
        if measured.readings:
            scores = self._on_readings(scores, measured.readings)
        return scores if self._names is None else scores.under(self._names)

    def _on_readings(self, scores: Scores, readings: Mapping[str, tuple[str, Any]]) -> Scores:
        by_measure = dict(scores.provenance.measures)
        for text, (reading, values) in readings.items():
            as_given = scores.only(measures=[text])
            means, others = (
                [of_run[text] for of_run in each.mean().values()]
                for each in (as_given, as_given._replace(values=values[:, None]))
            )
            found = facts.other_reading(reading, as_given.values[:, 0], values, means, others)
            by_measure[text] = by_measure[text]._replace(other_reading=found)
        return scores._replace(provenance=scores.provenance._replace(measures=by_measure))

    def _measure_facts(self, retrieved: Sequence[RetrievedJudgments]) -> Mapping[str, Any]:
        if not any(m.spec.needs.pads_to_longest or "ideal" in m.settings for m in self.measures):
            return self._provenance.measures
        longest = max(int(run.retrieved.max(initial=0)) for run in retrieved)
        pools, topics = self.back_end.pools, self.back_end.topics
        return {
            str(m): self._provenance.measure(str(m))._replace(
                **facts.list_lengths(m, longest, pools),
                unsolved=facts.without_exact_ideal(m, pools, topics),
            )
            for m in self.measures
        }

    def _gather_curves(
        self, inputs: Sequence[RunInput], retrieved: Sequence[RetrievedJudgments], depth: int
    ) -> Curves:
        from rankgauge.model.curves import Curves

        return Curves(
            runs=tuple(run.name for run in inputs),
            topics=self.back_end.topics,
            measures=tuple(map(str, self.measures)),
            values=self.back_end.curves(retrieved, depth),
            ideal=self.back_end.ideal_curves(depth),
            counted=self.back_end.table([self.rules.counts(run.retrieved) for run in retrieved]),
            rules=self.rules,
            averages={str(m): (m.average, m.spec.direction) for m in self.measures},
            retrieved=self.back_end.table([run.retrieved for run in retrieved]),
        )


def _back_end(name: str) -> Any:
    choice("back_end", name, ("arrays", "programs"))
    if name == "programs":
        from rankgauge.evaluation.program_back_end import ProgramBackEnd

        return ProgramBackEnd
    with dependencies():
        from rankgauge.evaluation.array_back_end import ArrayBackEnd

    return ArrayBackEnd
