"""Judgments as an object of study: pools of documents to judge, samples of judgments.

A pool is what people judge; a sample is what is left when they judge less.

    pool(runs, depth=100)              the documents to judge, with the votes of the runs
    downsample(qrels, 50, seed=1)      half of the judgments of each topic and grade
"""

from rankgauge.assessment.pooling import DocumentPool, pool
from rankgauge.studies.working.sampling import downsample

__all__ = ["DocumentPool", "downsample", "pool"]
