"""Every command that takes measures takes grids; one that takes a single measure says why it does not."""

import csv
import io
import json

import pytest

from rankgauge.cli.main import main

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 1\n3 0 e 2\n"
RUNS = {
    "good": "1 Q0 c 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 2 t\n2 Q0 x 2 1 t\n3 Q0 e 1 2 t\n",
    "poor": "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 y 1 2 t\n3 Q0 y 1 2 t\n3 Q0 e 2 1 t\n",
}
GRID = "nDCG(base=2|10)@1|2"
MEASURES = ["nDCG(base=2)@1", "nDCG(base=2)@2", "nDCG(base=10)@1", "nDCG(base=10)@2"]


@pytest.fixture
def files(write):
    """Paths of judgments and of two runs."""
    return [str(write("qrels.txt", QRELS)), *(str(write(f"{name}.run", text)) for name, text in RUNS.items())]


def output(capsys, *argv):
    assert main([*map(str, argv)]) == 0
    return capsys.readouterr().out


def test_commands_take_grids(files, capsys, tmp_path):
    scores = tmp_path / "scores.json"
    assert output(capsys, "evaluate", *files, "-m", GRID).split("\n")[0].split("\t")[1:] == MEASURES
    assert main(["evaluate", *files, "-m", GRID, "-q", "-o", str(scores)]) == 0
    for inputs in (files, [scores]):
        compared = json.loads(output(capsys, "compare", *inputs, "-m", GRID, "--format", "json"))
        assert [each["measure"] for each in compared["measures"]] == MEASURES
    curves = output(
        capsys, "evaluate", "--curve", *files, "-m", "DCG(base=2|10)", "--depth", "2", "--format", "csv"
    )
    rows = csv.DictReader(io.StringIO(curves))
    assert {row["measure"] for row in rows} == {"DCG(base=2)", "DCG(base=10)"}


@pytest.mark.parametrize(
    "argv",
    [
        ["explain", 0, 1, "--topic", "1", "-m", "P@5|10"],
        ["compare", 0, 1, 2, "--fail-if", "P@5|10 drops"],
        ["measures", "P@5|10"],
    ],
)
def test_a_command_that_takes_one_measure_says_so(argv, files, refused):
    argv = [files[word] if isinstance(word, int) else word for word in argv]
    assert "'P@5|10' is a grid of 2 measures (P@5, P@10); name one of them" in refused(*argv)
