"""ranx's metrics and `evaluate`, computed by rankgauge's evaluator."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from rankgauge.comparison import Comparison
from rankgauge.comparison import compare as compare_runs
from rankgauge.comparison.registry import TestName
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.extensions.tools.ranx.tables import Qrels, Run, Table, pandas
from rankgauge.formats.target import writing
from rankgauge.measures import Measure, parse
from rankgauge.measures.other_tools import DIFFERENT
from rankgauge.model import qrels as judgments
from rankgauge.model.output.tables import printable, render, width
from rankgauge.model.rules import Ties
from rankgauge.model.scores import Scores
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import counted, described, letters, nearest, repeated


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
    """{metric as written, such as `ndcg@10-l2`: (its heading in a report, measure)}."""
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
    ties: Ties = "docid_desc",
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
        """{metric: the values of all topics}; 0 where a measure is undefined, as in ranx."""
        place = {topic: number for number, topic in enumerate(self.scores.topics)}
        columns = [place.get(str(topic), -1) for topic in self.topics]
        rows = {name: self.scores.measures.index(text) for name, text in self.texts.items()}
        padded = np.pad(
            self.scores.values[run], ((0, 0), (0, 1))
        )  # the last column has topics without results
        padded[np.isnan(padded)] = 0.0
        return {name: padded[row, columns] for name, row in rows.items()}

    def save(self, run: Run, values: Mapping[str, Floats]) -> None:
        """Keep values in a run."""
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
    ties: Ties,
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
    """{topic: {document: number}}; not sorted for a table, since the evaluator sorts."""
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
    """{document: number} of the rows [document, number] of a topic; a run's are ranked in their order."""
    ids = [str(int(document) if document == int(document) else document) for document in rows[:, 0].tolist()]
    if what == "qrels":
        return dict(zip(ids, rows[:, 1].tolist(), strict=True))
    if twice := repeated(ids):
        raise InputError(f"topic {topic} of the run has document {twice[0]} more than once")
    return dict(zip(ids, range(len(ids), 0, -1), strict=True))


def _check_topics(judged: Mapping[str, Any], run: Mapping[str, Any], make_comparable: bool) -> None:
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


_RAISED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ")


class Pairs(dict[frozenset[str], dict[str, dict[str, Any]]]):
    """Results for pairs of models, looked up in either order: `pairs["bm25", "dense"]`."""

    def __getitem__(self, pair: Iterable[str]) -> dict[str, dict[str, Any]]:
        return super().__getitem__(frozenset(pair))


