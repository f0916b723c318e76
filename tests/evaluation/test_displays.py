"""What a person sees in a session: short displays, plain numbers, errors at the top level."""

import subprocess
import sys

import rankgauge
from rankgauge.model.output.tables import Table

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
RUN = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}


def test_tables_and_reports_have_a_short_display(tmp_path):
    scores = rankgauge.evaluate(QRELS, RUN, "RR")
    assert repr(scores.table()) == str(scores.table())
    assert "<table" in scores.by_topic("RR")._repr_html_()
    long = Table(("topic", "AP"), [(str(n), n / 100) for n in range(50)])
    assert len(repr(long).splitlines()) == 22
    assert repr(long).splitlines()[-1].startswith("… 30 more")
    assert len(str(long).splitlines()) == 51
    assert repr(scores.provenance) == "<Provenance of RR for run: as_dict() has all of it>"
    assert repr(rankgauge.Evaluator(QRELS, "RR AP")).startswith("<Evaluator of RR, AP: evaluate(runs)")
    path = tmp_path / "a<b>.run"
    path.write_text("1 Q0 a 1 1.0 t\n")
    report = rankgauge.validate(path)
    assert repr(report) == str(report)
    assert "a&lt;b&gt;.run: a run" in report._repr_html_()


def test_one_run_and_measure_are_a_number_and_scores_are_saved_as_csv(tmp_path):
    scores = rankgauge.evaluate(QRELS, RUN, "RR")
    assert float(scores) == 0.75
    scores.save(tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_text() == scores.to_csv().replace("\r\n", "\n")


def test_a_plain_installation_has_all_names_and_errors_are_at_the_top():
    code = """
import sys
for name in ("pyspark", "pyarrow", "torch", "pandas", "polars", "altair", "starlette"):
    sys.modules[name] = None
from rankgauge import *
import rankgauge
assert hasattr(rankgauge, "spark")
assert issubclass(rankgauge.MissingDependency, (rankgauge.RankgaugeError, ImportError))
try:
    rankgauge.spark.evaluate({}, {}, "AP")
except ImportError as error:
    print(type(error).__name__, error)
import pydoc
assert "evaluate" in pydoc.render_doc(rankgauge)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("MissingDependency evaluation on Spark needs pyarrow"), done.stderr
