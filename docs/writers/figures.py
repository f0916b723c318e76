"""The page on figures: each with its picture, its options and the command that draws it."""

from collections.abc import Iterator

from rankgauge.cli.figure import example
from rankgauge.figures import figures
from rankgauge.figures.inputs import NEEDS
from rankgauge.figures.theme import OPTIONS
from writers.markup import code, fenced, prose, sentence, table


def all_figures() -> Iterator[str]:
    """Every figure."""
    yield "# Figures\n"
    yield """On the command line `rankgauge figure NAME QRELS RUN... -o FILE`; in Python
`rankgauge.figures.NAME(results)`, with the options as keywords. The [how-to](../how-to/figures.md) says more.
The pictures are of the demonstration campaign, five simulated systems and 50 topics, drawn by
`python docs/gallery.py` with the commands below them.
"""
    for name, plot in figures().items():
        yield f"## {name}\n"
        yield f"**{plot.title}**\n"
        yield f"![{plot.title}](../figures/{name}.svg)\n"
        yield fenced(example(plot))
        yield prose(plot.help)
        made = "; ".join(f"{option} {code(value)}" for option, value in plot.made.items())
        yield f"- Of: {NEEDS[plot.needs].words}{f' ({made})' if made else ''}."
        yield f"- Source: {plot.cite}.\n"
        if plot.parameters:
            rows = (
                (code(p.name), code(p.written_default) if p.written_default else "none", p.kind.words, p.help)
                for p in plot.parameters
            )
            yield table(("option", "default", "allowed", "meaning"), rows)
    yield "## Options of every figure\n"
    for option in OPTIONS:
        yield f"### {option.name}\n"
        yield f"{sentence(option.title)}\n"
        yield table(("rule", "effect"), ((code(word), effect) for word, effect in option.rules.items()))
    yield "`headed=False`, `--no-heading`: without title and subtitle, which a paper's caption replaces.\n"
