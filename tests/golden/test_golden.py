"""The worked cases of the papers, to the digit; ORIGIN.md says where they come from."""

import itertools
import json
import math
from pathlib import Path

import pytest

import rankgauge
from rankgauge.measures.rankings.arrays.greedy_ideals import WORST, greedy_ideal
from rankgauge.measures.rankings.novelty import Novelty

# A run needs a topic in common with the judgments even where a case has no results or no judgments.
OTHER_JUDGED, OTHER_RUN = {"other": {"x": 0}}, {"other": {"x": 1.0}}
NAMED = {"linear": "linear", "binary": "binary", "exp": "exp2"}


def cases(kind):
    """The cases of a kind, each a parameter named by its id."""
    path = Path(__file__).parent / f"{kind}.json"
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_text())]


def same(found, expected):
    """Whether a value is the expected one; null is undefined."""
    if expected is None:
        return math.isnan(found)
    return found == pytest.approx(expected, rel=1e-10, abs=1e-12)


def same_vector(found, expected):
    return all(itertools.starmap(same, zip(found, expected or [None] * len(found), strict=True)))


def scored(ranking):
    """A ranking as {document: score}."""
    return {doc: float(-rank) for rank, doc in enumerate(ranking)}


def as_map(gains):
    """The gains of grades 0, 1, 2 ... as the language writes them."""
    return "{" + ",".join(f"{grade}:{gain}" for grade, gain in enumerate(gains)) + "}"


def spellings(case):
    """(name of the gain map, each way to write it in the language)."""
    for name, gains in case["gain_maps"].items():
        yield name, [as_map(gains), *([NAMED[name]] if name in NAMED else [])]


def vectors(case):
    """(measure, key of its vector, key of the ideal's vector or None) for each discount."""
    yield "CG(gains={gains})", "cg", "icg"
    yield "nCG(gains={gains})", "ncg", None
    yield "DCG(gains={gains})", "dcg_log1p", "idcg_log1p"
    yield "nDCG(gains={gains})", "ndcg_log1p", None
    for base in case["bases"]:
        yield f"DCG(gains={{gains}},base={base})", f"dcg_b{base}", f"idcg_b{base}"
        yield f"nDCG(gains={{gains}},base={base})", f"ndcg_b{base}", None


def vector(case, name, key):
    """The expected vector of a gain map; one that is undefined throughout is given as null."""
    return case["expected"]["by_gain_map"][name][key] or [None] * case["N"]


def inputs(case):
    judged = {"case": case["judgments"] or {"nowhere": 0}, **OTHER_JUDGED}
    return judged, {"case": scored(case["ranking"]), **OTHER_RUN}


def binary(case):
    """{measure: expected value} of the measures of relevance."""
    expected = case["expected"]["binary"]
    values = {"AP": expected["AP"], "RR": expected["RR"], "AP11": expected["AP2"]}
    for k in case["cutoffs"]:
        values |= {f"P@{k}": expected["P"][str(k)], f"R@{k}": expected["R"][str(k)]}
        values[f"AP(norm=cut)@{k}"] = expected["AP1"][str(k)]
    for tenths, value in enumerate(expected["interpolated_11"] or [None] * 11):
        values[f"IPrec@{tenths / 10:g}"] = value
    # The cases take grades below 0 for judged and not relevant.
    for over, key in (("min", "bpref"), ("R", "bpref_original"), ("R10", "bpref10")):
        values[f"Bpref(over={over},negatives=nonrelevant)"] = expected[key]
    return values


def sets(case):
    """{measure: expected value} of the measures of sets, and counts."""
    expected, counts = case["expected"]["set"], case["expected"]["counts"]
    values = {
        "SetP": expected["precision"],
        "SetR": expected["recall"],
        f"Fallout(docs={case['n_docs']})": expected["fallout"],
        "NumRel": counts["R"],
        "NumRet": counts["retrieved"],
        "NumRelRet": counts["relevant_retrieved"],
    }
    for beta, value in expected["F"].items():
        values |= {f"SetF(beta={beta})": value, f"SetF(alpha={1 / (1 + float(beta) ** 2)!r})": value}
    if counts["retrieved"]:
        values["Unjudged(negatives=nonrelevant)"] = counts["unjudged_retrieved"] / counts["retrieved"]
    return values


def written_gains(case):
    """(name of the gain map, measure, key of its vector, key of the ideal's vector or None)."""
    for name, written in spellings(case):
        for gains in written:
            for measure, key, ideal in vectors(case):
                yield name, measure.format(gains=gains), key, ideal


