"""Any ad hoc measure, averaged over subtopics as if they were topics."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.measures.diversity.coverage import AGRAWAL, INFINITE
from rankgauge.measures.diversity.ideals import by_global_gain
from rankgauge.measures.language import parse
from rankgauge.measures.registry import measure
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import Laws, Names, Needs
from rankgauge.schema.frozen import Frozen

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Floats


class AdHoc(Frozen):
    """A measure that needs no subtopics, as a parameter of another."""

    words = "an ad hoc measure such as nDCG@10, without average="

    def read(self, value: Any) -> Measure:
        """The measure, from its text or as it is."""
        try:
            measure = parse(value)
        except MeasureError:
            raise ValueError from None
        if measure.spec.needs_subtopics or "average" in measure.settings:
            raise ValueError
        return measure

    def write(self, value: Any) -> str:
        """Its canonical text."""
        return str(value)


@measure(
    "IA",
    title="The intent-aware form of a measure",
    formula="IA(M) = Σ_i P(i) M_i",
    cite=AGRAWAL,
    example="IA(nDCG@10)",
    bounds=(-INFINITE, INFINITE),
    names=Names(inner="measure"),
    laws=Laws(best="open", monotone=False),
    needs=Needs(subtopics=True),
    ideal=by_global_gain,
)
def intent_aware(
    j: "JudgedRankings", measure: Annotated[Measure, AdHoc(), "the measure of each subtopic"]
) -> "Floats":
    """The mean of any ad hoc measure over subtopics as if they were topics, by their probabilities.

    A subtopic without a relevant document adds nothing; without probabilities the others are equally likely.
    """
    from rankgauge.measures.rankings.arrays.subtopic_rankings import by_subtopic

    subtopics = by_subtopic(j)
    useful = measure.recall_base(subtopics.rankings.pool)[:, 0] > 0
    return subtopics.averaged(measure.value(subtopics.rankings), useful)
