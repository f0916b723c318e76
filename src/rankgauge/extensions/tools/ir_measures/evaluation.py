"""Values of ir_measures' measures, computed by rankgauge.

A measure is any object with `NAME`, `params` and `aggregator`, of this package or of ir_measures. There,
another program computes each measure by its own definition (pytrec_eval, gdeval, cwl_eval, ndeval, ...); the
parameters that make ours agree are set here alone.
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankgauge.errors import InputError, MeasureError, NoCommonTopic
from rankgauge.evaluation.evaluator import Evaluator as Evaluation
from rankgauge.measures import Measure, find
from rankgauge.measures.settings import build
from rankgauge.model.rules import Rules
from rankgauge.model.subtopics import read_judgments
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns


DEEPEST_OF_CWL = 1000  # the last rank that ir_measures lets cwl_eval see
HIGHEST_OF_GDEVAL = 4  # the highest grade of its scale, whatever the judgments have
SKIPPING = ("Accuracy",)  # topics without a value are left out of their mean; otherwise they count as 0

Settings = dict[str, Any]


def translate(measure: Any, levels: Iterable[float] = ()) -> Measure:
    """Our measure with the value of theirs; `levels` are the grades of the judgments, for maps of them."""
    ours = getattr(measure, "OF_RANKGAUGE", False)  # see `registration`
    if not ours and measure.NAME not in TRANSLATED:
        raise MeasureError(f"ir_measures' measure {measure} is not known here")
    settings = {name: value for name, value in measure.params.items() if value is not None}
    cutoff = settings.pop("cutoff", None)
    name, deepest, settle = (measure.NAME, None, None) if ours else TRANSLATED[measure.NAME]
    settings = settle(settings, levels) if settle else settings
    name = settings.pop("measure", name)
    return build(find(name), settings, deepest if cutoff is None else cutoff)


def _completed(settings: Settings, levels: Iterable[float]) -> Settings:
    """The map of nDCG from grade to gain, completed by the grades that it lacks."""
    if "gains" not in settings:
        return settings
    if settings.get("dcg") == "exp-log2":
        raise MeasureError("nDCG: gains= and dcg='exp-log2' exclude each other; map grades to 2**grade - 1")
    gains = {level: level for level in levels if level > 0}
    gains.update({grade: max(gain, 0) for grade, gain in settings["gains"].items()})
    return {**settings, "gains": gains}


def _scaled(settings: Settings, levels: Iterable[float]) -> Settings:
    """Gains from 0 at the grade min_rel to 1 at max_rel."""
    least, most = settings.pop("min_rel", 0), settings.get("max_rel")
    if not least or most is None:
        return settings
    if least >= most:
        raise MeasureError(f"min_rel={least} must be below max_rel={most}")
    grades = {max(level, 0) for level in levels}
    if grades and max(grades) > most:
        raise MeasureError(f"the judgments have grade {format_number(max(grades))}, above max_rel={most}")
    gains = {grade: max(grade - least, 0) for grade in sorted({*grades, most})}
    return {**{name: value for name, value in settings.items() if name != "max_rel"}, "gains": gains}


def _setting(**fixed: Any) -> Callable[[Settings, Iterable[float]], Settings]:
    return lambda settings, _: {**fixed, **settings}


def _set_f(settings: Settings, _: Iterable[float]) -> Settings:
    """trec_eval's parameter, which ir_measures passes on as beta, is beta squared."""
    beta = settings.get("beta", 1.0)
    return {**settings, "beta": math.sqrt(beta) if beta > 0 else beta}  # below 0, it is refused


def _set_p(settings: Settings, _: Iterable[float]) -> Settings:
    relative = settings.pop("relative", False)
    return {**settings, "measure": "RelP"} if relative else settings


def _num_ret(settings: Settings, _: Iterable[float]) -> Settings:
    return {**settings, "measure": "NumRelRet"} if "rel" in settings else settings


def _rbp(settings: Settings, _: Iterable[float]) -> Settings:
    return settings if "rel" in settings else {**settings, "gains": "linear"}


