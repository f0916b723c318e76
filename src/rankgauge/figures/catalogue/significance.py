"""Which runs differ significantly."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Union

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.matrix import matrix
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import counted, definition
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.parameters import Whole

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison
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
    test: Annotated[str, Name(), "the statistical test, as for `rankgauge compare`"] = "t",
    correction: Annotated[
        str | None, Name(), "the correction for multiple comparisons (default: Holm)"
    ] = None,
    seed: Annotated[
        int | None, Whole(0), "the seed of random tests (default: as for `rankgauge compare`)"
    ] = None,
) -> Drawing:
    """Corrected p-values of all pairs of runs, from the best run to the worst.

    Takes scores for one measure, or a comparison from `rankgauge.compare`.
    """
    from rankgauge.comparison import Comparison, compare
    from rankgauge.comparison.registry import SEED

    comparison = scores
    if not isinstance(comparison, Comparison):
        if len(comparison.measures) != 1:
            raise OptionError(f"the figure significance takes one measure, not {len(comparison.measures)}")
        comparison = compare(
            comparison, test=test, correction=correction, seed=SEED if seed is None else seed
        )
    result = comparison.compared[0]
    order = result.best_first
    values = {(pair.run, pair.against): pair.corrected for pair in result.pairs}
    values |= {(against, run): p for (run, against), p in values.items()}
    rows: list[list[Cell]] = [[a, *(values.get((a, b), math.nan) for b in order)] for a in order]
    drawing = matrix.function(Table(("run", *order), rows), style, scale="p")
    topics = max((pair.topics for pair in result.pairs), default=0)
    method = f"{comparison.statistical_test.title}, {comparison.corrected_by.title}"
    below = len(result.significant)
    return replace(
        drawing,
        title=f"Significance of differences in {style.measure(result.measure)}",
        subtitle=f"{counted(len(order), 'run')}, best first; {counted(topics, 'topic')}; {method}",
        sentences=[
            f"Corrected p-values of {counted(len(result.pairs), 'pair')} of runs, from the best mean to the "
            f"worst: {method}; {below} below {comparison.alpha:g}"
            + (f" (seed {comparison.seed})." if comparison.seed is not None else "."),
            result.disagreement,
            *drawing.sentences[1:],
            definition(result.measure, style.labels),
        ],
    )
