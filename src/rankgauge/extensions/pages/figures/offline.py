"""Self-contained and safe web pages with figures: embedded data, scripts and a security policy.

Names from files may contain anything: they enter a page as escaped text, or as JSON for the page's own
script. The policy runs no other script and loads nothing from the network.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.target import writing
from rankgauge.model.output.tables import printable
from rankgauge.schema.json_text import to_json
from rankgauge.schema.lazy import optional_module

GLOBAL = "window.vegaEmbed = vegaEmbed;"  # how the scripts of a page find the library
# SHA-256 of the script, by the version of vl-convert-python. Every page runs the script, so a file in the
# cache is used only if it is what that version makes. With other versions there is no cache.
DIGESTS = {"1.9.0.post1": "7c0d72b818449ec43379380d8ae67696324a40a1bdb2067efb21bf97fb8c7689"}
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


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """A policy that allows only these scripts and styles, quoted for an attribute."""

    def hashes(texts: Sequence[str]) -> str:
        digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
        return " ".join(f"'sha256-{digest}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def embedded(value: Any) -> str:
    """JSON to embed in an HTML element; undefined and infinite values are null."""
    text = to_json(value, ascii_only=True, compact=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def vega() -> str:
    """The Vega library, bundled once per version, which takes seconds, then cached on disk."""
    vl_convert = optional_module("vl_convert", "a web page with figures", "plot", "vl-convert-python")
    installed = version("vl-convert-python")
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 (never fails)
    cached = Path(root) / "rankgauge" / f"vega-{installed}.js"
    with suppress(OSError):
        content = cached.read_bytes()
        if hashlib.sha256(content).hexdigest() == DIGESTS.get(installed):
            return content.decode()
    script: str = vl_convert.javascript_bundle(GLOBAL).replace("</script", "<\\/script") + "\n"
    if installed in DIGESTS:
        with suppress(OSError, InputError):  # then it is bundled again the next time
            cached.parent.mkdir(parents=True, exist_ok=True)
            with writing(cached) as stream:
                stream.write(script.encode())
    return script


def page(title: str, caption: str, spec: Mapping[str, Any]) -> str:
    """A web page with one figure, its title and its caption."""
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
