"""The lecture on evaluation: its worked examples, with every number that it prints."""

from rankgauge.reports.papers.catalogue.worked import add_worked_examples
from rankgauge.reports.papers.lecture_examples import CALCULATIONS
from rankgauge.reports.papers.registry import experiment

EXPERIMENT = experiment(
    "lecture",
    title="A lecture on evaluation: its worked examples",
    cite='Lecture notes on information retrieval, chapter VII, "Evaluation"',
    help="Set measures, precision and recall at every rank, average precision, reciprocal rank, DCG and nDCG "
    "of the examples of the lecture, each printed number beside the computed one. It needs no collection.",
    module=__name__,
    needs_collections=False,
)
add_worked_examples(EXPERIMENT, "lecture", CALCULATIONS)
