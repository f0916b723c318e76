"""The values of gdeval and NTCIREVAL, and what organisers published."""

import csv
import re

import pytest

import rankgauge
from agreement.sets import QRELS, evaluated, lines, printed
from cases import THOROUGH

GDEVAL = {
    "ntcir13_www_english": 404,
    "trec_covid_rnd1": 930,
    "trec_dl_2019_passage": 1_144,
    "trec_dl_2021_passage": 6_804,
    "trec_web_2012": 408,
}
NTCIREVAL = {
    "ntcir13_www_english": 34_400,
    "trec_covid_rnd1": 77_400,
    "trec_dl_2019_passage": 96_148,
    "trec_web_2012": 34_400,
}


@pytest.mark.parametrize("name", GDEVAL)
def test_ndcg_with_exponential_gains_and_err_are_those_of_gdeval(name, data, agree):
    ours = {"ndcg@10": "nDCG(gains=exp2)", "err@10": "ERR(max_rel=4)"}
    measures = {(column, k): f"{text}@{k}" for column, text in ours.items() for k in ("10", "20")}
    by_topic, mean = evaluated(data / name, tuple(measures.values()), missing="skip")

    def compared():
        for row in csv.DictReader(lines(data / name / "expected" / "gdeval_1.3.csv.gz")):
            for column in ours:  # the header is that of k=10 for both
                run, topic, measure = row["run"], row["topic"], measures[column, row["k"]]
                found = mean[run][measure] if topic == "amean" else by_topic[run][measure][topic]
                yield (run, topic, measure), printed(found), row[column]

    agree(compared(), 5, 2 * GDEVAL[name])


def ntcireval_measures(gains, beta="1", base="2", cutoffs=(10, 100, 1000)):
    """{NTCIREVAL's name: our measure} under one of its configurations; gains by grade, or named."""
    named = {"linear": "linear", "flat": "binary"}
    table = "{" + ",".join(f"{grade}:{gain}" for grade, gain in enumerate(gains.split(":"), 1)) + "}"
    gains = f"gains={named.get(gains, table)}"
    blended = f"beta={beta},{gains}"
    ours = {
        "RR": "RR",
        "O-measure": f"O_measure({blended})",
        "P-measure": f"P_measure({blended})",
        "P-plus": f"P_plus({blended})",
        "AP": "AP",
        "Q-measure": f"Q({blended})",
        "RBP": f"RBP(p=0.95,{gains})",
        "ERR": f"ERR({gains})",
        "EBR": f"EBR({blended})",
    }
    for stop in ("gu", "rb"):
        for utility in ("P", "BR"):
            ours[f"NCU{stop},{utility}"] = f"NCU(stop={stop},utility={utility},{blended})"
    for k in cutoffs:
        ours[f"P@{k:04}"] = f"P@{k}"
        ours[f"AP@{k:04}"] = f"AP(norm=cut)@{k}"  # NTCIREVAL divides by min(k, R)
        ours[f"Q@{k:04}"] = f"Q({blended},norm=cut)@{k}"
        ours[f"nDCG@{k:04}"] = f"nDCG({gains},base={base})@{k}"
        ours[f"MSnDCG@{k:04}"] = f"nDCG({gains})@{k}"
        ours[f"RBP@{k:04}"] = f"RBP(p=0.95,{gains})@{k}"
        ours[f"ERR@{k:04}"] = f"ERR({gains})@{k}"
        ours[f"nERR@{k:04}"] = f"nERR({gains})@{k}"
        ours[f"EBR@{k:04}"] = f"EBR({blended})@{k}"
        ours[f"Hit@{k:04}"] = f"Hit@{k}"
    return {theirs: str(rankgauge.parse(text)) for theirs, text in ours.items()}


@pytest.mark.parametrize("name", NTCIREVAL)
def test_all_measures_are_those_of_ntcireval(name, data, agree):
    rows = [line.split("\t") for line in lines(data / name / "expected" / "ntcireval_190111.tsv.gz")][1:]
    configurations = {row[0]: re.fullmatch(r"g=(.*),beta=(.*),logb=(.*)", row[0]).groups() for row in rows}
    ours = {config: ntcireval_measures(*settings) for config, settings in configurations.items()}
    measures = dict.fromkeys(text for config in ours.values() for text in config.values())
    by_topic, _ = evaluated(data / name, tuple(measures))
    values = {(run, topic): {m: by_topic[run][m][topic] for m in measures} for _, run, topic, *_ in rows}
    agree(
        (
            (
                (config, run, topic, measure),
                printed(values[run, topic][ours[config][measure]]),
                value,
            )
            for config, run, topic, measure, value in rows
        ),
        4,
        NTCIREVAL[name],
    )


def nev(path):
    """(topic, measure, value) of a file of NTCIREVAL's output."""
    for line in path.read_text().splitlines():
        topic, _, rest = line.partition(" ")
        if rest and not rest.startswith("#"):
            measure, value = rest.split("=")
            yield topic, measure, value.strip()


def test_ntcirevals_own_sample_has_its_values(data, agree):
    folder = data / "ntcireval_samples"
    ours = ntcireval_measures("1:2", cutoffs=(10, 1000))
    scores = rankgauge.evaluate(folder / "test.qrels", folder / "TRECRUN.gz", ours.values(), ties="rank")
    [by_measure] = scores.to_dict().values()
    values = {t: {m: by_topic[t] for m, by_topic in by_measure.items()} for t in scores.topics}
    agree(
        (
            ((topic, measure), printed(values[topic][ours[measure]]), value)
            for topic, measure, value in nev(folder / "TRECRUN.test.nev")
        ),
        4,
        3 * 33,
    )


