"""ranx's `fuse`, `normalize` and `optimize_fusion`, for the methods that rankgauge has, too."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.tools import fusion
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS
from rankgauge.extensions.tools.ranx.evaluation import DifferentTopics, as_mapping, evaluate, requests
from rankgauge.extensions.tools.ranx.tables import Run
from rankgauge.extensions.tools.ranx.tables import Table as Sorted
from rankgauge.model import run as results
from rankgauge.model.output.tables import Table, render
from rankgauge.model.rules import DocumentOrder


class UnsupportedMethod(OptionError, ValueError):
    """A method of fusion or normalisation that is not here."""


class UnknownParameter(OptionError, TypeError):
    """A parameter that ranx's method does not take."""


class UnsupportedParameters(OptionError, ValueError):
    """Parameters that leave nothing to optimise."""


class TooFewRuns(InputError, AssertionError):
    """No run or a single one, which cannot be fused."""


# {ranx's name: (rankgauge's, the name of the fused run, its parameter)}
METHODS = {name: (name, f"comb_{name}", "") for name in ("anz", "max", "med", "min", "mnz", "sum")} | {
    "bordafuse": ("borda", "bordafuse", ""),
    "isr": ("isr", "isr", ""),
    "log_isr": ("log_isr", "log_isr", ""),
    "mixed": ("mixed", "mixed", "weights"),
    "rrf": ("rrf", "rrf", "k"),
    "w_bordafuse": ("borda", "weighted_bordafuse", "weights"),
    "wmnz": ("wmnz", "wmnz", "weights"),
    "wsum": ("wsum", "weighted_sum", "weights"),
}
LEFT_OUT = (
    *("bayesfuse", "condorcet", "gmnz", "logn_isr", "mapfuse", "posfuse", "probfuse", "rbc", "segfuse"),
    *("slidefuse", "w_condorcet"),
)
INVERTED = ("min-max-inverted", "min_max_inverted")  # of scores of which lower ones are better
NORMALISATIONS: dict[str | None, str] = {
    **{name: name for name in ("max", "min-max", "rank", "sum")},
    "min_max": "min-max",
    "zmuv": "z-score",
    **dict.fromkeys(INVERTED, "min-max"),
    "borda": "none",
    None: "none",
}


def fuse(
    runs: Sequence[Any],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, Any] | None = None,
) -> Run:
    """The run that combines several runs, which must have the same topics.

    `params` are those of the method: `weights` of wsum, `k` of rrf, and the `name` of the result. Documents
    with equal scores keep the order of the runs.

    >>> fuse([Run({"q": {"a": 9.0, "b": 5.0}}), Run({"q": {"b": 0.5}})], None, "sum").to_dict()
    {'q': {'a': 9.0, 'b': 5.5}}
    """
    name, called, parameter = _known(method, METHODS, "fusion method")
    options = dict(params or {})
    called = options.pop("name", called)
    _check(method, options, filter(None, (parameter, "name")))
    return _fused(*_prepared(_tables(runs), norm), called, name, **options)


def normalize(run: Any, norm: str = "min-max") -> Run:
    """The run with the scores of each topic normalised; borda needs several runs, see `fuse`."""
    if norm == "borda":
        raise UnsupportedMethod(
            "borda normalises several runs together; pass them to fuse(runs, 'borda', method)"
        )
    return _fused(*_prepared([as_mapping(run, "run")], norm), getattr(run, "name", None), "sum")


def _function(method: str) -> Callable[..., Run]:
    _, called, parameter = METHODS[method]

    def of_runs(runs: Sequence[Any], *values: Any, name: str = called, **params: Any) -> Run:
        """The run that combines several runs by their scores as they are; parameters are those of ranx."""
        given = dict(zip((parameter,), values, strict=True)) if values else {}
        return fuse(runs, None, method, {"name": name, **given, **params})

    return of_runs


# As in ranx.fusion.
bordafuse, weighted_bordafuse, isr, log_isr = map(_function, ("bordafuse", "w_bordafuse", "isr", "log_isr"))
mixed, rrf, wmnz, wsum = map(_function, ("mixed", "rrf", "wmnz", "wsum"))
comb_anz, comb_max, comb_med = map(_function, ("anz", "max", "med"))
comb_min, comb_mnz, comb_sum = map(_function, ("min", "mnz", "sum"))


@dataclass(eq=False)
class OptimizationReport:
    """The metric of every trial of an optimisation."""

    method: str
    configs: list[str]
    results: list[float]
    metric: str
    rounding_digits: int = 3
    show_percentages: bool = False

    def to_table(self) -> Table:
        """A row for each trial, with the best in bold."""
        label, times = next(iter(requests(self.metric).values()))[0], 100 if self.show_percentages else 1
        rows = [(config, result * times) for config, result in zip(self.configs, self.results, strict=True)]
        best = max(range(len(rows)), key=self.results.__getitem__)
        return Table((METHODS[self.method][2], label), rows, {(best, 1)})

    def __str__(self) -> str:
        places = self.rounding_digits - 2 * self.show_percentages
        return render(self.to_table(), places=max(places, 0))


