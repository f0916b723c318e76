"""A figure as a self-contained HTML file: values show at the pointer, and nothing is loaded from outside."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from rankgauge.figures.offline import embedded, policy, vega
from rankgauge.model.output.tables import printable

# The specification is embedded as data, not as script: names in it come from untrusted files.
DRAW = """
const spec = JSON.parse(document.getElementById("spec").textContent);
const plain = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
vegaEmbed("#figure", spec, { ast: true, renderer: "svg", ...plain });
"""
STYLE = """\
body { background: %s; color: %s; font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
#figure { zoom: 1.6; } /* sizes are in points of a printed page, which are small on a screen */
figcaption { max-width: 45em; }"""


def page(title: str, caption: str, spec: Mapping[str, Any]) -> str:
    """The HTML of a web page with one figure, its title and its caption."""
    config = spec["config"]
    style, script = STYLE % (config["background"], config["title"]["color"]), vega() + DRAW
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy([script], [style])}">
<title>{html.escape(printable(title))}</title>
<style>{style}</style>
<figure>
<div id="figure"></div>
<figcaption>{html.escape(printable(caption))}</figcaption>
</figure>
<script type="application/json" id="spec">{embedded(spec)}</script>
<script type="module">{script}</script>
</html>
"""
