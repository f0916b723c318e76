"""Interpolated precision: at a recall level, the best precision from there on."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.ranked import MANNING, precision
from rankgauge.measures.spec import Laws, Names, Needs, relevance_measure, shared
from rankgauge.schema.parameters import Number, Numbers, Word

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import Curve, Floats, Ints, JudgedRankings

LEVELS = {
    "exact": "level·R, or the next whole number: recall is then at least the level",
    "trec10": "level·R rounded to the nearest whole number, as in trec_eval 10",
    "trec9": "⌊level·R + 0.9⌋, as in trec_eval up to 9",
}
ELEVEN = tuple(tenths / 10 for tenths in range(11))
Recall = Annotated[float, Number(0, 1), "the recall level"]
Rule = Annotated[str, Word(tuple(LEVELS)), "how many relevant documents are needed to reach a recall level"]
Points = Annotated[tuple[float, ...], Numbers(0, 1), "the recall levels"]


@shared
def best_precisions(j: "JudgedRankings") -> "Floats":
    """(hits,): the best precision from each relevant document on."""
    return j.found.best_to_come(precision(j).at(j.found.at_hits))


def reached(j: "JudgedRankings", level: float, rule: str) -> "Ints":
    """(topics, 1): how many relevant documents reach a recall level; at least one."""
    relevant = j.recall_base
    if rule == "exact":  # in whole numbers: 0.1·R in floating point may be larger than it is
        from fractions import Fraction  # slow to import

        part = Fraction(repr(level))
        exact = relevant if part.denominator < 1 << 31 else relevant.astype(object)
        count = (-(-part.numerator * exact // part.denominator)).astype("int64")
    elif rule == "trec10":
        whole = (level * relevant).astype("int64")
        count = whole + (level * relevant - whole >= 0.5)
    else:
        count = (level * relevant + 0.9).astype("int64")
    return count.clip(min=1)


@relevance_measure(
    "IPrec",
    title="Interpolated precision at a recall level",
    formula="IPrec@r = max of P@i over the ranks i at which recall is at least r",
    cite=f"{MANNING}; trec_eval, iprec_at_recall",
    example="IPrec@0.1",
    well_known=True,
    names=Names(at="recall"),
)
def interpolated_precision(j: "JudgedRankings", recall: Recall, levels: Rule = "exact") -> "Floats":
    """The best precision at this recall level or any higher one; 0 where the level is not reached.

    `IPrec@0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1` is the standard precision–recall graph. `levels` is the
    rounding of the number of relevant documents that reach a level: trec_eval 9 and 10 differ in it.
    """
    return j.found.at_nth(best_precisions(j), reached(j, recall, levels)) / j.has_relevant


@relevance_measure(
    "AP11",
    title="Eleven-point average precision",
    formula="AP11 = 1/11 Σ_{r = 0, 0.1, ..., 1} IPrec@r",
    cite=f"{MANNING}; trec_eval, 11pt_avg",
    well_known=True,
)
def eleven_point_average(j: "JudgedRankings", points: Points = ELEVEN, levels: Rule = "exact") -> "Floats":
    """The mean of the interpolated precision at eleven recall levels, or at other `points`."""
    first, *others = (interpolated_precision(j, point, levels) for point in reversed(points))
    return sum(others, first) / len(points)


@relevance_measure(
    "InterpolatedP",
    title="Interpolated precision at a rank",
    formula="InterpolatedP@k = max of P@i over the ranks i ≥ k",
    cite=MANNING,
    example="InterpolatedP@5",
    laws=Laws(beyond_end="less", unordered="uncut"),
    needs=Needs(whole_ranking=True),
)
def interpolated_precision_at_rank(j: "JudgedRankings") -> "Curve":
    """The best precision at this rank or any later one.

    Over recall at the same ranks, it is the whole interpolated curve of a topic; P is the curve as it is.
    """
    return precision(j).at_least(j.found.next_value(best_precisions(j)))
