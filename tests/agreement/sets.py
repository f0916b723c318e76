"""The real collections that other tools were run on."""

import functools
import gzip
import math

import rankgauge

QRELS = {
    "ntcir13_www_english": "wwwE.trec.qrels.gz",
    "trec_covid_rnd1": "qrels-covid_d1_j0.5-1.txt.gz",
    "trec_dl_2019_passage": "qrels.dl19-passage.txt.gz",
    "trec_dl_2021_passage": "qrels.dl21-passage.txt.gz",
    "trec_web_2012": "qrels.adhoc.txt.gz",
}


@functools.cache
def evaluated(folder, measures, **options):
    """(topic values {run: {measure: {topic: value}}}, means) of all runs of a collection."""
    qrels, runs = folder / QRELS[folder.name], folder / "runs" / "*.run.gz"
    scores = rankgauge.evaluate(qrels, str(runs), measures, **options)
    return scores.to_dict(), scores.mean()


def printed(value):
    """A value as the other tools count it: what is undefined is 0 to them."""
    return 0.0 if math.isnan(value) else value


def lines(path):
    """The lines of a packed text file."""
    with gzip.open(path, "rt") as file:
        yield from (line.rstrip("\n") for line in file)
