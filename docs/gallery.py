"""Draw docs/figures/*.svg: every figure for a simulated campaign, with the commands of the reference."""

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path

from rankgauge.figures import figures

from rankgauge import simulate
from rankgauge.cli.main import main as rankgauge
from rankgauge.extensions.pages.commands.figure import example

FIGURES = Path(__file__).parent / "figures"
# Commands that write the tables for the figures of tables.
TABLES = {
    "lines": 'study robustness qrels.txt runs/*.run -m "AP Bpref nDCG" --shuffles 10 --table spread',
    "intervals": 'evaluate qrels.txt runs/*.run -m "AP nDCG@10" --interval',
    "forest": "compare qrels.txt runs/*.run -m nDCG@10 --baseline bm25 --by segments.csv --view pairs",
    "matrix": "study correlation qrels.txt runs/*.run --samples 0 --table tau_b",
}


def main() -> None:
    """Simulate the campaign and draw every figure."""
    FIGURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        simulate(topics=50, depth=1000, systems=5, subtopics=6, seed=2026).write(folder)
        os.chdir(folder)
        for name, plot in figures().items():
            if name in TABLES:
                run(f"rankgauge {TABLES[name]} -o table.csv")
            run(example(plot))
            picture = Path(f"{name}.svg").read_text(encoding="utf-8")
            (FIGURES / f"{name}.svg").write_text(shrink(picture), encoding="utf-8")


def shrink(picture: str) -> str:
    """An image with coordinates rounded to two decimals, finer than anyone can see."""

    def shorten(attribute: re.Match[str]) -> str:
        return re.sub(r"(\.\d\d)\d+", r"\1", attribute[0])

    return re.sub(r' (?:d|transform)="[^"]*"', shorten, picture)


def run(command: str) -> None:
    """Run a rankgauge command in this process, in the directory of the campaign."""
    if "segments.csv" in command:  # some topics to a segment, whatever they are called
        topics = dict.fromkeys(line.split()[0] for line in Path("qrels.txt").read_text().splitlines())
        parts = max(3, len(topics) // 4)
        rows = (f"{topic},{chr(ord('a') + n * parts // len(topics))}" for n, topic in enumerate(topics))
        Path("segments.csv").write_text("\n".join(["topic,intent", *rows]), encoding="utf-8")
    words = shlex.split(command)[1:]
    argv = [
        each for word in words for each in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        status = rankgauge(argv)
    if status:
        raise SystemExit(f"{command}: exit code {status}")


if __name__ == "__main__":
    main()
