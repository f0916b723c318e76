"""A figure as one HTML file that needs no other: its data can be pointed at, also offline."""

from __future__ import annotations

import html

from rankgauge.figures.figure import Figure
from rankgauge.figures.offline import embedded, policy, vega
from rankgauge.model.tables import printable

# The specification is data and no part of the script: names in it come from files that anybody may write.
DRAW = """
const spec = JSON.parse(document.getElementById("spec").textContent);
const plain = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
vegaEmbed("#figure", spec, { ast: true, renderer: "svg", ...plain });
"""
STYLE = """\
body { background: %s; color: %s; font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
#figure { zoom: 1.6; } /* points of a printed page are small on a screen */
figcaption { max-width: 45em; }"""


def page(figure: Figure) -> str:
    """The text of the page."""
    config = figure.spec["config"]
    style, script = STYLE % (config["background"], config["title"]["color"]), vega() + DRAW
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy([script], [style])}">
<title>{html.escape(printable(figure.title))}</title>
<style>{style}</style>
<figure>
<div id="figure"></div>
<figcaption>{html.escape(printable(figure.caption))}</figcaption>
</figure>
<script type="application/json" id="spec">{embedded(figure.spec)}</script>
<script type="module">{script}</script>
</html>
"""
