"""The C/W/L framework: a user model is a probability of going on at each rank; five numbers follow from it.

C(i) is the probability of going on from rank i to the next. Then V(i) = C(1) ... C(i-1) is the probability
that the document at rank i is seen, and with gains from 0 to 1 and one unit of cost per document

    ED  = Σ V(i)                 expected depth: how many documents are seen
    ETU = Σ V(i) gain(i)         expected total utility
    EU  = ETU / ED               expected utility, per document seen: the measure itself
    ETC = ED,  EC = 1            expected total cost, and cost per document

(Moffat et al. 2017; Azzopardi et al. 2019, cwl_eval). With a cutoff k the user stops at rank k at the latest.

Where nothing has a gain, each user here goes on by rank alone: V(i) is in proportion to a weight of the rank,
whose sums are known. So only documents with a gain matter, and their effect on the users who see them.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.measures.rankings.discounts import ByRank, Discount, Gone, Persistence, Reciprocal, RunningSum
from rankgauge.measures.rankings.gains import LINEAR, GainsOf, MaxRel, check_scale
from rankgauge.measures.spec import Laws, Names, gain_measure
from rankgauge.measures.usermodels import Persisting
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, JudgedRankings

AZZOPARDI = "Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L"
FRAMEWORK = (
    "Moffat et al. 2017, Incorporating user expectations and behavior into the measurement of search "
    "effectiveness"
)
Value = Annotated[
    str,
    Word(("EU", "ETU", "EC", "ETC", "ED")),
    "expected utility, total utility, cost, total cost, or depth",
]
HOPE = "the total gain that the user wants"
Goal = Annotated[float, Number(0.01, 1e6), HOPE]


class User(Frozen):
    """A user going on through documents without a gain."""

    weight: Callable[[Any], Any]  # of a rank: V there, if that of rank 1 is 1
    between: Callable[[Any, Any], Any]  # of two ranks a and b: the sum of the weights of a+1, ..., b


def expected(
    j: "JudgedRankings",
    value: str,
    user: User,
    gain: "Floats",
    stays: "Floats | None" = None,
    lead: "Floats | None" = None,
    cost: float = 1.0,
    more: "Floats | float" = 0.0,
) -> "Curve":
    """One of the five numbers; a share `stays` (hits,) goes on, as if `lead` ranks nearer to the top.

    Documents cost `cost`, and hits `more` (hits,) than that.
    """
    before, after = (1.0, 1.0) if stays is None else j.survival(stays)
    above, below = j.previous(j.rank, 0), j.rank
    last: Curve = j.last_value(j.rank, before=0)
    here: Curve = j.position
    if lead is not None:
        had, has = j.previous(lead, 0.0), j.last_value(lead, before=0.0)
        above, below, last, here = above - had, below - had, last - has, here - has
    depth = j.cumulate(before * user.between(above, below)) + last.zip_with(here, user.between) * after
    total = j.cumulate(before * user.weight(below) * gain)
    spent: Curve = depth if isinstance(more, float) else cost * depth
    if not isinstance(more, float):
        spent = spent + j.cumulate(before * user.weight(below) * more)
    return {"EU": total / depth, "ETU": total, "EC": spent / depth, "ETC": spent, "ED": depth}[value]


def by_rank(weights: ByRank) -> User:
    """The user with these weights by rank."""
    sums = RunningSum(weights)
    return User(weights.at, lambda a, b: sums.at(b) - sums.at(a))


PATIENT = User(lambda rank: 1.0, lambda a, b: b - a)  # always goes on


def insistent(goal: float) -> User:
    """The user with C(i) = ((i + 2T - 1) / (i + 2T))², whose weights are (2T / (i - 1 + 2T))²."""
    start = 2 * goal
    return User(
        lambda rank: (start / (rank - 1 + start)) * (start / (rank - 1 + start)),
        lambda a, b: start * start * inverse_squares(a + start, b - a),
    )


def inverse_squares(first: Any, count: Any) -> Any:
    """The sum of 1/x² over `count` terms x = first, first + 1, ...; first is above 0.

    By the Euler-Maclaurin formula from x = first + 16 on, in differences that lose no digits.
    """
    total: Any = 0.0
    for n in range(16):
        a, b = first + n, first + n + count
        total = total + count * (a + b) / (a * a * b * b)
    u, v = 1 / (first + 16), 1 / (first + 16 + count)
    uu, uv, vv = u * u, u * v, v * v
    cube = uu + uv + vv  # (u³ - v³) / (u - v), and so on with 5 and 7
    fifth = uu * uu + uv * (uu + uv + vv) + vv * vv
    seventh = uu * uu * uu + uv * fifth + vv * vv * vv
    tail = 1 + (u + v) / 2 + cube / 6 - fifth / 30 + seventh / 42
    return total + count * u * v * tail


user_model = partial(gain_measure, names=Names(sets="graded"), canonicalise=check_scale)


laws_of_users = partial(Laws, best="most", varies="value", unbounded="ETU ETC ED")


@user_model(
    "INSQ",
    title="INSQ",
    formula="EU of C(i) = ((i + 2T - 1) / (i + 2T))²",
    cite="Moffat, Scholer & Thomas 2012, Models and metrics: IR evaluation as a user process",
    example="INSQ(T=3)",
    uncut="endless",
    laws=laws_of_users(judging_never_hurts="always", beyond_end="other", linear="always", additive=True),
)
def insq(
    j: "JudgedRankings",
    T: Goal = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The rate of gain of a user who wants T good documents, and goes on more often the deeper they are."""
    return expected(j, value, insistent(T), j.share(gains, max_rel))