def at_cutoffs(case):
    """{measure: expected value} of vectors at one rank."""
    cutoffs = [k for k in case["cutoffs"] if k <= case["N"]]
    vectors = {text: vector(case, name, key) for name, text, key, _ in written_gains(case)}
    return {f"{text}@{k}": by_rank[k - 1] for text, by_rank in vectors.items() for k in cutoffs}


@pytest.mark.parametrize("case", cases("ranking"))
def test_judged_nonrelevant_documents_are_counted(case):
    everything = {"case": scored(case["judgments"]), **OTHER_RUN}  # a run that retrieves all that is judged
    scores = rankgauge.evaluate(inputs(case)[0], everything, "NumNonrelRet(negatives=nonrelevant)")
    counts = case["expected"]["counts"]
    assert scores.to_dict()["run"][scores.measures[0]]["case"] == counts["judged_nonrelevant"]


@pytest.mark.parametrize("case", cases("ranking"))
def test_gains_cumulate_to_the_vectors_of_the_papers_and_so_do_those_of_the_ideal(case):
    expected, ideal = {}, {}
    for name, measure, key, key_of_ideal in written_gains(case):
        text = str(rankgauge.parse(measure))
        expected[text] = vector(case, name, key)
        if key_of_ideal:
            ideal[text] = vector(case, name, key_of_ideal)
    qrels, run = inputs(case)
    curves = rankgauge.curves(qrels, run, expected, depth=case["N"])
    topic = curves.topics.index("case")
    for found, wanted in ((curves.values[0], expected), (curves.ideal, ideal)):
        for text, values in wanted.items():
            assert same_vector(found[curves.measures.index(text), topic].tolist(), values), text


def graded(case):
    """(measure, expected value) of the measures that have one for each gain map."""
    for name, written in spellings(case):
        expected = case["expected"]["by_gain_map"][name]
        for gains in written:
            for beta in case["Q_betas"]:
                yield f"Q(beta={beta},gains={gains})", expected["Q"][str(beta)]
            yield f"genAP(gains={gains})", expected["genAveP"]
            yield f"RHL(gains={gains})", expected["RHL"]
            yield f"RHL(gains={gains},method=discrete)", expected["RHL_discrete"]
            for k in map(str, case["cutoffs"]):
                yield f"gP(gains={gains})@{k}", expected["gP"][k]
                yield f"gR(gains={gains})@{k}", expected["gR"][k]
            undefined = dict.fromkeys(map(str, case["cutoffs"]))
            for k, value in (expected["avg_pos_ncg"] or undefined).items():
                yield f"AnCG(gains={gains})@{k}", value
            for base in case["bases"]:
                for k, value in (expected[f"avg_pos_ndcg_b{base}"] or undefined).items():
                    yield f"AnDCG(gains={gains},base={base})@{k}", value


def user_models(case):
    """(measure, expected value) of the measures of users, and of the older ones."""
    expected = case["expected"]["binary"]
    for p in map(str, case["RBP_p"]):
        yield f"RBP(p={p})", expected["RBP"][p]
        yield f"RBP_residual(p={p})", expected["RBP_residual"][p]
    yield f"ERR(max_rel={case['grade_max']})", case["expected"]["ERR"]
    yield "ASL", expected["ASL"]
    yield f"NormRecall(docs={case['n_docs']})", expected["normalized_recall_bottom"]
    yield f"NormRecall(docs={case['n_docs']},missing=expected)", expected["normalized_recall_expected"]


@pytest.mark.parametrize("of", [binary, sets, at_cutoffs, graded, user_models])
@pytest.mark.parametrize("case", cases("ranking"))
def test_measures_have_the_values_of_the_papers(case, of):
    values = {str(rankgauge.parse(text)): value for text, value in dict(of(case)).items()}
    qrels, run = inputs(case)
    found = rankgauge.evaluate(qrels, run, values).to_dict()["run"]
    wrong = {m: (found[m]["case"], v) for m, v in values.items() if not same(found[m]["case"], v)}
    assert not wrong


@pytest.mark.parametrize("case", cases("ranking"))
def test_the_sliding_ratio_has_the_vector_of_the_papers(case):
    qrels, run = inputs(case)
    for name, written in spellings(case):
        expected = case["expected"]["by_gain_map"][name]["sliding_ratio"]
        measures = [f"SlidingRatio(gains={gains})" for gains in written]
        curves = rankgauge.curves(qrels, run, measures, depth=max(1, len(case["ranking"])))
        for vector in curves.values[0, :, curves.topics.index("case")].tolist():
            assert all(map(same, vector, expected or [None] * len(case["ranking"]))), (name, vector, expected)


