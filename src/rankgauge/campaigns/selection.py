"""The selection of runs for a study: the best of a campaign, or the best of each team.

Very poor systems can dominate a study of measures, and the runs of one team are often nearly the same. The
settings of papers that left out both have names here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.source import Source
from rankgauge.measures import parse
from rankgauge.model.scores import Scores
from rankgauge.schema.options import choice
from rankgauge.schema.text import nearest

BY = "AP"


@dataclass(frozen=True)
class Setting:
    """The selection of runs in a paper."""

    cite: str
    top: str | int | None = None
    teams: bool = False  # only the best run of each team


SETTINGS = {
    "twist": Setting(
        cite="Ferro, Silvello, Keskustalo, Pirkola & Järvelin 2016, The Twist measure for IR evaluation",
        top="75%",
    ),
    "late_arrival": Setting(
        cite="Sakai 2006, Controlling the penalty on late arrival of relevant documents (correlations)",
        top=30,
    ),
    "late_arrival_teams": Setting(
        cite="Sakai 2006, Controlling the penalty on late arrival of relevant documents (significance)",
        teams=True,
    ),
}


def select(
    scores: Scores,
    *,
    top: str | int | None = None,
    teams: Mapping[str, str] | str | os.PathLike[str] | None = None,
    by: str = BY,
    setting: str | None = None,
) -> tuple[str, ...]:
    """The selected runs, in the order of the scores.

    `teams`, {run: team} or a file of two columns, keeps the best run of each team; of these (or of all runs)
    `top` keeps a number (30) or a share ("75%", rounded up). The best runs have the best mean of `by`; among
    equal means, names that come first by bytes. `setting`, one of SETTINGS, replaces all of these.

    >>> from rankgauge import evaluate
    >>> runs = {"a": {"q": {"d": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 2, "d": 1}}}
    >>> select(evaluate({"q": {"d": 1}}, runs, "AP"), top="50%")
    ('a', 'c')
    """
    if setting is not None:
        chosen = SETTINGS[choice("setting", setting, SETTINGS)]
        if chosen.teams and teams is None:
            raise OptionError(f"the setting {setting} takes the best run of each team; pass the teams")
        top, by, teams = chosen.top, BY, teams if chosen.teams else None
    ranked = best_first(scores, by)
    if teams is not None:
        team = teams_of(teams, scores.runs)
        best = {team[run]: run for run in reversed(ranked)}  # the last one set is the best
        ranked = [run for run in ranked if best[team[run]] == run]
    kept = {*ranked[: number_of_runs(top, len(ranked))]}
    return tuple(run for run in scores.runs if run in kept)


def best_first(scores: Scores, measure: str) -> list[str]:
    """The runs by their means, the best first; undefined means come last, equal ones by name."""
    text = str(parse(measure))
    if text not in scores.measures:
        known = ", ".join(scores.measures)
        raise OptionError(f"runs cannot be selected by {text}: there are only scores of {known}")
    sign = scores.direction(text) or 1
    means = {run: mean[text] for run, mean in scores.mean().items()}

    def key(run: str) -> tuple[bool, float, bytes]:
        undefined = math.isnan(means[run])
        return undefined, 0.0 if undefined else -sign * means[run], to_bytes(run)

    return sorted(scores.runs, key=key)


def number_of_runs(top: str | int | None, runs: int) -> int:
    """The number of runs that `top` keeps: all, a number of them, or a share, rounded up."""
    if top is None:
        return runs
    text = str(top).strip()
    share = text.endswith("%")
    try:
        wanted = Fraction(text.removesuffix("%"))
    except (ValueError, ZeroDivisionError):
        wanted = Fraction(0)
    if wanted <= 0 or isinstance(top, bool) or (wanted > 100 if share else wanted.denominator != 1):
        raise OptionError(f"top must be a number of runs such as 30, or a share such as 75%, not {top!r}")
    return min(runs, math.ceil(wanted * runs / 100) if share else int(wanted))


def teams_of(teams: Any, runs: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """{run: team} of these runs, from such a dict or a file of two columns, run and team.

    `others` are included if they have a team.
    """
    known = dict(teams) if isinstance(teams, Mapping) else _read_teams(teams)
    for run in runs:
        if run not in known:
            raise InputError(f"run {run!r} has no team{nearest(run, known)}; add it to the teams")
    return {name: str(known[name]) for name in (*runs, *others) if name in known}


def _read_teams(path: str | os.PathLike[str]) -> dict[str, str]:
    """{run: team} of a file with columns separated by a tab, a comma or whitespace; # begins a comment."""
    known: dict[str, str] = {}
    source = Source(path)
    text = b"".join(source.chunks(1 << 18)).decode("utf-8-sig", "surrogateescape")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        separator = next((mark for mark in "\t," if mark in line), None)
        parts = [part.strip() for part in line.split(separator)]
        if len(parts) != 2 or not all(parts):
            raise InputError(f"expected a run and its team, found {line!r}", path=source.path, line=number)
        run, team = parts
        if known.setdefault(run, team) != team:
            raise InputError(
                f"run {run!r} has two teams, {known[run]!r} and {team!r}; keep one",
                path=source.path,
                line=number,
            )
    return known
