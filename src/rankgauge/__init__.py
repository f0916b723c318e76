"""rankgauge: evaluation of ranked retrieval.

Most uses need only the names below. Each is imported when it is first used, so `import rankgauge` is fast.

    evaluate(qrels, runs, measures)         the scores of runs
    Evaluator(qrels, measures)              the same, prepared for run after run
    evaluate_scores(labels, scores, measures)  the scores of a matrix or of lists, where they are: on a GPU
    dense.evaluate(qrels, queries, documents, measures)  a dense retriever from its vectors, without a run
    curves(qrels, runs, measures)           measures at every rank
    compare(scores)                         whether differences between runs are significant
    compare(qrels, runs, measures)          the same, of runs that are not evaluated yet
    explain(qrels, run, measure, topic=)    how a mean, or the value of one topic, was computed
    diff(qrels, old, new, measures, topic=) which topics changed between two runs, and what moved
    diff(old, new, topic=)                  the same without judgments, by the overlap of rankings
    fuse(runs, method)                      one run made of several
    tune_fusion(qrels, runs, measure)       the same, with weights chosen by cross-validation over topics
    parse(text)                             a measure from its text
    Run, Qrels, SubtopicQrels               input
    Scores, Curves, Comparison              results
    Explanation, MeanExplanation, TargetSearch  what explain returns
    TunedFusion                             what tune_fusion returns
    Diff, TopicDiff, RunDiff, RankingDiff   what diff returns; the last two without judgments
    Texts                                   titles and texts of documents and topics, read on demand
    FixedCandidates                         candidates whose scores change, made by Evaluator.fixed
    measures                                all measures by name: measures.nDCG(gains="exp2") @ 10
    measure                                 the decorator that adds a measure
    validate(path)                          what is wrong with a file, and what is in it
    preferences, groups                     preferences between documents; judgments of several assessors
    diversity                               the model of novelty, and judging by answer patterns
    studies                                 studies of measures over a whole campaign
    effort                                  reference runs, bounds, archetypes and quadrants of effort
    assessment                              pools to judge, samples of judgments, agreement of assessors
    explore(qrels, runs)                    a page to look at runs: in a notebook, a browser, or a file
    report(qrels, runs)                     a report of a campaign on one page
    figures                                 figures of all these, for papers and pages
    simulate, examples                      simulated data and worked examples
    spark                                   evaluation on Apache Spark
    compat                                  the interfaces of other tools, such as pytrec_eval's
    RankgaugeError, MissingDependency       errors: all, and of a library that is not installed

No module of this package has one of these names: importing it would replace the name in this namespace.
"""

from __future__ import annotations

import sys

if (getattr(sys, "argv", None) or [""])[0].endswith(("rankgauge", "rankgauge.exe")):  # the console script
    import _signal  # type: ignore[import-not-found, unused-ignore]  # `signal` takes a millisecond

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # until `console` is imported
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from rankgauge._version import VERSION as __version__
from rankgauge.schema.extensions import PublicNames
from rankgauge.schema.lazy import lazy_names