class Report:
    """The results of `compare`; printed, a table in which superscripts mark significant differences.

    `results` has {model: {metric: mean}}, `comparisons[a, b]` {metric: {"p_value", "significant"}} and
    `win_tie_loss[a, b]` {metric: {"W", "T", "L"}}, numbers of topics. `comparison` is rankgauge's own result,
    with intervals, effect sizes and the details of each test; None for a single run.
    """

    def __init__(
        self,
        evaluated: Evaluated,
        comparison: Comparison | None,
        stat_test: str,
        max_p: float,
        rounding_digits: int = 3,
        *,
        show_percentages: bool = False,
    ) -> None:
        self._evaluated = evaluated
        self.comparison = comparison
        self.stat_test, self.max_p = stat_test, max_p
        self.rounding_digits, self.show_percentages = rounding_digits, show_percentages
        self.metrics = list(evaluated.texts)
        self.model_names = list(evaluated.scores.runs)
        self.results: dict[str, dict[str, float]] = {
            model: {metric: float(values.mean()) for metric, values in evaluated.by_topic(place).items()}
            for place, model in enumerate(self.model_names)
        }
        self.comparisons = Pairs()
        self.win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
        for metric, text in evaluated.texts.items() if comparison else ():
            for pair in comparison[text].pairs if comparison else ():
                self.comparisons.setdefault(frozenset((pair.run, pair.against)), {})[metric] = {
                    "p_value": pair.p,
                    "significant": bool(pair.p <= max_p),
                }
                counts = pair.wins, pair.ties, pair.losses
                for models, order in (((pair.run, pair.against), 1), ((pair.against, pair.run), -1)):
                    counted = dict(zip("WTL", counts[::order], strict=True))
                    self.win_tie_loss.setdefault(models, {})[metric] = counted

    def to_table(self) -> str:
        """The report as text: the letter of each model, its name, and its means."""
        names = letters(len(self.model_names))
        lines = [["#", "Model", *self._evaluated.labels.values()]]
        for letter, model in zip(names, self.model_names, strict=True):
            means = (
                f"{self._number(self.results[model][metric])}{self._superscript(model, metric, names)}"
                for metric in self.metrics
            )
            lines.append([letter, printable(model), *means])
        widths = [max(width(head) + 2, *map(width, cells)) for head, *cells in zip(*lines, strict=True)]
        lines.insert(1, ["-" * size for size in widths])
        padded = (
            [cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)]
            for line in lines
        )
        return "\n".join("  ".join(line).rstrip() for line in padded)

    def _number(self, mean: float) -> str:
        digits = self.rounding_digits
        return f"{100 * mean:.{max(0, digits - 2)}f}" if self.show_percentages else f"{mean:.{digits}f}"

    def _superscript(self, model: str, metric: str, names: list[str]) -> str:
        mean = self.results[model][metric]
        return "".join(
            letter.translate(_RAISED)
            for letter, other in zip(names, self.model_names, strict=True)
            if other != model
            and self.comparisons[model, other][metric]["significant"]
            and mean > self.results[other][metric]
        )

    def to_latex(self, *, caption: str | None = None, label: str = "tab:results") -> str:
        """The report as a LaTeX table with booktabs: the best means in bold, and what the letters mean."""
        places = max(0, self.rounding_digits - 2) if self.show_percentages else self.rounding_digits
        labels = {text: self._evaluated.labels[metric] for metric, text in self._evaluated.texts.items()}
        options: dict[str, Any] = {"labels": labels, "percent": self.show_percentages, "label": label}
        options["places"] = places
        if self.comparison is None:
            table = self._evaluated.scores.table(caption=caption or "", **options)
        else:
            table = self.comparison.paper(caption=caption, marks="letters", **options)
        return render(table, "latex", places)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the report, with the names of metrics and models, for JSON."""
        content: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": list(self.metrics),
            "model_names": list(self.model_names),
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            content[model] = {
                "scores": dict(self.results[model]),
                "comparisons": {
                    other: {m: self.comparisons[model, other][m]["p_value"] for m in self.metrics}
                    for other in others
                },
                "win_tie_loss": {other: dict(self.win_tie_loss[model, other]) for other in others},
            }
        return content

    def to_dataframe(self) -> Any:
        """A pandas frame with the column model_names and one for each metric."""
        return pandas().DataFrame([{"model_names": model, **means} for model, means in self.results.items()])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict()` to a JSON file; an undefined p is null."""
        with writing(path) as file:
            file.write(json.dumps(json_value(self.to_dict()), indent=4).encode())

    def print_results(self) -> None:
        """Print the means as JSON."""
        print(json.dumps(self.results, indent=4))

    def __repr__(self) -> str:
        return self.to_table()


TESTS = {"student": "t", "fisher": "randomisation", "tukey": "tukey"}


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
    *,
    ties: Ties = "docid_desc",
) -> Report:
    """A report on which runs differ significantly, pair by pair, without a correction, as in ranx.

    `stat_test` is student (paired t-test), fisher (randomisation) or tukey (HSD). Tukey's test accounts for
    topics here, and for all pairs; ranx's treats the values of runs as independent samples.
    """
    if stat_test.lower() not in TESTS:
        raise UnsupportedTest(f"stat_test must be one of {', '.join(TESTS)}, not {stat_test!r}")
    test = TESTS[stat_test.lower()]
    names = [getattr(run, "name", None) or f"run_{number}" for number, run in enumerate(runs, 1)]
    if twice := repeated(names):
        raise InputError(f"two runs are named {twice[0]!r}; give each a name of its own: Run(run, name=...)")
    evaluated = evaluate_runs(
        qrels,
        dict(zip(names, runs, strict=True)),
        metrics,
        threads=threads,
        make_comparable=make_comparable,
        ties=ties,
    )
    for place, run in enumerate(runs):
        if isinstance(run, Run):
            evaluated.save(run, evaluated.by_topic(place))
    comparison = None
    if len(runs) > 1:
        comparison = compare_runs(
            evaluated.scores,
            test=cast("TestName", test),
            correction="none",
            alpha=math.nextafter(max_p, 1.0),  # ranx finds a p of exactly max_p significant
            samples=n_permutations if test == "randomisation" else None,
            seed=random_seed,
            threads=threads or None,
        )
    return Report(
        evaluated, comparison, stat_test.lower(), max_p, rounding_digits, show_percentages=show_percentages
    )
