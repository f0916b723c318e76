"""From texts such as `ndcg_cut_10`, `P.5,10` or `official` to the columns of trec_eval's table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from rankgauge.compat.trec_eval.columns import Column, requested
from rankgauge.compat.trec_eval.table import MEASURES, NICKNAMES, known
from rankgauge.errors import InputError, MeasureError
from rankgauge.schema.text import nearest


class UnsupportedMeasure(MeasureError, ValueError):
    """A measure that pytrec_eval does not have, or parameters that its measure does not take."""


class UnusableInput(InputError, TypeError):
    """Judgments, a run or an argument that cannot be used as it is."""


RULES = 9  # the version of trec_eval inside pytrec_eval

supported_nicknames = {name: {*members} & {*known(RULES)} for name, members in NICKNAMES.items()}
supported_measures = supported_nicknames["all_trec"]


@lru_cache(maxsize=64)
def columns(texts: tuple[str, ...]) -> Mapping[str, Column]:
    """{key: column} of these measures, in trec_eval's order."""
    dotted = [each for text in texts for each in _dotted(text)]
    try:
        found, _ = requested(dotted, RULES)
    except MeasureError as error:
        raise UnsupportedMeasure(str(error)) from None
    by_key: dict[str, Column] = {}
    for column in found:
        key = column.label if column.entry.takes in ("cutoffs", "levels") else column.entry.name
        if key in by_key:
            raise UnsupportedMeasure(
                f"{by_key[key].label} and {column.label} would both be {key!r} in the result; "
                "ask for one of them"
            )
        by_key[key] = column
    return by_key


def texts(measures: Iterable[str]) -> tuple[str, ...]:
    """The measures, sorted; one alone is accepted, too."""
    alone = isinstance(measures, str) or not isinstance(measures, Iterable)
    texts: list[Any] = [measures] if alone else [*measures]
    for text in texts:
        if not isinstance(text, str):
            raise UnusableInput(
                f"measures are a set of names such as {{'map', 'ndcg_cut_10'}}, not {text!r} "
                f"({type(text).__name__})"
            )
    return tuple(sorted(texts))


def _dotted(text: str) -> Iterator[str]:
    """The measures of a text as trec_eval writes them: `ndcg_cut_10` is `ndcg_cut.10`."""
    if text in supported_nicknames:
        for member in sorted(supported_nicknames[text]):
            yield from _dotted(member)
        return
    parts = None if text in MEASURES else re.fullmatch(r"(.+?)[._]([-+.0-9].*)", text)
    name, parameters = parts.groups() if parts else (text, "")
    if name not in supported_measures:
        raise UnsupportedMeasure(f"unsupported measure {text}: {_why_not(name)}")
    if MEASURES[name].takes in ("cutoffs", "levels"):
        parameters = ",".join(dict.fromkeys(parameters.split(",")))  # each once
    yield f"{name}.{parameters}" if parameters else name


def _why_not(name: str) -> str:
    entry = MEASURES.get(name)
    if entry is None:
        known_names = sorted([*supported_measures, *supported_nicknames], key=str.lower)
        return (
            f"pytrec_eval has no measure {name!r}{nearest(name, known_names)}; "
            f"it has {', '.join(known_names)} (rankgauge.evaluate has others)"
        )
    if entry.since > RULES:
        return (
            f"pytrec_eval has the measures of trec_eval {RULES}, and {name} is newer; use rankgauge.evaluate"
        )
    return f"pytrec_eval does not have {name}; `rankgauge trec_eval -m {name}` does"
