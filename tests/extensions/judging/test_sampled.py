"""Sampled pools: what the scripts of their authors print, and what is refused or noted."""

from itertools import combinations, product

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, MeasureError
from rankgauge.measures import MEASURES
from twins.sampled import ratio_of_estimates

SIZES = {"a": 4, "b": 10, "c": 20, "d": 3}
EVERY = {"a": 1, "b": 3, "c": 5, "d": 9}  # one document of so many is drawn; none of d
# What sample_eval.pl prints for each topic, and statAP_MQ_eval_v3.pl, with more digits, for statAP.
PRINTED = {
    "xinfAP": ["0.3820", "0.1399", "0.4745", "nan", "0.1952"],
    "infNDCG": ["0.3861", "0.4442", "0.5348", "nan", "0.2968"],
    "infP@10": ["0.3667", "0.4000", "0.7000", "0.0333", "0.5000"],
    "infP@1000": ["0.0137", "0.0107", "0.0185", "0.0003", "0.5670"],
    "infNumRelRet": ["13.6666", "10.6666", "18.4999", "0.3333", "567.0000"],
    "infNumRel": ["21.3333", "18.6667", "24.6667", "0.0000", "2200.0000"],
    "statAP": ["0.40088910", "0.17559524", "0.58023592", "nan", "0.19516754"],
}
MEANS = {"xinfAP": "0.2383", "infNDCG": "0.3324", "infP@10": "0.4000", "infNumRel": "2264.6667"}


def sampled(number):
    """(strata, results) of a topic: strata drawn whole, in part and not at all, and documents of none."""
    strata = {
        name: {
            f"{name}{n}": (n * number) % 7 % 4 if n % EVERY[name] == EVERY[name] // 2 else -1
            for n in range(size)
        }
        for name, size in SIZES.items()
    }
    docs = [doc for each in strata.values() for doc in each] + [f"u{n}" for n in range(15)]
    return strata, {docs[n * 5 * number % 52]: 100.0 - n for n in range(30)}


def with_many_relevant():
    """A topic with more relevant documents than the ideal ranking of sample_eval.pl has ranks."""
    strata = {
        "1": {f"a{n}": 3 * (n % 2) for n in range(1200)},
        "2": {f"b{n}": 1 + n % 2 if n % 4 < 2 else -1 for n in range(1600)},
    }
    top = {f"a{n}": 5000.0 - n for n in range(0, 400, 3)}
    return strata, top | {f"b{n}": 3000.0 - n for n in range(0, 1000, 2)}


@pytest.fixture
def campaign():
    """(judgments, run); nothing is relevant in topic 4."""
    topics = {str(number): sampled(number) for number in (1, 2, 3)}
    topics["4"] = {"a": {"x": 0, "y": 0}, "b": {"z": -1}}, {"x": 2.0, "z": 1.0}
    topics["5"] = with_many_relevant()
    return tuple({topic: part[place] for topic, part in topics.items()} for place in (0, 1))


def test_values_are_those_that_the_scripts_of_the_authors_print(campaign):
    scores = rankgauge.evaluate(*campaign, list(PRINTED))
    for measure, by_topic in scores.to_dict()["run"].items():
        digits = len(PRINTED[measure][0].partition(".")[2])
        assert [f"{value:.{digits}f}" for value in by_topic.values()] == PRINTED[measure], measure
    assert {measure: f"{scores.mean()['run'][measure]:.4f}" for measure in MEANS} == MEANS


def test_a_file_of_five_columns_has_the_values_of_a_dict(campaign, tmp_path):
    qrels, run = campaign
    path = tmp_path / "sampled.qrels"
    rows = [(t, d, s, g) for t, by in qrels.items() for s, docs in by.items() for d, g in docs.items()]
    path.write_text("".join(f"{topic} 0 {doc} {stratum} {grade}\n" for topic, doc, stratum, grade in rows))
    read = rankgauge.evaluate(path, run, "xinfAP infNDCG statAP infAP P@10")
    assert read.mean() == rankgauge.evaluate(qrels, run, "xinfAP infNDCG statAP infAP P@10").mean()
    again = tmp_path / "again.qrels"
    rankgauge.Qrels.read(path).write(again, "strata")
    assert again.read_text() == path.read_text()


def test_with_all_documents_drawn_the_estimates_are_the_values():
    judged = {f"d{n}": n % 3 for n in range(20)}
    qrels = {"q": {"a": dict([*judged.items()][:7]), "b": dict([*judged.items()][7:])}}
    run = {"q": {doc: float(n * 7 % 23) for n, doc in enumerate(judged)}}
    mean = rankgauge.evaluate(qrels, run, "statAP xinfAP infNDCG infP@5 AP nDCG P@5").mean()["run"]
    assert mean["statAP"] == pytest.approx(mean["AP"], rel=1e-12)
    assert mean["xinfAP"] == pytest.approx(mean["AP"], rel=1e-4)  # smoothed
    assert mean["infNDCG"] == pytest.approx(mean["nDCG"], rel=1e-12)
    assert mean["infP@5"] == pytest.approx(mean["P@5"], rel=1e-4)


def test_judgments_without_strata_are_refused():
    with pytest.raises(InputError, match=r"no strata, .*topic, 0, document, stratum and grade"):
        rankgauge.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "xinfAP")


def test_documents_in_several_strata_are_noted():
    overlapping = {"q": {"a": {"d": 1, "e": 0}, "b": {"d": 1}}}
    notes = rankgauge.evaluate(overlapping, {"q": {"d": 1.0}}, "xinfAP infNDCG").notes
    said = "xinfAP, infNDCG: 1 document in more than one stratum, counted in each"
    assert any(said in note for note in notes), notes
    apart = {"q": {"a": {"d": 1, "e": 0}, "b": {"f": 1}}}
    assert "stratum" not in str(rankgauge.evaluate(apart, {"q": {"d": 1.0}}, "xinfAP infNDCG").notes)