TYPE_CHECKING = False  # as type checkers take it; `import typing` would double the time of this import
if TYPE_CHECKING:
    from rankgauge import compat as compat
    from rankgauge import measures as measures
    from rankgauge.comparison import Comparison, compare
    from rankgauge.errors import MissingDependency as MissingDependency
    from rankgauge.errors import RankgaugeError as RankgaugeError
    from rankgauge.evaluation.evaluator import Evaluator, curves, evaluate
    from rankgauge.explanation import Explanation, MeanExplanation, TargetSearch, explain
    from rankgauge.explanation.diff import Diff, TopicDiff, diff
    from rankgauge.explanation.run_diff import RankingDiff, RunDiff
    from rankgauge.extensions import items as items
    from rankgauge.extensions import judging as assessment
    from rankgauge.extensions import studies as studies
    from rankgauge.extensions.devices import dense as dense
    from rankgauge.extensions.devices import spark as spark
    from rankgauge.extensions.devices.score_lists import FixedCandidates, evaluate_scores
    from rankgauge.extensions.judging import nuggets as nuggets
    from rankgauge.extensions.judging import ratings as ratings
    from rankgauge.extensions.judging.corrected_scores import CorrectedScores
    from rankgauge.extensions.pages import figures as figures
    from rankgauge.extensions.pages.explorer import Exploration, explore
    from rankgauge.extensions.pages.reports import report
    from rankgauge.extensions.studies import diversity as diversity
    from rankgauge.extensions.studies import effort as effort
    from rankgauge.extensions.studies.replication import replicate
    from rankgauge.extensions.studies.simulation import examples as examples
    from rankgauge.extensions.studies.simulation import simulate
    from rankgauge.extensions.tools import assessor_groups as groups
    from rankgauge.extensions.tools import preferences as preferences
    from rankgauge.extensions.tools.costs import with_costs
    from rankgauge.extensions.tools.fusion import fuse
    from rankgauge.extensions.tools.fusion_tuning import TunedFusion, tune_fusion
    from rankgauge.measures import Measure, measure, parse
    from rankgauge.model.curves import Curves
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.run import Run
    from rankgauge.model.scores import Scores
    from rankgauge.model.subtopics import SubtopicQrels
    from rankgauge.model.texts import Texts
    from rankgauge.model.validation import validate

_HOMES = {
    "Comparison": "rankgauge.comparison",
    "Curves": "rankgauge.model.curves",
    "Diff": "rankgauge.explanation.diff",
    "Evaluator": "rankgauge.evaluation.evaluator",
    "Explanation": "rankgauge.explanation",
    "MeanExplanation": "rankgauge.explanation",
    "Measure": "rankgauge.measures",
    "MissingDependency": "rankgauge.errors",
    "Qrels": "rankgauge.model.qrels",
    "RankgaugeError": "rankgauge.errors",
    "RankingDiff": "rankgauge.explanation.run_diff",
    "Run": "rankgauge.model.run",
    "RunDiff": "rankgauge.explanation.run_diff",
    "Scores": "rankgauge.model.scores",
    "SubtopicQrels": "rankgauge.model.subtopics",
    "TargetSearch": "rankgauge.explanation",
    "Texts": "rankgauge.model.texts",
    "TopicDiff": "rankgauge.explanation.diff",
    "compare": "rankgauge.comparison",
    "curves": "rankgauge.evaluation.evaluator",
    "diff": "rankgauge.explanation.diff",
    "evaluate": "rankgauge.evaluation.evaluator",
    "explain": "rankgauge.explanation",
    "measure": "rankgauge.measures",
    "parse": "rankgauge.measures",
    "validate": "rankgauge.model.validation",
}
_MODULES = {"compat": "rankgauge.compat", "measures": "rankgauge.measures"}

__all__ = [
    "Comparison",
    "CorrectedScores",
    "Curves",
    "Diff",
    "Evaluator",
    "Explanation",
    "Exploration",
    "MeanExplanation",
    "Measure",
    "FixedCandidates",
    "Qrels",
    "RankingDiff",
    "Run",
    "RunDiff",
    "Scores",
    "SubtopicQrels",
    "TargetSearch",
    "Texts",
    "TopicDiff",
    "TunedFusion",
    "__version__",
    "assessment",
    "compare",
    "compat",
    "curves",
    "dense",
    "diff",
    "diversity",
    "effort",
    "evaluate",
    "evaluate_scores",
    "examples",
    "explain",
    "explore",
    "figures",
    "fuse",
    "groups",
    "measure",
    "measures",
    "items",
    "nuggets",
    "ratings",
    "parse",
    "preferences",
    "report",
    "replicate",
    "simulate",
    "spark",
    "studies",
    "tune_fusion",
    "validate",
    "with_costs",
]

__getattr__ = lazy_names(__name__, _HOMES, _MODULES)
sys.meta_path.insert(0, PublicNames())


def __dir__() -> list[str]:
    return __all__
