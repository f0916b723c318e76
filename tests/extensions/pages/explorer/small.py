"""Small campaigns to explore and to report on: an ordinary one, and one whose names are hostile."""

import functools

import rankgauge
from rankgauge.extensions.pages.reports import report

MADE = rankgauge.simulate(topics=14, depth=40, systems=3, judged=25, seed=11)
QRELS = MADE.qrels_dict()
RUNS = {name: MADE.run_dict(name) for name in MADE.systems}
HOSTILE = (
    '"><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\x1b[31m{{7*7}}__proto__'
)


def hostile(name):
    """A name that tries to be more than text."""
    return f"{HOSTILE}</script>{name}"


def hostile_campaign():
    """(judgments, runs) in which all names are hostile."""
    qrels = {hostile(topic): {hostile(doc): g for doc, g in docs.items()} for topic, docs in QRELS.items()}
    return qrels, {
        hostile(run): {hostile(t): {hostile(doc): s for doc, s in docs.items()} for t, docs in topics.items()}
        for run, topics in RUNS.items()
    }


@functools.cache
def ordinary():
    return report(QRELS, RUNS, "AP nDCG@10 RR", baseline="bm25")


@functools.cache
def of_hostile_names():
    return report(*hostile_campaign(), "AP nDCG@10", title=HOSTILE)
