"""Hypothesis strategies: small campaigns with everything that is awkward, and settings of measures."""

import math
import os
import random
import zlib
from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import rankgauge
from rankgauge.measures import MEASURES, Measure, parse, parse_all
from rankgauge.measures.diversity import AdHoc
from rankgauge.measures.rankings.gains import SCHEMES, GainsKind, HighestGrade
from rankgauge.measures.settings import build
from rankgauge.schema.parameters import Flag, Number, Numbers, Whole, Word

# Ids that are prefixes of each other, differ in case only, or sort otherwise as bytes than as text.
DOCS = ["d", "d1", "d10", "d2", "D2", "d-2", "é", "𝒟", "\uffee", "007", "7", "a" * 17]
GRADES = [-2, -1, 0, 0, 1, 1, 2, 3, 4, 0.5, 1.5, 2.25, 10]
# Few values, so that there are ties; some that are equal only in single precision, or only to the eye.
SCORES = [0.0, -0.0, 1.0, 1.0, 2.0, 3.0, -1.5, 0.1, 0.3, 0.30000000000000004, 16777216.0, 16777217.0]
SCORES += [1e300, -1e300, math.inf, -math.inf, 5e-324, 12.25, 7.0]


# Measures that stand inside of others.
INSIDE = ["nDCG@5", "P", "AP(rel=2)@3", "nDCG(gains=exp2,judged_only=true)", "ERR@10", "R@2", "Q(beta=2)"]
INSIDE += ["P@4", "DCG(gains=exp2)", "RBP(rel=2)@6"]


def picks(count):
    """So many small numbers, in one draw: Hypothesis is slow with many."""
    return st.binary(min_size=count, max_size=count)


def judgments(grades=GRADES):
    """{document: grade} of one topic."""
    choice = [None, None, *grades]

    def judged(numbers):
        found = zip(DOCS, (choice[n % len(choice)] for n in numbers), strict=True)
        return {doc: grade for doc, grade in found if grade is not None} or {"d": 0}

    return picks(len(DOCS)).map(judged)


def results():
    """{document: score} of one topic, in any order: ties, unjudged documents, few or many."""
    docs = [*DOCS, "u1", "u2", "z" * 20]
    choice = [*[None] * 9, *SCORES]

    def scored(numbers):
        found = zip(docs, (choice[n % len(choice)] for n in numbers[1:]), strict=True)
        kept = [(doc, score) for doc, score in found if score is not None]
        random.Random(numbers[0]).shuffle(kept)
        return dict(kept if numbers[0] % 8 else ())

    return picks(len(docs) + 1).map(scored)


@st.composite
def campaigns(draw, most=3, grades=GRADES):
    """(judgments, run) by topic; at least one judged topic has results, others may be missing."""
    topics = draw(st.sampled_from([["t2"], ["t10", "t2"], ["ü", "t1", "T"], ["t1", "t10", "t2"]]))[:most]
    qrels = {topic: draw(judgments(grades)) for topic in topics}
    run = {topic: found for topic in topics if (found := draw(results()))}
    return qrels, run or {topics[0]: {DOCS[0]: 1.0}}


def levels_of(qrels):
    """The distinct grades of all judgments, ascending."""
    return sorted({float(grade) for judged in qrels.values() for grade in judged.values()})


def by_subtopic(qrels):
    """{topic: {subtopic: {document: grade}}}: the same judgments, each the highest of several subtopics'."""
    nested = {}
    for topic, judged in qrels.items():
        nested[topic] = {"s2": {}, "s1": {}, "s10": {}}
        for doc, grade in judged.items():
            picked = zlib.crc32(doc.encode())
            first, *others = rotated(["s1", "s2", "s10"], picked % 3)
            nested[topic][first][doc] = grade
            for place, subtopic in enumerate(others):
                lower = [None, grade, min(grade, 0), None][picked >> (4 + 2 * place) & 3]
                if lower is not None:
                    nested[topic][subtopic][doc] = lower
    return nested


def rotated(values, places):
    return values[places:] + values[:places]


def judged_for(qrels, measures):
    """Judgments as measures need them: by subtopic, if one of them does."""
    named = [measures] if isinstance(measures, (str, Measure)) else measures
    diverse = any(found.spec.needs.subtopics for each in named for found in parse_all(each))
    return by_subtopic(qrels) if diverse else qrels


