"""Where ranx has its classes."""

from rankgauge.extensions.tools.ranx.evaluation import Report as Report
from rankgauge.extensions.tools.ranx.tables import Qrels as Qrels
from rankgauge.extensions.tools.ranx.tables import Run as Run
