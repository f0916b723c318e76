"""The page on figures: each with an example, its options and the command that draws it."""

from collections.abc import Iterator

from rankgauge.figures import figures

from rankgauge.extensions.pages.commands.figure import example
from rankgauge.extensions.pages.figures.registry import INPUTS
from rankgauge.extensions.pages.figures.theme import OPTIONS
from writers.markup import code, fenced, prose, sentence, table


def all_figures() -> Iterator[str]:
    """Every figure."""
    yield "# Figures\n"
    yield """On the command line `rankgauge figure NAME QRELS RUN... -o FILE`; in Python
`rankgauge.figures.NAME(results)`, with the options as keywords; `rankgauge figure NAME --help` lists them.
See also the [how-to](../how-to/figures.md).
The examples show a simulated campaign with five systems and 50 topics. `python docs/gallery.py` draws them
with the commands below.
"""
    for name, plot in figures().items():
        yield f"## {name}\n"
        yield f"**{plot.title}**\n"
        yield f"![{plot.title}](../figures/{name}.svg)\n"
        yield fenced(example(plot))
        yield prose(plot.help.split("\n\n")[0])
        defaults = "; ".join(f"{option} {code(value)}" for option, value in plot.defaults.items())
        yield f"- Draws: {INPUTS[plot.needs].description}{f' (default: {defaults})' if defaults else ''}."
        yield f"- Source: {plot.cite}.\n"
    yield "## Options of every figure\n"
    for option in OPTIONS:
        yield f"### {option.name}\n"
        yield f"{sentence(option.title)}\n"
        yield table(("rule", "effect"), ((code(word), effect) for word, effect in option.rules.items()))
    yield "`headed=False`, `--no-heading`: leave out title and subtitle, for papers with captions.\n"
    yield "`labels=`, `--labels FILE`: what runs and measures are called, {name: label} or a file.\n"
