"""Random examples: small campaigns with everything that is awkward, and settings of measures."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeVar

from rankgauge.evaluation import evaluator
from rankgauge.measures import MEASURES, Measure, parse, parse_all
from rankgauge.measures.diversity import AdHoc
from rankgauge.measures.rankings.gains import SCHEMES, GainsKind, HighestGrade
from rankgauge.measures.settings import build
from rankgauge.measures.spec import Spec
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Flag, Number, Numbers, Whole, Word

T = TypeVar("T")
Judgments = dict[str, dict[str, float]]  # {topic: {document: grade}}
Results = dict[str, dict[str, float]]  # {topic: {document: score}}

# Ids that are prefixes of each other, differ in case only, or sort otherwise as bytes than as text.
DOCS = ["d", "d1", "d10", "d2", "D2", "d-2", "é", "𝒟", "\uffee", "007", "7", "a" * 17]
UNJUDGED = ["u1", "u2", "z" * 20]
TOPICS = [["t2"], ["t10", "t2"], ["ü", "t1", "T"], ["t1", "t10", "t2"]]
GRADES = [-2, -1, 0, 0, 1, 1, 2, 3, 4, 0.5, 1.5, 2.25, 10]
# Few values, so that there are ties; some that are equal only in single precision, or only to the eye.
SCORES = [0.0, -0.0, 1.0, 1.0, 2.0, 3.0, -1.5, 0.1, 0.3, 0.30000000000000004, 16777216.0, 16777217.0]
SCORES += [1e300, -1e300, math.inf, -math.inf, 5e-324, 12.25, 7.0]
# Measures that stand inside of others.
INSIDE = ["nDCG@5", "P", "AP(rel=2)@3", "nDCG(gains=exp2,judged_only=true)", "ERR@10", "R@2", "Q(beta=2)"]
INSIDE += ["P@4", "DCG(gains=exp2)", "RBP(rel=2)@6"]


def judgments(rng: Random, grades: Sequence[float] = GRADES) -> dict[str, float]:
    """{document: grade} of one topic."""
    chosen = {doc: rng.choice([None, None, *grades]) for doc in DOCS}
    return {doc: grade for doc, grade in chosen.items() if grade is not None} or {"d": 0}


def results(rng: Random) -> dict[str, float]:
    """{document: score} of one topic, in any order: ties, unjudged documents, few, many or none."""
    if rng.random() < 1 / 8:
        return {}
    docs = [*DOCS, *UNJUDGED]
    chosen = {doc: rng.choice([*[None] * 9, *SCORES]) for doc in rng.sample(docs, len(docs))}
    return {doc: score for doc, score in chosen.items() if score is not None}


def campaign(rng: Random, grades: Sequence[float] = GRADES, most: int = 3) -> tuple[Judgments, Results]:
    """(judgments, run); at least one judged topic has results, others may be missing."""
    topics = rng.choice(TOPICS)[:most]
    run = {topic: found for topic in topics if (found := results(rng))}
    return {topic: judgments(rng, grades) for topic in topics}, run or {topics[0]: {DOCS[0]: 1.0}}


def large_campaign(
    seed: Any = 3,
    topics: int = 12,
    depth: int = 30,
    systems: Sequence[str] = ("bm25", "ql", "rm3", "dense", "hybrid"),
) -> tuple[dict[str, Judgments], dict[str, Results]]:
    """({topic: {subtopic: {document: grade}}}, {run: results}), large enough to be studied."""
    rng = Random(seed)
    qrels: dict[str, Judgments] = {}
    runs: dict[str, Results] = {name: {} for name in systems}
    for topic in map(str, range(101, 101 + topics)):
        docs = [f"D{topic}-{number}" for number in range(2 * depth)]
        grades = {doc: rng.choice([0, 0, 0, 1, 1, 2, 3]) for doc in docs[: depth - 5]}
        qrels[topic] = {str(number): {} for number in range(1, 5)}
        for doc, grade in grades.items():
            for subtopic in rng.sample([*qrels[topic]], rng.randint(1, 2)):
                qrels[topic][subtopic][doc] = grade
        for number, name in enumerate(systems, 1):
            worth = {doc: number * grades.get(doc, 0) + rng.gauss(0, 4) for doc in docs}
            best = sorted(docs, key=worth.__getitem__, reverse=True)[:depth]
            runs[name][topic] = {doc: round(worth[doc], 2) for doc in best}
    return qrels, runs


def levels_of(qrels: Mapping[str, Mapping[str, float]]) -> list[float]:
    """The distinct grades of all judgments, ascending."""
    return sorted({float(grade) for judged in qrels.values() for grade in judged.values()})


def by_subtopic(qrels: Judgments) -> dict[str, Judgments]:
    """{topic: {subtopic: {document: grade}}}: the same judgments, each the highest of several subtopics'."""
    nested: dict[str, Judgments] = {}
    subtopics = ["s1", "s2", "s10"]
    for topic, judged in qrels.items():
        nested[topic] = {"s2": {}, "s1": {}, "s10": {}}
        for doc, grade in judged.items():
            picked = zlib.crc32(doc.encode())
            first = picked % 3
            nested[topic][subtopics[first]][doc] = grade
            for place, subtopic in enumerate(subtopics[first + 1 :] + subtopics[:first]):
                lower = [None, grade, min(grade, 0), None][picked >> (4 + 2 * place) & 3]
                if lower is not None:
                    nested[topic][subtopic][doc] = lower
    return nested


def judged_for(qrels: Judgments, measures: Any) -> Any:
    """Judgments as measures need them: by subtopic, if one of them does."""
    named = [measures] if isinstance(measures, (str, Measure)) else measures
    diverse = any(found.spec.needs.subtopics for each in named for found in parse_all(each))
    return by_subtopic(qrels) if diverse else qrels