@pytest.mark.parametrize("case", cases("ties"))
@pytest.mark.parametrize("ties", ["input", "docid_desc", "docid_asc"])
def test_ties_are_decided_by_the_rule_that_is_asked_for(case, ties):
    run = {"t": dict(case["scored"])}
    mean = rankgauge.evaluate({"t": case["judgments"]}, run, "AP RR", ties=ties).mean()["run"]
    assert same(mean["AP"], case["expected"]["AP"][ties])
    assert same(mean["RR"], case["expected"]["RR"][ties])


@pytest.mark.parametrize("case", cases("ties"))
@pytest.mark.parametrize("ties", ["input", "docid_desc", "average", "best"])
def test_search_lengths_are_those_to_be_expected_whatever_the_rule_for_ties(case, ties):
    expected, run = case["expected"], {"t": dict(case["scored"])}
    lengths = {
        f"ESL(q={q},count={count})": value
        for count in ("documents", "nonrelevant")
        for q, value in expected[f"ESL_{count}"].items()
    }
    lengths["ESL(q=5)"] = None  # more than are retrieved
    lengths["RelativeRelevance"] = expected["relative_relevance_cosine"]
    scores = rankgauge.evaluate({"t": case["judgments"]}, run, lengths, ties=ties)
    found = {text: by_topic["t"] for text, by_topic in scores.to_dict()["run"].items()}
    for text, value in lengths.items():
        assert same(found[str(rankgauge.parse(text))], value), text


@pytest.mark.parametrize("case", cases("ties"))
def test_the_average_search_length_is_the_one_to_be_expected_over_all_orders(case):
    run = {"t": dict(case["scored"])}
    mean = rankgauge.evaluate({"t": case["judgments"]}, run, "ASL", ties="average").mean()["run"]
    assert same(mean["ASL"], case["expected"]["ASL_expected"])


def of_topics(case):
    """The judgments and the run of a case of several topics."""
    qrels = {t["topic"]: t["judgments"] for t in case["topics"]}
    return qrels, {t["topic"]: scored(t["ranking"]) for t in case["topics"]}


@pytest.mark.parametrize("case", cases("topics"))
@pytest.mark.parametrize("undefined", ["zero", "skip"])
def test_means_count_undefined_topics_as_zero_or_not_at_all(case, undefined):
    qrels, run = of_topics(case)
    scores = rankgauge.evaluate(qrels, run, "AP RR P R Bpref", undefined=undefined)
    keys = {"Bpref": "bpref"}
    for measure, mean in scores.mean()["run"].items():
        key = keys.get(measure, measure)
        assert same(mean, case["expected"][f"mean_{undefined}_{key}"]), measure
    for measure, by_topic in scores.to_dict()["run"].items():
        expected = case["expected"]["per_topic"][keys.get(measure, measure)]
        assert all(map(same, by_topic.values(), expected)), measure


@pytest.mark.parametrize("case", cases("topics"))
@pytest.mark.parametrize("undefined", ["zero", "skip"])
def test_micro_averages_are_ratios_of_sums_under_either_rule(case, undefined):
    qrels, run = of_topics(case)
    texts = "P(average=micro) R(average=micro) F(average=micro)"
    mean = rankgauge.evaluate(qrels, run, texts, undefined=undefined).mean()["run"]
    precision, recall = case["expected"]["micro_precision"], case["expected"]["micro_recall"]
    assert same(mean["P(average=micro)"], precision)
    assert same(mean["R(average=micro)"], recall)
    assert same(mean["F(average=micro)"], 2 * precision * recall / (precision + recall))


@pytest.mark.parametrize("case", cases("topics"))
def test_precision_and_recall_are_averaged_at_eleven_points(case):
    qrels, run = of_topics(case)
    levels = "IPrec@0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
    mean = rankgauge.evaluate(qrels, run, levels, undefined="skip").mean()["run"]
    assert same_vector([*mean.values()], case["expected"]["average_11_point_curve"])


