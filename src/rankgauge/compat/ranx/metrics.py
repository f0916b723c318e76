"""The names of ranx's metrics and their labels; the measure language knows what they stand for."""

from __future__ import annotations

import re
from typing import Any

from rankgauge.compat.ranx.errors import UnsupportedMetric
from rankgauge.measures import Measure, parse
from rankgauge.measures.other_tools import DIFFERENT
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import nearest


class Metric(Frozen):
    """A metric of ranx: its label in a report, and whether it takes @k."""

    label: str
    cut: bool = True


METRICS = {
    "hits": Metric("Hits"),
    "hit_rate": Metric("Hit Rate"),
    "precision": Metric("P"),
    "recall": Metric("Recall"),
    "f1": Metric("F1"),
    "r-precision": Metric("R-Prec", cut=False),
    "mrr": Metric("MRR"),
    "map": Metric("MAP"),
    "dcg": Metric("DCG"),
    "dcg_burges": Metric("DCG Burges"),
    "ndcg": Metric("NDCG"),
    "ndcg_burges": Metric("NDCG Burges"),
    "bpref": Metric("BPref", cut=False),
    "rbp": Metric("RBP"),
}
# The measure language knows ranx's names; where a name means something else there, it knows that, too.
_OTHERWISE = {name: instead for tool, name, instead in DIFFERENT if tool == "ranx"} | {"rbp": "RBP"}
_SPELLINGS = {"r_precision": "r-precision"}  # as ranx's table of metrics has it
_NAME = re.compile(r"(?P<name>[a-z_0-9-]+?)(?:\.(?P<p>\d+))?(?:@(?P<k>\d+))?(?:-l(?P<level>\d+))?")


class Request(Frozen):
    """A metric as asked for, such as `ndcg@10-l2` or `rbp.95`."""

    name: str
    p: str | None  # the digits of RBP's persistence
    cutoff: int  # 0: none
    level: int  # the smallest grade that is relevant

    @property
    def label(self) -> str:
        """What heads the column of a report."""
        cutoff, level = f"@{self.cutoff}" * bool(self.cutoff), f"-l{self.level}" * (self.level != 1)
        return f"{METRICS[self.name].label}{f'.{self.p}' if self.p else ''}{cutoff}{level}"

    @property
    def measure(self) -> Measure:
        """The measure behind it."""
        settings: dict[str, Any] = {"p": float(f"0.{self.p}")} if self.p else {}
        if self.level != 1:
            settings["rel"] = self.level
        measure = parse(_OTHERWISE.get(self.name, self.name))(**settings)
        return measure @ self.cutoff if self.cutoff else measure


def requests(metrics: Any) -> dict[str, Request]:
    """{metric as written: what it asks for}, from one name or several."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or not all(isinstance(name, str) for name in names):
        raise UnsupportedMetric(
            f"metrics are names such as 'ndcg@10', one or a list of them, not {metrics!r}"
        )
    return {name: _request(name) for name in names}


def _request(text: str) -> Request:
    found = _NAME.fullmatch(text.lower())
    name = _SPELLINGS.get(found["name"], found["name"]) if found else ""
    if not found or name not in METRICS:
        known = ", ".join(METRICS)
        raise UnsupportedMetric(
            f"ranx has no metric {text!r}{nearest(name, METRICS)}; it has {known}, each with @k and -lGRADE "
            "as in ndcg@10-l2, and rbp.95; rankgauge.evaluate has more measures"
        )
    if (name == "rbp") != bool(found["p"]):
        raise UnsupportedMetric(
            f"{text}: rbp, and no other metric, needs the decimals of its persistence, as in rbp.95 for "
            "p = 0.95"
        )
    if found["k"] and not METRICS[name].cut:
        raise UnsupportedMetric(f"{text}: {name} has no cutoff, and ranx ignores it; leave out @{found['k']}")
    return Request(name, found["p"], int(found["k"] or 0), int(found["level"] or 1))
