"""Any ad hoc measure for each intent, as if it were a topic."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.diversity.ideals import by_global_gain
from rankgauge.measures.diversity.intents import AGRAWAL, INFINITE
from rankgauge.measures.registry import measure
from rankgauge.measures.spec import Measure
from rankgauge.schema.parameters import AdHoc

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings
    from rankgauge.rankings.arrays.curves import Floats


@measure(
    "IA",
    title="The intent-aware form of a measure",
    formula="IA(M) = Σ_i P(i) M_i",
    cite=AGRAWAL,
    bounds=(-INFINITE, INFINITE),
    diverse=True,
    ideal=by_global_gain,
    of="measure",
    best="open",
    monotone=False,
    example="IA(nDCG@10)",
)
def intent_aware(
    j: "JudgedRankings", measure: Annotated[Measure, AdHoc(), "the measure of each intent"]
) -> "Floats":
    """The value of any ad hoc measure for each intent as if it were a topic, weighed by its probability.

    An intent without a relevant document adds nothing; if no probabilities were given, the others
    are equally likely.
    """
    intents = j.intents
    useful = measure.recall_base(intents.rankings.pool)[:, 0] > 0
    return intents.averaged(measure.value(intents.rankings), useful)
