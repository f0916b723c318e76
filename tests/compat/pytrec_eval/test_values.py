"""The values of pytrec_eval: by their definitions, and by trec_eval's command."""

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.pytrec_eval import twin
from rankgauge.compat import pytrec_eval
from rankgauge.compat.trec_eval.columns import Options
from rankgauge.compat.trec_eval.output import report
from rankgauge.errors import NoCommonTopic

CUTOFFS = (1, 2, 3, 5, 10)
DEFINED = ["num_ret", "num_rel", "num_rel_ret", "map", "recip_rank", "Rprec", "ndcg"] + [
    f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("P", "recall", "map_cut", "ndcg_cut", "success")
]
DOCS = [f"d{n}" for n in range(12)]
scores = st.sampled_from([0.0, 1.0, 1.00000001, 2.5, -3.0, 1e-9, 16777217, 16777216.0])
topics = st.sampled_from(["1", "10", "2", "q", "é"])


def nested(numbers, least):
    documents = st.dictionaries(st.sampled_from(DOCS), numbers, min_size=least)
    return st.dictionaries(topics, documents, min_size=1)


@given(qrel=nested(st.integers(0, 3), 0), run=nested(scores, 0), level=st.integers(1, 3))
def test_values_are_those_of_the_definitions(qrel, run, level):
    found = pytrec_eval.RelevanceEvaluator(qrel, DEFINED, level).evaluate(run)
    assert [*found] == [topic for topic in run if qrel.get(topic)]
    for topic, values in found.items():
        assert values == pytest.approx(
            twin.values(qrel[topic], run[topic], CUTOFFS, level), rel=1e-12, abs=1e-12
        )


def lines_of(nested, line):
    rows = [line.format(t=t, d=d, n=n) for t, docs in nested.items() for d, n in docs.items()]
    random.Random(len(rows)).shuffle(rows)
    return "".join(rows)


@given(
    qrel=nested(st.integers(-1, 3), 1),
    run=nested(scores, 1),
    level=st.integers(1, 2),
    judged_only=st.booleans(),
)
def test_values_are_those_of_the_command(qrel, run, level, judged_only):
    found = pytrec_eval.RelevanceEvaluator(qrel, {"all_trec"}, level, judged_only).evaluate(run)
    with tempfile.TemporaryDirectory() as folder:
        judgments, results = Path(folder, "qrels"), Path(folder, "run")
        judgments.write_text(lines_of(qrel, "{t} 0 {d} {n}\n"), encoding="utf-8")
        results.write_text(lines_of(run, "{t} Q0 {d} 1 {n!r} mine\n"), encoding="utf-8")
        options = Options(
            qrels=str(judgments),
            run=str(results),
            measures=["all_trec"],
            per_topic=True,
            level=level,
            judged_only=judged_only,
            rules=9,
        )
        try:
            printed = [line.split("\t") for line in report(options)[0]]
        except NoCommonTopic:
            assert found == {}
            return
    compared = set()
    for label, topic, value in printed:
        key = label.strip()
        if key in ("runid", "relstring"):
            continue
        compared.add((topic, key))
        if topic == "all":
            own = pytrec_eval.compute_aggregated_measure(key, [values[key] for values in found.values()])
            assert own == pytest.approx(float(value), abs=5.1e-5)  # sums are rounded in another order
        else:
            assert f"{found[topic][key]:.{4 if '.' in value else 0}f}" == value
    assert {topic for topic, _ in compared} == {*found, "all"}
    assert {key for topic, key in compared if topic == "all"} == {*found[next(iter(found))]} - {
        "runid",
        "relstring",
    }
