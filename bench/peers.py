"""The peers, each used as its documentation shows: read, evaluate by topic and on average, print.

    python peers.py pytrec_eval five QRELS RUN...

A peer is a function, so that its import, which is part of what is measured, is its own alone.
Measures are the five that every peer has, or trec_eval's table as far as pytrec_eval has it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@1000")
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
CUT = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "AP": "map_cut", "RelP": "relative_P"}
# {our name: pytrec_eval's}; it counts recall levels as trec_eval 9 does
TABLE = {
    **{"AP": "map", "Rprec": "Rprec", "Bpref": "bpref", "RR": "recip_rank", "infAP": "infAP"},
    **{f"IPrec(levels=trec9)@{n / 10:g}": f"iprec_at_recall_{n / 10:.2f}" for n in range(11)},
    **{f"{ours}@{k}": f"{theirs}_{k}" for ours, theirs in CUT.items() for k in CUTOFFS},
    **{f"Rprec(times={n / 5:g})": f"Rprec_mult_{n / 5:.2f}" for n in range(1, 11) if n != 5},
    **{"Utility": "utility", "AP11(levels=trec9)": "11pt_avg", "binG": "binG", "G": "G", "nDCG": "ndcg"},
    **{"nDCG_rel": "ndcg_rel", "RnDCG": "Rndcg"},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
    **{"P": "set_P", "RelP": "set_relative_P", "R": "set_recall", "SetAP": "set_map", "F": "set_F"},
}
NOVELTY = "alpha_nDCG(ideal=ndeval)@20"
OFFICIAL = ("AP", "Rprec", "Bpref", "RR", *(name for name in TABLE if name.startswith(("IPrec", "P@"))))
MEASURE_SETS = {
    "five": MEASURES,
    "one": ("nDCG@10",),
    "official": OFFICIAL,
    "table": tuple(TABLE),
    "novelty": (NOVELTY,),
}
RANX = dict(zip(MEASURES, ("ndcg@10", "map", "mrr", "precision@10", "recall@1000"), strict=True))
Means = dict[str, float]
Rows = Iterator[tuple[str, str, float]]  # topic, measure, value


class Peer(NamedTuple):
    """How to use a peer; values by topic keep their own form until `rows` lists them."""

    read_qrels: Callable[[str], Any]
    read_run: Callable[[str], Any]
    evaluator: Callable[[Any], Callable[[Any], tuple[Any, Means]]]  # takes judgments, then runs, as dicts
    rows: Callable[[Any], Rows]


def pytrec_eval(measures: str = "five") -> Peer:
    """trec_eval 9 with dicts as input."""
    import pytrec_eval as tool

    return like_pytrec_eval(tool, measures)


def like_pytrec_eval(tool: Any, measures: str) -> Peer:
    """A tool with pytrec_eval's interface."""
    names = {name: TABLE[name] for name in MEASURE_SETS[measures]}

    def read_qrels(path: str) -> Any:
        with Path(path).open() as lines:
            return tool.parse_qrel(lines)

    def read_run(path: str) -> Any:
        with Path(path).open() as lines:
            return tool.parse_run(lines)

    def evaluator(qrels: Any) -> Callable[[Any], tuple[Any, Means]]:
        evaluate = tool.RelevanceEvaluator(qrels, set(names.values())).evaluate

        def score(run: Any) -> tuple[Any, Means]:
            topics = evaluate(run)
            return topics, {
                measure: sum(values[name] for values in topics.values()) / len(topics)
                for measure, name in names.items()
            }

        return score

    def rows(topics: Any) -> Rows:
        for topic, values in topics.items():
            for measure, name in names.items():
                yield topic, measure, values[name]

    return Peer(read_qrels, read_run, evaluator, rows)


def ir_measures(measures: str = "five") -> Peer:
    """An interface to several tools; for these measures, to pytrec_eval and pyndeval."""
    import ir_measures as tool
    from ir_measures import AP, RR, P, R, alpha_nDCG, nDCG

    known = dict(zip(MEASURES, [nDCG @ 10, AP, RR, P @ 10, R @ 1000], strict=True))
    known[NOVELTY] = alpha_nDCG(alpha=0.5) @ 20
    asked = [known[name] for name in MEASURE_SETS[measures]]
    names = dict(zip(map(str, asked), MEASURE_SETS[measures], strict=True))

    def evaluator(qrels: Any) -> Callable[[Any], tuple[Any, Means]]:
        calc = tool.evaluator(asked, qrels).calc

        def score(run: Any) -> tuple[Any, Means]:
            result = calc(run)
            return result.per_query, {names[str(m)]: mean for m, mean in result.aggregated.items()}

        return score

    def rows(topics: Any) -> Rows:
        return ((metric.query_id, names[str(metric.measure)], metric.value) for metric in topics)

    return Peer(tool.read_trec_qrels, tool.read_trec_run, evaluator, rows)


def ranx(measures: str = "five") -> Peer:
    """Compiled by numba; compiled code is cached on disk on first use."""
    import ranx as tool

    names = {name: RANX[name] for name in MEASURE_SETS[measures]}

    def evaluator(qrels: Any) -> Callable[[Any], tuple[Any, Means]]:
        held = tool.Qrels(qrels) if isinstance(qrels, dict) else qrels

        def score(run: Any) -> tuple[Any, Means]:
            run = tool.Run(run) if isinstance(run, dict) else run
            # By default ranx also saves results in the run, which takes it longer; for one measure it has to.
            results = tool.evaluate(
                held, run, list(names.values()), return_mean=False, save_results_in_run=len(names) == 1
            )
            results = results if len(names) > 1 else dict.fromkeys(names.values(), results)
            values = {measure: results[name] for measure, name in names.items()}
            return (run.get_query_ids(), values), {m: float(v.mean()) for m, v in values.items()}

        return score

    def rows(topics: Any) -> Rows:
        ids, by_measure = topics
        for measure, values in by_measure.items():
            for topic, value in zip(ids, values.tolist(), strict=True):
                yield topic, measure, value

    def read_qrels(path: str) -> Any:
        return tool.Qrels.from_file(path, kind="trec")

    def read_run(path: str) -> Any:
        return tool.Run.from_file(path, kind="trec")

    return Peer(read_qrels, read_run, evaluator, rows)


PEERS: dict[str, Callable[..., Peer]] = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}
PACKAGES = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx"}


def main(name: str, measures: str, qrels: str, *runs: str) -> None:
    """Print lines of run, topic, measure and value, as rankgauge does, the mean as topic `all`."""
    peer = PEERS[name](measures)
    score = peer.evaluator(peer.read_qrels(qrels))
    for path in runs:
        topics, means = score(peer.read_run(path))
        run = Path(path).stem
        lines = [f"{run}\t{topic}\t{measure}\t{value:.6f}\n" for topic, measure, value in peer.rows(topics)]
        lines += [f"{run}\tall\t{measure}\t{mean:.6f}\n" for measure, mean in means.items()]
        sys.stdout.writelines(lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
