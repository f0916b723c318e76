"""The names of ranx's metrics, and the measures they stand for."""

from __future__ import annotations

import re
from typing import Any

from rankgauge.compat.ranx.errors import UnsupportedMetric
from rankgauge.measures import Measure, parse
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import nearest


class Metric(Frozen):
    """A metric of ranx: the measure behind it, and its label in a report."""

    measure: str
    label: str
    cut: bool = True  # takes @k
    settings: str = ""


METRICS = {
    "hits": Metric("NumRelRet", "Hits", settings="average=mean"),
    "hit_rate": Metric("Success", "Hit Rate"),
    "precision": Metric("P", "P"),
    "recall": Metric("R", "Recall"),
    "f1": Metric("F", "F1"),
    "r-precision": Metric("Rprec", "R-Prec", cut=False),
    "mrr": Metric("RR", "MRR"),
    "map": Metric("AP", "MAP"),
    "dcg": Metric("DCG", "DCG"),
    "dcg_burges": Metric("DCG", "DCG Burges", settings="gains=exp2"),
    "ndcg": Metric("nDCG", "NDCG"),
    "ndcg_burges": Metric("nDCG", "NDCG Burges", settings="gains=exp2"),
    "bpref": Metric("Bpref", "BPref", cut=False, settings="negatives=nonrelevant"),
    "rbp": Metric("RBP", "RBP"),
}
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
        metric = METRICS[self.name]
        settings = [metric.settings] if metric.settings else []
        if self.p:
            settings.append(f"p=0.{self.p}")
        if self.level != 1:
            settings.append(f"rel={self.level}")
        return parse(f"{metric.measure}({','.join(settings)}){f'@{self.cutoff}' * bool(self.cutoff)}")


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
