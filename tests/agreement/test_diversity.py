"""The values of ndeval, and those that the README of NTCIREVAL prints for its sample."""

import csv
import math
from collections import defaultdict

import pytest

import rankgauge
from agreement.sets import lines

# (judgments, values that ndeval prints)
NDEVAL = {
    "trec_web_2012": ("qrels-for-ndeval.txt.gz", 21_420),
    "trec_dl_2019_passage": ("qrels.dl19-passage.novelty-subtopics.txt.gz", 60_060),
}
OPTIONS = {
    "-traditional": ("score", "0.5"),
    "default": ("rank", "0.5"),
    "-traditional -alpha 0": ("score", "0"),
    "-traditional -alpha 0.25": ("score", "0.25"),
    "-traditional -alpha 0.75": ("score", "0.75"),
}


def measures_of(alpha):
    """{ndeval's column: our measure}; its ideal takes, of equal documents, the last by name."""
    ours = {"NRBP": f"NRBP(alpha={alpha})", "nNRBP": f"nNRBP(alpha={alpha})", "MAP-IA": "AP_IA"}
    for k in (5, 10, 20):
        ours |= {
            f"ERR-IA@{k}": f"ERR_IA(alpha={alpha})@{k}",
            f"nERR-IA@{k}": f"nERR_IA(alpha={alpha})@{k}",
            f"alpha-DCG@{k}": f"alpha_DCG(alpha={alpha})@{k}",
            f"alpha-nDCG@{k}": f"alpha_nDCG(alpha={alpha},ideal=ndeval)@{k}",
            f"P-IA@{k}": f"P_IA@{k}",
            f"strec@{k}": f"StRecall@{k}",
        }
    return {column: str(rankgauge.parse(text)) for column, text in ours.items()}


def ideal_ideal(column, alpha, subtopics):
    """What ndeval divides its alpha-DCG by: that of a document with all subtopics at every rank."""
    if not column.startswith("alpha-DCG"):
        return 1.0
    ranks = range(1, int(column.partition("@")[2]) + 1)
    return subtopics * sum((1 - float(alpha)) ** (rank - 1) / math.log2(1 + rank) for rank in ranks)


@pytest.mark.parametrize("name", NDEVAL)
def test_novelty_and_diversity_are_those_of_ndeval(name, data, agree):
    path, at_least = NDEVAL[name]
    qrels = rankgauge.SubtopicQrels.read(data / name / path)
    useful = {
        topic: sum(any(grade > 0 for grade in judged.values()) for judged in nested.values())
        for topic, nested in qrels.to_dict().items()
    }
    rows = defaultdict(list)
    for row in csv.DictReader(lines(data / name / "expected" / "ndeval_4.5.csv.gz")):
        rows[row["options"]].append(row)
    assert rows.keys() == OPTIONS.keys()

    def compared():
        for options, (order, alpha) in OPTIONS.items():
            ours = measures_of(alpha)
            runs = str(data / name / "runs" / "*.run.gz")
            scores = rankgauge.evaluate(qrels, runs, list(ours.values()), order=order, missing="skip")
            by_topic = scores.to_dict()
            for row in rows[options]:
                values = by_topic[row["run"]]
                for column, measure in ours.items():
                    topics = list(values[measure]) if row["topic"] == "amean" else [row["topic"]]
                    found = [values[measure][t] / ideal_ideal(column, alpha, useful[t]) for t in topics]
                    value = math.fsum(found) / len(found)
                    yield (row["run"], options, row["topic"], column), near(value, row[column]), row[column]

    agree(compared(), 6, at_least)


def near(value, text):
    """A value that lies within a hair of the middle between two numbers of 6 digits is either of them."""
    return float(text) if abs(value - float(text)) <= 0.5e-6 * (1 + 1e-6) else value


def test_d_measures_are_those_that_the_readme_of_ntcireval_prints(data, agree):
    folder = data / "ntcireval_samples"
    printed = {
        "StRecall@10": "0.6667",
        "StRecall@1000": "1.0000",
        "D_Q(norm=cut)@10": "0.1263",
        "D_nDCG@10": "0.2085",
        "D_nDCG(base=2)@10": "0.2117",
        "Dsharp_Q(norm=cut)@10": "0.3965",
        "Dsharp_nDCG@10": "0.4376",
    }

    def compared():
        for intents in ("Dtest.Iprob", "Dtest.DINprob", "test.DINprob"):
            qrels = rankgauge.SubtopicQrels.read(folder / "Dtest.Dqrels").with_subtopic_probabilities(
                folder / intents
            )
            scores = rankgauge.evaluate(qrels, folder / "TRECRUN.gz", list(printed), order="rank")
            for measure, by_topic in scores.to_dict()["TRECRUN"].items():
                yield (intents, measure), by_topic["0001"], printed[measure]
            # Two of topic 0002's four intents have no relevant document: no ranking can reach 1 there.
            assert scores.to_dict()["TRECRUN"]["StRecall@1000"]["0002"] == 0.5

    agree(compared(), 4, 21)


def test_exact_ideals_of_real_judgments_are_found(data):
    qrels = rankgauge.SubtopicQrels.read(data / "trec_web_2012" / "qrels.diversity.txt.gz")
    run = data / "trec_web_2012" / "runs" / "indri_ql_catb.run.gz"
    texts = [f"alpha_nDCG(ideal={ideal})@{k}" for k in (5, 10) for ideal in ("exact", "unclipped")]
    scores = rankgauge.evaluate(qrels, run, texts)
    assert not any("takes too long" in note for note in scores.notes)
    (exact5, greedy5, exact10, greedy10) = scores.values[0]
    assert (exact5 == greedy5).all()
    assert (exact10 <= greedy10 * (1 + 1e-12)).all()
    assert (exact10 < greedy10 * (1 - 1e-6)).sum() == 1
