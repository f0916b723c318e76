"""A figure as one HTML file that needs no other: its data can be pointed at, also offline."""

from __future__ import annotations

import html

from rankgauge.figures.record import Figure, needed
from rankgauge.tables import printable, to_json

# The specification is data and no part of the script: names in it come from files that anybody may write.
DRAW = """
const spec = JSON.parse(document.getElementById("spec").textContent);
vegaEmbed("#figure", spec, { actions: false, renderer: "svg" });
"""
STYLE = """\
body { background: %s; color: %s; font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
figcaption { max-width: 45em; }"""


def page(figure: Figure) -> str:
    """The text of the page."""
    config = figure.spec["config"]
    script = needed("vl_convert").javascript_bundle(DRAW).replace("</script", "<\\/script")
    spec = to_json(figure.spec).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{html.escape(printable(figure.title))}</title>
<style>
{STYLE % (config["background"], config["title"]["color"])}
</style>
<figure>
<div id="figure"></div>
<figcaption>{html.escape(printable(figure.caption))}</figcaption>
</figure>
<script type="application/json" id="spec">{spec}</script>
<script type="module">{script}</script>
</html>
"""
