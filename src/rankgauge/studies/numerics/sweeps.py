"""Sweeps: measures of one name with several settings, and what each setting is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankgauge.errors import MeasureError
from rankgauge.measures import Measure, parse

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign


def sweeps(names: Sequence[str]) -> list[tuple[int, int]]:
    """(place, place of the default setting) of measures whose name occurs several times.

    Where no setting has the default value of each parameter that varies, the first stands for it.

    >>> sweeps(["AP", "Q(beta=0.1)", "Q", "P@10", "P@5"])
    [(1, 2), (2, 2), (3, 3), (4, 3)]
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name.partition("(")[0].partition("@")[0], []).append(place)
    defaults = {
        place: _default(names, variants)
        for variants in places.values()
        if len(variants) > 1
        for place in variants
    }
    return sorted(defaults.items())


def _default(names: Sequence[str], places: Sequence[int]) -> int:
    """The place of the variant that sets no parameter in which the variants differ."""
    try:
        variants = [parse(names[place]) for place in places]
    except MeasureError:  # columns of another tool
        return places[0]
    known = {name for variant in variants for name in variant.settings}
    varying = [name for name in known if len({repr(variant.settings.get(name)) for variant in variants}) > 1]
    for place, variant in zip(places, variants, strict=True):
        if not any(name in variant.settings for name in varying):
            return place
    return places[0]


def references(campaign: Campaign, asked: Sequence[Measure] | None, otherwise: str) -> tuple[str, ...]:
    """The measures that sweeps are compared with: those asked for, or the usual one if it can be computed."""
    if asked is not None:
        return tuple(map(str, asked))
    return (otherwise,) if campaign.has_judgments or otherwise in campaign.measure_texts() else ()
