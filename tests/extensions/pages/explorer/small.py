"""A small campaign to explore."""

import rankgauge

MADE = rankgauge.simulate(topics=14, depth=40, systems=3, judged=25, seed=11)
QRELS = MADE.qrels_dict()
RUNS = {name: MADE.run_dict(name) for name in MADE.systems}