@pytest.mark.parametrize("case", cases("topics"))
@pytest.mark.parametrize("undefined", ["zero", "skip"])
def test_vectors_are_averaged_rank_by_rank(case, undefined):
    qrels, run = of_topics(case)
    gains, base, expected = as_map(case["gain_map"]), case["base"], case["expected"]
    texts = {
        key: str(rankgauge.parse(text))
        for key, text in (
            ("cg", f"CG(gains={gains})"),
            ("dcg", f"DCG(gains={gains},base={base})"),
            ("ncg", f"nCG(gains={gains})"),
            ("ndcg", f"nDCG(gains={gains},base={base})"),
        )
    }
    curves = rankgauge.curves(qrels, run, texts.values(), depth=case["N"], undefined=undefined)
    mean, ideal = curves.mean()["run"], curves.mean_ideal()
    for key in ("ncg", "ndcg"):
        assert all(map(same, mean[texts[key]], expected[f"{key}_average_the_normalised_{undefined}"])), key
    for key in ("cg", "dcg"):
        assert all(map(same, mean[texts[key]], expected[f"avg_{key}"])), key
        assert all(map(same, ideal[texts[key]], expected[f"avg_i{key}"])), key
    of_each, of_averages = (curves.mean(how)["run"] for how in ("topics", "averages"))
    for key in ("cg", "dcg"):
        assert same_vector(of_averages[texts[key]], expected[f"n{key}_normalise_the_averages"]), key
        assert same_vector(of_each[texts[key]], expected[f"n{key}_average_the_normalised_{undefined}"]), key


def nuggets_of(case):
    """The judgments by subtopic: {topic: {nugget: {document: 1}}}, with a document that has none."""
    names = sorted({nugget for held in case["nuggets"].values() for nugget in held}) or ["none"]
    judged = {name: {doc: int(name in held) for doc, held in case["nuggets"].items()} for name in names}
    return {"case": judged, "other": {"x": {"x": 1}}}


def read_vector(case, run, text, depth=None):
    """A measure of the case at every rank."""
    depth = depth or case["depth"]
    curves = rankgauge.curves(nuggets_of(case), {**run, **OTHER_RUN}, text, depth=depth)
    return curves.values[0, 0, curves.topics.index("case")].tolist()


@pytest.mark.parametrize("case", cases("nuggets"))
def test_novelty_has_the_values_of_the_papers(case):
    run = {"case": scored(case["ranking"])}
    for alpha, expected in case["expected"].items():
        measures = {
            "cg": f"alpha_CG(alpha={alpha})",
            "dcg": f"alpha_DCG(alpha={alpha})",
            "ncg": f"alpha_nDCG(alpha={alpha},discount=none)",
            "ndcg": f"alpha_nDCG(alpha={alpha})",
            "ndcg_unclipped": f"alpha_nDCG(alpha={alpha},ideal=unclipped)",
        }
        if "ndcg_exact" in expected:
            measures["ndcg_exact"] = f"alpha_nDCG(alpha={alpha},ideal=exact)"
        for key, text in measures.items():
            assert same_vector(read_vector(case, run, text), expected[key]), (key, alpha)


@pytest.mark.parametrize("case", cases("nuggets"))
def test_ideal_and_reversed_ideal_rankings_are_those_of_the_papers(case):
    for alpha, expected in case["expected"].items():
        measure = rankgauge.parse(f"alpha_DCG(alpha={alpha})")
        evaluator = rankgauge.Evaluator(nuggets_of(case), [measure, "P(judged_only=true)"])
        [(_, _, pool)] = evaluator.back_end.blocks
        place = evaluator.qrels.sorted_topics.index("case")
        docs = evaluator.qrels.sorted_docs.texts()[pool.starts[place] : pool.starts[place + 1]]
        ideal = measure.ideal(pool)
        order = ideal.doc[ideal.starts[place] : ideal.starts[place + 1]].tolist()
        assert [docs[doc] for doc in order] == expected["ideal_order"]
        assert same_vector(measure.vector(ideal, case["depth"])[place], expected["ideal_dcg"])
        if "reversed_ideal_ndcg" in expected:
            worst = greedy_ideal(pool, Novelty(float(alpha)), 1.0, None, WORST)
            of_gain = rankgauge.parse(f"alpha_CG(alpha={alpha})").vector(worst, case["depth"])[place]
            gains = [now - before for now, before in zip(of_gain, [0, *of_gain[:-1]], strict=True)]
            assert same_vector(gains, expected["reversed_ideal_gain"])
            normalised = rankgauge.parse(f"alpha_nDCG(alpha={alpha})").vector(worst, case["depth"])[place]
            assert same_vector(normalised, expected["reversed_ideal_ndcg"])


@pytest.mark.parametrize("case", cases("nuggets"))
def test_the_exact_probability_of_relevance_is_that_of_equation_6(case):
    run = {"case": scored(case["ranking"])}
    for alpha, expected in case["expected"].items():
        for gamma, probabilities in expected.get("p_relevant_eq6", {}).items():
            depth = len(probabilities)
            sums = read_vector(case, run, f"alpha_CG(alpha={alpha},gamma={gamma})", depth)
            found = [now - before for now, before in zip(sums, [0, *sums[:-1]], strict=True)]
            assert same_vector(found, probabilities)
