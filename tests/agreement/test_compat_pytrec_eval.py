"""rankgauge.compat.pytrec_eval has trec_eval 9's values on real runs, to the printed digit."""

import pytest

from agreement.sets import QRELS, lines
from agreement.test_trec_eval import NEW_IN_10, NOT_COMPARED, VALUES, expected
from cases import THOROUGH
from rankgauge.compat import pytrec_eval

LARGEST = "trec_dl_2021_passage"


@pytest.mark.parametrize("name", [name for name in VALUES if THOROUGH or name != LARGEST])
def test_values_are_those_of_trec_eval_9(name, data, agree):
    folder = data / name
    values = expected(
        folder / "expected" / "trec_eval_10.0-rc3.all_trec.q.tsv.gz", NOT_COMPARED + NEW_IN_10
    ) | expected(folder / "expected" / "trec_eval_9.0.4.differs.tsv.gz")
    qrel = pytrec_eval.parse_qrel(lines(folder / QRELS[name]))
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, pytrec_eval.supported_measures)
    found = {}
    for path in sorted((folder / "runs").glob("*.run.gz")):
        found[path.name.removesuffix(".run.gz")] = evaluator.evaluate(
            pytrec_eval.parse_run(" ".join(line.split()[:6]) for line in lines(path))
        )

    def ours(run, topic, key):
        if topic != "all":
            return found[run][topic][key]
        values = [of_topic[key] for of_topic in found[run].values()]
        aggregated = pytrec_eval.compute_aggregated_measure(key, values)
        if key.startswith(("num_", "gm_")):
            return aggregated
        mean = sum(values) / len(
            values
        )  # one addition after the other, as in trec_eval; pytrec_eval's differs
        assert aggregated == pytest.approx(mean, rel=1e-12)
        return mean

    agree(((key, ours(*key), value) for key, value in values.items()), 4, int(0.96 * VALUES[name]))
    by_topic = {(run, topic) for run, topic, _ in values if topic != "all"}
    assert by_topic == {(run, topic) for run, of_run in found.items() for topic in of_run}