@user_model(
    "INST",
    title="INST",
    formula="EU of C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))²,  T(i) = T - gain of the first i",
    cite=f"Moffat et al. 2015, INST: an adaptive metric for information retrieval evaluation; {FRAMEWORK}",
    example="INST(T=3)",
    uncut="endless",
    laws=laws_of_users(monotone=False, beyond_end="other"),
)
def inst(
    j: "JudgedRankings",
    T: Annotated[float, Number(0.5, 1e6), HOPE] = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The rate of gain of a user who wants T good documents, and goes on less often the more they have.

    INSQ with T reduced by the gain so far. cwl_eval stops at rank 1000: `INST@1000`.
    """
    gain, user = j.share(gains, max_rel), insistent(T)
    had = j.cumulate(gain).at(j.at_hits)
    here, there = j.rank - 1 + 2 * T - had, j.rank - 1 + 2 * T - j.previous(had, 0.0)
    return expected(j, value, user, gain, stays=(here / there) * (here / there), lead=had)


@user_model(
    "BPM",
    title="Bejeweled player model",
    formula="EU of C(i) = 1 while gain of the first i < T and i < k, else 0",
    cite="Zhang et al. 2017, Evaluating web search with a Bejeweled player model",
    example="BPM@5",
    laws=laws_of_users(monotone=False, beyond_end="less"),
)
def bpm(
    j: "JudgedRankings",
    T: Annotated[float, Number(0, above=True), HOPE] = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The mean gain of the documents seen by a user who stops at rank k, or once T is gained."""
    gain = j.share(gains, max_rel)
    return expected(j, value, PATIENT, gain, stays=1.0 * (j.cumulate(gain).at(j.at_hits) < T))


@user_model(
    "SDCG",
    title="Scaled discounted cumulated gain",
    formula="EU of C(i) = log2(i + 1) / log2(i + 2), for i < k",
    cite="Moffat, Scholer & Thomas 2012; Azzopardi et al. 2019, cwl_eval",
    example="SDCG@5",
    laws=laws_of_users(judging_never_hurts="always", beyond_end="less", linear="always", additive=True),
)
def sdcg(
    j: "JudgedRankings", value: Value = "EU", gains: GainsOf = LINEAR, max_rel: MaxRel | None = None
) -> "Curve":
    """Discounted cumulated gain as a share of that of k documents of the highest grade, real or not."""
    return expected(j, value, by_rank(Reciprocal(Discount("log2"))), j.share(gains, max_rel))


@user_model(
    "NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    formula="EU of C(i) = 1 - gain(i), for i < k",
    cite=f"{AZZOPARDI}, equation 8",
    example="NERR8@5",
    laws=laws_of_users(monotone=False, beyond_end="less"),
)
def nerr8(
    j: "JudgedRankings", value: Value = "EU", gains: GainsOf = LINEAR, max_rel: MaxRel | None = None
) -> "Curve":
    """The rate of gain of a user who stops at a document as likely as its gain, and at rank k."""
    gain = j.share(gains, max_rel)
    return expected(j, value, PATIENT, gain, stays=1 - gain)


@user_model(
    "NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    formula="EU of C(i) = (1 - gain(i)) i / (i + 1), for i < k",
    cite=f"{AZZOPARDI}, equation 9",
    example="NERR9@5",
    laws=laws_of_users(monotone=False, beyond_end="less"),
)
def nerr9(
    j: "JudgedRankings", value: Value = "EU", gains: GainsOf = LINEAR, max_rel: MaxRel | None = None
) -> "Curve":
    """As NERR8, of a user who is also less and less likely to go on, as one over the rank."""
    gain = j.share(gains, max_rel)
    return expected(j, value, by_rank(Reciprocal(Discount("rank"))), gain, stays=1 - gain)


@user_model(
    "NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    formula="EU of C(i) = p (1 - gain(i))",
    cite=f"{AZZOPARDI}, equation 10",
    uncut="endless",
    laws=laws_of_users(monotone=False, beyond_end="other"),
)
def nerr10(
    j: "JudgedRankings",
    p: Persisting = 0.9,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The rate of gain of a user as patient as RBP's, who stops at a document as likely as its gain."""
    seeing, gone, gain = Persistence(p), Gone(p), j.share(gains, max_rel)
    user = User(seeing.at, lambda a, b: seeing.at(a + 1) * gone.at(b - a) / (1 - p))
    return expected(j, value, user, gain, stays=1 - gain)


@user_model(
    "NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    formula="EU of C(i) = (1 - gain(i)) ((i + 2T - 1) / (i + 2T))²",
    cite=f"{AZZOPARDI}, equation 11",
    example="NERR11(T=3)",
    uncut="endless",
    laws=laws_of_users(monotone=False, beyond_end="other"),
)
def nerr11(
    j: "JudgedRankings",
    T: Goal = 1.0,
    value: Value = "EU",
    gains: GainsOf = LINEAR,
    max_rel: MaxRel | None = None,
) -> "Curve":
    """The rate of gain of a user as patient as INSQ's, who stops at a document as likely as its gain."""
    gain = j.share(gains, max_rel)
    return expected(j, value, insistent(T), gain, stays=1 - gain)