def evaluate(qrels: Judgments, runs: Any, measures: Any, **options: Any) -> Scores:
    """The scores of runs, with judgments as the measures need them."""
    return evaluator.evaluate(judged_for(qrels, measures), runs, measures, **options)


def curves(qrels: Judgments, runs: Any, measures: Any, **options: Any) -> Any:
    """The curves of runs, with judgments as the measures need them."""
    return evaluator.curves(judged_for(qrels, measures), runs, measures, **options)


def number(kind: Any, levels: Sequence[float], rng: Random) -> float:
    """A number in a parameter's range: one that means something, or any other."""
    least = math.nextafter(kind.low, math.inf) if kind.above else kind.low
    most = math.nextafter(kind.high, -math.inf) if kind.below else kind.high
    wanted = [*levels, least, most, 0, 0.5, 1, 1.5, 2, math.e, 3, 10, 100, 1e-300, 1e17]
    wanted += [rng.uniform(max(least, -9), min(most, 9)), rng.lognormvariate(0, 9)]
    return rng.choice([float(x) for x in wanted if least <= x <= most and math.isfinite(x)])


def gains(levels: Sequence[float], rng: Random, signed: bool = False) -> Any:
    """A scheme by name, or a map of every positive grade, and perhaps of others, to gains in any order."""
    mapped = [grade for grade in levels if grade > 0]
    mapped += [grade for grade in (-7.0, -1.0, 0.0, 0.25, 5.0) if rng.random() < 0.3]
    below = [-1, rng.uniform(-50, 0)] if signed and rng.random() < 0.5 else []
    worth = {grade: rng.choice([0, 1, 5, rng.uniform(0, 100), *below]) for grade in mapped or [1.0]}
    return rng.choice([*SCHEMES, worth, worth])


def value(kind: Any, levels: Sequence[float], rng: Random) -> Any:
    """Something a parameter of this kind accepts."""
    if isinstance(kind, HighestGrade):
        return max(1.0, *levels) + rng.choice([0, 0, 1, 2.5])
    if isinstance(kind, Number):
        return number(kind, levels, rng)
    if isinstance(kind, Word):
        return rng.choice(kind.choices)
    if isinstance(kind, Flag):
        return rng.random() < 0.5
    if isinstance(kind, GainsKind):
        return gains(levels, rng, kind.signed)
    if isinstance(kind, Whole):  # more than there are documents
        return rng.choice([100, 1_001, 25_205_179])
    if isinstance(kind, Numbers):
        return sorted({rng.choice([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0, rng.random()]) for _ in range(4)})
    if isinstance(kind, AdHoc):
        return rng.choice([text for text in INSIDE if accepts(kind, text)])
    if examples := getattr(kind, "examples", None):
        return rng.choice([*examples])
    raise TypeError(f"give {type(kind).__name__} an attribute `examples`: values that it accepts")


@cache
def accepts(kind: Any, text: str) -> bool:
    """Whether a kind of parameter takes this measure."""
    try:
        kind.read(text)
    except ValueError:
        return False
    return True


def settings_of(spec: Spec, seed: Any, levels: Sequence[float] = (0.0, 1.0, 2.0)) -> dict[str, Any]:
    """Settings of a measure, in any combination that has a meaning."""
    rng = Random(seed)
    chosen = {p.name: value(p.kind, levels, rng) for p in spec.parameters if rng.random() < 0.6 or p.required}
    if not chosen.get("judged_only") and not spec.own_negatives:
        chosen.pop("negatives", None)
    if chosen.get("discount", "jk") != "jk":
        chosen.pop("base", None)
    for one, other in (("rel", "grade"), ("alpha", "beta")):  # two ways to say a thing
        if one in chosen and other in chosen:
            del chosen[rng.choice([one, other])]
    if "gamma" in chosen and spec.has("alpha"):
        # Of 0 or next to it, a probability is 0 whatever a document holds.
        chosen |= {"gamma": max(chosen["gamma"], 0.01), "alpha": max(chosen.get("alpha", 0.5), 0.01)}
    if "docs" not in chosen:
        chosen.pop("d", None)
    if isinstance(chosen.get("gains"), dict):
        chosen.pop("max_rel", None)
    if "N" in chosen:  # lists are cut, or filled up
        chosen["N"] = rng.choice([1, 2, 3, 5, 8, 20, 30])
    if "q" in chosen:  # so many relevant documents as there may be
        chosen["q"] = rng.choice([1, 2, 3, 5, 100])
    return dict(rng.sample(list(chosen.items()), len(chosen)))


def cutoff(rng: Random, spec: Spec) -> int | None:
    """No cutoff, or one inside or past any ranking here."""
    return rng.choice([None, *range(1, 21)]) if spec.curve and rng.random() < 0.7 else None


def written(name: str, settings: Mapping[str, Any], cutoff: int | None = None) -> str:
    """A measure's text, by hand: every number with all its digits, defaults not left out."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{g!r}: {w!r}" for g, w in value.items()) + "}"
        if isinstance(value, list):
            return "{" + ", ".join(map(repr, value)) + "}"
        return str(value).lower() if isinstance(value, bool) else str(value)

    inside = ", ".join(f"{parameter}={text(value)}" for parameter, value in settings.items())
    return f"{name}({inside})" + ("" if cutoff is None else f"@{cutoff}")


def plainest(name: str) -> str:
    """A measure's text with nothing in it but what has to be given, as in its example."""
    spec = MEASURES[name]
    required = {p.name for p in spec.parameters if p.required}
    given = {n: v for n, v in parse(spec.example).settings.items() if n in required}
    return str(build(spec, given, None))
