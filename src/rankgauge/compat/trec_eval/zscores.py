"""Z-scores: values in standard deviations from the mean of other runs on the topic."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines, line_problem, parse_number

UNKNOWN = -1000000.0  # where there is no mean to compare with
LAYOUT = "topic measure mean deviation"

Norms = Mapping[tuple[str, str], tuple[float, float]]  # {(topic, measure): (mean, standard deviation)}


def read(path: str) -> Norms:
    """The means and deviations in a file of lines `topic measure mean deviation`."""
    source = Source(path)
    norms: dict[tuple[str, str], tuple[float, float]] = {}
    for number, line in content_lines(source):
        code = line_problem(line)
        if code:
            raise InputError(problems.sentence(code, line, "qrels"), path=source.path, line=number)
        fields = line.split()
        if len(fields) != 4:
            raise InputError(problems.wrong_columns(LAYOUT, line), path=source.path, line=number)
        mean, deviation = parse_number(fields[2]), parse_number(fields[3])
        if mean is None or deviation is None or not math.isfinite(mean) or not 0 <= deviation < math.inf:
            raise InputError(
                f"expected a mean and a standard deviation, found {problems.quote(b' '.join(fields[2:]))}; "
                "both are finite numbers, and a deviation is not below 0",
                path=source.path,
                line=number,
            )
        norms[to_text(fields[0]), to_text(fields[1])] = mean, deviation
    if not norms:
        raise InputError("the file has no rows; z-scores need at least one", path=source.path)
    return norms


def score(value: float, norm: tuple[float, float] | None, rules: int) -> float:
    """A value as a z-score; from version 10 on, 0 for a value that equals the mean if the deviation is 0."""
    if norm is None:
        return UNKNOWN
    mean, deviation = norm
    if deviation:
        return (value - mean) / deviation
    return 0.0 if rules >= 10 and value == mean else UNKNOWN
