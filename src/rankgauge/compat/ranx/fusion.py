"""ranx's `fuse` and `normalize`, for the methods that rankgauge has, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.compat.ranx.evaluation import DifferentTopics, as_mapping
from rankgauge.compat.ranx.tables import Run, Table
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation import fusion
from rankgauge.evaluation.fusion_methods import FUSION_METHODS
from rankgauge.model import run as results


class UnsupportedMethod(OptionError, ValueError):
    """A method of fusion or normalisation that is not here."""


class UnknownParameter(OptionError, TypeError):
    """A parameter that ranx's method does not take."""


class TooFewRuns(InputError, AssertionError):
    """No run or a single one, which cannot be fused."""


# {ranx's name: (rankgauge's, the name of the fused run, its parameter)}
METHODS = {name: (name, f"comb_{name}", "") for name in ("anz", "max", "med", "min", "mnz", "sum")} | {
    "bordafuse": ("borda", "bordafuse", ""),
    "isr": ("isr", "isr", ""),
    "rrf": ("rrf", "rrf", "k"),
    "wsum": ("wsum", "weighted_sum", "weights"),
}
NORMALISATIONS = {name: name for name in ("max", "min-max", "rank", "sum")} | {
    "min_max": "min-max",
    "zmuv": "z-score",
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
    normalise = _known(norm, NORMALISATIONS, "normalisation")
    name, called, parameter = _known(method, METHODS, "fusion method")
    tables = _tables(runs)
    options = dict(params or {})
    called = options.pop("name", called)
    for unknown in options.keys() - {parameter}:
        taken = " and ".join(filter(None, (parameter, "name")))
        raise UnknownParameter(f"ranx's {method} takes no {unknown!r}; its params are {taken}")
    return _fused(tables, called, name, None if FUSION_METHODS[name].ranks else normalise, **options)


def normalize(run: Any, norm: str = "min-max") -> Run:
    """The run with the scores of each topic normalised."""
    normalise = _known(norm, NORMALISATIONS, "normalisation")
    return _fused([as_mapping(run, "run")], getattr(run, "name", None), "sum", normalise)


def _tables(runs: Sequence[Any]) -> list[Mapping[str, Any]]:
    """Runs that can be fused, as mappings."""
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


def _fused(
    tables: Sequence[Mapping[str, Any]], name: str | None, method: str, normalise: str | None, **options: Any
) -> Run:
    # ranx sorts runs and then keeps their order
    runs = [results.Run.from_dict(Table(table), f"run {number}") for number, table in enumerate(tables)]
    combined = fusion.fuse(runs, method, normalise=normalise, ties="input", **options).to_dict()
    return Run({topic: combined.get(str(topic), {}) for topic in tables[0]}, name)


def _known(name: str | None, names: Mapping[Any, Any], what: str) -> Any:
    if name not in names:
        raise UnsupportedMethod(
            f"no {what} is called {name!r} here; use one of {', '.join(filter(None, names))}, or ranx itself "
            "and Run(fused.to_dict())"
        )
    return names[name]
