"""Variants of a measure: other definitions of the same name, and other settings of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.errors import MeasureError
from rankgauge.measures import Measure, Parameter, parse
from rankgauge.measures.framework import JUDGED_ONLY, NEGATIVES, REL
from rankgauge.measures.rankings.gains import SCHEMES, GainsKind
from rankgauge.measures.settings import build
from rankgauge.schema.parameters import Flag, Word

ACROSS_TOPICS = ("average",)  # parameters without effect on a single topic
MOST_LEVELS = 4  # of relevance at which a binary measure is shown


def variants(measure: Measure, levels: Sequence[float], *, averages: bool = False) -> Iterator[Measure]:
    """The variants that a measure declares, and the measure with one of its settings changed.

    `averages` adds the other ways to average the values of topics.
    """
    yield from declared(measure)
    if measure.cutoff is not None:
        yield build(measure.spec, measure.settings, None)
    for parameter in measure.spec.parameters:
        if averages or parameter.name not in ACROSS_TOPICS:
            for value in choices(parameter, levels):
                changed = with_setting(measure, parameter, value)
                if changed is not None:
                    yield changed


def declared(measure: Measure) -> Iterator[Measure]:
    """The well-known definitions that the measure declares, at its cutoff and level of relevance."""
    framework = {
        p.name: measure.settings[p.name] for p in (REL, JUDGED_ONLY, NEGATIVES) if p.name in measure.settings
    }
    for text in measure.spec.variants:
        named = parse(text)
        inherited = {name: value for name, value in framework.items() if named.spec.has(name)}
        cutoff = measure.cutoff if named.spec.curve and named.cutoff is None else named.cutoff
        yield build(named.spec, inherited | dict(named.settings), cutoff)


def with_setting(measure: Measure, parameter: Parameter, value: object) -> Measure | None:
    """The measure with one of its settings changed; None if it cannot be combined with the others."""
    dropped = NEGATIVES.name if parameter == JUDGED_ONLY else None  # meaningless without judged_only
    kept = {name: setting for name, setting in measure.settings.items() if name != dropped}
    try:
        return build(measure.spec, {**kept, parameter.name: value}, measure.cutoff)
    except MeasureError:
        return None


def choices(parameter: Parameter, levels: Sequence[float]) -> Iterator[object]:
    """The values of a parameter to show; none for a number, which has too many."""
    if parameter == REL:
        yield from [level for level in levels if level > 0][:MOST_LEVELS]
    elif isinstance(parameter.kind, GainsKind):
        gaps = [level for level in levels if level > 0] != [*range(1, sum(level > 0 for level in levels) + 1)]
        yield from (name for name in SCHEMES if name != "levels" or gaps)  # otherwise it is linear
    elif isinstance(parameter.kind, Word) and parameter.name in ACROSS_TOPICS:
        if parameter.default != "sum":  # counts are added up, and other values are not
            yield from (kind for kind in parameter.kind.choices if kind != "sum")
    elif isinstance(parameter.kind, Word) and parameter.name != NEGATIVES.name:
        yield from parameter.kind.choices
    elif isinstance(parameter.kind, Flag):
        yield from (True, False)