def optimize_fusion(
    qrels: Any,
    runs: Sequence[Any],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    **kwargs: Any,
) -> Any:
    """The weights of wsum, or the k of rrf, with the best metric on these topics, as {name: value}.

    `kwargs` are ranx's: `step`, also `min_k` and `max_k` of rrf, and `show_progress`, which shows nothing
    here. The metric of the result is that of topics it was chosen on; `rankgauge.tune_fusion` holds topics
    out.
    """
    name, _, parameter = _known(method, METHODS, "fusion method")
    if not parameter:
        tuned = ", ".join(known for known, row in METHODS.items() if row[2])
        raise UnsupportedMethod(f"{method} has no parameters to optimise; use one of {tuned}")
    _check(method, kwargs, ("step", "show_progress", *(("min_k", "max_k") if method == "rrf" else ())))
    tables, trials = _tables(runs), list[Any]()
    if method == "rrf":
        first, last, step = (
            kwargs.get(key, value) for key, value in (("min_k", 10), ("max_k", 100), ("step", 10))
        )
        trials = [*range(first, last + 1, step)] if step > 0 else []
    elif (step := kwargs.get("step", 0.1)) > 0:
        trials = _weights(len(tables), step)
    if not trials:
        such = "0.1, so that weights can add up to 1" if parameter == "weights" else "10, and max_k >= min_k"
        raise UnsupportedParameters(f"{kwargs} leave no {parameter} to try; pass a step such as {such}")
    if not isinstance(metric, str):
        raise UnsupportedParameters(f"parameters are optimised for one metric, a text, not for {metric!r}")
    fused = _trials(*_prepared(tables, norm), name, [{parameter: trial} for trial in trials])
    results = [evaluate(qrels, run, metric, save_results_in_run=False, ties="input") for run in fused]
    last_best = max(range(len(trials)), key=lambda place: (results[place], place))
    best = {parameter: trials[last_best]}
    if not return_optimization_report:
        return best
    report = OptimizationReport(
        method, [*map(str, trials)], results, metric, rounding_digits, show_percentages
    )
    return best, report


def _weights(runs: int, step: float) -> list[tuple[float, ...]]:
    """All weights in steps whose sum is exactly 1 in floating-point arithmetic, as in ranx."""
    digits = len(str(step).partition(".")[2])
    values = [round(float(value), digits) for value in np.arange(0, 1 + step, step)]
    return [each for each in itertools.product(values, repeat=runs) if sum(each) == 1.0]


def _check(method: str, options: Mapping[str, Any], known: Iterable[str]) -> None:
    known = [*known]
    for unknown in options.keys() - {*known}:
        raise UnknownParameter(f"ranx's {method} takes no {unknown!r}; it takes {', '.join(known)}")


def _tables(runs: Sequence[Any]) -> list[Mapping[str, Any]]:
    tables = [as_mapping(run, "run") for run in runs]
    if len(tables) < 2:
        raise TooFewRuns(f"there {'is 1 run' if tables else 'are no runs'}; pass two or more to fuse")
    for number, table in enumerate(tables):
        if table.keys() != tables[0].keys():
            differing = min(table.keys() ^ tables[0].keys(), key=str)
            raise DifferentTopics(
                f"runs 0 and {number} have different topics, such as {differing!r}; rankgauge.fuse takes them"
            )
    return tables


def _prepared(tables: Sequence[Mapping[str, Any]], norm: str | None) -> tuple[list[Any], str]:
    """(the tables, sorted as by ranx, rankgauge's normalisation)."""
    normalise = _known(norm, NORMALISATIONS, "normalisation")
    if norm in INVERTED:
        tables = [
            {topic: {doc: -score for doc, score in docs.items()} for topic, docs in table.items()}
            for table in tables
        ]
    ordered: list[Any] = [Sorted(table) for table in tables]
    return _borda(ordered) if norm == "borda" else ordered, normalise


def _borda(tables: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Points by rank, as shares of the number of documents in all runs, for all documents in every run."""
    shares: list[dict[str, dict[str, float]]] = [{} for _ in tables]
    for topic in tables[0]:
        lists = [table[topic] for table in tables]
        pool = dict.fromkeys(doc for docs in lists for doc in docs)
        for share, docs in zip(shares, lists, strict=True):
            others = 0.5 - (len(docs) - 1) / (2 * len(pool)) if pool else 0.0
            share[topic] = dict.fromkeys(pool, others) | {
                doc: 1 - place / len(pool) for place, doc in enumerate(docs)
            }
    return shares


def normalised_together(runs: Sequence[Any]) -> list[Run]:
    """Each run with its points of borda."""
    return [*map(Run, _borda([Sorted(table) for table in _tables(runs)]))]


def _fused(tables: Sequence[Any], normalise: str, name: str | None, method: str, **options: Any) -> Run:
    (fused,) = _trials(tables, normalise, method, [options])
    fused.name = name
    return fused


def _trials(
    tables: Sequence[Any], normalise: str, method: str, trials: Sequence[Mapping[str, Any]]
) -> Iterator[Run]:
    """The fused run of each trial; tied documents keep their order, as in ranx."""
    runs = [results.Run.from_dict(table, f"run {number}") for number, table in enumerate(tables)]
    by_ranks, order = FUSION_METHODS[method].ranks, DocumentOrder(ties="input")
    merged = fusion.SortedRuns.of(runs, order, 1)
    names = [run.name for run in runs]
    recipe = fusion.Recipe.of(method, None if by_ranks else normalise, {})
    blocks = merged.blocks(recipe, 1)
    for trial in trials:
        parameters = fusion.parameters_of(method, names, trial.get("weights"), trial.get("k"))
        combined = merged.fused(recipe._replace(parameters=parameters), None, "fused", 1, blocks).to_dict()
        yield Run({topic: combined.get(str(topic), {}) for topic in tables[0]})


def _known(name: str | None, names: Mapping[Any, Any], what: str) -> Any:
    if name not in names:
        missing = f"ranx's {what} {name} is not" if name in LEFT_OUT else f"no {what} named {name!r}"
        raise UnsupportedMethod(
            f"{missing} here; use one of {', '.join(filter(None, names))}, or ranx itself "
            "and Run(fused.to_dict())"
        )
    return names[name]
