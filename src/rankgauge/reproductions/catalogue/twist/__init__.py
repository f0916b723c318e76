"""The experiment of the Twist paper: effort beside gain, on any collections with graded judgments."""

from rankgauge.reproductions.catalogue.twist import effort, measures

__all__ = ["effort", "measures"]
