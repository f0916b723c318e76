"""The page on the different measures called nDCG."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import rankgauge
from writers.markup import code, fenced, table

TOPIC, CUT = "q", 5
QRELS = {TOPIC: {"a": 2, "b": 3, "c": 1, "d": 0, "e": 0, "x": 3, "y": 2, "z": 1}}
RUN = {TOPIC: {doc: float(-place) for place, doc in enumerate("adbuce")}}  # u is not judged
TIED = {TOPIC: {"a": 1.0, "d": 1.0}}


@dataclass(frozen=True)
class Variant:
    """A measure that some tools call nDCG."""

    tools: tuple[str, ...]
    gain: str
    discount: str
    ideal: str
    text: str  # the measure in rankgauge
    qrels: Any = None  # other judgments, if the measure alone is not enough
    remark: str = ""  # what is needed besides the measure


STANDARD = Variant(
    (
        f"trec_eval `ndcg_cut_{CUT}`",
        f"pytrec_eval `ndcg_cut_{CUT}`",
        f"ir_measures `nDCG@{CUT}`",
        f"ranx `ndcg@{CUT}`",
        f"NTCIREVAL `MSnDCG@{CUT:04}`",
        "MATTERS with `Microsoft`",
    ),
    "the grade (NTCIREVAL, MATTERS: as given)",
    "log2(1 + rank)",
    "all judged documents",
    f"nDCG@{CUT}",
)
VARIANTS = (
    STANDARD,
    replace(
        STANDARD,
        tools=("trec_eval `ndcg`",),
        gain="the grade",
        ideal="all judged documents, uncut",
        text="nDCG",
    ),
    replace(
        STANDARD,
        tools=(
            f"gdeval `ndcg@{CUT}`",
            f"ir_measures `nDCG(dcg='exp-log2')@{CUT}`",
            f"ranx `ndcg_burges@{CUT}`",
        ),
        gain="2^grade - 1",
        text=f"nDCG(gains=exp2)@{CUT}",
    ),
    replace(
        STANDARD,
        tools=(
            f"NTCIREVAL `nDCG@{CUT:04}`, its default `-logb 2`",
            "Järvelin & Kekäläinen 2002, their example",
        ),
        gain="as given",
        discount="none at rank 1, then log2(rank)",
        text=f"nDCG(base=2)@{CUT}",
    ),
    replace(
        STANDARD,
        tools=("MATTERS, its default `LogBase` 10",),
        gain="as given",
        discount="none before rank 10, then log10(rank)",
        text=f"nDCG(base=10)@{CUT}",
    ),
    replace(
        STANDARD,
        tools=("any of these on 0/1 judgments",),
        gain="1 if relevant",
        text=f"nDCG(gains=binary)@{CUT}",
    ),
    replace(
        STANDARD,
        tools=(f"scikit-learn `ndcg_score(k={CUT})`",),
        gain="the grade",
        ideal="the candidates passed to it",
        qrels={TOPIC: {doc: grade for doc, grade in QRELS[TOPIC].items() if doc in RUN[TOPIC]}},
        remark=", with judgments of the retrieved documents only",
    ),
)


def value(variant: Variant, **options: str) -> float:
    """The value of a variant for the example."""
    scores = rankgauge.evaluate(variant.qrels or QRELS, RUN, variant.text, **options)
    return float(scores.values[0, 0, 0])


def tied(ties: str) -> float:
    """nDCG@1 of two documents with equal scores, one of them relevant."""
    return float(rankgauge.evaluate(QRELS, TIED, "nDCG(gains=binary)@1", ties=ties).values[0, 0, 0])


def which_ndcg() -> Iterator[str]:
    """The variants side by side, on one ranking."""
    grades = QRELS[TOPIC]
    ranking = " ".join(str(grades.get(doc, "–")) for doc in RUN[TOPIC])
    pool = " ".join(map(str, sorted(grades.values(), reverse=True)))
    yield "# Which nDCG is this?\n"
    yield f"""Several measures go by this name. They differ in the gain of a grade, in the discount of a rank,
in where the ideal ranking comes from, and in how ties are ordered. Papers and tools seldom say which one they
mean. Here they are compared on one ranking of six documents with the grades `{ranking}` (the dash is an
unjudged document). The grades of all judged documents are `{pool}`.
"""
    rows = (
        (
            "\n".join(variant.tools),
            variant.gain,
            variant.discount,
            variant.ideal,
            code(variant.text) + variant.remark,
            f"{value(variant):.4f}",
        )
        for variant in VARIANTS
    )
    yield table(("called nDCG by", "gain", "divided by", "ideal ranking of", "in rankgauge", "value"), rows)
    yield """`rankgauge explain` shows the same for a ranking of yours: the definition in use, every gain and
discount, and the values by the other definitions ([how](../how-to/explain.md)). If a published number matches
none of them, it was computed with other judgments, other gains, or another order of documents.
"""
    yield "## What to look out for\n"
    yield """- **The discount of 2002.** Most tools that cite Järvelin & Kekäläinen divide by log2(1 + rank),
  which is not the discount of that paper. With log(1 + rank) the base cancels out; with `base=` it sets how
  patient the user is. A base above the cutoff, as in the fifth row, means no discount at all: this is `nCG`.
- **The gains.** Linear gains and 2^grade - 1 agree only on 0/1 judgments. A map states the gains explicitly:
  `nDCG(gains={1:1,2:10,3:100})`.
- **The ideal ranking.** rankgauge builds it from all judged documents of the topic. Tools for learning to
  rank (scikit-learn, TorchMetrics, allRank) use the best order of the *candidates*: a document that was not
  retrieved costs nothing, and a ranker that returns a single relevant document scores 1.
- **The cutoff of the ideal ranking.** `nDCG@k` cuts both rankings at k. Without a cutoff both run to their
  ends, so `nDCG` of a run that is k deep is not `nDCG@k`. Elasticsearch cuts the ideal ranking at the number
  of hits returned; Quepid's nDCG@10 does not cut it.
- **Topics without relevant documents.** Their nDCG is undefined in rankgauge: `nan`, counted as 0 in the
  mean. Other tools return 0, or 1.
"""
    yield "## Ties\n"
    low, high = sorted((tied("docid_desc"), tied("docid_asc")))
    yield f"""Two documents have the same score, and only one is relevant. trec_eval orders them by document
id, descending; some tools, ascending. So nDCG@1 is {high:.1f} or {low:.1f}, depending on nothing but their
ids. scikit-learn and TorchMetrics take the average over all orders, {(low + high) / 2:.1f}. In rankgauge,
`--ties` selects the order, and a note counts the ties that could change a score:
"""
    yield fenced("rankgauge evaluate qrels.txt bm25.run -m nDCG@10 --ties docid_asc")
    yield """This page is based on the source code of trec_eval 10.0-rc3 and 9.0.8, pytrec_eval 0.5,
ir_measures 0.4.3, ranx 0.3.21, gdeval 1.3, NTCIREVAL 190111, MATTERS 1.0, scikit-learn, TorchMetrics,
allRank, Quepid and Elasticsearch. The values of trec_eval, gdeval and NTCIREVAL are
[compared](agreement.md) with rankgauge's, to the printed digit.
"""