Settle = Callable[[Settings, Iterable[float]], Settings]
_AS_IT_IS = (
    *("AP", "Accuracy", "Bpref", "NumQ", "NumRel", "P", "R", "RR", "Rprec", "SetAP", "Success", "infAP"),
    *("AP_IA", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "nERR_IA", "nNRBP"),
)
# {their name: (our name, the cutoff without one, what to change in the parameters)}
TRANSLATED: dict[str, tuple[str, int | None, Settle | None]] = {
    **{name: (name, None, None) for name in _AS_IT_IS},
    **{name: (name, None, _scaled) for name in ("BPM", "NERR8", "NERR9", "SDCG")},
    **{name: (name, DEEPEST_OF_CWL, _scaled) for name in ("INSQ", "INST", "NERR10", "NERR11")},
    "Compat": ("Compat", None, _setting(end="lists")),
    "ERR": ("ERR", None, _setting(max_rel=HIGHEST_OF_GDEVAL)),
    "IPrec": ("IPrec", None, _setting(levels="trec9")),
    "Judged": ("Judged", None, _setting(negatives="nonrelevant")),
    "NumRet": ("NumRet", None, _num_ret),
    "RBP": ("RBP", None, _rbp),
    "SetF": ("F", None, _set_f),
    "SetP": ("P", None, _set_p),
    "SetR": ("R", None, None),
    "alpha_nDCG": ("alpha_nDCG", None, _setting(ideal="ndeval")),
    "nDCG": ("nDCG", None, _completed),
}


class Qrel(NamedTuple):
    """The judgment of a document; `iteration` is the subtopic, for measures of diversity."""

    query_id: str
    doc_id: str
    relevance: int | float
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A result: a document with its score."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of a measure for a topic."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """Aggregated values, and those of each topic."""

    aggregated: Any
    per_query: list[Metric]


def read_trec_qrels(file: Any) -> Iterator[Qrel]:
    """The judgments of a path, an open file, or the text of a file itself."""
    rows = _read(file, "qrels")
    iterations = rows.label.texts() if rows.label is not None else ["0"] * len(rows)
    columns = (rows.topic.texts(), rows.doc.texts(), rows.numbers(), iterations)
    yield from map(Qrel._make, zip(*columns, strict=True))


def read_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """The results of a path, an open file, or the text of a file itself."""
    rows = _read(file, "run")
    columns = (rows.topic.texts(), rows.doc.texts(), rows.value.tolist())
    yield from map(ScoredDoc._make, zip(*columns, strict=True))


def _read(file: Any, kind: str) -> Columns:
    """The rows of a TREC file; a text of several lines is the file itself."""
    from rankgauge.formats import read
    from rankgauge.formats.files import Request
    from rankgauge.formats.text_files import TREC_FIELDS
    from rankgauge.formats.trec import table

    if isinstance(file, str) and "\n" in file:
        file = io.StringIO(file)
    if not hasattr(file, "read"):
        return read(file, kind, "trec").checked()
    text = file.read()
    chunks = [text.encode() if isinstance(text, str) else text]
    named: Any = SimpleNamespace(path=str(getattr(file, "name", f"<{kind}>")))
    return table(named, Request(kind), TREC_FIELDS[kind], chunks).checked()


# As pytrec_eval compares scores and orders ties; topics without results are added below.
RULES: Rules = {"missing": "skip", "score_precision": "single"}
TIES = "docid_desc"
COLUMNS = {
    "qrels": {"topic": "query_id", "doc": "doc_id", "grade": "relevance"},
    "run": {"topic": "query_id", "doc": "doc_id", "score": "score"},
}


PYTERRIER = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


