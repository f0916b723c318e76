"""The lecture on evaluation: its worked examples."""

from rankgauge.extensions.studies.papers.registry import experiment
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples

EXPERIMENT = experiment(
    "lecture",
    title="A lecture on evaluation: its worked examples",
    cite='Lecture notes on information retrieval, chapter VII, "Evaluation"',
    help="Set measures, precision and recall at every rank, average precision, reciprocal rank, DCG and nDCG "
    "of the examples of the lecture, each printed number beside the computed one. It needs no collection.",
    module=__name__,
    needs_collections=False,
)
# Why macro and micro averages differ: 5 classes with 1 student, 5 with 99. A class has 50 students on
# average, but the average student sits in one of 98. The second sum is printed as 1 + ... + 99 · 5 · 99.
CALCULATIONS = {
    "students per class, macro-average": ((5 * 1 + 5 * 99) / 10, 50),
    "students per class, micro-average": ((5 * 1 + 5 * 99 * 99) / 500, 98.02),
}
add_worked_examples(EXPERIMENT, "lecture", CALCULATIONS)
