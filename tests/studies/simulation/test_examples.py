"""The worked examples agree with what their papers print, by slow plain formulas."""

import math
import subprocess
import sys
from itertools import accumulate

import pytest

from rankgauge.errors import OptionError
from rankgauge.studies.simulation import examples

ROUNDED = 0.005 + 1e-9  # two digits
CUT = 0.01  # two digits, the rest thrown away


def ranking(run, topic):
    return sorted(run[topic], key=lambda document: -run[topic][document])


def grades(example, run, topic):
    return [example.qrels[topic].get(d, 0) for d in ranking(example.runs[run], topic)]


def recall_base(example, topic):
    return sorted((g for g in example.qrels[topic].values() if g > 0), reverse=True)


def dcg(gains, discount):
    return list(accumulate(gain / discount(rank) for rank, gain in enumerate(gains, 1)))


def base2(rank):
    return max(1.0, math.log2(rank))


def shifted(rank):
    return math.log2(1 + rank)


def hits(gains):
    return list(accumulate(int(gain > 0) for gain in gains))


def precision(gains):
    return [hit / rank for rank, hit in enumerate(hits(gains), 1)]


def average_precision(gains, relevant):
    return sum(p for p, gain in zip(precision(gains), gains, strict=True) if gain > 0) / relevant


def relative_position(found, ideal):
    vector = []
    for rank, grade in enumerate(found, 1):
        first, last = ideal.index(grade) + 1, len(ideal) - ideal[::-1].index(grade)
        vector.append(min(0, rank - first) if rank < first else max(0, rank - last))
    return vector


def novelty(order, nuggets, alpha=0.5):
    seen: dict[str, int] = {}
    gains = []
    for document in order:
        held = [nugget for nugget, documents in nuggets.items() if document in documents]
        gains.append(sum((1 - alpha) ** seen.get(nugget, 0) for nugget in held))
        for nugget in held:
            seen[nugget] = seen.get(nugget, 0) + 1
    return gains


def printed(example, measure):
    for run, topics in example.expected[measure].items():
        for topic, value in topics.items():
            yield run, topic, value


def agree(found, expected, tolerance):
    assert len(found) >= len(expected)
    assert found[: len(expected)] == pytest.approx(expected, abs=tolerance)


def test_cumulated_gain_is_as_printed_in_2002():
    example = examples.load("jarvelin-2002")
    for run, topic, vector in printed(example, "CG"):
        agree(list(accumulate(grades(example, run, topic))), vector, 0)
    for run, topic, vector in printed(example, "DCG(base=2)"):
        agree(dcg(grades(example, run, topic), base2), vector, CUT if run == "I" else ROUNDED)
    ideal = accumulate(recall_base(example, "1"))
    for run, topic, vector in printed(example, "nCG"):
        actual = accumulate(grades(example, run, topic))
        agree([a / i for a, i in zip(actual, ideal, strict=True)], vector, ROUNDED)


