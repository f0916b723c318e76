"""The plan of an evaluation: how all rows of a topic come to one task.

    files       tasks read the files; topics that lie in one task are evaluated there, others are moved
    in-place    the same with the partitions of a DataFrame
    shuffle     Spark moves all rows

All plans give the same values. docs/decisions/spark.md has what each costs.
"""

from __future__ import annotations

from rankgauge.engines.spark import from_partitions
from rankgauge.engines.spark.inputs import Runs
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.pieces import Unreadable
from rankgauge.engines.spark.scored import Scored, computed
from rankgauge.engines.spark.worker import Job
from rankgauge.errors import OptionError

PLANS = ("auto", "files", "in-place", "shuffle")


def score(
    plan: str, given: Runs, judgments: Judgments, job: Job, partitions: int | None
) -> tuple[str, Scored]:
    """(the plan, the scores) of runs by this plan, or by the best one ("auto")."""
    sent = judgments.qrels is not None
    if not sent and plan not in ("auto", "shuffle"):
        raise OptionError(
            f"plan={plan} is for judgments that every worker gets; use join=broadcast, or plan=shuffle"
        )
    # What Spark holds of a frame is what its other actions see, even if files have changed since.
    if sent and (plan == "files" or (plan == "auto" and not given.is_held)):
        try:
            return "files", computed(given.spark, given.files().score(job))
        except Unreadable as reason:
            if plan == "files":
                raise OptionError(f"plan=files cannot be used: {reason}; use another plan") from None
    if sent and (plan == "in-place" or (plan == "auto" and given.is_held)):
        sure = plan == "in-place"
        found = from_partitions.score(given.frame, judgments, job, partitions, sure=sure)
        if found is not None:
            return "in-place", found
    return "shuffle", computed(given.spark, judgments.score(given.frame, partitions, job))
