"""What people pass by mistake ends in one of rankgauge's own errors, or works; never in another exception."""

import contextlib

import numpy as np
import pandas as pd
import pytest

import rankgauge
from rankgauge.errors import RankgaugeError

QRELS = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}}
RUN = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d1": 1.0}}
SCORES = rankgauge.evaluate(QRELS, {"a": RUN, "b": RUN}, "AP RR")


def nested(around):
    inner = 1
    for _ in range(3000):
        inner = around(inner)
    return inner


MISTAKES = {
    "a number": 1.5,
    "None": None,
    "an endless name": "x" * 100_000,
    "NUL": "a\0b",
    "half a pair": "a\ud800",
    "half a pair, inside": {"a\ud800": {"b\ud800": 1}},
    "bytes": b"x",
    "nothing": {},
    "an array of no dimension": np.array("AP"),
    "deep dicts": nested(lambda inner: {"y": inner}),
    "deep lists": nested(lambda inner: [inner]),
    "ragged lists": [[1.0, 2.0], [1.0]],
    "a frame": pd.DataFrame({"x": [1]}),
    "a series": pd.Series([1, 2]),
    "a styled frame": pd.DataFrame({"x": [1]}).style,
    "a class": dict,
    "a function": len,
    "a module": np,
    "scores": SCORES,
    "curves": rankgauge.curves(QRELS, RUN, "P"),
}
CALLS = {
    "evaluate": (rankgauge.evaluate, QRELS, RUN, "AP"),
    "curves": (rankgauge.curves, QRELS, RUN, "P"),
    "compare": (rankgauge.compare, QRELS, {"a": RUN, "b": RUN}, "AP"),
    "compare scores": (lambda scores, baseline: rankgauge.compare(scores, baseline=baseline), SCORES, "a"),
    "diff": (rankgauge.diff, QRELS, RUN, RUN, "AP"),
    "explain": (lambda *given: rankgauge.explain(*given, topic="1"), QRELS, RUN, "AP"),
    "validate": (rankgauge.validate, "run"),
    "from_table": (rankgauge.Scores.from_table, {"a": {"1": 0.5}}, "AP"),
    "table": (lambda by: SCORES.table(by=by), {"1": "x"}),
    "text": (rankgauge.Texts.of({"d": "x"}).get, "d"),
    "Evaluator": (rankgauge.Evaluator, QRELS, "AP"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(call, mistake):
    function, *arguments = CALLS[call]
    for place in range(len(arguments)):
        with contextlib.suppress(RankgaugeError):
            function(*[*arguments[:place], MISTAKES[mistake], *arguments[place + 1 :]])
