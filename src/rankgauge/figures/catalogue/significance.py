"""Which runs differ significantly."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Union

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.matrix import matrix
from rankgauge.figures.figure import Drawing
from rankgauge.figures.labels import better, counted, definition
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Whole

if TYPE_CHECKING:
    from rankgauge.comparison.result import Comparison
    from rankgauge.model.scores import Scores


@figure(
    "significance",
    title="Significant differences between runs",
    needs="scores",
    cite="Carterette 2012, Multiple testing in statistical analysis of systems-based IR experiments",
    example="-m AP --test randomisation --correction holm --seed 7",
    measures="AP",
)
def significance(
    scores: Union["Scores", "Comparison"],
    style: Style,
    *,
    test: Annotated[str, Name(), "the test, one of those that `rankgauge compare` has"] = "t",
    correction: Annotated[str | None, Name(), "how p is corrected for all pairs (default: Holm)"] = None,
    seed: Annotated[
        int | None, Whole(0), "seed of tests that are random (default: that of `rankgauge compare`)"
    ] = None,
) -> Drawing:
    """The corrected p-value of each pair of runs, from the best run to the worst.

    Takes scores by one measure; or a comparison, as `rankgauge.compare` returns it.
    """
    from rankgauge.comparison import Comparison, compare
    from rankgauge.comparison.registry import SEED

    compared = scores
    if not isinstance(compared, Comparison):
        if len(compared.measures) != 1:
            raise OptionError(f"the figure significance is of one measure, not of {len(compared.measures)}")
        compared = compare(compared, test=test, correction=correction, seed=SEED if seed is None else seed)
    found = compared.compared[0]
    sign = better(found.measure) or 1
    order = sorted(found.means, key=lambda run: (math.isnan(found.means[run]), -sign * found.means[run]))
    values = {(pair.run, pair.against): pair.corrected for pair in found.pairs}
    values |= {(against, run): p for (run, against), p in values.items()}
    rows: list[list[Cell]] = [[a, *(values.get((a, b), math.nan) for b in order)] for a in order]
    drawing = matrix.function(Table(("run", *order), rows), style, scale="p")
    topics = max((pair.topics for pair in found.pairs), default=0)
    method = f"{compared.statistical_test.title}, {compared.corrected_by.title}"
    below = sum(pair.corrected < compared.alpha for pair in found.pairs)
    return replace(
        drawing,
        title=f"Significance of differences in {found.measure}",
        subtitle=f"{counted(len(order), 'run')}, best first; {counted(topics, 'topic')}; {method}",
        sentences=[
            f"Corrected p-values of {counted(len(found.pairs), 'pair')} of runs, from the best mean to the "
            f"worst: {method}; {below} below {compared.alpha:g}"
            + (f" (seed {compared.seed})." if compared.seed is not None else "."),
            drawing.sentences[-1],
            definition(found.measure),
        ],
    )
