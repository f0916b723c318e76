"""ranx's metrics and `evaluate`, computed by rankgauge's evaluator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.extensions.tools.ranx.tables import Qrels, Run, Table
from rankgauge.measures import Measure, parse
from rankgauge.measures.other_tools import DIFFERENT
from rankgauge.model import qrels as judgments
from rankgauge.model.scores import Scores
from rankgauge.schema.text import counted, described, nearest, repeated


class UnsupportedMetric(MeasureError, ValueError):
    """A metric that ranx does not have, or parameters that its metric does not take."""


class DifferentTopics(InputError, AssertionError):
    """A run with other topics than the judgments, which is not to be made comparable."""


class UnsupportedTest(OptionError, NotImplementedError):
    """A statistical test that ranx does not have."""


# {metric: its label in a report}
METRICS = {
    "hits": "Hits",
    "hit_rate": "Hit Rate",
    "precision": "P",
    "recall": "Recall",
    "f1": "F1",
    "r-precision": "R-Prec",
    "mrr": "MRR",
    "map": "MAP",
    "dcg": "DCG",
    "dcg_burges": "DCG Burges",
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG Burges",
    "bpref": "BPref",
    "rbp": "RBP",
}
WITHOUT_CUTOFF = ("r-precision", "bpref")
# The measure language knows ranx's names; where a name means something else there, it knows that, too.
_OTHERWISE = {name: instead for tool, name, instead, *_ in DIFFERENT if tool == "ranx"} | {"rbp": "RBP"}
_SPELLINGS = {"r_precision": "r-precision"}  # as ranx's table of metrics has it
_NAME = re.compile(r"(?P<name>[a-z_0-9-]+?)(?P<p>\.\d+)?(?P<cut>@\d+)?(?:-l(?P<level>\d+))?")


def requests(metrics: Any) -> dict[str, tuple[str, Measure]]:
    """{metric as written, such as `ndcg@10-l2`: (what heads its column in a report, measure)}."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or not all(isinstance(name, str) for name in names):
        raise UnsupportedMetric(
            f"metrics are names such as 'ndcg@10', one or a list of them, not {metrics!r}"
        )
    return {name: _request(name) for name in names}


def _request(text: str) -> tuple[str, Measure]:
    found = _NAME.fullmatch(text.lower())
    name = _SPELLINGS.get(found["name"], found["name"]) if found else ""
    if not found or name not in METRICS:
        known = ", ".join(METRICS)
        raise UnsupportedMetric(
            f"ranx has no metric {text!r}{nearest(name, METRICS)}; it has {known}, each with @k and -lGRADE "
            "as in ndcg@10-l2, and rbp.95; rankgauge.evaluate has more measures"
        )
    persistence, cutoff, level = found["p"] or "", found["cut"] or "", int(found["level"] or 1)
    if (name == "rbp") != bool(persistence):
        raise UnsupportedMetric(
            f"{text}: rbp, and no other metric, needs the decimals of its persistence, as in rbp.95 for "
            "p = 0.95"
        )
    if cutoff and name in WITHOUT_CUTOFF:
        raise UnsupportedMetric(f"{text}: {name} has no cutoff, and ranx ignores it; leave out {cutoff}")
    settings: dict[str, Any] = {"p": float(persistence)} if persistence else {}
    if level != 1:
        settings["rel"] = level
    measure = parse(_OTHERWISE.get(name, name))(**settings)
    label = f"{METRICS[name]}{persistence}{cutoff}{f'-l{level}' if level != 1 else ''}"
    return label, measure @ int(cutoff[1:]) if int(cutoff[1:] or 0) else measure