def evaluate(qrels, runs, measures, **options):
    """The scores of runs, with judgments as the measures need them."""
    return rankgauge.evaluate(judged_for(qrels, measures), runs, measures, **options)


def curves(qrels, runs, measures, **options):
    """The curves of runs, with judgments as the measures need them."""
    return rankgauge.curves(judged_for(qrels, measures), runs, measures, **options)


def number(kind, levels, rng):
    """A number in a parameter's range: one that means something, or any other."""
    least = math.nextafter(kind.low, math.inf) if kind.above else kind.low
    most = math.nextafter(kind.high, -math.inf) if kind.below else kind.high
    wanted = [*levels, least, most, 0, 0.5, 1, 1.5, 2, math.e, 3, 10, 100, 1e-300, 1e17]
    wanted += [rng.uniform(max(least, -9), min(most, 9)), rng.lognormvariate(0, 9)]
    return rng.choice([float(x) for x in wanted if least <= x <= most and math.isfinite(x)])


def gains(levels, rng, signed=False):
    """A scheme by name, or a map of every positive grade, and perhaps of others, to gains in any order."""
    mapped = [grade for grade in levels if grade > 0]
    mapped += [grade for grade in (-7.0, -1.0, 0.0, 0.25, 5.0) if rng.random() < 0.3]
    below = [-1, rng.uniform(-50, 0)] if signed and rng.random() < 0.5 else []
    worth = {grade: rng.choice([0, 1, 5, rng.uniform(0, 100), *below]) for grade in mapped or [1.0]}
    return rng.choice([*SCHEMES, worth, worth])


def value(kind, levels, rng):
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
    raise NotImplementedError(f"say here what a {type(kind).__name__} accepts")


@cache
def accepts(kind, text):
    """Whether a kind of parameter takes this measure."""
    try:
        kind.read(text)
    except ValueError:
        return False
    return True


def settings_of(spec, seed, levels=(0.0, 1.0, 2.0)):
    """Settings of a measure, in any combination that has a meaning."""
    rng = random.Random(seed)
    chosen = {p.name: value(p.kind, levels, rng) for p in spec.parameters if rng.random() < 0.6 or p.required}
    if not chosen.get("judged_only") and not spec.own_negatives:
        chosen.pop("negatives", None)
    if chosen.get("discount", "jk") != "jk":
        chosen.pop("base", None)
    for one, other in (("rel", "grade"), ("alpha", "beta")):  # two ways to say a thing
        if one in chosen and other in chosen:
            del chosen[rng.choice([one, other])]
    if "gamma" in chosen and spec.has(
        "alpha"
    ):  # of 0 or next to it, a probability is 0 whatever a document holds
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


def plainest(name):
    """A measure's text with nothing in it but what has to be given, as in its example."""
    spec = MEASURES[name]
    required = {p.name for p in spec.parameters if p.required}
    given = {n: v for n, v in parse(spec.example).settings.items() if n in required}
    return str(build(spec, given, None))


def at(text, cutoff):
    """A measure's text with a cutoff."""
    return f"{text}@{cutoff}"


# Examples for a test that runs for each of the many measures.
CI = bool(os.environ.get("CI"))
for_each_measure = settings(max_examples=3 if CI else 25)
few_for_each_measure = settings(max_examples=2 if CI else 10)  # of what takes long
with_all_measures = settings(max_examples=3 if CI else 15)  # each takes as long as the catalogue is


def seeds():
    """Seeds for `settings_of`; drawing settings one by one would take longer than testing them."""
    return st.integers(0, 1 << 40)


def cutoffs():
    """No cutoff, or one inside or past any ranking here."""
    return st.one_of(st.none(), st.integers(1, 20))


def written(name, settings, cutoff=None):
    """A measure's text, by hand: every number with all its digits, defaults not left out."""

    def text(value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{g!r}: {w!r}" for g, w in value.items()) + "}"
        if isinstance(value, list):
            return "{" + ", ".join(map(repr, value)) + "}"
        return str(value).lower() if isinstance(value, bool) else str(value)

    inside = ", ".join(f"{parameter}={text(value)}" for parameter, value in settings.items())
    return f"{name}({inside})" + ("" if cutoff is None else f"@{cutoff}")


def identical(values, others):
    """Whether two arrays are equal bit for bit, undefined where undefined."""
    return np.array_equal(values, others, equal_nan=True)
