"""What a page with figures needs to be whole by itself, without a network and whatever is in its data.

Names from files may contain anything. They get into a page as escaped text, or as JSON that the page's own
script reads; and a page carries a policy by which nothing runs but the scripts it came with, and nothing is
loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankgauge.errors import MissingDependency
from rankgauge.schema.json_text import to_json

GLOBAL = "window.vegaEmbed = vegaEmbed;"  # what a page finds of the library


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Nothing is run or loaded but what has these texts; the quotes fit into an attribute."""

    def hashes(texts: Sequence[str]) -> str:
        digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
        return " ".join(f"'sha256-{digest}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def embedded(value: Any) -> str:
    """JSON that ends no element it stands in; what is undefined or has no end is null."""
    text = to_json(value, ascii_only=True, compact=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def vega() -> str:
    """The library that draws figures, as a script; put together once for each version of it, then kept."""
    try:
        import vl_convert
    except ImportError:
        raise MissingDependency("a page with figures", "vl-convert-python", "plot") from None
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(root) / "rankgauge" / f"vega-{version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        pass
    script: str = vl_convert.javascript_bundle(GLOBAL).replace("</script", "<\\/script") + "\n"
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        part.write_text(script, encoding="utf-8")
        part.replace(kept)
    except OSError:
        pass  # then it is put together again the next time
    return script
