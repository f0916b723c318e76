"""Measures by rank: the mean curve of every run, and the ideal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import (
    Address,
    Parameters,
    Shown,
    View,
    add_view,
    command_line,
    first_of,
)
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.figures.drawing import thin_ranks
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.measures import parse_all
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.curves import Curves

DEEPEST = 1000
MAX_MEASURES = 4  # drawn at first
CELLS = 1 << 22  # values of topics at ranks that are held at once
DIGITS = 5  # that are sent of a value


def curves(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Means over topics at every rank, or at some if there are many; cutoffs do not count.

    `values` has a list for each measure and run, `ideal` one for each measure.
    """
    measures = drawn_measures(session, parameters.text("measures", ""))
    depth = parameters.number("depth", session.depth, 1, DEEPEST)
    ranks = thin_ranks(depth, len(session.runs) * len(measures))
    values, ideal = _means(session, measures, depth, ranks)
    return {
        "measures": [described(session, measure) for measure in measures],
        "depth": depth,
        "ranks": ranks,
        "runs": list(session.runs),
        "values": values,
        "ideal": ideal,
    }


def drawn_measures(session: Session, text: str) -> tuple[str, ...]:
    """The measures of a text, or the default, without cutoffs.

    Those without a curve are left out where others have one.
    """
    return (_uncut(text) or tuple(map(str, parse_all(text)))) if text else default_measures(session)


def default_measures(session: Session) -> tuple[str, ...]:
    """The measures of the session that have curves, without cutoffs."""
    return session.curves or _uncut(session.measures)[:MAX_MEASURES] or ("nDCG",)


def _uncut(measures: str | Sequence[str]) -> tuple[str, ...]:
    with_curves = (measure for measure in parse_all(measures) if measure.spec.curve)
    return tuple(dict.fromkeys(str(measure._replace(cutoff=None)) for measure in with_curves))


def _means(session: Session, measures: tuple[str, ...], depth: int, ranks: list[int]) -> tuple[Any, Any]:
    """(values by measure and run, ideal values by measure) at these ranks."""
    parts = some_curves(session.campaign, list(session.runs.values()), measures, depth)
    means, ideals = zip(*(some.drawn_mean(ranks) for some in parts), strict=True)
    return rounded(np.concatenate(means).swapaxes(0, 1)), rounded(ideals[0])


def some_curves(
    campaign: Campaign, runs: Sequence[str], measures: Sequence[str], depth: int
) -> Iterator[Curves]:
    """The curves of runs, some at a time."""
    several = max(1, CELLS // max(1, len(measures) * depth * len(campaign.topics)))
    for begin in range(0, len(runs), several):
        yield campaign.only(runs[begin : begin + several]).curves(measures, depth=depth)


def rounded(values: Floats) -> list[Any]:
    """The values with a few digits."""
    with np.errstate(divide="ignore", invalid="ignore"):  # of 0, and of undefined ones
        size = np.nan_to_num(np.floor(np.log10(np.abs(values))), nan=0, posinf=0, neginf=0)
    unit = 10.0 ** (DIGITS - 1 - size)
    return (np.round(values * unit) / unit).tolist()  # type: ignore[no-any-return]


def _saved(session: Session, address: Address) -> Shown:
    measures = " ".join(drawn_measures(session, first_of(address, "measures") or ""))
    depth = depth_of(first_of(address, "depth") or str(session.depth))
    drawn = session.campaign.curves(measures, depth=depth)
    chosen = tuple(session.run_called(shown) for shown in address.get("run", ()))
    figure = partial(FIGURES["curve"], drawn, highlight=chosen, labels=session.labels)
    command = command_line(session, "evaluate", None, m=measures, curve=True, depth=depth)
    return Shown(command, figure, lambda form: drawn.to_csv() if form == "csv" else drawn.to_latex())


def depth_of(text: str) -> int:
    """The depth of an address."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= DEEPEST):
        raise OptionError(f"depth is a whole number from 1 to {DEEPEST}, not {text!r}")
    return int(text)


add_view(
    View(
        "curves",
        {"curves": curves},
        offered=lambda session: session.has_judged_rankings,
        held=lambda session: [("curves", {})],
        saved=_saved,
    )
)
