"""The experiment of the Twist paper: effort beside gain, on any collections with graded judgments."""

from rankgauge.reports.papers.catalogue.twist import effort, measures
from rankgauge.reports.papers.catalogue.twist.definition import EXPERIMENT
from rankgauge.reports.papers.catalogue.worked import add_worked_examples

__all__ = ["effort", "measures"]

add_worked_examples(EXPERIMENT, "twist")