def test_the_ideal_vector_of_2002_is_the_recall_base():
    example = examples.load("jarvelin-2002")
    assert recall_base(example, "1") == [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert grades(example, "G", "1") == [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_relative_positions_are_as_printed():
    example = examples.load("ferro-2016")
    ideal = [*recall_base(example, "1"), *[0] * 8]
    assert len(ideal) == 15
    assert example.expected["RP"].keys() == example.expected["CRP"].keys() == example.runs.keys()
    for run, topic, vector in printed(example, "RP"):
        found = grades(example, run, topic)
        assert len(found) == 15
        assert relative_position(found, ideal) == vector
        assert list(accumulate(vector)) == example.expected["CRP"][run][topic]


def test_novelty_is_as_printed():
    example = examples.load("clarke-2008")
    nuggets = example.subtopics["85"]
    gains = {run: novelty(ranking(example.runs[run], "85"), nuggets) for run in example.runs}
    for run, _, vector in printed(example, "alpha_CG(alpha=0.5)"):
        agree(list(accumulate(gains[run])), vector, 0)
    for run, _, vector in printed(example, "alpha_DCG(alpha=0.5)"):
        agree(dcg(gains[run], shifted), vector, 0.0005)
    ideal = dcg(gains["ideal"], shifted)
    for run, _, vector in printed(example, "alpha_nDCG(alpha=0.5)"):
        agree([a / i for a, i in zip(dcg(gains[run], shifted), ideal, strict=False)], vector, 0.0005)


def test_the_grade_of_a_document_is_the_number_of_questions_it_answers():
    example = examples.load("clarke-2008")
    for document, grade in example.qrels["85"].items():
        assert grade == sum(document in answered for answered in example.subtopics["85"].values())
    best = grades(example, "by-number", "85")
    assert best == sorted(best, reverse=True)


def test_a_large_base_hides_late_arrival():
    example = examples.load("sakai-2006")
    ideal = dcg(recall_base(example, "1") + [0] * 7, lambda rank: max(1.0, math.log10(rank)))
    for run, topic, value in printed(example, "nDCG(base=10)@10"):
        found = dcg(grades(example, run, topic), lambda rank: max(1.0, math.log10(rank)))
        assert found[9] / ideal[9] == pytest.approx(value, abs=1e-12)
    by_two = [dcg(grades(example, run, "1"), base2)[9] for run in ("at-3", "at-10")]
    assert by_two[0] > by_two[1]


def test_precision_and_recall_of_the_lecture_are_as_printed():
    example = examples.load("lecture-ap")
    for run, topic, vector in printed(example, "P"):
        agree(precision(grades(example, run, topic)), vector, ROUNDED)
    for run, topic, vector in printed(example, "R"):
        relevant = len(recall_base(example, topic))
        agree([hit / relevant for hit in hits(grades(example, run, topic))], vector, CUT)


def test_average_precision_of_the_lecture_is_as_printed():
    example = examples.load("lecture-ap")
    for run, topics in example.expected["AP"].items():
        found = {
            topic: average_precision(grades(example, run, topic), len(recall_base(example, topic)))
            for topic in example.qrels
        }
        found["all"] = sum(found.values()) / len(found)
        assert found == pytest.approx(topics, abs=ROUNDED)
    for run, topic, value in printed(example, "AP11"):
        gains, relevant = grades(example, run, topic), len(recall_base(example, topic))
        best = [
            max(p for p, hit in zip(precision(gains), hits(gains), strict=True) if 10 * hit >= i * relevant)
            for i in range(11)
        ]
        assert sum(best) / 11 == pytest.approx(value, abs=ROUNDED)


def test_ndcg_of_the_lecture_is_as_printed():
    example = examples.load("lecture-ndcg")
    vectors = {
        run: dcg([2**grade - 1 for grade in grades(example, run, "1")], shifted) for run in example.runs
    }
    for run, _, vector in printed(example, "DCG(gains=exp2)"):
        agree(vectors[run], vector, ROUNDED)
    normalised = [a / i for a, i in zip(vectors["system"], vectors["ideal"], strict=True)]
    agree(normalised, example.expected["nDCG(gains=exp2)"]["system"]["1"], ROUNDED)


def test_reciprocal_rank_of_the_lecture_is_as_printed():
    example = examples.load("lecture-rr")
    means = {}
    for run, topics in example.expected["RR"].items():
        ranks = [1 + [g > 0 for g in grades(example, run, topic)].index(True) for topic in example.qrels]
        means[run] = sum(ranks) / len(ranks)
        found = [*(1 / rank for rank in ranks), sum(1 / rank for rank in ranks) / len(ranks)]
        assert found == pytest.approx(list(topics.values()), abs=ROUNDED)
    printed_means = example.expected["FirstRank(average=mean)"]
    assert means == pytest.approx({run: topics["all"] for run, topics in printed_means.items()}, abs=0.05)
    example = examples.load("lecture-ranks")
    (values,) = example.expected["RR"].values()
    assert values == pytest.approx({str(rank): 1 / rank for rank in range(1, 11)}, abs=ROUNDED)
    for topic in example.qrels:
        assert grades(example, "system", topic).index(1) + 1 == int(topic)


def test_sets_of_the_lecture_are_as_printed():
    example = examples.load("lecture-sets")
    for topic in example.qrels:
        found = grades(example, "cluster", topic)
        precision, recall = sum(found) / len(found), sum(found) / len(recall_base(example, topic))
        f = 2 * precision * recall / (precision + recall)
        values = [example.expected[measure]["cluster"][topic] for measure in ("SetP", "SetR", "SetF")]
        assert values == pytest.approx([precision, recall, f], abs=ROUNDED)


def test_interpolated_precision_of_the_lecture_is_as_printed():
    example = examples.load("lecture-ap")
    for tenths in range(11):
        for run, topic, value in printed(example, f"IPrec@{tenths / 10:g}"):
            gains, relevant = grades(example, run, topic), len(recall_base(example, topic))
            reached = zip(precision(gains), hits(gains), strict=True)
            best = max(p for p, hit in reached if 10 * hit >= tenths * relevant)
            assert best == pytest.approx(value, abs=ROUNDED)


@pytest.mark.parametrize("name", examples.names())
def test_every_example_is_complete(name):
    example = examples.load(name)
    assert example.title
    assert example.source
    assert example.note
    assert example.expected
    for run, topics in example.runs.items():
        assert topics.keys() == example.qrels.keys(), run
        for topic, scores in topics.items():
            assert list(scores.values()) == [float(n) for n in range(len(scores), 0, -1)]
            assert scores.keys() <= example.qrels[topic].keys()
    for topics in example.expected.values():
        assert topics.keys() <= example.runs.keys()


def test_an_example_belongs_to_who_loads_it():
    examples.load("sakai-2006").qrels.clear()
    assert examples.load("sakai-2006").qrels


def test_an_unknown_example_is_named_with_the_nearest():
    with pytest.raises(OptionError, match="'sakai-2007' \\(did you mean sakai-2006"):
        examples.load("sakai-2007")


def test_examples_do_not_need_numpy():
    code = (
        "import sys; from rankgauge.studies.simulation import examples; "
        "examples.load('ferro-2016'); sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