Floats = npt.NDArray[np.float64]


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
    *,
    ties: str = "docid_desc",
) -> Any:
    """The mean of one metric, or {metric: mean} of several.

    With `return_std`, {"mean": ..., "std": ...} in place of each mean; without `return_mean`, an array with
    the value of each topic: in the order of the dict `qrels`, sorted for `Qrels`. Values are saved in a `Run`
    as `scores`, `mean_scores` and `std_scores`. A run must have the topics of the judgments, no more and no
    less, unless it is to be made comparable; unlike in ranx, it stays as it is then. Both may be arrays, with
    rows [document, number] for each topic; those of a run are in the order of their ranks. `ties` is a rule
    of rankgauge, which ranx lacks.

    >>> qrels = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
    >>> run = {"q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7}, "q_2": {"d_12": 0.9, "d_11": 0.8}}
    >>> evaluate(qrels, run, ["mrr", "recall@2"])
    {'mrr': 0.75, 'recall@2': 0.5}
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    evaluated = evaluate_runs(
        qrels,
        {getattr(run, "name", None) or "run": run},
        names,
        threads=threads,
        make_comparable=make_comparable,
        ties=ties,
    )
    values = evaluated.by_topic(0)
    means = {name: float(np.mean(of_topics)) for name, of_topics in values.items()}
    deviations = {name: float(np.std(of_topics)) for name, of_topics in values.items() if return_std}
    if save_results_in_run and isinstance(run, Run):
        evaluated.save(run, values)
        run.std_scores.update(deviations if return_mean else {})
    results: Mapping[str, Any] = means if return_mean else values
    if return_mean and return_std:
        results = {name: {"mean": means[name], "std": deviations[name]} for name in means}
    return dict(results) if len(names) > 1 else results[names[0]]


class Evaluated(NamedTuple):
    """The scores of several runs."""

    scores: Scores
    topics: list[str]  # in the order in which values are returned
    labels: Mapping[str, str]  # {metric: what heads its column in a report}
    texts: Mapping[str, str]  # {metric: text of its measure}

    def by_topic(self, run: int) -> dict[str, Floats]:
        """{metric: the values of all topics}; where a measure is undefined, ranx has 0."""
        place = {topic: number for number, topic in enumerate(self.scores.topics)}
        columns = [place.get(str(topic), -1) for topic in self.topics]
        rows = {name: self.scores.measures.index(text) for name, text in self.texts.items()}
        padded = np.pad(
            self.scores.values[run], ((0, 0), (0, 1))
        )  # the last column has topics without results
        padded[np.isnan(padded)] = 0.0
        return {name: padded[row, columns] for name, row in rows.items()}

    def save(self, run: Run, values: Mapping[str, Floats]) -> None:
        """Keep values of a run, as `by_topic` returns them, in the run."""
        for name, of_topics in values.items():
            run.mean_scores[name] = float(np.mean(of_topics))
            run.scores[name].update(zip(self.topics, of_topics.tolist(), strict=True))


def evaluate_runs(
    qrels: Any,
    runs: Mapping[str, Any],
    metrics: str | Sequence[str],
    *,
    threads: int,
    make_comparable: bool,
    ties: str,
) -> Evaluated:
    """The scores of runs, by name, that have the topics of the judgments."""
    asked = requests(metrics)
    judged = as_mapping(qrels, "qrels")
    tables = {name: as_mapping(run, "run") for name, run in runs.items()}
    for table in tables.values():
        _check_topics(judged, table, make_comparable)
    texts = {name: str(measure) for name, (_, measure) in asked.items()}
    evaluator = Evaluator(judgments.Qrels.of(judged), list(dict.fromkeys(texts.values())), ties=ties)
    return Evaluated(
        evaluator.evaluate(tables, threads=threads or None),
        list(qrels if isinstance(qrels, Qrels) else judged),
        {name: label for name, (label, _) in asked.items()},
        texts,
    )


def as_mapping(table: Any, what: str) -> Mapping[str, Any]:
    """{topic: {document: number}}; that of a table is not sorted, which the evaluator does itself."""
    if isinstance(table, Table):
        return table.nested
    if isinstance(table, Mapping):
        return table
    if hasattr(table, "to_dict") and hasattr(table, "get_query_ids"):  # ranx's own
        nested: Mapping[str, Any] = table.to_dict()
        return nested
    try:
        arrays = [np.asarray(rows) for rows in table] if isinstance(table, Iterable) else []
    except ValueError:  # of lists of different lengths
        arrays = []
    if arrays and all(
        rows.ndim == 2 and rows.shape[1] == 2 and rows.dtype.kind in "iuf" and np.isfinite(rows[:, 0]).all()
        for rows in arrays
    ):
        return {str(topic): _from_rows(rows, topic, what) for topic, rows in enumerate(arrays)}
    kind = "Qrels" if what == "qrels" else "Run"
    raise InputError(
        f"{what} must be a {kind}, a dict {{topic: {{document: number}}}} or an array with a row "
        f"[document, number] per document of each topic, both numbers, not {described(table)}; "
        f"make a {kind} of it, with {kind}.from_df or {kind}.from_file"
    )


def _from_rows(rows: npt.NDArray[Any], topic: int, what: str) -> dict[str, float]:
    """{document: number} of the rows [document, number] of a topic; a run is ranked in their order."""
    ids = [str(int(document) if document == int(document) else document) for document in rows[:, 0].tolist()]
    if what == "qrels":
        return dict(zip(ids, rows[:, 1].tolist(), strict=True))
    if twice := repeated(ids):
        raise InputError(f"topic {topic} of the run has document {twice[0]} more than once")
    return dict(zip(ids, range(len(ids), 0, -1), strict=True))


def _check_topics(judged: Mapping[str, Any], run: Mapping[str, Any], make_comparable: bool) -> None:
    """Refuse a run with other topics than the judgments, unless they are to be made comparable."""
    if make_comparable or judged.keys() == run.keys():
        return
    missing, extra = judged.keys() - run.keys(), run.keys() - judged.keys()
    found = [
        f"{counted(len(topics), 'topic')} {what}, such as {min(topics, key=str)!r}"
        for topics, what in ((missing, "without results"), (extra, "without judgments"))
        if topics
    ]
    raise DifferentTopics(
        f"the run and the judgments have different topics: {' and '.join(found)}; pass make_comparable=True "
        "to score missing topics as 0 and ignore others"
    )
