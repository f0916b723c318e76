"""The worked examples of the lecture, with a check for each number that is transcribed from it."""

from rankgauge.reproductions.worked_examples import of

EXAMPLES = of("lecture")
