"""Precision at recall levels."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgauge.errors import OptionError
from rankgauge.figures.citations import MANNING
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import averaging_note, counted, definition, settings_words
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arrange
from rankgauge.figures.precision_recall import recall_lines
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.measures.interpolated import ELEVEN
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

LEVELS = f"IPrec@{','.join(map(format_number, ELEVEN))}"


@figure(
    "pr",
    title="Precision at eleven recall levels",
    needs="scores",
    cite=f"{MANNING}, section 8.4, figure 8.3; "
    "Järvelin and Kekäläinen 2002, section 4.1 (by relevance level)",
    example="--highlight bm25",
    measures=LEVELS,
)
def pr(scores: "Scores", style: Style, *, highlight: Highlight = ()) -> Drawing:
    """Interpolated precision at recall levels, averaged over topics, a line for each run.

    The measures are IPrec at several recall levels. With `rel=` or `grade=`, each relevance level has a plot
    of its own.
    """
    means = scores.mean()
    levels: dict[str, list[tuple[float, str]]] = {}
    for text in scores.measures:
        measure = parse(text)
        if measure.spec.name != "IPrec":
            raise OptionError(f"the figure pr takes IPrec at recall levels, such as {LEVELS}, not {text}")
        others = {name: value for name, value in measure.settings.items() if name != "recall"}
        variant = str(replace(measure, settings=others))
        levels.setdefault(variant, []).append((measure.settings["recall"], text))
    first = next(iter(levels.values()))
    quality = {run: sum(mean[text] for _, text in first) for run, mean in means.items()}
    series = Series.assign(quality, style, highlight)
    data, plots = {}, []
    for number, points in enumerate(levels.values()):
        rows: list[list[Cell]] = [
            [level, series.entry_of[run], series.names[run], means[run][text]]
            for run in series.back_to_front
            for level, text in sorted(points)
        ]
        name = f"levels {number + 1}"
        data[name] = Table(("recall", "series", "run", "precision"), rows)
        settings = settings_words(points[0][1])
        title = f"precision ({settings})" if len(levels) > 1 and settings else "precision"
        plots.append(recall_lines(name, title, series))
    return Drawing(
        arrange(plots, style, height=style.height(0.75)),
        data,
        f"Interpolated precision at {counted(len(first), 'recall level')}",
        f"Mean of {counted(len(scores.topics), 'topic')}; {', '.join(levels)}",
        [
            definition(first[0][1], style.labels),
            averaging_note(len(scores.topics), scores.rules),
            series.sentence,
        ],
        series.labels,
        fits=len(plots) == 1,
    )
