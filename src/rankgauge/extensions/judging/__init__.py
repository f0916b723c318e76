"""Tools for judging: pools, samples of judgments, agreement of assessors.

pool(runs, depth=100)              the documents to judge, with the votes of the runs
sample(pool, 30, llm_qrels=llm)    the pool with strata, and documents drawn from them to judge
draw_topics(qrels, 20, seed=1)     random topics for human judgment
judged_sample(drawn, human)        that sample with human grades, to estimate measures from
evaluate_sample(llm, drawn, runs, "P@10")    values by LLM judgments, corrected by such a sample
downsample(qrels, 50, seed=1)      half of the judgments of each topic and grade
agreement(qrels, other, runs)      how far sets of judgments agree, and how that affects runs
judges(human, labels, runs)        how far labels of judges can replace human judgments
estimate_recall(qrels, sample, run, docs=1_000_000)    recall, from a random sample of the collection
Additions(campaign, documents)     how scores change when some of these documents are judged
decide(llm, {"a": run, "b": run}, human)    which run is better, or the documents to judge next
Journal.open("journal.jsonl")      a file that records the decisions of assessors
"""

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.campaigns.downsampling import downsample
    from rankgauge.extensions.judging.additions import Additions
    from rankgauge.extensions.judging.agreement_study import Assessors, agreement
    from rankgauge.extensions.judging.assessors import Agreement, Panel
    from rankgauge.extensions.judging.corrected_scores import evaluate_sample
    from rankgauge.extensions.judging.deciding import decide
    from rankgauge.extensions.judging.decisions import Decision, Decisions
    from rankgauge.extensions.judging.journal import Journal
    from rankgauge.extensions.judging.judge_study import judges
    from rankgauge.extensions.judging.pooling import DocumentPool, pool
    from rankgauge.extensions.judging.recall import SampledRecall, SampledRecalls, estimate_recall
    from rankgauge.extensions.judging.samples import draw_topics, judged_sample, sample

__all__ = [
    "Additions",
    "Agreement",
    "Assessors",
    "Decision",
    "Decisions",
    "DocumentPool",
    "Journal",
    "Panel",
    "SampledRecall",
    "SampledRecalls",
    "agreement",
    "decide",
    "downsample",
    "draw_topics",
    "estimate_recall",
    "evaluate_sample",
    "judged_sample",
    "judges",
    "pool",
    "sample",
]

_HOMES = {
    "Additions": f"{__name__}.additions",
    "Agreement": f"{__name__}.assessors",
    "Assessors": f"{__name__}.agreement_study",
    "Decision": f"{__name__}.decisions",
    "Decisions": f"{__name__}.decisions",
    "DocumentPool": f"{__name__}.pooling",
    "Journal": f"{__name__}.journal",
    "Panel": f"{__name__}.assessors",
    "SampledRecall": f"{__name__}.recall",
    "SampledRecalls": f"{__name__}.recall",
    "agreement": f"{__name__}.agreement_study",
    "decide": f"{__name__}.deciding",
    "downsample": "rankgauge.campaigns.downsampling",
    "draw_topics": f"{__name__}.samples",
    "estimate_recall": f"{__name__}.recall",
    "evaluate_sample": f"{__name__}.corrected_scores",
    "judged_sample": f"{__name__}.samples",
    "judges": f"{__name__}.judge_study",
    "pool": f"{__name__}.pooling",
    "sample": f"{__name__}.samples",
}
__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
