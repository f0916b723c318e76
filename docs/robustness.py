"""Write docs/studies/robustness.md: a study of incomplete judgments on a real campaign.

python docs/robustness.py    study the runs and write what was found

It needs the real data, whose directory RANKGAUGE_DATA names. All numbers on the page come from the studies.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from writers.markup import table

from rankgauge.measures import MEASURES
from rankgauge.studies import Campaign, Findings, leave_out, robustness

HERE = Path(__file__).parent
PAGE = HERE / "studies" / "robustness.md"
NOTICE = "<!-- Written by docs/robustness.py from the studies robustness and leave_out. -->\n"
# Those of Ferro et al. 2016 (their gains of 5 a grade are linear ones, to nDCG), and Q.
TEXTS = ["AP", "Bpref", "RBP", "nDCG(base=10)", "Q", *(["Twist"] if "Twist" in MEASURES else [])]
SHUFFLES, SEED = 10, 1


def campaign(data: Path) -> Campaign:
    """TREC 2021 Deep Learning, passages: all submitted runs."""
    where = data / "trec_dl_2021_passage"
    return Campaign(where / "qrels.dl21-passage.txt.gz", str(where / "runs" / "*"))


def studied(runs: Campaign, measures: list[str] = TEXTS) -> Findings:
    """The study of robustness that the page is about."""
    return robustness(runs, measures=measures, shuffles=SHUFFLES, seed=SEED)


def samples(found: Findings) -> str:
    """The table of samples: τ and its standard deviation over shuffles."""
    spread = {
        (name, percent): f"{mean:.3f} ± {sd:.3f}"
        for name, percent, mean, sd, *_ in found.table("spread").rows
    }
    percents = list(dict.fromkeys(percent for _, percent in spread))
    names = list(dict.fromkeys(name for name, _ in spread))
    rows = [[f"`{name}`", *(spread[name, percent] for percent in percents)] for name in names]
    return table(("measure", *(f"{percent} %" for percent in percents)), rows)


def depths(found: Findings) -> str:
    """The table of shallower pools."""
    shown = found.table("depths")
    return table(
        shown.headers, [[f"`{name}`", *(f"{tau:.3f}" for tau in taus)] for name, *taus in shown.rows]
    )


def sizes(found: Findings) -> str:
    """The table of what is left to go by."""
    shown = found.table("judgments")
    return table(shown.headers, [[name, *(f"{count:,}" for count in counts)] for name, *counts in shown.rows])


def page(data: Path) -> Iterator[str]:
    """The paragraphs of the page."""
    every = campaign(data)
    best = every.select(setting="twist")
    found, left = studied(every), leave_out(every, measures=TEXTS)
    yield NOTICE
    yield "# Incomplete judgments: a study of TREC 2021 Deep Learning\n"
    yield f"""How much of the order of runs is left when fewer documents are judged? All {len(every.runs)}
runs of the passage task, {len(every.topics)} topics, {len(every.qrels):,} judgments of grades 0 to 3, in the
manner of figure 13 of Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), *The Twist measure for IR
evaluation*. Judgments are sampled topic by topic and grade by grade, each smaller sample a part of each
larger one, with at least 1 document of each relevant grade and 10 that are not relevant; grade 1 is relevant.
[How it is done](../how-to/pools-and-judgments.md).
"""
    yield "## Samples of the judgments\n"
    yield f"""Kendall's τ between the order of runs by a sample and by all judgments: its mean and standard
deviation over {SHUFFLES} shuffles (seed {SEED}).
"""
    yield samples(found)
    yield f"{found.sentences[0]}\n"
    yield """The paper, on TREC 10, 14, 20 and 21: "the most robust measures are bpref and nDCG", on all four
collections, and RBP "is not stable when downsampled pools are employed".
"""
    yield f"""The paper left out the worst systems: it took the top 75 % by AP (`--select twist`), which are
{len(best.runs)} runs here. They are closer to each other, and their order is easier to upset:
"""
    yield samples(studied(best))
    yield "## Shallower pools\n"
    yield """τ if only those documents had been judged that some run has among its first so many. Which
documents these are is up to the runs, and not to chance: a measure that looks at the first ranks alone
loses little.
"""
    yield depths(found)
    yield "## What is left to go by\n"
    yield sizes(found)
    yield "## Runs left out of the pool\n"
    yield """What a run would score if nobody had judged what it alone retrieved. Runs of one team often share
their documents, so a new system would lose more than this.
"""
    yield "\n".join(f"- {sentence}" for sentence in left.sentences) + "\n"
    yield "`python docs/robustness.py` does it all again and writes this page; it reads each run once.\n"


def main() -> int:
    """Study, then write the page; the exit code."""
    data = Path(os.environ.get("RANKGAUGE_DATA", ""))
    if not (data / "trec_dl_2021_passage").is_dir():
        print(
            "RANKGAUGE_DATA names no directory with the campaign: the page is left as it is", file=sys.stderr
        )
        return 1
    PAGE.write_text("\n".join(page(data)), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