SUMS = [name for name, spec in MEASURES.items() if spec.laws.additive]
POPULATION = {"a": {"a1": 3, "a2": 0, "a3": 1, "a4": 2}, "b": {"b1": 0, "b2": 1, "b3": 0, "b4": 2, "b5": 1}}
DRAWN = {"a": 2, "b": 3}
RANKING = {
    doc: -float(rank) for rank, doc in enumerate(["b2", "a1", "u1", "a3", "b5", "b1", "a4", "u2", "b4"])
}


def every_sample():
    """{number: strata} of all samples of the population that are equally likely."""
    choices = [combinations(docs, DRAWN[stratum]) for stratum, docs in POPULATION.items()]
    return {
        f"{number:03}": {
            stratum: {doc: grade if doc in drawn else -1 for doc, grade in docs.items()}
            for (stratum, docs), drawn in zip(POPULATION.items(), sample, strict=True)
        }
        for number, sample in enumerate(product(*choices))
    }


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("cutoff", ["", "@5"])
def test_the_mean_of_the_estimates_over_all_samples_is_the_value(name, cutoff):
    """Unbiased to the last digits, without luck: all 60 samples of two strata are evaluated."""
    samples, text = every_sample(), f"{name}(max_rel=3)" if MEASURES[name].has("max_rel") else name
    judged = {"q": {doc: grade for docs in POPULATION.values() for doc, grade in docs.items()}}
    truth = rankgauge.evaluate(judged, {"q": RANKING}, text + cutoff).values.item()
    estimates = rankgauge.evaluate(samples, dict.fromkeys(samples, RANKING), f"HT({text}{cutoff})").values
    assert estimates.size == 60
    assert estimates.mean() == pytest.approx(truth, rel=1e-12)
    assert len({*estimates.ravel().tolist()}) > 1


@pytest.mark.parametrize(
    "text", ["AP", "AP@5", "nDCG", "nDCG(gains=exp2,base=2)@5", "Q", "Q(beta=3)@4", "P@5"]
)
def test_estimates_from_all_documents_are_the_values(text):
    run = {"q": RANKING}
    judged = {"q": {doc: grade for docs in POPULATION.values() for doc, grade in docs.items()}}
    truth = rankgauge.evaluate(judged, run, text).values.item()
    estimate = rankgauge.evaluate({"q": POPULATION}, run, f"HT({text})").values.item()
    assert estimate == pytest.approx(truth, rel=1e-12)


def test_the_sum_of_precisions_is_unbiased_by_pairs():
    """HT(AP) R̂ is: its mean over all samples is R AP. That of statAP is not."""
    samples = every_sample()
    measures = ["HT(AP)", "statAP", "infNumRel"]
    values = rankgauge.evaluate(samples, dict.fromkeys(samples, RANKING), measures).values[0]
    by_pairs, one_by_one = ((values[row] * values[2]).mean() for row in (0, 1))
    judged = {"q": {doc: grade for docs in POPULATION.values() for doc, grade in docs.items()}}
    truth = rankgauge.evaluate(judged, {"q": RANKING}, "AP").values.item() * 6
    assert by_pairs == pytest.approx(truth, rel=1e-12)
    assert one_by_one < truth - 0.1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ERR@10", r"ERR@10 cannot be estimated from a sample: it is not a sum over documents"),
        ("R@10", r"R@10 cannot be estimated .*use a sum such as P@10"),
        ("INSQ(value=ETU)", r"cannot be estimated"),
        ("P(judged_only=true)@5", r"judged_only= has no estimate from a sample"),
        ("xinfAP", r"must be a sum over documents such as P@10"),
    ],
)
def test_what_cannot_be_estimated_from_a_sample_is_refused_with_the_reason(text, message):
    with pytest.raises(MeasureError, match=message):
        rankgauge.parse(f"HT({text})")


def test_the_mean_over_all_samples_is_near_the_value_though_the_ideal_is_estimated():
    """A topic for each of all 2,800 samples of two strata: the ratio alone is off by ten times as much."""
    grades = {"a": (3, 1, 0, 2, 0, 0, 1, 0), "b": (1, 0, 0, 0, 2, 0, 0)}
    docs = {name: [f"{name}{n}" for n in range(len(each))] for name, each in grades.items()}
    drawn = [[*combinations(each, 4 if name == "a" else 3)] for name, each in docs.items()]
    sample = {
        f"t{n}": {
            name: {doc: grades[name][int(doc[1:])] if doc in chosen else -1 for doc in docs[name]}
            for name, chosen in zip("ab", pair, strict=True)
        }
        for n, pair in enumerate(product(*drawn))
    }
    ranking = ["a0", "b0", "a2", "b1", "a3", "a6", "b4", "a4"]
    run = {topic: {doc: -rank for rank, doc in enumerate(ranking)} for topic in sample}
    complete = {"t0": {doc: grades[doc[0]][int(doc[1:])] for each in docs.values() for doc in each}}
    (true,) = rankgauge.evaluate(complete, {"t0": run["t0"]}, "nDCG@5").values[0, 0]
    values = rankgauge.evaluate(sample, run, "HT(nDCG@5)", undefined="skip").values[0, 0]
    alone = [
        ratio_of_estimates(
            ranking,
            each,
            {name: {d: g for d, g in of.items() if g >= 0} for name, of in each.items()},
            5,
            {},
        )
        for each in sample.values()
    ]
    bias, uncorrected = np.nanmean(values) - true, np.mean([x for x in alone if x is not None]) - true
    assert abs(uncorrected) > 10 * abs(bias)
