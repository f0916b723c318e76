"""Measures of the set of documents retrieved, and counts. Precision, recall and F are in `ranked`."""

from math import inf
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.ranked import MANNING
from rankgauge.measures.spec import Laws, Names, Shown, gain_measure, relevance_measure
from rankgauge.schema.parameters import Number, Whole

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

NO_ANSWER = "Voorhees 2002, Overview of the TREC 2002 Question Answering Track: questions without an answer"
OF_EMPTINESS = Laws(best="most", unordered="always")
Docs = Annotated[int, Whole(), "the number of documents in the collection"]


@gain_measure(
    "NumQ",
    title="Number of topics",
    formula="NumQ = 1 for each topic",
    cite="trec_eval, num_q",
    bounds=(0, inf),
    direction=0,
    average="sum",
    laws=Laws(linear="always", unordered="always"),
    shows=Shown(counts=True),
)
def number_of_topics(j: "JudgedRankings") -> "Floats":
    """One for each topic, so that their sum is how many topics count."""
    return (j.retrieved >= 0).astype(float)


@gain_measure(
    "NumRet",
    title="Documents retrieved",
    formula="NumRet = documents retrieved",
    cite="trec_eval, num_ret",
    bounds=(0, inf),
    direction=0,
    average="sum",
    laws=Laws(linear="always", unordered="always"),
    shows=Shown(counts=True),
)
def retrieved(j: "JudgedRankings") -> "Floats":
    """How many documents were retrieved."""
    return j.retrieved.astype(float)


@relevance_measure(
    "NumRel",
    title="Relevant documents",
    formula="NumRel = R",
    cite="trec_eval, num_rel",
    bounds=(0, inf),
    direction=0,
    average="sum",
    laws=Laws(linear="always", unordered="always"),
    shows=Shown(counts=True),
)
def relevant(j: "JudgedRankings") -> "Floats":
    """How many documents were judged relevant, retrieved or not."""
    return j.recall_base.astype(float)


@relevance_measure(
    "NumRelRet",
    title="Relevant documents retrieved",
    formula="NumRelRet@k = hits(k)",
    cite="trec_eval, num_rel_ret",
    well_known=True,
    bounds=(0, inf),
    average="sum",
    laws=Laws(linear="always", additive=True, unordered="uncut"),
    shows=Shown(counts=True),
)
def relevant_retrieved(j: "JudgedRankings") -> "Curve":
    """How many relevant documents are among those retrieved, or among the first k."""
    return j.hits


@relevance_measure(
    "SetAP",
    title="Unranked average precision",
    formula="SetAP@k = P@k · R@k",
    cite="trec_eval, set_map",
    laws=Laws(beyond_end="less", unordered="uncut"),
)
def set_average_precision(j: "JudgedRankings") -> "Curve":
    """Average precision of a set: every relevant document retrieved has the precision of the whole set."""
    return j.hits * j.hits / (j.position * j.recall_base)


@relevance_measure(
    "CorrectlyEmpty",
    title="Correctly empty results",
    formula="1 if nothing is retrieved and R = 0, else 0",
    cite=NO_ANSWER,
    names=Names(sets="NoAnswer"),
    laws=OF_EMPTINESS,
)
def correctly_empty(j: "JudgedRankings") -> "Floats":
    """Whether the result is empty for a topic without an answer, of which no document is judged relevant."""
    return (~j.has_relevant & (j.retrieved < 1)).astype(float)


@relevance_measure(
    "WronglyAnswered",
    title="Wrongly answered topics",
    formula="1 if something is retrieved and R = 0, else 0",
    cite=NO_ANSWER,
    direction=-1,
    names=Names(sets="NoAnswer"),
    laws=OF_EMPTINESS,
)
def wrongly_answered(j: "JudgedRankings") -> "Floats":
    """Whether something is retrieved for a topic without an answer."""
    return (~j.has_relevant & (j.retrieved > 0)).astype(float)


@relevance_measure(
    "WronglyEmpty",
    title="Wrongly empty results",
    formula="1 if nothing is retrieved and R > 0, else 0",
    cite=NO_ANSWER,
    direction=-1,
    names=Names(sets="NoAnswer"),
    laws=OF_EMPTINESS,
)
def wrongly_empty(j: "JudgedRankings") -> "Floats":
    """Whether the result is empty for a topic with an answer."""
    return (j.has_relevant & (j.retrieved < 1)).astype(float)


@relevance_measure(
    "Fallout",
    title="Fallout",
    formula="Fallout@k = non-relevant documents among the first k / non-relevant documents in the collection",
    cite=MANNING,
    example="Fallout(docs=100)",
    direction=-1,
    ratio=True,
    laws=Laws(linear="always", unordered="uncut"),
)
def fallout(j: "JudgedRankings", docs: Docs) -> "Curve":
    """The share of the non-relevant documents, judged or not, of the collection that was retrieved."""
    return (j.seen - j.hits) / j.nonrelevant_of(docs)


def check_utility(settings: dict[str, Any]) -> dict[str, Any]:
    """Require docs= with d=: documents not retrieved can be counted only in a collection of known size."""
    if settings.get("d") and settings.get("docs") is None:
        raise MeasureError("Utility: d= needs docs=, the number of documents in the collection")
    return settings


@relevance_measure(
    "Utility",
    title="Utility of the set retrieved",
    formula="a·relevant retrieved + b·others retrieved + c·relevant missed + d·others not retrieved",
    cite="trec_eval, utility; Lewis 1995, The TREC-4 Filtering Track",
    bounds=(-inf, inf),
    laws=Laws(
        unordered="uncut",
        best="open",  # relevant documents may be worth less than others
        monotone=False,
        linear="always",
    ),
    canonicalise=check_utility,
)
def utility(
    j: "JudgedRankings",
    a: Annotated[float, Number(), "worth of a relevant document retrieved"] = 1.0,
    b: Annotated[float, Number(), "worth of a non-relevant document retrieved"] = -1.0,
    c: Annotated[float, Number(), "worth of a relevant document not retrieved"] = 0.0,
    d: Annotated[float, Number(), "worth of a non-relevant document not retrieved"] = 0.0,
    docs: Docs | None = None,
) -> "Curve":
    """The sum of the worth of all cells of the contingency table; with a cutoff, for the first k."""
    others = j.seen - j.hits
    worth = a * j.hits + b * others + c * (j.recall_base - j.hits)
    return worth if docs is None else worth + d * (j.nonrelevant_of(docs) - others)
