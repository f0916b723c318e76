"""Extreme but valid input: no command lets NumPy print a warning. (Tests turn warnings into errors.)"""

import pytest

import installed
from rankgauge.cli.main import main

QRELS = "1 0 a 1\n1 0 b 2\n1 0 c 0\n2 0 a 0\n3 0 a 1\n3 0 b 0.5\n"
RUNS = {
    "a.run": "1 Q0 a 1 inf a\n1 Q0 b 2 1.0 a\n2 Q0 a 1 1.0 a\n3 Q0 a 1 1e300 a\n3 Q0 b 2 -inf a\n",
    "b.run": "1 Q0 x 1 2.0 b\n1 Q0 a 2 1.0 b\n2 Q0 y 1 1.0 b\n",  # topic 3 is missing
    "c.run": "1 Q0 x 1 2.0 c\n2 Q0 x 1 1.0 c\n3 Q0 x 1 1.0 c\n",  # nothing is relevant
}


@pytest.fixture(autouse=True)
def files(working_folder):
    """Judgments and runs, in the working directory."""
    working_folder({"qrels.txt": QRELS, **RUNS})


@pytest.mark.parametrize(
    "command",
    installed.rows(
        [
            "compare qrels.txt a.run b.run c.run --alpha 1e-300",
            "compare qrels.txt a.run b.run c.run --alpha 5e-324",
            "compare qrels.txt b.run c.run -m P@1 --alpha 1e-300",  # which do not differ
            "compare qrels.txt a.run b.run c.run -m BalancePoint",
            "compare qrels.txt a.run b.run c.run --test tukey --alpha 0.9999999999999999",
            "compare qrels.txt a.run b.run c.run --test anova-two-way --alpha 1e-300",
            "evaluate --curve qrels.txt a.run b.run c.run -m DCG --normalise topics",
            "evaluate --curve qrels.txt a.run b.run c.run -m Frustration --normalise topics",
            "evaluate --curve qrels.txt a.run b.run c.run -m DCG --level 0.9999999999999999",
            "evaluate --curve qrels.txt c.run -m DCG --level 0.9999999999999999",
            "evaluate --curve qrels.txt a.run b.run c.run -m DCG --normalise averages",
            "evaluate qrels.txt a.run b.run c.run -q -m official -m BalancePoint",
            "figure distribution qrels.txt a.run b.run c.run -m BalancePoint -o f.json",
            "figure curve qrels.txt a.run b.run c.run -m DCG -o f.json",
            "study power qrels.txt a.run b.run c.run",
            "validate qrels.txt a.run b.run c.run --qrels qrels.txt",
            "agreement qrels.txt qrels.txt a.run b.run c.run",
            "agreement --judges qrels.txt qrels.txt a.run b.run c.run -m AP",
        ]
    ),
)
def test_extremes_cause_no_warning(command):
    assert main(command.split()) == 0


@pytest.mark.parametrize("extension", ["arrow", "parquet"])
def test_infinite_grades_are_a_problem_and_no_warning(extension, tmp_path, invoke):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    grades = [float("inf"), -float("inf"), float("nan"), 0.5, 1.0]
    table = pa.table({"query_id": ["1"] * 5, "doc_id": [*"abcde"], "relevance": grades})
    if extension == "parquet":
        parquet.write_table(table, "q.parquet")
    else:
        with pa.OSFile("q.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    shown = invoke("validate", f"q.{extension}", "--kind", "qrels", code=1).out
    assert "1 judgment with a fraction" in shown
    assert main(["evaluate", f"q.{extension}", "a.run"]) == 2
