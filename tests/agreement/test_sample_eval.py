"""The values of NIST's sample_eval.pl for sampled judgments of a real collection."""

from collections import defaultdict

import rankgauge
from agreement.sets import lines, printed

OURS = {
    "infAP": "xinfAP",
    "infNDCG": "infNDCG",
    "iP10": "infP@10",
    "iP50": "infP@50",
    "iP1000": "infP@1000",
    "inum_rel_ret": "infNumRelRet",
    "inum_rel": "infNumRel",
    "num_ret": "NumRet",
}


def test_estimates_from_sampled_pools_are_those_of_sample_eval(data, agree):
    folder = data / "sample_eval"
    values = defaultdict(dict)
    for line in lines(folder / "dl21.sample_eval.tsv.gz"):
        run, measure, topic, value = line.split("\t")
        if measure in OURS:
            values[run][measure, topic] = value.strip()
    runs = [data / "trec_dl_2021_passage" / "runs" / f"{run}.run.gz" for run in values]
    scores = rankgauge.evaluate(folder / "dl21.sampled.qrels.gz", runs, list(OURS.values()), missing="skip")
    found, means = scores.to_dict(), scores.mean()

    def compared():
        for run, of_run in values.items():
            for (measure, topic), value in of_run.items():
                ours = OURS[measure]
                mine = means[run][ours] if topic == "all" else found[run][ours][topic]
                yield (run, measure, topic), printed(mine), value

    agree(compared(), 4, 5_000)
