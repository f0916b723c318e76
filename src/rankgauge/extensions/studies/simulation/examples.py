"""Worked examples from the literature as tiny collections, with the numbers their authors print.

    example = examples.load("jarvelin-2002")
    rankgauge.evaluate(example.qrels, example.runs, "DCG(base=2)@10")
    example.expected["DCG(base=2)"]["G"]["1"]     # 3, 5, 6.89, …

`expected` is {measure: {run: {topic: value}}}, where a value is a number, or a list of the values at rank
1, 2, …; the topic `all` is the mean. Values are as printed, including errors, which the note names.
Scores are the whole numbers from the length of the ranking down to 1.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field

from rankgauge.errors import OptionError
from rankgauge.schema.text import unknown_name

Judgments = dict[str, dict[str, int]]  # topic or subtopic -> document -> grade
Run = dict[str, dict[str, float]]  # topic -> document -> score
Printed = dict[str, dict[str, dict[str, float | list[float]]]]  # measure -> run -> topic -> value


@dataclass(frozen=True)
class Example:
    """A tiny collection, with the values that its authors report."""

    title: str
    source: str
    note: str
    qrels: Judgments
    runs: dict[str, Run]
    expected: Printed
    subtopics: dict[str, Judgments] = field(default_factory=dict)  # topic -> subtopic -> document -> grade


def names() -> tuple[str, ...]:
    """The names of the examples."""
    return tuple(_EXAMPLES)


def load(name: str) -> Example:
    """The example of this name, as a new object."""
    if name not in _EXAMPLES:
        raise OptionError(unknown_name("example", name, _EXAMPLES))
    return copy.deepcopy(_EXAMPLES[name])


def _ranked(documents: Iterable[str]) -> dict[str, float]:
    ranking = list(documents)
    return {document: float(len(ranking) - place) for place, document in enumerate(ranking)}


def _of_grades(grades: str) -> dict[str, float]:
    """A ranking of documents with these grades, named by grade and letter: `2a`, then `2b`."""
    seen: dict[str, int] = {}
    ranking = []
    for grade in grades:
        ranking.append(f"{grade}{chr(ord('a') + seen.setdefault(grade, 0))}")
        seen[grade] += 1
    return _ranked(ranking)


def _judged(grades: str) -> dict[str, int]:
    return {document: int(document[0]) for document in _of_grades(grades)}


JARVELIN = Example(
    title="Cumulated gain of the vector G′ beside the ideal vector I′",
    source="K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, "
    "ACM Transactions on Information Systems 20(4), 2002, section 2",
    note="The paper leaves open which documents follow rank 10. The ideal vector is of the recall base: "
    "three of its documents are not among the ten. DCG of the ideal is cut after two digits, not "
    "rounded, at ranks 6 (10.528) and 8 (11.217).",
    qrels={"1": _judged("3332221111000")},
    runs={"G": {"1": _of_grades("3230012230")}, "I": {"1": _of_grades("3332221111000")}},
    expected={
        "CG": {
            "G": {"1": [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]},
            "I": {"1": [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19, 19, 19]},
        },
        "DCG(base=2)": {
            "G": {"1": [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]},
            "I": {"1": [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83, 11.83, 11.83]},
        },
        "nCG": {"G": {"1": [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]}},
    },
)


FERRO = Example(
    title="Relative position and its cumulation for ideal, worst, full scale and two other runs",
    source="N. Ferro, G. Silvello, H. Keskustalo, A. Pirkola and K. Järvelin, The Twist measure for IR "
    "evaluation: taking user's effort into account, Journal of the Association for Information Science "
    "and Technology 67(3), 2016",
    note="Lists have length N = 15 and the recall base is 7: two highly (3), two fairly (2) and three "
    "partially relevant documents (1). The full scale run is printed with 16 components, a "
    "non-relevant one too many; its vectors have 15.",
    qrels={"1": _judged("3322111" + 15 * "0")},
    runs={
        "i": {"1": _of_grades("332211100000000")},
        "w": {"1": _of_grades("000000000000000")},
        "fs": {"1": _of_grades("000000001112233")},
        "a": {"1": _of_grades("332012000100000")},
        "b": {"1": _of_grades("301020002100310")},
    },
    expected={
        "RP": {
            "i": {"1": [0] * 15},
            "w": {"1": [-7, -6, -5, -4, -3, -2, -1, 0, 0, 0, 0, 0, 0, 0, 0]},
            "fs": {"1": [-7, -6, -5, -4, -3, -2, -1, 0, 2, 3, 4, 8, 9, 12, 13]},
            "a": {"1": [0, 0, 0, -4, 0, 2, -1, 0, 0, 3, 0, 0, 0, 0, 0]},
            "b": {"1": [0, -6, -2, -4, 1, -2, -1, 0, 5, 3, 0, 0, 11, 7, 0]},
        },
        "CRP": {
            "i": {"1": [0] * 15},
            "w": {"1": [-7, -13, -18, -22, -25, -27, -28, -28, -28, -28, -28, -28, -28, -28, -28]},
            "fs": {"1": [-7, -13, -18, -22, -25, -27, -28, -28, -26, -23, -19, -11, -2, 10, 23]},
            "a": {"1": [0, 0, 0, -4, -4, -2, -3, -3, -3, 0, 0, 0, 0, 0, 0]},
            "b": {"1": [0, -6, -8, -12, -11, -13, -14, -14, -9, -6, -6, -6, 5, 12, 12]},
        },
        # Figures 5 and 6, where the value is the same for every topic; others are bounds.
        "ForwardSpaceRatio": {"i": {"1": 1}, "w": {"1": 1}, "fs": {"1": 0}},
        "BackwardSpaceRatio": {"i": {"1": 1}, "w": {"1": 0}, "fs": {"1": 0}},
        "SpaceRatio": {"i": {"1": 1}, "w": {"1": 0}, "fs": {"1": 0}},
        "RecoveryRatio": {"i": {"1": 1}, "w": {"1": 0}},
        "Twist": {"i": {"1": 1}, "w": {"1": 0}},
    },
)


CLARKE = Example(
    title="Novelty: the questions on Norwegian Cruise Lines answered by the first ten documents",
    source="C. L. A. Clarke et al., Novelty and diversity in information retrieval evaluation, "
    "SIGIR 2008, table 2 and section 5",
    note="Topic 85 of the TREC 2005 question answering track; a grade is the number of questions that "
    "are answered. That a answers 85.4 and e 85.6, and not the other way round, is a reading of the "
    "table that changes no number. The paper's ideal order leaves out d, which answers nothing.",
    qrels={"85": dict(zip("abcdefghij", (2, 1, 1, 0, 2, 1, 1, 1, 0, 0), strict=True))},
    runs={
        "bm25": {"85": _ranked("abcdefghij")},
        "ideal": {"85": _ranked("aegbfchij")},
        "by-number": {"85": _ranked("aebcfghdij")},
    },
    expected={
        "alpha_CG(alpha=0.5)": {
            "bm25": {"85": [2, 2.5, 2.75, 2.75, 4.75, 5.25, 6.25, 6.5]},
            "ideal": {"85": [2, 4, 5, 5.5, 6, 6.25, 6.5]},
        },
        "alpha_DCG(alpha=0.5)": {
            "bm25": {"85": [2, 2.315, 2.440]},
            "ideal": {"85": [2, 3.262, 3.762]},
        },
        "alpha_nDCG(alpha=0.5)": {"bm25": {"85": [1, 0.710, 0.649]}},
    },
    subtopics={
        "85": {
            "85.1": {"e": 1, "f": 1, "h": 1},
            "85.2": {"a": 1, "b": 1, "c": 1},
            "85.3": {"g": 1},
            "85.4": {"a": 1},
            "85.5": {},
            "85.6": {"e": 1},
        }
    },
)


SAKAI = Example(
    title="Late arrival: the third relevant document at rank 3 or at rank 10",
    source="T. Sakai, Controlling the penalty on late arrival of relevant documents in information "
    "retrieval evaluation with graded relevance, 2006, section 3.2",
    note="With three relevant documents and logarithms to base 10, nDCG makes no difference between the "
    "two, since ranks 1 to 10 are not discounted. Q-measure does, and so does nDCG with base 2.",
    qrels={"1": _judged("1110000000")},
    runs={"at-3": {"1": _of_grades("1110000000")}, "at-10": {"1": _of_grades("1100000001")}},
    expected={"nDCG(base=10)@10": {"at-3": {"1": 1.0}, "at-10": {"1": 1.0}}},
)


_LECTURE = 'Lecture notes on information retrieval, chapter VII, "Evaluation"'


LECTURE_AP = Example(
    title="Average precision of the rankings A, B, C and D, and its mean for two systems",
    source=f"{_LECTURE}, average precision",
    note="System 1 returns A for topic 1 and C for topic 2, system 2 returns B and D. Topic 1 has six "
    "relevant documents, topic 2 three. Recall 2/3 is printed as 0.66 for C and as 0.67 for D.",
    qrels={"1": _judged("1111110000"), "2": _judged("1110000000")},
    runs={
        "system-1": {"1": _of_grades("1011110001"), "2": _of_grades("1000010001")},
        "system-2": {"1": _of_grades("0100111011"), "2": _of_grades("0100101000")},
    },
    expected={
        "P": {
            "system-1": {
                "1": [1.00, 0.50, 0.67, 0.75, 0.80, 0.83, 0.71, 0.63, 0.56, 0.60],
                "2": [1.00, 0.50, 0.33, 0.25, 0.20, 0.33, 0.29, 0.25, 0.22, 0.30],
            },
            "system-2": {
                "1": [0.00, 0.50, 0.33, 0.25, 0.40, 0.50, 0.57, 0.50, 0.56, 0.60],
                "2": [0.00, 0.50, 0.33, 0.25, 0.40, 0.33, 0.43, 0.38, 0.33, 0.30],
            },
        },
        "R": {
            "system-1": {
                "1": [0.17, 0.17, 0.33, 0.50, 0.67, 0.83, 0.83, 0.83, 0.83, 1.00],
                "2": [0.33, 0.33, 0.33, 0.33, 0.33, 0.66, 0.66, 0.66, 0.66, 1.00],
            },
            "system-2": {
                "1": [0.00, 0.17, 0.17, 0.17, 0.33, 0.50, 0.67, 0.67, 0.83, 1.00],
                "2": [0.00, 0.33, 0.33, 0.33, 0.67, 0.67, 1.00, 1.00, 1.00, 1.00],
            },
        },
        "AP": {
            "system-1": {"1": 0.78, "2": 0.54, "all": 0.66},
            "system-2": {"1": 0.52, "2": 0.44, "all": 0.48},
        },
        "AP11": {"system-1": {"1": 0.82}, "system-2": {"1": 0.6}},
        # (2 · 1.0 + 7 · 0.83 + 2 · 0.6) / 11 for A and (11 · 0.6) / 11 for B
        **{
            f"IPrec@{tenths / 10:g}": {"system-1": {"1": precision}, "system-2": {"1": 0.6}}
            for tenths, precision in enumerate([1.0] * 2 + [0.83] * 7 + [0.6] * 2)
        },
    },
)


def _of_numbers(relevant: int, other: int) -> dict[str, int]:
    return {f"r{n}": 1 for n in range(relevant)} | {f"n{n}": 0 for n in range(other)}


LECTURE_SETS = Example(
    title="Precision, recall and F of two sets of documents",
    source=f"{_LECTURE}, set retrieval effectiveness, illustration",
    note="The documents are points in a picture, whose numbers are not printed. These are the smallest "
    "sets that have all three values: 17 relevant documents and another one of 66 relevant ones; "
    "66 and another one of 72.",
    qrels={"1": _of_numbers(66, 1), "2": _of_numbers(72, 1)},
    runs={"cluster": {"1": _ranked(_of_numbers(17, 1)), "2": _ranked(_of_numbers(66, 1))}},
    expected={
        "SetR": {"cluster": {"1": 0.26, "2": 0.92}},
        "SetP": {"cluster": {"1": 0.94, "2": 0.99}},
        "SetF": {"cluster": {"1": 0.40, "2": 0.95}},
    },
)


LECTURE_NDCG = Example(
    title="nDCG of ten documents with grades from 0 to 3",
    source=f"{_LECTURE}, normalized discounted cumulative gain",
    note="Gains are 2^grade − 1 and no document outside the ten is relevant.",
    qrels={"1": _judged("3332221000")},
    runs={"system": {"1": _of_grades("3230012230")}, "ideal": {"1": _of_grades("3332221000")}},
    expected={
        "DCG(gains=exp2)": {
            "system": {"1": [7.00, 8.89, 12.39, 12.39, 12.39, 12.75, 13.75, 14.70, 16.80, 16.80]},
            "ideal": {"1": [7.00, 11.42, 14.92, 16.21, 17.37, 18.44, 18.77, 18.77, 18.77, 18.77]},
        },
        "nDCG(gains=exp2)": {"system": {"1": [1.00, 0.78, 0.83, 0.76, 0.71, 0.69, 0.73, 0.78, 0.90, 0.90]}},
    },
)


LECTURE_RR = Example(
    title="Reciprocal rank: a better mean than that of a system that is better on average",
    source=f"{_LECTURE}, mean reciprocal rank, after N. Fuhr, 2017",
    note="The first relevant document is at ranks 1, 2 and 4 for system 1, always at 2 for system 2: "
    "system 1 has the higher mean reciprocal rank, though its mean rank is worse, 2.3 against 2.",
    qrels={topic: _judged("1000") for topic in "123"},
    runs={
        "system-1": {"1": _of_grades("1000"), "2": _of_grades("0100"), "3": _of_grades("0001")},
        "system-2": {topic: _of_grades("0100") for topic in "123"},
    },
    expected={
        "RR": {
            "system-1": {"1": 1.0, "2": 0.5, "3": 0.25, "all": 0.58},
            "system-2": {"1": 0.5, "2": 0.5, "3": 0.5, "all": 0.5},
        },
        "FirstRank(average=mean)": {
            "system-1": {"1": 1, "2": 2, "3": 4, "all": 2.3},
            "system-2": {"1": 2, "2": 2, "3": 2, "all": 2},
        },
    },
)


_RECIPROCALS = (1, 0.50, 0.33, 0.25, 0.20, 0.17, 0.14, 0.13, 0.11, 0.10)
LECTURE_RANKS = Example(
    title="Reciprocal rank at the ranks from 1 to 10",
    source=f"{_LECTURE}, mean reciprocal rank",
    note="The first relevant document of topic n is at rank n.",
    qrels={str(rank): _judged("1" + 9 * "0") for rank in range(1, 11)},
    runs={
        "system": {str(rank): _of_grades((rank - 1) * "0" + "1" + (10 - rank) * "0") for rank in range(1, 11)}
    },
    expected={"RR": {"system": {str(rank): value for rank, value in enumerate(_RECIPROCALS, 1)}}},
)


_EXAMPLES = {
    "jarvelin-2002": JARVELIN,
    "sakai-2006": SAKAI,
    "clarke-2008": CLARKE,
    "ferro-2016": FERRO,
    "lecture-sets": LECTURE_SETS,
    "lecture-ap": LECTURE_AP,
    "lecture-ranks": LECTURE_RANKS,
    "lecture-rr": LECTURE_RR,
    "lecture-ndcg": LECTURE_NDCG,
}
