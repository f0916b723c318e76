"""C/W/L users who stop by what they have spent, or by what they gained for it (see `cwl`).

A document costs time, or text to read. The cost of a document is its grade for a subtopic in which all grades
are below 0, negated (`rankgauge.with_costs` makes such judgments); other documents cost the same.
"""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.cwl import User, Value, expected, laws_of_users, user_model
from rankgauge.measures.diversity import by_global_gain
from rankgauge.measures.rankings.discounts import Gone, Persistence, exponentials
from rankgauge.measures.rankings.gains import LINEAR, GainsOf, MaxRel
from rankgauge.measures.spec import Needs
from rankgauge.schema.parameters import Number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Reading

Cost = Annotated[float, Number(1e-3, 1e6), "what a document costs whose own cost is not known"]
Amount = Annotated[float, Number(1e-3, 1e9), "the cost at which half of the users have stopped"]
DEEPEST = 1000  # the ranks that cwl_eval reads


def spending(
    j: "JudgedRankings",
    value: str,
    user: User,
    cost: float,
    gains: GainsOf,
    max_rel: MaxRel | None,
) -> "Curve":
    """One of the five numbers, of a user for whom a rank is one document of the usual cost further down.

    A document of another cost moves those below it by its difference.
    """
    from rankgauge.measures.rankings.arrays.subtopic_rankings import costs

    own = costs(j, cost)
    lead = j.cumulate(1 - own / cost).at(j.at_hits)
    return expected(j, value, user, j.share(gains, max_rel), lead=lead, cost=cost, more=own - cost)


