"""The command as its users meet it."""

import re
from typing import NamedTuple

import pytest

from rankgauge.cli.main import main
from rankgauge.schema.extensions import services

FORMS = ["qrels", *(form for form in services("trec_eval") if form != "title")]  # of judgments, that are read


def possible(options):
    """Whether the judgments that options ask for are of a form that is read."""
    form = re.search(r"-R (\w+)", options)
    return form is None or form[1] in FORMS


class Said(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def lines(self):
        """(name, topic, value) of every line."""
        return [tuple(part.strip() for part in line.split("\t")) for line in self.out.splitlines()]

    @property
    def values(self):
        """{(name, topic): value}."""
        return {(name, topic): value for name, topic, value in self.lines}


@pytest.fixture
def trec_eval(capsys):
    """A function that runs the command and returns (exit code, stdout, stderr)."""

    def run(*argv):
        capsys.readouterr()
        status = main(["trec_eval", *map(str, argv)])
        return Said(status, *capsys.readouterr())

    return run


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 d -1\n2 0 a 1\n3 0 x 1\n3 0 y 0\n"
RUN = (
    "1 Q0 a 1 9 mine\n1 Q0 z 2 8 mine\n1 Q0 b 3 7 mine\n1 Q0 d 4 6 mine\n1 Q0 c 5 5 mine\n"
    "2 Q0 z 1 9 mine\n2 Q0 a 2 8 mine\n"
)


@pytest.fixture
def files(write):
    """Judgments of three topics, and a run that has results for two of them."""
    return write("qrels", QRELS), write("run", RUN)
