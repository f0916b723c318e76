"""Which runs of a campaign take part: the best of them, or the best of each team.

Systems that perform very poorly can decide a study of measures, and the runs of one team are often nearly
the same. The papers behind the studies left out both: their settings have names here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.schema.checks import choice
from rankgauge.schema.text import nearest

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

BY = "AP"


@dataclass(frozen=True)
class Setting:
    """How a paper selected its runs."""

    cite: str
    top: str | int | None = None
    teams: bool = False  # of each team only its best run
    by: str = BY


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
    """The runs that are selected, in the order of the scores.

    With `teams`, {run: team} or a file of them, the best run of each team; of these (or of all runs) the
    `top` so many (30) or share ("75%", rounded up). The best are those with the best mean of `by`; of
    equal means that of the name that comes first by bytes. `setting` is one of SETTINGS instead.

    >>> from rankgauge import evaluate
    >>> runs = {"a": {"q": {"d": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 2, "d": 1}}}
    >>> select(evaluate({"q": {"d": 1}}, runs, "AP"), top="50%")
    ('a', 'c')
    """
    if setting is not None:
        named = SETTINGS[choice("setting", setting, SETTINGS)]
        if named.teams and teams is None:
            raise OptionError(f"the setting {setting} takes the best run of each team; say which are whose")
        top, by, teams = named.top, named.by, teams if named.teams else None
    ranked = by_mean(scores, by)
    if teams is not None:
        team = teams_of(teams, scores.runs)
        best = {team[run]: run for run in reversed(ranked)}  # the last to come is the best
        ranked = [run for run in ranked if best[team[run]] == run]
    chosen = {*ranked[: how_many(top, len(ranked))]}
    return tuple(run for run in scores.runs if run in chosen)


def by_mean(scores: Scores, measure: str) -> list[str]:
    """The runs, the best mean first; undefined means come last, equal ones by name."""
    from rankgauge.comparison.topic_values import direction
    from rankgauge.core.ids import to_bytes
    from rankgauge.measures import parse

    text = str(parse(measure))
    if text not in scores.measures:
        known = ", ".join(scores.measures)
        raise OptionError(f"there are no scores of {text} to select runs by, only of {known}")
    way = direction(scores, text) or 1
    means = {run: mean[text] for run, mean in scores.mean().items()}

    def key(run: str) -> tuple[bool, float, bytes]:
        undefined = math.isnan(means[run])
        return undefined, 0.0 if undefined else -way * means[run], to_bytes(run)

    return sorted(scores.runs, key=key)


def how_many(top: str | int | None, runs: int) -> int:
    """How many runs that is: all, so many of them, or a share, rounded up."""
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


def teams_of(teams: Any, runs: Iterable[str]) -> dict[str, str]:
    """{run: team} of these runs, from such a dict or a file of two columns, run and team."""
    known = dict(teams) if isinstance(teams, Mapping) else _read(teams)
    found = {}
    for run in runs:
        if run not in known:
            raise InputError(f"the teams say nothing of run {run!r}{nearest(run, known)}; add its team")
        found[run] = str(known[run])
    return found


def _read(path: str | os.PathLike[str]) -> dict[str, str]:
    """The pairs of a file: parted by a tab or a comma, or else by blanks; # begins a comment."""
    from rankgauge.formats.source import Source

    known: dict[str, str] = {}
    source = Source(path)
    text = b"".join(source.chunks(1 << 18)).decode("utf-8-sig", "surrogateescape")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parting = next((mark for mark in "\t," if mark in line), None)
        parts = [part.strip() for part in line.split(parting)]
        if len(parts) != 2 or not all(parts):
            raise InputError(
                f"a run and its team must stand here, not {line!r}", path=source.path, line=number
            )
        run, team = parts
        if known.setdefault(run, team) != team:
            raise InputError(
                f"run {run!r} is of team {known[run]!r} and of team {team!r}; name one",
                path=source.path,
                line=number,
            )
    return known