@user_model(
    "TBG",
    title="Time-biased gain",
    formula="EU of V(i) = 2^(-cost of the first i-1 / halflife)",
    cite="Smucker & Clarke 2012, Time-based calibration of effectiveness measures; Azzopardi et al. 2019, "
    "cwl_eval",
    example="TBG(cost=20)",
    uncut="endless",
    depends_on="judged",
    needs=Needs(subtopics=True),
    laws=laws_of_users(best="open", monotone=False, beyond_end="other"),
    ideal=by_global_gain,
)
def time_biased_gain(
    j: "JudgedRankings",
    halflife: Amount = 224.0,
    cost: Cost = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The gain per document of users who stop as time goes by, half of them in each halflife.

    Documents have costs of their own in judgments that `rankgauge costs` wrote. `value=ETU` is the paper's
    own, with its gain of each document. cwl_eval stops at rank 1000: `TBG@1000`.
    """
    rate = -math.log(2) * cost / halflife
    fewer = math.expm1(rate)

    def weight(rank: Any) -> Any:
        return exponentials((rank - 1) * rate)

    user = User(weight, lambda a, b: weight(a + 1) * exponentials((b - a) * rate, math.expm1) / fewer)
    return spending(j, value, user, cost, gains, max_rel)


@user_model(
    "U_measure",
    title="U-measure",
    formula="EU of V(i) = max(0, 1 - cost of the first i-1 / L)",
    cite="Sakai & Dou 2013, Summaries, ranked retrieval and sessions: a unified framework for information "
    "access evaluation; Azzopardi et al. 2019, cwl_eval",
    example="U_measure(cost=2000)",
    uncut="endless",
    depends_on="judged",
    needs=Needs(subtopics=True),
    laws=laws_of_users(best="open", monotone=False, beyond_end="other"),
    ideal=by_global_gain,
)
def u_measure(
    j: "JudgedRankings",
    L: Annotated[float, Number(1e-3, 1e9), "the text after which nobody reads on"] = 132_000.0,
    cost: Cost = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The gain per document of users who stop evenly over a length of text, by default in characters.

    A document is weighed by the text before it, as in cwl_eval; the paper counts it, too. `value=ETU` is not
    divided by the documents seen, as the paper's own. `rankgauge costs` adds lengths to judgments.
    """
    import numpy as np

    def between(a: Any, b: Any) -> Any:
        seen = np.clip(np.ceil(L / cost - a), 0, b - a)
        return seen - (seen * a + seen * (seen - 1) / 2) * (cost / L)

    user = User(lambda rank: np.maximum(0.0, 1 - (rank - 1) * (cost / L)), between)
    return spending(j, value, user, cost, gains, max_rel)


@user_model(
    "NPV",
    title="Net present value",
    formula="EU of C(i) = 1 / (1 + rate)",
    cite="Azzopardi et al. 2019, cwl_eval: an evaluation tool for information retrieval",
    uncut="endless",
    laws=laws_of_users(judging_never_hurts="always", beyond_end="other", linear="always", additive=True),
)
def net_present_value(
    j: "JudgedRankings",
    rate: Annotated[float, Number(1e-6, 1e6), "by which the gain of the next document is worth less"] = 0.1,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The gain of users who discount what is to come, per document: RBP with p = 1 / (1 + rate), graded.

    `value=ETU` is the net present value itself.
    """
    p = 1 / (1 + rate)
    seeing, gone = Persistence(p), Gone(p)
    user = User(seeing.at, lambda a, b: seeing.at(a + 1) * gone.at(b - a) / (1 - p))
    return expected(j, value, user, j.share(gains, max_rel))


@user_model(
    "IFT",
    title="Information foraging measure",
    formula="EU of C(i) = (1 - 1/(1 + b1 e^(R1 (T - g)))) / (1 + b2 e^(R2 (A - g/i))),  g the gain so far",
    cite="Azzopardi, Thomas & Craswell 2018, Measuring the utility of search engine result pages",
    example="IFT(T=2,A=0.3)",
    uncut="endless",
    laws=laws_of_users(monotone=False, beyond_end="other"),
)
def information_foraging(
    j: "JudgedRankings",
    T: Annotated[float, Number(0), "the total gain that users want"] = 2.0,
    b1: Annotated[float, Number(0, 1000), "how likely they go on, the goal aside"] = 0.9,
    R1: Annotated[float, Number(0), "how strictly they stop at the goal; 0: not at all"] = 1.0,
    A: Annotated[float, Number(0), "the gain per document that they expect"] = 0.2,
    b2: Annotated[float, Number(0, 1000), "how likely they stop, the rate aside; 0: by the goal alone"] = 0.9,
    R2: Annotated[float, Number(0), "how strictly they stop below that rate; 0: not at all"] = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The rate of gain of users who stop when they have enough, or when it comes too slowly.

    As in cwl_eval, they stop at rank 1000 at the latest, and each document costs 1.
    """
    import numpy as np

    share, topic, rank = j.share(gains, max_rel), j.topic, j.rank

    def read(reading: "Reading") -> Any:
        places = np.minimum(reading.ranks, DEEPEST)
        depth = max(1, int(places.max(initial=1)))
        gain = np.zeros((len(j.sizes), depth))
        within = rank <= depth
        gain[topic[within], rank[within] - 1] = share[within]
        gained = np.cumsum(gain, axis=1)
        more = b1 * exponentials(R1 * (T - gained))
        slow = b2 * exponentials(R2 * (A - gained / np.arange(1, depth + 1)))
        goes_on = more / (1 + more) / (1 + slow)
        seen = np.cumprod(np.concatenate([np.ones((len(gain), 1)), goes_on[:, :-1]], axis=1), axis=1)
        numbers: dict[str, Floats] = {"ED": np.cumsum(seen, axis=1), "ETU": np.cumsum(seen * gain, axis=1)}
        numbers |= {"ETC": numbers["ED"], "EU": numbers["ETU"] / numbers["ED"]}
        numbers["EC"] = numbers["ED"] / numbers["ED"]
        return numbers[value][reading.topic, places - 1]

    from rankgauge.measures.rankings.vocabulary import Curve

    return Curve(read)