# (expected output, gains of grades 1, 2 and 3, cutoff)
PYNTCIREVAL = [
    ("test_compute", "1:2:3", 1000),
    ("test_compute_cutoff", "1:2:3", 2),
    ("test_compute_grade", "1:4:9", 1000),
]


@pytest.mark.parametrize(("output", "gains", "cutoff"), PYNTCIREVAL)
def test_pyntcirevals_own_tests_pass(output, gains, cutoff, data, agree):
    folder = data / "ntcireval_samples"
    ours = ntcireval_measures(gains, cutoffs=(cutoff,))
    judged = (line.split() for line in (folder / "pyNTCIREVAL_sample.rel").read_text().splitlines())
    ranking = (folder / "pyNTCIREVAL_sample.res").read_text().split()
    scores = rankgauge.evaluate(
        {"": {doc: int(level[1:]) for doc, level in judged}},
        {"": {doc: -rank for rank, doc in enumerate(ranking)}},
        ours.values(),
    )
    [values] = scores.mean().values()
    agree(
        (
            (measure, printed(values[ours[measure]]), value)
            for _, measure, value in nev(folder / f"pyNTCIREVAL_res_{output}.txt")
        ),
        4,
        19,
    )


@pytest.mark.parametrize(
    ("official", "ours"),
    [("MSnDCG", "MSnDCG@10"), ("Q", "Q(norm=cut)@10"), ("nERR", "nERR(gains=linear)@10")],
)
def test_topics_of_ntcir_13_have_the_values_that_its_organisers_published(official, ours, data, agree):
    folder = data / "ntcir13_www_english"
    by_topic, _ = evaluated(folder, (ours,))
    with (folder / "official" / f"wwwE.official.{official}@0010.topic-by-run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    agree(
        (
            ((run, row[""]), printed(value), row[run])
            for run, measures in by_topic.items()
            for row in rows
            for value in (next(iter(measures.values()))[row[""]],)
        ),
        4,
        200,
    )


def test_means_are_those_of_the_official_trec_covid_leaderboard(data, agree):
    folder = data / "trec_covid_rnd1"
    ours = {"ndcg@10": "nDCG@10", "p@5": "P@5", "MAP": "AP"}
    _, mean = evaluated(folder, tuple(ours.values()))
    with (folder / "official_leaderboard.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"] in mean]
    agree(
        (
            ((row["run"], theirs), mean[row["run"]][text], row[theirs])
            for row in rows
            for theirs, text in ours.items()
        ),
        4,
        3 * 15,
    )


def test_means_in_single_precision_are_those_nist_published_for_deep_learning_2021(data, agree):
    binary = {
        "map": "AP(rel=2)",
        "recip_rank": "RR(rel=2)",
        "P_10": "P(rel=2)@10",
        "recall_100": "R(rel=2)@100",
    }
    graded = {"ndcg_cut_10": "nDCG@10", "ndcg_cut_100": "nDCG@100"}
    ours = {("trec_eval", name): text for name, text in binary.items()}  # run with -l 2
    ours |= {("passages-eval", name): text for name, text in graded.items()}
    _, mean = evaluated(data / "trec_dl_2021_passage", tuple(ours.values()), score_precision="single")
    rows = csv.DictReader(lines(data / "published_scores" / "trec30_deep.tsv.gz"), delimiter="\t")
    published = [row for row in rows if row["task"] == "passages" and (row["tool"], row["measure"]) in ours]
    agree(
        (
            ((row["run"], row["measure"]), mean[row["run"]][ours[row["tool"], row["measure"]]], row["value"])
            for row in published
        ),
        4,
        6 * 63,
    )


@pytest.mark.parametrize("name", ["ntcir13_www_english", "trec_covid_rnd1", "trec_dl_2019_passage"])
def test_compatibility_is_that_of_ir_measures(name, data, agree):
    """It takes documents that are not retrieved for scored 0: few documents of these runs have less."""
    ir_measures = pytest.importorskip("ir_measures")
    folder = data / name
    theirs = {
        "Compat(end=lists)": ir_measures.Compat,
        "Compat(p=0.8,end=lists)": ir_measures.Compat(p=0.8),
        "Compat(normalize=false,end=lists)": ir_measures.Compat(normalize=False),
    }
    paths = sorted((folder / "runs").glob("*.run.gz"))[: 4 if THOROUGH else 2]
    by_topic = rankgauge.evaluate(folder / QRELS[name], paths, theirs, ties="docid_asc").to_dict()
    ours = {measure: text for text, measure in theirs.items()}
    judged = [line.split() for line in lines(folder / QRELS[name])]
    evaluator = ir_measures.providers.registry["compat"].evaluator(
        theirs.values(), [ir_measures.Qrel(topic, doc, int(grade)) for topic, _, doc, grade in judged]
    )

    def compared():
        for run, path in zip(by_topic, paths, strict=True):
            results = [line.split() for line in lines(path)]
            scored = [ir_measures.ScoredDoc(row[0], row[2], float(row[4])) for row in results]
            for metric in evaluator.iter_calc(scored):
                found = by_topic[run][ours[metric.measure]].get(metric.query_id, 0.0)
                yield (run, metric.query_id, str(metric.measure)), printed(found), f"{metric.value:.8f}"

    agree(compared(), 8, 70 * len(paths))