class Evaluator:
    """Judgments and measures for run after run; `ties` is a rule of `rankgauge.evaluate`."""

    def __init__(self, measures: Iterable[Any], qrels: Any, *, ties: str = TIES) -> None:
        self.measures = list(dict.fromkeys(measures))
        for measure in self.measures:
            measure.validate_params()
        self._defined = [measure for measure in self.measures if hasattr(measure, "runtime_impl")]
        ours = [measure for measure in self.measures if measure not in self._defined]
        if self._defined:
            qrels = self._judged = _frame(qrels, "qrels")
        qrels = _some(qrels)
        self._evaluation: Evaluation | None = None
        self._ours: dict[Any, str] = {}
        self.qrel_qids: tuple[str, ...] = ()
        if qrels is None:
            return
        if not ours:
            self.qrel_qids = tuple(map(str, qrels["query_id"].unique()))
            return
        by_subtopic = any(translate(measure).spec.needs.subtopics for measure in ours)
        judgments = read_judgments(qrels, by_subtopic=by_subtopic, columns=_columns(qrels, "qrels"))
        levels = judgments.levels.tolist()
        self._ours = {measure: str(translate(measure, levels)) for measure in ours}
        rules: Any = {**RULES, "ties": ties}
        self._evaluation = Evaluation(judgments, self._ours.values(), **rules)
        self.qrel_qids = judgments.sorted_topics

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of every measure for every judged topic, by topic; measures of `define` follow."""
        run = _frame(run, "run") if self._defined else run
        values = self._values(run)
        for row, topic in enumerate(self.qrel_qids):
            for measure in self._ours:
                value = values[measure][row]
                if not math.isnan(value):
                    yield Metric(topic, measure, value)
        for measure in self._defined:
            missing = dict.fromkeys(self.qrel_qids)
            for metric in measure.runtime_impl(self._judged, run):
                missing.pop(str(metric.query_id), None)
                yield Metric(*metric)
            yield from (Metric(topic, measure, measure.DEFAULT) for topic in missing)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """{measure: its mean over all judged topics}; counts are added up."""
        return self.calc(run).aggregated  # type: ignore[no-any-return]

    def calc(self, run: Any) -> CalcResults:
        """Aggregated values, and the value of every measure for every judged topic."""
        per_query = list(self.iter_calc(run))
        aggregators = {measure: measure.aggregator() for measure in self.measures}
        for _, measure, value in per_query:
            aggregators[measure].add(value)
        return CalcResults({measure: each.result() for measure, each in aggregators.items()}, per_query)

    def _values(self, run: Any) -> dict[Any, list[float]]:
        """{measure: its value for each topic}; NaN where the topic does not count."""
        run = _some(run)
        found: Mapping[str, Mapping[str, float]] = {}
        if self._evaluation is not None and run is not None:
            try:
                scores = self._evaluation.evaluate(run, run_columns=_columns(run, "run"))
            except NoCommonTopic as error:
                warnings.warn(f"all values are 0: {error}", stacklevel=4)
            else:
                if len(scores.runs) > 1:
                    names = ", ".join(scores.runs[:3])
                    raise InputError(f"expected one run, found {len(scores.runs)}: {names}, ...")
                found = scores.to_dict()[scores.runs[0]]
        values = {}
        for measure, ours in self._ours.items():
            of_topics = np.array([found.get(ours, {}).get(topic, math.nan) for topic in self.qrel_qids])
            if measure.NAME not in SKIPPING:
                of_topics[np.isnan(of_topics)] = 0.0
            values[measure] = of_topics.tolist()
        return values


def _frame(source: Any, kind: str) -> Any:
    """A pandas frame with ir_measures' names, in the order of topics and scores."""
    pandas = optional_module("pandas", "a measure of define", "pandas")
    names = [*COLUMNS[kind].values()]
    if isinstance(source, (str, os.PathLike)):
        source = {"qrels": read_trec_qrels, "run": read_trec_run}[kind](source)
    if isinstance(source, Mapping):
        source = [(topic, doc, value) for topic, docs in source.items() for doc, value in docs.items()]
    if hasattr(source, "to_pandas"):  # of polars or Arrow
        source = source.to_pandas()
    if hasattr(source, "columns"):
        frame = source.rename(columns=PYTERRIER) if "query_id" not in source.columns else source
    else:
        rows = list(source)
        frame = pandas.DataFrame(rows, columns=[*getattr((rows or [()])[0], "_fields", names)])
    order = [name for name in ("query_id", "score") if name in frame.columns]
    if "query_id" not in order:
        found = ", ".join(map(str, frame.columns))
        raise InputError(f"the {kind} of a defined measure need a column query_id, and have {found}")
    return frame.sort_values(order, ascending=[name != "score" for name in order], kind="stable")


def _some(source: Any) -> Any:
    """What is given; None if a dict, a list, a frame or an iterator has no rows."""
    if isinstance(source, Iterator):
        first = list(islice(source, 1))
        return chain(first, source) if first else None
    sized = hasattr(source, "__len__") and not isinstance(source, str)
    return None if sized and len(source) == 0 else source


def _columns(frame: Any, kind: str) -> Mapping[str, str] | None:
    """The columns of a frame with ir_measures' names; PyTerrier's have `docid`, a number, as well."""
    names = getattr(frame, "columns", ())
    known = set() if callable(names) else {name for name in names if isinstance(name, str)}
    return COLUMNS[kind] if {*COLUMNS[kind].values()} <= known else None
