"""Write docs/studies/dl21.md: measures studied on the runs of the TREC 2021 Deep Learning track.

python docs/dl21.py    study the 63 submitted passage runs and write what was found (a minute or two)

It needs the real data, whose directory RANKGAUGE_DATA names (see tests/conftest.py). Every number of the
page comes out of the studies; what is said between the tables is about how they were made.
"""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from writers.markup import fenced

from rankgauge.measures import MEASURES
from rankgauge.model.tables import lines
from rankgauge.studies import STUDIES, Campaign, Findings

HERE = Path(__file__).parent
PAGE = HERE / "studies" / "dl21.md"
DATA = Path(os.environ.get("RANKGAUGE_DATA", HERE.parents[1] / "shared" / "data")) / "trec_dl_2021_passage"
NOTICE = "<!-- Written by docs/dl21.py from the data of the track. -->\n"
WEIGHTS = "{1:5,2:10,3:15}"  # 5 × level, as in the paper on Twist
BASIC = f"AP Bpref RBP nDCG(gains={WEIGHTS},base=10) Q" + (" Twist" if "Twist" in MEASURES else "")
SWEEPS = "AP genAP Q(beta=1|0.1|10|100|1000) nDCG(base=2|5|10|50|100)"
RATIOS = ({1: 1, 2: 2, 3: 3}, {1: 1, 2: 5, 3: 10})  # 3:2:1 and 10:5:1
SEED = 2021


def campaign() -> Campaign:
    """The runs that were submitted."""
    return Campaign(DATA / "qrels.dl21-passage.txt.gz", sorted(map(str, (DATA / "runs").iterdir())))


def shown(findings: Findings, table: str, **settings: object) -> Iterator[str]:
    """A table, with the command that finds it."""
    words = [f"--{name} {_written(value)}" for name, value in settings.items()]
    yield fenced(
        " ".join(["rankgauge study", findings.study, "qrels.txt runs/*", *words, f"--table {table}"])
    )
    yield f"{findings.captions[table]}\n"
    yield "\n".join(lines(findings.table(table), "markdown", 3)) + "\n"


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return shlex.quote(",".join(map(str, value)).replace(" ", ""))
    return shlex.quote(str(value))


def found(runs: Campaign, name: str, *tables: str, **settings: object) -> Iterator[str]:
    """The tables of a study."""
    findings = STUDIES[name].call(runs, **settings)
    yield from (f"{sentence}\n" for sentence in findings.sentences)
    for table in tables:
        yield from shown(findings, table, **settings)


def page(runs: Campaign) -> Iterator[str]:
    """The paragraphs of the page."""
    yield NOTICE
    yield "# Measures on the TREC 2021 Deep Learning track\n"
    yield f"""The {len(runs.runs)} passage runs that were submitted to the track, {len(runs.topics)} topics
judged on four levels, and the questions that Sakai (2006), Järvelin and Kekäläinen (2002) and Ferro et al.
asked of other campaigns. Binary measures take every document from level 1 on for relevant, as those papers
do (the track itself counts from level 2 on). Each table stands below the command that makes it; without
`--table` the command prints all that was found, and `--format csv` has every digit. The data of figures are
tables, too: the ASL curve of the power study is `--table curve`.
"""
    yield "## Do measures agree about the order of runs?\n"
    yield from found(runs, "correlation", "tau_b", "pairs", measures=BASIC, seed=SEED)
    yield "## What do β and the base of the logarithm do?\n"
    yield "As figures 5 to 12 of Sakai (2006): τ-b to AP, and to the first of each kind.\n"
    yield from found(runs, "correlation", "sweep", measures=SWEEPS, seed=SEED)
    yield "## Which measure tells more runs apart?\n"
    yield "As table 2 of Sakai (2006), with gains of 3:2:1 and of 10:5:1; bold: above AP in all four.\n"
    yield from found(runs, "power", "power", measures=SWEEPS, gains=RATIOS, seed=SEED)
    yield "By the measures of the first table, and by the stricter test:\n"
    yield from found(runs, "power", "power", measures=BASIC, seed=SEED)
    yield from found(runs, "power", "power", measures=BASIC, method="tukey", seed=SEED)
    yield "## What do weights, bases and last ranks do?\n"
    yield from found(runs, "sensitivity", "choices")
    yield "## Would other topics have said the same?\n"
    yield from found(runs, "stability", "stability", measures=BASIC, sizes=(10, 25), seed=SEED)
    yield from found(runs, "swap", "sensitivity", measures=BASIC, sizes=(10, 25), seed=SEED)
    yield "## How many topics does it take?\n"
    yield from found(
        runs, "topics", "topics", measures="AP nDCG@10", differences=(0.05, 0.1), systems=(2, 10)
    )
    yield "`python docs/dl21.py` studies the runs and writes this page anew.\n"


def main() -> int:
    """Write the page; the exit code."""
    if not DATA.is_dir():
        print(f"there is no {DATA}; RANKGAUGE_DATA names the directory of the data", file=sys.stderr)
        return 1
    PAGE.write_text("\n".join(page(campaign())), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
