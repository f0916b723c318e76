"""rankgauge: evaluation of ranked retrieval.

The names below are all there is to know for most uses; each is imported when it is first asked
for, so that `import rankgauge` costs nothing.

    evaluate(qrels, runs, measures)         the scores of runs
    Evaluator(qrels, measures)              the same, made ready for run after run
    curves(qrels, runs, measures)           measures rank by rank
    compare(scores, measures)               whether differences between runs are real
    explain(qrels, run, topic=, measure=)   how one value came about
    parse(text)                             a measure from its text
    Run, Qrels, SubtopicQrels               what goes in
    Scores, Curves, Comparison, Explanation what comes out
    measure                                 the decorator that adds a measure
    validate(path)                          what is wrong with a file, and what it looks like
    preferences, groups                     preferences between documents; judgments of several people
    diversity                               the model of novelty, and judging by answer patterns
    studies                                 questions about measures, asked of a whole campaign
    effort                                  reference runs, bounds, archetypes and quadrants of effort
    assessment                              pools to judge, samples of judgments, agreement of assessors
    report(qrels, runs)                     all of it on one page
    figures                                 pictures of all these, for papers and pages
    simulate, examples                      made data

No module is called like a name above: importing one must not put it in the other's place.
"""

from __future__ import annotations

from rankgauge._version import VERSION as __version__

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Any

    from rankgauge import figures as figures
    from rankgauge import studies as studies
    from rankgauge.comparison import Comparison, compare
    from rankgauge.engines import spark as spark
    from rankgauge.evaluation import assessor_groups as groups
    from rankgauge.evaluation import preferences as preferences
    from rankgauge.evaluation.evaluator import Evaluator, curves, evaluate
    from rankgauge.evaluation.explanation import Explanation, explain
    from rankgauge.evaluation.fixed_candidates import FixedCandidates
    from rankgauge.measures import Measure, measure, parse
    from rankgauge.model.curves import Curves
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.run import Run
    from rankgauge.model.scores import Scores
    from rankgauge.model.subtopics import SubtopicQrels
    from rankgauge.model.validation import validate
    from rankgauge.reports import report
    from rankgauge.simulation import examples as examples
    from rankgauge.simulation import simulate
    from rankgauge.studies import assessment as assessment
    from rankgauge.studies import diversity as diversity
    from rankgauge.studies import effort as effort

_HOMES = {
    "Comparison": "rankgauge.comparison",
    "Curves": "rankgauge.model.curves",
    "Evaluator": "rankgauge.evaluation.evaluator",
    "Explanation": "rankgauge.evaluation.explanation",
    "Measure": "rankgauge.measures",
    "FixedCandidates": "rankgauge.evaluation.fixed_candidates",
    "Qrels": "rankgauge.model.qrels",
    "Run": "rankgauge.model.run",
    "Scores": "rankgauge.model.scores",
    "SubtopicQrels": "rankgauge.model.subtopics",
    "compare": "rankgauge.comparison",
    "curves": "rankgauge.evaluation.evaluator",
    "evaluate": "rankgauge.evaluation.evaluator",
    "explain": "rankgauge.evaluation.explanation",
    "measure": "rankgauge.measures",
    "parse": "rankgauge.measures",
    "report": "rankgauge.reports",
    "simulate": "rankgauge.simulation",
    "validate": "rankgauge.model.validation",
}

_MODULES = {
    "assessment": "rankgauge.studies.assessment",
    "diversity": "rankgauge.studies.diversity",
    "effort": "rankgauge.studies.effort",
    "examples": "rankgauge.simulation.examples",
    "figures": "rankgauge.figures",
    "groups": "rankgauge.evaluation.assessor_groups",
    "preferences": "rankgauge.evaluation.preferences",
    "spark": "rankgauge.engines.spark",
    "studies": "rankgauge.studies",
}

__all__ = [
    "Comparison",
    "Curves",
    "Evaluator",
    "Explanation",
    "Measure",
    "FixedCandidates",
    "Qrels",
    "Run",
    "Scores",
    "SubtopicQrels",
    "__version__",
    "assessment",
    "compare",
    "curves",
    "diversity",
    "effort",
    "evaluate",
    "examples",
    "explain",
    "figures",
    "groups",
    "measure",
    "parse",
    "preferences",
    "report",
    "simulate",
    "spark",
    "studies",
    "validate",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'rankgauge' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value  # found once, it is there
    return value


def __dir__() -> list[str]:
    return __all__
