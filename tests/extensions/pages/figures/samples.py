"""Results of each kind that figures draw, and what every figure's specification is made of."""

from dataclasses import replace
from functools import cache

import numpy as np
from rankgauge.figures import figures
from rankgauge.studies import Campaign

import rankgauge
from rankgauge import studies
from rankgauge.model.output.tables import Table
from rankgauge.model.subtopics import SubtopicQrels

SIZES = {"topics": 12, "depth": 60, "systems": 3, "seed": 7}
STUDIES = {  # what each study is asked, so that it answers soon
    "power": {"measures": "AP nDCG", "samples": 40},
    "correlation": {"measures": "AP Q(beta=0.1|1|10)", "samples": 20},
    "alpha": {"values": (0, 0.5, 1), "depths": (5, 10)},
    "reversed-ideal": {"values": (0, 1), "depth": 10},
    "robustness": {"measures": "AP Bpref", "percent": (50, 10), "shuffles": 2, "depths": (5,)},
}
OPTIONS = {"differences": {"baseline": "bm25", "run": "dense"}, "difficulty": {"highlight": "bm25"}}
TABLES = {
    "lines": Table(
        ("measure", "sample", "tau", "low", "high"),
        [(m, s, t - s / 9, t - s / 9 - 0.1, t) for m, t in (("AP", 1.0), ("Q", 0.9)) for s in (1, 2, 3)],
    ),
    "intervals": Table(
        ("judge", "run", "bias", "low", "high"),
        [
            (j, r, b / 9, b / 9 - 0.1, b / 9 + 0.2)
            for j, r, b in (("A", "run a", 1), ("A", "run bb", 2), ("B", "run a", 0))
        ],
    ),
    "forest": Table(
        (
            *("segment", "measure", "run", "against", "topics", "difference", "low", "high"),
            *("shrunken", "shrunken_low", "shrunken_high"),
        ),
        [
            (s, "AP", "new", "old", n, d, d - 0.2, d + 0.2, d / 2, d / 2 - 0.1, d / 2 + 0.1)
            for s, n, d in (("all", 9, 0.1), ("kind=a", 3, 0.3), ("kind=b", 3, -0.1), ("kind=c", 3, 0.1))
        ],
    ),
    "matrix": Table(("", "AP", "Q"), [("AP", 1.0, 0.25), ("Q", 0.25, float("nan"))]),
}


@cache
def campaign():
    """(judgments, runs) of a small simulated campaign."""
    made = rankgauge.simulate(**SIZES)
    return made.qrels_dict(), {name: made.run_dict(name) for name in made.systems}


@cache
def results(name, measures=None, depth=30):
    """What a figure draws, made from the small campaign."""
    plot = figures()[name]
    if plot.needs == "nothing":
        return None
    if plot.needs == "table":
        return TABLES[name]
    if plot.needs == "findings":
        return studied(plot.defaults["study"])
    measures = measures or plot.defaults["measures"]
    if plot.needs == "scores":
        return rankgauge.evaluate(*campaign(), measures)
    return rankgauge.curves(*campaign(), measures, depth=depth)


@cache
def studied(study):
    """What a study finds in the small campaign."""
    qrels, runs = campaign()
    if studies.STUDIES[study].needs_subtopics:
        qrels = SubtopicQrels.of(rankgauge.simulate(**SIZES, subtopics=4).subtopics_dict())
    return studies.STUDIES[study].call(Campaign(qrels, runs), **STUDIES[study])


@cache
def drawn(name, **options):
    """A figure of the small campaign."""
    return figures()[name](results(name), **OPTIONS.get(name, {}), **options)


def rows(figure, name=None):
    """The rows of one of a figure's tables, as dicts; of the only one without a name."""
    (table,) = figure.data.values() if name is None else (figure.data[name],)
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def looks(encoding, *channels):
    """{series: its values in these channels}."""
    scales = [encoding[channel]["scale"] for channel in channels]
    by_channel = [dict(zip(scale["domain"], map(str, scale["range"]), strict=True)) for scale in scales]
    return {name: tuple(values[name] for values in by_channel) for name in scales[0]["domain"]}


def curves(measures, depth=30):
    """Curves of the small campaign."""
    return rankgauge.curves(*campaign(), measures, depth=depth)


def many_runs(count):
    """{name: run}: the first is the best, the others ever worse."""
    return {f"r{i}": {"q": {"d1": 1.0, **{f"x{j}": 2.0 for j in range(i)}}} for i in range(count)}


def scores(measures):
    """Scores of the small campaign."""
    return rankgauge.evaluate(*campaign(), measures)


def scores_of(values, measures=("AP", "RR")):
    """Scores with these values, (runs, measures, topics)."""
    small = rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, measures)
    values = np.asarray(values, dtype=float)
    runs, _, topics = values.shape
    return replace(
        small,
        runs=tuple(f"r{i}" for i in range(runs)),
        topics=tuple(f"t{i:06}" for i in range(topics)),
        values=values,
        counted=np.ones((runs, topics), dtype=bool),
    )
