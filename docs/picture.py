"""Draw docs/demo.svg: the table of `rankgauge demo`, as a terminal shows it."""

import io
import os
import re
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

from rich.console import Console
from rich.text import Text

from rankgauge import evaluate, simulate
from rankgauge.cli.terminal import show

HERE = Path(__file__).parent


def main() -> None:
    """Simulate the campaign, evaluate it, draw the table."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(topics=50, depth=1000, systems=5, seed=2026).write(folder)
        scores = evaluate(f"{folder}/qrels.txt", f"{folder}/runs/*.run", "nDCG@10 AP RR P@10 R@1000")
    console = Console(record=True, width=60, file=io.StringIO())
    console.print("$ rankgauge evaluate qrels.txt runs/*.run", highlight=False)
    environment = {"COLUMNS": "60", "TERM": "xterm"}
    with patch.dict(os.environ, environment), redirect_stdout(io.StringIO()) as shown:
        show(scores.table())
    console.print(Text.from_ansi(shown.getvalue()))
    drawn = console.export_svg(title="rankgauge demo")
    # No web fonts: the image must look the same offline.
    (HERE / "demo.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL))


if __name__ == "__main__":
    main()
