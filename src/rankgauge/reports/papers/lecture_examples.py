"""The worked examples of the lecture: a check for each printed number, and numbers that no measure has."""

from rankgauge.reports.papers.worked_examples import Calculation, of

EXAMPLES = of("lecture")

# Why macro and micro averages differ: 5 classes with 1 student, 5 with 99. A class has 50 students on
# average, but the average student sits in one of 98. The second sum is printed as 1 + ... + 99 · 5 · 99.
_SOURCE = "set retrieval effectiveness, precision and recall averaging, remarks"
CALCULATIONS = (
    Calculation("students per class, macro-average", _SOURCE, (5 * 1 + 5 * 99) / 10, printed=50, places=0),
    Calculation("students per class, micro-average", _SOURCE, (5 * 1 + 5 * 99 * 99) / 500, printed=98.02),
)
